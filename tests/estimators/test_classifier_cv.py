"""Complexity, form and thresholds chosen by rows left out."""

import json
import os
import subprocess
import sys
import warnings

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import KFold, StratifiedKFold

from boolrules import (
    BooleanRuleClassifier,
    BooleanRuleClassifierCV,
    FeatureBinarizer,
    Model,
    make_report,
)
from boolrules.cli.choosing import what_was_chosen
from boolrules.estimators import classifier_cv, helpers, rounds
from boolrules.estimators.candidates import complexities_for


def planted(n_rows=120, noise=0.1):
    """Labels of a clause with two conditions, some of them flipped."""
    random = np.random.default_rng(0)
    X = random.integers(0, 10, (n_rows, 4))
    y = (X[:, 0] > 4) & (X[:, 1] < 7)
    return X, y ^ (random.random(n_rows) < noise)


def quick(**parameters):
    given = {"complexities": [2, 3, 4, 6], "cv": 3, "random_state": 0, "time_limit": None}
    return BooleanRuleClassifierCV(**(given | parameters))


def one_candidate(**parameters):
    """Choose a complexity, and nothing else, in one round of folds."""
    return quick(**({"forms": None, "thresholds": None, "n_repeats": 1} | parameters))


@pytest.fixture(scope="module")
def searched():
    """What was planted, found in three times three folds."""
    X, y = planted()
    return X, y, quick().fit(X, y)


def test_the_planted_complexity_is_chosen(searched):
    _, _, model = searched
    assert model.best_complexity_ == 3
    assert model.rule_set_.complexity == 3
    assert model.best_score_ == pytest.approx(0.9, abs=0.07)
    assert model.best_estimator_ is model.path_.at(3).classifier


def test_results_have_one_row_per_complexity_and_add_up():
    X, y = planted()
    model = one_candidate(cv=4).fit(X, y)
    results = model.cv_results_
    splits = np.array([results[f"split{k}_test_score"] for k in range(4)])
    assert splits.shape == (4, 4)
    np.testing.assert_allclose(results["mean_test_score"], splits.mean(axis=0))
    np.testing.assert_allclose(results["std_test_score"], splits.std(axis=0))
    np.testing.assert_allclose(results["standard_error"], splits.std(axis=0, ddof=1) / np.sqrt(4))
    assert [p["max_complexity"] for p in results["params"]] == [2, 3, 4, 6]
    best = int(np.argmax(results["mean_test_score"]))
    assert results["rank_test_score"][best] == min(results["rank_test_score"]) == 1
    assert all(results["mean_complexity"] <= [2, 3, 4, 6])


def test_who_is_clearly_behind_has_no_scores_in_later_rounds():
    """The clause has one condition too many for the form that needs a clause for each."""
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (90, 5))
    y = X[:, :3].all(axis=1)
    model = quick(complexities=[2, 4], thresholds=None, n_repeats=2).fit(X, y)
    assert model.best_params_ == {"form": "dnf", "max_complexity": 4}
    results = model.cv_results_
    first, later = results["split0_test_score"], results["split5_test_score"]
    assert np.isfinite(first).all()
    assert np.isnan(later).tolist() == [False, False, True, True]
    of_cnf = [results[f"split{s}_test_score"][3] for s in range(3)]
    assert results["mean_test_score"][3] == pytest.approx(np.mean(of_cnf))
    errors = np.std(of_cnf, ddof=1) / np.sqrt(3)
    assert results["standard_error"][3] == pytest.approx(errors)


@pytest.mark.parametrize(("n_repeats", "n_splits"), [(None, 9), (1, 3), (2, 6)])
def test_few_rows_are_divided_three_times_unless_said_otherwise(n_repeats, n_splits):
    model = one_candidate(n_repeats=n_repeats, complexities=[2]).fit(*planted())
    assert len(model.folds_) == n_splits == 3 * model.n_repeats_


def test_enough_rows_are_divided_once():
    X, y = planted(n_rows=2000)
    model = one_candidate(complexities=[2], n_repeats=None).fit(X, y)
    assert (len(model.folds_), model.n_repeats_) == (3, 1)


