/// The bases of all variables of a set, multiplied: E(W), the weight of the network without edges as far as it is kept apart.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "../graphs/varset.hpp"
#include "eight.hpp"
#include "potentials.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"

namespace dagmass {

template <class Real>
class Bases {
  public:
    Bases(const SubsetSums<Real>& sums, Exponent total)
        : total_(total), of_high_(std::max(std::size_t{1} << sums.num_variables(), num_in_eight) >> num_eight_bits) {
        const int n = sums.num_variables();
        std::array<Scaled<Real>, num_in_eight> low;
        of_high_[0] = low[0] = {Real(1.0), 0};
        for (Varset set = 0; set < num_in_eight; ++set) {
            if (set != 0) low[set] = highest(set) < n ? times(low[set & (set - 1)], sums.base(lowest(set))) : Scaled<Real>{};
            dagmass::set(low_mantissas_, set, low[set].mantissa * (size(set) & 1 ? -1.0 : 1.0));
            low_exponents_[set] = low[set].exponent;
        }
        for (Varset high = 1; high < of_high_.size(); ++high)
            of_high_[high] = times(of_high_[high & (high - 1)], minus(sums.base(lowest(high) + num_eight_bits)));
    }

    /// (-1)^|W| E(W) 2^(unit - total) of eight sets.
    [[gnu::always_inline]] Eight<Real> operator()(Varset first, const Int8& units) const {
        const auto& high = of_high_[first >> num_eight_bits];
        const Int8 exponents = low_exponents_ + units + static_cast<std::int64_t>(high.exponent - total_);
        return low_mantissas_ * spread(high.mantissa) * powers_of_two(exponents);
    }

  private:
    static Scaled<Real> times(const Scaled<Real>& a, const Scaled<Real>& b) {
        return {a.mantissa * b.mantissa, clamp_zero(a.exponent + b.exponent)};
    }

    static Scaled<Real> minus(const Scaled<Real>& a) { return {-a.mantissa, a.exponent}; }

    Exponent total_;
    Eight<Real> low_mantissas_{};
    Int8 low_exponents_{};
    std::vector<Scaled<Real>> of_high_;
};

/// A_v(U) with the base of v, as a multiple of A_v(U) without it; U by drop_bit(U, v).
template <class Real>
double base_ratio(const SubsetSums<Real>& sums, int v, Varset index) {
    const Scaled<Real>& base = sums.base(v);
    const double mantissa = leading(sums.mantissas(v)[index]);
    return mantissa == 0 ? 1.0 : 1.0 + leading(base.mantissa) * power_of_two(base.exponent - sums.exponents(v)[index]) / mantissa;
}
template <class Real>
[[gnu::always_inline]] inline Vec8 base_ratio_of_eight(const SubsetSums<Real>& sums, int v, Varset index) {
    const Scaled<Real>& base = sums.base(v);
    const Int8 shift = static_cast<std::int64_t>(base.exponent) - load_exponents(sums.exponents(v) + index);
    const Vec8 mantissas = leading(load_eight(sums.mantissas(v) + index));
    return 1.0 + (mantissas > 0.0 ? leading(base.mantissa) * powers_of_two(shift) / mantissas : Vec8{});
}

}  // namespace dagmass
