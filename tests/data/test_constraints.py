"""Constraints on conditions: what they turn down, and proofs that hold within them."""

import copy
import json
import pickle
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

import brute_force
from boolrules import (
    BooleanRuleClassifier,
    BooleanRuleClassifierCV,
    Condition,
    Constraints,
    FeatureBinarizer,
    Model,
    Relation,
    complexity_path,
)
from boolrules._support.table import read_table
from boolrules.data.constraints import Direction
from boolrules.data.encoding import TableEncoding
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.rules.mention import Mention
from strategies import MOST_CONDITIONS, NO_RECORD, frames, generators, times

SPECIAL = -9.0


def people(n_rows=80, seed=0):
    """Labels that follow age and sex; numbers, categories, true/false, codes, missing values."""
    random = np.random.default_rng(seed)
    age = random.integers(18, 80, n_rows)
    sex = random.choice(["f", "m"], n_rows)
    X = pl.DataFrame(
        {
            "age": [None if k % 13 == 0 else int(a) for k, a in enumerate(age)],
            "sex": sex,
            "job": random.choice(["clerk", "cook", "nurse"], n_rows),
            "score": [SPECIAL if k % 7 == 0 else k % 5 + 0.5 for k in range(n_rows)],
            "member": random.random(n_rows) < 0.5,
        }
    )
    is_high = ((age > 50) & (sex == "f")) ^ (random.random(n_rows) < 0.1)
    return X, np.where(is_high, "high", "low")


X, Y = people()


def fit(constraints=None, table=X, labels=Y, **parameters):
    parameters = {
        "max_complexity": 5,
        "positive_label": "high",
        "binarizer": FeatureBinarizer(special_values=[SPECIAL], thresholds=4),
        "time_limit": 20,
    } | parameters
    return BooleanRuleClassifier(constraints=constraints, **parameters).fit(table, labels)


def texts(model):
    return [str(condition) for condition in model.conditions_]


# What is turned down


def test_forbidden_features_have_no_condition():
    model = fit({"forbidden_features": ["sex", "age"]})
    assert {c.feature for c in model.conditions_} == {"job", "score", "member"}
    assert not {"sex", "age"} & set(model.rule_set_.features)


def test_allowed_features_are_the_only_ones():
    model = fit({"allowed_features": ["job", "age"], "forbidden_features": ["age"]})
    assert {c.feature for c in model.conditions_} == {"job"}


def test_not_equal_is_left_out_and_so_is_not_in():
    model = fit({"forbid_not_equal": True})
    assert "!=" in " ".join(texts(fit()))
    assert "!=" not in " ".join(texts(model))
    assert "job == 'cook'" in texts(model)
    assert "age is not null" in texts(model)
    cut = FeatureBinarizer(method="intervals", thresholds=4)
    assert "not in" in " ".join(texts(fit(binarizer=cut)))
    assert "not in" not in " ".join(texts(fit({"forbid_not_equal": True}, binarizer=cut)))


@pytest.mark.parametrize(
    ("given", "gone"),
    [
        ("sex == 'f'", ["sex == 'f'"]),
        ("sex == f", ["sex == 'f'"]),
        ('sex=="f"', ["sex == 'f'"]),
        ("member == True", ["member == True"]),
        ("member == true", ["member == True"]),
        ("age is null", ["age is null"]),
        ("age is not null", ["age is not null"]),
        ("score == -9", ["score == -9"]),
        ("score <= 2", ["score <= 2 (not -9)"]),
        ("score <= 2 (not -9)", ["score <= 2 (not -9)"]),
        ("job !=", ["job != 'clerk'", "job != 'cook'", "job != 'nurse'"]),
        (Condition("sex", Relation.EQ, "f"), ["sex == 'f'"]),
        (Condition("score", Relation.LE, 2.0), ["score <= 2 (not -9)"]),
    ],
    ids=str,
)
def test_a_forbidden_condition_is_gone_and_nothing_else(given, gone):
    free, model = texts(fit()), texts(fit({"forbidden_conditions": [given]}))
    assert set(gone) <= set(free)
    assert model == [text for text in free if text not in gone]


def test_every_condition_can_be_forbidden_as_it_is_printed():
    binarizers = [
        FeatureBinarizer(special_values=[SPECIAL]),
        FeatureBinarizer(method="intervals", special_values=[SPECIAL]),
    ]
    for binarizer in binarizers:
        conditions = fit(binarizer=binarizer, max_complexity=2).conditions_
        for condition in conditions:
            matched = [c for c in conditions if Mention.of(str(condition)).means(c)]
            assert matched == [condition]


