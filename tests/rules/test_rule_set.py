"""Rule sets: what people read, how they predict and explain, and their JSON."""

import copy
import html
import json
import math
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolrules import Clause, Condition, Form, Relation, RuleSet
from boolrules.rules import Calibration, ClauseStatistics
from boolrules.rules.clause_statistics import RowCounts, wilson_interval
from boolrules.rules.export.outline import clause_figures, figure_names

MANY = settings(max_examples=max(200, settings.default.max_examples))

R = Relation
YOUNG = Condition("age", R.LE, 35.0)
OLD = Condition("age", R.GT, 60.0)
CLERK = Condition("job", R.EQ, "clerk")

PEOPLE = pl.DataFrame(
    {
        "age": [20, 30, 40, 65, 70, 80, None],
        "job": ["clerk", "cook", "clerk", "clerk", "cook", None, "cook"],
    }
)
#            20     30    40     65    70     80     None
IS_HIGH = np.array([True, False, True, True, False, False, True])

DNF = RuleSet(
    (Clause((YOUNG,)), Clause((OLD, CLERK)), Clause((YOUNG, CLERK))), Form.DNF, "high", "low"
)
CNF = RuleSet((Clause((YOUNG, OLD)), Clause((CLERK,))), Form.CNF, "high", "low")


# Reading


def test_dnf_prints_as_or_of_ands():
    assert str(DNF) == (
        "IF   age <= 35\n"
        "  OR (age > 60 AND job == 'clerk')\n"
        "  OR (age <= 35 AND job == 'clerk')\n"
        "THEN 'high'\n"
        "ELSE 'low'"
    )


def test_cnf_prints_as_and_of_ors():
    assert str(CNF) == (
        "IF   (age <= 35 OR age > 60)\n AND job == 'clerk'\nTHEN 'high'\nELSE 'low'"
    )


def test_the_target_is_named_where_it_is_known():
    rules = RuleSet((Clause((YOUNG,)),), Form.DNF, 1, 0, target="risk")
    assert str(rules).splitlines()[1:] == ["THEN risk is 1", "ELSE risk is 0"]


@pytest.mark.parametrize(
    ("form", "label"), [(Form.DNF, "low"), (Form.CNF, "high")], ids=["dnf", "cnf"]
)
def test_without_clauses_one_label_is_always_printed_and_predicted(form, label):
    rules = RuleSet((), form, "high", "low", target="risk")
    assert str(rules) == f"ALWAYS risk is '{label}' (there is no clause)"
    assert rules.predict(PEOPLE).tolist() == [label] * 7
    assert rules.complexity == 0


def test_a_rule_set_of_one_class_against_the_rest_does_not_print_none():
    rules = RuleSet((Clause((YOUNG,)),), Form.DNF, "high", None, target="risk")
    assert "None" not in str(rules)


def test_complexity_is_clauses_plus_conditions():
    assert DNF.complexity == 3 + 5
    assert [clause.complexity for clause in DNF.clauses] == [2, 3, 3]


def test_features_are_listed_once_in_order_of_appearance():
    assert DNF.features == ("age", "job")


def test_text_has_a_list_of_conditions_for_each_clause():
    assert CNF.to_text() == [["age <= 35", "age > 60"], ["job == 'clerk'"]]


def test_a_clause_without_conditions_is_turned_down():
    with pytest.raises(ValueError, match="at least one condition"):
        Clause(())


# Prediction


def test_dnf_is_positive_where_any_clause_holds():
    assert DNF.predict(PEOPLE).tolist() == ["high", "high", "low", "high", "low", "low", "low"]


def test_cnf_is_positive_where_every_clause_has_a_condition_that_holds():
    assert CNF.predict(PEOPLE).tolist() == ["high", "low", "low", "high", "low", "low", "low"]


@pytest.mark.parametrize("copied", [PEOPLE.to_pandas(), PEOPLE.to_arrow()])
def test_predictions_do_not_depend_on_the_library(copied):
    assert DNF.predict(copied).tolist() == DNF.predict(PEOPLE).tolist()


