#include "../posterior/edge_averages.hpp"

#include "arrays.hpp"

namespace dagmass::bind {

void bind_posterior(nb::module_& module) {
    module.def(
        "edge_averages",
        [](const Array<Varset>& parents, const Array<double>& weights) {
            const std::size_t n = parents.shape(1);
            std::vector<double> averages(n * n, 0.0);
            {
                const nb::gil_scoped_release release;
                edge_averages(view(parents), view(weights), averages);
            }
            return to_numpy(std::move(averages), {n, n});
        },
        nb::arg("parents"), nb::arg("weights"));
}

}  // namespace dagmass::bind
