"""The search over ranges of cuts, against every clause and against its specification.

Pricing, listing, and searches cut off anywhere; then the same through the front door.
"""

import math
from dataclasses import replace
from typing import NamedTuple
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import Duals, IntegerDuals
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.search import branch_and_bound, cut_search, narrowing
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.search.cut_search import CutSearch
from boolrules.search.engines import Terms
from boolrules.search.narrowing import Narrowed
from brute_force import PlainClauses
from strategies import (
    cuts,
    decoys,
    duals_of,
    generators,
    labels,
    near_misses,
    row_weights,
    tables,
    times,
)

EVERYTHING = 10**9
# All subsets of so many conditions are written out; of more, only the short clauses.
FEW_CONDITIONS, SOME_CONDITIONS = 10, 24
# Where a search takes longer than that, what it has come to must do.
MOST_NODES = {"numba": 1500, "numpy": 300}
for_each_use = pytest.mark.parametrize("is_listing", [False, True])
engines = pytest.mark.parametrize("engine", ["numba", "numpy"])


@st.composite
def ladders(draw, *, whole=False):
    """Many rows on a few columns with many cuts: `<=`, `>`, `==` or `!=`, or their complements.

    The last codes of a column, a special value and a missing one, are in no range; some columns
    are without.
    """
    random = draw(generators())
    conditions, n_codes = [], []
    for f in range(draw(st.integers(1, 3))):
        n, n_others = draw(st.integers(2, 7)), draw(st.sampled_from([0, 0, 1, 2]))
        signs = draw(st.sampled_from(["<=>", "<=>", "<=>", "<=", ">", "==!="]))
        for k in range(1, n):
            conditions += [(f, [(0, k)])] * ("<=" in signs) + [(f, [(k, n)])] * (">" in signs)
        for k in range(n if signs == "==!=" else 0):
            conditions += [(f, [(k, k + 1)]), (f, [(0, k), (k + 1, n)])]
        conditions += [(f, [(k, k + 1)]) for k in range(n, n + n_others)]
        n_codes.append(n + n_others)
    every = BinnedConditions.build(conditions, n_codes)
    every = every.subset(random.permutation(len(every)))
    if draw(st.booleans()):
        every = every.complement()
    n_rows = draw(st.sampled_from([12, 30, 60]))
    codes = (random.random((n_rows, len(n_codes))) * n_codes).astype(np.uint8)
    is_positive = draw(labels(codes, every))
    is_positive[:2] = True, False
    weights = np.maximum(draw(row_weights(n_rows, whole=whole)), 1 if whole else 1e-3)
    return TrainingSet.merge(codes, is_positive, weights, every)


WITH_CHAINS = (ladders, ladders, cuts, decoys)


