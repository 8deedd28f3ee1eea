"""``make bench-choice``: how best to choose the complexity, by nested cross-validation.

For each small data set, form and outer fold, inner folds learn paths on the outer training rows,
and one more path is learned on all of them and scored on the outer test rows. These scores are
kept; every rule chooses from the same inner scores. Killed and restarted, it goes on. Without a
time limit paths end by themselves, where the heuristics find no more: other work on the machine
changes nothing.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import joblib
import numpy as np
from rich.console import Console
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

from benchmarks import data
from benchmarks.choice.rules import COMPLEXITIES, table
from boolrules import BooleanRuleClassifier
from boolrules.classifier_cv import score_fold
from boolrules.complexity_path import DEFAULT_PATIENCE

RESULTS = Path(__file__).resolve().parents[1] / "results"
N_INNER, N_REPEATS = 5, 2
FORMS = ("dnf", "cnf")
FIELDS = ("data", "form", "fold", "inner", "accuracies", "complexities")


def outer_fold(name, form, fold, X, y, train, test, seconds):
    """Score the paths of one outer fold: on each inner fold, and on the outer test rows."""
    model = BooleanRuleClassifier(form=form, mode="fast", time_limit=seconds)
    inner = RepeatedStratifiedKFold(n_splits=N_INNER, n_repeats=N_REPEATS, random_state=fold)
    splits = {
        str(k): (train[a], train[b]) for k, (a, b) in enumerate(inner.split(y[train], y[train]))
    }
    rows = []
    for inner_name, (learned, scored) in {**splits, "outer": (train, test)}.items():
        accuracies, complexities = score_fold(
            model, X, y, None, learned, scored, COMPLEXITIES, DEFAULT_PATIENCE, _accuracy
        )
        values = (
            name,
            form,
            fold,
            inner_name,
            " ".join(f"{accuracy:.5f}" for accuracy in accuracies),
            " ".join(f"{complexity:g}" for complexity in complexities),
        )
        rows.append(dict(zip(FIELDS, values, strict=True)))
    return rows


def _accuracy(model, X, y):
    return float(np.mean(model.predict(X) == y))


def run(path, names, forms, n_outer, seconds, n_jobs, console):
    """Add the rows that are missing from the CSV file, data set by data set."""
    rows = list(csv.DictReader(path.open())) if path.exists() else []
    done = {(row["data"], row["form"], int(row["fold"])) for row in rows}
    for form in forms:
        for subject in data.SMALL:
            if names and subject.name not in names:
                continue
            X, y = data.load(subject)
            outer = StratifiedKFold(n_outer, shuffle=True, random_state=0)
            missing = [
                (fold, train, test)
                for fold, (train, test) in enumerate(outer.split(y, y))
                if (subject.name, form, fold) not in done
            ]
            found = joblib.Parallel(n_jobs)(
                joblib.delayed(outer_fold)(subject.name, form, fold, X, y, train, test, seconds)
                for fold, train, test in missing
            )
            rows += [row for part in found for row in part]
            with path.open("w", newline="") as file:
                writer = csv.DictWriter(file, FIELDS)
                writer.writeheader()
                writer.writerows(rows)
            console.print(f"{form}, {subject.name}: {len(missing)} folds")
    return rows


def main():
    """Run what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=FORMS[:1])
    parser.add_argument("--outer", type=int, default=10, help="outer folds (default 10)")
    parser.add_argument("--seconds", type=float, help="for one path (default: no limit)")
    parser.add_argument("--data", nargs="+", choices=[d.name for d in data.SMALL])
    parser.add_argument("--n-jobs", type=int, default=2, help="folds at a time (default 2)")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "choice_scores.csv"
    console = Console(stderr=True)
    rows = run(
        path, options.data, options.forms, options.outer, options.seconds, options.n_jobs, console
    )
    text = table(rows)
    (options.output / "choice.md").write_text(
        f"# Which rule of choosing the complexity is best\n\nMade by `make bench-choice`: nested "
        f"cross-validation, {options.outer} outer folds, mean over the nine small data sets.\n\n"
        f"{text}\n"
    )
    print(text)


if __name__ == "__main__":
    main()
