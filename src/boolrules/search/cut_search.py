"""Exact search over ranges of cuts: its cost hardly grows with the number of thresholds (§9).

Of a chain of nested conditions (``age <= 20``, ``age <= 30``, …), the *cuts*, a clause has at most
one. A node is a range of cuts for each chain, and is split where both halves gain most, from
coarse to fine. ``engines.numpy_cuts`` says what a node is and why its bound holds.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules.search.engines import numpy_cuts
from boolrules.search.engines.loading import load_kernels, threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.data.bins import BinnedConditions
    from boolrules.search.engines import Terms
    from boolrules.search.narrowing import Narrowed

# Open nodes that are taken at a time, and nodes that are searched below each: at most so many, and
# no more than a second's work in all, so that whoever waits for a batch can keep a time limit.
NODES_PER_BATCH = 16
NODES_PER_TASK = 400
MOST_ENTRIES_PER_TASK = 5_000_000
DEEPEST = 64
MOST_FOUND = 2000
# How often rows are shared anew in a node, and how far, of 255: with more nothing is gained.
N_ROUNDS, STEP = 3, 127
N_ROUNDS_AT_ROOT, STEP_AT_ROOT = 10, 25
# Open nodes beyond this many are taken newest first, which keeps their number from growing.
MOST_OPEN_BYTES = 500_000_000
BYTES_PER_NODE = 1_000  # beside its arrays' own


class CutSearch:
    """The state of one search: open nodes, and the least found by clause length.

    Parameters
    ----------
    needed : Narrowed
        Rows, duals and conditions.
    terms : Terms
        What is asked for.
    is_listing : bool
        Whether every clause under the threshold is wanted, but for those that another beats. Then
        all positives must be there, those with μ_i = 0 too.
    engine : str
        "numba", or "numpy" for the specification.
    n_threads : int
        Nothing depends on it.
    """

    def __init__(
        self,
        needed: Narrowed,
        terms: Terms,
        *,
        is_listing: bool,
        engine: str = "numba",
        n_threads: int = 1,
    ) -> None:
        kernels = load_kernels()
        self._kernels = kernels
        self._search = numpy_cuts.search_cuts if engine == "numpy" else kernels.search_cuts
        self._needed = needed
        self._terms = terms
        self._is_listing = is_listing
        self._n_threads = n_threads
        samples: Any = needed.samples
        self._cuts = _Cuts(samples.conditions)
        _, weights_Z = samples.integer_weights(needed.duals.scale, needed.duals.theta)
        levels_P, levels_Z = map(self._cuts.levels, (samples.codes_P, samples.codes_Z))
        charged_P = self._cuts.charged(samples.codes_P, levels_P)
        self._P = self._rows(levels_P, charged_P, needed.duals.mu)
        # A zero is earned by every chain that eliminates it.
        self._Z = self._rows(levels_Z, levels_Z, weights_Z)
        self._chains = kernels.Chains(self._cuts.n_cuts, self._cuts.offsets, self._cuts.group)
        n_entries = self._P.levels.size + self._Z.levels.size
        self._most_nodes = max(1, min(NODES_PER_TASK, MOST_ENTRIES_PER_TASK // max(n_entries, 1)))
        self._longest = min(terms.longest, len(self._cuts.n_cuts))
        self._least_found = np.zeros(self._longest + 1, dtype=np.int64)
        self._heap: list[tuple[float, int, Any]] = []
        self._n_pushed = 0
        self.n_nodes = 0
        if len(samples.conditions):
            self._push(self._root())

    @property
    def has_open_nodes(self) -> bool:
        """Whether anything is left to search."""
        return len(self._heap) > 0

    def expand_a_batch(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Search below open nodes of least bound; return reduced cost, M and N, and clauses."""
        taken = [
            heapq.heappop(self._heap)[2] for _ in range(min(NODES_PER_BATCH, len(self._heap)))
        ]
        results = self._run(taken)
        for n_nodes, _, _, nodes in results:
            self.n_nodes += n_nodes
            self._push(nodes)
        sums = np.concatenate([sums for _, sums, _, _ in results])
        cuts = np.concatenate([cuts for _, _, cuts, _ in results])
        # A node that is closed at its loosest cuts has no shorter clause and no better one.
        np.minimum.at(self._least_found, (cuts > 0).sum(axis=1), sums[:, 0])
        return sums, self._needed.of_the_whole(self._cuts.clauses(cuts, self._longest))

    def least_by_length(self) -> list[int]:
        """Lower bounds, at most 0, on the reduced cost of clauses with 1, 2, … conditions."""
        least = self._least_found.copy()
        terms = self._terms
        nodes = [node for _, _, node in self._heap]
        bound = np.array([node.bound[0] for node in nodes], dtype=np.int64)
        M = np.array([node.M[0] for node in nodes], dtype=np.int64)
        n_used = np.array([(node.first > 0).sum() for node in nodes], dtype=np.int64)
        for n in range(1, len(least)):
            paid = terms.clause_price + terms.condition_price * n
            of_length = np.maximum(bound, paid - M)[n_used <= n]
            least[n] = min(least[n], of_length.min(initial=0))
        by_length = np.minimum.accumulate(least)[1:].tolist()
        # With more conditions than chains, a clause is no better than without some of them.
        return by_length + by_length[-1:] * (terms.longest - self._longest)

    def _rows(
        self, levels: NDArray[np.int32], charged: NDArray[np.int32], weights: NDArray[np.int64]
    ) -> Any:
        """Return one side as the kernels take it."""
        places = (self._cuts.offsets[:-1] + charged + 1).astype(np.uint32)
        return self._kernels.CutRows(levels, charged, places, weights)

    def _root(self) -> Any:
        """Return every cut of every chain, with rows shared out evenly."""
        nodes = self._empty_nodes(1)
        nodes.first[:] = 0
        nodes.last[:] = self._cuts.n_cuts
        nodes.M[:] = self._P.weights.sum()
        nodes.bound[:] = -nodes.M
        nodes.shares[:] = numpy_cuts.WHOLE // max(self._cuts.n_groups, 1)
        nodes.earned[:] = numpy_cuts.WHOLE
        return nodes

    def _empty_nodes(self, n: int) -> Any:
        C = len(self._cuts.n_cuts)
        return self._kernels.CutNodes(
            np.zeros((n, C), dtype=np.int32),
            np.zeros((n, C), dtype=np.int32),
            np.zeros(n, dtype=np.int64),
            np.zeros(n, dtype=np.int64),
            np.zeros((n, len(self._P.levels), self._cuts.n_groups), dtype=np.uint8),
            np.zeros((n, len(self._Z.levels)), dtype=np.uint8),
        )

    def _run(self, taken: list[Any]) -> list[Any]:
        """Search below each node; results in order, whoever is done first."""
        if self._n_threads == 1 or len(taken) == 1:
            return [self._search_below(node) for node in taken]
        return list(threads(self._n_threads).map(self._search_below, taken))

    def _search_below(self, root: Any) -> tuple[int, Any, Any, Any]:
        is_first = self.n_nodes == 0
        sums = np.empty((MOST_FOUND, 3), dtype=np.int64)
        cuts = np.empty((MOST_FOUND, len(self._cuts.n_cuts)), dtype=np.int32)
        nodes = self._empty_nodes(DEEPEST)
        n_nodes, n_found, n_open = self._search(
            self._P,
            self._Z,
            self._chains,
            self._terms,
            self._is_listing,
            N_ROUNDS_AT_ROOT if is_first else N_ROUNDS,
            STEP_AT_ROOT if is_first else STEP,
            1 if is_first else self._most_nodes,
            root,
            sums,
            cuts,
            nodes,
        )
        left = type(nodes)(*(array[:n_open] for array in nodes))
        return n_nodes, sums[:n_found].copy(), cuts[:n_found].copy(), left

    def _push(self, nodes: Any) -> None:
        n_bytes = len(self._heap) * (BYTES_PER_NODE + sum(array[:1].nbytes for array in nodes))
        for k in range(len(nodes.bound)):
            node = type(nodes)(*(array[k : k + 1].copy() for array in nodes))
            self._n_pushed += 1
            key = -np.inf if n_bytes > MOST_OPEN_BYTES else float(node.bound[0])
            heapq.heappush(self._heap, (key, -self._n_pushed, node))


