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
from boolrules.cli.main import main
from boolrules.data import datasets

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
    monkeypatch.setattr(datasets, "tic_tac_toe", lambda: (pair[0], pair[1] == "high"))
    labels = pl.Series("diagnosis", ["benign"] * 3 + ["malignant"] * 3)
    monkeypatch.setattr(datasets, "breast_cancer", lambda: (pair[0], labels))


@pytest.mark.usefixtures("small_demo")
def test_demo_json_is_one_list_and_nothing_else(call):
    code, out, err = call("demo", "--json")
    assert (code, err) == (0, "")
    answers = json.loads(out)
    assert [answer["rules"] for answer in answers] == [[["age > 40"]]] * 2
    assert all(answer["is_verified"] and answer["is_optimal"] for answer in answers)


@pytest.mark.usefixtures("small_demo")
def test_demo_prints_rules_and_checks_them(call):
    code, out, err = call("demo")
    assert code == 0
    assert out.count("IF   age > 40") == out.count("everything claimed holds.") == 2
    assert out.count("Held-out accuracy ") == 2
    assert out.endswith("Next: boolrules fit YOUR.csv --target COLUMN\n")
    assert "z_RMLP" not in out + err
    assert "z_RMLP" in call("demo", "-v")[2]


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
    command = [sys.executable, "-m", "boolrules", *map(str, arguments)]
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


def closed(redirection, *arguments):
    """Run a process whose streams a shell has closed, or led elsewhere: its exit code."""
    command = f'exec "$0" -m boolrules "$@" {redirection}'
    words = ["sh", "-c", command, sys.executable, *map(str, arguments)]
    return subprocess.run(words, check=False, timeout=60, stdout=subprocess.DEVNULL).returncode


@pytest.mark.processes
@NO_READER
@pytest.mark.parametrize("redirection", ["2>&-", ">&-", "<&- >&- 2>&-", "2>/dev/full"])
def test_closed_streams_cost_neither_the_model_nor_the_verdict(csv, tmp_path, redirection):
    saved, other = tmp_path / "saved.json", tmp_path / "other.csv"
    TABLE.with_columns(pl.col("risk").reverse()).write_csv(other)
    slip = ["--forbid-condition", "age <= 3"]  # of which a warning speaks
    options = ["--max-complexity", 2, "--no-cv", "--verbose", *slip, "--save", saved]
    assert closed(redirection, "fit", csv, *TARGET, *options) == 0
    assert Model.load(saved).verify(TABLE, TABLE["risk"].to_numpy()).holds
    assert closed(redirection, "verify", saved, csv) == 0
    assert closed(redirection, "verify", saved, other) == 1


@pytest.mark.processes
@NO_READER
def test_workers_do_their_folds_where_streams_are_closed(csv, tmp_path):
    saved = tmp_path / "saved.json"
    options = ["--max-complexity", 2, "--cv", 2, "--n-jobs", 2, "--save", saved]
    assert closed(">&- 2>&-", "fit", csv, *TARGET, *options) == 0
    assert Model.load(saved).held_out is not None


@NO_READER
def test_notes_that_nobody_reads_cost_nothing(csv, tmp_path):
    saved = tmp_path / "saved.json"
    slip = ["--forbid-condition", "age <= 3", "--max-complexity", 2, "--no-cv", "--verbose"]
    with nobody_reads() as err, redirect_stderr(err):
        assert main([str(a) for a in ("fit", csv, *TARGET, *slip, "--save", saved)]) == 0
        assert main(["fit", str(csv), "--target", "nothing"]) == 2
    assert Model.load(saved).verify(TABLE, TABLE["risk"].to_numpy()).holds


@NO_READER
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@HOW
def test_answers_that_cannot_be_written_are_an_error_but_the_model_is_saved(csv, tmp_path, how):
    saved, errors = tmp_path / "saved.json", io.StringIO()
    options = ["--max-complexity", "2", "--no-cv", "--save", str(saved)]
    with open("/dev/full", "w") as out, redirect_stdout(out), redirect_stderr(errors):
        assert main(["fit", str(csv), *TARGET, *options, *how]) == 2
    full = "boolrules: Cannot write to standard output: No space left on device.\n"
    assert errors.getvalue() == full
    assert Model.load(saved).verify(TABLE, TABLE["risk"].to_numpy()).holds


def test_no_file_gets_what_is_printed_where_streams_are_closed(csv, tmp_path):
    """Python has no sys.stderr then, and print(file=None) prints to standard output."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(None):
        assert main(["fit", str(csv), "--target", "nothing"]) == 2
        assert sys.stderr is None
    assert out.getvalue() == ""
