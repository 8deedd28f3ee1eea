"""Proofs that rest on the duals of another complexity, against brute force."""

from dataclasses import replace
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import brute_force
from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import IntegerDuals
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.proof.gap import can_be_searched, has_integer_objective
from boolrules.proof.shared_proof import SharedProof
from boolrules.search.branch_and_bound import BranchAndBound, Enumeration
from strategies import pricing_problems, times


def smaller_problems(problem):
    """The problem, and those of one and two units of complexity less that allow a clause."""
    limits = [problem.max_complexity - less for less in (2, 1, 0)]
    least = problem.min_clause_complexity
    return [replace(problem, max_complexity=C) for C in limits if least <= C]


def closed(proof, training_set, problem, objective):
    """Raise the bound as far as it goes; return the bound and the best objective found."""
    bound = None
    while bound is None or bound < objective:
        step = proof.raise_bound(problem, objective, bound, Budget.unlimited())
        if step is None:
            break
        if step.better is not None:
            n_conditions = sum(map(len, step.better))
            assert problem.fits(len(step.better), n_conditions)
            penalty = problem.complexity_penalty
            complexity = problem.complexity(len(step.better), n_conditions)
            found = training_set.hamming_loss(step.better) + penalty * complexity
            if found >= objective:
                break
            objective = found
        elif step.bound == bound:
            break
        else:
            bound = step.bound
    return bound, objective


@settings(times(0.5))
@given(pricing_problems(), st.booleans())
def test_no_bound_is_above_the_optimum_whatever_the_duals(priced, are_feasible):
    training_set, problem, float_duals = priced
    duals = training_set.rounded(float_duals)
    if are_feasible:
        search = BranchAndBound(training_set, problem)
        duals = search.price_integer(duals, Budget.unlimited()).feasible_duals
    proof = SharedProof(BranchAndBound(training_set, problem))
    proof.add(duals)
    for smaller in smaller_problems(problem):
        start = float(training_set.weights_P.sum())
        bound, found = closed(proof, training_set, smaller, start)
        optimum = brute_force.optimum(training_set, smaller)
        if bound is not None:
            assert Fraction(bound) <= optimum
        is_whole = has_integer_objective(training_set, smaller) and can_be_searched(smaller, duals)
        if are_feasible and is_whole:
            assert found == optimum == (start if bound is None else bound)


def table_of_two_clauses():
    """Twelve rows, positive where x0 is 0 or x1 is 0."""
    conditions = BinnedConditions.build([(0, [(0, 1)]), (1, [(0, 1)])], n_codes=[2, 2])
    codes = np.array([[0, 1]] * 4 + [[1, 0]] * 4 + [[1, 1]] * 4, dtype=np.uint8)
    return TrainingSet.merge(codes, np.arange(12) < 8, np.ones(12), conditions)


def test_a_list_serves_more_than_once():
    training_set = table_of_two_clauses()
    problem = Problem(max_complexity=4)
    duals = IntegerDuals(np.zeros(len(training_set.weights_P), dtype=np.int64), 2, 2)
    proof = SharedProof(BranchAndBound(training_set, problem))
    proof.add(duals)
    for C, optimum in ((2, 4), (3, 4), (4, 0)):
        bound, found = closed(proof, training_set, replace(problem, max_complexity=C), 4)
        assert (bound or 0, found) == (optimum, optimum)
        with mock.patch.object(BranchAndBound, "enumerate", side_effect=AssertionError):
            closed(proof, training_set, replace(problem, max_complexity=C), 4)


def test_duals_of_a_clause_too_good_prove_nothing():
    training_set = table_of_two_clauses()
    problem = Problem(max_complexity=4)
    weights = training_set.weights_P.astype(np.int64)
    proof = SharedProof(BranchAndBound(training_set, problem))
    proof.add(IntegerDuals(weights, 0, 1))
    assert proof.raise_bound(problem, 8, None, Budget.unlimited()) is None
    assert proof.raise_bound(problem, 0.5, None, Budget.unlimited()) is None


def test_duals_that_a_known_clause_shows_infeasible_are_not_tried():
    training_set = table_of_two_clauses()
    problem = Problem(max_complexity=4)
    weights = training_set.weights_P.astype(np.int64)
    for known in ((), ((0,), (1,))):
        proof = SharedProof(BranchAndBound(training_set, problem), known)
        proof.add(IntegerDuals(weights, 0, 1))
        with mock.patch.object(BranchAndBound, "enumerate", side_effect=RuntimeError):
            if known:
                assert proof.raise_bound(problem, 8, None, Budget.unlimited()) is None
            else:
                with pytest.raises(RuntimeError):
                    proof.raise_bound(problem, 8, None, Budget.unlimited())


def test_the_last_point_lists_no_more_than_it_needs():
    training_set = table_of_two_clauses()
    problem = Problem(max_complexity=4)
    duals = IntegerDuals(np.zeros(len(training_set.weights_P), dtype=np.int64), 8, 8)
    for C in (2, 4):
        proof, asked = SharedProof(BranchAndBound(training_set, problem)), []

        def enumerate_clauses(duals, slack, budget, most, asked=asked):
            asked.append(slack)
            return Enumeration([], False, 0)

        proof._largest = mock.Mock(enumerate=enumerate_clauses, problem=problem, most_nodes=None)
        proof.add(duals)
        proof.raise_bound(Problem(max_complexity=C), 9, None, Budget.unlimited())
        assert len(asked) == (2 if C == 2 else 1)


def test_a_spent_budget_proves_nothing():
    training_set = table_of_two_clauses()
    proof = SharedProof(BranchAndBound(training_set, Problem(max_complexity=4)))
    proof.add(IntegerDuals(np.zeros(len(training_set.weights_P), dtype=np.int64), 0, 1))
    assert proof.raise_bound(Problem(max_complexity=2), 4, None, Budget.of(0.0)) is None


def test_a_list_too_long_with_its_margin_is_made_again_without():
    conditions = BinnedConditions.build([(0, [(1, 2)])], n_codes=[2])
    codes = np.array([[1], [0]], dtype=np.uint8)
    training_set = TrainingSet.merge(codes, np.array([True, False]), np.ones(2), conditions)
    problem, duals = Problem(2), IntegerDuals(np.zeros(1, dtype=int), 0, 1)
    proof, asked = SharedProof(BranchAndBound(training_set, problem)), []
    listed = BranchAndBound(training_set, problem).enumerate(duals, 8, Budget.unlimited(), 9)
    assert listed.is_complete

    def enumerate_clauses(duals, slack, budget, most):
        asked.append(slack)
        return replace(listed, is_complete=len(asked) > 1)

    proof._largest = mock.Mock(enumerate=enumerate_clauses)
    assert proof._listed(duals, 8, 1.25, Budget.unlimited()) == tuple(listed.clauses)
    assert asked == [10, 8]
    # What is kept says how far it reaches: a wider question asks again.
    assert proof._known(duals, 8) is not None
    assert proof._known(duals, 9) is None


def test_a_list_made_for_other_duals_is_not_taken():
    conditions = BinnedConditions.build([(0, [(1, 2)])], n_codes=[2])
    codes = np.array([[1], [0]], dtype=np.uint8)
    training_set = TrainingSet.merge(codes, np.array([True, False]), np.ones(2), conditions)
    proof = SharedProof(BranchAndBound(training_set, Problem(2)))
    duals, others = (IntegerDuals(np.zeros(1, dtype=int), lam, 1) for lam in (0, 1))
    assert proof._listed(duals, 8, 1.0, Budget.unlimited()) is not None
    assert proof._known(duals, 8) is not None
    assert proof._known(others, 8) is None
