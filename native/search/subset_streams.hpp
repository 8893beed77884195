/// Networks best first, each once, only those asked for.
///
/// Every varset W owns a stream: its networks are (i-th best parent set of a sink s within W - s) + (j-th network of the stream of W - s),
/// taken from a heap that starts with exact bounds (Huang and Chiang 2005, on the lattice of subsets). A network is accepted only when
/// the removed sink is its highest-numbered sink, so each is produced once and ties are kept.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../scores/gap_lists.hpp"
#include "../scores/score.hpp"
#include "best_network_table.hpp"

namespace dagmass {

/// In which order networks of equal score leave a stream.
enum class TieOrder {
    by_sink,     // whatever costs least; the same every time
    by_parents,  // canonical: by the parent varsets of variable 0, then 1, ...
};

class SubsetStreams {
  public:
    struct Network {
        Score score;
        std::uint32_t parents;  // index in the list of its highest sink
        std::uint32_t rest;     // index in the stream without that sink
        std::uint32_t sinks;    // varset
        std::uint8_t sink;
    };

    SubsetStreams(const std::vector<ParentList>& lists, const BestNetworkTable& best, Score slack, TieOrder ties, Job& job)
        : lists_(lists), best_(best), slack_(slack), ties_(ties), job_(&job) {
        streams_.push_back({0, true, {{0, 0, 0, 0, 0}}, {}, {}});
        number_of_.emplace(0, 0);
        open(best.all());
    }

    void report_to(Job& job) { job_ = &job; }

    /// About what the streams hold; vectors are two thirds full on average.
    std::size_t num_bytes() const {
        return (num_stored_ * sizeof(Network) + num_candidates_ * sizeof(Candidate)) * 3 / 2 + streams_.size() * (sizeof(Stream) + 64);
    }

    /// The j-th best network over all variables within the slack, or nullptr after the last.
    const Network* get(std::size_t j) { return get(streams_[1], j); }

    /// Parent varsets of a network over all variables, by variable.
    void write_parents(const Network& network, std::span<Varset> parents) {
        write_parents(streams_[1], {network.score, network.parents, network.rest, network.sink}, parents);
    }

  private:
    struct Candidate {
        Score score;
        std::uint32_t parents, rest;
        std::uint8_t sink;
    };
    struct Stream {
        Varset set;
        bool is_open;
        std::vector<Network> networks;
        std::vector<Candidate> heap;
        std::vector<std::uint32_t> without_sink;  // number of the stream without each variable; 0 = not looked up yet
    };

    std::uint32_t open(Varset set) {
        const auto [entry, is_new] = number_of_.try_emplace(set, static_cast<std::uint32_t>(streams_.size()));
        if (is_new) streams_.push_back({set, false, {}, {}, {}});
        return entry->second;
    }

    Stream& without_sink(Stream& stream, int sink) {
        if (stream.without_sink.empty()) stream.without_sink.resize(lists_.size(), 0);
        auto& number = stream.without_sink[static_cast<std::size_t>(sink)];
        if (number == 0) number = open(without(stream.set, sink));
        return streams_[number];
    }

    const ParentSet& parents_of(const Candidate& candidate) const { return lists_[candidate.sink].sets[candidate.parents]; }

    const Network* get(Stream& stream, std::size_t j) {
        if (!stream.is_open) push_first_candidates(stream);
        while (stream.networks.size() <= j) {
            if (stream.heap.empty()) return nullptr;
            pop(stream);
        }
        return &stream.networks[j];
    }

    void push_first_candidates(Stream& stream) {
        stream.is_open = true;
        for (const int sink : members(stream.set)) {
            const Varset rest = without(stream.set, sink);
            if (is_possible(best_[rest])) push_next_parents(stream, sink, 0, best_[rest]);
        }
    }

    /// Push the first parent set from `index` on that lies within the candidates, with the best network over the rest.
    void push_next_parents(Stream& stream, int sink, std::size_t index, Score rest_score) {
        const auto& sets = lists_[static_cast<std::size_t>(sink)].sets;
        const Score needed = best_[stream.set] - slack_ - rest_score;
        for (; index < sets.size() && sets[index].score >= needed; ++index)
            if (is_subset(sets[index].parents, stream.set))
                return push(stream,
                            {sets[index].score + rest_score, static_cast<std::uint32_t>(index), 0, static_cast<std::uint8_t>(sink)});
    }

    void push(Stream& stream, const Candidate& candidate) {
        stream.heap.push_back(candidate);
        std::push_heap(stream.heap.begin(), stream.heap.end(), Later{*this, stream});
        ++num_candidates_;
        if ((++num_pushes_ & 255) != 0) return;
        job_->check();
        job_->check_memory(num_bytes());
    }

    /// Take the best candidate off the heap, put its successors there, and keep its network if this is its stream's to keep.
    void pop(Stream& stream) {
        std::pop_heap(stream.heap.begin(), stream.heap.end(), Later{*this, stream});
        const Candidate top = stream.heap.back();
        stream.heap.pop_back();
        --num_candidates_;
        Stream& rest_stream = without_sink(stream, top.sink);
        const Network rest = *get(rest_stream, top.rest);
        const ParentSet& parents = parents_of(top);
        if (top.rest == 0) push_next_parents(stream, top.sink, top.parents + std::size_t{1}, rest.score);
        if (const Network* next = get(rest_stream, top.rest + std::size_t{1});
            next && best_[stream.set] - parents.score - next->score <= slack_)
            push(stream, {parents.score + next->score, top.parents, top.rest + 1, top.sink});
        const Varset sinks = with(rest.sinks & ~parents.parents, top.sink);
        if (highest(sinks) != top.sink) return;
        stream.networks.push_back({top.score, top.parents, top.rest, static_cast<std::uint32_t>(sinks), top.sink});
        ++num_stored_;
    }

    void write_parents(Stream& stream, const Candidate& candidate, std::span<Varset> parents) {
        parents[candidate.sink] = parents_of(candidate).parents;
        Stream* rest_stream = &without_sink(stream, candidate.sink);
        std::size_t rest_index = candidate.rest;
        while (rest_stream->set != 0) {
            const Network& network = *get(*rest_stream, rest_index);
            parents[network.sink] = lists_[network.sink].sets[network.parents].parents;
            rest_index = network.rest;
            rest_stream = &without_sink(*rest_stream, network.sink);
        }
    }

    /// Heap order: true if `a` leaves after `b`.
    struct Later {
        SubsetStreams& streams;
        Stream& stream;
        bool operator()(const Candidate& a, const Candidate& b) const {
            if (a.score != b.score) return a.score < b.score;
            if (streams.ties_ == TieOrder::by_parents) return streams.has_later_parents(stream, a, b);
            if (a.sink != b.sink) return a.sink < b.sink;
            return a.parents != b.parents ? a.parents > b.parents : a.rest > b.rest;
        }
    };

    bool has_later_parents(Stream& stream, const Candidate& a, const Candidate& b) {
        std::array<Varset, 32> of_a{}, of_b{};
        write_parents(stream, a, of_a);
        write_parents(stream, b, of_b);
        return of_a > of_b;
    }

    const std::vector<ParentList>& lists_;
    const BestNetworkTable& best_;
    Score slack_;
    TieOrder ties_;
    Job* job_;
    std::deque<Stream> streams_;  // 0: the empty set; 1: all variables. References stay valid while it grows.
    std::unordered_map<Varset, std::uint32_t> number_of_;
    std::size_t num_pushes_ = 0;
    std::size_t num_stored_ = 0;
    std::size_t num_candidates_ = 0;
};

}  // namespace dagmass
