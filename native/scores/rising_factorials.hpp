/// ln Gamma(a + N) - ln Gamma(a) = sum over i < N of ln(a + i), in fixed point.
///
/// Each ln(a + i) is rounded once, so an entry is exact to N roundings, and a set function over m rows to m of them, however
/// large or small `a` is. (A difference of two ln Gamma loses 3e-4 at a = 1e12.)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "../graphs/varset.hpp"
#include "score.hpp"

namespace dagmass {

/// The tables for all sets of variables: sets with the same product of levels share one, which grows as counts ask for it.
class RisingFactorials {
  public:
    static constexpr std::size_t memory_budget = std::size_t{256} << 20;  // bytes; past it, tables are built again

    RisingFactorials(double ess, int fraction_bits, std::vector<int> levels)
        : ess_(ess), scale_(std::ldexp(1.0, fraction_bits)), stride_(levels.size()) {
        std::vector<int> sorted = std::move(levels);
        const std::vector<int> unsorted = sorted;
        std::sort(sorted.begin(), sorted.end());
        std::uint64_t next_stride = 1;
        for (std::size_t i = 0; i < sorted.size();) {
            const auto end = static_cast<std::size_t>(std::upper_bound(sorted.begin(), sorted.end(), sorted[i]) - sorted.begin());
            classes_.push_back({sorted[i], next_stride, end - i + 1});
            for (std::size_t v = 0; v < unsorted.size(); ++v)
                if (unsorted[v] == sorted[i]) stride_[v] = next_stride;
            next_stride *= end - i + 1;
            i = end;
        }
    }

    /// Names a set of variables up to its numbers of levels; additive over disjoint sets.
    std::uint64_t key(Varset set) const {
        std::uint64_t key = 0;
        for (const int v : members(set)) key += stride_[static_cast<std::size_t>(v)];
        return key;
    }

    /// The table for counts up to `largest`; valid until the next call of `limit_memory`.
    const Score* up_to(std::uint64_t key, std::size_t largest) {
        auto [entry, is_new] = tables_.try_emplace(key);
        Table& table = entry->second;
        if (is_new) table = {ess_ / num_cells(key), {0}};
        if (table.sums.size() <= largest) grow(table, largest);
        return table.sums.data();
    }

    void limit_memory() {
        if (bytes_ <= memory_budget) return;
        tables_.clear();
        bytes_ = 0;
    }

  private:
    struct LevelClass {
        int levels;
        std::uint64_t stride;
        std::uint64_t radix;  // one more than the number of variables with so many levels
    };
    struct Table {
        double a;
        std::vector<Score> sums;
    };

    /// The product of levels, multiplied in one order whatever the names of the variables.
    double num_cells(std::uint64_t key) const {
        double product = 1;
        for (const auto& group : classes_)
            for (std::uint64_t left = key / group.stride % group.radix; left > 0; --left) product *= group.levels;
        return product;
    }

    void grow(Table& table, std::size_t largest) {
        const std::size_t old_size = table.sums.size();
        table.sums.reserve(std::max(largest + 1, 2 * old_size));
        for (std::size_t i = old_size - 1; i < largest; ++i)
            table.sums.push_back(table.sums[i] + std::llround(std::log(table.a + static_cast<double>(i)) * scale_));
        bytes_ += (table.sums.size() - old_size) * sizeof(Score);
    }

    double ess_;
    double scale_;
    std::vector<std::uint64_t> stride_;
    std::vector<LevelClass> classes_;
    std::unordered_map<std::uint64_t, Table> tables_;
    std::size_t bytes_ = 0;
};

}  // namespace dagmass
