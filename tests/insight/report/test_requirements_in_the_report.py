"""Requirements in the report: group by group, on the rows given and on rows left out."""

import re
from collections import Counter

import numpy as np
import polars as pl
import pytest
from report_models import loans
from sklearn.model_selection import StratifiedKFold

from boolrules import (
    BooleanRuleClassifier,
    BooleanRuleClassifierCV,
    Model,
    RequirementsNotMetError,
    complexity_path,
    make_report,
)
from boolrules.estimators import reporting
from boolrules.insight.report.page import SCRIPTS, read_template

ASKED = ["precision >= 0.7", "recall >= 0.3 within home", "flagged <= 70"]


def fitted(requirements=ASKED, C=5, **parameters):
    X, y = loans()
    model = BooleanRuleClassifier(
        C, positive_label="refused", requirements=requirements, random_state=0, **parameters
    )
    return model.fit(X, y), X, y


def figures_of(report, point=0):
    facts = report.facts.points[point].requirements
    return {(f.figure, f.group): f for f in facts.figures}


def by_hand(flagged, y, home, groups):
    """Count what the requirements speak of, by plain loops."""
    rows = [(f, label == "refused", h) for f, label, h in zip(flagged, y, home, strict=True)]
    right = sum(f and p for f, p, _ in rows)
    found = {
        ("precision", "all rows"): right / sum(f for f, _, _ in rows),
        ("rows flagged", "all rows"): sum(f for f, _, _ in rows),
    }
    for group in groups:
        of_group = [f for f, p, h in rows if p and h == group]
        found["recall", f"home = {group}"] = sum(of_group) / len(of_group)
    return found


@pytest.fixture(scope="module")
def report():
    model, X, y = fitted()
    return model, X, y, make_report(model, X, y, cv=4, time_limit=None)


def test_figures_on_training_rows_are_those_of_plain_loops(report):
    model, X, y, made = report
    figures = figures_of(made)
    groups = ["family", "own", "rent"]
    expected = by_hand(model.predict(X) == "refused", y, X["home"], groups)
    assert {key: f.given.value for key, f in figures.items()} == pytest.approx(expected)
    assert all(f.given.is_met and f.given.short is None for f in figures.values())
    assert figures["precision", "all rows"].limit == ">= 0.7"
    assert made.facts.points[0].requirements.asked == [
        "precision of at least 0.7",
        "recall of at least 0.3 within each home",
        "at most 70 rows flagged",
    ]


def test_figures_on_rows_left_out_are_those_of_rules_learned_without_them(report):
    _, X, y, made = report
    flagged = np.zeros(len(y), dtype=bool)
    # Limits on numbers of rows are in proportion to the rows learned from.
    in_proportion = [*ASKED[:2], "flagged <= 52.5"]
    splitter = StratifiedKFold(4, shuffle=True, random_state=0)
    for train, test in splitter.split(np.zeros(len(y)), y):
        anew = BooleanRuleClassifier(
            5, positive_label="refused", requirements=in_proportion, mode="fast", random_state=0
        ).fit(X[train], y[train])
        flagged[test] = anew.predict(X[test]) == "refused"
    expected = by_hand(flagged, y, X["home"], ["family", "own", "rent"])
    figures = figures_of(made)
    assert {key: f.left_out.value for key, f in figures.items()} == pytest.approx(expected)
    for f in figures.values():
        is_low, limit = f.limit.startswith("<="), float(f.limit.split()[1])
        over = f.left_out.value - limit if is_low else limit - f.left_out.value
        assert f.left_out.is_met == (over <= 0)
        assert f.left_out.short == (None if over <= 0 else pytest.approx(over))
        if f.is_share:
            low, high = f.left_out.interval
            assert low < f.left_out.value <= high


def test_it_says_that_requirements_hold_in_training_and_may_fail_on_new_rows(report):
    *_, made = report
    first, second, third = made.facts.points[0].requirements.sentences
    assert first == (
        "On the training rows the requirements hold by construction. On new rows they may fail; "
        "rows left out show by how much."
    )
    n_kept = sum(f.left_out.is_met for f in figures_of(made).values())
    assert f"under the same requirements, {n_kept} of 5 limits are kept." in second
    assert "Limits on numbers of rows were lowered" in third
    reading = made.facts.points[0].rule_sets[0].reading
    assert "that meet the requirements and can be written" in reading[0]
    assert "whether they meet the requirements there" in reading[1]
    # For readers whose browser runs no scripts.
    assert first in re.search(r"<noscript>.*</noscript>", made.html, re.DOTALL)[0]


