"""What text stands for beyond what polars reads: numbers with decimal commas, dates, times.

A column is read only as a whole, and only where it can mean one thing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars

if TYPE_CHECKING:
    from collections.abc import Iterator

# What people and programs write for a missing value. Among text they may mean something else.
MARKS_OF_MISSING = ["NA", "N/A", "n/a", "na", "#N/A", "<NA>", "NaN", "nan"]
MARKS_OF_MISSING += ["null", "NULL", "None", "?"]

_NUMBER = r"^[-+]?(?:\d+|\d*,\d+)(?:[eE][-+]?\d+)?$"
_THOUSANDS_COMMAS = r"^[-+]?[1-9]\d{0,2}(?:,\d{3})+$"
# 1.234,56 and 1,234.56, by what stands before the tenths: how all are written, and some must be.
_GROUPED = {
    ",": (r"^[-+]?(?:[1-9]\d{0,2}(?:\.\d{3})+|\d{1,3})(?:,\d+)?$", r"\..*,"),
    ".": (r"^[-+]?(?:[1-9]\d{0,2}(?:,\d{3})+|\d{1,3})(?:\.\d+)?$", r",.*\."),
}
_CLOCK = r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?"
_ZONE = r"(?: ?(?:Z|UTC|[-+]\d{2}:?\d{2}))?"
_DATE = rf"^(\d{{1,4}})([-/.])(\d{{1,2}})[-/.](\d{{1,4}})(?:[T ]+{_CLOCK} ?([AaPp][Mm])?{_ZONE})?$"
_TIME = rf"^{_CLOCK}$"


def with_clear_commas(frame: polars.DataFrame, known: set[str]) -> list[str]:
    """Return the columns of text that stands for numbers with a decimal comma.

    There are none where another number has a decimal point. 1,234 alone may be a thousand and
    more; 33,7 cannot, nor can 0,125.
    """
    texts = {column.name: _values(column) for column in _texts(frame, known)}
    numbers = {n: v for n, v in texts.items() if len(v) and v.str.contains(_NUMBER).all()}
    found = [
        name
        for name, v in numbers.items()
        if (v.str.contains(",") & ~v.str.contains(_THOUSANDS_COMMAS)).any()
    ]
    return [] if have_decimal_points(frame) else found


def grouped_numbers(
    frame: polars.DataFrame, known: set[str], decimal: str | None
) -> dict[str, list[polars.Series]]:
    """Return the text columns that are numbers with thousands apart, by their decimal sign.

    All values of a column are in groups of three, and one has both signs, so that each is known.
    ``decimal`` is the only sign to look for; None where it may be either.

    Examples
    --------
    >>> prices = polars.DataFrame({"de": ["1.234,5", "12"], "us": ["1,234.5", "0.5"]})
    >>> read = grouped_numbers(prices, set(), None)
    >>> {sign: [column.to_list() for column in columns] for sign, columns in read.items()}
    {',': [[1234.5, 12.0]], '.': [[1234.5, 0.5]]}
    """
    read: dict[str, list[polars.Series]] = {}
    for column in _texts(frame, known):
        values = _values(column)
        for sign in _GROUPED if decimal is None else (decimal,):
            every, some = _GROUPED[sign]
            if values.str.contains(some).any() and values.str.contains(every).all():
                numbers = column.str.strip_chars().str.replace_all(_other(sign), "", literal=True)
                numbers = numbers.str.replace(sign, ".", literal=True)
                read.setdefault(sign, []).append(numbers.cast(polars.Float64, strict=False))
    return read


def have_decimal_points(frame: polars.DataFrame) -> bool:
    """Whether a number was read by a point that can be nothing but a decimal point."""
    return any(map(_has_decimal_points, frame.iter_columns()))


def _other(sign: str) -> str:
    return "." if sign == "," else ","


def with_decimal_commas(frame: polars.DataFrame, known: set[str]) -> polars.DataFrame:
    """Read the text columns that are numbers with decimal commas."""
    read = []
    for column in _texts(frame, known):
        values = _values(column)
        if len(values) and values.str.contains(_NUMBER).all():
            points = column.str.strip_chars().str.replace(",", ".", literal=True)
            read.append(points.cast(polars.Float64, strict=False))
    return frame.with_columns(read)


def with_dates(frame: polars.DataFrame, known: set[str], order: str | None) -> polars.DataFrame:
    """Read the text columns that are dates or times, where their order is clear or else given."""
    read = []
    for column in _texts(frame, known):
        distinct = column.unique()  # far fewer than rows, as a rule
        dates = _as_dates(distinct, order)
        if dates is not None:
            read.append(column.replace_strict(distinct, dates))
    return frame.with_columns(read)


def _texts(frame: polars.DataFrame, known: set[str]) -> Iterator[polars.Series]:
    for column in frame.iter_columns():
        if column.dtype == polars.String() and column.name not in known:
            yield column


def _values(column: polars.Series) -> polars.Series:
    """Return each text once, without those that say that a value is missing."""
    distinct = column.drop_nulls().unique()
    return distinct.filter(~distinct.is_in(MARKS_OF_MISSING)).str.strip_chars()


def _has_decimal_points(column: polars.Series) -> bool:
    """Whether numbers were read by a point that cannot part thousands, as that of 1.234 may."""
    if not column.dtype.is_float():
        return False
    values = column.drop_nulls().drop_nans().abs()
    values = values.filter(values % 1 != 0)
    thousandths = (values * 1000).round(6)
    is_decimal = (values < 1) | (values >= 1000) | (thousandths % 1 != 0)
    return len(values) > 0 and bool(is_decimal.any() or (thousandths % 10 == 0).all())


def _as_dates(column: polars.Series, order: str | None) -> polars.Series | None:
    """Return dates or times; None where the text is something else, or may mean two things."""
    values = _values(column)
    if not len(values):
        return None
    stripped = column.str.strip_chars()
    if values.str.contains(_TIME).all():
        return _all_read(column, (_clock(stripped, _TIME, 1) * 1000).cast(polars.Time))
    if not values.str.contains(_DATE).all():
        return None
    found = _order(values, order)
    if found is None:
        return None
    first, second, third = (_part(stripped, k) for k in (1, 3, 4))
    parts = dict(zip(found, (first, second, third), strict=True))
    frame = polars.DataFrame({"y": parts["y"], "m": parts["m"], "d": parts["d"]})
    iso = polars.format("{}-{}-{}", "y", *(polars.col(c).cast(str).str.zfill(2) for c in "md"))
    days = frame.select(iso.str.to_date("%Y-%m-%d", strict=False)).to_series()
    if not values.str.contains(":").any():
        return _all_read(column, days)
    clock = _clock(stripped, _DATE, 5).cast(polars.Duration("us"))
    return _all_read(column, days.cast(polars.Datetime("us")) + clock)


def _order(values: polars.Series, given: str | None) -> str | None:
    """Return the order of day, month and year as letters; None where it is not clear.

    What is given is for columns whose own dates do not show it: others keep theirs.
    """
    n_digits = [values.str.extract(_DATE, k).str.len_chars() for k in (1, 4)]
    if (n_digits[0] == 4).all() and (n_digits[1] <= 2).all():
        return "ymd"
    if not ((n_digits[0] <= 2).all() and (n_digits[1] == 4).all()):
        return None
    is_day = [bool((_part(values, k) > 12).any()) for k in (1, 3)]
    if any(is_day):
        return {(True, False): "dmy", (False, True): "mdy"}.get((is_day[0], is_day[1]))
    if not _is_open(values).any():  # with points, the day comes first wherever people write so
        return "dmy"
    return given if given in ("dmy", "mdy") else None


def _is_open(values: polars.Series) -> polars.Series:
    """Say which dates end in the year and have no points: their order is open."""
    return (values.str.extract(_DATE, 2) != ".") & (
        values.str.extract(_DATE, 4).str.len_chars() == 4
    )


def _part(values: polars.Series, group: int) -> polars.Series:
    return values.str.extract(_DATE, group).cast(polars.Int32, strict=False)


def _clock(column: polars.Series, pattern: str, first: int) -> polars.Series:
    """Return the microseconds since midnight; 0 for a date without a time, null for no time."""
    read = [
        column.str.extract(pattern, first + k).cast(polars.Int64, strict=False) for k in (0, 1, 2)
    ]
    parts = polars.DataFrame(dict(zip("hms", read, strict=True)))
    if pattern == _DATE:
        half = column.str.extract(pattern, first + 3).str.to_lowercase()
        to_noon = polars.when(half == "pm").then(12).when(half == "am").then(0)
        of_24 = polars.when(half.is_null()).then("h").otherwise(polars.col("h") % 12 + to_noon)
        parts = parts.with_columns(h=of_24, m=polars.col("m")).with_columns(
            polars.when(parts["h"].is_null()).then(0).otherwise(polars.col(c)).alias(c)
            for c in "hm"
        )
    seconds = polars.col("s").fill_null(0)
    is_time = (polars.col("h") < 24) & (polars.col("m") < 60) & (seconds < 60)
    total = (polars.col("h") * 3600 + polars.col("m") * 60 + seconds) * 1_000_000
    return parts.select(polars.when(is_time).then(total)).to_series()


def _all_read(column: polars.Series, read: polars.Series) -> polars.Series | None:
    """Return what was read, unless a value could not be."""
    n_marks = int(column.is_in(MARKS_OF_MISSING).sum())
    if read.null_count() > column.null_count() + n_marks:
        return None
    return read
