"""What the page says first, in whose words, and on which rows it was counted."""

import numpy as np
import polars as pl
import pytest
from report_models import loans, searched, three_classes

from boolrules import BooleanRuleClassifier, make_report
from boolrules._support.table import read_table
from boolrules.insight.report.distribution import N_BARS, spread_of
from boolrules.insight.report.facts import FoldsFacts, HeldOutFacts
from boolrules.insight.report.headline import _of, describe_rules
from boolrules.insight.report.words import Words
from boolrules.rules import Condition

ILL = Words.of([0, 1], "disease", {"rows": "patients", 1: "ill", 0: "healthy"})
# Of 100 patients 62 are ill; 51 are flagged, 46 of them rightly.
PATIENTS = [[33, 5], [16, 46]]


def test_the_sentence_is_in_the_words_of_the_reader():
    told = describe_rules(ILL, 1, PATIENTS, are_training_rows=True)
    assert told.sentence == (
        "Flags 51 of 100 patients; 90 of 100 flagged are ill; finds 74 % of the ill."
    )
    assert told.source.startswith("Counted on the patients that the rules were learned from: too")
    (own,) = told.by_class
    assert (own.base_rate, own.flagged) == (0.62, 0.51)
    assert own.lift == pytest.approx(46 / 51 / 0.62)
    assert (told.majority, told.majority_accuracy, told.accuracy) == (1, 0.62, 0.79)


def test_labels_that_say_nothing_come_with_the_name_of_their_column():
    told = describe_rules(Words.of([0, 1], "disease", None), 1, PATIENTS, are_training_rows=True)
    assert told.sentence.endswith(
        "90 of 100 flagged have disease = 1; finds 74 % of all such rows."
    )
    assert Words.of(["no", "yes"], None, None).telling(1)[0] == "have label yes"
    assert Words.of(["benign", "malignant"], "diagnosis", None).telling(1)[0] == "are malignant"
    assert Words.of([0.0, 1.0], None, {1: "ill"}).classes == ["0", "ill"]


@pytest.mark.parametrize(
    ("confusion", "sentence"),
    [
        ([[10, 0], [2, 0]], "Flags none of the patients: always answers healthy."),
        ([[0, 10], [0, 2]], "Flags all patients; 17 of 100 flagged are ill; finds 100 % of the"),
        ([[996, 1], [1, 2]], "Flags 3 of 1,000 patients; 67 of 100 flagged are ill; finds 67 %"),
        ([[9, 0], [1999, 1]], "Flags 5 of 10,000 patients; all flagged are ill; finds under 1 %"),
    ],
)
def test_nothing_is_rounded_to_all_or_none(confusion, sentence):
    told = describe_rules(ILL, 1, confusion, are_training_rows=True)
    assert told.sentence.startswith(sentence)


@pytest.mark.parametrize("share", [0.0, 1e-9, 0.004, 0.5, 0.9999, 1 - 1e-9, 1.0])
def test_a_share_is_told_as_a_count_of_a_round_number(share):
    text = _of(share, "rows")
    assert text.startswith("all") == (share == 1)
    assert text.startswith("none") == (share == 0)


def test_rows_left_out_come_before_training_rows():
    held_out = HeldOutFacts([[20, 18], [40, 22]], [0.5, 0.34], 0.42, 0.08)
    folds = FoldsFacts("2 folds", [50, 50], [50, 50], are_separate=True, has_chosen=True)
    options = {"held_out": held_out, "folds": folds}
    told = describe_rules(ILL, 1, PATIENTS, are_training_rows=True, **options)
    assert (told.rows, told.accuracy, told.standard_error) == ("rows left out", 0.42, 0.08)
    assert "left out of learning (2 folds): a little too good, as the same folds chose" in (
        told.source
    )
    assert told.by_class[0].flagged == 0.4
    # Other rows than those of fit speak for themselves.
    told = describe_rules(ILL, 1, PATIENTS, are_training_rows=False, **options)
    assert (told.rows, told.accuracy) == ("rows given", 0.79)


def test_the_chosen_rules_are_judged_by_rows_that_did_not_choose():
    model, X, y = searched()
    facts = make_report(model, X, y, alternatives=0).facts
    chosen = facts.points[facts.chosen].headline
    assert chosen.accuracy == model.held_out_.accuracy
    assert chosen.source.endswith("what to expect on new ones of the same kind.")
    for place, point in enumerate(facts.points):
        if place != facts.chosen:
            assert point.headline.accuracy == point.held_out.mean
            assert "the same folds chose" in point.headline.source


