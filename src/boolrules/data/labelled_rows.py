"""Rows of a table with their labels, and what a mistake costs on each.

The one definition of a row's weight, which every certificate rests on: sample weight times class
weight times the cost of the mistake. Learning, paths, cross-validation, Dask, alternatives,
editing, the report and ``verify`` all ask here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.table import read_table
from boolrules._support.values import check_labels_kept, equals
from boolrules.data.column import EXACT_BITS
from boolrules.data.fingerprint import RowMarks
from boolrules.data.given import Given
from boolrules.data.mistake_limits import MistakeLimits
from boolrules.data.problem import are_whole
from boolrules.data.standing import Standings
from boolrules.data.training_set import TrainingSet
from boolrules.rules import Form, RuleSet
from boolrules.rules.clause_statistics import numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules._support.table import Table
    from boolrules.data.encoding import TableEncoding
    from boolrules.data.problem import Problem
    from boolrules.data.requirement import Requirement
    from boolrules.rules import Clause
    from boolrules.rules.clause_statistics import ClauseStatistics

# Of a class or a mistake; sums over the rows must stay below it to be exact.
LARGEST_WEIGHT = 2**EXACT_BITS
# Objectives that differ by less, relatively, are not told apart where weights are fractions.
ROUNDING = 1e-9
# Sums of the same weights, in another order or merged: so much, and so much for each row.
LEAST_DUST, DUST_PER_ROW = 1e-12, 4 * float(np.finfo(float).eps)


@dataclass(frozen=True, slots=True)
class Weighing:
    """What rows weigh by their class, and what each kind of mistake costs.

    Parameters
    ----------
    classes : tuple of labels
        Those that have a weight of their own; any other label weighs 1.
    class_weights : tuple of float
        One per class.
    missed_positive_cost, covered_zero_cost : float
        Of a row on the positive side that is missed, and of one on the other side that is covered.
    """

    classes: tuple[Any, ...] = ()
    class_weights: tuple[float, ...] = ()
    missed_positive_cost: float = 1
    covered_zero_cost: float = 1

    def __post_init__(self) -> None:
        names = [f"the weight of class {label!r:.40}" for label in self.classes]
        names += ["missed_positive_cost", "covered_zero_cost"]
        for name, number in zip(names, (*self.class_weights, *self.costs), strict=True):
            if not 0 <= number <= LARGEST_WEIGHT:
                raise ValueError(
                    f"{name} is {number!s:.40}; use a number from 0 to {LARGEST_WEIGHT}. To scale "
                    "all weights changes no rules."
                )

    @property
    def costs(self) -> tuple[float, float]:
        """Of a missed positive and of a covered zero."""
        return self.missed_positive_cost, self.covered_zero_cost

    @property
    def is_unweighted(self) -> bool:
        """Whether every mistake costs one."""
        return {*self.class_weights, *self.costs} <= {1}


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """A table, one label per row, sample weights if there are any, and how mistakes are weighed.

    Parameters
    ----------
    table : Table
        The rows.
    labels : array
        One per row.
    sample_weight : float array, or None
        None weighs every row 1.
    weighing : Weighing
        Of classes and mistakes.

    Examples
    --------
    >>> rows = LabelledRows.of(np.array([[1.0], [2.0]]), ["low", "high"], sample_weight=[1, 2])
    >>> rows.against_rest("high").is_positive.tolist(), rows.weights.tolist()
    ([False, True], [1.0, 2.0])
    """

    table: Table
    labels: NDArray[Any]
    sample_weight: NDArray[np.float64] | None = None
    weighing: Weighing = field(default_factory=Weighing)

    @classmethod
    def of(
        cls, X: Any, y: Any, sample_weight: Any = None, weighing: Weighing | None = None
    ) -> LabelledRows:
        """Read what a user gave, after a check that it fits together."""
        table = read_table(X)
        labels = np.asarray(y)
        if labels.shape != (len(table),):
            raise ValueError(f"Give one label per row: {len(table)} rows, labels {labels.shape}.")
        check_labels_kept(y, labels)
        weights = None if sample_weight is None else checked_weights(sample_weight, len(table))
        return cls(table, labels, weights, weighing or Weighing())

    def __len__(self) -> int:
        return len(self.table)

    def has(self, label: Any) -> NDArray[np.bool_]:
        """Which rows have the label."""
        return equals(self.labels, label)

    @property
    def has_sample_weight(self) -> bool:
        """Whether rows have weights of their own."""
        return self.sample_weight is not None

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Sample weight times class weight: what weighted statistics count."""
        weights = np.ones(len(self)) if self.sample_weight is None else self.sample_weight
        weighing = self.weighing
        for label, class_weight in zip(weighing.classes, weighing.class_weights, strict=True):
            if class_weight != 1:
                weights = np.where(self.has(label), weights * class_weight, weights)
        return weights

    def marks(self, encoding: TableEncoding) -> RowMarks:
        """Return what tells these rows from others."""
        return RowMarks.of(self, encoding)

    def against_rest(self, positive: Any) -> BinaryRows:
        """Put the rows of one label on one side and all others on the other."""
        is_positive, weights = self.has(positive), self.weights
        with np.errstate(over="ignore"):  # a sum that is not finite is turned down later
            costs = weights * np.where(is_positive, *map(float, self.weighing.costs))
        counts = np.ones(len(self)) if self.sample_weight is None else self.sample_weight
        return BinaryRows(self.table, is_positive, costs, weights, counts, self.codes)

    @cached_property
    def codes(self) -> Codes:
        """The table's bin codes, which all classes share."""
        return Codes(self.table)


