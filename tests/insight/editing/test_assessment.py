"""Rules on data: the figures are held against plain loops, the bound against brute force."""

import dataclasses
import json
import math
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV

import brute_force
from boolrules import (
    BooleanRuleClassifier,
    Clause,
    Condition,
    Form,
    Model,
    Relation,
    RuleSet,
    assess,
    parse_rules,
)
from boolrules._support.table import read_table
from strategies import encodings, frames, generators, make_training_set, times

R = Relation
PEOPLE = pl.DataFrame(
    {
        "age": [20, 30, 40, 50, 60, 70, None, 25],
        "job": ["cook", "clerk", "cook", "clerk", "cook", "clerk", "nurse", "nurse"],
        "member": [True, False, True, False, True, False, True, True],
    }
)
RISK = ["low", "low", "low", "high", "low", "high", "high", "low"]


@pytest.fixture(scope="module")
def model():
    """A model with an optimal rule set of complexity 3: loss 1, because of the missing age."""
    return BooleanRuleClassifier(max_complexity=3, positive_label="high").fit(PEOPLE, RISK)


# The figures


@st.composite
def rules_of(draw, conditions, form=None, positive=True, negative=False):
    clause = st.lists(st.sampled_from(conditions), min_size=1, max_size=3, unique=True)
    clauses = draw(st.lists(clause.map(tuple).map(Clause), max_size=3))
    form = draw(st.sampled_from(list(Form))) if form is None else form
    return RuleSet(tuple(clauses), form, positive, negative)


@given(st.data())
def test_figures_are_those_of_plain_loops(data):
    frame = data.draw(frames(n_rows=12))
    conditions = data.draw(encodings(frame)).conditions
    assume(conditions)
    rules = data.draw(rules_of(conditions))
    labels = data.draw(generators()).random(12) < 0.5
    assume(labels.any())
    assessment = assess(rules, frame, labels)
    table = read_table(frame)
    holds = {c: c.holds(table[c.feature]) for c in conditions}
    missed = covered = loss = 0
    for i, is_positive in enumerate(labels):
        true = [[bool(holds[c][i]) for c in clause.conditions] for clause in rules.clauses]
        if rules.form is Form.DNF:
            answer, n_decides, should = any(map(all, true)), sum(map(all, true)), is_positive
        else:
            answer, n_decides = all(map(any, true)), sum(not any(t) for t in true)
            should = not is_positive
        missed += is_positive and not answer
        covered += answer and not is_positive
        loss += (n_decides == 0) if should else n_decides
    assert (assessment.missed_positives, assessment.covered_zeros) == (missed, covered)
    assert assessment.hamming_loss == loss
    assert assessment.error_rate == (missed + covered) / 12
    assert assessment.accuracy + assessment.error_rate == 1
    assert assessment.complexity == rules.complexity
    assert assessment.n_mistakes <= assessment.hamming_loss
    json.dumps(assessment.to_plain(), allow_nan=False)
    assert str(rules) in str(assessment)


def test_coverage_and_precision_are_of_these_rows():
    assessment = assess("age > 40\njob = 'clerk' THEN high ELSE low", PEOPLE, RISK)
    assert [(row["coverage"], row["precision"]) for row in assessment.to_rows()] == [
        (3, pytest.approx(2 / 3)),
        (3, pytest.approx(2 / 3)),
    ]


def test_weighted_figures_stand_beside_those_of_plain_rows():
    weights = np.where(np.array(RISK) == "high", 4.0, 1.0)
    assessment = assess("age > 40 THEN high ELSE low", PEOPLE, RISK, sample_weight=weights)
    (row,) = assessment.to_rows()
    assert (row["coverage"], row["precision"]) == (3, pytest.approx(2 / 3))
    assert (row["weighted_coverage"], row["weighted_precision"]) == (9, pytest.approx(8 / 9))
    head, figures = str(assessment).splitlines()[4:6]
    assert head.split("  ")[-2:] == ["weighted coverage", "weighted precision"]
    assert figures.split()[-5:] == ["3", "66.7%", "2", "9", "88.9%"]


def test_weights_and_costs_are_those_of_the_model():
    costly = BooleanRuleClassifier(
        max_complexity=3, positive_label="high", missed_positive_cost=5, class_weight="balanced"
    ).fit(PEOPLE, RISK)
    saved = costly.model_
    assessment = assess(costly.rule_set_, PEOPLE, RISK, costly)
    assert assessment.hamming_loss == pytest.approx(costly.certificate_.hamming_loss)
    nothing = RuleSet((), Form.DNF, "high", "low")
    weight = saved.weighing.class_weights[saved.classes.index("high")]
    assert assess(nothing, PEOPLE, RISK, saved).hamming_loss == pytest.approx(3 * 5 * weight)


