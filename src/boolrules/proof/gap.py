"""Optimality by enumeration.

List every clause inside the gap, then search all rule sets over them.

Any rule set better than the incumbent uses only clauses whose reduced cost fits into the gap
between the incumbent and the dual bound. Both steps are exact searches in integers; no solver
takes part.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from boolrules.data.column import EXACT_BITS
from boolrules.data.labelled_rows import ROUNDING
from boolrules.data.problem import Problem, as_written
from boolrules.data.step import SUM_DUST, at_steps, n_steps_up_to, rounded_up
from boolrules.data.training_set import MANY_POSITIVES
from boolrules.search.rule_set_search import RuleSetSearch, SearchResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from boolrules._support.budget import Budget
    from boolrules.data.column import IntegerDuals
    from boolrules.data.samples import Samples
    from boolrules.search.branch_and_bound import BranchAndBound

Clauses = tuple[tuple[int, ...], ...]
if TYPE_CHECKING:
    Shorten = Callable[[RuleSetSearch, int, Budget], None]

MOST_CLAUSES = 1_000_000
# Clauses times positives that a search over rule sets lays out, a bit each, before it begins.
MOST_ENTRIES = 2_000_000_000
# Nodes of a search over rule sets before its list is shortened.
NODES_BEFORE_SHORTENING = 500_000
SHARE_OF_SHORTENING = 0.5
# How the bounds to be proved go up: the first an eighth of the way, then half as far again.
FIRST_STEPS = 8
STEP = 1.5


@dataclass(frozen=True, slots=True)
class Outcome:
    """What searching the gap came to.

    Parameters
    ----------
    better : tuple of clauses, or None
        A rule set below the bound that was to be proved.
    is_proved : bool
        Whether there is none.
    n_nodes : int
        How many nodes both searches had.
    clauses : tuple of clauses
        Those inside the gap, as far as they were listed: good rule sets are made of them.
    """

    better: Clauses | None
    is_proved: bool
    n_nodes: int
    clauses: Clauses = ()


def can_be_searched(problem: Problem, duals: IntegerDuals) -> bool:
    """Whether complexity counts in whole numbers, as the argument needs, and sums stay exact.

    A limit between two of them allows what the lower one allows.
    """
    prices = (problem.clause_cost, problem.condition_cost)
    is_whole = all(as_written(price).denominator == 1 for price in prices)
    paid = problem.max_complexity * duals.lam + duals.paid_for_clauses(problem)
    return is_whole and paid < 2**60


def provable_bound(training_set: Samples, problem: Problem, objective: float) -> float:
    """Return the bound to prove so that a rule set of this objective is optimal.

    The objective itself where all are multiples of a step. Elsewhere sums are rounded, and weights
    are put on a grid: a trifle less is all that can be told apart.
    """
    step = objective_step(training_set, problem)
    if step is not None:
        return at_steps(round(Fraction(objective) / step), step)
    rounding = problem.most_clauses * training_set.n_rows / training_set.scale
    return min(objective * (1.0 - ROUNDING / 10), objective - rounding)


def next_bound(
    training_set: Samples,
    problem: Problem,
    duals: IntegerDuals,
    proved: float | None,
    goal: float,
    first_steps: int = FIRST_STEPS,
) -> float:
    """Return the bound to prove next: half as far again from Σμ − Cλ as what is proved.

    At least a step of the way to the goal, an eighth by default, and at most the goal.
    """
    z = float(dual_bound(training_set, problem, duals))
    step = objective_step(training_set, problem)
    if proved is None:
        proved = max(0, z if step is None else rounded_up(z, step))
    bound = max(z + STEP * (proved - z), z + (goal - z) / first_steps)
    if step is None:
        return min(max(bound, proved + (goal - proved) / first_steps), goal)
    n_steps = max(n_steps_up_to(bound, step), n_steps_up_to(proved, step) + 1)
    return min(at_steps(n_steps, step), goal)


def dual_bound(training_set: Samples, problem: Problem, duals: IntegerDuals) -> Fraction:
    """Σμ − Cλ − Kν and what requirements add to it: exactly what the duals prove."""
    return duals.bound(problem) + training_set.constant(duals, problem)


def has_integer_objective(training_set: Samples, problem: Problem) -> bool:
    """Whether every objective is an integer: integer weights and no penalty."""
    return objective_step(training_set, problem) == 1


def objective_step(training_set: Samples, problem: Problem) -> Fraction | None:
    """What every objective is a multiple of: the step of the weights, where there is no penalty.

    None where it is not known.
    """
    step = training_set.step
    if problem.complexity_penalty or (step == 1 and not training_set.has_integer_weights):
        return None
    return step


def search_the_gap(
    search: BranchAndBound,
    duals: IntegerDuals,
    bound: float,
    budget: Budget,
    most_clauses: int | None = None,
    shorten: Shorten | None = None,
) -> Outcome:
    """Find a rule set whose objective is below ``bound``, or prove that there is none.

    ``search`` lists the clauses inside the gap. ``duals`` must be feasible: no clause of negative
    reduced cost. ``most_clauses`` is how many inside the gap are one too many to go on with, by
    default as many as fit. ``shorten`` is asked to drop clauses of a long search (``drop``).
    """
    training_set, problem = search.training_set, search.problem
    slack = slack_below(training_set, problem, duals, bound)
    if slack < 0:
        return Outcome(None, True, 0)
    if slack >= 2 ** (EXACT_BITS + 1):
        # More than any loss: nothing to prove.
        return Outcome(None, False, 0)
    most = most_that_fit(training_set) if most_clauses is None else most_clauses
    listed = search.enumerate(duals, slack, budget, most)
    clauses, n_nodes = tuple(listed.clauses), listed.n_nodes
    if not listed.is_complete:
        return Outcome(None, False, n_nodes, clauses)
    outcome = search_columns(
        training_set,
        problem,
        duals,
        clauses,
        bound,
        budget,
        search.most_nodes,
        search.n_threads,
        shorten,
    )
    return replace(outcome, n_nodes=n_nodes + outcome.n_nodes)


def most_that_fit(training_set: Samples) -> int:
    """How many clauses a search over rule sets takes on, beside that many positives.

    More positives than ``MANY_POSITIVES`` are merged, and then hardly more are left.
    """
    n_positives = min(max(training_set.n_P, 1), MANY_POSITIVES)
    return min(MOST_CLAUSES, MOST_ENTRIES // n_positives)


def search_columns(
    training_set: Samples,
    problem: Problem,
    duals: IntegerDuals,
    clauses: Clauses,
    bound: float,
    budget: Budget,
    most_nodes: int | None = None,
    n_threads: int = 1,
    shorten: Shorten | None = None,
) -> Outcome:
    """Find a rule set below ``bound`` made of some clauses, or prove that they make none.

    Nothing is proved where one of them has negative reduced cost.
    """
    if budget.is_spent:
        return Outcome(None, False, 0, clauses)
    slack = slack_below(training_set, problem, duals, bound)
    search = RuleSetSearch(training_set, problem, duals, clauses)
    result = _find(search, slack, budget, most_nodes, n_threads, shorten)
    if result.chosen is not None:
        better = tuple(clauses[k] for k in result.chosen)
        return Outcome(better, False, result.n_nodes, clauses)
    is_proved = result.is_complete and search.is_feasible
    return Outcome(None, is_proved, result.n_nodes, clauses)


def _find(
    search: RuleSetSearch,
    slack: int,
    budget: Budget,
    most_nodes: int | None,
    n_threads: int,
    shorten: Shorten | None,
) -> SearchResult:
    """Search all rule sets; if that takes long, only those over what shortening leaves."""
    is_long = most_nodes is None or most_nodes > NODES_BEFORE_SHORTENING
    if shorten is None or not is_long:
        return search.find(slack, budget, most_nodes, n_threads)
    first = search.find(slack, budget, NODES_BEFORE_SHORTENING, n_threads)
    if first.chosen is not None or first.is_complete or budget.is_spent:
        return first
    shorten(search, slack, budget.share(SHARE_OF_SHORTENING))
    result = search.find(slack, budget, most_nodes, n_threads)
    return replace(result, n_nodes=first.n_nodes + result.n_nodes)


def slack_below(training_set: Samples, problem: Problem, duals: IntegerDuals, bound: float) -> int:
    """How much of the duals' grid lies between their bound and the best below ``bound``."""
    step = objective_step(training_set, problem)
    if step is None:
        target = math.ceil(Fraction(bound) * duals.scale) - 1
    else:  # the next multiple below, and what a sum of weights may be above it
        below = (n_steps_up_to(bound, step) - 1) * step
        target = math.floor(below * (1 if step == 1 else 1 + SUM_DUST) * duals.scale)
    paid = int(problem.max_complexity) * duals.lam + duals.paid_for_clauses(problem)
    charged = math.ceil(training_set.constant(duals, problem) * duals.scale)
    return target - charged - int(duals.mu.sum()) + paid
