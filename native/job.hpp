/// How long work reports, stops and spreads over threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace dagmass {

struct Cancelled : std::exception {
    const char* what() const noexcept override { return "cancelled"; }
};

/// Shared by the thread that waits (it reads progress and asks to stop) and those that work.
struct Job {
    int num_threads = 1;
    std::size_t max_bytes = std::numeric_limits<std::size_t>::max();  // what a kernel may allocate
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> done{0};
    std::atomic<std::uint64_t> total{0};
    std::atomic<std::uint64_t> operations{0};  // steps of the innermost loops, about

    void check() const {
        if (stop.load(std::memory_order_relaxed)) throw Cancelled();
    }
    void check_memory(std::size_t bytes) const {
        if (bytes > max_bytes) throw std::bad_alloc();
    }
};

/// Call work(index, worker) once for every index below `count`, on the job's threads. The first exception stops the rest.
template <class Work>
void parallel_for(Job& job, std::size_t count, const Work& work) {
    const auto num_workers = std::clamp<std::size_t>(count, 1, static_cast<std::size_t>(std::max(job.num_threads, 1)));
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr failure;
    std::mutex failure_lock;
    const auto worker = [&](int id) {
        try {
            for (std::size_t index; (index = next.fetch_add(1)) < count && !failed;) {
                job.check();
                work(index, id);
            }
        } catch (...) {
            const std::lock_guard lock(failure_lock);
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t id = 1; id < num_workers; ++id) threads.emplace_back(worker, static_cast<int>(id));
    worker(0);
    for (auto& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace dagmass
