"""The page without a browser: well formed, self-contained, and true to the model."""

import base64
import datetime
import hashlib
import html
import importlib.resources
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest
from report_models import HOSTILE, hostile, loans, searched, three_classes
from sklearn.model_selection import KFold

from boolrules import (
    BooleanRuleClassifier,
    BooleanRuleClassifierCV,
    Constraints,
    Model,
    complexity_path,
    make_report,
    parse_rules,
)
from boolrules.estimators import reporting
from boolrules.insight.report import Report, rows
from boolrules.insight.report.held_out import Fold, judge_point
from boolrules.insight.report.page import SCRIPTS, embedded_json, read_template, script
from boolrules.rules import Calibration
from boolrules.rules.clause_statistics import RowCounts, wilson_interval

VOID = {"meta", "link", "br", "input", "img", "hr"}


class Reader(HTMLParser):
    """Checks that every element is closed in order, and keeps what scripts and styles hold."""

    def __init__(self):
        super().__init__()
        self.open, self.blocks, self.attributes = [], [], []

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("script", "style"):
            self.blocks.append([tag, dict(attrs), ""])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            self.blocks[-1][2] += data


def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def data_of(html):
    ((_, _, text),) = [block for block in read(html).blocks if block[1].get("id") == "data"]
    return json.loads(text)


@pytest.fixture(scope="module")
def search():
    model, X, y = searched()
    return model, X, y, make_report(model, X, y)


@pytest.fixture(scope="module")
def classes():
    model, X, y = three_classes()
    return model, X, y, make_report(model, X, y, cv=3, time_limit=None)


def test_the_page_is_well_formed_and_has_the_facts_in_it(search):
    *_, report = search
    data = data_of(report.html)
    assert data["facts"] == json.loads(json.dumps(report.facts.to_plain()))


def test_nothing_is_loaded_from_elsewhere(search):
    *_, report = search
    reader = read(report.html)
    links = [value for _, name, value in reader.attributes if name in ("src", "href")]
    assert all(link.startswith(("#", "data:")) for link in links)
    code = script() + read_template("report.css")
    assert not re.search(r"fetch|XMLHttpRequest|WebSocket|import\(|@import|url\(|eval\(", code)
    # The name of a namespace is no address: nothing is fetched from there.
    assert re.findall(r"https?://[^\"]*", code) == ["http://www.w3.org/2000/svg"]


def test_the_policy_allows_the_style_and_the_script_of_the_page_alone(search):
    *_, report = search
    reader = read(report.html)
    (policy,) = [v for _, name, v in reader.attributes if name == "content" and "default-src" in v]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for kind, attributes, text in reader.blocks:
        if attributes.get("type") != "application/json":
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert f"{kind}-src 'sha256-{digest}'" in policy


def test_no_script_writes_markup():
    code = script()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", code)


def test_every_template_is_used():
    folder = importlib.resources.files("boolrules.insight.report") / "templates"
    assert {file.name for file in folder.iterdir()} == {*SCRIPTS, "report.html", "report.css"}


def test_hostile_names_stay_data():
    model, X, y = hostile()
    report = make_report(model, X, y, cv=None, title=HOSTILE[0])
    data = data_of(report.html)
    assert {feature["name"] for feature in data["facts"]["features"]} <= set(HOSTILE)
    assert {column["name"] for column in data["facts"]["data"]["columns"]} == set(HOSTILE[:3])
    assert data["facts"]["title"] == HOSTILE[0]
    assert HOSTILE[0] not in report.html
    assert read(report._repr_html_()).attributes[0] == ("iframe", "title", HOSTILE[0])


@pytest.mark.parametrize("text", ["</script>", "<!--", "]]>", "&amp;", "\u2028", "\ud800", "'\""])
def test_embedded_json_reads_back_and_has_no_markup(text):
    written = embedded_json({text: [text, None, 0.1]})
    assert json.loads(written) == {text: [text, None, 0.1]}
    assert written.isascii()
    assert not set("<>&") & set(written)


def answers_of(facts, point, row_values):
    """Answer one row as the page does, in Python."""
    from boolrules import Condition, Relation
    from boolrules.insight.report.nearest_change import holds

    def is_true(c):
        plain = facts["conditions"][c]
        value = tuple(plain["value"]) if isinstance(plain["value"], list) else plain["value"]
        excepted = tuple(plain["except_values"])
        condition = Condition("", Relation(plain["relation"]), value, excepted)
        return holds(condition, row_values[plain["feature"]])

    for decision in point["decisions"]:
        is_dnf = decision["form"] == "dnf"
        if any(all(is_true(c) == is_dnf for c in k) for k in decision["clauses"]) == is_dnf:
            return decision["label"]
    return point["otherwise"]


