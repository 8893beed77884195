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
#include <utility>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../large_array.hpp"
#include "../simd.hpp"
#include "eight.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"

namespace dagmass {

struct Potentials {
    LargeArray<Exponent> down;
    Exponent total = exponent_of_zero;  // 2^total <= Z(V); the exponent of zero where there is no network
};

/// A_s(Uh, Ul) for a low variable s, in the lanes without it: mantissas and exponents.
template <class Real>
[[gnu::always_inline]] inline std::pair<Eight<Real>, Int8> low_factors(const SubsetSums<Real>& sums, Varset high, int s) {
    constexpr std::size_t count = num_in_eight / 2;
    if (s >= sums.num_variables()) return {Eight<Real>{}, spread_whole(exponent_of_zero)};
    const Real* mantissas = sums.mantissas(s) + high * count;
    const Exponent* exponents = sums.exponents(s) + high * count;
    std::array<Real, count> few_mantissas{};
    std::array<Exponent, count> few_exponents;
    if (sums.per_variable() < count) {
        few_exponents.fill(exponent_of_zero);
        std::copy_n(mantissas, sums.per_variable(), few_mantissas.begin());
        std::copy_n(exponents, sums.per_variable(), few_exponents.begin());
        mantissas = few_mantissas.data();
        exponents = few_exponents.data();
    }
    return {take_turns(s, mantissas), lanes_with_bit(s) ? spread_whole(exponent_of_zero) : take_turns(s, exponents)};
}

template <class Real>
class PotentialWalk {
  public:
    PotentialWalk(const SubsetSums<Real>& sums, LargeArray<Exponent>& down, LargeArray<double>& mantissas)
        : sums_(sums), down_(down), mantissas_(mantissas) {}

    /// B of eight sets, from those above.
    [[gnu::always_inline]] void go_down(Varset high) {
        const Varset first = high << num_eight_bits, last = first_variables(sums_.num_variables());
        const Varset outside = last & ~first_variables(num_eight_bits) & ~first;
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
        if ((first | (num_in_eight - 1)) >= last) sum[last & (num_in_eight - 1)] = 1, top[last & (num_in_eight - 1)] = 0;
        finish(high, sum, top);
    }

  private:
    /// Exponents of A_v(U) B(U + v) for eight U.
    [[gnu::always_inline]] Int8 exponents(int v, Varset first) const {
        return load_exponents(sums_.exponents(v) + drop_bit(first, v)) + load_exponents(&down_[with(first, v)]);
    }

    /// Add what leads on by low variables, to the lanes of one size after the other.
    [[gnu::always_inline]] void finish(Varset high, Vec8 sum, Int8 top) {
        std::array<std::pair<Vec8, Int8>, num_eight_bits> factors;
        for (int s = 0; s < num_eight_bits; ++s) {
            const auto found = low_factors(sums_, high, s);
            factors[static_cast<std::size_t>(s)] = {leading(found.first), found.second};
        }
        Vec8 mantissas = sum;
        Int8 down = settled(mantissas, top);
        for (int size = num_eight_bits; size-- > 0;) {
            Int8 exponent[num_eight_bits], highest = top;
            for (std::size_t s = 0; s < num_eight_bits; ++s) {
                exponent[s] = factors[s].second + upper_lanes(down, only(static_cast<int>(s)));
                highest = exponent[s] > highest ? exponent[s] : highest;
            }
            Vec8 gained = sum * powers_of_two(top - highest);
            for (std::size_t s = 0; s < num_eight_bits; ++s)
                gained =
                    gained + factors[s].first * upper_lanes(mantissas, only(static_cast<int>(s))) * powers_of_two(exponent[s] - highest);
            const Int8 gained_down = settled(gained, highest), lanes = lanes_of_size(size);
            mantissas = lanes ? gained : mantissas;
            down = lanes ? gained_down : down;
        }
        store(&mantissas_[high << num_eight_bits], mantissas);
        store_exponents(&down_[high << num_eight_bits], down);
    }

    /// Mantissas in [0.5, 1), and their exponents.
    [[gnu::always_inline]] static Int8 settled(Vec8& mantissas, const Int8& exponents) {
        const Int8 shift = normalise(mantissas), down = exponents + shift;
        return shift == exponent_of_zero || down < exponent_of_zero / 2 ? spread_whole(exponent_of_zero) : down;
    }

    const SubsetSums<Real>& sums_;
    LargeArray<Exponent>& down_;
    LargeArray<double>& mantissas_;
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
