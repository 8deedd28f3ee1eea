"""What commands write: whole or not at all, never what they read, and always by a name."""

import argparse
import os
import sys

import polars as pl
import pytest

from boolrules import Model
from boolrules.cli.parser import make_parser
from boolrules.cli.writing import READ, WRITTEN
from disks import small_disk

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="links and limits of POSIX")
TABLE = pl.DataFrame({"age": [20, 30, 40, 50, 60, 70], "risk": ["low"] * 3 + ["high"] * 3})
TARGET = ["--target", "risk", "--positive", "high"]
FIT = ["fit", "people.csv", *TARGET, "--max-complexity", 2, "--no-cv"]
PATH = ["path", "people.csv", *TARGET, "--complexities", 2]
LIMITS = [*PATH, "--require", "recall >= 0.5", "--limits", "0.5"]
REPORT = ["report", "people.csv", *TARGET, "--complexities", 2, "--cv", 2, "--repeats", 1]
OLD = "what was there before"
# Every command that writes, the flag it writes by, and the files that it reads.
WRITING = {
    "fit --save": ([*FIT, "--save"], ["people.csv"]),
    "path --save": ([*PATH, "--save"], ["people.csv"]),
    "path --plot": ([*PATH, "--plot"], ["people.csv"]),
    "path --limits": ([*LIMITS, "--plot"], ["people.csv"]),
    "report -o": ([*REPORT, "-o"], ["people.csv"]),
    "report --save": ([*REPORT, "--save"], ["people.csv"]),
    "report --model": (
        ["report", "people.csv", "--model", "model.json", "-o"],
        ["people.csv", "model.json"],
    ),
    "predict -o": (["predict", "model.json", "people.csv", "-o"], ["people.csv", "model.json"]),
    "export -o": (["export", "model.json", "--to", "sql", "-o"], ["model.json"]),
}
EVERY = pytest.mark.parametrize("name", WRITING)


@pytest.fixture
def folder(tmp_path, monkeypatch, call):
    """A folder with a table and a model, in which commands run."""
    monkeypatch.chdir(tmp_path)
    TABLE.write_csv("people.csv")
    assert call(*FIT, "--save", "model.json")[0] == 0
    return tmp_path


def file_options():
    """Every command with the options that name files, as their texts show."""
    commands = next(a for a in make_parser()._actions if isinstance(a, argparse._SubParsersAction))
    for command, parser in commands.choices.items():
        for action in parser._actions:
            is_path = any(w in str(action.metavar) for w in (".", "FILE"))
            if is_path or action.dest in ("data", "model"):
                yield command, action.dest


def test_all_options_that_name_files_are_known():
    found = {dest for _, dest in file_options()}
    assert found == {*READ, *WRITTEN}
    tried = {"--output" if name.endswith("-o") else name.split()[-1] for name in WRITING}
    assert {f"--{name}" for name in WRITTEN} <= tried


@EVERY
def test_an_output_is_never_an_input(folder, turned_down, name):
    command, inputs = WRITING[name]
    before = {path: (folder / path).read_bytes() for path in inputs}
    (folder / "sub").mkdir()
    (folder / "same").symlink_to(folder, target_is_directory=True)
    for k, path in enumerate(inputs):
        names = [path, f"./{path}", f"sub/../{path}", folder / path, f"same/{path}"]
        ending = ".png" if "--plot" in command else ".json"
        (folder / f"link{k}{ending}").symlink_to(path)
        os.link(path, f"hard{k}{ending}")
        for output in (*names, f"link{k}{ending}", f"hard{k}{ending}"):
            err = turned_down(*command, output)
            assert err.endswith(
                f"{output} would overwrite {path}, which is read. Write to another file.\n"
            )
    assert {path: (folder / path).read_bytes() for path in inputs} == before


@pytest.mark.usefixtures("folder")
def test_two_outputs_are_two_files(turned_down):
    command = [*REPORT, "-o", "page.html", "--save", "./page.html"]
    assert "--save and --output are both ./page.html. Write to two files." in turned_down(*command)
    command = [*PATH, "--plot", "front.png", "--save", "front.png"]
    assert "--save and --plot are both front.png." in turned_down(*command)


@EVERY
@pytest.mark.parametrize("output", ["", ".", "new/", "nowhere/x"])
def test_an_output_without_a_name_is_turned_down(folder, turned_down, name, output):
    err = turned_down(*WRITING[name][0], output)
    what = "names no file: it is empty" if not output else f"Cannot write {output}: "
    assert what in err
    assert not (folder / "new").exists()


@pytest.mark.parametrize("command", ["report", "check"])
@pytest.mark.usefixtures("folder")
def test_a_model_without_a_name_is_not_left_out_silently(turned_down, command):
    first = REPORT if command == "report" else ["check", "model.json", "people.csv"]
    assert "model names no file: it is empty." in turned_down(*first, "--model", "")


@POSIX
@EVERY
def test_a_full_disk_leaves_the_old_file_and_one_line(folder, call, name):
    output = "out.png" if "--plot" in WRITING[name][0] else "out.x"
    (folder / output).write_text(OLD)
    before = sorted(os.listdir(folder))
    with small_disk(20):
        code, _, err = call(*WRITING[name][0], output)
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith(f"boolrules: Cannot write {output}: File too large")
    assert (folder / output).read_text() == OLD
    assert sorted(set(os.listdir(folder)) - {"report.html"}) == before


@POSIX
@EVERY
def test_links_and_permissions_of_what_is_overwritten_stay(folder, call, name):
    ending = ".png" if "--plot" in WRITING[name][0] else ".x"
    real, link = folder / f"real{ending}", folder / f"link{ending}"
    real.write_text(OLD)
    real.chmod(0o640)
    link.symlink_to(real)
    assert call(*WRITING[name][0], link)[0] == 0
    assert link.is_symlink()
    assert OLD.encode() not in real.read_bytes()
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_model_can_be_saved_over_an_older_one(folder, call):
    assert call(*FIT, "--save", "model.json")[0] == 0
    assert Model.load(folder / "model.json").verify(TABLE, TABLE["risk"].to_numpy()).holds


@POSIX
@pytest.mark.usefixtures("folder")
def test_an_output_may_be_a_device(call):
    assert call(*FIT, "--save", "/dev/null")[0] == 0
    assert call("export", "model.json", "--to", "sql", "-o", "/dev/null")[0] == 0
