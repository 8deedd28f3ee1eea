"""What each rule of choosing a complexity would have chosen from the scores of the inner folds.

The runner keeps those scores beside each point of our fronts, so no rule needs a fit of its own.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.learners.fronts import NO_RULES
from benchmarks.learners.results import DONE, FORMS
from benchmarks.markdown_tables import markdown
from boolrules.estimators.choice import choose_place
from boolrules.estimators.folds import MOST_ROUNDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from benchmarks.learners.summaries import Row

    Rule = Callable[[NDArray[np.float64], list[float]], tuple[int, int]]

N_INNER = 5
ROUNDS = ("1 round", "2 rounds", "3 rounds")
CHOICES = ("best", "one_standard_error", "paired")
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

    def with_no_rules(self, row: Row) -> OuterFold:
        """Add the empty rule set to each form as the simplest candidate, from its row.

        On each inner split it is given its accuracy on all training rows: folds are stratified,
        so the share of the more frequent class is nearly the same on each.
        """
        return replace(
            self,
            limits=[0.0, *self.limits],
            inner=_with_first(self.inner, float(row["train_accuracy"])),
            outer=_with_first(self.outer, float(row["accuracy"])),
            complexity=_with_first(self.complexity, 0.0),
        )


def _with_first(values: NDArray[np.float64], first: float) -> NDArray[np.float64]:
    """Put a value before the others of the last axis."""
    return np.insert(values, 0, first, axis=-1)


Folds = dict[str, dict[str, OuterFold]]


def by_choice(choice: str, n_repeats: int) -> Rule:
    """Return a rule of ``BooleanRuleClassifierCV``, on as many rounds of folds as there are."""
    return lambda scores, _: choose_place(choice, scores[:, : n_repeats * N_INNER])


RULES: dict[str, Rule] = {
    f"{choice.replace('_', ' ')}, {rounds}": by_choice(choice, n_repeats)
    for n_repeats, rounds in zip(range(1, MOST_ROUNDS + 1), ROUNDS, strict=True)
    for choice in CHOICES
}
RULES[f"always {FIXED}"] = lambda _, limits: (0, limits.index(FIXED))
OR_NO_RULES = f"paired, {ROUNDS[-1]}"  # a rule that is also given the empty rule set


def choice(rows: Sequence[Row]) -> str:
    """Write the rules as a table, the most accurate first: means over data sets."""
    lines = []
    for forms, said in ((FORMS[:1], "DNF"), (FORMS, "DNF or CNF")):
        folds = outer_folds(rows, forms)
        tried = [
            (name, rule, folds)
            for name, rule in RULES.items()
            if len(forms) == 1 or not name.startswith("always")
        ]
        tried.append((f"{OR_NO_RULES}, or no rules", RULES[OR_NO_RULES], or_no_rules(folds, rows)))
        for name, rule, given in tried:
            if given:
                accuracy, complexity = chosen_by(rule, given)
                lines.append((accuracy, [name, said, f"{accuracy:.2f}", f"{complexity:.1f}"]))
    lines.sort(key=lambda line: -line[0])
    return markdown(["rule", "form", "accuracy %", "complexity"], [line for _, line in lines])


def outer_folds(rows: Sequence[Row], forms: Sequence[str]) -> Folds:
    """Return, by data set, the folds that have all forms and more than one inner split."""
    grouped: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row["learner"] in forms and " " in row.get("inner_accuracies", ""):
            grouped[row["data"], row["fold"]].append(row)
    folds: Folds = defaultdict(dict)
    for (name, fold), points in grouped.items():
        if len({row["learner"] for row in points}) == len(forms):
            folds[name][fold] = OuterFold.of(points, forms)
    return folds


def or_no_rules(folds: Folds, rows: Sequence[Row]) -> Folds:
    """Give each fold the empty rule set to choose; return none if one of them has no row of it."""
    constant = {
        (row["data"], row["fold"]): row
        for row in rows
        if row["learner"] == NO_RULES and row["status"] == DONE
    }
    if any((name, fold) not in constant for name, of_data in folds.items() for fold in of_data):
        return {}
    return {
        name: {fold: one.with_no_rules(constant[name, fold]) for fold, one in of_data.items()}
        for name, of_data in folds.items()
    }


def chosen_by(rule: Rule, folds: Folds) -> tuple[float, float]:
    """Return mean accuracy, in per cent, and mean complexity of what a rule chooses."""
    means = []
    for of_data in folds.values():
        places = [(fold, rule(fold.inner, fold.limits)) for fold in of_data.values()]
        chosen = [(fold.outer[place], fold.complexity[place]) for fold, place in places]
        means.append(np.mean(chosen, axis=0))
    accuracy, complexity = np.mean(means, axis=0)
    return 100 * float(accuracy), float(complexity)
