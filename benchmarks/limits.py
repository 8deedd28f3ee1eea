"""``make bench-limits``: whether fits, paths and choices end when their time limit says.

Shapes that are hard in different ways: very many categories, columns, classes, conditions, folds.
A limit is for the whole call, what is compiled once per machine apart. Beyond 5 % and a second
more it fails. ``--cpu`` lets processor seconds count, which are about the same on a machine that
is busy with other things.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from benchmarks import data

if TYPE_CHECKING:
    from collections.abc import Callable

ALLOWED_SHARE, ALLOWED_SECONDS = 1.05, 1.0


@dataclass(frozen=True)
class Shape:
    """A table, and what is asked of it within a limit."""

    name: str
    limit: float
    table: Callable[[], tuple[Any, Any]]
    call: Callable[[Any, Any, float], Any]

    @property
    def allowed(self) -> float:
        """Seconds that the call may take."""
        return ALLOWED_SHARE * self.limit + ALLOWED_SECONDS


def texts(n_rows: int) -> tuple[Any, Any]:
    """Distinct texts beside a column with a perfect rule."""
    x = np.random.default_rng(0).random(n_rows)
    frame = polars.DataFrame({"text": [f"t{i}" for i in range(n_rows)], "x": x})
    return frame, np.where(x > 0.5, "y", "n")


def wide(n_rows: int, n_columns: int) -> tuple[Any, Any]:
    """Few rows of very many columns."""
    X = np.random.default_rng(0).random((n_rows, n_columns))
    return X, X[:, 7] + X[:, 8] > 1


def categories(n_rows: int, n_categories: int) -> tuple[Any, Any]:
    """Rows whose class depends on the category and on a number."""
    random = np.random.default_rng(0)
    category, x = random.integers(0, n_categories, n_rows), random.random(n_rows)
    frame = polars.DataFrame({"category": [f"k{k}" for k in category], "x": x})
    return frame, (x > 0.5) ^ (category % 7 == 0)


def paper(name: str) -> tuple[Any, Any]:
    """One of the paper's data sets."""
    return data.load(data.find(name))


def classes_of_adult(n_classes: int) -> tuple[Any, Any]:
    """Adult with one of its columns, cut into parts, as what is to be predicted."""
    frame, _ = paper("adult")
    weights = frame["fnlwgt"].to_numpy()
    edges = np.quantile(weights, np.linspace(0, 1, n_classes + 1)[1:-1])
    return frame, np.searchsorted(edges, weights)


def fit(X: Any, y: Any, limit: float, **parameters: Any) -> Any:
    """Fit one complexity."""
    from boolrules import BooleanRuleClassifier

    return BooleanRuleClassifier(time_limit=limit, **parameters).fit(X, y)


def fit_every_threshold(X: Any, y: Any, limit: float) -> Any:
    """Fit with every threshold of every column."""
    from boolrules import FeatureBinarizer

    return fit(X, y, limit, binarizer=FeatureBinarizer(thresholds="all"))


def path(X: Any, y: Any, limit: float) -> Any:
    """Learn at every complexity."""
    from boolrules import complexity_path

    return complexity_path(X, y, time_limit=limit)


def choose(X: Any, y: Any, limit: float, **parameters: Any) -> Any:
    """Choose by rows left out."""
    from boolrules import BooleanRuleClassifierCV

    return BooleanRuleClassifierCV(time_limit=limit, random_state=0, **parameters).fit(X, y)


SHAPES = [
    Shape("50,000 distinct texts", 10, lambda: texts(50_000), fit),
    Shape("50,000 distinct texts, path", 10, lambda: texts(50_000), path),
    Shape("60 rows of 5,000 columns", 3, lambda: wide(60, 5_000), fit),
    Shape("2,000 categories", 3, lambda: categories(4_000, 2_000), fit),
    Shape("2,000 categories, folds", 5, lambda: categories(4_000, 2_000), choose),
    Shape("adult of 9 classes", 3, lambda: classes_of_adult(9), fit),
    Shape("adult of 50 classes", 3, lambda: classes_of_adult(50), fit),
    Shape("adult of 9 classes, path", 5, lambda: classes_of_adult(9), path),
    Shape("adult, 3 folds", 3, lambda: paper("adult"), lambda *a: choose(*a, cv=3)),
    Shape("adult, path", 10, lambda: paper("adult"), path),
    Shape(
        "adult, 2 folds 1,000 times",
        3,
        lambda: paper("adult"),
        lambda *a: choose(*a, cv=2, n_repeats=1000),
    ),
    Shape("WDBC, every threshold", 60, lambda: paper("WDBC"), fit_every_threshold),
]


def measured(shape: Shape, clock: Callable[[], float]) -> float:
    """Return the seconds that one call takes."""
    X, y = shape.table()
    started = clock()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        shape.call(X, y, shape.limit)
    return clock() - started


def main() -> int:
    """Print a table of limits and seconds; 1 if one of them was overrun."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cpu", action="store_true", help="count processor seconds")
    parser.add_argument("--only", default="", help="shapes whose names have this in them")
    options = parser.parse_args()
    if options.cpu:
        time.monotonic = time.process_time  # before anything of the package has taken it
    from boolrules.solver.warm_up import warm_up

    warm_up(with_cuts=True)
    n_overrun = 0
    print("| shape | limit | seconds | |\n|---|--:|--:|---|")
    for shape in SHAPES:
        if options.only in shape.name:
            seconds = measured(shape, time.monotonic)
            is_overrun = seconds > shape.allowed
            n_overrun += is_overrun
            verdict = f"more than {shape.allowed:.2f}" if is_overrun else ""
            print(f"| {shape.name} | {shape.limit:g} | {seconds:.1f} | {verdict} |", flush=True)
    return int(n_overrun > 0)


if __name__ == "__main__":
    sys.exit(main())