def test_prices_of_complexity_are_those_of_the_model():
    priced = BooleanRuleClassifier(max_complexity=8, clause_cost=2, positive_label="high")
    priced.fit(PEOPLE, RISK)
    assert assess("age > 40 AND job = 'clerk'", PEOPLE, RISK, priced).complexity == 4


def test_sample_weights_are_used_and_asked_for():
    weights = np.arange(1.0, 9.0)
    weighted = BooleanRuleClassifier(max_complexity=3, positive_label="high")
    weighted.fit(PEOPLE, RISK, sample_weight=weights)
    with pytest.raises(ValueError, match="sample weights"):
        assess("age > 40", PEOPLE, RISK, weighted)
    assessment = assess("age > 40", PEOPLE, RISK, weighted, sample_weight=weights)
    assert assessment.hamming_loss == weights[4] + weights[6]
    text = "age > 40 THEN high ELSE low"
    assert assess(text, PEOPLE, RISK, sample_weight=weights).hamming_loss == 12


def test_without_a_label_the_second_of_two_is_described():
    assert assess("age > 40", PEOPLE, RISK).rules.positive == "low"


# What is claimed beside a model


def test_rules_within_the_certificate_get_a_certificate_of_their_own(model):
    assessment = assess("age > 40 AND job = 'clerk'", PEOPLE, RISK, model)
    certificate = assessment.certificate
    assert certificate.lower_bound == model.certificate_.lower_bound == 1
    assert certificate.is_optimal
    assert "optimal among all rule sets of complexity at most 3" in str(assessment)
    worse = assess("age > 60", PEOPLE, RISK, model)
    assert worse.certificate.hamming_loss == 2
    assert "lower bound 1: no rule set of complexity at most 3 can be better by more than 1" in (
        str(worse)
    )
    assert worse.standing.model_loss == model.certificate_.hamming_loss
    assert worse.to_plain()["lower_bound"] == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("age > 41", r"'age > 41' is not among the model's conditions \(on these rows 'age > 40'"),
        ("age <= 10", r"'age <= 10' is not among .* \(the nearest is 'age <= 20'\)"),
        ("age >= 50", "'age == 50' is not among the model's conditions"),
        ("job = 'pilot'", "'job == 'pilot'' is not among"),
        (
            "age > 40 AND job = 'clerk' AND member = True",
            "their complexity, 4, is above the limit",
        ),
        ("age > 40\njob = 'clerk'", "their complexity, 4, is above the limit of 3"),
        (
            "(age > 40 OR job = 'clerk') AND age > 20",
            "about rule sets in DNF, and they are in CNF",
        ),
        ("age > 40 THEN low ELSE high", "it is about 'high', and they describe 'low'"),
    ],
)
def test_the_bound_does_not_speak_of_rules_outside_its_problem(model, text, reason):
    assessment = assess(text, PEOPLE, RISK, model)
    assert assessment.certificate is None
    assert assessment.to_plain()["lower_bound"] is None
    assert "does not speak of these rules" in str(assessment)
    assert "optimal" not in str(assessment)
    assert any(re.search(reason, r) for r in assessment.standing.reasons)


def test_limits_on_clauses_conditions_and_coverage_are_heeded():
    def reasons(text, **limits):
        limited = BooleanRuleClassifier(max_complexity=9, positive_label="high", **limits).fit(
            PEOPLE, RISK
        )
        return assess(text, PEOPLE, RISK, limited).standing.reasons

    two = "age > 40 AND job = 'clerk'\nage is null"
    assert reasons(two) == ()
    assert reasons(two, max_conditions=1) == ("a clause has 2 conditions, above the limit of 1",)


def with_limits(model, **limits):
    saved = model.model_
    problem = dataclasses.replace(saved.certificates[0].problem, **limits)
    certificate = dataclasses.replace(saved.certificates[0], problem=problem)
    return dataclasses.replace(saved, certificates=(certificate,))


def test_whatever_verify_turns_down_is_not_claimed(model):
    limited = with_limits(model, min_coverage=2)
    standing = assess("age is null", PEOPLE, RISK, limited).standing
    assert standing.certificate is None
    assert standing.reasons == (
        "on these rows a check fails (every clause covers at least 2 rows of its class)",
    )


