"""The open nodes of a search in the machine's memory: a heap of small batches."""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING

import numpy as np

from boolrules.search.engines.engine import Found, Nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.search.engines.engine import Engine, Terms

# Open nodes beyond this many are taken newest first, which keeps their number from growing.
MOST_OPEN_BYTES = 1_000_000_000
# What the children of one batch may take, were there as many below each node as of late.
MOST_NEW_BYTES = 100_000_000
NODES_PER_CHUNK = 1024


class NodeHeap:
    """Open nodes, best bound first."""

    def __init__(self, engine: Engine, terms: Terms, root: Nodes | None) -> None:
        self._engine = engine
        self._terms = terms
        self._heap: list[tuple[float, int, Nodes]] = []
        self._n_pushed = 0
        self._n_open = 0
        self._bytes_per_node = 0
        self._most_children = self._n_children = 1.0  # of one node: ever, and as of late
        if root is not None:
            n_words = root.allowed.shape[1]
            self._bytes_per_node = 24 + 4 * root.clauses.shape[1] + 8 * n_words
            self._most_children = self._n_children = 64.0 * n_words
            self._push(sorted_chunks(root))

    def __len__(self) -> int:
        return self._n_open

    def expand_a_batch(self) -> Found:
        """Expand the open nodes of least bound; keep their children, return what was found."""
        nodes = self._take(self._batch_size())
        found, chunks = self._expand(nodes)
        self._n_children = max(1.0, self._n_children / 2, sum(map(len, chunks)) / len(nodes))
        self._push(chunks)
        return Found(len(nodes), found[:, 2:], nodes.appended(found[:, 0], found[:, 1]))

    def least_by_length(self) -> NDArray[np.int64]:
        """Lower bounds, at most 0, on the reduced cost of longer clauses, by length."""
        least = np.zeros(self._terms.longest + 1, dtype=np.int64)
        for _, _, nodes in self._heap:
            for n in range(1, self._terms.longest + 1):
                below = nodes.lengths < n
                if below.any():
                    price = self._terms.clause_price + self._terms.condition_price * n
                    by_length = price - nodes.M[below]
                    least[n] = min(least[n], np.maximum(nodes.bound[below], by_length).min())
        return least

    def _expand(self, nodes: Nodes) -> tuple[NDArray[np.int64], list[Nodes]]:
        """Return what was found, and the children in sorted chunks."""
        expansion = self._engine.expand(nodes, self._terms)
        return expansion.found, sorted_chunks(expansion.children)

    @property
    def _is_full(self) -> bool:
        return self._n_open * self._bytes_per_node > MOST_OPEN_BYTES

    def _batch_size(self) -> int:
        """Nodes to expand at a time, so that their children find room, and soon are there.

        Once all is full, each of the lengths that a clause may have adds to it at most once.
        """
        if self._is_full:
            room = MOST_OPEN_BYTES / self._terms.longest / self._most_children
        else:
            room = min(MOST_NEW_BYTES / self._n_children, MOST_OPEN_BYTES / self._most_children)
        return max(1, min(self._engine.batch_size, int(room / self._bytes_per_node)))

    def _push(self, chunks: list[Nodes]) -> None:
        self._n_open += sum(map(len, chunks))
        for chunk in chunks:
            self._n_pushed += 1
            key = -math.inf if self._is_full else float(chunk.bound[0])
            heapq.heappush(self._heap, (key, -self._n_pushed, chunk))

    def _take(self, most: int) -> Nodes:
        """Take whole chunks until there are enough; of one that alone is too many, a part."""
        taken: list[Nodes] = []
        n_taken = 0
        while self._heap and n_taken < most:
            key, number, chunk = heapq.heappop(self._heap)
            if len(chunk) > most:
                heapq.heappush(self._heap, (key, number, chunk[most:]))
                chunk = chunk[:most]
            taken.append(chunk)
            n_taken += len(chunk)
        self._n_open -= n_taken
        return Nodes.concatenate(taken)


def sorted_chunks(nodes: Nodes) -> list[Nodes]:
    """Cut nodes into chunks, those of least bound first; each has memory of its own."""
    order = np.argsort(nodes.bound, kind="stable")
    return [nodes[order[k : k + NODES_PER_CHUNK]] for k in range(0, len(order), NODES_PER_CHUNK)]
