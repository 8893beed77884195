/// The recursions of network_sums.hpp as walks over the terms that matter (octet.hpp), eight sets at a time.
///
/// Good where few of the 3^n terms matter: long tables, strong dependence. With (-1)^|W| Z(W) and (-1)^(n-|U|) X(U) in place of Z and X all
/// terms are subtracted.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../simd.hpp"
#include "bases.hpp"
#include "network_sums.hpp"
#include "octet.hpp"
#include "potentials.hpp"
#include "set_numbers.hpp"
#include "subset_sums.hpp"

namespace dagmass {

template <class Real>
class SparseSums {
  public:
    SparseSums(const SubsetSums<Real>& subset_sums, const Potentials& potentials, bool with_posteriors, Job& job)
        : subset_sums_(subset_sums),
          potentials_(potentials),
          job_(job),
          num_variables_(subset_sums.num_variables()),
          threshold_(power_of_two(-cut_bits<Real>(num_variables_))),
          bases_(subset_sums, potentials.total),
          forward_(potentials.down.size()),
          backward_(potentials.down.size()),
          is_wanted_(with_posteriors) {}

    NetworkSums<Real> compute() {
        const std::size_t num_octets = potentials_.down.size() >> num_eight_bits;
        job_.total = 2 * num_octets;
        const auto octet = std::make_unique<Octet<Real>>(subset_sums_, potentials_, threshold_);
        for (Varset high = 0; high < num_octets; ++high) {
            progress();
            at_level([this, &octet, high]() __attribute__((always_inline)) { go_forward(*octet, high); });
        }
        const Varset all = first_variables(num_variables_);
        sums_.total = forward_.get(all, Real(0.0)) * (sign_of(num_variables_) * power_of_two(-potentials_.down[all]));
        sums_.exponent = potentials_.total;
        if (is_wanted_) sums_.non_descendants.assign(static_cast<std::size_t>(num_variables_) * subset_sums_.per_variable(), 0.0);
        for (Varset high = num_octets; high-- > 0;) {
            progress();
            at_level([this, &octet, high]() __attribute__((always_inline)) {
                if (is_wanted_)
                    go_backward<true>(*octet, high);
                else
                    go_backward<false>(*octet, high);
            });
        }
        sums_.absolute /= leading(sums_.total);
        sums_.num_additions = num_eight_bits * num_in_eight + 4 + plain_additions<Real>(num_octets);
        hand_over();
        return std::move(sums_);
    }

  private:
    using Number8 = Eight<Real>;

    static double sign_of(int size) { return size & 1 ? -1.0 : 1.0; }

    void progress() {
        job_.check();
        job_.done.fetch_add(1, std::memory_order_relaxed);
    }

    /// Walk from all lanes together where the factors allow, from one after the other elsewhere.
    template <class Walk>
    [[gnu::always_inline]] void walk_from(Octet<Real>& octet, const Vec8& sizes, const Walk& walk) {
        if (octet.list_candidates(sizes, num_in_eight - 1) <= Octet<Real>::max_spread) return walk(sizes > 0.0);
        for (std::size_t lane = 0; lane < num_in_eight; ++lane) {
            if (!(sizes[lane] > 0)) continue;
            const Int8 single = lane_numbers == spread_whole(static_cast<std::int64_t>(lane));
            octet.list_candidates(keep(sizes, single), lane);
            walk(single);
        }
    }

    [[gnu::always_inline]] void go_forward(Octet<Real>& octet, Varset high) {
        const Varset first = high << num_eight_bits;
        Number8 collected;
        forward_.collected(first, collected);
        collected = collected + bases_(first, load_exponents(&potentials_.down[first]));
        constexpr double most_gained = 0x1p16;  // among eight sets, which rises raise by a few bits
        if (!any(size_of(leading(collected)) * most_gained >= threshold_)) return forward_.put_eight(first, Number8{});
        octet.enter(high);
        const Number8 values = finish_forward(octet, collected);
        const Vec8 sizes = large_ones(size_of(leading(values)));
        if (!any(sizes > 0.0)) return;
        walk_from(octet, sizes, [&](const Int8& lanes) __attribute__((always_inline)) {
            octet.walk(
                keep(values, lanes),
                [&](const typename Octet<Real>::Step& step) __attribute__((always_inline)) {
                    Number8 risen = step.product;
#pragma GCC unroll 7
                    for (std::size_t added = 1; added < num_in_eight; ++added)
                        risen = risen + lower_lanes(octet.rise(added) * step.product, added);
                    forward_.collect(step.target, -(risen * step.power));
                    sums_.num_terms += terms_in_step;
                },
                [](auto...) {});
        });
    }

