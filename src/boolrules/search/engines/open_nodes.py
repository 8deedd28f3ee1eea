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
NODES_PER_CHUNK = 1024


class NodeHeap:
    """Open nodes, best bound first."""

    def __init__(self, engine: Engine, terms: Terms, root: Nodes | None) -> None:
        self._engine = engine
        self._terms = terms
        self._heap: list[tuple[float, int, Nodes]] = []
        self._n_pushed = 0
        self._n_open = 0
        if root is not None:
            self._push(sorted_chunks(root))

    def __len__(self) -> int:
        return self._n_open

    def expand_a_batch(self) -> Found:
        """Expand the open nodes of least bound; keep their children, return what was found."""
        nodes = self._take(self._engine.batch_size)
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

    def _push(self, chunks: list[Nodes]) -> None:
        self._n_open += sum(map(len, chunks))
        for chunk in chunks:
            bytes_per_node = 24 + 4 * chunk.clauses.shape[1] + 8 * chunk.allowed.shape[1]
            is_full = self._n_open * bytes_per_node > MOST_OPEN_BYTES
            self._n_pushed += 1
            key = -math.inf if is_full else float(chunk.bound[0])
            heapq.heappush(self._heap, (key, -self._n_pushed, chunk))

    def _take(self, most: int) -> Nodes:
        taken: list[Nodes] = []
        n_taken = 0
        while self._heap and n_taken < most:
            _, _, chunk = heapq.heappop(self._heap)
            taken.append(chunk)
            n_taken += len(chunk)
        self._n_open -= n_taken
        return Nodes.concatenate(taken)


def sorted_chunks(nodes: Nodes) -> list[Nodes]:
    """Cut nodes into chunks, those of least bound first."""
    nodes = nodes[np.argsort(nodes.bound, kind="stable")]
    starts = range(0, len(nodes), NODES_PER_CHUNK)
    return [nodes[start : start + NODES_PER_CHUNK] for start in starts]
