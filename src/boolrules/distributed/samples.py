"""The samples as the solver sees them, where no single place has them all.

Answers the questions of ``TrainingSet``. Positives are known by their coverage pattern only, so
nothing here grows with the rows.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules.data.bins import pack_bits, padded, unpack_bits
from boolrules.data.column import DUAL_TOLERANCE, Column, Duals, IntegerDuals, grid
from boolrules.data.patterns import IntegerPatternDuals, PatternDuals, PatternRates, integer_sums
from boolrules.data.problem import as_number
from boolrules.data.row_patterns import COARSEST_RATES, rates
from boolrules.data.samples import Coverage
from boolrules.data.step import MOST_STEPS
from boolrules.data.training_set import check_exact, unit_of
from boolrules.distributed import partition
from boolrules.distributed.partition import SharedDuals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.data.bins import BinnedConditions
    from boolrules.data.problem import Problem
    from boolrules.distributed.answers import MarkedPatterns
    from boolrules.distributed.workers import Workers

_NAMES = count()
MOST_SHARED = 3


class PartitionedTrainingSet:
    """Positives and zeros in many places.

    Parameters
    ----------
    conditions : BinnedConditions
        J, as sets of bins.
    workers : Workers
        Who holds the rows.
    """

    has_patterns = True

    def __init__(self, conditions: BinnedConditions, workers: Workers) -> None:
        self.conditions = conditions
        self.workers = workers
        self._facts = workers.ask(partition.facts)
        self._shared: dict[int, tuple[PatternRates, Any]] = {}
        check_exact(self.total_weight)

    @property
    def n_rows(self) -> int:
        """How many rows there are on both sides, merged within each partition."""
        return int(self._facts.n_P + self._facts.n_Z)

    @property
    def n_P(self) -> int:
        """How many positives there are, merged within each partition."""
        return int(self._facts.n_P)

    @property
    def lp_weights(self) -> NDArray[np.float64]:
        """None: positives are told apart by columns."""
        return np.empty(0)

    @property
    def weight_of_positives(self) -> float:
        """Weight of P: the loss of no clause at all."""
        return float(self._facts.weight_P)

    @property
    def total_weight(self) -> float:
        """Weight of all samples."""
        return float(self._facts.weight_P + self._facts.weight_Z)

    @property
    def has_integer_weights(self) -> bool:
        """Whether every loss is an integer."""
        return bool(self._facts.has_integer_weights)

    @property
    def given_loss(self) -> float:
        """What given clauses lose on the rows."""
        return as_number(float(self._facts.given_loss))

    @property
    def step(self) -> Fraction | None:
        """What every loss is a multiple of, so that bounds may be rounded up; None if unknown."""
        step: Fraction | None = self._facts.step
        if step is None or step == 1:  # as in memory, whole numbers are whole however many
            return step
        return step if self.total_weight <= MOST_STEPS * step else None

    @property
    def scale(self) -> int:
        """Of the finest grid of integers on which all sums are exact."""
        return grid(self.total_weight, None if self.step is None else self.unit)

    @property
    def demands(self) -> None:
        """Under requirements, rows are brought together."""

    @property
    def dearest(self) -> float:
        """Nothing is charged."""
        return 0.0

    @property
    def two_sided_zeros(self) -> NDArray[np.float64]:
        """No zero is asked to be covered."""
        return np.empty((0, 1))

    def constant(self, duals: IntegerDuals, problem: Problem) -> Fraction:
        """Nothing is charged beside the loss."""
        return Fraction(0)

    def charges_if_covered(self, duals: IntegerDuals) -> NDArray[np.int64]:
        """No positive is better missed."""
        return np.zeros(len(duals.mu), dtype=np.int64)

    def without_objective(self) -> PartitionedTrainingSet:
        """Nothing is asked beside the objective."""
        return self

    def meets_demands(self, clauses: Sequence[Sequence[int]]) -> bool:
        """Nothing is asked."""
        return True

    @cached_property
    def unit(self) -> float:
        """A power of two near the mean weight: what tolerances of solvers are relative to."""
        return unit_of(self.total_weight / max(self.n_rows, 1), self.has_integer_weights)

    def column(self, clause: Sequence[int], problem: Problem) -> Column:
        """Make the clause with these conditions a column of the master."""
        return self.columns([clause], problem)[0]

    def columns(self, clauses: Sequence[Sequence[int]], problem: Problem) -> list[Column]:
        """Make each clause a column."""
        if not len(clauses):
            return []
        sorted_ = [tuple(sorted(int(j) for j in clause)) for clause in clauses]
        zeros = self.workers.ask(partition.weigh_columns, sorted_).arrays[0].tolist()
        made = []
        for clause, weight in zip(sorted_, zeros, strict=True):
            complexity = problem.complexity(n_clauses=1, n_conditions=len(clause))
            cost = weight + problem.complexity_penalty * complexity
            made.append(Column(clause, cost, complexity))
        return made

    def n_nonzeros(self, columns: Sequence[Column]) -> int:
        """How many positives the columns cover, each counted by itself."""
        if not columns:
            return 0
        clauses = [column.clause for column in columns]
        return int(self.workers.ask(partition.weigh_columns, clauses).arrays[1].sum())

    def covers_enough(self, clauses: NDArray[np.integer], problem: Problem) -> NDArray[np.bool_]:
        """Which clauses, rows of condition ids padded with -1, cover what the problem asks."""
        if problem.min_coverage == 0 or not len(clauses):
            return np.ones(len(clauses), dtype=bool)
        lists = [tuple(int(j) for j in row if j >= 0) for row in clauses]
        covered = self.workers.ask(partition.weigh_columns, lists).arrays[2]
        return np.asarray(covered >= problem.min_coverage)

    def hamming_loss(self, clauses: Sequence[Sequence[int]]) -> float:
        """Hamming loss of clauses as a rule set, eq. (1)."""
        asked = [tuple(int(j) for j in clause) for clause in clauses]
        return as_number(float(self.workers.ask(partition.missed, asked).arrays[0][0]))

    def patterns(self) -> WorkerPatterns:
        """Return an empty collection of columns, by which positives are told apart."""
        return WorkerPatterns(self)

    def duals_of_missed(self, columns: Sequence[Column], theta: tuple[float, ...] = ()) -> Duals:
        """Price what no column covers at its whole weight, and complexity at nothing."""
        patterns = WorkerPatterns(self)
        patterns.add(columns)
        covers, _ = patterns.merge()
        return patterns.of_rates(np.where(covers.any(axis=0), 0.0, 1.0), 0.0, 0.0)

    def reduced_costs(self, columns: Sequence[Column], duals: Duals) -> NDArray[np.float64]:
        """Reduced cost of each column, eq. (5)."""
        if not columns:
            return np.empty(0)
        integer_duals = self.rounded(duals)
        M, _ = self.sums([column.clause for column in columns], integer_duals)
        cost = np.array([column.cost for column in columns])
        complexity = np.array([column.complexity for column in columns])
        paid = duals.lam * complexity + duals.nu
        return np.asarray(cost - M / integer_duals.scale + paid, dtype=np.float64)

    def sums(
        self, clauses: Sequence[Sequence[int]], duals: IntegerDuals
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Σ μ_i over the positives, and the weight of the zeros, that each clause covers."""
        if not len(clauses):
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        M, N = self.workers.ask(partition.weigh, self.shared(duals), padded(clauses)).arrays
        return M, N

    def coverage(self, clauses: Sequence[Sequence[int]], duals: IntegerDuals) -> Coverage:
        """Return what clauses cover, with weights and duals on the grid."""
        asked = [tuple(int(j) for j in clause) for clause in clauses]
        found = self.workers.ask(partition.find_exact_patterns, asked, self.shared(duals))
        covers = pack_bits(unpack_bits(found.keys, len(asked)).T)
        return Coverage(covers, found.weights, found.mu, found.zeros)

    def priced_covers(
        self, clauses: Sequence[Sequence[int]], duals: IntegerDuals
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Return which patterns with duals each clause covers (K, n), and their duals."""
        if not len(clauses):
            return np.empty((0, 0), dtype=bool), np.empty(0, dtype=np.int64)
        found = self.coverage(clauses, duals)
        covers = unpack_bits(found.covers, len(found.mu))
        return covers[:, found.mu > 0], found.mu[found.mu > 0]

    def rounded(self, duals: Duals) -> IntegerDuals:
        """Put duals on the finest grid of integers on which all sums are exact."""
        assert isinstance(duals, PatternDuals)
        assert duals.of is not None
        scale = self.scale
        none = np.empty(0, dtype=np.int64)
        tolerance = DUAL_TOLERANCE * self.unit
        other = IntegerDuals.rounded(
            Duals(np.empty(0), duals.lam, duals.nu), scale, none, tolerance
        )
        numbers = (other.lam, scale, other.nu, (), duals.of)
        if self.has_integer_weights and scale >= COARSEST_RATES:
            # Weights and rates are on the grid: nothing is rounded, whatever rows were merged.
            sums = integer_sums(duals.totals, duals.of.rates, scale)
            return IntegerPatternDuals(sums, *numbers)
        return self.from_rates(IntegerPatternDuals(none, *numbers))

    def from_rates(self, duals: IntegerPatternDuals) -> IntegerPatternDuals:
        """Return the duals that rates of patterns come to on these rows, summed by pattern."""
        mu = self.workers.ask(partition.sum_mu, self.shared(duals)).arrays[0]
        return replace(duals, mu=mu)

    def has_duals(self, duals: IntegerDuals) -> bool:
        """Whether these are rates of patterns: no worker makes more of them than a weight."""
        return isinstance(duals, IntegerPatternDuals)

    def shared(self, duals: IntegerDuals) -> Any:
        """Bring duals to the workers, once; those of before are forgotten."""
        assert isinstance(duals, IntegerPatternDuals)
        assert duals.of is not None
        name = id(duals.of)
        if name not in self._shared:
            value = SharedDuals(next(_NAMES), duals.of, duals.scale)
            # The rates are kept beside it, so that no other object can get their name.
            self._shared[name] = (duals.of, self.workers.share(value))
            while len(self._shared) > MOST_SHARED:
                self._shared.pop(next(iter(self._shared)))
        return self._shared[name][1]


class WorkerPatterns:
    """Columns, and the coverage patterns of the positives that they cover."""

    def __init__(self, training_set: PartitionedTrainingSet) -> None:
        self._training_set = training_set
        self._clauses: tuple[tuple[int, ...], ...] = ()
        self._found: MarkedPatterns | None = None

    def demands(self) -> NDArray[np.int64]:
        """Return nothing: under requirements, rows are brought together."""
        return np.empty((0, 0), dtype=np.int64)

    def add(self, columns: Sequence[Column]) -> None:
        """Take columns into account."""
        self._clauses += tuple(column.clause for column in columns)

    def merge(self) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return which patterns each column covers (K, n), and the weights of the patterns."""
        self._found = self._training_set.workers.ask(partition.find_patterns, self._clauses)
        covers = unpack_bits(self._found.keys, len(self._clauses)).T
        return np.ascontiguousarray(covers), self._found.weights

    def duals(self, duals: Duals) -> Duals:
        """Make the dual of each pattern, as last merged, a rate that its positives share."""
        assert self._found is not None
        shares = rates(duals.mu, self._found.weights, self._training_set)
        return self.of_rates(shares, duals.lam, duals.nu)

    def of_rates(self, shares: NDArray[np.float64], lam: float, nu: float) -> PatternDuals:
        """Return the duals with these rates."""
        assert self._found is not None
        of = PatternRates(self._clauses, self._found.keys, self._found.marks, shares)
        totals = self._found.weights
        return PatternDuals(totals * shares, lam, nu, of=of, totals=totals)