def test_of_many_rows_some_folds_are_enough():
    X, y = planted(n_rows=3000)
    model = one_candidate(complexities=[2], cv=5, n_repeats=None).fit(X, y)
    assert model.held_out_.n_rows == 2400
    assert model.held_out_.description == "4 of 5 stratified folds, shuffled"


def test_a_splitter_that_is_given_is_not_repeated():
    model = quick(complexities=[2], cv=StratifiedKFold(3)).fit(*planted())
    assert (len(model.folds_), model.n_repeats_) == (3, 1)


def test_scores_are_those_of_rows_left_out():
    """With labels of pure noise no score on rows left out is far above one half."""
    random = np.random.default_rng(1)
    X = random.random((100, 5))
    y = random.random(100) < 0.5
    model = one_candidate(complexities=[12], cv=5).fit(X, y)
    assert model.best_score_ < 0.7 < model.best_estimator_.score(X, y)
    assert model.held_out_.accuracy == pytest.approx(model.best_score_)


def test_form_positive_class_and_thresholds_are_chosen_when_asked():
    X, y = planted(noise=0.0)
    model = quick(
        complexities=[2, 3],
        forms=["cnf", "dnf"],
        positive_labels=[True, False],
        thresholds=[2, 10],
        n_repeats=1,
    ).fit(X, ~y)
    # The complement of the clause: one OR of two conditions in CNF, or the clause for True.
    assert set(model.best_params_) == {"form", "positive_label", "thresholds", "max_complexity"}
    assert model.best_params_["thresholds"] == 10
    assert model.best_score_ == 1.0
    assert len(model.cv_results_["params"]) == 16
    assert model.best_complexity_ == 3
    assert model.best_estimator_.form == model.best_params_["form"]


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "roc_auc", "neg_log_loss"])
def test_any_scorer_will_do(scoring):
    X, y = planted()
    model = one_candidate(scoring=scoring).fit(X, y)
    assert np.isfinite(model.best_score_)
    assert 0 < model.held_out_.accuracy < 1


@pytest.mark.parametrize("cv", [StratifiedKFold(4), KFold(3, shuffle=True, random_state=0)])
def test_any_splitter_will_do(cv):
    X, y = planted()
    assert quick(cv=cv).fit(X, y).best_complexity_ == 3


