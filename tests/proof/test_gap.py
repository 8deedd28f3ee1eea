"""Enumeration of the gap and the search over rule sets, against brute force."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from boolrules._support.budget import Budget
from boolrules.data.column import IntegerDuals
from boolrules.proof.gap import (
    can_be_searched,
    has_integer_objective,
    next_bound,
    provable_bound,
    search_the_gap,
)
from boolrules.search.branch_and_bound import BranchAndBound
from brute_force import ExactDuals
from strategies import pricing_problems, problems, training_sets


def feasible(training_set, problem, duals):
    """Return duals under which no clause has negative reduced cost."""
    search = BranchAndBound(training_set, problem)
    return search.price(duals, Budget.unlimited()).feasible_duals


def beats(training_set, one, other):
    """Whether a clause has all positives of another, none but its zeros, and is as short."""
    P, Z = training_set.P.delta, training_set.Z.delta
    return (P(other) <= P(one)).all() and (Z(one) <= Z(other)).all() and len(one) <= len(other)


@given(pricing_problems())
def test_every_clause_of_the_gap_is_listed_or_beaten(priced):
    training_set, problem, float_duals = priced
    duals = feasible(training_set, problem, float_duals)
    most = int(1.5 * duals.scale * training_set.unit)
    search = BranchAndBound(training_set, problem)
    listed = search.enumerate(duals, most, Budget.unlimited(), 10**6)
    assert listed.is_complete
    clause_price, condition_price = duals.prices(problem)
    _, weights_Z = training_set.integer_weights(duals.scale)
    for clause in brute_force.every_clause(training_set, problem):
        features = tuple(clause.conditions)
        price = clause_price + condition_price * len(features)
        M = int(duals.mu[training_set.P.delta(features)].sum())
        N = int(weights_Z[training_set.Z.delta(features)].sum())
        if price - M + N <= most:
            assert any(beats(training_set, other, features) for other in listed.clauses)


@given(pricing_problems())
def test_a_full_list_says_so_and_a_short_one_does_not(priced):
    training_set, problem, float_duals = priced
    duals = feasible(training_set, problem, float_duals)
    search = BranchAndBound(training_set, problem)
    listed = search.enumerate(duals, 10**9, Budget.of(0.0), 10**6)
    assert listed.is_complete == (len(training_set.conditions) == 0)


@pytest.mark.parametrize("above", [0, 1, 2])
@given(pricing_problems())
def test_the_gap_is_proved_empty_only_if_it_is(above, priced):
    training_set, problem, float_duals = priced
    duals = feasible(training_set, problem, float_duals)
    if not can_be_searched(problem, duals):
        return
    optimum = brute_force.optimum(training_set, problem)
    bound = float(optimum) * (1 - 1e-9) + above * training_set.unit
    outcome = search_the_gap(
        BranchAndBound(training_set, problem), duals, bound, Budget.unlimited()
    )
    if outcome.is_proved:
        assert optimum >= Fraction(bound)
    elif has_integer_objective(training_set, problem):
        # Elsewhere weights are rounded down to the grid, and a near miss may look better.
        assert outcome.better is not None
        n_conditions = sum(map(len, outcome.better))
        assert problem.fits(len(outcome.better), n_conditions)
        assert training_set.hamming_loss(outcome.better) < bound


@given(pricing_problems())
def test_the_loss_is_the_bound_plus_charges_that_are_not_negative(priced):
    training_set, problem, float_duals = priced
    duals = ExactDuals.of(feasible(training_set, problem, float_duals))
    every = brute_force.reduced_costs(training_set, problem, duals)
    assert all(cost >= 0 for cost, _ in every)


@given(training_sets(), problems(), st.floats(0.1, 100.0), st.floats(-50.0, 99.0))
def test_bounds_to_prove_go_up_to_the_goal(training_set, problem, objective, z):
    scale = 2**20
    lam = math.ceil(max(0.0, -z) * scale / float(problem.max_complexity))
    mu = np.zeros(len(training_set.weights_P), dtype=np.int64)
    mu[0] = max(0, round(min(z, objective) * scale))
    duals = IntegerDuals(mu, lam, scale)
    goal = provable_bound(training_set, problem, objective)
    proved, n_steps = None, 0
    while proved is None or proved < goal:
        bound = next_bound(training_set, problem, duals, proved, goal)
        assert 0 < bound <= goal or goal <= 0
        assert proved is None or bound > proved
        proved, n_steps = bound, n_steps + 1
    assert n_steps <= 60
