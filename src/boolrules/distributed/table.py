"""A Dask DataFrame with its labels and weights, part by part: what is asked of it, and how.

Each question is a pure function of one part. Where a worker dies, Dask reads its parts anew from
where they came from.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.optional import is_dask, require
from boolrules._support.table import Kind, TableColumn, read_table
from boolrules.data.labelled_rows import LabelledRows
from boolrules.distributed.answers import Refused
from boolrules.distributed.dask_workers import (
    INSTALL,
    DaskWorkers,
    accepted,
    combined,
    current_client,
)
from boolrules.distributed.joining import check_same_columns, joined_labels, joined_tables
from boolrules.distributed.summary import LabelSummary, TableSummary
from boolrules.rules.clause import as_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from boolrules.data.binning import Binning
    from boolrules.model.model import Model

# Values, rows times columns. Up to the first, a table comes to the client, who is faster than
# round trips; up to the second, where something needs the rows in one place (docs/scale.md).
FEW_VALUES = 2_000_000
MOST_VALUES = 20_000_000

InMemory = tuple[Any, Any, Any]


class DaskTable:
    """A Dask DataFrame with its labels and weights.

    Parameters
    ----------
    X : Dask DataFrame, folder or file of Parquet, or a table in memory
        One row per sample.
    y : str, or labels
        The column of the labels, or labels split as X is.
    sample_weight : str, weights or None
        Likewise.
    columns : sequence of str, or None
        Keeps the columns of these names alone, as far as they are there.
    """

    is_on_dask = True

    def __init__(
        self, X: Any, y: Any, sample_weight: Any = None, columns: Sequence[str] | None = None
    ) -> None:
        frames = dask_frames()
        self.client = current_client()
        if isinstance(X, str | Path):
            X = read_parquet(X)
        target = y if isinstance(y, str) else getattr(y, "name", None)
        self.target = target if isinstance(target, str) and target else None
        if not is_dask(X):
            X, y, sample_weight = _split_up(frames, X, y, sample_weight, self.client)
        if y is None:
            raise ValueError(
                "requires y to be passed, but the target y is None. Give the name of its column."
            )
        for name in (y, sample_weight):
            if isinstance(name, str) and name not in X.columns:
                shown = ", ".join(map(str, X.columns))
                raise ValueError(f"The table has no column {name!r}. Its columns are: {shown}.")
        if columns is not None:
            wanted = {*columns, *(name for name in (y, sample_weight) if isinstance(name, str))}
            X = X[[name for name in X.columns if str(name) in wanted]]
        X, y = _with_column(X, y, "y")
        X, weight = _with_column(X, sample_weight, "sample_weight")
        self.meta = X._meta.drop(columns=[y, weight] if weight else [y])  # noqa: SLF001
        self.has_weights = weight is not None
        self._frame = X
        self._columns = (y, weight)
        _check_meta(self.meta)

    @cached_property
    def n_rows(self) -> int:
        """How many rows there are; of Parquet files, without reading them."""
        return int(self.client.compute(self._frame.shape[0]).result())

    @property
    def n_values(self) -> int:
        """Rows times columns."""
        return self.n_rows * len(self.meta.columns)

    @property
    def size(self) -> str:
        """How large it is, in words."""
        return f"{self.n_rows:,} rows of {len(self.meta.columns)} columns"

    def check_is_together(self, what: str) -> None:
        """Turn down a table that is too large for what needs its rows in one place."""
        if self.n_values > MOST_VALUES:
            raise ValueError(
                f"{what} needs the rows in one place, which is there on Dask for up to "
                f"{MOST_VALUES:,} values; this table has {self.size}. Take fewer rows or columns."
            )

    def together(self) -> InMemory:
        """Bring all rows to the client: a table, labels and weights as they are in memory."""
        return self._joined([self._later(part, _itself) for part in self._frame.to_delayed()])

    def sample(self, n_rows: int, seed: int) -> InMemory:
        """Bring about so many rows to the client, drawn evenly, always the same for a seed."""
        share = min(1.0, n_rows / max(self.n_rows, 1))
        parts = enumerate(self._frame.to_delayed())
        return self._joined([self._later(part, _drawn, share, (seed, k)) for k, part in parts])

    def summary(self, binning: Binning | None) -> TableSummary:
        """Return what is known of all columns and labels."""
        summary: TableSummary = self.map(_summarise, binning)
        return summary

    def labels(self) -> LabelSummary:
        """Return what is known of the labels alone."""
        labels: LabelSummary = self.map(_summarise_labels)
        return labels

    def partitions(self, encode: Callable[..., Any], *arguments: Any) -> DaskWorkers:
        """Make something of each part that stays where it is."""
        return DaskWorkers(self.client, self._asked(encode, *arguments))

    def map(self, question: Callable[..., Any], *arguments: Any) -> Any:
        """Ask every part, and combine the answers."""
        return combined(self.client, self._asked(question, *arguments))

    def _asked(self, question: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Ask every part; answers are on their way."""
        parts = self._frame.to_delayed()
        asked = [self._later(part, question, *arguments) for part in parts]
        return list(self.client.compute(asked))

    def _later(self, part: Any, question: Callable[..., Any], *arguments: Any) -> Any:
        return dask_delayed(_answer)(part, *self._columns, question, *arguments)

    def _joined(self, asked: Sequence[Any]) -> InMemory:
        pandas = require("pandas", needed_for="engine='dask'", install="pip install pandas")
        parts = [accepted(part) for part in self.client.gather(self.client.compute(list(asked)))]
        table = joined_tables([part.table for part in parts])
        check_same_columns([str(name) for name in self.meta.columns], table.names)
        columns = {k: _plain_values(pandas, column) for k, column in enumerate(table.columns)}
        frame = pandas.DataFrame(columns, index=range(len(table)))
        frame.columns = self.meta.columns
        labels = pandas.Series(joined_labels([part.labels for part in parts]), name=self.target)
        if not self.has_weights:
            return frame, labels, None
        return frame, labels, np.concatenate([part.sample_weight for part in parts])