@pytest.mark.parametrize(
    ("positive", "negative"),
    [(1, 0), (2.5, 1.5), (True, False), ("b", "a"), ("yes", None), (3, None), ("1", 1)],
    ids=repr,
)
def test_labels_come_back_as_they_were_given(positive, negative):
    rules = RuleSet((Clause((YOUNG,)),), Form.DNF, positive, negative)
    predicted = rules.predict(PEOPLE).tolist()
    assert predicted[0] == positive
    assert predicted[2] == negative
    assert type(predicted[0]) is type(positive)
    assert type(predicted[2]) is type(negative)


def test_columns_that_the_rules_do_not_read_may_hold_anything():
    dated = PEOPLE.with_columns(day=pl.date(2020, 1, 1))
    assert DNF.predict(dated).tolist() == DNF.predict(PEOPLE).tolist()


def test_a_missing_column_is_named_beside_all_columns_of_the_table():
    with pytest.raises(ValueError, match=r"no column 'job'.*Its columns are: age, pay\b"):
        DNF.predict(pl.DataFrame({"age": [1], "pay": [2]}))


# Explanation


def test_a_yes_is_explained_by_the_clauses_that_hold():
    explanation = DNF.explain(PEOPLE)[0]
    assert explanation.prediction == "high"
    assert explanation.decided_by == (DNF.clauses[0], DNF.clauses[2])
    assert explanation.nearest is None
    assert str(explanation) == (
        "'high' because age <= 35; and because age <= 35 AND job == 'clerk'"
    )


def test_a_no_is_explained_by_the_failed_conditions_of_the_nearest_clause():
    rules = RuleSet((Clause((YOUNG, OLD)), Clause((OLD, CLERK))), Form.DNF, "high", "low")
    explanation = rules.explain(PEOPLE)[4]
    assert explanation.decided_by == ()
    assert explanation.nearest == rules.clauses[0]
    assert explanation.failed == (YOUNG,)
    assert str(explanation) == (
        "'low' because no clause covers it; nearest: age <= 35 AND age > 60, "
        "where 'age <= 35' failed"
    )


def test_labels_that_are_comparisons_are_explained_without_quotes():
    rules = RuleSet((Clause((YOUNG,)),), Form.DNF, "> 2", "<= 2")
    yes, no = (rules.explain(PEOPLE)[row] for row in (0, 4))
    assert str(yes).startswith("> 2 because age <= 35")
    assert str(no).startswith("<= 2 because no clause covers it")
    page = html.unescape(yes._repr_html_())
    assert "> 2<" in page
    assert "'> 2'" not in page


def test_the_nearest_clause_is_the_one_with_fewest_failed_conditions():
    rules = RuleSet((Clause((YOUNG, CLERK)), Clause((OLD, CLERK))), Form.DNF, "high", "low")
    explanation = rules.explain(PEOPLE)[4]
    assert explanation.nearest == rules.clauses[1]
    assert explanation.failed == (CLERK,)


def test_a_missing_value_fails_the_conditions_on_it():
    explanation = RuleSet((Clause((OLD, CLERK)),), Form.DNF, "high", "low").explain(PEOPLE)[5]
    assert explanation.failed == (CLERK,)


def test_a_no_of_a_cnf_is_explained_by_the_clauses_that_turn_the_row_away():
    explanation = CNF.explain(PEOPLE)[6]
    assert explanation.prediction == "low"
    assert explanation.decided_by == CNF.clauses


def test_two_clauses_that_turn_a_row_away_are_both_said_not_to_hold():
    text = str(CNF.explain(PEOPLE)[6])
    assert text.count("none of these holds") == 2 or "nor" in text


def test_a_yes_of_a_cnf_is_explained():
    explanation = CNF.explain(PEOPLE)[0]
    assert explanation.decided_by == ()
    assert str(explanation) == "'high' because every clause has a condition that holds"


@pytest.mark.parametrize("form", list(Form))
def test_a_rule_set_without_clauses_is_explained(form):
    text = str(RuleSet((), form, "high", "low").explain(PEOPLE)[0])
    assert text.endswith("because there is no clause")


@pytest.mark.parametrize("rules", [DNF, CNF], ids=["dnf", "cnf"])
def test_explanations_agree_with_predictions(rules):
    explained = [explanation.prediction for explanation in rules.explain(PEOPLE)]
    assert explained == rules.predict(PEOPLE).tolist()


