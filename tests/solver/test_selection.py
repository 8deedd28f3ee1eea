"""Choosing a rule set among columns, against every rule set."""

import numpy as np
import pytest
from hypothesis import given

import brute_force
from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions, pack_bits
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.solver.selection import Selected, Selection
from strategies import generators, problems, training_sets


def columns_of_every_clause(training_set, problem):
    clauses = brute_force.simplest_clauses(training_set, problem)
    return [training_set.column(k.conditions, problem) for k in clauses]


def nothing_chosen(training_set):
    return Selected((), float(training_set.weights_P.sum()))


def is_within_budget(problem, columns, chosen):
    n_conditions = sum(len(columns[k].clause) for k in chosen)
    complexity = brute_force.complexity(problem, len(chosen), n_conditions)
    is_few = problem.max_clauses is None or len(chosen) <= problem.max_clauses
    return is_few and complexity <= brute_force.decimal(problem.max_complexity)


@given(training_sets(), problems())
def test_restricted_mip_over_every_clause_has_the_optimum(training_set, problem):
    columns = columns_of_every_clause(training_set, problem)
    selection = Selection(training_set, problem, columns)
    selected = selection.restricted_mip(nothing_chosen(training_set), Budget.unlimited())
    expected = float(brute_force.optimum(training_set, problem))
    most = 1e-5 * training_set.unit
    assert selected.objective == pytest.approx(expected, abs=most)


@given(training_sets(whole=True), problems(whole=True))
def test_restricted_mip_has_the_optimum_to_the_last_unit_where_costs_are_whole(
    training_set, problem
):
    columns = columns_of_every_clause(training_set, problem)
    selection = Selection(training_set, problem, columns)
    selected = selection.restricted_mip(nothing_chosen(training_set), Budget.unlimited())
    assert selected.objective == brute_force.optimum(training_set, problem)


@given(training_sets(), problems(), generators())
def test_restricted_mip_is_never_worse_than_its_incumbent(training_set, problem, random):
    columns = columns_of_every_clause(training_set, problem)
    some = [column for column in columns if random.random() < 0.5]
    selection = Selection(training_set, problem, some)
    incumbent = selection.local_search([], Budget.unlimited())
    for budget in (Budget.of(0.0), Budget.of(1e-3), Budget.unlimited()):
        selected = selection.restricted_mip(incumbent, budget)
        assert selected.objective <= incumbent.objective
        assert is_within_budget(problem, some, selected.chosen)


@given(training_sets(), problems(), generators())
def test_local_search_stays_within_the_budget(training_set, problem, random):
    columns = columns_of_every_clause(training_set, problem)
    selection = Selection(training_set, problem, columns)
    found = selection.best_of_starts(random.random(len(columns)), Budget.unlimited())
    assert is_within_budget(problem, columns, found.chosen)
    assert len(set(found.chosen)) == len(found.chosen)


@given(training_sets(), problems(), generators())
def test_local_search_states_the_objective_of_what_it_chose(training_set, problem, random):
    columns = columns_of_every_clause(training_set, problem)
    selection = Selection(training_set, problem, columns)
    found = selection.best_of_starts(random.random(len(columns)), Budget.unlimited())
    chosen = [columns[k] for k in found.chosen]
    exact = brute_force.objective_of_columns(training_set, problem, chosen)
    assert found.objective == pytest.approx(float(exact), rel=1e-12)


@given(training_sets(), problems())
def test_kicks_never_make_it_worse(training_set, problem):
    columns = columns_of_every_clause(training_set, problem)
    selection = Selection(training_set, problem, columns)
    before = selection.local_search([], Budget.unlimited())
    after = selection.kicked(before, Budget.unlimited(), n_kicks=5)
    assert after.objective <= before.objective
    assert is_within_budget(problem, columns, after.chosen)


def test_kicks_leave_what_local_search_is_stuck_in():
    """One long clause covers six positives of nine; two short ones in its place cover all."""
    covers = [range(6)] * 4 + [[0, 1, 2, 6, 7]] * 2 + [[3, 4, 5, 8]] * 2
    codes = np.array([[row in cover for cover in covers] + [row] for row in range(9)])
    conditions = BinnedConditions.build([(f, [(1, 2)]) for f in range(8)], [2] * 8 + [9])
    everyone = np.ones(9)
    samples = TrainingSet.merge(codes.astype(np.uint8), everyone > 0, everyone, conditions)
    problem = Problem(max_complexity=6)
    columns = samples.columns([(0, 1, 2, 3), (4, 5), (6, 7)], problem)
    selection = Selection(samples, problem, columns)
    stuck = selection.local_search([0], Budget.unlimited())
    assert stuck == Selected((0,), 3.0)
    assert selection.kicked(stuck, Budget.unlimited(), n_kicks=20) == Selected((1, 2), 0.0)
    assert selection.kicked(stuck, Budget.unlimited(), n_kicks=20, least=3.0) == stuck


@given(training_sets(), problems())
def test_no_single_addition_or_drop_improves_on_local_search(training_set, problem):
    columns = columns_of_every_clause(training_set, problem)
    selection = Selection(training_set, problem, columns)
    found = selection.local_search([], Budget.unlimited())
    chosen = set(found.chosen)
    neighbours = [chosen ^ {k} for k in range(len(columns))]
    least = min(
        (
            float(brute_force.objective_of_columns(training_set, problem, [columns[k] for k in s]))
            for s in neighbours
            if is_within_budget(problem, columns, s)
        ),
        default=found.objective,
    )
    assert found.objective <= least + 1e-8


@given(training_sets(), problems(), generators())
def test_what_a_column_would_gain_is_the_weight_of_what_it_covers(training_set, problem, random):
    columns = columns_of_every_clause(training_set, problem)
    selection = Selection(training_set, problem, columns)
    missed = random.random(len(selection._weights)) < 0.5
    expected = selection._covers[:, missed] @ selection._weights[missed]
    assert selection._gained(missed) == pytest.approx(expected)


@pytest.mark.parametrize("n_P", [1, 63, 64, 65, 200])
def test_columns_are_weighed_across_words(n_P):
    from boolrules.search.engines import _kernels

    random = np.random.default_rng(n_P)
    covers, among = random.random((9, n_P)) < 0.5, random.random(n_P) < 0.5
    weights, total = random.integers(1, 9, n_P).astype(float), np.empty(9)
    _kernels.weigh_columns(pack_bits(covers), pack_bits(among[None])[0], weights, total)
    np.testing.assert_array_equal(total, (covers & among) @ weights)
