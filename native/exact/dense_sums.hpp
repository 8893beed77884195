/// The recursions of network_sums.hpp as matrix products over the lattice of the low variables.
///
/// A set is U = (Uh, Ul), high and low bits. For a fixed Uh and S = (Sh, Sl), the summand splits into one factor that depends on Ul and Sl
/// and one that depends on Ul and Sh:
///
///     forward   Z(Uh+Sh, Wl) gains  sum over Ul in Wl  of  T[Ul][Wl-Ul] * D[Ul][Sh],      D[Ul][Sh] = Z(Uh, Ul) * product over s in Sh of
///     A_s(Uh, Ul) backward  X(Uh, Ul)    gains  sum over Sh of  P[Ul][Sh] * sum over Wl around Ul of  T[Ul][Wl-Ul] * X(Uh+Sh, Wl)
///
/// with T[Ul][Sl] = product over s in Sl of A_s(Uh, Ul). Sixteen sets Sh share the lanes of the registers. Terms of even and odd |S| are
/// added up apart, so the sum without signs, which the error bound needs, costs nothing.
///
/// Range: for each Uh every A_s is divided by 2^c_s, its exponent at Ul = all low variables. Nothing that matters underflows as long as the
/// exponents of all variables together spread less than `max_spread` over the low variables.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../simd.hpp"
#include "lanes.hpp"
#include "network_sums.hpp"
#include "potentials.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"

namespace dagmass {

inline constexpr int num_low = 8;
inline constexpr std::size_t num_low_sets = std::size_t{1} << num_low;
inline constexpr Exponent max_spread = 1650;

/// For every low set its subsets, first those that differ by an even number of variables, then the others.
class LowLattice {
  public:
    explicit LowLattice(bool downward) {
        for (std::size_t set = 0; set < num_low_sets; ++set) {
            begin_.push_back(entries_.size());
            for (const int parity : {0, 1}) {
                for (std::size_t other = 0; other < num_low_sets; ++other) {
                    const bool related = downward ? is_subset(other, set) : is_subset(set, other);
                    if (related && (size(set ^ other) & 1) == parity) entries_.push_back(static_cast<std::uint16_t>(other));
                }
                if (parity == 0) odd_.push_back(entries_.size());
            }
        }
        begin_.push_back(entries_.size());
    }

    std::size_t num_pairs() const { return entries_.size(); }
    std::size_t begin(std::size_t set) const { return begin_[set]; }
    std::size_t odd(std::size_t set) const { return odd_[set]; }
    std::size_t end(std::size_t set) const { return begin_[set + 1]; }
    std::size_t operator[](std::size_t pair) const { return entries_[pair]; }

  private:
    std::vector<std::size_t> begin_, odd_;
    std::vector<std::uint16_t> entries_;
};

template <class Real>
class DenseSums {
  public:
    DenseSums(const SubsetSums<Real>& subset_sums, const Potentials& potentials, bool with_posteriors, Job& job)
        : subset_sums_(subset_sums),
          potentials_(potentials),
          job_(job),
          num_high_(subset_sums.num_variables() - num_low),
          num_blocks_(std::size_t{1} << num_high_),
          cut_(cut_bits<Real>(subset_sums.num_variables())),
          forward_hi_(num_blocks_ * num_low_sets),
          forward_lo_(forward_hi_.size()),
          is_wanted_(with_posteriors) {
        sums_.forward.resize(forward_hi_.size());
        sums_.forward_absolute.resize(forward_hi_.size());
        sums_.backward.resize(forward_hi_.size());
        sums_.backward_absolute.resize(forward_hi_.size());
        if (is_wanted_) sums_.non_descendants.resize(static_cast<std::size_t>(subset_sums.num_variables()) * subset_sums.per_variable());
        find_what_matters();
    }

    /// Can the low variables be handled in one scale?
    static bool is_possible(const SubsetSums<Real>& subset_sums) {
        if (subset_sums.num_variables() < num_low + 1) return false;
        for (std::size_t high = 0; high < std::size_t{1} << (subset_sums.num_variables() - num_low); ++high)
            if (spread(subset_sums, high) > max_spread) return false;
        return true;
    }

