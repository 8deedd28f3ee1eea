"""Tables of every library become columns of numbers or of text, or are turned down."""

import datetime
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from boolrules._support.table import Kind, read_table

DAY = datetime.date(2020, 1, 31)
NAN = float("nan")


def read_columns(X):
    return tuple(read_table(X).columns)


def read_one(X):
    (column,) = read_columns(X)
    return column


def pandas_column(values, dtype):
    return pd.DataFrame({"a": pd.Series(values, dtype=dtype)})


def polars_column(values, dtype=None):
    return pl.DataFrame({"a": pl.Series(values, dtype=dtype, strict=False)})


NUMERIC = {
    "pandas float": pandas_column([1, NAN, 3], "float64"),
    "pandas float32": pandas_column([1, NAN, 3], "float32"),
    "pandas Int64": pandas_column([1, pd.NA, 3], "Int64"),
    "pandas Float64": pandas_column([1, pd.NA, 3], "Float64"),
    "pandas object of int, None": pandas_column([1, None, 3], object),
    "pandas object of int, NaN": pandas_column([1, NAN, 3.0], object),
    "pandas object of int, NA": pandas_column([1, pd.NA, 3.0], object),
    "pandas object of Decimal": pandas_column([Decimal(1), Decimal("NaN"), Decimal(3)], object),
    "pandas pyarrow int": pandas_column([1, None, 3], "int64[pyarrow]"),
    "polars Int": polars_column([1, None, 3], pl.Int16),
    "polars UInt": polars_column([1, None, 3], pl.UInt64),
    "polars Float": polars_column([1.0, None, 3.0], pl.Float32),
    "polars Float with NaN": polars_column([1.0, NAN, 3.0], pl.Float64),
    "polars Decimal": polars_column([Decimal("1.00"), None, Decimal("3.00")], pl.Decimal(9, 2)),
    "polars Object": polars_column([1, None, 3], pl.Object),
    "pyarrow int": pa.table({"a": [1, None, 3]}),
    "numpy float": np.array([[1.0], [NAN], [3.0]]),
    "numpy half": np.array([[1.0], [NAN], [3.0]], dtype=np.float16),
    "numpy object": np.array([[1], [None], [3.0]], dtype=object),
    "numpy object with NaN": np.array([[1], [NAN], [np.int8(3)]], dtype=object),
    "list of lists": [[1], [NAN], [3]],
}


@pytest.mark.parametrize("X", NUMERIC.values(), ids=NUMERIC)
def test_numbers_become_floats_with_nan_where_missing(X):
    column = read_one(X)
    assert column.kind is Kind.NUMERIC
    assert column.values.dtype == np.float64
    assert column.is_null.tolist() == [False, True, False]
    assert column.values[[0, 2]].tolist() == [1.0, 3.0]


@pytest.mark.parametrize(
    "X",
    [
        pandas_column([1, 2], "int32"),
        pandas_column([1, 2], "uint8"),
        polars_column([1, 2], pl.Int64),
        np.array([[1], [2]]),
    ],
)
def test_whole_numbers_become_floats(X):
    column = read_one(X)
    assert column.kind is Kind.NUMERIC
    assert column.values.tolist() == [1.0, 2.0]


BOOLEAN = {
    "pandas boolean": pandas_column([True, pd.NA, False], "boolean"),
    "pandas object": pandas_column([True, None, False], object),
    "pandas object of numpy": pandas_column([np.True_, NAN, np.False_], object),
    "pandas category": pandas_column([True, None, False], "category"),
    "pandas pyarrow": pandas_column([True, None, False], "bool[pyarrow]"),
    "polars Boolean": polars_column([True, None, False]),
    "pyarrow": pa.table({"a": [True, None, False]}),
    "numpy object": np.array([[True], [None], [False]], dtype=object),
}


@pytest.mark.parametrize("X", BOOLEAN.values(), ids=BOOLEAN)
def test_true_and_false_are_boolean_whatever_the_mark_of_missing(X):
    column = read_one(X)
    assert column.kind is Kind.BOOLEAN
    assert column.is_null.tolist() == [False, True, False]
    assert column.values[[0, 2]].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("X", [np.array([[True], [False]]), pandas_column([True, False], bool)])
def test_plain_booleans_are_boolean(X):
    column = read_one(X)
    assert column.kind is Kind.BOOLEAN
    assert column.values.tolist() == [1.0, 0.0]


