/// About how many steps the sparse walk takes, from a few sets chosen at random: for the choice between the ways.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>

#include "../graphs/varset.hpp"
#include "octet.hpp"
#include "potentials.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"

namespace dagmass {

template <class Real>
class StepCount {
  public:
    StepCount(const SubsetSums<Real>& sums, const Potentials& potentials) : sums_(sums), potentials_(potentials) {}

    /// Steps of eight sets that share their high bits, in the mean.
    double average() const {
        constexpr int num_samples = 64;
        std::mt19937_64 generator(1);
        const auto octet = std::make_unique<Octet<Real>>(sums_, potentials_, power_of_two(-cut_bits<Real>(sums_.num_variables())));
        double steps = 0;
        for (int sample = 0; sample < num_samples; ++sample)
            steps += count(*octet, generator() & first_variables(sums_.num_variables() - num_eight_bits));
        return steps / num_samples;
    }

  private:
    double count(Octet<Real>& octet, Varset high) const {
        Vec8 sizes{};
        for (Varset low = 0; low < num_in_eight; ++low) sizes[low] = likely_size(high << num_eight_bits | low);
        std::size_t steps = 0;
        octet.enter(high);
        octet.list_candidates(sizes, num_in_eight - 1);
        octet.walk(widened<Real>(sizes), [&](const auto&) { ++steps; }, [](auto...) {});
        return static_cast<double>(steps);
    }

    /// Z(U) 2^(down(U) - total) if only one order counted: that in which each variable, from the last one on, misses least.
    double likely_size(Varset set) const {
        std::int64_t exponent = std::int64_t{potentials_.down[set]} - potentials_.total;
        for (Varset rest = set; rest != 0;) {
            int last = 0;
            Exponent least = std::numeric_limits<Exponent>::max();
            for (const int s : members(rest)) {
                const Exponent missing = sums_.exponents(s)[sums_.per_variable() - 1] - sums_.exponent(s, without(rest, s));
                if (missing < least) least = missing, last = s;
            }
            rest = without(rest, last);
            exponent += std::max(sums_.exponent(last, rest), sums_.base(last).exponent);
        }
        return power_of_two(std::clamp<std::int64_t>(exponent, -1023, 100));
    }

    const SubsetSums<Real>& sums_;
    const Potentials& potentials_;
};

}  // namespace dagmass
