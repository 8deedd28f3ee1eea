"""Encoder, prediction, labels and exports agree on what equals what, or refuse to tell."""

import json
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules import (
    BooleanRuleClassifier,
    Clause,
    Condition,
    FeatureBinarizer,
    Model,
    Relation,
    RuleSet,
    parse_rules,
)
from boolrules._support.table import read_table
from boolrules._support.values import equals
from boolrules.cli.labels import read_labels
from boolrules.data.encoding import TableEncoding

BIG = 2**53
# Texts that are equal to the eye, to Unicode's normal forms, or to numpy, and to nobody else.
TEXTS = ["", "s", "s\0", "s\0\0", "\0", "\0s", "S", "s ", "é", "e\u0301", "ﬁ", "fi", "1", "True"]
NUMBERS = [0.0, -0.0, 1.0, 1.5, 0.1, 0.1 + 2**-56, float(BIG - 1), float(BIG), BIG + 2.0, -1e300]
ODD = [BIG, BIG + 1, BIG - 1, True, False, None, float("nan"), float("inf"), 10**30]
ANY = [*TEXTS, *NUMBERS, *ODD]


def columns():
    """Columns as people have them, some of which cannot be told apart."""
    texts = st.lists(st.sampled_from([*TEXTS, None]), min_size=4, max_size=12)
    numbers = st.lists(st.sampled_from([*NUMBERS, float("nan")]), min_size=4, max_size=12)
    truths = st.lists(st.sampled_from([True, False, None]), min_size=4, max_size=12)
    return st.one_of(texts, numbers, truths)


def table_of(values):
    return read_table(pandas.DataFrame({"c": pandas.Series(values, dtype=object)}))


@given(columns(), st.booleans(), st.sampled_from(["deciles", "all"]))
def test_every_condition_holds_where_its_codes_say(values, is_forced, thresholds):
    table = table_of(values)
    forced = ["c"] if is_forced else None
    special = [1.0, float(BIG)] if not is_forced else None
    binarizer = FeatureBinarizer(
        thresholds=thresholds, categorical_features=forced, special_values=special
    )
    encoding = binarizer.fit_table(table, None).encoding_
    codes = encoding.encode(table)
    for j, condition in enumerate(encoding.conditions):
        holds = condition.holds(table["c"])
        assert np.array_equal(encoding.binned.holds(j, codes), holds), str(condition)


@given(columns(), columns())
def test_new_rows_are_encoded_as_they_are_predicted(values, others):
    new, old = table_of(others), table_of(values)
    encoding = FeatureBinarizer(categorical_features=["c"]).fit_table(old, None).encoding_
    try:
        codes = encoding.encode(new)
    except ValueError:  # text where there were numbers
        assert new["c"].kind is not old["c"].kind
        return
    if new["c"].kind is not old["c"].kind and not new["c"].is_null.all():
        return
    for j, condition in enumerate(encoding.conditions):
        assert np.array_equal(encoding.binned.holds(j, codes), condition.holds(new["c"]))


CATEGORIES = st.lists(st.sampled_from(ANY), min_size=1, max_size=4)


@given(CATEGORIES, columns())
def test_categories_of_a_file_are_turned_down_or_told_apart(categories, values):
    plain = {"kind": "categorical", "name": "c", "categories": categories}
    table = table_of(values)
    try:
        encoding = TableEncoding.from_plain([plain | {"has_null": True, "has_negations": True}])
        codes = encoding.encode(table)
    except ValueError:
        return
    assert len(set(map(repr, categories))) == len(set(categories)) == len(categories)
    for j, condition in enumerate(encoding.conditions):
        try:
            holds = condition.holds(table["c"])
        except ValueError:
            continue  # of another kind
        assert np.array_equal(encoding.binned.holds(j, codes), holds), str(condition)


@given(columns(), st.integers(0, 2**30))
def test_python_source_and_predictions_agree(values, seed):
    table = table_of(values)
    y = np.random.default_rng(seed).random(len(values)) < 0.5
    y[:2] = True, False
    classifier = BooleanRuleClassifier(5, time_limit=None, mode="fast")
    model = classifier.fit(pandas.DataFrame({"c": pandas.Series(values, dtype=object)}), y).model_
    names = {}
    exec(model.to_python(), names)
    written = [names["predict"]({"c": value}) for value in values]
    assert written == model.predict(table).tolist()


