#include <nanobind/stl/string.h>
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

Families of_set_function(int num_variables, const Array<Score>& values, const Array<Score>& terms, const Array<Varset>& candidates,
                         const Array<Varset>& required, int fraction_bits) {
    return {SetFunctionScores{num_variables, view(values), view(terms), view(candidates), view(required)},
            nb::make_tuple(values, terms, candidates, required), num_variables, fraction_bits};
}

/// As `of_set_function`, with f in a file.
Families of_score_file(int num_variables, const nb::object& file, const Array<Score>& terms, const Array<Varset>& candidates,
                       const Array<Varset>& required, int fraction_bits) {
    if (num_variables <= block_bits) throw std::invalid_argument("scores in a file need more variables than a block has");
    return {SetFunctionScores{num_variables, {}, view(terms), view(candidates), view(required), nb::cast<const ScoreFile*>(file)},
            nb::make_tuple(file, terms, candidates, required), num_variables, fraction_bits};
}

Families of_lists(const Array<std::uint64_t>& offsets, const Array<Varset>& parents, const Array<Score>& scores, int fraction_bits) {
    const int num_variables = static_cast<int>(offsets.size()) - 1;
    return {ListedScores{num_variables, view(offsets), view(parents), view(scores)}, nb::make_tuple(offsets, parents, scores),
            num_variables, fraction_bits};
}

/// Blocks that follow one another, from that of the set `first` on.
void write_blocks(ScoreFile& file, Varset first, const Array<Score>& values) {
    const nb::gil_scoped_release release;
    for (std::size_t at = 0; at < values.size(); at += ScoreFile::block_size)
        file.write((first + at) >> block_bits, view(values).subspan(at, ScoreFile::block_size));
}

bool try_read_blocks(const ScoreFile& file, Varset first, const OutputArray<Score>& values) {
    const nb::gil_scoped_release release;
    for (std::size_t at = 0; at < values.size(); at += ScoreFile::block_size)
        if (!file.try_read((first + at) >> block_bits, view(values).subspan(at, ScoreFile::block_size))) return false;
    return true;
}

auto lists_within(const Families& families, Score slack, int num_threads, const nb::object& progress) {
    std::vector<ParentList> lists;
    run_job(num_threads, progress,
            [&](Job& job) { lists = families.visit([&](const auto& scores) { return gap_lists(scores, slack, job).of_variable; }); });
    return to_arrays(lists);
}

}  // namespace

void bind_scores(nb::module_& module) {
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const DamagedTable& error) {
            PyErr_SetString(nb::module_::import_("dagmass.errors").attr("DagmassError").ptr(), error.what());
        } catch (const std::system_error& error) {
            PyErr_SetObject(PyExc_OSError, nb::make_tuple(error.code().value(), error.what()).ptr());
        }
    });
    module.attr("IMPOSSIBLE") = impossible;
    module.attr("BLOCK_BITS") = block_bits;
    module.attr("MAX_COUNTED_VARIABLES") = max_counted_variables;
    module.def(
        "bdeu_of_set",
        [](const Array<Code>& codes, const Array<std::uint32_t>& weights, const Array<int>& num_levels, double ess, int fraction_bits,
           Varset set) { return bdeu_of_set(coded_rows(codes, weights, num_levels), {ess, fraction_bits}, set); },
        nb::arg("codes"), nb::arg("weights"), nb::arg("num_levels"), nb::arg("ess"), nb::arg("fraction_bits"), nb::arg("set"));
    module.def(
        "bdeu_set_function",
        [](const Array<Code>& codes, const Array<std::uint32_t>& weights, const Array<int>& num_levels, double ess, int fraction_bits,
           int max_size, const Array<Varset>& families, int num_fixed, Varset fixed, const OutputArray<Score>& values, int num_threads,
           const nb::object& progress) {
            const WantedSets wanted{max_size, view(families), num_fixed, fixed};
            if (values.size() != Varset{1} << (num_levels.size() - static_cast<std::size_t>(num_fixed)))
                throw std::invalid_argument("a part has one value for every set of the variables that are not fixed");
            return run_job(num_threads, progress, [&](Job& job) {
                bdeu_set_function(coded_rows(codes, weights, num_levels), {ess, fraction_bits}, wanted, view(values), job);
            });
        },
        nb::arg("codes"), nb::arg("weights"), nb::arg("num_levels"), nb::arg("ess"), nb::arg("fraction_bits"), nb::arg("max_size"),
        nb::arg("families"), nb::arg("num_fixed"), nb::arg("fixed"), nb::arg("values"), nb::arg("num_threads"), nb::arg("progress").none());
    module.def(
        "estimate_set_function_seconds",
        [](const Array<Code>& codes, const Array<std::uint32_t>& weights, const Array<int>& num_levels, double ess, int fraction_bits,
           int max_size, const Array<Varset>& families, double budget) {
            double seconds = 0;
            run_job(1, nb::none(), [&](Job& job) {
                seconds = estimate_set_function_seconds(coded_rows(codes, weights, num_levels), {ess, fraction_bits},
                                                        {max_size, view(families)}, budget, job);
            });
            return seconds;
        },
        nb::arg("codes"), nb::arg("weights"), nb::arg("num_levels"), nb::arg("ess"), nb::arg("fraction_bits"), nb::arg("max_size"),
        nb::arg("families"), nb::arg("budget"));
    module.def("block_seconds", &block_seconds);
    nb::class_<ScoreFile>(module, "ScoreFile")
        .def(nb::init<const std::string&, int, std::uint64_t>(), nb::arg("path"), nb::arg("num_variables"), nb::arg("key"))
        .def_static("num_bytes", &ScoreFile::num_bytes, nb::arg("num_variables"))
        .def("write", &write_blocks, nb::arg("first"), nb::arg("values"))
        .def("try_read", &try_read_blocks, nb::arg("first"), nb::arg("values"));
    nb::class_<Families>(module, "Families")
        .def_static("of_set_function", &of_set_function, nb::arg("num_variables"), nb::arg("values"), nb::arg("terms"),
                    nb::arg("candidates"), nb::arg("required"), nb::arg("fraction_bits"))
        .def_static("of_score_file", &of_score_file, nb::arg("num_variables"), nb::arg("file"), nb::arg("terms"), nb::arg("candidates"),
                    nb::arg("required"), nb::arg("fraction_bits"))
        .def_static("of_lists", &of_lists, nb::arg("offsets"), nb::arg("parents"), nb::arg("scores"), nb::arg("fraction_bits"))
        .def("gap_lists", &lists_within, nb::arg("slack"), nb::arg("num_threads"), nb::arg("progress").none());
}

}  // namespace dagmass::bind
