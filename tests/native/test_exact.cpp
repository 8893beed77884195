/// Sums over networks under the sanitizers: both ways, narrow and wide scores, few and many variables.
#define DAGMASS_BASELINE_ONLY  // the other levels are the same code; sanitized, each takes minutes to compile

#include "exact/dense_sums.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include "check.hpp"
#include "exact/numbering.hpp"
#include "exact/potentials.hpp"
#include "exact/sparse_sums.hpp"
#include "exact/subset_sums.hpp"
#include "random_rows.hpp"
#include "scores/families.hpp"
#include "scores/set_function.hpp"

using namespace dagmass;

namespace {

constexpr int fraction_bits = 38;

std::vector<Score> scored(int num_variables) {
    const RandomRows random(num_variables, 60, 7);
    Job job;
    std::vector<Score> values(Varset{1} << num_variables);
    bdeu_set_function(random.view(), {1.0, fraction_bits}, {num_variables}, values, job);
    return values;
}

/// What the kernels start from, and the sums by one way; nothing where the dense kernel cannot hold them.
struct Sums {
    Sums(const std::vector<Score>& values, int num_variables)
        : families{num_variables, values, {}},
          of_subsets(families, fraction_bits, base_bits, job),
          found(potentials(of_subsets, job)),
          sparse(SparseSums<double>(of_subsets, found, true, job).compute()) {
        if (DenseSums<double>::is_possible(num_variables)) dense = DenseSums<double>(of_subsets, found, true, job).compute();
    }

    Job job;
    SetFunctionScores families;
    SubsetSums<double> of_subsets;
    Potentials found;
    NetworkSums<double> sparse;
    std::optional<NetworkSums<double>> dense;
};

void ways_agree(const Sums& sums) {
    check(sums.dense.has_value(), "narrow scores fit into the dense kernel");
    const auto one = error_bounds(sums.sparse, sums.families.num_variables), other = error_bounds(*sums.dense, sums.families.num_variables);
    check(std::abs(log_evidence(sums.sparse) - log_evidence(*sums.dense)) <= one.log_evidence + other.log_evidence,
          "ways agree within their errors");
    for (std::size_t i = 0; i < sums.sparse.non_descendants.size(); ++i)
        check(std::abs(sums.sparse.non_descendants[i] - sums.dense->non_descendants[i]) <= one.probability + other.probability,
              "so do the shares of non-descendants");
}

void shares_add_up_to_one(const Sums& sums) {
    const std::size_t count = sums.of_subsets.per_variable();
    const auto& shares = sums.sparse.non_descendants;
    for (std::size_t first = 0; first < shares.size(); first += count) {
        double sum = 0;
        for (std::size_t i = first; i < first + count; ++i) sum += shares[i];
        check(std::abs(sum - 1) < 1e-9, "the shares of a variable's non-descendants add up to one");
    }
}

/// Scores of very different sizes: factors of eight sets together leave the range of doubles, so their lanes are walked one by one.
std::vector<Score> stretched(std::vector<Score> values) {
    for (Score& value : values) value *= 3000;
    return values;
}

void what_cancels_away_has_no_bound() {
    NetworkSums<double> sums;
    sums.total = -1e-20;
    sums.absolute = -1e30;
    check(std::isinf(error_bounds(sums, 10).log_evidence), "a total below zero is not trusted");
}

void tables_come_back_in_their_numbering() {
    const Numbering numbering({2, 0, 3, 1});
    check(numbering.original_set(0b0011) == 0b0101 && numbering.renumbered(0b0101) == 0b0011, "sets go both ways");
    LargeArray<double> tables(4 * 8);
    for (int place = 0; place < 4; ++place)
        for (Varset index = 0; index < 8; ++index) {
            const Varset set = numbering.original_set(insert_zero_bit(index, place));
            tables[static_cast<std::size_t>(place) * 8 + index] =
                static_cast<double>(100 * numbering.original(place)) + static_cast<double>(set);
        }
    Job job;
    const auto found = tables_in_original(tables, numbering, job);
    for (int v = 0; v < 4; ++v)
        for (Varset index = 0; index < 8; ++index)
            check(found[static_cast<std::size_t>(v) * 8 + index] == 100 * v + static_cast<double>(insert_zero_bit(index, v)),
                  "a table comes back under its own numbers");
}

}  // namespace

int main() {
    tables_come_back_in_their_numbering();
    what_cancels_away_has_no_bound();
    for (const int num_variables : {1, 2, 3, 4, 8, 9, 10}) {
        const auto values = scored(num_variables);
        const Sums narrow(values, num_variables), wide(stretched(values), num_variables);
        shares_add_up_to_one(narrow);
        shares_add_up_to_one(wide);
        if (DenseSums<double>::is_possible(num_variables)) ways_agree(narrow);
    }
}
