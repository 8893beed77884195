/// Run a kernel on threads of its own while the calling thread listens for Ctrl-C and reports progress.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "../job.hpp"

namespace nb = nanobind;

namespace dagmass::bind {

/// `progress` is None or takes (done, total). An exception of it, or a signal, stops the kernel and reaches the caller. Returns the number
/// of operations that the kernel counted.
template <class Kernel>
std::uint64_t run_job(int num_threads, const nb::object& progress, const Kernel& kernel,
                      std::size_t max_bytes = std::numeric_limits<std::size_t>::max()) {
    Job job;
    job.num_threads = num_threads;
    job.max_bytes = max_bytes;
    std::mutex lock;
    std::condition_variable finished;
    bool is_finished = false;
    std::exception_ptr failure;
    std::thread worker([&] {
        try {
            kernel(job);
        } catch (...) {
            failure = std::current_exception();
        }
        const std::lock_guard guard(lock);
        is_finished = true;
        finished.notify_one();
    });
    const auto wait = [&] {
        const nb::gil_scoped_release release;
        std::unique_lock guard(lock);
        return finished.wait_for(guard, std::chrono::milliseconds(50), [&] { return is_finished; });
    };
    std::exception_ptr interruption;
    while (!wait()) {
        if (interruption) continue;
        try {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            if (!progress.is_none()) progress(job.done.load(), job.total.load());
        } catch (nb::python_error&) {
            interruption = std::current_exception();
            job.stop = true;
        }
    }
    worker.join();
    if (interruption) std::rethrow_exception(interruption);
    if (failure) std::rethrow_exception(failure);
    return job.operations;
}

}  // namespace dagmass::bind
