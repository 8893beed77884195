/// BDeu as a function of sets (Heckerman, Geiger and Chickering 1995; Tian, He and Ram 2010, section 2):
///
///     f(S) = sum over the cells of S of [ln Gamma(a + N) - ln Gamma(a)],   a = ess / number of possible cells,
///     score of v with parents P = f(P + v) - f(P).
///
/// `bdeu_of_set` is the definition. `bdeu_set_function` computes all sets at once: depth first over the variables, most levels first,
/// refining the partition of the rows. A group of N rows contributes g(N), and g(N) = sum over j of C(N, j) * (j-th difference of g at 0);
/// so groups of at most four rows are followed by counting the pairs, triples and quadruples of rows that agree.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../table/coded_rows.hpp"
#include "refinement.hpp"
#include "rising_factorials.hpp"
#include "score.hpp"
#include "tail_tables.hpp"

namespace dagmass {

struct Bdeu {
    double ess;
    int fraction_bits;
};

inline Score bdeu_of_set(const CodedRows& rows, const Bdeu& score, Varset set) {
    std::map<std::vector<Code>, std::size_t> cells;
    for (std::size_t row = 0; row < rows.num_rows; ++row) {
        std::vector<Code> cell;
        for (const int v : members(set)) cell.push_back(rows.column(v)[row]);
        cells[cell] += rows.weights[row];
    }
    RisingFactorials factorials(score.ess, score.fraction_bits, {rows.num_levels.begin(), rows.num_levels.end()});
    Score sum = 0;
    for (const auto& [cell, count] : cells) sum += factorials.up_to(factorials.key(set), count)[count];
    return sum;
}

/// Which sets are to be counted.
struct WantedSets {
    int max_size;  // of no more variables
    std::span<const Varset> families =
        {};             // only subsets of one of these: v + all that may be its parents; empty if there are no such limits
    int num_fixed = 0;  // the last few variables are fixed:
    Varset fixed = 0;   // bit i says whether the i-th of them is in the set
};

/// What all workers share: the table in refinement order, and which variables form the tail.
class CountingPlan {
  public:
    CountingPlan(const CodedRows& rows, const WantedSets& wanted)
        : rows(rows),
          wanted(wanted),
          order(rows, wanted.num_fixed),
          comparer(rows, order),
          num_tail(TailTables::num_variables(std::span(order.levels).subspan(static_cast<std::size_t>(wanted.num_fixed)))),
          num_heads(rows.num_variables - num_tail),
          tail_cell(rows.num_rows, 0),
          tail_set(std::size_t{1} << num_tail, 0) {
        for (int position = num_heads; position < rows.num_variables; ++position) {
            const auto column = rows.column(variable(position));
            for (std::size_t row = 0; row < rows.num_rows; ++row)
                tail_cell[row] = static_cast<std::uint16_t>(tail_cell[row] * levels(position) + column[row]);
            for (std::size_t subset = 0; subset < tail_set.size(); ++subset)
                if (subset >> slot(position) & 1) tail_set[subset] |= only(variable(position));
        }
    }

    int variable(int position) const { return order.variable[static_cast<std::size_t>(position)]; }
    int levels(int position) const { return order.levels[static_cast<std::size_t>(position)]; }
    int slot(int position) const { return rows.num_variables - 1 - position; }

    /// Can a family be made of this set and others?
    bool is_needed(Varset set) const {
        const auto around = [set](Varset family) { return is_subset(set, family); };
        return wanted.families.empty() || std::any_of(wanted.families.begin(), wanted.families.end(), around);
    }
    int max_size() const { return wanted.max_size; }
    std::vector<int> tail_levels() const { return {order.levels.rbegin(), order.levels.rbegin() + num_tail}; }

    CodedRows rows;
    WantedSets wanted;
    RefinementOrder order;
    RowComparer comparer;
    int num_tail, num_heads;
    std::vector<std::uint16_t> tail_cell;  // by row
    std::vector<Varset> tail_set;          // by subset of tail slots
};

/// One worker: walks all sets that start with a given choice among the first variables.
class SetFunctionWalk {
  public:
    SetFunctionWalk(const CountingPlan& plan, const Bdeu& score, std::span<Score> values, Job& job)
        : plan_(plan),
          values_(values),
          job_(job),
          factorials_(score.ess, score.fraction_bits, {plan.rows.num_levels.begin(), plan.rows.num_levels.end()}),
          refiner_(plan.rows.weights),
          tail_(plan.tail_levels()),
          levels_(static_cast<std::size_t>(plan.num_heads) + 1),
          value_of_(tail_.num_subsets()),
          totals_(tail_.num_subsets()) {
        for (const Varset set : plan.tail_set) tail_keys_.push_back(factorials_.key(set));
        for (auto& counts : agreeing_) counts.resize(tail_.num_subsets());
    }