@dataclass(eq=False)
class Codes:
    """Bin codes of a table, kept until they are asked for under another encoding."""

    table: Table
    _encoding: TableEncoding | None = None
    _codes: NDArray[np.unsignedinteger] | None = None

    def under(self, encoding: TableEncoding) -> NDArray[np.unsignedinteger]:
        """Return the codes, (n_rows, n_features)."""
        if self._codes is None or encoding is not self._encoding:
            self._encoding, self._codes = encoding, encoding.encode(self.table)
        return self._codes


@dataclass(frozen=True, slots=True, eq=False)
class BinaryRows:
    """Rows of one class against the rest, in memory.

    Parameters
    ----------
    table : Table
        The rows.
    is_positive : bool array
        Which of them are of the class.
    costs : float array
        What a mistake on each row costs in the Hamming loss: weight times cost of the mistake.
    weights : float array
        The same without the costs of mistakes.
    counts : float array
        Sample weights alone: what requirements count.
    codes : Codes
        What the rows are to the solver.
    """

    table: Table
    is_positive: NDArray[np.bool_]
    costs: NDArray[np.float64]
    weights: NDArray[np.float64]
    counts: NDArray[np.float64]
    codes: Codes

    @property
    def has_positives(self) -> bool:
        """Whether any positive weighs anything."""
        return bool(np.any((self.weights > 0) & self.is_positive))

    @property
    def has_both_classes(self) -> bool:
        """Whether rows of both sides weigh anything."""
        return self.has_positives and bool(np.any((self.weights > 0) & ~self.is_positive))

    @property
    def total_costs(self) -> tuple[float, float]:
        """What it costs to miss every positive, and to cover every zero once."""
        with np.errstate(over="ignore"):  # a sum that is not finite is turned down later
            missed, covered = self.costs[self.is_positive], self.costs[~self.is_positive]
            return float(missed.sum()), float(covered.sum())

    def holds_whole(self, name: str) -> bool:
        """Whether a column of numbers holds whole ones alone; rows of weight zero do not count."""
        column = self.table[name]
        return are_whole(column.values[~column.is_null & (self.counts > 0)])

    def hamming_loss(self, rules: RuleSet) -> float:
        """What the rules lose on these rows, eq. (1)."""
        return rules.hamming_loss(self.table, self.is_positive, self.costs)

    def errors(self, rules: RuleSet) -> float:
        """What the rules mistake on these rows, each counted once."""
        is_mistaken = rules.covers(self.table) != self.is_positive
        errors = math.fsum(self.costs[is_mistaken].tolist())
        return int(errors) if errors.is_integer() else errors

    def with_statistics(self, rules: RuleSet) -> RuleSet:
        """Return the rules with what their clauses do on these rows: plain, and by weight."""
        return rules.with_statistics(self.table, self.is_positive, self.weights)

    def has_statistics_of(self, rules: RuleSet) -> bool:
        """Whether the statistics that rules come with, if any, are those of these rows.

        Plain rows are counted to the last one, weights but for rounding.
        """
        counted, is_whole = self.with_statistics(rules), are_whole(self.weights)
        return are_same_statistics(rules, counted, len(self.weights), is_whole)

    def is_same_loss(self, one: float, other: float) -> bool:
        """Whether two losses on these rows are the same; see ``is_same_loss``."""
        return is_same_loss(one, other, len(self.costs), are_whole(self.costs))

    def meets(self, rules: RuleSet, requirements: Sequence[Requirement]) -> bool:
        """Whether the rules meet requirements on these rows, however mistakes are counted.

        A row that several clauses wrongly decide is one mistake, and it is as many as clauses:
        both must do.
        """
        limits = self.limits(requirements)
        if limits is None:
            return True
        should = self.is_positive if rules.form is Form.DNF else ~self.is_positive
        n_decides = rules.decides(self.table).sum(axis=1)
        times = np.where(should, n_decides == 0, n_decides)
        return limits.are_met(times) and limits.are_met(np.minimum(times, 1))

    def standings(self, rules: RuleSet, requirements: Sequence[Requirement]) -> Standings:
        """Say what the figures of requirements come to under some rules."""
        is_flagged = rules.covers(self.table)
        return Standings.of(requirements, self.table, self.is_positive, is_flagged, self.counts)

    def caring_for(self, requirement: Requirement) -> BinaryRows | None:
        """Return the rows where nothing costs but what a requirement asks; None if that is none.

        The best rules for them come nearest to it.
        """
        if requirement.costs is None:
            return None
        costs = np.where(self.is_positive, *map(float, requirement.costs)) * self.counts
        groups = requirement.groups(self.table)
        is_there = np.any([rows for _, rows in groups], axis=0)
        return replace(self, costs=np.where(is_there, costs, 0.0))

    def limits(self, requirements: Sequence[Requirement]) -> MistakeLimits | None:
        """Read requirements as limits on mistakes on these rows; None without any."""
        return MistakeLimits.of(requirements, self.table, self.is_positive, self.counts)

    def without(
        self,
        clauses: Sequence[Clause],
        encoding: TableEncoding,
        form: Form,
        problem: Problem,
        requirements: Sequence[Requirement] = (),
    ) -> tuple[Given, TrainingSet]:
        """Take clauses that are given out of a problem, and encode the rows that they leave.

        The positives that they cover cost nothing there, but count towards ``min_coverage``, as do
        those that the objective does not ask for. Zeros that they cover are mistakes already.

        Examples
        --------
        >>> from boolrules import Clause, Condition, Form
        >>> from boolrules.data.binning import Binning
        >>> from boolrules.data.problem import Problem
        >>> rows = LabelledRows.of(np.array([[1.0], [2.0], [3.0]]), [1, 0, 1]).against_rest(1)
        >>> low, encoding = Clause((Condition("x0", "<=", 2),)), Binning().fit(rows.table)
        >>> given, samples = rows.without([low], encoding, Form.DNF, Problem(max_complexity=5))
        >>> given.loss, samples.weights_P.tolist(), samples.weights_Z.tolist()
        (1, [1.0], [1.0])
        """
        given, left, limits = Given(), self.costs, self.limits(requirements)
        if clauses:
            rules = RuleSet(tuple(clauses), form, True, False)
            should = self.is_positive if form is Form.DNF else ~self.is_positive
            wrongly = np.where(should, 0.0, self.costs)
            loss = rules.hamming_loss(self.table, self.is_positive, wrongly)
            n_decides = rules.decides(self.table).sum(axis=1)
            is_done = should & (n_decides > 0)
            given, left = Given(tuple(clauses), loss), np.where(is_done, 0.0, self.costs)
            if limits is not None:
                limits = limits.without(is_done, np.where(should, 0, n_decides))
        is_kept = (self.weights if problem.min_coverage else left) > 0
        if limits is not None:
            is_kept = self.weights > 0
            if clauses and (limits.costs[:, ~should] < 0).any():
                raise ValueError(
                    "given_clauses cannot be asked together with requirements that count a row "
                    "for the better if a clause wrongly decides it: equalised odds or, in CNF, "
                    "flagged rows and equal opportunity. Leave one of them out."
                )
        return given, self._encoded(encoding, form, left, is_kept, limits)

    def encoded(self, encoding: TableEncoding, form: Form) -> TrainingSet:
        """Encode the rows for the solver."""
        return self._encoded(encoding, form, self.costs, self.weights > 0)

    def _encoded(
        self,
        encoding: TableEncoding,
        form: Form,
        costs: NDArray[np.float64],
        is_kept: NDArray[np.bool_],
        limits: MistakeLimits | None = None,
    ) -> TrainingSet:
        is_positive, conditions = self.is_positive, encoding.binned
        if form is Form.CNF:  # DNF with labels and conditions negated (De Morgan, §2)
            is_positive, conditions = ~is_positive, conditions.complement()
        codes = self.codes.under(encoding)
        return TrainingSet.merge(codes, is_positive, costs, conditions, is_kept, limits)


