"""The compiled engine against its specification in numpy."""

from dataclasses import replace

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules.data.bins import BinnedConditions
from boolrules.data.column import EXACT_BITS, Duals
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.search.engines import Nodes, NumbaEngine, NumpyEngine, Terms, numba_engine
from boolrules.search.engines._kernels.sorting import sort_places
from boolrules.search.engines.loading import load_kernels
from strategies import pricing_problems


def search_terms(duals, problem, J, threshold, least_elimination):
    longest = min(problem.longest_clause or J, J)
    return Terms(*duals.prices(problem), threshold, longest, least_elimination)


def sorted_rows(rows):
    return rows[np.lexsort(rows.T[::-1])].tolist()


def assert_equal(one, other):
    assert sorted_rows(one.found) == sorted_rows(other.found)
    for name in Nodes.__slots__:
        assert np.array_equal(getattr(one.children, name), getattr(other.children, name)), name


def check_expansions(make, priced, is_enumerating, narrows=False):
    """Expand level after level with an engine and with the specification."""
    training_set, problem, float_duals = priced
    duals, J = training_set.rounded(float_duals), len(training_set.conditions)
    if J == 0:
        return
    threshold = min(2 * duals.scale, 2**EXACT_BITS) if is_enumerating else 0
    least_elimination = 0 if is_enumerating else duals.prices(problem)[1]
    terms = search_terms(duals, problem, J, threshold, least_elimination)
    specification = NumpyEngine(
        training_set, duals, is_enumerating=is_enumerating, narrows=narrows
    )
    engine = make(training_set, duals, is_enumerating=is_enumerating)
    nodes = Nodes.root(J, terms.longest, int(duals.mu.sum()))
    while len(nodes):
        expected = specification.expand(nodes, terms)
        assert_equal(engine.expand(nodes, terms), expected)
        nodes = expected.children[:20]


def check_extensions(make, priced):
    """Extend clauses of up to two conditions with an engine and with the specification."""
    training_set, _, float_duals = priced
    duals, J = training_set.rounded(float_duals), len(training_set.conditions)
    pairs = [[j, k] for j in range(min(J, 4)) for k in range(-1, min(J, 4))]
    clauses = np.array([[-1, -1], *pairs], dtype=np.int32)  # padded at the end
    one = make(training_set, duals).extend(clauses)
    other = NumpyEngine(training_set, duals).extend(clauses)
    for name in ("M", "N", "M_extended", "N_extended"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


@pytest.mark.parametrize("is_enumerating", [False, True])
@given(pricing_problems())
def test_numba_engine_expands_as_the_specification_does(is_enumerating, priced):
    check_expansions(NumbaEngine, priced, is_enumerating, narrows=True)


@given(pricing_problems())
def test_numba_engine_extends_as_the_specification_does(priced):
    check_extensions(NumbaEngine, priced)


@given(keys=st.lists(st.integers(-9, 9), max_size=150))
def test_places_are_sorted_by_their_keys_and_stay_in_order_where_these_are_equal(keys):
    order = sorted_places(np.array(keys, dtype=np.int64))
    assert order.tolist() == sorted(range(len(keys)), key=keys.__getitem__)


@numba.njit
def sorted_places(keys):
    order, spare = np.empty(len(keys), dtype=np.int64), np.empty(len(keys), dtype=np.int64)
    sort_places(keys, len(keys), order, spare)
    return order


@given(pricing_problems())
def test_threads_and_small_buffers_change_nothing(priced):
    training_set, problem, float_duals = priced
    duals, J = training_set.rounded(float_duals), len(training_set.conditions)
    if J == 0:
        return
    # Tiny weights have a scale beyond what sums can reach.
    terms = search_terms(duals, problem, J, min(duals.scale, 2**EXACT_BITS), 0)
    nodes = Nodes.root(J, terms.longest, int(duals.mu.sum()))
    nodes = NumbaEngine(training_set, duals).expand(nodes, terms).children
    if not len(nodes):
        return
    expected = NumbaEngine(training_set, duals).expand(nodes, terms)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numba_engine, "NODES_PER_TASK", 1)
        patch.setattr(numba_engine, "FIRST_BUFFER", 1)
        found = NumbaEngine(training_set, duals, n_threads=3).expand(nodes, terms)
    assert_equal(found, expected)


def table_of_some_hundred_rows(weights):
    random = np.random.default_rng(0)
    codes = random.integers(5, size=(700, 6)).astype(np.uint8)
    ranges = [(f, [r]) for f in range(6) for t in range(1, 5) for r in ((0, t), (t, 5))]
    score = codes[:, 0] + codes[:, 1] + random.normal(size=700)
    binned = BinnedConditions.build(ranges, n_codes=[5] * 6)
    return TrainingSet.merge(codes, score > 4, random.choice(weights, 700), binned)


@pytest.mark.parametrize("most_laid_out", [0, numba_engine.MOST_LAID_OUT])
@pytest.mark.parametrize("most_rows_in_tables", [0, numba_engine.MOST_ROWS_IN_TABLES])
@pytest.mark.parametrize("weights", [[1.0], [1.0, 2.0, 3.0], list(np.linspace(0.1, 3, 99))])
def test_words_of_equal_and_of_mixed_weights_are_summed_alike(
    monkeypatch, weights, most_rows_in_tables, most_laid_out
):
    monkeypatch.setattr(numba_engine, "MOST_LAID_OUT", most_laid_out)
    monkeypatch.setattr(numba_engine, "MOST_ROWS_IN_TABLES", most_rows_in_tables)
    training_set = table_of_some_hundred_rows(weights)
    mu = training_set.weights_P * np.resize([1.0, 1.0, 0.0, 1.0, 0.4], training_set.n_P)
    priced = training_set, Problem(5), Duals(mu, 2.0)
    check_extensions(NumbaEngine, priced)
    for is_enumerating in (False, True):
        check_expansions(NumbaEngine, priced, is_enumerating, narrows=True)


def test_kernels_are_compiled_once_however_conditions_lie_in_memory():
    conditions = BinnedConditions.build([(0, [(0, 1)]), (0, [(1, 2)])], n_codes=[2])
    codes, is_positive = np.array([[0], [1]], dtype=np.uint8), np.array([True, False])
    n_compiled = []
    for lie in (np.ascontiguousarray, np.asfortranarray):
        some = replace(conditions, ranges=lie(conditions.ranges))
        samples = TrainingSet.merge(codes, is_positive, np.ones(2), some)
        engine = NumbaEngine(samples, samples.rounded(Duals(np.ones(1), 0.0)))
        engine.extend(np.zeros((1, 1), dtype=np.int32))
        n_compiled.append(len(load_kernels().extend.signatures))
    assert n_compiled[0] == n_compiled[1]
