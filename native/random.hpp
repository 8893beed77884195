/// Random numbers that depend on a seed and the number of a draw alone, so threads do not matter.
#pragma once

#include <cstdint>

namespace dagmass {

class DrawRandom {
  public:
    DrawRandom(std::uint64_t seed, std::uint64_t draw) : state_(mix(seed) ^ mix(draw + 0x9e3779b97f4a7c15ULL)) {}

    /// Uniform in [0, 1).
    double operator()() {
        state_ += 0x9e3779b97f4a7c15ULL;
        return static_cast<double>(mix(state_) >> 11) * 0x1p-53;
    }

  private:
    /// SplitMix64 (Steele, Lea and Flood 2014).
    static std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    std::uint64_t state_;
};

}  // namespace dagmass
