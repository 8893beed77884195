/// All networks, or all classes of equivalent networks, in decreasing score and in one canonical order: equal scores by the parent varsets
/// of variable 0, then 1, ... (of a class: those of its representative, class_representative.hpp).
///
/// They come in bands. A band is everything within a slack of the best that was not handed out before; the slack widens until enough are
/// found. A group of equal score that is too large to be listed is met in order by fixing the parents of one variable after the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "../graphs/class_representative.hpp"
#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../scores/gap_lists.hpp"
#include "../scores/score.hpp"
#include "best_network_table.hpp"
#include "best_with_family.hpp"
#include "large_ties.hpp"
#include "search_lists.hpp"
#include "threshold_search.hpp"

namespace dagmass {

struct NetworkBatch {
    std::vector<Score> scores;
    std::vector<Varset> parents;  // num_variables a network
};

/// `States` says what is searched: networks or classes.
template <class States>
class BestFirst {
  public:
    /// Where the stream stands: so many have been taken, the last with this loss, so many of those with this loss.
    struct Position {
        std::uint64_t num_taken = 0;
        Score loss = -1;
        std::uint64_t num_with_loss = 0;
    };

    BestFirst(SearchLists lists, Score nat, const Position& position, Job& job, const TablePlace& place = {})
        : lists_(std::move(lists)),
          slack_(std::max(nat / 4, position.loss)),
          best_(lists_.of_variable, job, place),
          at_(position),
          band_(lists_.of_variable.size()) {
        Score lowest = 0;
        for (const auto& list : lists_.of_variable) lowest = std::max(lowest + list.lowest, barely_possible / 2);
        largest_loss_ = has_networks() ? best_score() - lowest : 0;
        slack_ = std::min(slack_, largest_loss_);
    }

    bool has_networks() const { return is_possible(best_score()); }
    Score best_score() const { return best_[best_.all()]; }
    const Position& position() const { return at_; }
    std::size_t num_variables() const { return lists_.of_variable.size(); }

    /// Up to `count` further ones; fewer only when there are no more. If it is cancelled, nothing counts as taken.
    NetworkBatch take(std::size_t count, Job& job) {
        NetworkBatch batch;
        job.total = count;
        const Position before = at_;
        try {
            while (batch.scores.size() < count && advance(count - batch.scores.size(), job)) {
                const std::size_t num_ready = batch.scores.size() + std::min(count - batch.scores.size(), order_.size() - next_);
                job.check_memory(band_.num_bytes() + num_ready * (sizeof(Score) + band_.num_variables() * sizeof(Varset)));
                batch.scores.reserve(num_ready);
                batch.parents.reserve(num_ready * band_.num_variables());
                hand_out(batch, count);
            }
        } catch (...) {
            at_ = before;
            forget_band();
            throw;
        }
        return batch;
    }

    /// Does the next one score as much as the last one taken?
    bool next_ties(Job& job) {
        if (at_.num_taken == 0 || (next_ == order_.size() && at_.loss <= complete_to_)) return false;
        try {
            return advance(1, job) && loss_of_next() == at_.loss;
        } catch (...) {
            forget_band();
            throw;
        }
    }

    /// States of all searches so far: the operations that the search is made of.
    std::uint64_t num_states() const { return num_states_; }

  private:
    static constexpr std::size_t max_listed_ties = 1 << 17;                // beyond the number wanted; a larger group of ties is not listed
    static constexpr std::size_t max_second_table = std::size_t{1} << 25;  // sets
    static constexpr std::size_t sets_a_network =
        64;  // with fewer sets than this for each network wanted, best completions are worth their cost

    Score loss_of_next() const { return band_.loss(order_[next_]); }

    void hand_out(NetworkBatch& batch, std::size_t count) {
        for (; next_ < order_.size() && batch.scores.size() < count; ++next_) {
            const Score loss = loss_of_next();
            const auto parents = std::as_const(band_).parents(order_[next_]);
            batch.scores.push_back(best_score() - loss);
            batch.parents.insert(batch.parents.end(), parents.begin(), parents.end());
            at_.num_with_loss = loss == at_.loss ? at_.num_with_loss + 1 : 1;
            at_.loss = loss;
            ++at_.num_taken;
        }
    }

    void forget_band() {
        band_ = FoundNetworks(lists_.of_variable.size());
        order_.clear();
        next_ = 0;
        complete_to_ = -1;
    }

    /// Make sure that something is at hand; find about `count` if nothing is.
    bool advance(std::size_t count, Job& job) {
        if (!has_networks()) return false;
        if (next_ < order_.size()) return true;
        // What comes later is found in ever larger bands, so that reading one after the other takes no longer than all at once.
        const std::size_t wanted = std::max<std::size_t>(count, std::min<std::uint64_t>(at_.num_taken / 2, max_listed_ties));
        forget_band();
        return find_band(wanted, job);
    }

