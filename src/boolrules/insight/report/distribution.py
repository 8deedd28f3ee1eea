"""How the values of a column are spread in each class: what a picture of a condition shows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from boolrules._support.table import Kind
from boolrules.insight.report.facts import SpreadFacts
from boolrules.insight.report.rows import MOST_LETTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from boolrules._support.table import TableColumn
    from boolrules.insight.report.facts import Matrix
    from boolrules.rules import Condition

N_BARS = 24
MOST_VALUES = 7
# What is beyond is added to the first and the last bar, so that a few values far out do not
# squeeze all others into one bar.
ENDS = (0.01, 0.99)


def spread_of(
    column: TableColumn,
    conditions: Iterable[Condition],
    labels: NDArray[np.int64],
    n_classes: int,
    *,
    has_rows: bool,
) -> SpreadFacts:
    """Count the rows of each class by bars of values.

    ``has_rows`` says whether the page carries rows. Otherwise only those categories are named
    that conditions name; all others are one bar.
    """
    is_null = column.is_null
    known, own = column.values[~is_null], labels[~is_null]
    edges: list[float] = []
    values: list[str] = []
    if column.kind is Kind.TEXT:
        named = [c.value for c in conditions if isinstance(c.value, str)]
        values = _categories(known.tolist(), named, has_rows)
        place = {value: k for k, value in enumerate(values)}
        bars = np.array([place.get(v, len(values)) for v in known.tolist()], dtype=np.int64)
        n_bars = len(values) + 1
    elif column.kind is Kind.BOOLEAN:
        bars, n_bars = known.astype(np.int64), 2
    else:
        numbers = known.astype(np.float64)
        edges = _edges(numbers, _numbers(conditions))
        n_bars = len(edges) - 1
        bars = np.searchsorted(np.array(edges[1:-1]), numbers, side="left")
    return SpreadFacts(
        edges,
        values,
        _count(bars, own, n_bars, n_classes),
        np.bincount(labels[is_null], minlength=n_classes).tolist(),
    )


def _count(
    bars: NDArray[np.int64], labels: NDArray[np.int64], n_bars: int, n_classes: int
) -> Matrix:
    counts = np.zeros((n_classes, n_bars), dtype=np.int64)
    np.add.at(counts, (labels, bars), 1)
    return counts.tolist()


def _categories(known: Sequence[str], named: Sequence[str], has_rows: bool) -> list[str]:
    """Return the named values and, of the others, the most common ones."""
    counts = Counter(known)
    order = sorted(counts, key=lambda value: (value not in named, -counts[value], value))
    is_shown = [v for v in order if v in named or (has_rows and len(v) <= MOST_LETTERS)]
    return is_shown[: max(MOST_VALUES, len(set(named)))]


def _numbers(conditions: Iterable[Condition]) -> list[float]:
    """Return the numbers that conditions compare with, so that every cut is in the picture."""
    found: list[float] = []
    for condition in conditions:
        value = condition.value
        parts = value if isinstance(value, tuple) else (value,)
        found += [float(v) for v in parts if isinstance(v, int | float) and np.isfinite(v)]
    return found


def _edges(numbers: NDArray[np.float64], cuts: Sequence[float]) -> list[float]:
    """Return where the bars of a column of numbers begin and end.

    Whole numbers of a short range have a bar each.

    Examples
    --------
    >>> _edges(np.array([0.0, 1, 1, 3]), [1.0])
    [-0.5, 0.5, 1.5, 2.5, 3.5]
    """
    numbers = numbers[np.isfinite(numbers)]
    if not numbers.size:
        return [0.0, 1.0]
    low, high = np.quantile(numbers, ENDS).tolist()
    low, high = min([low, *cuts]), max([high, *cuts])
    is_whole = bool(np.equal(np.floor(numbers), numbers).all())
    low_whole, high_whole = float(np.floor(low)), float(np.ceil(high))
    if is_whole and high_whole - low_whole < N_BARS:
        n_bars = int(high_whole - low_whole) + 1
        return np.linspace(low_whole - 0.5, high_whole + 0.5, n_bars + 1).tolist()
    if not high > low:
        low, high = low - 0.5, high + 0.5
    with np.errstate(over="ignore", invalid="ignore"):
        edges = np.linspace(low, high, N_BARS + 1)
        if low in cuts:  # what is at the cut is on its lower side, and needs a bar there
            edges = np.insert(edges, 0, low - (edges[1] - low))
    return edges.tolist() if np.isfinite(edges).all() else [low, high]
