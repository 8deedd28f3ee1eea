"""``boolrules report``: the page, the lines, the JSON, and what can go wrong."""

import hashlib
import json
import re

import numpy as np
import polars as pl
import pytest

from boolrules import Model
from boolrules.estimators import rounds

QUICK = ["--complexities", "2-4", "--cv", "3", "--repeats", "1", "--n-jobs", "1"]
TARGET = ["--target", "risk", "--positive", "high", *QUICK]


def make_table(n_rows=60, seed=0):
    random = np.random.default_rng(seed)
    age, dose = random.integers(18, 80, n_rows), random.integers(0, 9, n_rows)
    is_high = ((age > 50) & (dose > 3)) ^ (random.random(n_rows) < 0.1)
    return pl.DataFrame({"age": age, "dose": dose, "risk": np.where(is_high, "high", "low")})


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "table.csv"
    make_table().write_csv(path)
    return path


@pytest.fixture
def page(tmp_path):
    return tmp_path / "page.html"


def test_the_page_is_written_and_three_lines_say_what_is_in_it(call, csv, page):
    code, out, err = call("report", csv, *TARGET, "-o", page)
    assert (code, err) == (0, "")
    first, headline, second = out.splitlines()
    assert first.startswith(f"Wrote {page}")
    assert re.match(r"Flags .* flagged .*; finds \d+ % of .*\. Counted on rows left out", headline)
    assert re.search(
        r"complexity at most \d.*% right on rows left out, .*% right on the 60", second
    )
    html = page.read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>")
    assert "<title>Rules for risk</title>" in html


def test_json_has_the_facts_of_the_page(call, csv, page):
    code, out, err = call("report", csv, *TARGET, "-o", page, "--json", "--title", "Doses")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert (facts["output"], facts["title"]) == (str(page), "Doses")
    assert [point["max_complexity"] for point in facts["points"]] == [2, 3, 4]
    assert facts["data"]["source"] == "table.csv"
    assert facts["data"]["sha256"] == hashlib.sha256(csv.read_bytes()).hexdigest()
    assert facts["folds"]["n_left_out"] == [20, 20, 20]
    assert "rows" not in facts


def test_the_page_of_no_rules_is_written(call, page, tmp_path):
    random = np.random.default_rng(3)
    path = tmp_path / "noise.csv"
    y = np.where(random.random(60) < 0.25, "yes", "no")
    pl.DataFrame({"a": random.normal(size=60), "y": y}).write_csv(path)
    options = ["--target", "y", "--positive", "yes", "--complexities", "0,2-4", *QUICK[2:]]
    code, out, err = call("report", path, *options, "-o", page, "--json")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    chosen = facts["points"][facts["chosen"]]
    assert (chosen["max_complexity"], chosen["complexity"]) == (0, 0)
    assert page.exists()


