"""What folds leave behind: counts by class and answer that agree with the scores."""

import numpy as np
import pytest
from sklearn.model_selection import RepeatedStratifiedKFold

from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV
from boolrules.estimators import folds
from boolrules.estimators.folds import judge_split, make_rounds
from boolrules.insight.report.held_out import make_fold


def make_rows(n_rows=60, n_classes=2, seed=0):
    random = np.random.default_rng(seed)
    X = random.integers(0, 9, (n_rows, 3))
    noise = random.random(n_rows) < 0.15
    return X, np.where(noise, random.integers(0, n_classes, n_rows), X[:, 0] * n_classes // 9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_counts_agree_with_the_scores(n_classes):
    X, y = make_rows(n_classes=n_classes)
    model = BooleanRuleClassifierCV(
        complexities=[2, 4], forms=None, thresholds=None, cv=3, random_state=0, time_limit=None
    ).fit(X, y)
    assert len(model.folds_) == 9
    for split, fold in enumerate(model.folds_):
        right = np.trace(fold.confusion, axis1=1, axis2=2)
        scores = model.cv_results_[f"split{split}_test_score"]
        is_judged = np.isfinite(scores)
        assert is_judged[0]
        np.testing.assert_allclose((right / fold.n_left_out)[is_judged], scores[is_judged])
        assert not right[~is_judged].any()
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
        complexities=[3], cv=3, n_repeats=1, random_state=0, time_limit=None
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


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("complexities", [[0, 2, 4], [2, 6]])
def test_the_label_of_a_row_has_no_part_in_the_rules_it_is_judged_by(form, complexities):
    X, y = make_rows()
    test = np.arange(0, 60, 4)
    split = np.setdiff1d(np.arange(60), test), test
    flipped = y.copy()
    flipped[test] = 1 - y[test]
    model = BooleanRuleClassifier(form=form, mode="fast", time_limit=None)
    ((before,),), ((after,),) = (
        judge_split([model], X, labels, None, complexities, 5, None, split)
        for labels in (y, flipped)
    )
    np.testing.assert_array_equal(before.complexities, after.complexities)
    np.testing.assert_array_equal(before.probabilities, after.probabilities)
    # The same answers, of which those are right that were wrong.
    np.testing.assert_array_equal(before.confusions, after.confusions[:, ::-1])
    np.testing.assert_allclose(before.scores, 1 - after.scores)


def test_a_scorer_sees_the_rows_that_are_left_out():
    X, y = make_rows()
    split, seen = (np.arange(40), np.arange(40, 60)), []

    def scorer(classifier, rows, labels):
        seen.append(rows)
        assert classifier.max_complexity in (2, 4)
        return float(len(labels))

    model = BooleanRuleClassifier(mode="fast", time_limit=None)
    ((judged,),) = judge_split([model], X, y, None, [2, 4], 5, scorer, split)
    assert judged.scores.tolist() == [20, 20]
    assert all((rows == X[40:]).all() for rows in seen)


def test_each_part_is_judged_by_itself():
    X, y = make_rows()
    learned, one, other = np.arange(40), np.arange(40, 52), np.arange(52, 60)
    model = BooleanRuleClassifier(mode="fast", time_limit=None)
    (both,) = judge_split([model], X, y, None, [2, 4], 5, None, (learned, one, other))
    for part, judged in zip((one, other), both, strict=True):
        ((alone,),) = judge_split([model], X, y, None, [2, 4], 5, None, (learned, part))
        np.testing.assert_array_equal(judged.answers, alone.answers)
        np.testing.assert_array_equal(judged.scores, alone.scores)


def test_what_is_odd_about_a_split_is_not_said(recwarn):
    """A fold may be of one class: learning on all rows says what is odd about them."""
    X, y = np.arange(8)[:, None], np.repeat([0, 1], 4)
    split = np.arange(4), np.arange(4, 8)
    model = BooleanRuleClassifier(mode="fast", time_limit=None)
    ((judged,),) = judge_split([model], X, y, None, [2], 5, None, split)
    assert judged.scores.tolist() == [0]
    assert not recwarn


def test_after_the_time_limit_no_model_but_the_first_is_judged():
    X, y = make_rows()
    split = np.arange(40), np.arange(40, 60)
    models = [BooleanRuleClassifier(mode="fast") for _ in range(3)]
    assert len(judge_split(models, X, y, None, [2], 5, None, split, time_limit=1e-9)) == 1
    assert len(judge_split(models, X, y, None, [2], 5, None, split, time_limit=None)) == 3


def test_rows_are_split_for_a_round_when_it_is_asked_for(monkeypatch):
    n_splits = 0

    class Counted(RepeatedStratifiedKFold):
        def split(self, X, y):
            nonlocal n_splits
            for split in super().split(X, y):
                n_splits += 1
                yield split

    monkeypatch.setattr(folds, "RepeatedStratifiedKFold", Counted)
    n_rounds, rounds = make_rounds(2, 1000, np.tile([0, 1], 20), seed=0)
    assert (n_rounds, n_splits) == (1000, 0)
    first, second = next(rounds), next(rounds)
    assert (len(first), len(second), n_splits) == (2, 2, 4)
    assert not np.array_equal(first[0][0], second[0][0])
