/// Random tables for the native tests.
#pragma once

#include <random>
#include <vector>

#include "table/coded_rows.hpp"

struct RandomRows {
    std::vector<dagmass::Code> codes;
    std::vector<std::uint32_t> weights;
    std::vector<int> levels;

    RandomRows(int num_variables, std::size_t num_rows, unsigned seed) {
        std::mt19937 generator(seed);
        for (int v = 0; v < num_variables; ++v) {
            levels.push_back(2 + static_cast<int>(generator() % 3));
            for (std::size_t row = 0; row < num_rows; ++row)
                codes.push_back(static_cast<dagmass::Code>(generator() % static_cast<unsigned>(levels.back())));
        }
        for (std::size_t row = 0; row < num_rows; ++row) weights.push_back(1 + generator() % 3);
    }

    dagmass::CodedRows view() const { return {static_cast<int>(levels.size()), weights.size(), codes, weights, levels}; }
};