    NetworkSums<Real> compute() {
        job_.total = 2 * num_blocks_;
        forward_hi_[0] = 1.0;
        for (std::size_t high = 0; high < num_blocks_; ++high) {
            progress();
            if (!matters_[high]) continue;
            enter(high);
            finish_forward();
            at_level([&]() __attribute__((always_inline)) { push_forward(); });
        }
        sums_.backward.back() = Real(1.0);
        for (std::size_t high = num_blocks_; high-- > 0;) {
            progress();
            if (!matters_[high]) continue;
            enter(high);
            at_level([&]() __attribute__((always_inline)) { pull_backward(); });
            finish_backward();
        }
        sums_.longest_sum = num_low_sets + 8;  // within a block; between blocks sums are compensated
        return std::move(sums_);
    }

  private:
    using LowReals = std::array<Real, num_low_sets>;
    using LowExponents = std::array<Exponent, num_low_sets>;
    using LowLanes = std::array<Lanes<Real>, num_low_sets>;

    static Varset whole(std::size_t high, std::size_t low) { return high << num_low | low; }

    struct Range {
        Exponent lowest = -exponent_of_zero, highest = exponent_of_zero;

        bool is_empty() const { return highest == exponent_of_zero; }
        Exponent width() const { return is_empty() ? 0 : highest - lowest; }
        Exponent middle() const { return is_empty() ? 0 : lowest + width() / 2; }
    };

    /// The exponents of A_v(Uh, Ul) over all Ul.
    static Range range(const SubsetSums<Real>& subset_sums, std::size_t high, int v) {
        Range found;
        for (std::size_t low = 0; low < num_low_sets; ++low) {
            if (v < num_low && contains(low, v)) continue;
            const Exponent exponent = subset_sums.exponent(v, whole(high, low));
            if (exponent == exponent_of_zero) continue;
            found.lowest = std::min(found.lowest, exponent);
            found.highest = std::max(found.highest, exponent);
        }
        return found;
    }

    static Exponent spread(const SubsetSums<Real>& subset_sums, std::size_t high) {
        Exponent sum = 0;
        for (int v = 0; v < subset_sums.num_variables(); ++v)
            if (v < num_low || !contains(high, v - num_low)) sum += range(subset_sums, high, v).width();
        return sum;
    }

    void find_what_matters() {
        matters_.resize(num_blocks_);
        for (std::size_t high = 0; high < num_blocks_; ++high)
            for (std::size_t low = 0; low < num_low_sets && !matters_[high]; ++low)
                matters_[high] = potentials_.loss(whole(high, low)) <= cut_;
    }

    void progress() {
        job_.check();
        job_.done.fetch_add(1, std::memory_order_relaxed);
    }

    /// Take up A_s / 2^c_s of all variables outside Uh, and the exponents of the scale.
    void enter(std::size_t high) {
        high_ = high;
        outside_.clear();
        for (int v = num_low; v < num_low + num_high_; ++v)
            if (!contains(high, v - num_low)) outside_.push_back(v);
        for (int v = 0; v < num_low; ++v) low_scale_[static_cast<std::size_t>(v)] = load(v, low_factors_[static_cast<std::size_t>(v)]);
        high_factors_.resize(outside_.size());
        high_scale_.resize(outside_.size());
        for (std::size_t i = 0; i < outside_.size(); ++i) high_scale_[i] = load(outside_[i], high_factors_[i]);
        sum_up(low_scale_.data(), num_low, scale_of_low_);
        find_bases();
        multiply_low();
        multiply_high();
    }

    /// The units of Z and X in this block, so that their range over Ul lies around one.
    void find_bases() {
        Exponent spread_of_low = 0;
        for (int v = 0; v < num_low; ++v) spread_of_low += range(subset_sums_, high_, v).width();
        base_up_ = base_down_ = 2 * exponent_of_zero;
        for (std::size_t low = 0; low < num_low_sets; ++low) {
            base_up_ = std::max(base_up_, potentials_.up[whole(high_, low)] - scale_of_low_[low]);
            base_down_ = std::max(base_down_, potentials_.down[whole(high_, low)] + scale_of_low_[low]);
        }
        base_up_ -= spread_of_low / 2;
        base_down_ -= spread_of_low / 2;
    }

    /// factors[Ul] = A_v(Uh, Ul) / 2^c; returns c.
    Exponent load(int v, LowReals& factors) const {
        const Exponent scale = range(subset_sums_, high_, v).middle();
        for (std::size_t low = 0; low < num_low_sets; ++low) {
            const bool is_member = v < num_low && contains(low, v);
            const Varset set = whole(high_, low);
            factors[low] = is_member ? Real(0.0) : subset_sums_.mantissa(v, set) * power_of_two(subset_sums_.exponent(v, set) - scale);
        }
        return scale;
    }

