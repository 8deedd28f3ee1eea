"""Searches in PyTorch, on a CPU and, where there is one, on a GPU: the same code on both.

Tables are made with numpy alone, so that these tests run wherever PyTorch does.
"""

import os
import subprocess
import sys
from unittest import mock

import numpy as np
import pytest

from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import Duals
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.proof.bound import is_proved_again
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.search.engines import Nodes, NumbaEngine, NumpyEngine, Terms, make_engine
from boolrules.solver.column_generation import learn
from boolrules.solver.pricing import BeamSearch
from boolrules.solver.settings import Settings

torch = pytest.importorskip(
    "torch", reason="needs PyTorch: make test-all installs it", exc_type=ImportError
)
from boolrules.search.engines._torch.device_nodes import DeviceNodes  # noqa: E402
from boolrules.search.engines._torch.samples import MOST_COST, Last  # noqa: E402

has_gpu = torch.cuda.is_available()
on_a_gpu = pytest.mark.skipif(not has_gpu, reason="PyTorch sees no GPU")
engines = pytest.mark.parametrize(
    "engine", ["torch on a cpu", pytest.param("cuda", marks=[pytest.mark.gpu, on_a_gpu])]
)
EVERYTHING = 10**9


def random_table(seed, n_rows=40, n_features=4, n_codes=4):
    """Thresholds both ways, equalities and inequalities; weights whole or not."""
    random = np.random.default_rng(seed)
    conditions = []
    for f in range(n_features):
        for t in range(1, n_codes):
            conditions += [(f, [(0, t)]), (f, [(t, n_codes)])]
        c = int(random.integers(n_codes))
        conditions += [(f, [(c, c + 1)]), (f, [(0, c), (c + 1, n_codes)])]
    codes = random.integers(n_codes, size=(n_rows, n_features)).astype(np.uint8)
    score = codes[:, 0] + codes[:, 1] * (codes[:, 2] > 1) + random.normal(size=n_rows)
    weights = random.choice([[1.0], [1.0, 2.0, 300.0], [0.1, 0.25, 1 / 3, 7.7]][seed % 3], n_rows)
    binned = BinnedConditions.build(conditions, n_codes=[n_codes] * n_features)
    return TrainingSet.merge(codes, score > np.median(score), weights, binned)


def random_duals(training_set, seed):
    random = np.random.default_rng(1000 + seed)
    mu = training_set.weights_P * random.choice([0.0, 0.3, 0.77, 1.0], len(training_set.weights_P))
    lam = float(random.choice([0.01, 0.1, 0.5])) * training_set.unit
    return training_set.rounded(Duals(mu, lam))


def terms_of(duals, problem, J, *, is_enumerating):
    prices = duals.prices(problem)
    threshold, least = (2 * duals.scale, 0) if is_enumerating else (0, prices[1])
    return Terms(*prices, threshold, min(problem.longest_clause, J), least)


def sorted_rows(rows):
    return rows[np.lexsort(rows.T[::-1])].tolist()


def n_nodes_of_specification(training_set, problem, duals):
    search = BranchAndBound(training_set, problem, EVERYTHING, EVERYTHING, engine="numpy")
    return search.price_integer(duals, Budget.unlimited()).n_nodes


def assert_equal(one, other, names=Nodes.__slots__):
    assert sorted_rows(one.found) == sorted_rows(other.found)
    for name in names:
        assert np.array_equal(getattr(one.children, name), getattr(other.children, name)), name


@engines
@pytest.mark.parametrize("is_enumerating", [False, True])
@pytest.mark.parametrize("seed", range(9))
def test_expands_as_the_specification_does(engine, is_enumerating, seed):
    training_set = random_table(seed)
    duals, J = random_duals(training_set, seed), len(training_set.conditions)
    terms = terms_of(duals, Problem(6), J, is_enumerating=is_enumerating)
    specification = NumpyEngine(training_set, duals, is_enumerating=is_enumerating)
    tried = make_engine(training_set, engine, duals, is_enumerating=is_enumerating)
    nodes = Nodes.root(J, terms.longest, int(duals.mu.sum()))
    n_levels = 0
    while len(nodes):
        expected = specification.expand(nodes, terms)
        assert_equal(tried.expand(nodes, terms), expected)
        nodes, n_levels = expected.children[:15], n_levels + 1
    assert n_levels > 1


