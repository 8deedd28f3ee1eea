"""Conditions as sets of bins: negation and nesting, on which the search's pruning rests."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from boolrules.data import bins
from boolrules.data.bins import BinnedConditions, distinct_rows, unpack_bits
from strategies import generators, times, training_sets


@st.composite
def binned(draw):
    """Conditions of every shape that columns have, many of them nested, some of them twice.

    Comparisons, equalities and tests for missing values, and their negations; ranges in any
    order, empty ones included.
    """
    random = draw(generators())
    n_codes = draw(st.lists(st.integers(1, 9), min_size=1, max_size=3))
    conditions = []
    for _ in range(draw(st.integers(0, 20))):
        f = int(random.integers(len(n_codes)))
        n, last = n_codes[f], int(random.integers(0, n_codes[f] + 1))
        a, b = sorted(random.integers(0, last + 1, 2).tolist())
        shapes = [[(0, a)], [(a, last)], [(a, b)], [(0, a), (b, last)], [(0, a), (b, n)]]
        pieces = shapes[random.integers(len(shapes))]
        conditions.append((f, pieces[:: random.choice([1, -1])]))
    made = BinnedConditions.build(conditions, n_codes)
    if draw(st.booleans()):
        made = made.complement()
    return made


def random_codes(draw, conditions):
    """Rows with any codes, in the smallest type or a larger one."""
    random, n_rows = draw(generators()), draw(st.sampled_from([0, 1, 5, 70, 130]))
    codes = random.integers(0, conditions.n_codes, (n_rows, len(conditions.n_codes)))
    return codes.astype(draw(st.sampled_from([np.uint8, np.uint16, np.uint32])))


def truth(conditions, codes):
    """On which rows each condition is true, by looking at each code."""
    on_which = [codes_on_which(conditions, j) for j in range(len(conditions))]
    return np.array(
        [
            [int(row[f]) in held for row in codes]
            for f, held in zip(conditions.feature, on_which, strict=True)
        ],
        dtype=bool,
    ).reshape(len(conditions), len(codes))


def codes_on_which(conditions, j):
    """Return the codes of its feature on which condition j holds."""
    codes = np.arange(conditions.n_codes[conditions.feature[j]])
    rows = np.repeat(codes[:, None], len(conditions.n_codes), axis=1)
    return set(np.flatnonzero(conditions.holds(j, rows)).tolist())


@given(training_sets())
def test_a_condition_holds_on_the_codes_in_its_ranges(training_set):
    conditions, codes = training_set.conditions, training_set.codes_P
    for j in range(len(conditions)):
        expected = [brute_force.holds(training_set, j, row) for row in codes]
        assert conditions.holds(j, codes).tolist() == expected


@given(training_sets())
def test_the_complement_of_a_condition_holds_on_all_other_codes(training_set):
    conditions, complement = training_set.conditions, training_set.conditions.complement()
    for j in range(len(conditions)):
        every = set(range(conditions.n_codes[conditions.feature[j]]))
        assert codes_on_which(complement, j) == every - codes_on_which(conditions, j)


@times(5)
@given(binned())
def test_a_complement_has_its_ranges_in_order_and_holds_on_all_other_codes(conditions):
    complement = conditions.complement()
    assert complement.feature.tolist() == conditions.feature.tolist()
    for j, ends in enumerate(complement.ranges.tolist()):
        every = set(range(conditions.n_codes[conditions.feature[j]]))
        assert codes_on_which(complement, j) == every - codes_on_which(conditions, j)
        pieces = [piece for piece in (ends[:2], ends[2:]) if piece != [0, 0]]
        assert all(start < stop for start, stop in pieces)
        assert pieces == sorted(pieces) == [ends[:2], ends[2:]][: len(pieces)]


def test_a_complement_of_three_ranges_is_turned_down():
    conditions = BinnedConditions.build([(0, [(1, 2), (3, 4)])], n_codes=[5])
    with pytest.raises(ValueError, match="three ranges"):
        conditions.complement()


@times(5)
@given(binned())
def test_chains_are_what_grouping_one_by_one_gives(conditions):
    groups, is_left = {}, set(range(len(conditions)))
    for free_end in (1, 0):
        by_ends = {}
        for j in sorted(is_left):
            ends = np.delete(conditions.ranges[j], free_end).tolist()
            by_ends.setdefault((int(conditions.feature[j]), *ends), []).append(j)
        for members in by_ends.values():
            if len(members) > 1:
                groups |= dict.fromkeys(members, members[0])
                is_left -= set(members)
    groups |= {j: j for j in is_left}
    chains = conditions.chains
    for j in range(len(conditions)):
        for k in range(len(conditions)):
            assert (chains[j] == chains[k]) == (groups[j] == groups[k])
            if chains[j] == chains[k]:
                one, other = codes_on_which(conditions, j), codes_on_which(conditions, k)
                assert one <= other or other <= one
    longest = max(np.bincount(chains).tolist(), default=0)
    assert not conditions.has_long_chains(longest)
    assert not longest or conditions.has_long_chains(longest - 1)


@times(5)
@given(binned())
def test_sizes_are_numbers_of_codes(conditions):
    held = [codes_on_which(conditions, j) for j in range(len(conditions))]
    assert conditions.sizes.tolist() == [len(codes) for codes in held]


@times(5)
@given(st.data(), binned(), st.sampled_from([1, 100, bins.MOST_PLACES]))
def test_counts_and_bits_are_those_of_every_row_looked_at(data, conditions, most_places):
    codes = random_codes(data.draw, conditions)
    expected = truth(conditions, codes)
    assert conditions.counts(codes).tolist() == expected.sum(axis=1).tolist()
    with mock.patch.object(bins, "MOST_PLACES", most_places):
        bits = conditions.bits(codes)
    assert bits.shape == (len(conditions), max(1, -(-len(codes) // 64)))
    assert np.array_equal(unpack_bits(bits, len(codes)), expected)
    # Bits past the last row are not set: kernels count them.
    assert np.bitwise_count(bits).sum(axis=1).tolist() == expected.sum(axis=1).tolist()


@times(5)
@given(st.data(), binned())
def test_merged_codes_are_those_that_no_end_of_a_range_lies_between(data, conditions):
    sides = [random_codes(data.draw, conditions) for _ in range(2)]
    merged, recoded = conditions.recoded(sides)
    assert np.array_equal(merged.feature, conditions.feature)
    for side, again in zip(sides, recoded, strict=True):
        assert again.shape == side.shape
        assert (again < merged.n_codes).all()
        assert np.array_equal(truth(merged, again), truth(conditions, side))
    for f, n in enumerate(merged.n_codes.tolist()):
        ends = set(conditions.ranges[conditions.feature == f].ravel().tolist())
        assert n == 1 + len(ends - {0, int(conditions.n_codes[f])})
    assert np.array_equal(merged.chains, conditions.chains)


@given(training_sets())
def test_conditions_of_one_chain_are_nested(training_set):
    conditions = training_set.conditions
    chain = conditions.chains
    for j in range(len(conditions)):
        for k in np.flatnonzero(chain == chain[j]).tolist():
            one, other = codes_on_which(conditions, j), codes_on_which(conditions, k)
            assert conditions.feature[j] == conditions.feature[k]
            assert one <= other or other <= one


@given(
    st.integers(1, 20), st.sampled_from([np.uint8, np.uint16, np.uint32, np.uint64]), generators()
)
def test_distinct_rows_are_those_of_numpy_in_the_same_order(n_features, dtype, random):
    codes = random.integers(0, 3, size=(random.integers(1, 60), n_features)).astype(dtype)
    codes[0] = np.iinfo(dtype).max
    distinct, place = distinct_rows(codes)
    expected, expected_place = np.unique(codes, axis=0, return_inverse=True)
    assert distinct.tolist() == expected.tolist()
    assert place.tolist() == expected_place.ravel().tolist()
