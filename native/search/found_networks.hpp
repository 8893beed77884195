/// The networks that a search has found, with how far they lie below the best; the best few are kept when there are too many.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "../scores/score.hpp"
#include "search_state.hpp"

namespace dagmass {

class FoundNetworks {
  public:
    explicit FoundNetworks(std::size_t num_variables) : num_variables_(num_variables) {}

    std::size_t num_variables() const { return num_variables_; }
    std::size_t size() const { return losses_.size(); }
    Score loss(std::size_t i) const { return losses_[i]; }
    std::span<const Varset32> parents(std::size_t i) const { return std::span(parents_).subspan(i * num_variables_, num_variables_); }
    std::span<Varset32> parents(std::size_t i) { return std::span(parents_).subspan(i * num_variables_, num_variables_); }
    std::size_t num_bytes() const { return losses_.capacity() * sizeof(Score) + parents_.capacity() * sizeof(Varset32); }

    void add(Score loss, std::span<const Varset32> parents) {
        losses_.push_back(loss);
        parents_.insert(parents_.end(), parents.begin(), parents.end());
    }

    void append(const FoundNetworks& other) {
        losses_.insert(losses_.end(), other.losses_.begin(), other.losses_.end());
        parents_.insert(parents_.end(), other.parents_.begin(), other.parents_.end());
    }

    /// The loss of the `rank`-th best, counted from 1.
    Score loss_of_rank(std::size_t rank) const {
        std::vector<Score> losses = losses_;
        const auto at = losses.begin() + static_cast<std::ptrdiff_t>(rank - 1);
        std::nth_element(losses.begin(), at, losses.end());
        return *at;
    }

    void keep_within(Score slack) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < size(); ++i) {
            if (losses_[i] > slack) continue;
            losses_[kept] = losses_[i];
            std::copy_n(parents_.begin() + static_cast<std::ptrdiff_t>(i * num_variables_), num_variables_,
                        parents_.begin() + static_cast<std::ptrdiff_t>(kept * num_variables_));
            ++kept;
        }
        losses_.resize(kept);
        parents_.resize(kept * num_variables_);
    }

    /// Ranks in canonical order: by loss, then by the parent varsets of variable 0, then 1, ...
    std::vector<std::uint32_t> in_order() const {
        struct Entry {
            Score loss;
            std::uint32_t index;
        };
        std::vector<Entry> entries(size());
        for (std::size_t i = 0; i < size(); ++i) entries[i] = {losses_[i], static_cast<std::uint32_t>(i)};
        std::sort(entries.begin(), entries.end(), [this](const Entry& a, const Entry& b) {
            if (a.loss != b.loss) return a.loss < b.loss;
            const auto of_a = parents(a.index), of_b = parents(b.index);
            return std::lexicographical_compare(of_a.begin(), of_a.end(), of_b.begin(), of_b.end());
        });
        std::vector<std::uint32_t> order(size());
        for (std::size_t i = 0; i < size(); ++i) order[i] = entries[i].index;
        return order;
    }

  private:
    std::size_t num_variables_;
    std::vector<Score> losses_;
    std::vector<Varset32> parents_;
};

}  // namespace dagmass
