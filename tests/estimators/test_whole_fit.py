"""What was fitted does not change until the next fit succeeds: no mixture of two models."""

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from boolrules import (
    BooleanRuleClassifier,
    BooleanRuleClassifierCV,
    FeatureBinarizer,
    Model,
    RequirementsNotMetError,
    complexity_path,
)
from boolrules.estimators import classifier as classifier_module
from boolrules.estimators.whole_fit import learned_names

N = 40
X = pl.DataFrame({"a": [k % 7 for k in range(N)], "b": [("u", "v", "w")[k % 3] for k in range(N)]})
Y = np.where((X["a"].to_numpy() > 3) ^ (np.arange(N) % 9 == 0), "yes", "no")
OTHER = X.rename({"a": "q"}).with_columns(r=pl.Series(range(N)))

# Every parameter, with a value that would make other rules, other figures, or is no value at all.
CHANGES = {
    "max_complexity": 9,
    "max_conditions": 1,
    "max_clauses": 1,
    "min_coverage": 5,
    "form": "cnf",
    "positive_label": "no",
    "class_weight": "balanced",
    "missed_positive_cost": 7,
    "covered_zero_cost": 7,
    "objective": "f1",
    "requirements": "precision >= 0.99",
    "clause_cost": 3,
    "condition_cost": 3,
    "complexity_penalty": 2,
    "binarizer": None,
    "constraints": {"forbidden_features": ["a"]},
    "mode": "paper",
    "time_limit": -1,
    "search_limits": {"max_rounds": 1},
    "engine": "no such engine",
    "n_jobs": "many",
    "random_state": 7,
    "verbose": -3,
}


def make():
    return BooleanRuleClassifier(4, positive_label="yes", time_limit=None, random_state=0)


def make_cv():
    return BooleanRuleClassifierCV(
        make(), complexities=[0, 2, 3], forms=None, thresholds=None, cv=3, n_repeats=1,
        time_limit=None, random_state=0,
    )  # fmt: skip


def told(model, tmp_path):
    """All that a fitted classifier says of itself."""
    model.save(tmp_path / "model.json")
    saved = Model.load(tmp_path / "model.json")
    facts = model.report(X, Y, cv=2).facts
    return {
        "predicted": model.predict(X).tolist(),
        "probable": model.predict_proba(X).tolist(),
        "explained": list(map(str, model.explain(X))),
        "score": model.score(X, Y),
        "file": saved.to_json(),
        "verified": str(model.verify(X, Y)),
        "verified file": str(saved.verify(X, Y)),
        "sentence": str(model.certificate_),
        "parameters": facts.parameters,
        "folds": facts.folds,
    }


def test_every_parameter_is_tried():
    assert set(CHANGES) == set(BooleanRuleClassifier().get_params(deep=False))


def test_parameters_that_are_set_after_fit_are_for_the_next_one(tmp_path):
    model = make().fit(X, Y)
    before = told(model, tmp_path)
    for name, value in CHANGES.items():
        model.set_params(**{name: value})
        assert model.predict(X).tolist() == before["predicted"], name
        assert model.model_.to_json() == before["file"], name
    assert told(model, tmp_path) == before
    assert model.get_params(deep=False) == CHANGES
    assert clone(model).get_params(deep=False) == CHANGES


def test_a_nested_parameter_too_is_for_the_next_fit(tmp_path):
    model = make().set_params(binarizer=FeatureBinarizer(thresholds=4)).fit(X, Y)
    before = told(model, tmp_path)
    model.set_params(binarizer__thresholds=2, binarizer__negations=False)
    assert told(model, tmp_path) == before


def test_a_search_keeps_to_what_it_was_asked_for(tmp_path):
    model = make_cv().fit(X, Y)
    before = told(model, tmp_path)
    scores = model.path_.scores(model.cv_results_)
    model.set_params(
        choice="no such choice", random_state=5, cv=-1, classifier__positive_label="no",
        classifier__engine="no such engine", scoring="no such scorer", classifier__objective="f1",
    )  # fmt: skip
    model.best_estimator_.set_params(**CHANGES)
    for point in model.path_:
        point.classifier.set_params(form="cnf", max_complexity=30, binarizer=None)
    assert told(model, tmp_path) == before
    assert model.path_.scores(model.cv_results_) == scores


def test_a_path_keeps_to_what_it_was_asked_for():
    path = complexity_path(X, Y, complexities=[2, 3], random_state=0, positive_label="yes")
    before = path.report(X, Y, cv=2).facts
    for point in path:
        point.classifier.set_params(**CHANGES)
    after = path.report(X, Y, cv=2).facts
    assert (after.parameters, after.folds) == (before.parameters, before.folds)


def test_a_binarizer_keeps_to_what_it_was_asked_for():
    binarizer = FeatureBinarizer().fit(X)
    before = binarizer.transform(X), binarizer.get_feature_names_out()
    binarizer.set_params(thresholds="nonsense", method="intervals", negations=False)
    assert np.array_equal(binarizer.transform(X), before[0])
    assert np.array_equal(binarizer.get_feature_names_out(), before[1])


