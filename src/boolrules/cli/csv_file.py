"""CSV text in, tables out; and words for what cannot be read."""

from __future__ import annotations

import codecs
import io
import json
import re
import shlex
from collections import Counter
from typing import TYPE_CHECKING, Any

import polars

if TYPE_CHECKING:
    from collections.abc import Sequence

QUOTED = re.compile(rb'"[^"]*"')
# Outside quotes, which the first group keeps: a line end of any kind, and lines of nothing.
_LINE_END = re.compile(rb'("[^"]*")|\r\n?')
_BLANK_LINES = re.compile(rb'("[^"]*")|(?:\n[ \t\r]*)+(?=\n|\Z)')
_BLANK_LINE = re.compile(rb"\n[ \t\r]*\n|\n[ \t\r]+\Z")
_MARKS_OF_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins as UTF-16 does
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What people and programs write for a missing value. Among text they may mean something else.
MARKS_OF_MISSING = ["NA", "N/A", "n/a", "na", "#N/A", "<NA>", "NaN", "nan"]
MARKS_OF_MISSING += ["null", "NULL", "None", "?"]
# How polars says that no whole number is so large.
_TOO_LARGE = re.compile(r"as dtype `i\d+` at column '(.*)' \(column number", re.DOTALL)


def read_csv(path: str, content: bytes, text_columns: Sequence[str]) -> polars.DataFrame:
    """Read CSV text; ``text_columns`` are read as text whatever they look like.

    ``NA`` and its like are missing values, unless the column would be text without them. So are
    whole numbers of 39 digits and more text, which no type of polars holds.
    """
    text = _plain(path, content)
    try:
        header = _header(path, text)
        text = _without_blank_lines(text, len(header))
        written = _as_written(text, header)
        overrides = {
            raw: polars.String()
            for raw, name in zip(written, header, strict=True)
            if name in text_columns
        }
        frame = _without_marks(text, _read(text, overrides), set(overrides))
    except polars.exceptions.NoDataError:
        raise ValueError(f"{path} is empty.") from None
    except polars.exceptions.ComputeError as error:
        _check_separator(path, text)
        if "utf-8" in str(error).lower():
            raise ValueError(
                f"{path} could not be read: it is not UTF-8 text. Convert it, for example, if it "
                f"is Latin-1, with: iconv -f latin1 -t utf-8 {shlex.quote(path)} > utf8.csv"
            ) from None
        raise
    frame.columns = header
    return frame


def read_as_text(content: bytes) -> polars.DataFrame:
    """Read CSV text that ``read_csv`` has read, with every field as it was written."""
    text = _plain("", content)
    header = _header("", text)
    text = _without_blank_lines(text, len(header))
    frame = polars.read_csv(io.BytesIO(text), infer_schema=False)
    frame.columns = header
    return frame


def as_fields(path: str, frame: polars.DataFrame) -> polars.DataFrame:
    """Return a table that CSV can hold: lists and structs become JSON.

    Examples
    --------
    >>> print(as_fields("", polars.DataFrame({"a": [1, 2], "b": [[1, 2], None]})).write_csv())
    a,b
    1,"[1, 2]"
    2,
    <BLANKLINE>
    """
    nested = [column for column in frame.iter_columns() if column.dtype.is_nested()]
    frame = frame.with_columns(map(_as_json, nested))
    for column in frame.iter_columns():
        try:
            column[:1].to_frame().write_csv()
        except polars.exceptions.ComputeError:
            raise ValueError(
                f"{path} has a column {column.name!r} of {column.dtype}, which CSV cannot hold. "
                "Convert or drop it, or print the answers: leave --output out."
            ) from None
    return frame


def _as_json(column: polars.Series) -> polars.Series:
    texts = [
        None if value is None else json.dumps(value, ensure_ascii=False, default=str)
        for value in column.to_list()
    ]
    return polars.Series(column.name, texts, dtype=polars.String)


