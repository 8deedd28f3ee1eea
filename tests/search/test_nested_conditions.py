"""Exact searches over the cuts that matter, against every clause over all cuts.

Pricing, listing, and searches stopped early. Where two clauses are equal in all, each of two rules
may discard another of them: ties are what could lose a clause, so the tables are full of them.
"""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import IntegerDuals
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.search import narrowing
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.search.engines import numpy_engine, open_nodes
from brute_force import PlainClauses
from strategies import cuts, decoys, duals_of, generators, times

EVERYTHING = 10**9
engines = pytest.mark.parametrize("engine", ["numba", "numpy"])


@pytest.fixture(autouse=True)
def _narrows_short_chains():
    with mock.patch.object(narrowing, "LONG_CHAIN", 1):
        yield


@st.composite
def priced_cuts(draw):
    """Long chains with ties, short clauses, and duals on a coarse grid, zeros among them."""
    if draw(st.integers(0, 2)) == 0:
        training_set, duals = draw(decoys())
    else:
        training_set = draw(cuts(whole=True))
        duals = training_set.rounded(draw(duals_of(training_set)))
        if draw(st.booleans()):
            # Halves of weights: many clauses cost the same.
            mu, lam = (2 * value // duals.scale for value in (duals.mu, duals.lam))
            mu = np.minimum(mu, training_set.integer_weights(2)[0])
            duals = IntegerDuals(mu, min(lam, draw(st.integers(0, 3))), 2)
    longest = 3 if len(training_set.conditions) <= 24 else 2
    problem = Problem(
        1 + draw(st.integers(1, longest)), min_coverage=draw(st.sampled_from([0, 0, 0, 2]))
    )
    return training_set, problem, duals


def every_clause(training_set, problem, duals):
    return PlainClauses.of(training_set, problem, duals, problem.longest_clause)


def least_cost(every):
    """Return the least reduced cost, as far as it is negative."""
    return min(0, 0, *(int(k.costs.min(initial=0)) for k in every))


def price(training_set, problem, duals, engine="numba", budget=None):
    search = BranchAndBound(training_set, problem, EVERYTHING, engine=engine)
    return search.price_integer(duals, budget or Budget.unlimited())


@engines
@times(10)
@given(priced_cuts())
def test_no_better_clause_is_lost(engine, priced):
    training_set, problem, duals = priced
    found = price(*priced, engine)
    least = least_cost(every_clause(*priced)) / duals.scale
    assert found.best_reduced_cost == (least if least < 0 else None)
    assert found.lower_bound == least
    feasible = every_clause(training_set, problem, found.feasible_duals)
    assert all((k.costs >= 0).all() for k in feasible)


@engines
@times(5)
@given(decoys())
def test_no_clause_is_lost_to_a_looser_cut_that_ends(engine, priced):
    training_set, duals = priced
    problem = Problem(5)
    least = least_cost(every_clause(training_set, problem, duals))
    assert price(training_set, problem, duals, engine).lower_bound == least


@times(3)
@given(priced_cuts(), st.sampled_from([0, 1, 2, 3, 5, 8]))
def test_the_bound_of_a_search_stopped_early_holds(priced, n_looks):
    training_set, problem, duals = priced
    budget = Budget(deadline=n_looks + 0.5, clock=iter(range(EVERYTHING)).__next__)
    with (
        mock.patch.object(numpy_engine, "LARGEST_BATCH", 1),
        mock.patch.object(open_nodes, "NODES_PER_CHUNK", 1),
    ):
        found = price(*priced, "numpy", budget)
    assert found.lower_bound <= least_cost(every_clause(*priced)) / duals.scale
    feasible = every_clause(training_set, problem, found.feasible_duals)
    assert all((k.costs >= 0).all() for k in feasible)


def check_list(engine, priced, above):
    """Look, for each clause that is cheap enough, for a listed one that is as good."""
    training_set, problem, duals = priced
    every = every_clause(*priced)
    most = least_cost(every) + above * duals.scale
    search = BranchAndBound(training_set, problem, engine=engine)
    enumeration = search.enumerate(duals, most, Budget.unlimited(), EVERYTHING)
    assert enumeration.is_complete
    listed = enumeration.clauses
    assert len(set(listed)) == len(listed)
    covers, cheap = {}, {}
    for k in every:
        rows = zip(k.conditions.tolist(), k.covered_P, k.covered_Z, k.costs, strict=True)
        for conditions, P, Z, cost in rows:
            covers[tuple(conditions)] = P, Z, cost
            if cost <= most:
                used = problem.uses(conditions)
                cheap.setdefault((P.tobytes(), Z.tobytes(), used), tuple(conditions))
    # The shortest of those that cover the same rows stands for them: they come by length.
    assert all(covers[clause][2] <= most for clause in listed)
    P, Z = (np.array([covers[clause][side] for clause in listed], dtype=bool) for side in (0, 1))
    lengths = np.array([len(clause) for clause in listed])
    used = np.array([problem.uses(clause) for clause in listed], dtype=bool)
    for clause in cheap.values():
        own_P, own_Z, _ = covers[clause]
        if not own_P.any() and not problem.required:
            continue  # no rule set is better with it
        beats = lengths <= len(clause)
        if len(listed):
            beats &= (own_P <= P).all(axis=1) & (own_Z >= Z).all(axis=1)
            beats &= (used >= np.array(problem.uses(clause), dtype=bool)).all(axis=1)
        assert beats.any(), clause


@engines
@times(10)
@given(priced_cuts(), st.sampled_from([0, 1, 2, 5]))
def test_every_clause_is_listed_or_beaten_by_one_that_is(engine, priced, above):
    check_list(engine, priced, above)


@times(3)
@given(st.data(), priced_cuts(), st.sampled_from([0, 1, 5]))
def test_what_is_required_is_listed_or_beaten_by_one_that_has_as_much(data, priced, above):
    training_set, problem, duals = priced
    chains, random = training_set.conditions.chains, data.draw(generators())
    if not len(chains):
        return
    groups = []
    for _ in range(data.draw(st.integers(1, 2))):
        # A whole column, one of its chains, or any few conditions.
        chosen = random.permutation(len(chains))[:3]
        is_wanted = np.isin(np.arange(len(chains)), chosen)
        match data.draw(st.sampled_from(["column", "chain", "few"])):
            case "column":
                feature = training_set.conditions.feature
                is_wanted = feature == feature[chosen[0]]
            case "chain":
                is_wanted = chains == chains[chosen[0]]
        groups.append(tuple(np.flatnonzero(is_wanted).tolist()))
    check_list("numba", (training_set, replace(problem, required=tuple(groups)), duals), above)


@engines
def test_of_two_cuts_one_is_left_where_each_could_stand_for_the_other(engine):
    """At ``x0 == 1`` the looser cut of x1 beats the tighter: more positives, the same zeros.

    With ``x2 == 1`` both cover the same rows, and the looser one touches no positive: it must not
    end for the tighter one, which was beaten.
    """
    conditions = BinnedConditions.build(
        [
            *((0, [(0, 1)]), (0, [(1, 2)])),
            *((1, [(0, 1)]), (1, [(0, 2)]), (1, [(1, 3)]), (1, [(2, 3)])),
            *((2, [(0, 1)]), (2, [(1, 2)])),
        ],
        n_codes=[2, 3, 2],
    )
    positives = {(0, 0, 1): 6, (1, 0, 1): 10, (1, 1, 0): 1, (1, 2, 1): 3}
    zeros = [(0, 0, 1), (0, 1, 1), (1, 0, 0), (1, 2, 1)]
    codes = np.array([*positives, *zeros], dtype=np.uint8)
    samples = TrainingSet.merge(codes, np.arange(8) < 4, np.full(8, 20.0), conditions)
    duals = IntegerDuals(np.array(list(positives.values())), lam=0, scale=1)
    found = price(samples, Problem(6), duals, engine)
    assert (found.best_reduced_cost, found.lower_bound) == (-10, -10)
