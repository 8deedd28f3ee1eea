"""The command line: JSON keys, exit codes, one clear line for bad input."""

import contextlib
import gzip
import importlib.util
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from boolrules import Model, RuleSet
from boolrules.cli import predict as predict_command
from boolrules.cli.labels import read_labels

KEYS = [
    "rules",
    "form",
    "complexity",
    "n_clauses",
    "objective",
    "f1",
    "hamming_loss",
    "lower_bound",
    "gap",
    "is_optimal",
    "argument",
    "thresholds",
    "held_out",
    "requirements",
    "held_out_requirements",
    "train_accuracy",
    "n_rows",
    "n_conditions",
    "n_columns",
    "n_iterations",
    "stop_reason",
    "seconds",
]
ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BOOLRULES_DATA", ROOT / "benchmarks" / ".data"))


def make_people(n_rows=50, seed=0):
    random = np.random.default_rng(seed)
    age = random.integers(18, 80, n_rows)
    job = random.choice(["clerk", "cook", "nurse"], n_rows)
    is_high = ((age > 50) & (job == "clerk")) ^ (random.random(n_rows) < 0.1)
    return pl.DataFrame(
        {
            "age": [None if k % 10 == 3 else int(a) for k, a in enumerate(age)],
            "job": job,
            "score": random.normal(size=n_rows).round(2),
            "risk": np.where(is_high, "high", "low"),
        }
    )


PEOPLE = make_people()
FIT = ["--target", "risk", "--positive", "high", "--max-complexity", "5"]


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "people.csv"
    PEOPLE.write_csv(path)
    return str(path)


@pytest.fixture
def model(call, csv, tmp_path):
    path = tmp_path / "model.json"
    code, _, err = call("fit", csv, *FIT, "--save", path)
    assert (code, err) == (0, "")
    return str(path)


