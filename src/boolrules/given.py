"""Clauses that must stay, and what they leave to learn.

With some clauses given, eq. (1) splits. The zeros that they cover cost what they cost, the
positives that they cover are done with, and what is left is a problem of the same kind: the other
positives, all zeros, and the complexity that the given clauses leave.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._json import is_number
from boolrules.rules import Clause, Condition, Form, RuleSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.problem import Problem
    from boolrules.table import Table


@dataclass(frozen=True, slots=True)
class Given:
    """Clauses that every rule set of a problem has, and what they cost.

    Parameters
    ----------
    clauses : tuple of Clause
        Part of each rule set, and of its complexity.
    loss : float
        The zeros that they cover, once for each clause.
    """

    clauses: tuple[Clause, ...] = ()
    loss: float = 0

    @property
    def size(self) -> tuple[int, int]:
        """How many clauses, and conditions in all."""
        return len(self.clauses), sum(len(clause.conditions) for clause in self.clauses)

    def constant(self, problem: Problem) -> float:
        """What they add to the objective of every rule set."""
        return self.loss + problem.complexity_penalty * problem.complexity(*self.size)

    def to_json(self) -> dict[str, Any]:
        """Return plain values that ``from_json`` reads back."""
        clauses = [[c.to_json() for c in clause.conditions] for clause in self.clauses]
        return {"clauses": clauses, "loss": self.loss}

    @classmethod
    def from_json(cls, plain: Any) -> Given:
        """Read ``to_json``'s form, checking every part of it."""
        if not (
            isinstance(plain, dict)
            and isinstance(plain.get("clauses"), list)
            and all(isinstance(clause, list) for clause in plain["clauses"])
            and is_number(plain.get("loss"))
            and plain["loss"] >= 0
        ):
            raise ValueError(f"Given clauses need a list of them and a loss; got {plain!r:.80}.")
        clauses = (Clause(tuple(map(Condition.from_json, c))) for c in plain["clauses"])
        return cls(tuple(clauses), plain["loss"])


def without_given(
    clauses: Sequence[Clause],
    form: Form,
    table: Table,
    is_positive: NDArray[np.bool_],
    weights: NDArray[np.float64],
) -> tuple[Given, NDArray[np.float64]]:
    """Return what the clauses cost, and the weights of the rows that they leave to be learned.

    Examples
    --------
    >>> from boolrules import Relation
    >>> from boolrules.table import read_table
    >>> table = read_table(np.array([[1.0], [2.0], [3.0]]))
    >>> clause = Clause((Condition("x0", Relation.LE, 2),))
    >>> is_positive = np.array([True, False, True])
    >>> given, weights = without_given([clause], Form.DNF, table, is_positive, np.ones(3))
    >>> given.loss, weights.tolist()
    (1, [0.0, 1.0, 1.0])
    """
    if not clauses:
        return Given(), weights
    rules = RuleSet(tuple(clauses), form, True, False)
    should = is_positive if form is Form.DNF else ~is_positive
    loss = rules.hamming_loss(table, is_positive, np.where(should, 0.0, weights))
    is_done = should & rules.decides(table).any(axis=1)
    return Given(tuple(clauses), loss), np.where(is_done, 0.0, weights)
