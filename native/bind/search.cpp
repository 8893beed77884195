#include <nanobind/stl/tuple.h>

#include <memory>
#include <variant>

#include "../search/best_first.hpp"
#include "families.hpp"
#include "run_job.hpp"

namespace dagmass::bind {
namespace {

/// The one opaque handle that Python holds: a search that can be continued. It keeps the arrays of its scores alive.
template <class States>
class Stream {
  public:
    Stream(const Families& families, int num_threads, const nb::object& progress)
        : num_variables_(static_cast<std::size_t>(families.num_variables)), arrays_(families.arrays) {
        run_job(num_threads, progress, [&](Job& job) {
            families.visit([&](const auto& scores) {
                search_ = std::make_unique<BestFirst<std::decay_t<decltype(scores)>, States>>(scores, families.fraction_bits, job);
            });
        });
    }

    Score best_score() const {
        return visit([](const auto& search) { return search.best_score(); });
    }
    std::uint64_t num_states() const {
        return visit([](const auto& search) { return search.num_states(); });
    }

    auto take(std::size_t count, std::size_t max_bytes, int num_threads, const nb::object& progress) {
        NetworkBatch batch;
        const auto kernel = [&](Job& job) { batch = visit([&](auto& search) { return search.take(count, job); }); };
        run_job(num_threads, progress, kernel, max_bytes);
        const std::size_t found = batch.scores.size();
        return std::tuple(to_numpy(std::move(batch.scores)), to_numpy(std::move(batch.parents), {found, num_variables_}));
    }

    bool next_ties(int num_threads, const nb::object& progress) {
        bool ties = false;
        run_job(num_threads, progress, [&](Job& job) { ties = visit([&](auto& search) { return search.next_ties(job); }); });
        return ties;
    }

  private:
    template <class Visitor>
    auto visit(const Visitor& visitor) const {
        return std::visit([&](const auto& search) { return visitor(*search); }, search_);
    }

    std::size_t num_variables_;
    nb::object arrays_;
    std::variant<std::unique_ptr<BestFirst<SetFunctionScores, States>>, std::unique_ptr<BestFirst<ListedScores, States>>> search_;
};

template <class States>
void bind_stream(nb::module_& module, const char* name) {
    nb::class_<Stream<States>>(module, name)
        .def(nb::init<const Families&, int, const nb::object&>(), nb::arg("families"), nb::arg("num_threads"), nb::arg("progress").none())
        .def_prop_ro("best_score", &Stream<States>::best_score)
        .def_prop_ro("num_states", &Stream<States>::num_states)
        .def("take", &Stream<States>::take, nb::arg("count"), nb::arg("max_bytes"), nb::arg("num_threads"), nb::arg("progress").none())
        .def("next_ties", &Stream<States>::next_ties, nb::arg("num_threads"), nb::arg("progress").none());
}

}  // namespace

void bind_search(nb::module_& module) {
    bind_stream<NetworkStates>(module, "NetworkStream");
    bind_stream<ClassStates>(module, "ClassStream");
}

}  // namespace dagmass::bind
