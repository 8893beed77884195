/// The members of a class of equivalent networks: how often each edge points which way, all of them one by one, and random ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "cpdag.hpp"
#include "orientations.hpp"
#include "varset.hpp"

namespace dagmass {

/// share[a * 32 + b] = share of the orientations with a -> b.
using DirectionShares = std::vector<double>;

class ClassMembers {
  public:
    explicit ClassMembers(const Cpdag& graph)
        : graph_(graph),
          counter_(graph.reversible),
          parts_(counter_.components(static_cast<Varset32>(first_variables(static_cast<int>(graph.num_variables))), graph.reversible)) {}

    Count size() {
        Count product = 1;
        for (const Varset32 part : parts_) product *= counter_.of(part).count;
        return product;
    }

    /// sums[a * n + b] += weight * share of the members with a -> b
    void add_edges(double weight, std::span<double> sums) {
        const std::size_t n = graph_.num_variables;
        for (std::size_t b = 0; b < n; ++b)
            for (const int a : members(graph_.compelled[b])) sums[static_cast<std::size_t>(a) * n + b] += weight;
        for (const Varset32 part : parts_) {
            const auto& shares = shares_of(part);
            for (const int a : members(part))
                for (const int b : members(part & graph_.reversible[static_cast<std::size_t>(a)]))
                    sums[static_cast<std::size_t>(a) * n + static_cast<std::size_t>(b)] += weight * shares[index(a, b)];
        }
    }

    /// Call visit(parents) for every member until it returns false.
    template <class Visit>
    void for_each(const Visit& visit) {
        Neighbours parents = graph_.compelled;
        list(parts_, parents, visit);
    }

    /// A member drawn uniformly; `random` gives numbers in [0, 1).
    template <class Random>
    Neighbours draw(Random& random) {
        Neighbours parents = graph_.compelled;
        std::vector<Varset32> waiting = parts_;
        while (!waiting.empty()) {
            const Varset32 part = waiting.back();
            waiting.pop_back();
            const CliqueStart& start = draw_start(counter_.of(part), random);
            direct(part, start, draw_order(start, random), parents);
            waiting.insert(waiting.end(), start.parts.begin(), start.parts.end());
        }
        return parents;
    }

  private:
    static std::size_t index(int a, int b) { return static_cast<std::size_t>(a * 32 + b); }

    const DirectionShares& shares_of(Varset32 part) {
        if (const auto found = shares_.find(part); found != shares_.end()) return found->second;
        const Orientations& all = counter_.of(part);
        DirectionShares shares(32 * 32, 0.0);
        for (const auto& start : all.starts) {
            const double weight = static_cast<double>(start.count) / static_cast<double>(all.count);
            add_clique(start, weight, shares);
            for (const int v : members(start.clique))
                for (const int w : members(counter_.neighbours()[static_cast<std::size_t>(v)] & part & ~start.clique))
                    shares[index(v, w)] += weight;
            for (const auto& [v, w] : start.directed) shares[index(v, w)] += weight;
            for (const Varset32 rest : start.parts) {
                const auto& inner = shares_of(rest);
                for (const int v : members(rest))
                    for (const int w : members(rest)) shares[index(v, w)] += weight * inner[index(v, w)];
            }
        }
        return shares_.emplace(part, std::move(shares)).first->second;
    }

    /// Orders of the clique with a before b are counted like all of them: by the first forbidden prefix they begin with.
    static void add_clique(const CliqueStart& start, double weight, DirectionShares& shares) {
        std::vector<Varset32> sets = start.forbidden;
        sets.push_back(start.clique);
        std::vector<double> orders(sets.size()), in_order(sets.size());
        const auto count = [](Varset32 set) { return static_cast<double>(factorial(dagmass::size(set))); };
        for (const int a : members(start.clique))
            for (const int b : members(without(start.clique, a))) {
                for (std::size_t i = 0; i < sets.size(); ++i) {
                    orders[i] = count(sets[i]);
                    in_order[i] = !contains(sets[i], a) ? 0.0 : contains(sets[i], b) ? orders[i] / 2 : orders[i];
                    for (std::size_t j = 0; j < i; ++j) {
                        const double after = count(sets[i] & ~sets[j]);
                        orders[i] -= orders[j] * after;
                        if (!contains(sets[i], a)) continue;
                        if (contains(sets[j], a))
                            in_order[i] -= in_order[j] * after;  // in_order covers b outside the prefix as well
                        else if (!contains(sets[j], b))
                            in_order[i] -= orders[j] * after * (contains(sets[i], b) ? 0.5 : 1.0);
                    }
                }
                shares[index(a, b)] += weight * in_order.back() / orders.back();
            }
    }

    static std::vector<int> sorted(Varset32 clique) {
        std::vector<int> order;
        for (const int v : members(clique)) order.push_back(v);
        return order;
    }

    static bool is_allowed(const CliqueStart& start, const std::vector<int>& order) {
        Varset32 prefix = 0;
        std::size_t next = 0;
        for (const int v : order) {
            if (next == start.forbidden.size()) return true;
            prefix |= static_cast<Varset32>(only(v));
            if (dagmass::size(prefix) < dagmass::size(start.forbidden[next])) continue;
            if (prefix == start.forbidden[next]) return false;
            ++next;
        }
        return true;
    }

    /// Orient what a start decides: the clique in order, what leaves it, and what follows from that.
    void direct(Varset32 part, const CliqueStart& start, const std::vector<int>& order, Neighbours& parents) const {
        Varset32 before = 0;
        for (const int v : order) {
            parents[static_cast<std::size_t>(v)] |= before;
            before |= static_cast<Varset32>(only(v));
            for (const int w : members(counter_.neighbours()[static_cast<std::size_t>(v)] & part & ~start.clique))
                parents[static_cast<std::size_t>(w)] |= static_cast<Varset32>(only(v));
        }
        for (const auto& [v, w] : start.directed) parents[static_cast<std::size_t>(w)] |= static_cast<Varset32>(only(v));
    }

    template <class Visit>
    bool list(const std::vector<Varset32>& waiting, const Neighbours& parents, const Visit& visit) {
        if (waiting.empty()) return visit(parents);
        const Varset32 part = waiting.back();
        for (const auto& start : counter_.of(part).starts) {
            auto rest = waiting;
            rest.pop_back();
            rest.insert(rest.end(), start.parts.begin(), start.parts.end());
            auto order = sorted(start.clique);
            do {
                if (!is_allowed(start, order)) continue;
                Neighbours next = parents;
                direct(part, start, order, next);
                if (!list(rest, next, visit)) return false;
            } while (std::next_permutation(order.begin(), order.end()));
        }
        return true;
    }

    template <class Random>
    static const CliqueStart& draw_start(const Orientations& all, Random& random) {
        double left = random() * static_cast<double>(all.count);
        for (const auto& start : all.starts) {
            left -= static_cast<double>(start.count);
            if (left < 0) return start;
        }
        return all.starts.back();
    }

    /// Shuffle until the order is allowed: about every second one is.
    template <class Random>
    static std::vector<int> draw_order(const CliqueStart& start, Random& random) {
        auto order = sorted(start.clique);
        do {
            for (std::size_t i = order.size(); i > 1; --i)
                std::swap(order[i - 1], order[static_cast<std::size_t>(random() * static_cast<double>(i))]);
        } while (!is_allowed(start, order));
        return order;
    }

    Cpdag graph_;
    OrientationCounter counter_;
    std::vector<Varset32> parts_;
    std::unordered_map<Varset32, DirectionShares> shares_;
};

}  // namespace dagmass
