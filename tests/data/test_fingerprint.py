"""The fingerprint of rows: the same for what no claim can tell apart, another for other rows."""

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from boolrules.data.binning import Binning
from boolrules.data.constraints import Constraints
from boolrules.data.fingerprint import Fingerprint
from boolrules.data.labelled_rows import LabelledRows, Weighing
from strategies import frames, generators, times

WEIGHING = Weighing(("high", "low"), (1.0, 1.0))


def rows_of(frame, labels, weights=None):
    return LabelledRows.of(frame, labels, weights, WEIGHING)


@st.composite
def labelled(draw):
    n_rows = draw(st.integers(2, 12))
    random = draw(generators())
    labels = np.where(random.random(n_rows) < 0.5, "high", "low")
    return draw(frames(n_rows)), labels, random


@times(3)
@given(labelled())
def test_the_order_of_rows_is_of_no_account(drawn):
    frame, labels, random = drawn
    rows = rows_of(frame, labels)
    encoding = Binning().fit(rows.table)
    kept = Fingerprint.of(rows, encoding)
    order = random.permutation(len(labels))
    assert kept == Fingerprint.of(rows_of(frame[order], labels[order]), encoding)
    assert Fingerprint.from_plain(kept.to_plain()) == kept


@times(3)
@given(labelled())
def test_whole_weights_are_repeated_rows(drawn):
    frame, labels, random = drawn
    rows = rows_of(frame, labels)
    encoding = Binning().fit(rows.table)
    weights = random.integers(0, 4, len(labels))
    assume(weights.any())
    repeated = np.repeat(np.arange(len(labels)), weights)
    kept = Fingerprint.of(rows_of(frame, labels, weights), encoding)
    assert kept.is_of(rows_of(frame[repeated], labels[repeated]), encoding)
    assert weights.sum() == len(labels) or not kept.is_of(rows, encoding)


@times(3)
@given(labelled())
def test_fractional_weights_count_by_row(drawn):
    frame, labels, random = drawn
    weights = random.random(len(labels)) + 0.25
    rows = rows_of(frame, labels, weights)
    encoding = Binning().fit(rows.table)
    kept, order = Fingerprint.of(rows, encoding), random.permutation(len(labels))
    assert kept.is_of(rows_of(frame[order], labels[order], weights[order]), encoding)
    assert not kept.is_of(rows_of(frame, labels, weights * 2), encoding)
    # A last digit that a file or another sum changes.
    assert kept.is_of(rows_of(frame, labels, weights * (1 + 1e-13)), encoding)
    more = np.append(weights, 0.0)
    again = np.append(np.arange(len(labels)), 0)
    assert kept.is_of(rows_of(frame[again], labels[again], more), encoding)


@times(3)
@given(labelled(), st.data())
def test_a_row_more_or_less_or_another_label_or_code_is_told(drawn, data):
    frame, labels, _ = drawn
    rows = rows_of(frame, labels)
    encoding = Binning().fit(rows.table)
    kept = Fingerprint.of(rows, encoding)
    i = data.draw(st.integers(0, len(labels) - 1))
    others = np.delete(np.arange(len(labels)), i)
    assert not kept.is_of(rows_of(frame[others], labels[others]), encoding)
    turned = labels.copy()
    turned[i] = "low" if labels[i] == "high" else "high"
    assert not kept.is_of(rows_of(frame, turned), encoding)
    codes = encoding.encode(rows.table)
    j = data.draw(st.integers(0, len(labels) - 1))
    exchanged = np.arange(len(labels))
    exchanged[i] = j
    is_same = (codes[i] == codes[j]).all() and labels[i] == labels[j]
    assert kept.is_of(rows_of(frame[exchanged], labels[exchanged]), encoding) == is_same


def test_values_of_one_bin_are_one_and_columns_that_nothing_reads_are_none():
    frame = pl.DataFrame({"age": range(40), "day": range(40)})
    labels = np.where(np.arange(40) < 20, "low", "high")
    rows = rows_of(frame, labels)
    encoding = Binning().fit(rows.table)
    kept = Fingerprint.of(rows, encoding)
    assert kept.is_of(rows_of(frame.with_columns(age=pl.col("age") - 0.05), labels), encoding)
    constrained = encoding.constrained(Constraints(forbidden_features=["day"]))
    kept = Fingerprint.of(rows, constrained)
    assert kept.is_of(rows_of(frame.drop("day"), labels), constrained)
    assert kept.speaks_of(constrained)
    assert not kept.speaks_of(encoding)


@pytest.mark.parametrize(
    "change",
    [
        {"n_rows": 0},
        {"n_rows": True},
        {"n_rows": 1.0},
        {"n_rows": 2**60},
        {"n_rows": None},
        {"rows": 7},
        {"rows": "0" * 15},
        {"rows": "0" * 17},
        {"rows": "G" * 16},
        {"rows": "0" * 16 + "\n"},
        {"encoding": None},
    ],
    ids=repr,
)
def test_what_is_no_fingerprint_is_turned_down(change):
    good = {"n_rows": 3, "rows": "0" * 16, "encoding": "f" * 16}
    assert Fingerprint.from_plain(good).to_plain() == good
    with pytest.raises(ValueError, match="fingerprint"):
        Fingerprint.from_plain(good | change)
    with pytest.raises(ValueError, match="fingerprint"):
        Fingerprint.from_plain(None)
