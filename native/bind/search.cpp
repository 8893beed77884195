#include <nanobind/stl/tuple.h>

#include <memory>

#include "../search/best_first.hpp"
#include "families.hpp"
#include "run_job.hpp"

namespace dagmass::bind {
namespace {

/// By variable: offsets, then parent sets, scores and gaps; lowest scores, whether complete; the slack.
using SavedLists = std::tuple<Array<std::uint64_t>, Array<Varset>, Array<Score>, Array<Score>, Array<Score>, Array<std::uint8_t>, Score>;

/// Lists for a search; they hold on to the scores, so as to become longer, until they are told to forget them.
class Lists {
  public:
    Lists(const Families& families, Score slack, std::size_t max_sets, int num_threads, const nb::object& progress)
        : fraction_bits_(families.fraction_bits), arrays_(families.arrays) {
        const Score nat = Score{1} << fraction_bits_;
        const Score wanted = slack == 0 ? SearchLists::first_slack(families.num_variables) * nat : slack;
        operations_ = run_job(num_threads, progress, [&](Job& job) {
            job.total = static_cast<std::uint64_t>(families.num_variables) << std::max(0, families.num_variables - 1 - block_bits);
            const auto make = [scores = families.scores](Score to, std::size_t most, Job& used) {
                return std::visit([&](const auto& one) { return gap_lists(one, to, used, most); }, scores);
            };
            lists_ = std::make_unique<SearchLists>(make, wanted, max_sets, job);
        });
    }

    /// From what `saved` returned; without scores.
    Lists(const SavedLists& saved, int fraction_bits) : fraction_bits_(fraction_bits), arrays_(nb::none()) {
        const auto& [offsets, parents, scores, gaps, lowest, are_complete, slack] = saved;
        lists_ = std::make_unique<SearchLists>();
        lists_->slack = slack;
        for (std::size_t v = 0; v + 1 < offsets.size(); ++v) {
            ParentList list{{}, lowest.data()[v], are_complete.data()[v] != 0};
            for (auto i = offsets.data()[v]; i < offsets.data()[v + 1]; ++i)
                list.sets.push_back({parents.data()[i], scores.data()[i], gaps.data()[i]});
            lists_->of_variable.push_back(std::move(list));
        }
    }

    auto saved() const {
        auto [offsets, parents, scores, gaps] = to_arrays(lists_->of_variable);
        std::vector<Score> lowest;
        std::vector<std::uint8_t> are_complete;
        for (const auto& list : lists_->of_variable) lowest.push_back(list.lowest), are_complete.push_back(list.is_complete);
        return std::tuple(offsets, parents, scores, gaps, to_numpy(std::move(lowest)), to_numpy(std::move(are_complete)), lists_->slack);
    }

    void forget_scores() {
        lists_->make = {};
        arrays_ = nb::none();
    }

    std::uint64_t operations() const { return operations_; }
    /// Hand the lists to a search; nothing is left here.
    SearchLists take() { return std::move(*lists_); }
    Score nat() const { return Score{1} << fraction_bits_; }
    const nb::object& arrays() const { return arrays_; }

  private:
    std::uint64_t operations_ = 0;
    int fraction_bits_;
    nb::object arrays_;
    std::unique_ptr<SearchLists> lists_;
};

/// The one opaque handle that Python holds: a search that can be continued.
template <class States>
class Stream {
    using Position = typename BestFirst<States>::Position;

  public:
    /// The table of best networks lives in memory, in a file, or in both; in a file alone where it has a cache.
    Stream(Lists& lists, const std::tuple<std::uint64_t, Score, std::uint64_t>& position, const nb::object& file, std::size_t cache_bytes,
           int num_threads, const nb::object& progress)
        : kept_(nb::make_tuple(lists.arrays(), file)) {
        const auto [num_taken, loss, num_with_loss] = position;
        const TablePlace place{file.is_none() ? nullptr : nb::cast<ScoreFile*>(file), cache_bytes};
        operations_ = run_job(num_threads, progress, [&](Job& job) {
            search_ = std::make_unique<BestFirst<States>>(lists.take(), lists.nat(), Position{num_taken, loss, num_with_loss}, job, place);
        });
    }

