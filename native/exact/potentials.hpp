/// Integer potentials that keep the sums in range, and say what can be left out.
///
///     up(W)   = max over s in W of     up(W - s) + e_s(W - s),     up(empty) = 0
///     down(U) = max over s not in U of e_s(U) + down(U + s),       down(V) = 0
///
/// where A_s(U) < 2^e_s(U). Z(W) lies between 2^(up(W) - |W|) and |W|! * 2^up(W); what starts in U and ends in all variables is of the
/// order of 2^(up(U) + down(U)), so a set far below up(V) does not matter.
#pragma once

#include <algorithm>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../simd.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"

namespace dagmass {

struct Potentials {
    std::vector<Exponent> up, down;

    /// How many bits below the total all that passes through `set` lies; at least zero.
    Exponent loss(Varset set) const { return up.back() - up[set] - down[set]; }
};

inline Exponent add_exponents(Exponent a, Exponent b) { return clamp_zero(a + b); }

/// The low variables of one block of sets; a block lies in the registers and the nearest cache.
inline constexpr int potential_bits = 8;

template <class Real>
class PotentialWalk {
  public:
    PotentialWalk(const SubsetSums<Real>& sums, Potentials& found)
        : sums_(sums), found_(found), num_low_(std::min(sums.num_variables(), potential_bits)), block_size_(std::size_t{1} << num_low_) {}

    std::size_t num_blocks() const { return found_.up.size() >> num_low_; }

    [[gnu::always_inline]] void go_up(std::size_t high) {
        const std::size_t first = high << num_low_;
        Exponent* up = found_.up.data() + first;
        for (const int h : members(high)) {
            const std::size_t rest = first & ~only(h + num_low_);
            const Exponent* from = found_.up.data() + rest;
            const Exponent* exponent = sums_.exponents(h + num_low_) + drop_bit(rest, h + num_low_);
            for (std::size_t i = 0; i < block_size_; ++i) up[i] = std::max(up[i], from[i] + exponent[i]);
        }
        for (std::size_t low = 0; low < block_size_; ++low) {
            for (const int s : members(low)) up[low] = std::max(up[low], up[without(low, s)] + sums_.exponent(s, first | without(low, s)));
            up[low] = clamp_zero(up[low]);
        }
    }

    [[gnu::always_inline]] void go_down(std::size_t high) {
        const std::size_t first = high << num_low_;
        Exponent* down = found_.down.data() + first;
        for (const int h : members(~high & (num_blocks() - 1))) {
            const Exponent* from = found_.down.data() + (first | only(h + num_low_));
            const Exponent* exponent = sums_.exponents(h + num_low_) + drop_bit(first, h + num_low_);
            for (std::size_t i = 0; i < block_size_; ++i) down[i] = std::max(down[i], from[i] + exponent[i]);
        }
        for (std::size_t low = block_size_; low-- > 0;) {
            for (const int s : members(~low & (block_size_ - 1)))
                down[low] = std::max(down[low], down[with(low, s)] + sums_.exponent(s, first | low));
            down[low] = clamp_zero(down[low]);
        }
    }

  private:
    const SubsetSums<Real>& sums_;
    Potentials& found_;
    int num_low_;
    std::size_t block_size_;
};

template <class Real>
Potentials potentials(const SubsetSums<Real>& sums, Job& job) {
    const std::size_t count = std::size_t{1} << sums.num_variables();
    Potentials found{std::vector<Exponent>(count, exponent_of_zero), std::vector<Exponent>(count, exponent_of_zero)};
    found.up.front() = found.down.back() = 0;
    PotentialWalk<Real> walk(sums, found);
    for (std::size_t high = 0; high < walk.num_blocks(); ++high) {
        job.check();
        at_level([&]() __attribute__((always_inline)) { walk.go_up(high); });
    }
    for (std::size_t high = walk.num_blocks(); high-- > 0;) {
        job.check();
        at_level([&]() __attribute__((always_inline)) { walk.go_down(high); });
    }
    return found;
}

}  // namespace dagmass
