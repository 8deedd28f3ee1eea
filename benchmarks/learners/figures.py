"""Figures from the CSV files of results: trade-off fronts, and accuracy beside the paper's."""

from __future__ import annotations

import argparse
import math
import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt

from benchmarks import data
from benchmarks.learners.accuracy import Accuracy
from benchmarks.learners.drawing import OTHERS, STYLES, save
from benchmarks.learners.fronts import NO_RULES, Point, efficient, fronts
from benchmarks.learners.overview import overview_figure, rank_figure
from benchmarks.learners.results import RESULTS, Row, read_results
from benchmarks.learners.standings import GROUPS
from benchmarks.learners.summaries import (
    IN_PAPER,
    OURS,
    Mean,
    in_order,
    label,
    paper_values,
    rivals,
)
from benchmarks.markdown_tables import DOCS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

mpl.use("Agg")
N_COLUMNS = 3


def _order(learner: str) -> int:
    """Return the place of a learner: those with a style of their own first."""
    names = list(STYLES)
    return names.index(learner) if learner in names else len(names)


def front_figure(rows: list[Row]) -> Figure:
    """Draw accuracy over complexity; lines join the points that none of the same learner beats."""
    found = fronts(rows)
    names = in_order(found)
    n_lines = math.ceil(len(names) / N_COLUMNS)
    figure, axes = plt.subplots(
        n_lines, N_COLUMNS, figsize=(4 * N_COLUMNS, 3 * n_lines), squeeze=False
    )
    seen: dict[str, Any] = {}
    for name, axis in zip(names, axes.flat, strict=False):
        whole = on_all_folds(found[name])
        for learner in sorted(whole, key=_order, reverse=True):  # ours on top
            if learner == OURS or (learner in rivals() and learner != NO_RULES):
                seen[learner] = draw_front(axis, whole[learner], *STYLES.get(learner, OTHERS))
        axis.set_title(label(name), fontsize=10)
        axis.grid(alpha=0.3)
    for axis in axes.flat[len(names) :]:
        axis.set_visible(False)
    for axis in axes[:, 0]:
        axis.set_ylabel("test accuracy (%)")
    for axis in axes.flat[max(0, len(names) - N_COLUMNS) : len(names)]:
        axis.set_xlabel("complexity")
    names = sorted(seen, key=_order)
    lines = [seen[learner] for learner in names]
    figure.legend(lines, names, loc="upper center", ncols=len(seen), frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.4 / (3 * n_lines)))
    return figure


def on_all_folds(of_data: dict[str, list[Point]]) -> dict[str, list[Point]]:
    """Leave out the points with fewer folds than others: folds differ by more than learners."""
    n_all = max(point.accuracy.n for points in of_data.values() for point in points)
    whole = {
        name: [p for p in points if p.accuracy.n == n_all] for name, points in of_data.items()
    }
    return {name: points for name, points in whole.items() if points}


def draw_front(axis: Any, points: list[Point], color: str, mark: str) -> Any:
    """Draw all points faintly with their errors, and join the efficient ones."""
    axis.errorbar(
        [p.complexity.value for p in points],
        [p.accuracy.value for p in points],
        xerr=[p.complexity.error for p in points],
        yerr=[p.accuracy.error for p in points],
        fmt=mark,
        color=color,
        alpha=0.35,
        markersize=4,
        linewidth=0.6,
    )
    best = efficient(points)
    x, y = [p.complexity.value for p in best], [p.accuracy.value for p in best]
    return axis.plot(x, y, mark + "-", color=color, markersize=4, linewidth=1.2)[0]


def accuracy_figure(rows: list[Row]) -> Figure:
    """Draw one line per data set: our accuracy, each rival's, and the paper's CG."""
    of, paper = Accuracy(rows), paper_values()
    figure, axis = plt.subplots(figsize=(8, 0.5 * len(of.data) + 1.6))
    for place, one in enumerate(of.data):
        for name in [n for n in of.learners if n == OURS or n in rivals()]:
            folds = of.accuracy.get((one, name))
            if not folds or len(folds) < of.n_folds or name == NO_RULES:
                continue
            mean = Mean.of(list(folds.values()))
            color, mark = STYLES.get(name, OTHERS)
            is_ours = name == OURS
            axis.errorbar(
                mean.value,
                place,
                xerr=mean.error if is_ours else None,
                fmt=mark,
                color=color,
                zorder=3 if is_ours else 2,
                label=name if name in STYLES else "others",
            )
        printed = paper.get(("accuracy", IN_PAPER.get(one, one), "CG"))
        if printed and data.find(one).is_complete:
            axis.plot(printed[0], place, "|", color="black", markersize=16, label="paper's CG")
    axis.set_yticks(range(len(of.data)), [label(one) for one in of.data])
    axis.set_ylim(len(of.data) - 0.5, -0.5)
    axis.set_xlabel("test accuracy (%)")
    axis.grid(axis="x", alpha=0.3)
    handles, labels = axis.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    figure.legend(unique.values(), unique, loc="upper center", ncols=4, frameon=False, fontsize=8)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.6 / figure.get_figheight()))
    return figure


FIGURES = {
    "headline": ("accuracy", overview_figure),
    "accuracy": ("accuracy", accuracy_figure),
    "fronts": ("fronts", front_figure),
    **{f"ranks_of_{group}": ("accuracy", partial(rank_figure, group=group)) for group in GROUPS},
}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.learners.figures", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--output", type=Path, default=RESULTS)
    folder = parser.parse_args(arguments).output.resolve()
    mpl.rcParams["svg.hashsalt"] = "boolrules"  # and the same names inside it
    rows = read_results(folder)
    for name, (kind, draw) in FIGURES.items():
        figure = draw(rows[kind]) if rows[kind] else None
        if figure is None:
            continue
        path = folder / f"learners_{name}.svg"
        save(figure, path, folder / f"learners_{kind}.csv")
        if folder == RESULTS:
            shutil.copy(path, DOCS / f"evaluation_{name}.svg")


if __name__ == "__main__":
    main()
