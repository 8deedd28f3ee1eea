"""Tables as people have them, read into plain columns. The only file that imports narwhals.

pandas, polars, pyarrow and numpy tables become columns of numbers (NaN where missing) or of text
(None where missing); everything else is turned down with a message that says what to do.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from boolrules._support.dates import are_dates, parts_of, source_of
from boolrules._support.optional import is_dask
from boolrules._support.panics import panics_as_errors
from boolrules._support.rounded import LARGEST_EXACT, check_not_rounded
from boolrules._support.values import is_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray


_TEMPORAL = {nw.Date: "M8[D]", nw.Datetime: "M8[us]", nw.Duration: "m8[us]", nw.Time: "time"}


class Kind(StrEnum):
    """What a column holds."""

    NUMERIC = "numeric"
    BOOLEAN = "boolean"
    TEXT = "text"


@dataclass(frozen=True)
class TableColumn:
    """One column: float64 with NaN for missing, or text as objects with None for missing."""

    name: str
    kind: Kind
    values: NDArray[Any]
    is_category: bool = False
    part_of: str | None = None  # the column of dates or times that this is a part of

    @cached_property
    def is_null(self) -> NDArray[np.bool_]:
        """Where the value is missing."""
        if self.kind is Kind.TEXT:
            return np.array([value is None for value in self.values], dtype=bool)
        return np.isnan(self.values)


@dataclass(frozen=True, slots=True)
class UnreadColumn:
    """A column that no condition can compare, such as one of dates, and the error that says so."""

    name: str
    error: Exception


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns of equal length.

    One that cannot be read is turned down when it is asked for: nobody else minds it.

    Examples
    --------
    >>> table = read_table(np.array([[1.0, 2.0], [3.0, np.nan]]))
    >>> table.names, table["x1"].values.tolist(), len(table)
    (('x0', 'x1'), [2.0, nan], 2)
    """

    held: tuple[TableColumn | UnreadColumn, ...]
    n_rows: int
    _by_name: dict[str, TableColumn | UnreadColumn] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        self._by_name.update((column.name, column) for column in reversed(self.held))

    def __len__(self) -> int:
        return self.n_rows

    @property
    def columns(self) -> Iterable[TableColumn]:
        """The columns, in order."""
        return tuple(map(_readable, self.held))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(column.name for column in self.held)

    def rows(self, chosen: NDArray[Any]) -> Table:
        """Return some of the rows, given as places or as a mask."""
        columns = (
            c if isinstance(c, UnreadColumn) else replace(c, values=c.values[chosen])
            for c in self.held
        )
        n_rows = int(chosen.sum()) if chosen.dtype == bool else len(chosen)
        return Table(tuple(columns), n_rows)

    def __getitem__(self, name: str) -> TableColumn:
        if name not in self._by_name:
            raise _missing_column(name, self.names)
        return _readable(self._by_name[name])


class LazyTable(Table):
    """A table whose columns are read one at a time, each when it is asked for.

    What a file holds need not fit into memory; one column must.

    Parameters
    ----------
    frame : polars LazyFrame
        Where to read from.
    chosen : array, or None
        Which rows to keep, as places or as a mask.
    """

    __slots__ = ("_chosen", "_frame", "_sources")
    _chosen: NDArray[Any] | None
    _frame: Any
    _sources: dict[str, str]

    def __init__(self, frame: Any, chosen: NDArray[Any] | None = None) -> None:
        lazy = nw.from_native(frame)
        n_rows = int(lazy.select(nw.len()).collect().item())
        if chosen is not None:
            n_rows = int(chosen.sum()) if chosen.dtype == bool else len(chosen)
        object.__setattr__(self, "_frame", frame)
        object.__setattr__(self, "_chosen", chosen)
        object.__setattr__(self, "_sources", _sources_by_type(lazy.collect_schema()))
        object.__setattr__(self, "n_rows", n_rows)

    def __reduce__(self) -> Any:
        return LazyTable, (self._frame, self._chosen)

    @property
    def columns(self) -> Iterator[TableColumn]:
        """The columns, read one after another."""
        return (self[name] for name in self._sources)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(self._sources)

    def header(self) -> Any:
        """Return a table of the same columns without rows."""
        return nw.from_native(self._frame).head(0).collect().to_native()

    def rows(self, chosen: NDArray[Any]) -> Table:
        """Return some of the rows, given as places or as a mask."""
        if self._chosen is not None:
            before = self._chosen
            places = np.flatnonzero(before) if before.dtype == bool else before
            chosen = places[chosen]
        return LazyTable(self._frame, chosen)

    def __getitem__(self, name: str) -> TableColumn:
        if name not in self._sources:
            raise _missing_column(name, self.names)
        with panics_as_errors(f"Column {name!r}"):
            series = nw.from_native(self._frame).select(self._sources[name]).collect()
        (column,) = (c for c in _read_series(series[self._sources[name]]) if c.name == name)
        return (
            column if self._chosen is None else replace(column, values=column.values[self._chosen])
        )


