/// One block of the dense sums: all sets U = (Uh, Ul) with the same high part Uh, and what leads out of it.
///
/// Numbers are kept in units that depend on the set, powers of two (potentials.hpp). Within a block
///
///     factor[Ul -> Wl] = product over s in Wl - Ul of A_s(Uh, Ul) * 2^(unit(Ul) - unit(Wl))
///     column[Ul][Sh]   = product over s in Sh of A_s(Uh, Ul) * 2^-scale(Sh)
///
/// Two choices of the unit: the sum of one exponent a variable, where the exponents of all variables together spread little (factors are
/// plain products), else up(Uh, Ul), which keeps every factor below one. A_s(U) is taken as zero where no term with s from U on matters.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <vector>

#include "../graphs/varset.hpp"
#include "lanes.hpp"
#include "low_lattice.hpp"
#include "potentials.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"

namespace dagmass {

/// The variables in another numbering, turned by some places, so that others are the low ones.
struct Turn {
    int num_variables;
    int places;

    int variable(int v) const { return (v + places) % num_variables; }
    Varset set(Varset turned) const {
        const Varset all = first_variables(num_variables);
        return places == 0 ? turned : ((turned << places) | (turned >> (num_variables - places))) & all;
    }
};

template <class Real>
class DenseBlock {
  public:
    /// Bits for all exponents of a block together, and the largest X in its units: what a term that matters is made of stays below it, and
    /// its products with other factors in the range of the arithmetic (double-doubles split their factors, which infinities do not
    /// survive).
    static constexpr Exponent max_spread = std::is_same_v<Real, double> ? 1500 : 800;
    static constexpr double largest_value = std::is_same_v<Real, double> ? 0x1p900 : 0x1p500;

    /// `potentials` in the turned numbering.
    DenseBlock(const SubsetSums<Real>& subset_sums, const Potentials& potentials, Turn turn)
        : subset_sums_(subset_sums), potentials_(potentials), turn_(turn), cut_(cut_bits<Real>(turn.num_variables)) {}

    struct Column {
        Varset set = 0;         // Sh
        Exponent scale = 0;     // in the units of column[Ul][Sh]
        bool is_odd = false;    // |Sh|
        bool leads_on = false;  // not empty
    };

    /// Take up a block; false where its numbers do not fit into the range of doubles.
    [[gnu::always_inline]] bool enter(std::size_t high) {
        high_ = high;
        up = potentials_.up.data() + (high << num_low);
        outside.clear();
        for (int v = num_low; v < turn_.num_variables; ++v)
            if (!contains(high, v - num_low)) outside.push_back(v);
        find_losses();
        Exponent spread = load_high();
        if (spread > max_spread) return false;
        spread += load_low();
        choose_units(spread);
        multiply_low();
        multiply_high();
        return true;
    }

    bool matters(std::size_t low) const { return loss_[low] <= cut_; }
    std::size_t num_tiles() const { return columns.size() / num_lanes; }

    // by low set:
    alignas(64) std::array<Exponent, num_low_sets> unit{};
    alignas(64) std::array<Exponent, num_low_sets> shift{};  // up - unit
    const Exponent* up = nullptr;
    std::array<Lanes<Real>, num_low_sets> lane_products{};
    std::vector<std::array<Real, num_low_sets>> tile_products;  // column = lane product * tile product

    std::vector<Real> factors = std::vector<Real>(LowLattice::num_factors);
    std::vector<int> outside;  // high variables outside Uh
    std::vector<Column> columns;
    const LowLattice lattice;

  private:
    using LowReals = std::array<Real, num_low_sets>;
    using LowExponents = std::array<Exponent, num_low_sets>;

    struct Range {
        Exponent lowest = std::numeric_limits<Exponent>::max(), highest = std::numeric_limits<Exponent>::min();

        bool is_empty() const { return lowest > highest; }
        Exponent width() const { return is_empty() ? 0 : highest - lowest; }
        Exponent middle() const { return is_empty() ? 0 : lowest + width() / 2; }
    };

    Varset whole(std::size_t low) const { return high_ << num_low | low; }

    [[gnu::always_inline]] void find_losses() {
        const Exponent* down = potentials_.down.data() + (high_ << num_low);
        const Exponent total = potentials_.up.back();
        for (std::size_t low = 0; low < num_low_sets; ++low) loss_[low] = total - up[low] - down[low];
    }