@pytest.mark.parametrize("value", ANY, ids=repr)
@pytest.mark.parametrize(
    "values",
    [
        np.array(NUMBERS),
        np.array([0, 1, BIG, BIG + 1, -BIG - 1, 2**63 - 1]),
        np.array([0, 1, BIG + 1, 2**63, 2**64 - 1], dtype=np.uint64),
        np.array([True, False]),
        np.array(TEXTS[:2]),
        np.array([*TEXTS, None], dtype=object),
    ],
    ids=lambda values: str(values.dtype),
)
def test_arrays_equal_what_python_says_they_equal(values, value):
    assert equals(values, value).tolist() == [other == value for other in values.tolist()]


@pytest.mark.parametrize("value", [BIG + 1, -BIG - 1, 10**30 + 1, 10**400])
def test_no_condition_compares_with_a_number_that_no_column_holds(value):
    for make in (
        lambda: Condition("c", Relation.EQ, value),
        lambda: Condition("c", Relation.LE, value),
        lambda: Condition("c", Relation.IN, (0, value)),
        lambda: Condition("c", Relation.GT, 3, except_values=(value,)),
    ):
        with pytest.raises(ValueError, match="double precision rounds"):
            make()
    for text in (f"c == {value}", f"c <= {value}", f"c in (1, {value})"):
        with pytest.raises(ValueError, match=r"rounds|too large"):
            parse_rules(text)


@pytest.mark.parametrize(
    "given", [{"special_values": [BIG + 1]}, {"thresholds": {"c": [BIG + 1]}}]
)
def test_no_binarizer_takes_a_number_that_no_column_holds(given):
    with pytest.raises(ValueError, match="double precision holds"):
        FeatureBinarizer(**given).fit(pl.DataFrame({"c": [1.0, 2.0]}))


@pytest.mark.parametrize(
    "values",
    [
        [BIG, BIG + 1],
        [Decimal(BIG), Decimal(BIG + 1)],
        [Fraction(BIG), Fraction(BIG + 1)],
        [2**70, 2**70 + 1],
        np.array([BIG, BIG + 1], dtype=np.longdouble) + np.longdouble(0),
    ],
    ids=["int", "Decimal", "Fraction", "huge", "longdouble"],
)
def test_whole_numbers_that_a_column_would_make_one_are_turned_down(values):
    column = pandas.Series(list(values), dtype=object)
    if isinstance(values, np.ndarray):
        if values.dtype.itemsize == 8:
            pytest.skip("long doubles are no longer than doubles here")
        column = pandas.Series(values)
    with pytest.raises(ValueError, match="double precision rounds"):
        read_table(pandas.DataFrame({"c": column}))["c"]


def test_the_way_out_for_codes_works():
    codes = pandas.DataFrame({"c": [BIG, BIG + 1]})
    with pytest.raises(ValueError, match=r"make them text, such as with \.astype\(str\)") as told:
        read_table(codes)["c"]
    assert str(pickle.loads(pickle.dumps(told.value))) == str(told.value)
    assert read_table(codes.astype(str))["c"].values.tolist() == [str(BIG), str(BIG + 1)]


def test_decimals_of_polars_too():
    frame = pl.DataFrame({"c": [Decimal(BIG), Decimal(BIG + 1)]})
    with pytest.raises(ValueError, match="double precision rounds"):
        read_table(frame)["c"]


ROWS = [[0.0], [1.0], [2.0], [3.0]]
MERGED = {
    "1 and '1'": [1, "1", 2, 2],
    "True and 'True'": [True, "True", "x", "x"],
    "a NUL at the end": ["s", "s\0", "t", "t"],
    "a NUL at the end, of polars": pl.Series(["s", "s\0", "t", "t"]),
    "2**53 + 1 beside a float": [BIG, BIG + 1, 0.0, 0.0],
    "64 bits with and without a sign": [2**63, 2**63 + 1, -1, -1],
    "Int64 of pandas": pandas.Series([BIG, BIG + 1, BIG, BIG + 1], dtype="Int64"),
}


@pytest.mark.parametrize("labels", MERGED.values(), ids=MERGED)
def test_labels_that_an_array_would_make_one_are_turned_down(labels):
    model = BooleanRuleClassifier(3, time_limit=None)
    with pytest.raises(ValueError, match=r"The label .* becomes .* could not be told from it"):
        model.fit(ROWS, labels)
    fitted = model.fit(ROWS, ["s", "t", "s", "t"])
    try:
        assert "the data have the label" in str(fitted.verify(ROWS, labels))
    except ValueError as error:
        assert "could not be told from it" in str(error)  # noqa: PT017