# Loss and statistics


def test_the_loss_counts_a_covered_zero_once_for_each_clause_that_covers_it():
    rules = RuleSet((Clause((YOUNG,)), Clause((Condition("age", R.LE, 50.0),))))
    X = pl.DataFrame({"age": [20, 40, 70]})
    assert rules.hamming_loss(X, np.array([False, False, False])) == 2 + 1 + 0


def test_the_loss_counts_a_missed_positive_once():
    rules = RuleSet((Clause((YOUNG,)), Clause((Condition("age", R.LE, 50.0),))))
    X = pl.DataFrame({"age": [20, 40, 70]})
    assert rules.hamming_loss(X, np.array([True, True, True])) == 1


def test_the_loss_of_a_cnf_counts_the_clauses_that_turn_a_positive_away():
    X = pl.DataFrame({"age": [40, 20], "job": ["cook", "clerk"]})
    assert CNF.hamming_loss(X, np.array([True, False])) == 2 + 1


def test_the_loss_is_weighted():
    rules = RuleSet((Clause((YOUNG,)),))
    X = pl.DataFrame({"age": [20, 70]})
    loss = rules.hamming_loss(X, np.array([False, True]), np.array([0.5, 4.0]))
    assert loss == 4.5


def test_the_loss_is_an_integer_where_the_weights_are():
    loss = DNF.hamming_loss(PEOPLE, IS_HIGH, np.full(7, 2.0))
    assert isinstance(loss, int)


def by_hand(rules, k, weights):
    """Coverage, precision and rows that only clause k gets right, from the definitions."""
    decides = []
    for clause in rules.clauses:
        rows = []
        for age, job in PEOPLE.iter_rows():
            true = {
                YOUNG: age is not None and age <= 35,
                OLD: age is not None and age > 60,
                CLERK: job == "clerk",
            }
            held = [true[c] for c in clause.conditions]
            rows.append(all(held) if rules.form is Form.DNF else not any(held))
        decides.append(rows)
    right = IS_HIGH if rules.form is Form.DNF else ~IS_HIGH
    covered = [i for i in range(7) if decides[k][i]]
    alone = [i for i in covered if sum(rows[i] for rows in decides) == 1]
    total = sum(weights[i] for i in covered)
    precision = sum(weights[i] for i in covered if right[i]) / total
    return total, precision, sum(weights[i] for i in alone if right[i])


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("rules", [DNF, CNF], ids=["dnf", "cnf"])
@pytest.mark.parametrize("weights", [None, np.arange(1.0, 8.0)], ids=["ones", "weighted"])
def test_a_frame_has_coverage_precision_and_only_here_of_each_clause(library, rules, weights):
    frame = rules.with_statistics(PEOPLE, IS_HIGH, weights).to_frame(library)
    assert isinstance(frame, pd.DataFrame if library == "pandas" else pl.DataFrame)
    figures = ["coverage", "precision", "only_here"]
    weighted = [] if weights is None else [f"weighted_{name}" for name in figures]
    assert list(frame.columns) == ["clause", "n_conditions", *figures, *weighted]
    assert list(frame["clause"]) == [clause.text(rules.form) for clause in rules.clauses]
    assert list(frame["n_conditions"]) == [len(clause.conditions) for clause in rules.clauses]
    for k in range(rules.n_clauses):
        row = tuple(float(frame[name][k]) for name in figures)
        assert row == pytest.approx(by_hand(rules, k, np.ones(7)))
        if weighted:
            row = tuple(float(frame[name][k]) for name in weighted)
            assert row == pytest.approx(by_hand(rules, k, weights))


def test_a_frame_of_rules_without_statistics_leaves_them_open():
    frame = DNF.to_frame("polars")
    assert frame.height == 3
    assert frame["coverage"].null_count() == 3


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_of_no_clause_has_no_row(library):
    frame = RuleSet(()).to_frame(library)
    assert frame.shape == (0, 5)


def test_a_frame_of_an_unknown_library_is_turned_down():
    with pytest.raises(ValueError, match="library='excel' is unknown"):
        DNF.to_frame("excel")


