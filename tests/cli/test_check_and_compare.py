"""``boolrules check`` and ``boolrules compare``."""

import json
import re

import polars as pl
import pytest

from boolrules import Model, assess, compare

PEOPLE = pl.DataFrame(
    {
        "age": [20, 30, 40, 50, 60, 70, None, 25],
        "job": ["cook", "clerk", "cook", "clerk", "cook", "clerk", "nurse", "nurse"],
        "code": ["12", "A1", "12", "7", "7", "A1", "A1", "12"],
        "visits": [0, 1, 2, 3, 4, 5, 6, 1],
        "risk": ["low", "low", "low", "high", "low", "high", "high", "low"],
    }
)
CHECK_KEYS = [
    *("rules", "form", "positive", "complexity", "n_clauses", "hamming_loss", "missed_positives"),
    *("covered_zeros", "accuracy", "error_rate", "n_rows", "clauses", "notes", "lower_bound"),
    *("gap", "is_optimal", "thresholds", "model"),
]
COMPARE_KEYS = [
    *("first", "second", "n_rows", "n_agree", "n_differ", "labels", "counts", "n_right"),
    "differences",
]


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "people.csv"
    PEOPLE.write_csv(path)
    return str(path)


@pytest.fixture
def model(call, csv, tmp_path):
    path = tmp_path / "model.json"
    options = ["--target", "risk", "--positive", "high", "--max-complexity", 3]
    assert call("fit", csv, *options, "--drop", "visits", "--save", path)[0] == 0
    return str(path)


@pytest.fixture
def write(tmp_path):
    def write(text, name="rules.txt"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


# check


def test_check_prints_what_assess_says(call, csv, model, write):
    text = "age > 40 AND job = 'clerk'"
    code, out, err = call("check", write(text), csv, "--model", model)
    assert (code, err) == (0, "")
    expected = assess(text, PEOPLE, PEOPLE["risk"], Model.load(model))
    assert out == f"{expected}\n"
    assert "lower bound" in out


@pytest.mark.parametrize("with_model", [False, True])
def test_check_json_has_every_key_and_nothing_else_on_stdout(call, csv, model, write, with_model):
    options = ["--model", model] if with_model else ["--positive", "high"]
    code, out, err = call("check", write("age > 100"), csv, "--target", "risk", *options, "--json")
    assert (code, err) == (0, "")
    figures = json.loads(out)
    assert list(figures) == CHECK_KEYS
    assert out.count("\n") == 1
    assert (figures["positive"], figures["hamming_loss"]) == ("high", 3)
    assert figures["clauses"][0]["precision"] is None
    assert (figures["model"] is not None) == with_model
    assert len(figures["notes"]) == 1


def test_check_takes_the_label_after_then(call, csv, write):
    rules = write("IF job == 'clerk'\nTHEN risk is high")
    assert json.loads(call("check", rules, csv, "--target", "risk", "--json")[1])["positive"] == (
        "high"
    )


def test_check_takes_one_label_of_three(call, csv, write):
    rules = write("age > 40 THEN clerk")
    figures = json.loads(call("check", rules, csv, "--target", "job", "--json")[1])
    assert (figures["missed_positives"], figures["covered_zeros"]) == (1, 1)
    assert call("check", rules, csv, "--target", "job", "--positive", "cook")[0] == 2
    rules = write("age > 40")
    options = ["--target", "job", "--positive", "cook", "--json"]
    assert json.loads(call("check", rules, csv, *options)[1])["positive"] == "cook"


@pytest.mark.parametrize(
    "text", ["age > 40", "age > 40 THEN '> 2'", "age > 40 THEN visits is '> 2'"]
)
def test_check_takes_a_comparison_for_the_positive_label(call, csv, write, text):
    options = ["--target", "visits", "--json", *([] if "THEN" in text else ["--positive", "> 2"])]
    figures = json.loads(call("check", write(text), csv, *options)[1])
    assert (figures["missed_positives"], figures["covered_zeros"]) == (1, 0)


def test_check_of_whole_number_labels(call, csv, write):
    figures = json.loads(
        call("check", write("age > 40 THEN 3"), csv, "--target", "visits", "--json")[1]
    )
    assert (figures["missed_positives"], figures["covered_zeros"]) == (0, 2)


def test_digits_are_read_as_text_where_rules_compare_with_text(call, tmp_path, write):
    path = tmp_path / "codes.csv"
    pl.DataFrame({"code": [12, 7, 12], "y": [1, 0, 1]}).write_csv(path)
    figures = json.loads(call("check", write("code == '12'"), path, "--target", "y", "--json")[1])
    assert figures["hamming_loss"] == 0
    figures = json.loads(call("check", write("code == 12"), path, "--target", "y", "--json")[1])
    assert figures["hamming_loss"] == 0


def test_check_reads_models_and_rule_sets_as_json(call, csv, model, write):
    expected = json.loads(call("check", model, csv, "--target", "risk", "--json")[1])
    assert expected["hamming_loss"] == Model.load(model).certificates[0].hamming_loss
    exported = write(call("export", model, "--to", "json")[1], "rules.json")
    assert json.loads(call("check", exported, csv, "--target", "risk", "--json")[1]) == expected
    for file in (model, exported):  # which say themselves what they predict
        assert json.loads(call("check", file, csv, "--json")[1]) == expected


def test_check_accepts_what_fit_printed(call, csv, model, write):
    printed = write(str(Model.load(model).rule_sets[0]))
    code, out, _ = call("check", printed, csv, "--model", model)
    assert code == 0
    assert "optimal among all rule sets of complexity at most 3" in out


def test_sample_weights_reach_the_assessment(call, csv, write):
    options = ["--target", "risk", "--positive", "high", "--sample-weight", "visits", "--json"]
    assert json.loads(call("check", write("age > 40"), csv, *options)[1])["hamming_loss"] == 4 + 6


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            "agee > 40",
            [],
            r"rules\.txt, line 1, column 1: there is no column 'agee'. Did you mean",
        ),
        (
            "age >",
            [],
            r"rules\.txt, line 1, column 6: found the end of the text, expected a number",
        ),
        ("risk = 'high'", [], "there is no column 'risk'"),
        ("", [], r"rules\.txt, line 1"),
        ("age > 40", ["--target", "rsk"], "no column 'rsk'"),
        ("age > 40", ["--positive", "medium"], "No row of column 'risk' is medium"),
        ("age > 40 THEN hgh", [], "No row of column 'risk' is hgh"),
        ("job > 40", [], "'job' holds text"),
        ("age > 40", ["--sample-weight", "job"], "'job'"),
        ('{"clauses": 3}', [], r"rules\.txt is not a usable rule set"),
        ('{"format": 3}', [], r"rules\.txt is not a usable boolrules model"),
    ],
)
def test_check_turns_bad_input_down_in_one_line(turned_down, csv, write, text, options, message):
    arguments = ["check", write(text), csv, "--target", "risk", *options]
    assert re.search(message, turned_down(*arguments))


