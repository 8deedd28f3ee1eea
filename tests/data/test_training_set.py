"""Rows split into P and Z and merged; columns made of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
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
