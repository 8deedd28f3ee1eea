"""The oracle: plain, slow and obviously right.

Every clause is written out, every row is looked at, every sum is a fraction. Nothing here calls
the code under test, except to read the fields of its data types.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars
import scipy.optimize

from boolrules.data.column import IntegerDuals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from boolrules.data.column import Column, Duals
    from boolrules.data.problem import Problem
    from boolrules.data.requirement import Requirement
    from boolrules.data.training_set import TrainingSet


@dataclass(frozen=True)
class PlainClause:
    """A clause and the rows it covers, as places in P and in Z."""

    conditions: tuple[int, ...]
    covered_P: frozenset[int]
    covered_Z: frozenset[int]


@dataclass(frozen=True, eq=False)
class PlainClauses:
    """All clauses with so many conditions, as rows of arrays: for tables with long chains.

    conditions: (K, n); covered_P, covered_Z: (K, n_P), (K, n_Z); costs: (K,), reduced costs on the
    grid of the duals.
    """

    conditions: np.ndarray
    covered_P: np.ndarray
    covered_Z: np.ndarray
    costs: np.ndarray

    @classmethod
    def of(
        cls, training_set: TrainingSet, problem: Problem, duals: IntegerDuals, longest: int
    ) -> list[PlainClauses]:
        """Write out the clauses with 1, 2, … conditions that cover enough."""
        J = len(training_set.conditions)
        holds_P, holds_Z = (
            np.array(
                [[holds(training_set, j, row) for row in codes] for j in range(J)], dtype=bool
            ).reshape(J, len(codes))
            for codes in (training_set.codes_P.tolist(), training_set.codes_Z.tolist())
        )
        weights_Z = np.floor(training_set.weights_Z * duals.scale).astype(np.int64)
        counts = training_set.counts_P
        counts = np.ones(holds_P.shape[1], dtype=int) if counts is None else counts
        every = []
        for n in range(1, min(longest, J) + 1):
            conditions = np.array(list(combinations(range(J), n)))
            covered_P, covered_Z = (
                np.logical_and.reduce([holds[j] for j in conditions.T])
                for holds in (holds_P, holds_Z)
            )
            price = decimal(problem.complexity_penalty) * duals.scale + duals.lam
            price = [math.floor(price * decimal(c)) for c in _costs(problem)]
            cost = price[0] + duals.nu + price[1] * n
            costs = cost - covered_P @ duals.mu + covered_Z @ weights_Z
            is_enough = covered_P @ counts >= problem.min_coverage
            every.append(cls(*(a[is_enough] for a in (conditions, covered_P, covered_Z, costs))))
        return every


def _costs(problem: Problem) -> tuple[float, float]:
    return problem.clause_cost, problem.condition_cost


@dataclass(frozen=True)
class ExactDuals:
    """Duals as fractions."""

    mu: tuple[Fraction, ...]
    lam: Fraction
    nu: Fraction = Fraction(0)

    @classmethod
    def of(cls, duals: Duals | IntegerDuals) -> ExactDuals:
        """Read floats, or integers on their grid, without rounding."""
        if isinstance(duals, IntegerDuals):
            mu = tuple(Fraction(int(m), duals.scale) for m in duals.mu)
            return cls(mu, *(Fraction(n, duals.scale) for n in (duals.lam, duals.nu)))
        mu = tuple(Fraction(float(m)) for m in duals.mu)
        return cls(mu, Fraction(duals.lam), Fraction(duals.nu))

    def bound(self, problem: Problem) -> Fraction:
        """Σμ − Cλ − Kν."""
        paid = decimal(problem.max_complexity) * self.lam + (problem.max_clauses or 0) * self.nu
        return sum(self.mu) - paid


def decimal(number: float) -> Fraction:
    """Read a parameter as it was written: 0.1 is one tenth."""
    return Fraction(str(number))


def length(clause: Iterable[Any]) -> int:
    """How many conditions a clause counts: "ca == 1" stands for two thresholds."""
    return sum(condition.n_conditions for condition in clause)


def complexity(problem: Problem, n_clauses: int, n_conditions: int) -> Fraction:
    """Complexity of a rule set, at the problem's prices."""
    clauses = n_clauses * decimal(problem.clause_cost)
    return clauses + n_conditions * decimal(problem.condition_cost)


