"""Figures from the CSV files of results: trade-off fronts, and accuracy beside the paper's."""

from __future__ import annotations

import argparse
import hashlib
import math
import shutil
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt

from benchmarks import data
from benchmarks.learners.accuracy import Accuracy
from benchmarks.learners.fronts import NO_RULES, Point, efficient, fronts
from benchmarks.learners.results import BEST, RESULTS, read_results
from benchmarks.learners.summaries import (
    IN_PAPER,
    OURS,
    Mean,
    Row,
    in_order,
    label,
    paper_values,
)
from benchmarks.markdown_tables import DOCS

mpl.use("Agg")
N_COLUMNS = 3
# One color and one mark for each learner, in all pictures; ours stands out.
STYLES = {
    "boolrules DNF": ("#c1121f", "o"),
    "boolrules CNF": ("#f4a261", "s"),
    BEST: ("#780000", "h"),
    "BooleanRuleCG": ("#1d3557", "^"),
    "BRS": ("#2a9d8f", "D"),
    "AM": ("#6c757d", "v"),
    "BCD": ("#9d4edd", "x"),
    "JRip": ("#0077b6", "P"),
    "CART": ("#606c38", "*"),
}

OTHERS = ("#adb5bd", ".")


def _order(learner: str) -> int:
    """Return the place of a learner: those with a style of their own first."""
    names = list(STYLES)
    return names.index(learner) if learner in names else len(names)


def front_figure(rows: list[Row], path: Path) -> None:
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
            if learner not in (BEST, NO_RULES):  # points of both forms, and a single one
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
    save(figure, path)


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


def accuracy_figure(rows: list[Row], path: Path) -> None:
    """Draw one line per data set: our accuracy, each rival's, and the paper's CG."""
    of, paper = Accuracy(rows), paper_values()
    figure, axis = plt.subplots(figsize=(8, 0.5 * len(of.data) + 1.6))
    for place, one in enumerate(of.data):
        for name in of.learners:
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
    save(figure, path)


def save(figure: Any, path: Path) -> None:
    """Write a figure, without the date: the same rows give the same file.

    It names the file of results beside it, so that a test can tell which one it was drawn from.
    """
    source = path.with_suffix(".csv")
    metadata = {"Date": None, "Description": checksum(source) if source.exists() else None}
    figure.savefig(path, metadata=metadata if path.suffix == ".svg" else None)
    plt.close(figure)


def checksum(path: Path) -> str:
    """Return the sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.learners.figures", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--output", type=Path, default=RESULTS)
    folder = parser.parse_args(arguments).output.resolve()
    mpl.rcParams["svg.hashsalt"] = "boolrules"  # and the same names inside it
    rows = read_results(folder)
    for kind, draw in (("fronts", front_figure), ("accuracy", accuracy_figure)):
        if rows[kind]:
            path = folder / f"learners_{kind}.svg"
            draw(rows[kind], path)
            if folder == RESULTS:
                shutil.copy(path, DOCS / f"evaluation_{kind}.svg")


if __name__ == "__main__":
    main()