@st.composite
def priced_samples(draw, kinds=(*WITH_CHAINS, ladders, tables, near_misses), *, whole=False):
    """Small tables of every kind, and duals on a fine or a coarse grid, zeros among them."""
    make = draw(st.sampled_from(kinds))
    if make is decoys:
        return draw(decoys())
    samples = draw(make(whole=whole))
    duals = samples.rounded(draw(duals_of(samples)))
    if whole and draw(st.booleans()):
        # Halves of weights: many clauses cost the same.
        mu = np.minimum(2 * duals.mu // duals.scale, samples.integer_weights(2)[0])
        duals = IntegerDuals(mu, min(2 * duals.lam // duals.scale, draw(st.integers(0, 3))), 2)
    return samples, duals


def every_clause(needed, terms):
    """Write out the clauses with 1, 2, … conditions, as far as they are few enough."""
    samples, duals = needed.samples, needed.duals
    J = len(samples.conditions)
    most = J if J <= FEW_CONDITIONS else 3 if J <= SOME_CONDITIONS else 2
    free = replace(duals, lam=0, nu=0)
    every = PlainClauses.of(samples, Problem(2), free, min(terms.longest, most))
    return [
        replace(k, costs=k.costs + terms.clause_price + terms.condition_price * n)
        for n, k in enumerate(every, start=1)
    ]


@st.composite
def searches(draw, *, is_listing):
    """Samples, duals, and what is asked for: clauses of one condition up to all of them.

    In half of them some clause is but just under the threshold: a bound that is a trifle too high
    would lose it.
    """
    samples, duals = draw(priced_samples(whole=draw(st.booleans())))
    J, earned = len(samples.conditions), int(duals.mu.sum())
    longest = max(1, min(J, draw(st.sampled_from([1, 2, 3, J]))))
    prices = [
        int(draw(st.sampled_from([0.0, 0.0, 0.003, 0.01, 0.03, 0.1])) * earned)
        for _ in ("clause", "condition")
    ]
    threshold = 0
    if is_listing:
        threshold = 1 + int(draw(st.sampled_from([0.0, 0.02, 0.1, 0.5])) * earned)
    needed, terms = Narrowed(samples, duals), Terms(*prices, threshold, longest, 0)
    if not J or draw(st.booleans()):
        return needed, terms
    every = every_clause(needed, terms)
    costs = np.concatenate([k.costs[k.covered_P.any(axis=1)] for k in every])
    if is_listing and len(costs):
        some = np.unique(costs)[: draw(st.integers(1, 9))]
        return needed, terms._replace(threshold=int(some[-1]) + 1)
    least = int(costs.min(initial=-1))
    return needed, terms._replace(clause_price=max(0, terms.clause_price - least - 1))


@st.composite
def tiny_sizes(draw):
    """Tasks that are cut off early, and little room for what they find and leave open."""
    return {
        "NODES_PER_BATCH": draw(st.integers(1, 4)),
        "NODES_PER_TASK": draw(st.integers(1, 5)),
        "DEEPEST": draw(st.integers(2, 5)),
        "MOST_FOUND": draw(st.sampled_from([1, 2, 2000])),
        "MOST_OPEN_BYTES": draw(st.sampled_from([0, 100, 10**9])),
    }


def usual_or_tiny_sizes():
    return st.one_of(st.just({"NODES_PER_TASK": cut_search.NODES_PER_TASK}), tiny_sizes())


class Batch(NamedTuple):
    """What one batch found, and what is known after it."""

    sums: np.ndarray
    clauses: np.ndarray
    n_nodes: int
    least_by_length: list[int]
    is_last: bool


def batches(needed, terms, sizes, *, is_listing, most_nodes, **options):
    """Search batch by batch, to the end or until so many nodes have been searched."""
    done = []
    with mock.patch.multiple(cut_search, **sizes):
        search = CutSearch(needed, terms, is_listing=is_listing, **options)
        while search.has_open_nodes and search.n_nodes < most_nodes:
            sums, clauses = search.expand_a_batch()
            least, is_last = search.least_by_length(), not search.has_open_nodes
            done.append(Batch(sums, clauses, search.n_nodes, least, is_last))
    return done


def as_clauses(rows):
    return [tuple(sorted(j for j in row if j >= 0)) for row in rows.tolist()]


def check_sums(needed, terms, sums, clauses):
    """Look whether clauses have the sums that are claimed, and are what is asked for."""
    samples, duals = needed.samples, needed.duals
    _, weights_Z = samples.integer_weights(duals.scale)
    for (cost, M, N), clause in zip(sums.tolist(), as_clauses(clauses), strict=True):
        assert 1 <= len(clause) <= terms.longest
        covered_P, covered_Z = (
            samples.conditions.all_hold(clause, codes)
            for codes in (samples.codes_P, samples.codes_Z)
        )
        assert duals.mu[covered_P].sum() == M
        assert weights_Z[covered_Z].sum() == N
        assert cost == terms.clause_price + terms.condition_price * len(clause) - M + N
        assert cost < terms.threshold


def check_bounds(least_by_length, every, terms):
    """Look whether no clause costs less than the bound for its length."""
    assert len(least_by_length) == terms.longest
    for least, k in zip(least_by_length, every, strict=False):
        assert least <= min(0, int(k.costs.min(initial=0)))


@engines
@times(3)
@given(searches(is_listing=False), usual_or_tiny_sizes())
def test_the_least_reduced_cost_is_found_and_proved(engine, asked, sizes):
    needed, terms = asked
    most_nodes = MOST_NODES[engine]
    done = batches(needed, terms, sizes, is_listing=False, most_nodes=most_nodes, engine=engine)
    if not len(needed.samples.conditions):
        assert not done
        return
    for batch in done:
        check_sums(needed, terms, batch.sums, batch.clauses)
    every = every_clause(needed, terms)
    check_bounds(done[-1].least_by_length, every, terms)
    if not done[-1].is_last:
        return
    best = min(int(batch.sums[:, 0].min(initial=0)) for batch in done)
    assert min(done[-1].least_by_length) == best
    least = min(int(k.costs.min(initial=0)) for k in every)
    assert best == least if len(every) == terms.longest else best <= least


@times(3)
@given(searches(is_listing=False), tiny_sizes())
def test_bounds_of_a_search_stopped_at_any_batch_hold_for_every_length(asked, sizes):
    needed, terms = asked
    every = every_clause(needed, terms)
    for batch in batches(needed, terms, sizes, is_listing=False, most_nodes=300):
        check_sums(needed, terms, batch.sums, batch.clauses)
        check_bounds(batch.least_by_length, every, terms)


def check_list(listed, every, most):
    """Look, for each clause of at most some cost, for a listed one that is as good."""
    assert len(set(listed)) == len(listed)
    covers, cheap = {}, {}
    for k in every:
        rows = zip(k.conditions.tolist(), k.covered_P, k.covered_Z, k.costs, strict=True)
        for conditions, P, Z, cost in rows:
            covers[tuple(conditions)] = P, Z, cost
            if cost <= most and P.any():
                # The shortest of those that cover the same rows comes first.
                cheap.setdefault((P.tobytes(), Z.tobytes()), tuple(conditions))
    # Clauses that are longer than those written out beat none of them.
    listed = [clause for clause in listed if len(clause) <= len(every)]
    assert all(covers[clause][2] <= most for clause in listed)
    P, Z = (np.array([covers[clause][side] for clause in listed], dtype=bool) for side in (0, 1))
    lengths = np.array([len(clause) for clause in listed])
    for clause in cheap.values():
        own_P, own_Z, _ = covers[clause]
        assert len(listed), clause
        beats = (own_P <= P).all(axis=1) & (own_Z >= Z).all(axis=1)
        assert (beats & (lengths <= len(clause))).any(), clause


@engines
@times(3)
@given(searches(is_listing=True), usual_or_tiny_sizes())
def test_every_clause_is_listed_or_beaten_by_one_that_is(engine, asked, sizes):
    needed, terms = asked
    most_nodes = MOST_NODES[engine]
    done = batches(needed, terms, sizes, is_listing=True, most_nodes=most_nodes, engine=engine)
    for batch in done:
        check_sums(needed, terms, batch.sums, batch.clauses)
    listed = [clause for batch in done for clause in as_clauses(batch.clauses)]
    every = every_clause(needed, terms)
    if not done or done[-1].is_last:
        check_list(listed, every, terms.threshold - 1)


@engines
@for_each_use
def test_two_ends_of_an_interval_pay_but_once_for_a_missing_value_that_both_lose(
    engine, is_listing
):
    """Zeros lie on both sides of code 2; 5 is missing, and with it 3 are lost, not twice 3."""
    conditions = BinnedConditions.build(
        [(0, [side]) for k in range(1, 5) for side in ((0, k), (k, 5))], n_codes=[6]
    )
    codes = np.array([2, 5, 1, 3], dtype=np.uint8)[:, None]
    samples = TrainingSet.merge(codes, np.arange(4) < 2, np.array([20.0, 20, 5, 5]), conditions)
    needed = Narrowed(samples, IntegerDuals(np.array([10, 3]), lam=0, scale=1))
    terms = Terms(9, 0, 0, 2, 0)
    sizes = {"NODES_PER_TASK": 400}
    done = batches(needed, terms, sizes, is_listing=is_listing, most_nodes=100, engine=engine)
    assert done[-1].is_last
    assert done[-1].least_by_length[-1] == -1
    found = {clause for batch in done for clause in as_clauses(batch.clauses)}
    assert found == {(3, 4)}  # above 1, and up to 2


def assert_same(one, other):
    """Look whether two searches did the same, batch by batch."""
    assert len(one) == len(other)
    for batch, its_twin in zip(one, other, strict=True):
        assert batch.n_nodes == its_twin.n_nodes
        assert batch.sums.tolist() == its_twin.sums.tolist()
        assert batch.clauses.tolist() == its_twin.clauses.tolist()
        assert batch.least_by_length == its_twin.least_by_length


@for_each_use
@times(2)
@given(st.data(), usual_or_tiny_sizes())
def test_the_compiled_search_does_as_the_specification_does(is_listing, data, sizes):
    asked = data.draw(searches(is_listing=is_listing))
    options = {"is_listing": is_listing, "most_nodes": 200}
    sizes = {**sizes, "NODES_PER_TASK": min(sizes["NODES_PER_TASK"], 40)}
    specification = batches(*asked, sizes, engine="numpy", **options)
    assert_same(batches(*asked, sizes, engine="numba", **options), specification)


@for_each_use
@times(2)
@given(st.data(), tiny_sizes())
def test_threads_change_nothing(is_listing, data, sizes):
    asked = data.draw(searches(is_listing=is_listing))
    options = {"is_listing": is_listing, "most_nodes": 1000}
    alone = batches(*asked, sizes, n_threads=1, **options)
    assert_same(batches(*asked, sizes, n_threads=2, **options), alone)


@pytest.fixture
def short_chains_are_long():
    """Every chain of two conditions or more is narrowed, so that cuts are searched."""
    with mock.patch.object(narrowing, "LONG_CHAIN", 1):
        yield


@st.composite
def problems_with_cuts(draw):
    """Samples with nested conditions, most of them, a problem, and duals."""
    samples, duals = draw(priced_samples(WITH_CHAINS, whole=True))
    longest = draw(st.integers(1, 3 if len(samples.conditions) <= SOME_CONDITIONS else 2))
    costs = draw(st.sampled_from([(1, 1), (1, 1), (2, 1), (0, 1)]))
    return samples, Problem(costs[0] + longest * costs[1], None, *costs), duals


def condition_by_condition():
    return mock.patch.object(branch_and_bound, "CUT_ENGINES", ())


@pytest.mark.usefixtures("short_chains_are_long")
@engines
@times(2)
@given(problems_with_cuts())
def test_pricing_by_cuts_agrees_with_pricing_condition_by_condition(engine, priced):
    samples, problem, duals = priced
    search = BranchAndBound(samples, problem, EVERYTHING, engine=engine)
    found = search.price_integer(duals, Budget.unlimited())
    with condition_by_condition():
        expected = search.price_integer(duals, Budget.unlimited())
    assert found.lower_bound == expected.lower_bound
    assert found.best_reduced_cost == expected.best_reduced_cost
    every = PlainClauses.of(samples, problem, found.feasible_duals, problem.longest_clause)
    assert all((k.costs >= 0).all() for k in every)


@pytest.mark.usefixtures("short_chains_are_long")
@engines
@times(2)
@given(problems_with_cuts(), st.sampled_from([0, 1, 2, 5]))
def test_what_is_listed_by_cuts_is_as_good_as_all_clauses_of_the_whole(engine, priced, above):
    samples, problem, duals = priced
    every = PlainClauses.of(samples, problem, duals, problem.longest_clause)
    most = min([0, *(int(k.costs.min(initial=0)) for k in every)]) + above * duals.scale
    search = BranchAndBound(samples, problem, engine=engine)
    enumeration = search.enumerate(duals, most, Budget.unlimited(), EVERYTHING)
    assert enumeration.is_complete
    check_list(enumeration.clauses, every, most)


@pytest.mark.usefixtures("short_chains_are_long")
@times(2)
@given(problems_with_cuts())
def test_a_lifted_price_costs_nothing_once_the_bound_is_rounded_up(priced):
    samples, problem, duals = priced
    search = BranchAndBound(samples, problem, EVERYTHING)
    feasible = search.price_integer(duals, Budget.unlimited()).feasible_duals
    # As an LP would hand them over: no clause is missing, but for a trifle.
    floats = Duals(feasible.mu / feasible.scale, feasible.lam / feasible.scale)
    rounded = samples.rounded(floats)
    lifted = search.price(floats, Budget.unlimited())
    assert lifted.proves_no_improving_clause
    assert lifted.feasible_duals.lam > rounded.lam or not samples.conditions.has_long_chains(1)
    without = search.price_integer(rounded, Budget.unlimited()).feasible_duals.bound(problem)
    assert math.ceil(lifted.feasible_duals.bound(problem)) == math.ceil(without)
