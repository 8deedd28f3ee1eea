"""Requirements as rows of the master: shifted weights and constants, against exact fractions."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from boolrules._support.budget import Budget
from boolrules.data.column import Duals
from boolrules.data.demands import Demands
from boolrules.data.requirement import Measure
from boolrules.proof.gap import dual_bound
from boolrules.search.branch_and_bound import BranchAndBound
from strategies import asked, generators, times


@st.composite
def demands(draw):
    """Any coefficients, of both signs, small and large."""
    random = draw(generators())
    n, n_P, n_Z = draw(st.integers(1, 3)), draw(st.integers(0, 5)), draw(st.integers(0, 5))
    largest = draw(st.sampled_from([1, 5, 10**6, 2**40]))
    alpha, beta = (random.integers(-largest, largest + 1, (n, n_rows)) for n_rows in (n_P, n_Z))
    most = tuple(random.integers(-largest, 9 * largest, n).tolist())
    return Demands(alpha.astype(np.int64), beta.astype(np.int64), most)


@given(demands(), st.lists(st.integers(0, 2**30), min_size=3, max_size=3))
def test_shifts_are_rounded_down_and_what_is_paid_is_exact(asks, prices):
    theta = tuple(prices[: len(asks)])
    unit_prices = [Fraction(t, norm) for t, norm in zip(theta, asks.norms, strict=True)]
    for shifts, coefficients in zip(asks.shifts(theta), (asks.alpha, asks.beta), strict=True):
        assert shifts.tolist() == [
            math.floor(sum(p * c for p, c in zip(unit_prices, column, strict=True)))
            for column in coefficients.T.tolist()
        ]
    assert asks.paid(theta) == sum(p * m for p, m in zip(unit_prices, asks.most, strict=True))


@given(demands(), generators())
def test_a_sample_keeps_what_a_price_means(asks, random):
    rows = [random.permutation(c.shape[1])[:2] for c in (asks.alpha, asks.beta)]
    small = asks.sample(*rows)
    assert small.norms == asks.norms
    assert small.most == asks.most
    theta = (2**20,) * len(asks)
    for part, whole, kept in zip(small.shifts(theta), asks.shifts(theta), rows, strict=True):
        assert part.tolist() == whole[kept].tolist()


@times(2)
@given(asked(is_plain=True))
def test_rows_that_may_be_liked_mistaken_are_on_both_sides(task):
    samples = task.training_set()
    if samples.demands is None:
        return
    for codes, others, weights, coefficients, copies in (
        (
            samples.codes_P,
            samples.codes_Z,
            samples.weights_Z,
            samples.demands.alpha,
            samples.demands.beta,
        ),
        (
            samples.codes_Z,
            samples.codes_P,
            samples.weights_P,
            samples.demands.beta,
            samples.demands.alpha,
        ),
    ):
        for row in codes[(coefficients < 0).any(axis=0)]:
            is_copy = (others == row).all(axis=1) & (weights == 0) & ~copies.any(axis=0)
            assert is_copy.any()
    n_rows = int(np.sum(task.weights != 0)) if task.weights is not None else len(task.frame)
    of_form = task.is_positive == (task.parameters["form"] == "dnf")
    n_positives = int(np.sum(of_form & (True if task.weights is None else task.weights > 0)))
    assert samples.counts_P.sum() == n_positives <= n_rows


@times(1.5)
@given(asked(is_plain=True), generators(), st.data())
def test_rule_sets_meet_demands_as_the_table_says(task, random, data):
    samples, plain = task.training_set(), task.plain()
    J = len(plain.conditions)
    for _ in range(5):
        n_clauses = data.draw(st.integers(0, 3))
        clauses = [
            tuple(sorted(random.choice(J, min(J, 1 + int(random.integers(2))), replace=False)))
            for _ in range(n_clauses)
        ]
        named = [[plain.conditions[j] for j in clause] for clause in clauses]
        mistakes = plain.mistakes(named)
        assert samples.meets_demands(clauses) == plain.meets(task.requirements, mistakes)


@times(1)
@given(asked(), generators())
def test_whatever_the_duals_no_bound_is_above_a_rule_set_that_meets_requirements(task, random):
    """Prices far from the best ones too: of requirements, of positives, of complexity."""
    task.parameters["constraints"].pop("given_clauses", None)
    samples, problem = task.training_set(), task.problem()
    if samples.demands is None:
        return
    optimum = task.plain().optimum(task.requirements)
    search = BranchAndBound(samples, problem)
    for size in (0.0, 0.3, 5.0):
        theta = tuple((size * random.random(len(samples.demands))).tolist())
        weights = np.maximum(samples.weights_P + np.array(theta) @ samples.demands.prices[0], 0)
        duals = Duals(weights * random.random(len(weights)), 0.01, theta=theta)
        feasible = search.price(duals, Budget.unlimited()).feasible_duals
        assert feasible.theta == samples.rounded(duals).theta
        assert optimum is None or dual_bound(samples, problem, feasible) <= optimum


@given(asked([Measure.EQUALISED_ODDS, Measure.FLAGGED], is_plain=True))
def test_charges_are_what_lies_below_nothing(task):
    samples = task.training_set()
    if samples.demands is None:
        return
    duals = samples.rounded(
        replace(samples.duals_of_missed([], (4.0,) * len(samples.demands)), lam=0.0)
    )
    weights_P, weights_Z = samples.integer_weights(duals.scale, duals.theta)
    shift_P, _ = samples.demands.shifts(duals.theta)
    raw = np.floor(samples.weights_P * duals.scale).astype(np.int64) + shift_P
    assert (weights_P >= 0).all()
    assert (weights_Z >= 1).all()
    assert (samples.charges_if_covered(duals) == np.maximum(-raw, 0)).all()
    assert (weights_P - samples.charges_if_covered(duals) == raw).all()
