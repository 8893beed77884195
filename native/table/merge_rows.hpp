/// Equal rows of a table, merged into one that carries their number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../graphs/varset.hpp"
#include "coded_rows.hpp"

namespace dagmass {

struct MergedRows {
    std::vector<Code> codes;  // column after column, rows in lexicographic order
    std::vector<std::uint32_t> weights;
};

/// Sort rows by one column after the other, last column first; every pass is a stable counting sort.
inline std::vector<std::uint32_t> lexicographic_order(const CodedRows& rows) {
    std::vector<std::uint32_t> order(rows.num_rows), sorted(rows.num_rows);
    std::iota(order.begin(), order.end(), 0U);
    for (int v = rows.num_variables - 1; v >= 0; --v) {
        const auto column = rows.column(v);
        std::vector<std::uint32_t> start(static_cast<std::size_t>(rows.num_levels[v]) + 1, 0);
        for (const Code code : column) ++start[code + 1U];
        std::partial_sum(start.begin(), start.end(), start.begin());
        for (const auto row : order) sorted[start[column[row]]++] = row;
        order.swap(sorted);
    }
    return order;
}

inline MergedRows merge_rows(const CodedRows& rows) {
    const auto order = lexicographic_order(rows);
    const auto equal = [&](std::uint32_t a, std::uint32_t b) {
        for (int v = 0; v < rows.num_variables; ++v)
            if (rows.column(v)[a] != rows.column(v)[b]) return false;
        return true;
    };
    std::vector<std::uint32_t> firsts;
    MergedRows merged;
    for (const auto row : order) {
        if (rows.weights[row] == 0) continue;
        if (!firsts.empty() && equal(firsts.back(), row)) {
            merged.weights.back() += rows.weights[row];
        } else {
            firsts.push_back(row);
            merged.weights.push_back(rows.weights[row]);
        }
    }
    merged.codes.reserve(firsts.size() * static_cast<std::size_t>(rows.num_variables));
    for (int v = 0; v < rows.num_variables; ++v)
        for (const auto row : firsts) merged.codes.push_back(rows.column(v)[row]);
    return merged;
}

}  // namespace dagmass
