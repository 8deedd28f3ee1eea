"""Conditions as sets of bins: negation and nesting, on which the search's pruning rests."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from boolrules.data.bins import distinct_rows
from strategies import generators, training_sets


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
