/// A table as the kernels see it: one column of small codes per variable, and how often each row occurs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dagmass {

using Code = std::uint16_t;

struct CodedRows {
    int num_variables;
    std::size_t num_rows;
    std::span<const Code> codes;             // column after column: codes[v * num_rows + row]
    std::span<const std::uint32_t> weights;  // one a row, their sum below 2^31
    std::span<const int> num_levels;         // one a variable; every code is below it

    std::span<const Code> column(int v) const { return codes.subspan(static_cast<std::size_t>(v) * num_rows, num_rows); }
};

}  // namespace dagmass
