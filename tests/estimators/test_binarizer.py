"""A raw table becomes conditions, exactly as docs/binarisation.md says."""

import datetime
import itertools
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from boolrules import FeatureBinarizer, Relation
from boolrules._support.table import read_table
from boolrules.data.binning import weighted_quantiles
from boolrules.data.shortest import shortest_in_gap

MANY = settings(max_examples=max(200, settings.default.max_examples))

DECILES = np.arange(1, 10) / 10


def names(X, **parameters):
    return FeatureBinarizer(**parameters).fit(X).get_feature_names_out().tolist()


def values_of(binarizer, relation):
    return [c.value for c in binarizer.conditions_ if c.relation is relation]


def column(values):
    return np.asarray(values, dtype=float).reshape(-1, 1)


def parts_alike(found, expected, values):
    """Whether thresholds part the values as those expected do."""
    found, expected = np.array(found), np.array(expected)
    return found.shape == expected.shape and bool(
        ((values <= found[:, None]) == (values <= expected[:, None])).all()
    )


# Thresholds


@pytest.mark.parametrize("seed", range(5))
def test_thresholds_are_the_deciles(seed):
    v = np.random.default_rng(seed).normal(size=37)
    fitted = FeatureBinarizer().fit(column(v))
    expected = np.unique(np.quantile(v, DECILES))
    assert values_of(fitted, Relation.LE) == values_of(fitted, Relation.GT)
    assert parts_alike(values_of(fitted, Relation.LE), expected, v)


def test_missing_values_take_no_part_in_the_deciles():
    v = np.random.default_rng(0).normal(size=30)
    with_gaps = np.concatenate([v, np.full(11, np.nan)])
    expected = np.unique(np.quantile(v, DECILES))
    found = values_of(FeatureBinarizer().fit(column(with_gaps)), Relation.LE)
    assert parts_alike(found, expected, v)


def test_deciles_at_the_maximum_are_left_out():
    v = np.array([*range(12), *[50.0] * 30])
    fitted = FeatureBinarizer().fit(column(v))
    expected = np.unique(np.quantile(v, DECILES))
    assert expected.max() == 50.0
    assert parts_alike(values_of(fitted, Relation.LE), expected[expected < 50.0], v)


def test_equal_deciles_are_one_threshold():
    v = np.array([0.0] * 50 + list(range(1, 13)))
    thresholds = values_of(FeatureBinarizer().fit(column(v)), Relation.LE)
    assert thresholds == [0.0, 5.0]


@pytest.mark.parametrize("n_distinct", [3, 9, 10])
def test_at_most_ten_distinct_whole_numbers_are_all_thresholds_but_the_largest(n_distinct):
    distinct = np.arange(n_distinct) ** 2
    v = np.repeat(distinct, np.arange(n_distinct) + 1)
    thresholds = values_of(FeatureBinarizer().fit(column(v)), Relation.LE)
    assert thresholds == distinct[:-1].tolist()


def test_eleven_distinct_values_take_the_deciles():
    v = np.arange(11) ** 2.0
    thresholds = values_of(FeatureBinarizer().fit(column(v)), Relation.LE)
    assert parts_alike(thresholds, np.quantile(v, DECILES), v)
    assert thresholds == [1, 4, 9, 20, 30, 40, 50, 70, 90]


@pytest.mark.parametrize("thresholds", ["deciles", 4, "all"])
@pytest.mark.parametrize("method", ["thresholds", "intervals"])
@pytest.mark.parametrize("special", [None, [-9]])
def test_a_column_of_two_whole_numbers_is_equal_to_one_of_them(thresholds, method, special):
    if (thresholds, method) == ("all", "intervals"):
        return
    X = pl.DataFrame({"sex": [0, 1, 1, None]})
    fitted = FeatureBinarizer(thresholds=thresholds, method=method, special_values=special).fit(X)
    assert fitted.get_feature_names_out().tolist() == [
        *("sex == 0", "sex == 1", "sex is null", "sex is not null")
    ]
    new = pl.DataFrame({"sex": [0.0, 0.5, 1.0, 2.0, -9.0, None]})
    table = read_table(new)
    holds = [c.holds(table["sex"]).tolist() for c in fitted.conditions_]
    assert fitted.transform(new).T.astype(bool).tolist() == holds
    assert holds[:2] == [[True, *[False] * 5], [False, False, True, *[False] * 3]]


