"""``make bench-thresholds``: deciles against every threshold, on the same rows and folds.

First whole tables: Hamming loss, bound and seconds. Then folds: what the rules are worth on rows
left out, with a smaller limit; each fold finds its thresholds in its own training rows. FITS=1
does the first alone. Killed and restarted, it goes on; ``--again`` measures anew what is there.
"""

from __future__ import annotations

import argparse
import platform
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from sklearn.model_selection import StratifiedKFold

from benchmarks import data
from benchmarks.facts import commit, machine
from benchmarks.thresholds.results import KINDS, PARTS, RESULTS, Key, ThresholdFile
from benchmarks.thresholds.tables import write_tables
from boolrules import BooleanRuleClassifier, FeatureBinarizer
from boolrules.solver.warm_up import warm_up

SEED = 0
QUICK = {
    "data": "banknote,transfusion",
    "complexities": "5",
    "folds": 3,
    "time_limit": 10.0,
    "fold_limit": 2.0,
}


def facts(n_jobs: int) -> str:
    """Name machine, threads, versions and commit."""
    versions = " ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "highspy"))
    threads = f"{n_jobs} thread{'s' if n_jobs > 1 else ''}"
    python = f"python {platform.python_version()} {versions}"
    return f"{machine()}, {threads}, {python}, commit {commit()}"


@dataclass(frozen=True)
class Measurement:
    """What every fit is given."""

    n_folds: int
    time_limit: float
    fold_limit: float
    n_jobs: int
    facts: str

    def fitted(
        self, X: Any, y: Any, complexity: int, kind: str, limit: float
    ) -> BooleanRuleClassifier:
        """Learn with these thresholds, found in these rows."""
        return BooleanRuleClassifier(
            complexity,
            binarizer=FeatureBinarizer(thresholds=kind),
            time_limit=limit,
            n_jobs=self.n_jobs,
            random_state=SEED,
        ).fit(X, y)

    def fits(self, X: Any, y: Any, complexity: int, kind: str) -> dict[str, Any]:
        """Learn on a whole table; return what was found and what was proved."""
        started = time.monotonic()
        model = self.fitted(X, y, complexity, kind, self.time_limit)
        seconds = time.monotonic() - started
        certificate = model.certificate_
        bound = certificate.lower_bound
        values = (
            *(len(y), int(y.sum()), len(model.conditions_)),
            f"{certificate.hamming_loss:g}",
            "" if bound is None else f"{bound:g}",
            *(certificate.is_optimal, f"{seconds:.2f}", f"{self.time_limit:g}", self.facts),
        )
        return dict(zip(PARTS["fits"], values, strict=True))

    def folds(self, X: Any, y: Any, complexity: int, kind: str) -> dict[str, Any]:
        """Learn on all folds but one, and judge on that one, for each of them in turn."""
        splits = StratifiedKFold(self.n_folds, shuffle=True, random_state=SEED)
        started = time.monotonic()
        right, majority, n_proved = [], [], 0
        for train, test in splits.split(X, y):
            model = self.fitted(X[train], y[train], complexity, kind, self.fold_limit)
            right.append(np.mean(model.predict(X[test]) == y[test]))
            majority.append(np.mean(y[test] == (y[train].mean() > 0.5)))
            n_proved += model.certificate_.is_optimal
        values = (
            " ".join(f"{share:.6f}" for share in right),
            f"{np.mean(majority):.6f}",
            n_proved,
            f"{time.monotonic() - started:.1f}",
            f"{self.fold_limit:g}",
            self.facts,
        )
        return dict(zip(PARTS["folds"], values, strict=True))


def measure(
    file: ThresholdFile, part: str, keys: list[Key], how: Measurement, console: Console
) -> None:
    """Measure what the file does not have yet."""
    run = {"fits": how.fits, "folds": how.folds}[part]
    for key in keys:
        if file.has(part, key):
            continue
        name, complexity, kind = key
        values = run(*data.load(data.find(name)), complexity, kind)
        file.put(key, values)
        shown = [f"{field} {value}" for field, value in values.items() if "facts" not in field]
        console.print(f"{name}, {complexity}, {kind}: {', '.join(shown)}", soft_wrap=True)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.thresholds", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--parts", default=",".join(PARTS), help="fits, folds, or both")
    parser.add_argument("--data", default="small", help="small, large, all, or names with commas")
    parser.add_argument("--complexities", default="5,10", help="with commas (default 5,10)")
    parser.add_argument("--folds", type=int, default=10, help="how many (default 10)")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds for a whole table")
    parser.add_argument("--fold-limit", type=float, default=10, help="seconds for a fold")
    parser.add_argument("--n-jobs", type=int, default=2, help="threads of a fit (default 2)")
    parser.add_argument("--again", action="store_true", help="forget what these would measure")
    parser.add_argument("--quick", action="store_true", help="two data sets and short limits")
    parser.add_argument("--output", type=Path, default=RESULTS)
    if parser.parse_args(arguments).quick:
        parser.set_defaults(**QUICK)
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> None:
    """Run what is missing and write the tables."""
    options = parse(arguments)
    groups = {"small": data.SMALL, "large": data.LARGE, "all": data.SMALL + data.LARGE}
    names = [one.name for one in groups.get(options.data, [])] or options.data.split(",")
    complexities = [int(word) for word in options.complexities.split(",")]
    keys = [(name, C, kind) for C in complexities for name in names for kind in KINDS]
    folder = options.output.resolve()
    file = ThresholdFile.of(folder)
    how = Measurement(
        *(options.folds, options.time_limit, options.fold_limit, options.n_jobs),
        facts(options.n_jobs),
    )
    warm_up(with_cuts=True)  # compiled before it is timed
    for part in options.parts.split(","):
        if options.again:
            for key in keys:
                file.forget(part, key)
        measure(file, part, keys, how, Console(stderr=True))
    print(write_tables(folder))


if __name__ == "__main__":
    main()
