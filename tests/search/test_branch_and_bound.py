"""Exact pricing against the list of every clause, finished and stopped early."""

import math
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import Duals, IntegerDuals
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.search.engines import numpy_engine, open_nodes
from brute_force import ExactDuals
from strategies import pricing_problems, times

EVERYTHING = 10**9
ENGINES = ["numba", "numpy", *(["torch on a cpu"] if find_spec("torch") else [])]
engines = pytest.mark.parametrize("engine", ENGINES)


def looks(n):
    """Return a budget that is spent after so many looks at the clock."""
    return Budget(deadline=n + 0.5, clock=iter(range(10**9)).__next__)


def price_one_node_at_a_time(search, duals, budget):
    """Price with the plain engine, which can be stopped after any node."""
    with (
        mock.patch.object(numpy_engine, "LARGEST_BATCH", 1),
        mock.patch.object(open_nodes, "NODES_PER_CHUNK", 1),
    ):
        return replace(search, engine="numpy").price_integer(duals, budget)


def rounding(training_set, problem, duals):
    """Return what prices and weights of zeros may lose on the grid of the duals."""
    longest = max(len(k.conditions) for k in brute_force.every_clause(training_set, problem))
    return Fraction(1 + longest + len(training_set.weights_Z), duals.scale)


def every_reduced_cost(training_set, problem, duals):
    exact = ExactDuals.of(duals)
    return [rc for rc, _ in brute_force.reduced_costs(training_set, problem, exact)]


@engines
@times(2)
@given(pricing_problems(whole=True))
def test_search_finds_the_least_reduced_cost_or_proves_that_none_is_negative(engine, priced):
    training_set, problem, duals = priced
    integer_duals = training_set.rounded(duals)
    found = BranchAndBound(training_set, problem, EVERYTHING, engine=engine).price_integer(
        integer_duals, Budget.unlimited()
    )
    least = min(every_reduced_cost(training_set, problem, integer_duals), default=0)
    assert found.best_reduced_cost == (least if least < 0 else None)
    assert found.lower_bound == min(least, 0)


def each_zero_fails_one_condition(n_conditions, weight):
    """One positive, and for each condition a zero on which it alone is false."""
    conditions = BinnedConditions.build(
        [(f, [(1, 2)]) for f in range(n_conditions)], n_codes=[2] * n_conditions
    )
    codes = np.vstack([np.ones(n_conditions), 1 - np.eye(n_conditions)]).astype(np.uint8)
    weights = np.array([weight, *[1.0] * n_conditions])
    return TrainingSet.merge(codes, np.arange(len(codes)) == 0, weights, conditions)


@engines
@pytest.mark.parametrize(
    ("n_conditions", "weight", "lam"), [(2, 3.0, 0.6), (4, 1.9, 0.1), (6, 1.5, 0.05)]
)
def test_search_finds_a_clause_all_of_whose_conditions_are_needed(
    engine, n_conditions, weight, lam
):
    training_set = each_zero_fails_one_condition(n_conditions, weight)
    duals = Duals(np.array([weight]), lam)
    search = BranchAndBound(training_set, Problem(20), engine=engine)
    found = search.price(duals, Budget.unlimited())
    assert found.columns[0].clause == tuple(range(n_conditions))
    assert found.lower_bound == pytest.approx(lam * (1 + n_conditions) - weight, abs=1e-4)


@engines
def test_search_keeps_the_wider_of_two_thresholds_where_it_covers_more(engine):
    tight, wide, other = (0, [(0, 1)]), (0, [(0, 2)]), (1, [(1, 2)])
    conditions = BinnedConditions.build([tight, wide, other], n_codes=[3, 2])
    codes = np.array([[0, 1], [1, 1], [2, 1], [0, 0], [1, 0]], dtype=np.uint8)
    weights = np.array([2.0, 1.0, 2.0, 1.0, 1.0])
    training_set = TrainingSet.merge(codes, np.arange(5) < 2, weights, conditions)
    duals = Duals(training_set.weights_P, 0.1)
    search = BranchAndBound(training_set, Problem(20), engine=engine)
    assert search.price(duals, Budget.unlimited()).columns[0].clause == (1, 2)


@pytest.mark.parametrize("costs", [(0.3, 0.1), (0.1, 0.3), (0.5, 0.5), (1, 0.7), (1, 1)])
@pytest.mark.parametrize("mu", [1, 2, 5])
def test_duals_raised_for_prices_below_the_grid_are_proved_feasible(costs, mu):
    training_set = each_zero_fails_one_condition(n_conditions=2, weight=9.0)
    problem = Problem(4, clause_cost=costs[0], condition_cost=costs[1])
    search = BranchAndBound(training_set, problem)
    duals = IntegerDuals(np.array([mu]), lam=0, scale=1)
    feasible = search.price_integer(duals, Budget.unlimited()).feasible_duals
    assert search.price_integer(feasible, Budget.unlimited()).proves_no_improving_clause


