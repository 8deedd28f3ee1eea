"""The second experiment: tables of nested cross-validation."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import data
from benchmarks.learners.results import DONE, Row
from benchmarks.learners.summaries import (
    IN_PAPER,
    Mean,
    in_order,
    label,
    names_in_paper,
    paper_values,
)
from benchmarks.markdown_tables import markdown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def by_fold(rows: Iterable[Row], field: str) -> dict[tuple[str, str], dict[str, float]]:
    """Return the values of a column by data set and learner, then by fold."""
    values: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row["status"] == DONE and row[field]:
            values[row["data"], row["learner"]][row["fold"]] = float(row[field])
    return values


class Accuracy:
    """The second experiment: nested cross-validation."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self.data = in_order(row["data"] for row in rows)
        seen = {row["learner"] for row in rows}
        self.learners = [name for name in names_in_paper() if name in seen]
        self.accuracy = {
            key: {fold: 100 * value for fold, value in folds.items()}
            for key, folds in by_fold(rows, "accuracy").items()
        }
        self.complexity = by_fold(rows, "complexity")
        self.seconds = by_fold(rows, "seconds")
        self.n_folds = len({row["fold"] for row in rows})
        # Rivals that can learn both forms, where one of them was run alone.
        self.of_one_form = {
            (row["data"], row["learner"]): row["form"] for row in rows if row.get("form")
        }

    def table(self, measure: str, learners: Sequence[str]) -> str:
        """Write a measure with the paper's printed value beside it, in square brackets.

        Where one form alone was run of a rival that has two, it is named.
        """
        values = {"accuracy": self.accuracy, "complexity": self.complexity}[measure]
        paper, in_paper = paper_values(), names_in_paper()
        names = [n for n in learners if any((d, n) in values for d in self.data)]
        always = self._always_of_one_form(names)
        lines = []
        for one in self.data:
            cells = [label(one)]
            for name in names:
                folds = values.get((one, name))
                cell = (
                    Mean.of(list(folds.values())).text(self.n_folds)
                    if folds
                    else self.why(one, name)
                )
                if name not in always and (one, name) in self.of_one_form:
                    cell += f" {self.of_one_form[one, name]}"
                printed = paper.get((measure, IN_PAPER.get(one, one), in_paper[name] or ""))
                if printed and data.find(one).is_complete:
                    cell += f" [{printed[0]:.1f}]"
                cells.append(cell)
            lines.append(cells)
        return markdown(["data", *(always.get(name, name) for name in names)], lines)

    def _always_of_one_form(self, names: Sequence[str]) -> dict[str, str]:
        """Return heads for the rivals that no data set has both forms of."""
        heads = {}
        for name in names:
            forms = {
                self.of_one_form.get((row["data"], name), "")
                for row in self.rows
                if row["learner"] == name
            }
            if len(forms) == 1 and forms != {""}:
                heads[name] = f"{name} ({forms.pop()})"
        return heads

    def why(self, one: str, name: str) -> str:
        """Say why there is no value: what the first fold ran into, or that it was not run."""
        found = [r["status"] for r in self.rows if r["data"] == one and r["learner"] == name]
        if not found:
            return "not run"
        tried = f" ({len(found)} fold{'s' if len(found) > 1 else ''} tried)"
        return found[0].split(":")[0] + (tried if len(found) < self.n_folds else "")

    def times(self, of_fits: list[Row]) -> str:
        """Write the median seconds of a task, and before it those of one fit where it was timed.

        A task is the choice of the parameter, the last fit and, where there is one, the front.
        """
        fits, lines = by_fold(of_fits, "seconds"), []
        for one in self.data:
            cells = [label(one)]
            for name in self.learners:
                tasks = list(self.seconds.get((one, name), {}).values())
                text = f"{np.median(tasks):.1f}" if tasks else self.why(one, name)
                of_fit = list(fits.get((one, name), {}).values())
                cells.append(f"{np.median(of_fit):.1f} / {text}" if of_fit else text)
            lines.append(cells)
        return markdown(["data", *self.learners], lines)

    def common_folds(self, one: str, names: Iterable[str]) -> list[str]:
        """Return the folds of a data set that all of these learners have."""
        folds = (set(self.accuracy.get((one, name), {})) for name in names)
        return sorted(set.intersection(*folds))

    def gains(self, one: str, first: str, second: str) -> list[float]:
        """Return by how much the first is more accurate, on each fold that both have."""
        return [
            self.accuracy[one, first][fold] - self.accuracy[one, second][fold]
            for fold in self.common_folds(one, (first, second))
        ]

    def against_paper(self, ours: str) -> str:
        """Hold our accuracy and complexity against the paper's CG.

        Behind by less than our standard error, or than that of the difference: the paper's mean
        has an error of its own.
        """
        paper, lines, complexities = paper_values(), [], []
        n_kept = np.zeros(2, dtype=int)
        complete = [
            d for d in self.data if data.find(d).is_complete and (d, ours) in self.accuracy
        ]
        for one in complete:
            key = IN_PAPER.get(one, one)
            mean = Mean.of(list(self.accuracy[one, ours].values()))
            size = Mean.of(list(self.complexity[one, ours].values()))
            printed = paper.get(("accuracy", key, "CG"))
            simple = paper.get(("complexity", key, "CG"))
            if printed is None or simple is None:
                continue
            errors = mean.error, np.hypot(mean.error, printed[1])
            is_kept = [bool(mean.value + error >= printed[0]) for error in errors]  # one fold: no
            n_kept += is_kept
            complexities.append((size.value, simple[0]))
            lines.append(
                [
                    one,
                    mean.text(self.n_folds),
                    f"{printed[0]:.1f} ({printed[1]:.1f})",
                    *("yes" if kept else "no" for kept in is_kept),
                    f"{size.value:.1f}",
                    f"{simple[0]:.1f}",
                ]
            )
        if not lines:
            return "Nothing to compare yet."
        head = ["data", "ours", "paper's CG", "as accurate within our standard error"]
        head += ["within that of the difference", "our complexity", "paper's"]
        means = np.mean(complexities, axis=0)
        return (
            markdown(head, lines)
            + f"\n\nAs accurate within our standard error on {n_kept[0]} of {len(lines)}, within "
            f"that of the difference on {n_kept[1]}; mean complexity {means[0]:.1f}, "
            f"the paper's {means[1]:.1f}."
        )


def outcome(gain: Mean, width: float = 1) -> str:
    """Say whether a mean difference is a win, a tie or a loss.

    A tie is within so many standard errors.
    """
    if abs(gain.value) <= max(width * gain.error, 1e-9):
        return "tie"
    return "win" if gain.value > 0 else "loss"
