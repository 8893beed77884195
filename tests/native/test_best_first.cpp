/// The stream under the sanitizers: the same networks for any number of threads and any way of asking, past one block of the tables.
#include "search/best_first.hpp"

#include "check.hpp"
#include "random_rows.hpp"
#include "scores/families.hpp"
#include "scores/set_function.hpp"

using namespace dagmass;

namespace {

constexpr int num_variables = 14;

std::vector<Score> scored(const RandomRows& random) {
    Job job;
    std::vector<Score> values(Varset{1} << num_variables);
    bdeu_set_function(random.view(), {1.0, 40}, {num_variables}, values, job);
    return values;
}

BestFirst<NetworkStates> search_of(const std::vector<Score>& values, Job& job) {
    const auto make = [&values](Score slack, std::size_t max_sets, Job& used) {
        return gap_lists(SetFunctionScores{num_variables, values, {}}, slack, used, max_sets);
    };
    return {SearchLists(make, SearchLists::first_slack(num_variables) << 40, SIZE_MAX, job), Score{1} << 40, {}, job};
}

NetworkBatch best(const std::vector<Score>& values, int num_threads, std::size_t count) {
    Job job;
    job.num_threads = num_threads;
    auto search = search_of(values, job);
    return search.take(count, job);
}

void threads_do_not_matter(const std::vector<Score>& values) {
    const auto one = best(values, 1, 2000), many = best(values, 4, 2000);
    check(one.parents == many.parents && one.scores == many.scores, "threads do not matter");
    check(std::is_sorted(one.scores.rbegin(), one.scores.rend()), "scores fall");
}

void scores_are_those_of_the_families(const std::vector<Score>& values) {
    const SetFunctionScores families{num_variables, values, {}};
    const auto batch = best(values, 1, 500);
    for (std::size_t i = 0; i < batch.scores.size(); ++i) {
        Score sum = 0;
        for (int v = 0; v < num_variables; ++v) sum += families.score(v, batch.parents[i * num_variables + static_cast<std::size_t>(v)]);
        check(sum == batch.scores[i], "a network scores the sum of its families");
    }
}

void cancelling_loses_nothing(const std::vector<Score>& values) {
    Job job;
    auto search = search_of(values, job);
    auto parents = search.take(100, job).parents;
    Job stopped;
    stopped.stop = true;
    try {
        search.take(100000, stopped);
        check(false, "a stopped job throws Cancelled");
    } catch (const Cancelled&) {
    }
    const auto rest = search.take(100, job).parents;
    parents.insert(parents.end(), rest.begin(), rest.end());
    check(parents == best(values, 1, 200).parents, "after cancelling, the stream goes on where it was");
}

}  // namespace

int main() {
    const auto values = scored(RandomRows(num_variables, 120, 11));
    threads_do_not_matter(values);
    scores_are_those_of_the_families(values);
    cancelling_loses_nothing(values);
}