@pytest.mark.parametrize("relation", Relation)
def test_a_feature_and_an_operator_stand_for_every_value(relation):
    text = f"age {relation}"
    assert [Mention.of(text).means(Condition("age", r, 3.0)) for r in Relation] == [
        r is relation for r in Relation
    ]
    assert not Mention.of(text).means(Condition("ages", relation, 3.0))
    Constraints(forbidden_conditions=[text]).check(["age"])


@pytest.mark.parametrize(
    ("feature", "text"),
    [
        ("days in hospital", '"days in hospital" <= 3'),
        ("a > b", "'a > b' <= 3"),
        ("größe 'x'\n", "\"größe 'x'\\n\" <= 3"),
        ("n", "n<=3"),
        ("<=", "'<=' <= 3"),
    ],
)
def test_odd_names_are_read_in_quotes(feature, text):
    condition = Condition(feature, Relation.LE, 3.0)
    assert Mention.of(text).means(condition)
    Constraints(forbidden_conditions=[text]).check(["x", feature])
    assert not Mention.of(text).means(Condition("days", Relation.IN, (0.0, 3.0)))
    assert not Mention.of(text).means(Condition("a", Relation.GT, 3.0))


def test_an_interval_is_matched_whatever_its_blanks():
    inside = Condition("age", Relation.IN, (35.0, 60.0))
    assert Mention.of("age in (35, 60]").means(inside)
    assert Mention.of("age in(35,60]").means(inside)
    assert Mention.of("age in").means(inside)
    assert not Mention.of("age in (35, 61]").means(inside)
    assert not Mention.of("age not in (35, 60]").means(inside)


# Directions


@pytest.mark.parametrize("direction", ["increasing", 1, Direction.INCREASING])
def test_increasing_leaves_only_greater_than(direction):
    model = fit({"monotone": {"age": direction}})
    age = [text for text in texts(model) if text.startswith("age")]
    assert {text.split()[1] for text in age} == {">", "is"}
    assert model.certificate_.constraints.monotone == {"age": "increasing"}


def test_decreasing_leaves_only_at_most():
    age = [text for text in texts(fit({"monotone": {"age": -1}})) if text.startswith("age")]
    assert {text.split()[1] for text in age} == {"<=", "is"}


def test_special_codes_and_missing_values_have_no_place_in_the_order():
    kept = texts(fit({"monotone": {"score": 1, "age": 1}}))
    assert {"score == -9", "score != -9", "age is null", "age is not null"} <= set(kept)


def test_true_is_above_false():
    assert "member == False" not in texts(fit({"monotone": {"member": 1}}))
    assert "member == True" not in texts(fit({"monotone": {"member": -1}}))


def test_intervals_keep_only_what_grows():
    cut = FeatureBinarizer(method="intervals", thresholds={"age": [30, 50, 60]})
    kept = texts(fit({"monotone": {"age": 1}, "allowed_features": ["age"]}, binarizer=cut))
    assert kept == ["age > 30", "age > 60", "age is null", "age is not null"]


def test_zeros_and_ones_have_an_order():
    flags = pl.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    model = fit({"monotone": {"a": 1, "b": -1}}, flags, ["low"] * 3 + ["high"], binarizer=None)
    assert texts(model) == ["a == 1"]


def test_without_a_direction_the_same_table_is_not_monotone():
    table = pl.DataFrame({"age": [20, 30, 40, 50, 60]})
    labels = ["low", "high", "high", "low", "low"]
    free = fit(None, table, labels, binarizer="auto")
    assert free.predict(table).tolist() == labels
    bound = fit({"monotone": {"age": "decreasing"}}, table, labels, binarizer="auto")
    assert bound.predict(table).tolist() == ["high"] * 3 + ["low"] * 2
    assert bound.certificate_.is_optimal
    assert bound.certificate_.hamming_loss == 1