@engines
@times(2)
@given(pricing_problems())
def test_search_is_off_by_no_more_than_rounding_with_fractional_prices(engine, priced):
    training_set, problem, duals = priced
    integer_duals = training_set.rounded(duals)
    found = BranchAndBound(training_set, problem, EVERYTHING, engine=engine).price_integer(
        integer_duals, Budget.unlimited()
    )
    every = every_reduced_cost(training_set, problem, integer_duals)
    if not every:
        assert found.lower_bound == 0
        return
    least = min(0, *every)
    assert least - rounding(training_set, problem, integer_duals) <= found.lower_bound <= least


@given(pricing_problems())
def test_search_prices_the_duals_that_it_was_handed(priced):
    training_set, problem, duals = priced
    found = BranchAndBound(training_set, problem, EVERYTHING).price(duals, Budget.unlimited())
    every = every_reduced_cost(training_set, problem, duals)
    # λ is lifted by the LP's tolerance before the search.
    most = 1e-5 * training_set.unit * max(1, float(problem.max_complexity))
    assert found.lower_bound == pytest.approx(float(min(0, 0, *every)), abs=most)


@given(pricing_problems(), st.integers(0, 12))
def test_bound_of_a_search_stopped_early_is_below_every_reduced_cost(priced, n_looks):
    training_set, problem, duals = priced
    integer_duals = training_set.rounded(duals)
    search = BranchAndBound(training_set, problem, EVERYTHING)
    found = price_one_node_at_a_time(search, integer_duals, looks(n_looks))
    every = every_reduced_cost(training_set, problem, integer_duals)
    assert all(found.lower_bound <= rc for rc in every if rc < 0)


@pytest.mark.parametrize("most_columns", [1, 3, EVERYTHING])
@times(2)
@given(pricing_problems(), st.sampled_from([0, 1, 2, 3, 5, 8, 13, EVERYTHING]))
def test_no_clause_has_negative_reduced_cost_under_the_feasible_duals(
    most_columns, priced, n_looks
):
    training_set, problem, duals = priced
    search = BranchAndBound(training_set, problem, most_columns)
    integer_duals = training_set.rounded(duals)
    found = price_one_node_at_a_time(search, integer_duals, looks(n_looks))
    every = every_reduced_cost(training_set, problem, found.feasible_duals)
    assert all(rc >= 0 for rc in every)


@given(pricing_problems(), st.sampled_from([0, 1, 3, EVERYTHING]))
def test_feasible_duals_keep_mu_and_only_raise_lambda(priced, n_looks):
    training_set, problem, duals = priced
    integer_duals = training_set.rounded(duals)
    search = BranchAndBound(training_set, problem)
    found = price_one_node_at_a_time(search, integer_duals, looks(n_looks))
    assert found.feasible_duals.mu.tolist() == integer_duals.mu.tolist()
    assert found.feasible_duals.lam >= integer_duals.lam


@engines
@times(2)
@given(pricing_problems())
def test_feasible_duals_are_proved_feasible_by_a_second_search(engine, priced):
    training_set, problem, duals = priced
    search = BranchAndBound(training_set, problem, most_columns=1, engine=engine)
    feasible = search.price(duals, Budget.unlimited()).feasible_duals
    again = search.price_integer(feasible, Budget.unlimited())
    assert again.proves_no_improving_clause


@engines
@times(2)
@given(pricing_problems(whole=True))
def test_a_finished_search_raises_lambda_no_more_than_the_least_ratio_asks_for(engine, priced):
    training_set, problem, duals = priced
    integer_duals = training_set.rounded(duals)
    search = BranchAndBound(training_set, problem, EVERYTHING, engine=engine)
    found = search.price_integer(integer_duals, Budget.unlimited())
    ratio = brute_force.least_ratio(training_set, problem, ExactDuals.of(integer_duals))
    raised_by = found.feasible_duals.lam - integer_duals.lam
    assert raised_by == math.ceil(-ratio * integer_duals.scale)


@given(pricing_problems(), st.sampled_from([1, 3, EVERYTHING]))
def test_every_column_has_negative_reduced_cost(priced, most_columns):
    training_set, problem, duals = priced
    found = BranchAndBound(training_set, problem, most_columns).price(duals, Budget.unlimited())
    for column in found.columns:
        k = brute_force.clause(training_set, column.clause)
        assert brute_force.reduced_cost(training_set, problem, ExactDuals.of(duals), k) < 0


@given(pricing_problems())
def test_every_column_is_an_allowed_clause_with_the_right_coefficients(priced):
    training_set, problem, duals = priced
    found = BranchAndBound(training_set, problem).price(duals, Budget.unlimited())
    allowed = {k.conditions: k for k in brute_force.every_clause(training_set, problem)}
    for column in found.columns:
        k = allowed[column.clause]
        exact = float(brute_force.cost(training_set, problem, k))
        complexity = float(brute_force.complexity(problem, 1, len(k.conditions)))
        assert {i for i, covered in enumerate(column.delta_P) if covered} == k.covered_P
        assert column.cost == pytest.approx(exact, rel=1e-12)
        assert column.complexity == complexity


@given(pricing_problems())
def test_no_more_columns_are_returned_than_asked_for(priced):
    training_set, problem, duals = priced
    found = BranchAndBound(training_set, problem, most_columns=2).price(duals, Budget.unlimited())
    assert len(found.columns) <= 2
