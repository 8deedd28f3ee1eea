"""What all tables share: means, the paper's printed values, names and their order."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import data
from benchmarks.learners.registry import all_learners
from benchmarks.learners.results import as_one

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PAPER = Path(__file__).with_name("paper.csv")
IN_PAPER = {"bank-mkt-additional": "bank-mkt"}  # which of the two the paper used: see the data
OURS = "boolrules"
DATA_ORDER = [one.name for one in data.SMALL + data.LARGE + data.VARIANTS]


def names_in_paper() -> dict[str, str | None]:
    """Return each learner's name in the paper; ours first, both forms of a rival as one."""
    return {as_one(one.name): one.in_paper for one in all_learners().values()}


def rivals() -> list[str]:
    """Return the learners that are not ours."""
    return [name for name in names_in_paper() if not name.startswith(OURS)]


def variants() -> list[str]:
    """Return ours: as users get it, then with less to choose from."""
    return [name for name in names_in_paper() if name.startswith(OURS)]


def readable_learners() -> list[str]:
    """Return the learners of rules and trees: ours as users get it, then rivals."""
    unreadable = {as_one(one.name) for one in all_learners().values() if not one.is_readable}
    return [OURS, *(name for name in rivals() if name not in unreadable)]


def unreadable_learners() -> list[str]:
    """Return the learners of what nobody reads."""
    return [name for name in rivals() if name not in readable_learners()]


@dataclass(frozen=True)
class Mean:
    """A mean over folds with its standard error."""

    value: float
    error: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """Average; the error of one value alone is not a number."""
        numbers = np.array(values, dtype=float)
        spread = float(numbers.std(ddof=1)) if len(numbers) > 1 else math.nan
        error = spread / math.sqrt(len(numbers))
        return cls(float(numbers.mean()), error, len(numbers))

    def text(self, n_folds: int) -> str:
        """Write as the paper does; fewer folds than the others have are told."""
        if self.n == 1:
            return f"{self.value:.1f} (1 fold)"
        short = "" if self.n == n_folds else f", {self.n} folds"
        return f"{self.value:.1f} ({self.error:.1f}{short})"


def averaged(means: Sequence[Mean]) -> Mean:
    """Average means over data sets; their errors are independent of each other."""
    error = math.sqrt(sum(mean.error**2 for mean in means)) / len(means)
    return Mean(float(np.mean([mean.value for mean in means])), error, len(means))


def paper_values() -> dict[tuple[str, str, str], tuple[float, float]]:
    """Return the printed value and error by measure, data set, learner; Tables 1 and 2 first."""
    with PAPER.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    values: dict[tuple[str, str, str], tuple[float, float]] = {}
    for row in rows:
        key = row["measure"], row["data"], row["learner"]
        error = float(row["standard_error"] or "nan")
        values.setdefault(key, (float(row["value"]), error))
    return values


def in_order(names: Iterable[str]) -> list[str]:
    """Return data sets, each once, in the order of all tables and figures."""
    return sorted(set(names), key=DATA_ORDER.index)


def label(name: str) -> str:
    """Name a data set, and say so where it is not whole."""
    return name if data.find(name).is_complete else f"{name} (partial)"