    /// The exponents of A_v(Uh, Ul), and its mantissas: zero where no term with v matters. Returns the range of those that do.
    [[gnu::always_inline]] Range load(int v, LowReals& mantissas, LowExponents& exponents) {
        const int real_v = turn_.variable(v);
        const auto* all_mantissas = subset_sums_.mantissas(real_v);
        const Exponent* all_exponents = subset_sums_.exponents(real_v);
        const bool is_low = v < num_low;
        if (turn_.places == 0 && !is_low) {
            const std::size_t first = drop_bit(whole(0), v);
            std::copy_n(all_mantissas + first, num_low_sets, mantissas.begin());
            std::copy_n(all_exponents + first, num_low_sets, exponents.begin());
        } else {
            for (std::size_t low = 0; low < num_low_sets; ++low) {
                const std::size_t index = drop_bit(turn_.set(whole(low)), real_v);
                const bool is_member = is_low && contains(low, v);
                mantissas[low] = is_member ? Real(0.0) : all_mantissas[index];
                exponents[low] = is_member ? exponent_of_zero : all_exponents[index];
            }
        }
        return keep_what_matters(v, mantissas, exponents);
    }

    [[gnu::always_inline]] Range keep_what_matters(int v, LowReals& mantissas, LowExponents& exponents) {
        const Exponent* down = potentials_.down.data();
        const Exponent total = potentials_.up.back();
        const std::size_t here = whole(0), bit = only(v);
        Range range;
        for (std::size_t low = 0; low < num_low_sets; ++low) {
            const Exponent loss = total - up[low] - exponents[low] - down[(here + low) | bit];
            const bool is_kept = loss <= cut_;
            mantissas[low] = is_kept ? mantissas[low] : Real(0.0);
            range.lowest = std::min(range.lowest, is_kept ? exponents[low] : std::numeric_limits<Exponent>::max());
            range.highest = std::max(range.highest, is_kept ? exponents[low] : std::numeric_limits<Exponent>::min());
            exponents[low] = is_kept ? exponents[low] : 0;
        }
        return range;
    }

    [[gnu::always_inline]] Exponent load_high() {
        Exponent spread = 0;
        high_values_.resize(outside.size());
        high_scales_.resize(outside.size());
        for (std::size_t i = 0; i < outside.size(); ++i) {
            const Range range = load(outside[i], high_values_[i], exponents_);
            high_scales_[i] = range.middle();
            spread += range.width();
            if (range.width() > max_spread) return range.width();
            scale(high_values_[i], exponents_, high_scales_[i]);
        }
        return spread;
    }

    [[gnu::always_inline]] static void scale(LowReals& values, const LowExponents& exponents, Exponent scale) {
        for (std::size_t low = 0; low < num_low_sets; ++low)
            values[low] = values[low] * power_of_two(std::clamp(exponents[low] - scale, -1023, 1000));
    }

    [[gnu::always_inline]] Exponent load_low() {
        Exponent spread = 0;
        for (int v = 0; v < num_low; ++v) {
            const auto i = static_cast<std::size_t>(v);
            low_ranges_[i] = load(v, low_values_[i], low_exponents_[i]);
            spread += low_ranges_[i].width();
        }
        return spread;
    }

    [[gnu::always_inline]] void choose_units(Exponent spread) {
        unit[0] = 0;
        for (std::size_t v = 0; v < num_low; ++v)
            for (std::size_t low = 0; low < std::size_t{1} << v; ++low)
                unit[low | std::size_t{1} << v] = unit[low] + low_ranges_[v].middle();
        Range range;
        for (std::size_t low = 0; low < num_low_sets; ++low)
            if (matters(low)) {
                range.lowest = std::min(range.lowest, up[low] - unit[low]);
                range.highest = std::max(range.highest, up[low] - unit[low]);
            }
        is_narrow_ = spread + range.width() <= max_spread;
        for (std::size_t low = 0; low < num_low_sets; ++low) {
            unit[low] = is_narrow_ ? unit[low] + range.middle() : up[low];
            shift[low] = up[low] - unit[low];
        }
        if (is_narrow_)
            for (std::size_t v = 0; v < num_low; ++v) scale(low_values_[v], low_exponents_[v], low_ranges_[v].middle());
    }

    /// For a row of lower sets: products over the rest of the rows grow by one variable at a time; the kinds of places multiply them.
    [[gnu::always_inline]] void multiply_low() {
        for (std::size_t lower = 0; lower < num_rows; ++lower) {
            Real of_kind[num_kinds];
            Exponent exponent_of_kind[num_kinds];
            for (std::size_t k = 0; k < num_kinds; ++k) multiply_places(lower, kinds[k], of_kind[k], exponent_of_kind[k]);
            for (std::size_t p = 0; p < num_places; ++p) {
                row_products_[lower][p] = Real(1.0);
                row_exponents_[lower][p] = 0;
            }
            for (const auto& pair : by_size_[lower]) {
                if (pair.row != lower) grow(lower, pair.row);
                Real* to = factors.data() + pair.number * num_kinds;
                for (std::size_t k = 0; k < num_kinds; ++k) to[k] = row_products_[pair.row][kinds[k].lower] * of_kind[k];
                if (!is_narrow_) rescale(lower, pair.row, exponent_of_kind, to);
            }
        }
    }