@st.composite
def constrained_tables(draw, *, monotone_only=False):
    """A table with few conditions, a binarizer, labels, weights, and constraints that fit."""
    n_rows = draw(st.sampled_from([30, 18, 9]))
    frame = draw(frames(n_rows))
    binarizer = FeatureBinarizer(
        thresholds=draw(st.sampled_from(["deciles", 3])),
        method=draw(st.sampled_from(["thresholds", "thresholds", "intervals"])),
        special_values=draw(st.sampled_from([None, [NO_RECORD]])),
    )
    kept, n_conditions = [], 0
    for feature in binarizer.fit(frame).encoding_.features:
        n_more = len(feature.binned_conditions())
        if n_more and n_conditions + n_more <= MOST_CONDITIONS:
            kept.append(feature)
            n_conditions += n_more
    assume(kept)
    names = [feature.name for feature in kept]
    frame = frame.select(names)
    every = TableEncoding(tuple(kept)).conditions
    directions = st.sampled_from(["increasing", "decreasing"])
    ordered = [name for name in names if frame[name].dtype != pl.String]
    monotone = {name: draw(directions) for name in ordered if draw(st.booleans())}
    fields = {"monotone": monotone}
    if not monotone_only:
        exact = st.lists(st.sampled_from(every), max_size=3)
        forbidden = [c if draw(st.booleans()) else str(c) for c in draw(exact)]
        if draw(st.booleans()):
            some = draw(st.sampled_from(every))
            forbidden.append(f"{some.feature} {some.relation}")
        fields |= {
            "forbidden_features": draw(st.lists(st.sampled_from(names), max_size=1)),
            "allowed_features": draw(st.one_of(st.none(), st.sets(st.sampled_from(names)))),
            "forbidden_conditions": forbidden,
            "forbid_not_equal": draw(st.booleans()),
        }
        fields["allowed_features"] = (
            None if fields["allowed_features"] is None else sorted(fields["allowed_features"])
        )
    random = draw(generators())
    labels = random.random(n_rows) < draw(st.sampled_from([0.3, 0.5, 0.7]))
    labels[:2] = True, False
    weights = random.integers(1, 4, n_rows) if draw(st.booleans()) else None
    return frame, binarizer, Constraints(**fields), labels, weights


def plainly_allowed(constraints, condition, frame):
    """The constraints again, in words of their own: on printed text and on rising values."""
    if condition.feature in constraints.forbidden_features:
        return False
    allowed = constraints.allowed_features
    if allowed is not None and condition.feature not in allowed:
        return False
    if constraints.forbid_not_equal and str(condition.relation) in ("!=", "not in"):
        return False
    start = f"{condition.feature} {condition.relation}"
    forbidden = constraints.forbidden_conditions
    if any(given in (condition, str(condition), start) for given in forbidden):
        return False
    direction = constraints.monotone.get(condition.feature)
    if direction is None:
        return True
    holds = condition.holds(read_table(rising(frame, condition.feature))[condition.feature])
    steps = np.diff(holds.astype(int))
    return bool((steps >= 0).all() if direction == "increasing" else (steps <= 0).all())


def rising(frame, name):
    """Values of a column and around them, in growing order; no missing one and no code."""
    if frame[name].dtype == pl.Boolean:
        return pl.DataFrame({name: [False, True]})
    values = sorted(set(frame[name].drop_nulls()))
    between = [v + step for v in values for step in (-0.25, 0.0, 0.25) if v + step != NO_RECORD]
    return pl.DataFrame({name: [-1e6, *between, 1e6]})


@times(4)
@given(
    constrained_tables(),
    st.integers(2, 6),
    st.sampled_from(["dnf", "cnf"]),
    st.sampled_from([True, False]),
)
@pytest.mark.filterwarnings("ignore:forbidden_conditions has")
def test_the_loss_found_and_proved_is_the_best_over_the_allowed_conditions(
    task, max_complexity, form, positive
):
    frame, binarizer, constraints, labels, weights = task
    encoding = clone(binarizer).fit(frame, sample_weight=weights).encoding_
    # A column of two numbers has a threshold where it must keep to a direction.
    ordered = tuple(encoding._ordered(feature, constraints) for feature in encoding.features)
    encoding = replace(encoding, features=ordered)
    every, binned = encoding.conditions, encoding.binned
    kept = [j for j, c in enumerate(every) if plainly_allowed(constraints, c, frame)]
    model = BooleanRuleClassifier(
        max_complexity,
        form=form,
        positive_label=positive,
        binarizer=binarizer,
        constraints=constraints,
        time_limit=None,
    )
    if every and not kept:
        with pytest.raises(ValueError, match="leave none of the"):
            model.fit(frame, labels, weights)
        return
    model.fit(frame, labels, weights)
    assert model.conditions_ == tuple(every[j] for j in kept)
    conditions, is_positive = binned.subset(np.array(kept, dtype=np.int64)), labels == positive
    if form == "cnf":
        conditions, is_positive = conditions.complement(), ~is_positive
    row_weights = np.ones(len(labels)) if weights is None else weights.astype(float)
    samples = TrainingSet.merge(
        encoding.encode(read_table(frame)), is_positive, row_weights, conditions
    )
    best = brute_force.optimum(samples, Problem(max_complexity))
    certificate = model.certificate_
    assert certificate.hamming_loss == best
    assert certificate.lower_bound == best
    assert certificate.constraints == constraints
    assert ("keep to the constraints" in str(certificate)) == constraints.forbids_something
    loaded = Model.from_json(model.model_.to_json())
    assert loaded.encoding == model.encoding_
    assert loaded.verify(frame, labels, weights).holds


