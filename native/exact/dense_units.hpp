/// The powers of two that the numbers of the dense kernel are kept in: Z(U) 2^(unit(U) - total), X(U) 2^-unit(U), with
///
///     unit(Uh, Ul) = of_block(Uh) + sum over s in Ul of of_variable(s)
///
/// One number a block and one a low variable: no factor of the inner loops needs an exponent.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "../graphs/varset.hpp"
#include "../large_array.hpp"
#include "eight.hpp"
#include "low_lattice.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"
#include "turn.hpp"

namespace dagmass {

class DenseUnits {
  public:
    /// No down(U) lies more than so many bits above the unit, so nothing that matters is too small. Z beyond a limit is not trusted, and
    /// columns that matter have scales of so many bits at most. Within these limits no product that matters leaves the range, nor that of
    /// the low parts of double-doubles: see docs/method.md.
    static constexpr Exponent margin = 100, max_scale = 250;
    template <class Real>
    static constexpr double largest = std::is_same_v<Real, double> ? 0x1p540 : 0x1p300;

    template <class Real>
    DenseUnits(const SubsetSums<Real>& sums, const LargeArray<Exponent>& down, Turn turn) : of_block_(down.size() / num_low_sets) {
        for (int s = 0; s < num_low; ++s) {
            const int v = turn.variable(s);
            of_variable_[static_cast<std::size_t>(s)] = -std::max(sums.exponents(v)[sums.per_variable() - 1], exponent_of_zero / 32);
        }
        for (std::size_t low = 1; low < num_low_sets; ++low)
            of_low_[low] = of_low_[low & (low - 1)] + of_variable_[static_cast<std::size_t>(lowest(low))];
        for (std::size_t high = 0; high < of_block_.size(); ++high) {
            Exponent top = exponent_of_zero;
            for (std::size_t low = 0; low < num_low_sets; ++low) top = std::max(top, down[high * num_low_sets + low] - of_low_[low]);
            of_block_[high] = top - margin;
        }
    }

    Exponent of_variable(int s) const { return of_variable_[static_cast<std::size_t>(s)]; }
    Exponent of_block(std::size_t high) const { return of_block_[high]; }
    [[gnu::always_inline]] Int8 of_eight(Varset first) const {
        return load_exponents(&of_low_[first % num_low_sets]) + static_cast<std::int64_t>(of_block_[first / num_low_sets]);
    }
    Exponent operator()(Varset set) const { return of_block_[set / num_low_sets] + of_low_[set % num_low_sets]; }

  private:
    std::array<Exponent, num_low> of_variable_{};
    std::array<Exponent, num_low_sets> of_low_{};
    std::vector<Exponent> of_block_;
};

}  // namespace dagmass
