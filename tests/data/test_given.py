"""Clauses that must stay: the rest is optimal beside them, and that is proved."""

from dataclasses import replace

import numpy as np
import polars
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import brute_force
from boolrules import BooleanRuleClassifier, Clause, Condition, Form, Relation, complexity_path
from boolrules._support.table import read_table
from boolrules.data.given import Given
from boolrules.data.problem import Problem
from boolrules.model.model import Model
from boolrules.proof.certificate import Argument
from strategies import frames, generators, make_training_set, times


@st.composite
def tasks(draw):
    """A table, labels, weights and a classifier with one or two given clauses."""
    frame = draw(frames(24))[:, :2]
    random = draw(generators())
    y = random.random(24) < 0.5
    y[:2] = True, False
    weights = None
    if draw(st.booleans()):
        weights = random.integers(1, 4, 24).astype(float)
    form = draw(st.sampled_from(["dnf", "cnf"]))
    limits = {
        "max_complexity": draw(st.integers(4, 8)),
        "max_clauses": draw(st.sampled_from([None, 2, 3])),
        "complexity_penalty": draw(st.sampled_from([0, 0, 1])),
        "min_coverage": draw(st.sampled_from([0, 0, 3, 6])),
    }
    model = BooleanRuleClassifier(form=form, time_limit=None, **limits)
    plain = model.fit(frame, y)
    conditions = plain.conditions_
    assume(2 <= len(conditions) <= 10)
    n_clauses = draw(st.integers(1, 2))
    longest = 3 - n_clauses
    features = [
        tuple(sorted(random.choice(len(conditions), size=longest, replace=False).tolist()))
        for _ in range(n_clauses)
    ]
    features = list(dict.fromkeys(features))
    clauses = [Clause(tuple(conditions[j] for j in f)) for f in features]
    return (
        frame,
        y,
        weights,
        model.set_params(constraints={"given_clauses": clauses}),
        features,
        limits,
    )


@settings(times(1))
@given(tasks())
def test_the_rest_is_optimal_beside_what_is_given(task):
    frame, y, weights, model, features, limits = task
    model.fit(frame, y, sample_weight=weights)
    w = np.ones(len(y)) if weights is None else weights
    form = Form(model.form)
    samples = make_training_set(model.encoding_, read_table(frame), y, w, form)
    best = brute_force.optimum(samples, Problem(**limits), features)
    certificate = model.certificate_
    assert set(model.constraints["given_clauses"]) <= set(model.rule_set_.clauses)
    assert certificate.is_optimal
    assert certificate.objective == best
    assert Problem(**limits).fits(
        model.rule_set_.n_clauses, sum(len(c.conditions) for c in model.rule_set_.clauses)
    )
    assert model.verify(frame, y, sample_weight=weights).holds


@settings(times(0.3))
@given(tasks())
def test_a_saved_model_is_verified_and_a_false_claim_is_not(task):
    frame, y, weights, model, _, _ = task
    saved = model.fit(frame, y, sample_weight=weights).model_
    again = Model.from_json(saved.to_json())
    assert again.certificates[0].given == saved.certificates[0].given
    assert again.verify(frame, y, weights).holds
    plain = saved.certificates[0].to_plain()
    plain["lower_bound"] += 1
    plain["hamming_loss"] += 1
    false = type(saved.certificates[0]).from_plain(plain)
    assert not replace(saved, certificates=(false,)).verify(frame, y, weights).holds


@settings(times(0.3))
@given(tasks())
def test_a_path_keeps_what_is_given_at_every_complexity(task):
    frame, y, weights, model, features, limits = task
    parameters = model.get_params() | {"max_complexity": 8}
    least = Problem(**limits).complexity(len(features), sum(map(len, features)))
    for name in ("max_complexity", "time_limit"):
        parameters.pop(name)
    path = complexity_path(
        frame,
        y,
        complexities=range(least, least + 4),
        sample_weight=weights,
        time_limit=None,
        **parameters,
    )
    samples = make_training_set(
        path[0].classifier.encoding_,
        read_table(frame),
        y,
        np.ones(len(y)) if weights is None else weights,
        Form(model.form),
    )
    for point in path:
        problem = Problem(**(limits | {"max_complexity": point.max_complexity}))
        assert set(model.constraints["given_clauses"]) <= set(point.rule_set.clauses)
        assert point.certificate.is_optimal
        assert point.certificate.objective == brute_force.optimum(samples, problem, features)


@pytest.fixture
def people():
    random = np.random.default_rng(1)
    frame = polars.DataFrame(
        {"age": random.integers(18, 70, 80), "job": random.choice(["clerk", "cook"], 80)}
    )
    y = (frame["age"] > 50).to_numpy() | (random.random(80) < 0.1)
    return frame, y


