/// What is left of a network, or of a class of equivalent networks, once some sinks have been taken off.
///
/// A network over W loses one sink after the other. To meet each network once, the search picks a variable x of W: either x is a sink,
/// which is taken off with its parents, or it is not, which has to hold from there on. F is the set of variables that must not be sinks:
/// a variable of F that is no parent of x must not be a sink of what is left either.
///
/// A class of equivalent networks is treated the same with "potential sink" in place of "sink": a variable that is a sink in some member.
/// x, with its neighbours P as parents, is a potential sink; G' is the class without x. Then a variable v other than x is a potential
/// sink of G iff it is one of G', and either v is not in P, or its neighbours in G' are exactly P - v. So a variable of F that is in P
/// leaves a condition behind: it must not be a potential sink of G' with neighbours P - v.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "../graphs/varset.hpp"

namespace dagmass {

/// `variable` must not be a potential sink with exactly these neighbours.
struct Condition {
    Varset32 neighbours;
    std::uint32_t variable;
    auto operator<=>(const Condition&) const = default;
};
using Conditions = std::vector<Condition>;  // sorted

struct SearchState {
    Varset32 set = 0;              // W
    Varset32 not_sinks = 0;        // F
    std::uint32_t conditions = 0;  // number of a list of conditions; 0 = none

    bool operator==(const SearchState&) const = default;
    bool is_free() const { return not_sinks == 0 && conditions == 0; }
};

struct SearchStateHash {
    std::size_t operator()(const SearchState& state) const {
        std::uint64_t key = (std::uint64_t{state.set} << 32 | state.not_sinks) + 0x9e3779b97f4a7c15ULL * state.conditions;
        key = (key ^ key >> 32) * 0xd6e8feb86659fd93ULL;
        return static_cast<std::size_t>(key ^ key >> 32);
    }
};

/// How states of networks change.
class NetworkStates {
  public:
    /// Take off the sink x with its parents; nothing where that contradicts the state.
    std::optional<SearchState> remove(const SearchState& state, int x, Varset32 parents) {
        return SearchState{static_cast<Varset32>(without(state.set, x)), state.not_sinks & ~parents, 0};
    }
    SearchState exclude(const SearchState& state, int x) { return {state.set, static_cast<Varset32>(with(state.not_sinks, x)), 0}; }

    /// A variable with a condition in a state that has some.
    int conditioned(const SearchState&) const { return -1; }

    /// Conditions have numbers of their own in every such object: what a state means elsewhere.
    const Conditions& conditions(const SearchState&) const { return none_; }
    SearchState adopt(const SearchState& state, const Conditions&) { return state; }

  private:
    Conditions none_;
};

/// How states of classes change.
class ClassStates {
  public:
    std::optional<SearchState> remove(const SearchState& state, int x, Varset32 parents) {
        SearchState next{static_cast<Varset32>(without(state.set, x)), state.not_sinks & ~parents, 0};
        if (state.conditions == 0 && (state.not_sinks & parents) == 0) return next;
        left_.clear();
        for (const int v : members(state.not_sinks & parents))
            left_.push_back({static_cast<Varset32>(without(parents, v)), static_cast<std::uint32_t>(v)});
        for (const auto& condition : *lists_[state.conditions]) {
            const int v = static_cast<int>(condition.variable);
            if (v == x) {
                if (condition.neighbours == parents) return {};
            } else if (contains(parents, v)) {
                const auto rest = static_cast<Varset32>(without(parents, v));
                if (condition.neighbours == with(rest, x)) left_.push_back({rest, condition.variable});
            } else if (!contains(condition.neighbours, x)) {
                left_.push_back(condition);
            }
        }
        next.conditions = number_of_left();
        return next;
    }

    SearchState exclude(const SearchState& state, int x) {
        SearchState next{state.set, static_cast<Varset32>(with(state.not_sinks, x)), 0};
        if (state.conditions == 0) return next;
        left_.clear();
        for (const auto& condition : *lists_[state.conditions])
            if (static_cast<int>(condition.variable) != x) left_.push_back(condition);
        next.conditions = number_of_left();
        return next;
    }

    int conditioned(const SearchState& state) const { return static_cast<int>(lists_[state.conditions]->front().variable); }

    const Conditions& conditions(const SearchState& state) const { return *lists_[state.conditions]; }
    SearchState adopt(const SearchState& state, const Conditions& conditions) {
        left_ = conditions;
        return {state.set, state.not_sinks, number_of_left()};
    }

  private:
    std::uint32_t number_of_left() {
        if (left_.empty()) return 0;
        std::sort(left_.begin(), left_.end());
        left_.erase(std::unique(left_.begin(), left_.end()), left_.end());
        const auto [entry, is_new] = numbers_.try_emplace(left_, static_cast<std::uint32_t>(lists_.size()));
        if (is_new) lists_.push_back(&entry->first);
        return entry->second;
    }

    Conditions left_, none_;
    std::map<Conditions, std::uint32_t> numbers_;
    std::vector<const Conditions*> lists_{&none_};  // keys of numbers_ stay where they are
};

}  // namespace dagmass