def are_same_statistics(told: RuleSet, counted: RuleSet, n_rows: int, is_whole: bool) -> bool:
    """Whether rules come with the statistics that were counted, as far as they come with any."""
    pairs = list(zip(told.statistics, counted.statistics, strict=False))
    if told.undecided is not None and counted.undecided is not None:
        pairs.append((told.undecided, counted.undecided))
    return all(_is_same_count(*pair, n_rows, is_whole) for pair in pairs)


def _is_same_count(
    told: ClauseStatistics, counted: ClauseStatistics, n_rows: int, is_whole: bool
) -> bool:
    # A file from before there were plain counts has weighted ones in their place.
    is_old = told.weighted is None and counted.weighted is not None
    has_other = told.weighted is not None and counted.weighted is None
    if has_other or (not is_old and numbers(told) != numbers(counted)):
        return False
    pairs = zip(numbers(told.by_weight), numbers(counted.by_weight), strict=True)
    return all(is_same_loss(*pair, n_rows, is_whole) for pair in pairs)


def is_same_loss(one: float, other: float, n_rows: int, is_whole: bool) -> bool:
    """Compare sums of so many weights: exactly where these are whole, else but for rounding."""
    if is_whole:
        return one == other
    return math.isclose(one, other, rel_tol=max(LEAST_DUST, n_rows * DUST_PER_ROW))


def checked_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    """Read sample weights: one finite number per row, none negative, not all zero."""
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected ({n_rows},): one weight per row."
        )
    if not n_rows:
        raise ValueError("The table has no rows.")
    check_weights(float(weights.min()), float(weights.max()))
    return weights


def check_weights(least: float, largest: float) -> None:
    """Turn down weights that are not finite, negative, or all zero, by their range."""
    if not (0 <= least < math.inf and 0 < largest < math.inf):
        raise ValueError(
            "sample_weight must hold finite numbers, none negative and not all zero; "
            f"its least is {least} and its largest {largest}."
        )
