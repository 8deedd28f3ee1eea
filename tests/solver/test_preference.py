"""Preferred features: ties are broken in their favour, and nothing else changes."""

from dataclasses import replace
from itertools import product
from unittest import mock

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from boolrules import BooleanRuleClassifier, FeatureBinarizer, Model, complexity_path
from boolrules.data.every_threshold import EveryThreshold
from boolrules.proof.unmet import RequirementsNotMetError
from boolrules.solver import preference
from strategies import generators, times


def learn(X, y, preferred=(), **parameters):
    model = BooleanRuleClassifier(time_limit=None, **parameters)
    return model.set_params(constraints={"preferred_features": list(preferred)}).fit(X, y)


def n_others(model, preferred):
    """How many conditions read a feature that is not preferred."""
    conditions = [c for rules in model.rule_sets_ for k in rules.clauses for c in k.conditions]
    return sum(condition.feature not in preferred for condition in conditions)


def equal_exchanges(model, X, is_positive, weights, preferred):
    """Every exchange of one condition that costs nothing and leaves the clause of some use.

    And one that keeps to ``min_coverage`` and has what is required.
    """
    rules = replace(model.rule_set_, statistics=())
    should = is_positive if rules.form == "dnf" else ~is_positive
    for place, clause in enumerate(rules.clauses):
        others = rules.clauses[:place] + rules.clauses[place + 1 :]
        is_missed = ~replace(rules, clauses=others).decides(X).any(axis=1)
        for old, new in product(clause.conditions, model.conditions_):
            changed = {*clause.conditions, new} - {old}
            if old.feature in preferred or new.feature not in preferred:
                continue
            if new in clause.conditions or any(changed == {*o.conditions} for o in others):
                continue
            exchanged = replace(clause, conditions=tuple(changed))
            every = replace(rules, clauses=(*others, exchanged))
            decides = every.decides(X)[:, -1] & should
            has_required = set(model.constraints.get("required", ())) <= set(every.features)
            if decides.sum() < model.min_coverage or not has_required:
                continue
            loss = every.hamming_loss(X, is_positive, weights)
            if (decides & is_missed).any() and loss == model.certificate_.hamming_loss:
                yield f"{clause}: {old} -> {new}"


@st.composite
def tables_with_ties(draw):
    """Few rows and several columns alike: many rule sets lose the same."""
    random, n_rows = draw(generators()), draw(st.integers(4, 16))
    columns = {
        f"n{f}": random.integers(0, draw(st.integers(2, 3)), n_rows)
        for f in range(draw(st.integers(2, 5)))
    }
    twin = columns["n0"].copy()
    twin[random.random(n_rows) < draw(st.sampled_from([0.0, 0.1]))] = 0
    columns |= {"twin": twin, "color": random.choice(["red", "green", "blue"], n_rows)}
    y = random.random(n_rows) < 0.5
    y[:2] = True, False
    kinds = [[1], [1, 2, 3], [0.1, 0.25, 0.7]]
    weights = random.choice(draw(st.sampled_from(kinds)), n_rows)
    preferred = draw(st.sets(st.sampled_from(sorted(columns)), min_size=1))
    return pl.DataFrame(columns), y, weights, preferred


@times(2)
@given(
    tables_with_ties(),
    st.integers(2, 7),
    st.sampled_from(["dnf", "cnf"]),
    st.sampled_from([0, 0, 2]),
    st.sampled_from([[], [], ["n0"]]),
)
def test_loss_complexity_and_certificate_stay_and_no_exchange_is_left(
    task, C, form, min_coverage, required
):
    X, y, weights, preferred = task
    free = BooleanRuleClassifier(
        C,
        form=form,
        min_coverage=min_coverage,
        constraints={"required": required},
        time_limit=None,
    )
    try:
        free.fit(X, y, weights)
    except ValueError:  # n0 is constant
        return
    model = clone(free).set_params(
        constraints={"preferred_features": sorted(preferred), "required": required}
    )
    model.fit(X, y, weights)
    assert model.conditions_ == free.conditions_
    assert model.certificate_.hamming_loss == pytest.approx(free.certificate_.hamming_loss)
    for name in ("complexity", "lower_bound", "argument"):
        assert getattr(model.certificate_, name) == getattr(free.certificate_, name)
    assert n_others(model, preferred) <= n_others(free, preferred)
    loaded = Model.from_json(model.model_.to_json())
    assert loaded.verify(X, y, weights).holds
    assert loaded.encoding.constraints.preferred_features == tuple(sorted(preferred))
    if (weights == weights.astype(int)).all():
        assert list(equal_exchanges(model, X, y, weights, preferred)) == []


