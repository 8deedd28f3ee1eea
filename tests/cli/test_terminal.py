"""On a terminal: colours, unless they are unwanted, and a line that says what is left."""

import json
import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from terminal import Terminal, terminal_for_output

from boolrules.cli.main import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pty")

BOOLRULES = [sys.executable, "-m", "boolrules"]
COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?[349][0-7](?:;[0-9;]*)?m")
FIT = ["--target", "y", "--max-complexity", "3", "--no-cv"]


def make_table(n_rows, n_columns):
    random = np.random.default_rng(0)
    columns = {f"f{k}": random.normal(size=n_rows) for k in range(n_columns)}
    noise = random.random(n_rows) < 0.1
    return pl.DataFrame(columns | {"y": (columns["f0"] > 0) ^ noise})


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "table.csv"
    make_table(60, 2).write_csv(path)
    return path


@pytest.fixture
def shown(monkeypatch):
    """Run in this process, on a terminal: exit code and everything that it showed."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments):
        with terminal_for_output() as text:
            code = main([str(argument) for argument in arguments])
        return code, text[0]

    return run


@pytest.mark.processes
def test_a_process_on_a_terminal_shows_colours(csv, tmp_path):
    environment = {"TERM": "xterm-256color", "COLUMNS": "200"}
    with Terminal([*BOOLRULES, "fit", csv, *FIT], tmp_path, **environment) as terminal:
        assert terminal.wait_for_end() == 0
    assert COLOUR.search(terminal.text)


def test_a_terminal_gets_colours(shown, csv):
    code, text = shown("fit", csv, *FIT)
    assert code == 0
    assert COLOUR.search(text)


def test_no_color_is_respected(shown, csv, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    code, text = shown("fit", csv, *FIT)
    assert code == 0
    assert "Hamming loss" in text
    assert not COLOUR.search(text)


@pytest.mark.processes
def test_a_pipe_gets_no_escape_codes(call, csv, tmp_path):
    model = tmp_path / "model.json"
    command = [*BOOLRULES, "fit", str(csv), *FIT, "--save", str(model)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Hamming loss" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr
    code, out, err = call("verify", model, csv)
    assert code == 0
    assert "\x1b" not in out + err


def test_json_on_a_terminal_has_no_colours(shown, csv):
    code, text = shown("fit", csv, *FIT, "--json")
    assert code == 0
    assert json.loads(text[text.index('{"rules"') :])["n_rows"] == 60
    assert not COLOUR.search(text[text.index('{"rules"') :])


def test_what_fails_is_red(shown, call, csv, tmp_path):
    model = tmp_path / "model.json"
    assert call("fit", csv, *FIT, "--save", model)[0] == 0
    other = tmp_path / "other.json"
    plain = json.loads(model.read_text(encoding="utf-8"))
    plain["certificates"][0]["hamming_loss"] += 1
    other.write_text(json.dumps(plain), encoding="utf-8")
    code, text = shown("verify", other, csv)
    assert code == 1
    assert re.search(r"\x1b\[31mFAILS: ", text)
    code, text = shown("verify", model, csv)
    assert (code, COLOUR.findall(text.split("holds:", 1)[1])) == (0, [])


def test_the_progress_line_says_what_is_left_at_most(shown, tmp_path):
    path = tmp_path / "hard.csv"
    make_table(300, 8).write_csv(path)
    options = ["--target", "y", "--max-complexity", "30", "--time-limit", "2", "--no-cv"]
    code, text = shown("fit", path, *options)
    assert code == 0
    assert re.search(r"round \d+: LP value [\d.]+, proved bound .*; [0-2] of at most 2 s", text)


def test_cross_validation_counts_its_folds(shown, csv):
    options = ["--target", "y", "--complexities", "2-3", "--cv", "2", "--n-jobs", "1"]
    code, text = shown("path", csv, *options)
    assert code == 0
    assert "2 of 2 splits of the rows; " in text
