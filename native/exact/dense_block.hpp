/// One block of the dense sums: all sets U = (Uh, Ul) with the same high part Uh, and what leads out of it.
///
///     factor[Ul -> Wl] = product over s in Wl - Ul of A_s(Uh, Ul) * 2^unit(s)                  (units: dense_units.hpp)
///     column[Ul][Sh]   = product over s in Sh      of A_s(Uh, Ul) * 2^-scale(s)
///
/// A factor of a column is taken as zero in the sets where nothing that it leads to matters.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <vector>

#include "../graphs/varset.hpp"
#include "../large_array.hpp"
#include "dense_units.hpp"
#include "lanes.hpp"
#include "low_lattice.hpp"
#include "potentials.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"
#include "turn.hpp"

namespace dagmass {

template <class Real>
class DenseBlock {
  public:
    struct Column {
        Varset set = 0;  // Sh
        double scale{};  // 2^(scales of Sh + unit(Uh + Sh) - unit(Uh)); zero where nothing leads on
    };
    using Values = std::array<Real, num_low_sets>;

    /// `down` and `units` in the turned numbering.
    DenseBlock(const SubsetSums<Real>& subset_sums, const LargeArray<Exponent>& down, const DenseUnits& units, Turn turn, double threshold)
        : subset_sums_(subset_sums), down_(down.data()), units_(units), turn_(turn), threshold_(threshold) {
        turned_low_.resize(turn.places == 0 ? 0 : static_cast<std::size_t>(turn.num_variables));
        for (std::size_t v = 0; v < turned_low_.size(); ++v)
            for (Varset low = 0; low < num_low_sets; ++low)
                turned_low_[v][low] = static_cast<Varset32>(turned_index(low, turn.variable(static_cast<int>(v))));
    }

    /// Take up a block: its factors.
    [[gnu::always_inline]] void enter(std::size_t high) {
        high_ = high;
        for (int s = 0; s < num_low; ++s) load_low(s, low_values_[static_cast<std::size_t>(s)]);
        multiply_low();
    }

    /// Fetch what the block that is entered next will load.
    [[gnu::always_inline]] void prefetch(std::size_t high) const {
        constexpr std::size_t line = 64, count = num_low_sets / 2;
        if (turn_.places != 0) return;
        for (int v = 0; v < turn_.num_variables; ++v) {
            if (v >= num_low && contains(high, v - num_low)) continue;
            const std::size_t first = drop_bit(high << num_low, v), last = first + (v < num_low ? count : num_low_sets);
            const char* mantissas = reinterpret_cast<const char*>(subset_sums_.mantissas(v));
            const char* exponents = reinterpret_cast<const char*>(subset_sums_.exponents(v));
            for (std::size_t i = first * sizeof(Real); i < last * sizeof(Real); i += line) __builtin_prefetch(mantissas + i, 0, 2);
            for (std::size_t i = first * sizeof(Exponent); i < last * sizeof(Exponent); i += line) __builtin_prefetch(exponents + i, 0, 2);
        }
    }

    /// What the sets of the block share in Z(V) at most, from the sizes of Z; zero below the threshold. False where some matters.
    [[gnu::always_inline]] bool find_shares(const double* sizes) {
        bool some = false;
        for (std::size_t low = 0; low < num_low_sets; low += num_in_eight) {
            const Int8 below = load_exponents(down_ + whole(low)) - units_.of_eight(whole(low));
            const Vec8 share = load(sizes + low) * powers_of_two(below);
            const Int8 is_large = share >= threshold_;
            store(&shares_[low], reinterpret_cast<Vec8>(reinterpret_cast<Int8>(share) & is_large));
            some |= any(is_large);
        }
        return some;
    }
    double share(std::size_t low) const { return shares_[low]; }
    [[gnu::always_inline]] Int8 matters(std::size_t low) const { return load(&shares_[low]) > 0.0; }

