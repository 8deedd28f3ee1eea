"""Ours against one rival at a time, on the data sets where both have every fold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import t as student

from benchmarks.learners.accuracy import outcome
from benchmarks.learners.summaries import Mean, averaged, label, rivals
from benchmarks.markdown_tables import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.learners.accuracy import Accuracy

SURE = 0.95
KINDS = ("win", "tie", "loss")
HEAD = ("against", "data sets", "ours", "it", "more", "win - tie - loss", f"at {SURE:.0%}")
HEAD += ("lost on",)


@dataclass(frozen=True)
class Lead:
    """How much more accurate ours is, as a mean over data sets of paired differences.

    Its error over folds is about that of other divisions of the same data sets, a little too small
    because training rows overlap; the other one is that of other data sets.
    """

    value: float
    error_over_folds: float
    error_over_data: float

    @classmethod
    def of(cls, measured: Accuracy, names: Sequence[str], ours: str, other: str) -> Lead:
        """Average what ours has more, fold by fold."""
        gains = [Mean.of(measured.gains(one, ours, other)) for one in names]
        mean = averaged(gains)
        return cls(mean.value, mean.error, Mean.of([gain.value for gain in gains]).error)

    def __str__(self) -> str:
        return f"{self.value:+.2f} ({self.error_over_folds:.2f}, {self.error_over_data:.2f})"


def duels(measured: Accuracy, ours: str) -> str:
    """Write means, wins, ties and losses of ours against each.

    A tie is a mean difference, fold by fold, within its standard error; or, at 95 %, one that
    Student's test takes for chance. A data set counts where both have every fold that there is in
    the table.
    """
    lines = []
    for name in [n for n in measured.learners if n in rivals()]:
        names = [one for one in measured.data if _is_whole(measured, one, ours, name)]
        if names:
            lines.append([name, *_line(measured, names, ours, name)])
    return markdown(HEAD, lines) if lines else "Not measured yet."


def _is_whole(measured: Accuracy, one: str, *names: str) -> bool:
    return len(measured.common_folds(one, names)) == measured.n_folds > 1


def _line(measured: Accuracy, names: Sequence[str], ours: str, other: str) -> list[str]:
    means = [
        np.mean([np.mean(list(measured.accuracy[one, name].values())) for one in names])
        for name in (ours, other)
    ]
    gains = {one: Mean.of(measured.gains(one, ours, other)) for one in names}
    records = [
        [[one for one in names if outcome(gains[one], width) == kind] for kind in KINDS]
        for width in (1.0, float(student.ppf((1 + SURE) / 2, measured.n_folds - 1)))
    ]
    wins = [" - ".join(str(len(of_kind)) for of_kind in record) for record in records]
    lead = Lead.of(measured, names, ours, other)
    said = str(lead) if not math.isnan(lead.error_over_data) else f"{lead.value:+.2f}"
    lost = ", ".join(map(label, records[0][-1])) or "none"
    return [str(len(names)), f"{means[0]:.2f}", f"{means[1]:.2f}", said, *wins, lost]