TEXT = {
    "pandas string": pandas_column(["x", pd.NA, "y"], "string"),
    "pandas str": pandas_column(["x", None, "y"], "str"),
    "pandas object": pandas_column(["x", None, "y"], object),
    "pandas object with NaN": pandas_column(["x", NAN, "y"], object),
    "pandas object with NA": pandas_column(["x", pd.NA, "y"], object),
    "pandas object with NaT": pandas_column(["x", pd.NaT, "y"], object),
    "pandas category": pandas_column(["x", None, "y"], "category"),
    "pandas pyarrow": pandas_column(["x", None, "y"], "string[pyarrow]"),
    "polars String": polars_column(["x", None, "y"]),
    "polars Categorical": polars_column(["x", None, "y"], pl.Categorical),
    "polars Enum": polars_column(["x", None, "y"], pl.Enum(["y", "x"])),
    "polars Object": polars_column(["x", None, "y"], pl.Object),
    "pyarrow": pa.table({"a": ["x", None, "y"]}),
    "pyarrow dictionary": pa.table({"a": pa.array(["x", None, "y"]).dictionary_encode()}),
    "numpy object": np.array([["x"], [None], ["y"]], dtype=object),
    "numpy object with NaN": np.array([["x"], [NAN], ["y"]], dtype=object),
}


@pytest.mark.parametrize("X", TEXT.values(), ids=TEXT)
def test_text_stays_text_with_none_where_missing(X):
    column = read_one(X)
    assert column.kind is Kind.TEXT
    assert column.values.tolist() == ["x", None, "y"]
    assert column.is_null.tolist() == [False, True, False]


def test_numpy_text_is_text():
    assert read_one(np.array([["x"], ["y"]])).values.tolist() == ["x", "y"]


def test_text_that_looks_missing_is_text():
    column = read_one(pl.DataFrame({"a": ["nan", "", "None", "NULL"]}))
    assert column.values.tolist() == ["nan", "", "None", "NULL"]


@pytest.mark.parametrize(
    ("X", "kind"),
    [
        (pandas_column([3, 1, None], "category"), Kind.NUMERIC),
        (pandas_column(["x", "y", None], "category"), Kind.TEXT),
        (polars_column(["x", "y", None], pl.Categorical), Kind.TEXT),
        (polars_column(["x", "y", None], pl.Enum(["x", "y"])), Kind.TEXT),
    ],
)
def test_categories_are_marked_so_that_numbers_among_them_are_not_compared(X, kind):
    column = read_one(X)
    assert column.is_category
    assert column.kind is kind


@pytest.mark.parametrize(
    "X",
    [
        pandas_column([None, None], object),
        pandas_column([NAN, NAN], "float64"),
        pandas_column([pd.NA, pd.NA], "Int64"),
        pandas_column([None, None], "category"),
        polars_column([None, None]),
        polars_column([None, None], pl.String),
        np.array([[None], [None]], dtype=object),
        np.array([[NAN], [NAN]]),
    ],
)
def test_a_column_with_no_value_is_all_null(X):
    assert read_one(X).is_null.all()


DATES = {
    "pandas datetime": pandas_column([DAY], "datetime64[ns]"),
    "pandas datetime with zone": pandas_column([DAY], "datetime64[us, UTC]"),
    "pandas timedelta": pandas_column([datetime.timedelta(1)], "timedelta64[s]"),
    "pandas period": pd.DataFrame({"a": pd.period_range("2020-01", periods=1, freq="M")}),
    "pandas object of date": pandas_column([DAY], object),
    "pandas object of date and None": pandas_column([DAY, None], object),
    "pandas object of datetime": pandas_column([datetime.datetime(2020, 1, 1)], object),
    "pandas object of time": pandas_column([datetime.time(12)], object),
    "pandas object of Timestamp": pandas_column([pd.Timestamp(2020, 1, 1)], object),
    "pandas object of datetime64": pandas_column([np.datetime64("2020-01-01")], object),
    "pandas category of dates": pandas_column(pd.to_datetime(["2020-01-01"]), "category"),
    "pandas pyarrow date": pandas_column([DAY], pd.ArrowDtype(pa.date32())),
    "polars Date": polars_column([DAY]),
    "polars Datetime": polars_column([datetime.datetime(2020, 1, 1)]),
    "polars Duration": polars_column([datetime.timedelta(1)]),
    "polars Time": polars_column([datetime.time(12)]),
    "polars Object": polars_column([DAY], pl.Object),
    "pyarrow date": pa.table({"a": [DAY]}),
    "numpy datetime64": np.array([["2020-01-01"]], dtype="M8[D]"),
    "numpy timedelta64": np.array([[1]], dtype="m8[D]"),
    "numpy object": np.array([[DAY]], dtype=object),
}