@pytest.mark.parametrize(
    ("values", "parameters", "texts"),
    [
        ([3.7, 5.2], {}, ["x0 <= 4"]),
        ([0, 1], {"thresholds": {"x0": [0.5]}}, ["x0 <= 0.5"]),
        ([-9, 0, 1], {"special_values": [-9]}, ["x0 <= 0 (not -9)", "x0 == -9"]),
    ],
    ids=str,
)
def test_two_other_values_have_a_threshold(values, parameters, texts):
    assert names(column(values), negations=False, **parameters) == texts


def test_each_threshold_has_at_most_and_above():
    assert names(column([1, 2, 3])) == ["x0 <= 1", "x0 > 1", "x0 <= 2", "x0 > 2"]


@pytest.mark.parametrize("q", [2, 4, 20])
def test_an_integer_takes_so_many_quantiles(q):
    v = np.random.default_rng(1).normal(size=60)
    fitted = FeatureBinarizer(thresholds=q).fit(column(v))
    expected = np.unique(np.quantile(v, np.arange(1, q) / q))
    assert parts_alike(values_of(fitted, Relation.LE), expected, v)


def test_an_integer_is_also_the_number_of_distinct_values_taken_as_they_are():
    fitted = FeatureBinarizer(thresholds=4).fit(column([1, 1, 1, 1, 1, 2, 3, 4]))
    assert values_of(fitted, Relation.LE) == [1, 2, 3]


def test_explicit_thresholds_are_taken_sorted_and_the_others_are_deciles():
    X = pl.DataFrame({"age": list(range(50)), "pay": list(range(50))})
    fitted = FeatureBinarizer(thresholds={"age": [30, 20.5, 30]}).fit(X)
    at_most = [c for c in fitted.conditions_ if c.relation is Relation.LE]
    assert [c.value for c in at_most if c.feature == "age"] == [20.5, 30.0]
    found = [c.value for c in at_most if c.feature == "pay"]
    assert found == np.floor(np.quantile(np.arange(50), DECILES)).tolist()


def digits(number):
    return len(Decimal(repr(number)).normalize().as_tuple().digits)


@MANY
@given(st.lists(st.floats(), min_size=3, max_size=3))
@example([0.1, 0.10000000008, 0.10000000009])  # only rounding down will do
@example([0.1 + 0.2, 0.1 + 0.2, 0.4])
@example([1.0, 1.0, 1.0000000000000002])
@example([1.79e308, 1.7976931348623155e308, 1.7976931348623157e308])
@example([-5e-324, -5e-324, 0.0])
def test_a_threshold_parts_its_neighbours_with_the_fewest_digits_that_do(three):
    assume(np.isfinite(three).all())
    low, threshold, high = sorted(three)
    assume(threshold < high)
    found = shortest_in_gap(low, high, near=threshold)
    assert low <= found < high
    # The shorter numbers on either side of the threshold are the ones that could.
    for n_digits in range(1, digits(found) * (found != 0)):
        sides = [
            float(Context(prec=n_digits, rounding=side).create_decimal(Decimal(repr(threshold))))
            for side in (ROUND_FLOOR, ROUND_CEILING)
        ]
        assert not any(low <= side < high for side in sides)


@given(st.lists(st.integers(-3000, 3000), min_size=3, max_size=3))
def test_a_threshold_between_whole_numbers_is_whole_and_no_shorter_one_would_do(three):
    low, threshold, high = sorted(three)
    assume(threshold < high)
    found = shortest_in_gap(low, high, is_whole=True, near=threshold + 0.5)
    assert found.is_integer()
    assert low <= found < high
    assert digits(found) == min(map(digits, map(float, range(low, high))))


