"""The lists of all minimal rule sets, against every rule set written out."""

from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import brute_force
from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import IntegerDuals
from boolrules.data.labelled_rows import ROUNDING
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.insight.alternatives import listing as listing_module
from boolrules.insight.alternatives.columns import Columns
from boolrules.insight.alternatives.listing import Listing, MinimalRuleSets
from boolrules.proof.gap import has_integer_objective
from boolrules.search.branch_and_bound import BranchAndBound
from strategies import (
    duals_of,
    generators,
    problems,
    times,
    training_sets,
    with_price_of_clauses,
)

# All rule sets over so many conditions are still quickly written out.
MOST_CONDITIONS = 5
MOST_RULE_SETS = 1500


@st.composite
def tasks(draw, *, whole=True):
    """Small training sets with few conditions, problems, and feasible duals of any quality."""
    training_set, problem = draw(training_sets(whole=whole)), draw(problems(whole=whole))
    J = len(training_set.conditions)
    kept = np.sort(draw(generators()).permutation(J)[:MOST_CONDITIONS])
    rows = (np.arange(len(side)) for side in (training_set.weights_P, training_set.weights_Z))
    training_set = training_set.sample(*rows, kept)
    duals = with_price_of_clauses(draw, problem, draw(duals_of(training_set)))
    duals = training_set.rounded(duals)
    if draw(st.booleans()):
        # On a coarse grid many reduced costs are exactly what the slack allows, and fractions of
        # weights are lost.
        mu, lam, nu = (2 * value // duals.scale for value in (duals.mu, duals.lam, duals.nu))
        duals = IntegerDuals(np.minimum(mu, training_set.integer_weights(2)[0]), lam, 2, nu)
    search = BranchAndBound(training_set, problem)
    return training_set, problem, search.price_integer(duals, Budget.unlimited()).feasible_duals


def every_rule_set(training_set, problem):
    """Write out all rule sets within the limits, as lists of clauses."""
    C = brute_force.decimal(problem.max_complexity)
    rule_sets = [()]
    for k in brute_force.every_clause(training_set, problem):
        for rule_set in list(rule_sets):
            n_conditions = sum(len(other.conditions) for other in (*rule_set, k))
            if problem.max_clauses is not None and len(rule_set) == problem.max_clauses:
                continue
            if brute_force.complexity(problem, len(rule_set) + 1, n_conditions) <= C:
                rule_sets.append((*rule_set, k))
        assume(len(rule_sets) <= MOST_RULE_SETS)
    return rule_sets


def with_a_part_dropped(training_set, rule_set):
    """Write out a rule set without each of its clauses, and without each condition."""
    for place, k in enumerate(rule_set):
        others = [*rule_set[:place], *rule_set[place + 1 :]]
        yield others
        if len(k.conditions) > 1:
            for dropped in k.conditions:
                kept = [j for j in k.conditions if j != dropped]
                yield [*others, brute_force.clause(training_set, kept)]


def minimal_rule_sets(training_set, problem, most):
    """Return the minimal rule sets of objective at most ``most``, with their objectives."""
    tolerance = Fraction(0)
    if not has_integer_objective(training_set, problem):
        tolerance = Fraction(ROUNDING * training_set.total_weight)
    minimal = {}
    for rule_set in every_rule_set(training_set, problem):
        value = brute_force.objective(training_set, problem, rule_set)
        if value <= most + tolerance and all(
            brute_force.objective(training_set, problem, shorter) > value + tolerance
            for shorter in with_a_part_dropped(training_set, rule_set)
        ):
            minimal[frozenset(k.conditions for k in rule_set)] = value
    return minimal


def listed(listing):
    """Return a listing as brute force does, after a check that nothing is listed twice."""
    sets = [frozenset(rule_set) for rule_set in listing.rule_sets]
    assert len(set(sets)) == len(sets)
    return dict(zip(sets, listing.objectives, strict=True))


@pytest.mark.parametrize("whole", [True, False])
@times(3)
@given(st.data())
def test_exactly_the_minimal_rule_sets_are_listed(whole, data):
    training_set, problem, duals = data.draw(tasks(whole=whole))
    above = data.draw(st.sampled_from([0, 1, 3, 10**9])) * Fraction(training_set.unit)
    most = brute_force.optimum(training_set, problem) + above
    listing = MinimalRuleSets(training_set, problem, duals, float(most)).list(Budget.unlimited())
    assert listing.is_complete
    found, expected = listed(listing), minimal_rule_sets(training_set, problem, most)
    assert found == pytest.approx(expected, abs=1e-12 * training_set.total_weight)
    if has_integer_objective(training_set, problem):
        assert found == expected


def both_engines(data, whole):
    """Draw a task, and a search by each engine."""
    training_set, problem, duals = data.draw(tasks(whole=whole))
    most = float(training_set.weights_P.sum()) * data.draw(st.sampled_from([0.2, 0.5, 1.0]))
    return [MinimalRuleSets(training_set, problem, duals, most, e) for e in ("numba", "numpy")]


@pytest.mark.parametrize("whole", [True, False])
@times(2)
@given(st.data())
def test_the_compiled_search_lists_the_clauses_of_its_specification(whole, data):
    engines, slack = both_engines(data, whole), data.draw(st.integers(0, 4))
    one, other = (
        search._clauses_inside(slack * search._duals.scale, Budget.unlimited(), None)[0]
        for search in engines
    )
    rows = [
        sorted(tuple(sorted(j for j in row if j >= 0)) for row in c.tolist()) for c in (one, other)
    ]
    assert rows[0] == rows[1]


@times(2)
@given(st.data())
def test_the_compiled_search_lists_the_rule_sets_of_its_specification(data):
    engines = both_engines(data, True)
    clauses, _, _ = engines[0]._clauses(Budget.unlimited(), None)
    samples, problem, duals = (
        getattr(engines[0], name) for name in ("_training_set", "_problem", "_duals")
    )
    columns = Columns.of(samples, problem, duals, clauses)
    one, other = (
        search._places(columns, Budget.unlimited(), 10**6, None)[0] for search in engines
    )
    rows = [
        sorted(tuple(sorted(k for k in row if k >= 0)) for row in c.tolist()) for c in (one, other)
    ]
    if has_integer_objective(samples, problem) and float(problem.max_complexity).is_integer():
        assert rows[0] == rows[1]


@times(2)
@given(tasks())
def test_a_list_of_a_part_has_nothing_false_in_it_and_says_so(task):
    training_set, problem, duals = task
    search = MinimalRuleSets(training_set, problem, duals, float(training_set.weights_P.sum()))
    whole = listed(search.list(Budget.unlimited()))
    for most_nodes in (1, 3, 10, 50):
        is_true(search.list(Budget.unlimited(), most_nodes=most_nodes), whole)
    for most in (1, 2, 5):
        part = search.list(Budget.unlimited(), most)
        # Where fractions count, doubtful rule sets may fill the list before they are turned down.
        is_true(part, whole)
        if has_integer_objective(training_set, problem):
            assert len(part.rule_sets) == min(most, len(whole))
            assert part.is_complete == (len(whole) <= most)
    with mock.patch.object(listing_module, "MOST_CLAUSES", 2):
        is_true(search.list(Budget.unlimited()), whole)
    over_some_clauses_are_the_rule_sets_made_of_them(search, whole)


def is_true(part, whole):
    assert listed(part).items() <= whole.items()
    assert not part.is_complete or listed(part) == whole


def over_some_clauses_are_the_rule_sets_made_of_them(search, whole):
    for rule_set in list(whole)[:3]:
        over = search.over(tuple(sorted(rule_set)), Budget.unlimited())
        assert listed(over) == {s: value for s, value in whole.items() if s <= rule_set}


def test_nothing_is_listed_below_the_optimum_and_that_is_all():
    conditions = BinnedConditions.build([(0, [(1, 2)])], n_codes=[2])
    codes, is_positive = np.array([[1], [1]], dtype=np.uint8), np.array([True, False])
    training_set = TrainingSet.merge(codes, is_positive, np.ones(2), conditions)
    duals = IntegerDuals(np.array([1]), 0, 1)
    search = MinimalRuleSets(training_set, Problem(max_complexity=2), duals, 0)
    assert search.list(Budget.unlimited()) == Listing((), (), True, 0)