def test_folds_run_through_joblib_and_change_nothing(searched, monkeypatch):
    monkeypatch.setattr(rounds, "FEW_ROWS", 0)
    X, y, alone = searched
    with joblib.parallel_backend("threading", n_jobs=2):
        together = quick(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(
        alone.cv_results_["mean_test_score"], together.cv_results_["mean_test_score"]
    )
    assert str(alone.rule_set_) == str(together.rule_set_)


def test_a_path_that_is_learned_beside_the_proof_has_no_limit_to_speak_of(monkeypatch, recwarn):
    """Its share of the time is nobody's parameter."""

    def fit_path(*asked):
        warnings.warn("time_limit=0.46 ended the search", UserWarning, stacklevel=2)
        return original(*asked)

    original = classifier_cv.fit_path
    monkeypatch.setattr(classifier_cv, "fit_path", fit_path)
    one_candidate().fit(*planted())
    assert not recwarn


@pytest.mark.processes
@pytest.mark.parametrize("kind", ["workers", "helpers"])
def test_other_processes_choose_the_same(kind, searched, monkeypatch):
    if kind == "workers":
        monkeypatch.setattr(rounds, "FEW_ROWS", 0)
    else:
        monkeypatch.setattr(helpers, "SECONDS_TO_START", 1e-6)
    X, y, alone = searched
    together = quick(n_jobs=2).fit(X, y)
    assert together.best_params_ == alone.best_params_
    assert together.held_out_ == alone.held_out_
    assert together.model_.rule_sets == alone.model_.rule_sets
    assert together.certificate_.sentence() == alone.certificate_.sentence()
    for name, values in alone.cv_results_.items():
        np.testing.assert_array_equal(together.cv_results_[name], values)


def test_data_frames_and_text_go_through_the_folds():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    frame = pandas.DataFrame(
        {"age": random.integers(20, 70, 80), "job": random.choice(["cook", "clerk"], 80)}
    )
    risk = np.where((frame["age"] > 40) & (frame["job"] == "clerk"), "high", "low")
    model = quick(classifier=BooleanRuleClassifier(positive_label="high")).fit(frame, risk)
    assert model.best_complexity_ == 3
    assert set(model.predict(frame)) == {"high", "low"}
    assert model.explain(frame.head(1))


def test_three_classes_are_cross_validated_too():
    X, y = load_iris(return_X_y=True)
    model = quick(complexities=[0, 2, 3], n_repeats=1).fit(X, y)
    assert model.best_complexity_ == 3
    assert len(model.best_estimator_.rule_sets_) == 3
    assert model.predict_proba(X).shape == (150, 3)
    assert all(rules.calibration is not None for rules in model.model_.rule_sets)
    assert model.held_out_.positive is None


def test_the_chosen_model_is_verified_and_saved(searched, tmp_path):
    X, y, model = searched
    assert model.verify(X, y).holds
    model.save(tmp_path / "model.json")
    assert (tmp_path / "model.json").exists()


def test_too_few_rows_of_a_class_are_said():
    X = np.arange(6).reshape(-1, 1)
    y = [0, 0, 0, 0, 0, 1]
    with pytest.warns(UserWarning, match="too few rows"):
        model = quick(complexities=[2, 3]).fit(X, y)
    assert model.best_score_ == 1.0
    # No row was left out, so that there is nothing to say of such rows.
    assert model.held_out_ is model.model_.held_out is None
    assert model.rule_set_.calibration is None
    description = model.report(X, y).facts.folds.description
    assert "learned and judged on the same rows" in description


def test_a_class_of_few_rows_is_in_every_fold():
    X = np.arange(30).reshape(-1, 1)
    model = one_candidate(complexities=[2], cv=5).fit(X, X[:, 0] > 26)
    assert len(model.folds_) == 3
    assert model.held_out_.n_rows == 30
    assert model.held_out_.description == "3 stratified folds, shuffled"


def test_one_class_is_said_once():
    with pytest.warns(UserWarning, match="Every label is") as caught:
        model = quick().fit([[0], [1], [2]], ["yes"] * 3)
    assert not [w for w in caught if "too few" in str(w.message)]
    assert model.predict([[5]]).tolist() == ["yes"]
    assert model.held_out_ is None


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"complexities": []}, "empty"),
        ({"forms": []}, "empty"),
        (
            {"thresholds": [2], "classifier": BooleanRuleClassifier(binarizer=None)},
            "needs a binarizer",
        ),
        ({"choice": "worst"}, "choice"),
        ({"choice": "smoothed"}, "choice"),
        ({"proves": "nothing"}, "proves"),
    ],
)
def test_bad_parameters_are_named(parameters, words):
    X, y = planted()
    with pytest.raises(ValueError, match=words):
        quick(**parameters).fit(X, y)


def test_before_fit_there_are_no_rules():
    with pytest.raises(AttributeError, match="not fitted"):
        _ = quick().rule_set_


def test_a_binarizer_of_ones_own_keeps_its_settings():
    X, y = planted()
    own = BooleanRuleClassifier(binarizer=FeatureBinarizer(negations=False))
    model = quick(classifier=own, thresholds=[3], n_repeats=1).fit(X, y)
    assert model.best_estimator_.binarizer.negations is False
    assert model.best_estimator_.binarizer.thresholds == 3
    assert clone(model).classifier.binarizer.thresholds == own.binarizer.thresholds


@pytest.mark.parametrize("as_given", [tuple, list, np.array])
def test_thresholds_may_come_as_any_sequence(as_given):
    X, y = planted(n_rows=60)
    model = quick(complexities=[2], forms=None, thresholds=as_given([3, 5]), n_repeats=1)
    assert model.fit(X, y).best_params_["thresholds"] in (3, 5)


def test_every_threshold_may_be_among_those_to_choose_from():
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 2))
    y = np.abs(X[:, 0] - 0.613) <= 0.04  # between two deciles
    model = quick(complexities=[3], forms=None, thresholds=(10, "all"), n_repeats=1, choice="best")
    model.fit(X, y)
    assert [p["thresholds"] for p in model.cv_results_["params"]] == [10, "all"]
    assert model.best_params_["thresholds"] == "all"
    assert model.best_estimator_.certificate_.thresholds == "all"
    assert what_was_chosen(model).startswith("complexity at most 3, every threshold; by accuracy")