@MANY
@given(
    st.lists(st.floats(-1e3, 1e3) | st.sampled_from([0.1 + 0.2, 0.3]), min_size=2, max_size=40),
    st.sampled_from([2, 4, 10]),
    st.sampled_from([None, 1.0, 0.7]),
)
def test_shorter_thresholds_part_the_values_as_the_quantiles_do(values, q, weight):
    v = np.array(values)
    weights = None if weight is None else np.full(len(v), weight)
    fitted = FeatureBinarizer(thresholds=q).fit(column(v), sample_weight=weights)
    found, distinct = values_of(fitted, Relation.LE), np.unique(v)
    if len(distinct) == 2 and (distinct == np.floor(distinct)).all():
        assert not found
        return
    expected = distinct
    if len(distinct) > q:
        expected = np.unique(weighted_quantiles(v, np.arange(1, q) / q, weights))
    expected = expected[expected < distinct[-1]]
    assert found == sorted(set(found))
    assert (distinct != np.floor(distinct)).any() or all(one.is_integer() for one in found)
    splits = {tuple(v <= threshold) for threshold in found}
    assert splits == {tuple(v <= threshold) for threshold in expected}


def test_thresholds_between_values_have_few_digits():
    v = column([*range(12), *[50.0] * 30])
    assert 4.1000000000000005 in np.quantile(v, DECILES)
    assert names(v, negations=False) == ["x0 <= 4", "x0 <= 8"]
    assert names(v + 0.25, negations=False) == ["x0 <= 5", "x0 <= 9"]


def test_thresholds_that_are_given_keep_their_digits():
    found = names(column([1, 30]), thresholds={"x0": [20.299999999999997]}, negations=False)
    assert found == ["x0 <= 20.299999999999997"]


def test_values_that_differ_late_keep_the_digits_that_tell_them_apart():
    pressures = 101325 + np.arange(5) * 1e-6
    found = names(column(pressures), negations=False)
    thresholds = [float(name.removeprefix("x0 <= ")) for name in found]
    assert (pressures[:, None] <= thresholds).sum(axis=0).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("thresholds", [1, 0, -3, "quartiles", 2.5])
def test_thresholds_that_mean_nothing_are_turned_down(thresholds):
    with pytest.raises(ValueError, match="'thresholds' parameter"):
        FeatureBinarizer(thresholds=thresholds).fit(column([1, 2]))


def test_infinite_thresholds_are_turned_down():
    with pytest.raises(ValueError, match=r"thresholds\['x0'\].*use finite numbers"):
        FeatureBinarizer(thresholds={"x0": [1, np.inf]}).fit(column([1, 2]))


# Categories, Booleans, missing values


def test_three_categories_have_equal_and_not_equal():
    X = pl.DataFrame({"c": ["red", "blue", "green", "red"]})
    assert names(X) == [
        "c == 'blue'",
        "c != 'blue'",
        "c == 'green'",
        "c != 'green'",
        "c == 'red'",
        "c != 'red'",
    ]


def test_two_categories_have_equal_of_both_only():
    assert names(pl.DataFrame({"c": ["b", "a", "b"]})) == ["c == 'a'", "c == 'b'"]


def test_booleans_are_two_categories():
    X = pl.DataFrame({"b": [True, False, True]})
    assert names(X) == ["b == False", "b == True"]
    assert FeatureBinarizer().fit_transform(X).tolist() == [[0, 1], [1, 0], [0, 1]]


def test_a_column_with_missing_values_adds_null_tests():
    X = pl.DataFrame({"n": [1, 2, None], "c": ["a", None, "b"], "b": [None, True, False]})
    assert names(X) == [
        "n == 1",
        "n == 2",
        "n is null",
        "n is not null",
        "c == 'a'",
        "c == 'b'",
        "c is null",
        "c is not null",
        "b == False",
        "b == True",
        "b is null",
        "b is not null",
    ]


def test_a_column_without_missing_values_has_no_null_tests():
    assert not [n for n in names(pl.DataFrame({"n": [1, 2], "c": ["a", "b"]})) if "null" in n]


def test_two_categories_and_missing_values_are_still_two_categories():
    assert "c != 'a'" not in names(pl.DataFrame({"c": ["a", "b", None]}))


