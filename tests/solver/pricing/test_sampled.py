"""Pricing on samples: what comes back holds on all samples, and proves nothing."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from boolrules._support.budget import Budget
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.solver.pricing import BeamSearch, Sampled
from brute_force import ExactDuals
from strategies import pricing_problems

INNER = st.sampled_from([BranchAndBound, BeamSearch])


def sampled(training_set, problem, inner, *, n_samples=6, n_nonzeros=20, seed=0):
    random = np.random.default_rng(seed)
    return Sampled(training_set, problem, inner, random, n_samples, n_nonzeros)


@given(pricing_problems(), INNER, st.integers(0, 9))
def test_sampling_claims_no_bound(priced, inner, seed):
    training_set, problem, duals = priced
    pricer = sampled(training_set, problem, inner, seed=seed)
    found = pricer.price(duals, Budget.unlimited())
    assert (found.lower_bound, found.feasible_duals, found.is_exact) == (None, None, False)


@given(pricing_problems(), INNER, st.integers(0, 9))
def test_every_sampled_column_has_negative_reduced_cost_on_all_samples(priced, inner, seed):
    training_set, problem, duals = priced
    pricer = sampled(training_set, problem, inner, seed=seed)
    for column in pricer.price(duals, Budget.unlimited()).columns:
        k = brute_force.clause(training_set, column.clause)
        assert brute_force.reduced_cost(training_set, problem, ExactDuals.of(duals), k) < 0


@given(pricing_problems(), st.integers(0, 9))
def test_every_sampled_column_covers_what_its_conditions_cover(priced, seed):
    training_set, problem, duals = priced
    pricer = sampled(training_set, problem, BranchAndBound, seed=seed)
    for column in pricer.price(duals, Budget.unlimited()).columns:
        k = brute_force.clause(training_set, column.clause)
        assert {i for i, covered in enumerate(column.delta_P) if covered} == k.covered_P
        exact = float(brute_force.cost(training_set, problem, k))
        assert column.cost == pytest.approx(exact, rel=1e-12)


@given(pricing_problems())
def test_a_sample_of_everything_finds_what_the_whole_finds(priced):
    training_set, problem, duals = priced
    # A sample has no positives without a dual, so it cannot count what clauses cover.
    problem = replace(problem, min_coverage=0)
    whole = BranchAndBound(training_set, problem).price(duals, Budget.unlimited())
    pricer = sampled(training_set, problem, BranchAndBound, n_samples=10**6, n_nonzeros=10**9)
    found = pricer.price(duals, Budget.unlimited())
    most = 1e-5 * training_set.unit * max(1.0, float(problem.max_complexity))
    assert (found.best_reduced_cost or 0) == pytest.approx(whole.best_reduced_cost or 0, abs=most)


class EveryOther:
    """In place of a generator: takes all samples, and every other condition."""

    def __init__(self):
        self.n_calls = 0

    def random(self, n):
        self.n_calls += 1
        is_conditions = self.n_calls == 3
        return np.arange(n) % 2 * 1.0 if is_conditions else np.zeros(n)


@given(pricing_problems())
def test_sampling_conditions_finds_the_best_clause_over_those(priced):
    training_set, problem, duals = priced
    pricer = Sampled(training_set, problem, BranchAndBound, EveryOther(), 10**6, n_nonzeros=1)
    found = pricer.price(duals, Budget.unlimited())
    exact = ExactDuals.of(duals)
    over_those = [
        brute_force.reduced_cost(training_set, problem, exact, k)
        for k in brute_force.every_clause(training_set, problem)
        if all(j % 2 == 0 for j in k.conditions)
    ]
    most = 1e-5 * training_set.unit * max(1.0, float(problem.max_complexity))
    least = float(min([0, *over_those]))
    assert (found.best_reduced_cost or 0) == pytest.approx(least, abs=most)
