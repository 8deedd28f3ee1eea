"""What notebooks show of fitted models, certificates and paths; rule sets have their own tests."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from sklearn import config_context

from boolrules import (
    Argument,
    BooleanRuleClassifier,
    BooleanRuleClassifierCV,
    Certificate,
    complexity_path,
    find_alternatives,
)
from boolrules._support import html
from boolrules.data.problem import Problem
from boolrules.proof.verification import Finding

AGE, IS_CLERK = np.arange(40) // 2, np.arange(40) % 2 == 1
TABLE = pl.DataFrame({"<b>age</b>": AGE, "job": np.where(IS_CLERK, "<i>clerk</i>", "cook")})
LABELS = np.where((AGE > 7) & IS_CLERK, "<u>", "no")


def html_of(thing):
    """What Jupyter asks for: the bundle where there is one."""
    if hasattr(thing, "_repr_mimebundle_"):
        return thing._repr_mimebundle_()["text/html"]
    return thing._repr_html_()


@pytest.fixture(scope="module")
def model():
    return BooleanRuleClassifier(max_complexity=4, positive_label="<u>").fit(TABLE, LABELS)


def test_a_fitted_classifier_shows_its_rules_and_certificate_above_the_diagram(model):
    page = html_of(model)
    rules, certificate = html_of(model.rule_set_), html_of(model.certificate_)
    assert page.startswith(f"{rules}\n{certificate}\n")
    assert "sk-estimator" in page


def test_a_classifier_that_is_not_fitted_shows_the_diagram_alone():
    for model in (BooleanRuleClassifier(), BooleanRuleClassifierCV()):
        assert html_of(model).startswith("<style>")


def test_scikit_learns_own_setting_is_respected(model):
    with config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()


def test_three_classes_are_all_shown():
    size = np.arange(30.0).reshape(-1, 1)
    label = np.repeat(["small", "medium", "large"], 10)
    model = BooleanRuleClassifier(max_complexity=3).fit(size, label)
    page = html_of(model)
    assert all(html_of(rules) in page for rules in model.rule_sets_)
    assert all(html_of(certificate) in page for certificate in model.certificates_)
    path = complexity_path(size, label, complexities=[2, 3])
    rows = list(ElementTree.fromstring(html_of(path)).iter("tr"))
    assert len(rows) == 1 + len(path.efficient)
    assert all("THEN" in "".join(row.itertext()) for row in rows[1:])


def test_a_chosen_model_says_what_was_chosen():
    search = BooleanRuleClassifierCV(complexities=[2, 3], cv=2, n_repeats=1, random_state=0)
    page = html_of(search.fit(TABLE, LABELS))
    assert page.startswith(
        f"<p>Chosen: complexity at most {search.best_complexity_}, "
        f"with a mean score of {search.best_score_:.3f} on rows left out.</p>\n"
    )
    assert html_of(search.rule_set_) in page


def test_a_path_shows_its_efficient_points_with_their_rules():
    path = complexity_path(TABLE, LABELS, complexities=[2, 3, 4], positive_label="<u>")
    head, *rows = ElementTree.fromstring(html_of(path)).iter("tr")
    texts = [[cell.text for cell in row] for row in rows]
    assert [cell.text for cell in head][-2:] == ["proved", "rules"]
    assert [row[0] for row in texts] == [str(point.max_complexity) for point in path.efficient]
    rules = str(path.efficient[-1].rule_set)
    assert texts[-1][-1] == rules[: rules.index("\nTHEN")]


def test_a_path_without_a_bound_shows_a_dash():
    path = complexity_path(TABLE, LABELS, complexities=[2], mode="fast")
    row = list(ElementTree.fromstring(html_of(path)).iter("tr"))[1]
    assert [cell.text for cell in row][3:5] == ["-", "no"]


@pytest.mark.parametrize("bound", [None, 142, 143])
def test_a_certificate_says_what_is_proved_and_of_what(bound):
    argument = Argument.NONE if bound is None else Argument.EXACT_SEARCH
    certificate = Certificate(143, 14, bound, argument, Problem(max_complexity=15))
    page = html_of(certificate)
    assert f">{certificate}</p>" in page
    assert ("#2f9e62" in page) == certificate.is_optimal
    assert certificate.reason in page
    assert "not of new rows" in page


def test_names_and_labels_cannot_smuggle_markup_in(model):
    path = complexity_path(TABLE, LABELS, complexities=[2, 3], positive_label="<u>")
    for thing in (model.rule_set_, model.certificate_, path):
        page = html_of(thing)
        assert not any(tag in page for tag in ("<b>", "<i>", "<u>"))
    above_the_diagram = html_of(model).split("<div")[0].split("<style")[0]
    assert not any(tag in above_the_diagram for tag in ("<b>", "<i>", "<u>"))


def test_a_result_and_a_certificate_print_without_their_arrays(model):
    assert "columns=" not in repr(model.result_)
    assert "duals=" not in repr(model.certificate_)


def texts_of(page):
    """The texts of all cells, and that every element is closed."""
    root = ElementTree.fromstring(f"<div>{page}</div>")
    return ["".join(cell.itertext()) for cell in root.iter() if cell.tag in ("td", "th", "p")]


def test_an_explanation_shows_what_held_and_what_stood_in_the_way(model):
    covered, uncovered = model.explain(TABLE)[39], model.explain(TABLE)[1]
    texts = texts_of(html_of(covered))
    assert texts[0] == "'<u>'"
    assert texts[1:3] == ["✓", covered.decided_by[0].text(covered.form)]
    assert texts[-1].startswith("Right on ")
    texts = texts_of(html_of(uncovered))
    for condition in uncovered.nearest.conditions:
        sign = texts[texts.index(str(condition)) - 1]
        assert sign == ("✗" if condition in uncovered.failed else "✓")


def test_a_verification_shows_each_finding(model):
    checked = model.verify(TABLE, LABELS)
    texts = texts_of(html_of(checked))
    assert texts[0] == "✓ Everything claimed holds."
    assert texts[1::2] == ["✓"] * len(checked.findings)
    assert texts[2::2] == [finding.text for finding in checked.findings]
    broken = replace(checked, findings=(Finding(False, "it is <so>"), *checked.findings))
    assert texts_of(html_of(broken))[:3] == ["✗ Not everything claimed holds.", "✗", "it is <so>"]
    other = replace(checked, other_rows="3 rows less")
    assert texts_of(html_of(other))[0] == "These are not the training rows: 3 rows less."
    unchecked = replace(checked, unchecked=("figures",))
    assert texts_of(html_of(unchecked))[-2:] == ["-", "not checked: figures"]


def test_a_result_shows_what_was_proved_and_where_the_time_went(model):
    result = model.result_
    page = html_of(result)
    texts = texts_of(page)
    assert html_of(result.certificate) in page
    assert any(f"stopped: {result.stop_reason}." in text for text in texts)
    assert set(result.seconds_by_step) <= set(texts)
    assert str(result.trace[-1].number) in texts


def test_alternatives_are_a_table_of_rules(model):
    found = find_alternatives(model, TABLE, LABELS, within=1)
    texts = texts_of(html_of(found))
    assert texts[0] == found.sentence()
    assert f"{found[0]}  (the model)" in texts


def test_shares_have_a_bar_behind_them():
    page = html.table("s", ["share"], [["40.0%"], ["-"]])
    assert page.count("linear-gradient") == 1
    assert "40.0%, transparent 40.0%" in page
