#include "../exact/exact.hpp"

#include <nanobind/stl/tuple.h>

#include "../exact/draws.hpp"
#include "families.hpp"
#include "run_job.hpp"

namespace dagmass::bind {
namespace {

auto run_exact(const Families& families, int way, int arithmetic, bool with_posteriors, int num_threads, const nb::object& progress) {
    ExactResult result;
    const ExactRequest request{static_cast<Way>(way), static_cast<Arithmetic>(arithmetic), with_posteriors};
    run_job(num_threads, progress, [&](Job& job) {
        result = families.visit([&](const auto& scores) { return exact(scores, families.fraction_bits, request, job); });
    });
    return std::tuple(result.log_evidence, result.errors.log_evidence, result.errors.probability, static_cast<int>(result.way),
                      static_cast<int>(result.arithmetic), result.num_terms, to_numpy(std::move(result.edges)),
                      to_numpy(std::move(result.paths)), to_numpy(std::move(result.non_descendants)));
}

auto run_family_posteriors(const Families& families, const Array<double>& q, int v, int num_threads) {
    std::vector<double> found;
    run_job(num_threads, nb::none(), [&](Job& job) {
        found = families.visit([&](const auto& scores) {
            const SubsetSums<double> sums(scores, families.fraction_bits, 0, v, 1, job);
            return family_posteriors<double>(scores, families.fraction_bits, view(q), sums, v);
        });
    });
    return to_numpy(std::move(found));
}

/// Tables from which networks are drawn; made once for many draws.
class Sampler {
  public:
    Sampler(const Families& families, int num_threads, const nb::object& progress) : num_variables_(families.num_variables) {
        run_job(num_threads, progress, [&](Job& job) {
            families.visit([&](const auto& scores) {
                numbering_ = by_gain(scores);
                tables_ = std::make_unique<DrawTables>(renumber(scores, numbering_).scores, families.fraction_bits, job);
            });
        });
    }

    auto draw(std::uint64_t seed, std::uint64_t first, std::size_t count, std::size_t max_bytes, int num_threads,
              const nb::object& progress) const {
        std::vector<Varset> parents(count * static_cast<std::size_t>(num_variables_));
        run_job(num_threads, progress, [&](Job& job) { draw_networks(*tables_, seed, first, parents, job); }, max_bytes);
        return to_numpy(networks_in_original(parents, numbering_), {count, static_cast<std::size_t>(num_variables_)});
    }

    bool has_networks() const { return tables_->has_networks; }

  private:
    int num_variables_;
    Numbering numbering_{{}};
    std::unique_ptr<DrawTables> tables_;
};

}  // namespace

void bind_exact(nb::module_& module) {
    module.def("exact", &run_exact, nb::arg("families"), nb::arg("way"), nb::arg("arithmetic"), nb::arg("with_posteriors"),
               nb::arg("num_threads"), nb::arg("progress").none());
    module.def("family_posteriors", &run_family_posteriors, nb::arg("families"), nb::arg("q"), nb::arg("v"), nb::arg("num_threads"));
    nb::class_<Sampler>(module, "Sampler")
        .def(nb::init<const Families&, int, const nb::object&>(), nb::arg("families"), nb::arg("num_threads"), nb::arg("progress").none())
        .def_prop_ro("has_networks", &Sampler::has_networks)
        .def("draw", &Sampler::draw, nb::arg("seed"), nb::arg("first"), nb::arg("count"), nb::arg("max_bytes"), nb::arg("num_threads"),
             nb::arg("progress").none());
}

}  // namespace dagmass::bind