def test_every_comparison_with_a_missing_value_is_false():
    X = pl.DataFrame({"n": [1, 2, 3, None], "c": ["a", "b", "c", None]})
    fitted = FeatureBinarizer().fit(X)
    last = fitted.transform(X)[3]
    true = [str(c) for c, holds in zip(fitted.conditions_, last, strict=True) if holds]
    assert true == ["n is null", "c is null"]


def test_missing_values_that_fit_did_not_see_satisfy_nothing():
    fitted = FeatureBinarizer().fit(pl.DataFrame({"n": [1, 2, 3], "c": ["a", "b", "c"]}))
    unseen = pl.DataFrame({"n": [None], "c": [None]}, schema={"n": pl.Int64, "c": pl.String})
    assert not fitted.transform(unseen).any()


def test_an_unseen_category_satisfies_every_not_equal_and_no_equal():
    fitted = FeatureBinarizer().fit(pl.DataFrame({"c": ["a", "b", "c"]}))
    row = fitted.transform(pl.DataFrame({"c": ["zebra"]}))[0]
    for condition, holds in zip(fitted.conditions_, row, strict=True):
        assert holds == (condition.relation is Relation.NE)


def test_an_unseen_category_is_not_null():
    fitted = FeatureBinarizer().fit(pl.DataFrame({"c": ["a", "b", None]}))
    row = fitted.transform(pl.DataFrame({"c": ["zebra"]}))[0]
    true = [str(c) for c, holds in zip(fitted.conditions_, row, strict=True) if holds]
    assert true == ["c is not null"]


@pytest.mark.parametrize(
    "X",
    [
        pl.DataFrame({"a": [1, 1, 1]}),
        pl.DataFrame({"a": ["x", "x", "x"]}),
        pl.DataFrame({"a": [True, True, True]}),
        pl.DataFrame({"a": [None, None, None]}),
        pd.DataFrame({"a": pd.Categorical(["x", "x"], categories=["x", "y"])}),
        np.full((3, 2), np.nan),
    ],
)
def test_constant_columns_give_no_condition(X):
    assert names(X) == []
    assert FeatureBinarizer().fit_transform(X).shape == (len(X), 0)


@pytest.mark.parametrize("value", [1, "x", True])
def test_a_constant_beside_missing_values_has_null_tests_alone(value):
    assert names(pl.DataFrame({"a": [value, None]})) == ["a is null", "a is not null"]


def test_categories_that_do_not_occur_give_no_condition():
    X = pd.DataFrame({"a": pd.Categorical(["x", "y", "x"], categories=["x", "y", "z"])})
    assert names(X) == ["a == 'x'", "a == 'y'"]


def test_numbers_in_a_pandas_category_are_categories():
    X = pd.DataFrame({"a": pd.Categorical([3, 1, 2])})
    assert names(X)[:2] == ["a == 1", "a != 1"]


def test_named_numeric_columns_are_categories():
    X = pl.DataFrame({"zone": [1, 2, 3], "age": [1, 2, 3]})
    found = names(X, categorical_features=["zone"])
    assert found[:6] == [f"zone {r} {k}" for k in (1, 2, 3) for r in ("==", "!=")]
    assert found[6:] == ["age <= 1", "age > 1", "age <= 2", "age > 2"]


def test_dates_have_conditions_on_their_parts():
    days = pl.DataFrame({"a": [datetime.date(2024, month, 1) for month in (1, 3, 5)]})
    assert names(days, negations=False) == [
        *("a.month <= 1", "a.month <= 3", "a.weekday <= 1", "a.weekday <= 3"),
        *("a.days <= 19723", "a.days <= 19783"),
    ]


# Special values


def test_special_values_take_no_part_in_the_thresholds_and_have_their_own_conditions():
    assert names(column([-9, 1, 2, 3]), special_values=[-9]) == [
        "x0 <= 1 (not -9)",
        "x0 > 1",
        "x0 <= 2 (not -9)",
        "x0 > 2",
        "x0 == -9",
        "x0 != -9",
    ]


