/// The acyclic orientations without v-structures of chordal graphs: the members of a class of equivalent networks.
///
/// Clique-picking (Wienoebst, Bannach and Liskiewicz 2021): every orientation begins with exactly one pair of a maximal clique K and an
/// order of K that does not begin with the part of K that an earlier clique on the way from the root of a clique tree shares with it.
/// Once K is in order, all edges that leave it point away, the first rule of Meek directs more, and what is left falls into chordal
/// graphs that are oriented one by one:
///
///     count(G) = sum over K of  phi(|K|, forbidden prefixes of K) * product over what is left of  count(part)
///     phi(x_i) = x_i! - sum over j < i of (x_i - x_j)! * phi(x_j),   x_1 < x_2 < ... the sizes of the forbidden prefixes, then |K|.
///
/// Different K leave few different parts (at most twice the number of cliques), so everything is remembered by set of variables.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cpdag.hpp"
#include "varset.hpp"

namespace dagmass {

/// Up to 32!, which fits.
using Count = unsigned __int128;

using Neighbours = std::array<Varset32, 32>;

/// One way to begin: a clique, the sizes of its forbidden prefixes, and what it leaves.
struct CliqueStart {
    Varset32 clique = 0;
    std::vector<Varset32> forbidden;            // rising
    std::vector<std::pair<int, int>> directed;  // edges between the parts that are left, in the direction they get
    std::vector<Varset32> parts;                // connected, more than one variable each
    Count num_orders = 0;                       // of the clique
    Count count = 0;                            // orientations of the whole that begin so
};

/// Orientations of the connected chordal graph over `set`.
struct Orientations {
    Count count = 1;
    std::vector<CliqueStart> starts;
};

constexpr Count factorial(int n) {
    Count product = 1;
    for (int i = 2; i <= n; ++i) product *= static_cast<Count>(i);
    return product;
}

class OrientationCounter {
  public:
    explicit OrientationCounter(const Neighbours& neighbours) : neighbours_(neighbours) {}

    const Orientations& of(Varset32 set) {
        if (const auto found = known_.find(set); found != known_.end()) return found->second;
        Orientations result;
        result.starts = starts(set);
        result.count = 0;
        for (auto& start : result.starts) {
            start.count = start.num_orders = num_orders(start);
            for (const Varset32 part : start.parts) start.count *= of(part).count;
            result.count += start.count;
        }
        return known_.emplace(set, std::move(result)).first->second;
    }

    /// Connected components of what is undirected, of more than one variable.
    std::vector<Varset32> components(Varset32 set, const Neighbours& undirected) const {
        std::vector<Varset32> found;
        while (set != 0) {
            auto part = static_cast<Varset32>(only(lowest(set)));
            for (Varset32 fresh = part; fresh != 0;) {
                Varset32 next = 0;
                for (const int v : members(fresh)) next |= undirected[static_cast<std::size_t>(v)];
                fresh = next & set & ~part;
                part |= fresh;
            }
            set &= ~part;
            if (size(part) > 1) found.push_back(part);
        }
        return found;
    }

    const Neighbours& neighbours() const { return neighbours_; }

  private:
    struct Clique {
        Varset32 variables = 0;
        std::size_t parent = 0;  // in the tree; the root is its own
        Varset32 separator = 0;  // shared with the parent
    };

    /// Maximal cliques and a clique tree by maximum cardinality search (Blair and Peyton 1993).
    std::vector<Clique> clique_tree(Varset32 set) const {
        std::vector<Clique> cliques;
        std::array<std::size_t, 32> clique_of{};
        Varset32 visited = 0;
        int previous = -1;
        for (Varset32 rest = set; rest != 0;) {
            int next = lowest(rest), most = -1;
            for (const int v : members(rest))
                if (const int count = size(neighbours_[static_cast<std::size_t>(v)] & visited); count > most) next = v, most = count;
            const Varset32 shared = neighbours_[static_cast<std::size_t>(next)] & visited;
            if (most <= previous || cliques.empty()) {  // a new clique begins
                std::size_t parent = cliques.size();
                for (std::size_t c = 0; c < cliques.size(); ++c)
                    if (is_subset(shared, cliques[c].variables)) {
                        parent = c;
                        break;
                    }
                cliques.push_back({shared, parent, shared});
            }
            cliques.back().variables |= static_cast<Varset32>(only(next));
            clique_of[static_cast<std::size_t>(next)] = cliques.size() - 1;
            previous = most;
            visited |= static_cast<Varset32>(only(next));
            rest &= ~static_cast<Varset32>(only(next));
        }
        return cliques;
    }

    std::vector<CliqueStart> starts(Varset32 set) const {
        std::vector<CliqueStart> found;
        const auto cliques = clique_tree(set);
        for (std::size_t c = 0; c < cliques.size(); ++c) {
            CliqueStart start;
            start.clique = cliques[c].variables;
            for (std::size_t at = c; cliques[at].parent != at; at = cliques[at].parent)
                if (is_subset(cliques[at].separator, start.clique)) start.forbidden.push_back(cliques[at].separator);
            std::sort(start.forbidden.begin(), start.forbidden.end(), [](Varset32 a, Varset32 b) { return size(a) < size(b); });
            start.forbidden.erase(std::unique(start.forbidden.begin(), start.forbidden.end()), start.forbidden.end());
            leave(set, start);
            found.push_back(std::move(start));
        }
        return found;
    }

    /// Direct away from the clique and close under the first rule of Meek: u -> v - w with u and w not linked becomes v -> w.
    void leave(Varset32 set, CliqueStart& start) const {
        Neighbours undirected{}, into{};
        for (const int v : members(set & ~start.clique)) {
            undirected[static_cast<std::size_t>(v)] = neighbours_[static_cast<std::size_t>(v)] & set & ~start.clique;
            into[static_cast<std::size_t>(v)] = neighbours_[static_cast<std::size_t>(v)] & start.clique;
        }
        for (bool grows = true; grows;) {
            grows = false;
            for (const int v : members(set & ~start.clique))
                for (const int w : members(undirected[static_cast<std::size_t>(v)]))
                    if (into[static_cast<std::size_t>(v)] & ~neighbours_[static_cast<std::size_t>(w)]) {
                        undirected[static_cast<std::size_t>(v)] &= ~static_cast<Varset32>(only(w));
                        undirected[static_cast<std::size_t>(w)] &= ~static_cast<Varset32>(only(v));
                        into[static_cast<std::size_t>(w)] |= static_cast<Varset32>(only(v));
                        start.directed.emplace_back(v, w);
                        grows = true;
                    }
        }
        start.parts = components(set & ~start.clique, undirected);
    }

    /// Orders of the clique that begin with none of the forbidden prefixes.
    static Count num_orders(const CliqueStart& start) {
        std::vector<int> sizes;
        for (const Varset32 prefix : start.forbidden) sizes.push_back(size(prefix));
        sizes.push_back(size(start.clique));
        std::vector<Count> phi(sizes.size());
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            phi[i] = factorial(sizes[i]);
            for (std::size_t j = 0; j < i; ++j) phi[i] -= factorial(sizes[i] - sizes[j]) * phi[j];
        }
        return phi.back();
    }

    Neighbours neighbours_;
    std::unordered_map<Varset32, Orientations> known_;
};

}  // namespace dagmass