def holds(training_set: TrainingSet, j: int, row: Sequence[int]) -> bool:
    """Whether condition j is true on one row of bin codes."""
    code = int(row[training_set.conditions.feature[j]])
    start, stop, start_2, stop_2 = (int(end) for end in training_set.conditions.ranges[j])
    return start <= code < stop or start_2 <= code < stop_2


def clause(training_set: TrainingSet, conditions: Iterable[int]) -> PlainClause:
    """Find the rows on which all the conditions are true."""
    conditions = tuple(conditions)

    def covered(codes: np.ndarray) -> frozenset[int]:
        return frozenset(
            i
            for i, row in enumerate(codes)
            if all(holds(training_set, j, row) for j in conditions)
        )

    return PlainClause(conditions, covered(training_set.codes_P), covered(training_set.codes_Z))


def every_clause(training_set: TrainingSet, problem: Problem) -> list[PlainClause]:
    """Write out all clauses that C and D allow and that cover enough; the empty one is none."""
    return [
        PlainClause(tuple(conditions), places(on_P), places(on_Z))
        for every in _by_length(training_set, problem)
        for conditions, on_P, on_Z in zip(every[0].tolist(), *every[1:], strict=True)
    ]


def places(is_covered: np.ndarray) -> frozenset[int]:
    """Return the rows at which one is true."""
    return frozenset(np.flatnonzero(is_covered).tolist())