@times(3)
@given(
    constrained_tables(monotone_only=True),
    st.sampled_from(["dnf", "cnf"]),
    st.sampled_from([True, False]),
)
def test_predictions_of_rows_that_differ_in_one_feature_are_monotone(task, form, positive):
    frame, binarizer, constraints, labels, weights = task
    assume(constraints.monotone)
    model = BooleanRuleClassifier(
        7, form=form, positive_label=positive, binarizer=binarizer, time_limit=None
    ).set_params(constraints=constraints)
    try:
        model.fit(frame, labels, weights)
    except ValueError:  # no condition is left
        return
    loaded = Model.from_json(model.model_.to_json())
    for name, direction in constraints.monotone.items():
        values = rising(frame, name)[name]
        for row in range(min(9, len(frame))):
            copies = frame[[row] * len(values)].with_columns(values.alias(name))
            for predicted in (model.predict(copies), loaded.predict(copies)):
                steps = np.diff((predicted == positive).astype(int))
                assert (steps >= 0).all() if direction == "increasing" else (steps <= 0).all()


@given(constrained_tables(), st.sampled_from(["dnf", "cnf"]))
@pytest.mark.filterwarnings("ignore:forbidden_conditions has")
def test_constraints_never_lower_the_loss(task, form):
    frame, binarizer, constraints, labels, weights = task
    free = BooleanRuleClassifier(4, form=form, binarizer=binarizer, time_limit=None)
    bound = clone(free).set_params(constraints=constraints)
    free.fit(frame, labels, weights)
    try:
        bound.fit(frame, labels, weights)
    except ValueError:
        return
    assert bound.certificate_.lower_bound >= free.certificate_.lower_bound


# Certificates and files


def test_the_sentence_says_that_the_constraints_are_kept():
    constraints = Constraints(forbidden_features=["sex"])
    certificate = fit(constraints).certificate_
    assert str(certificate).endswith(
        "optimal among all rule sets of complexity at most 5 that keep to the constraints."
    )
    loose = replace(certificate, lower_bound=certificate.lower_bound - 1)
    assert "no rule set of complexity at most 5 that keeps to the constraints can" in str(loose)
    assert "constraints" not in str(fit().certificate_)
    assert "constraints" not in str(fit({"preferred_features": ["sex"]}).certificate_)


def test_a_model_without_constraints_is_saved_as_before():
    plain = json.loads(fit().model_.to_json())
    assert "constraints" not in json.dumps(plain)
    assert Model.from_json(json.dumps(plain)).encoding.constraints == Constraints()


FULL = Constraints(
    forbidden_features=["sex"],
    allowed_features=["age", "sex", "job", "score"],
    forbidden_conditions=["age is null", Condition("score", Relation.GT, 2.0), "job =="],
    forbid_not_equal=True,
    monotone={"age": 1, "score": "decreasing"},
    preferred_features=["score"],
)


@pytest.mark.parametrize(
    "constraints", [Constraints(), FULL, Constraints(allowed_features=[])], ids=str
)
def test_constraints_read_back_from_json(constraints):
    assert Constraints.from_plain(json.loads(json.dumps(constraints.to_plain()))) == constraints
    assert pickle.loads(pickle.dumps(constraints)) == constraints
    assert hash(copy.deepcopy(constraints)) == hash(constraints)


