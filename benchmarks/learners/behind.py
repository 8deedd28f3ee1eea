"""Where another learner of readable rules is ahead of us, and what it is that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.learners.accuracy import Accuracy, by_fold, outcome
from benchmarks.learners.fronts import fronts
from benchmarks.learners.summaries import Mean, Row, label
from benchmarks.markdown_tables import markdown

if TYPE_CHECKING:
    from collections.abc import Iterable

RIVALS = ("BooleanRuleCG", "BRS", "AM", "BCD", "JRip", "wittgenstein", "CART")
HEAD = ("data", "ahead of us", "by", "its complexity", "ours")
HEAD += ("best on our front", "training rows: it", "training rows: we")


def behind(rows: list[Row], front_rows: list[Row], ours: str) -> str:
    """Write a line for each rival that is ahead by more than the standard error of the difference.

    "Best on our front" is what the best complexity would have given, had somebody known it: above
    the rival it says that our choice was wrong, below it that our rules were.
    """
    of, lines = Accuracy(rows), []
    on_front = fronts(front_rows)
    train = by_fold(rows, "train_accuracy")
    for one in of.data:
        for name in RIVALS:
            pairs = of.common(one, ours, name)
            gain = Mean.of([a - b for a, b in pairs]) if len(pairs) > 1 else None
            if gain is None or outcome(gain) != "loss":
                continue
            points = on_front.get(one, {}).get(ours, [])
            best = max(points, key=lambda p: p.accuracy.value, default=None)
            lines.append(
                [
                    label(one),
                    name,
                    f"{-gain.value:.1f} ({gain.error:.1f})",
                    _mean(of.complexity[one, name].values()),
                    _mean(of.complexity[one, ours].values()),
                    "-"
                    if best is None
                    else f"{best.accuracy.value:.1f} at {best.complexity.value:.0f}, "
                    f"it has {_mean(of.accuracy[one, name].values())}",
                    _mean(100 * v for v in train[one, name].values()),
                    _mean(100 * v for v in train[one, ours].values()),
                ]
            )
    if not lines:
        return "None is ahead of us by more than the standard error anywhere."
    return markdown(HEAD, lines)


def _mean(values: Iterable[float]) -> str:
    return f"{np.mean(list(values)):.1f}"
