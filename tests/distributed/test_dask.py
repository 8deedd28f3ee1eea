"""A real cluster of worker processes: the same answers as on one machine, whatever happens."""

import itertools
import os
import signal
import sys

import joblib
import numpy as np
import pandas
import polars
import pytest
from hypothesis import given
from sklearn.base import clone

from boolrules import (
    BooleanRuleClassifier,
    BooleanRuleClassifierCV,
    FeatureBinarizer,
    Model,
)
from boolrules._support.table import read_table
from boolrules.distributed import dask_workers, table
from boolrules.distributed.summary import TableSummary
from boolrules.estimators import rounds
from strategies import frames, generators

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
dd = pytest.importorskip("dask.dataframe")


@pytest.fixture(scope="module", autouse=True)
def rows_stay_on_the_workers():
    """Even few of them, as if there were many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "FEW_VALUES", -1)
        yield


@pytest.fixture(scope="module")
def people():
    """Numbers with few values, text, missing values, and labels that a rule nearly explains."""
    random = np.random.default_rng(3)
    n = 200
    age, job = random.integers(20, 28, n), random.choice(["cook", "clerk", "smith"], n)
    visits = np.where(random.random(n) < 0.2, np.nan, random.integers(0, 6, n))
    is_ill = ((age > 24) & (job == "clerk")) | (visits > 4)
    is_ill ^= random.random(n) < 0.1
    frame = pandas.DataFrame({"age": age, "job": job, "visits": visits})
    return frame, pandas.Series(np.where(is_ill, "ill", "well"), name="state")


@pytest.fixture(scope="module")
def parts(people):
    X, y = people
    return dd.from_pandas(X.assign(state=y), npartitions=6)


def learned(parts):
    return BooleanRuleClassifier(5, positive_label="ill", time_limit=None).fit(parts, "state")


@pytest.fixture(scope="module")
def model(client, parts):
    """Learned from the parts by the workers."""
    return learned(parts)


def answers(model):
    certificate = model.certificate_
    return (
        certificate.hamming_loss,
        certificate.lower_bound,
        certificate.is_optimal,
        [str(clause) for clause in model.rule_set_.clauses],
        model.rule_set_.statistics,
        [str(condition) for condition in model.conditions_],
    )


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_complexity": 5},
        {"max_complexity": 6, "form": "cnf"},
        {"max_complexity": 5, "class_weight": "balanced"},
        {"max_complexity": 5, "missed_positive_cost": 3, "min_coverage": 5, "max_clauses": 2},
    ],
    ids=["dnf", "cnf", "balanced", "costs and limits"],
)
def test_a_dask_frame_has_the_answers_of_a_table_in_memory(client, people, parameters):
    X, y = people
    one = BooleanRuleClassifier(positive_label="ill", time_limit=None, **parameters).fit(X, y)
    parts = dd.from_pandas(X.assign(state=y), npartitions=5)
    many = BooleanRuleClassifier(positive_label="ill", time_limit=None, **parameters)
    many.fit(parts.drop(columns="state"), parts["state"])
    for found, expected in zip(answers(many)[:3], answers(one)[:3], strict=True):
        assert found == pytest.approx(expected, rel=1e-9)
    assert answers(many)[5] == answers(one)[5]
    assert many.verify(X, y).holds


def test_rules_and_statistics_are_those_of_a_table_in_memory(client, people):
    X, y = people
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("boolrules.data.training_set.MANY_POSITIVES", -1)
        one = BooleanRuleClassifier(5, positive_label="ill", time_limit=None).fit(X, y)
    many = BooleanRuleClassifier(5, positive_label="ill", time_limit=None, engine="dask")
    assert answers(many.fit(X, y)) == answers(one)


def test_a_worker_killed_in_the_middle_changes_nothing(client, model, parts, monkeypatch):
    asked, killed = [], []
    ask = dask_workers.DaskWorkers.ask

    def ask_and_kill(self, question, *arguments, **options):
        asked.append(question)
        if len(asked) == 8:
            held = client.has_what()
            victim = max(held, key=lambda worker: len(held[worker]))
            killed.extend(client.run(os.getpid, workers=[victim]).values())
            os.kill(killed[0], signal.SIGKILL)
        return ask(self, question, *arguments, **options)

    monkeypatch.setattr(dask_workers.DaskWorkers, "ask", ask_and_kill)
    found = learned(parts)
    assert len(killed) == 1
    assert len(asked) > 10
    assert killed[0] not in client.run(os.getpid).values()
    assert answers(found) == answers(model)


def test_the_table_that_was_learned_from_can_be_predicted(model, parts, people):
    X, _ = people
    assert model.predict(parts).compute().tolist() == model.predict(X).tolist()
    with pytest.raises(ValueError, match="job"):
        model.predict(parts.drop(columns="job")).compute()


def test_a_folder_of_parquet_files_and_weights_by_name(client, people, tmp_path):
    X, y = people
    weight = np.random.default_rng(0).integers(0, 4, len(X)).astype(float)
    whole = X.assign(state=y, weight=weight)
    for k, rows in enumerate(np.array_split(np.arange(len(X)), 3)):
        whole.iloc[rows].to_parquet(tmp_path / f"part{k}.parquet")
    one = BooleanRuleClassifier(5, time_limit=None).fit(X, y, sample_weight=weight)
    many = BooleanRuleClassifier(5, time_limit=None)
    many.fit(str(tmp_path), "state", sample_weight="weight")
    assert answers(many)[:3] == answers(one)[:3]
    rules = many.rule_set_
    assert rules.has_weighted_statistics
    assert rules == rules.with_statistics(X, np.asarray(y) == rules.positive, weight)
    assert rules.target == "state"
    assert list(many.feature_names_in_) == ["age", "job", "visits"]


def test_prediction_maps_over_the_parts(client, people):
    X, y = people
    model = BooleanRuleClassifier(5).fit(X, y)
    predicted = model.predict(dd.from_pandas(X, npartitions=4))
    assert predicted.npartitions == 4
    assert predicted.compute().tolist() == model.predict(X).tolist()


def test_three_classes_have_a_rule_set_each(client):
    random = np.random.default_rng(5)
    X = pandas.DataFrame(random.integers(0, 5, (150, 3)), columns=list("abc"))
    y = X["a"].map({0: "low", 1: "low", 2: "middle", 3: "high", 4: "high"})
    one = BooleanRuleClassifier(3, time_limit=None).fit(X, y)
    many = BooleanRuleClassifier(3, time_limit=None, engine="dask").fit(X, y)
    for found, expected in zip(many.certificates_, one.certificates_, strict=True):
        assert found.hamming_loss == expected.hamming_loss
        assert found.lower_bound == expected.lower_bound
    assert many.predict(X).tolist() == one.predict(X).tolist()


def test_a_saved_model_of_patterns_can_be_verified_by_others(client, people, tmp_path):
    X, y = people
    many = BooleanRuleClassifier(5, positive_label="ill", engine="dask").fit(X, y)
    many.save(tmp_path / "model.json")
    assert Model.load(tmp_path / "model.json").verify(X, y).holds


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ("stat", "no column 'stat'"),
        (None, "requires y"),
        (np.zeros(3), "name of a column of X, or a Dask Series"),
    ],
)
def test_bad_labels_are_turned_down(client, parts, y, message):
    with pytest.raises(ValueError, match=message):
        BooleanRuleClassifier(5).fit(parts, y)


def test_paths_on_folds_run_on_the_workers_through_joblib(client, people, tmp_path, monkeypatch):
    monkeypatch.setattr(rounds, "FEW_ROWS", 0)
    frame, labels = people

    def score(model, X, y):
        (tmp_path / str(os.getpid())).touch()
        return model.score(X, y)

    model = BooleanRuleClassifierCV(
        complexities=(2, 4), cv=4, scoring=score, time_limit=None, random_state=0
    )
    alone = clone(model).fit(frame, labels)
    assert [file.name for file in tmp_path.iterdir()] == [str(os.getpid())]
    with joblib.parallel_config(backend="dask"):
        together = clone(model).fit(frame, labels)
    processes = {int(file.name) for file in tmp_path.iterdir()} - {os.getpid()}
    assert processes <= set(client.run(os.getpid).values())
    assert processes
    assert together.rule_set_ == alone.rule_set_
    np.testing.assert_array_equal(
        together.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"]
    )


def test_what_takes_tables_in_memory_says_so(client, people):
    X, y = people
    model = BooleanRuleClassifier(5).fit(X, y)
    with pytest.raises(TypeError, match=r"X\.compute\(\)"):
        model.predict_proba(dd.from_pandas(X, npartitions=2))


def test_without_dask_the_message_names_the_extra(monkeypatch, people):
    X, y = people
    monkeypatch.setitem(sys.modules, "dask.dataframe", None)
    with pytest.raises(ImportError, match=r'pip install "boolrules\[dask\]"'):
        BooleanRuleClassifier(5, engine="dask").fit(X, y)


@given(frames(n_rows=30), generators())
def test_summaries_of_parts_have_the_encoding_of_the_whole(frame, random):
    binarizer = FeatureBinarizer(thresholds=4, special_values=[-9.0])
    labels = np.zeros(30, dtype=int)
    cuts = np.sort(random.integers(0, 31, 2))
    bounds = [0, *cuts.tolist(), 30]
    parts = [
        TableSummary.of(read_table(frame[a:b]), labels[a:b], np.ones(b - a), binarizer.binning())
        for a, b in itertools.pairwise(bounds)
    ]
    found = parts[0].combined(parts[1:]).encoding(binarizer.binning())
    assert found.to_plain() == binarizer.fit(frame).encoding_.to_plain()


def test_thresholds_of_a_digest_are_near_the_quantiles():
    values = np.random.default_rng(1).exponential(size=50_000)
    values[:100] = -9.0
    table = read_table(polars.DataFrame({"x": values}))
    binarizer = FeatureBinarizer(special_values=[-9.0])
    labels, weights = np.zeros(25_000), np.ones(25_000)
    parts = [
        TableSummary.of(table.rows(rows), labels, weights, binarizer.binning())
        for rows in np.array_split(np.arange(50_000), 2)
    ]
    (found,) = parts[0].combined(parts[1:]).encoding(binarizer.binning()).features
    shares = [float(np.mean(values[100:] <= t)) for t in found.thresholds]
    assert shares == pytest.approx(np.arange(1, 10) / 10, abs=1e-3)
    assert found.seen_special == (-9.0,)
    assert max(len(repr(t)) for t in found.thresholds) <= len("0.2231")


def test_thresholds_of_a_digest_are_whole_where_the_column_is():
    values = np.random.default_rng(2).integers(0, 1000, 20_000).astype(float)
    table = read_table(polars.DataFrame({"x": values}))
    binning = FeatureBinarizer().binning()
    parts = [
        TableSummary.of(table.rows(rows), np.zeros(10_000), np.ones(10_000), binning)
        for rows in np.array_split(np.arange(20_000), 2)
    ]
    (found,) = parts[0].combined(parts[1:]).encoding(binning).features
    assert all(t.is_integer() for t in found.thresholds)
    shares = [float(np.mean(values <= t)) for t in found.thresholds]
    assert shares == pytest.approx(np.arange(1, 10) / 10, abs=2e-3)
