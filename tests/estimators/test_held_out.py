"""Figures to quote: the label of a row has no say in what it is answered by."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV
from boolrules.estimators.choice import choose_place
from boolrules.estimators.folds import JudgedPath
from boolrules.estimators.held_out import held_out_figures
from boolrules.estimators.pairs import can_choose_for_each
from boolrules.estimators.parameters import CHOICES
from boolrules.estimators.rounds import Judgements, Race

N_ROWS, CLASSES = 12, np.array([0, 1])
MODEL = BooleanRuleClassifier(2, binarizer=None).fit([[0], [1]], [0, 1]).model_


def splits(n_splits=3, shift=0):
    """Folds of twelve rows."""
    rows = np.roll(np.arange(N_ROWS), shift)
    return [(np.setdiff1d(rows, test), test) for test in np.split(rows, n_splits)]


def judged_path(n_right):
    """A path whose rules answer so many of four rows rightly, at each complexity."""
    n_right = np.array(n_right)
    confusions = np.zeros((len(n_right), 2, 2), int)
    confusions[:, 0, 0] = n_right
    confusions[:, 0, 1] = 4 - n_right
    empty = np.zeros((len(n_right), 2, 4), np.float32)
    return JudgedPath(n_right / 4, np.arange(len(n_right)), confusions, empty, None)


def judgements(*candidates, rounds=None):
    """Right answers by candidate, split and complexity.

    What is learned without two splits does on each as what is learned without that one.
    """
    rounds = rounds or [splits()]
    paths = {k: [judged_path(n_right) for n_right in own] for k, own in enumerate(candidates)}
    pairs = combinations(range(len(rounds[0])), 2) if can_choose_for_each(rounds[0]) else []
    by_pair = {(s, t): [[own[s], own[t]] for own in paths.values()] for s, t in pairs}
    return Judgements(rounds, paths, pairs=by_pair)


def figures(done, choice="best"):
    chosen = done.choose(choice, [done.paths[k] for k in done.finalists])
    return held_out_figures(done, choice, chosen, MODEL, CLASSES, "3 folds")


def test_the_honest_figure_is_lower_than_that_of_the_best():
    # Each complexity is lucky on one split and bad on the others: whichever is chosen was lucky.
    done = judgements([[4, 1, 2], [1, 4, 2], [1, 1, 3]])
    assert choose_place("best", done.scores([0])) == (0, 2)
    # For each split the others choose what is lucky on them: 2.5 right answers at least.
    assert figures(done).accuracy == pytest.approx((1 + 1 + 1) / 12)
    assert done.scores([0]).mean(axis=1).max() == pytest.approx(7 / 12)
    assert not figures(done).is_chosen_on


def test_another_candidate_may_be_chosen_for_a_split():
    done = judgements([[4], [4], [0]], [[3], [3], [2]])
    # All splits are level; without the last the first candidate wins, else the second.
    assert figures(done).confusions[2][0][0] == 0
    assert [matrix[0][0] for matrix in figures(done).confusions[:2]] == [3, 3]


def test_a_single_candidate_is_judged_as_it_is():
    done = judgements([[4], [3], [1]])
    assert [matrix[0][0] for matrix in figures(done).confusions] == [4, 3, 1]
    assert not figures(done).is_chosen_on


@pytest.mark.parametrize(
    "rounds",
    [
        [splits()[:2]],
        [[*splits()[:2], splits(shift=1)[2]]],
    ],
    ids=["two splits", "splits that share rows"],
)
def test_where_others_cannot_choose_the_figures_say_so(rounds):
    n_splits = sum(map(len, rounds))
    done = judgements([[1, 3]] * n_splits, [[1, 2]] * n_splits, rounds=rounds)
    found = figures(done)
    assert found.is_chosen_on
    assert [matrix[0][0] for matrix in found.confusions] == [3] * n_splits


def test_without_pairs_the_other_splits_choose_and_the_figures_say_so():
    done = judgements([[4], [4], [0]], [[3], [3], [2]])
    alone = figures(replace(done, pairs={}))
    assert alone.confusions == figures(done).confusions
    assert alone.is_chosen_on
    assert not figures(done).is_chosen_on
    late = figures(replace(done, pairs={}, has_time_for_pairs=False))
    assert late.description == "3 folds; too little time to choose without each of them"


def test_a_split_is_chosen_for_by_what_was_learned_without_it():
    """The other splits say that the second complexity is better, the pairs that the first is."""
    done = judgements([[1, 3]] * 3)
    pairs = {pair: [[judged_path([4, 0])] * 2] for pair in done.pairs}
    assert [m[0][0] for m in figures(done).confusions] == [3, 3, 3]
    assert [m[0][0] for m in figures(replace(done, pairs=pairs)).confusions] == [1, 1, 1]


def test_figures_are_those_of_the_first_round():
    """All rows of the first round chose who takes part in later ones, so these cannot speak."""
    rounds = [splits(), splits(shift=2)]
    done = judgements([[0, 0]] * 3, [[1, 3]] * 3 + [[3, 2]] * 3, rounds=rounds)
    assert [m[0][0] for m in figures(done).confusions] == [3, 3, 3]
    assert figures(done).n_rows == N_ROWS
    # A candidate that left after the first round may have been chosen in it.
    done = judgements([[4, 4]] * 3, [[1, 3]] * 3 + [[3, 2]] * 3, rounds=rounds)
    assert [m[0][0] for m in figures(done).confusions] == [4, 4, 4]


N_RIGHT = st.lists(
    st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=4, max_size=4),
    min_size=1,
    max_size=3,
)


@given(N_RIGHT, st.integers(0, 3), st.sampled_from(CHOICES), st.data())
def test_what_a_split_is_judged_by_does_not_depend_on_its_scores(n_right, s, choice, data):
    rounds = [[(np.setdiff1d(np.arange(16), test), test) for test in np.split(np.arange(16), 4)]]
    done = judgements(*n_right, rounds=rounds)
    before = figures(done, choice).confusions[s]
    own = [(paths, s) for paths in done.paths.values()]
    own += [(of, pair.index(s)) for pair, by in done.pairs.items() if s in pair for of in by]
    for paths, part in own:
        scores = data.draw(st.lists(st.floats(-9, 9), min_size=3, max_size=3))
        paths[part] = replace(paths[part], scores=np.array(scores))
    assert figures(done, choice).confusions[s] == before


def confusions_of_the_first(seed, is_flipped):
    """Learn from rows of chance, of which those of the first of four folds may be flipped."""
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(48, 2)), random.integers(0, 2, 48)
    cv = [(np.setdiff1d(np.arange(48), test), test) for test in np.split(np.arange(48), 4)]
    if is_flipped:
        y[:12] = 1 - y[:12]
    model = BooleanRuleClassifierCV(
        complexities=[0, 2, 3, 5, 8], thresholds=None, cv=cv, random_state=0, time_limit=None
    )
    return np.array(model.fit(X, y).held_out_.confusions[0])


@pytest.mark.parametrize("seed", range(4))
def test_labels_have_no_say_in_what_their_rows_are_answered_by(seed):
    """The same answers, of which those are right that were wrong."""
    before, after = (confusions_of_the_first(seed, flipped) for flipped in (False, True))
    assert before.tolist() == after[::-1].tolist()


def test_without_pairs_labels_have_a_say(monkeypatch):
    """Which is why there are pairs, and why figures without them say that they are too good."""
    monkeypatch.setattr(Race, "run_pairs", lambda _, done, __: done)
    before, after = (
        [confusions_of_the_first(seed, flipped).tolist() for seed in range(4)]
        for flipped in (False, True)
    )
    assert before != [matrix[::-1] for matrix in after]


@pytest.fixture(scope="module")
def searched():
    """Rules that follow noise, so that folds have something to correct."""
    random = np.random.default_rng(0)
    X = random.integers(0, 10, (90, 4))
    y = ((X[:, 0] > 4) & (X[:, 1] < 7)) ^ (random.random(90) < 0.2)
    model = BooleanRuleClassifierCV(
        complexities=[12], thresholds=None, cv=3, n_repeats=1, random_state=0, time_limit=None
    )
    return X, y, model.fit(X, y)


def test_probabilities_are_corrected_by_rows_left_out(searched):
    X, y, model = searched
    (rules,) = model.model_.rule_sets
    assert rules.calibration is not None
    alone = clone_without_calibration(model)
    p, plain = model.predict_proba(X)[:, 1], alone.predict_proba(X)[:, 1]
    np.testing.assert_allclose(p, rules.calibration(plain))
    # Rules look better on rows they were learned from: the correction draws together.
    assert rules.calibration.slope < 1
    assert p.max() - p.min() < plain.max() - plain.min()
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))
    assert model.verify(X, y).holds


def clone_without_calibration(model):
    rule_sets = tuple(replace(rules, calibration=None) for rules in model.model_.rule_sets)
    return replace(model.model_, rule_sets=rule_sets)


def test_figures_of_rows_left_out_are_kept_with_the_model(searched, tmp_path):
    X, _, model = searched
    assert model.held_out_ is model.model_.held_out
    assert model.held_out_.n_rows == len(X)
    assert model.held_out_.accuracy == pytest.approx(model.best_score_, abs=0.1)
    model.save(tmp_path / "model.json")
    loaded = type(model.model_).load(tmp_path / "model.json")
    assert loaded.held_out == model.held_out_
    assert loaded.rule_sets[0].calibration == model.model_.rule_sets[0].calibration
    np.testing.assert_allclose(loaded.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(("answers", "place"), [((0, 0, 0, 0), 0), ((0, 0, 1, 0), 1)])
def test_no_rules_are_held_to_less_only_where_they_are_one_answer(answers, place):
    """Scores of no rules that answer now this, now that, vary so widely that nothing is clear."""
    of_none = [[4, 4], [0, 4], [4, 4], [0, 4]]
    done = replace(judgements(of_none, rounds=[splits(4)]), has_no_rules=True)
    for path, answer in zip(done.paths[0], answers, strict=True):
        object.__setattr__(path, "answers", np.full((2, 3), answer))
    assert done.choose("paired", [done.paths[0]]) == (0, place)