class _Cuts:
    """Conditions as cuts of chains, numbered from the loosest, 1, to the tightest."""

    def __init__(self, conditions: BinnedConditions) -> None:
        self._conditions = conditions
        chains = conditions.chains
        self._order = np.lexsort((-conditions.sizes, chains))
        self.n_cuts = np.bincount(chains).astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(self.n_cuts)])
        # Two places more per chain: no cut, and beyond the last.
        self.offsets = starts + 2 * np.arange(len(starts))
        self._starts = starts
        self._feature = conditions.feature[self._order[starts[:-1]]]
        self._pairs = self._partners()
        group = np.arange(len(self.n_cuts))
        for one, other in self._pairs:
            group[other] = one
        self.group = np.unique(group, return_inverse=True)[1].astype(np.int64)
        self.n_groups = int(self.group.max(initial=-1)) + 1

    def levels(self, codes: NDArray[np.unsignedinteger]) -> NDArray[np.int32]:
        """How many cuts of each chain hold on each row."""
        levels = np.empty((len(codes), len(self.n_cuts)), dtype=np.int32)
        for c, f in enumerate(self._feature):
            steps = np.zeros(int(self._conditions.n_codes[f]) + 1, dtype=np.int64)
            for j in self._of_chain(c):
                start, stop, start_2, stop_2 = self._conditions.ranges[j]
                steps[start] += 1
                steps[stop] -= 1
                steps[start_2] += 1
                steps[stop_2] -= 1
            levels[:, c] = np.cumsum(steps)[codes[:, f]]
        return levels

    def charged(
        self, codes: NDArray[np.unsignedinteger], levels: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Levels at which a chain pays for a row: not where its partner does so already.

        Two partners lose a row together only where it is outside the codes of either, as a missing
        value is. (Elsewhere the clause would cover nothing.) There one of them pays.
        """
        charged = levels.copy()
        for one, other in self._pairs:
            start = self._conditions.ranges[self._of_chain(one)[0], 0]
            stop = self._conditions.ranges[self._of_chain(other)[0], 1]
            code = codes[:, self._feature[one]]
            charged[(code < start) | (code >= stop), other] = self.n_cuts[other]
        return charged

    def clauses(self, cuts: NDArray[np.int32], longest: int) -> NDArray[np.int32]:
        """Write cuts as rows of condition ids, padded with -1."""
        clauses = np.full((len(cuts), longest), -1, dtype=np.int32)
        rows, chains = np.nonzero(cuts)
        first = np.searchsorted(rows, np.arange(len(cuts)))
        place = np.arange(len(rows)) - first[rows]
        clauses[rows, place] = self._order[self._starts[chains] + cuts[rows, chains] - 1]
        return clauses

    def _of_chain(self, c: int) -> NDArray[np.int64]:
        return self._order[self._starts[c] : self._starts[c + 1]]

    def _partners(self) -> list[tuple[int, int]]:
        """Return the pairs of chains, such as ``<=`` and ``>``, that lose no row together.

        Both are single ranges of codes, the first with a common start, the other with a common
        stop: where both lose a row between the two, they have no code in common.
        """
        pairs = []
        ranges = [self._conditions.ranges[self._of_chain(c)] for c in range(len(self.n_cuts))]
        for f in np.unique(self._feature):
            single = [
                c for c in np.flatnonzero(self._feature == f) if not (ranges[c][:, 3] > 0).any()
            ]
            by_length = sorted(single, key=lambda c: (-self.n_cuts[c], c))
            starts = [c for c in by_length if (ranges[c][:, 0] == ranges[c][0, 0]).all()]
            stops = [c for c in by_length if (ranges[c][:, 1] == ranges[c][0, 1]).all()]
            stops = [c for c in stops if c != starts[0]] if starts else []
            if stops:
                pairs.append((int(starts[0]), int(stops[0])))
        return pairs