def test_a_frame_is_pandas_by_default_where_it_is_installed():
    assert isinstance(DNF.to_frame(), pd.DataFrame)


def test_probability_is_the_smoothed_precision_of_the_best_clause_that_holds():
    rules = DNF.with_statistics(PEOPLE, IS_HIGH)
    # Young: 1 of 2; old clerks: 1 of 1; young clerks: 1 of 1; nobody: 2 of 4.
    expected = [2 / 3, 2 / 4, 3 / 6, 2 / 3, 3 / 6, 3 / 6, 3 / 6]
    assert rules.positive_probability(PEOPLE).tolist() == pytest.approx(expected)


def test_rules_without_statistics_have_no_probabilities():
    with pytest.raises(ValueError, match="no training statistics"):
        DNF.positive_probability(PEOPLE)
    with pytest.raises(ValueError, match="no training statistics"):
        DNF.positive_interval(PEOPLE)
    assert {(e.probability, e.interval) for e in DNF.explain(PEOPLE)} == {(None, None)}


@pytest.mark.parametrize("rules", [DNF, CNF], ids=["dnf", "cnf"])
def test_weights_do_not_enter_probabilities(rules):
    weights = np.array([5.0, 1.0, 2.0, 7.0, 1.0, 3.0, 4.0])
    plain, weighted = (rules.with_statistics(PEOPLE, IS_HIGH, w) for w in (None, weights))
    assert weighted.positive_probability(PEOPLE).tolist() == (
        plain.positive_probability(PEOPLE).tolist()
    )
    assert weighted.positive_score(PEOPLE).tolist() != plain.positive_score(PEOPLE).tolist()
    assert plain.positive_score(PEOPLE) == pytest.approx(plain.positive_probability(PEOPLE))


def test_rows_of_weight_zero_are_as_good_as_not_there():
    weights = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0])
    there = PEOPLE.filter(weights > 0)
    without = DNF.with_statistics(there, IS_HIGH[weights > 0])
    assert DNF.with_statistics(PEOPLE, IS_HIGH, weights) == without


SOBER = Calibration(-0.3, 0.5)


@pytest.mark.parametrize("rules", [DNF, CNF], ids=["dnf", "cnf"])
def test_a_calibration_corrects_probabilities_and_intervals_and_no_answer(rules):
    known = rules.with_statistics(PEOPLE, IS_HIGH)
    sober = replace(known, calibration=SOBER)
    p = known.positive_probability(PEOPLE)
    assert sober.positive_probability(PEOPLE) == pytest.approx(SOBER(p))
    for one in (known, sober):
        low, high = one.positive_interval(PEOPLE).T
        q = one.positive_probability(PEOPLE)
        assert (low <= q).all()
        assert (q <= high).all()
    assert sober.predict(PEOPLE).tolist() == known.predict(PEOPLE).tolist()
    assert sober.positive_score(PEOPLE).tolist() == known.positive_score(PEOPLE).tolist()
    assert sober != known


@pytest.mark.parametrize("form", list(Form))
def test_a_correction_brings_no_rows_to_an_interval(form):
    table = np.array([[1.0]] * 70 + [[0.0]] * 30)
    is_positive = np.array(([True] * 6 + [False] * 4) * 7 + [False] * 30)
    rules = RuleSet((Clause((Condition("x0", ">", 0),)),), form=form)
    flat = Calibration(intercept=0.0, slope=0.0)  # everything is even odds on rows left out
    known = replace(rules.with_statistics(table, is_positive), calibration=flat)
    n, z = (70, 30), 1.959964
    half = [z * math.sqrt(0.25 / m + (z / m) ** 2 / 4) / (1 + z * z / m) for m in n]
    if form is Form.CNF:  # clauses speak of rows that they turn away
        half.reverse()
    expected = [(0.5 - h, 0.5 + h) for h in half]
    assert known.precision_intervals() == pytest.approx(np.array(expected), abs=1e-6)