@pytest.mark.parametrize("name", ["search", "classes"])
def test_the_embedded_rules_answer_the_embedded_rows_as_the_model_does(name, request):
    model, X, _, report = request.getfixturevalue(name)
    data = data_of(report.html)
    facts, carried = data["facts"], data["rows"]
    models = [point.classifier for point in model.path_] if hasattr(model, "path_") else [model]
    labels = model.classes_.tolist()
    columns = [
        [c["texts"][v] if "texts" in c and v is not None else v for v in c["values"]]
        for c in carried["columns"]
    ]
    for point, classifier in zip(facts["points"], models, strict=True):
        found = [labels[answers_of(facts, point, row)] for row in zip(*columns, strict=True)]
        assert found == classifier.predict(X).tolist()


def test_figures_are_those_of_the_model(search):
    model, X, y, report = search
    facts = report.facts
    truth = y.to_numpy()
    assert facts.points[facts.chosen].max_complexity == model.best_complexity_
    assert facts.classes == ["granted", "refused"]
    assert (facts.positive, facts.target, facts.seed) == (1, "outcome", "0")
    assert facts.n_conditions == len(model.best_estimator_.conditions_)
    for point, own in zip(facts.points, model.path_, strict=True):
        predicted = own.classifier.predict(X)
        expected = [
            [int(((truth == t) & (predicted == p)).sum()) for p in model.classes_]
            for t in model.classes_
        ]
        assert point.confusion == expected
        assert point.accuracy == pytest.approx(own.classifier.score(X, y))
        assert (point.hamming_loss, point.lower_bound) == (own.hamming_loss, own.lower_bound)
        for clause, row in zip(point.rule_sets[0].clauses, own.rule_set.to_rows(), strict=True):
            assert clause.text == row["clause"]
            assert clause.covered == row["coverage"]
            assert clause.right / clause.covered == pytest.approx(row["precision"])
            assert clause.only_here == row["only_here"]


@pytest.mark.parametrize("given", [dict, Constraints], ids=["dict", "constraints"])
def test_constraints_are_told_in_words_with_the_proof_and_in_the_appendix(given):
    X, y = loans()
    constraints = given(forbidden_features=["noise", "debt"])
    model = BooleanRuleClassifier(3, positive_label="refused", constraints=constraints)
    report = make_report(model.fit(X, y), X, y, cv=None, alternatives=0)
    [rules] = report.facts.points[0].rule_sets
    assert rules.constraints == "Constraints: no noise; no debt."
    assert f"{html.escape(rules.sentence)}\n{rules.constraints}" in report.html  # without scripts
    [told] = [p.value for p in report.facts.parameters if p.name == "constraints"]
    assert told == "no noise; no debt"


