"""The values of a column that occur in the data, as far as rules can tell them apart."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.table import Kind
from boolrules.data.column_encoding import NumericEncoding
from boolrules.data.every_threshold import EveryThreshold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from boolrules._support.table import Table, TableColumn
    from boolrules.data.encoding import TableEncoding
    from boolrules.rules import Condition

Cell = float | str | None

# A change of one spread, of a category, or from or to "missing" costs so much. Costs are whole
# numbers, so that sums and ties are the same in Python and in JavaScript.
UNIT = 1_000_000
MOST_SPREADS = 1_000_000


@dataclass(frozen=True, slots=True)
class Domain:
    """What a column may be changed to: values that occur in the data, and nothing else.

    Parameters
    ----------
    feature : str
        Name of the column.
    kind : Kind
        What it holds; true and false are 1 and 0.
    is_ordered : bool
        Whether a greater difference is a greater change; not so for categories.
    ranges : tuple of (float, float)
        For numbers: the least and the largest value that occur between any two numbers that
        conditions compare with, and at each of them.
    values : tuple of str
        For text: the values that conditions compare with, and the most common other one.
    has_missing : bool
        Whether some rows have no value.
    middle : float
        For numbers: a median that occurs.
    spread : float
        The interquartile range; where it is zero, the whole range.

    Examples
    --------
    >>> age = Domain("age", Kind.NUMERIC, True, ranges=((18, 30), (31, 80)), spread=20)
    >>> age.changes(40.0), age.changes(25.0)
    ([(30, 500000)], [(31, 300000)])
    """

    feature: str
    kind: Kind
    is_ordered: bool
    ranges: tuple[tuple[float, float], ...] = ()
    values: tuple[str, ...] = ()
    has_missing: bool = False
    middle: float = 0.0
    spread: float = 1.0

    def changes(self, value: Cell) -> list[tuple[Cell, int]]:
        """Return each value that this one may become, with the cost of the change."""
        found: list[tuple[Cell, int]]
        if self.kind is Kind.TEXT:
            found = [(other, UNIT) for other in self.values if other != value]
        else:
            start = self.middle if value is None else float(value)
            nearest = [min(max(start, low), high) for low, high in self.ranges]
            found = [(other, self._cost(value, other)) for other in nearest if other != value]
        if self.has_missing and value is not None:
            found.append((None, UNIT))
        return found

    def _cost(self, value: Cell, other: float) -> int:
        if value is None or not self.is_ordered:
            return UNIT
        n_spreads = min(abs(other - float(value)) / self.spread, MOST_SPREADS)
        return max(1, int(n_spreads * UNIT + 0.5))

    def to_plain(self) -> dict[str, Any]:
        """Return what the page is given."""
        return {
            "name": self.feature,
            "kind": str(self.kind),
            "is_ordered": self.is_ordered,
            "ranges": [list(ends) for ends in self.ranges],
            "values": list(self.values),
            "has_missing": self.has_missing,
            "middle": self.middle,
            "spread": self.spread,
        }


def make_domains(
    table: Table, conditions: Iterable[Condition], encoding: TableEncoding
) -> list[Domain]:
    """Describe every column that the conditions read, in the order of the table."""
    read: dict[str, list[Condition]] = {}
    for condition in conditions:
        read.setdefault(condition.feature, []).append(condition)
    numeric = (NumericEncoding, EveryThreshold)
    ordered = {f.name for f in encoding.features if isinstance(f, numeric)}
    return [
        _make_domain(table[name], read[name], name in ordered)
        for name in table.names
        if name in read
    ]


def _make_domain(column: TableColumn, conditions: Sequence[Condition], ordered: bool) -> Domain:
    is_null = column.is_null
    known = column.values[~is_null]
    has_missing = bool(is_null.any())
    if column.kind is Kind.TEXT:
        named = {c.value for c in conditions if isinstance(c.value, str)}
        return Domain(
            *(column.name, column.kind, False),
            values=_telling_values(known.tolist(), named),
            has_missing=has_missing,
        )
    return Domain(
        *(column.name, column.kind, ordered),
        ranges=_ranges(np.unique(known), _compared_numbers(conditions)),
        has_missing=has_missing,
        middle=float(np.quantile(known, 0.5, method="lower")) if known.size else 0.0,
        spread=_spread(known) if column.kind is Kind.NUMERIC else 1.0,
    )


def _telling_values(known: Sequence[str], named: set[str]) -> tuple[str, ...]:
    """Return the values that conditions name, if they occur, and the most common other one."""
    counts = Counter(known)
    others = sorted(counts.keys() - named, key=lambda value: (-counts[value], value))
    return (*sorted(counts.keys() & named), *others[:1])


def _compared_numbers(conditions: Iterable[Condition]) -> NDArray[np.float64]:
    numbers: set[float] = set()
    for condition in conditions:
        value = condition.value
        if isinstance(value, tuple):
            numbers.update(value)
        elif isinstance(value, int | float):
            numbers.add(float(value))
        numbers.update(condition.except_values)
    return np.array(sorted(numbers), dtype=np.float64)


def _ranges(
    known: NDArray[np.float64], compared: NDArray[np.float64]
) -> tuple[tuple[float, float], ...]:
    """Cut the sorted values at each number compared with, which stands alone."""
    left = np.searchsorted(compared, known, side="left")
    right = np.searchsorted(compared, known, side="right")
    starts = np.flatnonzero(np.diff(left + right, prepend=-1)).tolist()
    return tuple(
        (float(known[start]), float(known[end - 1]))
        for start, end in pairwise([*starts, len(known)])
    )


def _spread(known: NDArray[np.float64]) -> float:
    if not known.size:
        return 1.0
    with np.errstate(over="ignore"):
        low, high = np.quantile(known, [0.25, 0.75], method="lower")
        spread = float(high - low) or float(known.max() - known.min()) or 1.0
    return min(spread, sys.float_info.max)
