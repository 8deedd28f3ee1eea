"""The picture: what each ε costs in accuracy, and what is left of it on new rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt

from benchmarks.learners.drawing import save
from benchmarks.learners.summaries import Mean
from benchmarks.requirements.results import (
    EPSILONS,
    FRONTS,
    IN,
    NONE,
    OPPORTUNITY,
    OUT,
    WHOLE,
    Rows,
    gap,
    left_out,
)

if TYPE_CHECKING:
    from pathlib import Path

mpl.use("Agg")
# FairCG on adult: equal opportunity of 0.025, 300 s, a commercial solver.
PUBLISHED = {"adult": ("0.025", 81.5)}
COLORS = {OUT: "#1d3557", IN: "#c1121f"}
STEPS = EPSILONS[OPPORTUNITY]
ASIDE = 0.08  # points of two lines do not hide each other


def draw_fronts(rows: Rows, path: Path) -> None:
    """Draw accuracy above and gaps below, a column for each data set."""
    mpl.rcParams["svg.hashsalt"] = "boolrules"  # the same rows give the same file
    names = [name for name in FRONTS if any(key[0] == name for key in rows)]
    figure, axes = plt.subplots(2, len(names), figsize=(5 * len(names), 6.6), squeeze=False)
    for name, (above, below) in zip(names, axes.T, strict=True):
        group = FRONTS[name].group
        for side, column in ((-1, OUT), (1, IN)):
            draw_accuracy(above, rows, name, column, side * ASIDE / 2)
            draw_gaps(below, rows, name, column, side * ASIDE / 2)
        draw_limits(below)
        if name in PUBLISHED:
            epsilon, accuracy = PUBLISHED[name]
            above.plot(STEPS.index(epsilon), accuracy, "*", color="#6c757d", markersize=11)
            above.annotate("FairCG", (STEPS.index(epsilon) + 0.12, accuracy), fontsize=8)
        above.set_title(f"{name}: equal opportunity between {group}", fontsize=10)
        for axis in (above, below):
            axis.set_xticks(range(len(STEPS)), STEPS)
            axis.grid(alpha=0.3)
        below.set_xlabel("ε")
    axes[0, 0].set_ylabel("accuracy (%)")
    axes[1, 0].set_ylabel("gap between the shares missed")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    more = axes[1, 0].get_legend_handles_labels()
    figure.legend(
        [*handles, *more[0]], [*labels, *more[1]], loc="upper center", ncols=3, frameon=False
    )
    figure.tight_layout(rect=(0, 0, 1, 0.92))
    save(figure, path, path.with_suffix(".csv"))


def draw_accuracy(axis: Any, rows: Rows, name: str, column: str, aside: float) -> None:
    """Join the training accuracies, and put those on rows left out below them."""
    color, group = COLORS[column], FRONTS[name].group
    known = [rows.get((name, OPPORTUNITY, column, epsilon, WHOLE)) for epsilon in STEPS]
    values = [
        100 * float(row["accuracy"]) if row and row["accuracy"] else math.nan for row in known
    ]
    places = [place + aside for place in range(len(STEPS))]
    axis.plot(places, values, "o-", color=color, label=f"{group} {column}: training")
    new = [left_out(rows, name, OPPORTUNITY, column, epsilon) for epsilon in STEPS]
    means = [
        Mean.of([100 * float(row["new_accuracy"]) for row in found] or [math.nan]) for found in new
    ]
    axis.errorbar(
        places,
        [mean.value for mean in means],
        [mean.error for mean in means],
        fmt="s:",
        color=color,
        alpha=0.5,
        markersize=4,
        linewidth=1,
        label=f"{group} {column}: rows left out",
    )


def draw_gaps(axis: Any, rows: Rows, name: str, column: str, aside: float) -> None:
    """Draw the gap in training, and on rows left out with its interval."""
    places = [place + aside for place in range(len(STEPS))]
    known = [rows.get((name, OPPORTUNITY, column, epsilon, WHOLE)) for epsilon in STEPS]
    values = [
        gap([row["wrong_by_group"]], OPPORTUNITY).value if row and row["accuracy"] else math.nan
        for row in known
    ]
    axis.plot(places, values, "o-", color=COLORS[column])
    for place, epsilon in zip(places, STEPS, strict=True):
        found = left_out(rows, name, OPPORTUNITY, column, epsilon)
        if not found:
            continue
        together = gap([row["new_wrong_by_group"] for row in found], OPPORTUNITY)
        assert together.interval is not None
        value = together.value or 0.0
        low, high = together.interval
        axis.errorbar(
            [place],
            [value],
            [[value - low], [high - value]],
            fmt="s",
            color=COLORS[column],
            alpha=0.5,
            markersize=4,
            linewidth=1,
        )


def draw_limits(axis: Any) -> None:
    """Mark what was asked for."""
    limits = [math.nan if epsilon == NONE else float(epsilon) for epsilon in STEPS]
    axis.plot(
        range(len(STEPS)), limits, "_", color="black", markersize=18, label="ε, what was asked for"
    )
    axis.set_ylim(bottom=0)
