#include <nanobind/stl/tuple.h>

#include <memory>
#include <variant>

#include "../scores/families.hpp"
#include "../search/best_networks.hpp"
#include "arrays.hpp"
#include "run_job.hpp"

namespace dagmass::bind {
namespace {

/// The one opaque handle that Python holds: a search that can be continued. It keeps the arrays of its scores alive.
class NetworkStream {
    template <class Visitor>
    auto visit(const Visitor& visitor) const {
        return std::visit([&](const auto& search) { return visitor(*search); }, search_);
    }

  public:
    static NetworkStream of_set_function(int num_variables, const Array<Score>& values, const Array<Score>& terms, int fraction_bits,
                                         int num_threads, const nb::object& progress) {
        NetworkStream stream(num_variables, nb::make_tuple(values, terms));
        stream.start(SetFunctionScores{num_variables, view(values), view(terms)}, fraction_bits, num_threads, progress);
        return stream;
    }

    static NetworkStream of_lists(const Array<std::uint64_t>& offsets, const Array<Varset>& parents, const Array<Score>& scores,
                                  int fraction_bits, int num_threads, const nb::object& progress) {
        const int num_variables = static_cast<int>(offsets.size()) - 1;
        NetworkStream stream(num_variables, nb::make_tuple(offsets, parents, scores));
        stream.start(ListedScores{num_variables, view(offsets), view(parents), view(scores)}, fraction_bits, num_threads, progress);
        return stream;
    }

    Score best_score() const {
        return visit([](const auto& search) { return search.best_score(); });
    }

    auto take(std::size_t count, std::size_t max_bytes, int num_threads, const nb::object& progress) {
        NetworkBatch batch;
        const auto kernel = [&](Job& job) { batch = visit([&](auto& search) { return search.take(count, job); }); };
        run_job(num_threads, progress, kernel, max_bytes);
        const std::size_t found = batch.scores.size();
        return std::tuple(to_numpy(std::move(batch.scores)),
                          to_numpy(std::move(batch.parents), {found, static_cast<std::size_t>(num_variables_)}));
    }

    bool next_ties(int num_threads, const nb::object& progress) {
        bool ties = false;
        run_job(num_threads, progress, [&](Job& job) { ties = visit([&](auto& search) { return search.next_ties(job); }); });
        return ties;
    }

  private:
    NetworkStream(int num_variables, nb::object arrays) : num_variables_(num_variables), arrays_(std::move(arrays)) {}

    template <class Scores>
    void start(const Scores& scores, int fraction_bits, int num_threads, const nb::object& progress) {
        run_job(num_threads, progress, [&](Job& job) { search_ = std::make_unique<BestNetworks<Scores>>(scores, fraction_bits, job); });
    }

    int num_variables_;
    nb::object arrays_;
    std::variant<std::unique_ptr<BestNetworks<SetFunctionScores>>, std::unique_ptr<BestNetworks<ListedScores>>> search_;
};

}  // namespace

void bind_search(nb::module_& module) {
    nb::class_<NetworkStream>(module, "NetworkStream")
        .def_static("of_set_function", &NetworkStream::of_set_function, nb::arg("num_variables"), nb::arg("values"), nb::arg("terms"),
                    nb::arg("fraction_bits"), nb::arg("num_threads"), nb::arg("progress").none())
        .def_static("of_lists", &NetworkStream::of_lists, nb::arg("offsets"), nb::arg("parents"), nb::arg("scores"),
                    nb::arg("fraction_bits"), nb::arg("num_threads"), nb::arg("progress").none())
        .def_prop_ro("best_score", &NetworkStream::best_score)
        .def("take", &NetworkStream::take, nb::arg("count"), nb::arg("max_bytes"), nb::arg("num_threads"), nb::arg("progress").none())
        .def("next_ties", &NetworkStream::next_ties, nb::arg("num_threads"), nb::arg("progress").none());
}

}  // namespace dagmass::bind