def interrupt(*args, **kwargs):
    raise KeyboardInterrupt


# How a second fit goes wrong: with which parameters, rows, labels, weights.
REFUSED = {
    "a parameter that is none": ({"max_complexity": "many"}, OTHER, Y, None),
    "a parameter that allows no clause": ({"max_complexity": 1}, OTHER, Y, None),
    "a label that is missing": ({}, OTHER, [None, *Y[1:]], None),
    "labels of another length": ({}, OTHER, Y[1:], None),
    "a positive label that is not there": ({"positive_label": "maybe"}, OTHER, Y, None),
    "weights of nothing": ({}, OTHER, Y, np.zeros(N)),
    "weights that cannot be added up": ({}, OTHER, Y, np.full(N, 1e300)),
    "a class weight of nothing": ({"class_weight": {"yes": 0, "no": 1}}, OTHER, Y, None),
    "a column that is not there": ({"constraints": {"required": ["zzz"]}}, OTHER, Y, None),
    "not binary": ({"binarizer": None}, OTHER, Y, None),
    "lists": ({}, OTHER.with_columns(r=pl.lit([0])), Y, None),
    "no rows": ({}, OTHER[:0], Y[:0], None),
    "f1 of three classes": (
        {"objective": "f1"}, OTHER, np.where(OTHER["b"].to_numpy() == "u", "x", Y), None,
    ),
    "f1 with costs": ({"objective": "f1", "missed_positive_cost": 2}, OTHER, Y, None),
}  # fmt: skip


def whole(model):
    """All that was learned, by its identity: nothing was made anew."""
    return {name: getattr(model, name) for name in learned_names(model)}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_refit_leaves_the_classifier_whole(case, tmp_path):
    parameters, table, labels, weights = REFUSED[case]
    model = make().fit(X, Y)
    before, learned = told(model, tmp_path), whole(model)
    with pytest.raises((ValueError, TypeError)):
        model.set_params(**parameters).fit(table, labels, weights)
    assert all(one is learned[name] for name, one in whole(model).items())
    assert whole(model).keys() == learned.keys()
    assert told(model, tmp_path) == before


def test_requirements_that_are_not_met_leave_the_classifier_whole(tmp_path):
    model = make().fit(X, Y)
    before = told(model, tmp_path)
    with pytest.raises(RequirementsNotMetError):
        model.set_params(requirements=["precision >= 1", "recall >= 1"]).fit(OTHER, Y)
    assert told(model, tmp_path) == before


def test_an_interrupt_leaves_the_classifier_whole(tmp_path, monkeypatch):
    model = make().fit(X, Y)
    before = told(model, tmp_path)
    monkeypatch.setattr(classifier_module, "Model", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(OTHER, Y)
    monkeypatch.undo()
    assert told(model, tmp_path) == before


@pytest.mark.parametrize(
    "case", ["a label that is missing", "no rows", "lists", "weights of nothing"]
)
def test_a_refused_refit_leaves_a_search_whole(case, tmp_path):
    _, table, labels, weights = REFUSED[case]
    model = make_cv().fit(X, Y)
    before, learned = told(model, tmp_path), whole(model)
    with pytest.raises((ValueError, TypeError)):
        model.fit(table, labels, weights)
    assert all(one is learned[name] for name, one in whole(model).items())
    assert told(model, tmp_path) == before


def test_a_search_that_fails_after_its_folds_is_left_whole(tmp_path, monkeypatch):
    model = make_cv().fit(X, Y)
    before = told(model, tmp_path)
    monkeypatch.setattr(BooleanRuleClassifierCV, "_tell", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(OTHER, Y)
    monkeypatch.undo()
    assert told(model, tmp_path) == before


def test_a_refused_refit_leaves_a_binarizer_whole():
    binarizer = FeatureBinarizer().fit(X)
    before = binarizer.transform(X)
    for parameters, table in [
        ({"thresholds": {"zzz": [1]}}, OTHER),
        ({"thresholds": "nonsense"}, OTHER),
        ({"thresholds": 3}, OTHER.with_columns(r=pl.lit([0]))),
    ]:
        with pytest.raises((ValueError, TypeError)):
            binarizer.set_params(**parameters).fit(table)
        assert np.array_equal(binarizer.transform(X), before)


def test_a_first_fit_that_fails_leaves_nothing():
    model = make()
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X, [None, *Y[1:]])
    assert whole(model) == {}


def test_a_refit_that_succeeds_leaves_nothing_of_the_first():
    model = make().fit(X, Y)
    refitted = model.set_params(binarizer=None, positive_label=1).fit(np.eye(4), [1, 0, 1, 0])
    alone = make().set_params(binarizer=None, positive_label=1).fit(np.eye(4), [1, 0, 1, 0])
    assert whole(refitted).keys() == whole(alone).keys()
    assert refitted.model_.to_json() == alone.model_.to_json()


def test_a_random_state_goes_on_from_fit_to_fit():
    random = np.random.RandomState(0)
    model = make().set_params(random_state=random)
    before = random.get_state()[2]
    model.fit(X, Y)
    assert model.random_state is random
    assert random.get_state()[2] != before
