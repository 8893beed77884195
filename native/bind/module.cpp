/// The extension module: a table of contents.
#include <nanobind/nanobind.h>

#include "../simd.hpp"

namespace nb = nanobind;

namespace dagmass::bind {
void bind_graphs(nb::module_& module);
void bind_table(nb::module_& module);
void bind_scores(nb::module_& module);
void bind_search(nb::module_& module);
void bind_exact(nb::module_& module);
void bind_posterior(nb::module_& module);
}  // namespace dagmass::bind

NB_MODULE(_core, module) {
    module.doc() = "The kernels of dagmass.";
    dagmass::bind::bind_graphs(module);
    dagmass::bind::bind_table(module);
    dagmass::bind::bind_scores(module);
    dagmass::bind::bind_search(module);
    dagmass::bind::bind_exact(module);
    dagmass::bind::bind_posterior(module);
    module.def("supported_vector_level", [] { return static_cast<int>(dagmass::supported_level()); });
    module.def(
        "set_vector_level", [](int level) { dagmass::current_level() = static_cast<dagmass::VectorLevel>(level); }, nb::arg("level"));
}
