/// A set of variables, one bit each, and the few bit tricks the core needs. No other file repeats one.
#pragma once

#include <bit>
#include <cstdint>

namespace dagmass {

using Varset = std::uint64_t;
using Varset32 = std::uint32_t;  // where many are kept: the kernels handle at most 32 variables

constexpr Varset only(int v) { return Varset{1} << v; }
constexpr Varset first_variables(int n) { return n >= 64 ? ~Varset{0} : only(n) - 1; }
constexpr bool contains(Varset set, int v) { return set >> v & 1; }
constexpr bool is_subset(Varset inner, Varset outer) { return (inner & ~outer) == 0; }
constexpr Varset with(Varset set, int v) { return set | only(v); }
constexpr Varset without(Varset set, int v) { return set & ~only(v); }
constexpr int size(Varset set) { return std::popcount(set); }
constexpr int lowest(Varset set) { return std::countr_zero(set); }
constexpr int highest(Varset set) { return 63 - std::countl_zero(set); }

/// Number the subsets of V - v without a gap: drop bit v, or put a zero there again.
constexpr Varset drop_bit(Varset set, int v) {
    const Varset below = only(v) - 1;
    return (set & below) | (set >> 1 & ~below);
}
constexpr Varset insert_zero_bit(Varset index, int v) {
    const Varset below = only(v) - 1;
    return (index & below) | (index & ~below) << 1;
}

/// Range over the members of a set in rising order: `for (const int v : members(W))`.
class members {
  public:
    class iterator {
      public:
        constexpr explicit iterator(Varset rest) : rest_(rest) {}
        constexpr int operator*() const { return lowest(rest_); }
        constexpr iterator& operator++() {
            rest_ &= rest_ - 1;
            return *this;
        }
        constexpr bool operator!=(const iterator& other) const { return rest_ != other.rest_; }

      private:
        Varset rest_;
    };
    constexpr explicit members(Varset set) : set_(set) {}
    constexpr iterator begin() const { return iterator(set_); }
    constexpr iterator end() const { return iterator(0); }

  private:
    Varset set_;
};

}  // namespace dagmass