    /// Bit i of `choice` says whether position i is in the set, for the first `num_chosen` positions.
    void walk(Varset choice, int num_chosen) {
        start();
        Level* level = &levels_.front();
        Varset set = 0;
        for (int position = 0; position < num_chosen; ++position) {
            if (!contains(choice, position)) continue;
            Level& next = levels_[static_cast<std::size_t>(position) + 1];
            include(*level, position, next);
            level = &next;
            set = with(set, plan_.variable(position));
        }
        if (size(set) <= plan_.max_size() && plan_.is_needed(set)) descend(num_chosen, set, *level);
    }

  private:
    struct Level {
        Partition partition;
        Agreements agreements;
    };

    void start() {
        Level& root = levels_.front();
        root.agreements.clear();
        root.partition.rows.resize(plan_.rows.num_rows);
        std::iota(root.partition.rows.begin(), root.partition.rows.end(), 0U);
        root.partition.groups = {{0, static_cast<std::uint32_t>(plan_.rows.num_rows)}};
    }

    void include(const Level& from, int position, Level& to) {
        num_steps_ += from.partition.rows.size() + from.agreements.num_groups();
        to.agreements.assign_agreeing(from.agreements, plan_.slot(position));
        refiner_.split(from.partition, plan_.rows.column(plan_.variable(position)), plan_.levels(position), to.partition,
                       [&](std::span<const std::uint32_t> rows) { to.agreements.add_group(rows, plan_.rows.weights, plan_.comparer); });
    }

    void descend(int position, Varset set, const Level& level) {
        if (position == plan_.num_heads) return finish(set, level);
        descend(position + 1, set, level);
        if (size(set) == plan_.max_size() || !plan_.is_needed(with(set, plan_.variable(position)))) return;
        Level& next = levels_[static_cast<std::size_t>(position) + 1];
        include(level, position, next);
        descend(position + 1, with(set, plan_.variable(position)), next);
    }

    /// All subsets of the tail at once.
    void finish(Varset set, const Level& level) {
        job_.check();
        sort_groups(level.partition);
        look_up_tables(set);
        std::fill(totals_.begin(), totals_.end(), 0);
        for (std::size_t group = 0; group < level.partition.groups.size(); group += TailTables::num_lanes)
            count_groups(level.partition, group);
        count_agreements(level.agreements);
        for (std::size_t subset = 0; subset < totals_.size(); ++subset) totals_[subset] += small_groups(level.agreements, subset);
        if (!values_.empty()) {
            const Varset free = set & first_variables(plan_.rows.num_variables - plan_.wanted.num_fixed);
            for (std::size_t subset = 0; subset < totals_.size(); ++subset) values_[free | plan_.tail_set[subset]] = totals_[subset];
        }
        const std::size_t num_tables = (level.partition.groups.size() + TailTables::num_lanes - 1) / TailTables::num_lanes;
        num_steps_ += level.partition.rows.size() + level.agreements.num_groups() + num_tables * tail_.num_all_cells();
        job_.done.fetch_add(1, std::memory_order_relaxed);
        job_.operations.fetch_add(std::exchange(num_steps_, 0), std::memory_order_relaxed);
    }

