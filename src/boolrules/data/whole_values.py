"""Two thresholds that pick out one whole number, read as people say it: "ca == 1".

In a column of whole numbers ``ca > 0 AND ca <= 1`` picks out 1. On 0.5 it is true and ``ca == 1``
is not, so rules are given the condition that they print, and predict by it. The search has paid
for two, and a bound ranges over these: it counts as two, and is held against the two.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from boolrules._support.json import is_number
from boolrules._support.rounded import LARGEST_EXACT
from boolrules.rules import Clause, Condition, Form, Relation, RuleSet

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from boolrules.data.encoding import TableEncoding
    from boolrules.data.rows import Rows
    from boolrules.rules.condition import Value

# What is read, and the two on offer that say so: first of the number before, then of the number.
_READ = {
    Form.DNF: (Relation.EQ, Relation.GT, Relation.LE),
    Form.CNF: (Relation.NE, Relation.LE, Relation.GT),
}


def as_read(
    conditions: Iterable[Condition], form: Form, rows: Rows, encoding: TableEncoding
) -> tuple[Condition, ...]:
    """Return the conditions of a learned clause as people read them.

    Thresholds stay where a column does not hold whole numbers alone, and where what would be read
    is forbidden.
    """
    read: list[Condition] = []
    for condition in conditions:
        whole = _picked(read[-1], condition, form) if read else None
        if whole and rows.holds_whole(whole.feature) and encoding.allows(whole):
            read[-1] = whole
        else:
            read.append(condition)
    return tuple(read)


def as_offered(condition: Condition, form: Form) -> tuple[Condition, ...]:
    """Return the two conditions on offer that a condition counts as, or the condition itself.

    Examples
    --------
    >>> one = Condition("ca", Relation.EQ, 1, n_conditions=2)
    >>> [str(condition) for condition in as_offered(one, Form.DNF)]
    ['ca > 0', 'ca <= 1']
    >>> as_offered(one, Form.CNF) == (one,)  # no two joined by OR say so
    True
    """
    relation, *ends = _READ[form]
    if condition.n_conditions == 1 or condition.relation is not relation:
        return (condition,)
    assert isinstance(condition.value, int | float)
    values = float(condition.value) - 1, float(condition.value)
    return tuple(
        Condition(condition.feature, end, value) for end, value in zip(ends, values, strict=True)
    )


def clause_as_offered(clause: Clause, form: Form) -> Clause:
    """Return a clause of conditions that are on offer, if its own count as such."""
    return Clause(tuple(c for one in clause.conditions for c in as_offered(one, form)))


def as_counted(clause: Clause, form: Form, offered: Container[Condition]) -> Clause:
    """Let a number in a text count as two conditions where two thresholds on offer pick it out.

    Examples
    --------
    >>> low, high = Condition("ca", Relation.GT, 0), Condition("ca", Relation.LE, 1)
    >>> typed = Clause((Condition("ca", Relation.EQ, 1),))
    >>> typed.complexity, as_counted(typed, Form.DNF, [low, high]).complexity
    (2, 3)
    """

    def counted(condition: Condition) -> Condition:
        is_read = condition.relation is _READ[form][0] and not condition.except_values
        if not is_read or not _is_whole(condition.value) or condition in offered:
            return condition
        twice = replace(condition, n_conditions=2)
        return twice if all(c in offered for c in as_offered(twice, form)) else condition

    return Clause(tuple(map(counted, clause.as_written().conditions)))


def cut_alike(rules: RuleSet, rows: Rows) -> bool:
    """Whether what counts as two conditions is true on the same rows as the two.

    Of the numbers between the thresholds only one may be there. A row on which the number is
    equal is between them, so that it is enough to count.
    """
    wholes = [
        replace(condition, relation=Relation.EQ)
        for clause in rules.clauses
        for condition in clause.conditions
        if condition.n_conditions == 2
    ]
    if not wholes:
        return True
    both = [clause_as_offered(Clause((whole,)), Form.DNF) for whole in wholes]
    counted = rows.with_statistics(RuleSet((*(Clause((whole,)) for whole in wholes), *both)))
    covered = [statistics.covered for statistics in counted.statistics]
    return covered[: len(wholes)] == covered[len(wholes) :]


def _picked(low: Condition, high: Condition, form: Form) -> Condition | None:
    """Return the condition that is read in the place of two neighbours, if there is one."""
    relation, *ends = _READ[form]
    if low.feature != high.feature or [low.relation, high.relation] != ends:
        return None
    if low.except_values or high.except_values or not _is_whole(high.value):
        return None
    if low.value != high.value - 1:
        return None
    return Condition(low.feature, relation, int(high.value), n_conditions=2)


def _is_whole(value: Value) -> TypeGuard[float]:
    """Whether this is a whole number that floats tell from its neighbours."""
    return is_number(value) and float(value).is_integer() and abs(value) < LARGEST_EXACT  # type: ignore[arg-type]
