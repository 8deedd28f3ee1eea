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
# What the children of one batch may take. To make as many takes a second or some.
MOST_NEW_BYTES = 100_000_000
# Newest first, one batch of each length may wait; few searches go deeper than this.
MANY_LENGTHS = 20
NODES_PER_CHUNK = 1024


class NodeHeap:
    """Open nodes, best bound first."""

    def __init__(self, engine: Engine, terms: Terms, root: Nodes | None) -> None:
        self._engine = engine
        self._terms = terms
        self._heap: list[tuple[float, int, Nodes]] = []
        self._n_pushed = 0
        self._n_open = 0
        self._bytes_per_node = 24 + 4 * terms.longest
        if root is not None:
            self._bytes_per_node += 8 * root.allowed.shape[1]
            self._push(sorted_chunks(root))

    def __len__(self) -> int:
        return self._n_open

    def expand_a_batch(self) -> Found:
        """Expand the open nodes of least bound; keep their children, return what was found."""
        nodes = self._take()
        found, chunks = self._expand(nodes)
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

    def _push(self, chunks: list[Nodes]) -> None:
        self._n_open += sum(map(len, chunks))
        for chunk in chunks:
            self._n_pushed += 1
            key = -math.inf if self._is_full else float(chunk.bound[0])
            heapq.heappush(self._heap, (key, -self._n_pushed, chunk))

    def _take(self) -> Nodes:
        """Take the next nodes: at least one, and no more than their children find room for."""
        lengths = max(1, min(self._terms.longest, MANY_LENGTHS))
        new = MOST_OPEN_BYTES // lengths if self._is_full else MOST_NEW_BYTES
        wanted, room = self._engine.batch_size, new // self._bytes_per_node
        taken: list[Nodes] = []
        while self._heap and wanted > 0:
            key, number, chunk = heapq.heappop(self._heap)
            n, n_children = self._fitting(chunk, wanted, room)
            n = max(n, 0 if taken else 1)
            taken.append(chunk[:n])
            wanted, room = wanted - n, room - n_children
            if n < len(chunk):
                heapq.heappush(self._heap, (key, number, chunk[n:]))
                break
        self._n_open -= sum(map(len, taken))
        return Nodes.concatenate(taken)

    def _fitting(self, nodes: Nodes, wanted: int, room: int) -> tuple[int, int]:
        """Return how many of some nodes are wanted and have room, and their children at most.

        A node may have a child for each condition that may join it.
        """
        at_most = 64 * nodes.allowed.size
        if len(nodes) <= wanted and at_most <= room:
            return len(nodes), at_most
        n_allowed = np.bitwise_count(nodes.allowed).sum(axis=1, dtype=np.int64)
        n_allowed[nodes.lengths + 1 >= self._terms.longest] = 0
        children = np.cumsum(n_allowed)
        n = min(wanted, int(np.searchsorted(children, room, side="right")))
        return n, int(children[n - 1]) if n else 0


def sorted_chunks(nodes: Nodes) -> list[Nodes]:
    """Cut nodes into chunks, those of least bound first; each has memory of its own."""
    order = np.argsort(nodes.bound, kind="stable")
    return [nodes[order[k : k + NODES_PER_CHUNK]] for k in range(0, len(order), NODES_PER_CHUNK)]
