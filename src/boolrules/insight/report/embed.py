"""Conditions, clauses and decisions by number, as the page's JavaScript reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules.insight.report.facts import DecisionFacts
from boolrules.rules import Form

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from boolrules._support.table import Table
    from boolrules.insight.report.domain import Domain
    from boolrules.rules import Clause, Condition
    from boolrules.rules.clause import Label
    from boolrules.rules.decision_list import DecisionList

Places = dict["Condition", int]


def number_conditions(lists: Iterable[DecisionList]) -> Places:
    """Number every condition of any list of decisions, in order of appearance."""
    found = dict.fromkeys(
        condition
        for decisions in lists
        for decision in decisions.decisions
        for clause in decision.clauses
        for condition in clause.conditions
    )
    return {condition: place for place, condition in enumerate(found)}


def plain_conditions(places: Places, domains: Sequence[Domain]) -> list[dict[str, Any]]:
    """Write the conditions for the page; true and false are 1 and 0 there."""
    features = {domain.feature: place for place, domain in enumerate(domains)}
    return [
        {
            "feature": features[condition.feature],
            "relation": str(condition.relation),
            "value": _plain_value(condition.value),
            "except_values": list(condition.except_values),
            "text": str(condition),
        }
        for condition in places
    ]


def count_holding(
    places: Places, table: Table, labels: NDArray[np.int64], n_classes: int
) -> list[list[int]]:
    """Count for each condition the rows of each class on which it holds."""
    holding = [labels[condition.holds(table[condition.feature])] for condition in places]
    return [np.bincount(own, minlength=n_classes).tolist() for own in holding]


def count_groups(
    groups: Sequence[Sequence[Condition]],
    form: Form,
    table: Table,
    labels: NDArray[np.int64],
    n_classes: int,
) -> list[list[int]]:
    """Count for each group of conditions of a clause the rows of each class on which it holds."""
    join = np.logical_and if form is Form.DNF else np.logical_or
    holding = [join.reduce([c.holds(table[c.feature]) for c in group]) for group in groups]
    return [np.bincount(labels[own], minlength=n_classes).tolist() for own in holding]


def plain_decisions(
    decisions: DecisionList, places: Places, labels: Mapping[Label, int]
) -> tuple[list[DecisionFacts], int]:
    """Write decisions for the page: the list, and the label where none of them holds."""
    plain = [
        DecisionFacts(
            str(decision.form),
            [plain_clause(clause, places) for clause in decision.clauses],
            labels[decision.label],
        )
        for decision in decisions.decisions
    ]
    return plain, labels[decisions.otherwise]


def plain_clause(clause: Clause, places: Places) -> list[int]:
    """Write a clause as the places of its conditions."""
    return [places[condition] for condition in clause.conditions]


def _plain_value(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return int(value) if isinstance(value, bool) else value
