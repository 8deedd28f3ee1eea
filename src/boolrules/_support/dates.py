"""Dates, times and durations as numbers that rules can compare: their parts.

A column ``admitted`` of dates becomes ``admitted.year``, ``admitted.month``, ``admitted.weekday``
and ``admitted.days``; times add ``admitted.hour``. What parts a column has follows from its type
alone, so that new rows give the same columns. A time with a zone counts as its own clock shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

FIRST_DAY = "1970-01-01"
# What each part is, in words.
PARTS = {
    "year": "the year of {}",
    "month": "the month of {}, 1 to 12",
    "weekday": "the day of the week of {}, 1 (Monday) to 7 (Sunday)",
    "days": f"the days from {FIRST_DAY} to {{}}",
    "hour": "the hour of {}, 0 to 23",
    "minutes": "the minutes from midnight to {}",
    "length": "the length of {} in days",
}
# Classes of numpy, pandas and the standard library, which need not be imported to be known.
_DURATIONS = {"timedelta", "timedelta64", "Timedelta"}
_INSTANTS = {"date", "datetime", "datetime64", "Period", "Timestamp"}
_CLOCKS = {"time"}
_WHOLE_DAYS = ("Y", "M", "W", "D")


def are_dates(types: Iterable[type]) -> bool:
    """Whether values of these types are all dates, all times of a day, or all durations."""
    names = {one.__name__ for one in types}
    return bool(names) and any(names <= kind for kind in (_DURATIONS, _INSTANTS, _CLOCKS))


def parts_of(
    values: NDArray[Any] | Sequence[Any], dtype: str | None = None
) -> dict[str, NDArray[np.float64]]:
    """Return the parts of dates, times or durations by name; NaN where a value is missing.

    ``dtype`` says what they are, as numpy would, with "time" for times of a day; None where the
    values themselves must show it.

    Examples
    --------
    >>> parts = parts_of(np.array(["2024-02-29T14:30", "NaT"], dtype="M8[m]"))
    >>> {name: numbers.tolist()[0] for name, numbers in parts.items()}
    {'year': 2024.0, 'month': 2.0, 'weekday': 4.0, 'days': 19782.0, 'hour': 14.0}
    >>> parts_of(np.array([36, 12], dtype="m8[h]"))["length"].tolist()
    [1.5, 0.5]
    """
    if not isinstance(values, np.ndarray) or values.dtype.kind == "O":
        dtype = dtype or _dtype_of(values)
        if dtype == "time":
            return _of_clocks(values)
        values = np.array([_plain(one, dtype) for one in values], dtype=dtype)
    elif dtype is not None:
        values = values.astype(dtype)
    if values.dtype.kind == "m":
        days = values.astype("m8[us]").astype(np.float64) / 86_400e6
        return {"length": np.where(np.isnat(values), np.nan, days)}
    return _of_instants(values)


def source_of(name: str) -> str | None:
    """Return the column that a name could be a part of.

    Examples
    --------
    >>> source_of("admitted.year"), source_of("admitted")
    ('admitted', None)
    """
    source, dot, part = name.rpartition(".")
    return source if dot and part in PARTS else None


def definition(name: str, source: str, numbers: Iterable[float] = ()) -> str:
    """Say in words what a part of a column is; numbers of days are told as dates too.

    Examples
    --------
    >>> definition("admitted.days", "admitted", [19782])
    "admitted.days is the days from 1970-01-01 to 'admitted'; 19782 is 2024-02-29"
    """
    part = name.rpartition(".")[2]
    days = [] if part != "days" else [f"{n:.10g} is {_day(n)}" for n in sorted(set(numbers))]
    return "; ".join([f"{name} is {PARTS[part].format(repr(source))}", *days])


def _day(number: float) -> str:
    """Return the day that a number of days since the first one stands for."""
    return str(np.datetime64(FIRST_DAY) + np.timedelta64(int(number // 1), "D"))


def _of_instants(values: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
    days = values.astype("M8[D]")
    number = days.astype(np.int64)
    months = values.astype("M8[M]").astype(np.int64)
    parts = {
        "year": months // 12 + 1970,
        "month": months % 12 + 1,
        "weekday": (number + 3) % 7 + 1,  # the first day was a Thursday
        "days": number,
    }
    if np.datetime_data(values.dtype)[0] not in _WHOLE_DAYS:
        parts["hour"] = (values.astype("M8[h]") - days).astype(np.int64)
    is_missing = np.isnat(values)
    return {name: np.where(is_missing, np.nan, numbers) for name, numbers in parts.items()}


def _of_clocks(objects: Iterable[Any]) -> dict[str, NDArray[np.float64]]:
    minutes = np.array(
        [np.nan if t is None else 60 * t.hour + t.minute + t.second / 60 for t in objects],
        dtype=np.float64,
    )
    return {"hour": np.floor(minutes / 60), "minutes": minutes}


def _dtype_of(objects: Iterable[Any]) -> str:
    """Return what numpy would call them: dates have a clock where one of them has one."""
    present = [one for one in objects if one is not None]
    names = {type(one).__name__ for one in present}
    if names & _CLOCKS:
        return "time"
    if names & _DURATIONS:
        return "m8[us]"
    return "M8[us]" if any(map(_has_clock, present)) else "M8[D]"


def _has_clock(one: Any) -> bool:
    if isinstance(one, np.datetime64):
        return np.datetime_data(one)[0] not in _WHOLE_DAYS
    return type(one).__name__ not in ("date", "Period")


def _plain(one: Any, dtype: str) -> Any:
    """Return a date without its zone, or a duration, as numpy has it."""
    if one is None:
        return np.datetime64("NaT") if dtype.startswith("M") else np.timedelta64("NaT", "us")
    if dtype.startswith("m"):
        return np.timedelta64(one)
    if hasattr(one, "to_timestamp"):  # a period of pandas, by its first day
        one = one.to_timestamp()
    if getattr(one, "tzinfo", None) is not None:
        one = one.replace(tzinfo=None)
    return np.datetime64(one)