    /// The columns: products over the variables that may be added. False where one that matters has a scale out of range.
    [[gnu::always_inline]] bool list_columns() {
        outside.clear();
        scales_.clear();
        for (int v = num_low; v < turn_.num_variables; ++v) {
            if (contains(high_, v - num_low)) continue;
            const Exponent scale = subset_sums_.exponent(turn_.variable(v), turn_.set(whole(num_low_sets - 1)));
            if (scale == exponent_of_zero || !load_high(v, scale, high_values_[outside.size()])) continue;
            outside.push_back(v);
            scales_.push_back(scale);
        }
        multiply_high();
        return name_columns();
    }

    std::size_t num_tiles() const { return columns.size() / num_lanes; }
    [[gnu::always_inline]] bool leads_on(std::size_t tile) const {
        for (std::size_t lane = 0; lane < num_lanes; ++lane)
            if (columns[tile * num_lanes + lane].scale > 0) return true;
        return false;
    }

    /// Where A_v(Uh, Ul) lies: the first part or the second.
    Varset first_index(int v) const { return turned_index(whole(0), turn_.variable(v)); }
    Varset low_index(int v, std::size_t low) const { return turned_low_.empty() ? low : turned_low_[static_cast<std::size_t>(v)][low]; }

    std::array<Lanes<Real>, num_low_sets> lane_products{};
    std::vector<Values> tile_products;  // column = lane product * tile product
    LargeArray<Real> factors = LargeArray<Real>(LowLattice::num_factors);
    std::vector<int> outside;  // high variables that may be added
    std::vector<Column> columns;
    const LowLattice lattice;

  private:
    Varset whole(std::size_t low) const { return high_ << num_low | low; }

    /// Where A_v(U) lies, U in the turned numbering and without v: that of a union is the union of those of its parts.
    Varset turned_index(Varset set, int v) const { return drop_bit(turn_.set(set), v); }

    /// A_s(Uh, Ul) 2^unit for a low variable, for all Ul without it and zero for the others.
    [[gnu::always_inline]] void load_low(int s, Values& values) {
        constexpr std::size_t count = num_low_sets / 2;
        std::array<Real, count> compact;
        std::array<Exponent, count> exponents;
        const int v = turn_.variable(s);
        if (turn_.places == 0) {
            std::copy_n(subset_sums_.mantissas(v) + high_ * count, count, compact.begin());
            std::copy_n(subset_sums_.exponents(v) + high_ * count, count, exponents.begin());
        } else {
            const Varset from_high = turned_index(high_ << num_low, v);
            for (std::size_t i = 0; i < count; ++i) {
                const Varset index = from_high | turned_low_[static_cast<std::size_t>(s)][insert_zero_bit(i, s)];
                compact[i] = subset_sums_.mantissas(v)[index];
                exponents[i] = subset_sums_.exponents(v)[index];
            }
        }
        for (std::size_t i = 0; i < count; i += num_in_eight) {
            const Int8 shift = load_exponents(&exponents[i]) + static_cast<std::int64_t>(units_.of_variable(s));
            store_eight(&compact[i], load_eight(&compact[i]) * powers_of_two(shift));
        }
        for (std::size_t low = 0; low < num_low_sets; low += num_in_eight)
            store_eight(&values[low], s < num_eight_bits ? take_turns(s, compact.data() + low / 2)
                                      : contains(low, s) ? Eight<Real>{}
                                                         : load_eight(compact.data() + drop_bit(low, s)));
    }