def test_every_threshold_is_left_out_where_it_is_no_other_than_deciles():
    X, y = planted()
    model = quick(complexities=[2], forms=None, thresholds=("all", 3, 10), n_repeats=1)
    assert [p["thresholds"] for p in model.fit(X, y).cv_results_["params"]] == ["all", 3]


def test_a_binarizer_with_thresholds_of_its_own_keeps_them():
    X, y = planted(n_rows=60)
    own = BooleanRuleClassifier(binarizer=FeatureBinarizer(thresholds=4))
    model = quick(classifier=own, complexities=[2], n_repeats=1).fit(X, y)
    assert "thresholds" not in model.best_params_
    assert model.best_estimator_.binarizer.thresholds == 4


def test_given_clauses_keep_their_form_and_leave_no_choice_of_no_rules():
    X, y = planted(n_rows=60)
    own = BooleanRuleClassifier(constraints={"given_clauses": ["x3 > 8"]})
    model = BooleanRuleClassifierCV(own, cv=3, n_repeats=1, time_limit=None).fit(X, y)
    assert "form" not in model.best_params_
    assert min(p["max_complexity"] for p in model.cv_results_["params"]) > 0
    assert "x3 > 8" in str(model.rule_set_)


@pytest.mark.parametrize(
    ("demands", "least"),
    [
        ({"given_clauses": ["x3 > 8 AND x0 > 2"]}, 3),
        ({"required": ["x0", "x1"]}, 3),
        ({"given_clauses": ["x3 > 8"] * 30, "required": ["x0"]}, 62),
    ],
)
def test_complexities_begin_at_what_is_demanded(demands, least):
    X, y = planted(n_rows=60)
    limits = complexities_for(BooleanRuleClassifier(constraints=demands), X, y)
    assert limits[0] == least


@pytest.mark.parametrize(("n_rows", "most"), [(60, 10), (300, 20), (540, 36), (2500, 45)])
def test_more_rows_allow_more_complexity(n_rows, most):
    X = np.zeros((n_rows, 1))
    limits = complexities_for(BooleanRuleClassifier(), X, X[:, 0])
    assert limits[:2] == [0, 2]
    assert limits[-1] == most


# No rules


@pytest.fixture(scope="module", params=[("dnf", 0.25), ("cnf", 0.75), (None, 0.25), (None, 0.75)])
def no_rules(request):
    """Labels that have nothing to do with the columns, mostly of one class."""
    form, share = request.param
    random = np.random.default_rng(3)
    X, y = random.normal(size=(60, 2)), random.random(60) < share
    forms = ("dnf", "cnf") if form is None else [form]
    model = quick(complexities=[0, 2, 3, 5], forms=forms, n_repeats=1)
    return X, y, model.fit(X, y)


def test_where_nothing_helps_there_are_no_rules(no_rules, tmp_path):
    X, y, model = no_rules
    majority = y.mean() > 0.5
    assert model.best_complexity_ == 0
    assert model.rule_set_.n_clauses == 0
    assert (model.predict(X) == majority).all()
    certificate = model.certificate_
    assert certificate.is_optimal
    assert certificate.hamming_loss == certificate.lower_bound == (y != majority).sum()
    assert certificate.problem.max_complexity == 0
    assert "optimal" in certificate.sentence()
    assert model.verify(X, y).holds
    model.save(tmp_path / "model.json")
    loaded = Model.load(tmp_path / "model.json")
    assert loaded.certificates[0].sentence() == certificate.sentence()
    assert loaded.verify(X, y).holds
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    p = model.predict_proba(X)[:, 1]
    assert np.ptp(p) == 0
    assert p[0] == pytest.approx(y.mean(), abs=0.05)


def test_the_report_of_no_rules_shows_them_first(no_rules):
    X, y, model = no_rules
    facts = model.report(X, y).facts
    assert facts.points[facts.chosen].max_complexity == 0
    assert len(facts.points) == len(model.path_)
    for source in (model.best_estimator_, model.model_):
        assert make_report(source, X, y, cv=2).facts.points[0].complexity == 0


def test_no_rules_are_explained(no_rules):
    X, _, model = no_rules
    assert model.explain(X[:1])
    assert model.held_out_.accuracy == pytest.approx(model.held_out_.majority_accuracy, abs=0.1)


# Certificates and time


