"""A Dask table as rows to learn from and to verify: they stay where they are.

Three passes over the table: columns are summarised, rows become bin codes that stay on the
workers, and the rules that come out are held against the table itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from boolrules.data.fingerprint import RowMarks
from boolrules.data.given import Given
from boolrules.data.labelled_rows import are_same_statistics, is_same_loss
from boolrules.data.problem import as_number
from boolrules.data.standing import Standings
from boolrules.distributed.partition import Partition
from boolrules.distributed.samples import PartitionedTrainingSet
from boolrules.rules import Form
from boolrules.rules.clause_statistics import ClauseStatistics, RowCounts, numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.data.encoding import TableEncoding
    from boolrules.data.labelled_rows import LabelledRows, Weighing
    from boolrules.data.problem import Problem
    from boolrules.data.requirement import Requirement
    from boolrules.distributed.summary import LabelSummary
    from boolrules.distributed.table import DaskTable
    from boolrules.rules import Clause, RuleSet


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """What rules did on some rows: their loss, and (covered, right, only here) by clause.

    First of plain rows, then of what they weigh; the last clause stands for the undecided rows.
    """

    losses: tuple[float, ...]
    counts: NDArray[np.float64]
    has_weights: bool

    @classmethod
    def of(cls, loss: float, every: Sequence[ClauseStatistics]) -> Record:
        """Write down what was counted on the rows of one part."""
        counts = [(*numbers(s), *numbers(s.by_weight)) for s in every]
        return cls((loss,), np.array(counts), any(s.weighted is not None for s in every))

    @property
    def statistics(self) -> list[ClauseStatistics]:
        """One for each clause, then one for the undecided rows."""
        return [
            ClauseStatistics.of(
                RowCounts(*row[:3]), RowCounts(*row[3:]) if self.has_weights else None
            )
            for row in self.counts.tolist()
        ]

    def combined(self, others: Sequence[Self]) -> Record:
        """Add up."""
        every = [self, *others]
        losses = tuple(loss for record in every for loss in record.losses)
        counts = np.sum([record.counts for record in every], axis=0)
        return Record(losses, counts, any(record.has_weights for record in every))


@dataclass(frozen=True, slots=True, eq=False)
class DaskLabelledRows:
    """A Dask table with how its mistakes are weighed: ``LabelledRows`` from afar.

    ``whole`` names the columns that are known to hold whole numbers alone.
    """

    table: DaskTable
    weighing: Weighing
    known: LabelSummary
    whole: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return self.known.n_rows + self.known.n_missing

    @property
    def labels(self) -> NDArray[Any]:
        """Each label once."""
        return self.known.values

    @property
    def has_sample_weight(self) -> bool:
        """Whether rows have weights of their own."""
        return self.table.has_weights

    def marks(self, encoding: TableEncoding) -> RowMarks:
        """Return what tells these rows from others."""
        marks: RowMarks = self.table.map(_marks, encoding, self.weighing)
        return marks

    def against_rest(self, positive: Any) -> DaskRows:
        """Put the rows of one label on one side and all others on the other."""
        weighed = dict(zip(self.weighing.classes, self.weighing.class_weights, strict=True))
        weights = {
            label: total * weighed.get(label, 1.0)
            for label, (_, total) in self.known.weights.items()
        }
        weight_P = weights.pop(positive, 0.0)
        weight_Z = sum(weights.values())
        factors = (*self.weighing.class_weights, *self.weighing.costs)
        is_whole = self.known.are_whole and all(float(f).is_integer() for f in factors)
        return DaskRows(
            self.table,
            positive,
            self.weighing,
            len(self),
            weight_P,
            weight_Z,
            is_whole,
            self.whole,
        )


@dataclass(frozen=True, slots=True, eq=False)
class DaskRows:
    """Rows of one class against the rest, on the workers of a cluster.

    Parameters
    ----------
    table : DaskTable
        All rows.
    positive : label
        The class; a label that no row has where there is no positive side.
    weighing : Weighing
        Of classes and mistakes.
    n_rows : int
        How many there are.
    weight_P, weight_Z : float
        What the rows of either side weigh.
    is_whole : bool
        Whether every mistake costs a whole number, so that sums are exact.
    whole : frozenset of str
        Columns that are known to hold whole numbers alone.
    """

    table: DaskTable
    positive: Any
    weighing: Weighing
    n_rows: int
    weight_P: float
    weight_Z: float
    is_whole: bool
    whole: frozenset[str] = frozenset()
    _records: dict[Any, Record] = field(default_factory=dict)

    @property
    def has_positives(self) -> bool:
        """Whether any positive weighs anything."""
        return self.weight_P > 0

    @property
    def has_both_classes(self) -> bool:
        """Whether rows of both sides weigh anything."""
        return self.weight_P > 0 and self.weight_Z > 0

    @property
    def total_costs(self) -> tuple[float, float]:
        """What it costs to miss every positive, and to cover every zero once."""
        missed, covered = self.weighing.costs
        return self.weight_P * missed, self.weight_Z * covered

    def holds_whole(self, name: str) -> bool:
        """Whether a column is known to hold whole numbers alone."""
        return name in self.whole

    def hamming_loss(self, rules: RuleSet) -> float:
        """What the rules lose on these rows, eq. (1)."""
        return as_number(math.fsum(self.record(rules).losses))

    def with_statistics(self, rules: RuleSet) -> RuleSet:
        """Return the rules with what their clauses do on these rows."""
        *statistics, undecided = self.record(rules).statistics
        return replace(rules, statistics=tuple(statistics), undecided=undecided, calibration=None)

    def has_statistics_of(self, rules: RuleSet) -> bool:
        """Whether the statistics that rules come with, if any, are those of these rows."""
        return are_same_statistics(rules, self.with_statistics(rules), self.n_rows, self.is_whole)

    def errors(self, rules: RuleSet) -> float:
        """Where rows count once, they are brought together."""
        raise _needs_rows("objective='errors'")

    def meets(self, rules: RuleSet, requirements: Sequence[Requirement]) -> bool:
        """Say yes where nothing is required; for requirements, rows are brought together."""
        if requirements:
            raise _needs_rows("requirements")
        return True

    def standings(self, rules: RuleSet, requirements: Sequence[Requirement]) -> Standings:
        """Say nothing where nothing is required."""
        self.meets(rules, requirements)
        return Standings(())

    def caring_for(self, requirement: Requirement) -> None:
        """For requirements, rows are brought together."""
        raise _needs_rows("requirements")

    def is_same_loss(self, one: float, other: float) -> bool:
        """Whether two losses on these rows are the same; see ``is_same_loss``."""
        return is_same_loss(one, other, self.n_rows, self.is_whole)

    def without(
        self,
        clauses: Sequence[Clause],
        encoding: TableEncoding,
        form: Form,
        problem: Problem,
        requirements: Sequence[Requirement] = (),
    ) -> tuple[Given, PartitionedTrainingSet]:
        """Take clauses that are given out, and encode the rows that they leave, on the workers."""
        if requirements:
            raise _needs_rows("requirements")
        conditions = encoding.binned
        if form is Form.CNF:
            conditions = conditions.complement()
        asked = (encoding, self.positive, self.weighing, form, tuple(clauses), problem)
        samples = PartitionedTrainingSet(conditions, self.table.partitions(_encode, *asked))
        given = Given(tuple(clauses), samples.given_loss) if clauses else Given()
        return given, samples

    def record(self, rules: RuleSet) -> Record:
        """Hold rules against the table itself, once."""
        key = (rules.clauses, rules.form)
        if key not in self._records:
            self._records[key] = self.table.map(_hold_against, rules, self.positive, self.weighing)
        return self._records[key]


def _needs_rows(what: str) -> ValueError:
    return ValueError(f"{what} needs the rows in one place, and these are on the workers.")


def _marks(rows: LabelledRows, encoding: TableEncoding, weighing: Weighing) -> RowMarks:
    return RowMarks.of(replace(rows, weighing=weighing), encoding)


def _encode(
    rows: LabelledRows,
    encoding: TableEncoding,
    positive: Any,
    weighing: Weighing,
    form: Form,
    clauses: tuple[Clause, ...],
    problem: Problem,
) -> Partition:
    sides = replace(rows, weighing=weighing).against_rest(positive)
    given, samples = sides.without(clauses, encoding, form, problem)
    return Partition(samples, given.loss)


def _hold_against(rows: LabelledRows, rules: RuleSet, positive: Any, weighing: Weighing) -> Record:
    sides = replace(rows, weighing=weighing).against_rest(positive)
    counted = sides.with_statistics(rules)
    assert counted.undecided is not None
    return Record.of(sides.hamming_loss(rules), [*counted.statistics, counted.undecided])