def test_check_needs_files_and_a_target(turned_down, csv, tmp_path, write):
    assert "nope.txt" in turned_down("check", tmp_path / "nope.txt", csv, "--target", "risk")
    assert "nope.csv" in turned_down(
        "check", write("age > 4"), tmp_path / "nope.csv", "--target", "y"
    )
    assert "--target" in turned_down("check", write("age > 4"), csv)
    (tmp_path / "noise.txt").write_bytes(bytes(range(128, 256)))
    assert "not text" in turned_down("check", tmp_path / "noise.txt", csv, "--target", "risk")


def test_check_of_a_model_of_three_classes_asks_for_text(call, turned_down, csv, tmp_path):
    path = tmp_path / "jobs.json"
    assert call("fit", csv, "--target", "job", "--max-complexity", 4, "--save", path)[0] == 0
    assert "one at a time" in turned_down("check", path, csv, "--target", "job")


# compare


def test_compare_prints_what_compare_says(call, csv, model, write):
    rules = write("age > 40")
    code, out, err = call("compare", rules, model, csv, "--target", "risk")
    assert (code, err) == (0, "")
    names = ("rules.txt", "model.json")
    expected = compare(
        "age > 40", Model.load(model), PEOPLE, PEOPLE["risk"], names=names, first_row=1
    )
    assert out == f"{expected}\n"


def test_compare_json_has_every_key(call, csv, model, write):
    code, out, _ = call("compare", model, write("age > 40"), csv, "--json")
    figures = json.loads(out)
    assert code == 0
    assert list(figures) == COMPARE_KEYS
    assert figures["n_right"] is None
    assert figures["n_rows"] == 8 == sum(map(sum, figures["counts"]))
    assert figures["n_differ"] == len(figures["differences"])
    figures = json.loads(call("compare", model, model, csv, "--target", "risk", "--json")[1])
    assert figures["n_differ"] == 0
    assert figures["first"] != figures["second"]


def test_compare_reads_two_texts(call, csv, write):
    files = write("age > 40", "a.txt"), write("job = 'clerk' THEN high ELSE low", "b.txt")
    figures = json.loads(call("compare", *files, csv, "--target", "risk", "--json")[1])
    assert figures["labels"] == ["low", "high"]
    assert [d["row"] for d in figures["differences"]] == [2, 5]


def test_compare_turns_down_different_labels(turned_down, csv, write):
    files = write("age > 40 THEN a", "a.txt"), write("age > 40 THEN b", "b.txt")
    assert "cannot be compared" in turned_down("compare", *files, csv)


def test_compare_names_the_file_with_the_error(turned_down, csv, model, write):
    bad = write("age >", "bad.txt")
    assert "bad.txt, line 1, column 6" in turned_down("compare", model, bad, csv)
    bad = write("agee > 40", "bad.txt")
    assert "bad.txt, line 1, column 1: there is no column" in (
        turned_down("compare", model, bad, csv)
    )


@pytest.mark.parametrize("command", ["check", "compare"])
def test_help_has_examples(call, command):
    code, out, _ = call(command, "--help")
    assert code == 0
    assert f"examples:\n  boolrules {command} " in out
