"""Shell completion: the real shells, where they are installed, complete what they should."""

import shutil
import subprocess
import sys

import pytest
from terminal import Terminal

from boolrules.cli import completion
from boolrules.cli.parser import make_parser

COMMANDS = ["completion", "demo", "explain", "export", "fit", "path", "predict", "verify"]
FILES = ["data.csv", "model.json"]
CASES = [
    (["exp"], ["explain", "export"]),
    (["fit", "--max-co"], ["--max-complexity", "--max-conditions"]),
    (["fit", "data.csv", "--form", ""], ["cnf", "dnf"]),
    (["path", "--requ"], ["--require"]),
    (["fit", "data.csv", "--objective", "m"], ["missed"]),
    (["export", "model.json", "--to", "s"], ["sql"]),
    (["completion", ""], ["bash", "fish", "zsh"]),
    (["verify", "mod"], ["model.json"]),
    (["predict", "model.json", "dat"], ["data.csv"]),
    (["fit", "data.csv", "--save", "mod"], ["model.json"]),
]


@pytest.fixture
def script(call, tmp_path):
    """Write a shell's script beside some files; return its path."""

    def write(shell):
        code, out, err = call("completion", shell)
        assert (code, err) == (0, "")
        for name in FILES:
            (tmp_path / name).touch()
        path = tmp_path / f"_boolrules.{shell}"
        path.write_text(out, encoding="utf-8")
        return path

    return write


def needs(shell):
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


def run(shell, folder, *arguments):
    done = subprocess.run(
        [shell, *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.splitlines()


@needs("bash")
@pytest.mark.parametrize(("words", "expected"), CASES, ids=lambda words: " ".join(words))
def test_bash_completes(script, tmp_path, words, expected):
    path = script("bash")
    setup = (
        f'source "{path}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
        "_shtab_boolrules; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    found = run(
        "bash", tmp_path, "--norc", "--noprofile", "-c", setup, "bash", "boolrules", *words
    )
    assert sorted(word.strip() for word in found) == expected


@needs("fish")
@pytest.mark.parametrize(("words", "expected"), CASES, ids=lambda words: " ".join(words))
def test_fish_completes(script, tmp_path, words, expected):
    path = script("fish")
    line = " ".join(["boolrules", *words])
    found = run("fish", tmp_path, "--no-config", "-c", f"source {path}; complete -C '{line}'")
    assert sorted(answer.split("\t")[0] for answer in found) == expected


@pytest.mark.skipif(sys.platform == "win32", reason="no pty")
@pytest.mark.parametrize("shell", [pytest.param(s, marks=needs(s)) for s in ("bash", "zsh")])
def test_the_tab_key_completes_on_a_terminal(script, tmp_path, shell):
    path = script(shell)
    path.rename(tmp_path / "_boolrules")
    start, setup = {
        "bash": (["bash", "--norc", "--noprofile", "-i"], "source ./_boolrules"),
        "zsh": (["zsh", "-f", "-i"], "fpath+=($PWD); autoload -U compinit; compinit -u -D"),
    }[shell]
    with Terminal(start, tmp_path, TERM="dumb", PS1="> ") as terminal:
        # A stand-in that says what it was called with, in words that are not on the line itself.
        terminal.type(f"boolrules() {{ echo call''ed: \"$@\"; }}; {setup}; boolrules to begin\n")
        terminal.wait_for("called: to begin")
        terminal.type("boolrules ver\t mod\t\n")
        terminal.wait_for("called: verify model.json")


def test_every_command_is_in_the_scripts(call):
    for shell in completion.SHELLS:
        script = call("completion", shell)[1]
        assert all(command in script for command in COMMANDS)


def test_whatever_names_a_file_completes_to_files():
    taken = {a.dest for a in completion._arguments(make_parser()) if completion._takes_file(a)}
    assert {"model", "data", "output", "save", "plot"} <= taken
    assert not taken & {"target", "table", "time_limit", "drop", "row", "max_complexity"}


def test_without_shtab_one_line_says_what_to_install(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    code, out, err = call("completion", "bash")
    assert (code, out) == (2, "")
    assert err == (
        "boolrules: boolrules completion needs shtab. "
        'Install it with: pip install "boolrules[completion]"\n'
    )


@pytest.mark.processes
def test_shtab_is_not_imported_before_it_is_asked_for():
    code = "import sys, boolrules.cli.parser; sys.exit('shtab' in sys.modules)"
    pytest.importorskip("shtab")
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
