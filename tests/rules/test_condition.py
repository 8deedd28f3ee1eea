"""One test of one column: how it reads, where it holds, and its JSON."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolrules import Condition, Relation
from boolrules._support.table import read_table
from boolrules.rules.condition import exact_number, format_number

MANY = settings(max_examples=max(200, settings.default.max_examples))

R = Relation


def holds(condition, values, dtype=None):
    table = read_table(pl.DataFrame({"a": pl.Series(values, dtype=dtype)}))
    return condition.holds(table["a"]).tolist()


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Condition("age", R.LE, 35.0), "age <= 35"),
        (Condition("age", R.GT, 35.5), "age > 35.5"),
        (Condition("job", R.EQ, "clerk"), "job == 'clerk'"),
        (Condition("job", R.NE, "it's"), 'job != "it\'s"'),
        (Condition("flag", R.EQ, True), "flag == True"),
        (Condition("zone", R.EQ, 3), "zone == 3"),
        (Condition("age", R.IN, (20.0, 30.5)), "age in (20, 30.5]"),
        (Condition("age", R.NOT_IN, (20.0, 30.5)), "age not in (20, 30.5]"),
        (Condition("job", R.IS_NULL), "job is null"),
        (Condition("job", R.IS_NOT_NULL), "job is not null"),
        (Condition("age", R.LE, 35.0, (-9.0, -8.0)), "age <= 35 (not -9, -8)"),
        (Condition("p", R.GT, 101325.000001), "p > 101325.000001"),
        (Condition("p", R.IN, (0.3, 0.1 + 0.2)), "p in (0.3, 0.30000000000000004]"),
        (Condition("p", R.EQ, 1 / 3, (2 / 3,)), f"p == {1 / 3!r} (not {2 / 3!r})"),
    ],
)
def test_a_condition_reads_as_people_write_it(condition, text):
    assert str(condition) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(35.0, "35"), (-0.5, "-0.5"), (0.1 + 0.2, "0.3"), (1e-7, "1e-07"), (0.0, "0")],
)
def test_figures_print_without_trailing_zeros_or_dust(number, text):
    assert format_number(number) == text


def test_large_whole_numbers_print_every_digit():
    assert format_number(1_600_000_123_456.0) == "1600000123456"


@MANY
@given(st.floats(allow_nan=False))
def test_the_value_of_a_condition_prints_so_that_it_reads_back(number):
    assert float(exact_number(number)) == number
    assert str(Condition("a", R.LE, number)) == f"a <= {exact_number(number)}"


@MANY
@given(st.floats(-1e6, 1e6, allow_subnormal=False))
def test_a_value_of_few_digits_prints_as_a_figure_does(number):
    short = float(format_number(number))
    assert exact_number(short) == format_number(short)


NUMBERS = [1.0, 2.0, 3.0, None]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Condition("a", R.LE, 2.0), [True, True, False, False]),
        (Condition("a", R.GT, 2.0), [False, False, True, False]),
        (Condition("a", R.EQ, 2), [False, True, False, False]),
        (Condition("a", R.NE, 2), [True, False, True, False]),
        (Condition("a", R.IN, (1.0, 2.0)), [False, True, False, False]),
        (Condition("a", R.NOT_IN, (1.0, 2.0)), [True, False, True, False]),
        (Condition("a", R.IS_NULL), [False, False, False, True]),
        (Condition("a", R.IS_NOT_NULL), [True, True, True, False]),
        (Condition("a", R.LE, 2.0, (1.0,)), [False, True, False, False]),
    ],
    ids=str,
)
def test_a_comparison_of_numbers_is_false_where_missing_or_excepted(condition, expected):
    assert holds(condition, NUMBERS) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Condition("a", R.EQ, "x"), [True, False, False]),
        (Condition("a", R.NE, "x"), [False, True, False]),
        (Condition("a", R.IS_NULL), [False, False, True]),
    ],
    ids=str,
)
def test_a_comparison_of_text_is_false_where_missing(condition, expected):
    assert holds(condition, ["x", "y", None]) == expected


def test_true_and_false_are_compared():
    assert holds(Condition("a", R.EQ, True), [True, False, None]) == [True, False, False]
    assert holds(Condition("a", R.EQ, False), [True, False, None]) == [False, True, False]


@pytest.mark.parametrize("value", ["x", 1.0])
def test_a_column_with_no_value_satisfies_no_comparison_whatever_its_type(value):
    for dtype in (pl.String, pl.Float64, pl.Boolean, pl.Null):
        assert holds(Condition("a", R.NE, value), [None, None], dtype) == [False, False]


@pytest.mark.parametrize(
    ("condition", "values", "held"),
    [(Condition("a", R.LE, 2.0), ["x"], "text"), (Condition("a", R.EQ, "x"), [2.0], "numbers")],
)
def test_a_column_of_the_wrong_type_is_turned_down_with_the_condition(condition, values, held):
    with pytest.raises(ValueError, match=f"Column 'a' holds {held}, but the condition '.*' comp"):
        holds(condition, values)


FINITE = st.floats(allow_nan=False, allow_infinity=False)
NAMES = st.text()
CONDITIONS = st.one_of(
    st.builds(
        Condition,
        NAMES,
        st.sampled_from([R.LE, R.GT]),
        st.one_of(FINITE, st.integers(-(2**53), 2**53)),
        st.lists(FINITE, max_size=3).map(tuple),
    ),
    st.builds(
        Condition,
        NAMES,
        st.sampled_from([R.EQ, R.NE]),
        st.one_of(FINITE, st.integers(-(2**53), 2**53), st.booleans(), st.text()),
    ),
    st.builds(Condition, NAMES, st.sampled_from([R.IN, R.NOT_IN]), st.tuples(FINITE, FINITE)),
    st.builds(Condition, NAMES, st.sampled_from([R.IS_NULL, R.IS_NOT_NULL])),
)


@MANY
@given(CONDITIONS)
def test_json_reads_back_exactly(condition):
    text = json.dumps(condition.to_plain(), allow_nan=False)
    again = Condition.from_plain(json.loads(text))
    assert again == condition
    assert repr(again) == repr(condition)  # 1, 1.0 and True are equal but not the same


@pytest.mark.parametrize(
    "plain",
    [
        None,
        3,
        "age <= 3",
        [],
        {},
        {"feature": "a"},
        {"relation": "<=", "value": 1},
        {"feature": 1, "relation": "<=", "value": 1},
        {"feature": "a", "relation": "<", "value": 1},
        {"feature": "a", "relation": None, "value": 1},
        {"feature": "a", "relation": ["<="], "value": 1},
        {"feature": "a", "relation": "<="},
        {"feature": "a", "relation": "<=", "value": "1"},
        {"feature": "a", "relation": "<=", "value": True},
        {"feature": "a", "relation": "<=", "value": None},
        {"feature": "a", "relation": "<=", "value": float("nan")},
        {"feature": "a", "relation": ">", "value": float("inf")},
        {"feature": "a", "relation": ">", "value": [1]},
        {"feature": "a", "relation": "==", "value": None},
        {"feature": "a", "relation": "==", "value": {}},
        {"feature": "a", "relation": "==", "value": [1, 2]},
        {"feature": "a", "relation": "in", "value": [1]},
        {"feature": "a", "relation": "in", "value": [1, 2, 3]},
        {"feature": "a", "relation": "in", "value": [1, "2"]},
        {"feature": "a", "relation": "in", "value": 1},
        {"feature": "a", "relation": "is null", "value": 1},
        {"feature": "a", "relation": "<=", "value": 1, "except_values": 1},
        {"feature": "a", "relation": "<=", "value": 1, "except_values": ["x"]},
        {"feature": "a", "relation": "<=", "value": 1, "except_values": None},
        {"feature": "a", "relation": "<=", "value": 10**400},
        {"feature": "a", "relation": "==", "value": 10**400},
        {"feature": "a", "relation": "in", "value": [0, 10**400]},
        {"feature": "a", "relation": "<=", "value": 1, "except_values": [10**400]},
    ],
    ids=lambda plain: repr(plain)[:80],
)
def test_json_that_is_not_a_condition_is_turned_down(plain):
    with pytest.raises(ValueError, match="condition"):
        Condition.from_plain(plain)


def test_a_null_test_has_no_value_in_json():
    assert Condition("a", R.IS_NULL).to_plain() == {"feature": "a", "relation": "is null"}


def test_conditions_are_equal_by_value_and_hashable():
    assert len({Condition("a", R.LE, 1.0), Condition("a", R.LE, 1.0)}) == 1
    assert np.unique([str(Condition("a", R.LE, 1.0))]).size == 1
