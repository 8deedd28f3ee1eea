"""Duals under which no clause has negative reduced cost: what a complete list rests on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from boolrules._support.budget import clock
from boolrules.data.column import IntegerDuals
from boolrules.proof.bound import are_exact
from boolrules.proof.gap import dual_bound
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.solver.column_generation import ColumnGeneration
from boolrules.solver.settings import Settings

if TYPE_CHECKING:
    from boolrules._support.budget import Budget
    from boolrules.data.problem import Problem
    from boolrules.data.training_set import TrainingSet
    from boolrules.proof.certificate import Certificate

# What is spent of the time limit on new duals, and on making sure of any.
NEW_DUALS_SHARE = 0.3
PRICING_SHARE = 0.3


def feasible_duals(
    training_set: TrainingSet, problem: Problem, certificate: Certificate, budget: Budget
) -> IntegerDuals:
    """Return duals under which no clause has negative reduced cost: good ones where known.

    Those of the certificate, made sure of anew, or those of a new run. Zeros are
    always feasible, but prove little. Under requirements they are duals of what these shift.
    """
    n_P = len(training_set.weights_P)
    scale = training_set.scale
    n_demands = 0 if training_set.demands is None else len(training_set.demands)
    zero = IntegerDuals(np.zeros(n_P, dtype=np.int64), 0, scale, theta=(0,) * n_demands)
    if not n_P or not len(training_set.conditions):
        return zero
    duals = _kept_duals(training_set, problem, certificate.duals)
    if duals is None:
        duals = _new_duals(training_set, problem, budget.share(NEW_DUALS_SHARE))
    if duals is None:
        return zero
    priced = BranchAndBound(training_set, problem).price_integer(
        duals, budget.share(PRICING_SHARE)
    )
    feasible = priced.feasible_duals
    assert feasible is not None
    bound = dual_bound(training_set, problem, feasible)
    is_better = bound > 0 or priced.proves_no_improving_clause
    # A bound further below 0 than all weight would leave a slack that tells nothing apart.
    return feasible if is_better and bound > -training_set.total_weight else zero


def _kept_duals(
    training_set: TrainingSet, problem: Problem, duals: IntegerDuals | None
) -> IntegerDuals | None:
    """Return the certificate's duals, if they can be duals for this data."""
    duals = None if duals is None else duals.on(training_set)
    if duals is None or len(duals.mu) != training_set.n_P:
        return None
    if not are_exact(duals, training_set, problem):
        return None
    weights_P, _ = training_set.integer_weights(duals.scale, duals.theta)
    return replace(duals, mu=np.minimum(duals.mu, weights_P))


def _new_duals(training_set: TrainingSet, problem: Problem, budget: Budget) -> IntegerDuals | None:
    """Return duals of column generation that tell clauses apart."""
    run = ColumnGeneration(training_set, problem, Settings(), clock())
    run.generate(budget, lambda iteration: None)
    run.take_duals_of_less_room(budget)
    return run.proof.duals
