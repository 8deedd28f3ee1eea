"""Neighbouring conditions on one column written as one: "0 < age <= 5", "job not in {'a', 'b'}".

Only where the text says exactly what the conditions do, on every value, and reads back as the
same ones in the same order. What is counted stays: two conditions are two in complexity.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from boolrules.rules.condition import Relation, format_value
from boolrules.rules.names import format_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boolrules.rules.condition import Condition

_LISTS = {Relation.EQ: "in", Relation.NE: "not in"}


def worded(conditions: Sequence[Condition], are_alternatives: bool) -> Iterator[str]:
    """Write conditions that are joined by AND or, as alternatives, by OR.

    Examples
    --------
    >>> from boolrules.rules.condition import Condition
    >>> jobs = [Condition("job", Relation.NE, job) for job in ("clerk", "cook")]
    >>> ages = [Condition("age", Relation.GT, 20), Condition("age", Relation.LE, 35)]
    >>> list(worded([*ages, *jobs], are_alternatives=False))
    ['20 < age <= 35', "job not in {'clerk', 'cook'}"]
    >>> list(worded(ages, are_alternatives=True))
    ['age > 20', 'age <= 35']
    """
    for group in grouped(conditions, are_alternatives):
        if len(group) == 1:
            yield str(group[0])
        else:
            yield _list(group) if group[0].relation in _LISTS else _range(*group)


def grouped(
    conditions: Sequence[Condition], are_alternatives: bool
) -> Iterator[Sequence[Condition]]:
    """Return the conditions in their order, those together that are written as one."""
    place = 0
    while place < len(conditions):
        rest = conditions[place:]
        n = _n_listed(rest, Relation.EQ if are_alternatives else Relation.NE)
        if n < 2:
            n = 2 if not are_alternatives and _is_range(rest[:2]) else 1
        yield rest[:n]
        place += n


def _n_listed(conditions: Sequence[Condition], relation: Relation) -> int:
    """How many of the first conditions compare one column with different values."""
    values: list[object] = []
    alike = itertools.takewhile(
        lambda c: c.feature == conditions[0].feature and c.relation == relation, conditions
    )
    for condition in alike:
        if condition.except_values or condition.value in values:
            break
        values.append(condition.value)
    return len(values)


def _list(conditions: Sequence[Condition]) -> str:
    values = ", ".join(format_value(condition.value) for condition in conditions)
    first = conditions[0]
    return f"{format_name(first.feature)} {_LISTS[first.relation]} {{{values}}}"


def _is_range(conditions: Sequence[Condition]) -> bool:
    if len(conditions) < 2:
        return False
    low, high = conditions
    return (
        low.feature == high.feature
        and (low.relation, high.relation) == (Relation.GT, Relation.LE)
        and not low.except_values
        and not high.except_values
        and low.value < high.value  # type: ignore[operator]
    )


def _range(low: Condition, high: Condition) -> str:
    name = format_name(low.feature)
    return f"{format_value(low.value)} < {name} <= {format_value(high.value)}"
