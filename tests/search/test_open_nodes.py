"""Open nodes: what is found does not depend on how many are expanded, and they fit into memory."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import IntegerDuals
from boolrules.data.training_set import TrainingSet
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.search.engines import Nodes, Terms, make_engine, open_nodes
from brute_force import ExactDuals, reduced_costs
from strategies import pricing_problems, times

LONGEST = 20
A_NODE = 24 + 4 * LONGEST + 8  # bytes, with up to 64 conditions
SIZES = {
    "MOST_OPEN_BYTES": st.sampled_from([0, 300, 10**9]),
    "MOST_NEW_BYTES": st.sampled_from([1, 300, 10**9]),
    "NODES_PER_CHUNK": st.sampled_from([1, 3, 1024]),
}


@pytest.mark.parametrize("engine", ["numba", "numpy"])
@times(2)
@given(pricing_problems(whole=True), st.fixed_dictionaries(SIZES))
def test_the_least_reduced_cost_is_found_however_little_memory_there_is(engine, priced, sizes):
    training_set, problem, duals = priced
    integer_duals = training_set.rounded(duals)
    with mock.patch.multiple(open_nodes, **sizes):
        search = BranchAndBound(training_set, problem, engine=engine, n_threads=2)
        found = search.price_integer(integer_duals, Budget.unlimited())
    every = reduced_costs(training_set, problem, ExactDuals.of(integer_duals))
    assert found.lower_bound == min((cost for cost, _ in every if cost < 0), default=0)


@times(2)
@given(pricing_problems(whole=True), st.fixed_dictionaries(SIZES), st.integers(0, 3))
def test_the_same_clauses_are_listed_however_little_memory_there_is(priced, sizes, most):
    training_set, problem, duals = priced
    integer_duals = training_set.rounded(duals)
    search = BranchAndBound(training_set, problem, engine="numba", n_threads=2)
    listed = search.enumerate(integer_duals, most, Budget.unlimited(), 10**6)
    with mock.patch.multiple(open_nodes, **sizes):
        again = search.enumerate(integer_duals, most, Budget.unlimited(), 10**6)
    assert listed.is_complete
    assert again.is_complete
    assert sorted(listed.clauses) == sorted(again.clauses)


def many_children():
    """A search in which every condition may join every clause, for each zero fails one of them."""
    n_conditions = 40
    conditions = BinnedConditions.build(
        [(f, [(1, 2)]) for f in range(n_conditions)], n_codes=[2] * n_conditions
    )
    codes = np.vstack([np.ones(n_conditions), 1 - np.eye(n_conditions)]).astype(np.uint8)
    weights = np.ones(len(codes))
    samples = TrainingSet.merge(codes, np.arange(len(codes)) == 0, weights, conditions)
    duals = IntegerDuals(np.array([100]), 0, 1)
    engine = make_engine(samples, "numba", duals)
    root = Nodes.root(n_conditions, LONGEST, 100)
    return engine.open(root, Terms(0, 0, 100, LONGEST, 0))


def expanded(heap, n_batches):
    """Return how many nodes each batch has had, and how many children they had."""
    batches = []
    for _ in range(n_batches):
        n_before = len(heap)
        n_nodes = heap.expand_a_batch().n_nodes
        batches.append((n_nodes, len(heap) - n_before + n_nodes))
    return batches


@pytest.mark.parametrize("nodes_per_chunk", [8, 1024])
def test_a_batch_has_no_more_children_than_there_is_room_for(nodes_per_chunk):
    heap = many_children()
    sizes = {"MOST_NEW_BYTES": 300 * A_NODE, "NODES_PER_CHUNK": nodes_per_chunk}
    with mock.patch.multiple(open_nodes, **sizes):
        batches = expanded(heap, 300)
    assert max(n for n, _ in batches) > 100
    assert 200 < max(children for _, children in batches) <= 300


def test_open_nodes_hardly_grow_once_there_are_many():
    heap = many_children()
    most = 2000
    sizes = {"MOST_OPEN_BYTES": most * A_NODE, "MOST_NEW_BYTES": most * A_NODE // 10}
    with mock.patch.multiple(open_nodes, **sizes):
        expanded(heap, 300)
        assert most < len(heap) < 1.5 * most


def test_chunks_do_not_keep_the_memory_of_others():
    chunks = open_nodes.sorted_chunks(Nodes.concatenate([Nodes.root(3, 2, 5)] * 3000))
    assert [len(chunk) for chunk in chunks] == [1024, 1024, 952]
    assert all(getattr(chunk, name).base is None for chunk in chunks for name in Nodes.__slots__)
