"""Branching: where the gap cannot be searched as a whole, it is split, and the parts proved.

The part of least bound comes first. Column generation gives it duals of its own; then the clauses
inside its gap are listed and searched, in steps from below, and if there are too many, it is split
in turn.
"""

from __future__ import annotations

import heapq
import math
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from boolrules._support.budget import clock
from boolrules.data.training_set import TrainingSet
from boolrules.proof.bound import rounded_bound
from boolrules.proof.branches import MOST_DEEP, Branch, Leaf, OfClauses, OfRow
from boolrules.proof.gap import (
    MOST_CLAUSES,
    can_be_searched,
    has_integer_objective,
    most_that_fit,
    next_bound,
    search_the_gap,
)
from boolrules.solver.master import RestrictedMaster
from boolrules.solver.pricing.in_turn import exact_search
from boolrules.solver.subset_rows import shortening

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from boolrules._support.budget import Budget
    from boolrules.data.column import IntegerDuals
    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples
    from boolrules.proof.branches import Tree
    from boolrules.proof.gap import Clauses
    from boolrules.solver.column_generation import ColumnGeneration
    from boolrules.solver.result import Iteration
    from boolrules.solver.settings import Settings

# Of what is left of the time: for the duals of one part, for listing its gap, and for that where
# positives are decided, of which there are many more.
SHARE_OF_DUALS = 0.25
SHARE_OF_LISTING = 0.8
SHARE_OF_MANY = 0.1
# A part is proved up to the goal in about so many steps.
STEPS_OF_PART = 2
# A share of a positive below which the linear program has decided it.
DECIDED = 1e-6


class _ClosedError(Exception):
    """The duals of a part prove all that is asked for."""


@dataclass(eq=False)
class _Part:
    """A branch, what is proved of it, and the parts that it was split into."""

    branch: Branch
    bound: int
    duals: IntegerDuals
    clauses: Sequence[tuple[int, ...]]
    row: int | None = None
    parts: list[_Part] = field(default_factory=list)
    # How much of each positive the linear program misses, once it was solved.
    missed: NDArray[np.float64] | None = None
    is_solved: bool = False
    is_too_long: bool = False

    def tree(self, most_clauses: int) -> Tree:
        """Return the proof of this part.

        Where it has so many clauses or more, its duals are those of each number of them: there is
        room for fewer conditions, and the bound is no lower.
        """
        if not self.parts:
            return Leaf(self.bound, self.duals)
        trees = [part.tree(most_clauses) for part in self.parts]
        if self.row is not None:
            return OfRow(self.row, *trees)
        few = self.parts[0].branch.n_clauses
        assert few is not None
        trees += [trees[-1]] * (most_clauses + 1 - few - len(trees))
        return OfClauses(few, tuple(trees))


def can_branch(training_set: Samples, problem: Problem) -> bool:
    """Whether rule sets can be split: objectives are whole, rows in memory, nothing required."""
    return (
        isinstance(training_set, TrainingSet)
        and not training_set.has_patterns
        and training_set.demands is None
        and has_integer_objective(training_set, problem)
    )


