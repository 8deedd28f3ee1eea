"""Figures on rows: they follow from the counts, say what a risk officer asks, and are checked."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules.model.figures import Figures
from strategies import times


def fraud(found, missed, alarms, right, **options):
    counts = [[found, missed], [alarms, right]]
    return Figures.of(
        ["fraud", "no"], "fraud", [counts], found + missed + alarms + right, **options
    )


@st.composite
def figures(draw):
    n_classes, n_splits = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    count = st.integers(0, 30)
    confusions = draw(
        st.lists(
            st.lists(
                st.lists(count, min_size=n_classes, max_size=n_classes),
                min_size=n_classes,
                max_size=n_classes,
            ).filter(lambda matrix: any(map(any, matrix))),
            min_size=n_splits,
            max_size=n_splits,
        )
    )
    classes = [f"class {k}" for k in range(n_classes)]
    positive = draw(st.sampled_from(classes)) if n_classes == 2 else None
    n_rows = draw(st.integers(1, int(np.sum(confusions))))
    description = draw(st.sampled_from(["", "5 stratified folds, shuffled, 3 times"]))
    return Figures.of(classes, positive, confusions, n_rows, description, draw(st.booleans()))


@times(10)
@given(figures())
def test_figures_follow_from_the_counts_and_read_back(figures):
    counts = np.array(figures.confusions)
    table = np.array(figures.table)
    assert figures.accuracy == pytest.approx(table.trace() / table.sum())
    assert 0 < figures.standard_error <= 0.5 / math.sqrt(figures.n_rows)
    assert np.sum(figures.table) == pytest.approx(figures.n_rows)
    by_class = counts.sum(axis=(0, 2))
    assert by_class[figures.classes.index(figures.majority)] == by_class.max()
    if figures.positive is not None:
        k = figures.classes.index(figures.positive)
        total = counts.sum(axis=0)
        for share, there in [
            (figures.precision, total[:, k].sum()),
            (figures.recall, total[k].sum()),
        ]:
            assert (share is None) == (there == 0)
            assert share is None or share == pytest.approx(total[k, k] / there)
    plain = json.loads(json.dumps(figures.to_plain(), allow_nan=False))
    assert Figures.from_plain(plain) == figures
    assert "nan" not in str(figures)
    assert figures.lines()
    assert figures._repr_html_().count("<table ") == 1


def test_the_majority_is_always_given_as_the_answer():
    figures = Figures.of("abc", None, [[[5, 1, 0], [2, 1, 0], [0, 0, 1]]], 10)
    assert (figures.majority, figures.majority_accuracy) == ("a", 0.6)
    assert figures.accuracy == 0.7


def test_more_rounds_judge_the_same_rows_and_make_no_error_smaller():
    once = fraud(40, 10, 10, 40)
    thrice = Figures.of(once.classes, "fraud", once.confusions * 3, 100)
    assert thrice.standard_error == pytest.approx(once.standard_error)
    assert thrice.table == once.table
    assert (once.precision, once.recall) == (thrice.precision, thrice.recall) == (0.8, 0.8)
    assert once.standard_error == pytest.approx(0.04, abs=0.001)


def test_counts_of_one_round_are_whole_and_of_several_the_mean():
    folds = [[[3, 1], [0, 2]], [[2, 0], [1, 3]]]
    once = Figures.of([0, 1], 1, folds, 12)
    assert once.table == ((5, 1), (1, 5))
    assert all(type(n) is int for row in once.table for n in row)
    twice = Figures.of([0, 1], 1, [*folds, [[4, 0], [0, 2]], [[1, 1], [2, 2]]], 12)
    assert twice.table == ((5, 1), (1.5, 4.5))
    assert "4.5" in str(twice)


def test_few_rows_without_a_mistake_are_no_certainty():
    figures = fraud(2, 0, 0, 3)
    assert figures.accuracy == 1
    assert figures.standard_error > 0.1


def test_the_text_for_people_is_complete():
    options = {"description": "5 stratified folds, shuffled, 3 times", "is_chosen_on": True}
    assert str(fraud(60, 25, 10, 3705, **options)).splitlines() == [
        "Held-out accuracy 99.1 % ± 0.2 % on 3800 rows left out; always 'no' has 97.8 %.",
        "Precision 85.7 %: of the 70 rows flagged 'fraud', 60 are.",
        "Recall 70.6 %: of the 85 rows that are 'fraud', 60 are found.",
        "How: 5 stratified folds, shuffled, 3 times. The same rows chose among several rules, so "
        "this is a little too good.",
        "",
        "            answer 'fraud'  answer 'no'",
        "is 'fraud'              60           25",
        "is 'no'                 10         3705",
    ]


def test_rules_that_find_no_fraud_are_called_hardly_better_than_none():
    figures = fraud(2, 83, 0, 3715)
    assert figures.is_hardly_better
    assert figures.advice == (
        "2 of 85 rows that are 'fraud' found, accuracy 97.8 %, always 'no' has 97.8 %: by "
        "accuracy these rules are hardly better than none. With every label counting alike they "
        "have 51.2 %, one answer for all 50.0 %. If a missed 'fraud' costs more than a false "
        "alarm, say so, and choose by what finds both: class_weight='balanced' or "
        "missed_positive_cost, with scoring='balanced_accuracy' (--class-weight balanced or "
        "--missed-positive-cost, with --scoring balanced_accuracy)."
    )
    assert str(figures).endswith(figures.advice)


def test_a_rare_class_that_is_mostly_missed_is_told_though_accuracy_is_good():
    figures = fraud(30, 55, 3, 3797)
    assert not figures.is_hardly_better
    assert figures.advice.startswith("'fraud' is rare and mostly missed: 30 of 85 found")
    assert "--class-weight balanced" in figures.advice


def test_rules_that_pay_for_fraud_with_false_alarms_are_not_called_useless():
    figures = fraud(68, 17, 223, 3577)
    assert figures.is_hardly_better  # by accuracy
    assert figures.advice == (
        "Always 'no' would be right more often, but would find no 'fraud': these rules find 68 of "
        "85, with 223 false answers 'fraud'."
    )


def test_rules_that_find_fraud_by_crying_it_everywhere_are_useless():
    assert "hardly better than none" in fraud(70, 15, 3000, 715).advice


def test_where_the_rare_class_is_not_the_positive_one_a_false_alarm_is_made_dear():
    figures = Figures.of(["bad", "good"], "good", [[[2, 298], [5, 695]]], 1000)
    assert figures.advice.startswith("2 of 300 rows that are 'bad' found")
    assert "If a false 'good' costs more than a missed one" in figures.advice
    assert "--covered-zero-cost" in figures.advice


@pytest.mark.parametrize("counts", [(60, 25, 10, 3705), (40, 5, 6, 49), (20, 10, 10, 60)])
def test_good_rules_need_no_advice(counts):
    assert fraud(*counts).advice == ""


def test_rows_of_one_class_cannot_judge_the_other():
    figures = fraud(0, 0, 3, 37)
    assert figures.advice == "All rows are 'no': they cannot show whether 'fraud' is found."
    assert figures.recall is None
    assert "No row is 'fraud'." in str(figures)
    assert "No row is flagged 'fraud'." in str(fraud(0, 5, 0, 37))


def test_labels_of_a_comparison_are_said_as_rules_say_them():
    figures = Figures.of(["> 2", "<= 2"], "> 2", [[[1, 2], [3, 4]]], n_rows=10)
    assert str(figures).splitlines()[:3] == [
        "Accuracy 50.0 % ± 14.4 % on 10 rows; always <= 2 has 70.0 %.",
        "Precision 25.0 %: of the 4 rows flagged > 2, 1 is.",
        "Recall 33.3 %: of the 3 rows that are > 2, 1 is found.",
    ]
    assert "is <= 2" in str(figures)


def test_three_classes_have_a_table_and_advice_without_a_positive_one():
    figures = Figures.of("abc", None, [[[50, 2, 3], [30, 1, 1], [20, 0, 3]]], 110)
    assert (figures.precision, figures.recall) == (None, None)
    assert "is 'c'          20           0           3" in str(figures)
    assert figures.advice.startswith(
        "These rules are hardly better than none: accuracy 49.1 %, always 'a' has 50.0 %. "
        "With every label counting alike they have 35.7 %, one answer for all 33.3 %."
    )
    assert "missed" not in figures.advice


def test_a_single_class_gets_no_advice():
    assert Figures.of(["a"], None, [[[7]]], 7).advice == ""


def test_a_table_of_many_classes_is_left_out_of_the_text():
    counts = np.eye(40, dtype=int)
    figures = Figures.of(range(40), None, [counts], 40)
    assert len(figures.lines()) == 1
    assert len(figures.table) == 40


def test_html_escapes_labels():
    page = Figures.of(["<b>", "no"], "<b>", [[[1, 2], [3, 4]]], 10)._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page


GOOD = fraud(2, 83, 1, 3799).to_plain()


@pytest.mark.parametrize(
    "change",
    [
        {"classes": None},
        {"classes": []},
        {"classes": [["a"], "b"]},
        {"confusions": None},
        {"confusions": []},
        {"confusions": [7]},
        {"confusions": [[[1, 2]]]},
        {"confusions": [[[1, 2, 3], [1, 2, 3]]]},
        {"confusions": [[[1, -2], [3, 4]]]},
        {"confusions": [[[1, 2.5], [3, 4]]]},
        {"confusions": [[[1, True], [3, 4]]]},
        {"confusions": [[[1, "2"], [3, 4]]]},
        {"confusions": [[[0, 0], [0, 0]]]},
        {"confusions": [[[1, 2**60], [3, 4]]]},
        {"confusions": [[[2**53, 2**53], [2**53, 4]]]},
        {"confusions": [[[1, 0], [0, 1]]] * 100_001, "n_rows": 2},
        {"n_rows": 0},
        {"n_rows": -1},
        {"n_rows": 10**9},
        {"n_rows": 1.5},
        {"n_rows": True},
        {"n_rows": None},
        {"positive": "theft"},
        {"positive": []},
        {"description": 7},
        {"description": "x" * 1001},
        {"chosen_on_the_same_rows": "yes"},
    ],
    ids=lambda change: f"{change!r:.60}",
)
def test_what_cannot_be_is_turned_down(change):
    assert Figures.from_plain(GOOD)
    with pytest.raises(ValueError, match=r"[Ff]igures|Counts|n_rows|positive"):
        Figures.from_plain(GOOD | change)


@pytest.mark.parametrize("plain", [None, [], 7, "figures", {}])
def test_what_are_no_figures_is_turned_down(plain):
    with pytest.raises(ValueError, match="Figures"):
        Figures.from_plain(plain)


@pytest.mark.parametrize(
    "boast",
    [
        {"accuracy": 1.0},
        {"accuracy": True},
        {"recall": None},
        {"recall": 1.0},
        {"majority": "fraud"},
        {"n_splits": 2},
        {"confusion": [[85, 0], [0, 3800]]},
        {"confusion": [[2, 83], [1, 3799], [0, 0]]},
        {"confusion": [[2, 83]]},
        {"unknown": 1},
    ],
    ids=str,
)
def test_figures_that_do_not_follow_from_their_counts_are_turned_down(boast):
    with pytest.raises(ValueError, match="their counts give"):
        Figures.from_plain(GOOD | boast)


def test_figures_are_computed_from_the_counts_where_nothing_else_is_there():
    kept = ("classes", "positive", "n_rows", "confusions")
    assert Figures.from_plain({name: GOOD[name] for name in kept}).to_plain() == GOOD
