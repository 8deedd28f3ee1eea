"""What is proved where each row counts once, and how it is proved again.

Either all rule sets were searched, or duals prove a bound for a problem that is easier: with at
most K clauses a zero is covered at most K times, so that K times the rows mistaken are at least
the Hamming loss where positives weigh K times as much.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from boolrules._support.budget import Budget
from boolrules.data.step import at_steps, n_steps_up_to, rounded_down, rounded_up
from boolrules.data.training_set import TrainingSet
from boolrules.proof.bound import reproved_bound
from boolrules.proof.certificate import Argument, Certificate
from boolrules.proof.gap import objective_step
from boolrules.search.error_search import ErrorSearch

if TYPE_CHECKING:
    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples


def with_dear_positives(training_set: TrainingSet, problem: Problem) -> TrainingSet:
    """Return the same where a positive weighs as much more as there may be clauses."""
    return replace(training_set, weights_P=training_set.weights_P * problem.most_clauses)


def least_errors(dear_bound: float, training_set: TrainingSet, problem: Problem) -> float:
    """Return what any rule set mistakes at least, by a bound where positives are dear.

    Rounded up where mistakes count in multiples of a step, and down elsewhere.
    """
    step = objective_step(training_set, problem)
    exact = Fraction(dear_bound) / problem.most_clauses
    return rounded_down(exact) if step is None else rounded_up(exact, step)


def _dear_bound_needed(claimed: float, training_set: TrainingSet, problem: Problem) -> float:
    """Return the least bound where positives are dear that proves as much as is claimed."""
    K, step = problem.most_clauses, objective_step(training_set, problem)
    if step is None:
        return -rounded_down(-Fraction(claimed) * K)
    # More than K times one step less than the claim is as much as the claim itself.
    return at_steps(K * (n_steps_up_to(claimed, step) - 1) + 1, step)


def reproved_errors(
    certificate: Certificate,
    training_set: Samples,
    budget: Budget | None = None,
    engine: str = "numba",
) -> float | None:
    """Prove anew how many rows any rule set mistakes at least; None if that fails."""
    assert isinstance(training_set, TrainingSet)  # where each row counts once, it is in memory
    if certificate.given.clauses:  # a zero that they cover would count once more
        return None
    budget = budget or Budget.unlimited()
    claimed = certificate.lower_bound
    if certificate.argument is Argument.EVERY_RULE_SET and claimed is not None:
        search = ErrorSearch(training_set, certificate.problem, engine=engine)
        return claimed if search.below(claimed, budget).is_proved else None
    problem = certificate.problem
    if certificate.argument is Argument.NO_ROOM:  # without a clause, each row counts once anyway
        return reproved_bound(replace(certificate, minimises="loss"), training_set, budget, engine)
    dear = with_dear_positives(training_set, problem)
    if certificate.argument is Argument.ENUMERATION and claimed is not None:
        needed = _dear_bound_needed(claimed, training_set, problem)
        certificate = replace(certificate, lower_bound=needed)
    proved = reproved_bound(replace(certificate, minimises="loss"), dear, budget, engine)
    return None if proved is None else least_errors(proved, training_set, problem)
