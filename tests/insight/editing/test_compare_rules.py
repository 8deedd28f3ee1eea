"""Two rule sets side by side, held against plain loops."""

import json

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from boolrules import BooleanRuleClassifier, Clause, Form, RuleSet, compare
from strategies import encodings, frames, generators

PEOPLE = pl.DataFrame(
    {"age": [20, 30, 40, 50, 60, None], "job": ["cook", "clerk", "cook", "clerk", "cook", "nurse"]}
)
RISK = ["high", "high", "low", "low", "low", "low"]
YOUNG = "age <= 35 THEN high ELSE low"
CLERK = "job == 'clerk' THEN high ELSE low"


@st.composite
def two_rule_sets(draw, conditions):
    clause = st.lists(st.sampled_from(conditions), min_size=1, max_size=2).map(tuple).map(Clause)
    clauses = st.lists(clause, max_size=3).map(tuple)
    forms = st.sampled_from(list(Form))
    return [RuleSet(draw(clauses), draw(forms), "yes", "no") for _ in range(2)]


@given(st.data())
def test_counts_and_differences_are_those_of_plain_loops(data):
    frame = data.draw(frames(n_rows=12))
    conditions = data.draw(encodings(frame)).conditions
    assume(conditions)
    first, second = data.draw(two_rule_sets(conditions))
    y = ["yes" if yes else "no" for yes in data.draw(generators()).random(12) < 0.5]
    both = compare(first, second, frame, y)
    answers = list(zip(first.predict(frame).tolist(), second.predict(frame).tolist(), strict=True))
    for i, one in enumerate(both.labels):
        for j, other in enumerate(both.labels):
            assert both.counts[i][j] == answers.count((one, other))
    differ = [i for i, (a, b) in enumerate(answers) if a != b]
    assert [d.row for d in both.differences] == differ
    assert both.n_agree == 12 - len(differ)
    right = [(a == label, b == label) for (a, b), label in zip(answers, y, strict=True)]
    assert list(both.n_right.values()) == [
        *(right.count((True, True)), right.count((True, False))),
        *(right.count((False, True)), right.count((False, False))),
    ]
    for d in both.differences:
        assert (d.first, d.second, d.label) == (*answers[d.row], y[d.row])
        for rules, because in ((first, d.first_because), (second, d.second_because)):
            decided_by = rules.explain(frame)[d.row].decided_by
            assert all(clause.text(rules.form) in because for clause in decided_by)
            assert decided_by or "clause" in because
    json.dumps(both.to_plain(), allow_nan=False)
    assert str(both)
    assert both._repr_html_()


def test_rules_agree_with_themselves():
    both = compare(YOUNG, YOUNG, PEOPLE, RISK)
    assert both.differences == ()
    assert both.n_right == {"both": 6, "first only": 0, "second only": 0, "neither": 0}
    assert "differ on 0" in str(both)
    assert "Where" not in str(both)


def test_without_labels_nobody_is_right():
    both = compare(YOUNG, CLERK, PEOPLE)
    assert both.n_right is None
    assert "label" not in both.to_rows()[0]
    assert "ight" not in str(both)


def test_rows_that_differ_for_the_same_reasons_are_shown_together():
    both = compare("age > 35 THEN high ELSE low", CLERK, PEOPLE, RISK, first_row=1)
    assert "- 2 rows (3, 5); first is right on 0, second on 2:" in str(both)
    assert [row["row"] for row in both.to_rows()] == [2, 3, 5]


def test_many_groups_are_cut_short_in_text_alone():
    frame = pl.DataFrame({"x": range(40)})
    one = "\n".join(f"x == {k}" for k in range(40))
    both = compare(one, "x > 100", frame)
    assert "and 28 more such groups" in str(both)
    assert len(both.to_rows()) == 40


def test_text_takes_the_labels_of_the_other():
    rules = RuleSet((), Form.CNF, "high", "low")
    assert compare("age <= 35", rules, PEOPLE).labels == ("low", "high")
    assert compare("age <= 35", YOUNG, PEOPLE).labels == ("low", "high")
    assert compare(YOUNG, "age <= 35", PEOPLE, RISK).n_agree == 6


def test_text_takes_the_labels_of_the_rows():
    assert compare("age <= 35", "job = 'clerk'", PEOPLE, RISK).labels == ("high", "low")


def test_a_model_is_compared_with_what_it_prints():
    model = BooleanRuleClassifier(max_complexity=3, positive_label="high").fit(PEOPLE, RISK)
    both = compare(str(model.rule_set_), model, PEOPLE, RISK)
    assert both.n_agree == 6
    assert compare(model, model.model_, PEOPLE).n_agree == 6


def test_models_of_three_classes_are_compared():
    jobs = PEOPLE["job"].to_list()
    ages = PEOPLE.select("age")
    small = BooleanRuleClassifier(max_complexity=2).fit(ages, jobs)
    large = BooleanRuleClassifier(max_complexity=6).fit(ages, jobs)
    both = compare(small, large, ages, jobs)
    one, other = small.predict(ages), large.predict(ages)
    assert len(both.differences) == (one != other).sum() > 0
    assert both.n_right["both"] + both.n_right["first only"] == (one == jobs).sum()
    assert set(both.labels) == {"clerk", "cook", "nurse"}


def test_one_class_against_the_rest_is_compared_with_a_model_of_all():
    jobs = PEOPLE["job"].to_list()
    model = BooleanRuleClassifier(max_complexity=4).fit(PEOPLE, jobs)
    both = compare("age in (25, 35] THEN clerk", model, PEOPLE, jobs)
    assert both.labels == (None, "clerk")
    assert "not 'clerk'" in str(both)
    assert both.n_rows == sum(both.n_right.values()) == 6
    assert [d.row for d in both.differences] == [3]


@pytest.mark.parametrize(
    ("first", "second", "y", "message"),
    [
        ("age <= 35 THEN a", "age <= 35 THEN b", None, "describes 'a' against all others"),
        ("age <= 35 THEN a ELSE b", "age > 1 THEN c ELSE d", None, "no label in common"),
        (YOUNG, CLERK, ["x"] * 6, "No row has a label that the rules know"),
        (YOUNG, CLERK, RISK[:2], "one label per row"),
        ("agee <= 35", CLERK, None, "first, line 1, column 1: there is no column 'agee'"),
        (YOUNG, "job ==", None, "second, line 1, column 7: found the end"),
    ],
)
def test_what_cannot_be_compared_is_turned_down(first, second, y, message):
    with pytest.raises(ValueError, match=message):
        compare(first, second, PEOPLE, y)


def test_no_rows_are_no_difference():
    both = compare(YOUNG, CLERK, PEOPLE[:0])
    assert (both.n_rows, both.differences) == (0, ())
    assert str(both).startswith("0 rows")


def test_html_is_escaped():
    shown = compare("job == 'a<b'", "age <= 35", PEOPLE)._repr_html_()
    assert "a<b" not in shown