def test_three_classes_are_told_one_by_one():
    model, X, y = three_classes()
    facts = make_report(model, X, y, cv=None, words={"rows": "wells", "low": "dry"}).facts
    headline = facts.points[0].headline
    assert facts.classes == ["high", "dry", "middle"]
    assert "of 100 wells; always " in headline.sentence or "all wells" in headline.sentence
    assert [own.label for own in headline.by_class] == [0, 1, 2]
    assert sum(own.base_rate for own in headline.by_class) == pytest.approx(1)
    assert len(facts.alternatives) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [({"maybe": "x"}, "words names 'maybe', which is neither 'rows'"), ("ill", "no dictionary")],
)
def test_words_for_what_is_not_there_are_turned_down(words, message):
    X, y = loans()
    model = BooleanRuleClassifier(max_complexity=2, positive_label="refused").fit(X, y)
    with pytest.raises(ValueError, match=message):
        make_report(model, X, y, words=words)
    with pytest.raises(ValueError, match="alternatives=-1 is below zero"):
        make_report(model, X, y, alternatives=-1)


def test_alternatives_that_cannot_be_listed_say_why():
    X, y = loans(60)
    model = BooleanRuleClassifier(3, positive_label="refused", objective="errors").fit(X, y)
    (found,) = make_report(model, X, y, cv=None).facts.alternatives
    assert "Alternatives are listed by Hamming loss" in found.sentence
    assert found.rule_sets == []
    # On other rows there is nothing to be as good as.
    assert make_report(model, X[:30], y[:30], cv=None).facts.alternatives == []


def test_overlaps_are_counted_on_the_rows_that_weigh_something():
    X, y = loans()
    weights = np.arange(len(y)) % 3
    model = BooleanRuleClassifier(6, positive_label="refused").fit(X, y, sample_weight=weights)
    (rules,) = make_report(model, X, y, sample_weight=weights, cv=None).facts.points[0].rule_sets
    assert [row[k] for k, row in enumerate(rules.overlap)] == [c.covered for c in rules.clauses]
    assert sum(rules.n_deciding) == (weights > 0).sum()


def spread(values, conditions=(), has_rows=True):
    table = read_table(pl.DataFrame({"x": values}))
    labels = np.arange(len(values)) % 2
    return spread_of(table["x"], conditions, labels, 2, has_rows=has_rows)


def test_every_row_is_in_one_bar():
    numbers = [*np.random.default_rng(0).normal(size=200).tolist(), 1e6, -1e6, np.nan]
    told = spread(numbers, [Condition("x", ">", 7.5)])
    assert np.sum(told.counts) == 202
    assert sum(told.missing) == 1
    assert len(told.edges) == N_BARS + 1
    assert told.edges[-1] == 7.5  # the cut is in the picture, and what is far out is not
    assert told.edges[0] > -10


def test_whole_numbers_of_a_short_range_have_a_bar_each():
    told = spread([0, 1, 1, 3], [Condition("x", "<=", 1)])
    assert told.edges == [-0.5, 0.5, 1.5, 2.5, 3.5]
    assert np.sum(told.counts, axis=0).tolist() == [1, 2, 0, 1]


def test_what_is_at_the_cut_has_a_bar_below_it():
    gains = [0.0] * 90 + [float(k) for k in range(100, 200)]
    told = spread(gains, [Condition("x", ">", 0)])
    assert told.edges[0] < 0
    is_below = [edge <= 1e-9 for edge in told.edges[1:]]
    assert np.sum(np.sum(told.counts, axis=0)[is_below]) == 90


@pytest.mark.parametrize("numbers", [[5, 5, 5], [np.nan, np.nan], [-1e308, 1e308, 0.5]])
def test_odd_columns_have_a_picture_too(numbers):
    told = spread(numbers)
    assert np.isfinite(told.edges).all()
    assert told.edges == sorted(set(told.edges))
    assert np.sum(told.counts) + sum(told.missing) == len(numbers)


def test_a_page_without_rows_names_no_values_but_those_of_conditions():
    homes = ["own", "rent", "rent", "Elm Street 4", None]
    named = [Condition("x", "==", "own")]
    assert spread(homes, named).values == ["own", "rent", "Elm Street 4"]
    told = spread(homes, named, has_rows=False)
    assert told.values == ["own"]
    assert np.sum(told.counts, axis=0).tolist() == [1, 3]
    assert sum(told.missing) == 1
