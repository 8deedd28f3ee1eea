"""Columns and conditions that rules must use, looked up among the conditions of a table.

Owns which conditions a text stands for, and whether rules that use them fit the limits. How they
are asked for is in ``constraints``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from boolrules.data.conditions import nearest, places_meant, places_on
from boolrules.data.constraints import read_list
from boolrules.rules.mention import Mention

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boolrules.data.encoding import TableEncoding
    from boolrules.data.problem import Problem
    from boolrules.rules import Clause, Condition


def with_required(
    problem: Problem, required: Iterable[str], encoding: TableEncoding, given: Sequence[Clause]
) -> Problem:
    """Look up what must be used, but for what the given clauses have.

    A clause that covers nothing would use it in name only, so each must then cover a row.
    """
    there = [condition for clause in given for condition in clause.conditions]
    names = [feature.name for feature in encoding.features]
    groups = required_groups(required, names, encoding.conditions, there)
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


def required_groups(
    required: Iterable[str],
    names: Sequence[str],
    conditions: Sequence[Condition],
    there: Sequence[Condition] = (),
) -> tuple[tuple[int, ...], ...]:
    """Return, for each name of a column or text of a condition, the places of what it stands for.

    Left out is what is ``there`` already.

    Examples
    --------
    >>> from boolrules.rules import Condition, Relation
    >>> conditions = [Condition("age", Relation.LE, 35), Condition("age", Relation.GT, 35)]
    >>> required_groups(["age"], ["age"], conditions)
    ((0, 1),)
    >>> required_groups(["age", "age > 35"], ["age"], conditions)
    ((1,),)
    """
    groups = []
    for one in read_list("required", required, str):
        mention = None if one in names else _mentioned(one, names)

        def is_meant(condition: Condition, one: str = one, mention: Any = mention) -> bool:
            return condition.feature == one if mention is None else mention.means(condition)

        if mention is not None and len(mention.conditions) > 1:
            raise ValueError(
                f"required has {one!r:.80}, which stands for any of {len(mention.conditions)} "
                "conditions. Name the one that must be used, or its column."
            )
        group = tuple(
            places_on(conditions, one) if mention is None else places_meant(conditions, mention)
        )
        if any(map(is_meant, there)):
            continue
        if not group:
            if mention is None:
                raise ValueError(
                    f"required has {one!r:.80}, a column without a condition that may be used: it "
                    "is constant, or the constraints leave none. Leave it out, or loosen them."
                )
            raise ValueError(
                f"required has {one!r:.80}, which is not one of the {len(conditions)} conditions "
                f"of this table. The nearest is {nearest(conditions, mention)!r}."
            )
        groups.append(group)
    # Who has one of the smaller group has one of the larger.
    distinct = list(dict.fromkeys(groups))
    return tuple(g for g in distinct if not any(set(other) < set(g) for other in distinct))


def _mentioned(text: str, names: Sequence[str]) -> Mention:
    try:
        return Mention.of(text, names)
    except ValueError as error:
        raise ValueError(
            f"required has {text!r:.80}, which is neither a column nor a condition: {error}"
        ) from None