    [[gnu::always_inline]] void multiply_places(std::size_t row, const Kind& kind, Real& product, Exponent& exponent) const {
        const std::size_t low = row * num_places + kind.lower;
        product = Real(1.0);
        exponent = 0;
        for (std::size_t v = 0; v < num_place_bits; ++v)
            if (contains(kind.lower ^ kind.upper, static_cast<int>(v))) {
                product = product * low_values_[v][low];
                exponent += low_exponents_[v][low];
            }
    }

    /// Products over the variables of `row` beyond `lower`, for the four places of `lower`.
    [[gnu::always_inline]] void grow(std::size_t lower, std::size_t row) {
        const int last = highest(row ^ lower);
        const std::size_t from = without(row, last), v = static_cast<std::size_t>(last + num_place_bits);
        for (std::size_t p = 0; p < num_places; ++p) {
            row_products_[row][p] = row_products_[from][p] * low_values_[v][lower * num_places + p];
            row_exponents_[row][p] = row_exponents_[from][p] + low_exponents_[v][lower * num_places + p];
        }
    }

    [[gnu::always_inline]] void rescale(std::size_t lower, std::size_t row, const Exponent* exponent_of_kind, Real* factor) const {
        for (std::size_t k = 0; k < num_kinds; ++k) {
            const Exponent exponent = row_exponents_[row][kinds[k].lower] + exponent_of_kind[k] + up[lower * num_places + kinds[k].lower] -
                                      up[row * num_places + kinds[k].upper];
            factor[k] = factor[k] * power_of_two(std::clamp(exponent, -1023, 1000));
        }
    }

    /// The first four variables outside make the lanes, the others the tiles.
    [[gnu::always_inline]] void multiply_high() {
        const std::size_t num_lane_bits = std::min<std::size_t>(outside.size(), 4);
        const std::size_t num_tile_bits = outside.size() - num_lane_bits;
        for (std::size_t low = 0; low < num_low_sets; ++low) {
            Real products[num_lanes]{};
            products[0] = Real(1.0);
            for (std::size_t i = 0; i < num_lane_bits; ++i)
                for (std::size_t lane = 0; lane < std::size_t{1} << i; ++lane)
                    products[lane | std::size_t{1} << i] = products[lane] * high_values_[i][low];
            for (std::size_t lane = 0; lane < num_lanes; ++lane) set(lane_products[low], lane, products[lane]);
        }
        tile_products.resize(std::size_t{1} << num_tile_bits);
        tile_products[0].fill(Real(1.0));
        for (std::size_t i = 0; i < num_tile_bits; ++i)
            for (std::size_t tile = 0; tile < std::size_t{1} << i; ++tile)
                for (std::size_t low = 0; low < num_low_sets; ++low)
                    tile_products[tile | std::size_t{1} << i][low] = tile_products[tile][low] * high_values_[num_lane_bits + i][low];
        list_columns();
    }

    void list_columns() {
        columns.assign(tile_products.size() * num_lanes, {});
        for (std::size_t i = 0; i < outside.size(); ++i)
            for (std::size_t column = 0; column < std::size_t{1} << i; ++column) {
                const Column& from = columns[column];
                columns[column | std::size_t{1} << i] = {from.set | only(outside[i] - num_low), from.scale + high_scales_[i], !from.is_odd,
                                                         true};
            }
    }

    static std::array<std::vector<LowLattice::RowPair>, num_rows> rows_by_size(const LowLattice& lattice) {
        std::array<std::vector<LowLattice::RowPair>, num_rows> found;
        for (std::size_t row = 0; row < num_rows; ++row) {
            for (const int parity : {0, 1})
                for (const auto& pair : lattice.above(row, parity)) found[row].push_back(pair);
            std::sort(found[row].begin(), found[row].end(), [](const auto& a, const auto& b) { return a.row < b.row; });
        }
        return found;
    }

    const SubsetSums<Real>& subset_sums_;
    const Potentials& potentials_;
    Turn turn_;
    Exponent cut_;
    std::array<std::vector<LowLattice::RowPair>, num_rows> by_size_ = rows_by_size(lattice);
    std::size_t high_ = 0;
    bool is_narrow_ = true;
    LowExponents loss_{}, exponents_{};
    std::array<LowReals, num_low> low_values_{};
    std::array<LowExponents, num_low> low_exponents_{};
    std::array<Range, num_low> low_ranges_{};
    std::vector<LowReals> high_values_;
    std::vector<Exponent> high_scales_;
    std::array<std::array<Real, num_places>, num_rows> row_products_{};
    std::array<std::array<Exponent, num_places>, num_rows> row_exponents_{};
};

}  // namespace dagmass