def test_more_clauses_than_allowed_are_outside_the_problem(model):
    standing = assess(
        "age > 40\nage > 60", PEOPLE, RISK, with_limits(model, max_clauses=1)
    ).standing
    assert standing.reasons == ("they have 2 clauses, above the limit of 1",)


@pytest.mark.filterwarnings("ignore:time_limit=1e-09 ended")
def test_no_bound_no_claim():
    hurried = BooleanRuleClassifier(max_complexity=5, positive_label="high", time_limit=1e-9)
    hurried.fit(PEOPLE, RISK)
    assert hurried.certificate_.lower_bound is None
    assessment = assess("age > 40", PEOPLE, RISK, hurried)
    assert assessment.certificate is None
    assert assessment.standing.reasons == ("none was proved",)


def test_without_time_to_prove_it_the_bound_is_not_claimed(model):
    assessment = assess("age > 40", PEOPLE, RISK, model, time_limit=0)
    assert assessment.certificate is None
    assert "lower bound 1 claimed, nothing proved" in str(assessment)


def test_a_forged_bound_is_not_repeated(model):
    saved = model.model_
    forged = dataclasses.replace(saved.certificates[0], lower_bound=99)
    forged = dataclasses.replace(saved, certificates=(forged,))
    assessment = assess("age > 60", PEOPLE, RISK, forged)
    assert assessment.certificate is None
    assert "lower bound 99 claimed, 1 proved" in assessment.standing.reasons[0]


def test_an_altered_file_is_not_trusted(model, tmp_path):
    altered = dataclasses.replace(model.model_, is_unaltered=False)
    assert assess("age > 60", PEOPLE, RISK, altered).certificate is None


@times(1 / 2)
@given(st.data())
def test_whatever_is_claimed_is_true_by_brute_force(data):
    """On the rows of fit or on others, for rules within the problem or outside."""
    frame = data.draw(frames(n_rows=16))[:, :2]
    random = data.draw(generators())
    labels = random.random(16) < 0.5
    assume(0 < labels.sum() < 16)
    form = data.draw(st.sampled_from(["dnf", "cnf"]))
    fitted = BooleanRuleClassifier(
        max_complexity=data.draw(st.integers(2, 4)),
        max_conditions=data.draw(st.sampled_from([None, 1, 2])),
        form=form,
    ).fit(frame, labels)
    assume(fitted.conditions_)
    is_other = data.draw(st.booleans())
    if is_other:
        labels = labels ^ (random.random(16) < 0.2)
        assume(0 < labels.sum() < 16)
    rules = data.draw(rules_of(fitted.conditions_, form=data.draw(st.sampled_from(list(Form)))))
    assessment = assess(rules, frame, labels, fitted)
    problem = fitted.certificate_.problem
    lengths = [len(clause.conditions) for clause in rules.clauses]
    is_within = (
        rules.form == form
        and problem.fits(len(lengths), sum(lengths))
        and max(lengths, default=0) <= (problem.max_conditions or math.inf)
    )
    certificate = assessment.certificate
    if certificate is None:
        # On the rows of fit, rules within the problem are always spoken of.
        assert not is_within or is_other
        return
    assert is_within or fitted.certificate_.argument == "zero loss"
    training_set = make_training_set(
        fitted.encoding_, read_table(frame), labels, np.ones(16), Form(form)
    )
    optimum = brute_force.optimum(training_set, problem)
    assert certificate.lower_bound <= optimum
    assert optimum <= assessment.hamming_loss or not is_within
    if certificate.is_optimal:
        assert assessment.hamming_loss == optimum


def test_three_classes_are_assessed_one_at_a_time():
    jobs = PEOPLE["job"].to_list()
    several = BooleanRuleClassifier(max_complexity=4).fit(PEOPLE.drop("job"), jobs)
    assessment = assess("member = False THEN clerk", PEOPLE, jobs, several)
    assert assessment.hamming_loss == 0
    assert assessment.certificate.is_optimal
    with pytest.raises(ValueError, match=r"which label they describe.*'clerk', 'cook', 'nurse'"):
        assess("member = False", PEOPLE, jobs, several)
    with pytest.raises(ValueError, match=r"No row has the label 'clrk'.* Did you mean 'clerk'"):
        assess("member = False THEN clrk", PEOPLE, jobs, several)


def test_a_saved_model_says_the_same_as_the_classifier(model, tmp_path):
    model.save(tmp_path / "model.json")
    saved = Model.load(tmp_path / "model.json")
    text = "age > 60"
    assert str(assess(text, PEOPLE, RISK, saved)) == str(assess(text, PEOPLE, RISK, model))


