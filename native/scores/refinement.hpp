/// Partitions of the rows, refined by one variable after the other, depth first.
///
/// A group whose rows weigh at most four together leaves the partition: from there on only the number of its pairs, triples
/// and quadruples that still agree matters (see `Agreements`).
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "../graphs/varset.hpp"
#include "../table/coded_rows.hpp"

namespace dagmass {

inline constexpr int max_counted_variables = 32;
inline constexpr std::uint32_t small_weight = 4;

/// The variables in the order in which they refine: most levels first, after the last few where these come first of all. Positions count in
/// that order; slot = n - 1 - position, so
/// that the positions not yet decided are always the low slots.
struct RefinementOrder {
    std::vector<int> variable;  // by position
    std::vector<int> levels;    // by position

    explicit RefinementOrder(const CodedRows& rows, int num_first = 0) : variable(static_cast<std::size_t>(rows.num_variables)) {
        std::iota(variable.begin(), variable.end(), 0);
        std::rotate(variable.begin(), variable.end() - num_first, variable.end());
        std::stable_sort(variable.begin() + num_first, variable.end(),
                         [&](int a, int b) { return rows.num_levels[a] > rows.num_levels[b]; });
        for (const int v : variable) levels.push_back(rows.num_levels[v]);
    }
    int num_positions() const { return static_cast<int>(variable.size()); }
};

/// Rows laid out one after the other by slot, to compare two of them in a few instructions.
class RowComparer {
  public:
    RowComparer(const CodedRows& rows, const RefinementOrder& order) : codes_(rows.num_rows * max_counted_variables, 0) {
        for (int position = 0; position < order.num_positions(); ++position) {
            const auto column = rows.column(order.variable[static_cast<std::size_t>(position)]);
            const auto slot = static_cast<std::size_t>(order.num_positions() - 1 - position);
            for (std::size_t row = 0; row < rows.num_rows; ++row) codes_[row * max_counted_variables + slot] = column[row];
        }
    }

    /// The slots in which two rows agree (slots past the last variable always do).
    std::uint32_t agreement(std::uint32_t a, std::uint32_t b) const {
        const Code* left = codes_.data() + std::size_t{a} * max_counted_variables;
        const Code* right = codes_.data() + std::size_t{b} * max_counted_variables;
#if defined(__SSE2__)
        return equal_slots(left, right) | equal_slots(left + 16, right + 16) << 16;
#else
        std::uint32_t agreeing = 0;
        for (int slot = 0; slot < max_counted_variables; ++slot) agreeing |= static_cast<std::uint32_t>(left[slot] == right[slot]) << slot;
        return agreeing;
#endif
    }

  private:
#if defined(__SSE2__)
    static std::uint32_t equal_slots(const Code* left, const Code* right) {
        const auto load = [](const Code* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); };
        const __m128i low = _mm_cmpeq_epi16(load(left), load(right));
        const __m128i high = _mm_cmpeq_epi16(load(left + 8), load(right + 8));
        return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
    }
#endif
    std::vector<Code> codes_;
};

/// What is left of small groups: their rows, and for pairs, triples and quadruples of rows the slots in which they agree.
struct Agreements {
    std::uint32_t num_rows = 0;
    std::array<std::vector<std::uint32_t>, 3> slots;  // of pairs, triples, quadruples

    std::size_t num_groups() const { return slots[0].size() + slots[1].size() + slots[2].size(); }

    void clear() {
        num_rows = 0;
        for (auto& list : slots) list.clear();
    }

    /// Count a group of one to four rows, each as often as it weighs.
    void add_group(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> weights, const RowComparer& comparer) {
        std::array<std::uint32_t, small_weight> row{};
        std::size_t count = 0;
        for (const auto r : rows)
            for (std::uint32_t copy = 0; copy < weights[r]; ++copy) row[count++] = r;
        num_rows += static_cast<std::uint32_t>(count);
        for (std::size_t a = 0; a < count; ++a)
            for (std::size_t b = a + 1; b < count; ++b) {
                const auto pair = comparer.agreement(row[a], row[b]);
                slots[0].push_back(pair);
                for (std::size_t c = b + 1; c < count; ++c) {
                    const auto triple = pair & comparer.agreement(row[a], row[c]);
                    slots[1].push_back(triple);
                    if (c + 1 < count) slots[2].push_back(triple & comparer.agreement(row[a], row[c + 1]));
                }
            }
    }

    /// What of `from` still agrees once the variable of `slot` is in the set.
    void assign_agreeing(const Agreements& from, int slot) {
        num_rows = from.num_rows;
        for (std::size_t k = 0; k < slots.size(); ++k) {
            slots[k].clear();
            for (const auto mask : from.slots[k])
                if (mask >> slot & 1) slots[k].push_back(mask);
        }
    }
};

struct Partition {
    struct Group {
        std::uint32_t begin, end;  // in `rows`
    };
    std::vector<std::uint32_t> rows;
    std::vector<Group> groups;

    std::span<const std::uint32_t> members_of(const Group& group) const {
        return std::span(rows).subspan(group.begin, group.end - group.begin);
    }
};

/// Split every group of `from` by one column into `to`; on_small(rows) takes the parts that weigh at most four.
class Refiner {
  public:
    explicit Refiner(std::span<const std::uint32_t> weights) : weights_(weights) {}

    template <class OnSmall>
    void split(const Partition& from, std::span<const Code> column, int levels, Partition& to, const OnSmall& on_small) {
        parts_.resize(static_cast<std::size_t>(levels));
        to.groups.clear();
        to.rows.resize(from.rows.size());
        std::uint32_t next = 0;
        for (const auto& group : from.groups) {
            const auto rows = from.members_of(group);
            weigh_parts(rows, column);
            std::uint32_t end = next;
            for (auto& part : parts_)
                if (part.weight > small_weight) {
                    part.next = end;
                    end += part.num_rows;
                    to.groups.push_back({part.next, end});
                }
            const std::uint32_t end_of_large = end;
            for (auto& part : parts_)
                if (part.weight <= small_weight) {
                    part.next = end;
                    end += part.num_rows;
                }
            for (const auto row : rows) to.rows[parts_[column[row]].next++] = row;
            for (const auto& part : parts_)
                if (part.num_rows > 0 && part.weight <= small_weight)
                    on_small(std::span<const std::uint32_t>(to.rows).subspan(part.next - part.num_rows, part.num_rows));
            next = end_of_large;
        }
        to.rows.resize(next);
    }

  private:
    struct Part {
        std::uint32_t num_rows, weight, next;
    };

    void weigh_parts(std::span<const std::uint32_t> rows, std::span<const Code> column) {
        for (auto& part : parts_) part = {0, 0, 0};
        for (const auto row : rows) {
            Part& part = parts_[column[row]];
            ++part.num_rows;
            part.weight += weights_[row];
        }
    }

    std::span<const std::uint32_t> weights_;
    std::vector<Part> parts_;
};

}  // namespace dagmass