def dask_frames() -> Any:
    """Return the module of Dask's tables, or say how to install it."""
    return require("dask.dataframe", needed_for="engine='dask'", install=INSTALL)


def read_parquet(path: str | Path) -> Any:
    """Open a file of Parquet, or a folder of them, as a Dask DataFrame.

    A path is no pattern, though Dask takes one for it unless Arrow reads the files.
    """
    is_remote = "://" in str(path)
    if not is_remote and not Path(path).exists():
        raise ValueError(f"There is no file or folder {path}.")
    options = {"filesystem": "arrow"} if "*" in str(path) and not is_remote else {}
    try:
        return dask_frames().read_parquet(str(path), **options)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[-1].removeprefix("Original Message: ")
        raise ValueError(f"{path} could not be read as Parquet: {reason}") from None


def predict_parts(model: Model, X: Any, classes: Any = None) -> Any:
    """Map predictions over the parts of a Dask DataFrame, which are read when asked for.

    Columns that the rules do not read, such as labels, are not even opened. ``classes`` are the
    labels to answer with, where they are not those of the model.
    """
    X = X[[name for name in X.columns if str(name) in set(model.features)]]
    read_table(X._meta, model.features)  # noqa: SLF001  (or say which column is missing)
    labels = as_labels(model.classes) if classes is None else np.asarray(classes)
    meta = X._meta.index.to_series().astype(object).astype(labels.dtype)  # noqa: SLF001
    return X.map_partitions(_predict, model, labels, meta=meta.rename(None))


def _predict(part: Any, model: Model, labels: NDArray[Any]) -> Any:
    answers = labels[model.predicted_classes(part)]
    return type(part.index.to_series())(answers, index=part.index)


def dask_delayed(function: Any) -> Any:
    """Wrap a function for Dask, to be called on the workers."""
    dask = require("dask", needed_for="engine='dask'", install=INSTALL)
    return dask.delayed(function, pure=False)


