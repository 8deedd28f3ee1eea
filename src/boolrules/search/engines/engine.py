"""The steps that every engine takes, each on a batch.

Extend clauses, expand nodes of the search, and keep those that are open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from boolrules.data.bins import NO_CONDITION, pack_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ExtensionSums:
    """Exact integer sums for a batch of B clauses S and each condition j that may join them.

    ``M`` is Σ μ_i over the covered positives, ``N`` the weight of the covered zeros: of the clause
    itself (B,), and of the clause with condition j added (B, J).
    """

    M: NDArray[np.int64]
    N: NDArray[np.int64]
    M_extended: NDArray[np.int64]
    N_extended: NDArray[np.int64]


class Terms(NamedTuple):
    """What a search asks for.

    Parameters
    ----------
    clause_price, condition_price : int
        What a clause and a condition add to the reduced cost.
    threshold : int
        Clauses of reduced cost below it are wanted.
    longest : int
        Most conditions in a clause.
    least_elimination : int
        A condition that eliminates no more zeros than this may be discarded.
    """

    clause_price: int
    condition_price: int
    threshold: int
    longest: int
    least_elimination: int


@dataclass(frozen=True, slots=True)
class Nodes:
    """Nodes of the search: clauses and the conditions that may still join them.

    Parameters
    ----------
    clauses : int32 array (B, longest)
        Condition ids, padded with ``NO_CONDITION``.
    lengths : int64 array (B,)
        Number of conditions.
    allowed : uint64 array (B, n_words)
        One bit per condition.
    bound : int64 array (B,)
        No clause below the node, its own excepted, has a lower reduced cost.
    M : int64 array (B,)
        Σ μ_i over the positives that the node's clause covers.
    """

    clauses: NDArray[np.int32]
    lengths: NDArray[np.int64]
    allowed: NDArray[np.uint64]
    bound: NDArray[np.int64]
    M: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.bound)

    def __getitem__(self, rows: slice | NDArray[np.int64]) -> Nodes:
        return Nodes(*(getattr(self, name)[rows] for name in self.__slots__))

    @classmethod
    def root(cls, n_conditions: int, longest: int, total_mu: int) -> Nodes:
        """Return the empty clause, which any condition may join."""
        everything = np.ones((1, n_conditions), dtype=bool)
        return cls(
            np.full((1, longest), NO_CONDITION, dtype=np.int32),
            np.zeros(1, dtype=np.int64),
            pack_bits(everything),
            np.array([-total_mu]),
            np.array([total_mu]),
        )

    @classmethod
    def concatenate(cls, parts: list[Nodes]) -> Nodes:
        """Join batches of nodes."""
        return cls(*(np.concatenate([getattr(p, n) for p in parts]) for n in cls.__slots__))

    def appended(self, parents: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the clauses of some nodes, each with one condition more."""
        grown = self.clauses[parents]
        grown[np.arange(len(grown)), self.lengths[parents]] = j
        return grown


@dataclass(frozen=True, slots=True)
class Expansion:
    """What came of expanding a batch of nodes.

    ``found`` has a row per clause under the threshold: node, condition, reduced cost, M, N.
    ``children`` are the nodes below which such a clause may still lie.
    """

    found: NDArray[np.int64]
    children: Nodes

    @classmethod
    def of(
        cls,
        nodes: Nodes,
        found: NDArray[np.int64],
        children: NDArray[np.int64],
        allowed: NDArray[np.uint64],
    ) -> Expansion:
        """Collect what was found, and children given as rows of node, condition, bound, M."""
        parents, j, bound, M = children.T
        clauses = nodes.appended(parents, j)
        return cls(found, Nodes(clauses, nodes.lengths[parents] + 1, allowed, bound, M))


class Found(NamedTuple):
    """What expanding some open nodes came to.

    Parameters
    ----------
    n_nodes : int
        How many were expanded.
    sums : int64 array (F, 3)
        Reduced cost, M and N of each clause under the threshold.
    clauses : int32 array (F, longest)
        Its condition ids, padded with ``NO_CONDITION``.
    """

    n_nodes: int
    sums: NDArray[np.int64]
    clauses: NDArray[np.int32]


class OpenNodes(Protocol):
    """The open nodes of one search, kept where its engine expands them."""

    def __len__(self) -> int:
        """How many there are."""
        ...

    def expand_a_batch(self) -> Found:
        """Expand open nodes of least bound; keep their children, return what was found."""
        ...

    def least_by_length(self) -> NDArray[np.int64]:
        """Lower bounds, at most 0, on the reduced cost of longer clauses, by length."""
        ...


class Engine(Protocol):
    """Sums over the covered samples, for one training set and one set of integer duals."""

    @property
    def batch_size(self) -> int:
        """How many clauses or nodes to take at once."""
        ...

    def extend(self, clauses: NDArray[np.int32]) -> ExtensionSums:
        """Sum over clauses given as rows of condition ids, padded with ``NO_CONDITION``."""
        ...

    def expand(self, nodes: Nodes, terms: Terms) -> Expansion:
        """Price the children of nodes and bound what lies below them."""
        ...

    def open(self, root: Nodes | None, terms: Terms) -> OpenNodes:
        """Begin a search at some nodes."""
        ...
