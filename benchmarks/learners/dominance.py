"""Whose front ours dominates, and whose dominates ours: data set by data set.

One front dominates another if no efficient point of the other lies above the line through its own
efficient points, and the two are not equal. A line, as in the picture: at a mean complexity
between two points it is a fixed mixture of both, and so it has a value on each fold.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import data
from benchmarks.learners.fronts import (
    NO_RULES,
    Point,
    efficient,
    fronts,
    n_folds,
    on_common_folds,
)
from benchmarks.learners.summaries import Mean, in_order, label, rivals
from benchmarks.markdown_tables import markdown
from boolrules.proof.certificate import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.learners.results import Row

    Slack = Callable[[Mean, Point], float]

TOLERANCE = 1e-9


def mixture(line: Sequence[Point], complexity: float) -> list[tuple[float, Point]]:
    """Return the shares of the points that make up a line there; none before its first point."""
    places = [point.complexity.value for point in line]
    if complexity < places[0] - TOLERANCE:
        return []
    after = max(1, bisect_right(places, complexity))
    if after == len(line):
        return [(1.0, line[-1])]
    share = max(0.0, complexity - places[after - 1]) / (places[after] - places[after - 1])
    return [(1 - share, line[after - 1]), (share, line[after])]


def above(line: Sequence[Point], point: Point) -> Mean:
    """Return by how much a point is above a line, with the standard error over folds.

    That of the difference, fold by fold. Where there is no line yet, a point is above all bounds.
    """
    parts = mixture(line, point.complexity.value)
    if not parts:
        return Mean(math.inf, math.nan, 0)
    value = point.accuracy.value - sum(share * part.accuracy.value for share, part in parts)
    folds = set(point.by_fold).intersection(*(part.by_fold for _, part in parts))
    differences = [
        point.by_fold[fold] - sum(share * part.by_fold[fold] for share, part in parts)
        for fold in sorted(folds)
    ]
    error = Mean.of(differences).error if differences else math.nan
    return Mean(value, error, len(differences))


def strictly(gap: Mean, point: Point) -> float:
    """Allow nothing."""
    return 0.0


def paired(gap: Mean, point: Point) -> float:
    """Allow the standard error of the difference from our line, fold by fold."""
    return gap.error


def own(gap: Mean, point: Point) -> float:
    """Allow the standard error of the rival's point, as one reads the bars in a picture."""
    return point.accuracy.error


SLACKS: dict[str, Slack] = {
    "yes": strictly,
    "within paired s.e.": paired,
    "within its s.e.": own,
}


def dominates(ours: Sequence[Point], theirs: Sequence[Point], slack: Slack = strictly) -> bool:
    """Say whether no efficient point of theirs is above our line by more than a slack."""
    line = efficient(ours)
    for point in efficient(theirs):
        gap = above(line, point)
        # One fold alone has no standard error: it allows nothing.
        if gap.value > np.nan_to_num(slack(gap, point)) + TOLERANCE:
            return False
    return True