    /// Complete (-1)^|W| Z(W) of eight sets with the terms among them.
    [[gnu::always_inline]] Number8 finish_forward(const Octet<Real>& octet, Number8 values) {
        for (int size = 0; size < num_eight_bits; ++size) {
            const Number8 done = keep(values, lanes_of_size(size));
#pragma GCC unroll 7
            for (std::size_t added = 1; added < num_in_eight; ++added) values = values - lower_lanes(octet.rise(added) * done, added);
        }
        forward_.put_eight(octet.first(), values);
        return values;
    }

    [[gnu::always_inline]] Vec8 large_ones(const Vec8& sizes) const {
        return reinterpret_cast<Vec8>(reinterpret_cast<Int8>(sizes) & (sizes >= threshold_));
    }
    [[gnu::always_inline]] static Vec8 keep(const Vec8& values, const Int8& lanes) {
        return reinterpret_cast<Vec8>(reinterpret_cast<Int8>(values) & lanes);
    }
    [[gnu::always_inline]] static DoubleDouble<Vec8> keep(const DoubleDouble<Vec8>& values, const Int8& lanes) {
        return {keep(values.hi, lanes), keep(values.lo, lanes)};
    }
    /// What the backward pass adds up for eight sets.
    struct Gains {
        EightSums<Real> all;
        Vec8 absolute{};
        std::array<EightSums<Real>, num_eight_bits> with_low{};
        std::array<EightSums<Real>, max_variables> with_candidate{};
    };

    template <bool is_wanted>
    [[gnu::always_inline]] void go_backward(Octet<Real>& octet, Varset high) {
        const Vec8 weights = size_of(load(&forward_.hi[high << num_eight_bits]));
        const Vec8 sizes = large_ones(weights);
        if (!any(sizes > 0.0)) return;
        octet.enter(high);
        Gains gains;
        // A power of two above each weight goes along, so that no step is lost and no digit either.
        const Vec8 units = 2.0 * reinterpret_cast<Vec8>(reinterpret_cast<Int8>(sizes) & spread_whole(0x7ff0000000000000));
        const Vec8 per_unit = keep(1.0 / units, sizes > 0.0);
        const Int8 matters = sizes > 0.0;
        walk_from(octet, units, [&](const Int8& lanes) __attribute__((always_inline)) {
            octet.walk(
                widened<Real>(keep(units, lanes)), [&](auto& step) __attribute__((always_inline)) { pull<is_wanted>(octet, step, gains); },
                [&](auto* steps, std::size_t count, auto* parent) __attribute__((always_inline)) {
                    if constexpr (is_wanted)
                        for (std::size_t i = 0; i < count; ++i) {
                            const Number8 branch = steps[i].gained.total();
                            gains.with_candidate[static_cast<std::size_t>(steps[i].candidate)].add(branch);
                            if (parent) parent->gained.add(branch);
                        }
                });
            if constexpr (is_wanted) store_high(octet, gains, keep(weights * per_unit, lanes));
        });
        finish_backward<is_wanted>(octet, gains, weights, per_unit, matters);
    }

    template <bool is_wanted>
    [[gnu::always_inline]] void pull(const Octet<Real>& octet, auto& step, Gains& gains) {
        Number8 above;
        backward_.get_eight(step.target, above);
        above = above * step.power;
        std::array<Number8, num_in_eight> part;
#pragma GCC unroll 7
        for (std::size_t added = 1; added < num_in_eight; ++added) part[added] = octet.rise(added) * upper_lanes(above, added);
        const Number8 even = (part[3] + part[5]) + part[6], odd = ((part[1] + part[7]) + part[2]) + part[4];
        const Number8 gained = step.product * (above + (even + odd));
        gains.all.add(gained);
        gains.absolute = gains.absolute + leading(step.product) * (size_of(leading(above) + leading(even)) + size_of(leading(odd)));
        if constexpr (is_wanted) {
            step.gained = {};
            step.gained.add(gained);
            const Number8 both = part[5] + part[7];
            gains.with_low[0].add(step.product * ((part[1] + part[3]) + both));
            gains.with_low[1].add(step.product * ((part[2] + part[3]) + (part[6] + part[7])));
            gains.with_low[2].add(step.product * ((part[4] + part[6]) + both));
        }
        sums_.num_terms += terms_in_step;
    }

