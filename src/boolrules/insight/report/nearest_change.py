"""The least change of a row's values that gives it another answer, found exactly.

Fewest columns first, then the least change relative to their spread, among values that occur in
the data. The page has a twin of this in JavaScript, ``templates/nearest_change.js``; tests hold
the two equal, and both against brute force.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boolrules.rules import Condition, Form, Relation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from boolrules.insight.report.domain import Cell, Domain
    from boolrules.rules.clause import Label
    from boolrules.rules.decision_list import Decision, DecisionList

MOST_NODES = 200_000

# A condition and whether it must hold; all of a group's must be so; one of the groups must be.
Literal = tuple[Condition, bool]
Group = list[Literal]
Demand = list[Group]


@dataclass(frozen=True, slots=True)
class NearestChange:
    """What to change for another answer.

    Parameters
    ----------
    values : dict or None
        New values by column; None if no change was found.
    cost : int
        How large the changes are, in millionths of a spread; the second thing that was minimised.
    is_proved : bool
        Whether the search ended: then nothing smaller exists, or with None nothing at all.
    """

    values: dict[str, Cell] | None
    cost: int
    is_proved: bool


def nearest_change(
    decisions: DecisionList,
    domains: Sequence[Domain],
    row: Mapping[str, Cell],
    wanted: Label,
    kept: Collection[str] = (),
) -> NearestChange:
    """Find the least change of a row that gives it the wanted answer.

    Parameters
    ----------
    decisions : DecisionList
        The rules.
    domains : sequence of Domain
        What each column that they read may be changed to.
    row : mapping
        A number, text or None (missing) by column; true and false are 1 and 0.
    wanted : label
        The answer.
    kept : collection of str
        Columns that may not be changed.

    Examples
    --------
    >>> from boolrules import Clause, RuleSet
    >>> from boolrules.insight.report.domain import Domain
    >>> from boolrules.rules.decision_list import DecisionList
    >>> from boolrules._support.table import Kind
    >>> old, rich = Condition("age", Relation.GT, 60), Condition("income", Relation.GT, 50)
    >>> rules = RuleSet((Clause((old, rich)),), positive="yes", negative="no")
    >>> domains = [
    ...     Domain("age", Kind.NUMERIC, True, ranges=((18, 60), (61, 90)), spread=20),
    ...     Domain("income", Kind.NUMERIC, True, ranges=((10, 50), (52, 99)), spread=30),
    ... ]
    >>> decisions, row = DecisionList.of_rule_set(rules), {"age": 40, "income": 80}
    >>> nearest_change(decisions, domains, row, "yes").values
    {'age': 61}
    >>> nearest_change(decisions, domains, row, "yes", kept=["age"]).values is None
    True
    """
    ways = list(_ways(decisions, wanted))
    search = _Search([d for d in domains if d.feature not in kept], row, ways)
    for n_changes in range(len(search.free) + 1):
        for way in ways:
            search.visit(way, n_changes, 0, {})
        if search.best is not None or search.n_nodes > MOST_NODES:
            break
    return NearestChange(search.best, search.best_cost, search.n_nodes <= MOST_NODES)


def holds(condition: Condition, value: Cell) -> bool:
    """Whether a condition is true of one value; every comparison with "missing" is false."""
    if condition.relation in (Relation.IS_NULL, Relation.IS_NOT_NULL):
        return (value is None) == (condition.relation is Relation.IS_NULL)
    if value is None or value in condition.except_values:
        return False
    match condition.relation, condition.value:
        case Relation.EQ, other:
            return value == other
        case Relation.NE, other:
            return value != other
        case Relation.LE, float(other) | int(other):
            return not isinstance(value, str) and value <= other
        case Relation.GT, float(other) | int(other):
            return not isinstance(value, str) and value > other
        case relation, (low, high) if not isinstance(value, str):
            return (low < value <= high) == (relation is Relation.IN)
    return False


class _Search:
    """Depth first: take a demand that is not met and change one column to meet it."""

    def __init__(
        self, domains: Sequence[Domain], row: Mapping[str, Cell], ways: Sequence[list[Demand]]
    ) -> None:
        self.best: dict[str, Cell] | None = None
        self.best_cost = 0
        self.n_nodes = 0
        self._truth: dict[Condition, bool] = {}
        by_feature: dict[str, list[Condition]] = {}
        for condition in _conditions(ways):
            self._truth[condition] = holds(condition, row[condition.feature])
            by_feature.setdefault(condition.feature, []).append(condition)
        self.free = {
            d.feature: self._options(d, row[d.feature], by_feature[d.feature])
            for d in domains
            if d.feature in by_feature
        }
        self._places = {feature: place for place, feature in enumerate(self.free)}

    def _options(
        self, domain: Domain, value: Cell, conditions: Sequence[Condition]
    ) -> list[tuple[int, Cell, dict[Condition, bool]]]:
        """List the changes of one column that rules can tell apart, the cheapest first."""
        seen = [{c: self._truth[c] for c in conditions}]
        options = []
        for other, cost in sorted(domain.changes(value), key=lambda change: change[1]):
            truth = {c: holds(c, other) for c in conditions}
            if truth not in seen:
                seen.append(truth)
                options.append((cost, other, truth))
        return options

    def visit(
        self, demands: Sequence[Demand], n_left: int, cost: int, changed: dict[str, Cell]
    ) -> None:
        """Search all changes of at most ``n_left`` further columns."""
        self.n_nodes += 1
        if self.n_nodes > MOST_NODES:
            return
        unmet = [demand for demand in demands if not self._is_met(demand)]
        if not unmet:
            if self.best is None or cost < self.best_cost:
                self.best, self.best_cost = dict(changed), cost
            return
        least_changes, least_cost = self._bound(unmet, changed)
        if least_changes > n_left:
            return
        if self.best is not None and cost + least_cost >= self.best_cost:
            return
        for more, feature, place in self._moves(unmet[0], changed):
            _, value, truth = self.free[feature][place]
            before = {condition: self._truth[condition] for condition in truth}
            self._truth.update(truth)
            changed[feature] = value
            self.visit(demands, n_left - 1, cost + more, changed)
            del changed[feature]
            self._truth.update(before)

    def _is_met(self, demand: Demand) -> bool:
        return any(all(self._truth[c] == must for c, must in group) for group in demand)

    def _moves(self, demand: Demand, changed: Mapping[str, Cell]) -> list[tuple[int, str, int]]:
        """List (cost, column, option), one of which every solution contains."""
        moves: dict[tuple[str, int], int] = {}
        for group in demand:
            feature = next(c.feature for c, must in group if self._truth[c] != must)
            if feature not in changed and feature in self.free:
                for place in self._helpful(group, feature):
                    moves[feature, place] = self.free[feature][place][0]
        ordered = sorted((cost, self._places[f], place) for (f, place), cost in moves.items())
        names = list(self.free)
        return [(cost, names[f], place) for cost, f, place in ordered]

    def _helpful(self, group: Group, feature: str) -> Iterator[int]:
        """Yield the options of a column under which its part of the group is as it must be."""
        own = [(c, must) for c, must in group if c.feature == feature]
        for place, (_, _, truth) in enumerate(self.free[feature]):
            if all(truth[c] == must for c, must in own):
                yield place

    def _bound(self, unmet: Sequence[Demand], changed: Mapping[str, Cell]) -> tuple[float, float]:
        """Bound changes and cost from below: demands on different columns add up."""
        n_changes, cost, taken = 0.0, 0.0, set[str]()
        for demand in unmet:
            touched: set[str] = set()
            bounds = [self._group_bound(group, changed, touched) for group in demand]
            least = min((n for n, _ in bounds), default=math.inf)
            if math.isinf(least):
                return math.inf, math.inf
            if not touched & taken:
                taken |= touched
                n_changes += least
                cost += min(c for _, c in bounds)
        return n_changes, cost

    def _group_bound(
        self, group: Group, changed: Mapping[str, Cell], touched: set[str]
    ) -> tuple[float, float]:
        failing = {c.feature for c, must in group if self._truth[c] != must}
        if any(f in changed or f not in self.free for f in failing):
            return math.inf, math.inf
        touched |= failing
        cost = 0.0
        for feature in failing:
            place = next(self._helpful(group, feature), None)
            if place is None:
                return math.inf, math.inf
            cost += self.free[feature][place][0]
        return len(failing), cost


def _ways(decisions: DecisionList, wanted: Label) -> Iterator[list[Demand]]:
    """Yield what must be met for the wanted answer: each way, one list of demands."""
    before: list[Demand] = []
    for decision in decisions.decisions:
        if decision.label == wanted:
            yield [*before, *_demands(decision, must=True)]
        else:
            before += _demands(decision, must=False)
    if decisions.otherwise == wanted:
        yield before


def _demands(decision: Decision, *, must: bool) -> list[Demand]:
    """Write "this decision holds", or "does not", as demands.

    An OR of ANDs that must hold is one demand with a group per clause; one that must not hold is
    a demand per clause, that one of its conditions fails. For an AND of ORs it is the other way
    round.
    """
    clauses = [[(c, must) for c in clause.conditions] for clause in decision.clauses]
    if (decision.form is Form.DNF) == must:
        return [clauses]
    return [[[literal] for literal in clause] for clause in clauses]


def _conditions(ways: Sequence[list[Demand]]) -> Iterator[Condition]:
    """Yield every condition once, in order of appearance."""
    yield from dict.fromkeys(
        condition
        for demands in ways
        for demand in demands
        for group in demand
        for condition, _ in group
    )
