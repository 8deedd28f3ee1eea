"""Edited rules beside a model with requirements: what they break, and what may be claimed."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from boolrules import (
    BooleanRuleClassifier,
    Clause,
    Form,
    RequirementsNotMetError,
    RuleSet,
    assess,
    compare,
)
from boolrules.data.datasets import loan_applications
from strategies import asked, times

ASKED = ["precision >= 0.82", "recall >= 0.5 within housing", "flagged <= 310"]
# Of complexity 5; it finds more positives than any rules that meet the requirements.
LOOSE = "missed_payments > 1\nyears_employed <= 1 AND housing == 'rent'"


@pytest.fixture(scope="module")
def loans():
    X, y = loan_applications()
    model = BooleanRuleClassifier(
        6, positive_label="defaulted", requirements=ASKED, objective="missed", time_limit=30
    ).fit(X, y)
    assert model.certificate_.is_optimal
    return X, y, model


def test_rules_that_break_requirements_are_not_said_to_beat_the_optimum(loans):
    X, y, model = loans
    assessment = assess(LOOSE, X, y, model)
    bound = model.certificate_.lower_bound
    assert assessment.hamming_loss < bound
    standing, text = assessment.standing, str(assessment)
    assert assessment.certificate is None
    assert standing.broken == ("precision >= 0.82", "flagged <= 310")
    assert standing.reasons == ("they break 'precision >= 0.82'", "they break 'flagged <= 310'")
    assert "does not speak of these rules: they break 'precision >= 0.82'" in text
    assert "above the objective" not in text
    # The optimum under the requirements is the model's, and is proved anew.
    assert standing.under_requirements is model.certificate_
    assert f"Rules that meet the requirements: {model.certificate_.sentence()}" in text
    assert "Rules that break them may lose less." in text
    assert "proved anew on these rows" in text
    assert [s.figure for s in assessment.standings.broken] == ["precision", "rows flagged"]
    assert text.endswith(str(assessment.standings))
    plain = json.loads(json.dumps(assessment.to_plain(), allow_nan=False))
    assert plain["lower_bound"] is None
    assert plain["model"]["broken"] == list(standing.broken)
    assert plain["model"]["bound_under_requirements"] == bound
    assert [one["is_met"] for one in plain["requirements"]] == [False, True, True, True, False]
    assert "NOT MET" in assessment._repr_html_()


def test_rules_that_meet_them_are_held_against_the_bound(loans):
    X, y, model = loans
    own = assess(model.rule_set_, X, y, model)
    assert own.certificate.is_optimal
    assert own.standings.all_met
    assert own.standing.broken == ()
    assert own.standing.under_requirements is None
    assert str(own).count("optimal among all") == 1
    assert f"Missed positives {own.hamming_loss}, complexity 6." in str(own)
    assert f"The model's own rules: missed positives {own.hamming_loss}" in str(own)


def test_without_time_nothing_is_claimed_of_rules_that_meet_them_either(loans):
    X, y, model = loans
    assessment = assess(LOOSE, X, y, model, time_limit=0)
    assert assessment.standing.under_requirements is None
    assert "lower bound" not in str(assessment)


def test_other_reasons_come_first(loans):
    X, y, model = loans
    assessment = assess("missed_payments > 1\nage > 20 OR age <= 20", X, y, model)
    assert assessment.standing.under_requirements is None
    assert "they break 'precision >= 0.82'" in assessment.standing.reasons
    assert any("not among the model's conditions" in r for r in assessment.standing.reasons)


def test_a_margin_that_is_not_kept_is_named():
    X, y = loan_applications()
    model = BooleanRuleClassifier(
        6, positive_label="defaulted", requirements="recall >= 0.85 margin 0.02", time_limit=30
    ).fit(X, y)
    plain = BooleanRuleClassifier(6, positive_label="defaulted", time_limit=30).fit(X, y)
    assessment = assess(plain.rule_set_, X, y, model)
    assert assessment.standings.all_met
    assert assessment.standing.reasons == (
        "they keep 'recall >= 0.85 margin 0.02' but for its margin",
    )
    assert assessment.standing.under_requirements is model.certificate_


def test_what_is_broken_only_where_clauses_count_is_said_so():
    X = pl.DataFrame({"a": [1, 1, 1, 1, 0, 0, 0, 0], "b": [1, 1, 0, 1, 1, 0, 0, 0]})
    y = [1, 1, 1, 0, 1, 0, 0, 0]
    model = BooleanRuleClassifier(4, binarizer=None, requirements="covered <= 1").fit(X, y)
    assessment = assess("a == 1\nb == 1", X, y, model)
    assert assessment.standings.all_met
    (reason,) = assessment.standing.reasons
    assert reason.endswith("where a row counts once for each clause that wrongly decides it")
    assert assessment.certificate is None


def test_a_table_without_the_column_of_a_requirement_is_no_reason_to_fail():
    X, y = loan_applications()
    model = BooleanRuleClassifier(
        4,
        positive_label="defaulted",
        requirements="recall >= 0.3 within housing",
        constraints={"forbidden_features": ["housing"]},
        time_limit=30,
    ).fit(X, y)
    assessment = assess("missed_payments > 1", X.drop("housing"), y, model)
    assert assessment.standings is None
    assert any("lacks the column of 'recall" in r for r in assessment.standing.reasons)


def test_without_requirements_nothing_is_said_of_them():
    X, y = loan_applications()
    model = BooleanRuleClassifier(2, positive_label="defaulted", time_limit=30).fit(X, y)
    assessment = assess("missed_payments > 1", X, y, model)
    assert assessment.standings is None
    assert "requirements" not in assessment.to_plain()
    assert "requirement" not in str(assessment).lower()


@st.composite
def rules_of(draw, conditions, form):
    clause = st.lists(st.sampled_from(conditions), min_size=1, max_size=2, unique=True)
    clauses = draw(st.lists(clause.map(tuple).map(Clause), max_size=2))
    return RuleSet(tuple(clauses), Form(form), True, False)


@times(3)
@given(st.data())
def test_whatever_is_claimed_is_true_by_brute_force(data):
    task = data.draw(asked(is_plain=True, complexities=(2, 3, 4)))
    try:
        fitted = task.fit()
    except RequirementsNotMetError:
        assume(False)
    rules = data.draw(rules_of(list(fitted.conditions_), task.parameters["form"]))
    assessment = assess(rules, task.frame, task.is_positive, fitted, sample_weight=task.weights)
    plain, standing = task.plain(), assessment.standing
    mistakes = plain.mistakes([clause.conditions for clause in rules.clauses])
    optimum = plain.optimum(task.requirements)
    broken = [str(one) for one in task.requirements if not plain.meets([one], mistakes)]
    assert sorted(standing.broken) == sorted(set(broken))
    once = [min(n, 1) for n in mistakes]
    if not assessment.standings.all_met:
        assert not plain.meets([replace(r, margin=0) for r in task.requirements], once)
    for claimed in (assessment.certificate, standing.under_requirements):
        if claimed is not None:
            assert claimed.lower_bound <= optimum
            assert not claimed.is_optimal or claimed.objective == optimum
    if assessment.certificate is not None:
        assert not broken
        assert optimum <= assessment.certificate.objective
    if broken:
        assert assessment.certificate is None
    elif fitted.certificate_.lower_bound is not None:
        is_within = fitted.certificate_.problem.fits(
            rules.n_clauses, sum(len(clause.conditions) for clause in rules.clauses)
        )
        assert (assessment.certificate is not None) == is_within


# Other objectives


def test_fewest_errors_are_counted_as_the_certificate_counts_them():
    X, y = loan_applications()
    model = BooleanRuleClassifier(
        5, positive_label="defaulted", objective="errors", time_limit=30
    ).fit(X, y)
    assessment = assess(LOOSE, X, y, model)
    assert assessment.certificate.hamming_loss == assessment.n_mistakes < assessment.hamming_loss
    assert "Misclassified rows, each counted once: 194" in str(assessment)
    assert "The model's own rules: misclassified rows" in str(assessment)


def test_the_score_of_the_model_is_not_given_to_other_rules():
    X, y = loan_applications()
    model = BooleanRuleClassifier(4, positive_label="defaulted", objective="f1").fit(X, y)
    assessment = assess("missed_payments > 1", X, y, model)
    assert assessment.certificate is not None
    assert assessment.certificate.f1 is None
    text, f1 = str(assessment), model.certificate_.f1
    assert f"F1 {f1.value:.4f}" not in text
    assert f"greater F1 than the model's, {f1.value:.4f}, if and only if they lose less" in text
    own = assess(model.rule_set_, X, y, model)
    assert own.certificate.hamming_loss == pytest.approx(f1.loss)


# Side by side


def test_a_comparison_says_who_meets_the_requirements(loans):
    X, y, model = loans
    both = compare(model, LOOSE, X, y, names=("model", "edited"))
    assert both.standings[0].all_met
    text = str(both)
    assert "Limits that were required: model meets all." in text
    assert (
        "Limits that were required: edited does not meet 2 (precision 0.643, >= 0.82; rows "
        "flagged 440, <= 310)." in text
    )
    assert both._repr_html_().count("Limits that were required") == 2
    plain = json.loads(json.dumps(both.to_plain(), allow_nan=False))
    assert [one["is_met"] for one in plain["requirements"][1]].count(False) == 2
    other_way = compare(LOOSE, model, X, y)
    assert "first does not meet 2" in str(other_way)


def test_a_comparison_without_labels_or_requirements_says_nothing_of_them(loans):
    X, y, model = loans
    assert compare(model, LOOSE, X).standings is None
    assert compare(model.rule_set_, LOOSE, X, y).standings is None
    assert "requirements" in compare(model, LOOSE, X, y).to_plain()
    without = np.where(np.array(y) == "defaulted", "defaulted", "repaid")
    assert compare(LOOSE, "age > 40", X, without).standings is None