    /// A_v(Uh, Ul) 2^-scale for a high variable where what it leads to matters. False if that is nowhere.
    [[gnu::always_inline]] bool load_high(int v, Exponent scale, Values& values) {
        const int real_v = turn_.variable(v);
        const std::size_t first = drop_bit(whole(0), v);
        const Real* mantissas = subset_sums_.mantissas(real_v) + first;
        const Exponent* exponents = subset_sums_.exponents(real_v) + first;
        std::array<Exponent, num_low_sets> turned_exponents;
        std::array<Real, num_low_sets> turned_mantissas;
        if (turn_.places != 0) {
            const Varset from_high = turned_index(high_ << num_low, real_v);
            for (std::size_t low = 0; low < num_low_sets; ++low) {
                const Varset index = from_high | turned_low_[static_cast<std::size_t>(v)][low];
                turned_mantissas[low] = subset_sums_.mantissas(real_v)[index];
                turned_exponents[low] = subset_sums_.exponents(real_v)[index];
            }
            mantissas = turned_mantissas.data();
            exponents = turned_exponents.data();
        }
        Int8 some{};
        for (std::size_t low = 0; low < num_low_sets; low += num_in_eight) {
            const Int8 exponent = load_exponents(exponents + low);
            const Int8 shift = exponent + load_exponents(down_ + with(whole(low), v)) - load_exponents(down_ + whole(low));
            const Int8 matters = load(&shares_[low]) * powers_of_two(shift) >= threshold_;
            some |= matters;
            const Int8 used = matters ? exponent - static_cast<std::int64_t>(scale) : spread_whole(exponent_of_zero);
            store_eight(&values[low], load_eight(mantissas + low) * powers_of_two(used));
        }
        return any(some);
    }

    /// For a row of lower sets: the products of the kinds of places, times those over more and more of the other rows' variables.
    [[gnu::always_inline]] void multiply_low() {
        Real* to = factors.data();
        std::array<Kinds, num_rows> products;
        for (std::size_t lower = 0; lower < num_rows; ++lower) {
            const std::uint16_t* number = numbers_[lower].data();
            products[0] = products_of_places(lower);
            products[0].store(to + *number++ * num_kinds);
            std::size_t count = 1;
            for (const int v : members(~lower & (num_rows - 1))) {
                const Kinds by = by_lower_place(low_values_[static_cast<std::size_t>(v + num_place_bits)].data() + lower * num_places);
                for (std::size_t i = 0; i < count; ++i) {
                    products[count + i] = products[i] * by;
                    products[count + i].store(to + *number++ * num_kinds);
                }
                count *= 2;
            }
        }
    }

    /// One number for each kind of places.
    struct Kinds {
        Eight<Real> eight;
        Real last;

        [[gnu::always_inline]] void set(std::size_t k, const Real& value) {
            if (k < num_in_eight)
                dagmass::set(eight, k, value);
            else
                last = value;
        }
        [[gnu::always_inline]] void store(Real* to) const {
            store_eight(to, eight);
            to[num_in_eight] = last;
        }
        [[gnu::always_inline]] friend Kinds operator*(const Kinds& a, const Kinds& b) { return {a.eight * b.eight, a.last * b.last}; }
    };

    [[gnu::always_inline]] static Kinds by_lower_place(const Real* places) {
        if constexpr (std::is_same_v<Real, double>) {
            return {shuffled(Vec8{places[0], places[1], places[2], places[3]}, Int8{0, 0, 0, 0, 1, 1, 2, 2}), places[3]};
        } else {
            Kinds found;
            for (std::size_t k = 0; k < num_kinds; ++k) found.set(k, places[kinds[k].lower]);
            return found;
        }
    }

    [[gnu::always_inline]] Kinds products_of_places(std::size_t row) const {
        const Real* first = low_values_[0].data() + row * num_places;
        const Real* second = low_values_[1].data() + row * num_places;
        Kinds found{spread(Real(1.0)), Real(1.0)};
        found.set(1, first[0]);
        found.set(2, second[0]);
        found.set(3, first[0] * second[0]);
        found.set(5, second[1]);
        found.set(7, first[2]);
        return found;
    }

