"""Rows in many places against the same rows in one: every answer is the same integer."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from distributed_cases import split
from hypothesis import given
from hypothesis import strategies as st

from boolrules.data.bins import BinnedConditions, unpack_bits
from boolrules.data.column import EXACT_BITS, Duals, grid
from boolrules.data.patterns import (
    IntegerPatternDuals,
    PatternRates,
    duals_from_plain,
)
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.distributed import InProcess, Partition, PartitionedTrainingSet
from boolrules.proof.bound import is_proved_again
from boolrules.proof.certificate import Argument, Certificate
from boolrules.search.engines import Nodes, NumpyEngine, Terms, make_engine
from strategies import generators, problems, training_sets


def random_clauses(random, J, n=4):
    clauses = {
        tuple(sorted(random.permutation(J)[: random.integers(1, 4)].tolist())) for _ in range(n)
    }
    return tuple(sorted(clauses))


@st.composite
def partitioned(draw):
    """A training set, the same in partitions, a problem, and duals for both."""
    training_set, problem, random = draw(training_sets()), draw(problems()), draw(generators())
    samples = split(training_set, random)
    J = len(training_set.conditions)
    clauses = random_clauses(random, J) if J else ()
    patterns = samples.patterns()
    patterns.add(samples.columns(clauses, problem))
    _, totals = patterns.merge()
    mu = totals * random.choice([0.0, 0.3, 1.0], size=len(totals))
    lam = float(random.choice([0.0, 0.4, 2.0]) * training_set.unit)
    duals = samples.rounded(patterns.duals(Duals(mu, lam)))
    return training_set, samples, problem, duals, random


@given(partitioned())
def test_facts_are_those_of_the_whole(case):
    training_set, samples, *_ = case
    assert samples.n_rows == training_set.n_rows
    assert samples.unit == training_set.unit
    assert samples.has_integer_weights == training_set.has_integer_weights
    assert samples.total_weight == pytest.approx(training_set.total_weight, rel=1e-12)


@given(partitioned())
def test_sums_of_mu_are_those_of_the_rows(case):
    training_set, _, _, duals, _ = case
    assert int(duals.mu.sum()) == int(duals.on(training_set).mu.sum())


@given(training_sets(whole=True), generators())
def test_sums_of_mu_are_those_of_the_rows_where_the_grid_is_coarse(training_set, random):
    """Large weights leave few bits for fractions: what rows lose by rounding, sums lose too."""
    factor = 2.0 ** random.integers(30, 42) + random.integers(0, 1000)
    weights = (training_set.weights_P * factor, training_set.weights_Z * factor)
    heavy = replace(training_set, weights_P=weights[0], weights_Z=weights[1])
    if not len(heavy.conditions):
        return
    samples = split(heavy, random)
    patterns = samples.patterns()
    clauses = random_clauses(random, len(heavy.conditions))
    patterns.add(samples.columns(clauses, Problem(max_complexity=5)))
    _, totals = patterns.merge()
    duals = samples.rounded(patterns.duals(Duals(totals * random.random(len(totals)), 0.0)))
    assert int(duals.mu.sum()) == int(duals.on(heavy).mu.sum())


@given(partitioned())
def test_extending_sums_over_all_partitions(case):
    training_set, samples, _, duals, random = case
    J = len(training_set.conditions)
    if J == 0:
        return
    clauses = np.array([[j, -1] for j in random.permutation(J)[:4]], dtype=np.int32)
    one = make_engine(samples, "numba", duals).extend(clauses)
    other = NumpyEngine(training_set, duals.on(training_set)).extend(clauses)
    for name in ("M", "N", "M_extended", "N_extended"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


@pytest.mark.parametrize("is_enumerating", [False, True])
@given(partitioned())
def test_expanding_over_partitions_is_expanding_over_the_whole(is_enumerating, case):
    training_set, samples, problem, duals, _ = case
    J = len(training_set.conditions)
    if J == 0:
        return
    threshold = min(2 * duals.scale, 2**EXACT_BITS) if is_enumerating else 0
    least_elimination = 0 if is_enumerating else duals.prices(problem)[1]
    longest = min(problem.longest_clause or J, J)
    terms = Terms(*duals.prices(problem), threshold, longest, least_elimination)
    specification = NumpyEngine(
        training_set, duals.on(training_set), is_enumerating=is_enumerating
    )
    engine = make_engine(samples, "numba", duals, is_enumerating=is_enumerating)
    nodes = Nodes.root(J, longest, int(duals.mu.sum()))
    while len(nodes):
        expected = specification.expand(nodes, terms)
        found = engine.expand(nodes, terms)
        assert sorted(map(tuple, found.found.tolist())) == sorted(
            map(tuple, expected.found.tolist())
        )
        for name in Nodes.__slots__:
            assert np.array_equal(
                getattr(found.children, name), getattr(expected.children, name)
            ), name
        nodes = expected.children[:20]


@given(partitioned())
def test_columns_sums_and_losses_are_those_of_the_whole(case):
    training_set, samples, problem, duals, random = case
    if not len(training_set.conditions):
        return
    clauses = random_clauses(random, len(training_set.conditions), 6)
    columns = samples.columns(clauses, problem)
    expected = training_set.columns(clauses, problem)
    assert [c.clause for c in columns] == [c.clause for c in expected]
    assert [c.cost for c in columns] == pytest.approx([c.cost for c in expected], rel=1e-12)
    for one, other in zip(
        samples.sums(clauses, duals),
        training_set.sums(clauses, duals.on(training_set)),
        strict=True,
    ):
        assert one.tolist() == other.tolist()
    assert samples.n_nonzeros(columns) == training_set.n_nonzeros(expected)
    assert samples.hamming_loss(clauses) == pytest.approx(
        training_set.hamming_loss(clauses), rel=1e-12
    )


@given(partitioned())
def test_coverage_merges_only_positives_that_every_clause_treats_alike(case):
    training_set, samples, _, duals, random = case
    if not len(training_set.conditions):
        return
    clauses = random_clauses(random, len(training_set.conditions), 40)
    found = samples.coverage(clauses, duals)
    whole = training_set.coverage(clauses, duals.on(training_set))
    totals = {}
    patterns = unpack_bits(whole.covers, len(whole.mu)).T
    for pattern, weight, mu in zip(patterns, whole.weights, whole.mu, strict=True):
        before = totals.get(pattern.tobytes(), (0, 0))
        totals[pattern.tobytes()] = (before[0] + int(weight), before[1] + int(mu))
    patterns = unpack_bits(found.covers, len(found.mu)).T
    merged = zip(patterns, found.weights, found.mu, strict=True)
    assert {p.tobytes(): (int(w), int(m)) for p, w, m in merged} == totals
    assert len(found.mu) == len(totals)
    assert found.zeros.tolist() == whole.zeros.tolist()


@given(partitioned())
def test_duals_of_patterns_survive_json(case):
    training_set, _, _, duals, _ = case
    read = duals_from_plain(duals.to_plain())
    assert isinstance(read, IntegerPatternDuals)
    one, other = read.on(training_set), duals.on(training_set)
    assert one.mu.tolist() == other.mu.tolist()
    assert (one.lam, one.scale, one.nu) == (other.lam, other.scale, other.nu)


@pytest.mark.parametrize(
    "spoiled",
    [
        {"rates": [2.0]},
        {"rates": []},
        {"patterns": ["xy"]},
        {"patterns": ["00"]},
        {"clauses": [[-1]]},
        {"lam": -1},
    ],
)
def test_spoiled_duals_of_patterns_are_turned_down(spoiled):
    plain = {"clauses": [[0]], "patterns": ["01" + "00" * 7], "rates": [0.5], "lam": 1, "scale": 4}
    duals_from_plain(plain)
    with pytest.raises(ValueError, match=r"[Dd]uals|Patterns"):
        duals_from_plain(plain | spoiled)


@pytest.mark.parametrize("spoiled", [{"clauses": [[10**6]]}, {"scale": 2**60}])
def test_duals_of_other_data_prove_nothing(spoiled):
    conditions = BinnedConditions.build([(0, [(0, 1)]), (0, [(1, 2)])], n_codes=[2])
    codes, is_positive = np.array([[0], [1]], dtype=np.uint8), np.array([True, False])
    samples = TrainingSet.merge(codes, is_positive, np.ones(2), conditions)
    plain = {"clauses": [[0]], "patterns": ["01" + "00" * 7], "rates": [0.5], "lam": 1, "scale": 4}
    assert duals_from_plain(plain).on(samples).mu.tolist() == [2]
    duals = duals_from_plain(plain | spoiled)
    assert duals.on(samples) is None
    problem = Problem(max_complexity=2)
    claim = Certificate(1, 0, 1, Argument.EXACT_SEARCH, problem, duals)
    assert not is_proved_again(claim, samples)


@given(training_sets(), generators())
def test_duals_do_not_depend_on_how_equal_rows_were_merged(training_set, random):
    """The same rows, each cut into pieces of integer weight, have the same sums of μ."""
    if not training_set.has_integer_weights or not len(training_set.conditions):
        return
    pieces_P, pieces_Z = [], []
    for weights, pieces in (
        (training_set.weights_P, pieces_P),
        (training_set.weights_Z, pieces_Z),
    ):
        first = np.floor(weights * random.random(len(weights)))
        pieces += [first, weights - first]
    parts = [
        Partition(
            TrainingSet(
                training_set.conditions,
                training_set.codes_P[w_P > 0],
                training_set.codes_Z[w_Z > 0],
                w_P[w_P > 0],
                w_Z[w_Z > 0],
            )
        )
        for w_P, w_Z in zip(pieces_P, pieces_Z, strict=True)
    ]
    samples = PartitionedTrainingSet(training_set.conditions, InProcess(parts))
    scale = grid(training_set.total_weight, training_set.unit)
    clauses = random_clauses(random, len(training_set.conditions))
    patterns = samples.patterns()
    patterns.add(samples.columns(clauses, Problem(max_complexity=5)))
    patterns.merge()
    keys = patterns._found
    shares = np.floor(random.random(len(keys.marks)) * min(scale, 2**20)) / min(scale, 2**20)
    of = PatternRates(clauses, keys.keys, keys.marks, shares)
    duals = IntegerPatternDuals(np.empty(0, dtype=np.int64), 1, scale, 0, of=of)
    M, N = samples.sums(clauses, duals)
    expected = training_set.sums(clauses, duals.on(training_set))
    assert (M.tolist(), N.tolist()) == (expected[0].tolist(), expected[1].tolist())


@given(training_sets())
def test_a_partition_travels_without_what_it_remembers(training_set):
    _ = training_set.P.bits
    partition = pickle.loads(pickle.dumps(Partition(training_set)))
    assert "P" not in partition.samples.__dict__
    assert np.array_equal(partition.samples.codes_P, training_set.codes_P)


def test_facts_of_parts_are_those_of_the_whole():
    conditions = BinnedConditions.build([(0, [(0, 1)])], n_codes=[2])
    codes, is_positive = np.zeros((3, 1), dtype=np.uint8), np.array([True, True, True])
    parts = [
        Partition(TrainingSet.merge(codes, is_positive, weights, conditions))
        for weights in (np.ones(3), np.full(3, 0.5))
    ]
    for order in (parts, parts[::-1]):
        samples = PartitionedTrainingSet(conditions, InProcess(order))
        assert not samples.has_integer_weights
        assert samples.total_weight == pytest.approx(4.5)
        for min_coverage, is_enough in ((6, True), (7, False)):
            problem = Problem(max_complexity=2, min_coverage=min_coverage)
            assert samples.covers_enough(np.array([[0]]), problem).tolist() == [is_enough]