def test_a_comparison_with_a_special_value_is_false():
    X = column([-9, 1, 2, 3, 99])
    fitted = FeatureBinarizer(special_values=[-9, 99]).fit(X)
    matrix = fitted.transform(X)
    for condition, special in [
        (c, row)
        for row in (0, 4)
        for c in zip(fitted.conditions_, matrix[row], strict=True)
        if c[0].relation in (Relation.LE, Relation.GT)
    ]:
        assert not condition[1], (str(condition[0]), special)


def test_special_values_by_name_concern_that_column_only():
    X = pl.DataFrame({"a": [-9, 1, 2], "b": [-9, 1, 2]})
    found = names(X, special_values={"a": [-9]})
    assert [n for n in found if "== -9" in n] == ["a == -9"]
    assert "b <= -9" in found


def test_a_special_value_that_does_not_occur_has_no_condition_but_is_kept_apart():
    fitted = FeatureBinarizer(special_values=[-7]).fit(column([1, 2, 3]))
    assert not any("== -7" in str(c) for c in fitted.conditions_)
    assert not fitted.transform(column([-7])).any()


def test_a_special_value_beside_a_constant_is_told_from_it():
    assert names(column([-9, 5, 5]), special_values=[-9]) == ["x0 == -9", "x0 != -9"]


def test_a_column_of_one_special_value_is_constant():
    assert names(column([-9, -9]), special_values=[-9]) == []


@pytest.mark.parametrize("special", [[np.nan], [np.inf], ["x"]])
def test_special_values_that_are_not_finite_numbers_are_turned_down(special):
    with pytest.raises(ValueError, match=r"special_values holds .*use finite numbers"):
        FeatureBinarizer(special_values=special).fit(column([1, 2]))


@pytest.mark.parametrize(
    "parameters",
    [
        {"thresholds": {"nope": [1]}},
        {"special_values": {"nope": [1]}},
        {"categorical_features": ["nope"]},
    ],
)
def test_parameters_that_name_an_unknown_column_are_turned_down(parameters):
    with pytest.raises(ValueError, match=r"names 'nope', which is not a column.*age, job"):
        FeatureBinarizer(**parameters).fit(pl.DataFrame({"age": [1, 2], "job": ["a", "b"]}))


# Intervals, negations


def test_intervals_are_categories():
    assert names(column([1, 2, 3, 4]), method="intervals") == [
        "x0 <= 1",
        "x0 > 1",
        "x0 in (1, 2]",
        "x0 not in (1, 2]",
        "x0 in (2, 3]",
        "x0 not in (2, 3]",
        "x0 > 3",
        "x0 <= 3",
    ]


def test_each_row_lies_in_exactly_one_interval():
    X = column(np.random.default_rng(0).normal(size=80))
    matrix = FeatureBinarizer(method="intervals", negations=False).fit_transform(X)
    assert matrix.shape == (80, 10)
    assert (matrix.sum(axis=1) == 1).all()


def test_two_intervals_are_two_categories():
    assert names(column([1, 2.5]), method="intervals") == ["x0 <= 1", "x0 > 1"]


def test_without_negations_only_the_plain_conditions_are_left():
    X = pl.DataFrame({"n": [1, 2, 3, -9, None], "c": ["a", "b", "c", "a", None]})
    assert names(X, negations=False, special_values=[-9]) == [
        "n <= 1 (not -9)",
        "n <= 2 (not -9)",
        "n == -9",
        "n is null",
        "c == 'a'",
        "c == 'b'",
        "c == 'c'",
        "c is null",
    ]


# As a transformer


def test_names_are_the_conditions_in_the_order_of_the_columns():
    X = pl.DataFrame({"n": [1, 2, 3], "c": ["a", "b", "c"]})
    fitted = FeatureBinarizer().fit(X)
    assert fitted.get_feature_names_out().tolist() == [str(c) for c in fitted.conditions_]
    assert fitted.transform(X).shape == (3, len(fitted.conditions_))


def test_names_of_other_columns_are_turned_down():
    fitted = FeatureBinarizer().fit(pl.DataFrame({"n": [1, 2]}))
    assert fitted.get_feature_names_out(["n"]).tolist() == ["n == 1", "n == 2"]
    with pytest.raises(ValueError, match="not equal to feature_names_in_"):
        fitted.get_feature_names_out(["m"])
    with pytest.raises(ValueError, match="should have length"):
        fitted.get_feature_names_out(["n", "m"])