def _sources_by_type(schema: Any) -> dict[str, str]:
    """Return the columns that a file has, parts of dates included, and where each is read from."""
    sources: dict[str, str] = {name: name for name in schema if not schema[name].is_temporal()}
    ordered: dict[str, str] = {}
    for name, dtype in schema.items():
        if not dtype.is_temporal():
            ordered[name] = name
            continue
        no_rows = nw.new_series(name, [], dtype, backend="polars")
        ordered |= {c.name: name for c in _read_series(no_rows) if c.name not in sources}
    return ordered


def is_lazy(X: Any) -> bool:
    """Whether this is a polars LazyFrame."""
    return type(X).__name__ == "LazyFrame" and type(X).__module__.startswith("polars")


def read_table(X: Any, columns: Sequence[str] | None = None) -> Table:
    """Read a pandas, polars, pyarrow or numpy table.

    ``columns`` keeps only those that it names.
    """
    if is_lazy(X):
        X = LazyTable(X)
    if isinstance(X, Table):
        _check_columns(columns, X.names, X.names)
        return X
    if is_dask(X):
        raise TypeError(
            "X is a Dask DataFrame, which estimators take in fit, predict and verify, and "
            "boolrules.distributed for a Model. For anything else, bring rows into memory with "
            "X.compute()."
        )
    frame = nw.from_native(_with_text_names(X), eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        held = _held_columns(frame.columns, columns, lambda name: frame[name])
        return Table(held, len(frame))
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead. Give a table with one row per "
            "sample. Reshape your data with reshape(-1, 1) for one column or reshape(1, -1) for "
            "one row."
        )
    places = {f"x{f}": f for f in range(array.shape[1])}
    held = _held_columns(tuple(places), columns, lambda name: array[:, places[name]])
    return Table(held, len(array))


def _held_columns(
    names: Sequence[str], wanted: Sequence[str] | None, column_of: Callable[[str], Any]
) -> tuple[TableColumn | UnreadColumn, ...]:
    """Read the columns that are wanted, or all; those of dates and times as their parts."""
    asked = None if wanted is None else {*wanted, *map(source_of, wanted)}
    read = [
        column
        for name in names
        if asked is None or name in asked
        for column in _held(name, column_of(name))
        # A column of the table itself comes before a part of that name.
        if column.name == name or column.name not in names
    ]
    if wanted is None:
        return tuple(read)
    _check_columns(wanted, [c.name for c in read], names)
    return tuple(column for column in read if column.name in wanted)


def _held(
    name: str, column: nw.Series[Any] | NDArray[Any]
) -> Sequence[TableColumn | UnreadColumn]:
    try:
        if isinstance(column, np.ndarray):
            return _read_array(name, column)
        return _read_series(column)
    except (TypeError, ValueError) as error:
        return [UnreadColumn(name, error)]


def _readable(column: TableColumn | UnreadColumn) -> TableColumn:
    if isinstance(column, UnreadColumn):
        raise column.error
    return column


def _check_columns(
    wanted: Sequence[str] | None, known: Sequence[str], names: Sequence[str]
) -> None:
    missing = [name for name in wanted or () if name not in known]
    if missing:
        raise _missing_column(missing[0], names)


def _missing_column(name: str, names: Sequence[str]) -> ValueError:
    source = source_of(name)
    if source in names:
        return ValueError(
            f"The rules use {name!r:.80}, a part of the dates or times of column {source!r:.80}, "
            "which holds none here. Give the column the type that it had in fit."
        )
    return ValueError(
        f"The table has no column {name!r:.80}, which the rules use. Its columns are: "
        f"{_listed(names)}. Give a table with the columns that the model was fitted on."
    )


def _with_text_names(X: Any) -> Any:
    """Turn down duplicated names, and make the names of a pandas table text."""
    names = getattr(X, "columns", None)
    if names is None or not hasattr(X, "iloc"):
        return X
    text = [str(name) for name in names]
    repeated = [name for name, count in Counter(text).items() if count > 1]
    if repeated:
        raise ValueError(
            f"Duplicated column names: {_listed(repeated)}. Rules name columns, so each name "
            "must be "
            "unique; rename or drop the repeated ones."
        )
    return X if text == list(names) else X.set_axis(text, axis=1)


def _read_series(series: nw.Series[Any]) -> list[TableColumn]:
    """Return a column, or the parts of its dates or times."""
    if not series.dtype.is_temporal():
        return _read_plain(series)
    if getattr(series.dtype, "time_zone", None) is not None:
        series = series.dt.replace_time_zone(None)
    values = series.to_numpy()
    if series.dtype == nw.Time or values.dtype.kind not in "mM":
        values = _as_objects(series.to_list())
    return _parts(series.name, values, next(v for k, v in _TEMPORAL.items() if series.dtype == k))