def write(tmp_path, text, name="data.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


# fit


def order_of(text, *parts):
    """Where each part begins; all of them must be there."""
    return [text.index(part) for part in parts]


def test_fit_prints_rules_rows_left_out_and_certificate_in_this_order(call, csv):
    code, out, err = call("fit", csv, *FIT)
    assert (code, err) == (0, "")
    parts = ("THEN risk is 'high'", " on 50 rows left out; always 'low' has", "Hamming loss")
    places = order_of(out, *parts, "Training accuracy")
    assert places == sorted(places)
    assert "How: 5 stratified folds, shuffled.\n" in out
    assert "Chosen" not in out


def test_fit_without_a_complexity_says_what_rows_left_out_chose(call, csv):
    options = ("--repeats", 1, "--cv", 3, "--choice", "best")
    code, out, err = call("fit", csv, *FIT[:-2], *options)
    assert (code, err) == (0, "")
    parts = ("THEN risk is 'high'", " rows left out; always", "Hamming loss")
    places = order_of(out, *parts, "Chosen: complexity at most ", "Training accuracy")
    assert places == sorted(places)
    told = " ".join(out.split())
    assert re.search(r"at most \d+, [DC]NF, thresholds at [13]0 quantiles; by accuracy on", told)


def test_fit_json_has_what_was_chosen_and_how_rows_left_out_were_answered(call, csv, tmp_path):
    model = tmp_path / "model.json"
    options = ("--repeats", 1, "--cv", 3, "--json", "--save", model)
    code, out, err = call("fit", csv, *FIT[:-2], *options)
    assert (code, err) == (0, "")
    figures = json.loads(out)
    assert list(figures) == [*KEYS, "notes", "chosen"]
    assert set(figures["chosen"]) == {"form", "thresholds", "max_complexity"}
    assert figures["complexity"] <= figures["chosen"]["max_complexity"]
    assert figures["form"] == figures["chosen"]["form"]
    held_out = figures["held_out"]
    assert (held_out["n_rows"], held_out["n_splits"]) == (50, 3)
    assert not held_out["chosen_on_the_same_rows"]
    assert Model.load(model).held_out.to_plain() == held_out
    assert call("verify", model, csv)[0] == 0


@pytest.mark.parametrize(
    ("options", "left_open"),
    [
        (["--form", "cnf"], {"thresholds", "max_complexity"}),
        (["--thresholds", 3], {"form", "max_complexity"}),
        (["--form", "dnf", "--thresholds", 3], {"max_complexity"}),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_an_option_fixes_what_it_names(call, csv, options, left_open):
    options = [*options, "--repeats", 1, "--cv", 2, "--json"]
    figures = json.loads(call("fit", csv, *FIT[:-2], *options)[1])
    assert set(figures["chosen"]) == left_open
    if "--form" in options and figures["complexity"]:
        assert figures["form"] == options[1]


def test_without_folds_there_are_no_figures_of_rows_left_out(call, csv):
    figures = json.loads(call("fit", csv, *FIT, "--no-cv", "--json")[1])
    assert list(figures) == [*KEYS, "notes"]
    assert figures["held_out"] is None
    told = call("fit", csv, *FIT, "--no-cv")[1]
    assert "left out" not in told
    with_folds = json.loads(call("fit", csv, *FIT, "--json")[1])
    same = ("rules", "hamming_loss", "lower_bound", "is_optimal")
    assert [figures[name] for name in same] == [with_folds[name] for name in same]


def test_where_nothing_helps_fit_chooses_no_rules(call, tmp_path):
    random = np.random.default_rng(3)
    path, model = tmp_path / "noise.csv", tmp_path / "model.json"
    y = np.where(random.random(60) < 0.25, "yes", "no")
    pl.DataFrame({"a": random.normal(size=60), "y": y}).write_csv(path)
    options = ("--target", "y", "--positive", "yes", "--repeats", 1, "--save", model)
    code, out, err = call("fit", path, *options)
    assert (code, err) == (0, "")
    assert "ALWAYS y is 'no' (there is no clause)" in out
    assert "Chosen: no rules; by accuracy on rows left out (" in out
    assert "optimal" in out
    assert call("verify", model, path)[0] == 0
    assert set(json.loads(call("predict", model, path, "--json")[1])) == {"no"}
    assert call("report", path, "--model", model, "-o", tmp_path / "page.html")[0] == 0


def test_a_complexity_of_0_is_no_rules(call, csv):
    code, out, err = call("fit", csv, *FIT[:-1], 0, "--json")
    assert (code, err) == (0, "")
    figures = json.loads(out)
    assert (figures["rules"], figures["complexity"], figures["is_optimal"]) == ([], 0, True)


def test_where_no_rows_can_be_left_out_none_are_spoken_of(call, tmp_path):
    path = write(tmp_path, "a,y\n1,1\n2,0\n3,0\n")
    code, out, err = call("fit", path, "--target", "y")
    assert code == 0
    assert "too few rows of a class to cross-validate: 1 has 1. Figures, and any choice," in err
    assert "rows left out" not in out
    assert "by accuracy on training rows." in " ".join(out.split())
    figures = json.loads(call("fit", path, "--target", "y", "--json")[1])
    assert figures["held_out"] is None


def test_rows_that_weigh_more_count_once_on_rows_left_out(call, tmp_path):
    """With balanced classes the loss is weighted, but precision is that of plain rows."""
    rows = ["1,yes"] * 9 + ["1,no"] * 11 + ["0,no"] * 40 + ["0,yes"]
    path = write(tmp_path, "\n".join(["a,y", *rows]) + "\n")
    options = ("--positive", "yes", "--max-complexity", 2, "--class-weight", "balanced")
    code, out, err = call("fit", path, "--target", "y", *options, "--json")
    assert (code, err) == (0, "")
    figures = json.loads(out)
    assert figures["rules"] == [["a == 1"]]
    assert figures["held_out"]["precision"] == pytest.approx(9 / 20)
    told = call("fit", path, "--target", "y", *options)[1]
    assert "Precision 45.0 %: of the 20 rows flagged 'yes', 9 are." in told


@pytest.mark.parametrize("command", ["fit", "path"])
def test_large_counts_are_written_out_and_one_clause_is_one_clause(call, tmp_path, command):
    path = write(tmp_path, "a,n,y\n1,9012361,1\n0,8000001,0\n0,3000001,1\n")
    options = [] if command == "path" else ["--max-complexity", "2", "--no-cv"]
    code, out, _ = call(command, path, "--target", "y", "--sample-weight", "n", *options)
    assert code == 0
    assert re.search(r"a == 1 +1 +100.0% +1 +9012361 +100.0%\n", out)
    assert "e+0" not in out


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_fit_json_has_every_key_and_nothing_else_on_stdout(call, csv, form):
    code, out, err = call("fit", csv, *FIT, "--form", form, "--json")
    assert (code, err) == (0, "")
    figures = json.loads(out)
    assert list(figures) == [*KEYS, "notes"]
    assert out.count("\n") == 1
    assert figures["form"] == form
    assert all(isinstance(c, str) for clause in figures["rules"] for c in clause)
    assert figures["n_clauses"] == len(figures["rules"])
    assert figures["complexity"] == sum(1 + len(clause) for clause in figures["rules"]) <= 5
    assert figures["lower_bound"] <= figures["hamming_loss"]
    assert figures["is_optimal"] == (figures["gap"] == 0)
    assert figures["n_rows"] == 50


def test_an_unknown_bound_is_null_and_so_is_the_gap(call, csv):
    code, out, _ = call("fit", csv, *FIT, "--time-limit", "1e-9", "--json")
    figures = json.loads(out)
    assert code == 0
    assert (figures["lower_bound"], figures["gap"], figures["is_optimal"]) == (None, None, False)
    assert (figures["argument"], figures["stop_reason"]) == ("none", "time limit")


def test_the_accuracy_is_that_of_the_predictions(call, csv, model):
    _, out, _ = call("fit", csv, *FIT, "--json")
    _, predicted, _ = call("predict", model, csv, "--json")
    share = np.mean(np.array(json.loads(predicted)) == PEOPLE["risk"].to_numpy())
    assert json.loads(out)["train_accuracy"] == pytest.approx(share)


def without_seconds(out):
    return {key: value for key, value in json.loads(out).items() if key != "seconds"}


def test_csv_gzip_and_parquet_give_the_same_rules(call, csv, tmp_path):
    packed, parquet = tmp_path / "people.csv.gz", tmp_path / "people.parquet"
    packed.write_bytes(gzip.compress(Path(csv).read_bytes()))
    PEOPLE.write_parquet(parquet)
    figures = [
        without_seconds(call("fit", path, *FIT, "--json")[1]) for path in (csv, packed, parquet)
    ]
    assert figures[0] == figures[1] == figures[2]


def test_parquet_keeps_categories_and_booleans(call, tmp_path):
    path = tmp_path / "people.parquet"
    PEOPLE.with_columns(
        pl.col("job").cast(pl.Categorical), pl.col("risk").cast(pl.Enum(["low", "high"]))
    ).with_columns(old=pl.col("age") > 50).write_parquet(path)
    code, out, err = call("fit", path, *FIT, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["rules"]


def test_verbose_writes_rounds_to_stderr_only(call, csv):
    code, out, err = call("fit", csv, *FIT, "--json", "--verbose")
    assert code == 0
    assert list(json.loads(out)) == [*KEYS, "notes"]
    assert "z_RMLP" in err


def test_options_reach_the_classifier(call, csv, tmp_path):
    path = tmp_path / "model.json"
    code, out, _ = call(
        *("fit", csv, *FIT, "--json", "--save", path, "--max-conditions", 1),
        *("--class-weight", "balanced", "--missed-positive-cost", 2, "--covered-zero-cost", 3),
        *("--complexity-penalty", 0.5, "--drop", "score,", "--thresholds", 3, "--seed", 4),
    )
    assert code == 0
    saved = Model.load(path)
    problem = saved.certificates[0].problem
    assert (problem.max_conditions, problem.complexity_penalty) == (1, 0.5)
    assert saved.weighing.costs == (2, 3)
    assert saved.weighing.class_weights[0] > 1 > saved.weighing.class_weights[1]
    assert [feature.name for feature in saved.encoding.features] == ["age", "job"]
    assert json.loads(out)["n_conditions"] == 2 * 2 + 2 + 2 * 3


def test_special_values_and_categorical_columns_reach_the_binarizer(call, tmp_path):
    path = write(tmp_path, "a,zone,y\n" + "".join(f"{k - 9},{k % 3},{k % 2}\n" for k in range(12)))
    saved = tmp_path / "model.json"
    code, *_ = call(
        *("fit", path, "--target", "y", "--save", saved, "--json"),
        *("--special-values=-9,-8", "--categorical", "zone", "--max-complexity", 3),
    )
    assert code == 0
    conditions = [str(c) for c in Model.load(saved).encoding.conditions]
    assert "a == -9" in conditions
    assert "zone != 2" in conditions


def test_binary_takes_zeros_and_ones_as_conditions(call, tmp_path, turned_down):
    path = write(tmp_path, "a,b,y\n0,0,0\n0,1,0\n1,0,0\n1,1,1\n")
    code, out, _ = call("fit", path, "--target", "y", "--binary", "--json")
    assert code == 0
    assert json.loads(out)["rules"] == [["a == 1", "b == 1"]]
    other = write(tmp_path, "a,y\n0,0\n2,1\n")
    assert "zeros and ones" in turned_down("fit", other, "--target", "y", "--binary")


def test_a_comparison_chooses_the_positives(call, tmp_path):
    path = write(tmp_path, "a,drinks\n" + "".join(f"{k},{k // 2}\n" for k in range(12)))
    model = tmp_path / "model.json"
    code, out, _ = call(
        *("fit", path, "--target", "drinks", "--positive", "> 2", "--json", "--save", model)
    )
    assert code == 0
    assert json.loads(out)["hamming_loss"] == 0
    _, predicted, _ = call("predict", model, path, "--json")
    assert json.loads(predicted) == ["<= 2"] * 6 + ["> 2"] * 6
    assert call("verify", model, path)[0] == 0


def test_several_classes_have_the_keys_for_each(call, tmp_path):
    path = write(tmp_path, "a,y\n" + "".join(f"{k},{k // 4}\n" for k in range(12)))
    model = tmp_path / "model.json"
    code, out, err = call("fit", path, "--target", "y", "--json", "--save", model)
    assert (code, err.count("\n"), "'y' has 3 labels: 0, 1, 2." in err) == (0, 1, True)
    figures = json.loads(out)
    assert [rules["label"] for rules in figures["rule_sets"]] == [0, 1, 2]
    assert all(set(KEYS) <= set(rules) for rules in figures["rule_sets"])
    assert figures["train_accuracy"] == 1
    assert call("verify", model, path)[0] == 0
    assert json.loads(call("predict", model, path, "--json")[1]) == [k // 4 for k in range(12)]


def test_sample_weights_are_used_and_asked_for_by_verify(call, tmp_path):
    rows = ["1,1,3", "1,0,1", "1,0,1", "0,0,1", "0,0,1", "0,0,1"]
    path = write(tmp_path, "\n".join(["a,y,w", *rows]) + "\n")
    model = tmp_path / "model.json"
    weighted = ("--sample-weight", "w")
    options = ("--max-complexity", 2, "--no-cv", "--json", "--save", model)
    code, out, _ = call("fit", path, "--target", "y", *options, *weighted)
    assert code == 0
    assert json.loads(out)["hamming_loss"] == 2
    assert call("verify", model, path, *weighted)[0] == 0
    code, out, _ = call("verify", model, path)
    assert code == 1
    assert "sample weights" in out


# Not an error


def test_one_class_gives_a_constant_rule_set_and_says_so(call, tmp_path):
    path = write(tmp_path, "a,y\n1,yes\n2,yes\n3,yes\n")
    model = tmp_path / "model.json"
    code, out, err = call("fit", path, "--target", "y", "--json", "--save", model)
    figures = json.loads(out)
    assert code == 0
    assert list(figures) == [*KEYS, "notes", "chosen"]
    assert figures["held_out"] is None
    assert (figures["complexity"], figures["rules"], figures["hamming_loss"]) == (0, [], 0)
    assert figures["stop_reason"] == "one class"
    assert err == "boolrules: Every label is 'yes': the rule set is constant.\n"
    assert call("verify", model, path)[0] == 0
    assert json.loads(call("predict", model, path, "--json")[1]) == ["yes"] * 3


def test_constant_features_are_not_an_error(call, tmp_path):
    path = write(tmp_path, "a,b,y\n" + "1,x,0\n" * 3 + "1,x,1\n" * 2)
    code, out, err = call("fit", path, "--target", "y", "--json")
    figures = json.loads(out)
    assert (code, err) == (
        0,
        "boolrules: Note: Each of 'a' (1) and 'b' ('x') has one value only.\n",
    )
    assert (figures["rules"], figures["complexity"], figures["n_conditions"]) == ([], 0, 0)
    assert (figures["hamming_loss"], figures["stop_reason"]) == (2, "nothing to learn")


def test_a_column_without_values_is_not_an_error(call, tmp_path):
    path = write(tmp_path, "a,b,y\n" + "".join(f"{k},,{k // 3}\n" for k in range(6)))
    code, out, _ = call("fit", path, "--target", "y", "--json")
    assert code == 0
    assert json.loads(out)["hamming_loss"] == 0


# Bad input


def test_a_missing_target_column_is_named_beside_those_that_there_are(turned_down, csv):
    err = turned_down("fit", csv, "--target", "nope")
    assert "no column 'nope'" in err
    assert "age, job, score, risk" in err


def test_a_missing_file_is_named(turned_down, tmp_path):
    assert "nope.csv" in turned_down("fit", tmp_path / "nope.csv", "--target", "y")


def test_a_folder_is_not_a_file(turned_down, tmp_path):
    assert str(tmp_path) in turned_down("fit", tmp_path, "--target", "y")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n", "is empty"),
        ("a,y\n", "has a header but no rows"),
        ("a,y\n1,0\ninf,1\n", "Column 'a' holds infinite values"),
        ("a,y\n1,0\n-inf,1\n", "Column 'a' holds infinite values"),
        ("a,b,a,y\n1,2,3,0\n4,5,6,1\n", "duplicated column names: a"),
        ("a,y\n1,\n2,\n3,\n", "no label in column 'y', in none of its rows"),
        ("y\n0\n1\n", "no column beside y"),
        ("a,y\n1,0.11\n2,0.22\n3,0.33\n", "Say which of them to describe"),
        ("a,y\n1,2020-01-31\n2,2021-01-31\n", "'y' holds dates"),
        ("a,y\n1,0\n2,1,7,7\n", "could not be read"),
    ],
)
def test_a_file_that_cannot_be_learned_from_gets_one_line(turned_down, tmp_path, text, message):
    path = write(tmp_path, text)
    assert message in turned_down("fit", path, "--target", "y")


UNREADABLE = {
    "half.csv": "a,y\nä,0\nö,1\n".encode() + "ü,1".encode("latin-1"),
    "noise.csv": bytes(range(256)) * 10,
    "noise.parquet": b"not a parquet file",
    "empty.parquet": b"",
    "cut.csv.gz": gzip.compress(b"a,y\n1,0\n2,1\n" * 100)[:-20],
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_file_that_cannot_be_read_gets_one_line_that_names_it(turned_down, tmp_path, name):
    (tmp_path / name).write_bytes(UNREADABLE[name])
    assert name in turned_down("fit", tmp_path / name, "--target", "y")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--max-complexity", "1"], "max_complexity=1 allows no clause"),
        (["--max-complexity", "-4"], "allows no clause"),
        (["--max-complexity", "inf"], "max.complexity"),
        (["--max-complexity", "nan"], "max.complexity"),
        (["--max-complexity", "many"], "--max-complexity"),
        (["--max-conditions", "0"], "max_conditions"),
        (["--time-limit", "-1"], "--time-limit: '-1' is not a number of seconds above 0"),
        (["--time-limit", "0"], "--time-limit"),
        (["--thresholds", "1"], "--thresholds: '1' is neither a number of quantiles, 2 or more"),
        (["--thresholds", "0"], "--thresholds: '0' is neither a number of quantiles, 2 or more"),
        (["--n-jobs", "0"], "--n-jobs: '0' is not a number of threads: 1 or more, -1 for all"),
        (["--n-jobs", "two"], "--n-jobs: 'two' is not a number of threads"),
        (
            ["--max-complexity", "4", "--no-cv", "--binary"],
            "--binary takes a table of zeros and ones, but column 'age' holds .*--binary out",
        ),
        (["--drop", "risk"], "--drop leaves out 'risk', which --target asks for"),
        (["--thresholds", "many"], "'many' is neither a number of quantiles.* nor the word all"),
        (["--form", "xnf"], "--form"),
        (["--positive", "medium"], "No row of column 'risk' is medium.*high, low"),
        (["--positive", "> 3"], "compares numbers"),
        (["--drop", "nope"], "no column 'nope'"),
        (["--drop", "a\nb"], "double quotes"),
        (["--categorical", "nope"], "'nope', which is not a column"),
        (["--special-values=a"], "not a list of numbers"),
        (["--special-values", "=-9"], "not a list of numbers"),
        (["--special-values", "nope=-9"], "'nope', which is not a column"),
        (["--sample-weight", "nope"], "no column 'nope'"),
        (["--sample-weight", ""], "no column ''"),
        (["--sample-weight", "job"], "'job'|sample.weight"),
        (["--sample-weight", "score"], "none negative"),
        (["--drop", "age,job,score"], "to learn from"),
        (["--bogus"], "--bogus"),
        (["--cv", "1"], "--cv 1 leaves no rows"),
        (["--scoring", "beauty"], "--scoring 'beauty' is no scorer of scikit-learn"),
        (["--scoring", "r2"], "--scoring 'r2' is a score of numbers and not of classes.*f1"),
        (["--scoring", "f1_samples"], "--scoring 'f1_samples' is for rows of several labels"),
        (["--no-cv"], "--no-cv leaves no rows out.*Add --max-complexity"),
        (["--memory-limit", "1GiB"], "--memory-limit leaves no rows out"),
        (["--objective", "f1"], "--objective f1 leaves no rows out.*Add --max-complexity"),
        (
            ["--max-complexity", "4", "--no-cv", "--cv", "4"],
            "--cv 4 is for rows left out, but --no-cv leaves none out",
        ),
        (
            ["--max-complexity", "4", "--objective", "errors", "--scoring", "f1"],
            "--scoring f1 is for rows left out, but --objective errors leaves none out",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options_that_make_no_sense_get_one_line(turned_down, csv, options, message):
    assert re.search(message, turned_down("fit", csv, "--target", "risk", *options))


@pytest.mark.parametrize("arguments", [[], ["learn"], ["fit"], ["predict", "model.json"]])
def test_bad_usage_gets_one_line_that_points_to_help(turned_down, arguments):
    assert "--help" in turned_down(*arguments)


@pytest.mark.parametrize("arguments", [["--help"], ["fit", "--help"], ["--version"]])
def test_help_and_version_are_not_errors(call, arguments):
    code, out, err = call(*arguments)
    assert (code, err) == (0, "")
    assert "boolrules" in out


def test_an_unwritable_model_path_is_found_before_the_work(turned_down, csv, tmp_path):
    assert "no folder" in turned_down("fit", csv, *FIT, "--save", tmp_path / "no" / "model.json")
    assert "it is a folder" in turned_down("fit", csv, *FIT, "--save", tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_path_without_permission_is_found_before_the_work(turned_down, csv, tmp_path):
    tmp_path.chmod(0o500)
    try:
        assert "permission" in turned_down("fit", csv, *FIT, "--save", tmp_path / "model.json")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_rules_are_printed_even_if_the_model_cannot_be_written_after_all(call, csv):
    code, out, err = call("fit", csv, *FIT, "--json", "--save", "/dev/full")
    assert code == 2
    assert list(json.loads(out)) == [*KEYS, "notes"]
    assert err.count("\n") == 1


# predict


def test_predict_prints_one_prediction_per_row(call, csv, model):
    code, out, err = call("predict", model, csv)
    assert (code, err) == (0, "")
    header, *predictions = out.splitlines()
    assert header == "prediction"
    assert predictions == Model.load(model).predict(PEOPLE).tolist()


@pytest.mark.parametrize("n_rows", [1, 5, len(PEOPLE), 10**5])
def test_predict_adds_a_column_to_the_table(call, csv, model, tmp_path, monkeypatch, n_rows):
    monkeypatch.setattr(predict_command, "ROWS_AT_A_TIME", n_rows)
    code, out, err = call("predict", model, csv, "-o", tmp_path / "out.csv")
    assert (code, out, err) == (0, "", "")
    written = pl.read_csv(tmp_path / "out.csv")
    assert written.columns == [*PEOPLE.columns, "prediction"]
    assert written["prediction"].to_list() == Model.load(model).predict(PEOPLE).tolist()


def test_predict_overwrites_no_column(turned_down, csv, model, tmp_path):
    path = tmp_path / "answered.csv"
    PEOPLE.with_columns(prediction=pl.lit("by hand")).write_csv(path)
    err = turned_down("predict", model, path, "-o", tmp_path / "out.csv")
    assert "has a column prediction already" in err


def test_predict_needs_only_the_columns_that_the_rules_use(call, model, tmp_path):
    used = Model.load(model).rule_sets[0].features
    path = tmp_path / "new.csv"
    PEOPLE.select(used).write_csv(path)
    code, out, _ = call("predict", model, path, "--json")
    assert code == 0
    assert json.loads(out) == Model.load(model).predict(PEOPLE).tolist()


def test_predict_names_a_missing_column_beside_those_that_there_are(turned_down, model, tmp_path):
    path = write(tmp_path, "alter,beruf\n30,koch\n", "new.csv")
    err = turned_down("predict", model, path)
    assert "no column 'age'" in err or "no column 'job'" in err
    assert "alter, beruf" in err


def test_predict_turns_down_text_where_fit_had_numbers(turned_down, model, tmp_path):
    path = write(tmp_path, "age,job,score\nold,clerk,1\n", "new.csv")
    assert "Column 'age' holds text" in turned_down("predict", model, path)


def test_predict_reads_digits_as_text_where_fit_had_text(call, tmp_path):
    seen = write(tmp_path, "a,y\n" + "A1,0\n12,1\nA1,0\n12,1\n")
    model = tmp_path / "model.json"
    assert call("fit", seen, "--target", "y", "--save", model)[0] == 0
    code, out, _ = call("predict", model, write(tmp_path, "a\n12\n99\n", "new.csv"), "--json")
    assert code == 0
    assert json.loads(out)[0] == 1


def test_predict_on_no_rows_predicts_nothing(call, model, tmp_path):
    path = write(tmp_path, "age,job,score\n", "new.csv")
    assert call("predict", model, path)[:2] == (0, "prediction\n")


def test_predict_with_an_unwritable_output_gets_one_line(turned_down, csv, model, tmp_path):
    err = turned_down("predict", model, csv, "-o", tmp_path / "no" / "out.csv")
    assert "no folder" in err


@pytest.mark.parametrize("command", ["predict", "verify"])
@pytest.mark.parametrize(
    "contents",
    [b"", b"{", b"null", b"\x80\xff", b'{"format": "boolrules model"}', b"[" * 10_000],
    ids=["empty", "cut off", "null", "not text", "only a format", "deep"],
)
def test_a_corrupt_model_file_gets_one_line_that_names_it(
    turned_down, csv, tmp_path, command, contents
):
    path = tmp_path / "corrupt.json"
    path.write_bytes(contents)
    assert "corrupt.json" in turned_down(command, path, csv)


@pytest.mark.parametrize("command", ["predict", "verify"])
def test_a_model_file_with_a_huge_number_gets_one_line(turned_down, csv, model, command):
    plain = json.loads(Path(model).read_text(encoding="utf-8"))
    plain["certificates"][0]["hamming_loss"] = 10**400
    Path(model).write_text(json.dumps(plain), encoding="utf-8")
    assert "model.json" in turned_down(command, model, csv)


@pytest.mark.parametrize("command", ["predict", "verify"])
def test_a_missing_model_file_is_named(turned_down, csv, tmp_path, command):
    assert "nope.json" in turned_down(command, tmp_path / "nope.json", csv)


# explain


def test_explain_says_why_for_each_row(call, csv, model):
    code, out, err = call("explain", model, csv)
    rules = Model.load(model).rule_sets[0]
    assert (code, err) == (0, "")
    assert out.splitlines() == [f"row {i}: {e}" for i, e in enumerate(rules.explain(PEOPLE), 1)]


def test_explain_json_holds_the_rows_that_were_asked_for(call, csv, model):
    code, out, _ = call("explain", model, csv, "--row", 3, 1, "--json")
    answers = json.loads(out)
    assert code == 0
    assert [answer["row"] for answer in answers] == [3, 1]
    reasons = ["decided_by", "nearest", "failed", "probability", "interval", "is_corrected"]
    assert list(answers[0]) == ["row", "prediction", *reasons]
    low, high = answers[0]["interval"]
    assert low <= answers[0]["probability"] <= high
    predicted = Model.load(model).predict(PEOPLE).tolist()
    assert [answer["prediction"] for answer in answers] == [predicted[2], predicted[0]]


def test_explain_takes_rows_that_are_named_one_by_one(call, csv, model):
    _, together, _ = call("explain", model, csv, "--row", 3, 1)
    assert call("explain", model, csv, "--row", 3, "--row", 1)[1] == together
    assert together.count("row ") == 2


@pytest.mark.parametrize("row", [0, 51, -1])
def test_explain_names_a_row_that_is_not_there(turned_down, csv, model, row):
    assert f"--row {row} is not in" in turned_down("explain", model, csv, f"--row={row}")


@pytest.mark.parametrize(
    "command", ["alternatives", "check", "compare", "explain", "report", "score", "verify"]
)
def test_a_table_without_rows_is_turned_down(turned_down, model, tmp_path, command):
    path = write(tmp_path, "age,job,score,risk\n", "none.csv")
    arguments = {
        "check": [model, path, "--target", "risk"],
        "compare": [model, model, path],
        "report": [path, "--model", model, "-o", tmp_path / "report.html"],
    }.get(command, [model, path])
    assert f"{path} has a header but no rows." in turned_down(command, *arguments)


@pytest.fixture
def three_classes(call, csv, tmp_path):
    """A model of the jobs, one rule set per job."""
    path = tmp_path / "jobs.json"
    assert call("fit", csv, "--target", "job", "--max-complexity", 4, "--save", path)[0] == 0
    return str(path)


def test_explain_of_three_classes_has_a_reason_for_each(call, csv, three_classes):
    code, out, _ = call("explain", three_classes, csv, "--row", 1)
    model = Model.load(three_classes)
    assert code == 0
    first, *reasons = out.splitlines()
    assert first == f"row 1: {model.predict(PEOPLE).tolist()[0]!r}"
    assert len(reasons) == 3
    assert all(" because " in reason for reason in reasons)
    answer = json.loads(call("explain", three_classes, csv, "--row", 1, "--json")[1])[0]
    assert [reason["label"] for reason in answer["rule_sets"]] == list(model.classes)


# export


@pytest.mark.parametrize("fixture", ["model", "three_classes"])
def test_exported_sql_and_python_predict_as_the_model_does(call, csv, request, fixture):
    path = request.getfixturevalue(fixture)
    expected = Model.load(path).predict(PEOPLE).tolist()
    code, sql, err = call("export", path, "--to", "sql", "--table", "people")
    assert (code, err) == (0, "")
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE people (age INT, job TEXT, score REAL, risk TEXT)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", PEOPLE.rows())
        assert [row[-1] for row in connection.execute(sql)] == expected
    names = {}
    exec(call("export", path, "--to", "python")[1], names)
    assert [names["predict"](row) for row in PEOPLE.to_dicts()] == expected


@pytest.mark.parametrize("fixture", ["model", "three_classes"])
@pytest.mark.parametrize(("language", "mark"), [("latex", "tabular}{"), ("markdown", "|---|")])
def test_exported_documents_have_a_table_per_rule_set(call, request, fixture, language, mark):
    path = request.getfixturevalue(fixture)
    code, out, _ = call("export", path, "--to", language)
    assert code == 0
    assert out.count(mark) == len(Model.load(path).rule_sets)


def test_exported_json_reads_back_to_the_rules(call, model, three_classes):
    text = call("export", model, "--to", "json")[1]
    assert RuleSet.from_json(text) == Model.load(model).rule_sets[0]
    several = json.loads(call("export", three_classes, "--to", "json")[1])
    rule_sets = tuple(map(RuleSet.from_plain, several))
    assert rule_sets == Model.load(three_classes).rule_sets


@pytest.mark.parametrize("fixture", ["model", "three_classes"])
def test_formulas_pmml_and_onnx_are_those_of_the_model(call, request, tmp_path, fixture):
    path = request.getfixturevalue(fixture)
    model, file = Model.load(path), tmp_path / "rules.onnx"
    assert call("export", path, "--to", "excel") == (0, model.to_excel() + "\n", "")
    cells = {name: f"{letter}2" for name, letter in zip(PEOPLE.columns, "ABCD", strict=True)}
    words = ",".join(f"{name}={cell}" for name, cell in cells.items())
    placed = call("export", path, "--to", "excel", "--cells", words)
    assert placed == (0, model.to_excel(cells) + "\n", "")
    assert call("export", path, "--to", "pmml") == (0, model.to_pmml(), "")
    assert f'<MiningField name="{model.target}" usageType="target" />' in model.to_pmml()
    if importlib.util.find_spec("onnx"):
        assert call("export", path, "--to", "onnx", "-o", file) == (0, "", "")
        assert file.read_bytes() == model.to_onnx()


def test_export_writes_to_a_file(call, model, tmp_path):
    printed = call("export", model, "--to", "sql", "--dialect", "duckdb")[1]
    file = tmp_path / "rules.sql"
    options = ["--to", "sql", "--dialect", "duckdb", "-o", file]
    assert call("export", model, *options) == (0, "", "")
    assert file.read_text(encoding="utf-8") == printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--to"),
        (["--to", "cobol"], "cobol"),
        (["--to", "sql", "--dialect", "access"], "access"),
        (["--to", "python", "--table", "people"], "--table is for --to sql, not --to python"),
        (["--to", "sql", "--cells", "age=A2"], "--cells is for --to excel, not --to sql"),
        (["--to", "excel", "--cells", "A2"], "'A2' is not a list of columns and their cells"),
        (["--to", "onnx"], "--to onnx writes no text, but a file. Name it"),
        (["--to", "sql", "-o", "no/folder/rules.sql"], "no folder"),
    ],
)
def test_export_options_that_make_no_sense_get_one_line(turned_down, model, options, message):
    assert message in turned_down("export", model, *options)


# verify


def test_verify_accepts_the_file_that_fit_wrote(call, csv, model):
    code, out, err = call("verify", model, csv)
    assert (code, err) == (0, "")
    assert "FAILS" not in out
    assert out.endswith("Everything claimed holds.\n")


def test_verify_json_lists_what_was_checked(call, csv, model):
    code, out, _ = call("verify", model, csv, "--json")
    verdict = json.loads(out)
    assert code == 0
    assert verdict["holds"] is True
    assert verdict["other_rows"] is None
    assert all(finding["holds"] for finding in verdict["findings"])
    assert any("lower bound" in finding["text"] for finding in verdict["findings"])


TAMPERED = {
    "loss": lambda p: p["certificates"][0].update(
        hamming_loss=p["certificates"][0]["hamming_loss"] - 1
    ),
    "bound": lambda p: p["certificates"][0].update(
        lower_bound=p["certificates"][0]["lower_bound"] + 1
    ),
    "duals": lambda p: p["certificates"][0]["duals"].update(lam=0),
    "limit": lambda p: p["certificates"][0]["problem"].update(max_complexity=0),
    "rules": lambda p: p["rule_sets"][0]["clauses"][0].append(
        {"feature": "job", "relation": "!=", "value": "nurse"}
    ),
    "threshold": lambda p: p["features"][0].update(
        thresholds=[t + 0.25 for t in p["features"][0]["thresholds"]]
    ),
}


@pytest.mark.parametrize("is_signed_anew", [False, True], ids=["by hand", "signed anew"])
@pytest.mark.parametrize("change", TAMPERED.values(), ids=TAMPERED)
def test_verify_turns_down_a_tampered_file(call, csv, model, change, is_signed_anew):
    plain = json.loads(Path(model).read_text(encoding="utf-8"))
    change(plain)
    text = json.dumps(plain)
    if is_signed_anew:
        text = Model.from_json(text).to_json()
    Path(model).write_text(text, encoding="utf-8")
    code, out, err = call("verify", model, csv)
    assert (code, err) == (1, "")
    assert "FAILS" in out
    assert "Not everything claimed holds." in out


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_every_threshold_goes_all_the_way(call, csv, tmp_path, form):
    model, page = tmp_path / "all.json", tmp_path / "report.html"
    options = ["--thresholds", "all", "--max-complexity", 4, "--form", form, "--no-cv"]
    code, out, err = call("fit", csv, *FIT[:-2], *options, "--save", model)
    assert (code, err) == (0, "")
    assert "over all thresholds." in " ".join(out.split())
    figures = json.loads(call("fit", csv, *FIT[:-2], *options, "--json")[1])
    assert figures["thresholds"] == "all"
    distinct = PEOPLE["age"].drop_nulls().n_unique() + PEOPLE["score"].n_unique()
    assert figures["n_conditions"] == 2 * (distinct - 2) + 2 + 6  # null tests, three jobs
    plain = json.loads(model.read_text(encoding="utf-8"))
    assert [feature.get("thresholds") for feature in plain["features"]] == ["all", None, "all"]
    assert plain["certificates"][0]["thresholds"] == "all"
    code, out, err = call("verify", model, csv)
    assert (code, err) == (0, "")
    assert "holds: every threshold of every numeric column is on offer" in out
    assert "not the training rows" in call("verify", model, csv_of(tmp_path, seed=1))[1]
    expected = Model.load(model).predict(PEOPLE).tolist()
    predicted = tmp_path / "predicted.csv"
    assert call("predict", model, csv, "-o", predicted)[0] == 0
    assert pl.read_csv(predicted)["prediction"].to_list() == expected
    names = {}
    exec(call("export", model, "--to", "python")[1], names)
    assert [names["predict"](row) for row in PEOPLE.to_dicts()] == expected
    rules = call("export", model, "--to", "json")[1]
    assert "age" in rules or "score" in rules
    assert call("report", csv, "--model", model, "-o", page)[0] == 0
    assert "over all thresholds" in page.read_text(encoding="utf-8")
    text = write(tmp_path, str(Model.load(model).rule_sets[0]), "rules.txt")
    code, out, err = call("check", text, csv, "--model", model, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["thresholds"] == "all"
    assert json.loads(out)["model"]["n_conditions"] == figures["n_conditions"]
    assert call("compare", model, text, csv)[0] == 0


def csv_of(tmp_path, seed):
    path = tmp_path / f"people_{seed}.csv"
    make_people(seed=seed).write_csv(path)
    return path


def test_verify_says_that_other_rows_are_not_the_training_rows(call, model, tmp_path):
    other = tmp_path / "other.csv"
    make_people(seed=1).write_csv(other)
    code, out, err = call("verify", model, other)
    assert (code, err) == (1, "")
    assert out.startswith("These are not the training rows: ")
    assert "boolrules score" in out
    assert "FAILS" not in out
    verdict = json.loads(call("verify", model, other, "--json")[1])
    assert verdict["holds"] is False
    assert verdict["other_rows"] in out
    assert verdict["findings"] == []


def test_verify_of_rows_without_a_positive_says_that_they_are_others(call, model, tmp_path):
    other = tmp_path / "other.csv"
    PEOPLE.filter(pl.col("risk") == "low").write_csv(other)
    code, out, _ = call("verify", model, other)
    assert code == 1
    assert out.startswith("These are not the training rows: there are ")


def test_verify_needs_the_target_column(turned_down, model, tmp_path):
    path = tmp_path / "new.csv"
    PEOPLE.drop("risk").write_csv(path)
    assert "no column 'risk'" in turned_down("verify", model, path)


def test_verify_of_a_model_without_a_target_asks_for_it(call, turned_down, csv, model):
    plain = json.loads(Path(model).read_text(encoding="utf-8"))
    plain["rule_sets"][0]["target"] = None
    text = Model.from_json(json.dumps(plain)).to_json()
    Path(model).write_text(text, encoding="utf-8")
    assert "--target" in turned_down("verify", model, csv)
    assert call("verify", model, csv, "--target", "risk")[0] == 0


def test_verify_holds_the_name_of_the_target_against_that_of_the_labels(call, csv, model):
    frame = pl.read_csv(csv)
    frame.with_columns(income=frame["risk"]).write_csv(csv)
    assert call("verify", model, csv)[0] == 0
    code, out, _ = call("verify", model, csv, "--target", "income")
    assert code == 1
    assert "FAILS: the rules' target is 'risk', the labels are called 'income'" in out


# Labels


@pytest.mark.parametrize(
    ("values", "positive", "expected"),
    [
        ([0, 1, 1], "1", [False, True, True]),
        ([0, 1, 2], "1", [False, True, False]),
        ([0.0, 1.0, 1.0], "1", [False, True, True]),
        ([True, False, True], "true", [True, False, True]),
        (["a", "b", "c"], "b", [False, True, False]),
        ([0, 3, 5], ">= 3", [False, True, True]),
        ([0, 3, 5], ">3", [False, False, True]),
        ([0, 3, 5], "< 3", [True, False, False]),
        ([-1.5, 3, 5], "<= -1.5", [True, False, False]),
    ],
    ids=repr,
)
def test_the_positive_rows_are_those_that_the_option_says(values, positive, expected):
    labels = read_labels(pl.Series("y", values), positive)
    assert (labels.values == labels.positive).tolist() == expected


# Real processes


def start(*arguments, **options):
    command = [sys.executable, "-m", "boolrules", *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


@pytest.mark.processes
def test_a_process_puts_json_on_stdout_and_a_warning_once_on_stderr(csv):
    """Its workers find the same slip in every split, and say nothing."""
    process = start("fit", csv, *FIT, "--json", "--n-jobs", 2, "--forbid-condition", "job == cok")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert err.count("\n") == 1
    assert err.startswith("boolrules: forbidden_conditions has 'job == cok'")
    assert list(json.loads(out)) == [*KEYS, "notes"]


@pytest.mark.processes
def test_a_process_with_bad_input_exits_with_2_and_one_line(csv):
    process = start("fit", csv, "--target", "nope")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert err.count("\n") == 1


@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send")
def test_an_interrupted_process_prints_and_saves_the_best_so_far_and_exits_with_130(tmp_path):
    random = np.random.default_rng(0)
    columns = {f"f{k}": random.normal(size=300) for k in range(8)}
    path, model = tmp_path / "hard.csv", tmp_path / "model.json"
    pl.DataFrame(columns | {"y": random.integers(0, 2, 300)}).write_csv(path)
    process = start(
        *("fit", path, "--target", "y", "--max-complexity", 40, "--time-limit", 100),
        *("--json", "--verbose", "--save", model, "--no-cv"),
    )
    header, first_round = process.stderr.readline(), process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert "z_RMLP" in header
    assert first_round.split()[0] == "1"
    assert "Traceback" not in err
    assert process.returncode == 130
    figures = json.loads(out)
    assert list(figures) == [*KEYS, "notes"]
    assert figures["stop_reason"] == "interrupted"
    assert figures["rules"]
    table = pl.read_csv(path)
    assert Model.load(model).verify(table, table["y"].to_numpy()).holds


@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send")
def test_a_process_interrupted_in_its_splits_chooses_by_those_done(tmp_path):
    random = np.random.default_rng(0)
    columns = {f"f{k}": random.normal(size=200) for k in range(5)}
    path = tmp_path / "hard.csv"
    pl.DataFrame(columns | {"y": random.integers(0, 2, 200)}).write_csv(path)
    process = start("fit", path, "--target", "y", "--n-jobs", 1, "--json", "--verbose", "--cv", 50)
    assert "1 of 50 splits of the rows" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    assert process.returncode == 130
    assert re.match(r"\d+ of 50 stratified folds", json.loads(out)["held_out"]["description"])


# The paper's data, where they are at hand


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("transfusion", ["--positive", "1", "--max-complexity", "6"]),
        ("heart", ["--positive", "> 0", "--max-complexity", "4", "--categorical", "cp,thal"]),
        ("liver", ["--positive", "> 2", "--max-complexity", "4", "--form", "cnf"]),
        ("ILPD", ["--positive", "2", "--max-complexity", "4"]),
    ],
)
def test_data_sets_of_the_paper_are_learned_and_verified(call, tmp_path, name, options):
    path, model = DATA / name / "data.csv", tmp_path / "model.json"
    if not path.exists():
        pytest.skip(f"{path} is not here; set BOOLRULES_DATA")
    code, out, err = call(
        *("fit", path, "--target", "target", *options),
        *("--json", "--time-limit", 5, "--save", model),
    )
    assert (code, err) == (0, "")
    figures = json.loads(out)
    assert list(figures) == [*KEYS, "notes"]
    assert figures["rules"]
    assert call("verify", model, path)[0] == 0
