"""``make bench-requirements``: what requirements cost, what is proved, and what new rows say.

Three parts. Small tables with precision or recall of at least 0.9: proved optimal, proved
impossible, or neither. The same on rows left out, with and without a margin. Fronts of accuracy
against fairness. Killed and restarted, it goes on; ``--again`` measures anew what is there.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from sklearn.model_selection import StratifiedKFold

from benchmarks import data
from benchmarks.learners.summaries import DATA_ORDER
from benchmarks.requirements.results import (
    ASKED,
    COMPLEXITIES,
    EPSILONS,
    FIELDS,
    FRONTS,
    GAP,
    IMPOSSIBLE,
    IN,
    KEYS,
    MARGINS,
    NONE,
    NOT_FOUND,
    ODDS,
    OPTIMAL,
    OUT,
    RESULTS,
    WHOLE,
    Key,
    by_group,
    sheets,
)
from benchmarks.requirements.tables import write_tables
from benchmarks.thresholds.__main__ import facts
from boolrules import BooleanRuleClassifier, RequirementsNotMetError
from boolrules.solver.warm_up import warm_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SEED = 0
SMALL = [one.name for one in data.SMALL]
QUICK = {"data": "heart,transfusion", "folds": 2, "time_limit": 5.0, "fold_limit": 2.0}


@dataclass(frozen=True)
class Measurement:
    """What every fit is given, and how it is written down."""

    n_folds: int
    time_limit: float
    fold_limit: float
    facts: str

    def fitted(
        self, X: Any, y: Any, complexity: int, asked: list[str], limit: float, **more: Any
    ) -> tuple[BooleanRuleClassifier | None, dict[str, Any]]:
        """Learn under requirements; return the model, if there is one, and what is known."""
        model = BooleanRuleClassifier(
            complexity,
            requirements=asked or None,
            time_limit=limit,
            n_jobs=1,
            random_state=SEED,
            **more,
        )
        started = time.monotonic()
        try:
            certificate = model.fit(X, y).certificate_
        except RequirementsNotMetError as error:
            certificate, status = None, IMPOSSIBLE if error.is_proved else NOT_FOUND
        row = {"seconds": f"{time.monotonic() - started:.2f}", "limit": f"{limit:g}"}
        row["facts"] = self.facts
        if certificate is None:
            return None, row | {"status": status}
        bound = certificate.lower_bound
        row["loss"] = f"{certificate.hamming_loss:g}"
        row["bound"] = "" if bound is None else f"{bound:g}"
        return model, row | {"status": OPTIMAL if certificate.is_optimal else GAP}

    def small(self, key: Key) -> dict[str, Any]:
        """Learn on a whole table."""
        name, complexity, asked = key
        X, y = data.load(data.find(name), recode=True)
        model, row = self.fitted(X, y, int(complexity), [asked], self.time_limit)
        row |= {"n_rows": len(y), "n_positives": int(y.sum())}
        if model is not None:
            answers = model.predict(X)
            right, flagged = int((answers & y).sum()), int(answers.sum())
            row["precision"] = f"{right / flagged:.4f}" if flagged else ""
            row["recall"] = f"{right / y.sum():.4f}"
        return row

    def folds(self, key: Key) -> dict[str, Any]:
        """Learn on all folds but one, and count on that one what was asked for."""
        name, asked, margin, fold = key
        X, y = data.load(data.find(name), recode=True)
        train, test = self.split(X, y, fold)
        text = asked if margin == "0" else f"{asked} margin {margin}"
        model, row = self.fitted(X[train], y[train], COMPLEXITIES[0], [text], self.fold_limit)
        if model is None:
            return row
        for prefix, rows in (("", test), ("trained_", train)):
            answers, truth = model.predict(X[rows]), y[rows]
            of = answers if asked.startswith("precision") else truth
            row[f"{prefix}right"] = int((answers & truth).sum())
            row[f"{prefix}of"] = int(of.sum())
        return row

    def fronts(self, key: Key) -> dict[str, Any]:
        """Learn under a measure of fairness, on all rows or on all but a fold."""
        name, measure, column, epsilon, fold = key
        front = FRONTS[name]
        X, y = front.load()
        train, test = self.split(X, y, fold)
        asked = [] if epsilon == NONE else [f"{measure} <= {epsilon} between {front.group}"]
        model, row = self.fitted(
            *(X[train], y[train], front.complexity, asked),
            self.time_limit if fold == WHOLE else self.fold_limit,
            max_conditions=front.max_conditions,
            constraints={"forbidden_features": [front.group]} if column == OUT else None,
        )
        row |= {"complexity": front.complexity, "n_train": len(train)}
        row["max_conditions"] = front.max_conditions or ""
        if model is None:
            return row
        for prefix, rows in (("", train), ("new_", test)):
            if len(rows):
                wrong, groups = model.predict(X[rows]) != y[rows], X[rows][front.group]
                row[f"{prefix}accuracy"] = f"{1 - wrong.mean():.6f}"
                row[f"{prefix}wrong_by_group"] = by_group(groups.to_numpy(), y[rows], wrong)
        return row

    def split(self, X: Any, y: Any, fold: str) -> tuple[Any, Any]:
        """Return the places of the rows to learn from, and of those left out."""
        if fold == WHOLE:
            return np.arange(len(y)), np.arange(0)
        splits = StratifiedKFold(self.n_folds, shuffle=True, random_state=SEED)
        return list(splits.split(X, y))[int(fold)]

    def keys(self, part: str, names: Iterable[str]) -> Iterator[Key]:
        """Name everything to be measured; of fronts, whole tables first."""
        numbers = [str(fold) for fold in range(self.n_folds)]
        of_part = FRONTS if part == "fronts" else SMALL
        for name in (name for name in names if name in of_part):
            if part == "small":
                yield from ((name, str(C), asked) for C in COMPLEXITIES for asked in ASKED)
            elif part == "folds":
                yield from (
                    (name, asked, margin, fold)
                    for asked in ASKED
                    for margin in MARGINS
                    for fold in numbers
                )
            else:
                yield from (
                    (name, measure, column, epsilon, fold)
                    for folds in ((WHOLE,), numbers)
                    for measure, epsilons in EPSILONS.items()
                    for column in ((OUT,) if measure == ODDS else (OUT, IN))
                    for fold in folds
                    for epsilon in epsilons
                )


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.requirements", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--parts", default=",".join(KEYS), help="small, folds, fronts")
    parser.add_argument("--data", default=",".join(DATA_ORDER), help="names, with commas")
    parser.add_argument("--folds", type=int, default=10, help="how many (default 10)")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds for a whole table")
    parser.add_argument("--fold-limit", type=float, default=20, help="seconds for a fold")
    parser.add_argument("--again", action="store_true", help="forget what these would measure")
    parser.add_argument("--quick", action="store_true", help="two data sets and short limits")
    parser.add_argument("--output", type=Path, default=RESULTS)
    if parser.parse_args(arguments).quick:
        parser.set_defaults(**QUICK)
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> None:
    """Run what is missing and write the tables."""
    options = parse(arguments)
    how = Measurement(options.folds, options.time_limit, options.fold_limit, facts(1))
    folder, console = options.output.resolve(), Console(stderr=True)
    of = sheets(folder)
    warm_up()  # compiled before it is timed
    for part in options.parts.split(","):
        run = {"small": how.small, "folds": how.folds, "fronts": how.fronts}[part]
        keys = list(how.keys(part, options.data.split(",")))
        if options.again:
            of[part].forget(keys)
        for key in keys:
            if key in of[part].read():
                continue
            values = run(key)
            of[part].put(key, values)
            shown = [f"{name} {values[name]}" for name in FIELDS[part][:-1] if values.get(name)]
            console.print(f"{', '.join(key)}: {', '.join(shown)}", soft_wrap=True)
    print(write_tables(folder))


if __name__ == "__main__":
    main()
