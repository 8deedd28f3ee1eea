"""The heuristic finds, and proves nothing."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import Duals
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.solver.pricing import BeamSearch
from brute_force import ExactDuals
from strategies import pricing_problems


def beam_searches(training_set, problem):
    return st.builds(
        BeamSearch,
        st.just(training_set),
        st.just(problem),
        beam_depth=st.integers(1, 6),
        beam_width=st.sampled_from([1, 3, 100]),
    )


@given(pricing_problems(), st.data())
def test_beam_search_claims_no_bound(priced, data):
    training_set, problem, duals = priced
    beam = data.draw(beam_searches(training_set, problem))
    found = beam.price(duals, Budget.unlimited())
    assert (found.lower_bound, found.feasible_duals, found.is_exact) == (None, None, False)
    assert not found.proves_no_improving_clause


@given(pricing_problems(), st.data())
def test_every_column_of_the_beam_has_negative_reduced_cost(priced, data):
    training_set, problem, duals = priced
    beam = data.draw(beam_searches(training_set, problem))
    for column in beam.price(duals, Budget.unlimited()).columns:
        k = brute_force.clause(training_set, column.clause)
        assert brute_force.reduced_cost(training_set, problem, ExactDuals.of(duals), k) < 0


@given(pricing_problems(), st.data())
def test_every_column_of_the_beam_is_an_allowed_clause_without_repeated_conditions(priced, data):
    training_set, problem, duals = priced
    beam = data.draw(beam_searches(training_set, problem))
    allowed = {k.conditions for k in brute_force.every_clause(training_set, problem)}
    found = {column.clause for column in beam.price(duals, Budget.unlimited()).columns}
    assert found <= allowed


@given(pricing_problems(whole=True), st.data())
def test_beam_misses_no_clause_of_one_condition(priced, data):
    training_set, problem, duals = priced
    beam = data.draw(beam_searches(training_set, problem))
    exact = ExactDuals.of(training_set.rounded(duals))
    found = beam.price(duals, Budget.unlimited()).best_reduced_cost
    single = [
        brute_force.reduced_cost(training_set, problem, exact, k)
        for k in brute_force.every_clause(training_set, problem)
        if len(k.conditions) == 1
    ]
    least = min(single, default=0)
    assert (least >= 0) if found is None else (found <= least)


@given(pricing_problems(), st.data())
def test_a_beam_out_of_time_still_returns_only_improving_clauses(priced, data):
    training_set, problem, duals = priced
    beam = data.draw(beam_searches(training_set, problem))
    for column in beam.price(duals, Budget.of(0.0)).columns:
        k = brute_force.clause(training_set, column.clause)
        assert brute_force.reduced_cost(training_set, problem, ExactDuals.of(duals), k) < 0


def test_beam_repeats_no_condition_where_conditions_cost_nothing():
    conditions = BinnedConditions.build([(f, [(1, 2)]) for f in range(3)], n_codes=[3] * 3)
    codes = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=np.uint8)
    is_positive = np.array([True, False, False, False])
    training_set = TrainingSet.merge(codes, is_positive, np.array([9.0, 1, 1, 1]), conditions)
    problem = Problem(max_complexity=2, clause_cost=1, condition_cost=0)
    duals = Duals(np.array([9.0]), 0.0)
    found = BeamSearch(training_set, problem).price(duals, Budget.unlimited())
    assert all(len(set(c.clause)) == len(c.clause) for c in found.columns)
