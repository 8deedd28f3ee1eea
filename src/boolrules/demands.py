"""What users demand of rules beyond limits: clauses that must stay, conditions that must be used.

Reads the texts that they wrote, and turns down what cannot be had.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from boolrules.constraints import required_groups
from boolrules.rules import Clause
from boolrules.rules.parse import parse_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boolrules.encoding import TableEncoding
    from boolrules.problem import Problem
    from boolrules.rules import Form


def read_given(
    given: Iterable[str | Clause], form: Form, encoding: TableEncoding, problem: Problem
) -> tuple[Clause, ...]:
    """Read the clauses that must stay, and check that they may."""
    names = [feature.name for feature in encoding.features]
    conditions, _ = encoding.conditions()
    clauses: list[Clause] = []
    for one in given:
        if isinstance(one, Clause):
            clauses.append(one)
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


def with_required(
    problem: Problem, required: Iterable[str], encoding: TableEncoding, given: Sequence[Clause]
) -> Problem:
    """Look up what must be used, but for what the given clauses have.

    A clause that covers nothing would use it in name only, so each must then cover a row.
    """
    there = [condition for clause in given for condition in clause.conditions]
    names = [feature.name for feature in encoding.features]
    groups = required_groups(required, names, encoding.conditions()[0], there)
    wanted = replace(
        problem, required=groups, min_coverage=max(problem.min_coverage, int(bool(groups)))
    )
    n_clauses, n_conditions = wanted.least_required
    n_conditions += len(there)
    if not problem.fits(len(given) + n_clauses, n_conditions):
        least = problem.complexity(len(given) + n_clauses, n_conditions)
        raise ValueError(
            f"required needs rules of complexity {least:g} at least, more than max_complexity="
            f"{problem.max_complexity} or max_clauses={problem.max_clauses} allows."
        )
    return wanted