@pytest.mark.parametrize("kind", DATES)
def test_dates_times_and_durations_are_read_as_their_parts(kind):
    parts = {c.name.split(".")[1]: c.values.tolist()[0] for c in read_table(DATES[kind]).columns}
    if "time" in kind.split()[-1:] or "Time" in kind.split():
        assert parts == {"hour": 12, "minutes": 720}
    elif "delta" in kind or "Duration" in kind:
        assert parts == {"length": 1}
    else:
        day = parts["days"] - 18262
        assert parts.pop("hour", 0) == 0
        assert parts == {
            "year": 2020,
            "month": 1,
            "weekday": (2 + day) % 7 + 1,
            "days": 18262 + day,
        }
        assert day in (0, 30)


def test_parts_are_missing_where_dates_are():
    X = pl.DataFrame({"a": [DAY, None], "b": [1, 2]})
    table = read_table(X)
    assert table.names == ("a.year", "a.month", "a.weekday", "a.days", "b")
    assert table["a.days"].is_null.tolist() == [False, True]
    assert [column.part_of for column in table.columns] == ["a"] * 4 + [None]


def test_a_column_of_the_table_comes_before_a_part_of_its_name():
    X = pl.DataFrame({"a": [DAY], "a.year": [7]})
    assert read_table(X)["a.year"].values.tolist() == [7]
    assert read_table(X, ["a.month"]).names == ("a.month",)


def test_a_time_with_a_zone_is_read_as_its_own_clock_shows_it():
    noon = pd.Timestamp("2020-01-31 12:00", tz="Asia/Tokyo")
    for X in (
        pandas_column([noon], None),
        pandas_column([noon], object),
        pl.DataFrame({"a": pl.Series([noon]).dt.convert_time_zone("Asia/Tokyo")}),
    ):
        assert read_table(X)["a.hour"].values.tolist() == [12]


def test_dates_that_are_text_where_parts_are_wanted_are_told():
    with pytest.raises(
        ValueError, match=r"use 'a\.year', a part of the dates.* of column 'a', wh"
    ):
        read_table(pl.DataFrame({"a": ["yesterday"]}), ["a.year"])


def test_a_lazy_table_has_the_same_parts():
    X = pl.DataFrame({"a": [DAY, None], "b": [1, 2], "t": [datetime.time(12), None]})
    X = X.with_columns(none=pl.lit(None, pl.Time), never=pl.lit(None, pl.Datetime))
    lazy, eager = read_table(X.lazy()), read_table(X)
    assert lazy.names == eager.names
    for name in lazy.names:
        assert np.array_equal(lazy[name].values, eager[name].values, equal_nan=True)


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
@pytest.mark.parametrize(
    "make",
    [
        lambda v: pandas_column(v, "float64"),
        lambda v: pandas_column(v, "Float64"),
        lambda v: pandas_column(v, object),
        lambda v: polars_column(v, pl.Float64),
        lambda v: pa.table({"a": v}),
    ],
)
def test_infinite_values_are_turned_down_with_column_and_row(make, infinity):
    with pytest.raises(ValueError, match=r"Column 'a' holds infinite values.* row 2\).*Replace"):
        read_columns(make([1.0, 2.0, infinity]))


def test_infinite_values_of_an_array_are_turned_down_with_column_and_row():
    with pytest.raises(ValueError, match=r"Column 'x1' holds infinite values.* row 1\)"):
        read_columns(np.array([[1.0, 2.0], [3.0, np.inf]]))


@pytest.mark.parametrize("names", [["a", "a"], [1, "1"]])
def test_duplicated_names_are_turned_down(names):
    with pytest.raises(ValueError, match=r"Duplicated column names: (a|1).*rename or drop"):
        read_table(pd.DataFrame([[1, 2]], columns=names))


def test_duplicated_names_of_a_pyarrow_table_are_turned_down():
    with pytest.raises(ValueError, match=r"[Dd]uplicated|unique column names"):
        read_table(pa.table([[1], [2]], names=["a", "a"]))


@pytest.mark.parametrize(
    "values", [[1, "x"], [True, "x"], ["x", 2.5, None], ["x", DAY.year, NAN]], ids=repr
)
def test_columns_that_mix_text_with_something_else_are_turned_down(values):
    with pytest.raises(TypeError, match=r"Column 'a' mixes .*str.*Convert the column"):
        read_columns(pandas_column(values, object))