    template <class Sums>
    static void sum_up(const Exponent* scales, int count, Sums& sums) {
        sums[0] = 0;
        for (int bit = 0; bit < count; ++bit)
            for (std::size_t set = 0; set < std::size_t{1} << bit; ++set) sums[set | std::size_t{1} << bit] = sums[set] + scales[bit];
    }

    /// low_products_[Ul][Sl] = T; columns of Sl that meet Ul are zero.
    void multiply_low() {
        for (std::size_t low = 0; low < num_low_sets; ++low) {
            Real* row = &low_products_[low * num_low_sets];
            row[0] = Real(1.0);
            for (std::size_t v = 0; v < num_low; ++v) {
                const std::size_t bit = std::size_t{1} << v;
                for (std::size_t set = 0; set < bit; ++set) row[bit + set] = row[set] * low_factors_[v][low];
            }
        }
    }

    /// The product over Sh, split into the first four variables outside (lanes) and the others (one row a tile).
    void multiply_high() {
        const std::size_t num_lane_bits = std::min<std::size_t>(outside_.size(), 4);
        for (std::size_t low = 0; low < num_low_sets; ++low) {
            Lanes<Real>& lanes = lane_products_[low];
            for (std::size_t lane = 0; lane < num_lanes; ++lane) lanes.set(lane, Real(0.0));
            lanes.set(0, Real(1.0));
            for (std::size_t i = 0; i < num_lane_bits; ++i)
                for (std::size_t lane = 0; lane < std::size_t{1} << i; ++lane)
                    lanes.set(lane | std::size_t{1} << i, lanes.get(lane) * high_factors_[i][low]);
        }
        const std::size_t num_tile_bits = outside_.size() - num_lane_bits;
        tile_products_.resize(std::size_t{1} << num_tile_bits);
        tile_products_[0].fill(Real(1.0));
        for (std::size_t i = 0; i < num_tile_bits; ++i)
            for (std::size_t tile = 0; tile < std::size_t{1} << i; ++tile)
                for (std::size_t low = 0; low < num_low_sets; ++low)
                    tile_products_[tile | std::size_t{1} << i][low] = tile_products_[tile][low] * high_factors_[num_lane_bits + i][low];
        columns_.assign(tile_products_.size() * num_lanes, {});
        for (std::size_t column = 0; column < columns_.size(); ++column) {
            Column& found = columns_[column];
            found.is_used = column < std::size_t{1} << outside_.size();
            if (!found.is_used) continue;
            for (const int i : members(column)) {
                found.set |= only(outside_[static_cast<std::size_t>(i)] - num_low);
                found.scale += high_scale_[static_cast<std::size_t>(i)];
            }
            found.is_used = matters_[high_ | found.set];
        }
    }

    struct Column {
        Varset set = 0;        // Sh
        Exponent scale = 0;    // sum of c_s over Sh
        bool is_used = false;  // does Uh + Sh matter?
    };

    bool is_used(std::size_t tile) const {
        for (std::size_t lane = 0; lane < num_lanes; ++lane)
            if (columns_[tile * num_lanes + lane].is_used) return true;
        return false;
    }

    // ---- forward ----

    /// Turn what has been collected for this block, in units of 2^up, into the scale of the block, and add the terms within the block.
    void finish_forward() {
        for (std::size_t low = 0; low < num_low_sets; ++low) {
            const Varset set = whole(high_, low);
            const std::int64_t shift = potentials_.up[set] - base_up_ - scale_of_low_[low];
            Real sum = collected(set);
            double absolute = sums_.forward_absolute[set];
            if (potentials_.up[set] > exponent_of_zero) {
                const double to_block = power_of_two(std::min<std::int64_t>(shift, 1000));
                const auto [even, odd] = in_block(low, below_, [&](std::size_t from) { return block_[from]; }, true);
                const double to_set = power_of_two(std::min<std::int64_t>(-shift, 1000));
                sum = sum + (odd - even) * to_set;
                absolute += leading(odd + even) * to_set;
                block_[low] = sum * to_block;
            } else {
                block_[low] = Real(0.0);
            }
            sums_.forward[set] = sum;
            sums_.forward_absolute[set] = absolute;
        }
        sums_.num_terms += below_.num_pairs();
    }

