"""The default engine: compiled kernels over bitsets and histograms, in threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules.search.engines.engine import Expansion, ExtensionSums, Nodes
from boolrules.search.engines.loading import load_kernels, threads
from boolrules.search.engines.open_nodes import NodeHeap, sorted_chunks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from boolrules.data.bins import BinnedConditions
    from boolrules.data.column import IntegerDuals
    from boolrules.data.training_set import TrainingSet
    from boolrules.search.engines.engine import Terms

NODES_PER_TASK = 128
LARGEST_BATCH = 8192
# About a second's work on large data: whoever waits for a batch can still keep a time limit.
MOST_ENTRIES_PER_BATCH = 2_000_000_000
FIRST_BUFFER = 4096
# Tables of the weights of eight rows at a time: 4 MB at most, so that they stay in cache.
MOST_ROWS_IN_TABLES = 16_384
# Up to so many truth values, rows are laid out anew for each search, by weight and without
# positives that have μ_i = 0; beyond, that would take longer than a heuristic search.
MOST_LAID_OUT = 20_000_000


class NumbaEngine:
    """Sums over the covered samples by compiled kernels.

    A batch is cut into tasks of a fixed size whose results are joined in order, so that nothing
    depends on the number of threads.
    """

    def __init__(
        self,
        training_set: TrainingSet,
        duals: IntegerDuals,
        *,
        is_enumerating: bool = False,
        n_threads: int = 1,
    ) -> None:
        self._kernels = load_kernels()
        self._n_threads = n_threads
        self._J = len(training_set.conditions)
        _, weights_Z = training_set.integer_weights(duals.scale, duals.theta)
        rows = np.arange(len(duals.mu)) if is_enumerating else np.flatnonzero(duals.mu)
        if self._J * len(duals.mu) <= MOST_LAID_OUT:
            conditions, codes = training_set.conditions, training_set.codes_P
            self._P = self._sorted_side(conditions, codes[rows], duals.mu[rows])
        else:
            self._P = self._side(training_set.P.bits, training_set.codes_P, duals.mu)
        if self._J * len(weights_Z) <= MOST_LAID_OUT and len(np.unique(weights_Z)) > 1:
            conditions, codes = training_set.conditions, training_set.codes_Z
            self._Z = self._sorted_side(conditions, codes, weights_Z)
        else:
            self._Z = self._side(training_set.Z.bits, training_set.codes_Z, weights_Z)
        conditions = training_set.conditions
        offsets = np.concatenate([[0], np.cumsum(conditions.n_codes + 1)])
        # Contiguous, however they were made: kernels are compiled for each layout.
        ranges = np.ascontiguousarray(conditions.ranges)
        self._conditions = self._kernels.Conditions(
            conditions.feature, ranges, conditions.chains, offsets
        )

    def _sorted_side(
        self,
        conditions: BinnedConditions,
        codes: NDArray[np.unsignedinteger],
        weights: NDArray[np.int64],
    ) -> Any:
        """Lay rows out for the kernels, those of equal weight side by side."""
        order = _by_weight(weights)
        codes = codes[order]
        return self._side(conditions.bits(codes), codes, weights[order])

    def _side(
        self,
        bits: NDArray[np.uint64],
        codes: NDArray[np.unsignedinteger],
        weights: NDArray[np.int64],
    ) -> Any:
        runs, mixed = _runs(weights)
        tables = _tables(weights, mixed if 64 * len(mixed) <= MOST_ROWS_IN_TABLES else mixed[:0])
        codes = np.ascontiguousarray(codes)
        return self._kernels.Side(bits, codes, weights, runs, mixed, tables)

    @property
    def batch_size(self) -> int:
        """Enough nodes to keep all threads busy, and no more than a second's work."""
        n_entries = self._P.codes.size + self._Z.codes.size
        return max(8, min(LARGEST_BATCH, MOST_ENTRIES_PER_BATCH // max(n_entries, 1)))

    @property
    def zeros(self) -> Any:
        """Z as the kernels take it."""
        return self._Z

    def extend(self, clauses: NDArray[np.int32]) -> ExtensionSums:
        """Sum over each clause, and over each clause with each condition added."""
        B = len(clauses)
        sums = ExtensionSums(
            np.empty(B, dtype=np.int64),
            np.empty(B, dtype=np.int64),
            np.empty((B, self._J), dtype=np.int64),
            np.empty((B, self._J), dtype=np.int64),
        )
        clauses = np.ascontiguousarray(clauses, dtype=np.int32)

        def task(some: slice) -> None:
            self._kernels.extend(
                self._P,
                self._Z,
                self._conditions,
                clauses[some],
                sums.M[some],
                sums.N[some],
                sums.M_extended[some],
                sums.N_extended[some],
            )

        self._run(task, B)
        return sums

    def expand(self, nodes: Nodes, terms: Terms) -> Expansion:
        """Price the children of nodes and bound what lies below them."""
        found, parts = self.expand_into(lambda children: [children], nodes, terms)
        return Expansion(found, Nodes.concatenate(parts))

    def expand_into(
        self, cut: Callable[[Nodes], list[Nodes]], nodes: Nodes, terms: Terms
    ) -> tuple[NDArray[np.int64], list[Nodes]]:
        """Return what was found, and the children of each task as its thread has cut them."""

        def task(some: slice) -> tuple[NDArray[np.int64], list[Nodes]]:
            part = self._expand(nodes[some], terms)
            return _shifted(part.found, some.start), cut(part.children)

        parts = self._run(task, len(nodes))
        found = np.concatenate([found for found, _ in parts])
        return found, [chunk for _, chunks in parts for chunk in chunks]

    def open(self, root: Nodes | None, terms: Terms) -> NodeHeap:
        """Begin a search at some nodes."""
        return ThreadedHeap(self, terms, root)

    def _expand(self, nodes: Nodes, terms: Terms) -> Expansion:
        """Expand the nodes of one task, in as many calls as its buffers need."""
        size = max(FIRST_BUFFER, 4 * self._J)
        found = np.empty((size, 5), dtype=np.int64)
        children = np.empty((size, 4), dtype=np.int64)
        allowed = np.empty((size, nodes.allowed.shape[1]), dtype=np.uint64)
        all_found, all_children, all_allowed = [], [], []
        first = 0
        while first < len(nodes):
            first, n_found, n_children = self._kernels.expand(
                self._P,
                self._Z,
                self._conditions,
                terms,
                nodes.clauses,
                nodes.lengths,
                nodes.allowed,
                first,
                found,
                children,
                allowed,
            )
            all_found.append(found[:n_found].copy())
            all_children.append(children[:n_children].copy())
            all_allowed.append(allowed[:n_children].copy())
        return Expansion.of(
            nodes,
            np.concatenate(all_found),
            np.concatenate(all_children),
            np.concatenate(all_allowed),
        )

    def _run(self, task: Any, n: int) -> list[Any]:
        """Run a task on slices of n items, one for each thread if few; return results in order."""
        size = max(1, min(NODES_PER_TASK, -(-n // self._n_threads)))
        slices = [slice(start, min(start + size, n)) for start in range(0, n, size)]
        if self._n_threads == 1 or len(slices) == 1:
            return [task(some) for some in slices]
        return list(threads(self._n_threads).map(task, slices))


class ThreadedHeap(NodeHeap):
    """Open nodes, best bound first; the threads that expand nodes sort their children, too."""

    _engine: NumbaEngine

    def _expand(self, nodes: Nodes) -> tuple[NDArray[np.int64], list[Nodes]]:
        return self._engine.expand_into(sorted_chunks, nodes, self._terms)


def _by_weight(weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows with those of equal weight side by side, frequent weights first."""
    _, inverse, counts = np.unique(weights, return_inverse=True, return_counts=True)
    return np.lexsort((inverse, -counts[inverse]))


def _runs(weights: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the words of 64 rows in which all weigh the same, in runs, and the other words.

    Examples
    --------
    >>> runs, mixed = _runs(np.array([3] * 130 + [5] * 100))
    >>> runs.tolist(), mixed.tolist()
    ([[0, 2, 3], [3, 4, 5]], [2])
    """
    n_words = -(-len(weights) // 64)
    padded = np.pad(weights, (0, 64 * n_words - len(weights)), mode="edge") if n_words else weights
    words = padded.reshape(-1, 64)
    is_even = (words == words[:, :1]).all(axis=1)
    value = np.where(is_even, words[:, 0], -1)
    starts = np.flatnonzero(np.diff(value, prepend=-2))
    runs = np.column_stack([starts, np.append(starts, n_words)[1:], value[starts]])
    return runs[runs[:, 2] >= 0], np.flatnonzero(~is_even)


def _tables(weights: NDArray[np.int64], words: NDArray[np.int64]) -> NDArray[np.int64]:
    """Weight of each of the 256 choices among the first eight rows of a word, the next, …."""
    padded = np.zeros(-(-len(weights) // 64) * 64, dtype=np.int64)
    padded[: len(weights)] = weights
    choices = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    rows = padded.reshape(-1, 64)[words].reshape(-1, 8)
    return np.ascontiguousarray(rows @ choices.T.astype(np.int64))


def _shifted(found: NDArray[np.int64], first: int) -> NDArray[np.int64]:
    """Number the nodes of a task as in the whole batch."""
    found[:, 0] += first
    return found