def test_where_no_rows_can_be_left_out_none_are_spoken_of(call, page, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("a,y\n1,1\n2,0\n3,0\n4,0\n", encoding="utf-8")
    code, out, err = call("report", path, "--target", "y", *QUICK, "-o", page)
    assert code == 0
    assert "too few rows of a class" in err
    assert "by training rows (paired); 100.0% right on the 4 rows given." in out
    assert "left out" not in out


def test_a_saved_model_is_reported_as_it_is(call, csv, page, tmp_path):
    model = tmp_path / "model.json"
    assert call("report", csv, *TARGET, "-o", page, "--save", model)[0] == 0
    code, out, err = call("report", csv, "--model", model, "-o", page, "--json")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    saved = Model.load(model)
    (point,) = facts["points"]
    assert point["hamming_loss"] == saved.certificates[0].hamming_loss
    assert facts["data"]["are_training_rows"]
    assert facts["reason"] == "as saved"


def test_a_saved_model_on_other_rows_is_told_apart(call, csv, page, tmp_path):
    model, other = tmp_path / "model.json", tmp_path / "other.csv"
    assert call("report", csv, *TARGET, "-o", page, "--save", model)[0] == 0
    make_table(seed=5).write_csv(other)
    _, out, _ = call("report", other, "--model", model, "-o", page, "--json")
    assert not json.loads(out)["data"]["are_training_rows"]


def test_comparisons_with_a_number_and_weights_are_understood(call, page, tmp_path):
    path = tmp_path / "drinks.csv"
    table = make_table().with_columns(w=pl.lit(2.0))
    table.drop("risk").write_csv(path)
    options = ["--target", "dose", "--positive", "> 4", "--sample-weight", "w", *QUICK]
    model = tmp_path / "model.json"
    code, _, err = call("report", path, *options, "-o", page, "--save", model)
    assert (code, err) == (0, "")
    again = ["report", path, "--model", model, "--sample-weight", "w", "-o", page, "--json"]
    assert json.loads(call(*again)[1])["data"]["are_training_rows"]


def test_three_classes_are_reported(call, page, tmp_path):
    path = tmp_path / "three.csv"
    path.write_text("a,y\n" + "".join(f"{k},{k // 10}\n" for k in range(30)), encoding="utf-8")
    code, out, err = call("report", path, "--target", "y", *QUICK, "-o", page, "--json")
    assert (code, "'y' has 3 labels: 0, 1, 2. Each gets" in err) == (0, True)
    assert json.loads(out)["classes"] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], r"required: --target \(or --model\)"),
        (["--target", "nope"], "no column 'nope'"),
        (["--target", "risk", "--cv", "1"], "--cv 1 leaves no rows"),
        (["--target", "risk", "--max-rows", "-1"], "--max-rows -1 is below zero"),
        (["--target", "risk", "-o", "no/folder/page.html"], "no folder"),
        (["--target", "risk", "--save", "no/folder/model.json"], "no folder"),
        (["--model", "m.json", "--positive", "high"], "--positive is for learning"),
        (["--model", "m.json", "--complexities", "2"], "--complexities is for learning"),
        (["--model", "m.json", "--repeats", "2"], "--repeats is for learning"),
        (["--model", "m.json", "--scoring", "f1"], "--scoring is for learning"),
        (["--target", "risk", "--scoring", "beauty"], "'beauty' is no scorer"),
        (["--model", "m.json"], "m.json"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options_that_make_no_sense_get_one_line(
    call, csv, options, message, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    if "for learning" in message:
        (tmp_path / "m.json").touch()
    code, out, err = call("report", csv, *options)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert re.search(message, err)


def test_interrupted_folds_exit_with_130_and_a_page_that_looks_for_no_other_rules(
    call, csv, page, monkeypatch
):
    original, calls = rounds.judge_split, []

    def interrupted(*arguments):
        calls.append(1)
        return original(*arguments) if len(calls) <= 2 else None

    monkeypatch.setattr(rounds, "judge_split", interrupted)
    code, out, _ = call("report", csv, *TARGET, "-o", page, "--json")
    assert code == 130
    facts = json.loads(out)
    assert facts["folds"]["n_left_out"] == [20, 20]
    [none] = facts["alternatives"]
    assert none["sentence"] == "The run was stopped by hand, so other rules were not looked for."
    assert page.exists()


def test_help_teaches_by_example(call):
    code, out, _ = call("report", "--help")
    assert code == 0
    assert out.count("boolrules report credit.csv") == 3


def test_rows_and_labels_are_called_as_asked(call, csv, page):
    words = ["--word", "rows=patients", "--word", "high=at risk", "--alternatives", "2"]
    code, out, err = call("report", csv, *TARGET, *words, "-o", page, "--json")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert (facts["rows_are"], facts["classes"]) == ("patients", ["at risk", "low"])
    assert "of 100 patients; " in facts["points"][facts["chosen"]]["headline"]["sentence"]
    assert len(facts["alternatives"][0]["rule_sets"]) <= 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--word", "patients"], "'patients' is not a name and its word"),
        (["--word", "medium=x"], "words names 'medium', which is neither 'rows' nor one of"),
        (["--alternatives", "-1"], "--alternatives -1 is below zero"),
    ],
)
def test_words_and_alternatives_that_make_no_sense_are_one_line(call, csv, page, options, message):
    code, _, err = call("report", csv, *TARGET, "-o", page, *options)
    assert code == 2
    assert message in err.replace("\n", " ")
    assert not page.exists()
