"""The complexity chosen by cross-validation."""

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
)
from boolrules.estimators import classifier_cv
from boolrules.estimators.choice import choose_place
from boolrules.estimators.reporting import describe_search


def planted(n_rows=120, noise=0.1):
    """Labels of a clause with two conditions, some of them flipped."""
    random = np.random.default_rng(0)
    X = random.integers(0, 10, (n_rows, 4))
    y = (X[:, 0] > 4) & (X[:, 1] < 7)
    return X, y ^ (random.random(n_rows) < noise)


def quick(**parameters):
    given = {"complexities": [2, 3, 4, 6], "cv": 3, "random_state": 0, "time_limit": None}
    return BooleanRuleClassifierCV(**(given | parameters))


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
    model = quick(n_repeats=2).fit(X, y)
    results = model.cv_results_
    splits = np.array([results[f"split{k}_test_score"] for k in range(6)])
    assert splits.shape == (6, 4)
    np.testing.assert_allclose(results["mean_test_score"], splits.mean(axis=0))
    np.testing.assert_allclose(results["standard_error"], splits.std(axis=0, ddof=1) / np.sqrt(6))
    assert [p["max_complexity"] for p in results["params"]] == [2, 3, 4, 6]
    best = int(np.argmax(results["mean_test_score"]))
    assert results["rank_test_score"][best] == min(results["rank_test_score"]) == 1
    assert all(results["mean_complexity"] <= [2, 3, 4, 6])


@pytest.mark.parametrize(("n_repeats", "n_splits"), [(None, 9), (1, 3), (2, 6)])
def test_few_rows_are_divided_three_times_unless_said_otherwise(n_repeats, n_splits):
    model = quick(n_repeats=n_repeats, complexities=[2]).fit(*planted())
    assert len(model.folds_) == n_splits == 3 * model.n_repeats_


def test_enough_rows_are_divided_once():
    X, y = planted(n_rows=2000)
    model = quick(complexities=[2]).fit(X, y)
    assert (len(model.folds_), model.n_repeats_) == (3, 1)


def test_a_splitter_that_is_given_is_not_repeated():
    model = quick(complexities=[2], cv=StratifiedKFold(3)).fit(*planted())
    assert (len(model.folds_), model.n_repeats_) == (3, 1)


def test_scores_are_those_of_rows_left_out():
    """With labels of pure noise no score on rows left out is far above one half."""
    random = np.random.default_rng(1)
    X = random.random((100, 5))
    y = random.random(100) < 0.5
    model = quick(complexities=[12], cv=5, n_repeats=1).fit(X, y)
    assert model.best_score_ < 0.7 < model.best_estimator_.score(X, y)


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
    assert model.best_estimator_.form == model.best_params_["form"]


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "roc_auc", "neg_log_loss"])
def test_any_scorer_will_do(scoring):
    X, y = planted()
    model = quick(scoring=scoring, n_repeats=1).fit(X, y)
    assert np.isfinite(model.best_score_)


@pytest.mark.parametrize("cv", [StratifiedKFold(4), KFold(3, shuffle=True, random_state=0)])
def test_any_splitter_will_do(cv):
    X, y = planted()
    assert quick(cv=cv).fit(X, y).best_complexity_ == 3


def test_folds_run_through_joblib_and_change_nothing(searched):
    X, y, alone = searched
    with joblib.parallel_backend("threading", n_jobs=2):
        together = quick(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(
        alone.cv_results_["mean_test_score"], together.cv_results_["mean_test_score"]
    )
    assert str(alone.rule_set_) == str(together.rule_set_)


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
    model = quick(complexities=[2, 3], n_repeats=1).fit(X, y)
    assert len(model.best_estimator_.rule_sets_) == 3
    assert model.predict_proba(X).shape == (150, 3)


def test_the_chosen_model_is_verified_and_saved(searched, tmp_path):
    X, y, model = searched
    assert model.verify(X, y).holds
    model.save(tmp_path / "model.json")
    assert (tmp_path / "model.json").exists()


def test_too_few_rows_of_a_class_are_said():
    X = np.arange(6).reshape(-1, 1)
    with pytest.warns(UserWarning, match="too few rows"):
        model = quick(complexities=[2, 3]).fit(X, [0, 0, 0, 0, 0, 1])
    assert model.best_score_ == 1.0


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


@pytest.mark.parametrize(
    ("choice", "place"),
    [("best", 4), ("smoothed", 2), ("one_standard_error", 1), ("paired", 2)],
)
def test_rules_of_choice(choice, place):
    mean = np.array([0.70, 0.78, 0.79, 0.79, 0.80, 0.70])
    # Two splits, 0.02 to each side of the mean, so that the standard error is 0.02 too.
    apart = np.array([0.02, 0.02, 0.03, 0.02, 0.02, 0.02])
    scores = np.array([[mean - apart, mean + apart]])
    # Smoothed: 0.72, 0.7625, 0.7875, 0.7925, …: the plateau wins, and its simplest end is taken.
    # Paired: only where the difference varies from split to split, at 2, may it be chance.
    assert choose_place(choice, scores) == (0, place)


def test_one_split_has_no_error():
    scores = np.array([[[0.7, 0.79, 0.8]]])
    assert [choose_place(c, scores)[1] for c in ("one_standard_error", "paired")] == [2, 2]


def test_the_time_limit_is_shared():
    X, y = load_breast_cancer(return_X_y=True)
    model = quick(complexities=range(2, 9), time_limit=1.0).fit(X[:, :8], y)
    assert model.best_complexity_ in range(2, 9)


def test_an_interrupt_leaves_a_choice_from_the_folds_that_are_done(monkeypatch):
    X, y = planted()
    original, calls = classifier_cv.score_fold, []

    def interrupted(*arguments):
        calls.append(1)
        return original(*arguments) if len(calls) <= 2 else None

    monkeypatch.setattr(classifier_cv, "score_fold", interrupted)
    model = quick(cv=5).fit(X, y)
    assert len(calls) == 3
    assert "split1_test_score" in model.cv_results_
    assert "split2_test_score" not in model.cv_results_
    assert model.rule_set_
    assert describe_search(model) == "the first 2 splits, for the search was interrupted"


def test_an_interrupt_before_any_fold_is_done_ends_it(monkeypatch):
    X, y = planted()
    monkeypatch.setattr(classifier_cv, "score_fold", lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        quick().fit(X, y)
