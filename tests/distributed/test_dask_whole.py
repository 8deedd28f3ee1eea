"""What works in memory works on a Dask DataFrame: the same answer, or the same line."""

import contextlib
import itertools
import os
import signal
from dataclasses import replace

import numpy as np
import pandas
import pytest
from hypothesis import given

from boolrules import (
    BooleanRuleClassifier,
    BooleanRuleClassifierCV,
    FeatureBinarizer,
    Model,
    complexity_path,
    make_report,
)
from boolrules._support.table import read_table
from boolrules.data.labelled_rows import Weighing
from boolrules.distributed import predict, read_parquet, table, verify
from boolrules.distributed.joining import joined_tables
from boolrules.distributed.rows import DaskLabelledRows
from boolrules.distributed.summary import LabelSummary
from strategies import frames, generators

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
dd = pytest.importorskip("dask.dataframe")
GIVEN = {"given_clauses": ["age > 26"]}
N_PARTS = 3


@pytest.fixture(scope="module")
def people():
    random = np.random.default_rng(3)
    n = 120
    age, job = random.integers(20, 28, n), random.choice(["cook", "clerk", "smith"], n)
    visits = np.where(random.random(n) < 0.2, np.nan, random.integers(0, 6, n))
    is_ill = ((age > 24) & (job == "clerk")) | (visits > 4)
    is_ill ^= random.random(n) < 0.1
    frame = pandas.DataFrame({"age": age, "job": job, "visits": visits})
    return frame.assign(state=np.where(is_ill, "ill", "well"))


@pytest.fixture(params=["here", "workers"])
def place(request, client, monkeypatch):
    """Where the rows are learned from: few come here, and many stay."""
    if request.param == "workers":
        monkeypatch.setattr(table, "FEW_VALUES", 0)
        monkeypatch.setattr(table, "MOST_VALUES", 0)
    return request.param


def classifier(**parameters):
    return BooleanRuleClassifier(**{"max_complexity": 4, "time_limit": None, **parameters})


def in_parts(frame, n_parts=N_PARTS):
    return dd.from_pandas(frame, npartitions=n_parts)


def in_these_parts(parts, meta=None):
    """Parts as they are, of whatever types; Dask is told that they are like the first."""
    return dd.from_map(lambda part: part, parts, meta=parts[0][:0] if meta is None else meta)


def answers(model):
    return [
        (certificate.hamming_loss, certificate.lower_bound, certificate.is_optimal)
        for certificate in model.certificates_
    ]


def X_y(frame):
    return frame.drop(columns="state"), frame["state"]


def line(error):
    text = str(error.value)
    assert "\n" not in text
    return text


# What works -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"constraints": GIVEN},
        {"constraints": GIVEN, "form": "cnf", "max_complexity": 5, "min_coverage": 3},
    ],
    ids=["plain", "given", "given in cnf"],
)
def test_fit_and_verify_answer_as_in_memory(place, people, parameters):
    X, y = X_y(people)
    alone = classifier(**parameters).fit(X, y)
    model = classifier(**parameters).fit(in_parts(people), "state")
    assert answers(model) == answers(alone)
    assert model.model_.training_rows == alone.model_.training_rows
    found = model.verify(in_parts(people, 2), "state")
    assert found.holds
    assert str(found) == str(model.verify(X, y))