def test_clauses_may_be_text_with_thresholds_of_their_own(people):
    frame, y = people
    model = BooleanRuleClassifier(
        max_complexity=6,
        constraints={"given_clauses": ["age <= 21 AND job == 'cook'"]},
        time_limit=None,
    ).fit(frame, y)
    clause = Clause((Condition("age", Relation.LE, 21), Condition("job", Relation.EQ, "cook")))
    assert model.rule_set_.clauses[0] == clause
    assert "with the given clauses" in str(model.certificate_)
    assert model.verify(frame, y).holds


def test_no_room_is_an_argument_of_its_own(people):
    frame, y = people
    model = BooleanRuleClassifier(
        max_complexity=3, constraints={"given_clauses": ["age <= 21"]}
    ).fit(frame, y)
    assert model.rule_set_.n_clauses == 1
    assert model.certificate_.argument is Argument.NO_ROOM
    assert model.certificate_.is_optimal
    assert model.verify(frame, y).holds


def test_nothing_is_left_where_all_positives_are_covered(people):
    frame, y = people
    model = BooleanRuleClassifier(
        max_complexity=6, constraints={"given_clauses": ["age > 0"]}
    ).fit(frame, y)
    assert model.certificate_.hamming_loss == model.certificate_.lower_bound == int((~y).sum())
    assert model.verify(frame, y).holds


def test_what_does_not_fit_is_named(people):
    frame, y = people
    model = BooleanRuleClassifier(
        max_complexity=2, constraints={"given_clauses": ["age <= 21 AND age > 19"]}
    )
    with pytest.raises(ValueError, match="complexity 3, more than max_complexity=2"):
        model.fit(frame, y)
    with pytest.raises(ValueError, match="no column 'agee'"):
        BooleanRuleClassifier(constraints={"given_clauses": ["agee <= 21"]}).fit(frame, y)
    with pytest.raises(ValueError, match="two classes"):
        BooleanRuleClassifier(constraints={"given_clauses": ["age <= 21"]}).fit(
            frame, frame["age"] % 3
        )
    with pytest.raises(ValueError, match="Begin at 3"):
        complexity_path(
            frame,
            y,
            complexities=[2, 5],
            constraints={"given_clauses": ["age <= 21 AND age > 19"]},
        )


@pytest.mark.parametrize("plain", [[], {"clauses": 1, "loss": 0}, {"clauses": [], "loss": -1}])
def test_damaged_files_are_refused(plain):
    with pytest.raises(ValueError, match="Given clauses"):
        Given.from_plain(plain)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_rows_of_given_clauses_count_towards_the_coverage_of_the_others(form):
    frame = polars.DataFrame({"x": range(8)})
    y = np.arange(8) < 4 if form == "dnf" else np.arange(8) >= 4
    model = BooleanRuleClassifier(
        4,
        form=form,
        constraints={"given_clauses": ["x <= 1" if form == "dnf" else "x > 1"]},
        min_coverage=3,
    ).fit(frame, y)
    assert model.certificate_.hamming_loss == 0
    assert model.verify(frame, y).holds


def test_what_is_required_is_there_though_given_clauses_leave_nothing_to_learn(people):
    frame, _ = people
    y = (frame["age"] > 50).to_numpy()
    model = BooleanRuleClassifier(
        7, constraints={"given_clauses": ["age > 50"], "required": ["job"]}
    ).fit(frame, y)
    assert "job" in model.rule_set_.features
    assert model.certificate_.is_optimal
    assert model.verify(frame, y).holds


def test_one_class_alone_has_nothing_to_learn_beside_what_must_stay(people):
    frame, y = people
    for demands in ({"given_clauses": ["age > 50"]}, {"required": ["job"]}):
        model = BooleanRuleClassifier(7, constraints=demands)
        with pytest.raises(ValueError, match="of one class"):
            model.fit(frame, y, sample_weight=y.astype(float))


def test_a_given_clause_keeps_to_the_limit_on_conditions(people):
    frame, y = people
    model = BooleanRuleClassifier(
        7, max_conditions=1, constraints={"given_clauses": ["age > 50 AND job == 'cook'"]}
    )
    with pytest.raises(ValueError, match="2 conditions, more than max_conditions=1"):
        model.fit(frame, y)


def test_alternatives_know_the_loss_where_given_clauses_leave_no_room(people):
    frame, y = people
    model = BooleanRuleClassifier(2, constraints={"given_clauses": ["age > 60"]}).fit(frame, y)
    found = model.alternatives(frame, y)
    assert found.best_objective == model.certificate_.hamming_loss > 0
