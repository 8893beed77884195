#include <nanobind/stl/tuple.h>

#include "../scores/gap_lists.hpp"
#include "../scores/set_function.hpp"
#include "families.hpp"
#include "run_job.hpp"

namespace dagmass::bind {
namespace {

CodedRows coded_rows(const Array<Code>& codes, const Array<std::uint32_t>& weights, const Array<int>& num_levels) {
    return {static_cast<int>(num_levels.size()), weights.size(), view(codes), view(weights), view(num_levels)};
}

/// (offsets, parents, scores, gaps): the lists of all variables one after the other.
auto to_arrays(const std::vector<ParentList>& lists) {
    std::vector<std::uint64_t> offsets{0};
    std::vector<Varset> parents;
    std::vector<Score> scores, gaps;
    for (const auto& list : lists) {
        for (const auto& set : list.sets) {
            parents.push_back(set.parents);
            scores.push_back(set.score);
            gaps.push_back(set.gap);
        }
        offsets.push_back(parents.size());
    }
    return std::tuple(to_numpy(std::move(offsets)), to_numpy(std::move(parents)), to_numpy(std::move(scores)), to_numpy(std::move(gaps)));
}

Families of_set_function(int num_variables, const Array<Score>& values, const Array<Score>& terms, const Array<Varset>& candidates,
                         const Array<Varset>& required, int fraction_bits) {
    return {SetFunctionScores{num_variables, view(values), view(terms), view(candidates), view(required)},
            nb::make_tuple(values, terms, candidates, required), num_variables, fraction_bits};
}

Families of_lists(const Array<std::uint64_t>& offsets, const Array<Varset>& parents, const Array<Score>& scores, int fraction_bits) {
    const int num_variables = static_cast<int>(offsets.size()) - 1;
    return {ListedScores{num_variables, view(offsets), view(parents), view(scores)}, nb::make_tuple(offsets, parents, scores),
            num_variables, fraction_bits};
}

auto lists_within(const Families& families, Score slack, int num_threads, const nb::object& progress) {
    std::vector<ParentList> lists;
    run_job(num_threads, progress,
            [&](Job& job) { lists = families.visit([&](const auto& scores) { return gap_lists(scores, slack, job); }); });
    return to_arrays(lists);
}

}  // namespace

void bind_scores(nb::module_& module) {
    module.attr("IMPOSSIBLE") = impossible;
    module.attr("MAX_COUNTED_VARIABLES") = max_counted_variables;
    module.def(
        "bdeu_of_set",
        [](const Array<Code>& codes, const Array<std::uint32_t>& weights, const Array<int>& num_levels, double ess, int fraction_bits,
           Varset set) { return bdeu_of_set(coded_rows(codes, weights, num_levels), {ess, fraction_bits}, set); },
        nb::arg("codes"), nb::arg("weights"), nb::arg("num_levels"), nb::arg("ess"), nb::arg("fraction_bits"), nb::arg("set"));
    module.def(
        "bdeu_set_function",
        [](const Array<Code>& codes, const Array<std::uint32_t>& weights, const Array<int>& num_levels, double ess, int fraction_bits,
           int max_size, const Array<Varset>& families, int num_threads, const nb::object& progress) {
            std::vector<Score> values(std::size_t{1} << num_levels.size());
            run_job(num_threads, progress, [&](Job& job) {
                bdeu_set_function(coded_rows(codes, weights, num_levels), {ess, fraction_bits}, max_size, view(families), values, job);
            });
            return to_numpy(std::move(values));
        },
        nb::arg("codes"), nb::arg("weights"), nb::arg("num_levels"), nb::arg("ess"), nb::arg("fraction_bits"), nb::arg("max_size"),
        nb::arg("families"), nb::arg("num_threads"), nb::arg("progress").none());
    module.def(
        "estimate_set_function_seconds",
        [](const Array<Code>& codes, const Array<std::uint32_t>& weights, const Array<int>& num_levels, double ess, int fraction_bits,
           int max_size, const Array<Varset>& families, double budget) {
            double seconds = 0;
            run_job(1, nb::none(), [&](Job& job) {
                seconds = estimate_set_function_seconds(coded_rows(codes, weights, num_levels), {ess, fraction_bits}, max_size,
                                                        view(families), budget, job);
            });
            return seconds;
        },
        nb::arg("codes"), nb::arg("weights"), nb::arg("num_levels"), nb::arg("ess"), nb::arg("fraction_bits"), nb::arg("max_size"),
        nb::arg("families"), nb::arg("budget"));
    module.def("block_seconds", &block_seconds);
    nb::class_<Families>(module, "Families")
        .def_static("of_set_function", &of_set_function, nb::arg("num_variables"), nb::arg("values"), nb::arg("terms"),
                    nb::arg("candidates"), nb::arg("required"), nb::arg("fraction_bits"))
        .def_static("of_lists", &of_lists, nb::arg("offsets"), nb::arg("parents"), nb::arg("scores"), nb::arg("fraction_bits"))
        .def("gap_lists", &lists_within, nb::arg("slack"), nb::arg("num_threads"), nb::arg("progress").none());
}

}  // namespace dagmass::bind