def test_verify_says_what_does_not_hold_and_which_rows_are_others(place, people):
    X, y = X_y(people)
    model = classifier().fit(in_parts(people), "state")
    others = people.assign(age=people["age"] + 1)
    assert str(model.verify(in_parts(others), "state")) == str(model.verify(*X_y(others)))
    assert model.verify(in_parts(others), "state").other_rows is not None
    bound = model.certificate_.lower_bound
    false = replace(
        model.model_,
        training_rows=None,
        certificates=(replace(model.certificate_, lower_bound=bound + 1),),
    )
    found = verify(false, in_parts(people), "state")
    assert not found.holds
    assert str(found) == str(false.verify(X, y))


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("fraction", [0, 0.5])
@pytest.mark.parametrize("n_values", [5, 18], ids=["listed", "in a digest"])
def test_whole_numbers_are_read_as_in_memory(place, form, fraction, n_values):
    values = np.arange(90) % n_values + fraction * (np.arange(90) == 40)  # in the second part
    y = np.where((values == 3) == (form == "dnf"), "ill", "well")
    frame = pandas.DataFrame({"visits": values, "state": y})
    cuts = FeatureBinarizer(thresholds={"visits": [2, 3]})
    asked = {"max_complexity": 3, "form": form, "positive_label": "ill", "binarizer": cuts}
    alone = classifier(**asked).fit(*X_y(frame))
    model = classifier(**asked).fit(in_parts(frame), "state")
    read = {"dnf": "visits == 3", "cnf": "visits != 3"}[form]
    assert (read in str(model.rule_set_)) == (not fraction)
    assert str(model.rule_set_) == str(alone.rule_set_)
    assert model.rule_set_.complexity == model.certificate_.complexity == 3
    assert model.verify(in_parts(frame, 2), "state").holds


def test_weights_count_in_verify_as_in_memory(place, people):
    weight = np.random.default_rng(0).integers(0, 4, len(people)).astype(float)
    weighed = in_parts(people.assign(weight=weight))
    model = classifier(class_weight="balanced").fit(weighed, "state", sample_weight="weight")
    assert model.verify(weighed, "state", "weight").holds
    assert model.verify(*X_y(people), weight).holds
    without = model.verify(weighed.drop(columns="weight"), "state")
    assert str(without) == str(model.verify(*X_y(people)))
    assert "sample weights" in str(without)


@pytest.mark.parametrize("mode", ["prove", "fast"])
def test_a_path_answers_as_in_memory(place, people, mode):
    X, y = X_y(people)
    parameters = {"complexities": [3, 4], "constraints": GIVEN, "mode": mode}
    alone = complexity_path(X, y, time_limit=None, **parameters)
    path = complexity_path(in_parts(people), "state", time_limit=None, **parameters)
    if mode == "prove" or place == "here":
        assert [answers(p.classifier) for p in path] == [answers(p.classifier) for p in alone]
    assert all(point.classifier.verify(X, y).holds for point in path)


@pytest.mark.parametrize(
    "parameters",
    [
        {"requirements": "precision >= 0.9"},
        {"requirements": "recall >= 0.7 within job", "form": "cnf"},
        {"objective": "f1"},
        {"objective": "errors", "max_complexity": 3},
        {"mode": "paper"},
        {"binarizer": FeatureBinarizer(thresholds="all"), "max_complexity": 2},
    ],
    ids=["precision", "recall within", "f1", "errors", "paper", "every threshold"],
)
def test_what_needs_the_rows_in_one_place_gets_them_there(client, people, parameters, monkeypatch):
    monkeypatch.setattr(table, "FEW_VALUES", 0)
    X, y = X_y(people)
    alone = classifier(**parameters).fit(X, y)
    model = classifier(**parameters).fit(in_parts(people), "state")
    assert answers(model) == answers(alone)
    assert model.rule_set_ == alone.rule_set_
    assert model.verify(in_parts(people), "state").holds
    monkeypatch.setattr(table, "MOST_VALUES", 359)
    for act in (model.fit, model.verify):
        with pytest.raises(ValueError, match=r"in one place.* up to 359 .* 120 rows of 3 c") as e:
            act(in_parts(people), "state")
        line(e)


def test_certificates_of_rows_in_memory_name_rows_and_need_them(place, people):
    model = classifier(max_complexity=3).fit(*X_y(people))
    if place == "here":
        assert model.verify(in_parts(people), "state").holds
    else:
        with pytest.raises(ValueError, match="names rows one by one") as e:
            model.verify(in_parts(people), "state")
        line(e)


def test_rows_left_out_choose_as_in_memory(client, people):
    search = BooleanRuleClassifierCV(
        classifier(), complexities=(0, 2, 4), cv=3, random_state=0, time_limit=None
    )
    X, y = X_y(people)
    alone = search.fit(X, y)
    chosen, rules, figures = alone.best_params_, alone.rule_set_, alone.held_out_
    search.fit(in_parts(people), "state")
    assert search.best_params_ == chosen
    assert search.rule_set_ == rules
    assert search.held_out_ == figures
    assert search.verify(in_parts(people), "state").holds


