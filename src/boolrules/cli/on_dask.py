"""``--engine dask``: Parquet files that the workers of a cluster read, part by part.

What other commands ask of a table in memory is asked here of its parts. CSV files are read by this
process, whatever the engine.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from boolrules import Model
from boolrules._support.saving import whole_file
from boolrules.cli.cluster import PREDICTION
from boolrules.cli.data_file import is_named_parquet
from boolrules.cli.files import no_column
from boolrules.cli.fitted_data import FittedData, read_model
from boolrules.cli.labels import (
    Labels,
    check_labels,
    numbers_of,
    read_labels,
    read_labels_as_fitted,
    tell_left_out,
)
from boolrules.cli.output import say

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from boolrules import BooleanRuleClassifier
    from boolrules._support.budget import Budget
    from boolrules.data.notes import ColumnNote
    from boolrules.data.standing import Standings
    from boolrules.proof.verification import Verification


@dataclass(frozen=True, eq=False)
class DaskTask:
    """A ``Task`` from afar: a Dask DataFrame whose labels and weights are columns of it.

    ``as_read`` has the labels as they are in the files, with rows that have none.
    """

    table: Any
    y: str
    positive: Any
    weights: str | None
    n_labels: int
    sha256: str | None
    as_read: Any
    notes: tuple[ColumnNote, ...] = ()  # which ask for the rows in one place

    @property
    def columns(self) -> list[str]:
        """The columns to learn from."""
        return [str(name) for name in self.table.columns if name not in (self.y, self.weights)]

    @cached_property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.table)

    @cached_property
    def row_numbers(self) -> NDArray[np.int64]:
        """The numbers of the rows in the files, where rows without a label have theirs too."""
        return _row_numbers(self.as_read)

    def accuracy(self, model: BooleanRuleClassifier) -> float:
        """Share of the rows that the rules get right."""
        parts = self.table.to_delayed()
        n_right = _computed([_later(_count_right)(part, self.y, model.model_) for part in parts])
        return sum(n_right) / self.n_rows

    def standings(self, model: Model) -> Standings:
        """How the rules stand to their requirements."""
        from boolrules.distributed.table import DaskTable

        return model.standings(*DaskTable(self.table, self.y, self.weights).together())


def read_dask_task(options: argparse.Namespace) -> DaskTask:
    """Open the files and take the table apart."""
    from boolrules.distributed.table import dates_in

    frame = _opened(options.data)
    for name in (options.target, *options.drop):
        _check_column(frame, name, options.data)
    weights = _weights(frame, options)
    as_read = frame[options.target]
    frame = frame.drop(columns=options.drop)
    frame, labels, n_labels = _labelled(
        frame.drop(columns=dates_in(frame._meta) if options.dates == "drop" else []),  # noqa: SLF001
        options.target,
        options.data,
        lambda column: read_labels(column, options.positive),
    )
    check_labels(options.target, labels)
    checksum = _checksum(options.data)
    task = DaskTask(frame, options.target, labels.positive, weights, n_labels, checksum, as_read)
    if not task.columns:
        left_out = [options.target, *options.drop, *([weights] if weights else [])]
        raise ValueError(
            f"{options.data} has no column beside {', '.join(left_out)} to learn from."
        )
    return task


def verify_on_dask(options: argparse.Namespace, budget: Budget) -> Verification:
    """Hold a model's claims against the files that it was learned from."""
    from boolrules.distributed import verify

    return verify(*_fitted(options), budget)


def bring_fitted_data(options: argparse.Namespace) -> FittedData:
    """Bring the rows that a model was learned from into this process, for a report."""
    from boolrules.distributed.table import DaskTable

    model, frame, target, weight = _fitted(options)
    names = [feature.name for feature in model.encoding.features]
    table = DaskTable(frame, target, weight, names)
    table.check_is_together("a report")
    X, y, weights = table.together()
    labels = Labels(y.to_numpy(), None)
    numbers = _row_numbers(_opened(options.data)[target])
    rows = polars.from_pandas(X)
    return FittedData(model, rows, labels, weights, _checksum(options.data), row_numbers=numbers)


def _fitted(options: argparse.Namespace) -> tuple[Model, Any, str, str | None]:
    """Return the model, the rows, and which columns have their labels and weights."""
    model, target = read_model(options)
    frame = _opened(options.data)
    _check_column(frame, target, options.data)
    weights = _weights(frame, options)
    frame, _, _ = _labelled(
        frame, target, options.data, lambda column: read_labels_as_fitted(column, model)
    )
    return model, frame, target, weights