def test_constraints_in_words():
    assert str(Constraints()) == "none"
    assert str(FULL) == (
        "no sex; only age, sex, job, score; no 'age is null'; no 'score > 2'; no 'job =='; "
        "no !=; age only increasing; score only decreasing; preferring score"
    )
    assert str(Constraints(allowed_features=[])) == "only no feature"


def resigned(plain):
    """The file of a forger who knows the checksum."""
    return replace(Model.from_json(json.dumps(plain)), is_unaltered=True).to_json()


def test_a_bound_that_holds_only_within_the_constraints_is_turned_down_without_them():
    constrained = fit({"forbidden_features": ["sex"]})
    assert constrained.certificate_.lower_bound > fit().certificate_.lower_bound > 0
    plain = json.loads(constrained.model_.to_json())
    assert Model.from_json(json.dumps(plain)).verify(X, Y).holds
    del plain["certificates"][0]["constraints"]
    assert not Model.from_json(json.dumps(plain)).is_unaltered
    verification = Model.from_json(resigned(plain)).verify(X, Y)
    assert [f.holds for f in verification.findings] == [True] * 5 + [False]


def test_rules_that_break_the_constraints_are_turned_down():
    free = json.loads(fit().model_.to_json())
    assert "sex == 'f'" in str(fit().rule_set_)
    assert "age >" in str(fit().rule_set_)
    for constraints in (
        {"forbidden_features": ["sex"]},
        {"forbidden_conditions": ["sex == 'f'"]},
        {"monotone": {"age": "decreasing"}},
    ):
        free["certificates"][0]["constraints"] = constraints
        findings = Model.from_json(resigned(free)).verify(X, Y).findings
        told = "every condition is among those that the bound ranges over and keeps to the"
        assert [f.holds for f in findings if f.text.startswith(told)] == [False]


def test_certificates_of_one_model_speak_of_the_same_constraints():
    model = fit({"forbidden_features": ["sex"]}, labels=X["job"].to_numpy(), positive_label=None)
    plain = json.loads(model.model_.to_json())
    plain["certificates"][1]["constraints"] = {"forbidden_features": ["age"]}
    with pytest.raises(ValueError, match="different constraints"):
        Model.from_json(json.dumps(plain))


@pytest.mark.parametrize(
    "broken",
    [
        None,
        [],
        "sex",
        {"forbidden": ["sex"]},
        {"forbidden_features": "sex"},
        {"forbidden_features": {"sex": 1}},
        {"forbidden_features": [1]},
        {"forbidden_features": None},
        {"forbidden_features": ["nothing like it"]},
        {"allowed_features": 3},
        {"forbidden_conditions": {}},
        {"forbidden_conditions": [3]},
        {"forbidden_conditions": [{"feature": "sex"}]},
        {"forbidden_conditions": ["sex"]},
        {"forbid_not_equal": 1},
        {"monotone": ["age"]},
        {"monotone": {"age": "up"}},
        {"monotone": {"age": ["increasing"]}},
        {"monotone": {"age": 1.0}},
        {"monotone": {"job": "increasing"}},
        {"preferred_features": True},
    ],
    ids=repr,
)
def test_a_file_with_broken_constraints_gives_a_value_error(broken):
    plain = json.loads(fit({"forbidden_features": ["sex"]}).model_.to_json())
    plain["certificates"][0]["constraints"] = broken
    with pytest.raises(ValueError, match=r"."):
        Model.from_json(json.dumps(plain))


def test_a_forbidden_column_is_not_read():
    model = fit({"forbidden_features": ["sex"]})
    saved = Model.from_json(model.model_.to_json())
    assert saved.verify(X.drop("sex"), Y).holds
    assert len(np.unique(saved.encoding.encode(read_table(X))[:, X.columns.index("sex")])) == 1
    flags = pl.DataFrame({"a": [0, 0, 1, 1], "name": ["u", "v", "w", "x"]})
    only = {"allowed_features": ["a"]}
    assert fit(only, flags, ["high", "low"] * 2, binarizer=None).conditions_


