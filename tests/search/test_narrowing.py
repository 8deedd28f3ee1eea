"""What a search needs of a training set: nothing better may be left out of it."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import IntegerDuals
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.search import branch_and_bound, narrowing
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.search.narrowing import narrowed
from brute_force import PlainClauses
from strategies import cuts, decoys, duals_of, generators, times

long_chains = st.sampled_from([1, 2])
for_each_use = pytest.mark.parametrize("is_enumerating", [False, True])


@st.composite
def priced_cuts(draw):
    """Every threshold of small tables or planted ones, and duals with zeros among them."""
    if draw(st.integers(0, 4)) == 0:
        return draw(decoys())
    training_set = draw(cuts())
    return training_set, training_set.rounded(draw(duals_of(training_set)))


def narrow(training_set, duals, longest=1, **options):
    with mock.patch.object(narrowing, "LONG_CHAIN", longest):
        return narrowed(training_set, duals, **options)


def truth(samples, codes):
    conditions = samples.conditions
    rows = [conditions.holds(j, codes) for j in range(len(conditions))]
    return np.array(rows, dtype=bool).reshape(len(conditions), len(codes))


def check_parts(training_set, duals, needed, is_enumerating):
    """Look whether it is a part of the whole: return which positives count."""
    counts = np.ones(training_set.n_P, dtype=bool) if is_enumerating else duals.mu > 0
    if needed.conditions is None:
        assert needed.samples is training_set
        assert needed.duals is duals
        return counts
    small = needed.samples
    assert np.array_equal(needed.duals.mu, duals.mu[counts])
    assert (needed.duals.lam, needed.duals.nu, needed.duals.scale) == (
        duals.lam,
        duals.nu,
        duals.scale,
    )
    assert np.array_equal(small.weights_P, training_set.weights_P[counts])
    assert np.array_equal(small.weights_Z, training_set.weights_Z)
    assert small.unit == training_set.unit or duals.scale > 1
    for of_whole, of_small, rows in (
        (training_set.codes_P, small.codes_P, counts),
        (training_set.codes_Z, small.codes_Z, slice(None)),
    ):
        expected = truth(training_set, of_whole)[needed.conditions][:, rows]
        assert np.array_equal(truth(small, of_small), expected)
    return counts


@for_each_use
@times(10)
@given(priced_cuts(), long_chains)
def test_what_stands_for_a_condition_is_as_good_in_every_clause(is_enumerating, priced, longest):
    training_set = priced[0]
    needed = narrow(*priced, longest, is_enumerating=is_enumerating)
    counts = check_parts(*priced, needed, is_enumerating)
    assert needed.is_exact
    if needed.conditions is None:
        assert not training_set.conditions.has_long_chains(longest)
        return
    P, Z = truth(training_set, training_set.codes_P), truth(training_set, training_set.codes_Z)
    chains = training_set.conditions.chains
    stands = needed.conditions[needed.in_place_of]
    assert (chains[stands] == chains).all()
    assert (P[:, counts] <= P[stands][:, counts]).all()
    assert (Z[stands] <= Z).all()
    # None is left that another of its chain beats.
    assert sorted(set(stands.tolist())) == sorted(needed.conditions.tolist())
    kept = needed.conditions
    for chain in np.unique(chains):
        own = kept[chains[kept] == chain]
        for rows in (P[own][:, counts], Z[own]):
            assert len(np.unique(rows, axis=0)) == len(own)


@for_each_use
@times(5)
@given(priced_cuts(), long_chains)
def test_the_least_reduced_cost_is_that_of_the_whole(is_enumerating, priced, longest):
    training_set, duals = priced
    needed = narrow(*priced, longest, is_enumerating=is_enumerating)
    problem = Problem(4)
    least = [
        [k.costs.min(initial=0) for k in PlainClauses.of(samples, problem, own, 2)]
        for samples, own in ((training_set, duals), (needed.samples, needed.duals))
    ]
    # Two conditions of a chain may have become one, so longer clauses may cost no less.
    n = min(map(len, least))
    assert (
        np.minimum.accumulate(least[0])[:n].tolist()
        == np.minimum.accumulate(least[1])[:n].tolist()
    )
    assert min(least[0], default=0) == min(least[1], default=0)


@for_each_use
@times(5)
@given(st.data(), priced_cuts())
def test_clauses_are_written_with_what_stands_for_their_conditions(is_enumerating, data, priced):
    training_set, duals = priced
    J, random = len(training_set.conditions), data.draw(generators())
    kept = sorted(random.permutation(J)[: data.draw(st.integers(0, 3))].tolist())
    needed = narrow(*priced, is_enumerating=is_enumerating, kept=kept)
    for _ in range(5):
        clause = tuple(sorted(random.permutation(J)[:3].tolist()))
        own = needed.of_this(clause)
        whole = needed.of_the_whole(np.array([[*own, -1]]))[0]
        assert whole[-1] == -1
        stands = tuple(whole[:-1].tolist())
        assert set(kept) & set(clause) <= set(stands)
        assert len(stands) <= len(clause)
        M, N = training_set.sums([clause, stands], duals)
        assert M[0] <= M[1]
        assert N[0] >= N[1]
        assert needed.samples.sums([own], needed.duals) == (M[1], N[1])


@for_each_use
@times(5)
@given(st.data(), priced_cuts(), st.sampled_from([2, 3, 48]))
def test_too_many_cuts_become_a_few_and_nothing_is_claimed(is_enumerating, data, priced, n_cuts):
    training_set = priced[0]
    J, random = len(training_set.conditions), data.draw(generators())
    kept, around = (
        sorted(random.permutation(J)[: data.draw(st.integers(0, 2))].tolist()) for _ in range(2)
    )
    whole = narrow(*priced, is_enumerating=is_enumerating, kept=kept)
    n_bits = len(whole.samples.conditions) * (whole.samples.n_P + len(whole.samples.weights_Z))
    most_bits = data.draw(st.sampled_from([0, n_bits - 1, n_bits]))
    with mock.patch.object(narrowing, "COARSE_CUTS", n_cuts):
        needed = narrow(
            *priced, is_enumerating=is_enumerating, kept=kept, around=around, most_bits=most_bits
        )
    check_parts(*priced, needed, is_enumerating)
    if whole.conditions is None:
        assert needed.is_exact
        return
    assert needed.is_exact == (n_bits <= most_bits)
    stands = needed.conditions[needed.in_place_of]
    chains = training_set.conditions.chains
    assert (chains[stands] == chains).all()
    assert set(kept) <= set(needed.conditions.tolist())
    assert (stands[kept] == kept).all()
    # What is in use keeps what stands for it; nothing is on offer that the whole has not.
    assert set(whole.conditions[whole.in_place_of[around]]) <= set(needed.conditions.tolist())
    assert set(needed.conditions.tolist()) <= set(whole.conditions.tolist())
    if needed.is_exact:
        return
    # In between, the next looser one stands for the others, or the loosest.
    sizes = training_set.conditions.sizes
    loosest = np.zeros(chains.max() + 1, dtype=np.int64)
    np.maximum.at(loosest, chains[needed.conditions], sizes[needed.conditions])
    best = whole.conditions[whole.in_place_of]
    assert ((sizes[stands] >= sizes[best]) | (sizes[stands] == loosest[chains])).all()


@given(priced_cuts())
def test_an_exact_search_with_no_room_for_all_cuts_proves_nothing(priced):
    training_set, duals = priced
    if not training_set.conditions.has_long_chains(1) or not len(training_set.weights_Z):
        return
    search = BranchAndBound(training_set, Problem(4))
    with (
        mock.patch.object(narrowing, "LONG_CHAIN", 1),
        mock.patch.object(branch_and_bound, "MOST_BITS_OF_EXACT", 0),
    ):
        found = search.price_integer(duals, Budget.unlimited())
        listed = search.enumerate(duals, 10, Budget.unlimited(), 100)
    assert found.lower_bound is None
    assert found.feasible_duals is None
    assert not found.proves_no_improving_clause
    assert (listed.clauses, listed.is_complete) == ([], False)


def test_short_chains_are_searched_as_they_are():
    conditions = BinnedConditions.build([(0, [(0, k)]) for k in range(1, 5)], n_codes=[5])
    codes = np.arange(5, dtype=np.uint8)[:, None]
    samples = TrainingSet.merge(codes, np.arange(5) % 2 == 0, np.ones(5), conditions)
    duals = IntegerDuals(np.array([1, 0, 1]), 0, 1)
    assert narrow(samples, duals, longest=4).samples is samples
    assert narrow(samples, duals, longest=4).of_this((3, 1)) == (3, 1)
    needed = narrow(samples, duals, longest=3)
    # Of codes 0 … 4 the positives that count are 0 and 4: of what lies between, only one matters.
    assert needed.conditions.tolist() == [0]
    assert needed.in_place_of.tolist() == [0, 0, 0, 0]


@st.composite
def texts_beside_cuts(draw):
    """A column of distinct texts, each with ``==`` and ``!=``, beside one of few thresholds."""
    n, random = draw(st.integers(30, 80)), draw(generators())
    codes = np.column_stack([np.arange(n), random.integers(0, 4, n)]).astype(np.uint8)
    texts = [(0, [(k, k + 1)]) for k in range(n)] + [(0, [(0, k), (k + 1, n)]) for k in range(n)]
    cuts_of_other = [(1, [(0, k)]) for k in (1, 2, 3)] + [(1, [(k, 4)]) for k in (1, 2, 3)]
    order = random.permutation(2 * n + 6)
    every = [*texts, *cuts_of_other]
    conditions = BinnedConditions.build([every[k] for k in order], n_codes=[n, 4])
    is_positive = (codes[:, 1] > 1) ^ (random.random(n) < 0.1)
    is_positive[:2] = [True, False]
    samples = TrainingSet.merge(codes, is_positive, np.ones(n), conditions)
    return samples, samples.rounded(draw(duals_of(samples)))


@given(texts_beside_cuts(), st.integers(3, 10), st.data())
def test_a_column_of_very_many_texts_leaves_room_for_the_others(priced, least, data):
    samples, duals = priced
    J = len(samples.conditions)
    kept, around = (data.draw(st.lists(st.integers(0, J - 1), max_size=3)) for _ in range(2))
    most_bits = 30 * samples.n_rows
    with mock.patch.object(narrowing, "LEAST_OF_KIND", least):
        needed = narrowed(samples, duals, kept=kept, around=around, most_bits=most_bits)
    assert not needed.is_exact
    chosen = needed.conditions
    is_other = samples.conditions.feature == 1
    assert (needed.in_place_of[is_other] >= 0).all()
    assert (needed.in_place_of[[*kept, *around]] >= 0).all()
    assert set(kept) <= set(chosen)
    # 24 are left of 30 for two kinds of conditions on texts, or more rows at no μ make more room.
    n_rows = needed.samples.n_P + len(needed.samples.weights_Z)
    n_texts = (samples.conditions.feature[chosen] == 0).sum()
    assert n_texts <= max(2 * least, most_bits // n_rows) + len({*kept, *around})
    # Of texts, those stay that gain most: μ of the positive, or less the weight of the zero.
    gain = samples.conditions.sums(samples.codes_P, duals.mu)
    gain = gain - samples.conditions.sums(samples.codes_Z, samples.weights_Z * duals.scale)
    is_text = (samples.conditions.feature == 0) & (samples.conditions.sizes == 1)
    left_out = np.setdiff1d(np.flatnonzero(is_text), chosen)
    stayed = np.setdiff1d(np.intersect1d(np.flatnonzero(is_text), chosen), [*kept, *around])
    if len(left_out) and len(stayed):
        assert gain[stayed].min() >= gain[left_out].max()


@given(texts_beside_cuts())
def test_few_conditions_of_each_kind_are_never_left_out(priced):
    samples, duals = priced
    needed = narrowed(samples, duals, most_bits=1)
    assert needed.samples is samples
    assert needed.is_exact
