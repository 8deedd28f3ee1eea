"""A table read column by column against the same table in memory."""

import pickle

import numpy as np
import polars
import pytest
from hypothesis import given

from boolrules import BooleanRuleClassifier, FeatureBinarizer
from boolrules._support.table import LazyTable, read_table
from strategies import frames, generators


@given(frames(n_rows=20), generators())
def test_columns_are_those_of_the_table_in_memory(frame, random):
    lazy, whole = pickle.loads(pickle.dumps(LazyTable(frame.lazy()))), read_table(frame)
    chosen = random.random(20) < 0.5
    again = random.random(int(chosen.sum())) < 0.5
    pairs = [
        (lazy, whole),
        (lazy.rows(chosen), whole.rows(chosen)),
        (lazy.rows(chosen).rows(again), whole.rows(chosen).rows(again)),
    ]
    for one, other in pairs:
        assert (one.names, len(one)) == (other.names, len(other))
        for column, expected in zip(one.columns, other.columns, strict=True):
            assert (column.name, column.kind) == (expected.name, expected.kind)
            assert np.array_equal(column.is_null, expected.is_null)
            kept = ~expected.is_null
            assert column.values[kept].tolist() == expected.values[kept].tolist()


@given(frames(n_rows=20), generators())
def test_encoding_is_that_of_the_table_in_memory(frame, random):
    weights = random.integers(0, 3, 20).astype(float)
    weights[0] = 1.0
    one = FeatureBinarizer().fit(frame.lazy(), sample_weight=weights)
    other = FeatureBinarizer().fit(frame, sample_weight=weights)
    assert one.encoding_.to_plain() == other.encoding_.to_plain()
    assert one.encode(frame.lazy()).tolist() == other.encode(frame).tolist()


def test_fit_predict_and_verify_read_a_file_by_columns(small_table, tmp_path):
    small_table.write_parquet(tmp_path / "table.parquet")
    lazy = polars.scan_parquet(tmp_path / "table.parquet").drop("target")
    X, y = small_table.drop("target"), small_table["target"]
    one, other = (BooleanRuleClassifier(5).fit(table, y) for table in (lazy, X))
    assert str(one.rule_set_) == str(other.rule_set_)
    assert one.certificate_.lower_bound == other.certificate_.lower_bound
    assert list(one.feature_names_in_) == X.columns
    assert one.predict(lazy).tolist() == other.predict(X).tolist()
    assert one.verify(lazy, y).holds


def test_an_empty_file_is_turned_down(small_table):
    empty = small_table.head(0)
    with pytest.raises(ValueError, match="empty"):
        BooleanRuleClassifier(5).fit(empty.drop("target").lazy(), empty["target"])


def test_memory_limit_gives_the_answer_without_one(call, small_table, tmp_path):
    path = tmp_path / "table.parquet"
    small_table.write_parquet(path)
    arguments = ["fit", path, "--target", "target", "--max-complexity", 5, "--json"]
    code, limited, _ = call(*arguments, "--memory-limit", "2GiB")
    assert code == 0
    _, whole, _ = call(*arguments, "--no-cv")
    assert limited.split('"seconds"')[0] == whole.split('"seconds"')[0]


@pytest.mark.parametrize(
    ("name", "limit", "message"),
    [
        ("table.parquet", "1MB", "120 rows of 5 columns, which take about"),
        ("table.csv", "2GiB", "needs Parquet"),
        ("no.parquet", "2GiB", "There is no file"),
    ],
)
def test_a_limit_that_cannot_be_kept_is_said_at_once(
    call, small_table, tmp_path, name, limit, message
):
    small_table.write_parquet(tmp_path / "table.parquet")
    small_table.write_csv(tmp_path / "table.csv")
    options = ["--target", "target", "--max-complexity", 5, "--memory-limit", limit]
    code, _, error = call("fit", tmp_path / name, *options)
    assert code == 2
    assert message in error