    /// Complete (-1)^(n-|U|) X(U) of eight sets with the terms among them.
    template <bool is_wanted>
    [[gnu::always_inline]] void finish_backward(const Octet<Real>& octet, Gains& gains, const Vec8& weights, const Vec8& per_unit,
                                                const Int8& matters) {
        Number8 values = -(gains.all.total() * per_unit);
        const Varset last = first_variables(num_variables_);
        if ((octet.first() | (num_in_eight - 1)) >= last)
            set(values, last & (num_in_eight - 1), Real(power_of_two(-potentials_.down[last])));
        Vec8 absolute = gains.absolute * per_unit;
        std::array<Number8, num_eight_bits> with_low{};
        for (int size = num_eight_bits; size-- > 0;) {
            const Int8 lanes = lanes_of_size(size) & matters;
            Number8 gained{};
#pragma GCC unroll 7
            for (std::size_t added = 1; added < num_in_eight; ++added) {
                const Number8 part = keep(octet.rise(added) * upper_lanes(values, added), lanes);
                gained = gained + part;
                absolute = absolute + size_of(leading(part));
                for (std::size_t b = 0; b < num_eight_bits; ++b)
                    if (is_wanted && (added >> b & 1)) with_low[b] = with_low[b] + part;
            }
            values = values - gained;
        }
        backward_.put_eight(octet.first(), keep(values, matters));
        sums_.absolute += add_up(weights * absolute);
        if constexpr (is_wanted) store_low(octet, gains, with_low, weights, per_unit);
    }

    /// q_v of eight sets; `shares` times what was gained is Z(V) times that, but for the base of v.
    [[gnu::always_inline]] void store_high(const Octet<Real>& octet, Gains& gains, const Vec8& shares) {
        const double sign = -sign_of(num_variables_ - size(octet.first())) / leading(sums_.total);
        for (int i = 0; i < octet.num_candidates(); ++i) {
            auto& sum = gains.with_candidate[static_cast<std::size_t>(i)];
            const Vec8 gained = leading(sum.total());
            sum = {};
            const int v = octet.variable(i);
            const Varset index = drop_bit(octet.first(), v);
            double* q = sums_.non_descendants.data() + static_cast<std::size_t>(v) * subset_sums_.per_variable() + index;
            const Vec8 signs = lane_signs() * sign;
            store(q, load(q) + signs * shares * gained * base_ratio_of_eight(subset_sums_, v, index));
        }
    }

    [[gnu::always_inline]] void store_low(const Octet<Real>& octet, const Gains& gains, const std::array<Number8, num_eight_bits>& within,
                                          const Vec8& weights, const Vec8& per_unit) {
        const double sign = -sign_of(num_variables_ - size(octet.first())) / leading(sums_.total);
        for (int b = 0; b < std::min(num_variables_, num_eight_bits); ++b) {
            const Vec8 gained = leading(gains.with_low[static_cast<std::size_t>(b)].total());
            const Vec8 all = gained * per_unit + leading(within[static_cast<std::size_t>(b)]);
            double* q = sums_.non_descendants.data() + static_cast<std::size_t>(b) * subset_sums_.per_variable();
            for (Varset lane = 0; lane < std::min(num_in_eight, std::size_t{1} << num_variables_); ++lane) {
                if (contains(lane, b)) continue;
                const Varset from = octet.first() | lane;
                const Varset index = drop_bit(from, b);
                q[index] = (size(lane) & 1 ? -sign : sign) * weights[lane] * all[lane] * base_ratio(subset_sums_, b, index);
            }
        }
    }

    void hand_over() {
        sums_.backward.resize(backward_.hi.size());
        for (Varset set = 0; set < sums_.backward.size(); ++set)
            sums_.backward[set] = backward_.get(set, Real(0.0)) * sign_of(num_variables_ - size(set));
    }

    const SubsetSums<Real>& subset_sums_;
    const Potentials& potentials_;
    Job& job_;
    int num_variables_;
    double threshold_;
    Bases<Real> bases_;
    SetNumbers forward_, backward_;
    bool is_wanted_;
    NetworkSums<Real> sums_;
};

}  // namespace dagmass
