"""CSV text in, tables out; and words for what cannot be read."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars

from boolrules.cli.csv_reading import COMMA, decoded, find_separator
from boolrules.cli.csv_values import (
    MARKS_OF_MISSING,
    grouped_numbers,
    have_decimal_points,
    with_clear_commas,
    with_dates,
    with_decimal_commas,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boolrules.cli.csv_reading import Reading

QUOTED = re.compile(rb'"[^"]*"')
# Outside quotes, which the first group keeps: a line end of any kind, and lines of nothing.
_LINE_END = re.compile(rb'("[^"]*")|\r\n?')
_BLANK_LINES = re.compile(rb'("[^"]*")|(?:\n[ \t\r]*)+(?=\n|\Z)')
_BLANK_LINE = re.compile(rb"\n[ \t\r]*\n|\n[ \t\r]+\Z")
_NUMBER = re.compile(r"[-+]?[0-9]+(?:[.,][0-9]+)?")
# Rows by which types of columns are found.
FIRST_ROWS = 10_000
# How polars says that no whole number is so large.
_TOO_LARGE = re.compile(r"as dtype `i\d+` at column '(.*)' \(column number", re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class CsvText:
    """CSV text as polars reads it: UTF-8 without a mark, lines that end in a line feed.

    Parameters
    ----------
    path : str
        Its name, for messages.
    text : bytes
        What is in it.
    separator : str
        What stands between its columns.
    reading : Reading
        What was asked for.
    found : tuple of str
        What is to be said of how it is written.
    """

    path: str
    text: bytes
    separator: str
    reading: Reading
    found: tuple[str, ...]

    @classmethod
    def of(cls, path: str, content: bytes, reading: Reading) -> CsvText:
        """Find out how the contents of a file are written."""
        content, written_as = decoded(path, content, reading.encoding)
        text = _plain(path, content)
        separator = reading.separator or find_separator(text)
        found = [] if separator in (COMMA, reading.separator) else [_between(separator)]
        found += [] if written_as is None else [written_as]
        return cls(path, text, separator, reading, tuple(found))

    def table(self, text_columns: Sequence[str] = ()) -> tuple[polars.DataFrame, tuple[str, ...]]:
        """Return the table, and what is to be said of how it was read.

        ``text_columns`` are read as text whatever they look like. ``NA`` and its like are missing
        values, unless the column would be text without them. Whole numbers of 39 digits and more,
        which no type of polars holds, are text.
        """
        try:
            header = self._header()
        except polars.exceptions.NoDataError:
            raise ValueError(f"{self.path} is empty.") from None
        try:
            text = _without_blank_lines(self.text, len(header))
            overrides = {
                raw: polars.String()
                for raw, name in zip(self._as_written(header), header, strict=True)
                if name in text_columns
            }
            source = _Source(text, self.separator)
            frame = _without_marks(source, source.read(overrides), set(overrides))
            frame, told = self._with_numbers(source, frame, set(overrides))
            frame = with_dates(frame, set(overrides), self.reading.date_order)
        except polars.exceptions.ComputeError as error:
            raise self._too_many_fields(len(header)) or error from None
        frame.columns = header
        return frame, (*self.found, *told)

    def fields(self) -> polars.DataFrame:
        """Return the table with every field as it was written."""
        header = self._header()
        text = _without_blank_lines(self.text, len(header))
        frame = polars.read_csv(io.BytesIO(text), infer_schema=False, separator=self.separator)
        frame.columns = header
        return frame

    def _with_numbers(
        self, source: _Source, frame: polars.DataFrame, known: set[str]
    ) -> tuple[polars.DataFrame, list[str]]:
        """Read numbers with decimal commas and thousands apart, and say which there are."""
        decimal, told = self.reading.decimal, []
        grouped = grouped_numbers(frame, known, decimal)
        if decimal is None and self._has_clear_commas(frame, known, set(grouped)):
            decimal = COMMA
            told.append("with decimal commas")
        if decimal == COMMA:
            # What was read with a point is no number here: 1.234 may be a thousand.
            pointed = [c.name for c in frame.iter_columns() if c.dtype.is_float()]
            if pointed:
                frame = frame.with_columns(source.read({}, columns=pointed, infer_schema=False))
            frame = with_decimal_commas(frame, known)
        for sign, columns in grouped.items():
            frame = frame.with_columns(columns)
            told.append(f"with {'points' if sign == COMMA else 'commas'} between thousands")
        return frame, told

    def _has_clear_commas(self, frame: polars.DataFrame, known: set[str], signs: set[str]) -> bool:
        """Whether decimal commas are clear, ``signs`` being those beside thousands apart."""
        if signs == {COMMA}:
            return not have_decimal_points(frame)
        return not signs and self.separator != COMMA and bool(with_clear_commas(frame, known))

    def _header(self) -> list[str]:
        first = polars.read_csv(
            io.BytesIO(self.text),
            has_header=False,
            n_rows=1,
            infer_schema=False,
            separator=self.separator,
            truncate_ragged_lines=True,  # which are turned down where rows are read
        )
        header = [name or "" for name in first.row(0)]
        repeated = [name for name, count in Counter(header).items() if count > 1]
        if "" in repeated:
            *others, last = [str(k) for k, name in enumerate(header, 1) if not name]
            raise ValueError(
                f"{self.path} has no name for columns {', '.join(others)} and {last}. Name them "
                "in its first line."
            )
        if repeated:
            what_to_do = "Rename or drop the repeated ones."
            if all(map(_NUMBER.fullmatch, header)):
                what_to_do = "If its first line is a row and no header, put names above it."
            raise ValueError(
                f"{self.path} has duplicated column names: {listed_names(repeated)}. {what_to_do}"
            )
        return header

    def _too_many_fields(self, n_columns: int) -> ValueError | None:
        """Name the first line that has more fields than the header; None where there is none."""
        text = io.TextIOWrapper(io.BytesIO(self.text), "utf-8", newline="")
        lines = csv.reader(text, delimiter=self.separator)
        before = 0
        try:
            for fields in lines:
                if len(fields) > n_columns:
                    return ValueError(
                        f"{self.path} could not be read: line {before + 1} has {len(fields)} "
                        f"fields, the header {n_columns}. Put a value that has {self.separator!r} "
                        "in it in double quotes, or take out what is too much."
                    )
                before = lines.line_num
        except csv.Error:
            pass
        return None

    def _as_written(self, header: list[str]) -> list[str]:
        """Return the names as polars takes them from a header: quotes in them stay doubled."""
        if not any('"' in name for name in header):
            return header
        return polars.read_csv(
            io.BytesIO(self.text), n_rows=0, infer_schema=False, separator=self.separator
        ).columns


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


def listed_names(names: Sequence[str]) -> str:
    """List names of columns; in quotes where blanks at their ends would not be seen.

    Examples
    --------
    >>> listed_names(["age", "job"]), listed_names(["age", "job "])
    ('age, job', "'age', 'job '")
    """
    is_plain = all(name == name.strip() != "" for name in names)
    return ", ".join(names if is_plain else map(repr, names))


def _between(separator: str) -> str:
    return (
        "with tabs between columns" if separator == "\t" else f"with {separator!r} between columns"
    )


def _plain(path: str, content: bytes) -> bytes:
    """Return text whose lines end in a line feed."""
    content = content.lstrip(b"\r\n")
    first_line = QUOTED.sub(b"", content.partition(b"\n")[0])
    if b"\0" in first_line:
        raise ValueError(f"{path} could not be read: it is neither CSV text nor Parquet.")
    if b"\r" in first_line[:-1]:
        content = _LINE_END.sub(lambda found: found[1] or b"\n", content)
    return content


def _without_blank_lines(text: bytes, n_columns: int) -> bytes:
    """Leave lines of nothing out; in a single column they are missing values."""
    if n_columns == 1 or not _BLANK_LINE.search(text):
        return text
    return _BLANK_LINES.sub(lambda found: found[1] or b"", text)


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """Where values are read from."""

    text: bytes
    separator: str

    def read(self, overrides: dict[str, Any], **options: Any) -> polars.DataFrame:
        """Read the values that fields stand for.

        Types are found in the first rows, which is fast; in all of them where later ones do not
        keep to these, or the first ones say nothing.
        """
        try:
            frame = self._read(overrides, infer_schema_length=FIRST_ROWS, **options)
        except polars.exceptions.ComputeError:
            frame = None
        if frame is not None and not _is_unsure(frame):
            return frame
        return self._read_all(overrides, **options)

    def _read_all(self, overrides: dict[str, Any], **options: Any) -> polars.DataFrame:
        try:
            return self._read(overrides, infer_schema_length=None, **options)
        except polars.exceptions.ComputeError as error:
            found = _TOO_LARGE.search(str(error))
            if found is None or found[1] in overrides:
                raise
            return self._read_all(overrides | {found[1]: polars.String()}, **options)

    def _read(self, overrides: dict[str, Any], **options: Any) -> polars.DataFrame:
        return polars.read_csv(
            io.BytesIO(self.text),
            schema_overrides=overrides,
            separator=self.separator,
            **options,
        )


def _is_unsure(frame: polars.DataFrame) -> bool:
    """Whether a column is text for want of values in the first rows."""
    if len(frame) <= FIRST_ROWS:
        return False
    texts = [c for c in frame.iter_columns() if c.dtype == polars.String()]
    return any(c.head(FIRST_ROWS).null_count() == FIRST_ROWS < c.len() for c in texts)


def _without_marks(source: _Source, frame: polars.DataFrame, known: set[str]) -> polars.DataFrame:
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
    again = source.read({}, columns=marked, null_values=MARKS_OF_MISSING)
    return frame.with_columns(
        column
        for column in again.iter_columns()
        if column.dtype != polars.String() or column.null_count() == len(column)
    )
