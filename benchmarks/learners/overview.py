"""Pictures of how the learners stand over many data sets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator, ScalarFormatter
from matplotlib.transforms import Bbox

from benchmarks.learners.accuracy import Accuracy
from benchmarks.learners.drawing import OTHERS, STYLES
from benchmarks.learners.fronts import NO_RULES
from benchmarks.learners.standings import GROUPS, Standing, Standings, cliques
from benchmarks.learners.summaries import OURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from benchmarks.learners.results import Row

STEP = 0.17  # inches between two names beside an axis of ranks
# Where a name may stand, in points from the point that it names.
OF_POINT = [
    (dx, dy, ha)
    for dy in (4, -10, 13, -19, 22, -28)
    for dx, ha in ((6, "left"), (-6, "right"), (0, "center"))
]
LINE_OF_TEXT = 9  # points between two names beside lines across


def overview_figure(rows: list[Row]) -> Figure | None:
    """Draw accuracy over complexity, means over data sets, a panel for each group.

    Who learns no rules has no complexity: a line across.
    """
    of = Accuracy(rows)
    found = [s for s in (Standings.of(of, group) for group in GROUPS) if s is not None]
    if not found:
        return None
    figure, axes = plt.subplots(1, len(found), figsize=(5.6 * len(found), 4.6), squeeze=False)
    for axis, standings in zip(axes[0], found, strict=True):
        drawn = [one for one in standings.learners if one.name != NO_RULES]
        for one in drawn:
            _draw(axis, one)
        axis.set_xscale("log")
        axis.margins(x=0.14)
        axis.xaxis.set_major_locator(LogLocator(10, (1, 2, 5)))
        axis.xaxis.set_major_formatter(ScalarFormatter())
        axis.xaxis.set_minor_formatter("")
        axis.set_title(f"{len(standings.data)} data sets", fontsize=10)
        axis.set_xlabel("complexity: clauses + conditions")
        axis.grid(alpha=0.25)
    axes[0, 0].set_ylabel("accuracy on rows left out (%)")
    # Names of lines stand right of each panel.
    figure.tight_layout(rect=(0, 0, 1 - 0.5 / figure.get_figwidth(), 1), w_pad=8)
    for axis, standings in zip(axes[0], found, strict=True):
        _name_all(axis, [one for one in standings.learners if one.name != NO_RULES])
    return figure


def _draw(axis: Any, one: Standing) -> None:
    if one.complexity is None:
        axis.axhline(one.accuracy.value, color="#adb5bd", linewidth=0.8, linestyle="--", zorder=1)
        return
    color, mark = STYLES.get(one.name, OTHERS)
    is_ours = one.name == OURS
    axis.errorbar(
        one.complexity.value,
        one.accuracy.value,
        xerr=one.complexity.error,
        yerr=one.accuracy.error,
        fmt=mark,
        color=color,
        markersize=8 if is_ours else 5,
        linewidth=1.4 if is_ours else 0.7,
        zorder=4 if is_ours else 3,
    )


def _name_all(axis: Any, learners: list[Standing]) -> None:
    """Write names beside points, ours first, each where it hides the least, and beside lines."""
    points = [one for one in learners if one.complexity is not None]
    taken = [_box_of_point(axis, one) for one in points]
    for one in sorted(points, key=lambda one: one.name != OURS):
        names = [_name(axis, one, *place) for place in OF_POINT]
        boxes = [name.get_window_extent() for name in names]
        hidden = [sum(_overlap(box, other) for other in taken) for box in boxes]
        best = hidden.index(min(hidden))
        taken.append(boxes[best])
        for k, name in enumerate(names):
            if k != best:
                name.remove()
    _name_lines(axis, [one for one in learners if one.complexity is None])


def _name_lines(axis: Any, learners: list[Standing]) -> None:
    """Write names right of the axis, from above, no two on top of each other."""
    points_per_pixel = 72 / axis.figure.dpi
    above = math.inf
    for one in sorted(learners, key=lambda one: -one.accuracy.value):
        own = axis.transData.transform((1, one.accuracy.value))[1] * points_per_pixel
        place = min(own, above - LINE_OF_TEXT)
        above = place
        axis.annotate(
            one.name,
            (1, one.accuracy.value),
            xycoords=("axes fraction", "data"),
            xytext=(12, place - own),
            textcoords="offset points",
            va="center",
            fontsize=7,
            color="#495057",
            arrowprops={"arrowstyle": "-", "color": "#adb5bd", "linewidth": 0.6, "shrinkB": 0},
        )


def _box_of_point(axis: Any, one: Standing) -> Bbox:
    assert one.complexity is not None
    x, y = axis.transData.transform((one.complexity.value, one.accuracy.value))
    return Bbox.from_bounds(x - 4, y - 4, 8, 8)


def _overlap(one: Bbox, other: Bbox) -> float:
    both = Bbox.intersection(one, other)
    return 0.0 if both is None else float(both.width * both.height)


def _name(axis: Any, one: Standing, dx: float, dy: float, ha: str) -> Any:
    assert one.complexity is not None
    is_ours = one.name == OURS
    return axis.annotate(
        one.name,
        (one.complexity.value, one.accuracy.value),
        xytext=(dx, dy),
        textcoords="offset points",
        ha=ha,
        fontsize=9 if is_ours else 7,
        fontweight="bold" if is_ours else "normal",
        color=STYLES[one.name][0] if one.name in STYLES else "#495057",
        zorder=5,
    )


def rank_figure(rows: list[Row], group: str) -> Figure | None:
    """Draw mean ranks on a line, joined where they do not differ (Demšar, 2006)."""
    standings = Standings.of(Accuracy(rows), group)
    if standings is None:
        return None
    learners = standings.learners
    half = (len(learners) + 1) // 2
    runs = cliques(learners, standings.critical_difference)
    height = 0.7 + STEP * (half + 0.8 * len(runs))
    figure, axis = plt.subplots(figsize=(8, height))
    last = len(learners)
    axis.set_xlim(1 - 0.28 * last, last * 1.28)
    axis.set_ylim(-(height - 0.5) / STEP, 1)
    axis.axis("off")
    axis.plot([1, last], [0, 0], color="black", linewidth=1)
    for rank in range(1, last + 1):
        axis.plot([rank, rank], [0, 0.25], color="black", linewidth=1)
        axis.text(rank, 0.4, str(rank), ha="center", fontsize=8)
    depth = 0.8 * len(runs) + 0.6
    for k, one in enumerate(learners):
        is_left = k < half
        row = -(depth + (k if is_left else last - 1 - k))
        end = 0.7 if is_left else last + 0.3
        color = STYLES.get(one.name, ("#343a40", ""))[0]
        axis.plot([one.rank, one.rank, end], [0, row, row], color=color, linewidth=0.8)
        axis.text(
            end + (-0.1 if is_left else 0.1),
            row,
            f"{one.name} {one.rank:.2f}",
            ha="right" if is_left else "left",
            va="center",
            fontsize=8,
            fontweight="bold" if one.name == OURS else "normal",
            color=color,
        )
    for k, (first, end_of_run) in enumerate(runs):
        place = -0.8 * (k + 0.7)
        ends = [learners[first].rank - 0.04, learners[end_of_run].rank + 0.04]
        axis.plot(ends, [place, place], color="#495057", linewidth=2.4, solid_capstyle="butt")
    figure.tight_layout()
    return figure