@pytest.mark.parametrize(
    ("library", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
)
def test_set_output_names_the_columns_after_the_conditions(library, frame):
    X = pl.DataFrame({"n": [1, 2, 3]})
    out = FeatureBinarizer().set_output(transform=library).fit_transform(X)
    assert isinstance(out, frame)
    assert list(out.columns) == ["n <= 1", "n > 1", "n <= 2", "n > 2"]
    assert out.to_numpy().tolist() == [[1, 0, 1, 0], [0, 1, 1, 0], [0, 1, 0, 1]]


def test_pandas_and_polars_copies_have_the_same_conditions():
    X = pl.DataFrame(
        {
            "n": [1.5, None, 3.0, 2.0],
            "i": [4, 3, 2, 1],
            "t": ["x", None, "y", "z"],
            "b": [True, None, False, True],
            "c": pl.Series(["u", "v", None, "w"], dtype=pl.Categorical),
        }
    )
    ours, theirs = FeatureBinarizer().fit(X), FeatureBinarizer().fit(X.to_pandas())
    assert ours.conditions_ == theirs.conditions_
    assert ours.transform(X).tolist() == theirs.transform(X.to_pandas()).tolist()


def test_a_clone_has_the_same_parameters_and_is_unfitted():
    binarizer = FeatureBinarizer(thresholds=5, method="intervals", special_values=[-9])
    twin = clone(binarizer.fit(column([1, 2, 3])))
    assert twin.get_params() == binarizer.get_params()
    with pytest.raises(NotFittedError):
        twin.transform(column([1]))


def test_an_empty_table_is_turned_down():
    with pytest.raises(ValueError, match="0 sample"):
        FeatureBinarizer().fit(pl.DataFrame({"a": []}))


def test_columns_that_fit_did_not_see_are_turned_down():
    fitted = FeatureBinarizer().fit(pl.DataFrame({"a": [1, 2]}))
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*- b"):
        fitted.transform(pl.DataFrame({"b": [1, 2]}))


@pytest.mark.parametrize(
    ("seen", "given_later", "held"),
    [([1, 2, 3], ["x", "y", "z"], "text"), (["x", "y", "z"], [1, 2, 3], "numbers")],
)
def test_a_column_of_another_type_than_in_fit_is_turned_down(seen, given_later, held):
    fitted = FeatureBinarizer().fit(pl.DataFrame({"a": seen}))
    with pytest.raises(ValueError, match=f"Column 'a' holds {held}, but held .* in fit"):
        fitted.transform(pl.DataFrame({"a": given_later}))


def test_a_table_of_256_categories_and_more_keeps_them_apart():
    values = [f"c{k:03d}" for k in range(300)]
    matrix = FeatureBinarizer(negations=False).fit_transform(pl.DataFrame({"c": values}))
    assert (matrix == np.eye(300)).all()


# Weights


@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(0, 4)), min_size=1, max_size=40))
def test_integer_weights_equal_repeated_rows(rows):
    values, weights = (np.array(part) for part in zip(*rows, strict=True))
    if not weights.any():
        weights = weights + 1
    weighted = FeatureBinarizer().fit(column(values), sample_weight=weights)
    repeated = FeatureBinarizer().fit(column(np.repeat(values, weights)))
    assert weighted.conditions_ == repeated.conditions_


def test_fractional_weights_give_quantiles_among_the_values():
    values, weights = np.arange(20.0), np.linspace(0.1, 2.0, 20)
    assert set(weighted_quantiles(values, DECILES, weights)) <= set(values)


# The codes and the conditions say the same


NUMBERS = st.sampled_from(
    [-9.0, -8.0, 0.0, 0.5, 1.0, 2.0, 3.25, 7.0, 1e6, -1e-6, 40.0, 41.0, 42.0]
)
COLUMNS = {
    "number": (pl.Float64, st.one_of(st.none(), NUMBERS, st.floats(-50, 50))),
    "whole": (pl.Int64, st.one_of(st.none(), st.integers(-9, 9))),
    "text": (pl.String, st.one_of(st.none(), st.sampled_from(["", "a", "b", "ü", "'"]))),
    "flag": (pl.Boolean, st.one_of(st.none(), st.booleans())),
}
LATER = COLUMNS | {"text": (pl.String, st.one_of(st.none(), st.text(max_size=2)))}