@pytest.mark.parametrize("rules", [DNF, CNF], ids=["dnf", "cnf"])
@pytest.mark.parametrize("calibration", [None, SOBER], ids=["training", "corrected"])
def test_an_explanation_says_how_often_such_an_answer_is_right(rules, calibration):
    known = replace(rules.with_statistics(PEOPLE, IS_HIGH), calibration=calibration)
    correct = calibration or Calibration()
    for i, explanation in enumerate(known.explain(PEOPLE)):
        deciding = [known.statistics[rules.clauses.index(c)] for c in explanation.decided_by]
        best = max(deciding or [known.undecided], key=lambda s: s.smoothed_precision)
        share = best.smoothed_precision
        p = correct([share if rules.form is Form.DNF else 1 - share])[0]
        # A clause is right where it answers "high" in DNF, and "low" in CNF.
        right_is_high = rules.form is Form.DNF
        ends = best.interval if right_is_high else tuple(1 - end for end in best.interval[::-1])
        if calibration is not None:
            ends = wilson_interval(p * best.covered, best.covered)
        if explanation.prediction == "low":
            p, ends = 1 - p, tuple(1 - end for end in ends[::-1])
        assert explanation.probability == pytest.approx(p)
        assert explanation.interval == pytest.approx(ends)
        assert explanation.is_corrected == (calibration is not None)
        p_high = known.positive_probability(PEOPLE)[i]
        assert p == pytest.approx(p_high if explanation.prediction == "high" else 1 - p_high)


def test_an_explanation_puts_its_probability_in_few_words():
    known = DNF.with_statistics(PEOPLE, IS_HIGH)
    assert str(known.explain(PEOPLE)[1]) == (
        "'high' because age <= 35 "
        "(right on 50 % of such rows, 95 % interval 9 % to 91 %; from training rows)"
    )
    sober = replace(known, calibration=SOBER).explain(PEOPLE)[1]
    assert str(sober).endswith("95 % interval 7 % to 88 %; corrected by rows left out)")


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0 %"), (0.004, "under 1 %"), (0.999, "over 99 %"), (1.0, "100 %")]
)
def test_nothing_is_called_certain_that_is_not(share, text):
    explanation = replace(
        DNF.with_statistics(PEOPLE, IS_HIGH).explain(PEOPLE)[1], probability=share
    )
    assert f"right on {text} of such rows" in str(explanation)


def test_counting_anew_drops_the_calibration():
    sober = replace(DNF.with_statistics(PEOPLE, IS_HIGH), calibration=SOBER)
    assert sober.with_statistics(PEOPLE, IS_HIGH).calibration is None


# Notebooks


def test_html_escapes_names_and_values():
    rules = RuleSet(
        (Clause((Condition("<b>age</b>", R.EQ, "<script>&"),)),),
        positive="<i>yes</i>",
        negative="no",
        target="<u>",
        statistics=(ClauseStatistics(3.0, 2.0, 1.0),),
    )
    page = rules._repr_html_()
    for tag in ("<b>", "<script>", "<i>", "<u>"):
        assert tag not in page
    assert "&lt;script&gt;&amp;" in page


def test_html_shows_the_statistics_of_each_clause():
    page = DNF.with_statistics(PEOPLE, IS_HIGH)._repr_html_()
    assert cells(page)[0] == ["", "clause", "coverage", "precision", "only here"]
    assert [row[0] for row in cells(page)[1:]] == ["IF", "OR", "OR", "THEN", "ELSE"]
    assert [row[2:] for row in cells(page)[1:4]] == [
        ["2", "50.0%", "0"],
        ["1", "100.0%", "1"],
        ["1", "100.0%", "0"],
    ]


def test_clauses_of_a_cnf_are_said_to_turn_rows_away():
    """What they let through is no figure of theirs: a row must pass every clause."""
    passes = Clause((Condition("age", "<=", 35),))
    rules = RuleSet((passes,), Form.CNF).with_statistics(
        pl.DataFrame({"age": [20, 30, 40, 50]}), [1, 0, 0, 1]
    )
    assert figure_names(rules) == ["turned away", "rightly", "only here"]
    assert list(clause_figures(rules)[0].values()) == ["2", "50.0%", "1"]


def test_html_has_weighted_figures_beside_plain_ones():
    page = DNF.with_statistics(PEOPLE, IS_HIGH, np.arange(1.0, 8.0))._repr_html_()
    assert cells(page)[0][2:] == [
        *("coverage", "precision", "only here", "weighted coverage", "weighted precision")
    ]
    assert cells(page)[1][2:] == ["2", "50.0%", "0", "3", "33.3%"]


