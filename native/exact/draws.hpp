/// Independent draws of networks from the exact posterior (after Talvitie, Vuoksenmaa and Koivisto 2019), layer by layer from the roots.
///
///     f(U, S) = sum over Q around S of (-1)^|Q - S| * product over q in Q of A_q(U) * X(U + Q):   from U on, exactly S have all parents in
///     U
///
/// The first layer is L with weight f(none, L). With W done and S the last layer, the next is L with weight f(W, L) * product over l in L
/// of (1 - A_l(W - S) / A_l(W)): each of L has a parent in S. Then each l draws its parents inside W that meet S.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../random.hpp"
#include "dense_sums.hpp"
#include "exact.hpp"
#include "exponential.hpp"
#include "network_sums.hpp"
#include "potentials.hpp"
#include "sparse_sums.hpp"
#include "subset_sums.hpp"
#include "weighted_choice.hpp"

namespace dagmass {

/// The parent sets of one variable by falling score, with their weights: a draw looks at the likely ones first.
class FamilyDraws {
  public:
    template <class Scores>
    FamilyDraws(const Scores& scores, int fraction_bits, int v) {
        const Exponential exponential(fraction_bits);
        std::vector<std::pair<Score, Varset>> sets;
        const std::size_t count = std::size_t{1} << (scores.num_variables - 1);
        for (Varset index = 0; index < count; ++index) {
            const Varset parents = insert_zero_bit(index, v);
            if (const Score score = scores.score(v, parents); is_possible(score)) sets.emplace_back(-score, parents);
        }
        std::sort(sets.begin(), sets.end());
        for (const auto& [negative_score, parents] : sets) {
            double mantissa = 0;
            const Exponent exponent = exponential(-negative_score, mantissa);
            families_.push_back({parents, mantissa, exponent});
        }
    }

    /// Parents within `allowed` that meet `wanted` (any if that is empty); `mantissa` and `exponent` are those of A(allowed), `share` the
    /// part that meets.
    Varset draw(Varset allowed, Varset wanted, double mantissa, Exponent exponent, double share, double uniform) const {
        double left = uniform * share * mantissa;
        Varset last = 0;
        for (const auto& family : families_) {
            if (!is_subset(family.parents, allowed) || (wanted != 0 && (family.parents & wanted) == 0)) continue;
            last = family.parents;
            left -= family.mantissa * power_of_two(family.exponent - exponent);
            if (left < 0) break;
        }
        return last;
    }

  private:
    struct Family {
        Varset parents;
        double mantissa;
        Exponent exponent;
    };
    std::vector<Family> families_;
};

/// What all draws share.
class DrawTables {
  public:
    template <class Scores>
    DrawTables(const Scores& scores, int fraction_bits, Job& job)
        : sums(scores, fraction_bits, 0, job), potentials(dagmass::potentials(sums, job)) {
        has_networks = potentials.total > exponent_of_zero;
        if (!has_networks) return;
        Way way = cheaper_way(sums, potentials, false);
        backward = sum_networks(way, sums, potentials, false, job).backward;
        families.resize(static_cast<std::size_t>(scores.num_variables));
        parallel_for(job, families.size(),
                     [&](std::size_t v, int) { families[v] = std::make_unique<FamilyDraws>(scores, fraction_bits, static_cast<int>(v)); });
    }

    SubsetSums<double> sums;
    Potentials potentials;
    LargeArray<double> backward;  // X(U) / 2^down(U)
    std::vector<std::unique_ptr<FamilyDraws>> families;
    bool has_networks = false;
};

/// Draws networks on one thread; remembers the layers of the sets it has visited.
class NetworkDrawer {
  public:
    /// Layers that were visited are remembered up to so many numbers.
    NetworkDrawer(const DrawTables& tables, std::size_t most_kept)
        : tables_(tables), all_(first_variables(tables.sums.num_variables())), most_kept_(most_kept) {}

    void draw(DrawRandom& random, std::span<Varset> parents) {
        Varset done = 0, last = 0;
        while (done != all_) {
            const Varset layer = draw_layer(done, last, random());
            if (layer == 0) throw std::runtime_error("no layer has any weight: the sums over networks do not suffice to draw");
            for (const int v : members(layer)) parents[static_cast<std::size_t>(v)] = draw_parents(v, done, last, random());
            done |= layer;
            last = layer;
        }
    }

  private:
    Varset draw_parents(int v, Varset done, Varset last, double uniform) const {
        const double mantissa = tables_.sums.mantissa(v, done);
        return tables_.families[static_cast<std::size_t>(v)]->draw(done, last, mantissa, tables_.sums.exponent(v, done),
                                                                   meeting_share(v, done, last), uniform);
    }

