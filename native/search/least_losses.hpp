/// H(state) = how far the best completion of a search state lies below the best network over the same variables.
///
///     H(W, none) = 0,    H(W, W) = infinite,
///     H(W, F)    = min over s in D - F and parents P of s in W of   loss(W, s, P) + H(W - s, F - P),
///     loss(W, s, P) = best[W] - score(s, P) - best[W - s],
///
/// where D is the possible descendants of one f in F: if f is not a sink, some sink descends from it. So variables that have nothing to do
/// with F are never taken off. Values are remembered, exact ones or lower bounds.
#pragma once

#include <algorithm>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../scores/score.hpp"
#include "best_network_table.hpp"
#include "family_choices.hpp"
#include "search_state.hpp"
#include "state_map.hpp"

namespace dagmass {

/// loss(W, s, P); infinite where the rest has no network.
inline Score loss_of(const BestNetworkTable& best, Varset32 set, int sink, Score score) {
    const Score rest = best[without(set, sink)];
    return is_possible(rest) ? best[set] - score - rest : infinite_loss;
}

template <class States>
class LeastLosses {
  public:
    LeastLosses(const FamilyChoices& choices, const BestNetworkTable& best, States& states, Job& job)
        : choices_(choices), best_(best), states_(states), job_(job) {}

    /// H(state) if it is at most `limit`, otherwise something above it.
    Score operator()(const SearchState& state, Score limit) {
        if (state.is_free() || limit < 0) return 0 <= limit ? 0 : infinite_loss;
        if (state.not_sinks == state.set) return infinite_loss;
        if (const Known* known = known_.get(state))
            if (known->is_exact || known->value > limit) return known->value;
        if ((++num_computed_ & 1023) == 0) job_.check();
        Least least{limit + 1, limit};
        if (state.not_sinks != 0)
            try_descendants(state, least);
        else
            try_conditioned(state, least);
        const bool is_exact = least.value <= limit;
        known_[state] = {least.value, is_exact};
        return least.value;
    }

    std::uint64_t num_computed() const { return num_computed_; }
    std::size_t num_bytes() const { return known_.num_bytes(); }

  private:
    struct Known {
        Score value = 0;
        bool is_exact = false;
    };
    struct Least {
        Score value;
        Score limit;  // what is looked for lies at or below it
        void lower(Score to) {
            if (to >= value) return;
            value = to;
            limit = to - 1;
        }
    };

    void try_descendants(const SearchState& state, Least& least) {
        const int f = hardest(state);
        const Varset32 candidates = choices_.descendants(f, state.set, least.limit) & ~state.not_sinks;
        for (const int sink : members(candidates)) {
            try_sink(state, sink, least);
            if (least.value == 0) return;
        }
    }

    /// Without a variable that must not be a sink: one with a condition is no potential sink at all, or one with other neighbours.
    void try_conditioned(const SearchState& state, Least& least) {
        const int v = states_.conditioned(state);
        try_sink(state, v, least);
        if (least.value > 0) least.lower((*this)(states_.exclude(state, v), least.limit));
    }

    void try_sink(const SearchState& state, int sink, Least& least) {
        for (const auto& choice : choices_.of(sink)) {
            if (!is_subset(choice.parents, state.set)) continue;
            const Score loss = loss_of(best_, state.set, sink, choice.score);
            if (loss > least.limit) return;
            if (const auto next = states_.remove(state, sink, choice.parents)) least.lower(loss + (*this)(*next, least.limit - loss));
        }
    }

    /// The variable of F with the fewest possible descendants that may be sinks.
    int hardest(const SearchState& state) const {
        int found = -1, fewest = max_search_variables + 1;
        for (const int f : members(state.not_sinks)) {
            const int count = size(choices_.descendants(f, state.set) & ~state.not_sinks);
            if (count < fewest) found = f, fewest = count;
        }
        return found;
    }

    const FamilyChoices& choices_;
    const BestNetworkTable& best_;
    States& states_;
    Job& job_;
    StateMap<Known> known_;
    std::uint64_t num_computed_ = 0;
};

}  // namespace dagmass