    Real collected(Varset set) const {
        if constexpr (std::is_same_v<Real, double>)
            return forward_hi_[set] + forward_lo_[set];
        else
            return quick_two_sum(forward_hi_[set], forward_lo_[set]);
    }

    /// Sums over the relatives of a low set, itself left out, by parity of the difference. T is that of the smaller of the two.
    template <class Value>
    std::pair<Real, Real> in_block(std::size_t low, const LowLattice& lattice, const Value& value, bool downward) const {
        const auto term = [&](std::size_t other) {
            return low_products_[(downward ? other : low) * num_low_sets + (low ^ other)] * value(other);
        };
        Real even(0.0), odd(0.0);
        for (std::size_t pair = lattice.begin(low); pair < lattice.odd(low); ++pair)
            if (lattice[pair] != low) even = even + term(lattice[pair]);
        for (std::size_t pair = lattice.odd(low); pair < lattice.end(low); ++pair) odd = odd + term(lattice[pair]);
        return {even, odd};
    }

    [[gnu::always_inline]] void push_forward() {
        if (outside_.empty()) return;
        for (std::size_t low = 0; low < num_low_sets; ++low)
            for (std::size_t pair = below_.begin(low); pair < below_.end(low); ++pair)
                factors_[pair] = low_products_[below_[pair] * num_low_sets + (low ^ below_[pair])];
        for (std::size_t tile = 0; tile < tile_products_.size(); ++tile) {
            if (!is_used(tile)) continue;
            for (std::size_t low = 0; low < num_low_sets; ++low)
                tile_[low] = scaled(lane_products_[low], tile_products_[tile][low] * block_[low]);
            for (std::size_t low = 0; low < num_low_sets; ++low) push_to(low);
            for (std::size_t lane = 0; lane < num_lanes; ++lane) add_column(tile, lane);
            sums_.num_terms += below_.num_pairs() * num_lanes;
        }
    }

    /// All terms that lead to one low set, for the sixteen columns of a tile.
    [[gnu::always_inline]] void push_to(std::size_t low) {
        Lanes<Real> even, odd;
        for (std::size_t pair = below_.begin(low); pair < below_.odd(low); ++pair) add_product(even, factors_[pair], tile_[below_[pair]]);
        for (std::size_t pair = below_.odd(low); pair < below_.end(low); ++pair) add_product(odd, factors_[pair], tile_[below_[pair]]);
        even_[low] = even;
        odd_[low] = odd;
    }

    /// Add one column to the block of Uh + Sh. |S| is odd for odd |Sl| if |Sh| is even, and the other way round.
    [[gnu::always_inline]] void add_column(std::size_t tile, std::size_t lane) {
        const Column& column = columns_[tile * num_lanes + lane];
        if (!column.is_used || column.set == 0) return;
        const Varset first = whole(high_ | column.set, 0);
        const auto& plus = size(column.set) & 1 ? even_ : odd_;
        const auto& minus = size(column.set) & 1 ? odd_ : even_;
        const Exponent unit = base_up_ + column.scale;
        for (std::size_t low = 0; low < num_low_sets; ++low) {
            const std::int64_t shift = std::min(unit + scale_of_low_[low] - potentials_.up[first + low], 1000);
            const double power = power_of_two(shift);
            const Real positive = plus[low].get(lane), negative = minus[low].get(lane);
            collect(first + low, (positive - negative) * power);
            sums_.forward_absolute[first + low] += (leading(positive) + leading(negative)) * power;
        }
    }

    [[gnu::always_inline]] void collect(Varset set, double value) {
        const auto sum = two_sum(forward_hi_[set], value);
        forward_hi_[set] = sum.hi;
        forward_lo_[set] += sum.lo;
    }
    [[gnu::always_inline]] void collect(Varset set, const DoubleDouble<double>& value) {
        const auto sum = DoubleDouble<double>(forward_hi_[set], forward_lo_[set]) + value;
        forward_hi_[set] = sum.hi;
        forward_lo_[set] = sum.lo;
    }

    // ---- backward ----