@pytest.mark.parametrize("proves", ["chosen", "path"])
def test_the_chosen_rules_are_proved_as_a_fit_on_its_own_proves_them(proves):
    X, y = planted()
    model = quick(proves=proves, n_repeats=1).fit(X, y)
    alone = BooleanRuleClassifier(
        **{name: v for name, v in model.best_params_.items() if name != "thresholds"},
        binarizer=model.best_estimator_.binarizer,
        time_limit=None,
    ).fit(X, y)
    assert alone.certificate_.is_optimal
    assert model.certificate_.is_optimal
    assert model.certificate_.hamming_loss == alone.certificate_.hamming_loss
    assert model.verify(X, y).holds
    losses = [point.hamming_loss for point in model.path_]
    assert losses == sorted(losses, reverse=True)
    others = [point for point in model.path_ if point.classifier is not model.best_estimator_]
    assert all(point.is_optimal == (proves == "path") for point in others)


@pytest.mark.parametrize("time_limit", [1e-9, 0.05])
def test_however_short_the_time_there_are_rules(time_limit):
    X, y = load_breast_cancer(return_X_y=True)
    model = quick(complexities=[2, 3, 5], time_limit=time_limit).fit(X[:, :8], y)
    assert model.rule_set_.n_clauses
    assert model.n_repeats_ == len(model.folds_) // 3 >= 1
    losses = [point.hamming_loss for point in model.path_]
    assert losses == sorted(losses, reverse=True)


def test_an_interrupt_leaves_a_choice_from_the_folds_that_are_done(monkeypatch):
    X, y = planted()
    original, calls = rounds.judge_split, []

    def interrupted(*arguments):
        calls.append(1)
        return original(*arguments) if len(calls) <= 2 else None

    monkeypatch.setattr(rounds, "judge_split", interrupted)
    model = quick(cv=5).fit(X, y)
    assert len(calls) == 3
    assert model.is_interrupted_
    assert "split1_test_score" in model.cv_results_
    assert "split2_test_score" not in model.cv_results_
    assert model.rule_set_
    # Two splits cannot choose for each other.
    assert model.held_out_.is_chosen_on
    expected = "the first 2 splits, for the search was interrupted"
    assert model.splits_ == expected
    assert model.held_out_.description == "2 of 5 stratified folds, shuffled"
    assert model.report(X, y).facts.folds.description == expected


def test_an_interrupt_before_any_fold_is_done_ends_it(monkeypatch):
    X, y = planted()
    monkeypatch.setattr(rounds, "judge_split", lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        quick().fit(X, y)


# The first run compiles

RUN = """
import json
import numpy as np
from boolrules import BooleanRuleClassifierCV

random = np.random.default_rng(0)
X = random.integers(0, 4, (40, 2))
y = (X[:, 0] > 1) ^ (random.random(40) < 0.1)
model = BooleanRuleClassifierCV(complexities=[0, 2, 3], cv=2, n_repeats=1, random_state=0,
                                time_limit=5).fit(X, y)
answer = model.best_params_, str(model.rule_set_), str(model.certificate_), str(model.held_out_)
print(json.dumps(answer))
"""


@pytest.mark.processes
def test_the_first_run_answers_as_the_second_does(tmp_path):
    """What it takes to compile is not taken from the time limit."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run(
            [sys.executable, "-c", RUN],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        for _ in range(2)
    )
    assert first.stderr == second.stderr == ""
    assert json.loads(first.stdout) == json.loads(second.stdout)
    assert any(tmp_path.iterdir())


@pytest.mark.parametrize("scoring", ["f1", "recall", "average_precision", "f1_macro", "roc_auc"])
def test_scorers_know_the_positive_label_of_text(scoring):
    X, y = planted(n_rows=60)
    labels = np.where(y, "bad", "good")
    own = BooleanRuleClassifier(positive_label="bad")
    model = BooleanRuleClassifierCV(
        own, complexities=[2, 3], forms=None, thresholds=None, cv=3, n_repeats=1, scoring=scoring
    ).fit(X, labels)
    truth = BooleanRuleClassifierCV(
        complexities=[2, 3], forms=None, thresholds=None, cv=3, n_repeats=1, scoring=scoring
    )
    assert 0 < model.best_score_ <= 1
    assert truth.fit(X, y).best_score_ > 0