APART = {
    "2**53 and the next": [BIG, BIG + 1, BIG + 1, BIG],
    "without a sign": np.array([2**63, 2**63 + 1, 2**63 + 1, 2**63], dtype=np.uint64),
    "normal forms": ["é", "e\u0301", "e\u0301", "é"],
    "a NUL at the end, as objects": np.array(["s", "s\0", "s\0", "s"], dtype=object),
    "a NUL within": ["a\0b", "a\0c", "a\0c", "a\0b"],
    "case and spaces": ["a", "A", "a ", "a"],
    "truth": [True, False, False, True],
}


@pytest.mark.parametrize("labels", APART.values(), ids=APART)
def test_labels_that_differ_stay_apart_in_rules_files_and_exports(labels):
    classifier = BooleanRuleClassifier(
        9, time_limit=None, binarizer=FeatureBinarizer(thresholds=4)
    )
    model = classifier.fit(ROWS, labels)
    told = np.asarray(labels).tolist()
    assert model.predict(ROWS).tolist() == told
    again = Model.from_json(model.model_.to_json())
    assert again.predict(ROWS).tolist() == told
    assert again.verify(ROWS, labels).holds
    assert again.score_rows(ROWS, labels).accuracy == 1
    names = {}
    exec(again.to_python(), names)
    assert [names["predict"]({"x0": row[0]}) for row in ROWS] == told
    shown = [str(rules).splitlines()[-2] for rules in again.rule_sets]
    assert len(set(shown)) == len(shown)
    if len(set(told)) == 2:
        for label in set(told):
            one = BooleanRuleClassifier(9, positive_label=label, time_limit=None)
            assert one.fit(ROWS, labels).rule_set_.positive == label
            parsed = parse_rules(str(one.rule_set_))
            assert (parsed.positive, parsed.negative) == (label, *(set(told) - {label}))


@pytest.mark.parametrize(
    ("labels", "positive", "wanted"),
    [
        ([BIG, BIG + 1, BIG], str(BIG + 1), [False, True, False]),
        ([BIG, BIG + 1, BIG + 2], str(BIG + 1), [False, True, False]),
        ([BIG, BIG + 1, BIG], f"> {BIG}", [False, True, False]),
        ([BIG, BIG + 1, BIG], f">= {BIG + 1}", [False, True, False]),
        ([BIG, BIG + 1, BIG], f"< {BIG + 1}", [True, False, True]),
        ([1.0, 2.0, 3.0], "2", [False, True, False]),
        ([1, 2, 3], "2.0", [False, True, False]),
        ([1, 2, 3], "> 2.5", [False, False, True]),
        (["é", "e\u0301", "é"], "e\u0301", [False, True, False]),
        ([True, False, True], "true", [True, False, True]),
    ],
)
def test_positive_means_one_label_on_the_command_line(labels, positive, wanted):
    read = read_labels(pl.Series("y", labels), positive)
    assert (read.values == read.positive).tolist() == wanted


def test_labels_that_end_in_nul_are_turned_down_on_the_command_line():
    with pytest.raises(ValueError, match="ends in a NUL character"):
        read_labels(pl.Series("y", ["s", "s\0", "t"]), "s")


@pytest.mark.parametrize("relation", [Relation.EQ, Relation.NE])
def test_a_forged_category_is_as_unseen_to_the_encoder_as_to_the_rules(relation):
    table = pl.DataFrame({"c": ["s", "s\0", "s", "t"]})
    condition = Condition("c", relation, "s\0")
    rules = RuleSet((Clause((condition,)),))
    holds = [relation is Relation.EQ, relation is Relation.NE]
    assert rules.covers(table).tolist() == [holds[1], holds[0], holds[1], holds[1]]


def test_a_forged_file_cannot_hide_a_category_from_the_bound():
    frame = pl.DataFrame({"c": ["s", "t", "u", "s", "t", "u"]})
    y = np.array([1, 0, 0, 1, 0, 0])
    plain = json.loads(BooleanRuleClassifier(2, time_limit=None).fit(frame, y).model_.to_json())
    plain["features"][0]["categories"] = ["s\0", "t", "u"]
    plain["rule_sets"][0]["clauses"][0][0] = {"feature": "c", "relation": "==", "value": "s\0"}
    verification = Model.from_json(json.dumps(plain)).verify(frame, y)
    assert "FAILS: Hamming loss" in str(verification)


def test_a_requirement_speaks_of_one_value():
    frame = pl.DataFrame({"c": [1234567890.25, 1234567890.75] * 5, "d": range(10)})
    y = np.arange(10) > 4
    asked = "recall >= 1 where c = 1234567890.25"
    model = BooleanRuleClassifier(4, requirements=asked, time_limit=None).fit(frame, y).model_
    (standing,) = model.standings(frame, y).standings
    assert standing.n_rows == 2
