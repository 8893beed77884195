/// The search states as a graph that is unfolded when needed: every path from a state to the empty set is one network (or class).
///
/// The edges of a state are sorted by cost: what they lose and the least that has to be lost after them. So a walk that follows an edge
/// only while the cost fits into what is left of the slack never meets a dead end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "best_network_table.hpp"
#include "family_choices.hpp"
#include "least_losses.hpp"
#include "search_state.hpp"
#include "state_map.hpp"

namespace dagmass {

template <class States>
class StateGraph {
  public:
    struct Edge {
        Score cost;  // loss + H(rest)
        Score loss;
        Varset32 parents;
        std::uint32_t rest;  // node
        std::uint8_t sink;
    };
    static constexpr std::uint32_t end = 0;  // nothing is left

    StateGraph(const FamilyChoices& choices, const BestNetworkTable& best, Job& job)
        : choices_(choices), best_(best), least_(choices, best, states_, job) {
        nodes_.emplace_back();
        root_ = number(SearchState{static_cast<Varset32>(best.all()), 0, 0});
    }

    std::uint32_t root() const { return root_; }

    /// The edges of a node, all that cost at most `limit` and perhaps more; good until the node is asked for with a larger limit.
    const std::vector<Edge>& edges(std::uint32_t index, Score limit) {
        Node& node = nodes_[index];
        if (node.limit < limit && index != end) unfold(node, limit);
        return node.edges;
    }

    /// A state as it can be handed to another graph.
    struct Loose {
        SearchState state;
        Conditions conditions;
    };
    Loose loose(std::uint32_t index) const { return {nodes_[index].state, states_.conditions(nodes_[index].state)}; }
    std::uint32_t adopt(const Loose& loose) { return number(states_.adopt(loose.state, loose.conditions)); }

    std::uint64_t num_states() const { return nodes_.size() + least_.num_computed(); }
    std::size_t num_bytes() const {
        return nodes_.size() * sizeof(Node) + numbers_.num_bytes() + num_edges_ * sizeof(Edge) + least_.num_bytes();
    }

  private:
    struct Node {
        SearchState state;
        Score limit = -1;  // all edges that cost at most this are there
        std::vector<Edge> edges;
    };

    std::uint32_t number(const SearchState& state) {
        if (state.set == 0) return end;
        std::uint32_t& number = numbers_[state];
        if (number == end) {
            number = static_cast<std::uint32_t>(nodes_.size());
            nodes_.push_back({state, -1, {}});
        }
        return number;
    }

    /// Pick one variable after the other: it is taken off as a sink, or it must not be one from there on.
    void unfold(Node& node, Score limit) {
        num_edges_ -= node.edges.size();
        node.edges.clear();
        node.limit = limit;
        SearchState state = node.state;
        while (state.not_sinks != state.set) {
            const int x = pick(state);
            add_edges(node, state, x);
            if ((choices_.children(x) & state.set) == 0) break;  // a sink in every network
            state = states_.exclude(state, x);
            if (least_(state, limit) > limit) break;
        }
        std::sort(node.edges.begin(), node.edges.end(), [](const Edge& a, const Edge& b) {
            if (a.cost != b.cost) return a.cost < b.cost;
            return a.sink != b.sink ? a.sink > b.sink : a.parents < b.parents;
        });
        num_edges_ += node.edges.size();
    }

    void add_edges(Node& node, const SearchState& state, int x) {
        for (const auto& choice : choices_.of(x)) {
            if (!is_subset(choice.parents, state.set)) continue;
            const Score loss = loss_of(best_, state.set, x, choice.score);
            if (loss > node.limit) return;
            const auto rest = states_.remove(state, x, choice.parents);
            if (!rest) continue;
            const Score after = least_(*rest, node.limit - loss);
            if (loss + after > node.limit) continue;
            node.edges.push_back({loss + after, loss, choice.parents, number(*rest), static_cast<std::uint8_t>(x)});
        }
    }

    /// One that can have no child here, else the one with the fewest possible descendants.
    int pick(const SearchState& state) const {
        int found = -1, fewest = max_search_variables + 1;
        for (const int x : members(state.set & ~state.not_sinks)) {
            if ((choices_.children(x) & state.set) == 0) return x;
            const int count = size(choices_.descendants(x, state.set));
            if (count < fewest) found = x, fewest = count;
        }
        return found;
    }

    const FamilyChoices& choices_;
    const BestNetworkTable& best_;
    States states_;
    LeastLosses<States> least_;
    std::deque<Node> nodes_;
    StateMap<std::uint32_t> numbers_;
    std::uint32_t root_ = 0;
    std::size_t num_edges_ = 0;
};

}  // namespace dagmass
