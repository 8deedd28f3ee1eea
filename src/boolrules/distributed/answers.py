"""What partitions answer, and how answers of several become one: sums, unions, patterns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from boolrules.data.bins import distinct_rows
from boolrules.data.step import step_of_steps

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Refused:
    """What a part was turned down for: a line for people, where a worker would log a traceback."""

    error: Exception

    def combined(self, others: Sequence[Any]) -> Refused:
        """Keep the first."""
        return self


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Arrays that add up."""

    arrays: tuple[NDArray[Any], ...]

    def combined(self, others: Sequence[Self]) -> Sums:
        """Add them up, in the order of the partitions."""
        totals = [array.copy() for array in self.arrays]
        for other in others:
            for total, array in zip(totals, other.arrays, strict=True):
                total += array
        return Sums(tuple(totals))


@dataclass(frozen=True, slots=True, eq=False)
class Signs:
    """Truth values of which one True is enough."""

    bits: NDArray[np.uint8]

    def combined(self, others: Sequence[Self]) -> Signs:
        """True where any of them is."""
        found = self.bits.copy()
        for other in others:
            found |= other.bits
        return Signs(found)


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What is known of all rows together."""

    weight_P: float
    weight_Z: float
    n_P: int
    n_Z: int
    has_integer_weights: bool
    step: Fraction | None
    given_loss: float = 0.0

    def combined(self, others: Sequence[Self]) -> Facts:
        """Add up, and ask what all weights are multiples of."""
        every = [self, *others]
        with_rows = [f for f in every if f.n_P + f.n_Z] or every
        return Facts(
            sum(f.weight_P for f in every),
            sum(f.weight_Z for f in every),
            sum(f.n_P for f in every),
            sum(f.n_Z for f in every),
            all(f.has_integer_weights for f in every),
            step_of_steps([f.step for f in with_rows]),
            math.fsum(f.given_loss for f in every),
        )


@dataclass(frozen=True, slots=True, eq=False)
class MarkedPatterns:
    """Coverage patterns by their marks, for the LP: see ``CoveragePatterns``.

    keys: uint64 (n, n_words), which clauses cover the pattern; marks: uint64 (n,), increasing;
    weights: float (n,).
    """

    keys: NDArray[np.uint64]
    marks: NDArray[np.uint64]
    weights: NDArray[np.float64]

    def combined(self, others: Sequence[Self]) -> MarkedPatterns:
        """Merge patterns of equal marks."""
        every = [self, *others]
        marks, first, place = np.unique(
            np.concatenate([p.marks for p in every]), return_index=True, return_inverse=True
        )
        weights = np.zeros(len(marks))
        np.add.at(weights, place, np.concatenate([p.weights for p in every]))
        return MarkedPatterns(np.concatenate([p.keys for p in every])[first], marks, weights)


@dataclass(frozen=True, slots=True, eq=False)
class ExactPatterns:
    """Coverage patterns told apart by what covers them and nothing else, for proofs.

    keys: uint64 (n, n_words), distinct; weights, mu: int64 (n,); zeros: int64 (K,).
    """

    keys: NDArray[np.uint64]
    weights: NDArray[np.int64]
    mu: NDArray[np.int64]
    zeros: NDArray[np.int64]

    @classmethod
    def merged(
        cls,
        keys: NDArray[np.uint64],
        weights: NDArray[np.int64],
        mu: NDArray[np.int64],
        zeros: NDArray[np.int64],
    ) -> ExactPatterns:
        """Merge equal keys, in exact integers."""
        distinct, place = distinct_rows(keys)
        totals = np.zeros((2, len(distinct)), dtype=np.int64)
        np.add.at(totals[0], place, weights)
        np.add.at(totals[1], place, mu)
        return cls(distinct.astype(np.uint64), totals[0], totals[1], zeros)

    def combined(self, others: Sequence[Self]) -> ExactPatterns:
        """Merge patterns of equal keys."""
        every = [self, *others]
        return ExactPatterns.merged(
            np.concatenate([p.keys for p in every]),
            np.concatenate([p.weights for p in every]),
            np.concatenate([p.mu for p in every]),
            np.sum([p.zeros for p in every], axis=0, dtype=np.int64),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Proposals:
    """Clauses that a partition thinks well of."""

    clauses: frozenset[tuple[int, ...]]
    n_nodes: int

    def combined(self, others: Sequence[Self]) -> Proposals:
        """Take all of them."""
        every = [self, *others]
        clauses = frozenset().union(*(p.clauses for p in every))
        return Proposals(clauses, sum(p.n_nodes for p in every))