def test_without_the_preference_there_is_something_to_exchange():
    random = np.random.default_rng(0)
    n_exchanged = 0
    for _ in range(20):
        X = pl.DataFrame(random.integers(0, 2, (10, 5)), schema=list("abcde"))
        y = random.random(10) < 0.5
        y[:2] = True, False
        free, model = (learn(X, y, names, max_complexity=4) for names in ([], ["d", "e"]))
        exchanges = list(equal_exchanges(free, X, y, np.ones(10), ["d", "e"]))
        n_less = n_others(free, ["d", "e"]) - n_others(model, ["d", "e"])
        assert (n_less > 0) == bool(exchanges)
        n_exchanged += n_less
    assert n_exchanged > 5


@pytest.mark.parametrize("preferred", [["age", "job"], ["years", "work"]])
@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_twins_are_exchanged(preferred, form):
    random = np.random.default_rng(0)
    age, job = random.integers(18, 80, 60), random.choice(["clerk", "cook", "nurse"], 60)
    X = pl.DataFrame({"age": age, "job": job, "years": age, "work": job})
    y = ((age > 50) & (job == "cook")) ^ (random.random(60) < 0.1)
    model = learn(X, y, preferred, max_complexity=6, form=form)
    assert model.rule_set_.clauses
    assert n_others(model, preferred) == 0
    assert {c.clause for c in model.result_.chosen_columns} == {
        tuple(sorted(model.conditions_.index(c) for c in clause.conditions))
        for clause in model.rule_set_.clauses
    }
    assert str(model.certificate_) == str(learn(X, y, max_complexity=6, form=form).certificate_)
    assert model.verify(X, y).holds


EVERY_THRESHOLD = FeatureBinarizer(thresholds="all")


def ages(n_rows=200):
    """Return a column and its twin, and labels that follow them but for some noise."""
    random = np.random.default_rng(0)
    age = random.normal(size=n_rows).round(3)
    y = (age > 0.3) ^ (random.random(n_rows) < 0.1)
    return pl.DataFrame({"age": age, "size": random.normal(size=n_rows), "years": age}), y


def test_cuts_are_exchanged_where_every_threshold_is_on_offer(monkeypatch):
    X, y = ages()
    written = []
    original = EveryThreshold.condition
    monkeypatch.setattr(
        EveryThreshold, "condition", lambda self, j: written.append(j) or original(self, j)
    )
    for preferred, others in (("years", "age"), ("age", "years")):
        model = learn(X, y, [preferred], max_complexity=5, binarizer=EVERY_THRESHOLD)
        used = {c.feature for k in model.rule_set_.clauses for c in k.conditions}
        assert preferred in used
        assert others not in used
        assert model.verify(X, y).holds
    # Which conditions are preferred is known by their columns, without writing them all.
    assert len(written) < 200 < len(model.conditions_)


def test_where_conditions_times_rows_are_too_many_ties_stay_as_they_were():
    X, y = ages()
    parameters = {"max_complexity": 5, "binarizer": EVERY_THRESHOLD}
    free = learn(X, y, **parameters)
    (other,) = {"age", "years"} - set(free.rule_set_.features)
    with (
        mock.patch.object(preference, "MOST_BITS_OF_EXACT", 1000),
        mock.patch.object(preference, "make_engine", side_effect=AssertionError),
    ):
        model = learn(X, y, [other], **parameters)
    assert str(model.rule_set_) == str(free.rule_set_)
    assert model.certificate_.lower_bound == free.certificate_.lower_bound
    assert other in learn(X, y, [other], **parameters).rule_set_.features


def test_paths_and_several_classes_have_preferences():
    random = np.random.default_rng(1)
    a = random.integers(0, 9, 60)
    X = pl.DataFrame({"a": a, "b": a, "c": random.integers(0, 9, 60)})
    y = a // 3
    model = learn(X, y, ["b"], max_complexity=4)
    assert all("a" not in rules.features for rules in model.rule_sets_)
    path = complexity_path(
        X, y == 1, complexities=[2, 3], constraints={"preferred_features": ["b"]}
    )
    assert all("a" not in point.rule_set.features for point in path)
    assert all(point.classifier.verify(X, y == 1).holds for point in path)


@times(1)
@given(generators(), st.sampled_from(["recall >= 0.5", "precision >= 0.7", "covered <= 2"]))
def test_an_exchange_keeps_to_requirements(random, requirement):
    X = pl.DataFrame({"a": random.integers(0, 4, 16), "b": random.integers(0, 2, 16)})
    y = np.append([True, False], random.integers(0, 2, 14) == 1)
    try:
        plain = learn(X, y, max_complexity=3, requirements=requirement)
    except RequirementsNotMetError:
        return
    model = learn(X, y, ["b"], max_complexity=3, requirements=requirement)
    assert model.certificate_.hamming_loss == plain.certificate_.hamming_loss
    assert model.verify(X, y).holds
