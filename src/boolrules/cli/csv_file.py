"""CSV files in, tables out; and words for those that cannot be read."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars

if TYPE_CHECKING:
    from collections.abc import Sequence

GZIP_START = b"\x1f\x8b"
QUOTED = re.compile(r'"[^"]*"')
# What people and programs write for a missing value. Among text they may mean something else.
MARKS_OF_MISSING = ["NA", "N/A", "n/a", "na", "#N/A", "<NA>", "NaN", "nan"]
MARKS_OF_MISSING += ["null", "NULL", "None", "?"]


def read_csv(path: str, text_columns: Sequence[str]) -> polars.DataFrame:
    """Read a CSV file; ``text_columns`` are read as text whatever they look like.

    ``NA`` and its like are missing values, unless the column would be text without them.
    """
    try:
        header = _header(path)
        written = _as_written(path, header)
        overrides = {
            raw: polars.String()
            for raw, name in zip(written, header, strict=True)
            if name in text_columns
        }
        frame = _without_marks(path, _read(path, schema_overrides=overrides), set(overrides))
    except polars.exceptions.NoDataError:
        raise ValueError(f"{path} is empty.") from None
    except polars.exceptions.ComputeError as error:
        _check_separator(path)
        if "utf-8" in str(error).lower():
            raise ValueError(
                f"{path} could not be read: it is not UTF-8 text. Convert it, for example, if it "
                f"is Latin-1, with: iconv -f latin1 -t utf-8 {path} > utf8.csv"
            ) from None
        raise
    frame.columns = header
    return frame


def read_as_text(path: str) -> polars.DataFrame:
    """Read a CSV file with every field as it was written."""
    frame = polars.read_csv(path, infer_schema=False)
    frame.columns = _header(path)
    return frame


def _read(path: str, **options: Any) -> polars.DataFrame:
    return polars.read_csv(path, infer_schema_length=None, try_parse_dates=True, **options)


def _without_marks(path: str, frame: polars.DataFrame, text: set[str]) -> polars.DataFrame:
    """Read those columns anew that only marks of missing values made text."""
    marked = [
        column.name
        for column in frame.iter_columns()
        if column.dtype == polars.String()
        and column.name not in text
        and column.is_in(MARKS_OF_MISSING).any()
    ]
    if not marked:
        return frame
    again = _read(path, columns=marked, null_values=MARKS_OF_MISSING)
    return frame.with_columns(
        column
        for column in again.iter_columns()
        if column.dtype != polars.String() or column.null_count() == len(column)
    )


def _header(path: str) -> list[str]:
    first = polars.read_csv(path, has_header=False, n_rows=1, infer_schema=False)
    header = [name or "" for name in first.row(0)]
    repeated = [name for name, count in Counter(header).items() if count > 1]
    if repeated:
        raise ValueError(
            f"{path} has duplicated column names: {', '.join(repeated)}. "
            "Rename or drop the repeated ones."
        )
    if len(header) == 1:
        _check_separator(path)
    return header


def _as_written(path: str, header: list[str]) -> list[str]:
    """Return the names as polars takes them from a header: quotes in them stay doubled."""
    if not any('"' in name for name in header):
        return header
    return polars.read_csv(path, n_rows=0, infer_schema=False).columns


def _check_separator(path: str) -> None:
    """Turn down a file whose first line has more semicolons or tabs than commas."""
    line = QUOTED.sub("", _first_line(path))
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if line.count(separator) > line.count(","):
            raise ValueError(
                f"{path} has fields separated by {name}; boolrules reads commas. Convert it, for "
                f"example in Python: import polars; polars.read_csv({path!r}, "
                f"separator={separator!r}).write_csv('commas.csv'); where 1,5 is a number, add "
                "decimal_comma=True."
            )


def _first_line(path: str) -> str:
    with Path(path).open("rb") as file:
        is_zipped = file.read(2) == GZIP_START
    with gzip.open(path) if is_zipped else Path(path).open("rb") as file:
        return file.readline().decode("utf-8", errors="replace")
