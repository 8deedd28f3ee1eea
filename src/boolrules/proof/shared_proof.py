"""Proofs for many complexities at once: duals and listed clauses of one serve all others.

Duals found at one complexity are feasible at another too, but for the longest clauses, and a
complete list of clauses shows whether they are. Their bound falls by λ per unit of complexity. So
each point of a path may rest on the duals of any other, and one list may prove several points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.column import EXACT_BITS
from boolrules.proof.gap import (
    can_be_searched,
    most_that_fit,
    next_bound,
    provable_bound,
    search_columns,
    slack_below,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules._support.budget import Budget
    from boolrules.data.column import IntegerDuals
    from boolrules.data.problem import Problem
    from boolrules.proof.gap import Clauses, Shorten
    from boolrules.search.branch_and_bound import BranchAndBound

# How much more than it needs a list takes in, for the sake of the points to come.
WIDER = 1.25
MOST_LISTINGS = 4
# A gap, in units of complexity, that is closed at one go and not from below in growing steps.
LITTLE_EFFORT = 1.0


@dataclass(frozen=True, slots=True)
class Step:
    """What one search came to: a better rule set, or a bound and the duals that it rests on."""

    better: Clauses | None = None
    bound: float | None = None
    duals: IntegerDuals | None = None


@dataclass(frozen=True, slots=True)
class _Listing:
    """Every clause of reduced cost at most ``slack`` under some duals."""

    duals: IntegerDuals
    slack: int
    clauses: Clauses


class SharedProof:
    """Bounds for problems that differ in ``max_complexity`` alone.

    Parameters
    ----------
    search : BranchAndBound
        Over the problem of greatest complexity: clauses are listed for it, to serve all others.
    known : tuple of clauses
        Duals under which one of them has negative reduced cost are not tried.
    shorten
        Asked to drop clauses from long searches, as in ``search_the_gap``.
    """

    def __init__(
        self, search: BranchAndBound, known: Clauses = (), shorten: Shorten | None = None
    ) -> None:
        self._training_set = search.training_set
        self._largest = search
        self._known_clauses = known
        self._shorten = shorten
        self._lengths = np.array([len(f) for f in known], dtype=np.int64)
        self._sums: dict[int, NDArray[np.int64]] = {}
        self._duals: list[IntegerDuals] = []
        self._listings: list[_Listing] = []

    def add(self, duals: IntegerDuals) -> None:
        """Learn of duals that may be feasible."""
        self._duals.append(duals)

    def raise_bound(
        self, problem: Problem, objective: float, bound: float | None, budget: Budget
    ) -> Step | None:
        """Prove a higher bound than ``bound``, or find what is better than ``objective``.

        None where neither succeeds within the budget.
        """
        goal = provable_bound(self._training_set, problem, objective)
        usable = [
            duals
            for duals in self._duals
            if can_be_searched(problem, duals) and self._may_be_feasible(duals, problem)
        ]
        for duals in sorted(usable, key=lambda duals: self._effort(duals, problem, goal)):
            if budget.is_spent:
                return None
            target = next_bound(self._training_set, problem, duals, bound, goal)
            if self._effort(duals, problem, goal) <= LITTLE_EFFORT:
                target = goal
            step = self._search(problem, duals, target, budget)
            if step is not None:
                return step
        return None

    def _may_be_feasible(self, duals: IntegerDuals, problem: Problem) -> bool:
        """Whether no known clause that the problem allows has negative reduced cost."""
        if not len(self._lengths):
            return True
        if id(duals) not in self._sums:
            M, N = self._training_set.sums(self._known_clauses, duals)
            self._sums[id(duals)] = N - M
        clause_price, condition_price = duals.prices(problem)
        longest = problem.longest_clause
        is_allowed = self._lengths <= (longest or self._lengths.max())
        costs = clause_price + condition_price * self._lengths + self._sums[id(duals)]
        return bool((costs >= 0)[is_allowed].all())

    def _slack(self, duals: IntegerDuals, problem: Problem, bound: float) -> int:
        return max(0, slack_below(self._training_set, problem, duals, bound))

    def _effort(self, duals: IntegerDuals, problem: Problem, bound: float) -> float:
        """What lies between the dual bound and ``bound``, in units of complexity.

        The number of clauses to list grows with it; nothing, where they are listed already.
        """
        slack = self._slack(duals, problem, bound)
        return -1.0 if self._known(duals, slack) is not None else slack / max(duals.lam, 1)

    def _search(
        self, problem: Problem, duals: IntegerDuals, bound: float, budget: Budget
    ) -> Step | None:
        is_last = problem.max_complexity >= self._largest.problem.max_complexity
        wider = 1.0 if is_last else WIDER
        listed = self._listed(duals, self._slack(duals, problem, bound), wider, budget)
        if listed is None:
            return None
        longest = problem.longest_clause
        clauses = tuple(f for f in listed if longest is None or len(f) <= longest)
        outcome = search_columns(
            self._training_set,
            problem,
            duals,
            clauses,
            bound,
            budget,
            self._largest.most_nodes,
            self._largest.n_threads,
            self._shorten,
        )
        if outcome.is_proved:
            return Step(bound=bound, duals=duals)
        return None if outcome.better is None else Step(better=outcome.better)

    def _known(self, duals: IntegerDuals, slack: int) -> Clauses | None:
        for listing in self._listings:
            if listing.duals is duals and slack <= listing.slack:
                return listing.clauses
        return None

    def _listed(
        self, duals: IntegerDuals, slack: int, factor: float, budget: Budget
    ) -> Clauses | None:
        """Return all clauses of reduced cost up to ``slack``; None if they cannot be listed.

        Up to so many times as much are listed, for points to come, if they can be.
        """
        known = self._known(duals, slack)
        if known is not None:
            return known
        wider = int(slack * factor)
        if wider >= 2 ** (EXACT_BITS + 1):
            # More than any loss: nothing to prove.
            return None
        most = most_that_fit(self._training_set)
        listed = self._largest.enumerate(duals, wider, budget, most)
        if not listed.is_complete and wider > slack:
            wider = slack
            listed = self._largest.enumerate(duals, slack, budget, most)
        if not listed.is_complete:
            return None
        clauses = tuple(listed.clauses)
        others = [listing for listing in self._listings if listing.duals is not duals]
        self._listings = [*others, _Listing(duals, wider, clauses)][-MOST_LISTINGS:]
        return clauses