    [[gnu::always_inline]] void pull_backward() {
        gained_.fill({});
        gained_absolute_.fill(0.0);
        std::fill(with_low_.begin(), with_low_.end(), Real(0.0));
        gained_with_high_.resize(outside_.size());
        for (std::size_t i = 0; i < outside_.size(); ++i) gained_with_high_[i].fill(0.0);
        for (std::size_t tile = 0; tile < tile_products_.size() && !outside_.empty(); ++tile) {
            if (!is_used(tile)) continue;
            load_tile(tile);
            for (std::size_t low = 0; low < num_low_sets; ++low) pull_to(tile, low);
            if (is_wanted_)
                for (std::size_t low = 0; low < num_low_sets; ++low) pull_pairs(tile, low);
            sums_.num_terms += above_.num_pairs() * num_lanes * (is_wanted_ ? 2 : 1);
        }
    }

    /// tile_[Wl] = X(Uh + Sh, Wl) for the sixteen columns, in the scale of the block; the column without Sh is done within the block.
    [[gnu::always_inline]] void load_tile(std::size_t tile) {
        for (std::size_t lane = 0; lane < num_lanes; ++lane) {
            const Column& column = columns_[tile * num_lanes + lane];
            const Varset first = whole(high_ | column.set, 0);
            const bool is_loaded = column.is_used && column.set != 0;
            for (std::size_t low = 0; low < num_low_sets; ++low) {
                const std::int64_t shift = std::min(potentials_.down[first + low] + column.scale + scale_of_low_[low] - base_down_, 1000);
                tile_[low].set(lane, is_loaded ? sums_.backward[first + low] * power_of_two(shift) : Real(0.0));
            }
        }
    }

    [[gnu::always_inline]] void pull_to(std::size_t tile, std::size_t low) {
        const Real* row = &low_products_[low * num_low_sets];
        Lanes<Real> even, odd;
        for (std::size_t pair = above_.begin(low); pair < above_.odd(low); ++pair)
            add_product(even, row[above_[pair] ^ low], tile_[above_[pair]]);
        for (std::size_t pair = above_.odd(low); pair < above_.end(low); ++pair)
            add_product(odd, row[above_[pair] ^ low], tile_[above_[pair]]);
        const Lanes<Real> products = scaled(lane_products_[low], tile_products_[tile][low]);
        for (std::size_t lane = 0; lane < num_lanes; ++lane) {
            const Column& column = columns_[tile * num_lanes + lane];
            if (!column.is_used) continue;
            const bool is_odd = size(column.set) & 1;
            const Real difference = (is_odd ? even.get(lane) - odd.get(lane) : odd.get(lane) - even.get(lane)) * products.get(lane);
            gain(low, difference);
            gained_absolute_[low] += (leading(even.get(lane)) + leading(odd.get(lane))) * leading(products.get(lane));
            if (!is_wanted_) continue;
            for (const int i : members(tile * num_lanes + lane)) gained_with_high_[static_cast<std::size_t>(i)][low] += leading(difference);
        }
    }

    [[gnu::always_inline]] void gain(std::size_t low, double value) {
        const auto sum = two_sum(gained_[low].hi, value);
        gained_[low] = {sum.hi, gained_[low].lo + sum.lo};
    }
    [[gnu::always_inline]] void gain(std::size_t low, const DoubleDouble<double>& value) { gained_[low] += value; }

    /// with_low_[pair (Ul, Wl)] gains the sum over Sh of the signed product times X(Uh + Sh, Wl): what the posteriors of low variables
    /// need.
    [[gnu::always_inline]] void pull_pairs(std::size_t tile, std::size_t low) {
        Lanes<Real> products = scaled(lane_products_[low], tile_products_[tile][low]);
        for (std::size_t lane = 0; lane < num_lanes; ++lane)
            if (size(columns_[tile * num_lanes + lane].set) & 1) products.set(lane, -products.get(lane));
        for (std::size_t pair = above_.begin(low); pair < above_.end(low); ++pair) {
            Lanes<Real> sum;
            add_product(sum, products, tile_[above_[pair]]);
            const auto both = sum.part[0] + sum.part[1];
            with_low_[pair] = with_low_[pair] + add_up(both);
        }
    }

    static double add_up(const Vec8& lanes) {
        return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    }
    static DoubleDouble<double> add_up(const DoubleDouble<Vec8>& lanes) {
        DoubleDouble<double> sum(0.0);
        for (int lane = 0; lane < 8; ++lane) sum += DoubleDouble<double>(lanes.hi[lane], lanes.lo[lane]);
        return sum;
    }