@pytest.mark.parametrize(
    "X",
    [
        pl.DataFrame({"a": [[1], [2]]}),
        pl.DataFrame({"a": [{"b": 1}]}),
        pl.DataFrame({"a": [b"x"]}),
        pandas_column([[1], [2]], object),
        np.array([[b"x"]]),
    ],
)
def test_columns_that_no_condition_can_compare_are_turned_down_by_name(X):
    with pytest.raises(TypeError, match=r"Column '(a|x0)'"):
        read_columns(X)


@pytest.mark.parametrize("X", [np.array([[1j]]), pandas_column([1j], complex)])
def test_complex_numbers_are_turned_down_by_name(X):
    with pytest.raises((TypeError, ValueError), match=r"'(a|x0)'"):
        read_columns(X)


def test_a_number_too_large_for_a_float_is_turned_down_by_name():
    with pytest.raises((TypeError, ValueError), match="'a'"):
        read_columns(pandas_column([10**400, 1], object))


@pytest.mark.parametrize("X", [np.zeros(3), np.zeros((1, 2, 3)), pd.Series([1, 2])])
def test_what_is_not_a_table_is_turned_down(X):
    with pytest.raises(ValueError, match="Expected 2D array"):
        read_columns(X)


def test_arrays_have_columns_x0_x1_and_so_on():
    assert read_table(np.zeros((2, 3))).names == ("x0", "x1", "x2")


def test_names_that_are_not_text_become_text():
    assert read_table(pd.DataFrame([[1, 2]], columns=[0, ("b", 1)])).names == ("0", "('b', 1)")


def test_a_missing_column_is_named_beside_those_that_there_are():
    table = read_table(pl.DataFrame({"age": [1], "job": ["x"]}))
    with pytest.raises(ValueError, match=r"no column 'pay'.*Its columns are: age, job"):
        table["pay"]


def test_only_the_wanted_columns_are_read():
    X = pl.DataFrame({"a": [1], "date": [DAY], "b": [2]})
    assert read_table(X, ["b", "a"]).names == ("a", "b")


def test_a_table_keeps_its_length_when_no_column_is_wanted():
    assert len(read_table(pl.DataFrame({"a": [1, 2, 3]}), [])) == 3


@pytest.mark.parametrize("chosen", [np.array([False, True, True]), np.array([1, 2])])
def test_rows_are_chosen_by_mask_or_by_place(chosen):
    table = read_table(pl.DataFrame({"a": [1, 2, 3], "b": ["x", None, "z"]})).rows(chosen)
    assert len(table) == 2
    assert table["a"].values.tolist() == [2.0, 3.0]
    assert table["b"].values.tolist() == [None, "z"]


def test_pandas_and_polars_copies_read_alike():
    data = {"n": [1.5, None], "t": ["x", None], "b": [True, None]}
    ours, theirs = read_table(pl.DataFrame(data)), read_table(pl.DataFrame(data).to_pandas())
    assert ours.names == theirs.names
    for left, right in zip(ours.columns, theirs.columns, strict=True):
        assert left.kind is right.kind
        assert left.is_null.tolist() == right.is_null.tolist()
        assert left.values[:1].tolist() == right.values[:1].tolist()


@pytest.mark.parametrize(
    "X",
    [
        np.array([[2**53], [2**53 + 1]]),
        np.array([[2**53], [2**53 + 1]], dtype=object),
        pl.DataFrame({"x0": [2**53, 2**53 + 1, None]}),
        pd.DataFrame({"x0": pd.Categorical([2**53, 2**53 + 1])}),
    ],
)
def test_whole_numbers_that_would_be_rounded_are_turned_down(X):
    with pytest.raises(ValueError, match=r"'x0' holds 9007199254740993, .* make them text"):
        read_columns(X)


def test_large_whole_numbers_that_floats_hold_are_numbers():
    values = [2**53, 2**60, -(2**62)]
    assert read_table(np.array([[v] for v in values]))["x0"].values.tolist() == values


def test_a_column_that_cannot_be_read_is_turned_down_when_it_is_asked_for_and_not_before():
    X = pl.DataFrame({"a": [1, 2], "more": [[1], [2]], "tags": [["x"], []]})
    table = pickle.loads(pickle.dumps(read_table(X))).rows(np.array([1]))
    assert table.names == ("a", "more", "tags")
    assert table["a"].values.tolist() == [2]
    for name in ("more", "tags"):
        with pytest.raises(TypeError, match=f"Column '{name}' holds"):
            table[name]
    with pytest.raises(TypeError, match="Column 'more' holds"):
        _ = table.columns
