/// The pairs U in W of the sets of low variables, in the order in which the dense kernel multiplies.
///
/// A low set is a row (the high six of its bits) and a place in the row (the low two). A pair of rows has nine pairs of places, its kinds;
/// four places loaded together serve all nine. Pairs of rows that differ by an even number of variables come first.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "../graphs/varset.hpp"

namespace dagmass {

inline constexpr int num_low = 8;
inline constexpr std::size_t num_low_sets = std::size_t{1} << num_low;
inline constexpr int num_place_bits = 2;
inline constexpr std::size_t num_places = std::size_t{1} << num_place_bits;
inline constexpr std::size_t num_rows = num_low_sets / num_places;
inline constexpr std::size_t num_kinds = 9;

struct Kind {
    std::size_t lower, upper;  // places, lower in upper
    constexpr bool is_odd() const { return size(lower ^ upper) & 1; }
};
inline constexpr std::array<Kind, num_kinds> kinds{{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 1}, {1, 3}, {2, 2}, {2, 3}, {3, 3}}};

constexpr std::size_t power_of_three(int exponent) { return exponent == 0 ? 1 : 3 * power_of_three(exponent - 1); }

class LowLattice {
  public:
    struct RowPair {
        std::uint16_t row;     // the other one
        std::uint16_t number;  // of the pair: its factors lie at number * num_kinds
    };

    LowLattice() {
        std::array<std::array<std::uint16_t, num_rows>, num_rows> number{};
        std::uint16_t count = 0;
        for (std::size_t upper = 0; upper < num_rows; ++upper)
            add_row(
                below_, upper, [](std::size_t row, std::size_t other) { return is_subset(other, row); },
                [&](std::size_t lower) { return number[lower][upper] = count++; });
        for (std::size_t lower = 0; lower < num_rows; ++lower)
            add_row(
                above_, lower, [](std::size_t row, std::size_t other) { return is_subset(row, other); },
                [&](std::size_t upper) { return number[lower][upper]; });
    }

    static constexpr std::size_t num_factors = power_of_three(num_low);

    /// The rows below (or above) a row that differ by an even or odd number of variables, by rising (above) or any (below) number.
    std::span<const RowPair> below(std::size_t row, int parity) const { return part(below_, row, parity); }
    std::span<const RowPair> above(std::size_t row, int parity) const { return part(above_, row, parity); }

  private:
    struct Side {
        std::vector<RowPair> pairs;
        std::array<std::array<std::size_t, 3>, num_rows> begin{};  // even, odd, end
    };

    static std::span<const RowPair> part(const Side& side, std::size_t row, int parity) {
        const auto& begin = side.begin[row];
        const auto p = static_cast<std::size_t>(parity);
        return std::span(side.pairs).subspan(begin[p], begin[p + 1] - begin[p]);
    }

    template <class Related, class Number>
    static void add_row(Side& side, std::size_t row, const Related& related, const Number& number) {
        for (const int parity : {0, 1}) {
            side.begin[row][static_cast<std::size_t>(parity)] = side.pairs.size();
            for (std::size_t other = 0; other < num_rows; ++other)
                if (related(row, other) && (size(row ^ other) & 1) == parity)
                    side.pairs.push_back({static_cast<std::uint16_t>(other), number(other)});
        }
        side.begin[row][2] = side.pairs.size();
    }

    Side below_, above_;
};

}  // namespace dagmass
