/// The walk from eight sets that share their high bits, U = (Uh, Ul) for all subsets Ul of three low variables, to the sets above them.
///
/// Numbers are kept in units of powers of two: Z(U) 2^(down(U) - total), X(U) 2^-down(U) (potentials.hpp). A step adds high variables Sh;
/// a term from Ul to Wl through Sh is the product of
///
///     rise_D[Ul]      = product over s in D = Wl - Ul of A_s(Uh, Ul) * 2^(down(Uh, Wl) - down(Uh, Ul)),   zero where D meets Ul
///     product[Ul]     = product over s in Sh      of A_s(Uh, Ul) * 2^-scale(Sh)
///     power[Wl]       = 2^(scale(Sh) + down(Uh + Sh, Wl) - down(Uh, Wl))
///
/// Steps go depth first. |product * power| times the weight of U bounds what all terms through Sh and whatever follows can share in Z(V),
/// and falls as Sh grows, because A_s(U) grows with U. So the walk turns back where the bound falls below the threshold.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "../graphs/varset.hpp"
#include "eight.hpp"
#include "potentials.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"

namespace dagmass {

/// Terms between two sets of eight.
inline constexpr std::uint64_t terms_in_step = 27;

template <class Real>
class Octet {
  public:
    /// Bits between the factors of one step that may differ among lanes that matter, so that no number that matters leaves the range.
    static constexpr Exponent max_spread = std::is_same_v<Real, double> ? 700 : 350;

    struct Step {
        Eight<Real> product;
        Vec8 power;
        Varset target;  // Uh + Sh
        Exponent scale;
        int candidate;           // the last of Sh
        EightSums<Real> gained;  // for those who visit
    };

    Octet(const SubsetSums<Real>& sums, const Potentials& potentials, double threshold)
        : sums_(sums), down_(potentials.down.data()), threshold_(threshold) {}

    /// Take up the eight sets from `high` on.
    [[gnu::always_inline]] void enter(Varset high) {
        first_ = high << num_eight_bits;
        own_down_ = load_exponents(down_ + first_);
        find_rises(high);
    }

    /// List the variables that may be added to some lane, given the size of what each lane carries, in scales of one lane. Returns how
    /// many bits the factors of a lane that matters lie away from their scales at most.
    [[gnu::always_inline]] Exponent list_candidates(const Vec8& sizes, std::size_t lane_of_scale) {
        num_candidates_ = 0;
        Int8 spread{};
        for (const int v : members(first_variables(sums_.num_variables()) & ~first_variables(num_eight_bits) & ~first_)) {
            const Varset index = drop_bit(first_, v);
            const Int8 exponent = load_exponents(sums_.exponents(v) + index);
            const Int8 shift = exponent + load_exponents(down_ + with(first_, v)) - own_down_;
            const Int8 matters = sizes * powers_of_two(shift) >= threshold_;
            if (!any(matters)) continue;
            const Exponent scale = sums_.exponents(v)[index + lane_of_scale];
            const Int8 distance = exponent - static_cast<std::int64_t>(scale);
            spread += matters ? (distance < 0 ? -distance : distance) : Int8{};
            const Int8 used = matters ? distance : spread_whole(exponent_of_zero);
            candidates_[num_candidates_++] = {load_eight(sums_.mantissas(v) + index) * powers_of_two(used), v, scale};
        }
        return highest_of(spread);
    }

    /// rise_D of all eight sets.
    const Eight<Real>& rise(int added) const { return rises_[static_cast<std::size_t>(added)]; }
    Varset first() const { return first_; }
    int variable(int candidate) const { return candidates_[static_cast<std::size_t>(candidate)].variable; }
    int num_candidates() const { return static_cast<int>(num_candidates_); }