def test_of_many_rows_some_are_drawn_to_choose_by(client, people, monkeypatch):
    monkeypatch.setattr(table, "FEW_VALUES", 0)
    monkeypatch.setattr(table, "MOST_VALUES", 240)
    search = BooleanRuleClassifierCV(
        classifier(),
        complexities=(2, 3),
        forms=None,
        cv=2,
        n_repeats=1,
        random_state=0,
        time_limit=None,
    )
    search.fit(in_parts(people), "state")
    n_drawn = search.held_out_.n_rows
    assert 50 < n_drawn < 110  # eighty, on average
    assert search.splits_.endswith(f"; of {n_drawn} rows drawn from 120")
    assert search.model_.training_rows.n_rows == 120
    assert search.certificate_.is_optimal
    assert search.verify(*X_y(people)).holds
    with pytest.raises(ValueError, match="thresholds='all' needs the rows in one place"):
        search.set_params(thresholds=(10, "all")).fit(in_parts(people), "state")


def test_score_and_alternatives_bring_the_rows_together(client, people):
    X, y = X_y(people)
    model = classifier(max_complexity=3).fit(X, y)
    assert model.score(in_parts(people), "state") == model.score(X, y)
    found, alone = model.alternatives(in_parts(people), "state"), model.alternatives(X, y)
    assert found.n_rule_sets == alone.n_rule_sets
    with pytest.raises(TypeError, match=r"X\.compute\(\)"):
        model.explain(in_parts(people))


def test_a_report_needs_the_rows_in_one_place(client, people, monkeypatch):
    model = classifier(max_complexity=3).fit(in_parts(people), "state")
    report = make_report(model, in_parts(people), "state", cv=None)
    assert report.facts.to_plain() == make_report(model, *X_y(people), cv=None).facts.to_plain()
    monkeypatch.setattr(table, "MOST_VALUES", 359)
    with pytest.raises(ValueError, match="a report needs the rows in one place"):
        model.report(in_parts(people), "state")


def test_a_saved_model_predicts_and_verifies_by_itself(place, people, tmp_path):
    X, _ = X_y(people)
    classifier().fit(in_parts(people), "state").save(tmp_path / "model.json")
    model = Model.load(tmp_path / "model.json")
    assert predict(model, in_parts(people)).compute().tolist() == model.predict(X).tolist()
    assert verify(model, in_parts(people), "state").holds
    name = model.features[0]
    with pytest.raises(ValueError, match=f"no column '{name}'"):
        predict(model, in_parts(people).drop(columns=name))
    with pytest.raises(TypeError, match=r"boolrules\.distributed for a Model"):
        model.predict(in_parts(people))


def test_a_path_of_files_is_no_pattern(client, people, tmp_path):
    half = people[:70]
    for name, frame in (("data1", people), ("data[1]", half), ("d*", half)):
        frame.to_parquet(tmp_path / f"{name}.parquet")
    for name in ("data[1]", "d*"):
        assert len(read_parquet(tmp_path / f"{name}.parquet")) == 70
    model = classifier(max_complexity=3).fit(str(tmp_path / "data[1].parquet"), "state")
    assert model.model_.training_rows.n_rows == 70


# Odd parts ------------------------------------------------------------------------------------


def odd_parts(people):
    """The same rows in parts that know less than all of them, or have other types."""
    first, middle, last = people[:40], people[40:80], people[80:]
    ill, well = (people[people["state"] == label] for label in ("ill", "well"))
    return {
        "empty parts": [people[:0], first, people[:0], middle, last, people[:0]],
        "one class each": [ill, well],
        "a column missing": [first.assign(visits=np.nan), middle.assign(job=None), last],
        "other numbers": [first, middle.astype({"age": float}), last.astype({"age": "int8"})],
        "true beside numbers": [first.assign(age=True), middle, last],
        "categories by part": [part.astype({"job": "category"}) for part in (first, middle, last)],
        "categories and text": [first.astype({"job": "category"}), middle, last],
    }


