"""What counts as an alternative, and how alternatives are shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boolrules._support import html as _html
from boolrules.data.labelled_rows import ROUNDING
from boolrules.proof.certificate import COUNTED_BOTH_WAYS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from boolrules.proof.certificate import Certificate
    from boolrules.rules import RuleSet

_COUNTED = {"missed": "missed positives", "covered": "covered negatives"}


@dataclass(frozen=True, slots=True, eq=False)
class Alternative:
    """One rule set that is about as good as the model's.

    Parameters
    ----------
    rule_set : RuleSet
        The rules, with statistics from the same rows as the model's.
    hamming_loss, objective : float
        Hamming loss on the training data, and the same with any penalty on complexity.
    complexity : float
        At the model's prices.
    differs_on : int array
        Rows of the table that it answers otherwise than the model; the first is 0.
    distance : int
        Rows that it answers otherwise than the nearest of the model and those ranked before it.
    answers : int
        Alternatives of the same number answer every row alike.
    is_model : bool
        Whether it is the model's own rule set.
    """

    rule_set: RuleSet
    hamming_loss: float
    objective: float
    complexity: float
    differs_on: NDArray[np.int64]
    distance: int
    answers: int
    is_model: bool

    @property
    def n_different(self) -> int:
        """How many rows it answers otherwise than the model."""
        return len(self.differs_on)

    def __str__(self) -> str:
        """Return the rules on one line."""
        rules = self.rule_set
        if not rules.clauses:
            return "no clause"
        joint = " OR " if rules.form == "dnf" else " AND "
        texts = [clause.text(rules.form) for clause in rules.clauses]
        if len(texts) == 1:
            return texts[0]
        return joint.join(
            f"({text})" if len(clause.conditions) > 1 else text
            for clause, text in zip(rules.clauses, texts, strict=True)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Alternatives:
    """The rule sets about as good as a model's, ranked by how differently they answer.

    An alternative is a rule set within the model's limits, of an objective at most ``within``
    above the model's, that is *minimal*: without any one of its clauses, or any one condition, the
    objective would be higher. (The objective is the Hamming loss plus any penalty on complexity.)
    Under requirements it meets them, whether a row counts once or once for each clause that
    wrongly decides it, and without any one part it would lose more or break one of them.

    The model's own rule set comes first. Each one after it is the one that answers most rows
    otherwise than the nearest of those before it; of equals, the one of lower objective. When
    every set of answers has been shown once, the others follow, ranked in the same way by the
    conditions in which they differ.

    Parameters
    ----------
    alternatives : tuple of Alternative
        The first ``most`` of the ranking.
    n_rule_sets : int
        How many alternatives were found in all.
    n_answers : int
        In how many different ways they answer the rows of the table.
    features : dict of str to int
        In how many of all alternatives found each feature appears, the most frequent first.
    is_complete : bool
        Whether there is proved to be no other alternative.
    best_objective : float or None
        The lowest objective of all alternatives found: the optimum, if the list is complete and
        ``has_optimum``.
    within : float
        How much above the model's an objective might be.
    n_rows : int
        Rows of the table.
    certificate : Certificate
        The model's.
    has_optimum : bool
        Whether an optimal rule set is minimal. Not where requirements may be met by a second
        clause that wrongly decides the same rows: a condition may then do no more than tell that
        clause from the first.
    """

    alternatives: tuple[Alternative, ...] = field(repr=False)
    n_rule_sets: int
    n_answers: int
    features: dict[str, int]
    is_complete: bool
    best_objective: float | None
    within: float
    n_rows: int
    certificate: Certificate = field(repr=False)
    has_optimum: bool = True

    def __len__(self) -> int:
        return len(self.alternatives)

    def __iter__(self) -> Iterator[Alternative]:
        return iter(self.alternatives)

    def __getitem__(self, place: int) -> Alternative:
        return self.alternatives[place]

    def sentence(self) -> str:
        """Say how many there are, of what, and whether these are all."""
        problem, most = self.certificate.problem, self.certificate.objective + self.within
        n = f"{self.n_rule_sets:,}"
        count = f"is {n} rule set" if self.n_rule_sets == 1 else f"are {n} rule sets"
        if not self.is_complete:
            count = count.replace(n, f"at least {n}", 1)
        limits = f"of complexity at most {problem.max_complexity:.10g}"
        if self._has_other_limits:
            limits += ", within the model's other limits,"
        needed = "needed"
        if self.certificate.requirements:
            word = "meets" if count.startswith("is 1") else "meet"
            asked = [str(one) for one in self.certificate.requirements]
            limits += f" that {word} {' and '.join(asked)}"
            limits += f" ({COUNTED_BOTH_WAYS})," if problem.most_clauses > 1 else ","
            needed += ": without it they would lose more or break a requirement"
        return (
            f"There {count} {limits} with {self._at_most(most)} "
            f"(the model: {self.certificate.objective:.10g}) in which every clause and every "
            f"condition is {needed}."
        )

    def _at_most(self, most: float) -> str:
        """Say what objectives are, and how high."""
        penalty, name = self.certificate.problem.complexity_penalty, "a Hamming loss"
        if self.certificate.minimises != "loss":
            name = _COUNTED[self.certificate.minimises]
            if not penalty:
                return f"at most {most:.10g} {name}"
        plus = f" + {penalty:.10g} x complexity" if penalty else ""
        return f"{name}{plus} of at most {most:.10g}"

    @property
    def _has_other_limits(self) -> bool:
        problem, certificate = self.certificate.problem, self.certificate
        return bool(
            problem.max_conditions is not None
            or problem.max_clauses is not None
            or problem.min_coverage
            or certificate.given.clauses
            or certificate.constraints.forbids_something
        )

    def notes(self) -> list[str]:
        """Return what else a reader should know, a sentence each."""
        ways = "1 way" if self.n_answers == 1 else f"{self.n_answers:,} different ways"
        who = "It answers" if self.n_rule_sets == 1 else "They answer"
        notes = [f"{who} the {self.n_rows:,} rows in {ways}."]
        if self.certificate.f1 is not None:
            missed, covered = self.certificate.f1.costs
            notes.append(
                f"Losses are at costs of {missed} for a missed positive and {covered} for a "
                "covered zero, at which rules that lose no more than the model have no smaller F1."
            )
        if not self.is_complete:
            notes.append("The search was cut short: there may be more.")
        if self.best_objective is not None:
            notes += self._verdict(self.best_objective)
        if self.is_complete and not any(a.is_model for a in self):
            kept = ", and requirements are still met" if self.certificate.requirements else ""
            notes.append(
                "The model's own rule set is not among them: part of it can be dropped without "
                f"loss{kept}."
            )
        return notes

    def _verdict(self, best: float) -> list[str]:
        """Say what the list proves beyond the certificate."""
        if self.certificate.is_optimal:
            return []
        objective = self.certificate.objective
        if best < objective * (1.0 - ROUNDING):
            is_least = ", the least there is" if self.is_complete and self.has_optimum else ""
            return [f"The best has {best:.10g}{is_least}: the model is not optimal."]
        if self.is_complete and self.has_optimum:
            return ["None is better, so the model is optimal; its certificate does not prove it."]
        return []

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per alternative shown, ready for a data frame."""
        return [
            {
                "rank": rank,
                "rules": str(a),
                "hamming_loss": a.hamming_loss,
                "objective": a.objective,
                "complexity": a.complexity,
                "n_clauses": a.rule_set.n_clauses,
                "n_different": a.n_different,
                "distance": a.distance,
                "answers": a.answers,
                "is_model": a.is_model,
            }
            for rank, a in enumerate(self, start=1)
        ]

    def __str__(self) -> str:
        lines = [self.sentence(), " ".join(self.notes()), "", *_aligned(self._cells())]
        if self.features:
            lines += ["", *_aligned(self._feature_cells())]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Show the alternatives in notebooks."""
        parts = [_html.lead(self.sentence()), _html.aside(" ".join(self.notes()))]
        head, *rows = self._cells()
        parts.append(_html.table("rrrrm", head, rows))
        if self.features:
            head, *rows = self._feature_cells()
            parts.append(_html.table("rl", head, rows))
        return "\n".join(parts)

    def _cells(self) -> list[list[str]]:
        head = ["rank", "loss", "complexity", "rows otherwise", "rules"]
        return [head] + [
            [
                f"{row['rank']}",
                f"{row['hamming_loss']:.10g}",
                f"{row['complexity']:.10g}",
                f"{row['n_different']}",
                f"{row['rules']}{'  (the model)' if row['is_model'] else ''}",
            ]
            for row in self.to_rows()
        ]

    def _feature_cells(self) -> list[list[str]]:
        counts = [[f"{n:,} of {self.n_rule_sets:,}", name] for name, n in self.features.items()]
        return [["in rule sets", "feature"], *counts]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines in which all columns but the last end at the same place."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            [*(cell.rjust(w) for cell, w in zip(row[:-1], widths[:-1], strict=True)), row[-1]]
        )
        for row in rows
    ]
