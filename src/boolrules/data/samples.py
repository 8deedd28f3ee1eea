"""What the solver and the searches may ask of samples, wherever these are.

``TrainingSet`` answers for rows in memory, which a GPU copies; ``distributed`` for rows on the
workers of a cluster. Nobody who asks can tell them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

    from boolrules.data.bins import BinnedConditions
    from boolrules.data.column import Column, Duals, IntegerDuals
    from boolrules.data.demands import Demands
    from boolrules.data.patterns import IntegerPatternDuals
    from boolrules.data.problem import Problem


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """What some clauses cover, in integers, for a search over rule sets.

    Parameters
    ----------
    covers : uint64 array (K, n_words)
        Which of n positives each clause covers, as bits; one may stand for several that all
        clauses treat alike.
    weights, mu : int64 arrays (n,)
        Their weights and duals, on the grid.
    zeros : int64 array (K,)
        Weight of the zeros that each clause covers.
    alpha, added : int64 arrays (S, n), (K, S); or None
        What missing each positive, and what each clause, adds to requirements.
    covers_Z, beta : uint64 array (K, *), int64 array (S, *); or None
        Which zeros each clause covers, as bits, and what each adds, where requirements ask for
        both, once for each clause and once in all.
    """

    covers: NDArray[np.uint64]
    weights: NDArray[np.int64]
    mu: NDArray[np.int64]
    zeros: NDArray[np.int64]
    alpha: NDArray[np.int64] | None = None
    added: NDArray[np.int64] | None = None
    covers_Z: NDArray[np.uint64] | None = None
    beta: NDArray[np.int64] | None = None


class Patterns(Protocol):
    """Columns, and the positives that they cover: those that all cover alike are merged."""

    def add(self, columns: Sequence[Column]) -> None:
        """Take columns into account."""
        ...

    def merge(self) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return which patterns each column covers (K, n), and the weights of the patterns."""
        ...

    def duals(self, duals: Duals) -> Duals:
        """Share the dual of each pattern, as last merged, among its positives."""
        ...

    def demands(self) -> NDArray[np.int64]:
        """Return what missing each pattern, as last merged, adds to requirements (S, n)."""
        ...


class Samples(Protocol):
    """Positives P and zeros Z, and the conditions that clauses are made of (§2)."""

    @property
    def conditions(self) -> BinnedConditions:
        """J, as sets of bins."""
        ...

    @property
    def n_rows(self) -> int:
        """How many distinct rows there are on both sides."""
        ...

    @property
    def n_P(self) -> int:
        """How many distinct positives there are."""
        ...

    @property
    def has_patterns(self) -> bool:
        """Whether positives that the same columns cover share a dual in the LP."""
        ...

    @property
    def lp_weights(self) -> NDArray[np.float64]:
        """Weight of each row of the LP, eq. (2), before there are columns to tell them apart."""
        ...

    @property
    def weight_of_positives(self) -> float:
        """Weight of P: the loss of no clause at all."""
        ...

    @property
    def total_weight(self) -> float:
        """Weight of all samples."""
        ...

    @property
    def has_integer_weights(self) -> bool:
        """Whether every loss is an integer."""
        ...

    @property
    def step(self) -> Fraction | None:
        """What every loss is a multiple of, so that bounds may be rounded up; None if unknown."""
        ...

    @property
    def scale(self) -> int:
        """Of the finest grid of integers on which all sums are exact."""
        ...

    @property
    def unit(self) -> float:
        """A power of two near the mean weight: what tolerances of solvers are relative to."""
        ...

    @property
    def demands(self) -> Demands | None:
        """What requirements ask of the mistakes; None where there are none."""
        ...

    @property
    def dearest(self) -> float:
        """What a requirement may charge at most for its largest coefficient."""
        ...

    @property
    def two_sided_zeros(self) -> NDArray[np.float64]:
        """Weight of each zero that some requirement would rather see covered, and its β (n, S)."""
        ...

    def constant(self, duals: IntegerDuals, problem: Problem) -> Fraction:
        """What to add to the bound of duals, for what requirements charge."""
        ...

    def charges_if_covered(self, duals: IntegerDuals) -> NDArray[np.int64]:
        """What covering each positive costs, once, where it is better missed."""
        ...

    def without_objective(self) -> Samples:
        """Return the same where nothing is asked but that requirements are met."""
        ...

    def meets_demands(self, clauses: Sequence[Sequence[int]]) -> bool:
        """Whether clauses meet the requirements, however mistakes are counted."""
        ...

    def column(self, clause: Sequence[int], problem: Problem) -> Column:
        """Make the clause with these conditions a column of the master."""
        ...

    def columns(self, clauses: Sequence[Sequence[int]], problem: Problem) -> list[Column]:
        """Make each clause a column."""
        ...

    def patterns(self) -> Patterns:
        """Return an empty collection of columns, by which positives are told apart."""
        ...

    def rounded(self, duals: Duals) -> IntegerDuals:
        """Put duals on the finest grid of integers on which all sums are exact."""
        ...

    def from_rates(self, duals: IntegerPatternDuals) -> IntegerDuals:
        """Return the duals that rates of patterns come to on these samples."""
        ...

    def has_duals(self, duals: IntegerDuals) -> bool:
        """Whether there is a μ_i for each positive, between 0 and its weight."""
        ...

    def reduced_costs(self, columns: Sequence[Column], duals: Duals) -> NDArray[np.float64]:
        """Reduced cost of each column, eq. (5)."""
        ...

    def duals_of_missed(self, columns: Sequence[Column], theta: tuple[float, ...] = ()) -> Duals:
        """Price what no column covers at its whole weight, and complexity at nothing.

        ``theta`` are the prices of requirements.
        """
        ...

    def sums(
        self, clauses: Sequence[Sequence[int]], duals: IntegerDuals
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Σ μ_i over the positives, and the weight of the zeros, that each clause covers."""
        ...

    def coverage(self, clauses: Sequence[Sequence[int]], duals: IntegerDuals) -> Coverage:
        """Return what clauses cover, with weights and duals on the grid."""
        ...

    def priced_covers(
        self, clauses: Sequence[Sequence[int]], duals: IntegerDuals
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Return which positives with duals each clause covers (K, n), and their duals."""
        ...

    def covers_enough(self, clauses: NDArray[np.integer], problem: Problem) -> NDArray[np.bool_]:
        """Which clauses, rows of condition ids padded with -1, cover what the problem asks."""
        ...

    def hamming_loss(self, clauses: Sequence[Sequence[int]]) -> float:
        """Hamming loss of clauses as a rule set, eq. (1)."""
        ...

    def n_nonzeros(self, columns: Sequence[Column]) -> int:
        """How many positives the columns cover, each counted by itself."""
        ...