ODD = (
    "empty parts",
    "one class each",
    "a column missing",
    "other numbers",
    "true beside numbers",
    "categories by part",
    "categories and text",
)


@pytest.mark.parametrize("name", ODD)
def test_odd_parts_answer_as_the_whole(place, people, name):
    parts = odd_parts(people)[name]
    whole = pandas.concat([part.astype({"job": object}) for part in parts if len(part)])
    alone = classifier(positive_label="ill").fit(*X_y(whole))
    frame = in_these_parts(parts)
    model = classifier(positive_label="ill").fit(frame, "state")
    assert answers(model) == answers(alone)
    assert list(map(str, model.conditions_)) == list(map(str, alone.conditions_))
    assert model.verify(frame, "state").holds
    assert model.predict(frame).compute().tolist() == model.predict(X_y(whole)[0]).tolist()


def test_columns_named_by_numbers_are_columns(place, people):
    numbered = people.rename(columns={"age": 0, "job": 1, "visits": 2})
    model = classifier().fit(in_parts(numbered), "state")
    alone = classifier().fit(*X_y(numbered))
    assert answers(model) == answers(alone)
    X = numbered.drop(columns="state")
    for fitted in (model, alone):
        assert fitted.predict(in_parts(numbered)).compute().tolist() == fitted.predict(X).tolist()
    assert model.verify(in_parts(numbered), "state").holds


