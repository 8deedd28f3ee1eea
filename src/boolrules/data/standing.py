"""How rules stand to requirements on some rows: what each measure came to, group by group.

Here a row that is decided wrongly counts once, as people count it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.html import table as html_table
from boolrules.data.measure import Measure
from boolrules.data.problem import as_written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from boolrules._support.table import Table
    from boolrules.data.requirement import Requirement

# Of a normal distribution, 95 % are within this many standard deviations.
STANDARD_DEVIATIONS = 1.959964
# What shares of weights that are no integers may err by, as requirements count them.
DUST = Fraction(1, 10**6)
_FIGURES = {
    Measure.RECALL: "recall",
    Measure.PRECISION: "precision",
    Measure.MISSED: "positives missed",
    Measure.COVERED: "negatives flagged",
    Measure.FLAGGED: "rows flagged",
    Measure.FLAGGED_SHARE: "share of rows flagged",
}
_MISSED, _COVERED = "share of positives missed", "share of negatives flagged"


@dataclass(frozen=True, slots=True)
class Standing:
    """What one figure came to in one group.

    Parameters
    ----------
    requirement : Requirement
        Which asks for it.
    figure : str
        What was counted, in words.
    group : str or None
        Where; None for all rows.
    value : float or None
        None where it is not defined, as precision where nothing is flagged.
    n_rows : float
        Of how many rows a share is one.
    interval : tuple of two floats, or None
        Where the share would be in 95 of 100 such samples (Wilson); None for numbers of rows.
    is_met : bool or None
        Whether it keeps to the limit; None where no limit is on this figure by itself.
    """

    requirement: Requirement
    figure: str
    group: str | None
    value: float | None
    n_rows: float
    interval: tuple[float, float] | None
    is_met: bool | None

    def to_plain(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "requirement": str(self.requirement),
            "figure": self.figure,
            "group": self.group,
            "value": self.value,
            "n_rows": self.n_rows,
            "interval": None if self.interval is None else list(self.interval),
            "is_met": self.is_met,
        }

    def cells(self) -> list[str]:
        """Write it as cells of a table: figure, group, value, interval, limit, met or not."""
        limit = self.requirement.limit
        shown = "" if self.interval is None else "{:.3f} to {:.3f}".format(*self.interval)
        is_limited = self.is_met is not None
        return [
            self.figure,
            self.group or "all rows",
            _shown(self.value, is_count=not self.requirement.measure.is_share),
            shown,
            f"{self.requirement.measure.sign} {limit:.10g}" if is_limited else "",
            {True: "met", False: "NOT MET", None: ""}[self.is_met],
        ]


HEAD = ["figure", "rows", "value", "95 % interval", "limit", ""]


@dataclass(frozen=True, slots=True)
class Standings:
    """How rules stand to all requirements on some rows.

    Examples
    --------
    >>> from boolrules import Requirement
    >>> from boolrules._support.table import read_table
    >>> table = read_table(np.array([[0.0], [0.0], [1.0], [1.0]]))
    >>> y, flagged = np.array([1, 0, 1, 1], dtype=bool), np.array([1, 1, 1, 0], dtype=bool)
    >>> found = Standings.of([Requirement.of("precision >= 0.9")], table, y, flagged)
    >>> found.all_met, round(found.standings[0].value, 2)
    (False, 0.67)
    """

    standings: tuple[Standing, ...]

    @classmethod
    def of(
        cls,
        requirements: Sequence[Requirement],
        table: Table,
        is_positive: NDArray[np.bool_],
        is_flagged: NDArray[np.bool_],
        weights: NDArray[np.float64] | None = None,
    ) -> Standings:
        """Count what was flagged of some rows; by weight, where there are weights."""
        counts = np.ones(len(table)) if weights is None else weights
        judged = _Judged(is_positive, is_flagged, counts)
        found: list[Standing] = []
        for requirement in requirements:
            found += _stand(requirement, requirement.groups(table), judged)
        return cls(tuple(found))

    @property
    def all_met(self) -> bool:
        """Whether every limit is kept."""
        return all(standing.is_met is not False for standing in self.standings)

    @property
    def broken(self) -> tuple[Standing, ...]:
        """Those whose limit is not kept."""
        return tuple(standing for standing in self.standings if standing.is_met is False)

    def to_plain(self) -> list[dict[str, Any]]:
        """Return plain values, for JSON."""
        return [standing.to_plain() for standing in self.standings]

    def cells(self) -> list[list[str]]:
        """Write them as rows of a table, under ``HEAD``."""
        return [standing.cells() for standing in self.standings]

    def __str__(self) -> str:
        rows = [HEAD, *self.cells()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            for row in rows
        )
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        """Show a table in notebooks."""
        return html_table("llrrll", HEAD, self.cells())


@dataclass(frozen=True, eq=False)
class _Judged:
    """Rows, what is so of them and what was said."""

    is_positive: NDArray[np.bool_]
    is_flagged: NDArray[np.bool_]
    counts: NDArray[np.float64]

    def sums(self, is_there: NDArray[np.bool_]) -> tuple[float, float, float, float]:
        """Return positives, missed ones, negatives and flagged ones of a group."""

        def total(chosen: NDArray[np.bool_]) -> float:
            return float(self.counts[is_there & chosen].sum())

        return (
            total(self.is_positive),
            total(self.is_positive & ~self.is_flagged),
            total(~self.is_positive),
            total(~self.is_positive & self.is_flagged),
        )

    @cached_property
    def _dust(self) -> Fraction:
        return Fraction(0) if (self.counts == np.rint(self.counts)).all() else DUST

    def is_at_most(self, value: Fraction, limit: float) -> bool:
        """Whether a limit is kept: exactly, as it is written, where rows weigh whole numbers."""
        return value <= as_written(limit) + self._dust

    def is_at_least(self, value: Fraction, limit: float) -> bool:
        """Whether a limit is reached."""
        return value >= as_written(limit) - self._dust

    def interval(self, share: float, n: float) -> tuple[float, float]:
        """Where a share would be in 95 of 100 samples of so much weight, after Wilson.

        Of rows that weigh a hundred each there are a hundredth as many.
        """
        n_rows = n * float(self.counts.sum() / np.square(self.counts).sum())
        z = STANDARD_DEVIATIONS**2 / n_rows
        middle = (share + z / 2) / (1 + z)
        half = math.sqrt(share * (1 - share) * z + z * z / 4) / (1 + z)
        return max(0.0, middle - half), min(1.0, middle + half)


Groups = list[tuple[str | None, "NDArray[np.bool_]"]]


def _stand(requirement: Requirement, groups: Groups, judged: _Judged) -> Iterator[Standing]:
    if requirement.measure.compares:
        yield from _compared(requirement, groups, judged, _MISSED)
        if requirement.measure is Measure.EQUALISED_ODDS:
            yield from _compared(requirement, groups, judged, _COVERED)
        return
    for group, is_there in groups:
        n_P, missed, n_Z, covered = judged.sums(is_there)
        flagged = n_P - missed + covered
        numerator, n = {
            Measure.RECALL: (n_P - missed, n_P),
            Measure.PRECISION: (n_P - missed, flagged),
            Measure.MISSED: (missed, None),
            Measure.COVERED: (covered, None),
            Measure.FLAGGED: (flagged, None),
            Measure.FLAGGED_SHARE: (flagged, n_P + n_Z),
        }[requirement.measure]
        limit = requirement.limit
        if n is None:
            value, interval = numerator, None
            is_met = judged.is_at_most(Fraction(numerator), limit)
        elif n == 0:
            value, interval, is_met = None, None, True
        else:
            value, interval = numerator / n, judged.interval(numerator / n, n)
            is_so = judged.is_at_least if requirement.measure.is_at_least else judged.is_at_most
            is_met = is_so(Fraction(numerator) / Fraction(n), limit)
        figure = _FIGURES[requirement.measure]
        of_rows = n_P + n_Z if n is None else n
        yield Standing(requirement, figure, group, value, of_rows, interval, is_met)


def _compared(
    requirement: Requirement, groups: Groups, judged: _Judged, figure: str
) -> Iterator[Standing]:
    """Return the share of each group, and how far the two furthest are apart."""
    shares: list[tuple[Fraction, Standing]] = []
    for group, is_there in groups:
        n_P, missed, n_Z, covered = judged.sums(is_there)
        mistakes, n = (missed, n_P) if figure == _MISSED else (covered, n_Z)
        if n == 0:
            yield Standing(requirement, figure, group, None, 0, None, None)
            continue
        share, interval = mistakes / n, judged.interval(mistakes / n, n)
        standing = Standing(requirement, figure, group, share, n, interval, None)
        shares.append((Fraction(mistakes) / Fraction(n), standing))
        yield standing
    if len(shares) < 2:
        return
    (high, one), (low, other) = max(
        combinations(shares, 2), key=lambda pair: abs(pair[0][0] - pair[1][0])
    )
    difference = abs(high - low)
    yield Standing(
        requirement,
        f"{figure}, difference",
        f"between {requirement.between}",
        float(difference),
        one.n_rows + other.n_rows,
        _interval_of_difference(one, other),
        judged.is_at_most(difference, requirement.limit),
    )


def _interval_of_difference(one: Standing, other: Standing) -> tuple[float, float]:
    """Where the difference of two shares would be, after Newcombe; its sign does not matter."""
    high, low = sorted((one, other), key=lambda standing: -(standing.value or 0.0))
    assert high.interval is not None
    assert low.interval is not None
    p, q = high.value or 0.0, low.value or 0.0
    down = math.hypot(p - high.interval[0], low.interval[1] - q)
    up = math.hypot(high.interval[1] - p, q - low.interval[0])
    return max(0.0, p - q - down), min(1.0, p - q + up)


def _shown(value: float | None, *, is_count: bool) -> str:
    if value is None:
        return "none"
    return f"{value:.10g}" if is_count else f"{value:.3f}"