def test_without_requirements_there_is_no_such_section():
    X, y = loans()
    model = BooleanRuleClassifier(3, positive_label="refused").fit(X, y)
    facts = make_report(model, X, y, cv=None).facts
    assert facts.points[0].requirements is None
    assert "requirements" not in facts.points[0].rule_sets[0].reading[0]


def test_without_folds_nothing_is_said_of_new_rows():
    model, X, y = fitted()
    for reported in (model, Model.from_json(model.model_.to_json())):
        made = make_report(reported, X, y.to_numpy(), cv=None)
        facts = made.facts.points[0].requirements
        assert all(f.left_out is None for f in facts.figures)
        assert facts.sentences[0].endswith("On new rows they may fail.")
        assert facts.sentences[1] == "How they do on rows left out was not measured."
    named = {p.name: p.value for p in made.facts.parameters}
    assert "'flagged <= 70'" in named["requirements"]


def test_other_rows_have_intervals_and_a_verdict_of_their_own():
    model, *_ = fitted()
    others, labels = loans(seed=5)
    made = make_report(model, others, labels)
    facts = made.facts.points[0].requirements
    assert not made.facts.data.are_training_rows
    n_broken = sum(f.given.is_met is False for f in facts.figures)
    word = {0: "all of them hold here", 1: "here one limit is not kept"}
    assert word.get(n_broken, f"here {n_broken} limits are not kept") in facts.sentences[0]
    assert "by construction" not in facts.sentences[0]


def test_rows_without_the_column_of_a_requirement_have_a_page_too():
    unused = {"forbidden_features": ["guarantor"]}
    model, X, y = fitted("recall >= 0.2 within guarantor", constraints=unused)
    facts = make_report(model.model_, X.drop("guarantor"), y.to_numpy()).facts
    sentences = facts.points[0].requirements.sentences
    assert sentences == ["The rows given have no column 'guarantor'."]


def one_good_column():
    """A column that just has a precision of 0.8: without two of its rows it has not."""
    x = [1] * 8 + [0] * 2 + [1] * 2 + [0] * 18
    return pl.DataFrame({"x": x}), np.array([1] * 10 + [0] * 20)


def test_folds_that_cannot_meet_them_are_left_out_and_counted():
    X, y = one_good_column()
    model = BooleanRuleClassifier(
        2, requirements=["precision >= 0.8", "recall >= 0.6"], random_state=0
    ).fit(X, y)
    made = make_report(model, X, y, cv=5, time_limit=None)
    facts = made.facts.points[0].requirements
    n_left = len(made.facts.folds.n_left_out)
    assert 0 < n_left < 5
    n_unmet = 5 - n_left
    assert any(
        f"In {n_unmet} of 5 folds no rules were found that meet the requirements" in sentence
        for sentence in facts.sentences
    )
    assert made.facts.folds.description.endswith(f"could not be met in {n_unmet} more")
    judged = {f.figure: f.left_out for f in facts.figures}
    assert judged["recall"].n_rows == 2 * n_left


def test_numbers_of_rows_are_scaled_where_folds_are_left_out():
    X, y = one_good_column()
    asked = ["precision >= 0.8", "recall >= 0.6", "flagged <= 12"]
    model = BooleanRuleClassifier(2, requirements=asked, random_state=0).fit(X, y)
    made = make_report(model, X, y, cv=5, time_limit=None)
    n_left = len(made.facts.folds.n_left_out)
    flagged = figures_of(made)["rows flagged", "all rows"].left_out.value
    whole = flagged * sum(made.facts.folds.n_left_out) / len(y)
    assert whole == pytest.approx(round(whole))
    said = " ".join(made.facts.points[0].requirements.sentences)
    assert f"{6 * n_left} rows were judged of 30; numbers of rows are scaled" in said


def test_where_no_fold_can_meet_them_the_report_still_comes(monkeypatch):
    model, X, y = fitted()

    def run(*arguments):
        raise RequirementsNotMetError("nothing", None, None)

    monkeypatch.setattr(reporting.Race, "run", run)
    facts = make_report(model, X, y, cv=4).facts
    assert facts.folds is None
    sentences = facts.points[0].requirements.sentences
    assert sentences[1].startswith("In 4 of 4 folds no rules were found")
    assert sentences[2] == "How they do on rows left out was not measured."


