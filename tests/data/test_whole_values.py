"""Two thresholds read as one number: rules do what they say, and get nothing for free."""

import re
from dataclasses import replace

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from boolrules import (
    BooleanRuleClassifier,
    Clause,
    Condition,
    FeatureBinarizer,
    Form,
    Model,
    Relation,
    assess,
    find_alternatives,
    parse_rules,
)
from boolrules._support.table import read_table
from boolrules.data.problem import Problem
from boolrules.data.whole_values import as_counted, as_offered, clause_as_offered
from strategies import generators, make_training_set, times

# Between, at and beside every number that a threshold can be near to.
ODD = [None, *(k / 4 for k in range(-8, 36))]


@st.composite
def tasks(draw):
    """A table of whole numbers, labels, weights and a classifier that can afford two numbers."""
    random, n = draw(generators()), 30
    frame = polars.DataFrame(
        {
            f"f{k}": polars.Series(
                [None if random.random() < 0.1 and k else v for v in drawn], dtype=polars.Float64
            )
            for k, drawn in enumerate(random.integers(0, [[4], [6]], (2, n)).tolist())
        }
    )
    form = draw(st.sampled_from(["dnf", "cnf"]))
    y = (frame["f0"] == draw(st.sampled_from([1, 2]))).to_numpy() ^ (random.random(n) < 0.1)
    y = y if form == "dnf" else ~y
    y[:2] = True, False
    weights = random.integers(0, 3, n).astype(float) if draw(st.booleans()) else None
    if weights is not None:
        weights[:2] = 1
    thresholds = draw(st.sampled_from(["deciles", "all"]))
    limits = {"max_complexity": draw(st.integers(3, 6)), "min_coverage": draw(st.integers(0, 2))}
    model = BooleanRuleClassifier(
        form=form, time_limit=None, binarizer=FeatureBinarizer(thresholds=thresholds), **limits
    )
    return frame, y, weights, model, Problem(**limits)


def unread(rules):
    """The rules of thresholds, as they were before numbers were read."""
    return replace(
        rules, clauses=tuple(clause_as_offered(clause, rules.form) for clause in rules.clauses)
    )


def said(rules, row):
    """What the printed text says of a row, taken word by word."""

    def holds(text):
        name = re.search(r"f\d", text)[0]
        if row[name] is None:
            return text.endswith("is null")
        if text.endswith("null"):
            return text.endswith("is not null")
        return eval(text, {}, row)

    lines = [
        line for line in str(rules).splitlines() if line.strip().startswith(("IF", "OR", "AND"))
    ]
    inner, outer = (" AND ", any) if rules.form is Form.DNF else (" OR ", all)
    texts = [re.sub(r"^\s*(IF|OR|AND)\s+", "", line).strip("()") for line in lines]
    within = all if rules.form is Form.DNF else any
    return outer(within(map(holds, text.split(inner))) for text in texts)


@times(2)
@given(tasks())
def test_nothing_but_the_words_is_new(task):
    frame, y, weights, model, problem = task
    model.fit(frame, y, sample_weight=weights)
    rules, certificate, w = model.rule_set_, model.certificate_, weights
    w = np.ones(len(y)) if weights is None else weights
    plain = unread(rules)
    assert all(c in model.conditions_ for clause in plain.clauses for c in clause.conditions)
    # What is learned, and what it costs
    assert rules.complexity == plain.complexity == certificate.complexity
    assert rules.hamming_loss(frame, y, w) == plain.hamming_loss(frame, y, w)
    assert plain.with_statistics(frame, y, w).statistics == rules.statistics
    samples = make_training_set(model.encoding_, read_table(frame), y, w, rules.form)
    assert certificate.objective == brute_force.optimum(samples, problem)
    # On whole numbers, seen or not, the answers are those of the thresholds
    whole = polars.DataFrame({f: [None, *map(float, range(-2, 9))] for f in frame.columns})
    assert rules.predict(whole).tolist() == plain.predict(whole).tolist()
    # Files, text and proofs
    again = Model.from_json(model.model_.to_json())
    assert again.rule_sets[0].complexity == rules.complexity
    assert again.verify(frame, y, weights).holds
    read = parse_rules(str(rules), form=rules.form, positive=rules.positive)
    assert read.clauses == rules.clauses
    if rules.clauses:
        beside = assess(read, frame, y, again, sample_weight=weights)
        assert (beside.complexity, beside.standing.reasons) == (rules.complexity, ())
        assert str(beside.standing.certificate) == str(certificate)