    /// Add the terms within the block, from large sets down, and turn the scale of the block into units of 2^down.
    void finish_backward() {
        for (std::size_t low = num_low_sets; low-- > 0;) {
            const Varset set = whole(high_, low);
            const std::int64_t shift = base_down_ - scale_of_low_[low] - potentials_.down[set];
            if (high_ + 1 == num_blocks_ && low + 1 == num_low_sets) {
                block_[low] = Real(power_of_two(-shift));
                continue;
            }
            const auto [even, odd] = in_block(low, above_, [&](std::size_t from) { return block_[from]; }, false);
            block_[low] = narrow(gained_[low]) + (odd - even);
            const bool matters = potentials_.loss(set) <= cut_ && potentials_.down[set] > exponent_of_zero;
            const double power = matters ? power_of_two(std::min<std::int64_t>(shift, 1000)) : 0.0;
            sums_.backward[set] = block_[low] * power;
            sums_.backward_absolute[set] = (gained_absolute_[low] + leading(even + odd)) * power;
            if (is_wanted_ && matters) finish_posteriors(low, set);
        }
        sums_.num_terms += above_.num_pairs();
    }

    static Real narrow(const DoubleDouble<double>& value) {
        if constexpr (std::is_same_v<Real, double>)
            return value.hi + value.lo;
        else
            return value;
    }

    void finish_posteriors(std::size_t low, Varset set) {
        const std::int64_t exponent = potentials_.up[set] + base_down_ - scale_of_low_[low] - potentials_.up.back();
        const double share =
            leading(sums_.forward[set]) * power_of_two(std::min<std::int64_t>(exponent, 1000)) / leading(sums_.forward.back());
        for (std::size_t i = 0; i < outside_.size(); ++i) store(outside_[i], set, share * gained_with_high_[i][low]);
        std::array<Real, num_low> with{};
        with.fill(Real(0.0));
        for (std::size_t pair = above_.begin(low); pair < above_.end(low); ++pair) {
            const std::size_t added = above_[pair] ^ low;
            if (added == 0) continue;
            const Real within = low_products_[low * num_low_sets + added] * (with_low_[pair] + block_[above_[pair]]);
            for (const int v : members(added))
                with[static_cast<std::size_t>(v)] = with[static_cast<std::size_t>(v)] + (size(added) & 1 ? within : -within);
        }
        for (const int v : members(~low & (num_low_sets - 1))) store(v, set, share * leading(with[static_cast<std::size_t>(v)]));
    }

    void store(int v, Varset set, double value) {
        sums_.non_descendants[static_cast<std::size_t>(v) * subset_sums_.per_variable() + drop_bit(set, v)] = value;
    }

    const SubsetSums<Real>& subset_sums_;
    const Potentials& potentials_;
    Job& job_;
    int num_high_;
    std::size_t num_blocks_;
    Exponent cut_;
    std::vector<double> forward_hi_, forward_lo_;  // compensated sums in units of 2^up
    NetworkSums<Real> sums_;
    bool is_wanted_;
    std::vector<bool> matters_;  // by Uh
    const LowLattice below_{true}, above_{false};

    // of the block that is being worked on:
    std::size_t high_ = 0;
    std::vector<int> outside_;  // high variables outside Uh
    std::array<LowReals, num_low> low_factors_{};
    std::array<Exponent, num_low> low_scale_{};
    std::vector<LowReals> high_factors_;
    std::vector<Exponent> high_scale_;
    LowExponents scale_of_low_{};  // sum of c_s over Wl
    Exponent base_up_ = 0, base_down_ = 0;
    std::vector<Real> low_products_ = std::vector<Real>(num_low_sets * num_low_sets);
    LowLanes lane_products_{};
    std::vector<LowReals> tile_products_;
    std::vector<Column> columns_;
    LowReals block_{};  // Z or X of the block in its scale
    std::vector<Real> factors_ = std::vector<Real>(below_.num_pairs());
    LowLanes tile_{}, even_{}, odd_{};
    std::array<DoubleDouble<double>, num_low_sets> gained_{};
    std::array<double, num_low_sets> gained_absolute_{};
    std::vector<std::array<double, num_low_sets>> gained_with_high_;
    std::vector<Real> with_low_ = std::vector<Real>(above_.num_pairs());
};

}  // namespace dagmass
