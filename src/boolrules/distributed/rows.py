"""A Dask DataFrame with labels, as rows to learn from: they stay where they are.

Three passes over the table: columns are summarised, rows become bin codes that stay on the
workers, and the rules that come out are held against the table itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from boolrules._support.optional import is_dask, require
from boolrules._support.table import is_missing, read_table
from boolrules.data.constraints import Given
from boolrules.data.labelled_rows import LabelledRows, is_same_loss
from boolrules.data.problem import as_number
from boolrules.data.standing import Standings
from boolrules.distributed import Partition, PartitionedTrainingSet
from boolrules.distributed.dask_workers import INSTALL, DaskWorkers, combined, current_client
from boolrules.distributed.summary import TableSummary
from boolrules.rules import Form
from boolrules.rules.clause_statistics import ClauseStatistics, RowCounts, numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from boolrules.data.binning import Binning
    from boolrules.data.encoding import TableEncoding
    from boolrules.data.labelled_rows import Weighing
    from boolrules.data.problem import Problem
    from boolrules.data.requirement import Requirement
    from boolrules.rules import Clause, RuleSet


class DaskTable:
    """A Dask DataFrame with its labels and weights, part by part.

    Parameters
    ----------
    X : Dask DataFrame, folder or file of Parquet, or a table in memory
        One row per sample.
    y : str, or labels
        The column of the labels, or labels split as X is.
    sample_weight : str, weights or None
        Likewise.
    """

    def __init__(self, X: Any, y: Any, sample_weight: Any = None) -> None:
        frames = require("dask.dataframe", needed_for="engine='dask'", install=INSTALL)
        self.client = current_client()
        if isinstance(X, str | Path):
            X = frames.read_parquet(X)
        target = y if isinstance(y, str) else getattr(y, "name", None)
        self.target = target if isinstance(target, str) and target else None
        if not is_dask(X):
            X, y, sample_weight = _split_up(frames, X, y, sample_weight, self.client)
        if y is None:
            raise ValueError(
                "requires y to be passed, but the target y is None. Give the name of its column."
            )
        left_out = [name for name in (y, sample_weight) if isinstance(name, str)]
        for name in left_out:
            if name not in X.columns:
                raise ValueError(
                    f"The table has no column {name!r}. Its columns are: {', '.join(X.columns)}."
                )
        self.meta = X._meta.drop(columns=left_out)  # noqa: SLF001
        self.has_weights = sample_weight is not None
        self._blocks = [
            dask_delayed(_block)(*parts)
            for parts in zip(
                X.to_delayed(),
                _parts(X, y, "y"),
                _parts(X, sample_weight, "sample_weight"),
                strict=True,
            )
        ]

    def summary(self, binning: Binning | None) -> TableSummary:
        """Return what is known of all columns and labels."""
        summary: TableSummary = self._map(_summarise, binning)
        return summary

    def labelled(self, weighing: Weighing, summary: TableSummary) -> DaskLabelledRows:
        """Weigh the rows, of which the summary has how many there are of each label."""
        totals = {label: weight for label, (_, weight) in summary.labels.items()}
        n_rows = sum(n for n, _ in summary.labels.values())
        return DaskLabelledRows(self, weighing, totals, n_rows)

    def partitions(self, *arguments: Any) -> DaskWorkers:
        """Encode the rows where they are."""
        made = [dask_delayed(_encode)(block, *arguments) for block in self._blocks]
        return DaskWorkers(self.client, self.client.compute(made))

    def held_against(self, rules: RuleSet, *arguments: Any) -> Record:
        """Count the loss and the statistics of rules on the table itself."""
        record: Record = self._map(_hold_against, rules, *arguments)
        return record

    def _map(self, function: Any, *arguments: Any) -> Any:
        answers = [dask_delayed(function)(block, *arguments) for block in self._blocks]
        return combined(self.client, self.client.compute(answers)).result()


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
    """A Dask table with how its mistakes are weighed: ``LabelledRows`` from afar."""

    table: DaskTable
    weighing: Weighing
    totals: Mapping[Any, float]
    n_rows: int

    def against_rest(self, positive: Any) -> DaskRows:
        """Put the rows of one label on one side and all others on the other."""
        weighed = dict(zip(self.weighing.classes, self.weighing.class_weights, strict=True))
        weights = {label: total * weighed[label] for label, total in self.totals.items()}
        weight_P = weights.pop(positive, 0.0)
        weight_Z = sum(weights.values())
        return DaskRows(self.table, positive, self.weighing, self.n_rows, weight_P, weight_Z)


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
    """

    table: DaskTable
    positive: Any
    weighing: Weighing
    n_rows: int
    weight_P: float
    weight_Z: float

    @property
    def has_positives(self) -> bool:
        """Whether any positive weighs anything."""
        return self.weight_P > 0

    @property
    def has_both_classes(self) -> bool:
        """Whether rows of both sides weigh anything."""
        return self.weight_P > 0 and self.weight_Z > 0

    def hamming_loss(self, rules: RuleSet) -> float:
        """What the rules lose on these rows, eq. (1)."""
        return as_number(math.fsum(self._record(rules).losses))

    def with_statistics(self, rules: RuleSet) -> RuleSet:
        """Return the rules with what their clauses do on these rows."""
        *statistics, undecided = self._record(rules).statistics
        return replace(rules, statistics=tuple(statistics), undecided=undecided, calibration=None)

    def errors(self, rules: RuleSet) -> float:
        """Rows are counted once for tables in memory alone."""
        raise ValueError("objective='errors' is for tables in memory, not for Dask.")

    def meets(self, rules: RuleSet, requirements: Sequence[Requirement]) -> bool:
        """Requirements are for tables in memory: there are none."""
        return not requirements

    def standings(self, rules: RuleSet, requirements: Sequence[Requirement]) -> Standings:
        """Requirements are for tables in memory: there are none."""
        return Standings(())

    def caring_for(self, requirement: Requirement) -> None:
        """Requirements are for tables in memory: there are none."""

    def is_same_loss(self, one: float, other: float) -> bool:
        """Whether two losses on these rows are the same, but for the order of the sums."""
        return is_same_loss(one, other, self.n_rows, is_whole=False)

    def without(
        self,
        clauses: Sequence[Clause],
        encoding: TableEncoding,
        form: Form,
        problem: Problem,
        requirements: Sequence[Requirement] = (),
    ) -> tuple[Given, PartitionedTrainingSet]:
        """Encode the rows where they are."""
        if clauses:
            raise ValueError("given_clauses is not there for Dask yet. Leave it out.")
        conditions = encoding.binned
        if form is Form.CNF:
            conditions = conditions.complement()
        workers = self.table.partitions(encoding, self.positive, self.weighing, form)
        return Given(), PartitionedTrainingSet(conditions, workers)

    def _record(self, rules: RuleSet) -> Record:
        return self.table.held_against(rules, self.positive, self.weighing)


