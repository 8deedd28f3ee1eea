"""CSV and Parquet files in, tables out."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

import polars

from boolrules._support.panics import panics_as_errors
from boolrules.cli.csv_file import listed_names
from boolrules.cli.data_file import DataFile, is_long, is_named_parquet
from boolrules.data.column_encoding import CategoricalEncoding
from boolrules.data.notes import FEWEST_TEXTS, NEARLY_ALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from boolrules.cli.csv_reading import Reading
    from boolrules.model.model import Model


Frame = polars.DataFrame | polars.LazyFrame

# What a fit holds at its peak, measured (docs/scale.md): of a row, of each value, and anyhow.
BASE_BYTES = 500_000_000
BYTES_PER_ROW = 150
BYTES_PER_VALUE = 8
# With every threshold, of a value: itself, a wider code, and two conditions of five numbers each.
BYTES_PER_VALUE_OF_ALL = 100


def read_file(
    path: str, text_columns: Sequence[str] = (), reading: Reading | None = None
) -> polars.DataFrame:
    """Read a CSV or Parquet file.

    ``text_columns`` are read as text whatever they look like.
    """
    return DataFile.read(path, reading).table(text_columns)


def read_rows(
    path: str, text_columns: Sequence[str] = (), reading: Reading | None = None
) -> polars.DataFrame:
    """Read a file as ``read_file`` does, where there is nothing to say about no rows."""
    frame = read_file(path, text_columns, reading)
    check_rows(len(frame), path)
    return frame


def check_rows(n_rows: int, path: str) -> None:
    """Turn down a table without rows."""
    if n_rows == 0:
        raise ValueError(f"{path} has a header but no rows.")


def scan_file(path: str, limit: int, has_every_threshold: bool = False) -> polars.LazyFrame:
    """Open a Parquet file whose columns are read one at a time, if that fits into the limit."""
    if not Path(path).is_file():
        raise ValueError(f"There is no file {path}.")
    if not is_named_parquet(path):
        raise ValueError(
            f"--memory-limit needs Parquet, which can be read column by column; {path} is not. "
            "Convert it, or leave the limit out."
        )
    try:
        with panics_as_errors(path):
            frame = polars.scan_parquet(Path(path).absolute(), glob=False)
            n_columns = len(frame.collect_schema().names())
            n_rows = int(frame.select(polars.len()).collect().item())
    except (polars.exceptions.PolarsError, OSError) as error:
        raise ValueError(f"{path} could not be read: {str(error).splitlines()[0]}") from None
    per_value = BYTES_PER_VALUE + BYTES_PER_VALUE_OF_ALL * has_every_threshold
    needed = BASE_BYTES + n_rows * (BYTES_PER_ROW + n_columns * per_value)
    if needed > limit:
        raise ValueError(
            f"{path} has {n_rows:,} rows of {n_columns} columns, which take about "
            f"{needed / 2**30:.1f} GiB; --memory-limit is {limit / 2**30:.1f} GiB. Raise it, "
            "leave columns out of the file, or use Dask (docs/scale.md)."
        )
    return frame


def column_of(frame: Frame, name: str, path: str) -> polars.Series:
    """Return a column by name, or say which names there are."""
    names = frame.collect_schema().names()
    if name not in names:
        raise no_column(name, names, path)
    if isinstance(frame, polars.DataFrame):
        return frame[name]
    with panics_as_errors(path):
        return frame.select(name).collect()[name]


def no_column(name: str, names: Sequence[str], path: str) -> ValueError:
    """Say that there is no column of a name, which there are, and which was meant, perhaps."""
    in_words = [other for other in names if _in_words(other) == _in_words(name)]
    near = in_words or difflib.get_close_matches(name, names)
    return ValueError(
        f"{path} has no column {name!r}. Its columns are: {listed_names(names[:20])}"
        f"{' and more' if len(names) > 20 else ''}."
        f"{f' The nearest is {near[0]!r}.' if near else ''}"
    )


def _in_words(name: str) -> str:
    return " ".join(name.split()).casefold()


def weights_of(frame: Frame, name: str, path: str) -> NDArray[np.float64]:
    """Return a column of weights as numbers."""
    column = column_of(frame, name, path)
    if not column.dtype.is_numeric() or column.null_count():
        raise ValueError(f"--sample-weight {name!r} needs a number in every row.")
    return column.cast(polars.Float64).to_numpy()


def with_codes(frame: Frame, file: DataFile | None, asked: Sequence[str]) -> Frame:
    """Take whole numbers that double precision rounds as text, where they are codes.

    So they are where somebody says it, and where nearly all of them differ: of identifiers, no
    conditions are made. ``text_columns`` sees to it that a model reads them so again.
    """
    if isinstance(frame, polars.LazyFrame):  # to tell identifiers, all columns would be read
        names = frame.collect_schema().names()
        codes = [n for n in asked if n in names and is_long(frame.select(n).collect()[n])]
        return frame.with_columns(polars.col(codes).cast(polars.String))
    assert file is not None
    codes = [
        column.name
        for column in frame.iter_columns()
        if is_long(column) and (column.name in asked or _are_identifiers(column))
    ]
    return frame.with_columns(file.texts(codes).iter_columns()) if codes else frame


def _are_identifiers(column: polars.Series) -> bool:
    distinct, n = column.drop_nulls().unique().to_list(), len(column) - column.null_count()
    is_rounded = any(int(float(value)) != value for value in distinct)
    return is_rounded and n >= FEWEST_TEXTS and len(distinct) >= NEARLY_ALL * n


def dates_of(frame: Frame) -> list[str]:
    """Return the columns of dates, times and durations."""
    return [name for name, dtype in frame.collect_schema().items() if dtype.is_temporal()]


def text_columns(model: Model) -> list[str]:
    """Return the columns that were text in ``fit``: there "12" stays text, beside "A1"."""
    return [
        feature.name
        for feature in model.encoding.features
        if isinstance(feature, CategoricalEncoding)
        and any(isinstance(category, str) for category in feature.categories)
    ]