@times(2)
@given(tasks())
def test_on_any_number_the_rules_do_what_they_say(task):
    frame, y, weights, model, _ = task
    rules = model.fit(frame, y, sample_weight=weights).rule_set_
    if not rules.clauses:
        return
    odd = polars.DataFrame(
        [{"f0": a, "f1": b} for a in ODD for b in ODD],
        schema={"f0": polars.Float64, "f1": polars.Float64},
    )
    answers = [said(rules, row) for row in odd.to_dicts()]
    assert rules.predict(odd).tolist() == answers
    exported = {}
    exec(rules.to_python(), exported)
    assert [exported["predict"](row) for row in odd.to_dicts()] == answers


# When it is read


N = 60
CA = np.arange(N) % 5
IS_ONE = (CA == 1) ^ (np.arange(N) % 17 == 0)


def learned(ca=CA, y=IS_ONE, weights=None, binarizer="auto", **asked):
    model = BooleanRuleClassifier(**{"max_complexity": 3, "binarizer": binarizer} | asked)
    frame = polars.DataFrame({"ca": ca})
    model.fit(frame, y, sample_weight=weights)
    assert model.verify(frame, y, sample_weight=weights).holds
    return model


def text(model):
    return str(model.rule_set_).splitlines()[0].removeprefix("IF   ")


def replaced(value, at=4):
    return [value if i == at else float(v) for i, v in enumerate(CA)]


def test_a_whole_number_is_read_and_counts_as_two():
    model = learned()
    assert text(model) == "ca == 1"
    assert model.rule_set_.complexity == model.certificate_.complexity == 3
    assert model.rule_set_.to_rows()[0]["n_conditions"] == 2
    assert model.predict(polars.DataFrame({"ca": [0.5, 1.0, 1.5]})).tolist() == [
        False,
        True,
        False,
    ]
    assert text(learned(y=~IS_ONE, form="cnf")) == "ca != 1"
    assert text(learned(binarizer=FeatureBinarizer(thresholds="all"))) == "ca == 1"
    assert text(learned(ca=CA - 3)) == "ca == -2"
    assert text(learned(ca=replaced(None))) == "ca == 1"


def test_a_column_with_a_fraction_keeps_its_thresholds():
    assert text(learned(ca=replaced(3.5))) == "0 < ca <= 1"
    weights = np.where(np.arange(N) == 4, 0.0, 1.0)  # a row that weighs nothing is none
    assert text(learned(ca=replaced(3.5), weights=weights)) == "ca == 1"


@pytest.mark.filterwarnings("ignore:forbidden_conditions has")
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"binarizer": FeatureBinarizer(thresholds={"ca": [0.5, 1.5]})}, "0.5 < ca <= 1.5"),
        ({"ca": np.array([0, 2, 3, 4, 5])[CA]}, "0 < ca <= 2"),
        ({"binarizer": FeatureBinarizer(method="intervals")}, "ca in (0, 1]"),
        ({"binarizer": FeatureBinarizer(special_values=[9])}, "(ca > 0 (not 9) AND ca <= 1)"),
        ({"constraints": {"forbidden_conditions": ["ca == 1"]}}, "0 < ca <= 1"),
        ({"constraints": {"forbidden_conditions": ["ca =="]}}, "0 < ca <= 1"),
        ({"constraints": {"required": ["ca <= 1"]}}, "ca == 1"),
        (
            {"max_complexity": 4, "constraints": {"given_clauses": ["ca > 0 and ca <= 1"]}},
            "0 < ca <= 1",
        ),
        (
            {"form": "cnf", "y": ~IS_ONE, "constraints": {"forbid_not_equal": True}},
            "(ca <= 0 OR ca > 1)",
        ),
    ],
    ids=str,
)
def test_thresholds_stay_where_they_say_more_or_were_asked_for(asked, expected):
    assert text(learned(**asked)) == expected