def _parts(name: str, values: NDArray[Any], dtype: str | None = None) -> list[TableColumn]:
    return [
        TableColumn(f"{name}.{part}", Kind.NUMERIC, numbers, part_of=name)
        for part, numbers in parts_of(values, dtype).items()
    ]


def _read_plain(series: nw.Series[Any]) -> list[TableColumn]:
    name, dtype = series.name, series.dtype
    if dtype == nw.Boolean:
        return [TableColumn(name, Kind.BOOLEAN, _as_floats(series))]
    if dtype.is_numeric():
        floats = _finite(name, _as_floats(series))
        if not dtype.is_float() and (np.abs(floats) >= LARGEST_EXACT).any():
            check_not_rounded(name, floats, series.to_list())
        return [TableColumn(name, Kind.NUMERIC, floats)]
    if dtype == nw.String:
        return [TableColumn(name, Kind.TEXT, _as_objects(series.to_list()))]
    if isinstance(dtype, nw.Categorical | nw.Enum):
        return _read_objects(name, _as_objects(series.to_list()), is_category=True)
    if dtype in (nw.Object, nw.Unknown):
        return _read_objects(name, _as_objects(series.to_list()))
    raise TypeError(
        f"Column {name!r} holds {dtype}, which no condition can compare. Turn it into numbers, "
        "text or true/false values, or drop it."
    )


def _as_floats(series: nw.Series[Any]) -> NDArray[np.float64]:
    values = series.cast(nw.Float64).to_numpy()
    return (
        np.array([np.nan if v is None else v for v in values], dtype=np.float64)
        if (values.dtype == object)
        else values.astype(np.float64)
    )


def _as_objects(values: Sequence[Any]) -> NDArray[np.object_]:
    """Objects with one mark for "missing": None."""
    objects = np.empty(len(values), dtype=object)
    objects[:] = [None if is_missing(value) else value for value in values]
    return objects


def _read_array(name: str, values: NDArray[Any]) -> list[TableColumn]:
    if values.dtype.kind in "mM":
        return _parts(name, values)
    kind = values.dtype.kind
    if kind == "b":
        return [TableColumn(name, Kind.BOOLEAN, values.astype(np.float64))]
    if kind in "iuf":
        floats = _finite(name, values.astype(np.float64))
        is_wide = kind != "f" or values.dtype.itemsize > floats.itemsize
        if is_wide and (np.abs(floats) >= LARGEST_EXACT).any():
            check_not_rounded(name, floats, values.tolist())
        return [TableColumn(name, Kind.NUMERIC, floats)]
    if kind in "OUST":
        return _read_objects(name, _as_objects(values.tolist()))
    raise ValueError(
        f"Complex data not supported: column {name!r} has dtype {values.dtype}. Give numbers, "
        "text or "
        "true/false values."
    )


def _read_objects(
    name: str, values: NDArray[np.object_], *, is_category: bool = False
) -> list[TableColumn]:
    """Tell numbers, text and true/false apart where the table itself does not."""
    types = {kind for kind in set(map(type, values)) if kind is not type(None)}
    if types and all(issubclass(t, bool | np.bool_) for t in types):
        return [TableColumn(name, Kind.BOOLEAN, _to_floats(name, values), is_category)]
    if all(issubclass(t, Real | Decimal) for t in types):
        floats = _finite(name, _to_floats(name, values))
        check_not_rounded(name, floats, values.tolist())
        return [TableColumn(name, Kind.NUMERIC, floats, is_category)]
    if all(issubclass(t, str) for t in types):
        return [TableColumn(name, Kind.TEXT, values, is_category)]
    if are_dates(types):
        return _parts(name, values)
    raise mixed_types(name, sorted(t.__name__ for t in types))


def mixed_types(name: str, types: Sequence[str]) -> TypeError:
    """Say that the values of a column cannot be compared with each other."""
    verb = "mixes" if len(types) > 1 else "holds"
    return TypeError(
        f"Column {name!r} {verb} {_listed(types)}: every value of a column must be a number, or "
        "every one text, or every one true/false (argument must be a string or a number). "
        "Convert the column, e.g. with .astype(str)."
    )


def _to_floats(name: str, values: NDArray[np.object_]) -> NDArray[np.float64]:
    try:
        return np.array([np.nan if value is None else float(value) for value in values])
    except OverflowError:
        raise ValueError(
            f"Column {name!r} holds a number too large for double precision. Scale it down."
        ) from None


def _finite(name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise ValueError(
            f"Column {name!r} holds infinite values (infinity or -infinity, first in row "
            f"{infinite[0]}). Replace them with a number, or with NaN for a missing value."
        )
    return values


def _listed(names: Sequence[Any], most: int = 8) -> str:
    shown = ", ".join(str(name) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
