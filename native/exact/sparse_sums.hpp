/// The recursions of network_sums.hpp by a depth-first walk over S that leaves out what does not matter.
///
/// The loss of a term, up(V) - up(U) - sum of e_s(U) - down(U + S), never falls as S grows, because A_s(U) grows with U. So the walk is cut
/// as soon as the loss exceeds what the precision can see. Best where the posterior sits on few orders: long tables, strong dependence.
#pragma once

#include <array>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "network_sums.hpp"
#include "potentials.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"

namespace dagmass {

template <class Real>
class SparseSums {
  public:
    SparseSums(const SubsetSums<Real>& subset_sums, const Potentials& potentials, bool with_posteriors, Job& job)
        : subset_sums_(subset_sums),
          potentials_(potentials),
          job_(job),
          all_(first_variables(subset_sums.num_variables())),
          cut_(cut_bits<Real>(subset_sums.num_variables())),
          forward_(all_ + 1),
          is_wanted_(with_posteriors) {
        sums_.forward.resize(all_ + 1);
        sums_.backward.resize(all_ + 1);
        if (is_wanted_) sums_.non_descendants.resize(static_cast<std::size_t>(subset_sums.num_variables()) * subset_sums.per_variable());
    }

    NetworkSums<Real> compute() {
        job_.total = 2 * (all_ + 1);
        forward_[0] = Wide(1.0);
        for (Varset set = 0; set <= all_; ++set) {
            progress(set);
            sums_.forward[set] = narrow(forward_[set]);
            if (matters(set)) push_forward(set);
        }
        sums_.backward[all_] = Real(1.0);
        for (Varset set = all_; set-- > 0;) {
            progress(set);
            if (matters(set)) pull_backward(set);
        }
        sums_.absolute = absolute_;
        sums_.num_additions = 4;  // compensated
        return std::move(sums_);
    }

    /// Terms that the walk would visit from one set, to judge what it costs; stops counting at `most`.
    std::uint64_t count_terms(Varset set, std::uint64_t most) {
        if (!matters(set)) return 0;
        enter(set);
        std::uint64_t count = 0;
        count_from(0, 0, 0, count, most);
        return count;
    }

  private:
    using Wide = DoubleDouble<double>;  // sums are compensated

    static Wide widen(double value) { return Wide(value); }
    static Wide widen(const Wide& value) { return value; }
    static Real narrow(const Wide& value) {
        if constexpr (std::is_same_v<Real, double>)
            return value.hi + value.lo;
        else
            return value;
    }

    struct Sink {
        int variable;
        Real mantissa;
        Exponent exponent;
    };

    void progress(Varset set) {
        if ((set & 0xff) == 0) job_.check();
        job_.done.fetch_add(1, std::memory_order_relaxed);
    }

    bool matters(Varset set) const { return potentials_.loss(set) <= cut_ && potentials_.up[set] > exponent_of_zero; }

    /// Take up the sinks that could be added to `set`.
    void enter(Varset set) {
        set_ = set;
        num_sinks_ = 0;
        for (const int v : members(all_ & ~set)) {
            const Exponent exponent = subset_sums_.exponent(v, set);
            if (exponent > exponent_of_zero) sinks_[num_sinks_++] = {v, subset_sums_.mantissa(v, set), exponent};
        }
        budget_ = cut_ - potentials_.up[all_] + potentials_.up[set];
    }

    bool is_within(Varset added, Exponent exponent) const { return -exponent - potentials_.down[set_ | added] <= budget_; }

    void count_from(std::size_t first, Varset added, Exponent exponent, std::uint64_t& count, std::uint64_t most) const {
        for (std::size_t i = first; i < num_sinks_ && count < most; ++i) {
            const Varset next = with(added, sinks_[i].variable);
            if (!is_within(next, exponent + sinks_[i].exponent)) continue;
            ++count;
            count_from(i + 1, next, exponent + sinks_[i].exponent, count, most);
        }
    }

    void push_forward(Varset set) {
        enter(set);
        push_from(0, 0, -sums_.forward[set], 0);
    }

    /// `product` carries Z(U) and the sign of the next set.
    void push_from(std::size_t first, Varset added, const Real& product, Exponent exponent) {
        for (std::size_t i = first; i < num_sinks_; ++i) {
            const Sink& sink = sinks_[i];
            const Varset next = with(added, sink.variable);
            const Exponent next_exponent = exponent + sink.exponent;
            if (!is_within(next, next_exponent)) continue;
            const Real next_product = -product * sink.mantissa;
            const Varset target = set_ | next;
            const Real term = next_product * power_of_two(potentials_.up[set_] + next_exponent - potentials_.up[target]);
            forward_[target] += widen(term);
            ++sums_.num_terms;
            push_from(i + 1, next, next_product, next_exponent);
        }
    }

    void pull_backward(Varset set) {
        enter(set);
        scale_ = share(set);
        sums_.backward[set] = narrow(pull_from(0, 0, Real(-1.0), 0));
    }

    /// Sum of the terms whose set begins with `added`; what each sink's branch adds up to is part of its q.
    Wide pull_from(std::size_t first, Varset added, const Real& product, Exponent exponent) {
        Wide sum(0.0);
        for (std::size_t i = first; i < num_sinks_; ++i) {
            const Sink& sink = sinks_[i];
            const Varset next = with(added, sink.variable);
            const Exponent next_exponent = exponent + sink.exponent;
            if (!is_within(next, next_exponent)) continue;
            const Real next_product = -product * sink.mantissa;
            const Varset target = set_ | next;
            const Real term =
                next_product * sums_.backward[target] * power_of_two(next_exponent + potentials_.down[target] - potentials_.down[set_]);
            absolute_ += scale_ * std::abs(leading(term));
            ++sums_.num_terms;
            const Wide branch = widen(term) + pull_from(i + 1, next, next_product, next_exponent);
            if (is_wanted_) add_posterior(sink.variable, branch.hi);
            sum += branch;
        }
        return sum;
    }

    double share(Varset set) const {
        return leading(sums_.forward[set]) * power_of_two(-potentials_.loss(set)) / leading(sums_.forward[all_]);
    }

    void add_posterior(int v, double branch) {
        sums_.non_descendants[static_cast<std::size_t>(v) * subset_sums_.per_variable() + drop_bit(set_, v)] += scale_ * branch;
    }

    const SubsetSums<Real>& subset_sums_;
    const Potentials& potentials_;
    Job& job_;
    Varset all_;
    Exponent cut_;
    std::vector<Wide> forward_;
    NetworkSums<Real> sums_;
    bool is_wanted_;
    // of the set that is being walked from:
    Varset set_ = 0;
    std::array<Sink, 32> sinks_{};
    std::size_t num_sinks_ = 0;
    std::int64_t budget_ = 0;
    double scale_ = 0;
    double absolute_ = 0;
};

}  // namespace dagmass