def cells(page):
    """The texts of a table, row by row."""
    rows = ElementTree.fromstring(page).iter("tr")
    return [["".join(cell.itertext()) for cell in row] for row in rows]


def test_html_of_rules_without_statistics_shows_the_rules():
    assert cells(DNF._repr_html_())[:2] == [["", "clause"], ["IF", "age <= 35"]]


def test_html_of_a_constant_rule_set_says_always():
    rules = RuleSet((), positive="high", negative="low", target="risk")
    assert cells(rules._repr_html_())[1:] == [["ALWAYS", "risk is 'low'"]]


# JSON


FINITE = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.one_of(FINITE, st.integers(-(2**53), 2**53), st.booleans(), st.text())
CONDITIONS = st.one_of(
    st.builds(Condition, st.text(), st.sampled_from([R.LE, R.GT]), FINITE),
    st.builds(Condition, st.text(), st.sampled_from([R.EQ, R.NE]), VALUES),
    st.builds(Condition, st.text(), st.just(R.IN), st.tuples(FINITE, FINITE)),
    st.builds(Condition, st.text(), st.just(R.IS_NULL)),
)
COUNTS = st.floats(min_value=0, allow_infinity=False)
ROW_COUNTS = st.lists(COUNTS, min_size=3, max_size=3).map(
    lambda counts: RowCounts(*sorted(counts, reverse=True))
)
STATISTICS = st.builds(ClauseStatistics.of, ROW_COUNTS, st.none() | ROW_COUNTS)
CALIBRATIONS = st.none() | st.builds(Calibration, FINITE, COUNTS)
LABELS = st.one_of(st.none(), VALUES)


@st.composite
def rule_sets(draw):
    clauses = draw(
        st.lists(st.lists(CONDITIONS, min_size=1, max_size=3).map(tuple).map(Clause), max_size=3)
    )
    has_statistics = draw(st.booleans())
    return RuleSet(
        tuple(clauses),
        draw(st.sampled_from(Form)),
        draw(LABELS),
        draw(LABELS),
        draw(st.one_of(st.none(), st.text())),
        tuple(draw(STATISTICS) for _ in clauses) if has_statistics else (),
        draw(STATISTICS) if has_statistics else None,
        draw(CALIBRATIONS),
    )


@MANY
@given(rule_sets())
def test_json_reads_back_to_an_equal_rule_set(rules):
    again = RuleSet.from_json(rules.to_json())
    assert again == rules
    assert repr(again) == repr(rules)  # 1, 1.0 and True are equal but not the same
    assert again.to_json() == rules.to_json()


@pytest.mark.parametrize("text", ["héhé 🦓", 'it\'s "quoted"', "a\nb\t\\", "\u2028", "\x00"])
def test_odd_names_survive_json(text):
    rules = RuleSet((Clause((Condition(text, R.EQ, text),)),), positive=text, target=text)
    assert RuleSet.from_json(rules.to_json()) == rules


@pytest.mark.parametrize("number", [0.1, 1e-308, 1.7976931348623157e308, 5e-324, -0.0, 2**53 + 2])
def test_numbers_survive_json_to_the_last_bit(number):
    rules = RuleSet((Clause((Condition("a", R.LE, number),)),))
    value = RuleSet.from_json(rules.to_json()).clauses[0].conditions[0].value
    assert repr(value) == repr(number)


GOOD = json.loads(
    RuleSet(
        (Clause((YOUNG, CLERK)), Clause((Condition("age", R.IN, (1.0, 2.0)),))),
        positive="high",
        negative="low",
        target="risk",
    )
    .with_statistics(PEOPLE, IS_HIGH)
    .to_json()
)


def altered(**changes):
    return json.dumps(GOOD | changes)


def with_condition(**changes):
    plain = copy.deepcopy(GOOD)
    plain["clauses"][0][0] |= changes
    return json.dumps(plain)