    Score best_score() const { return search_->best_score(); }
    std::uint64_t table_operations() const { return operations_; }
    std::uint64_t num_states() const { return search_->num_states(); }
    auto position() const {
        const Position& at = search_->position();
        return std::tuple(at.num_taken, at.loss, at.num_with_loss);
    }

    auto take(std::size_t count, std::size_t max_bytes, int num_threads, const nb::object& progress) {
        NetworkBatch batch;
        run_job(num_threads, progress, [&](Job& job) { batch = search_->take(count, job); }, max_bytes);
        const std::size_t found = batch.scores.size();
        return std::tuple(to_numpy(std::move(batch.scores)), to_numpy(std::move(batch.parents), {found, search_->num_variables()}));
    }

    bool next_ties(int num_threads, const nb::object& progress) {
        bool ties = false;
        run_job(num_threads, progress, [&](Job& job) { ties = search_->next_ties(job); });
        return ties;
    }

  private:
    std::uint64_t operations_ = 0;
    nb::object kept_;  // the scores that the lists may need again, and the file
    std::unique_ptr<BestFirst<States>> search_;
};

template <class States>
void bind_stream(nb::module_& module, const char* name) {
    nb::class_<Stream<States>>(module, name)
        .def(nb::init<Lists&, const std::tuple<std::uint64_t, Score, std::uint64_t>&, const nb::object&, std::size_t, int,
                      const nb::object&>(),
             nb::arg("lists"), nb::arg("position"), nb::arg("file").none(), nb::arg("cache_bytes"), nb::arg("num_threads"),
             nb::arg("progress").none())
        .def_prop_ro("best_score", &Stream<States>::best_score)
        .def_prop_ro("table_operations", &Stream<States>::table_operations)
        .def_prop_ro("num_states", &Stream<States>::num_states)
        .def_prop_ro("position", &Stream<States>::position)
        .def("take", &Stream<States>::take, nb::arg("count"), nb::arg("max_bytes"), nb::arg("num_threads"), nb::arg("progress").none())
        .def("next_ties", &Stream<States>::next_ties, nb::arg("num_threads"), nb::arg("progress").none());
}

auto run_losses_of_edges(const Families& families, int num_threads, const nb::object& progress) {
    std::vector<Score> losses;
    const auto n = static_cast<std::size_t>(families.num_variables);
    run_job(num_threads, progress, [&](Job& job) {
        families.visit([&](const auto& scores) {
            const auto lists = gap_lists(scores, 0, job).of_variable;
            const BestNetworkTable best(lists, job);
            const BestCompletionTable completion(lists, job);
            losses = losses_of_edges(scores, best, completion, job);
        });
    });
    return to_numpy(std::move(losses), {n, n});
}

}  // namespace

void bind_search(nb::module_& module) {
    nb::exception<ListsTooShort>(module, "ListsTooShort");
    nb::class_<Lists>(module, "SearchLists")
        .def(nb::init<const Families&, Score, std::size_t, int, const nb::object&>(), nb::arg("families"), nb::arg("slack"),
             nb::arg("max_sets"), nb::arg("num_threads"), nb::arg("progress").none())
        .def(nb::init<const SavedLists&, int>(), nb::arg("saved"), nb::arg("fraction_bits"))
        .def_prop_ro("operations", &Lists::operations)
        .def("saved", &Lists::saved)
        .def("forget_scores", &Lists::forget_scores);
    bind_stream<NetworkStates>(module, "NetworkStream");
    bind_stream<ClassStates>(module, "ClassStream");
    module.def("losses_of_edges", &run_losses_of_edges, nb::arg("families"), nb::arg("num_threads"), nb::arg("progress").none());
}

}  // namespace dagmass::bind
