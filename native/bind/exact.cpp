#include "../exact/exact.hpp"

#include <nanobind/stl/tuple.h>

#include <variant>

#include "../exact/draws.hpp"
#include "../scores/families.hpp"
#include "arrays.hpp"
#include "run_job.hpp"

namespace dagmass::bind {
namespace {

using AnyScores = std::variant<SetFunctionScores, ListedScores>;

template <class Kernel>
auto with_scores(const AnyScores& scores, const Kernel& kernel) {
    return std::visit(kernel, scores);
}

AnyScores set_function(int num_variables, const Array<Score>& values, const Array<Score>& terms) {
    return SetFunctionScores{num_variables, view(values), view(terms)};
}

AnyScores listed(const Array<std::uint64_t>& offsets, const Array<Varset>& parents, const Array<Score>& scores) {
    return ListedScores{static_cast<int>(offsets.size()) - 1, view(offsets), view(parents), view(scores)};
}

/// Local scores in either storage, for kernels that do not care which. It keeps the arrays alive.
struct Families {
    AnyScores scores;
    nb::object arrays;
    int num_variables;
    int fraction_bits;
};

auto run_exact(const Families& families, int way, int arithmetic, bool with_posteriors, int num_threads, const nb::object& progress) {
    ExactResult result;
    const ExactRequest request{static_cast<Way>(way), static_cast<Arithmetic>(arithmetic), with_posteriors};
    run_job(num_threads, progress, [&](Job& job) {
        result = with_scores(families.scores, [&](const auto& scores) { return exact(scores, families.fraction_bits, request, job); });
    });
    return std::tuple(result.log_evidence, result.errors.log_evidence, result.errors.probability, static_cast<int>(result.way),
                      static_cast<int>(result.arithmetic), result.num_terms, to_numpy(std::move(result.edges)),
                      to_numpy(std::move(result.paths)), to_numpy(std::move(result.non_descendants)));
}

auto run_family_posteriors(const Families& families, const Array<double>& q, int v, int num_threads) {
    std::vector<double> found;
    run_job(num_threads, nb::none(), [&](Job& job) {
        found = with_scores(families.scores, [&](const auto& scores) {
            return family_posteriors<double>(scores, families.fraction_bits, view(q),
                                             SubsetSums<double>(scores, families.fraction_bits, job), v);
        });
    });
    return to_numpy(std::move(found));
}

/// Tables from which networks are drawn; made once for many draws.
class Sampler {
  public:
    Sampler(const Families& families, int num_threads, const nb::object& progress) : num_variables_(families.num_variables) {
        run_job(num_threads, progress, [&](Job& job) {
            with_scores(families.scores,
                        [&](const auto& scores) { tables_ = std::make_unique<DrawTables>(scores, families.fraction_bits, job); });
        });
    }

    auto draw(std::uint64_t seed, std::uint64_t first, std::size_t count, int num_threads, const nb::object& progress) const {
        std::vector<Varset> parents(count * static_cast<std::size_t>(num_variables_));
        run_job(num_threads, progress, [&](Job& job) { draw_networks(*tables_, seed, first, parents, job); });
        return to_numpy(std::move(parents), {count, static_cast<std::size_t>(num_variables_)});
    }

    bool has_networks() const { return tables_->has_networks; }

  private:
    int num_variables_;
    std::unique_ptr<DrawTables> tables_;
};

}  // namespace

void bind_exact(nb::module_& module) {
    nb::class_<Families>(module, "Families")
        .def_static(
            "of_set_function",
            [](int num_variables, const Array<Score>& values, const Array<Score>& terms, int fraction_bits) {
                return Families{set_function(num_variables, values, terms), nb::make_tuple(values, terms), num_variables, fraction_bits};
            },
            nb::arg("num_variables"), nb::arg("values"), nb::arg("terms"), nb::arg("fraction_bits"))
        .def_static(
            "of_lists",
            [](const Array<std::uint64_t>& offsets, const Array<Varset>& parents, const Array<Score>& scores, int fraction_bits) {
                return Families{listed(offsets, parents, scores), nb::make_tuple(offsets, parents, scores),
                                static_cast<int>(offsets.size()) - 1, fraction_bits};
            },
            nb::arg("offsets"), nb::arg("parents"), nb::arg("scores"), nb::arg("fraction_bits"))
        .def("exact", &run_exact, nb::arg("way"), nb::arg("arithmetic"), nb::arg("with_posteriors"), nb::arg("num_threads"),
             nb::arg("progress").none())
        .def("family_posteriors", &run_family_posteriors, nb::arg("q"), nb::arg("v"), nb::arg("num_threads"));
    nb::class_<Sampler>(module, "Sampler")
        .def(nb::init<const Families&, int, const nb::object&>(), nb::arg("families"), nb::arg("num_threads"), nb::arg("progress").none())
        .def_prop_ro("has_networks", &Sampler::has_networks)
        .def("draw", &Sampler::draw, nb::arg("seed"), nb::arg("first"), nb::arg("count"), nb::arg("num_threads"),
             nb::arg("progress").none());
}

}  // namespace dagmass::bind
