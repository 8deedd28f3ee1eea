"""A reader that goes away, as ``head`` does: the command ends as it would have."""

import os
import subprocess
import sys

import polars as pl
import pytest

from boolrules import SavedModel

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no closed pipes")

TABLE = pl.DataFrame({"age": [20, 30, 40, 50, 60, 70], "risk": ["low"] * 3 + ["high"] * 3})
TARGET = ["--target", "risk", "--positive", "high"]
HOW = pytest.mark.parametrize("how", [[], ["--json"]], ids=["text", "json"])


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


def unread(*arguments):
    """Run with nobody at the other end of standard output: exit code and stderr."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "boolrules.cli.main", *map(str, arguments)]
    with os.fdopen(writer, "w") as out:
        done = subprocess.run(
            command, stdout=out, stderr=subprocess.PIPE, text=True, check=False, timeout=60
        )
    return done.returncode, done.stderr


@HOW
@pytest.mark.parametrize("command", ["fit", "path"])
def test_the_model_is_saved(csv, tmp_path, command, how):
    saved = tmp_path / "saved.json"
    assert unread(command, csv, *TARGET, "--save", saved, *how) == (0, "")
    assert SavedModel.load(saved).verify(TABLE, TABLE["risk"].to_numpy()).holds


@HOW
def test_verify_keeps_its_exit_code(csv, model, tmp_path, how):
    other = tmp_path / "other.csv"
    TABLE.with_columns(pl.col("risk").reverse()).write_csv(other)
    assert unread("verify", model, csv, *how) == (0, "")
    assert unread("verify", model, other, *how) == (1, "")


def test_printing_a_lot_ends_well(model, tmp_path):
    many = tmp_path / "many.csv"
    pl.concat([TABLE] * 2000).write_csv(many)
    assert unread("explain", model, many) == (0, "")


def test_help_ends_well():
    assert unread("--help") == (0, "")
