"""Clauses that every rule set must have: read from their texts, and what they cost.

With some clauses given, eq. (1) splits, and what is left is a problem of the same kind
(``BinaryRows.without``). How they are asked for is in ``constraints``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boolrules._support.json import is_number
from boolrules.rules import Clause, Condition
from boolrules.rules.parse import parse_rules

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boolrules.data.encoding import TableEncoding
    from boolrules.data.problem import Problem
    from boolrules.rules import Form


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

    def to_plain(self) -> dict[str, Any]:
        """Return plain values that ``from_plain`` reads back."""
        clauses = [[c.to_plain() for c in clause.conditions] for clause in self.clauses]
        return {"clauses": clauses, "loss": self.loss}

    @classmethod
    def from_plain(cls, plain: Any) -> Given:
        """Read ``to_plain``'s form, checking every part of it."""
        if not (
            isinstance(plain, dict)
            and isinstance(plain.get("clauses"), list)
            and all(isinstance(clause, list) for clause in plain["clauses"])
            and is_number(plain.get("loss"))
            and plain["loss"] >= 0
        ):
            raise ValueError(f"Given clauses need a list of them and a loss; got {plain!r:.80}.")
        clauses = (Clause(tuple(map(Condition.from_plain, c))) for c in plain["clauses"])
        return cls(tuple(clauses), plain["loss"])


def read_given(
    given: Iterable[str | Clause], form: Form, encoding: TableEncoding, problem: Problem
) -> tuple[Clause, ...]:
    """Read the clauses that must stay, and check that they may."""
    names = [feature.name for feature in encoding.features]
    conditions = encoding.listed_conditions
    clauses: list[Clause] = []
    for one in given:
        if isinstance(one, Clause):
            clauses.append(one.as_written())
        else:
            rules = parse_rules(str(one), columns=names, conditions=conditions, form=form)
            clauses += rules.clauses
    for condition in (c for clause in clauses for c in clause.conditions):
        if not encoding.allows(condition):
            raise ValueError(
                f"given_clauses have '{condition}', which breaks the constraints "
                f"({encoding.constraints}). Leave it out, or loosen them."
            )
    longest = max((len(clause.conditions) for clause in clauses), default=0)
    if problem.max_conditions is not None and longest > problem.max_conditions:
        raise ValueError(
            f"given_clauses have a clause of {longest} conditions, more than max_conditions="
            f"{problem.max_conditions} allows. Raise the limit, or shorten the clause."
        )
    n_conditions = sum(len(clause.conditions) for clause in clauses)
    if not problem.fits(len(clauses), n_conditions):
        raise ValueError(
            f"given_clauses have {len(clauses)} clauses of complexity "
            f"{problem.complexity(len(clauses), n_conditions)}, more than max_complexity="
            f"{problem.max_complexity} or max_clauses={problem.max_clauses} allows. Raise the "
            "limit, or give fewer."
        )
    return tuple(clauses)
