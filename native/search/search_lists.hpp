/// The families that a search works on: of every variable those within a gap. They can be made longer while the scores are at hand.
#pragma once

#include <algorithm>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../job.hpp"
#include "../scores/gap_lists.hpp"
#include "../scores/score.hpp"

namespace dagmass {

/// The scores are needed again, for lists that reach to this slack. The message is the number.
class ListsTooShort : public std::exception {
  public:
    explicit ListsTooShort(Score slack) : text_(std::to_string(slack)) {}
    const char* what() const noexcept override { return text_.c_str(); }

  private:
    std::string text_;
};

struct SearchLists {
    using Make = std::function<GapLists(Score slack, std::size_t max_sets, Job& job)>;

    std::vector<ParentList> of_variable;
    Score slack = 0;  // gaps in them; infinite where all families are listed
    Make make;        // empty once the scores are gone

    /// A slack to begin with, in nats. Longer lists cost less than making them again, the more so the more variables there are.
    static Score first_slack(int num_variables) { return std::max(4, num_variables - 8); }

    SearchLists() = default;
    /// The first lists hold at most `max_sets` each, even where they do not reach as far as is wanted.
    SearchLists(Make make_lists, Score wanted, std::size_t max_sets, Job& job) : make(std::move(make_lists)) {
        lengthen(wanted, job, max_sets);
    }

    void lengthen(Score wanted, Job& job, std::size_t max_sets = SIZE_MAX) {
        if (!make) throw ListsTooShort(wanted);
        auto made = make(wanted, max_sets, job);
        of_variable = std::move(made.of_variable);
        const bool are_complete =
            std::all_of(of_variable.begin(), of_variable.end(), [](const ParentList& list) { return list.is_complete; });
        slack = are_complete ? infinite_loss : made.slack;
    }
};

}  // namespace dagmass
