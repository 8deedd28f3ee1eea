"""Our fronts against the points that the paper prints for the methods it was compared to.

BRS, AM and BCD in these benchmarks were written after their descriptions, and may be weaker or
stronger than the programs of their authors. What the paper prints for those needs no such trust.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks import data
from benchmarks.learners.accuracy import by_fold
from benchmarks.learners.dominance import TOLERANCE, above
from benchmarks.learners.fronts import NO_RULES, Point, efficient, fronts, on_common_folds
from benchmarks.learners.summaries import IN_PAPER, Mean, in_order, paper_values
from benchmarks.markdown_tables import markdown

if TYPE_CHECKING:
    from benchmarks.learners.results import Row

RIVALS = ("BRS", "AM", "BCD")


def against_printed(rows: list[Row], chosen_rows: list[Row], ours: str) -> str:
    """Write by how much each printed point is above our front, and how often none is.

    A printed point was chosen on training rows, and our front has the best of many. So what ours
    chose on training rows stands beside it.
    """
    lines, n_below, n_within, n_chosen = [], 0, 0, 0
    accuracy, complexity = (by_fold(chosen_rows, name) for name in ("accuracy", "complexity"))
    for one, line in _our_lines(rows, ours).items():
        points = _printed_points(one)
        own = 100 * fmean(accuracy[one, ours].values())
        gaps = {name: above(line, point).value for name, point in points.items()}
        n_below += all(gap <= TOLERANCE for gap in gaps.values())
        n_within += all(gaps[n] <= points[n].accuracy.error + TOLERANCE for n in gaps)
        n_chosen += all(own >= point.accuracy.value - TOLERANCE for point in points.values())
        chosen = f"{own:.1f} at {fmean(complexity[one, ours].values()):.1f}"
        lines.append([one, chosen, *(_cell(points[name], gaps[name]) for name in RIVALS)])
    if not lines:
        return "No front has been measured yet."
    head = ["data", "ours, as chosen", *(f"{name}, as printed" for name in RIVALS)]
    return (
        f"{markdown(head, lines)}\n\nNone of the three is above our front on {n_below} of "
        f"{len(lines)} data sets; none by more than its printed standard error on {n_within}. "
        f"What ours chose is at least as accurate as all three on {n_chosen}, whatever its "
        "complexity."
    )


def _our_lines(rows: list[Row], ours: str) -> dict[str, list[Point]]:
    """Return our efficient points, no rules among them, by complete data set."""
    lines = {}
    for one in in_order(row["data"] for row in rows if row["learner"] == ours):
        common = on_common_folds(rows, one, ours, NO_RULES)
        if common and data.find(one).is_complete:
            found = fronts(common)[one]
            lines[one] = efficient(found[ours] + found[NO_RULES])
    return lines


def _printed_points(one: str) -> dict[str, Point]:
    paper, key = paper_values(), IN_PAPER.get(one, one)
    return {
        name: Point(
            Mean(*paper["complexity", key, name], 0), Mean(*paper["accuracy", key, name], 0)
        )
        for name in RIVALS
    }


def _cell(point: Point, gap: float) -> str:
    place = "on it"
    if abs(gap) >= 0.005:
        place = f"{abs(gap):.2f} {'above' if gap > 0 else 'below'}"
    of, size = point.accuracy, point.complexity.value
    return f"{of.value:.1f} ({of.error:.1f}) at {size:.1f}: {place}"
