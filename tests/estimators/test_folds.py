"""What folds leave behind: counts by class and answer that agree with the scores."""

import numpy as np
import pytest

from boolrules import BooleanRuleClassifierCV
from boolrules.insight.report.held_out import make_fold


def make_rows(n_rows=60, n_classes=2, seed=0):
    random = np.random.default_rng(seed)
    X = random.integers(0, 9, (n_rows, 3))
    noise = random.random(n_rows) < 0.15
    return X, np.where(noise, random.integers(0, n_classes, n_rows), X[:, 0] * n_classes // 9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_counts_agree_with_the_scores(n_classes):
    X, y = make_rows(n_classes=n_classes)
    model = BooleanRuleClassifierCV(complexities=[2, 4], cv=3, random_state=0, time_limit=None)
    model.fit(X, y)
    assert len(model.folds_) == 9
    for split, fold in enumerate(model.folds_):
        right = np.trace(fold.confusion, axis1=1, axis2=2)
        scores = model.cv_results_[f"split{split}_test_score"]
        np.testing.assert_allclose(right / fold.n_left_out, scores)
        assert fold.is_separate
        assert fold.n_learned + fold.n_left_out == len(y)


def test_every_row_is_left_out_once_per_repeat():
    X, y = make_rows()
    model = BooleanRuleClassifierCV(
        complexities=[2], cv=4, n_repeats=1, random_state=0, time_limit=None
    ).fit(X, y)
    counts = sum(fold.confusion[0] for fold in model.folds_)
    np.testing.assert_array_equal(counts.sum(axis=1), np.bincount(y))


def test_the_counts_are_those_of_the_form_that_was_chosen():
    X, y = make_rows()
    model = BooleanRuleClassifierCV(
        complexities=[3], cv=3, forms=["dnf", "cnf"], random_state=0, time_limit=None
    ).fit(X, y)
    right = [np.trace(fold.confusion[0]) / fold.n_left_out for fold in model.folds_]
    assert np.mean(right) == pytest.approx(model.best_score_)


def test_parts_that_share_rows_are_not_separate():
    empty = np.zeros((1, 2, 2), dtype=np.int64)
    assert make_fold((np.array([0, 1]), np.array([2])), empty).is_separate
    assert not make_fold((np.array([0, 1]), np.array([1, 2])), empty).is_separate


def test_folds_learn_with_the_weights_of_their_rows():
    X = np.repeat([[0], [1]], 30, axis=0)
    y = np.tile([0, 0, 1], 20)
    weights = np.where(X[:, 0] == y, 1.0, 0.01)
    model = BooleanRuleClassifierCV(
        complexities=[2], cv=3, n_repeats=1, random_state=0, time_limit=None
    )
    unweighted = sum(fold.confusion[0] for fold in model.fit(X, y).folds_)
    weighted = sum(fold.confusion[0] for fold in model.fit(X, y, weights).folds_)
    assert unweighted.tolist() == [[40, 0], [20, 0]]
    assert weighted.tolist() == [[20, 20], [10, 10]]
