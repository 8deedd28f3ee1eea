"""``make bench-choice``: how best to choose the complexity, by nested cross-validation.

For each small data set and outer fold, inner folds learn paths on the outer training rows; every
rule chooses a complexity from the same inner scores, and the rules of that complexity, learned on
all outer training rows, are scored on the outer test rows. Killed and restarted, it goes on.
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
from boolrules import BooleanRuleClassifier
from boolrules.classifier_cv import choose_place, score_fold
from boolrules.complexity_path import DEFAULT_PATIENCE

RESULTS = Path(__file__).resolve().parents[1] / "results"
COMPLEXITIES = [*range(2, 17), 18, 20, 24, 28, 32]
N_INNER, N_REPEATS = 5, 2
FIELDS = ("data", "fold", "rule", "chosen", "complexity", "accuracy")


def mean_of_folds(scores):
    """Average the complexities that the folds would choose one by one."""
    chosen = [COMPLEXITIES[int(fold.argmax())] for fold in scores]
    return int(np.abs(np.array(COMPLEXITIES) - np.mean(chosen)).argmin())


def places(scores):
    """Let every rule choose from scores of (repeats x folds, complexities)."""
    chosen = {}
    for n_repeats in range(1, N_REPEATS + 1):
        some = scores[: n_repeats * N_INNER]
        mean = some.mean(axis=0, keepdims=True)
        error = some.std(axis=0, ddof=1, keepdims=True) / np.sqrt(len(some))
        times = "" if n_repeats == 1 else f", {n_repeats} repeats"
        for rule in ("best", "smoothed", "one_standard_error"):
            chosen[rule + times] = choose_place(rule, mean, error)[1]
        chosen["mean of folds" + times] = mean_of_folds(some)
    chosen["always 15"] = COMPLEXITIES.index(15)
    return chosen


def outer_fold(name, fold, X, y, train, test, seconds):
    """Score every rule on one outer fold."""
    model = BooleanRuleClassifier(mode="fast", time_limit=seconds)

    def path_scores(train, test):
        return score_fold(
            model, X, y, None, train, test, COMPLEXITIES, DEFAULT_PATIENCE, _accuracy
        )

    inner = RepeatedStratifiedKFold(n_splits=N_INNER, n_repeats=N_REPEATS, random_state=fold)
    scores = np.array(
        [path_scores(train[a], train[b])[0] for a, b in inner.split(y[train], y[train])]
    )
    outer_scores, complexities = path_scores(train, test)
    return [
        {
            "data": name,
            "fold": fold,
            "rule": rule,
            "chosen": COMPLEXITIES[place],
            "complexity": complexities[place],
            "accuracy": round(outer_scores[place], 6),
        }
        for rule, place in places(scores).items()
    ]


def _accuracy(model, X, y):
    return float(np.mean(model.predict(X) == y))


def run(path, n_outer, seconds, n_jobs, console):
    """Add the rows that are missing from the CSV file, data set by data set."""
    rows = list(csv.DictReader(path.open())) if path.exists() else []
    done = {(row["data"], int(row["fold"])) for row in rows}
    for subject in data.SMALL:
        X, y = data.load(subject)
        outer = StratifiedKFold(n_outer, shuffle=True, random_state=0)
        missing = [
            (fold, train, test)
            for fold, (train, test) in enumerate(outer.split(y, y))
            if (subject.name, fold) not in done
        ]
        found = joblib.Parallel(n_jobs)(
            joblib.delayed(outer_fold)(subject.name, fold, X, y, train, test, seconds)
            for fold, train, test in missing
        )
        rows += [row for part in found for row in part]
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            writer.writerows(rows)
        console.print(f"{subject.name}: {len(missing)} folds")
    return rows


def table(rows):
    """Write the rules as a Markdown table, the most accurate first."""
    lines = ["| rule | accuracy | complexity | mean rank |", "| --- | --- | --- | --- |"]
    rules = list(dict.fromkeys(row["rule"] for row in rows))
    names = list(dict.fromkeys(row["data"] for row in rows))

    def mean(rule, name, field):
        values = [float(r[field]) for r in rows if r["rule"] == rule and r["data"] == name]
        return float(np.mean(values))

    accuracy = np.array([[mean(rule, name, "accuracy") for name in names] for rule in rules])
    complexity = np.array([[mean(rule, name, "complexity") for name in names] for rule in rules])
    ranks = np.array([[1 + (column > value).sum() for value in column] for column in accuracy.T]).T
    for k in np.argsort(-accuracy.mean(axis=1), kind="stable"):
        lines.append(
            f"| {rules[k].replace('_', ' ')} | {accuracy[k].mean():.2%} | "
            f"{complexity[k].mean():.1f} | {ranks[k].mean():.1f} |"
        )
    return "\n".join(lines)


def main():
    """Run what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--outer", type=int, default=10, help="outer folds (default 10)")
    parser.add_argument("--seconds", type=float, default=2.5, help="for one path (default 2.5)")
    parser.add_argument("--n-jobs", type=int, default=2, help="folds at a time (default 2)")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "choice.csv"
    rows = run(path, options.outer, options.seconds, options.n_jobs, Console(stderr=True))
    text = table(rows)
    (options.output / "choice.md").write_text(
        f"# Which rule of choosing the complexity is best\n\nMade by `make bench-choice`: nested "
        f"cross-validation, {options.outer} outer folds, mean over the nine small data sets.\n\n"
        f"{text}\n"
    )
    print(text)


if __name__ == "__main__":
    main()