@engines
@pytest.mark.parametrize("is_enumerating", [False, True])
def test_expands_as_the_compiled_engine_does_on_more_rows_and_conditions(engine, is_enumerating):
    training_set = random_table(0, n_rows=1500, n_features=12, n_codes=9)
    duals, J = random_duals(training_set, 0), len(training_set.conditions)
    terms = terms_of(duals, Problem(5), J, is_enumerating=is_enumerating)
    compiled = NumbaEngine(training_set, duals, is_enumerating=is_enumerating)
    tried = make_engine(training_set, engine, duals, is_enumerating=is_enumerating)
    nodes = Nodes.root(J, terms.longest, int(duals.mu.sum()))
    random = np.random.default_rng(0)
    while len(nodes):
        expected, here = compiled.expand(nodes, terms), tried.expand(nodes, terms)
        # Of the conditions that a child may use, the compiled engine keeps fewer.
        assert not (expected.children.allowed & ~here.children.allowed).any()
        assert_equal(here, expected, ("clauses", "lengths", "bound", "M"))
        n = len(expected.children)
        nodes = expected.children[np.sort(random.permutation(n)[:60])]


@engines
@pytest.mark.parametrize("seed", range(6))
def test_what_a_last_condition_costs_is_rounded_down_and_by_little(engine, seed):
    training_set = random_table(seed)
    duals, J = random_duals(training_set, seed), len(training_set.conditions)
    tried = make_engine(training_set, engine, duals)
    clauses = np.random.default_rng(seed).integers(J, size=(50, 2)).astype(np.int32)
    sums = NumpyEngine(training_set, duals).extend(clauses)
    cost = (sums.M[:, None] - sums.M_extended + sums.N_extended).min(axis=1)
    lengths = np.full(50, 2)
    nodes = Nodes(clauses, lengths, np.zeros((50, 1), dtype=np.uint64), -sums.M, sums.M)
    last = Last.of(tried._samples.P, tried._samples.Z)
    on_device = DeviceNodes.of(nodes, J, tried.device)
    least = tried._steps.least_sums(last, on_device)
    rounded = last.unit * least.cpu().numpy().astype(np.int64)
    assert np.all(rounded <= MOST_COST * cost)
    n_rows = last.holds.shape[1]
    assert np.all(rounded + n_rows * last.unit > MOST_COST * cost)
    price = 3 * duals.lam
    reduced_cost = price - sums.M + cost
    for threshold in (0, duals.scale, int(np.median(reduced_cost))):
        is_open = last.is_open(least, on_device.M, price, threshold).cpu().numpy()
        assert np.all(is_open[reduced_cost < threshold])
    far_below = last.is_open(least, on_device.M, price, int(reduced_cost.min() - cost.max()) - 1)
    assert not far_below.any()


@engines
@pytest.mark.parametrize("seed", range(6))
def test_search_proves_finds_and_lists_what_the_compiled_one_does(engine, seed):
    training_set = random_table(seed)
    duals, problem = random_duals(training_set, seed), Problem(6)
    ours = BranchAndBound(training_set, problem, EVERYTHING, EVERYTHING, engine=engine)
    theirs = BranchAndBound(training_set, problem, EVERYTHING, EVERYTHING)
    one = ours.price_integer(duals, Budget.unlimited())
    other = theirs.price_integer(duals, Budget.unlimited())
    assert one.best_reduced_cost == other.best_reduced_cost
    assert one.lower_bound == other.lower_bound
    assert one.feasible_duals.lam == other.feasible_duals.lam
    assert one.n_nodes == n_nodes_of_specification(training_set, problem, duals)
    assert [c.clause for c in one.columns] == [c.clause for c in other.columns]
    feasible = other.feasible_duals
    listed = ours.enumerate(feasible, feasible.scale, Budget.unlimited(), EVERYTHING)
    expected = theirs.enumerate(feasible, feasible.scale, Budget.unlimited(), EVERYTHING)
    assert listed.is_complete
    assert sorted(listed.clauses) == sorted(expected.clauses)


@engines
def test_beam_finds_what_the_compiled_one_does(engine):
    training_set, problem = random_table(1), Problem(8)
    duals = Duals(training_set.weights_P, 0.1)
    one = BeamSearch(training_set, problem, engine=engine).price(duals, Budget.unlimited())
    other = BeamSearch(training_set, problem).price(duals, Budget.unlimited())
    assert one.columns
    assert [c.clause for c in one.columns] == [c.clause for c in other.columns]


