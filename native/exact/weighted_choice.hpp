/// An index with probability proportional to its weight, from one uniform number: sums of chunks first, then within a chunk.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "../simd.hpp"

namespace dagmass {

class WeightedChoice {
  public:
    /// Weights are at least zero; 0 where all are zero.
    std::size_t operator()(std::span<const double> weights, double uniform) {
        add_up(weights);
        double total = 0;
        for (const double sum : chunk_sums_) total += sum;
        double left = uniform * total;
        std::size_t chunk = 0;
        while (chunk + 1 < chunk_sums_.size() && left >= chunk_sums_[chunk]) left -= chunk_sums_[chunk++];
        std::size_t chosen = 0;
        for (std::size_t i = chunk * chunk_size; i < weights.size(); ++i) {
            if (weights[i] <= 0) continue;
            chosen = i;
            left -= weights[i];
            if (left < 0) return chosen;
        }
        return chosen != 0 ? chosen : last_positive(weights);
    }

  private:
    static constexpr std::size_t chunk_size = 256, num_lanes = 8;

    void add_up(std::span<const double> weights) {
        chunk_sums_.resize((weights.size() + chunk_size - 1) / chunk_size);
        at_level([&]() __attribute__((always_inline)) {
            for (std::size_t chunk = 0; chunk < chunk_sums_.size(); ++chunk) {
                const auto part =
                    weights.subspan(chunk * chunk_size, std::min<std::size_t>(chunk_size, weights.size() - chunk * chunk_size));
                std::array<double, num_lanes> lanes{};
                std::size_t i = 0;
                for (; i + num_lanes <= part.size(); i += num_lanes)
                    for (std::size_t lane = 0; lane < num_lanes; ++lane) lanes[lane] += part[i + lane];
                double sum = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
                for (; i < part.size(); ++i) sum += part[i];
                chunk_sums_[chunk] = sum;
            }
        });
    }

    /// Where rounding leaves nothing to choose within the last chunk.
    static std::size_t last_positive(std::span<const double> weights) {
        std::size_t i = weights.size();
        while (i > 1 && weights[i - 1] <= 0) --i;
        return i - 1;
    }

    std::vector<double> chunk_sums_;
};

}  // namespace dagmass
