/// The last few variables of the refinement order, done at once: every group of rows becomes a small dense table over them, and
/// the tables of all their subsets come from it by summing variables out. Sixteen groups share the lanes of the registers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "../simd.hpp"
#include "score.hpp"

namespace dagmass {

class TailTables {
  public:
    static constexpr std::size_t num_lanes = 16;
    static constexpr std::size_t max_cells = 64;
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
    std::size_t num_cells() const { return tables_.back().num_cells; }

    /// The tables of up to sixteen groups start empty; count rows into them; then add up their cells for every subset.
    void clear() { std::fill_n(counts_.begin(), num_cells() * num_lanes, 0); }
    void count(std::size_t lane, std::size_t cell, std::uint32_t weight) {
        counts_[cell * num_lanes + lane] += static_cast<std::int32_t>(weight);
    }

    /// totals[subset] += sum over cells and lanes of value_of[subset][count].
    void add_totals(std::span<const Score* const> value_of, std::span<Score> totals) {
        at_level([&]() __attribute__((always_inline)) {
            for (std::size_t subset = tables_.size() - 1; subset-- > 0;) sum_out(tables_[subset]);
            for (std::size_t subset = 0; subset < tables_.size(); ++subset) totals[subset] += total(tables_[subset], value_of[subset]);
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

    [[gnu::always_inline]] Score total(const Table& table, const Score* value_of) const {
        const std::int32_t* counts = counts_.data() + table.offset * num_lanes;
        std::array<Score, num_lanes> sums{};
        for (std::size_t cell = 0; cell < table.num_cells; ++cell, counts += num_lanes)
            for (std::size_t lane = 0; lane < num_lanes; ++lane) sums[lane] += value_of[counts[lane]];
        Score sum = 0;
        for (const Score lane_sum : sums) sum += lane_sum;
        return sum;
    }

    std::vector<int> levels_;
    std::vector<Table> tables_;  // by subset
    std::vector<std::int32_t> counts_;
};

}  // namespace dagmass