def _split_up(frames: Any, X: Any, y: Any, sample_weight: Any, client: Any) -> tuple[Any, ...]:
    """Make a Dask DataFrame of a table in memory, its labels and weights being columns of it."""
    pandas = require("pandas", needed_for="engine='dask'", install="pip install pandas")
    frame = X.copy() if isinstance(X, pandas.DataFrame) else _as_pandas(pandas, X)
    names: list[str | None] = []
    for name, values in (("boolrules y", y), ("boolrules sample_weight", sample_weight)):
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


def dates_in(meta: Any) -> list[str]:
    """Return the columns of dates and times."""
    held = read_table(meta).held
    return list(dict.fromkeys(c.part_of for c in held if isinstance(c, TableColumn) and c.part_of))


def _check_meta(meta: Any) -> None:
    """Turn down duplicated names, and dates, which workers do not take apart, at once."""
    if dates := dates_in(meta):
        raise TypeError(
            f"Columns of dates or times: {', '.join(dates)}. With engine='dask' turn them into "
            "numbers first, such as the year or the days since a given day, or drop them."
        )


def _with_column(X: Any, values: Any, name: str) -> tuple[Any, str | None]:
    """Return a table that has the labels or weights as a column, and that column's name."""
    if values is None or isinstance(values, str):
        return X, values
    if not is_dask(values) or values.npartitions != X.npartitions:
        raise ValueError(
            f"{name} must be the name of a column of X, or a Dask Series with as many partitions "
            f"as X, {X.npartitions}; got {type(values).__name__}."
        )
    column = f"boolrules {name}"
    meta = _joined_part(X._meta, values._meta, column)  # noqa: SLF001
    joined = X.map_partitions(_joined_part, values, column, meta=meta, align_dataframes=False)
    return joined, column


def _joined_part(frame: Any, values: Any, name: str) -> Any:
    if len(frame) != len(values):
        raise ValueError(
            f"A part of the table has {len(frame)} rows, and its {name.split()[-1]} has "
            f"{len(values)}. Split both alike."
        )
    return frame.assign(**{name: np.asarray(values)})


def _answer(frame: Any, y: str, sample_weight: str | None, question: Any, *arguments: Any) -> Any:
    """Read a part of the table and ask it; what it is turned down for is an answer too."""
    try:
        return question(_read(frame, y, sample_weight), *arguments)
    except (ValueError, TypeError) as error:
        return Refused(error)


def _itself(rows: LabelledRows) -> LabelledRows:
    return rows


def _read(frame: Any, y: str, sample_weight: str | None) -> LabelledRows:
    """Read some rows of the table; what is wrong with labels and weights is said of all."""
    weights = None
    if sample_weight is not None:
        weights = np.asarray(frame[sample_weight], dtype=np.float64)
    features = frame.drop(columns=[y] if sample_weight is None else [y, sample_weight])
    return LabelledRows(read_table(features), np.asarray(frame[y]), weights)


def _drawn(rows: LabelledRows, share: float, seed: tuple[int, int]) -> LabelledRows:
    """Draw some of the rows."""
    is_drawn = np.random.default_rng(seed).random(len(rows)) < share
    weights = None if rows.sample_weight is None else rows.sample_weight[is_drawn]
    return LabelledRows(rows.table.rows(is_drawn), rows.labels[is_drawn], weights)


def _summarise(rows: LabelledRows, binning: Binning | None) -> TableSummary:
    return TableSummary.of(rows.table, rows.labels, rows.weights, binning)


def _summarise_labels(rows: LabelledRows) -> LabelSummary:
    return LabelSummary.of(rows.labels, rows.weights)


def _plain_values(pandas: Any, column: TableColumn) -> Any:
    """Return the values so that whoever reads them finds the column again."""
    values = column.values
    if column.kind is Kind.BOOLEAN:
        objects = [None if np.isnan(value) else bool(value) for value in values.tolist()]
        values = np.array(objects, dtype=object)
    if column.is_category:
        return pandas.Categorical(values)
    return values