def test_a_given_clause_counts_as_it_is_written():
    for clause in ("ca == 1", learned().rule_set_.clauses[0]):
        model = learned(max_complexity=2, constraints={"given_clauses": [clause]})
        assert text(model) == "ca == 1"
        assert model.rule_set_.complexity == model.certificate_.complexity == 2
    y = IS_ONE | (CA == 3)
    both = learned(max_complexity=5, y=y, constraints={"given_clauses": ["ca == 1"]})
    assert [clause.complexity for clause in both.rule_set_.clauses] == [2, 3]
    frame = polars.DataFrame({"ca": CA})
    beside = assess(str(both.rule_set_), frame, y, both)
    assert (beside.complexity, beside.standing.reasons) == (5, ())


def test_of_three_classes_each_has_its_number():
    grade = np.array(["a", "b", "c", "c", "c"])[CA]
    model = BooleanRuleClassifier(max_complexity=3).fit(polars.DataFrame({"ca": CA}), grade)
    assert str(model.rule_sets_[1].clauses[0]) == "ca == 1"
    assert model.verify(polars.DataFrame({"ca": CA}), grade).holds
    again = Model.from_json(model.model_.to_json())
    assert again.predict(polars.DataFrame({"ca": [0, 1, 2]})).tolist() == ["a", "b", "c"]


# Text beside a model, and alternatives


def test_what_is_typed_beside_a_model_counts_as_what_it_learned():
    model, frame = learned(), polars.DataFrame({"ca": CA})
    for typed, complexity in (("ca == 1", 3), ("ca = 2", 3), ("ca == 1.5", 2), ("ca != 1", 2)):
        assert assess(typed, frame, IS_ONE, model).complexity == complexity
    assert assess("ca == 2", frame, IS_ONE, model).standing.reasons == ()
    (reason,) = assess("ca == 1 or ca == 2", frame, IS_ONE, model).standing.reasons
    assert reason == "their complexity, 6, is above the limit of 3"


def test_rules_are_not_held_against_the_bound_on_rows_where_the_two_differ():
    model = learned()
    other = polars.DataFrame({"ca": replaced(0.5)})
    (reason,) = assess("ca == 1", other, IS_ONE, model).standing.reasons
    assert "every condition is among those that the bound ranges over" in reason


def test_alternatives_are_read_alike():
    model, frame = learned(y=CA == 1), polars.DataFrame({"ca": CA, "copy": CA})
    model = BooleanRuleClassifier(max_complexity=3).fit(frame, CA == 1)
    found = find_alternatives(Model.from_json(model.model_.to_json()), frame, CA == 1)
    assert {str(one) for one in found} >= {"ca == 1", "copy == 1"}
    assert {one.complexity for one in found} == {3}
    for one in found:
        assert one.rule_set.complexity == 3


# Conditions that count as two


@pytest.mark.parametrize("form", list(Form))
@pytest.mark.parametrize("relation", list(Relation))
def test_a_condition_that_is_worth_two_says_what_they_say(form, relation):
    if relation not in (Relation.EQ, Relation.NE):
        with pytest.raises(ValueError, match="is one condition"):
            Condition("ca", relation, n_conditions=2)
        return
    column = read_table(np.array([[-1.0], [0.0], [1.0], [2.0], [np.nan]]))["x0"]
    condition = Condition("x0", relation, 1, n_conditions=2)
    offered = as_offered(condition, form)
    join = np.all if form is Form.DNF else np.any
    held = join([c.holds(column) for c in offered], axis=0)
    assert held.tolist() == condition.holds(column).tolist()
    assert len(offered) == 1 + ((relation is Relation.EQ) == (form is Form.DNF))


@pytest.mark.parametrize("value", [0.5, "a", True, None, (0, 1)])
def test_only_a_whole_number_is_worth_two(value):
    with pytest.raises(ValueError, match="is one condition"):
        Condition("ca", Relation.EQ, value, n_conditions=2)


def test_a_text_counts_as_two_where_both_thresholds_are_on_offer():
    low, high = Condition("ca", Relation.GT, 0), Condition("ca", Relation.LE, 1)
    typed = Clause((Condition("ca", Relation.EQ, 1.0),))
    assert as_counted(typed, Form.DNF, [low, high]).n_conditions == 2
    assert as_counted(typed, Form.DNF, [low]).n_conditions == 1
    assert as_counted(typed, Form.DNF, [low, high, *typed.conditions]).n_conditions == 1
    assert as_counted(typed, Form.CNF, [low, high]).n_conditions == 1
    twice = Clause((Condition("ca", Relation.EQ, 7, n_conditions=2),))
    assert as_counted(twice, Form.DNF, [low, high]).n_conditions == 1