def _plain(path: str, content: bytes) -> bytes:
    """Return text as polars reads it: UTF-8 without a mark, lines that end in a line feed."""
    name = next((name for mark, name in _MARKS_OF_ENCODINGS if content.startswith(mark)), None)
    if name is None:
        name = _encoding_without_mark(content)
    if name is not None:
        try:
            content = content.decode(name).encode()
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{path} could not be read: it begins as {name.upper()} text, and is not: "
                f"{error.reason} at byte {error.start}."
            ) from None
    content = content.lstrip(b"\r\n")
    first_line = QUOTED.sub(b"", content.partition(b"\n")[0])
    if b"\0" in first_line:
        raise ValueError(f"{path} could not be read: it is neither CSV text nor Parquet.")
    if b"\r" in first_line[:-1]:
        content = _LINE_END.sub(lambda found: found[1] or b"\n", content)
    return content


def _encoding_without_mark(content: bytes) -> str | None:
    """Tell UTF-16 by its first two characters, of which every other byte is zero."""
    is_zero = [byte == 0 for byte in content[:4]]
    if is_zero == [False, True, False, True]:
        return "utf-16-le"
    return "utf-16-be" if is_zero == [True, False, True, False] else None


def _without_blank_lines(text: bytes, n_columns: int) -> bytes:
    """Leave lines of nothing out; in a single column they are missing values."""
    if n_columns == 1 or not _BLANK_LINE.search(text):
        return text
    return _BLANK_LINES.sub(lambda found: found[1] or b"", text)


def _read(text: bytes, overrides: dict[str, Any], **options: Any) -> polars.DataFrame:
    """Read the values that fields stand for."""
    try:
        return polars.read_csv(
            io.BytesIO(text),
            infer_schema_length=None,
            try_parse_dates=True,
            schema_overrides=overrides,
            **options,
        )
    except polars.exceptions.ComputeError as error:
        found = _TOO_LARGE.search(str(error))
        if found is None or found[1] in overrides:
            raise
        return _read(text, overrides | {found[1]: polars.String()}, **options)


def _without_marks(text: bytes, frame: polars.DataFrame, known: set[str]) -> polars.DataFrame:
    """Read those columns anew that only marks of missing values made text."""
    marked = [
        column.name
        for column in frame.iter_columns()
        if column.dtype == polars.String()
        and column.name not in known
        and column.is_in(MARKS_OF_MISSING).any()
    ]
    if not marked:
        return frame
    again = _read(text, {}, columns=marked, null_values=MARKS_OF_MISSING)
    return frame.with_columns(
        column
        for column in again.iter_columns()
        if column.dtype != polars.String() or column.null_count() == len(column)
    )


def _header(path: str, text: bytes) -> list[str]:
    first = polars.read_csv(io.BytesIO(text), has_header=False, n_rows=1, infer_schema=False)
    header = [name or "" for name in first.row(0)]
    repeated = [name for name, count in Counter(header).items() if count > 1]
    if repeated:
        raise ValueError(
            f"{path} has duplicated column names: {', '.join(repeated)}. "
            "Rename or drop the repeated ones."
        )
    if len(header) == 1:
        _check_separator(path, text)
    return header


def _as_written(text: bytes, header: list[str]) -> list[str]:
    """Return the names as polars takes them from a header: quotes in them stay doubled."""
    if not any('"' in name for name in header):
        return header
    return polars.read_csv(io.BytesIO(text), n_rows=0, infer_schema=False).columns


def _check_separator(path: str, text: bytes) -> None:
    """Turn down text whose first line has more semicolons or tabs than commas."""
    line = QUOTED.sub(b"", text.partition(b"\n")[0])
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if line.count(separator.encode()) > line.count(b","):
            raise ValueError(
                f"{path} has fields separated by {name}; boolrules reads commas. Convert it, for "
                f"example in Python: import polars; polars.read_csv({path!r}, "
                f"separator={separator!r}).write_csv('commas.csv'); where 1,5 is a number, add "
                "decimal_comma=True."
            )