def predict_on_dask(options: argparse.Namespace) -> int:
    """Predict part by part, and print or write the answers in order."""
    from boolrules.distributed import predict

    if options.output and is_named_parquet(options.output):
        raise ValueError(
            f"--output {options.output} asks for Parquet, but with Dask answers are written as "
            "CSV. Give it a name that ends in .csv."
        )
    model, frame = Model.load(options.model), _opened(options.data)
    answers = predict(model, frame)
    if options.json:
        say(json.dumps(answers.compute().tolist(), ensure_ascii=False))
        return 0
    if not options.output:
        for text in _csv_of(answers.to_frame(PREDICTION)):
            say(text, end="")
        return 0
    if PREDICTION in frame.columns:
        raise ValueError(
            f"{options.data} has a column {PREDICTION} already. Rename it, or print the answers: "
            "leave --output out."
        )
    with whole_file(options.output) as file:
        for text in _csv_of(frame.assign(**{PREDICTION: answers})):
            file.write(text.encode())
    return 0


def _csv_of(frame: Any) -> Iterator[str]:
    """Write a frame as CSV, a part at a time."""
    for k, part in enumerate(frame.to_delayed()):
        (read,) = _computed([part])
        yield polars.from_pandas(read).write_csv(include_header=k == 0)


def _checksum(path: str) -> str | None:
    if Path(path).is_dir():
        return None
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _opened(path: str) -> Any:
    from boolrules.distributed import read_parquet

    return read_parquet(path)


def _check_column(frame: Any, name: str, path: str) -> None:
    names = [str(name) for name in frame.columns]
    if name not in names:
        raise no_column(name, names, path)


def _labelled(
    frame: Any, target: str, path: str, read: Callable[[polars.Series], Labels]
) -> tuple[Any, Labels, int]:
    """Read the labels of a column, each once, and put them on all rows."""
    parts = _computed([_later(_distinct)(part) for part in frame[target].to_delayed()])
    distinct = list(dict.fromkeys(value for values, _ in parts for value in values))
    values = polars.Series(target, distinct)
    n_missing = sum(n for _, n in parts)
    if n_missing:
        tell_left_out(path, target, n_missing)
        frame = frame.dropna(subset=[target])
    labels = read(values)
    by_value = dict(zip(distinct, labels.values.tolist(), strict=True))
    kind = object if labels.values.dtype.kind in "OU" else labels.values.dtype
    meta = frame._meta.assign(**{target: []}).astype({target: kind})  # noqa: SLF001
    labelled = frame.map_partitions(_with_labels, target, by_value, kind, meta=meta)
    return labelled, labels, len(set(by_value.values()))


def _distinct(part: Any) -> tuple[list[Any], int]:
    """Return each value once, and how many are missing."""
    known = part.dropna()
    return known.unique().tolist(), len(part) - len(known)


def _with_labels(part: Any, target: str, by_value: dict[Any, Any], kind: Any) -> Any:
    labels = np.array([by_value[value] for value in part[target].tolist()], dtype=kind)
    return part.assign(**{target: labels})


def _weights(frame: Any, options: argparse.Namespace) -> str | None:
    """Return the column of weights, after a check that it holds numbers."""
    name: str | None = getattr(options, "sample_weight", None)
    if name is None:
        return None
    _check_column(frame, name, options.data)
    is_number = frame[name]._meta.dtype.kind in "iuf"  # noqa: SLF001
    if not is_number or _computed([frame[name].isna().sum()])[0]:
        raise ValueError(f"--sample-weight {name!r} needs a number in every row.")
    return name


def _row_numbers(labels: Any) -> NDArray[np.int64]:
    """Return the numbers of the rows that have a label, in the order of the parts."""
    parts = _computed([_later(_has_label)(part) for part in labels.to_delayed()])
    return numbers_of(np.concatenate(parts))


def _has_label(part: Any) -> NDArray[np.bool_]:
    known: NDArray[np.bool_] = part.notna().to_numpy()
    return known


def _count_right(part: Any, target: str, model: Model) -> int:
    answers = model.predict(part.drop(columns=target))
    return int((answers == part[target].to_numpy()).sum())


def _later(function: Any) -> Any:
    from boolrules.distributed.table import dask_delayed

    return dask_delayed(function)


def _computed(values: Sequence[Any]) -> list[Any]:
    from boolrules.distributed.dask_workers import current_client

    client = current_client()
    return list(client.gather(client.compute(list(values))))
