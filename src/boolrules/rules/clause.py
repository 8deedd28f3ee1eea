"""Clauses, the two forms that join them, and labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules.rules.wording import grouped, worded

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

    Neighbours on one column are written as one where that says the same; each of them counts.

    >>> middle = Clause((Condition("age", Relation.GT, 20), young))
    >>> print(middle, middle.complexity)
    20 < age <= 35 3
    """

    conditions: tuple[Condition, ...]

    def __post_init__(self) -> None:
        if not self.conditions:
            raise ValueError("A clause needs at least one condition.")

    @property
    def n_conditions(self) -> int:
        """How many conditions count; a whole number that two thresholds pick out is two."""
        return sum(condition.n_conditions for condition in self.conditions)

    def as_written(self) -> Clause:
        """Return the clause with each of its conditions counted once."""
        return Clause(tuple(replace(condition, n_conditions=1) for condition in self.conditions))

    @property
    def complexity(self) -> int:
        """One plus the number of conditions."""
        return 1 + self.n_conditions

    def text(self, form: Form) -> str:
        """Write the clause with the connective that the form gives it."""
        joint = " AND " if form is Form.DNF else " OR "
        return joint.join(self.texts(form))

    def texts(self, form: Form) -> list[str]:
        """Write what stands between the connectives: conditions, some of them as one."""
        return list(worded(self.conditions, are_alternatives=form is Form.CNF))

    def groups(self, form: Form) -> list[Sequence[Condition]]:
        """Return for each of ``texts`` the conditions that it is of."""
        return list(grouped(self.conditions, are_alternatives=form is Form.CNF))

    def __str__(self) -> str:
        return self.text(Form.DNF)


def as_labels(labels: Sequence[Label]) -> NDArray[Any]:
    """Return labels as an array, of a type of its own where all of them are of one kind.

    Examples
    --------
    >>> as_labels(["low", "high"]).dtype.kind, as_labels([1, "high"]).tolist()
    ('U', [1, 'high'])
    >>> as_labels([1, 2**63]).tolist()  # which numpy alone would round
    [1, 9223372036854775808]
    """
    array = np.array(labels)
    is_rounded = array.dtype.kind == "f" and not any(isinstance(one, float) for one in labels)
    if array.dtype.kind in "biufU" and array.tolist() == list(labels) and not is_rounded:
        return array
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array