# Errors


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (
            {"forbidden_features": ["sxe"]},
            "forbidden_features names 'sxe', which is not a column. The nearest is 'sex'.",
        ),
        ({"allowed_features": ["jobs"]}, "allowed_features names 'jobs', .* nearest is 'job'."),
        ({"monotone": {"agee": 1}}, "monotone names 'agee', .* The nearest is 'age'."),
        ({"preferred_features": ["?"]}, "preferred_features names '[?]'"),
        (
            {"forbidden_conditions": ["agee <= 3"]},
            "there is no column 'agee'. Did you mean 'age'?",
        ),
        (
            {"forbidden_conditions": [Condition("agee", Relation.LE, 3)]},
            "forbidden_conditions names 'agee', .* The nearest is 'age'.",
        ),
        ({"forbidden_conditions": ["age <= 3 5"]}, "'age <= 3 5', which is no condition: line 1"),
        ({"forbidden_conditions": ["age <= 3 AND age > 5"]}, "which is no condition"),
        ({"forbidden_conditions": ["age"]}, "To forbid a column, use forbidden_features"),
        ({"forbidden_conditions": ["age is"]}, "which is no condition"),
        ({"forbidden_conditions": "age <= 3"}, r"Write forbidden_conditions=\['age <= 3'\]"),
        ({"forbidden_feature": ["sex"]}, "'forbidden_feature', .*nearest is 'forbidden_features'"),
        ({"monotone": {"age": 0}}, "monotone has 'age': 0. Give each feature"),
        ({"monotone": {"job": 1}}, "monotone names 'job', a column of categories"),
        ({"monotone": {"sex": -1}}, "which have no order"),
        ({"allowed_features": []}, "The constraints leave none of the .* only no feature"),
        (
            {"forbidden_features": X.columns},
            "leave none of the .* conditions that this table has.*: no age; no sex; no job;",
        ),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_cannot_be_kept_to_is_told(constraints, message):
    with pytest.raises(ValueError, match=message):
        fit(constraints)


def test_a_condition_that_the_table_does_not_have_is_told():
    with pytest.warns(UserWarning, match=r"'age <= 35', .* nearest is 'age <= 36 .*It forbids"):
        fit({"forbidden_conditions": ["age <= 35"]})
    with pytest.warns(UserWarning, match=r"; the nearest is 'age > 36'"):
        fit({"forbidden_conditions": [Condition("age", Relation.GT, 33)]})
    with pytest.warns(UserWarning, match=r"'job == clrek', .*; the nearest is 'job == 'clerk''"):
        fit({"forbidden_conditions": ["job == clrek"]})


def test_a_constant_table_needs_no_conditions_to_keep_to_constraints():
    constant = pl.DataFrame({"a": [1, 1, 1], "b": [2, 2, 2]})
    model = fit({"forbidden_features": ["a"]}, constant, ["high", "low", "low"])
    assert model.rule_set_.clauses == ()


def test_three_classes_keep_to_features_but_have_no_direction():
    labels = X["job"].to_numpy()
    table = X.drop("job")
    model = fit({"forbidden_features": ["sex"]}, table, labels, positive_label=None)
    assert all("sex" not in rules.features for rules in model.rule_sets_)
    assert all("that keep" in str(c) for c in model.certificates_ if c.lower_bound)
    assert model.verify(table, labels).holds
    with pytest.raises(ValueError, match="monotone speaks of the positive class of two, but"):
        fit({"monotone": {"age": 1}}, table, labels, positive_label=None)


# Given clauses, and what is required


@pytest.mark.parametrize(
    ("constraints", "clause"),
    [
        ({"forbidden_features": ["sex"]}, "age > 40 AND sex == 'f'"),
        ({"allowed_features": ["age"]}, "sex == 'f'"),
        ({"forbidden_conditions": ["sex =="]}, "sex == 'f'"),
        ({"forbid_not_equal": True}, "job != 'cook'"),
        ({"monotone": {"age": "increasing"}}, "age <= 33.25"),
        ({"monotone": {"age": "decreasing"}}, "age > 33.25"),
        ({"monotone": {"age": "increasing"}}, "age in (33.25, 40]"),
        ({"monotone": {"score": "increasing"}}, "score == 2.5"),
        ({"monotone": {"score": "increasing"}}, "score > 1 (not 3.5)"),
        ({"monotone": {"member": "decreasing"}}, "member == True"),
    ],
    ids=str,
)
def test_a_given_clause_keeps_to_the_constraints_as_well(constraints, clause):
    with pytest.raises(ValueError, match=r"given_clauses have '.*', which breaks the constraints"):
        fit({**constraints, "given_clauses": [clause]})
    free = json.loads(fit({"given_clauses": [clause]}).model_.to_json())
    assert Model.from_json(json.dumps(free)).verify(X, Y).holds
    free["certificates"][0]["constraints"] = constraints
    findings = Model.from_json(resigned(free)).verify(X, Y).findings
    assert [f.holds for f in findings if "keeps to the constraints" in f.text] == [False]