def test_ctrl_c_while_alternatives_are_searched_leaves_a_page_without_them(classes, monkeypatch):
    model, X, y, _ = classes

    def stopped(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(reporting, "list_alternatives", stopped)
    facts = make_report(model, X, y, cv=None).facts
    assert [found.sentence for found in facts.alternatives] == [reporting.STOPPED]


def test_a_text_stands_in_the_place_of_alternatives(classes):
    model, X, y, _ = classes
    facts = make_report(model, X, y, cv=None, alternatives="Nobody looked.").facts
    assert [found.sentence for found in facts.alternatives] == ["Nobody looked."]


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_conditions_that_are_written_as_one_are_counted_as_one(form):
    random = np.random.default_rng(0)
    town, size = random.choice(list("abcdef"), 300), random.integers(0, 40, 300)
    X = pl.DataFrame({"town": town, "size": size})
    is_in = np.isin(town, ["a", "b"]) | (size > 20)
    y = np.where(is_in == (form == "cnf"), "yes", "no")
    model = BooleanRuleClassifier(4, form=form, positive_label="yes").fit(X, y)
    report = make_report(model, X, y, cv=None, alternatives=0)
    [clause] = report.facts.points[0].rule_sets[0].clauses
    assert len(clause.texts) == 2 < len(clause.conditions)
    assert sorted(c for group in clause.groups for c in group) == sorted(clause.conditions)
    for text, counts in zip(clause.texts, clause.n_holding, strict=True):
        alone = parse_rules(text, form="cnf" if form == "cnf" else "dnf")
        holds = alone.predict(X) == alone.positive
        assert counts == [int((holds & (y == label)).sum()) for label in ("no", "yes")]


def test_rows_left_out_are_those_of_the_folds(search):
    model, _, y, report = search
    point = report.facts.points[report.facts.chosen]
    assert point.held_out.mean == pytest.approx(model.best_score_)
    assert len(point.held_out.accuracies) == 9
    # Three folds, three rounds: every row is left out three times.
    assert np.sum(point.held_out.confusion) == 3 * len(y)
    assert report.facts.folds.description.startswith("3 stratified folds, shuffled, 3 times")
    assert report.facts.folds.has_chosen


def test_every_fold_counts_the_same_whatever_its_size():
    confusions = [np.array([[[8, 2], [0, 0]]]), np.array([[[1, 0], [1, 0]]])]
    folds = [Fold(9, int(c.sum()), True, c) for c in confusions]
    held_out = judge_point(folds, 0)
    assert held_out.accuracies == [0.8, 0.5]
    assert held_out.mean == pytest.approx(0.65)
    assert held_out.standard_error == pytest.approx(0.15)
    assert held_out.confusion == [[9, 2], [1, 0]]


def test_the_trace_is_that_of_the_run(search):
    model, *_, report = search
    for point, own in zip(report.facts.points, model.path_, strict=True):
        trace = own.classifier.result_.trace
        expected = [(r.number, r.z_rmlp, r.lower_bound) for r in trace]
        assert point.rule_sets[0].run.rounds == expected


def test_data_facts_count_missing_values(search):
    _, X, y, report = search
    data = report.facts.data
    assert data.n_rows == len(y)
    assert data.n_by_class == [int((y == "granted").sum()), int((y == "refused").sum())]
    assert data.n_missing == data.n_rows_with_missing == X["debt"].null_count()
    by_name = {column.name: column for column in data.columns}
    assert by_name["home"].n_distinct == 3
    assert by_name["debt"].n_missing == X["debt"].null_count()
    assert data.are_training_rows


def test_a_classifier_is_learned_again_in_folds(classes):
    *_, y, report = classes
    facts = report.facts
    assert (len(facts.points), facts.positive) == (1, None)
    assert facts.folds.n_left_out == [30, 30, 30]
    assert np.sum(facts.points[0].held_out.confusion) == len(y)
    assert not facts.folds.has_chosen
    assert [rules.label for rules in facts.points[0].rule_sets] == [0, 1, 2]


def test_without_folds_there_are_no_rows_left_out():
    model, X, y = three_classes()
    facts = make_report(model, X, y, cv=None).facts
    assert facts.folds is None
    assert facts.points[0].held_out is None


def test_a_path_shows_the_point_that_was_asked_for():
    X, y = loans()
    path = complexity_path(X, y, complexities=[2, 3, 4], positive_label="refused")
    assert path.report(X, y, cv=None, chosen=3).facts.chosen == 1
    by_loss = path.report(X, y, cv=None).facts
    assert by_loss.points[by_loss.chosen].hamming_loss == min(p.hamming_loss for p in path)
    in_folds = path.report(X, y, cv=2, time_limit=None).facts
    assert all(point.held_out is not None for point in in_folds.points)


def test_other_rows_are_told_from_training_rows(search):
    model, X, y, _ = search
    facts = make_report(model.best_estimator_, X[:50], y[:50]).facts
    assert not facts.data.are_training_rows
    assert facts.folds is None


def test_weights_are_needed_to_know_training_rows():
    X, y = loans()
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    model = BooleanRuleClassifier(max_complexity=3, positive_label="refused")
    model.fit(X, y, sample_weight=weights)
    with_them = make_report(model, X, y, sample_weight=weights, cv=None).facts
    assert with_them.data.are_training_rows
    assert with_them.data.has_weights
    assert not make_report(model, X, y, cv=None).facts.data.are_training_rows
    # What people read first are whole rows.
    clause = with_them.points[0].rule_sets[0].clauses[0]
    plain = model.rule_set_.with_statistics(X, (y == "refused").to_numpy()).statistics[0]
    assert (clause.covered, clause.right) == (plain.covered, plain.right)
    (row,) = model.rule_set_.to_rows()
    assert clause.weighted.covered == row["weighted_coverage"]
    assert clause.weighted.right / clause.weighted.covered == row["weighted_precision"]


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_intervals_are_corrected_on_training_rows_alone(form):
    X, y = loans()
    model = BooleanRuleClassifier(max_complexity=4, positive_label="refused", form=form)
    saved = model.fit(X, y).model_
    calibration = Calibration(-0.2, 0.5)
    rules = replace(saved.rule_sets[0], calibration=calibration)
    corrected = replace(saved, rule_sets=(rules,))
    for part, is_corrected in ((slice(None), True), (slice(50), False)):
        facts = make_report(corrected, X[part], y[part], cv=None).facts.points[0].rule_sets[0]
        assert facts.is_corrected == is_corrected
        for clause in facts.clauses:
            counts = RowCounts(clause.covered, clause.right, 0)
            share = counts.smoothed_precision
            right = calibration([share])[0] if form == "dnf" else 1 - calibration([1 - share])[0]
            around_it = wilson_interval(right * counts.covered, counts.covered)
            expected = around_it if is_corrected else counts.interval
            assert clause.interval == pytest.approx(expected)
            assert clause.weighted is None


def test_costs_and_class_weights_do_not_hide_training_rows():
    X, y = loans()
    model = BooleanRuleClassifier(
        max_complexity=3, positive_label="refused", class_weight="balanced", covered_zero_cost=2
    ).fit(X, y)
    assert make_report(model, X, y, cv=None).facts.data.are_training_rows


def test_a_model_file_is_reported_without_its_run(search):
    model, X, y, _ = search
    saved = Model.from_json(model.best_estimator_.model_.to_json())
    facts = make_report(saved, X, y.to_numpy()).facts
    assert facts.points[0].rule_sets[0].run is None
    assert facts.data.are_training_rows
    assert {p.name for p in facts.parameters} >= {"max_complexity", "form"}


def test_one_class_has_a_page_too():
    with pytest.warns(UserWarning, match="constant"):
        model = BooleanRuleClassifier().fit([[0], [1]], ["a", "a"])
    with pytest.warns(UserWarning, match="too few rows"):
        report = model.report([[0], [1]], ["a", "a"])
    assert report.facts.points[0].confusion == [[2]]
    assert report.facts.points[0].decisions == []


def test_too_few_rows_of_a_class_leave_nothing_out():
    X, y = [[0], [1], [2], [3]], [0, 0, 0, 1]
    model = BooleanRuleClassifier(max_complexity=2).fit(X, y)
    with pytest.warns(UserWarning, match="too few rows"):
        assert model.report(X, y).facts.folds is None


def test_boolean_and_numeric_labels_are_written_as_people_read_them():
    X = [[0], [1], [2], [3]] * 3
    truth = make_report(
        BooleanRuleClassifier().fit(X, [False, True] * 6), X, [False, True] * 6, cv=None
    )
    assert truth.facts.classes == ["False", "True"]
    number = make_report(
        BooleanRuleClassifier().fit(X, [0.0, 1.0] * 6), X, [0.0, 1.0] * 6, cv=None
    )
    assert number.facts.classes == ["0", "1"]


def test_parameters_may_be_numbers_of_numpy():
    X = [[0], [1], [2], [3]] * 3
    model = BooleanRuleClassifier(max_complexity=np.int64(3)).fit(X, [0, 0, 1, 1] * 3)
    data = data_of(make_report(model, X, [0, 0, 1, 1] * 3, cv=None).html)
    assert data["facts"]["points"][0]["max_complexity"] == 3


@pytest.mark.parametrize(
    ("cv", "expected"),
    [(KFold(3), "KFold(n_splits=3"), (list(KFold(2).split(range(12))), "2 folds, as given")],
    ids=["splitter", "list"],
)
def test_folds_of_any_kind_are_described(cv, expected):
    X, y = [[0], [1], [2], [3]] * 3, [0, 0, 1, 1] * 3
    model = BooleanRuleClassifierCV(complexities=[2], cv=cv, time_limit=None).fit(X, y)
    assert model.report(X, y).facts.folds.description.startswith(expected)


def test_rows_are_capped_and_spread_evenly(search, monkeypatch):
    model, X, y, _ = search
    carried = data_of(make_report(model, X, y, max_rows=7).html)["rows"]
    assert carried["n_rows"] == len(y)
    assert carried["numbers"][0] == 1
    assert carried["numbers"][-1] == len(y)
    steps = np.diff(carried["numbers"])
    assert steps.max() - steps.min() <= 1
    assert all(len(column["values"]) == 7 for column in carried["columns"])
    monkeypatch.setattr(rows, "MOST_CELLS", 40)
    carried = data_of(make_report(model, X, y).html)["rows"]
    assert len(carried["numbers"]) * len(carried["columns"]) <= 40
    assert data_of(make_report(model, X, y, max_rows=0).html)["rows"]["numbers"] == []


def test_rows_keep_the_numbers_that_they_are_given(search):
    model, X, y, _ = search
    numbers = np.arange(len(y)) * 2 + 1
    carried = data_of(make_report(model, X, y, row_numbers=numbers, max_rows=5).html)["rows"]
    assert set(carried["numbers"]) < set(numbers.tolist())
    assert (carried["last"], carried["n_rows"]) == (2 * len(y) - 1, len(y))
    for wrong in (numbers[1:], numbers[::-1], numbers - 1):
        with pytest.raises(
            ValueError, match=r"row_numbers=.* must be 120 whole numbers from 1 up"
        ):
            make_report(model, X, y, row_numbers=wrong)


def test_only_columns_that_rules_read_are_carried(search):
    model, X, _, report = search
    data = data_of(report.html)
    read_by_rules = {f for point in model.path_ for f in point.rule_set.features}
    assert {f["name"] for f in data["facts"]["features"]} == read_by_rules < set(X.columns)
    assert len(data["rows"]["columns"]) == len(read_by_rules)


def test_long_texts_are_cut_unless_rules_compare_with_them():
    long, other = "x" * 500, "y" * 500
    X = pl.DataFrame({"note": [long, other, "z" * 500, "short"] * 10})
    y = [1, 0, 0, 0] * 10
    model = BooleanRuleClassifier(max_complexity=2).fit(X, y)
    data = data_of(make_report(model, X, y, cv=None).html)
    texts = data["rows"]["columns"][0]["texts"]
    assert long in texts
    assert max(len(text) for text in texts if text != long) < 500


def test_the_report_is_saved_and_shows_itself(search, tmp_path):
    model, X, y, _ = search
    report = model.report(X, y, tmp_path / "report.html", title="Loans")
    assert isinstance(report, Report)
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == report.html
    assert "'Loans'" in repr(report)
    frame = read(report._repr_html_())
    attributes = {name: value for _, name, value in frame.attributes}
    assert attributes["srcdoc"] == report.html
    assert attributes["sandbox"] == "allow-scripts allow-modals"


@pytest.mark.parametrize(
    ("options", "message"),
    [({"cv": 1}, "cv=1 leaves no rows out"), ({"max_rows": -1}, "max_rows=-1 is below zero")],
)
def test_options_that_make_no_sense_are_turned_down(search, options, message):
    model, X, y, _ = search
    with pytest.raises(ValueError, match=message):
        model.report(X, y, **options)


def test_unknown_labels_are_named(search):
    model, X, y, _ = search
    with pytest.raises(ValueError, match="label 'maybe', which is none of the classes"):
        make_report(model, X, y.to_frame().with_columns(outcome=pl.lit("maybe"))["outcome"])


def test_a_file_needs_one_label_per_row(search):
    model, X, y, _ = search
    saved = model.best_estimator_.model_
    with pytest.raises(ValueError, match="one label per row"):
        make_report(saved, X, y[:3].to_numpy())


def test_the_same_model_gives_the_same_page(search):
    model, X, y, report = search
    again = make_report(model, X, y)
    without_date = [re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "", r.html) for r in (report, again)]
    assert without_date[0] == without_date[1]


def test_notes_about_the_table_are_in_the_page_and_without_values_where_rows_are_not():
    n = 60
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=5 * k) for k in range(n)]
    X = pl.DataFrame({"code": [f"P-{k}" for k in range(n)], "ward": ["B2"] * n, "seen": days})
    y = [day.weekday() > 4 for day in days]
    with pytest.warns(UserWarning, match="looks like an identifier"):
        model = BooleanRuleClassifier(2).fit(X, y)
    weekday = "seen.weekday is the day of the week of 'seen', 1 (Monday) to 7 (Sunday)"
    assert model.report(X, y, cv=None).facts.notes == [
        "'code' looks like an identifier (60 different values in 60 rows)",
        "'ward' has one value only ('B2')",
        "'seen.weekday' decides the label alone (by one threshold)",
        weekday,
    ]
    bare = model.report(X, y, cv=None, max_rows=0)
    assert bare.facts.notes[1] == "'ward' has one value only"
    assert "Notes about the table" in bare.html