    /// 1 - A_v(W - S) / A_v(W): how much of the weight of v has a parent in the last layer.
    double meeting_share(int v, Varset done, Varset last) const {
        if (last == 0) return 1.0;
        const Varset rest = done & ~last;
        const double mantissa = tables_.sums.mantissa(v, done);
        if (mantissa == 0) return 0.0;
        const double ratio = tables_.sums.mantissa(v, rest) / mantissa *
                             power_of_two(std::min(tables_.sums.exponent(v, rest) - tables_.sums.exponent(v, done), 0));
        return std::max(1.0 - ratio, 0.0);
    }

    Varset draw_layer(Varset done, Varset last, double uniform) {
        const auto outside = outside_of(done);
        const auto& weights = layer_weights(done, outside);
        product_.resize(weights.size());
        product_[0] = 1.0;
        for (std::size_t i = 0; i < outside.size(); ++i) {
            const double share = meeting_share(outside[i], done, last);
            double* with_i = product_.data() + (std::size_t{1} << i);
            at_level([&]() __attribute__((always_inline)) {
                for (std::size_t set = 0; set < std::size_t{1} << i; ++set) with_i[set] = product_[set] * share;
            });
        }
        at_level([&]() __attribute__((always_inline)) {
            for (std::size_t set = 0; set < weights.size(); ++set) product_[set] *= weights[set];
        });
        product_[0] = 0;  // a layer holds somebody
        Varset layer = 0;
        for (const int i : members(choose_(product_, uniform))) layer |= only(outside[static_cast<std::size_t>(i)]);
        return layer;
    }

    std::vector<int> outside_of(Varset done) const {
        std::vector<int> outside;
        for (const int v : members(all_ & ~done)) outside.push_back(v);
        return outside;
    }

    /// f(U, S) / 2^down(U) for all S outside U, numbered by the members of V - U.
    const std::vector<double>& layer_weights(Varset done, const std::vector<int>& outside) {
        if (const auto found = layers_.find(done); found != layers_.end()) return found->second;
        if (num_kept_ > most_kept_) {
            layers_.clear();
            num_kept_ = 0;
        }
        auto& weights = layers_[done];
        weights.resize(std::size_t{1} << outside.size());
        num_kept_ += weights.size();
        std::vector<Varset> set(weights.size(), done);
        std::vector<double> product(weights.size(), 1.0);
        std::vector<Exponent> exponent(weights.size(), 0);
        for (std::size_t i = 0; i < outside.size(); ++i)
            for (std::size_t s = 0; s < std::size_t{1} << i; ++s) {
                const std::size_t with_i = s | std::size_t{1} << i;
                set[with_i] = with(set[s], outside[i]);
                product[with_i] = product[s] * tables_.sums.mantissa(outside[i], done);
                exponent[with_i] = clamp_zero(exponent[s] + tables_.sums.exponent(outside[i], done));
            }
        for (std::size_t s = 0; s < weights.size(); ++s) {
            const auto shift = exponent[s] + tables_.potentials.down[set[s]] - tables_.potentials.down[done];
            weights[s] = product[s] * tables_.backward[set[s]] * power_of_two(std::min(shift, 900));
        }
        for (std::size_t bit = 1; bit < weights.size(); bit *= 2)
            for (std::size_t s = 0; s < weights.size(); ++s)
                if (!(s & bit)) weights[s] -= weights[s | bit];
        for (double& weight : weights) weight = std::max(weight, 0.0);
        return weights;
    }

    const DrawTables& tables_;
    Varset all_;
    std::unordered_map<Varset, std::vector<double>> layers_;
    std::size_t most_kept_, num_kept_ = 0;
    std::vector<double> product_;
    WeightedChoice choose_;
};

/// Parent varsets of draws first, first + 1, ..., one network after the other.
inline void draw_networks(const DrawTables& tables, std::uint64_t seed, std::uint64_t first, std::span<Varset> parents, Job& job) {
    const auto n = static_cast<std::size_t>(tables.sums.num_variables());
    const std::size_t count = parents.size() / n;
    job.total = count;
    std::vector<std::unique_ptr<NetworkDrawer>> drawers(static_cast<std::size_t>(std::max(job.num_threads, 1)));
    const std::size_t most_kept = std::min(std::size_t{1} << 25, job.max_bytes / 2 / sizeof(double) / drawers.size());
    parallel_for(job, count, [&](std::size_t draw, int worker) {
        auto& drawer = drawers[static_cast<std::size_t>(worker)];
        if (!drawer) drawer = std::make_unique<NetworkDrawer>(tables, most_kept);
        DrawRandom random(seed, first + draw);
        drawer->draw(random, parents.subspan(draw * n, n));
        job.done.fetch_add(1, std::memory_order_relaxed);
    });
}

}  // namespace dagmass
