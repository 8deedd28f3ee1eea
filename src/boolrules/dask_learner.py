"""From a Dask DataFrame to rule sets: the rows stay where they are.

Three passes over the table: columns are summarised, rows become bin codes that stay on the
workers, and the rules that come out are held against the table itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from boolrules._optional import require
from boolrules.distributed import Partition, PartitionedTrainingSet
from boolrules.distributed.dask_workers import INSTALL, DaskWorkers, combined, current_client
from boolrules.given import Given
from boolrules.learner import Learner, Task, plain
from boolrules.preparation import make_training_set
from boolrules.rules import Form
from boolrules.rules.clause import ClauseStatistics
from boolrules.summary import TableSummary
from boolrules.table import is_missing, read_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.binarizer import FeatureBinarizer
    from boolrules.encoding import TableEncoding
    from boolrules.rules import RuleSet
    from boolrules.table import Table
    from boolrules.training_set import TrainingSet


def is_dask(X: Any) -> bool:
    """Whether this is a Dask DataFrame, found out without importing Dask."""
    return type(X).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(X, "npartitions")


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

    def summary(self, binarizer: FeatureBinarizer | None) -> TableSummary:
        """Return what is known of all columns and labels."""
        return cast("TableSummary", self._map(_summarise, binarizer))

    def partitions(self, *arguments: Any) -> DaskWorkers:
        """Encode the rows where they are."""
        made = [dask_delayed(_encode)(block, *arguments) for block in self._blocks]
        return DaskWorkers(self.client, self.client.compute(made))

    def held_against(self, rules: RuleSet, *arguments: Any) -> Record:
        """Count the loss and the statistics of rules on the table itself."""
        return cast("Record", self._map(_hold_against, rules, *arguments))

    def _map(self, function: Any, *arguments: Any) -> Any:
        answers = [dask_delayed(function)(block, *arguments) for block in self._blocks]
        return combined(self.client, self.client.compute(answers)).result()


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some rows of the table, read."""

    table: Table
    labels: NDArray[Any]
    weights: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Weighing:
    """What rows weigh: by class, and by the side that they are on."""

    classes: NDArray[Any]
    positive: int | None
    class_weights: tuple[float, ...]
    costs: tuple[float, float]

    def weighed(
        self, block: Block
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]:
        """Return which rows are positive, what each costs, and what it weighs without costs."""
        place = np.searchsorted(self.classes, block.labels.astype(self.classes.dtype))
        weights = block.weights * np.array(self.class_weights)[place]
        is_positive = place == self.positive
        return is_positive, weights * np.where(is_positive, *self.costs), weights


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """What rules did on some rows: their loss, and (covered, right, only here) by clause."""

    losses: tuple[float, ...]
    counts: NDArray[np.float64]

    def combined(self, others: Sequence[Self]) -> Record:
        """Add up."""
        every = [self, *others]
        losses = tuple(loss for record in every for loss in record.losses)
        return Record(losses, np.sum([record.counts for record in every], axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class DaskTask(Task):
    """One class against the rest, where the rows are elsewhere."""

    weighing: Weighing | None = None
    weight_P: float = 0.0
    weight_Z: float = 0.0

    @property
    def has_positives(self) -> bool:
        """Whether any positive weighs anything."""
        return self.weight_P > 0

    @property
    def has_both_classes(self) -> bool:
        """Whether rows of both sides weigh anything."""
        return self.weight_P > 0 and self.weight_Z > 0

    @classmethod
    def of(
        cls,
        weighing: Weighing,
        totals: Sequence[float],
        positive: int | None,
        negative: Any,
    ) -> DaskTask:
        """Make the task of one class; ``totals`` are what the rows of each class weigh."""
        none = np.empty(0)
        label = None if positive is None else plain(weighing.classes[positive])
        weight_P = 0.0 if positive is None else totals[positive]
        return cls(
            label,
            negative,
            none.astype(bool),
            none,
            none,
            replace(weighing, positive=positive),
            weight_P,
            sum(totals) - weight_P,
        )


class DaskLearner(Learner):
    """Learns one rule set per task from a table that no single machine holds."""

    def __init__(self, table: DaskTable, encoding: TableEncoding, *arguments: Any) -> None:
        super().__init__(cast("Table", None), encoding, *arguments)
        self._frame = table

    def _split(self, task: Task) -> tuple[Given, TrainingSet]:
        """Encode the rows where they are."""
        assert isinstance(task, DaskTask)
        _, conditions = self._encoding.conditions()
        if self._form is Form.CNF:
            conditions = conditions.complement()
        workers = self._frame.partitions(self._encoding, task.weighing, self._form)
        # It answers every question that learning asks of a training set.
        return Given(), cast("TrainingSet", PartitionedTrainingSet(conditions, workers))

    def _loss(self, rules: RuleSet, task: Task) -> float:
        assert isinstance(task, DaskTask)
        loss = math.fsum(self._frame.held_against(rules, task.weighing).losses)
        return int(loss) if loss.is_integer() else loss

    def _with_statistics(self, rules: RuleSet, task: Task) -> RuleSet:
        assert isinstance(task, DaskTask)
        counts = self._frame.held_against(rules, task.weighing).counts
        *statistics, undecided = (ClauseStatistics(*row) for row in counts.tolist())
        return replace(rules, statistics=tuple(statistics), undecided=undecided)


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


def _block(frame: Any, y: Any, sample_weight: Any) -> Block:
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
    return Block(read_table(frame.drop(columns=left_out)), labels, weights)


def _summarise(block: Block, binarizer: FeatureBinarizer | None) -> TableSummary:
    # Rows of weight zero are left out, but for their labels.
    table = block.table.rows(block.weights > 0)
    return TableSummary.of(table, block.labels, block.weights, binarizer)


def _encode(block: Block, encoding: TableEncoding, weighing: Weighing, form: Form) -> Partition:
    is_positive, weights, _ = weighing.weighed(block)
    return Partition(make_training_set(encoding, block.table, is_positive, weights, form))


def _hold_against(block: Block, rules: RuleSet, weighing: Weighing) -> Record:
    is_positive, costs, weights = weighing.weighed(block)
    loss = rules.hamming_loss(block.table, is_positive, costs)
    counted = rules.with_statistics(block.table, is_positive, weights)
    assert counted.undecided is not None
    every = [*counted.statistics, counted.undecided]
    counts = [(s.covered, s.right, s.only_here) for s in every]
    return Record((loss,), np.array(counts))
