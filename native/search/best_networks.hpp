/// All networks in decreasing score, in one canonical order: equal scores by the parent varsets of variable 0, then 1, ...
///
/// The streams work within a slack below the best network. When it is used up, it widens and they start again; the order is canonical, so
/// what was handed out already is skipped by number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../scores/gap_lists.hpp"
#include "../scores/score.hpp"
#include "best_network_table.hpp"
#include "subset_streams.hpp"

namespace dagmass {

struct NetworkBatch {
    std::vector<Score> scores;
    std::vector<Varset> parents;  // num_variables a network
};

/// `Scores` is one of the storages of families.hpp. One nat is 2^fraction_bits.
template <class Scores>
class BestNetworks {
  public:
    BestNetworks(const Scores& scores, int fraction_bits, Job& job)
        : scores_(scores), list_slack_(first_list_slack << fraction_bits), slack_(list_slack_ / first_list_slack) {
        make_lists(job);
        best_.emplace(all_lists_, job);
        Score lowest = 0;
        for (const auto& list : all_lists_) lowest = std::max(lowest + list.lowest, barely_possible / 2);
        largest_loss_ = has_networks() ? best_score() - lowest : 0;
    }

    bool has_networks() const { return is_possible(best_score()); }
    Score best_score() const { return (*best_)[best_->all()]; }
    const std::vector<ParentList>& lists() const { return all_lists_; }

    /// Up to `count` further networks; fewer only when there are no more. If it is cancelled, nothing counts as taken.
    NetworkBatch take(std::size_t count, Job& job) {
        const std::size_t taken_before = num_taken_;
        try {
            return take_next(count, job);
        } catch (...) {
            num_taken_ = taken_before;
            forget_streams();
            throw;
        }
    }

    /// Does the next network score as much as the last one taken?
    bool next_ties(Job& job) {
        if (num_taken_ == 0) return false;
        const Score last = last_score_;
        if (streams_) streams_->report_to(job);
        try {
            return advance(job) && group_score_ == last;
        } catch (...) {
            forget_streams();
            throw;
        }
    }

  private:
    static constexpr Score first_list_slack = 4;             // nats; the streams begin with a quarter of it
    static constexpr std::size_t max_sorted_ties = 1 << 16;  // more than these are put in order by the streams themselves

    NetworkBatch take_next(std::size_t count, Job& job) {
        NetworkBatch batch;
        job.total = count;
        if (streams_) streams_->report_to(job);
        while (batch.scores.size() < count && advance(job)) {
            batch.scores.push_back(group_score_);
            const auto parents = next_parents();
            batch.parents.insert(batch.parents.end(), parents.begin(), parents.end());
            ++num_taken_;
            last_score_ = group_score_;
            job.done = batch.scores.size();
            job.check_memory(streams_->num_bytes() + (batch.scores.capacity() + batch.parents.capacity()) * 2 * sizeof(Varset));
        }
        return batch;
    }

    void forget_streams() {
        streams_.reset();
        group_end_ = 0;
    }

    void make_lists(Job& job) {
        job.total += scores_.num_variables * (Varset{1} << std::max(0, scores_.num_variables - 1 - block_bits));
        all_lists_ = gap_lists(scores_, list_slack_, job);
    }

    /// Make sure that the next network is at hand: in the tie group, or next in canonically ordered streams.
    bool advance(Job& job) {
        if (!has_networks()) return false;
        if (num_taken_ < group_end_) return true;
        if (!streams_) start_streams(ties_, job);
        while (!read_group(job)) {
            if (slack_ >= largest_loss_) return false;
            widen(job);
        }
        return true;
    }

    /// Read all networks that score like the next one and sort them; a group too large for that starts canonical streams.
    bool read_group(Job& job) {
        const auto* first = streams_->get(num_taken_);
        if (!first) return false;
        group_score_ = first->score;
        group_begin_ = num_taken_;
        group_end_ = num_taken_ + 1;
        if (ties_ == TieOrder::by_parents) return true;
        for (const auto* next = streams_->get(group_end_); next && next->score == group_score_; next = streams_->get(group_end_)) {
            if (++group_end_ - group_begin_ < max_sorted_ties) continue;
            start_streams(TieOrder::by_parents, job);
            group_end_ = group_begin_;
            return read_group(job);
        }
        sort_group();
        return true;
    }

    void sort_group() {
        const auto n = static_cast<std::size_t>(scores_.num_variables);
        const std::size_t count = group_end_ - group_begin_;
        group_.assign(count, std::vector<Varset>(n));
        for (std::size_t i = 0; i < count; ++i) streams_->write_parents(*streams_->get(group_begin_ + i), group_[i]);
        std::sort(group_.begin(), group_.end());
    }

    std::vector<Varset> next_parents() {
        if (ties_ == TieOrder::by_sink) return group_[num_taken_ - group_begin_];
        std::vector<Varset> parents(static_cast<std::size_t>(scores_.num_variables));
        streams_->write_parents(*streams_->get(num_taken_), parents);
        return parents;
    }

    void widen(Job& job) {
        slack_ = std::min(2 * slack_, largest_loss_);
        if (slack_ > list_slack_) {
            list_slack_ = std::min(2 * slack_, largest_loss_);
            make_lists(job);
        }
        start_streams(ties_, job);
    }

    void start_streams(TieOrder ties, Job& job) {
        ties_ = ties;
        streams_.reset();
        lists_ = all_lists_;
        for (auto& list : lists_) std::erase_if(list.sets, [&](const ParentSet& set) { return set.gap > slack_; });
        streams_ = std::make_unique<SubsetStreams>(lists_, *best_, slack_, ties, job);
    }

    Scores scores_;
    Score list_slack_;                   // gaps in all_lists_
    Score slack_;                        // of the streams, at most list_slack_
    Score largest_loss_ = 0;             // no network lies further below the best
    std::vector<ParentList> all_lists_;  // by variable
    std::vector<ParentList> lists_;      // those within slack_
    std::optional<BestNetworkTable> best_;
    std::unique_ptr<SubsetStreams> streams_;
    TieOrder ties_ = TieOrder::by_sink;
    std::size_t num_taken_ = 0;
    std::size_t group_begin_ = 0, group_end_ = 0;  // ranks of the networks that score like the next one
    Score group_score_ = 0;
    Score last_score_ = 0;  // of the last network taken
    std::vector<std::vector<Varset>> group_;
};

}  // namespace dagmass
