/// Powers of two that keep the sums over networks in range, and say what can be left out.
///
///     B(U) = sum over s not in U of A_s(U) B(U + s),     B(V) = 1,     B(U) < 2^down(U)
///
/// B(U) is the weight of all ways to go on from U, each counted once for every order that agrees with it; so no less than X(U). What
/// leads from the empty set to U weighs Z(U), so what passes through U weighs at most Z(U) 2^down(U): far below Z(V), it does not matter.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../large_array.hpp"
#include "../simd.hpp"
#include "eight.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"

namespace dagmass {

/// Sets with the same high bits lie side by side, eight of them: all subsets of the low variables.
inline constexpr int num_eight_bits = 3;

struct Potentials {
    LargeArray<Exponent> down;
    Exponent total = exponent_of_zero;  // 2^total <= Z(V); the exponent of zero where there is no network
};

template <class Real>
class PotentialWalk {
  public:
    PotentialWalk(const SubsetSums<Real>& sums, LargeArray<Exponent>& down, LargeArray<double>& mantissas)
        : sums_(sums), down_(down), mantissas_(mantissas), num_low_(std::min(sums.num_variables(), num_eight_bits)) {}

    /// B of eight sets, from those above.
    [[gnu::always_inline]] void go_down(Varset high) {
        const Varset first = high << num_eight_bits;
        const Varset outside = first_variables(sums_.num_variables()) & ~first_variables(num_eight_bits) & ~first;
        Int8 top = spread_whole(exponent_of_zero);
        for (const int v : members(outside)) {
            const Int8 exponent = exponents(v, first);
            top = exponent > top ? exponent : top;
        }
        Vec8 sum{};
        for (const int v : members(outside)) {
            const Vec8 product = leading(load_eight(sums_.mantissas(v) + drop_bit(first, v))) * load(&mantissas_[with(first, v)]);
            sum = sum + product * powers_of_two(exponents(v, first) - top);
        }
        for (Varset low = Varset{1} << num_low_; low-- > 0;) finish(first | low, sum[low], top[low]);
    }

  private:
    /// Exponents of A_v(U) B(U + v) for eight U.
    [[gnu::always_inline]] Int8 exponents(int v, Varset first) const {
        return load_exponents(sums_.exponents(v) + drop_bit(first, v)) + load_exponents(&down_[with(first, v)]);
    }

    /// Add what leads on by a low variable.
    [[gnu::always_inline]] void finish(Varset set, double sum, std::int64_t top) {
        if (set + 1 == Varset{1} << sums_.num_variables()) sum = 1, top = 0;
        for (const int s : members(~set & first_variables(num_low_))) {
            const Exponent exponent = sums_.exponent(s, set) + down_[with(set, s)];
            const std::int64_t higher = std::max<std::int64_t>(top, exponent);
            sum = sum * power_of_two(top - higher) +
                  leading(sums_.mantissa(s, set)) * mantissas_[with(set, s)] * power_of_two(exponent - higher);
            top = higher;
        }
        const Exponent shift = normalise(sum);
        mantissas_[set] = sum;
        down_[set] = shift == exponent_of_zero ? exponent_of_zero : clamp_zero(static_cast<Exponent>(top) + shift);
    }

    const SubsetSums<Real>& sums_;
    LargeArray<Exponent>& down_;
    LargeArray<double>& mantissas_;
    int num_low_;
};

/// A_v(U) with the empty parent set at its full weight.
template <class Real>
Scaled<Real> with_base(const SubsetSums<Real>& sums, int v, Varset set) {
    const Scaled<Real>& base = sums.base(v);
    const Exponent exponent = sums.exponent(v, set), top = std::max(exponent, base.exponent);
    if (top == exponent_of_zero) return {};
    return {sums.mantissa(v, set) * power_of_two(exponent - top) + base.mantissa * power_of_two(base.exponent - top), top};
}

/// log2 of the weight of all networks that agree with one likely order: no more than that of all networks.
template <class Real>
double weight_of_likely_order(const SubsetSums<Real>& sums, const LargeArray<Exponent>& down) {
    const Varset all = first_variables(sums.num_variables());
    double log_weight = 0;
    for (Varset done = 0; done != all;) {
        int next = 0;
        Exponent top = std::numeric_limits<Exponent>::min();
        for (const int s : members(all & ~done))
            if (const Exponent through = with_base(sums, s, done).exponent + down[with(done, s)]; through > top) top = through, next = s;
        const auto weight = with_base(sums, next, done);
        log_weight += std::log2(leading(weight.mantissa)) + weight.exponent;
        done = with(done, next);
    }
    return log_weight;
}

template <class Real>
Potentials potentials(const SubsetSums<Real>& sums, Job& job) {
    const std::size_t count = std::max(std::size_t{1} << sums.num_variables(), num_in_eight);
    Potentials found;
    found.down.assign(count, exponent_of_zero);
    LargeArray<double> mantissas(count);
    PotentialWalk<Real> walk(sums, found.down, mantissas);
    for (std::size_t high = count >> num_eight_bits; high-- > 0;) {
        job.check();
        at_level([&walk, high]() __attribute__((always_inline)) { walk.go_down(high); });
    }
    if (found.down[0] > exponent_of_zero) found.total = static_cast<Exponent>(std::floor(weight_of_likely_order(sums, found.down) - 1e-6));
    return found;
}

}  // namespace dagmass
