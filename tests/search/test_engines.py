"""Engines against sums taken row by row."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given

import brute_force
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import IntegerDuals
from boolrules.data.training_set import TrainingSet
from boolrules.search.engines import (
    Nodes,
    NumbaEngine,
    NumpyEngine,
    Terms,
    make_engine,
    numpy_engine,
)
from boolrules.search.engines.engine import NO_CONDITION
from strategies import generators, pricing_problems


def random_clauses(random, J, most_conditions=3, n=6):
    """Return rows of distinct condition ids, padded at the end; the first has none at all."""
    clauses = np.full((n, most_conditions), NO_CONDITION, dtype=np.int32)
    for row in clauses[1:]:
        chosen = random.permutation(J)[: random.integers(0, most_conditions + 1)]
        row[: len(chosen)] = chosen
    return clauses


def sums_row_by_row(training_set, duals, conditions):
    """Σ μ_i over the covered positives, and the weight of the covered zeros, on the grid."""
    covered = brute_force.clause(training_set, conditions)
    M = sum(int(duals.mu[i]) for i in covered.covered_P)
    N = sum(int(training_set.weights_Z[i] * duals.scale) for i in covered.covered_Z)
    return M, N


@pytest.mark.parametrize(
    ("engine", "most_dense_entries"),
    [
        (NumbaEngine, numpy_engine.MOST_DENSE_ENTRIES),
        (NumpyEngine, numpy_engine.MOST_DENSE_ENTRIES),
        (NumpyEngine, 0),
    ],
    ids=["numba", "numpy dense", "numpy sparse"],
)
@given(pricing_problems(), generators())
def test_engine_sums_what_a_loop_over_rows_sums(engine, most_dense_entries, priced, random):
    training_set, _, duals = priced
    integer_duals, J = training_set.rounded(duals), len(training_set.conditions)
    clauses = random_clauses(random, J)
    with mock.patch.object(numpy_engine, "MOST_DENSE_ENTRIES", most_dense_entries):
        sums = engine(training_set, integer_duals).extend(clauses)
    for b, row in enumerate(clauses):
        clause = [int(j) for j in row if j != NO_CONDITION]
        own = sums_row_by_row(training_set, integer_duals, clause)
        extended = [sums_row_by_row(training_set, integer_duals, [*clause, j]) for j in range(J)]
        assert (sums.M[b], sums.N[b]) == own
        assert list(zip(sums.M_extended[b], sums.N_extended[b], strict=True)) == extended


@pytest.mark.parametrize("name", ["numpy", "numba"])
def test_a_clause_at_the_threshold_is_not_found_and_one_below_it_is(name):
    conditions = BinnedConditions.build([(0, [(0, 1)])], n_codes=[2])
    codes, is_positive = np.array([[0], [1]], dtype=np.uint8), np.array([True, False])
    samples = TrainingSet.merge(codes, is_positive, np.ones(2), conditions)
    engine = make_engine(samples, name, IntegerDuals(np.array([1]), 0, 1))
    for threshold, n_found in ((-1, 0), (0, 1)):  # the one clause has reduced cost -1
        found = engine.expand(Nodes.root(1, 1, 1), Terms(0, 0, threshold, 1, 0)).found
        assert len(found) == n_found
