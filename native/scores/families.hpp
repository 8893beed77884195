/// The local scores of all families, in either storage, read a block at a time.
///
/// Parent sets of v are numbered without a gap: index = drop_bit(parents, v), from 0 to 2^(n-1) - 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "../graphs/varset.hpp"
#include "../simd.hpp"
#include "score.hpp"
#include "score_file.hpp"

namespace dagmass {

/// score(v, P) = f(P + v) - f(P) + terms(v, |P|). A term may be `impossible`: that is how in-degrees are bounded.
struct SetFunctionScores {
    int num_variables;
    std::span<const Score> values;            // f, by varset
    std::span<const Score> terms;             // terms[v * n + size]; empty if all are zero
    std::span<const Varset> candidates = {};  // by variable, whom it may choose as parents; empty if everybody
    std::span<const Varset> required = {};    // by variable, who must be among its parents; empty if nobody
    const ScoreFile* file = nullptr;          // holds f in place of `values`

    /// The variables that parent sets of v are made of, as bits of their index.
    Varset candidate_bits(int v) const {
        return candidates.empty() ? first_variables(num_variables - 1) : drop_bit(candidates[static_cast<std::size_t>(v)], v);
    }

    Varset required_bits(int v) const { return required.empty() ? 0 : drop_bit(required[static_cast<std::size_t>(v)], v); }
    bool is_allowed(int v, Varset bits) const { return is_subset(bits, candidate_bits(v)) && is_subset(required_bits(v), bits); }

    /// The largest number of parents that v may have.
    int max_parents(int v) const {
        int most = size(candidate_bits(v));
        if (!terms.empty())
            while (most > 0 && !is_possible(terms[static_cast<std::size_t>(v * num_variables + most)])) --most;
        return most;
    }

    Score score(int v, Varset parents) const {
        if (!is_allowed(v, drop_bit(parents, v))) return impossible;
        const Score term = terms.empty() ? 0 : terms[static_cast<std::size_t>(v * num_variables + size(parents))];
        return add(of_set(with(parents, v)) - of_set(parents), term);
    }

    void fill_block(int v, Varset first, std::span<Score> block) const {
        if (file)
            subtract_from_file(v, first, block);
        else
            subtract(v, values.data() + insert_zero_bit(first, v), block);
        if (!candidates.empty() || !required.empty())
            for (std::size_t i = 0; i < block.size(); ++i)
                if (!is_allowed(v, first + i)) block[i] = impossible;
        if (terms.empty()) return;
        const auto term = terms.subspan(static_cast<std::size_t>(v * num_variables), static_cast<std::size_t>(num_variables));
        for (std::size_t i = 0; i < block.size(); ++i) block[i] = add(block[i], term[static_cast<std::size_t>(size(first + i))]);
    }

  private:
    Score of_set(Varset set) const {
        if (!file) return values[set];
        std::vector<Score> block(ScoreFile::block_size);
        file->read(set >> block_bits, block);
        return block[set & first_variables(block_bits)];
    }

    using Score8 = Score __attribute__((vector_size(64)));

    /// block[i] = f with v minus f without it; `from` is f of the first set without it.
    static void subtract(int v, const Score* from, std::span<Score> block) {
        if (v < 3 && block.size() % 8 == 0) return subtract_low(v, from, block);
        const std::size_t run = std::min<std::size_t>(block.size(), only(v));
        for (std::size_t start = 0; start < block.size(); start += run) {
            const Score* absent = from + insert_zero_bit(start, v);
            const Score* present = absent + only(v);
            for (std::size_t i = 0; i < run; ++i) block[start + i] = present[i] - absent[i];
        }
    }

    /// The same for one of the lowest three variables, whose sets take turns: eight from sixteen side by side.
    static void subtract_low(int v, const Score* from, std::span<Score> block) {
        Score8 absent{};
        for (int i = 0; i < 8; ++i) absent[i] = static_cast<Score>(insert_zero_bit(static_cast<Varset>(i), v));
        const Score8 present = absent + static_cast<Score>(only(v));
        at_level([=, to = block.data(), count = block.size()]() __attribute__((always_inline)) {
            for (std::size_t i = 0; i < count; i += 8) {
                const auto first = load_vector<Score8>(from + 2 * i), second = load_vector<Score8>(from + 2 * i + 8);
                store_vector(to + i, shuffled(first, second, present) - shuffled(first, second, absent));
            }
        });
    }

    /// The sets with and without v fill two blocks of the file: neighbours where v is a low bit.
    void subtract_from_file(int v, Varset first, std::span<Score> block) const {
        thread_local std::vector<Score> both(2 * ScoreFile::block_size);
        const Varset base = insert_zero_bit(first, v);
        file->read(base >> block_bits, std::span(both).first(ScoreFile::block_size));
        file->read((v < block_bits ? base + ScoreFile::block_size : with(base, v)) >> block_bits,
                   std::span(both).last(ScoreFile::block_size));
        subtract(std::min(v, block_bits), both.data(), block);
    }
};

/// Listed families; those that are absent are impossible. The parent sets of a variable are sorted by varset.
struct ListedScores {
    int num_variables;
    std::span<const std::uint64_t> offsets;  // n + 1 of them
    std::span<const Varset> parents;
    std::span<const Score> scores;

    Varset candidate_bits(int) const { return first_variables(num_variables - 1); }
    int max_parents(int) const { return num_variables - 1; }

    Score score(int v, Varset wanted) const {
        const auto sets = parents_of(v);
        const auto found = std::lower_bound(sets.begin(), sets.end(), wanted);
        if (found == sets.end() || *found != wanted) return impossible;
        return scores[offsets[static_cast<std::size_t>(v)] + static_cast<std::size_t>(found - sets.begin())];
    }

    /// drop_bit keeps the order of sets without v, so a block is one stretch of the list.
    void fill_block(int v, Varset first, std::span<Score> block) const {
        std::fill(block.begin(), block.end(), impossible);
        const auto sets = parents_of(v);
        auto next = std::lower_bound(sets.begin(), sets.end(), first, [v](Varset set, Varset index) { return drop_bit(set, v) < index; });
        for (; next != sets.end() && drop_bit(*next, v) < first + block.size(); ++next)
            block[drop_bit(*next, v) - first] =
                scores[offsets[static_cast<std::size_t>(v)] + static_cast<std::size_t>(next - sets.begin())];
    }

  private:
    std::span<const Varset> parents_of(int v) const {
        const auto begin = offsets[static_cast<std::size_t>(v)];
        return parents.subspan(begin, offsets[static_cast<std::size_t>(v) + 1] - begin);
    }
};

}  // namespace dagmass