def test_printed_thresholds_are_those_of_the_model():
    X = pl.DataFrame({"x": 101325 + np.arange(30) * 1e-6})
    y = np.arange(30) > 20
    fitted = BooleanRuleClassifier(max_complexity=2).fit(X, y)
    printed = str(fitted.rule_set_)
    read = parse_rules(printed)
    assert read.clauses == fitted.rule_set_.clauses
    assert (read.covers(X) == fitted.predict(X)).all()
    assessment = assess(printed, X, y, fitted)
    assert assessment.rules.clauses == fitted.rule_set_.clauses
    assert assessment.certificate.is_optimal == fitted.certificate_.is_optimal


def test_conditions_of_the_model_s_own_rules_are_known_as_well(model):
    given_clause = Clause((Condition("age", R.LE, 20.299999999999997),))
    own = dataclasses.replace(model.rule_set_, clauses=(given_clause,))
    saved = dataclasses.replace(model.model_, rule_sets=(own,))
    assert assess("age <= 20.3", PEOPLE, RISK, saved).rules.clauses == (given_clause,)


# Slips


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("job = 'clrk'", "'job == 'clrk'': no row has this value. Did you mean 'clerk'?"),
        ("job != 'xyz'", "no row has this value. There are: clerk, cook, nurse."),
        ("age > 100", "'age > 100' is true on no row: age goes from 20 to 70"),
        ("job is null", "'job is null' is true on no row"),
        ("job is not null", "'job is not null' is true on every row"),
        ("age > 40\nage > 40", "the clause 'age > 40' is there 2 times"),
    ],
)
def test_slips_are_noted(text, note):
    assessment = assess(text, PEOPLE, RISK)
    assert len(assessment.notes) == 1
    assert note in assessment.notes[0]
    assert f"Note: {assessment.notes[0]}" in str(assessment)


def test_rules_without_slips_have_no_notes():
    assert assess("age > 40 AND job = 'clerk'\nmember = True", PEOPLE, RISK).notes == ()


@pytest.mark.parametrize(
    ("rules", "y", "message"),
    [
        ("agee > 40", RISK, "line 1, column 1: there is no column 'agee'. Did you mean 'age'"),
        ("age = 'x'", RISK, "'age' holds numbers, but .* compares text. Take the quotes off"),
        ("job = 12", RISK, "'job' holds text, but .* compares numbers. Put the value in quotes"),
        ("member = 'True'", RISK, "'member' holds true/false"),
        ("age > 40 THEN hgh ELSE low", RISK, "No row has the label 'hgh'.* Did you mean 'high'"),
        ("age > 40", RISK[:3], "one label per row"),
        ("age > 40", list("abcabcab"), "which label they describe"),
    ],
)
def test_what_cannot_be_assessed_is_turned_down(rules, y, message):
    with pytest.raises(ValueError, match=message):
        assess(rules, PEOPLE, y)


def test_rules_that_name_an_unknown_column_are_turned_down_with_the_nearest():
    rules = RuleSet((Clause((Condition("agee", R.LE, 3),)),), positive="high", negative="low")
    with pytest.raises(ValueError, match=r"no column 'agee'.* Did you mean 'age'"):
        assess(rules, PEOPLE, RISK)


def test_a_table_without_rows_is_turned_down():
    with pytest.raises(ValueError, match="no rows"):
        assess("age > 40", PEOPLE[:0], [])


def test_something_else_than_a_model_is_turned_down():
    with pytest.raises(TypeError, match="neither a fitted"):
        assess("age > 40", PEOPLE, RISK, object())


def test_html_shows_rules_figures_and_what_is_proved(model):
    shown = assess("age > 60 AND job != 'a<b'", PEOPLE, RISK, model)._repr_html_()
    assert "Hamming loss" in shown
    assert "a&lt;b" in shown
    assert "a<b" not in shown


def test_the_best_model_of_any_search_is_taken():
    search = GridSearchCV(
        BooleanRuleClassifier(positive_label="high"), {"max_complexity": [2, 3]}, cv=2
    )
    search.fit(PEOPLE, RISK)
    own = search.best_estimator_.rule_set_
    assert assess(own, PEOPLE, RISK, search).certificate is not None


def test_as_many_clauses_as_the_limit_allows_are_allowed():
    model = BooleanRuleClassifier(6, max_clauses=2, positive_label="high").fit(PEOPLE, RISK)
    texts = [str(c) for c in model.conditions_[:3]]
    two, three = (assess(" OR ".join(texts[:n]), PEOPLE, RISK, model) for n in (2, 3))
    assert two.standing.reasons == ()
    assert "above the limit of 2" in three.standing.reasons[0]
