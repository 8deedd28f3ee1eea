"""The Restricted Master over every clause is the Master LP."""

import pytest
from hypothesis import given

import brute_force
from boolrules._support.budget import Budget
from boolrules.data.training_set import MANY_POSITIVES
from boolrules.solver.master import MANY_CENTRAL, MANY_DUALS, RestrictedMaster
from brute_force import ExactDuals
from strategies import problems, training_sets


@pytest.fixture(
    autouse=True,
    scope="module",
    params=[
        (MANY_POSITIVES, MANY_DUALS, MANY_CENTRAL),
        (-1, MANY_DUALS, MANY_CENTRAL),
        (-1, 0, MANY_CENTRAL),
        (MANY_POSITIVES, MANY_DUALS, 0),
    ],
    ids=["rows", "patterns", "interior", "central"],
)
def many_positives(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("boolrules.data.training_set.MANY_POSITIVES", request.param[0])
        patch.setattr("boolrules.solver.master.MANY_DUALS", request.param[1])
        patch.setattr("boolrules.solver.master.MANY_CENTRAL", request.param[2])
        patch.setattr("boolrules.solver.master.MANY_COLUMNS", request.param[2])
        yield


def master_over(training_set, problem, clauses):
    master = RestrictedMaster(training_set, problem)
    master.add([training_set.column(k.conditions, problem) for k in clauses])
    return master


@given(training_sets(), problems())
def test_a_master_over_every_clause_is_the_master_lp(training_set, problem):
    clauses = brute_force.every_clause(training_set, problem)
    master = master_over(training_set, problem, clauses)
    solution = master.solve(Budget.unlimited())
    expected = brute_force.master_lp(training_set, problem)
    most = 1e-6 * training_set.total_weight
    assert solution.z_rmlp == pytest.approx(expected, abs=most)
    duals_are_feasible(training_set, problem, solution.duals)
    dual_value = float(ExactDuals.of(solution.duals).bound(problem))
    assert dual_value == pytest.approx(solution.z_rmlp, abs=most), "duals have another value"
    value = value_of_weights(training_set, problem, clauses, solution.w)
    assert value == pytest.approx(solution.z_rmlp, abs=most), "weights have another value"
    n_new = master.add([training_set.column(k.conditions, problem) for k in clauses])
    assert (n_new, len(master.columns)) == (0, len(clauses)), "a clause was added twice"


def duals_are_feasible(training_set, problem, duals):
    most = 1e-6 * training_set.unit * max(1, len(training_set.weights_P))
    every = brute_force.reduced_costs(training_set, problem, ExactDuals.of(duals))
    assert all(rc >= -most for rc, _ in every)
    assert duals.lam >= 0
    assert ((duals.mu >= 0) & (duals.mu <= training_set.weights_P + most)).all()


def value_of_weights(training_set, problem, clauses, weights):
    missed = [1.0] * len(training_set.weights_P)
    value = 0.0
    for k, w in zip(clauses, weights, strict=True):
        value += w * float(brute_force.cost(training_set, problem, k))
        for i in k.covered_P:
            missed[i] -= w
    return value + sum(
        weight * max(0.0, xi) for weight, xi in zip(training_set.weights_P, missed, strict=True)
    )


@given(training_sets(), problems())
def test_adding_columns_in_rounds_changes_nothing(training_set, problem):
    clauses = brute_force.every_clause(training_set, problem)
    master = master_over(training_set, problem, clauses[::2])
    first = master.solve(Budget.unlimited())
    master.add([training_set.column(k.conditions, problem) for k in clauses[1::2]])
    second = master.solve(Budget.unlimited())
    most = 1e-6 * training_set.total_weight
    assert second.z_rmlp <= first.z_rmlp + most
    assert second.z_rmlp == pytest.approx(brute_force.master_lp(training_set, problem), abs=most)


@given(training_sets(), problems())
def test_a_master_out_of_time_has_no_solution_or_the_right_one(training_set, problem):
    clauses = brute_force.every_clause(training_set, problem)
    solution = master_over(training_set, problem, clauses).solve(Budget.of(0.0))
    expected = brute_force.master_lp(training_set, problem)
    most = 1e-6 * training_set.total_weight
    assert solution is None or solution.z_rmlp == pytest.approx(expected, abs=most)