def predict_parts(model: Any, X: Any) -> Any:
    """Map ``predict`` over the parts of a Dask DataFrame, which are read when asked for.

    Other columns, such as the labels that ``fit`` was given by name, are not even read.
    """
    X = X[[name for name in X.columns if name in set(model.feature_names_in_)]]
    meta = X._meta.index.to_series().astype(object).astype(model.classes_.dtype)  # noqa: SLF001
    return X.map_partitions(_predict, model, meta=meta.rename(None))


def _predict(part: Any, model: Any) -> Any:
    empty = part.index.to_series()
    answers = model.predict(part) if len(part) else model.classes_[:0]
    return type(empty)(answers, index=part.index)


def dask_delayed(function: Any) -> Any:
    """Wrap a function for Dask, to be called on the workers."""
    dask = require("dask", needed_for="engine='dask'", install=INSTALL)
    return dask.delayed(function, pure=False)


def _split_up(frames: Any, X: Any, y: Any, sample_weight: Any, client: Any) -> tuple[Any, ...]:
    """Make a Dask DataFrame of a table in memory, its labels and weights being columns of it."""
    pandas = require("pandas", needed_for="engine='dask'", install="pip install pandas")
    frame = X.copy() if isinstance(X, pandas.DataFrame) else _as_pandas(pandas, X)
    names: list[str | None] = []
    for name, values in (("boolrules y", y), ("boolrules weight", sample_weight)):
        if values is None or isinstance(values, str):
            names.append(values)
        else:
            frame[name] = np.asarray(values)
            names.append(name)
    n_parts = max(1, sum(client.nthreads().values()))
    return frames.from_pandas(frame, npartitions=n_parts), *names


def _as_pandas(pandas: Any, X: Any) -> Any:
    if hasattr(X, "to_pandas"):
        return X.to_pandas()
    array = np.asarray(X)
    return pandas.DataFrame(array, columns=[f"x{f}" for f in range(array.shape[1])])


def _parts(X: Any, values: Any, name: str) -> list[Any]:
    """Return the labels or weights of each part: a column's name, or a piece of a series."""
    if values is None or isinstance(values, str):
        return [values] * X.npartitions
    if not hasattr(values, "to_delayed") or values.npartitions != X.npartitions:
        raise ValueError(
            f"{name} must be the name of a column of X, or a Dask Series with as many partitions "
            f"as X, {X.npartitions}; got {type(values).__name__}."
        )
    return list(np.ravel(values.to_delayed()))


def _block(frame: Any, y: Any, sample_weight: Any) -> LabelledRows:
    """Read some rows of the table."""
    left_out = [name for name in (y, sample_weight) if isinstance(name, str)]
    labels = np.asarray(frame[y] if isinstance(y, str) else y)
    if isinstance(sample_weight, str):
        sample_weight = frame[sample_weight]
    weights = np.ones(len(frame))
    if sample_weight is not None:
        weights = np.asarray(sample_weight, dtype=np.float64)
    if not len(labels) == len(weights) == len(frame):
        raise ValueError(
            f"A part of the table has {len(frame)} rows, {len(labels)} labels and {len(weights)} "
            "weights. Split the labels and weights as the table is split."
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("sample_weight must hold finite numbers, none negative.")
    n_missing = sum(map(is_missing, labels.tolist()))
    if n_missing:
        raise ValueError(f"Input y contains NaN in {n_missing} rows; drop them first.")
    return LabelledRows(read_table(frame.drop(columns=left_out)), labels, weights)


def _summarise(rows: LabelledRows, binning: Binning | None) -> TableSummary:
    # Rows of weight zero are left out, but for their labels.
    weights = rows.weights
    return TableSummary.of(rows.table.rows(weights > 0), rows.labels, weights, binning)


def _encode(
    rows: LabelledRows, encoding: TableEncoding, positive: Any, weighing: Weighing, form: Form
) -> Partition:
    sides = replace(rows, weighing=weighing).against_rest(positive)
    return Partition(sides.encoded(encoding, form))


def _hold_against(rows: LabelledRows, rules: RuleSet, positive: Any, weighing: Weighing) -> Record:
    sides = replace(rows, weighing=weighing).against_rest(positive)
    counted = sides.with_statistics(rules)
    assert counted.undecided is not None
    return Record.of(sides.hamming_loss(rules), [*counted.statistics, counted.undecided])