@engines
def test_nodes_that_go_to_the_host_and_back_change_nothing(engine):
    training_set = random_table(0)
    duals = random_duals(training_set, 0)
    terms = terms_of(duals, Problem(5), len(training_set.conditions), is_enumerating=True)
    root = Nodes.root(len(training_set.conditions), terms.longest, int(duals.mu.sum()))
    found, n_spilled = [], []
    for most_open_bytes in (10**9, 0):
        tried = make_engine(training_set, engine, duals, is_enumerating=True)
        tried.nodes_at_once, tried.most_open_bytes = 64, most_open_bytes
        open_nodes, clauses, least = tried.open(root, terms), [], []
        while len(open_nodes):
            clauses += open_nodes.expand_a_batch().clauses.tolist()
            least.append(open_nodes.least_by_length().tolist())
        found.append((sorted(map(tuple, clauses)), least))
        n_spilled.append(open_nodes.n_spilled)
    assert found[0] == found[1]
    assert n_spilled[0] == 0 < n_spilled[1]


def test_no_more_nodes_are_taken_than_asked_for():
    training_set = random_table(0)
    duals = random_duals(training_set, 0)
    terms = terms_of(duals, Problem(5), len(training_set.conditions), is_enumerating=False)
    root = Nodes.root(len(training_set.conditions), terms.longest, int(duals.mu.sum()))
    tried = make_engine(training_set, "torch on a cpu", duals)
    tried.nodes_at_once = 7
    open_nodes, sizes = tried.open(root, terms), []
    while len(open_nodes):
        sizes.append(open_nodes.expand_a_batch().n_nodes)
    assert 7 in sizes
    assert 7 < max(sizes) <= tried.last_nodes_at_once == 28
    assert sum(sizes) == n_nodes_of_specification(training_set, Problem(5), duals)


def test_a_batch_that_does_not_fit_is_halved():
    training_set = random_table(0)
    duals = random_duals(training_set, 0)
    terms = terms_of(duals, Problem(4), len(training_set.conditions), is_enumerating=False)
    root = Nodes.root(len(training_set.conditions), terms.longest, int(duals.mu.sum()))
    tried = make_engine(training_set, "torch on a cpu", duals)
    open_nodes, n_nodes = tried.open(root, terms), 0
    whole = tried.expand_on_device

    def out_of_memory_beyond_three(nodes, terms):
        if len(nodes) > 3:
            raise torch.OutOfMemoryError("no room")
        return whole(nodes, terms)

    with mock.patch.object(tried, "expand_on_device", out_of_memory_beyond_three):
        while len(open_nodes):
            n_nodes += open_nodes.expand_a_batch().n_nodes
    assert tried.nodes_at_once <= 3
    assert n_nodes == n_nodes_of_specification(training_set, Problem(4), duals)


@engines
@pytest.mark.parametrize("complexity", [4, 7])
def test_learns_what_is_proved_with_the_compiled_engine(engine, complexity):
    training_set = random_table(0, n_rows=60)
    results = [
        learn(training_set, Problem(complexity), Settings(time_limit=None, engine=name), print)
        for name in (engine, "numba")
    ]
    one, other = (result.certificate for result in results)
    assert other.is_optimal
    assert (one.hamming_loss, one.lower_bound) == (other.hamming_loss, other.lower_bound)
    assert is_proved_again(one, training_set, engine=engine)
    assert is_proved_again(one, training_set)


def test_kernels_read_by_an_interpreter_do_as_the_specification_does():
    """Triton can run kernels without a GPU, one program at a time."""
    pytest.importorskip("triton")
    code = """
from boolrules.search.engines._torch import torch_engine, triton_steps
torch_engine.plain_steps = triton_steps
import test_torch_device as tests
make = tests.random_table
tests.random_table = lambda seed: make(seed, n_rows=20, n_features=3, n_codes=3)
for is_enumerating in (False, True):
    tests.test_expands_as_the_specification_does("torch on a cpu", is_enumerating, 1)
"""
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(has_gpu, reason="there is a GPU")
def test_without_a_gpu_the_message_names_the_engine_that_works():
    training_set = random_table(0)
    with pytest.raises(ValueError, match=r"engine='cuda' needs an NVIDIA GPU.*engine='numba'"):
        make_engine(training_set, "cuda", random_duals(training_set, 0))