    /// Groups of about the same weight are counted together: in most of them all counts are small.
    void sort_groups(const Partition& partition) {
        by_weight_.clear();
        for (const auto& group : partition.groups) by_weight_.push_back({weight(partition.members_of(group)), group});
        std::sort(by_weight_.begin(), by_weight_.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
    }

    void look_up_tables(Varset set) {
        factorials_.limit_memory();
        const std::size_t largest = std::max<std::size_t>(TailTables::num_small, by_weight_.empty() ? 0 : by_weight_.front().weight);
        const auto key = factorials_.key(set);
        for (std::size_t subset = 0; subset < value_of_.size(); ++subset)
            value_of_[subset] = subset > 0 && tail_keys_[subset] == tail_keys_[subset - 1]
                                    ? value_of_[subset - 1]
                                    : factorials_.up_to(key + tail_keys_[subset], largest);
    }

    std::size_t weight(std::span<const std::uint32_t> rows) const {
        std::size_t sum = 0;
        for (const auto row : rows) sum += plan_.rows.weights[row];
        return sum;
    }

    void count_groups(const Partition& partition, std::size_t first) {
        const std::size_t end = std::min(first + TailTables::num_lanes, by_weight_.size());
        tail_.clear();
        for (std::size_t group = first; group < end; ++group)
            for (const auto row : partition.members_of(by_weight_[group].group))
                tail_.count(group - first, plan_.tail_cell[row], plan_.rows.weights[row]);
        tail_.add_totals(value_of_, totals_);
    }

    /// agreeing_[k][subset] = number of pairs, triples or quadruples that agree on all of the subset.
    void count_agreements(const Agreements& agreements) {
        const auto low_slots = static_cast<std::uint32_t>(tail_.num_subsets() - 1);
        for (std::size_t k = 0; k < agreeing_.size(); ++k) {
            auto& counts = agreeing_[k];
            std::fill(counts.begin(), counts.end(), 0);
            for (const auto slots : agreements.slots[k]) ++counts[slots & low_slots];
            for (std::size_t bit = 1; bit < counts.size(); bit *= 2)
                for (std::size_t subset = 0; subset < counts.size(); ++subset)
                    if (!(subset & bit)) counts[subset] += counts[subset | bit];
        }
    }

    /// The part of small groups: g(N) by its differences at zero.
    Score small_groups(const Agreements& agreements, std::size_t subset) const {
        const Score* g = value_of_[subset];
        return agreements.num_rows * g[1] + agreeing_[0][subset] * (g[2] - 2 * g[1]) + agreeing_[1][subset] * (g[3] - 3 * g[2] + 3 * g[1]) +
               agreeing_[2][subset] * (g[4] - 4 * g[3] + 6 * g[2] - 4 * g[1]);
    }

    struct WeighedGroup {
        std::size_t weight;
        Partition::Group group;
    };

    const CountingPlan& plan_;
    std::span<Score> values_;  // empty: only walk
    Job& job_;
    RisingFactorials factorials_;
    Refiner refiner_;
    TailTables tail_;
    std::vector<WeighedGroup> by_weight_;  // the groups of one set, heaviest first
    std::vector<Level> levels_;            // by number of positions decided
    std::vector<std::uint64_t> tail_keys_;
    std::vector<const Score*> value_of_;  // by subset of the tail
    std::vector<Score> totals_;
    std::array<std::vector<Score>, 3> agreeing_;
    std::uint64_t num_steps_ = 0;  // rows, agreements and vectors of cells looked at since the last set was finished
};

/// The walk is cut into parts by the choice among the first few positions that are not fixed.
inline int num_part_bits(const CountingPlan& plan) { return std::min(plan.num_heads - plan.wanted.num_fixed, 7); }

/// values[S] = f(S) for every set that is wanted, S numbered by the variables that are not fixed.
inline void bdeu_set_function(const CodedRows& rows, const Bdeu& score, const WantedSets& wanted, std::span<Score> values, Job& job) {
    const CountingPlan plan(rows, wanted);
    const int part_bits = num_part_bits(plan);
    job.total = Varset{1} << (plan.num_heads - wanted.num_fixed);
    std::vector<std::unique_ptr<SetFunctionWalk>> walks(static_cast<std::size_t>(std::max(job.num_threads, 1)));
    parallel_for(job, std::size_t{1} << part_bits, [&](std::size_t choice, int worker) {
        auto& walk = walks[static_cast<std::size_t>(worker)];
        if (!walk) walk = std::make_unique<SetFunctionWalk>(plan, score, values, job);
        walk->walk(wanted.fixed | choice << wanted.num_fixed, wanted.num_fixed + part_bits);
    });
}

/// Seconds of one thread for all sets, from some parts of the walk: as many as fit into the budget, spread evenly, nothing stored.
inline double estimate_set_function_seconds(const CodedRows& rows, const Bdeu& score, const WantedSets& wanted, double budget, Job& job) {
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
    const CountingPlan plan(rows, wanted);
    SetFunctionWalk walk(plan, score, {}, job);
    const double preparation = elapsed();
    const int part_bits = num_part_bits(plan);
    const std::size_t num_parts = std::size_t{1} << part_bits;
    std::size_t num_walked = 0;
    for (; num_walked < num_parts && (num_walked < 2 || elapsed() < budget); ++num_walked)
        walk.walk(num_walked * 37 % num_parts, part_bits);  // 37 is odd: every part comes once, scattered
    return preparation + (elapsed() - preparation) * static_cast<double>(num_parts) / static_cast<double>(num_walked);
}

}  // namespace dagmass
