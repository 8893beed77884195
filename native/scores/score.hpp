/// Scores are integers: natural logs in units of 2^-q nat. Sums are exact and independent of order.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dagmass {

using Score = std::int64_t;

/// Minus infinity. Real scores stay within 2^60 in absolute value, so whatever is added to this one stays below
/// `barely_possible`, and one clamp after a sum restores it.
inline constexpr Score impossible = -(Score{1} << 62);
inline constexpr Score barely_possible = -(Score{1} << 61);

/// More than any network can lose; two of them can be added.
inline constexpr Score infinite_loss = Score{1} << 61;

constexpr bool is_possible(Score score) { return score > barely_possible; }
constexpr Score clamp_impossible(Score score) { return is_possible(score) ? score : impossible; }
constexpr Score add(Score a, Score b) { return is_possible(a) && is_possible(b) ? a + b : impossible; }

}  // namespace dagmass
