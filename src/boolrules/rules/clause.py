"""Clauses, what they did on the training data, and why a row was classified as it was."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules.rules.condition import format_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.rules.condition import Condition

Label = str | int | float | bool | None


class Form(StrEnum):
    """Disjunctive (OR of ANDs) or conjunctive (AND of ORs) normal form."""

    DNF = "dnf"
    CNF = "cnf"


@dataclass(frozen=True, slots=True)
class Clause:
    """A few conditions: joined by AND in DNF, by OR in CNF.

    Examples
    --------
    >>> from boolrules import Condition, Relation
    >>> young, clerk = Condition("age", Relation.LE, 35), Condition("job", Relation.EQ, "clerk")
    >>> clause = Clause((young, clerk))
    >>> print(clause, clause.complexity)
    age <= 35 AND job == 'clerk' 3
    """

    conditions: tuple[Condition, ...]

    def __post_init__(self) -> None:
        if not self.conditions:
            raise ValueError("A clause needs at least one condition.")

    @property
    def complexity(self) -> int:
        """One plus the number of conditions."""
        return 1 + len(self.conditions)

    def text(self, form: Form) -> str:
        """Write the clause with the connective that the form gives it."""
        return (" AND " if form is Form.DNF else " OR ").join(map(str, self.conditions))

    def __str__(self) -> str:
        return self.text(Form.DNF)


@dataclass(frozen=True, slots=True)
class ClauseStatistics:
    """What a clause did on the training data, in (weighted) rows.

    In DNF a clause covers the rows that satisfy it, and is right on the positives; in CNF it
    covers the rows that it turns away, and is right on the zeros.
    """

    covered: float
    right: float
    only_here: float

    @property
    def precision(self) -> float:
        """Share of the covered rows on which it is right."""
        return self.right / self.covered if self.covered else math.nan

    @property
    def smoothed_precision(self) -> float:
        """Precision with one row of each kind added (Laplace)."""
        return (self.right + 1) / (self.covered + 2)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one row was classified as it was.

    ``decided_by`` holds the clauses that decided it; when there is none, ``nearest`` is the clause
    that came closest and ``failed`` the conditions that stood in the way.
    """

    prediction: Label
    decided_by: tuple[Clause, ...]
    nearest: Clause | None
    failed: tuple[Condition, ...]
    form: Form

    def __str__(self) -> str:
        answer = f"{format_value(self.prediction)}"
        if self.decided_by:
            texts = [clause.text(self.form) for clause in self.decided_by]
            if self.form is Form.DNF:
                return f"{answer} because " + "; and because ".join(texts)
            return f"{answer} because none of these holds: " + "; nor any of these: ".join(texts)
        if self.nearest is None:
            return f"{answer} because there is no clause"
        if self.form is Form.CNF:
            return f"{answer} because every clause has a condition that holds"
        failed = " and ".join(f"'{condition}'" for condition in self.failed)
        return (
            f"{answer} because no clause covers it; nearest: {self.nearest}, where {failed} failed"
        )


def as_labels(labels: Sequence[Label]) -> NDArray[Any]:
    """Return labels as an array, of a type of its own where all of them are of one kind.

    Examples
    --------
    >>> as_labels(["low", "high"]).dtype.kind, as_labels([1, "high"]).tolist()
    ('U', [1, 'high'])
    """
    array = np.array(labels)
    if array.dtype.kind in "biufU" and len({isinstance(label, str) for label in labels}) == 1:
        return array
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array
