"""The specification of a search over ranges of cuts, in numpy and plain loops.

A node holds, for each chain of nested conditions, a range of cuts from loose to tight; 0 is none.
A clause below it takes one cut of each range. Its reduced cost is bounded by a relaxation in
which each chain chooses by itself. Every positive has its weight shared out among the chains, and
a chain that loses it pays that share: all who lose it pay at most its weight. Every zero counts
with a share of its weight, paid at first and earned back by each chain that eliminates it: where
none does no more is paid than is due, and where one does or several do, no less is earned. So no
clause of the node costs less than the bound, whatever the shares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.search.engines.engine import Terms

# Shares of a row's weight are counted in 256ths, a byte each; the most that fits is all of it.
WHOLE = 255


def search_cuts(
    P: Any,
    Z: Any,
    chains: Any,
    terms: Terms,
    is_listing: bool,
    n_rounds: int,
    step: int,
    most_nodes: int,
    root: Any,
    found_sums: NDArray[np.int64],
    found_cuts: NDArray[np.int32],
    nodes: Any,
) -> tuple[int, int, int]:
    """Search below one node, depth first.

    A node is closed where its bound is not under the threshold, where its ranges are single cuts,
    or, when pricing, where its loosest cuts are proved best. Else one of its ranges is split.

    When clauses are *listed*, only single cuts count, and not where the clause is beaten: where
    one cut could be looser with the same zeros, or tighter with the same positives and fewer
    zeros. Each such step leads to a clause with more positives or fewer zeros, or with the same
    and looser cuts, so that some clause that is at least as good is listed.

    Ranges end with a cut that eliminates a zero: a tighter one can be looser with the same zeros.
    """
    search = _Search(P, Z, chains, terms, n_rounds, step)
    for name in root._fields:
        getattr(nodes, name)[0] = getattr(root, name)[0]
    d, n_nodes, n_found = 0, 0, 0
    while d >= 0:
        if n_nodes == most_nodes or n_found == len(found_cuts):
            break
        n_nodes += 1
        node = _Node(*(getattr(nodes, name)[d : d + 1] for name in root._fields))
        if search.is_closed(node):
            d -= 1
            continue
        n_used = int((node.first > 0).sum())
        if n_used > terms.longest:
            d -= 1
            continue
        n_chosen = int((search.cut > 0).sum())
        is_one = bool((node.first == node.last).all())
        M, N = search.sums(search.cut)
        paid = terms.clause_price + terms.condition_price * n_chosen - M + N
        is_wanted = n_chosen > 0 and paid < terms.threshold
        if is_wanted and ((is_one and not search.is_beaten(search.cut)) if is_listing else True):
            found_sums[n_found] = paid, M, N
            found_cuts[n_found] = search.cut
            n_found += 1
        is_loosest = bool((search.cut == node.first).all())
        if is_one or (not is_listing and is_loosest and n_used > 0 and paid <= search.bound):
            d -= 1
            continue
        if d + 1 == len(nodes.bound):
            break
        chain, t = search.split(node)
        for name in root._fields:
            getattr(nodes, name)[d + 1] = getattr(nodes, name)[d]
        nodes.first[d + 1, chain] = t
        nodes.last[d, chain] = t - 1
        d += 1
    return n_nodes, n_found, d + 1


class _Node:
    """One open node: views into the arrays of all of them."""

    def __init__(
        self, first: Any, last: Any, bound: Any, M: Any, shares: Any, earned: Any
    ) -> None:
        self.first, self.last = first[0], last[0]
        self.bound, self.M = bound, M
        self.shares, self.earned = shares[0], earned[0]


class _Search:
    """What is looked at in one node after the other."""

    def __init__(
        self, P: Any, Z: Any, chains: Any, terms: Terms, n_rounds: int, step: int
    ) -> None:
        self._P, self._Z, self._chains, self._terms = P, Z, chains, terms
        self._n_rounds, self._step = n_rounds, step
        self.bound = 0
        self.cut = np.zeros(len(chains.n_cuts), dtype=np.int32)
        self._least = np.zeros(len(self.cut), dtype=np.int64)
        self._costs: list[NDArray[np.int64]] = []

    def is_closed(self, node: _Node) -> bool:
        """Bound a node, sharing anew as often as is asked for; whether nothing is below it."""
        self._leave_idle_cuts(node)
        left, is_exact = self._n_rounds, False
        while True:
            self._relax(node)
            if self.bound >= self._terms.threshold:
                return True
            self._drop_dear_cuts(node)
            node.bound[0] = max(node.bound[0], self.bound)
            if left > 0:
                self._share_anew(node)
                left -= 1
            elif (self.cut == node.first).all() and not is_exact:
                node.earned[self._covered(self._Z, node)] = WHOLE
                is_exact = True
            else:
                return False

    def _leave_idle_cuts(self, node: _Node) -> None:
        """Lower each range to its last cut that eliminates a zero which the one before keeps.

        A single condition may eliminate nothing: the empty clause does not stand for it.
        """
        loosest = 0 if (node.first > 0).any() else 1
        for c in range(len(self.cut)):
            levels = self._Z.levels[self._covered(self._Z, node), c]
            tightest = int(levels[levels < node.last[c]].max(initial=-1)) + 1
            node.last[c] = max(node.first[c], min(node.last[c], max(tightest, loosest)))

    def _covered(self, side: Any, node: _Node) -> NDArray[np.bool_]:
        return np.asarray((side.levels >= node.first).all(axis=1))

    def _relax(self, node: _Node) -> None:
        """Let each chain choose its cut by itself, as many chains as a clause may have."""
        terms = self._terms
        in_P, in_Z = self._covered(self._P, node), self._covered(self._Z, node)
        share = self._P.weights[:, None] * node.shares.astype(np.int64) >> 8
        value = self._values(node)
        M = int(self._P.weights[in_P].sum())
        self._costs = []
        for c, group in enumerate(self._chains.group):
            cuts = np.arange(node.first[c], node.last[c] + 1)
            lost = in_P & (self._P.charged[:, c] < cuts[:, None])
            eliminated = in_Z & (self._Z.levels[:, c] < cuts[:, None])
            cost = lost @ share[:, group] - eliminated @ value
            cost += np.where(cuts > 0, terms.condition_price, 0)
            self._costs.append(cost)
            self._least[c] = cost.min()
            self.cut[c] = cuts[cost.argmin()]
        is_used = node.first > 0
        optional = np.flatnonzero(~is_used)
        room = max(terms.longest - int(is_used.sum()), 0)
        total = int(self._least.sum())
        if (self.cut[optional] > 0).sum() > room:
            best_first = optional[np.argsort(self._least[optional], kind="stable")]
            taken, others = best_first[:room], best_first[room:]
            total -= int(self._least[others].sum())
            next_best = min(0, int(self._least[others].min()))
            worst_taken = int(self._least[taken].max()) if room else 0
            for c in taken:
                self._costs[c][0] = next_best  # where it is left out, there is room for another
            for c in others:
                self._costs[c][0] = worst_taken  # who comes in puts out the worst that was taken
                if not room:
                    node.last[c] = 0
                    self._costs[c] = self._costs[c][:1]
            self._least[others] = worst_taken
            self.cut[others] = 0
        self.bound = terms.clause_price - M + int(value[in_Z].sum()) + total
        node.M[0] = M

    def _values(self, node: _Node) -> NDArray[np.int64]:
        """What each zero counts."""
        part = self._Z.weights * node.earned.astype(np.int64) >> 8
        return np.where(node.earned == WHOLE, self._Z.weights, part)

    def _drop_dear_cuts(self, node: _Node) -> None:
        """Leave out the cuts at both ends of a range that cost too much."""
        room = self._terms.threshold - self.bound
        for c, cost in enumerate(self._costs):
            first = int(node.first[c])
            fits = np.flatnonzero(cost - self._least[c] < room)
            node.first[c], node.last[c] = first + fits[0], first + fits[-1]
            self._costs[c] = cost[fits[0] : fits[-1] + 1]

    def _share_anew(self, node: _Node) -> None:
        """Move shares of positives to the chains that lose them, of zeros to where they count."""
        step = self._step
        for i in np.flatnonzero(self._covered(self._P, node)):
            losing = sorted(set(self._chains.group[self.cut > self._P.charged[i]].tolist()))
            if losing:
                shares = node.shares[i].astype(np.int64) * (256 - step) >> 8
                shares[losing] += step // len(losing)
                node.shares[i] = shares
        for i in np.flatnonzero(self._covered(self._Z, node)):
            n_eliminating = int((self.cut > self._Z.levels[i]).sum())
            earned = int(node.earned[i])
            if n_eliminating == 0:
                node.earned[i] = min(WHOLE, earned + step)
            elif n_eliminating > 1:
                node.earned[i] = max(0, earned - 3 * step * (n_eliminating - 1) // 10)

    def sums(self, cut: NDArray[np.int32]) -> tuple[int, int]:
        """Return M and N of a clause."""
        in_P, in_Z = ((side.levels >= cut).all(axis=1) for side in (self._P, self._Z))
        return int(self._P.weights[in_P].sum()), int(self._Z.weights[in_Z].sum())

    def split(self, node: _Node) -> tuple[int, int]:
        """Return the chain to split, and the first cut of its upper half.

        Best is where the bounds of both halves rise: below the chosen cut the cost of a worse one,
        above it the rows that leave.
        """
        price, room = self._terms.condition_price, self._terms.threshold - self.bound
        offset = float(price) if price > 0 else room / 16.0
        best, best_score = (-1, 0), -1.0
        gains = self._gains_below(node)
        for c, cost in enumerate(self._costs):
            first = int(node.first[c])
            for t in range(first + 1, self.cut[c] + 1):
                below = int(cost[: t - first].min() - self._least[c])
                leaving = int(gains[c][first + 1 : t + 1].sum())
                score = (min(below, room) + offset) * (min(leaving, room) + offset)
                if score > best_score:
                    best, best_score = (c, t), score
        if best[0] >= 0:
            return best
        for c, cost in enumerate(self._costs):
            for t in range(node.last[c], node.first[c], -1):
                above = int(cost[t - node.first[c] :].min() - self._least[c])
                if float(min(above, room)) > best_score:
                    best, best_score = (c, t), float(min(above, room))
        return best

    def _gains_below(self, node: _Node) -> list[NDArray[np.int64]]:
        """For each cut: by how much the bound rises if the rows leave that it loses first."""
        gains = [np.zeros(n + 2, dtype=np.int64) for n in self._chains.n_cuts]
        for i in np.flatnonzero(self._covered(self._P, node)):
            weight, rest = int(self._P.weights[i]), int(self._P.weights[i])
            for group in self._chains.group[self.cut > self._P.charged[i]]:
                rest -= weight * int(node.shares[i, group]) >> 8
            for c, level in enumerate(self._P.levels[i]):
                gains[c][level + 1] += rest
        for i in np.flatnonzero(self._covered(self._Z, node)):
            eliminating = np.flatnonzero(self.cut > self._Z.levels[i])
            if len(eliminating) > 1:
                value = int(self._values(node)[i])
                for c in eliminating.tolist():
                    gains[c][self._Z.levels[i, c] + 1] += value * (len(eliminating) - 1)
        return gains

    def is_beaten(self, cut: NDArray[np.int32]) -> bool:
        """Whether a looser cut keeps the same zeros, or a tighter one the same positives."""
        covered_P = self._P.levels[(self._P.levels >= cut).all(axis=1)]
        if not len(covered_P):
            return True
        fails = self._Z.levels < cut
        covered_Z = self._Z.levels[~fails.any(axis=1)]
        by_one = fails & (fails.sum(axis=1) == 1)[:, None]
        for c in np.flatnonzero(cut):
            is_alone = cut[c] == 1 and (cut > 0).sum() == 1  # without it, no clause is left
            needs_it = by_one[:, c] & (self._Z.levels[:, c] == cut[c] - 1)
            if not (is_alone or needs_it.any()):
                return True
            if (covered_Z[:, c] < covered_P[:, c].min()).any():
                return True
        return False
