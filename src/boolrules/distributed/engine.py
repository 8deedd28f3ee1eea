"""An engine over rows in many places: partitions sum, the client decides.

Expanding a batch of nodes takes at most three questions. The first sums, for every condition, what
the node's clause covers with it; most nodes end there. The second asks which conditions another
beats, which a single row anywhere can deny. The third weighs the zeros that no condition before a
child eliminates. The result is that of ``NumpyEngine``, integer by integer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.bins import pack_bits, unpack_bits
from boolrules.distributed import partition
from boolrules.distributed.samples import PartitionedTrainingSet
from boolrules.search.engines import make_engine
from boolrules.search.engines.engine import Expansion, ExtensionSums
from boolrules.search.engines.loading import load_kernels
from boolrules.search.engines.open_nodes import NodeHeap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.data.column import IntegerDuals
    from boolrules.search.engines import Engine
    from boolrules.search.engines.engine import Nodes, Terms

# About a second's work for each core, and enough that a round trip is worth it.
MOST_ENTRIES_PER_BATCH = 500_000_000
LEAST_BATCH, LARGEST_BATCH = 32, 4096
# Pairs of conditions that one question may be about: a bit of the answer each.
MOST_PAIRS = 50_000_000


class PartitionedEngine:
    """Sums over the covered samples of all partitions."""

    def __init__(
        self,
        training_set: PartitionedTrainingSet,
        duals: IntegerDuals,
        *,
        is_enumerating: bool = False,
    ) -> None:
        self._kernels = load_kernels()
        self._training_set = training_set
        self._workers = training_set.workers
        self._duals = training_set.shared(duals)
        self._is_enumerating = is_enumerating
        self._chain = training_set.conditions.chains
        self._J = len(training_set.conditions)

    @property
    def batch_size(self) -> int:
        """Enough nodes to be worth a round trip, and no more than a second's work or two."""
        n_features = len(self._training_set.conditions.n_codes)
        n_entries = self._training_set.n_rows * n_features // self._workers.n_at_once
        return max(LEAST_BATCH, min(LARGEST_BATCH, MOST_ENTRIES_PER_BATCH // max(n_entries, 1)))

    def extend(self, clauses: NDArray[np.int32]) -> ExtensionSums:
        """Sum over each clause, and over each clause with each condition added."""
        clauses = np.ascontiguousarray(clauses, dtype=np.int32)
        return ExtensionSums(*self._workers.ask(partition.extend, self._duals, clauses).arrays)

    def expand(self, nodes: Nodes, terms: Terms) -> Expansion:
        """Price the children of nodes and bound what lies below them."""
        sums = self.extend(nodes.clauses)
        found, orders = self._first_look(nodes, terms, sums)
        orders = self._unbeaten(nodes, orders)
        floors = self._floors(nodes, orders)
        children: list[tuple[int, int, int, int]] = []
        before: list[NDArray[np.bool_]] = []
        for b, order in orders.items():
            M, N = sums.M_extended[b], sums.N_extended[b]
            price = terms.clause_price + terms.condition_price * (int(nodes.lengths[b]) + 1)
            cost = price - M + N
            found += [
                (b, j, cost[j], M[j], N[j]) for j in order.tolist() if cost[j] < terms.threshold
            ]
            bound = self._bounds(nodes, terms, sums, b, order, floors[b])
            for place in np.flatnonzero(bound < terms.threshold).tolist():
                j = int(order[place])
                children.append((b, j, bound[place], M[j]))
                is_before = np.zeros(self._J, dtype=bool)
                is_before[order[:place]] = True
                before.append(is_before)
        return Expansion.of(
            nodes,
            np.array(found, dtype=np.int64).reshape(-1, 5),
            np.array(children, dtype=np.int64).reshape(-1, 4),
            pack_bits(np.array(before, dtype=bool).reshape(-1, self._J)),
        )

    def open(self, root: Nodes | None, terms: Terms) -> NodeHeap:
        """Begin a search at some nodes."""
        return NodeHeap(self, terms, root)

    def _first_look(
        self, nodes: Nodes, terms: Terms, sums: ExtensionSums
    ) -> tuple[list[tuple[int, int, int, int, int]], dict[int, NDArray[np.int64]]]:
        """Return single conditions under the threshold, and the useful ones of nodes still open.

        A node is closed where no child is cheap and none could lead to a cheap clause, even if
        all zeros could be eliminated and no condition beat another.
        """
        found: list[tuple[int, int, int, int, int]] = []
        orders: dict[int, NDArray[np.int64]] = {}
        allowed = unpack_bits(nodes.allowed, self._J)
        eliminates = sums.N[:, None] - sums.N_extended > terms.least_elimination
        prices = terms.clause_price + terms.condition_price * (nodes.lengths + 1)
        useful = allowed & eliminates & (prices[:, None] - sums.M_extended < terms.threshold)
        costs = prices[:, None] - sums.M_extended + sums.N_extended
        # The empty clause is excluded, so a single condition counts whatever it eliminates.
        is_single = allowed & ~eliminates & (nodes.lengths == 0)[:, None]
        for b, j in np.argwhere(is_single & (costs < terms.threshold)).tolist():
            found.append((b, j, costs[b, j], sums.M_extended[b, j], sums.N_extended[b, j]))
        for b in np.flatnonzero(useful.any(axis=1)).tolist():
            places = np.flatnonzero(useful[b])
            order = places[np.argsort(-sums.M_extended[b, places], kind="stable")]
            nothing = np.zeros(len(order), dtype=np.int64)
            bound = self._bounds(nodes, terms, sums, b, order, nothing)
            if (bound < terms.threshold).any() or (costs[b, order] < terms.threshold).any():
                orders[b] = order
        return found, orders

    def _bounds(
        self,
        nodes: Nodes,
        terms: Terms,
        sums: ExtensionSums,
        b: int,
        order: NDArray[np.int64],
        floor: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        bound = np.empty(len(order), dtype=np.int64)
        self._kernels.bounds(
            self._chain,
            terms,
            int(nodes.lengths[b]),
            int(sums.N[b]),
            sums.M_extended[b],
            sums.N_extended[b],
            order,
            floor,
            bound,
        )
        return bound

    def _unbeaten(
        self, nodes: Nodes, orders: dict[int, NDArray[np.int64]]
    ) -> dict[int, NDArray[np.int64]]:
        """Leave out each condition that one before it beats."""
        kept: dict[int, NDArray[np.int64]] = {}
        n_pairs = {b: len(order) * (len(order) - 1) // 2 for b, order in orders.items()}
        for some in _groups(n_pairs, MOST_PAIRS):
            places = np.concatenate([[0], np.cumsum([n_pairs[b] for b in some])]).astype(np.int64)
            asked = _asked(nodes, some, orders)
            signs = self._workers.ask(
                partition.differ, self._duals, self._is_enumerating, *asked, places
            )
            is_unbeaten = np.unpackbits(signs.bits, count=int(places[-1])).astype(bool)
            for b, start in zip(some, places.tolist(), strict=False):
                order = orders[b]
                left: list[int] = []
                for a in range(len(order)):
                    row = start + a * (a - 1) // 2
                    if is_unbeaten[row : row + a][left].all():
                        left.append(a)
                kept[b] = order[left]
        return kept

    def _floors(
        self, nodes: Nodes, orders: dict[int, NDArray[np.int64]]
    ) -> dict[int, NDArray[np.int64]]:
        """Weight of the zeros that a child covers and no condition before it eliminates."""
        if not orders:
            return {}
        clauses, starts, members = _asked(nodes, list(orders), orders)
        floor = self._workers.ask(partition.floors, self._duals, clauses, starts, members)
        parts = np.split(floor.arrays[0], starts[1:-1])
        return dict(zip(orders, parts, strict=True))


def _asked(
    nodes: Nodes, some: list[int], orders: dict[int, NDArray[np.int64]]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Return the clauses of some nodes, and their conditions one after another."""
    lengths = [len(orders[b]) for b in some]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return nodes.clauses[some], starts, np.concatenate([orders[b] for b in some])


def _groups(sizes: dict[int, int], most: int) -> list[list[int]]:
    """Split nodes into groups of bounded size."""
    groups: list[list[int]] = []
    room = 0
    for b, size in sizes.items():
        if not groups or size > room:
            groups.append([])
            room = most
        groups[-1].append(b)
        room -= size
    return groups


@make_engine.register(PartitionedTrainingSet)
def _(
    training_set: PartitionedTrainingSet,
    name: str,
    duals: IntegerDuals,
    *,
    n_threads: int = 1,
    is_enumerating: bool = False,
) -> Engine:
    """Sum on the workers, whatever the name: each of them has its own threads."""
    return PartitionedEngine(training_set, duals, is_enumerating=is_enumerating)
