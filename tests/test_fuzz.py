"""A short run of every kind of ``make fuzz`` finds nothing, and finds what is planted."""

import contextlib
import re
import sys
from dataclasses import replace

import pytest

from boolrules import Model, RuleSet
from boolrules.cli import data_file
from boolrules.model import model as model_module
from fuzz import judging
from fuzz.__main__ import main, prepare
from fuzz.cases import KINDS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")
IN_PROCESSES = ("parquet", "signals", "streams")
EVERY = [pytest.param(k, marks=pytest.mark.processes if k in IN_PROCESSES else ()) for k in KINDS]


@pytest.mark.parametrize("kind", EVERY)
def test_a_short_run_finds_nothing(kind, capsys):
    assert main(["--seconds", "2", "--seed", "7", "--kind", kind]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Nothing found in ")
    assert out.endswith(f" {kind} (seed 7)\n")


def fail(*_, **__):
    raise KeyError("planted")


def always_holds(self, *arguments, verify=Model.verify):
    return replace(verify(self, *arguments), findings=(), other_rows=None)


@contextlib.contextmanager
def without_care(path):
    with open(path, "wb", buffering=0) as file:
        yield file


def program(code):
    return [sys.executable, "-c", f"import os, signal, sys; {code}"]


# What is planted where, which kind of case finds it, and what is said of it.
PLANTED = {
    "a traceback": ("models", Model, "predict", fail, "KeyError: 'planted'"),
    "a false verdict": ("models", Model, "verify", always_holds, "not as claimed|was reached"),
    "a command's traceback": ("tables", data_file, "_unpacked", fail, "KeyError: 'planted'"),
    "other answers": ("exports", RuleSet, "to_python", lambda _: "predict = len", "other answers"),
    "half a file": ("disks", model_module, "whole_file", without_care, "another file"),
    "a process's traceback": ("parquet", judging, "PROGRAM", program("{}[0]"), "KeyError: 0"),
    "a hang": ("parquet", judging, "PROGRAM", program("signal.pause()"), "takes more than 1 s"),
    "a lost file": ("signals", judging, "PROGRAM", program("os.unlink(sys.argv[-1])"), "no old"),
    "a lost verdict": ("streams", judging, "PROGRAM", program("sys.exit(1)"), "exit code 1"),
}


@pytest.mark.filterwarnings("ignore:Every label is", "ignore:forbidden_conditions has")
@pytest.mark.parametrize("what", PLANTED)
def test_what_is_planted_is_found_and_can_be_had_again(what, monkeypatch, capsys):
    kind, owner, name, defect, said = PLANTED[what]
    prepare()
    monkeypatch.setattr(owner, name, defect)
    if what == "a hang":
        monkeypatch.setattr(judging, "SECONDS", 1)
    assert main(["--seconds", "30", "--seed", "7", "--kind", kind]) == 1
    out = capsys.readouterr().out
    assert re.search(said, out)
    case = re.search(rf"again: make fuzz SEED=7 KIND={kind} CASE=(\d+)\n", out)[1]
    assert main(["--seed", "7", "--kind", kind, "--case", case]) == 1