def test_every_point_of_a_path_has_its_own_figures():
    X, y = loans()
    path = complexity_path(
        X,
        y,
        complexities=[2, 4, 5],
        positive_label="refused",
        requirements=["recall >= 0.5", "equal opportunity <= 0.5 between home"],
    )
    made = make_report(path, X, y, cv=3, time_limit=None)
    assert len(made.facts.points) == len(path)
    for place, point in enumerate(path):
        standings = point.model.standings(X, y).standings
        values = [f.given.value for f in figures_of(made, place).values()]
        assert values == [one.value for one in standings]
        assert all(f.left_out is not None for f in figures_of(made, place).values())
    # A share of a group has no limit by itself; the difference has.
    figures = figures_of(made)
    share = figures["share of positives missed", "home = own"]
    assert (share.limit, share.given.is_met) == ("", None)
    apart = figures["share of positives missed, difference", "between home"]
    assert (apart.limit, apart.given.is_met) == ("<= 0.5", True)


def test_a_search_brings_what_other_folds_chose():
    X, y = loans()
    classifier = BooleanRuleClassifier(positive_label="refused", requirements="recall >= 0.5")
    search = BooleanRuleClassifierCV(
        classifier, complexities=[2, 4], cv=3, n_repeats=1, random_state=0, time_limit=None
    ).fit(X, y)
    made = make_report(search, X, y)
    chosen = made.facts.points[made.facts.chosen].requirements
    own = search.held_out_standings_.standings[0]
    assert chosen.figures[0].left_out.value == own.value
    assert chosen.figures[0].left_out.interval == own.interval
    assert chosen.sentences[-1].startswith("Folds: 3 stratified folds")
    others = [p for k, p in enumerate(made.facts.points) if k != made.facts.chosen]
    assert all(f.left_out is None for p in others for f in p.requirements.figures)


def test_weights_count():
    X, y = loans()
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    model = BooleanRuleClassifier(
        4, positive_label="refused", requirements="flagged <= 150", random_state=0
    ).fit(X, y, sample_weight=weights)
    made = make_report(model, X, y, sample_weight=weights, cv=3, time_limit=None)
    figure = figures_of(made)["rows flagged", "all rows"]
    assert figure.given.value == weights[model.predict(X) == "refused"].sum() <= 150
    assert figure.left_out.n_rows == weights.sum()


@pytest.mark.parametrize("objective", ["errors", "f1"])
def test_objectives_without_paths_are_learned_again_in_folds(objective):
    X, y = loans()
    model = BooleanRuleClassifier(
        4, positive_label="refused", objective=objective, random_state=0
    ).fit(X, y)
    facts = make_report(model, X, y, cv=3).facts
    assert len(facts.points[0].held_out.accuracies) == 3
    first, _ = facts.points[0].rule_sets[0].reading
    if objective == "f1":
        assert f"these have {model.certificate_.f1.value:.4f}" in first
        assert "none has an F1 above" in first
    else:
        assert facts.measure == "Misclassified rows"
        assert "none has a number of misclassified rows below" in first
        assert facts.points[0].rule_sets[0].counting.startswith("Every row")


@pytest.mark.parametrize(
    ("objective", "form", "counted"),
    [
        ("missed", "dnf", "Missed positives count one for each positive that no clause covers"),
        ("covered", "dnf", "Covered negatives count for each negative, one for each clause that"),
        ("missed", "cnf", "Missed positives count for each positive, one for each clause that"),
        (
            "covered",
            "cnf",
            "Covered negatives count one for each negative that no clause turns away",
        ),
        ("loss", "dnf", "Hamming loss counts one for each positive that no clause covers and,"),
        (
            "loss",
            "cnf",
            "Hamming loss counts one for each negative that no clause turns away and,",
        ),
    ],
)
def test_what_is_counted_is_named(objective, form, counted):
    model, X, y = fitted("recall >= 0.5", C=4, objective=objective, form=form)
    facts = make_report(model, X, y, cv=None).facts
    assert facts.points[0].rule_sets[0].counting.startswith(counted)
    assert facts.measure == counted.split(" count")[0]


def test_no_two_scripts_have_functions_of_one_name():
    found = Counter(
        name
        for script in SCRIPTS
        for name in re.findall(r"^(?:function|class) (\w+)", read_template(script), re.MULTILINE)
    )
    assert [name for name, n in found.items() if n > 1] == []