class Branching:
    """Proves a bound part by part, best bound first.

    Parameters
    ----------
    training_set, problem, settings
        What is learned, and how.
    generation : type
        What runs column generation over a part.
    goal : callable
        Returns the bound to prove: the best objective so far.
    offer : callable
        Takes a rule set below it.
    most_listed : int
        More clauses inside a gap are not searched.
    """

    def __init__(
        self,
        training_set: TrainingSet,
        problem: Problem,
        settings: Settings,
        generation: type[ColumnGeneration],
        goal: Callable[[], float],
        offer: Callable[[Clauses], bool],
        most_listed: int = MOST_CLAUSES,
    ) -> None:
        self._training_set = training_set
        self._problem = problem
        self._settings = settings
        self._generation = generation
        self._goal = goal
        self._offer = offer
        self._most_listed = most_listed

    def prove(
        self,
        duals: IntegerDuals,
        bound: int,
        clauses: Sequence[tuple[int, ...]],
        n_used: float,
        budget: Budget,
    ) -> Tree:
        """Split until every part is proved, or the budget is spent; return the tree.

        ``duals`` are those of the whole problem, ``bound`` is what they prove of it, ``clauses``
        are what column generation begins with, and ``n_used`` is how many of them the linear
        program uses, fractions added up.
        """
        root = _Part(Branch(), bound, duals, clauses)
        if self._splits_by_clauses():
            self._split_by_clauses(root, n_used)
        waiting = [(part.bound, place, part) for place, part in enumerate(root.parts or [root])]
        n_made = len(waiting)
        while waiting and waiting[0][0] < self._goal() and not budget.is_spent:
            _, place, part = heapq.heappop(waiting)
            if not part.is_solved:
                self._solve(part, budget)
            elif part.is_too_long or not self._raise(part, budget):
                part.is_too_long = True
                for child in self._split(part, root):
                    heapq.heappush(waiting, (child.bound, n_made, child))
                    n_made += 1
                continue
            heapq.heappush(waiting, (part.bound, place, part))
        return root.tree(self._problem.most_clauses)

    def _solve(self, part: _Part, budget: Budget) -> None:
        """Give a part duals of its own, unless nothing is in it that is below the goal."""
        part.is_solved = True
        problem = part.branch.problem(self._problem)
        paid = part.branch.paid(self._training_set)
        if problem is None or paid >= self._goal():
            part.bound = max(part.bound, paid if problem is not None else math.ceil(self._goal()))
            return
        run = self._generate(part, budget.share(SHARE_OF_DUALS))
        part.missed = None if run is None else self._missed(run)

    def _raise(self, part: _Part, budget: Budget) -> bool:
        """Raise the bound of a part, or lower the goal, by its list; say if that was done."""
        branch = part.branch
        problem, paid = branch.problem(self._problem), branch.paid(self._training_set)
        assert problem is not None  # or its bound is the goal
        if not can_be_searched(problem, part.duals):
            return False
        samples = branch.samples(self._training_set)
        bound = next_bound(
            samples, problem, part.duals, part.bound - paid, self._goal() - paid, STEPS_OF_PART
        )
        is_one_of_many = branch.covered or branch.missed
        outcome = search_the_gap(
            exact_search(samples, problem, self._settings),
            part.duals,
            bound,
            budget.share(SHARE_OF_MANY if is_one_of_many else SHARE_OF_LISTING),
            min(self._most_listed, most_that_fit(samples)),
            shortening(samples, problem),
        )
        if outcome.is_proved:
            part.bound = max(part.bound, math.ceil(bound) + paid)
        return outcome.is_proved or (outcome.better is not None and self._offer(outcome.better))

    def _generate(self, part: _Part, budget: Budget) -> ColumnGeneration | None:
        """Run column generation over a part, until its duals prove the goal or it converges."""
        problem = part.branch.problem(self._problem)
        assert problem is not None
        samples = part.branch.samples(self._training_set)
        paid = part.branch.paid(self._training_set)
        longest = problem.longest_clause
        master = RestrictedMaster(samples, problem)
        fitting = [f for f in part.clauses if longest is None or len(f) <= longest]
        master.add(samples.columns(fitting, problem))
        run = self._generation(samples, problem, self._settings, clock(), master)

        def stop_when_closed(iteration: Iteration) -> None:
            if (iteration.lower_bound or 0) + paid >= self._goal():
                raise _ClosedError

        with suppress(_ClosedError):
            run.generate(budget, stop_when_closed)
            run.take_duals_of_less_room(budget)
        part.clauses = [column.clause for column in run.master.columns]
        duals = run.proof.duals
        if duals is not None and run.proof.is_exact:
            inherited = part.duals.bound(problem)
            if duals.bound(problem) > inherited or inherited <= 0:
                part.duals = duals
            bound = int(rounded_bound(duals, samples, problem)) + paid
            part.bound = max(bound, part.bound)
        return run if run.last is not None else None

    def _missed(self, run: ColumnGeneration) -> NDArray[np.float64]:
        """How much of each positive of a part the linear program misses."""
        assert run.last is not None
        missed = np.ones(len(run.last.duals.mu))
        for w, column in zip(run.last.w, run.master.columns, strict=False):
            if w > DECIDED:
                missed -= w * column.delta_P
        return np.clip(missed, 0.0, 1.0)

    def _split(self, part: _Part, root: _Part) -> list[_Part]:
        """Split a part by the number of clauses, if that was not done, else by a positive."""
        branch = part.branch
        if branch.has_more:
            return self._narrow(part, root)
        if part.missed is not None and len(branch.covered) + len(branch.missed) < MOST_DEEP:
            self._split_by_row(part, part.missed)
        return part.parts

    def _splits_by_clauses(self) -> bool:
        return self._problem.most_clauses > 1 and self._problem.condition_cost > 0

    def _split_by_clauses(self, root: _Part, n_used: float) -> None:
        """Take the number that the linear program uses, fewer, and more."""
        most = self._problem.most_clauses
        n = min(max(1, math.ceil(n_used - DECIDED)), most)
        few = max(1, n - 1)
        root.parts = [self._child(root, *root.branch.of_fewer(few, root.duals))]
        if n > few:
            root.parts.append(self._child(root, *root.branch.of(n, root.duals, self._problem)))
        if n < most:
            branch, duals = root.branch.of(n + 1, root.duals, self._problem)
            root.parts.append(self._child(root, self._or_more(branch), duals))

    def _narrow(self, part: _Part, root: _Part) -> list[_Part]:
        """Take those with more clauses out of the last part; bound and duals are of both."""
        n = part.branch.n_clauses
        assert n is not None
        more = self._or_more(replace(part.branch, n_clauses=n + 1))
        part.branch = replace(part.branch, has_more=False)
        root.parts.append(self._child(part, more, part.duals))
        return [part, root.parts[-1]]

    def _or_more(self, branch: Branch) -> Branch:
        """Add the rule sets with more clauses, if there are any."""
        assert branch.n_clauses is not None
        return replace(branch, has_more=branch.n_clauses < self._problem.most_clauses)

    def _split_by_row(self, part: _Part, missed: NDArray[np.float64]) -> None:
        """Take the positive that is worth most and decided least."""
        rows = np.delete(np.arange(self._training_set.n_P), list(part.branch.missed))
        worth = np.minimum(missed, 1.0 - missed) * self._training_set.weights_P[rows]
        worth[np.isin(rows, part.branch.covered)] = 0.0
        if worth.max(initial=0.0) <= DECIDED:
            return
        part.row = int(rows[np.argmax(worth)])
        part.parts = [
            self._child(part, *part.branch.covering(part.row, part.duals)),
            self._child(part, *part.branch.missing(part.row, part.duals)),
        ]

    def _child(self, part: _Part, branch: Branch, duals: IntegerDuals) -> _Part:
        bound = max(part.bound, branch.paid(self._training_set))
        return _Part(branch, bound, duals, part.clauses)
