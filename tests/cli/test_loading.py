"""What commands load: help and mistakes wait for no library, and answers only for their own.

A second of imports is a second before every answer. Times depend on the machine, so what is loaded
is tested instead.
"""

import json
import subprocess
import sys

import polars
import pytest

from boolrules import BooleanRuleClassifier
from boolrules.cli.parser import COMMANDS

pytestmark = pytest.mark.processes

HEAVY = {
    *("numpy", "scipy", "polars", "narwhals", "rich", "sklearn", "joblib", "highspy", "numba"),
    *("matplotlib", "pandas", "dask", "torch", "shtab", "sqlglot", "onnx"),
}
TABLE = {"narwhals", "numpy", "polars"}
MODEL = {"narwhals", "numpy", "scipy"}
# One process answers for several commands.
CALLS = """
import contextlib, io, json, sys
from boolrules.cli.main import main
heavy, commands = json.loads(sys.argv[1])
for words in commands:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = main(words)
print(json.dumps([code, sorted(set(heavy) & sys.modules.keys())]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table and a model of it."""
    folder = tmp_path_factory.mktemp("files")
    table = polars.DataFrame({"age": [20, 30, 40, 50], "risk": ["low", "low", "high", "high"]})
    table.write_csv(folder / "people.csv")
    model = BooleanRuleClassifier(2).fit(table.drop("risk"), table["risk"])
    model.save(folder / "model.json")
    return folder


def loaded(folder, *commands):
    """Return the exit code of the last of the commands, and what all of them have loaded."""
    given = json.dumps([sorted(HEAVY), [command.split() for command in commands]])
    done = subprocess.run(
        [sys.executable, "-c", CALLS, given],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    code, names = json.loads(done.stdout)
    return code, set(names)


def test_help_loads_no_library(folder):
    commands = sorted(COMMANDS.keys() - {"export"})
    assert loaded(folder, "--help", *(f"{name} --help" for name in commands)) == (0, set())


def test_the_version_loads_no_library(folder):
    assert loaded(folder, "--version") == (0, set())


def test_usage_errors_load_no_library(folder):
    mistakes = ["", "fit", "fit people.csv", "predict model.json", "fti people.csv"]
    mistakes += ["fit nowhere.csv --target risk", "predict model.json nowhere.csv"]
    mistakes += ["verify nowhere.json people.csv", "fit people.csv --target risk --save ."]
    assert loaded(folder, *mistakes) == (2, set())


@pytest.mark.parametrize(
    ("command", "code", "needed"),
    [
        ("fit people.csv --target nothing", 2, TABLE),
        ("predict model.json people.csv", 0, TABLE | MODEL),
        ("explain model.json people.csv", 0, TABLE | MODEL),
        ("score model.json people.csv", 0, TABLE | MODEL | {"rich"}),
        ("export model.json --to python", 0, MODEL),
        ("export model.json --to sql", 0, MODEL | {"sqlglot"}),
    ],
)
def test_a_command_loads_what_it_needs(folder, command, code, needed):
    for name in needed:
        pytest.importorskip(name)
    found, names = loaded(folder, command)
    assert found == code
    assert names <= needed
