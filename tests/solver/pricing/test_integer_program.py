"""The Pricing Problem as an integer program, against the list of every clause."""

import pytest
from hypothesis import given

import brute_force
from boolrules._support.budget import Budget
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.solver.pricing import IntegerProgram
from brute_force import ExactDuals
from strategies import pricing_problems


def tolerance(training_set, problem):
    """Return what a solver may be off by, in the units of the weights."""
    return 1e-5 * training_set.unit * max(1.0, float(problem.max_complexity))


@given(pricing_problems())
def test_integer_program_finds_the_least_reduced_cost(priced):
    training_set, problem, duals = priced
    found = IntegerProgram(training_set, problem).price(duals, Budget.unlimited())
    least = brute_force.least_reduced_cost(training_set, problem, ExactDuals.of(duals))
    if least is None:
        assert found.best_reduced_cost is None
    else:
        most = tolerance(training_set, problem)
        assert found.best_reduced_cost == pytest.approx(float(least), abs=most)


@given(pricing_problems())
def test_bound_of_the_integer_program_is_the_least_reduced_cost_below_zero(priced):
    training_set, problem, duals = priced
    found = IntegerProgram(training_set, problem).price(duals, Budget.unlimited())
    least = brute_force.least_reduced_cost(training_set, problem, ExactDuals.of(duals)) or 0
    most = tolerance(training_set, problem)
    assert found.lower_bound == pytest.approx(min(0.0, float(least)), abs=most)


@given(pricing_problems())
def test_integer_program_and_search_agree(priced):
    training_set, problem, duals = priced
    by_program = IntegerProgram(training_set, problem).price(duals, Budget.unlimited())
    by_search = BranchAndBound(training_set, problem, 10**9).price(duals, Budget.unlimited())
    most = tolerance(training_set, problem)
    assert by_program.lower_bound == pytest.approx(by_search.lower_bound, abs=most)


@given(pricing_problems())
def test_no_clause_has_negative_reduced_cost_under_the_programs_feasible_duals(priced):
    training_set, problem, duals = priced
    found = IntegerProgram(training_set, problem).price(duals, Budget.unlimited())
    exact = ExactDuals.of(found.feasible_duals)
    assert all(rc >= 0 for rc, _ in brute_force.reduced_costs(training_set, problem, exact))


@given(pricing_problems())
def test_every_column_of_the_program_has_negative_reduced_cost(priced):
    training_set, problem, duals = priced
    found = IntegerProgram(training_set, problem).price(duals, Budget.unlimited())
    allowed = {k.conditions: k for k in brute_force.every_clause(training_set, problem)}
    for column in found.columns:
        k = allowed[column.clause]
        assert brute_force.reduced_cost(training_set, problem, ExactDuals.of(duals), k) < 0


@given(pricing_problems())
def test_a_program_out_of_time_claims_nothing_that_is_false(priced):
    training_set, problem, duals = priced
    found = IntegerProgram(training_set, problem).price(duals, Budget.of(0.0))
    if found.feasible_duals is not None:
        exact = ExactDuals.of(found.feasible_duals)
        assert all(rc >= 0 for rc, _ in brute_force.reduced_costs(training_set, problem, exact))


@given(pricing_problems())
def test_what_a_solver_proved_is_not_called_exact(priced):
    training_set, problem, duals = priced
    found = IntegerProgram(training_set, problem).price(duals, Budget.unlimited())
    assert found.is_exact == (len(training_set.conditions) == 0)
