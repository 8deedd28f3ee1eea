"""What each rule of choosing a complexity would have chosen from the scores of the inner folds.

The runner keeps those scores beside each point of our fronts, so no rule needs a fit of its own.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.learners.results import FORMS
from benchmarks.markdown_tables import markdown
from boolrules.classifier_cv import MOST_REPEATS, choose_place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from benchmarks.learners.summaries import Row

    Rule = Callable[[NDArray[np.float64], list[float]], tuple[int, int]]

N_INNER = 5
ROUNDS = ("1 round", "2 rounds", "3 rounds")
CHOICES = ("best", "smoothed", "one_standard_error", "paired")
FIXED = 15


@dataclass(frozen=True)
class OuterFold:
    """The scores of one: inner (forms, splits, complexities), outer (forms, complexities)."""

    limits: list[float]
    inner: NDArray[np.float64]
    outer: NDArray[np.float64]
    complexity: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Sequence[Row], forms: Sequence[str]) -> OuterFold:
        """Read the points of some forms."""
        by_form = [
            sorted((r for r in rows if r["learner"] == form), key=lambda r: float(r["parameter"]))
            for form in forms
        ]
        n_splits = min(len(row["inner_accuracies"].split()) for row in rows)
        inner = [[r["inner_accuracies"].split()[:n_splits] for r in p] for p in by_form]
        return cls(
            [float(r["parameter"]) for r in by_form[0]],
            np.array(inner, dtype=float).swapaxes(1, 2),
            np.array([[float(r["accuracy"]) for r in points] for points in by_form]),
            np.array([[float(r["complexity"]) for r in points] for points in by_form]),
        )


def by_choice(choice: str, n_repeats: int) -> Rule:
    """Return a rule of ``BooleanRuleClassifierCV``, on as many rounds of folds as there are."""
    return lambda scores, _: choose_place(choice, scores[:, : n_repeats * N_INNER])


RULES: dict[str, Rule] = {
    f"{choice.replace('_', ' ')}, {rounds}": by_choice(choice, n_repeats)
    for n_repeats, rounds in zip(range(1, MOST_REPEATS + 1), ROUNDS, strict=True)
    for choice in CHOICES
}
RULES[f"always {FIXED}"] = lambda _, limits: (0, limits.index(FIXED))


def choice(rows: Sequence[Row]) -> str:
    """Write the rules as a table, the most accurate first: means over data sets."""
    lines = []
    for forms, said in ((FORMS[:1], "DNF"), (FORMS, "DNF or CNF")):
        folds = outer_folds(rows, forms)
        for name, rule in RULES.items():
            if folds and (len(forms) == 1 or not name.startswith("always")):
                accuracy, complexity = chosen_by(rule, folds)
                lines.append((accuracy, [name, said, f"{accuracy:.2f}", f"{complexity:.1f}"]))
    lines.sort(key=lambda line: -line[0])
    return markdown(["rule", "form", "accuracy %", "complexity"], [line for _, line in lines])


def outer_folds(rows: Sequence[Row], forms: Sequence[str]) -> dict[str, list[OuterFold]]:
    """Return, by data set, the folds that have all forms and more than one inner split."""
    grouped: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row["learner"] in forms and " " in row.get("inner_accuracies", ""):
            grouped[row["data"], row["fold"]].append(row)
    folds: dict[str, list[OuterFold]] = defaultdict(list)
    for (name, _), points in grouped.items():
        if len({row["learner"] for row in points}) == len(forms):
            folds[name].append(OuterFold.of(points, forms))
    return folds


def chosen_by(rule: Rule, folds: dict[str, list[OuterFold]]) -> tuple[float, float]:
    """Return mean accuracy, in per cent, and mean complexity of what a rule chooses."""
    means = []
    for of_data in folds.values():
        places = [rule(fold.inner, fold.limits) for fold in of_data]
        chosen = [
            (fold.outer[place], fold.complexity[place])
            for fold, place in zip(of_data, places, strict=True)
        ]
        means.append(np.mean(chosen, axis=0))
    accuracy, complexity = np.mean(means, axis=0)
    return 100 * float(accuracy), float(complexity)
