/// The last few variables of the refinement order, done at once: every group of rows becomes a small dense table over them, and
/// the tables of all their subsets come from it by summing variables out. Sixteen groups share the lanes of the registers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "../simd.hpp"
#include "score.hpp"

namespace dagmass {

class TailTables {
  public:
    static constexpr std::size_t num_lanes = 16;
    static constexpr std::size_t max_cells = 64;
    static constexpr std::int32_t num_small = 32;
    static constexpr int max_variables = 6;

    /// How many of the last variables fit into one dense table.
    static int num_variables(std::span<const int> levels) {
        std::size_t cells = 1;
        int count = 0;
        while (count < std::min<int>(max_variables, static_cast<int>(levels.size()))) {
            cells *= static_cast<std::size_t>(levels[levels.size() - 1 - static_cast<std::size_t>(count)]);
            if (cells > max_cells) break;
            ++count;
        }
        return count;
    }

    /// `levels` of the tail variables by slot: bit i of a subset stands for levels[i].
    explicit TailTables(std::vector<int> levels) : levels_(std::move(levels)), tables_(std::size_t{1} << levels_.size()) {
        std::size_t offset = 0;
        for (std::size_t subset = tables_.size(); subset-- > 0;) {
            tables_[subset] = lay_out(subset, offset);
            offset += tables_[subset].num_cells;
        }
        counts_.resize(offset * num_lanes);
    }

    std::size_t num_subsets() const { return tables_.size(); }
    std::size_t num_all_cells() const { return counts_.size() / num_lanes; }
    std::size_t num_cells() const { return tables_.back().num_cells; }

    /// The tables of up to sixteen groups start empty; count rows into them; then add up their cells for every subset.
    void clear() { std::fill_n(counts_.begin(), num_cells() * num_lanes, 0); }
    void count(std::size_t lane, std::size_t cell, std::uint32_t weight) {
        counts_[cell * num_lanes + lane] += static_cast<std::int32_t>(weight);
    }

    /// totals[subset] += sum over cells and lanes of value_of[subset][count], where at least `num_small` values are there.
    void add_totals(std::span<const Score* const> value_of, std::span<Score> totals) {
        const bool may_permute = current_level().load(std::memory_order_relaxed) == VectorLevel::avx512;
        at_level([&]() __attribute__((always_inline)) {
            for (std::size_t subset = tables_.size() - 1; subset-- > 0;) sum_out(tables_[subset]);
            for (std::size_t subset = 0; subset < tables_.size(); ++subset)
                totals[subset] += total(tables_[subset], value_of[subset], may_permute);
        });
    }

  private:
    struct Table {
        std::size_t offset, num_cells;                         // in cells of sixteen lanes
        std::size_t source, num_outer, num_summed, num_inner;  // source cell = (outer * num_summed + summed) * num_inner + inner
    };

    /// The table of a subset is that of the subset with its lowest missing variable, with that variable summed out. The variable
    /// of the lowest slot runs fastest in every table.
    Table lay_out(std::size_t subset, std::size_t offset) const {
        const auto cells = [&](std::size_t set, std::size_t from) {
            std::size_t product = 1;
            for (std::size_t i = from; i < levels_.size(); ++i)
                if (set >> i & 1) product *= static_cast<std::size_t>(levels_[i]);
            return product;
        };
        Table table{offset, cells(subset, 0), 0, 1, 1, 1};
        if (subset + 1 == tables_.size()) return table;
        const auto missing = static_cast<std::size_t>(std::countr_one(subset));
        table.source = tables_[subset | std::size_t{1} << missing].offset;
        table.num_summed = static_cast<std::size_t>(levels_[missing]);
        table.num_outer = cells(subset, missing + 1);
        table.num_inner = table.num_cells / table.num_outer;
        return table;
    }

    [[gnu::always_inline]] void sum_out(const Table& table) {
        const std::size_t inner_lanes = table.num_inner * num_lanes;
        std::int32_t* to = counts_.data() + table.offset * num_lanes;
        const std::int32_t* from = counts_.data() + table.source * num_lanes;
        for (std::size_t outer = 0; outer < table.num_outer; ++outer, to += inner_lanes) {
            for (std::size_t i = 0; i < inner_lanes; i += num_lanes)
                for (std::size_t lane = 0; lane < num_lanes; ++lane) to[i + lane] = from[i + lane];
            from += inner_lanes;
            for (std::size_t summed = 1; summed < table.num_summed; ++summed, from += inner_lanes)
                for (std::size_t i = 0; i < inner_lanes; i += num_lanes)
                    for (std::size_t lane = 0; lane < num_lanes; ++lane) to[i + lane] += from[i + lane];
        }
    }

    using Score8 = Score __attribute__((vector_size(64)));
    using Count8 = std::int32_t __attribute__((vector_size(32)));

    [[gnu::always_inline]] Score total(const Table& table, const Score* value_of, bool may_permute) const {
        const std::int32_t* counts = counts_.data() + table.offset * num_lanes;
        const std::int32_t bits = may_permute ? all_bits(counts, table.num_cells) : num_small;
        if (bits < num_small / 2) return total_of_small<1>(counts, table.num_cells, value_of);
        if (bits < num_small) return total_of_small<2>(counts, table.num_cells, value_of);
        return total_of_any(counts, table.num_cells, value_of);
    }

    [[gnu::always_inline]] static Score total_of_any(const std::int32_t* counts, std::size_t num_cells, const Score* value_of) {
        std::array<Score, num_lanes> sums{};
        for (std::size_t cell = 0; cell < num_cells; ++cell, counts += num_lanes)
            for (std::size_t lane = 0; lane < num_lanes; ++lane) sums[lane] += value_of[counts[lane]];
        Score sum = 0;
        for (const Score lane_sum : sums) sum += lane_sum;
        return sum;
    }

    /// Counts below 16 (or 32): their values lie in two registers (or four), from which a permutation picks eight at a time.
    template <int num_pairs>
    [[gnu::always_inline]] static Score total_of_small(const std::int32_t* counts, std::size_t num_cells, const Score* value_of) {
        Score8 values[2 * num_pairs];
        for (int i = 0; i < 2 * num_pairs; ++i) values[i] = load<Score8>(value_of + 8 * i);
        Score8 sums{};
        for (std::size_t half = 0; half < num_cells * 2; ++half, counts += 8) {
            const Score8 count = __builtin_convertvector(load<Count8>(counts), Score8);
            Score8 picked = shuffled(values[0], values[1], count);
            if constexpr (num_pairs == 2) {
                const Score8 is_above = -(count >> 4);  // all bits or none
                picked = (picked & ~is_above) | (shuffled(values[2], values[3], count) & is_above);
            }
            sums += picked;
        }
        Score sum = 0;
        for (int lane = 0; lane < 8; ++lane) sum += sums[lane];
        return sum;
    }

    /// All counts joined by or: below a power of two iff all of them are.
    [[gnu::always_inline]] static std::int32_t all_bits(const std::int32_t* counts, std::size_t num_cells) {
        Count8 bits{};
        for (std::size_t half = 0; half < num_cells * 2; ++half, counts += 8) bits |= load<Count8>(counts);
        std::int32_t any = 0;
        for (int lane = 0; lane < 8; ++lane) any |= bits[lane];
        return any;
    }

    template <class Vector, class T>
    [[gnu::always_inline]] static Vector load(const T* from) {
        Vector vector;
        std::memcpy(&vector, from, sizeof vector);
        return vector;
    }

    std::vector<int> levels_;
    std::vector<Table> tables_;  // by subset
    std::vector<std::int32_t> counts_;
};

}  // namespace dagmass