def _by_length(
    training_set: TrainingSet, problem: Problem
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield conditions and covered positives and zeros of all clauses of 1, 2, … conditions."""
    J, n_P = len(training_set.conditions), len(training_set.codes_P)
    rows = [*training_set.codes_P.tolist(), *training_set.codes_Z.tolist()]
    single = np.array([[holds(training_set, j, row) for row in rows] for j in range(J)])
    counts = training_set.counts_P
    counts = np.ones(n_P, dtype=int) if counts is None else counts
    for n in range(1, J + 1):
        if complexity(problem, 1, n) > decimal(problem.max_complexity):
            break
        if problem.max_conditions is not None and n > problem.max_conditions:
            break
        conditions = np.array(list(combinations(range(J), n)))
        # A row is covered when it is covered by each of the conditions alone.
        covered = np.logical_and.reduce([single[j] for j in conditions.T])
        is_enough = covered[:, :n_P] @ counts >= problem.min_coverage
        yield conditions[is_enough], covered[is_enough, :n_P], covered[is_enough, n_P:]


def simplest_clauses(training_set: TrainingSet, problem: Problem) -> list[PlainClause]:
    """Of the clauses that cover the same rows, keep one with the fewest conditions."""
    simplest: dict[bytes, PlainClause] = {}
    for conditions, covered_P, covered_Z in _by_length(training_set, problem):
        used = [np.isin(conditions, group).any(axis=1) for group in map(list, problem.required)]
        facts = np.packbits(np.column_stack([covered_P, covered_Z, *used]), axis=1)
        for k in np.sort(np.unique(facts, axis=0, return_index=True)[1]).tolist():
            one = PlainClause(
                tuple(conditions[k].tolist()), places(covered_P[k]), places(covered_Z[k])
            )
            simplest.setdefault(facts[k].tobytes(), one)
    return list(simplest.values())


def groups_of(problem: Problem, k: PlainClause) -> frozenset[int]:
    """Which of the required groups of conditions a clause has one of."""
    return frozenset(
        place for place, group in enumerate(problem.required) if set(group) & set(k.conditions)
    )


def cost(training_set: TrainingSet, problem: Problem, k: PlainClause) -> Fraction:
    """Coefficient of a clause in eq. (1): weight of the covered zeros, plus any penalty."""
    zeros = sum((Fraction(float(training_set.weights_Z[i])) for i in k.covered_Z), Fraction(0))
    return zeros + decimal(problem.complexity_penalty) * complexity(problem, 1, len(k.conditions))


def reduced_cost(
    training_set: TrainingSet, problem: Problem, duals: ExactDuals, k: PlainClause
) -> Fraction:
    """Eq. (5)."""
    covered = sum((duals.mu[i] for i in k.covered_P), Fraction(0))
    paid = duals.lam * complexity(problem, 1, len(k.conditions)) + duals.nu
    return cost(training_set, problem, k) - covered + paid


def reduced_costs(
    training_set: TrainingSet, problem: Problem, duals: ExactDuals
) -> list[tuple[Fraction, Fraction]]:
    """Reduced cost and complexity of a simplest clause for each set of covered rows.

    A longer clause that covers the same rows has the same reduced cost plus λ and penalty for each
    further condition, and is left out; where reduced costs are negative its ratio rc / c is no
    lower either.
    """
    return [
        (
            reduced_cost(training_set, problem, duals, k),
            complexity(problem, 1, len(k.conditions)),
        )
        for k in simplest_clauses(training_set, problem)
    ]


def least_reduced_cost(
    training_set: TrainingSet, problem: Problem, duals: ExactDuals
) -> Fraction | None:
    """z_CG of eq. (6): the least over every clause, None where there is no clause."""
    return min((rc for rc, _ in reduced_costs(training_set, problem, duals)), default=None)


def least_ratio(training_set: TrainingSet, problem: Problem, duals: ExactDuals) -> Fraction:
    """The least rc / c over every clause, as far as it is negative: what λ lacks."""
    every = reduced_costs(training_set, problem, duals)
    return min((rc / c for rc, c in every if rc < 0), default=Fraction(0))


def objective(
    training_set: TrainingSet, problem: Problem, rule_set: Sequence[PlainClause]
) -> Fraction:
    """Eq. (1): positives that no clause covers, and each clause's cost."""
    covered = frozenset().union(*(k.covered_P for k in rule_set))
    missed = set(range(len(training_set.weights_P))) - covered
    loss = sum((Fraction(float(training_set.weights_P[i])) for i in missed), Fraction(0))
    return loss + sum((cost(training_set, problem, k) for k in rule_set), Fraction(0))


def objective_of_columns(
    training_set: TrainingSet, problem: Problem, columns: Iterable[Column]
) -> Fraction:
    """Eq. (1) of columns, from nothing but the conditions that they name."""
    return objective(
        training_set, problem, [clause(training_set, column.clause) for column in columns]
    )


def optimum(
    training_set: TrainingSet, problem: Problem, given: Sequence[Sequence[int]] = ()
) -> Fraction:
    """The least value of eqs. (1)-(4) over every rule set within the budget that has some clauses.

    Take or leave each clause in turn. Rule sets that cover the same positives with as many
    clauses and conditions differ only in what their zeros cost, so the cheapest stands for all.
    """
    C = decimal(problem.max_complexity)
    first = [clause(training_set, conditions) for conditions in given]
    covered_P = frozenset[int]().union(*(k.covered_P for k in first))
    used = frozenset[int]().union(*(groups_of(problem, k) for k in first))
    start = (covered_P, used, len(first), sum(len(k.conditions) for k in first))
    cheapest = {start: sum((cost(training_set, problem, k) for k in first), Fraction(0))}
    for k in simplest_clauses(training_set, problem):
        price = cost(training_set, problem, k)
        groups = groups_of(problem, k)
        for (covered, used, n_clauses, n_conditions), paid in list(cheapest.items()):
            n_more = n_conditions + len(k.conditions)
            larger = (covered | k.covered_P, used | groups, n_clauses + 1, n_more)
            if complexity(problem, n_clauses + 1, n_more) > C:
                continue
            if problem.max_clauses is not None and n_clauses + 1 > problem.max_clauses:
                continue
            if larger not in cheapest or paid + price < cheapest[larger]:
                cheapest[larger] = paid + price
    weights = [Fraction(float(w)) for w in training_set.weights_P]
    return min(
        paid + sum((w for i, w in enumerate(weights) if i not in covered), Fraction(0))
        for (covered, used, _, _), paid in cheapest.items()
        if len(used) == len(problem.required)
    )


def master_lp(training_set: TrainingSet, problem: Problem) -> float:
    """The value of eqs. (1)-(3) over every clause, by scipy."""
    clauses = simplest_clauses(training_set, problem)
    n_P = len(training_set.weights_P)
    # The solver's tolerances are absolute, so that it gets to see weights of about one.
    unit = training_set.total_weight / (n_P + len(training_set.weights_Z))
    costs = [float(cost(training_set, problem, k)) / unit for k in clauses]
    coverage = np.zeros((n_P, n_P + len(clauses)))
    coverage[:, :n_P] = np.eye(n_P)
    for place, k in enumerate(clauses):
        coverage[sorted(k.covered_P), n_P + place] = 1.0
    complexities = [float(complexity(problem, 1, len(k.conditions))) for k in clauses]
    K = len(clauses) if problem.max_clauses is None else problem.max_clauses
    ones = [*[0.0] * n_P, *[1.0] * len(clauses)]
    solved = scipy.optimize.linprog(
        c=[*(training_set.weights_P / unit), *costs],
        A_ub=np.vstack([-coverage, [*[0.0] * n_P, *complexities], ones]),
        b_ub=[*[-1.0] * n_P, float(problem.max_complexity), float(K)],
    )
    assert solved.status == 0, solved.message
    return float(solved.fun) * unit


def every_cut(
    frame: polars.DataFrame,
    special: Sequence[float] = (),
    is_allowed: Callable[..., bool] = lambda *_: True,
) -> dict[tuple[str, str, Any], list[bool]]:
    """Return on which rows of a table each condition holds, whatever its threshold.

    By column, sign and value; for a cut, the highest value below it.
    """
    truths = {}
    for name in frame.columns:
        values = [None if v is None or v != v else v for v in frame[name].to_list()]
        numbers = {v for v in values if v is not None}
        if frame[name].dtype == polars.Float64:
            measured = sorted(numbers - set(special))
            for low in measured[:-1]:
                truths[name, "<=", low] = [v in measured and v <= low for v in values]
                truths[name, ">", low] = [v in measured and v > low for v in values]
            equal_to = sorted(numbers & set(special))
            is_negated = True
        else:
            equal_to = sorted(numbers) if len(numbers) > 1 else []
            # Of two categories, not to be the one is to be the other.
            is_negated = len(numbers) > 2
        for value in equal_to:
            truths[name, "==", value] = [v == value for v in values]
            if is_negated:
                truths[name, "!=", value] = [v is not None and v != value for v in values]
        if None in values:
            truths[name, "is null", None] = [v is None for v in values]
            truths[name, "is not null", None] = [v is not None for v in values]
    return {key: holds for key, holds in truths.items() if is_allowed(*key)}


def is_true(condition: Any, value: Any) -> bool:
    """Whether a condition holds for one value of its column; a missing one meets none but null."""
    is_null = value is None or value != value
    relation, wanted = str(condition.relation), condition.value
    if relation in ("is null", "is not null"):
        return is_null == (relation == "is null")
    if is_null or value in condition.except_values:
        return False
    if relation in ("in", "not in"):
        return (wanted[0] < value <= wanted[1]) == (relation == "in")
    return {
        "<=": lambda: value <= wanted,
        ">": lambda: value > wanted,
        "==": lambda: value == wanted,
        "!=": lambda: value != wanted,
    }[relation]()


def groups_meant(requirement: Requirement, frame: polars.DataFrame) -> list[list[int]]:
    """Rows of each group that a requirement speaks of; those without a value are a group."""
    where, name = requirement.where, requirement.within or requirement.between
    if where is None and name is None:
        return [list(range(len(frame)))]
    column = frame[name if where is None else where[0]].to_list()
    values = [None if v is None or v != v else v for v in column]
    if where is not None:
        return [[i for i, v in enumerate(values) if v == where[1]]]
    groups: dict[Any, list[int]] = {}
    for i, value in enumerate(values):
        groups.setdefault(value, []).append(i)
    return list(groups.values())


def is_met(
    requirement: Requirement,
    frame: polars.DataFrame,
    is_positive: Sequence[bool],
    counts: Sequence[Fraction],
    times: Sequence[int],
    spare: Fraction = Fraction(0),
) -> bool:
    """Whether a requirement is met where each row is mistaken so many times.

    ``spare`` is how much of all rows' weight a sum may lie beyond its limit; less than nothing
    asks for more.
    """
    measure = str(requirement.measure)
    better = 1 if measure in ("recall", "precision") else -1
    limit = decimal(requirement.limit) + better * decimal(requirement.margin)
    spare = spare * sum(counts)
    mistaken = [count * n for count, n in zip(counts, times, strict=True)]
    parts = []
    for rows in groups_meant(requirement, frame):
        P = [i for i in rows if is_positive[i]]
        Z = [i for i in rows if not is_positive[i]]
        parts.append(tuple(sum(v[i] for i in s) for v, s in ((counts, P), (counts, Z))))
        parts[-1] += tuple(sum(mistaken[i] for i in side) for side in (P, Z))
    if measure in ("equal opportunity", "equalised odds"):
        shares = [(missed, n) for n, _, missed, _ in parts if n]
        pairs = list(permutations(shares, 2))
        if measure == "equalised odds":
            pairs += permutations([(covered, n) for _, n, _, covered in parts if n], 2)
        return all(a * m - b * n <= limit * n * m + spare * (n + m) for (a, n), (b, m) in pairs)
    for n_P, n_Z, missed, covered in parts:
        caught = n_P - missed
        over = {
            "recall": limit * n_P - caught,
            "precision": limit * (caught + covered) - caught,
            "missed": missed - limit,
            "covered": covered - limit,
            "flagged": caught + covered - limit,
            "flagged share": caught + covered - limit * (n_P + n_Z),
        }[measure]
        if over > spare:
            return False
    return True


@dataclass(frozen=True, eq=False)
class PlainTask:
    """A table, what mistakes on its rows cost and count, and which rule sets there are.

    conditions: those on offer. given: clauses that stay. required: groups of conditions, one of
    each of which is used. problem: limits and prices of whole rule sets.
    """

    frame: polars.DataFrame
    is_positive: Sequence[bool]
    costs: Sequence[Fraction]
    counts: Sequence[Fraction]
    form: str
    conditions: Sequence[Any]
    problem: Problem
    given: Sequence[Sequence[Any]] = ()
    required: Sequence[Sequence[Any]] = ()

    def decides(self, clause: Iterable[Any]) -> list[bool]:
        """On which rows a clause is true in DNF, or false in CNF."""
        wanted = self.form == "dnf"
        truths = [
            [is_true(c, v) is wanted for v in self.frame[c.feature].to_list()] for c in clause
        ]
        return [all(row) for row in zip(*truths, strict=True)]

    def mistakes(self, clauses: Iterable[Iterable[Any]]) -> list[int]:
        """How often each row is mistaken: missed once, or once for each clause that decides it."""
        decided = [sum(row) for row in zip(*map(self.decides, clauses), strict=True)]
        return self._mistakes(decided or [0] * len(self.frame))

    def _mistakes(self, decided: Iterable[int]) -> list[int]:
        decided = zip(decided, self._should, strict=True)
        return [int(n == 0) if should else int(n) for n, should in decided]

    @property
    def _should(self) -> list[bool]:
        """Which rows some clause should decide."""
        return [bool(positive) is (self.form == "dnf") for positive in self.is_positive]

    def objective(self, clauses: Sequence[Sequence[Any]]) -> Fraction:
        """Eq. (1) of a whole rule set."""
        lengths = [length(clause) for clause in clauses]
        paid = decimal(self.problem.complexity_penalty) * self._complexity(lengths)
        times = self.mistakes(clauses)
        return sum((c * n for c, n in zip(self.costs, times, strict=True)), paid)

    def meets(
        self,
        requirements: Iterable[Requirement],
        times: Sequence[int],
        spare: Fraction = Fraction(0),
    ) -> bool:
        """Whether requirements are met, however mistakes are counted."""
        once = [min(n, 1) for n in times]
        return all(
            is_met(one, self.frame, self.is_positive, self.counts, counted, spare)
            for one in requirements
            for counted in (times, once)
        )

    def optimum(
        self, requirements: Sequence[Requirement], spare: Fraction = Fraction(0)
    ) -> Fraction | None:
        """The least objective of all rule sets that meet requirements; None where none does.

        Take or leave each clause in turn. Clauses that decide the same rows and use as much that
        is required are alike: of them, as many of the shortest are kept as fit into a rule set.
        """
        problem, n_rows = self.problem, len(self.frame)
        first = np.array([self.decides(clause) for clause in self.given], dtype=int)
        first = first.reshape(len(self.given), n_rows).sum(axis=0)
        taken = self._complexity([len(clause) for clause in self.given])
        clauses = self._distinct_clauses(decimal(problem.max_complexity) - taken)
        penalty = decimal(problem.complexity_penalty)
        # Everything in whole numbers of a common unit.
        prices = [decimal(price) for price in _costs(problem)]
        unit = math.lcm(*(f.denominator for f in [*self.costs, *prices, penalty]))
        unit *= penalty.denominator
        costs = np.array([int(cost * unit) for cost in self.costs])
        sizes = np.array([int(c * unit) for _, c, _ in clauses], dtype=int)
        paid = np.array([int(penalty * c * unit) for _, c, _ in clauses], dtype=int)
        covers = np.array([cover for cover, _, _ in clauses], dtype=int)
        covers = covers.reshape(len(clauses), n_rows)
        should = np.array(self._should)
        best: list[int] = []

        def offer(decided: np.ndarray, used: frozenset[int], value: int) -> None:
            if (best and value >= best[-1]) or len(used) < len(self.required):
                return
            if self.meets(requirements, self._mistakes(decided.tolist()), spare):
                best.append(value)

        def search(
            start: int, room: int, n_left: int, decided: np.ndarray, used: Any, loss: int
        ) -> None:
            """Add one clause, or several, from ``start`` on; ``loss`` is the penalty so far."""
            fits = start + np.flatnonzero(sizes[start:] <= room)
            if not len(fits) or not n_left:
                return
            after = decided + covers[fits]
            wrongly = np.where(should, 0, after) @ costs + loss + paid[fits]
            values = wrongly + (should & (after == 0)) @ costs
            for place in np.argsort(values, kind="stable").tolist():
                if best and values[place] >= best[-1]:
                    break
                offer(after[place], used | clauses[fits[place]][2], int(values[place]))
            for place, k in enumerate(fits.tolist()):
                if best and wrongly[place] >= best[-1]:
                    continue
                more = loss + int(paid[k])
                left = room - int(sizes[k])
                search(k + 1, left, n_left - 1, after[place], used | clauses[k][2], more)

        used = frozenset().union(*map(self._uses, self.given))
        room = int((decimal(problem.max_complexity) - taken) * unit)
        loss = int(penalty * taken * unit)
        offer(first, used, int(np.dot(self._mistakes(first.tolist()), costs)) + loss)
        n_left = (problem.max_clauses or n_rows + len(self.given)) - len(self.given)
        search(0, room, n_left, first, used, loss)
        return Fraction(best[-1], unit) if best else None

    def _complexity(self, lengths: Sequence[int]) -> Fraction:
        return complexity(self.problem, len(lengths), sum(lengths))

    def _uses(self, clause: Iterable[Any]) -> frozenset[int]:
        conditions = set(clause)
        return frozenset(n for n, group in enumerate(self.required) if conditions & set(group))

    def _distinct_clauses(
        self, room: Fraction
    ) -> list[tuple[tuple[bool, ...], Fraction, frozenset[int]]]:
        """What each clause decides, its complexity, and what it uses; the shortest first."""
        is_asked = [s and n > 0 for s, n in zip(self._should, self.counts, strict=True)]
        single = np.array([self.decides([c]) for c in self.conditions], dtype=bool)
        alike: dict[Any, list[Fraction]] = {}
        longest = self.problem.max_conditions or len(self.conditions)
        for n in range(1, min(longest, len(self.conditions)) + 1):
            if self._complexity([n]) > room:
                break
            most = room // self._complexity([1])
            places = np.array(list(combinations(range(len(self.conditions)), n)))
            covers = np.logical_and.reduce([single[j] for j in places.T])
            enough = covers @ np.array(is_asked, dtype=int) >= self.problem.min_coverage
            for conditions, cover in zip(places[enough].tolist(), covers[enough], strict=True):
                used = (
                    self._uses([self.conditions[j] for j in conditions]) if self.required else ()
                )
                same = alike.setdefault((cover.tobytes(), frozenset(used)), [])
                if len(same) < most:
                    same.append(self._complexity([n]))
        listed = [
            (tuple(np.frombuffer(cover, dtype=bool).tolist()), c, used)
            for (cover, used), same in alike.items()
            for c in same
        ]
        return sorted(listed, key=lambda one: one[1])