@dataclass(frozen=True)
class Comparison:
    """Our front and a rival's on one data set, on the folds that both have."""

    ours: list[Point]
    theirs: list[Point]
    no_rules: list[Point]
    n_folds: int

    @classmethod
    def of(cls, rows: list[Row], one: str, ours: str, name: str) -> Comparison | None:
        """Read both, and the point without rules; None where there is no common fold."""
        names = [ours, name]
        if any((row["data"], row["learner"]) == (one, NO_RULES) for row in rows):
            names.append(NO_RULES)
        common = on_common_folds(rows, one, *names)
        if not common:
            return None
        found = fronts(common)[one]
        return cls(found[ours], found[name], found.get(NO_RULES, []), n_folds(common))

    def is_dominated(self, slack: Slack) -> bool:
        """Say whether we dominate the rival; no rules are the beginning of our front."""
        return self._is_below(slack) and not self.is_equal

    @property
    def dominates_us(self) -> bool:
        """Whether the rival dominates us strictly; no rules are the beginning of both fronts."""
        return self._is_above and not self.is_equal

    @property
    def is_equal(self) -> bool:
        """Whether neither front is above the other anywhere."""
        return self._is_below(strictly) and self._is_above

    def _is_below(self, slack: Slack) -> bool:
        return dominates(self.ours + self.no_rules, self.theirs, slack)

    @property
    def _is_above(self) -> bool:
        return dominates(self.theirs + self.no_rules, self.ours + self.no_rules)

    def is_whole(self, n_all: int) -> bool:
        """Say whether the rival has every fold and more than one parameter."""
        return self.n_folds == n_all and len(self.theirs) > 1

    def text(self, n_all: int) -> str:
        """Write the narrowest sense in which we dominate, and what there is less of."""
        said = next((kind for kind, slack in SLACKS.items() if self.is_dominated(slack)), "no")
        said = "equal" if self.is_equal else said
        notes = [] if self.n_folds == n_all else [counted(self.n_folds, "fold")]
        notes += ["1 point"] if len(self.theirs) == 1 else []
        return f"{said} ({', '.join(notes)})" if notes else said


Comparisons = dict[str, dict[str, Comparison | None]]


def compare(rows: list[Row], ours: str) -> Comparisons:
    """Return our comparison with each rival by data set, None where the rival was not run."""
    seen = {row["learner"] for row in rows}
    others = [name for name in rivals() if name in seen and name != NO_RULES]
    with_us = in_order(row["data"] for row in rows if row["learner"] == ours)
    return {one: {n: Comparison.of(rows, one, ours, n) for n in others} for one in with_us}


def dominance(rows: list[Row], ours: str) -> str:
    """Say whose front ours dominates, whose dominates ours, and how often."""
    found, n_all = compare(rows, ours), n_folds(rows)
    others = list(next(iter(found.values()), {}))
    if not others:
        return "No front has been measured yet."
    lines = [
        [label(one), *(c.text(n_all) if c else "not run" for c in of_data.values())]
        for one, of_data in found.items()
    ]
    table = markdown(["data", *others], lines)
    return f"{table}\n\n{_how_often(found, n_all)}\n\n{_reverse(found, others)}"


def _how_often(found: Comparisons, n_all: int) -> str:
    """Count the complete data sets where all rivals are dominated, by what is allowed."""
    run = {
        one: [c for c in of_data.values() if c]
        for one, of_data in found.items()
        if data.find(one).is_complete and all(of_data.values())
    }
    whole = {one: cs for one, cs in run.items() if all(c.is_whole(n_all) for c in cs)}
    strict, by_pairs, by_own = (_n_dominated(whole, slack) for slack in SLACKS.values())
    more = ", ".join(str(_n_dominated(run, slack)) for slack in SLACKS.values())
    n_rivals = len(next(iter(found.values())))
    return (
        f"All {'four ' if n_rivals == 4 else ''}dominated strictly on {strict}, within the paired "
        f"standard error on {by_pairs}, within the rival's own on {by_own}, of "
        f"{counted(len(whole), 'data set')} where each was run on all folds: "
        f"{', '.join(whole) or 'none'}. With those of fewer folds or one point: "
        f"{more} of {len(run)}."
    )


def _n_dominated(found: dict[str, list[Comparison]], slack: Slack) -> int:
    return sum(all(c.is_dominated(slack) for c in of_data) for of_data in found.values())


def _reverse(found: Comparisons, others: list[str]) -> str:
    """Count the data sets where a rival dominates us."""
    parts = []
    for name in others:
        ahead = [
            label(one) for one, of_data in found.items() if (c := of_data[name]) and c.dominates_us
        ]
        parts.append(f"{name} {len(ahead)}" + (f" ({', '.join(ahead)})" if ahead else ""))
    return f"Dominating ours strictly: {', '.join(parts)}."
