"""Rows split into P and Z and merged; columns made of them."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from boolrules.data.bins import BinnedConditions
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from strategies import generators, problems, training_sets


@given(training_sets(), problems(), st.data())
def test_a_column_covers_what_its_conditions_cover(training_set, problem, data):
    clauses = brute_force.every_clause(training_set, problem)
    for k in data.draw(st.lists(st.sampled_from(clauses), max_size=5)) if clauses else []:
        column = training_set.column(k.conditions, problem)
        assert frozenset(np.flatnonzero(column.delta_P).tolist()) == k.covered_P
        exact = float(brute_force.cost(training_set, problem, k))
        assert column.cost == pytest.approx(exact, rel=1e-12, abs=1e-300)


@given(training_sets(), generators())
def test_merging_keeps_the_weight_of_every_distinct_row(training_set, random):
    codes = np.repeat(training_set.codes_P, 3, axis=0)
    weights = random.integers(0, 4, len(codes)).astype(float)
    order = random.permutation(len(codes))
    is_positive = np.ones(len(codes), dtype=bool)
    merged = TrainingSet.merge(codes[order], is_positive, weights[order], training_set.conditions)
    total = {tuple(row): w for row, w in zip(merged.codes_P, merged.weights_P, strict=True)}
    expected = {
        tuple(row): w
        for row, w in zip(training_set.codes_P, weights.reshape(-1, 3).sum(axis=1), strict=True)
        if w > 0
    }
    assert total == expected


@given(training_sets())
def test_integer_weights_are_never_more_than_the_weights(training_set):
    scale = 2**7
    for rounded, weights in zip(
        training_set.integer_weights(scale),
        (training_set.weights_P, training_set.weights_Z),
        strict=True,
    ):
        assert ((rounded <= weights * scale) & (weights * scale < rounded + 1)).all()


def test_a_sum_of_fractions_is_never_rounded_up():
    conditions = BinnedConditions.build([(0, [(0, 1)])], n_codes=[2])
    codes, weights = np.zeros((10, 1), dtype=np.uint8), np.full(10, 0.1)
    merged = TrainingSet.merge(codes, np.ones(10, dtype=bool), weights, conditions)
    assert sum(map(Fraction, merged.weights_P.tolist())) <= 10 * Fraction(0.1)


@pytest.mark.parametrize(("min_coverage", "is_enough"), [(2, True), (3, True), (4, False)])
def test_a_clause_that_covers_just_enough_covers_enough(min_coverage, is_enough):
    conditions = BinnedConditions.build([(0, [(0, 1)])], n_codes=[2])
    codes = np.array([[0], [0], [0], [1], [0]], dtype=np.uint8)
    is_positive = np.array([True, True, True, True, False])
    samples = TrainingSet.merge(codes, is_positive, np.ones(5), conditions)
    problem = Problem(max_complexity=2, min_coverage=min_coverage)
    assert samples.covers_enough(np.array([[0]]), problem).tolist() == [is_enough]
