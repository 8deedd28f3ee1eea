"""Better clauses in the place of one: within the limits, worth their place, and found."""

import numpy as np
from hypothesis import given

from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.solver.more_columns import replacements
from boolrules.solver.selection import Selection
from strategies import generators, problems, training_sets


@given(training_sets(whole=True), problems(whole=True), generators())
def test_each_clause_fits_and_pays_in_the_place_of_another_or_beside_all(
    training_set, problem, random
):
    J = len(training_set.conditions)
    if J == 0:
        return
    rule_set = [training_set.column((int(random.integers(J)),), problem)]
    if problem.fits(2, 2):
        rule_set.append(training_set.column((int(random.integers(J)),), problem))
    found = replacements(training_set, problem, rule_set, Budget.unlimited())
    longest = problem.longest_clause or J
    for column in found:
        selection = Selection(training_set, problem, [*rule_set, column])
        n = len(rule_set)
        choices = [[k for k in range(n) if k != place] for place in range(n + 1)]
        assert len(column.clause) <= longest
        assert any(
            selection.objective([*others, n]) < selection.objective(others)
            and problem.fits(
                len(others) + 1,
                len(column.clause) + sum(len(rule_set[k].clause) for k in others),
            )
            for others in choices
        )


def test_a_threshold_that_is_one_bin_off_is_moved():
    codes = np.array([[i] for i in range(10)] * 3, dtype=np.uint8)
    conditions = BinnedConditions.build([(0, [(0, stop)]) for stop in range(1, 10)], n_codes=[10])
    samples = TrainingSet.merge(codes, codes[:, 0] < 6, np.ones(30), conditions)
    problem = Problem(max_complexity=2)
    wrong = samples.column((6,), problem)
    found = replacements(samples, problem, [wrong], Budget.unlimited())
    assert (5,) in {column.clause for column in found}


def test_nothing_replaces_a_perfect_clause():
    codes = np.array([[0], [1]], dtype=np.uint8)
    conditions = BinnedConditions.build([(0, [(0, 1)]), (0, [(1, 2)])], n_codes=[2])
    samples = TrainingSet.merge(codes, np.array([True, False]), np.ones(2), conditions)
    problem = Problem(max_complexity=2)
    best = samples.column((0,), problem)
    found = replacements(samples, problem, [best], Budget.unlimited())
    assert {column.clause for column in found} <= {(0,)}