@st.composite
def tables(draw, columns, max_rows=25):
    n_rows = draw(st.integers(1, max_rows))
    return pl.DataFrame(
        {
            name: draw(st.lists(values, min_size=n_rows, max_size=n_rows))
            for name, (_, values) in columns.items()
        },
        schema={name: dtype for name, (dtype, _) in columns.items()},
    )


BINARIZERS = st.builds(
    FeatureBinarizer,
    thresholds=st.sampled_from(["deciles", 3, {"number": [0.5, 7.0, 60.0]}]),
    method=st.sampled_from(["thresholds", "intervals"]),
    negations=st.booleans(),
    special_values=st.sampled_from([None, [-9], [-9, -8, 7, 42], {"whole": [0, 3]}]),
    categorical_features=st.sampled_from([None, ["whole"]]),
)


@MANY
@given(BINARIZERS, tables(COLUMNS), tables(LATER))
def test_transform_says_what_each_condition_says_of_the_raw_column(binarizer, X, X_later):
    binarizer.fit(X)
    for table in (X, X_later):
        matrix, raw = binarizer.transform(table), read_table(table)
        for j, condition in enumerate(binarizer.conditions_):
            holds = condition.holds(raw[condition.feature])
            assert matrix[:, j].tolist() == holds.astype(int).tolist(), str(condition)


@MANY
@given(BINARIZERS, tables(COLUMNS), tables(LATER))
def test_the_complement_holds_exactly_where_the_condition_does_not(binarizer, X, X_later):
    binarizer.fit(X)
    binned = binarizer.encoding_.binned
    negated = binned.complement()
    for table in (X, X_later):
        codes = binarizer.encode(table)
        for j in range(len(binned)):
            assert (negated.holds(j, codes) == ~binned.holds(j, codes)).all()


@given(BINARIZERS, tables(COLUMNS))
def test_no_condition_is_given_twice(binarizer, X):
    found = names(X, **binarizer.get_params())
    assert len(found) == len(set(found))


@given(tables(COLUMNS))
def test_no_condition_is_constant_on_the_table_that_it_came_from(X):
    matrix = FeatureBinarizer().fit_transform(X)
    assert not (matrix.min(axis=0, initial=1) == matrix.max(axis=0, initial=0)).any()


@given(tables(COLUMNS))
def test_pandas_copies_of_random_tables_have_the_same_conditions(X):
    assert (
        FeatureBinarizer().fit(X).conditions_ == FeatureBinarizer().fit(X.to_pandas()).conditions_
    )


@given(BINARIZERS, tables(COLUMNS))
def test_nested_conditions_of_a_chain_imply_the_wider_ones(binarizer, X):
    codes = binarizer.fit(X).encode(X)
    binned = binarizer.encoding_.binned
    for j, k in itertools.combinations(range(len(binned)), 2):
        if binned.chains[j] == binned.chains[k]:
            one, other = binned.holds(j, codes), binned.holds(k, codes)
            assert (one <= other).all() or (other <= one).all()


def test_thresholds_that_differ_have_names_that_differ():
    milliseconds = 1_600_000_000_000 + np.arange(5)
    found = names(column(milliseconds))
    assert len(set(found)) == 8


@pytest.mark.parametrize("code", [6.0, 7.0, 8.0])
def test_a_special_code_beside_a_threshold_is_on_neither_side_of_it(code):
    X = np.array([[5.0], [code], [9.0]])
    binarizer = FeatureBinarizer(thresholds={"x0": [7]}, special_values=[code]).fit(X)
    table = read_table(X)
    for condition, said in zip(binarizer.conditions_, binarizer.transform(X).T, strict=True):
        assert condition.holds(table["x0"]).tolist() == said.astype(bool).tolist()
        if condition.relation in (Relation.LE, Relation.GT):
            assert not said[1]
