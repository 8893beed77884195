#include <nanobind/stl/tuple.h>

#include "../graphs/class_members.hpp"
#include "../graphs/class_representative.hpp"
#include "../random.hpp"
#include "arrays.hpp"
#include "run_job.hpp"

namespace dagmass::bind {
namespace {

/// The rows of (network, variable) as the kernels take them.
class NetworkRows {
  public:
    explicit NetworkRows(const Array<Varset>& parents) : all_(view(parents)), num_variables_(parents.shape(1)), row_(num_variables_) {}

    std::size_t size() const { return all_.size() / num_variables_; }
    std::size_t num_variables() const { return num_variables_; }
    std::span<Varset32> operator[](std::size_t i) {
        for (std::size_t v = 0; v < num_variables_; ++v) row_[v] = static_cast<Varset32>(all_[i * num_variables_ + v]);
        return row_;
    }

  private:
    std::span<const Varset> all_;
    std::size_t num_variables_;
    std::vector<Varset32> row_;
};

template <class Visit>
void for_each_row(const Array<Varset>& parents, const Visit& visit) {
    run_job(1, nb::none(), [&](Job& job) {
        NetworkRows rows(parents);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if ((i & 255) == 0) job.check();
            visit(rows[i]);
        }
    });
}

auto representatives(const Array<Varset>& parents) {
    std::vector<Varset> found;
    for_each_row(parents, [&](std::span<Varset32> network) {
        make_representative(network);
        found.insert(found.end(), network.begin(), network.end());
    });
    return to_numpy(std::move(found), {parents.shape(0), parents.shape(1)});
}

/// (compelled, reversible): by network and variable.
auto cpdags(const Array<Varset>& parents) {
    std::vector<Varset> compelled, reversible;
    for_each_row(parents, [&](std::span<Varset32> network) {
        const Cpdag graph = cpdag_of(network);
        const auto n = static_cast<std::ptrdiff_t>(network.size());
        compelled.insert(compelled.end(), graph.compelled.begin(), graph.compelled.begin() + n);
        reversible.insert(reversible.end(), graph.reversible.begin(), graph.reversible.begin() + n);
    });
    return std::tuple(to_numpy(std::move(compelled), {parents.shape(0), parents.shape(1)}),
                      to_numpy(std::move(reversible), {parents.shape(0), parents.shape(1)}));
}

/// (network, 2): upper and lower half of the size of its class.
auto class_sizes(const Array<Varset>& parents) {
    std::vector<std::uint64_t> sizes;
    for_each_row(parents, [&](std::span<Varset32> network) {
        const Count size = ClassMembers(cpdag_of(network)).size();
        sizes.push_back(static_cast<std::uint64_t>(size >> 64));
        sizes.push_back(static_cast<std::uint64_t>(size));
    });
    return to_numpy(std::move(sizes), {parents.shape(0), 2});
}

auto class_edge_averages(const Array<Varset>& parents, const Array<double>& weights) {
    const std::size_t n = parents.shape(1);
    std::vector<double> sums(n * n, 0.0);
    std::size_t i = 0;
    for_each_row(parents, [&](std::span<Varset32> network) { ClassMembers(cpdag_of(network)).add_edges(weights.data()[i++], sums); });
    return to_numpy(std::move(sums), {n, n});
}

/// Members of the class of the one network given: the first `count`, or so many random ones.
template <class Fill>
auto members_of(const Array<Varset>& parents, const Fill& fill) {
    std::vector<Varset> found;
    const auto n = static_cast<std::ptrdiff_t>(parents.shape(1));
    for_each_row(parents, [&](std::span<Varset32> network) {
        ClassMembers class_members(cpdag_of(network));
        fill(class_members, [&](const Neighbours& member) { found.insert(found.end(), member.begin(), member.begin() + n); });
    });
    const std::size_t count = found.size() / parents.shape(1);
    return to_numpy(std::move(found), {count, parents.shape(1)});
}

auto first_members(const Array<Varset>& parents, std::size_t count) {
    return members_of(parents, [&](ClassMembers& class_members, const auto& add) {
        std::size_t left = count;
        class_members.for_each([&](const Neighbours& member) {
            add(member);
            return --left > 0;
        });
    });
}

auto random_members(const Array<Varset>& parents, std::size_t count, std::uint64_t seed) {
    return members_of(parents, [&](ClassMembers& class_members, const auto& add) {
        DrawRandom random(seed, 0);
        for (std::size_t i = 0; i < count; ++i) add(class_members.draw(random));
    });
}

}  // namespace

void bind_graphs(nb::module_& module) {
    module.def("representatives", &representatives, nb::arg("parents"));
    module.def("cpdags", &cpdags, nb::arg("parents"));
    module.def("class_sizes", &class_sizes, nb::arg("parents"));
    module.def("class_edge_averages", &class_edge_averages, nb::arg("parents"), nb::arg("weights"));
    module.def("first_members", &first_members, nb::arg("parents"), nb::arg("count"));
    module.def("random_members", &random_members, nb::arg("parents"), nb::arg("count"), nb::arg("seed"));
}

}  // namespace dagmass::bind