@pytest.mark.parametrize(
    "clause", ["age > 33.25", "score == -9", "score > 1", "age is null", "member == True"]
)
def test_a_given_clause_of_its_own_thresholds_may_keep_to_the_constraints(clause):
    directions = {"age": "increasing", "score": "increasing", "member": "increasing"}
    model = fit({"monotone": directions, "given_clauses": [clause]})
    assert clause in str(model.rule_set_)
    assert model.verify(X, Y).holds


def test_what_the_constraints_leave_nothing_of_cannot_be_required():
    with pytest.raises(ValueError, match="'sex', a column without a condition that may be used"):
        fit({"forbidden_features": ["sex"], "required": ["sex"]})


# scikit-learn's conventions


def test_a_dict_and_constraints_are_the_same():
    given = {"forbidden_features": ["sex"], "monotone": {"age": 1}}
    files = [fit(g).model_.to_json() for g in (given, Constraints(**given))]
    assert files[0] == files[1]


def test_a_classifier_with_constraints_clones_and_pickles():
    model = fit(FULL)
    assert clone(model).get_params()["constraints"] == FULL
    assert pickle.loads(pickle.dumps(model)).predict(X).tolist() == model.predict(X).tolist()
    with pytest.raises(ValueError, match="constraints"):
        fit(["sex"])


def test_grid_search_chooses_among_constraints():
    choices = [{"forbidden_features": ["age", "sex"]}, None]
    search = GridSearchCV(
        BooleanRuleClassifier(3, positive_label="high"), {"constraints": choices}, cv=3
    )
    assert search.fit(X.to_pandas(), Y).best_params_ == {"constraints": None}


def test_paths_and_cross_validation_keep_to_constraints():
    constraints = {"forbidden_features": ["sex"], "monotone": {"age": 1}}
    path = complexity_path(
        X, Y, complexities=[2, 4], positive_label="high", constraints=constraints
    )
    search = BooleanRuleClassifierCV(
        BooleanRuleClassifier(positive_label="high", constraints=constraints),
        complexities=[2, 4],
        cv=2,
        n_repeats=1,
        forms=["dnf", "cnf"],
        random_state=0,
    ).fit(X, Y)
    models = [*(p.classifier for p in path), *(p.classifier for p in search.path_)]
    for model in models:
        assert model.certificate_.constraints == Constraints(**constraints)
        assert "sex" not in model.rule_set_.features
        assert model.verify(X, Y).holds


def test_cross_validation_does_not_turn_directions_round():
    monotone = BooleanRuleClassifier(constraints={"monotone": {"age": 1}})
    search = BooleanRuleClassifierCV(monotone, positive_labels=["high", "low"])
    with pytest.raises(ValueError, match="positive_labels would change what monotone means"):
        search.fit(X, Y)


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [BooleanRuleClassifier(5, constraints=Constraints(forbid_not_equal=True))],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": "predict_proba counts plain rows"
    },
)
def test_a_classifier_with_constraints_passes_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("text", "is_meant"),
    [
        ("p <= 101325.000001", True),
        ("p <= 101325", True),
        ("p <= 101325.000002", False),
        ("p <= 101325.1", False),
    ],
)
def test_a_number_is_meant_with_every_digit_or_with_ten(text, is_meant):
    assert Mention.of(text).means(Condition("p", Relation.LE, 101325.000001)) == is_meant
    interval = text.replace("<= ", "in (5, ") + "]"
    assert (
        Mention.of(interval).means(Condition("p", Relation.IN, (5.0, 101325.000001))) == is_meant
    )


def test_a_forbidden_column_of_many_values_makes_codes_no_longer():
    frame = pl.DataFrame({"id": [f"P-{k}" for k in range(300)], "x": [k % 7 for k in range(300)]})
    table = read_table(frame)
    encoding = FeatureBinarizer().binning().fit(table)
    assert encoding.encode(table).dtype == np.uint16
    constrained = encoding.constrained(Constraints(forbidden_features=["id"]))
    assert constrained.encode(table).dtype == np.uint8
    assert constrained.binned.n_codes.tolist()[0] == 1
