"""Where another learner of readable rules is ahead of us, and what it is that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.learners.accuracy import Accuracy, by_fold, outcome
from benchmarks.learners.fronts import NO_RULES, fronts
from benchmarks.learners.summaries import Mean, label, readable_learners
from benchmarks.markdown_tables import markdown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.learners.results import Row

HEAD = ("data", "ahead of us", "by", "its complexity", "ours")
HEAD += ("best on our front, seen afterwards", "training rows: it", "training rows: we")


def behind(rows: list[Row], front_rows: list[Row], ours: str) -> str:
    """Write a line for each rival that is ahead by more than the standard error of the difference.

    Each line is over the folds that both have. "Best on our front" is what the best complexity
    would have given, had somebody known it, and as the best of many it is flattered: below the
    rival it says that our rules fell short, above it that our choice may have.
    """
    of, lines = Accuracy(rows), []
    train = by_fold(rows, "train_accuracy")
    readable = [n for n in readable_learners() if n not in (ours, NO_RULES)]
    for one in of.data:
        for name in readable:
            gains = of.gains(one, ours, name)
            gain = Mean.of(gains) if len(gains) > 1 else None
            if gain is None or outcome(gain) != "loss":
                continue
            folds = of.common_folds(one, (ours, name))
            front = [r for r in front_rows if (r["data"], r["learner"]) == (one, ours)]
            lines.append(
                [
                    label(one),
                    name,
                    f"{-gain.value:.1f} ({gain.error:.1f})",
                    _mean(of.complexity[one, name], folds),
                    _mean(of.complexity[one, ours], folds),
                    _best([r for r in front if r["fold"] in folds], one, ours)
                    + f"it has {_mean(of.accuracy[one, name], folds)}",
                    _mean(train[one, name], folds, 100),
                    _mean(train[one, ours], folds, 100),
                ]
            )
    if not lines:
        return "None is ahead of us by more than the standard error anywhere."
    return markdown(HEAD, lines)


def _best(rows: list[Row], one: str, ours: str) -> str:
    """Name the most accurate point of our front, if there is a front."""
    points = fronts(rows).get(one, {}).get(ours, [])
    if not points:
        return "no front, "
    best = max(points, key=lambda point: point.accuracy.value)
    return f"{best.accuracy.value:.1f} at {best.complexity.value:.0f}, "


def _mean(values: Mapping[str, float], folds: list[str], scale: float = 1) -> str:
    return f"{scale * np.mean([values[fold] for fold in folds]):.1f}"
