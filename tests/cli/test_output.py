"""``--json`` where it joins other outputs, what ``demo`` answers, and a reader that goes away."""

import io
import json
import os
import subprocess
import sys
from contextlib import contextmanager, redirect_stderr, redirect_stdout

import polars as pl
import pytest

from boolrules import Model
from boolrules.cli import demo
from boolrules.cli.main import main

NO_READER = pytest.mark.skipif(sys.platform == "win32", reason="no closed pipes")
HOW = pytest.mark.parametrize("how", [[], ["--json"]], ids=["text", "json"])
TARGET = ["--target", "risk", "--positive", "high"]
TABLE = pl.DataFrame({"age": [20, 30, 40, 50, 60, 70], "risk": ["low"] * 3 + ["high"] * 3})


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "people.csv"
    TABLE.write_csv(path)
    return path


@pytest.fixture
def model(call, csv, tmp_path):
    path = tmp_path / "model.json"
    assert call("fit", csv, *TARGET, "--max-complexity", 2, "--save", path)[0] == 0
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


@contextmanager
def nobody_reads():
    """A stream with nobody at its other end, which must be left so that it can be closed."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stream:  # to close it is to flush it, as Python does at its end
        yield stream


def unread(*arguments):
    """Run with nobody at the other end of standard output: exit code and stderr."""
    errors = io.StringIO()
    with nobody_reads() as out, redirect_stdout(out), redirect_stderr(errors):
        code = main([str(argument) for argument in arguments])
    return code, errors.getvalue()


def unread_process(*arguments):
    """Run likewise in a process of its own: what it does at its very end counts, too."""
    command = [sys.executable, "-m", "boolrules.cli.main", *map(str, arguments)]
    with nobody_reads() as out:
        done = subprocess.run(
            command, stdout=out, stderr=subprocess.PIPE, text=True, check=False, timeout=60
        )
    return done.returncode, done.stderr


@NO_READER
@HOW
@pytest.mark.parametrize("command", ["fit", "path"])
def test_a_model_is_saved_where_nobody_reads(csv, tmp_path, command, how):
    saved = tmp_path / "saved.json"
    options = ["--complexities", 2] if command == "path" else ["--max-complexity", 2]
    options += ["--n-jobs", 1]
    assert unread(command, csv, *TARGET, *options, "--save", saved, *how) == (0, "")
    assert Model.load(saved).verify(TABLE, TABLE["risk"].to_numpy()).holds


@NO_READER
@HOW
def test_verify_keeps_its_exit_code_where_nobody_reads(csv, model, tmp_path, how):
    other = tmp_path / "other.csv"
    TABLE.with_columns(pl.col("risk").reverse()).write_csv(other)
    assert unread("verify", model, csv, *how) == (0, "")
    assert unread("verify", model, other, *how) == (1, "")


@NO_READER
def test_a_lot_of_output_that_nobody_reads_ends_well(model, tmp_path):
    many = tmp_path / "many.csv"
    pl.concat([TABLE] * 2000).write_csv(many)
    assert unread("explain", model, many) == (0, "")


@NO_READER
def test_help_that_nobody_reads_ends_well():
    assert unread("--help") == (0, "")


@pytest.mark.processes
@NO_READER
def test_a_process_that_nobody_reads_saves_and_ends_well(csv, tmp_path):
    saved = tmp_path / "saved.json"
    options = ["--max-complexity", 2, "--no-cv", "--save", saved]
    assert unread_process("fit", csv, *TARGET, *options) == (0, "")
    assert Model.load(saved).verify(TABLE, TABLE["risk"].to_numpy()).holds


@pytest.mark.processes
@NO_READER
def test_a_process_whose_help_nobody_reads_ends_well():
    assert unread_process("--help") == (0, "")
