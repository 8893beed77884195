/// All networks (or classes) within a slack of the best, found by walking the state graph; when more are found than wanted, the slack
/// falls.
///
/// The walk splits near its root into subtrees for the threads. What is found does not depend on them: in the end it is everything
/// within the final slack, and the slack is either the one given or the loss of the last network wanted.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "../job.hpp"
#include "best_network_table.hpp"
#include "family_choices.hpp"
#include "found_networks.hpp"
#include "state_graph.hpp"

namespace dagmass {

struct SearchRequest {
    Score slack;                        // nothing further below the best is looked for
    Score above = -1;                   // what loses at most this is passed over
    std::size_t wanted;                 // the slack falls as soon as so many lie within less
    std::size_t most;                   // give up when more than this tie with the last one wanted
    std::size_t first_ones = SIZE_MAX;  // stop after so many, in the order of the walk
};

struct SearchResult {
    FoundNetworks found;
    Score slack;                     // everything within it is there
    bool has_too_many_ties = false;  // ... unless too many of them lose exactly the slack
    std::uint64_t num_states = 0;
};

template <class States>
class ThresholdSearch {
  public:
    ThresholdSearch(const FamilyChoices& choices, const BestNetworkTable& best, const SearchRequest& request, Job& job)
        : choices_(choices), best_(best), request_(request), job_(job), slack_(request.slack) {}

    SearchResult run() {
        const auto num_workers = static_cast<std::size_t>(std::max(job_.num_threads, 1));
        std::vector<std::unique_ptr<Worker>> workers(num_workers);
        workers[0] = std::make_unique<Worker>(*this);
        const auto tasks = workers[0]->split(request_.first_ones == SIZE_MAX ? num_workers * tasks_a_worker : 1);
        parallel_for(job_, tasks.size(), [&](std::size_t task, int worker) {
            auto& own = workers[static_cast<std::size_t>(worker)];
            if (!own) own = std::make_unique<Worker>(*this);
            if (!is_over_) own->walk(tasks[task]);
        });
        return join(workers);
    }

  private:
    static constexpr std::size_t tasks_a_worker = 16;

    using Network = std::array<Varset32, max_search_variables>;

    /// A walk that has come to a state.
    struct Task {
        typename StateGraph<States>::Loose state;
        Score loss = 0;
        Network parents{};
    };

    class Worker {
      public:
        explicit Worker(ThresholdSearch& search)
            : search_(search),
              found_(static_cast<std::size_t>(search.choices_.num_variables())),
              graph_(search.choices_, search.best_, search.job_) {}

        /// Cut the walk into about so many parts; where only one is wanted, that is the whole.
        std::vector<Task> split(std::size_t wanted) {
            std::vector<Task> tasks{{graph_.loose(graph_.root()), 0, {}}};
            const int num_variables = search_.choices_.num_variables();
            for (int depth = 0; depth < num_variables - 1 && tasks.size() < wanted; ++depth) {
                std::vector<Task> next;
                for (const auto& task : tasks)
                    for (const auto& edge : graph_.edges(graph_.adopt(task.state), search_.slack() - task.loss)) {
                        next.push_back({graph_.loose(edge.rest), task.loss + edge.loss, task.parents});
                        next.back().parents[edge.sink] = edge.parents;
                    }
                tasks = std::move(next);
            }
            return tasks;
        }

        void walk(const Task& task) {
            parents_ = task.parents;
            descend(graph_.adopt(task.state), task.loss);
        }

        FoundNetworks& found() { return found_; }
        std::uint64_t num_states() const { return graph_.num_states(); }

      private:
        void descend(std::uint32_t index, Score loss) {
            const Score left = search_.slack() - loss;
            if (left < 0) return;
            for (const auto& edge : graph_.edges(index, left)) {  // further down sets are smaller: this node is not unfolded again
                if (loss + edge.cost > search_.slack() || search_.is_over_) return;
                parents_[edge.sink] = edge.parents;
                if (edge.rest == StateGraph<States>::end)
                    add(loss + edge.loss);
                else
                    descend(edge.rest, loss + edge.loss);
            }
        }

        void add(Score loss) {
            if (loss <= search_.request_.above) return;
            found_.add(loss, std::span(parents_).first(static_cast<std::size_t>(search_.choices_.num_variables())));
            if ((++num_added_ & 255) == 0) search_.report(num_added_, *this);
            if (found_.size() >= search_.request_.first_ones) search_.is_over_ = true;
            if (found_.size() >= next_cut_) cut();
        }

        /// Too many: keep those that score at least as much as the last one wanted.
        void cut() {
            const std::size_t wanted = search_.request_.wanted;
            const Score last = found_.loss_of_rank(wanted);
            search_.lower_slack(last);
            found_.keep_within(search_.slack());
            next_cut_ = found_.size() + wanted / 2 + 1024;
            if (found_.size() > search_.request_.most) search_.is_over_ = search_.has_too_many_ties_ = true;
        }

        friend class ThresholdSearch;
        ThresholdSearch& search_;
        FoundNetworks found_;
        StateGraph<States> graph_;
        Network parents_{};
        std::uint64_t num_added_ = 0;
        std::size_t next_cut_ = search_.request_.wanted + search_.request_.wanted / 2 + 1024;
    };

    Score slack() const { return slack_.load(std::memory_order_relaxed); }

    void lower_slack(Score to) {
        Score now = slack_.load();
        while (to < now && !slack_.compare_exchange_weak(now, to)) {
        }
    }

    void report(std::uint64_t num_added, const Worker& worker) {
        job_.check();
        job_.done.store(std::min<std::uint64_t>(num_added, job_.total), std::memory_order_relaxed);
        const auto num_workers = static_cast<std::size_t>(std::max(job_.num_threads, 1));  // the others hold about as much
        if ((num_added & 4095) == 0) job_.check_memory(num_workers * (worker.found_.num_bytes() + worker.graph_.num_bytes()));
    }

    SearchResult join(std::vector<std::unique_ptr<Worker>>& workers) {
        SearchResult result{std::move(workers[0]->found()), slack(), has_too_many_ties_, workers[0]->num_states()};
        for (std::size_t i = 1; i < workers.size(); ++i)
            if (workers[i]) {
                result.found.append(workers[i]->found());
                result.num_states += workers[i]->num_states();
                workers[i].reset();
            }
        if (result.has_too_many_ties || request_.first_ones != SIZE_MAX) return result;
        if (result.found.size() > request_.wanted) result.slack = std::min(result.slack, result.found.loss_of_rank(request_.wanted));
        result.found.keep_within(result.slack);
        return result;
    }

    const FamilyChoices& choices_;
    const BestNetworkTable& best_;
    SearchRequest request_;
    Job& job_;
    std::atomic<Score> slack_;
    std::atomic<bool> is_over_{false};
    std::atomic<bool> has_too_many_ties_{false};
};

}  // namespace dagmass
