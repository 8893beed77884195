/// The variables in the order in which sums over networks are cheapest, and scores and results in that numbering.
///
/// Kernels take the lowest variables together. Variables that hang together little come first: sets that differ by these alone all matter
/// or none does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../large_array.hpp"
#include "../scores/families.hpp"
#include "../scores/score.hpp"

namespace dagmass {

/// A variable's place among others, and the way back, for sets too.
class Numbering {
  public:
    explicit Numbering(std::vector<int> original) : original_(std::move(original)), place_(original_.size()) {
        for (std::size_t place = 0; place < original_.size(); ++place)
            place_[static_cast<std::size_t>(original_[place])] = static_cast<int>(place);
    }

    int num_variables() const { return static_cast<int>(original_.size()); }
    int original(int place) const { return original_[static_cast<std::size_t>(place)]; }
    int place(int v) const { return place_[static_cast<std::size_t>(v)]; }

    Varset original_set(Varset set) const { return image(set, original_); }
    Varset renumbered(Varset original) const { return image(original, place_); }

  private:
    static Varset image(Varset set, const std::vector<int>& of_variable) {
        Varset found = 0;
        for (const int v : members(set)) found |= only(of_variable[static_cast<std::size_t>(v)]);
        return found;
    }

    std::vector<int> original_, place_;
};

/// Call visit(set, image(set)) for all sets below `count`, where the image of a union is the union of the images.
template <class Image, class Visit>
void for_images(std::size_t count, const Image& image, const Visit& visit) {
    const std::size_t block = std::min(count, std::size_t{1} << 11);
    std::vector<Varset> low(block);
    for (Varset set = 0; set < block; ++set) low[set] = image(set);
    for (Varset first = 0; first < count; first += block) {
        const Varset high = image(first);
        for (Varset set = 0; set < block; ++set) visit(first | set, high | low[set]);
    }
}

/// Scores in another numbering, and what their arrays lie in.
struct RenumberedSetFunction {
    RenumberedSetFunction() = default;
    RenumberedSetFunction(RenumberedSetFunction&&) = default;  // `scores` looks into the other members, which stay where they are

    LargeArray<Score> values;
    std::vector<Score> terms;
    std::vector<Varset> candidates, required;
    SetFunctionScores scores{};
};
struct RenumberedLists {
    RenumberedLists() = default;
    RenumberedLists(RenumberedLists&&) = default;

