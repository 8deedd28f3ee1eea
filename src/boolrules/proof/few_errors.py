"""What is proved where each row counts once, and how it is proved again.

Either all rule sets were searched, or duals prove a bound for a problem that is easier: with at
most K clauses a zero is covered at most K times, so that K times the rows mistaken are at least
the Hamming loss where positives weigh K times as much.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from boolrules._support.budget import Budget
from boolrules.data.training_set import TrainingSet
from boolrules.proof.bound import reproved_bound, rounded_down
from boolrules.proof.certificate import Argument, Certificate
from boolrules.proof.gap import has_integer_objective
from boolrules.search.error_search import ErrorSearch

if TYPE_CHECKING:
    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples


def with_dear_positives(training_set: TrainingSet, problem: Problem) -> TrainingSet:
    """Return the same where a positive weighs as much more as there may be clauses."""
    return replace(training_set, weights_P=training_set.weights_P * problem.most_clauses)


def least_errors(dear_bound: float, training_set: TrainingSet, problem: Problem) -> float:
    """Return what any rule set mistakes at least, by a bound where positives are dear.

    Rounded up where mistakes count in whole numbers, and down elsewhere.
    """
    exact = Fraction(dear_bound) / problem.most_clauses
    if has_integer_objective(training_set, problem):
        return math.ceil(exact)
    return rounded_down(exact)


def _dear_bound_needed(claimed: float, training_set: TrainingSet, problem: Problem) -> float:
    """Return the least bound where positives are dear that proves as much as is claimed."""
    K = problem.most_clauses
    if has_integer_objective(training_set, problem):
        # More than K times one less than the claim is as much as the claim itself.
        return K * (math.ceil(claimed) - 1) + 1
    return -rounded_down(-Fraction(claimed) * K)


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
    dear = with_dear_positives(training_set, problem)
    if certificate.argument is Argument.ENUMERATION and claimed is not None:
        needed = _dear_bound_needed(claimed, training_set, problem)
        certificate = replace(certificate, lower_bound=needed)
    proved = reproved_bound(replace(certificate, minimises="loss"), dear, budget, engine)
    return None if proved is None else least_errors(proved, training_set, problem)
