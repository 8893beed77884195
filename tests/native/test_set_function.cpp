/// The fast counting equals its definition, on every vector level and any number of threads; cancelling stops it.
#include "scores/set_function.hpp"

#include "check.hpp"
#include "random_rows.hpp"
#include "table/merge_rows.hpp"

using namespace dagmass;

namespace {

std::vector<Score> all_values(const CodedRows& rows, int num_threads) {
    Job job;
    job.num_threads = num_threads;
    std::vector<Score> values(Varset{1} << rows.num_variables);
    bdeu_set_function(rows, {1.0, 40}, {rows.num_variables}, values, job);
    return values;
}

void compare_with_definition(int num_variables, std::size_t num_rows, unsigned seed) {
    const RandomRows random(num_variables, num_rows, seed);
    const CodedRows rows = random.view();
    for (int level = 0; level <= static_cast<int>(supported_level()); ++level) {
        current_level() = static_cast<VectorLevel>(level);
        for (const int num_threads : {1, 3}) {
            const auto values = all_values(rows, num_threads);
            for (Varset set = 0; set < values.size(); ++set)
                check(values[set] == bdeu_of_set(rows, {1.0, 40}, set), "fast counting equals the definition");
        }
    }
    current_level() = supported_level();
}

void merging_keeps_the_values() {
    const RandomRows random(5, 300, 7);
    const CodedRows rows = random.view();
    const MergedRows merged = merge_rows(rows);
    const CodedRows fewer{rows.num_variables, merged.weights.size(), merged.codes, merged.weights, rows.num_levels};
    check(fewer.num_rows < rows.num_rows, "equal rows are merged");
    check(all_values(rows, 1) == all_values(fewer, 2), "merged rows give the same values");
}

void a_stopped_job_is_cancelled() {
    const RandomRows random(12, 500, 3);
    Job job;
    job.num_threads = 2;
    job.stop = true;
    std::vector<Score> values(Varset{1} << 12);
    bool was_cancelled = false;
    try {
        bdeu_set_function(random.view(), {1.0, 40}, {12}, values, job);
    } catch (const Cancelled&) {
        was_cancelled = true;
    }
    check(was_cancelled, "a stopped job throws Cancelled");
}

}  // namespace

int main() {
    compare_with_definition(2, 5, 1);
    compare_with_definition(7, 200, 2);
    compare_with_definition(9, 60, 3);
    merging_keeps_the_values();
    a_stopped_job_is_cancelled();
}
