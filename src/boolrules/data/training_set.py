"""The samples as the solver sees them.

P and Z as bin codes, equal rows merged into weights (§2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.bins import sum_costs, unpack_bits, weigh_rows
from boolrules.data.column import (
    DUAL_TOLERANCE,
    EXACT_BITS,
    Column,
    Duals,
    IntegerDuals,
    grid,
    reduced_cost,
)
from boolrules.data.demands import Demands
from boolrules.data.patterns import row_marks
from boolrules.data.problem import as_number
from boolrules.data.row_patterns import RowPatterns
from boolrules.data.samples import Coverage
from boolrules.data.side import Side, merge_equal_rows, merged_sums
from boolrules.data.step import common_step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.data.bins import BinnedConditions
    from boolrules.data.mistake_limits import MistakeLimits
    from boolrules.data.patterns import IntegerPatternDuals
    from boolrules.data.problem import Problem

LARGE_WEIGHT = 64
# Conditions times rows beyond which what a clause covers is read from the codes each time.
MOST_BITS = 1_000_000_000
LEAST_TOTAL = 2.0**-500
# Beyond this many positives, those that the same columns cover share a dual in the LP.
MANY_POSITIVES = 20_000


@dataclass(frozen=True)
class TrainingSet:
    """Positives P and zeros Z, and the conditions that clauses are made of.

    Rows are merged and sorted by their codes, so that the order of P, to which duals refer, does
    not depend on the order of the table.

    Parameters
    ----------
    conditions : BinnedConditions
        J, as sets of bins.
    codes_P, codes_Z : unsigned arrays (n_P, n_features), (n_Z, n_features)
        Distinct rows of each side.
    weights_P, weights_Z : float arrays (n_P,), (n_Z,)
        Total weight of the equal rows.
    counts_P : int array (n_P,), or None
        How many rows were merged into each positive; None where that is one.
    step : Fraction or None
        What all weights are whole multiples of, but for rounding; None where nothing is known.
    demands : Demands or None
        What requirements ask of the mistakes.

    Examples
    --------
    >>> from boolrules.data.bins import BinnedConditions
    >>> from boolrules.data.problem import Problem
    >>> conditions = BinnedConditions.build([(0, [(0, 1)]), (0, [(1, 2)])], n_codes=[2])
    >>> codes = np.array([[0], [0], [1], [1]], dtype=np.uint8)
    >>> is_positive = np.array([True, True, True, False])
    >>> samples = TrainingSet.merge(codes, is_positive, np.ones(4), conditions)
    >>> samples.weights_P.tolist(), samples.column((0,), Problem(max_complexity=5)).cost
    ([2.0, 1.0], 0.0)
    """

    conditions: BinnedConditions
    codes_P: NDArray[np.unsignedinteger]
    codes_Z: NDArray[np.unsignedinteger]
    weights_P: NDArray[np.float64]
    weights_Z: NDArray[np.float64]
    step: Fraction | None = Fraction(1)
    counts_P: NDArray[np.int64] | None = None
    demands: Demands | None = None

    def __post_init__(self) -> None:
        check_exact(self.total_weight)

    @classmethod
    def merge(
        cls,
        codes: NDArray[np.unsignedinteger],
        is_positive: NDArray[np.bool_],
        weights: NDArray[np.float64],
        conditions: BinnedConditions,
        is_kept: NDArray[np.bool_] | None = None,
        limits: MistakeLimits | None = None,
    ) -> TrainingSet:
        """Split rows into P and Z and merge equal ones; by default, weight zero is left out.

        ``limits`` say what mistakes on these rows may add up to.
        """
        if is_kept is None:
            is_kept = weights > 0
        sides = [side & is_kept for side in (is_positive, ~is_positive)]
        merged = [merge_equal_rows(codes[kept], weights[kept]) for kept in sides]
        (codes_P, weights_P, counts_P), (codes_Z, weights_Z, _) = merged
        # Of the rows, not of what was merged: ten times 0.1 makes no whole number.
        step = common_step(weights)
        plain = cls(conditions, codes_P, codes_Z, weights_P, weights_Z, step, counts_P)
        if limits is None:
            return plain
        alpha, beta = (merged_sums(codes[kept], limits.costs[:, kept]) for kept in sides)
        return plain.demanding(Demands(alpha, beta, limits.most))

    def demanding(self, demands: Demands) -> TrainingSet:
        """Return the same under requirements.

        A row that one of them would rather see mistaken is on both sides, where it weighs nothing
        on the other: then whatever a search takes for better than a clause covers the same of
        these rows.
        """
        two_P = np.flatnonzero(demands.is_two_sided_P)
        two_Z = np.flatnonzero(demands.is_two_sided_Z)
        counts_P = self.counts_P if self.counts_P is not None else np.ones(self.n_P, np.int64)
        none_P, none_Z = (
            np.zeros((len(demands), n), dtype=np.int64) for n in (len(two_Z), len(two_P))
        )
        return replace(
            self,
            codes_P=np.concatenate([self.codes_P, self.codes_Z[two_Z]]),
            codes_Z=np.concatenate([self.codes_Z, self.codes_P[two_P]]),
            weights_P=np.append(self.weights_P, np.zeros(len(two_Z))),
            weights_Z=np.append(self.weights_Z, np.zeros(len(two_P))),
            counts_P=np.append(counts_P, np.zeros(len(two_Z), dtype=np.int64)),
            demands=Demands(
                np.concatenate([demands.alpha, none_P], axis=1),
                np.concatenate([demands.beta, none_Z], axis=1),
                demands.most,
                demands.dearest,
            ),
        )

    @cached_property
    def P(self) -> Side:
        """The positives, and which of them clauses cover."""
        return Side(self.conditions, self.codes_P, self._has_bits)

    @cached_property
    def Z(self) -> Side:
        """The zeros, and which of them clauses cover."""
        return Side(self.conditions, self.codes_Z, self._has_bits)

    @property
    def _has_bits(self) -> bool:
        """Whether conditions times rows are few enough to be laid out as bits."""
        return len(self.conditions) * self.n_rows <= MOST_BITS

    @property
    def n_rows(self) -> int:
        """How many distinct rows there are on both sides."""
        return len(self.weights_P) + len(self.weights_Z)

    @property
    def n_P(self) -> int:
        """How many distinct positives there are."""
        return len(self.weights_P)

    @property
    def has_patterns(self) -> bool:
        """Whether positives that the same columns cover share a dual in the LP.

        Not under requirements, which may ask different things of them.
        """
        return len(self.weights_P) > MANY_POSITIVES and self.demands is None

    @property
    def lp_weights(self) -> NDArray[np.float64]:
        """Weight of each positive, unless those that the same columns cover share a row."""
        return np.empty(0) if self.has_patterns else self.weights_P

    @property
    def weight_of_positives(self) -> float:
        """Weight of P: the loss of no clause at all."""
        return float(self.weights_P.sum())

    @property
    def total_weight(self) -> float:
        """Weight of all samples."""
        return float(self.weights_P.sum() + self.weights_Z.sum())

    @cached_property
    def has_integer_weights(self) -> bool:
        """Whether every loss is an integer, so that bounds may be rounded up."""
        weights = np.concatenate([self.weights_P, self.weights_Z])
        return self.step == 1 and bool((weights == np.floor(weights)).all())

    @cached_property
    def unit(self) -> float:
        """A power of two near the mean weight: what tolerances of solvers are relative to.

        1 for the small integer weights of merged rows.
        """
        n_rows = len(self.weights_P) + len(self.weights_Z)
        return unit_of(self.total_weight / max(n_rows, 1), self.has_integer_weights)

    def integer_weights(
        self, scale: int, theta: Sequence[int] = ()
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Weights of P and Z on the grid of the duals, rounded down: losses can only shrink.

        Shifted by what requirements charge, where there are any. No weight is negative then, and
        none of a zero is nothing, so that whatever eliminates it is seen to; ``constant`` pays
        for that.
        """
        weights_P, weights_Z = self._shifted_weights(scale, theta)
        if self.demands is None:
            return weights_P, weights_Z
        return np.maximum(weights_P, 0), np.maximum(weights_Z, 1)

    def _shifted_weights(
        self, scale: int, theta: Sequence[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        weights = (
            np.floor(self.weights_P * scale).astype(np.int64),
            np.floor(self.weights_Z * scale).astype(np.int64),
        )
        if self.demands is None or not theta:
            return weights
        shift_P, shift_Z = self.demands.shifts(theta)
        return weights[0] + shift_P, weights[1] + shift_Z

    def constant(self, duals: IntegerDuals, problem: Problem) -> Fraction:
        """What to add to Σμ − Cλ − Kν for a bound on the loss of rule sets that meet requirements.

        They pay Σ θ_s most_s. A positive of negative weight is missed at best, and a zero whose
        weight was raised is covered by every clause at most.
        """
        if self.demands is None:
            return Fraction(0)
        raw_P, raw_Z = self._shifted_weights(duals.scale, duals.theta)
        _, used_Z = self.integer_weights(duals.scale, duals.theta)
        lent = int(np.minimum(raw_P, 0).sum())
        raised = problem.most_clauses * int((used_Z - raw_Z).sum())
        paid = self.demands.paid(duals.theta) if duals.theta else Fraction(0)
        return (lent - raised - paid) / duals.scale

    def charges_if_covered(self, duals: IntegerDuals) -> NDArray[np.int64]:
        """What covering each positive costs, once, where it is better missed."""
        raw_P, _ = self._shifted_weights(duals.scale, duals.theta)
        return np.maximum(-raw_P, 0)

    @property
    def two_sided_zeros(self) -> NDArray[np.float64]:
        """Weight of each zero that some requirement would rather see covered, and its β (n, S)."""
        if self.demands is None:
            return np.empty((0, 1))
        both = np.column_stack([self.weights_Z, self.demands.beta.T])
        return both[self.demands.is_two_sided_Z]

    def meets_demands(self, clauses: Sequence[Sequence[int]]) -> bool:
        """Whether clauses meet the requirements, however mistakes are counted.

        A zero that several clauses cover is one mistake, and it is as many as clauses: both must
        do.
        """
        if self.demands is None:
            return True
        is_missed = np.ones(len(self.weights_P), dtype=bool)
        times = np.zeros(len(self.weights_Z), dtype=np.int64)
        for clause in clauses:
            is_missed &= ~self.P.delta(clause)
            times += self.Z.delta(clause)
        missed = self.demands.alpha @ is_missed.astype(np.int64)
        most = np.array(self.demands.most)
        return all(
            bool(np.all(missed + self.demands.beta @ n <= most))
            for n in (times, np.minimum(times, 1))
        )

    def without_objective(self) -> TrainingSet:
        """Return the same where nothing is asked but that requirements are met.

        Each may be broken at a price of one for its largest coefficient.
        """
        assert self.demands is not None
        return replace(
            self,
            weights_P=np.zeros(len(self.weights_P)),
            weights_Z=np.zeros(len(self.weights_Z)),
            step=Fraction(1),
            demands=replace(self.demands, dearest=1.0),
        )

    @property
    def reach(self) -> float:
        """What weights may sum up to, whatever requirements add to them."""
        if self.demands is None:
            return self.total_weight
        return self.total_weight + self.n_rows * (len(self.demands) * self.dearest + self.unit)

    @cached_property
    def dearest(self) -> float:
        """What a requirement may charge at most for its largest coefficient."""
        if self.demands is None:
            return 0.0
        weights = np.concatenate([self.weights_P, self.weights_Z])
        return self.demands.dearest * float(weights.max(initial=0.0) or 1.0)

    @property
    def scale(self) -> int:
        """Of the finest grid of integers on which all sums are exact."""
        return grid(self.reach, None if self.step is None else self.unit)

    def rounded(self, duals: Duals) -> IntegerDuals:
        """Put duals on the finest grid of integers on which all sums are exact."""
        scale = self.scale
        theta = tuple(math.floor(max(t, 0.0) * scale) for t in duals.theta)
        weights_P, _ = self.integer_weights(scale, theta)
        return IntegerDuals.rounded(duals, scale, weights_P, DUAL_TOLERANCE * self.unit, theta)

    def has_duals(self, duals: IntegerDuals) -> bool:
        """Whether there is a μ_i for each positive, between 0 and its weight."""
        if len(duals.mu) != self.n_P:
            return False
        weights_P, _ = self.integer_weights(duals.scale, duals.theta)
        return bool(np.all((duals.mu >= 0) & (duals.mu <= weights_P)))

    def from_rates(self, duals: IntegerPatternDuals) -> IntegerDuals:
        """Return the dual of each positive that rates of patterns come to."""
        assert duals.of is not None
        mu = duals.of.mu(self, duals.scale, row_marks(self, duals.of.clauses))
        return IntegerDuals(mu, duals.lam, duals.scale, duals.nu)

    def column(self, clause: Sequence[int], problem: Problem) -> Column:
        """Make the clause with these conditions a column of the master."""
        return self.columns([clause], problem)[0]

    def columns(self, clauses: Sequence[Sequence[int]], problem: Problem) -> list[Column]:
        """Make each clause a column."""
        complexities = {n: problem.complexity(1, n) for n in set(map(len, clauses))}
        covers_P, covers_Z = self.P.covers(clauses), self.Z.covers(clauses)
        zeros, n_P = weigh_rows(covers_Z, self.weights_Z).tolist(), len(self.codes_P)
        demands = np.zeros((len(clauses), 0), dtype=np.int64)
        if self.demands is not None:
            demands = sum_costs(covers_Z, self.demands.beta)
        return [
            Column(
                tuple(sorted(int(j) for j in clause)),
                zeros[k] + problem.complexity_penalty * complexities[len(clause)],
                complexities[len(clause)],
                covers_P[k],
                n_P,
                tuple(demands[k].tolist()),
            )
            for k, clause in enumerate(clauses)
        ]

    def patterns(self) -> RowPatterns:
        """Return an empty collection of columns, by which positives are told apart."""
        return RowPatterns(self)

    def reduced_costs(self, columns: Sequence[Column], duals: Duals) -> NDArray[np.float64]:
        """Reduced cost of each column, eq. (5)."""
        norms = () if self.demands is None else self.demands.norms
        costs = [reduced_cost(column, duals, norms) for column in columns]
        return np.array(costs, dtype=np.float64)

    def duals_of_missed(self, columns: Sequence[Column], theta: tuple[float, ...] = ()) -> Duals:
        """Price what no column covers at its whole weight, and complexity at nothing.

        Requirements charge ``theta``, or nothing.
        """
        covered = np.zeros(len(self.weights_P), dtype=bool)
        for column in columns:
            covered |= column.delta_P
        weights = self.weights_P
        if self.demands is not None:
            theta = theta or (0.0,) * len(self.demands)
            weights = np.maximum(weights + np.array(theta) @ self.demands.prices[0], 0.0)
        return Duals(np.where(covered, 0.0, weights), 0.0, theta=theta)

    def coverage(self, clauses: Sequence[Sequence[int]], duals: IntegerDuals) -> Coverage:
        """Return what clauses cover, with weights and duals on the grid."""
        if self.has_patterns:
            return self.merged_coverage(clauses, duals)
        weights_P, weights_Z = self.integer_weights(duals.scale, duals.theta)
        covers_Z = self.Z.covers(clauses)
        zeros = weigh_rows(covers_Z, weights_Z).astype(np.int64)
        coverage = Coverage(self.P.covers(clauses), weights_P, duals.mu, zeros)
        if self.demands is None:
            return coverage
        beta, added = self.demands.beta, sum_costs(covers_Z, self.demands.beta)
        if not self.demands.is_two_sided_Z.any():
            covers_Z, beta = covers_Z[:, :0], beta[:, :0]
        return replace(
            coverage, alpha=self.demands.alpha, added=added, covers_Z=covers_Z, beta=beta
        )

    def merged_coverage(self, clauses: Sequence[Sequence[int]], duals: IntegerDuals) -> Coverage:
        """Return the same with the positives merged that every clause treats alike.

        They are told apart by what covers them and nothing else: a proof may rest on it.
        """
        weights_P, _ = self.integer_weights(duals.scale)
        covers, merged = self.P.told_apart(clauses)
        weights, mu = np.zeros((2, merged.max(initial=-1) + 1), dtype=np.int64)
        np.add.at(weights, merged, weights_P)
        np.add.at(mu, merged, duals.mu)
        return Coverage(covers, weights, mu, self._zeros(clauses, duals))

    def priced_covers(
        self, clauses: Sequence[Sequence[int]], duals: IntegerDuals
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Return which positives with μ_i > 0 each clause covers (K, n), and their duals."""
        rows = np.flatnonzero(duals.mu)
        covers = unpack_bits(self.P.covers(clauses), len(duals.mu))[:, rows]
        return covers, duals.mu[rows]

    def _zeros(self, clauses: Sequence[Sequence[int]], duals: IntegerDuals) -> NDArray[np.int64]:
        """Weight of the zeros that each clause covers, on the grid."""
        _, weights_Z = self.integer_weights(duals.scale, duals.theta)
        return weigh_rows(self.Z.covers(clauses), weights_Z).astype(np.int64)

    def sums(
        self, clauses: Sequence[Sequence[int]], duals: IntegerDuals
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Σ μ_i over the positives, and the weight of the zeros, that each clause covers."""
        M = weigh_rows(self.P.covers(clauses), duals.mu)
        return M.astype(np.int64), self._zeros(clauses, duals)

    def hamming_loss(self, clauses: Sequence[Sequence[int]]) -> float:
        """Hamming loss of clauses as a rule set, eq. (1): an int where it is a whole number."""
        is_missed = np.ones(len(self.weights_P), dtype=bool)
        loss = 0.0
        for clause in clauses:
            is_missed &= ~self.P.delta(clause)
            loss += float(self.weights_Z[self.Z.delta(clause)].sum())
        return as_number(loss + float(self.weights_P[is_missed].sum()))

    def n_nonzeros(self, columns: Sequence[Column]) -> int:
        """How many positives the columns cover, each counted by itself."""
        return sum(int(column.delta_P.sum()) for column in columns)

    def covers_enough(self, clauses: NDArray[np.integer], problem: Problem) -> NDArray[np.bool_]:
        """Which clauses, rows of condition ids padded with -1, cover what the problem asks."""
        is_enough = np.ones(len(clauses), dtype=bool)
        if problem.min_coverage == 0:
            return is_enough
        n_P = len(self.weights_P)
        counts = np.ones(n_P, dtype=np.int64) if self.counts_P is None else self.counts_P
        for k, clause in enumerate(clauses):
            covered = self.P.delta(clause[clause >= 0])
            is_enough[k] = counts[covered].sum() >= problem.min_coverage
        return is_enough

    def sample(
        self, rows_P: NDArray[np.int64], rows_Z: NDArray[np.int64], chosen: NDArray[np.int64]
    ) -> TrainingSet:
        """Keep some samples and some conditions (§3, large data)."""
        return TrainingSet(
            self.conditions.subset(chosen),
            self.codes_P[rows_P],
            self.codes_Z[rows_Z],
            self.weights_P[rows_P],
            self.weights_Z[rows_Z],
            self.step,
            None if self.counts_P is None else self.counts_P[rows_P],
            None if self.demands is None else self.demands.sample(rows_P, rows_Z),
        )


def check_exact(total_weight: float) -> None:
    """Turn down weights whose sums cannot be exact."""
    if not LEAST_TOTAL < total_weight < 2.0**EXACT_BITS and total_weight != 0:
        raise ValueError(
            f"The weights sum to {total_weight:.3g}, out of reach of exact sums. "
            "Multiply them all by a constant; the rules do not change."
        )


def unit_of(mean: float, has_integer_weights: bool) -> float:
    """Return a power of two near the mean weight; 1 for the small integers of merged rows."""
    if mean == 0 or (has_integer_weights and mean < LARGE_WEIGHT):
        return 1.0
    return float(2.0 ** round(math.log2(mean)))
