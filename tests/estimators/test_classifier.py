"""BooleanRuleClassifier: tables and labels of every kind in, rules and certificates out."""

import logging
import pickle
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from boolrules import (
    Argument,
    BooleanRuleClassifier,
    FeatureBinarizer,
    Form,
    Model,
    Relation,
    RuleSet,
)
from boolrules._support import table
from boolrules.data.column_encoding import NumericEncoding
from boolrules.rules.clause_statistics import numbers
from boolrules.solver.result import StopReason


def make(**parameters):
    return BooleanRuleClassifier(**({"max_complexity": 5, "time_limit": 20} | parameters))


def noisy(seed=0, n_rows=60, n_classes=2):
    """Three columns of numbers, and labels that follow them but for some noise."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 6, size=(n_rows, 3)).astype(float)
    y = (X[:, 0] > 2).astype(int) + (n_classes > 2) * (X[:, 1] > 3)
    is_noise = random.random(n_rows) < 0.15
    return X, np.where(is_noise, random.integers(0, n_classes, n_rows), y)


@pytest.fixture(scope="module")
def people():
    random = np.random.default_rng(7)
    n = 80
    age = random.integers(18, 90, n).astype(object)
    job = random.choice(["clerk", "cook", "nurse"], n).astype(object)
    y = np.where([(a > 50 and j == "clerk") for a, j in zip(age, job, strict=True)], "high", "low")
    age[::9], job[::11] = None, None
    return pd.DataFrame(
        {
            "age": pd.array(age, dtype="Int64"),
            "job": pd.Series(job, dtype="str"),
            "zone": pd.Categorical(random.choice(["north", "south", None], n)),
            "grade": pd.Categorical(random.integers(1, 4, n)),
            "member": pd.array(random.choice([True, False, None], n), dtype="boolean"),
            "pay": random.normal(size=n),
        }
    ), y


def covers(rules, X):
    """Which rows are positive, from the definitions, on an array with columns x0, x1, ..."""

    def holds(condition, row):
        value = row[int(condition.feature[1:])]
        return (
            value <= condition.value
            if condition.relation is Relation.LE
            else (value > condition.value)
        )

    held = [[[holds(c, row) for c in k.conditions] for k in rules.clauses] for row in X]
    if rules.form is Form.DNF:
        return np.array([any(map(all, clauses)) for clauses in held])
    return np.array([all(map(any, clauses)) for clauses in held])


# Two classes


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_predictions_are_what_the_rules_say(form):
    X, y = noisy()
    model = make(form=form).fit(X, y)
    assert model.rule_set_.form == form
    assert model.rule_set_.clauses
    assert (model.predict(X) == covers(model.rule_set_, X)).all()


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_the_certificates_loss_is_that_of_the_rules_on_the_table(form):
    X, y = noisy(1)
    model = make(form=form).fit(X, y)
    assert model.certificate_.hamming_loss == model.rule_set_.hamming_loss(X, y == 1)
    assert model.certificate_.complexity == model.rule_set_.complexity


def test_rules_that_separate_the_classes_are_found_and_proved_optimal():
    X = pl.DataFrame({"age": [20, 30, 40, 50, 60, 70], "job": ["cook", "clerk"] * 3})
    y = ["low", "low", "low", "high", "low", "high"]
    model = make(positive_label="high").fit(X, y)
    assert model.predict(X).tolist() == y
    assert model.certificate_.is_optimal
    assert model.certificate_.hamming_loss == 0


def test_cnf_writes_a_conjunction_as_clauses_of_one_condition():
    X = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)])
    model = make(form="cnf", max_complexity=4).fit(X, [0, 0, 0, 1])
    assert model.rule_set_.to_text() == [["x0 == 1"], ["x1 == 1"]]


@pytest.mark.parametrize(
    "labels",
    [("no", "yes"), (3, 7), (False, True), (0.0, 1.0), (-1, 1), ("b", "ä")],
    ids=repr,
)
def test_labels_come_back_with_their_type(labels):
    X = np.arange(8.0).reshape(-1, 1)
    y = np.array([labels[0]] * 4 + [labels[1]] * 4)
    model = make().fit(X, y)
    assert model.classes_.tolist() == sorted(labels)
    assert model.predict(X).dtype == y.dtype
    assert (model.predict(X) == y).all()
    assert model.rule_set_.positive == labels[1]


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(["a"] * 3 + ["b"] * 3, dtype="string"),
        pd.Series(["a"] * 3 + ["b"] * 3, dtype="category"),
        pl.Series(["a"] * 3 + ["b"] * 3),
        pl.Series(["a"] * 3 + ["b"] * 3, dtype=pl.Categorical),
        ["a"] * 3 + ["b"] * 3,
        np.array(["a"] * 3 + ["b"] * 3, dtype=object),
    ],
    ids=lambda y: type(y).__name__,
)
def test_labels_come_from_any_library(y):
    X = np.arange(6.0).reshape(-1, 1)
    assert make().fit(X, y).predict(X).tolist() == list("aaabbb")


def test_the_second_class_is_positive_unless_another_is_named():
    X, y = noisy()
    assert make().fit(X, y).rule_set_.positive == 1
    named = make(positive_label=0).fit(X, y)
    assert (named.rule_set_.positive, named.rule_set_.negative) == (0, 1)
    assert (named.predict(X) == np.where(covers(named.rule_set_, X), 0, 1)).all()
    assert (named.predict_proba(X)[:, 0] == named.rule_set_.positive_probability(X)).all()


@pytest.mark.parametrize("positive_label", ["maybe", "1", 2, True])
def test_a_positive_label_that_does_not_occur_is_turned_down(positive_label):
    X, y = noisy()
    if positive_label is True:
        y = np.where(y == 1, "yes", "no")
    with pytest.raises(ValueError, match=r"positive_label=.* is not among the labels"):
        make(positive_label=positive_label).fit(X, y)


def test_the_target_is_named_after_the_label_column():
    X, y = noisy()
    model = make().fit(X, pd.Series(y, name="risk"))
    assert "THEN risk is 1" in str(model.rule_set_)


# Limits


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("max_complexity", [2, 3, 7])
def test_complexity_is_never_above_the_limit(seed, max_complexity):
    X, y = noisy(seed)
    model = make(max_complexity=max_complexity).fit(X, y)
    assert model.rule_set_.complexity <= max_complexity
    assert model.certificate_.complexity == model.rule_set_.complexity


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_clauses_have_at_most_max_conditions(form):
    X = np.array([[a, b] for a in range(4) for b in range(4)] * 2, dtype=float)
    y = (X[:, 0] > 1) == (X[:, 1] > 1)
    assert max(len(c.conditions) for c in make(form=form).fit(X, y).rule_set_.clauses) > 1
    model = make(form=form, max_conditions=1).fit(X, y)
    assert all(len(clause.conditions) == 1 for clause in model.rule_set_.clauses)
    assert "at most 1 condition per clause" in str(model.certificate_) or (
        "at most 1 condition per clause" in str(model.certificate_)
    )


def test_clause_and_condition_costs_price_the_complexity():
    X, y = noisy()
    model = make(max_complexity=3, clause_cost=2, condition_cost=1).fit(X, y)
    lengths = [len(clause.conditions) for clause in model.rule_set_.clauses]
    assert lengths == [1]
    assert model.certificate_.complexity == 3


def test_a_complexity_penalty_that_no_clause_earns_leaves_none():
    X, y = noisy()
    model = make(complexity_penalty=100).fit(X, y)
    assert model.rule_set_.clauses == ()
    assert model.certificate_.objective == model.certificate_.hamming_loss == (y == 1).sum()


def test_more_complexity_never_raises_the_proved_bound():
    X, y = noisy(3)
    certificates = [make(max_complexity=c).fit(X, y).certificate_ for c in (2, 3, 4, 6)]
    bounds = [certificate.lower_bound for certificate in certificates]
    assert bounds == sorted(bounds, reverse=True)
    assert all(c.lower_bound <= c.hamming_loss for c in certificates)


@pytest.mark.filterwarnings("ignore:time_limit=1e-09 ended")
def test_a_tiny_time_limit_still_fits_and_claims_only_what_holds():
    X, y = noisy()
    model = make(time_limit=1e-9).fit(X, y)
    assert model.result_.stop_reason is StopReason.TIME_LIMIT
    assert model.predict(X).shape == y.shape
    assert model.verify(X, y).holds
    assert not model.certificate_.is_optimal


@pytest.mark.filterwarnings("ignore:time_limit=1e-09 ended")
def test_a_tiny_time_limit_still_fits_every_class():
    X, y = noisy(n_classes=3)
    model = make(time_limit=1e-9).fit(X, y)
    assert len(model.rule_sets_) == 3
    assert model.verify(X, y).holds


@pytest.mark.parametrize("n_classes", [2, 3])
def test_ctrl_c_leaves_a_fitted_model_with_the_best_so_far(monkeypatch, n_classes):
    @contextmanager
    def interrupting(verbose, title=""):
        yield mock.Mock(side_effect=KeyboardInterrupt)

    monkeypatch.setattr("boolrules.solver.learner.reporting", interrupting)
    X, y = noisy(n_classes=n_classes)
    model = make().fit(X, y)
    assert {r.stop_reason for r in model.results_} == {StopReason.INTERRUPTED}
    assert model.predict(X).shape == y.shape
    assert any(rules.clauses for rules in model.rule_sets_)
    assert model.verify(X, y).holds


# Modes and limits


def test_the_fast_mode_proves_nothing_and_still_finds_rules():
    X, y = noisy()
    model = make(mode="fast").fit(X, y)
    assert model.certificate_.lower_bound is None
    assert model.rule_set_.clauses


def test_limits_on_rounds_and_nodes_give_the_same_answer_again():
    X, y = noisy()
    limits = {"time_limit": None, "search_limits": {"max_rounds": 2, "max_nodes": 1}}
    one, other = (make(**limits, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    assert one.result_.stop_reason is StopReason.ROUND_LIMIT
    assert len(one.result_.trace) == 2
    assert one.rule_set_ == other.rule_set_
    assert one.certificate_.to_plain() == other.certificate_.to_plain()


# Weights and costs


# One positive beside two zeros where x0 = 1; three zeros where x0 = 0.
X_RARE = np.array([[1.0], [1.0], [1.0], [0.0], [0.0], [0.0]])
Y_RARE = np.array([1, 0, 0, 0, 0, 0])


@pytest.mark.parametrize(
    ("parameters", "loss", "n_clauses"),
    [
        ({}, 1, 0),
        ({"class_weight": {0: 1, 1: 3}}, 2, 1),
        ({"class_weight": {1: 3}}, 2, 1),
        ({"class_weight": "balanced"}, 1.2, 1),
        ({"missed_positive_cost": 3}, 2, 1),
        ({"missed_positive_cost": 1.5}, 1.5, 0),
        ({"covered_zero_cost": 0.25}, 0.5, 1),
    ],
    ids=repr,
)
def test_weights_and_costs_decide_which_mistakes_are_made(parameters, loss, n_clauses):
    model = make(**parameters).fit(X_RARE, Y_RARE)
    assert model.certificate_.hamming_loss == pytest.approx(loss)
    assert model.certificate_.lower_bound == pytest.approx(loss, rel=1e-4)
    assert model.rule_set_.n_clauses == n_clauses
    assert model.verify(X_RARE, Y_RARE).holds


def test_sample_weights_decide_which_mistakes_are_made():
    weights = np.array([3, 1, 1, 1, 1, 1])
    model = make().fit(X_RARE, Y_RARE, sample_weight=weights)
    assert model.certificate_.hamming_loss == 2
    assert model.verify(X_RARE, Y_RARE, sample_weight=weights).holds


def test_balanced_weights_count_the_sample_weights():
    weights = np.array([5, 1, 1, 1, 1, 1])
    model = make(class_weight="balanced").fit(X_RARE, Y_RARE, sample_weight=weights)
    assert model.model_.weighing.class_weights == (1.0, 1.0)


def test_dates_are_no_labels():
    with pytest.raises(ValueError, match="y holds dates or times"):
        make().fit([[0], [1]], np.array(["2020-01-31", "2020-02-01"], dtype="datetime64[D]"))


@pytest.mark.parametrize("weight", [-1, 0, np.nan, np.inf])
def test_class_weights_are_above_zero(weight):
    with pytest.raises(ValueError, match=r"gives 1 the weight .* use finite numbers above 0"):
        make(class_weight={1: weight}).fit(X_RARE, Y_RARE)


@given(st.integers(0, 1000), st.sampled_from(["dnf", "cnf"]))
def test_integer_weights_equal_repeated_rows(seed, form):
    X, y = noisy(seed, n_rows=15)
    y[:2] = 0, 1
    weights = np.random.default_rng(seed).integers(0, 3, 15)
    weights[:2] = 1
    weighted = make(form=form, max_complexity=4).fit(X, y, sample_weight=weights)
    repeated = make(form=form, max_complexity=4).fit(X.repeat(weights, 0), y.repeat(weights))
    assert weighted.conditions_ == repeated.conditions_
    assert weighted.certificate_.hamming_loss == repeated.certificate_.hamming_loss
    assert weighted.certificate_.lower_bound == repeated.certificate_.lower_bound
    rules, again = weighted.rule_set_, repeated.rule_set_
    assert rules.clauses == again.clauses
    for one, other in zip(
        [*rules.statistics, rules.undecided], [*again.statistics, again.undecided], strict=True
    ):
        assert numbers(one.by_weight) == numbers(other)
    assert rules.positive_score(X).tolist() == again.positive_score(X).tolist()
    # A row that weighs 2 is still one row.
    counted = RuleSet(rules.clauses, rules.form, rules.positive, rules.negative).with_statistics(
        X[weights > 0], y[weights > 0] == rules.positive
    )
    assert rules.positive_probability(X).tolist() == counted.positive_probability(X).tolist()


def test_rows_of_weight_zero_are_left_out():
    X, y = noisy()
    X_more = np.vstack([X, [[99.0, -5.0, np.nan]] * 20])
    y_more, weights = np.append(y, [0, 1] * 10), np.append(np.ones(60), np.zeros(20))
    model, alone = make().fit(X_more, y_more, sample_weight=weights), make().fit(X, y)
    assert model.conditions_ == alone.conditions_
    assert model.rule_set_ == alone.rule_set_
    assert model.certificate_.hamming_loss == alone.certificate_.hamming_loss


def test_a_class_whose_rows_all_weigh_nothing_is_never_predicted():
    X, y = noisy()
    model = make().fit(X, y, sample_weight=(y == 1).astype(float))
    assert set(model.predict(X)) == {1}
    assert model.certificate_.complexity == 0
    assert model.verify(X, y, sample_weight=(y == 1)).holds


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.zeros(60), "not all zero"),
        (-np.ones(60), "none negative"),
        (np.full(60, np.nan), "finite numbers"),
        (np.ones(59), r"expected \(60,\)"),
    ],
)
def test_weights_that_make_no_sense_are_turned_down(weights, message):
    X, y = noisy()
    with pytest.raises(ValueError, match=message):
        make().fit(X, y, sample_weight=weights)


@pytest.mark.parametrize(
    ("parameters", "weight"),
    [
        ({"complexity_penalty": 1e10}, 1),
        ({"missed_positive_cost": 1e20}, 1),
        ({"clause_cost": 1e10, "max_complexity": 1e11}, 1),
        ({}, 1e-300),
        ({}, 1e20),
    ],
    ids=repr,
)
def test_extreme_weights_and_prices_are_learned_with_or_turned_down(parameters, weight):
    X, y = noisy()
    weights = np.full(60, float(weight))
    try:
        model = make(**parameters).fit(X, y, sample_weight=weights)
    except ValueError:
        return
    assert model.verify(X, y, sample_weight=weights).holds


def test_a_run_without_a_time_limit_never_stops_at_one():
    X, y = noisy()
    model = make(missed_positive_cost=1e8, time_limit=None).fit(X, y)
    assert model.result_.stop_reason is not StopReason.TIME_LIMIT


# Probabilities


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_probabilities_are_smoothed_training_precisions(form):
    X, y = noisy(5)
    weights = np.random.default_rng(5).integers(1, 4, 60).astype(float)
    model = make(form=form, max_complexity=6).fit(X, y, sample_weight=weights)
    rules = model.rule_set_
    assert rules.clauses
    is_dnf = form == "dnf"
    decides = [covers(RuleSet((clause,), rules.form), X) == is_dnf for clause in rules.clauses]
    right = y == (1 if is_dnf else 0)

    def smoothed(rows):  # of plain rows: weights count in learning
        return (right[rows].sum() + 1) / (np.sum(rows) + 2)

    precisions = [smoothed(rows) for rows in decides]
    nobody = smoothed(~np.any(decides, axis=0))
    expected = [
        max((p for p, rows in zip(precisions, decides, strict=True) if rows[i]), default=nobody)
        for i in range(60)
    ]
    column = 1 if is_dnf else 0
    assert model.predict_proba(X)[:, column] == pytest.approx(expected)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_probabilities_sum_to_one(n_classes, form):
    X, y = noisy(n_classes=n_classes)
    probabilities = make(form=form, max_complexity=3).fit(X, y).predict_proba(X)
    assert probabilities.shape == (60, n_classes)
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(60))
    assert ((probabilities > 0) & (probabilities < 1)).all()


# More than two classes


def test_three_classes_have_a_rule_set_and_a_certificate_each():
    X, y = noisy(n_classes=3)
    model = make().fit(X, y)
    assert [rules.positive for rules in model.rule_sets_] == [0, 1, 2]
    for rules, certificate in zip(model.rule_sets_, model.certificates_, strict=True):
        assert certificate.hamming_loss == rules.hamming_loss(X, y == rules.positive)
        assert rules.complexity <= 5
    assert model.verify(X, y).holds


def test_three_classes_that_rules_separate_are_predicted():
    X = np.arange(12.0).reshape(-1, 1)
    y = np.repeat(["low", "middle", "high"], 4)
    assert (make().fit(X, y).predict(X) == y).all()


def test_the_most_precise_rule_set_that_covers_a_row_wins():
    X, y = noisy(5, n_classes=3)
    model = make().fit(X, y)
    scores = np.column_stack([rules.positive_probability(X) for rules in model.rule_sets_])
    covered = np.column_stack([covers(rules, X) for rules in model.rule_sets_])
    for i, label in enumerate(model.predict(X)):
        competing = np.flatnonzero(covered[i]) if covered[i].any() else np.arange(3)
        assert label in competing
        assert scores[i, label] == scores[i, competing].max()


def test_the_single_rule_set_of_three_classes_is_not_offered():
    X, y = noisy(n_classes=3)
    model = make().fit(X, y)
    for name in ("rule_set_", "certificate_", "result_"):
        with pytest.raises(AttributeError, match=f"3 classes; use {name[:-1]}s_ instead"):
            getattr(model, name)


def test_a_positive_label_for_three_classes_is_turned_down():
    X, y = noisy(n_classes=3)
    with pytest.raises(ValueError, match="positive_label=0 is for two classes, but there are 3"):
        make(positive_label=0).fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_explanations_agree_with_predictions(n_classes):
    X, y = noisy(n_classes=n_classes)
    model = make().fit(X, y)
    explained = model.explain(X)
    assert [explanation.prediction for explanation in explained] == model.predict(X).tolist()
    assert all(e.decided_by or e.failed for e in explained)


# Nothing to learn


def test_one_class_gives_a_constant_rule_set_and_a_warning():
    X, _ = noisy()
    with pytest.warns(UserWarning, match="Every label is 'yes': the rule set is constant"):
        model = make().fit(X, ["yes"] * 60)
    assert model.rule_set_.clauses == ()
    assert model.rule_set_.complexity == model.certificate_.complexity == 0
    assert (model.certificate_.hamming_loss, model.certificate_.lower_bound) == (0, 0)
    assert model.result_.stop_reason is StopReason.ONE_CLASS
    assert set(model.predict(X)) == {"yes"}
    assert model.predict_proba(X).tolist() == [[1.0]] * 60
    assert str(model.rule_set_).startswith("ALWAYS 'yes'")
    assert model.verify(X, ["yes"] * 60).holds


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_constant_features_give_a_rule_set_without_clauses(form):
    X, y = np.ones((7, 2)), np.array([1, 1, 1, 0, 0, 0, 0])
    model = make(form=form).fit(X, y)
    assert model.conditions_ == ()
    assert model.rule_set_.clauses == ()
    assert model.result_.stop_reason is StopReason.NO_CONDITIONS
    assert model.certificate_.hamming_loss == (3 if form == "dnf" else 4)
    assert model.certificate_.is_optimal
    assert model.verify(X, y).holds


# Tables


def test_text_categories_and_missing_values_are_learned_from(people):
    X, y = people
    model = make(positive_label="high").fit(X, y)
    assert model.verify(X, y).holds
    assert model.score(X, y) > 0.9
    assert any(c.feature == "job" for clause in model.rule_set_.clauses for c in clause.conditions)


def test_pandas_and_polars_copies_give_the_same_rules(people):
    X, y = people
    copied = pl.DataFrame(
        {
            name: [None if pd.isna(value) else value for value in X[name].astype(object)]
            for name in X
            if name != "grade"
        }
    )
    left, right = make().fit(X.drop(columns="grade"), y), make().fit(copied, y)
    assert left.rule_set_ == right.rule_set_
    assert (left.predict(copied) == right.predict(X.drop(columns="grade"))).all()


def test_a_row_with_nothing_but_missing_values_is_predicted(people):
    X, y = people
    model = make(positive_label="high").fit(X, y)
    empty = pl.DataFrame({name: [None] for name in X})
    assert model.predict(empty)[0] in ("high", "low")


def test_an_array_is_read_by_position_where_fit_had_names():
    X, y = noisy()
    model = make().fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        predicted = model.predict(X)
    assert (predicted == model.predict(pd.DataFrame(X, columns=["a", "b", "c"]))).all()


def test_a_frame_without_text_names_and_an_array_are_the_same_table():
    X, y = noisy()
    assert (make().fit(X, y).predict(pd.DataFrame(X)) == make().fit(X, y).predict(X)).all()
    assert (make().fit(pd.DataFrame(X), y).predict(X) == make().fit(X, y).predict(X)).all()


def test_a_frame_is_read_by_position_where_fit_had_an_array():
    X, y = noisy()
    model = make().fit(X, y)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        predicted = model.predict(pd.DataFrame(X, columns=["a", "b", "c"]))
    assert (predicted == model.predict(X)).all()


def test_a_table_of_zeros_and_ones_is_taken_as_it_is():
    X = pl.DataFrame({"old": [0, 0, 1, 1], "clerk": [False, True, False, True]})
    model = make(binarizer=None).fit(X, [0, 0, 0, 1])
    assert [str(c) for c in model.conditions_] == ["old == 1", "clerk == 1"]
    assert model.rule_set_.to_text() == [["old == 1", "clerk == 1"]]
    assert model.predict(X).tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize(
    "X",
    [
        np.array([[0.0], [2.0]]),
        np.array([[0.5], [1.0]]),
        np.array([[np.nan], [1.0]]),
        np.array([["0"], ["1"]]),
    ],
)
def test_a_table_of_other_values_is_turned_down_without_a_binarizer(X):
    with pytest.raises(ValueError, match=r"binarizer=None takes a table of zeros and ones.*'x0'"):
        make(binarizer=None).fit(X, [0, 1])


def test_a_binarizer_of_ones_own_is_cloned_and_used():
    X, y = noisy()
    mine = FeatureBinarizer(thresholds=2, negations=False)
    model = make(binarizer=mine).fit(X, y)
    assert not hasattr(mine, "conditions_")
    assert {c.relation for c in model.conditions_} == {Relation.LE}
    assert len(model.conditions_) == 3


# scikit-learn


def test_a_pipeline_with_the_binarizer_has_the_same_bound():
    X, y = noisy()
    pipeline = make_pipeline(FeatureBinarizer(), make(binarizer=None)).fit(X, y)
    direct = make().fit(X, y)
    assert pipeline[-1].certificate_.lower_bound == direct.certificate_.lower_bound
    assert pipeline.score(X, y) > 0.7


def test_grid_search_chooses_a_complexity():
    X, y = noisy()
    search = GridSearchCV(make(), {"max_complexity": [2, 4], "form": ["dnf", "cnf"]}, cv=3)
    search.fit(X, y)
    assert search.best_params_["max_complexity"] in (2, 4)
    assert search.best_estimator_.rule_set_.complexity <= search.best_params_["max_complexity"]


def test_cross_validation_works_on_frames_with_text(people):
    X, y = people
    scores = cross_val_score(make(positive_label="high"), X, y, cv=3)
    assert scores.min() > 0.5


def test_a_clone_has_the_same_parameters_and_learns_the_same():
    X, y = noisy()
    model = make(form="cnf", class_weight={0: 2, 1: 1}, binarizer=FeatureBinarizer(thresholds=3))
    twin = clone(model)
    assert twin.fit(X, y).rule_set_ == model.fit(X, y).rule_set_


def test_a_pickle_predicts_and_verifies_alike(people):
    X, y = people
    model = make().fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert again.rule_set_ == model.rule_set_
    assert (again.predict(X) == model.predict(X)).all()
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert again.verify(X, y).holds


def test_fit_changes_no_parameter():
    X, y = noisy()
    model = make(class_weight="balanced", binarizer=FeatureBinarizer(special_values=[0]))
    before = repr(model.get_params())
    model.fit(X, y)
    assert repr(model.get_params()) == before


# Determinism


@pytest.mark.parametrize("n_classes", [2, 3])
def test_equal_seeds_give_equal_rules(n_classes):
    X, y = noisy(n_classes=n_classes)
    first, second = (make(random_state=3).fit(X, y) for _ in range(2))
    assert first.rule_sets_ == second.rule_sets_
    assert [r.n_columns for t in first.results_ for r in t.trace] == [
        r.n_columns for t in second.results_ for r in t.trace
    ]


def test_the_order_of_the_rows_does_not_matter():
    X, y = noisy()
    order = np.random.default_rng(0).permutation(60)
    assert make().fit(X[order], y[order]).rule_set_ == make().fit(X, y).rule_set_


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_number_of_jobs_does_not_matter(n_classes):
    X, y = noisy(n_rows=40, n_classes=n_classes)
    alone = make(random_state=0, n_jobs=1).fit(X, y)
    together = make(random_state=0, n_jobs=2).fit(X, y)
    assert alone.rule_sets_ == together.rule_sets_
    assert [c.lower_bound for c in alone.certificates_] == [
        c.lower_bound for c in together.certificates_
    ]


@pytest.mark.parametrize("seed", range(3))
def test_our_search_and_the_integer_program_prove_the_same_bound(seed):
    random = np.random.default_rng(seed)
    X, y = random.integers(0, 4, size=(24, 3)), random.integers(0, 2, 24)
    ours = make(max_complexity=4).fit(X, y).certificate_
    theirs = make(max_complexity=4, mode="paper").fit(X, y).certificate_
    assert ours.argument in (Argument.EXACT_SEARCH, Argument.ENUMERATION)
    assert theirs.argument is Argument.INTEGER_PROGRAM
    assert ours.lower_bound >= theirs.lower_bound > 0
    assert ours.duals.bound(ours.problem) == pytest.approx(
        theirs.duals.bound(ours.problem), abs=1e-4
    )


# Silence


@pytest.mark.processes
def test_importing_prints_nothing_and_adds_no_log_handler():
    code = "import boolrules, logging; assert not logging.getLogger('boolrules').handlers"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_fitting_prints_nothing(capfd, n_classes):
    X, y = noisy(n_classes=n_classes)
    make().fit(X, y).predict(X)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("verbose", [1, 2])
def test_progress_never_goes_to_standard_output(capfd, verbose):
    X, y = noisy()
    make(verbose=verbose).fit(X, y)
    assert capfd.readouterr().out == ""


def test_a_row_per_round_goes_to_standard_error(capsys):
    X, y = noisy()
    model = make(verbose=2).fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    assert "z_RMLP" in lines[0]
    assert len(lines) == 1 + len(model.result_.trace)


def test_rounds_are_logged_for_those_who_listen(caplog):
    X, y = noisy()
    with caplog.at_level(logging.DEBUG, logger="boolrules"):
        model = make().fit(X, y)
    assert len(caplog.records) == len(model.result_.trace)


# Verification and files


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("seed", range(3))
def test_what_fit_claims_is_verified(form, seed):
    X, y = noisy(seed)
    verification = make(form=form).fit(X, y).verify(X, y)
    assert verification.holds
    assert str(verification).endswith("Everything claimed holds.")


def test_claims_do_not_hold_on_other_labels():
    X, y = noisy()
    verification = make().fit(X, y).verify(X, 1 - y)
    assert not verification.holds
    assert "These are not the training rows" in str(verification)


def test_a_model_fitted_with_weights_is_not_verified_without_them():
    X, y = noisy()
    verification = make().fit(X, y, sample_weight=np.ones(60)).verify(X, y)
    assert not verification.holds
    assert "fitted with sample weights" in str(verification)


def test_verifying_with_labels_of_another_length_says_so():
    X, y = noisy()
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples|label per row"):
        make().fit(X, y).verify(X, y[:-1])


@pytest.mark.parametrize("labels", [(0, 1), ("no", "yes"), (False, True), (0.5, 1.5), (1, 2, 3)])
def test_a_saved_model_predicts_alike(tmp_path, labels):
    X, y = noisy(n_classes=len(labels))
    if labels == (0.5, 1.5):
        labels = (0.0, 1.0)
    y = np.array(labels)[y]
    model = make().fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = Model.load(tmp_path / "model.json")
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    assert loaded.verify(X, y).holds


# No rules at all


@pytest.mark.parametrize(("form", "answer"), [("dnf", False), ("cnf", True), ("dnf", True)])
@pytest.mark.parametrize("mode", ["prove", "paper", "fast"])
def test_a_complexity_of_0_is_no_rules_and_proved(form, answer, mode):
    """The answer is the more frequent class, whatever the form."""
    X, _ = noisy()
    y = (np.arange(len(X)) % 3 > 0) == answer
    model = make(max_complexity=0, form=form, mode=mode).fit(X, y)
    assert (model.predict(X) == answer).all()
    certificate = model.certificate_
    assert (certificate.complexity, certificate.hamming_loss) == (0, (y != answer).sum())
    assert certificate.is_optimal
    assert model.verify(X, y).holds
    assert model.explain(X[:1])


def test_no_rules_have_no_room_for_what_is_given():
    X, y = noisy()
    with pytest.raises(ValueError, match="max_complexity=0"):
        make(max_complexity=0, constraints={"given_clauses": ["x0 > 0"]}).fit(X, y)


# Bad input


@pytest.mark.parametrize("max_complexity", [1, -3, 1.5])
def test_a_limit_that_allows_no_clause_is_turned_down(max_complexity):
    X, y = noisy()
    with pytest.raises(
        ValueError, match=f"max_complexity={max_complexity} allows no clause.* or 0 for no rules"
    ):
        make(max_complexity=max_complexity).fit(X, y)


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_complexity": "15"},
        {"max_complexity": np.inf},
        {"max_conditions": 0},
        {"form": "xnf"},
        {"time_limit": 0},
        {"time_limit": -1},
        {"class_weight": "heavy"},
        {"missed_positive_cost": 0},
        {"covered_zero_cost": -1},
        {"clause_cost": -1},
        {"binarizer": "none"},
        {"mode": "guess"},
        {"search_limits": 0},
    ],
    ids=repr,
)
def test_parameters_out_of_range_are_named(parameters):
    X, y = noisy()
    with pytest.raises(ValueError, match=f"'{next(iter(parameters))}' parameter"):
        make(**parameters).fit(X, y)


def test_complexity_without_any_price_is_turned_down():
    X, y = noisy()
    with pytest.raises(ValueError, match="clause_cost and condition_cost are both 0"):
        make(clause_cost=0, condition_cost=0).fit(X, y)


@pytest.mark.parametrize(
    "use",
    [
        lambda model, X, y: model.predict(X),
        lambda model, X, y: model.predict_proba(X),
        lambda model, X, y: model.explain(X),
        lambda model, X, y: model.verify(X, y),
        lambda model, X, y: model.save("nowhere.json"),
    ],
)
def test_an_unfitted_model_says_so(use):
    X, y = noisy()
    with pytest.raises(NotFittedError, match="not fitted yet"):
        use(make(), X, y)


@pytest.mark.parametrize("name", ["rule_set_", "certificate_", "result_"])
def test_an_unfitted_model_has_no_rules(name):
    with pytest.raises(AttributeError, match="not fitted yet"):
        getattr(make(), name)


def test_columns_that_fit_did_not_see_are_named():
    X, y = noisy()
    model = make().fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time:\s*- d.*now missing:\s*- c"):
        model.predict(pd.DataFrame(X, columns=["a", "b", "d"]))


def test_an_array_with_another_number_of_columns_is_turned_down():
    X, y = noisy()
    with pytest.raises(ValueError, match=r"X has 2 features, but .* expecting 3"):
        make().fit(X, y).predict(X[:, :2])


def test_text_where_fit_had_numbers_is_turned_down():
    X = pl.DataFrame({"a": [1, 2, 3, 4]})
    model = make().fit(X, [0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"Column 'a' holds text.*type that it had in fit"):
        model.predict(pl.DataFrame({"a": ["x"]}))


def test_numbers_where_fit_had_text_are_turned_down():
    X = pl.DataFrame({"a": ["x", "x", "y", "y"]})
    model = make().fit(X, [0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"Column 'a' holds numbers.*type that it had in fit"):
        model.predict(pl.DataFrame({"a": [1]}))


def test_dates_where_fit_had_numbers_are_turned_down():
    X = pd.DataFrame({"a": [1, 2, 3, 4]})
    model = make().fit(X, [0, 0, 1, 1])
    with pytest.raises(TypeError, match="Column 'a' holds dates"):
        model.predict(pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}))


def test_numbers_where_fit_had_dates_are_turned_down():
    X = pd.DataFrame({"a": pd.to_datetime(["2020-01-01", "2020-01-02"] * 2)})
    model = make().fit(X, [0, 1, 0, 1])
    with pytest.raises(TypeError, match="Column 'a' holds no dates or times, but held them in"):
        model.predict(pd.DataFrame({"a": [1]}))


def test_rules_over_dates_predict_verify_and_are_saved(tmp_path):
    days = pd.date_range("2024-01-01 08:00", periods=60, freq="5D")
    X = pd.DataFrame({"seen": days, "age": np.arange(60) % 37})
    y = np.asarray(days.day_of_week > 4)
    model = make(max_complexity=2).fit(X, y)
    assert str(model.rule_set_).startswith("IF   seen.weekday > 5\n")
    assert model.feature_names_in_.tolist() == ["seen", "age"]
    model.save(tmp_path / "m.json")
    loaded = Model.load(tmp_path / "m.json")
    assert loaded.encoding.derived["seen.hour"] == "seen"
    assert loaded.definitions == (
        "seen.weekday is the day of the week of 'seen', 1 (Monday) to 7 (Sunday)",
    )
    for rows in (X, pl.DataFrame(X), pl.DataFrame(X).lazy()):
        assert (model.predict(rows) == y).all()
        assert (loaded.predict(rows) == y).all()
        assert loaded.verify(rows, y).holds


@pytest.mark.parametrize("y", [np.arange(40), np.linspace(0, 1, 40)])
def test_numbers_that_were_measured_are_turned_down_with_the_way_out(y):
    middle = f"{np.median(y):g}"
    with pytest.raises(ValueError, match=rf"Unknown label type.*such as y > {middle}; .*astype"):
        make().fit(np.arange(40).reshape(-1, 1), y)


@pytest.mark.parametrize(
    ("form", "told"),
    [("name {}", "101 different texts, .* y == 'name 0'"), ("${}.50", "numbers written as text")],
)
def test_more_texts_than_classes_are_turned_down_with_the_way_out(form, told):
    y = [form.format(k) for k in range(101)]
    with pytest.raises(ValueError, match=told):
        make().fit(np.arange(101).reshape(-1, 1), y)


def test_infinite_values_are_turned_down_in_fit_and_in_predict():
    X, y = noisy()
    model = make().fit(X, y)
    X = X.copy()
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match=r"Column 'x1' holds infinite values .* row 3"):
        make().fit(X, y)
    with pytest.raises(ValueError, match=r"Column 'x1' holds infinite values .* row 3"):
        model.predict(X)


@pytest.mark.parametrize("X", [pd.DataFrame({"a": []}), pl.DataFrame({"a": []}), np.empty((0, 1))])
def test_an_empty_table_is_turned_down(X):
    with pytest.raises(ValueError, match="0 sample"):
        make().fit(X, [])


def test_a_table_without_columns_is_turned_down():
    with pytest.raises(ValueError, match="0 feature"):
        make().fit(pd.DataFrame(index=range(3)), [0, 1, 0])


@pytest.mark.parametrize(
    "y",
    [
        [np.nan, 0, 0, 1],
        np.array(["a", "a", np.nan, "b"], dtype=object),
        np.array(["a", "a", None, "b"], dtype=object),
        pd.Series(["a", "a", None, "b"]),
        pd.Series([0, 0, None, 1], dtype="Int64"),
        pd.Series(pd.Categorical(["a", "a", None, "b"])),
        pl.Series(["a", "a", None, "b"]),
        pl.Series([0, 0, None, 1]),
    ],
    ids=[
        "numbers",
        "object with NaN",
        "object with None",
        "pandas str",
        "pandas Int64",
        "pandas category",
        "polars String",
        "polars Int64",
    ],
)
def test_missing_labels_are_turned_down_as_missing(y):
    with pytest.raises(ValueError, match=r"NaN|missing|null|None"):
        make().fit(np.arange(4.0).reshape(-1, 1), y)


def test_numbers_that_are_not_classes_are_turned_down():
    X, _ = noisy()
    with pytest.raises(ValueError, match="continuous"):
        make().fit(X, np.linspace(0, 1, 60))


def test_labels_of_another_length_are_turned_down():
    X, y = noisy()
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[60, 59\]"):
        make().fit(X, y[:-1])


def test_duplicated_columns_are_turned_down():
    X, y = noisy()
    with pytest.raises(ValueError, match="Duplicated column names: a"):
        make().fit(pd.DataFrame(X, columns=["a", "b", "a"]), y)


def test_the_binarizer_of_a_classifier_knows_its_columns():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [8.0, 7.0, 6.0, 5.0]})
    model = make(max_complexity=2).fit(frame, [0, 0, 1, 1])
    alone = FeatureBinarizer().fit(frame)
    assert (model.binarizer_.transform(frame) == alone.transform(frame)).all()
    assert model.binarizer_.n_features_in_ == 2
    with pytest.raises(ValueError, match="feature names"):
        model.binarizer_.transform(frame[["b", "a"]])


def test_one_class_alone_is_no_excuse_for_columns_that_are_not_binary():
    with pytest.raises(ValueError, match="takes a table of zeros and ones"):
        make(binarizer=None).fit([[5], [7]], ["a", "a"])


def test_a_model_does_not_carry_its_conditions_twice():
    X = np.random.default_rng(0).normal(size=(100, 20)).round(3)
    model = make(max_complexity=2, time_limit=5).fit(X, X[:, 0] > 0)
    again = pickle.loads(pickle.dumps(model))
    assert again.conditions_ == model.conditions_
    travelled = pickle.loads(pickle.dumps(model.encoding_)).__dict__
    assert travelled.keys() == {"features", "constraints", "derived"}


def test_a_table_is_read_once_and_its_conditions_are_built_once(monkeypatch):
    calls = Counter()

    def counted(owner, name):
        original = getattr(owner, name)

        def call(*arguments):
            calls[name] += 1
            return original(*arguments)

        monkeypatch.setattr(owner, name, call)

    X = np.random.default_rng(0).integers(0, 9, (40, 3))
    counted(table, "_read_array")
    counted(NumericEncoding, "binned_conditions")
    make(max_complexity=4).fit(X, X[:, 0] > 4)
    assert calls == {"_read_array": 3, "binned_conditions": 3}