HUGE = 10**400
HOSTILE = {
    "empty": "",
    "not JSON": "IF age <= 35 THEN 1",
    "cut off": json.dumps(GOOD)[:-9],
    "null": "null",
    "number": "3",
    "text": '"dnf"',
    "list": "[]",
    "empty object": "{}",
    "pickle": "cos\nsystem\n(S'true'\ntR.",
    "python": "__import__('os').system('true')",
    "very long number": "9" * 10_000,
    "deep list": "[" * 100_000,
    "deep object": '{"a":' * 100_000,
    "deep clauses": '{"form": "dnf", "clauses": ' + "[" * 900 + "]" * 900 + "}",
    "deep label": json.dumps(GOOD)[:-1] + ', "positive": ' + "[" * 900 + "]" * 900 + "}",
    "no clauses": json.dumps({k: v for k, v in GOOD.items() if k != "clauses"}),
    "no form": json.dumps({k: v for k, v in GOOD.items() if k != "form"}),
    "clauses null": altered(clauses=None),
    "clauses object": altered(clauses={"a": 1}),
    "clauses text": altered(clauses="ab"),
    "clause null": altered(clauses=[None]),
    "clause empty": altered(clauses=[[]], statistics=[]),
    "clause of text": altered(clauses=[["age <= 3"]]),
    "form unknown": altered(form="xnf"),
    "form list": altered(form=["dnf"]),
    "form null": altered(form=None),
    "label list": altered(positive=[1]),
    "label object": altered(negative={}),
    "label NaN": altered(positive=float("nan")),
    "label huge": altered(positive=HUGE),
    "label infinite": altered(negative=float("inf")),
    "target list": altered(target=[1]),
    "target number": altered(target=3),
    "statistics number": altered(statistics=5),
    "statistics true": altered(statistics=True),
    "statistics text": altered(statistics="abc"),
    "statistics too few": altered(statistics=[[1, 1, 1]]),
    "statistics short": altered(statistics=[[1, 1], [1, 1]]),
    "statistics text inside": altered(statistics=[[1, 1, "1"], [1, 1, 1]]),
    "statistics of four": altered(statistics=[[1, 1, 1, 1], [1, 1, 1]]),
    "statistics negative": altered(statistics=[[1, 1, -1], [1, 1, 1]]),
    "calibration list": altered(calibration=[0, 1]),
    "calibration negative": altered(calibration={"intercept": 0, "slope": -0.1}),
    "calibration infinite": altered(calibration={"intercept": float("inf"), "slope": 1}),
    "statistics NaN": altered(statistics=[[1, 1, float("nan")], [1, 1, 1]]),
    "statistics huge": altered(statistics=[[1, 1, HUGE], [1, 1, 1]]),
    "undecided number": altered(undecided=3),
    "undecided huge": altered(undecided=[HUGE, 1, 1]),
    "feature number": with_condition(feature=1),
    "relation unknown": with_condition(relation="exec"),
    "value code": with_condition(value="__import__('os').system('true')"),
    "value NaN": with_condition(value=float("nan")),
    "value infinite": with_condition(value=float("-inf")),
    "value huge": with_condition(value=HUGE),
    "value list": with_condition(value=[1, 2]),
    "value object": with_condition(value={"__reduce__": ["os.system", "true"]}),
    "value null": with_condition(value=None),
    "except_values huge": with_condition(except_values=[HUGE]),
    "except_values number": with_condition(except_values=3),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_json_gives_a_value_error(text):
    with pytest.raises(ValueError, match=r".+"):
        RuleSet.from_json(text)


def test_text_that_looks_like_code_stays_text():
    code = "__import__('os').system('true')"
    rules = RuleSet.from_json(altered(positive=code, target=code))
    assert rules.positive == code
    assert rules.predict(PEOPLE)[0] == code


PLAIN = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=5),
        st.sampled_from([HUGE, "dnf", "<=", "a"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["feature", "relation", "value", "except_values"]), inner, max_size=4
        ),
    ),
    max_leaves=8,
)


@MANY
@given(st.sampled_from(sorted(GOOD)), PLAIN)
def test_whatever_stands_in_a_rule_sets_json_it_is_read_or_gives_a_value_error(key, plain):
    text = altered(**{key: plain})
    try:
        rules = RuleSet.from_json(text)
    except ValueError:
        return
    assert RuleSet.from_json(rules.to_json()) == rules