    /// Call visit(step) for every step that may matter, in one order always; `leave(steps, parent)` when all that follows a group of
    /// sibling steps has been visited (parent is null at the root).
    template <class Visit, class Leave>
    [[gnu::always_inline]] void walk(const Eight<Real>& start, const Visit& visit, const Leave& leave) {
        std::size_t depth = 0;
        levels_[0] = {0, expand_root(start), 0};
        for (std::size_t i = 0; i < levels_[0].end; ++i) visit(steps_[i]);
        for (;;) {
            Level& level = levels_[depth];
            if (level.next + 1 >= level.end) {
                if (level.end > level.begin)
                    leave(steps_.data() + level.begin, level.end - level.begin, depth == 0 ? nullptr : &steps_[levels_[depth - 1].next]);
                if (depth == 0) return;
                ++levels_[--depth].next;
                continue;
            }
            const std::size_t end = expand(steps_[level.next], level.next + 1, level.end);
            if (end == level.end) {
                ++level.next;
                continue;
            }
            levels_[++depth] = {level.end, end, level.end};
            for (std::size_t i = level.end; i < end; ++i) visit(steps_[i]);
        }
    }

  private:
    struct Candidate {
        Eight<Real> factor;
        int variable;
        Exponent scale;
    };
    struct Level {
        std::size_t begin, end, next;  // of steps
    };

    static constexpr std::size_t max_steps = max_variables * (max_variables + 1) / 2;

    [[gnu::always_inline]] static Exponent highest_of(const Int8& exponents) {
        std::int64_t top = exponents[0];
        for (std::size_t i = 1; i < num_in_eight; ++i) top = std::max<std::int64_t>(top, exponents[i]);
        return static_cast<Exponent>(top);
    }

    /// Steps of one variable.
    [[gnu::always_inline]] std::size_t expand_root(const Eight<Real>& start) {
        std::size_t end = 0;
        for (std::size_t i = 0; i < num_candidates_; ++i) end += try_step(steps_[end], start, first_, 0, static_cast<int>(i));
        return end;
    }

    /// What may follow a step: the siblings after it.
    [[gnu::always_inline]] std::size_t expand(const Step& from, std::size_t sibling, std::size_t last) {
        std::size_t end = last;
        for (; sibling < last; ++sibling) end += try_step(steps_[end], from.product, from.target, from.scale, steps_[sibling].candidate);
        return end;
    }

    /// Fill in a step; false where nothing through it matters.
    [[gnu::always_inline]] bool try_step(Step& step, const Eight<Real>& product, Varset set, Exponent scale, int candidate) const {
        const Candidate& added = candidates_[static_cast<std::size_t>(candidate)];
        step.product = product * added.factor;
        step.target = with(set, added.variable);
        step.scale = scale + added.scale;
        step.candidate = candidate;
        step.power = powers_of_two(load_exponents(down_ + step.target) - own_down_ + static_cast<std::int64_t>(step.scale));
        return any(size_of(leading(step.product)) * step.power >= threshold_);
    }

    /// Products over the low variables.
    [[gnu::always_inline]] void find_rises(Varset high) {
        std::array<Int8, num_in_eight> exponents;
        for (int s = 0; s < num_eight_bits; ++s) std::tie(rises_[only(s)], exponents[only(s)]) = low_factors(sums_, high, s);
        for (const std::size_t added : {3, 5, 6, 7}) {
            rises_[added] = rises_[added & (added - 1)] * rises_[only(lowest(added))];
            exponents[added] = exponents[added & (added - 1)] + exponents[only(lowest(added))];
        }
        for (std::size_t added = 1; added < num_in_eight; ++added) {
            Int8 exponent = exponents[added] + upper_lanes(own_down_, added) - own_down_;
            exponent = exponent > highest_rise ? spread_whole(highest_rise) : exponent;
            rises_[added] = rises_[added] * powers_of_two(exponent);
        }
    }

    static constexpr Exponent highest_rise = 8;  // those that matter are below one, but for rounding up

    const SubsetSums<Real>& sums_;
    const Exponent* down_;
    double threshold_;
    Varset first_ = 0;
    Int8 own_down_{};
    std::array<Eight<Real>, num_in_eight> rises_{};  // by D
    std::array<Candidate, max_variables> candidates_{};
    std::size_t num_candidates_ = 0;
    std::array<Step, max_steps> steps_{};
    std::array<Level, max_variables + 1> levels_{};
};

}  // namespace dagmass
