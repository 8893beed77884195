#include "../posterior/averages.hpp"
#include "../posterior/features.hpp"
#include "arrays.hpp"
#include "run_job.hpp"

namespace dagmass::bind {
namespace {

NetworkTable network_table(const Array<Varset>& parents) { return {view(parents), parents.shape(1)}; }

template <class Feature>
auto holds(const Array<Varset>& parents, const Feature& feature) {
    std::vector<std::uint8_t> found;
    run_job(1, nb::none(), [&](Job& job) { found = evaluate(network_table(parents), job, feature); });
    return to_numpy(std::move(found));
}

template <class Kernel>
auto averages(const Array<Varset>& parents, std::size_t num_rows, const Kernel& kernel) {
    const NetworkTable networks = network_table(parents);
    std::vector<double> sums(num_rows * networks.num_variables, 0.0);
    run_job(1, nb::none(), [&](Job& job) { kernel(networks, sums, job); });
    return to_numpy(std::move(sums), {num_rows, networks.num_variables});
}

}  // namespace

void bind_posterior(nb::module_& module) {
    module.def(
        "set_holds",
        [](const Array<Varset>& parents, int which, int v, int comparison, Varset set) {
            return holds(parents, [=](Parents network) {
                return compare(set_of(network, static_cast<SetOf>(which), v), static_cast<Comparison>(comparison), set);
            });
        },
        nb::arg("parents"), nb::arg("which"), nb::arg("v"), nb::arg("comparison"), nb::arg("set"));
    module.def(
        "v_structure_holds",
        [](const Array<Varset>& parents, int a, int c, int b) {
            return holds(parents, [=](Parents network) { return is_v_structure(network, a, c, b); });
        },
        nb::arg("parents"), nb::arg("a"), nb::arg("c"), nb::arg("b"));
    module.def(
        "separated_holds",
        [](const Array<Varset>& parents, Varset left, Varset right, Varset given) {
            return holds(parents, [=](Parents network) { return is_separated(network, left, right, given); });
        },
        nb::arg("parents"), nb::arg("left"), nb::arg("right"), nb::arg("given"));
    module.def(
        "edge_averages",
        [](const Array<Varset>& parents, const Array<double>& weights) {
            return averages(parents, parents.shape(1), [&](const NetworkTable& networks, std::span<double> sums, Job& job) {
                edge_averages(networks, view(weights), sums, job);
            });
        },
        nb::arg("parents"), nb::arg("weights"));
    module.def(
        "path_averages",
        [](const Array<Varset>& parents, const Array<double>& weights) {
            return averages(parents, parents.shape(1), [&](const NetworkTable& networks, std::span<double> sums, Job& job) {
                path_averages(networks, view(weights), sums, job);
            });
        },
        nb::arg("parents"), nb::arg("weights"));
    module.def(
        "blanket_averages",
        [](const Array<Varset>& parents, const Array<double>& weights, int v) {
            return averages(parents, 4, [&](const NetworkTable& networks, std::span<double> sums, Job& job) {
                blanket_averages(networks, view(weights), v, sums, job);
            });
        },
        nb::arg("parents"), nb::arg("weights"), nb::arg("v"));
}

}  // namespace dagmass::bind
