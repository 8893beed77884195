/// A hash table from search states to small values: open addressing, because a search looks up millions of them.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "search_state.hpp"

namespace dagmass {

/// The state of the empty set without anything left to do cannot be a key: it marks free places.
template <class Value>
class StateMap {
  public:
    StateMap() : places_(64) {}

    /// The value of a state, new ones as they are made by default; good until the next call.
    Value& operator[](const SearchState& state) {
        if (2 * (num_used_ + 1) > places_.size()) grow();
        Place& place = find(state);
        if (place.state.set == 0) {
            place.state = state;
            ++num_used_;
        }
        return place.value;
    }

    const Value* get(const SearchState& state) {
        const Place& place = find(state);
        return place.state.set == 0 ? nullptr : &place.value;
    }

    std::size_t num_bytes() const { return places_.capacity() * sizeof(Place); }

  private:
    struct Place {
        SearchState state;
        Value value{};
    };

    Place& find(const SearchState& state) {
        const std::size_t mask = places_.size() - 1;
        std::size_t at = SearchStateHash{}(state)&mask;
        while (places_[at].state.set != 0 && !(places_[at].state == state)) at = (at + 1) & mask;
        return places_[at];
    }

    void grow() {
        std::vector<Place> old(2 * places_.size());
        std::swap(old, places_);
        for (const auto& place : old)
            if (place.state.set != 0) find(place.state) = place;
    }

    std::vector<Place> places_;
    std::size_t num_used_ = 0;
};

}  // namespace dagmass
