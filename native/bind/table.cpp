#include "../table/merge_rows.hpp"

#include <nanobind/stl/tuple.h>

#include "arrays.hpp"

namespace dagmass::bind {

void bind_table(nb::module_& module) {
    module.def(
        "merge_rows",
        [](const Array<Code>& codes, const Array<std::uint32_t>& weights, const Array<int>& num_levels) {
            const CodedRows rows{static_cast<int>(num_levels.size()), weights.size(), view(codes), view(weights), view(num_levels)};
            MergedRows merged;
            {
                const nb::gil_scoped_release release;
                merged = merge_rows(rows);
            }
            const std::size_t count = merged.weights.size();
            return std::tuple(to_numpy(std::move(merged.codes), {num_levels.size(), count}), to_numpy(std::move(merged.weights)));
        },
        nb::arg("codes"), nb::arg("weights"), nb::arg("num_levels"));
}

}  // namespace dagmass::bind