LINES = {
    "no rows": (lambda people: [people[:0], people[:0]], "Found array with 0 sample"),
    "labels of two types": (
        lambda people: [people[:70], people[70:].assign(state=1)],
        "y mixes int, str: labels must be all text",
    ),
    "labels missing": (
        lambda people: [
            people[:70],
            people[70:].assign(state=None),
            people[:5].assign(state=None),
        ],
        "Input y contains NaN in 55 rows; drop them first.",
    ),
    "text beside numbers": (
        lambda people: [people[:70], people[70:].astype({"age": str})],
        "Column 'age' mixes float, str: every value",
    ),
    "categories beside numbers": (
        lambda people: [people[:70].astype({"age": "category"}), people[70:]],
        "Column 'age' holds categories in one part of the table and numbers in another",
    ),
    "other columns": (
        lambda people: [people[:70], people[70:].rename(columns={"age": "years"})],
        "parts of the table have different columns",
    ),
    "weights of zero": (
        lambda people: [people[:70].assign(weight=0.0), people[70:].assign(weight=0.0)],
        "not all zero; its least is 0.0 and its largest 0.0",
    ),
    "a weight below zero": (
        lambda people: [people[:70].assign(weight=2.0), people[70:].assign(weight=-1.0)],
        "none negative and not all zero; its least is -1.0 and its largest 2.0",
    ),
    "weights missing": (
        lambda people: [people[:70].assign(weight=2.0), people[70:].assign(weight=np.nan)],
        "its least is nan and its largest nan",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_what_is_turned_down_in_memory_is_turned_down_in_the_same_line(place, people, name):
    make, text = LINES[name]
    parts = make(people)
    sample_weight = "weight" if "weight" in parts[0] else None
    with pytest.raises((ValueError, TypeError)) as e:
        classifier().fit(in_these_parts(parts), "state", sample_weight)
    assert text in line(e)


def test_what_is_turned_down_is_no_traceback_of_a_worker(people, caplog):
    distributed = pytest.importorskip("distributed")
    parts = [people[:70], people[70:].assign(age=np.inf)]
    mixed = LINES["labels of two types"][0](people)
    with distributed.Client(processes=False, dashboard_address=":0"):
        with pytest.raises(ValueError, match="infinite values"):
            classifier().fit(in_these_parts(parts), "state")
        for few in (10**6, 0):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(table, "FEW_VALUES", few)
                with pytest.raises(ValueError, match="y mixes int, str"):
                    classifier().fit(in_these_parts(mixed), "state")
    assert not [r for r in caplog.records if r.levelname == "ERROR"]


def test_sums_of_whole_weights_are_compared_to_the_last_unit():
    known = LabelSummary.of(np.array(["a"] * 3), np.array([1.0, 2.0, 3.0]))
    weighing = Weighing(("a",), (2.0,))
    whole = DaskLabelledRows(None, weighing, known).against_rest("a")
    assert not replace(whole, n_rows=10**9).is_same_loss(10**8, 10**8 + 1)
    half = DaskLabelledRows(None, replace(weighing, class_weights=(0.1,)), known).against_rest("a")
    assert replace(half, n_rows=10**9).is_same_loss(1e8, 1e8 + 1)


@given(frames(n_rows=12), generators())
def test_parts_put_together_are_the_table(frame, random):
    cuts = [0, *np.sort(random.integers(0, 13, 2)).tolist(), 12]
    parts = [read_table(frame[a:b]) for a, b in itertools.pairwise(cuts)]
    whole, joined = read_table(frame), joined_tables(parts)
    for one, other in zip(whole.columns, joined.columns, strict=True):
        assert (one.name, one.is_category) == (other.name, other.is_category)
        assert one.is_null.tolist() == other.is_null.tolist()
        if not one.is_null.all():
            assert one.kind == other.kind
            assert one.values[~one.is_null].tolist() == other.values[~one.is_null].tolist()


# Workers that die -----------------------------------------------------------------------------


def fragile(frame, folder, at_read):
    """Parts whose reader takes its worker with it, at one of the reads."""

    def read(rows):
        folder.mkdir(exist_ok=True)
        for place in itertools.count(1):  # the first that is free: no two readers have one
            with contextlib.suppress(FileExistsError):
                (folder / f"{place:04}").touch(exist_ok=False)
                break
        (folder / f"{place:04}").write_text(str(os.getpid()))
        if place == at_read:
            os.kill(os.getpid(), signal.SIGKILL)
        return frame.iloc[rows]

    cuts = np.linspace(0, len(frame), N_PARTS + 1).astype(int)
    parts = list(itertools.starmap(slice, itertools.pairwise(cuts)))
    return dd.from_map(read, parts, meta=frame[:0])


def rules_of(data, y):
    return answers(classifier(constraints=GIVEN).fit(data, y))


def path_of(data, y):
    path = complexity_path(data, y, complexities=[2, 3], time_limit=None)
    return [answers(point.classifier) for point in path]


def rules_under_requirements(data, y):
    return answers(classifier(requirements="recall >= 0.8").fit(data, y))


def choice_of(data, y):
    search = BooleanRuleClassifierCV(
        classifier(), complexities=(2, 4), forms=None, cv=2, n_repeats=1, random_state=0
    )
    return search.fit(data, y).best_params_


@pytest.mark.parametrize(
    ("act", "at_read", "few"),
    [
        (rules_of, 5, 0),  # of three parts: one dies in the second pass
        (path_of, 8, 0),
        (rules_under_requirements, 2, 10**6),
        (choice_of, 2, 10**6),
    ],
    ids=["given clauses", "path", "requirements", "cross-validation"],
)
def test_a_worker_that_dies_changes_nothing(
    client, people, tmp_path, monkeypatch, act, at_read, few
):
    expected = act(*X_y(people))
    monkeypatch.setattr(table, "FEW_VALUES", few)
    assert act(fragile(people, tmp_path / "reads", at_read), "state") == expected
    assert has_died(tmp_path / "reads", at_read)


def test_a_worker_that_dies_changes_no_verdict_and_no_prediction(place, people, tmp_path):
    X, y = X_y(people)
    model = classifier(max_complexity=3).fit(in_parts(people), "state")
    found = model.verify(fragile(people, tmp_path / "verify", 2), "state")
    assert str(found) == str(model.verify(X, y))
    answered = model.predict(fragile(people, tmp_path / "predict", 2)).compute()
    assert answered.tolist() == model.predict(X).tolist()
    assert has_died(tmp_path / "verify", 2)
    assert has_died(tmp_path / "predict", 2)


def has_died(folder, at_read):
    """Whether the worker of that read read nothing after it."""
    reads = [file.read_text() for file in sorted(folder.iterdir())]
    return reads[at_read - 1] not in reads[at_read:]