    /// The first four variables outside make the lanes, the others the tiles.
    [[gnu::always_inline]] void multiply_high() {
        for (std::size_t i = outside.size(); i < num_lane_bits; ++i) high_values_[i].fill(Real(0.0));
        for (std::size_t low = 0; low < num_low_sets; ++low) {
            const Eight<Real> one = spread(Real(1.0));
            Eight<Real> product = select(Int8{0, -1, 0, -1, 0, -1, 0, -1}, spread(high_values_[0][low]), one);
            product = product * select(Int8{0, 0, -1, -1, 0, 0, -1, -1}, spread(high_values_[1][low]), one);
            product = product * select(Int8{0, 0, 0, 0, -1, -1, -1, -1}, spread(high_values_[2][low]), one);
            lane_products[low] = {{product, product * spread(high_values_[3][low])}};
        }
        const std::size_t num_tile_bits = std::max(outside.size(), num_lane_bits) - num_lane_bits;
        tile_products.resize(std::max(tile_products.size(), std::size_t{1} << num_tile_bits));
        tile_products[0].fill(Real(1.0));
        for (std::size_t i = 0; i < num_tile_bits; ++i)
            for (std::size_t tile = 0; tile < std::size_t{1} << i; ++tile) {
                const Values &from = tile_products[tile], &by = high_values_[num_lane_bits + i];
                Values& to = tile_products[tile | std::size_t{1} << i];
                for (std::size_t low = 0; low < num_low_sets; ++low) to[low] = from[low] * by[low];
            }
        columns.assign(num_lanes << num_tile_bits, {});
    }

    bool name_columns() {
        column_scales_.assign(columns.size(), 0);
        for (std::size_t i = 0; i < outside.size(); ++i)
            for (std::size_t column = 0; column < std::size_t{1} << i; ++column) {
                const std::size_t next = column | std::size_t{1} << i;
                columns[next].set = columns[column].set | only(outside[i] - num_low);
                column_scales_[next] = column_scales_[column] + scales_[i];
                const Exponent exponent = column_scales_[next] + units_.of_block(high_ | columns[next].set) - units_.of_block(high_);
                if (std::abs(exponent) <= units_.max_scale)
                    columns[next].scale = power_of_two(exponent);
                else if (column_matters(next))
                    return false;
            }
        return true;
    }

    /// Whether any term through a column matters.
    bool column_matters(std::size_t column) const {
        const Varset above = (high_ | columns[column].set) << num_low;
        for (std::size_t low = 0; low < num_low_sets; ++low) {
            const double product = leading(get(lane_products[low], column % num_lanes)) * leading(tile_products[column / num_lanes][low]);
            const Exponent exponent = column_scales_[column] + down_[above | low] - down_[whole(low)];
            if (shares_[low] * product * power_of_two(std::clamp(exponent, -1023, 900)) >= threshold_) return true;
        }
        return false;
    }

    /// The numbers of the pairs of a row with the rows above it, these by rising number.
    static std::array<std::vector<std::uint16_t>, num_rows> numbers_by_row(const LowLattice& lattice) {
        std::array<std::vector<std::uint16_t>, num_rows> found;
        for (std::size_t row = 0; row < num_rows; ++row) {
            std::vector<LowLattice::RowPair> pairs;
            for (const int parity : {0, 1}) std::ranges::copy(lattice.above(row, parity), std::back_inserter(pairs));
            std::ranges::sort(pairs, {}, &LowLattice::RowPair::row);
            for (const auto& pair : pairs) found[row].push_back(pair.number);
        }
        return found;
    }

    const SubsetSums<Real>& subset_sums_;
    const Exponent* down_;
    const DenseUnits& units_;
    Turn turn_;
    double threshold_;
    std::array<std::vector<std::uint16_t>, num_rows> numbers_ = numbers_by_row(lattice);
    std::vector<std::array<Varset32, num_low_sets>> turned_low_;  // by variable, if turned
    std::size_t high_ = 0;
    alignas(64) std::array<double, num_low_sets> shares_{};
    std::array<Values, num_low> low_values_{};
    std::vector<Values> high_values_ = std::vector<Values>(max_variables);
    std::vector<Exponent> scales_, column_scales_;
};

}  // namespace dagmass