    /// Those that lose as much as the last one taken are found again and passed over.
    bool find_band(std::size_t wanted, Job& job) {
        const std::size_t known = wanted + at_.num_with_loss;
        for (;;) {
            SearchResult result = search(slack_, known, job);
            if (result.has_too_many_ties) return find_ties(result.slack, known, job);
            if (result.found.size() >= known || slack_ >= largest_loss_) return keep(std::move(result));
            widen(result.found.size(), known);
        }
    }

    /// So many lose exactly `loss` that they cannot be listed. First those that lose less; then these, as many as are wanted.
    bool find_ties(Score loss, std::size_t known, Job& job) {
        if (loss > std::max<Score>(at_.loss, 0)) {
            SearchResult below = search(loss - 1, known, job);
            if (below.has_too_many_ties) return find_ties(below.slack, known, job);
            if (below.found.size() > at_.num_with_loss) return keep(std::move(below));
        }
        band_ = first_ties<States>(lists_within(loss, known, job), best_, loss, known, job);
        order_.resize(band_.size());
        std::iota(order_.begin(), order_.end(), 0);
        complete_to_ = loss - 1;
        next_ = at_.loss == loss ? at_.num_with_loss : 0;
        make_representatives();
        return next_ < order_.size();
    }

    bool keep(SearchResult&& result) {
        band_ = std::move(result.found);
        make_representatives();
        order_ = band_.in_order();
        complete_to_ = result.slack;
        next_ = at_.num_with_loss;
        return next_ < order_.size();
    }

    void make_representatives() {
        if constexpr (std::is_same_v<States, ClassStates>)
            for (std::size_t i = 0; i < band_.size(); ++i) make_representative(band_.parents(i));
    }

    SearchResult search(Score slack, std::size_t known, Job& job) {
        const FamilyChoices choices(lists_within(slack, known, job));
        const SearchRequest request{.slack = slack, .above = at_.loss - 1, .wanted = known, .most = known + max_listed_ties};
        auto result = ThresholdSearch<States>(choices, best_, request, job).run();
        num_states_ += result.num_states;
        return result;
    }

    /// The count grows like a power of the slack: guess how far to go.
    void widen(std::size_t found, std::size_t wanted) {
        const double ratio = std::log(2.0 * static_cast<double>(wanted) + 2) / std::log(static_cast<double>(found) + 2);
        const double factor = std::clamp(ratio, 1.15, 2.0);
        slack_ =
            slack_ > largest_loss_ / 2 ? largest_loss_ : std::max(slack_ + 1, static_cast<Score>(static_cast<double>(slack_) * factor));
        slack_ = std::min(slack_, largest_loss_);
    }

    /// The families of networks within a slack; the lists at hand are made longer when it reaches beyond them.
    std::vector<ParentList> lists_within(Score slack, std::size_t known, Job& job) {
        if (slack > lists_.slack) {
            lists_.lengthen(std::max(slack, std::min(2 * lists_.slack, largest_loss_)), job);
            has_losses_ = false;
        }
        if (!has_losses_ && known >= best_.all() / sets_a_network && fits_second_table(job)) {
            if (!completion_) completion_.emplace(lists_.of_variable, job);
            note_losses(lists_.of_variable, best_, *completion_, job);
            has_losses_ = true;
        }
        auto lists = lists_.of_variable;
        for (auto& list : lists) std::erase_if(list.sets, [&](const ParentSet& set) { return set.gap > slack || set.loss > slack; });
        return lists;
    }

    /// The table of best completions and one half as large for each thread.
    bool fits_second_table(const Job& job) const {
        const std::size_t num_bytes = sizeof(Score) * (best_.all() + 1);
        return best_.all() < max_second_table && num_bytes + num_bytes / 2 * static_cast<std::size_t>(job.num_threads) <= job.max_bytes / 2;
    }

    SearchLists lists_;
    Score slack_;             // of the last search
    Score largest_loss_ = 0;  // no network lies further below the best
    BestNetworkTable best_;
    std::optional<BestCompletionTable> completion_;
    bool has_losses_ = false;  // the lists note the loss of every family
    Position at_;
    FoundNetworks band_;
    std::vector<std::uint32_t> order_;  // of the band
    std::size_t next_ = 0;              // in order_
    Score complete_to_ = -1;            // the band and what was taken before hold everything that loses at most this
    std::uint64_t num_states_ = 0;
};

}  // namespace dagmass
