"""``--json`` where it joins other outputs, and what ``demo`` answers."""

import json

import polars as pl
import pytest

from boolrules.cli import demo

TABLE = pl.DataFrame({"age": [20, 30, 40, 50, 60, 70], "risk": ["low"] * 3 + ["high"] * 3})


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "people.csv"
    TABLE.write_csv(path)
    return path


@pytest.fixture
def model(call, csv, tmp_path):
    path = tmp_path / "model.json"
    options = ["--target", "risk", "--positive", "high", "--max-complexity", 2]
    assert call("fit", csv, *options, "--save", path)[0] == 0
    return path


@pytest.mark.parametrize("language", ["sql", "python", "latex", "markdown", "json"])
def test_export_json_holds_the_text_that_export_prints(call, model, language):
    text = call("export", model, "--to", language)[1]
    code, out, err = call("export", model, "--to", language, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"to": language, "text": text}


@pytest.mark.parametrize("command", ["predict", "export"])
def test_json_beside_a_file_is_turned_down(call, csv, model, tmp_path, command):
    arguments = {"predict": [model, csv], "export": [model, "--to", "sql"]}[command]
    file = tmp_path / "out.txt"
    code, out, err = call(command, *arguments, "-o", file, "--json")
    assert (code, out) == (2, "")
    assert err == (
        "boolrules: --json prints, and --output writes a file. Leave one of them out.\n"
    )
    assert not file.exists()


@pytest.fixture
def small_demo(monkeypatch):
    """The demo on a table that takes no time."""
    pair = TABLE.drop("risk"), TABLE["risk"]
    monkeypatch.setattr(demo, "tic_tac_toe", lambda: (pair[0], pair[1] == "high"))
    labels = pl.Series("diagnosis", ["benign"] * 3 + ["malignant"] * 3)
    monkeypatch.setattr(demo, "breast_cancer", lambda: (pair[0], labels))


@pytest.mark.usefixtures("small_demo")
def test_demo_json_is_one_list_and_nothing_else(call):
    code, out, err = call("demo", "--json")
    assert (code, err) == (0, "")
    answers = json.loads(out)
    assert [answer["rules"] for answer in answers] == [[["age > 40"]]] * 2
    assert all(answer["is_verified"] and answer["is_optimal"] for answer in answers)


@pytest.mark.usefixtures("small_demo")
def test_demo_prints_rules_and_checks_them(call):
    code, out, _ = call("demo")
    assert code == 0
    assert out.count("IF   age > 40") == out.count("Everything claimed holds.") == 2
    assert out.endswith("Next: boolrules fit YOUR.csv --target COLUMN\n")