    std::vector<std::uint64_t> offsets;
    std::vector<Varset> parents;
    std::vector<Score> local_scores;
    ListedScores scores{};
};

/// What v gains from parents.
inline Score gain(const SetFunctionScores& scores, int v) {
    if (scores.file) return 0;
    const Varset all = first_variables(scores.num_variables);
    return (scores.values[all] - scores.values[without(all, v)]) - (scores.values[only(v)] - scores.values[0]);
}
inline Score gain(const ListedScores& scores, int v) {
    const auto first = scores.scores.begin() + static_cast<std::ptrdiff_t>(scores.offsets[static_cast<std::size_t>(v)]);
    const auto last = scores.scores.begin() + static_cast<std::ptrdiff_t>(scores.offsets[static_cast<std::size_t>(v) + 1]);
    const Score of_none = scores.score(v, 0);
    if (first == last || !is_possible(of_none)) return infinite_loss;  // it cannot be without parents: last
    return *std::max_element(first, last) - of_none;
}

template <class Scores>
Numbering by_gain(const Scores& scores) {
    std::vector<int> order(static_cast<std::size_t>(scores.num_variables));
    std::iota(order.begin(), order.end(), 0);
    std::vector<Score> gains;
    for (const int v : order) gains.push_back(gain(scores, v));
    std::ranges::stable_sort(order, {}, [&](int v) { return gains[static_cast<std::size_t>(v)]; });
    return Numbering(order);
}

inline RenumberedSetFunction renumber(const SetFunctionScores& scores, const Numbering& numbering) {
    const int n = scores.num_variables;
    RenumberedSetFunction found;
    found.scores = scores;
    if (scores.file) return found;  // in the numbering that it has: no variable gains more than another
    found.values.resize(scores.values.size());
    for_images(
        found.values.size(), [&](Varset set) { return numbering.original_set(set); },
        [&](Varset set, Varset original) { found.values[set] = scores.values[original]; });
    found.scores.values = found.values;
    const auto row = [&](int place) { return static_cast<std::size_t>(numbering.original(place)); };
    for (int place = 0; place < n; ++place) {
        const auto width = static_cast<std::size_t>(n);
        if (!scores.terms.empty()) std::ranges::copy(scores.terms.subspan(row(place) * width, width), std::back_inserter(found.terms));
        if (!scores.candidates.empty()) found.candidates.push_back(numbering.renumbered(scores.candidates[row(place)]));
        if (!scores.required.empty()) found.required.push_back(numbering.renumbered(scores.required[row(place)]));
    }
    found.scores.terms = found.terms;
    found.scores.candidates = found.candidates;
    found.scores.required = found.required;
    return found;
}

inline RenumberedLists renumber(const ListedScores& scores, const Numbering& numbering) {
    RenumberedLists found;
    found.offsets.push_back(0);
    for (int place = 0; place < scores.num_variables; ++place) {
        const auto v = static_cast<std::size_t>(numbering.original(place));
        std::vector<std::pair<Varset, Score>> families;
        for (std::size_t i = scores.offsets[v]; i < scores.offsets[v + 1]; ++i)
            families.emplace_back(numbering.renumbered(scores.parents[i]), scores.scores[i]);
        std::ranges::sort(families);
        for (const auto& [parents, score] : families) {
            found.parents.push_back(parents);
            found.local_scores.push_back(score);
        }
        found.offsets.push_back(found.parents.size());
    }
    found.scores = {scores.num_variables, found.offsets, found.parents, found.local_scores};
    return found;
}

/// A matrix over pairs of variables in their own numbering.
inline std::vector<double> pairs_in_original(const std::vector<double>& pairs, const Numbering& numbering) {
    const int n = numbering.num_variables();
    std::vector<double> found(pairs.size());
    for (int a = 0; a < n && !pairs.empty(); ++a)
        for (int b = 0; b < n; ++b)
            found[static_cast<std::size_t>(numbering.original(a) * n + numbering.original(b))] = pairs[static_cast<std::size_t>(a * n + b)];
    return found;
}

/// Networks, one parent set a variable, in their own numbering.
inline std::vector<Varset> networks_in_original(std::span<const Varset> parents, const Numbering& numbering) {
    const auto n = static_cast<std::size_t>(numbering.num_variables());
    std::vector<Varset> found(parents.size());
    for (std::size_t i = 0; i < parents.size(); ++i)
        found[i / n * n + static_cast<std::size_t>(numbering.original(static_cast<int>(i % n)))] = numbering.original_set(parents[i]);
    return found;
}

/// Tables over the sets without v, one a variable, in their own numbering.
inline LargeArray<double> tables_in_original(const LargeArray<double>& tables, const Numbering& numbering, Job& job) {
    LargeArray<double> found(tables.size());
    if (tables.empty()) return found;
    const int n = numbering.num_variables();
    const std::size_t count = std::size_t{1} << (n - 1);
    parallel_for(job, static_cast<std::size_t>(n), [&](std::size_t v, int) {
        const int place = numbering.place(static_cast<int>(v));
        const double* from = tables.data() + static_cast<std::size_t>(place) * count;
        double* to = found.data() + v * count;
        for_images(
            count, [&](Varset index) { return drop_bit(numbering.renumbered(insert_zero_bit(index, static_cast<int>(v))), place); },
            [&](Varset index, Varset renumbered) { to[index] = from[renumbered]; });
    });
    return found;
}

}  // namespace dagmass
