"""Lower bounds from duals: proved while learning, and proved again by anyone (§2.3).

With no clause of negative reduced cost under (μ, λ, ν), every rule set of complexity at most C
with at most K clauses has an objective of at least Σμ − Cλ − Kν. Duals are integers on a grid, so
that this needs no LP solver and no floating-point trust. Where the gap above that bound was
searched as well, ``gap`` has the rest of the argument.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from boolrules._support.budget import Budget
from boolrules._support.json import is_number
from boolrules.data.column import EXACT_BITS
from boolrules.data.labelled_rows import is_same_loss
from boolrules.data.step import rounded_down, rounded_up
from boolrules.data.training_set import TrainingSet
from boolrules.proof.branches import least_bound, leaves
from boolrules.proof.certificate import Argument, Certificate
from boolrules.proof.gap import (
    MOST_CLAUSES,
    can_be_searched,
    dual_bound,
    has_integer_objective,
    objective_step,
    search_the_gap,
)
from boolrules.search.branch_and_bound import BranchAndBound

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from boolrules.data.column import IntegerDuals
    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples
    from boolrules.proof.branches import Branch, Leaf, Tree
    from boolrules.search.pricer import PricingResult

# Who lets go of the interpreter's lock while it searches.
THREADED = ("numba",)


class ProvedBound:
    """The best lower bound of a run so far, and what it rests on."""

    def __init__(self, samples: Samples, problem: Problem) -> None:
        self._samples = samples
        self._problem = problem
        self._value: Fraction | None = None
        self.duals: IntegerDuals | None = None
        self.is_exact = True
        # Up to where all rule sets were searched: no objective is below it.
        self.closed_at: float | None = None
        # Where they were searched in parts.
        self.branches: Tree | None = None

    def consider(self, priced: PricingResult) -> None:
        """Keep the duals of a pricing call if they give a better bound."""
        if priced.feasible_duals is None:
            return
        value = dual_bound(self._samples, self._problem, priced.feasible_duals)
        if self._value is None or value > self._value:
            self._value, self.duals = value, priced.feasible_duals
            self.is_exact = priced.is_exact

    def rest_on(self, priced: PricingResult) -> None:
        """Keep duals of an exact search for what is searched from here, whatever they prove."""
        if priced.feasible_duals is not None and priced.is_exact:
            self.duals, self.is_exact = priced.feasible_duals, True
            self._value = dual_bound(self._samples, self._problem, self.duals)

    def take(self, tree: Tree) -> None:
        """Keep a proof in parts if it gives a better bound."""
        bound = least_bound(tree)
        if bound > max(self.closed_at or 0, self.lower_bound or 0):
            self.closed_at, self.branches = bound, tree

    @property
    def is_positive(self) -> bool:
        """Whether the duals prove more than nothing, exactly."""
        return self._value is not None and self._value > 0

    @property
    def lower_bound(self) -> float | None:
        """The bound of the duals, rounded as far as that is valid; None where it says nothing."""
        if self.duals is None:
            return None
        bound = rounded_bound(self.duals, self._samples, self._problem)
        return bound if bound > 0 else None

    @property
    def searchable_duals(self) -> IntegerDuals | None:
        """Duals of an exact search, with whole costs: what a search of the gap rests on."""
        duals = self.duals
        if duals is None or not self.is_exact or not can_be_searched(self._problem, duals):
            return None
        return duals

    def certify(self, clauses: Sequence[tuple[int, ...]]) -> Certificate:
        """State what was proved of these clauses as a rule set, and nothing else."""
        problem = self._problem
        loss = self._samples.hamming_loss(clauses)
        complexity = problem.complexity(len(clauses), sum(map(len, clauses)))
        if loss + problem.complexity_penalty * complexity == 0:
            return Certificate(loss, complexity, 0, Argument.ZERO_LOSS, problem)
        if self.closed_at is not None:
            argument = Argument.ENUMERATION if self.branches is None else Argument.BRANCHES
            return Certificate(
                loss,
                complexity,
                self.closed_at,
                argument,
                problem,
                self.duals,
                branches=self.branches,
            )
        dual_bound = self.lower_bound
        if dual_bound is not None:
            argument = Argument.EXACT_SEARCH if self.is_exact else Argument.INTEGER_PROGRAM
            return Certificate(loss, complexity, dual_bound, argument, problem, self.duals)
        return Certificate(loss, complexity, None, Argument.NONE, problem)


def rounded_bound(duals: IntegerDuals, samples: Samples, problem: Problem) -> float:
    """Σμ − Cλ − Kν: rounded up where objectives are multiples of a step, elsewhere down."""
    exact, step = dual_bound(samples, problem, duals), objective_step(samples, problem)
    return max(0, rounded_down(exact) if step is None else rounded_up(exact, step))


def reproved_bound(
    certificate: Certificate,
    training_set: Samples,
    budget: Budget | None = None,
    engine: str = "numba",
) -> float | None:
    """Prove a bound anew from the kept duals and the data, in integers; None if that fails.

    The search visits every clause that could have negative reduced cost. No LP solver takes part.
    ``training_set`` is what any given clauses leave, and the bound is without them.
    """
    if certificate.argument is Argument.ZERO_LOSS:
        return 0
    problem = certificate.problem.without(*certificate.given.size)
    claimed = certificate.lower_bound_of_the_rest
    if certificate.argument is Argument.NO_ROOM:
        return None if problem is not None else _loss_without_clauses(training_set, claimed)
    duals = None if certificate.duals is None else certificate.duals.on(training_set)
    budget = budget or Budget.unlimited()
    if certificate.branches is not None and problem is not None:
        assert isinstance(training_set, TrainingSet)  # where rows are named, they are in memory
        return _reproved_in_parts(certificate.branches, training_set, problem, budget, engine)
    if problem is None or duals is None:
        return None
    listed = claimed if certificate.argument is Argument.ENUMERATION else None
    return _reproved_by(duals, training_set, problem, listed, budget, engine)


def _loss_without_clauses(samples: Samples, claimed: float | None) -> float:
    """Return the loss of the only rule set: as claimed, if another order of sums makes it so."""
    loss = samples.hamming_loss([])
    is_whole = samples.has_integer_weights
    if claimed is not None and is_same_loss(loss, claimed, samples.n_rows, is_whole):
        return claimed
    return loss


def _reproved_by(
    duals: IntegerDuals,
    training_set: Samples,
    problem: Problem,
    claimed: float | None,
    budget: Budget,
    engine: str,
) -> float | None:
    """Prove the bound of duals and, where more is claimed, search the gap up to there."""
    if not are_duals(duals, training_set, problem):
        return None
    search = BranchAndBound(training_set, problem, engine=engine)
    if not search.price_integer(duals, budget).proves_no_improving_clause:
        return None
    bound = rounded_bound(duals, training_set, problem)
    if claimed is None or not is_number(claimed) or not can_be_searched(problem, duals):
        return bound
    if claimed <= bound:
        return bound
    outcome = search_the_gap(search, duals, claimed, budget, MOST_CLAUSES)
    return claimed if outcome.is_proved else bound


def _reproved_in_parts(
    tree: Tree, training_set: TrainingSet, problem: Problem, budget: Budget, engine: str
) -> float | None:
    """Prove the bound of every leaf anew, several at a time; the least of them is proved.

    None where the parts are not all rule sets, or some part has no duals.
    """
    if not has_integer_objective(training_set, problem) or training_set.demands is not None:
        return None

    def reproved(part: tuple[Branch, Leaf] | None) -> float | None:
        if part is None:
            return None
        branch, leaf = part
        limits, paid = branch.problem(problem), branch.paid(training_set)
        if limits is None:
            return math.inf
        if leaf.bound <= paid:
            return paid
        samples = branch.samples(training_set)
        bound = _reproved_by(leaf.duals, samples, limits, leaf.bound - paid, budget, engine)
        return None if bound is None else bound + paid

    n_workers = (os.cpu_count() or 1) if engine in THREADED else 1
    with ThreadPoolExecutor(n_workers) as workers:
        bounds = list(workers.map(reproved, leaves(tree, training_set, problem)))
    proved = [bound for bound in bounds if bound is not None]
    return min(proved) if len(proved) == len(bounds) and bounds else None


def is_proved_again(
    certificate: Certificate,
    training_set: Samples,
    budget: Budget | None = None,
    engine: str = "numba",
) -> bool:
    """Whether the claimed bound, if there is one, follows from the kept duals and the data."""
    claimed = certificate.lower_bound_of_the_rest
    if claimed is None:
        return True
    proved = reproved_bound(certificate, training_set, budget, engine)
    return proved is not None and proved >= claimed


def are_duals(duals: IntegerDuals, training_set: Samples, problem: Problem) -> bool:
    """Whether these are duals for this data.

    0 <= μ_i <= weight for each positive, sums exact, no ν without a limit on clauses.
    """
    return are_exact(duals, training_set, problem) and training_set.has_duals(duals)


def are_exact(duals: IntegerDuals, training_set: Samples, problem: Problem) -> bool:
    """Whether sums are exact, prices are none below zero, and ν belongs to a limit."""
    n_demands = 0 if training_set.demands is None else len(training_set.demands)
    if duals.scale.bit_count() != 1 or len(duals.theta) != n_demands:
        return False
    shifted = training_set.n_rows * (sum(duals.theta) + n_demands)
    largest = max(training_set.total_weight * duals.scale + shifted, duals.lam, duals.nu)
    is_limited = not duals.nu or problem.max_clauses is not None
    return largest < 2.0**EXACT_BITS and is_limited and min(duals.lam, duals.nu, *duals.theta) >= 0
