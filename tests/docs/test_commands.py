"""Every command in README and docs is run as it is printed, and prints what stands below it.

Pages are found, not listed: a new one is tested from its first day. Python examples are doctests,
which pytest runs itself.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import joblib
import pytest
from pages import PAGES, ROOT, blocks, commands, inline_code, name_of, python_code

from boolrules.cli import report
from boolrules.cli.main import main
from boolrules.cli.parser import make_parser
from boolrules.data.datasets import breast_cancer, loan_applications

LANGUAGES = {
    "pycon": "doctests",
    "console": "run here",
    "python": "a file of the benchmarks, run in tests/benchmarks/test_registry.py",
    "text": "what nobody runs: formulas, pictures of output",
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# Commands that set up the very environment in which the tests run.
SET_UP = {
    "pip install .",
    ".venv/bin/pre-commit install",
    ".venv/bin/python -m pytest tests -q",
    ".venv/bin/python -m pytest README.md docs -q",
}
SECONDS = re.compile(r"\d+\.\d+ s\b")
INTO_A_FILE = re.compile(r"(boolrules [^|<>;&]*) > ([^|<>;&\s]+)")
SHELL_SIGNS = re.compile(r"[|<>;&]")
CHECKER = doctest.OutputChecker()
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def joined(pair):
    table, labels = pair
    return table.with_columns(labels)


def made_on(page):
    """What the Python examples of a page leave behind."""
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(python_code(page), names)
    return names


def people(page):
    names = made_on(page)
    return names["people"].with_columns(granted=names["granted"])


# The tables that pages speak of, and how a model of each is learned.
TABLES = {
    "tumours.csv": lambda page: joined(breast_cancer()),
    "loans.csv": lambda page: joined(loan_applications()),
    "people.csv": people,
}
FIT = {
    "tumours.csv": ["--target", "diagnosis", "--positive", "malignant"],
    "loans.csv": ["--target", "outcome", "--positive", "defaulted"],
    "people.csv": ["--target", "granted"],
}


def make_files(command, page):
    """Write the files that a command reads, where no command before it did."""
    for table in TABLES:
        if table in command.text and not Path(table).exists():
            TABLES[table](page).write_csv(table)
        has_model = "model.json" in command.text and "--save" not in command.text
        if table in command.text and has_model and not Path("model.json").exists():
            main(["fit", table, *FIT[table], "--max-complexity", "3", "--save", "model.json"])
    for folder in re.findall(r"> (~/\S+)/", command.text):
        Path(folder).expanduser().mkdir(parents=True, exist_ok=True)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a line in a folder of its own: exit code and everything printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    # It takes all the time that it is given; no page says what comes out.
    monkeypatch.setattr(report, "SECONDS", 2)

    def run(line):
        capsys.readouterr()
        if into := INTO_A_FILE.fullmatch(line):  # as a shell would do it, without a new process
            code = main(shlex.split(into[1])[1:])
            captured = capsys.readouterr()
            Path(into[2]).expanduser().write_text(captured.out, encoding="utf-8")
            return code, captured.err
        if SHELL_SIGNS.search(re.sub(r'"[^"]*"', "", line)) or line.startswith(RUN[1]):
            places = [str(Path(sys.executable).parent), os.environ["PATH"]]
            done = subprocess.run(
                ["bash", "-c", line],
                env={**os.environ, "PATH": os.pathsep.join(places)},
                capture_output=True,
                text=True,
                check=False,
            )
            return done.returncode, done.stdout + done.stderr
        # Folds side by side are tested with the estimators; here their processes only cost time.
        with joblib.parallel_config(backend="sequential"):
            code = main(shlex.split(line)[1:])
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return run


RUN = ("boolrules ", "python -m boolrules_check ")


def boolrules_commands(page):
    return [command for command in commands(page) if command.text.startswith(RUN)]


@pytest.mark.parametrize("page", [page for page in PAGES if boolrules_commands(page)], ids=name_of)
@pytest.mark.filterwarnings("default:Every label")
def test_the_commands_of_a_page_print_what_stands_below_them(page, run):
    said = {}  # a command that stands on a page twice is run once
    for command in boolrules_commands(page):
        if command.text not in said:
            make_files(command, page)
            said[command.text] = run(command.text)
        code, printed = said[command.text]
        assert code == (2 if command.output.startswith("boolrules: ") else 0), printed
        if command.output.strip():
            check_output(command, printed)


def check_output(command, printed):
    expected, got = (SECONDS.sub("0 s", text) for text in (command.output, printed))
    # A line of dots stands for any number of lines, none included.
    expected = re.sub(r"^\.\.\.\n", "...", expected, flags=re.MULTILINE)
    if not CHECKER.check_output(expected, got, FLAGS):
        example = doctest.Example(command.text, expected)
        pytest.fail(f"$ {command.text}\n{CHECKER.output_difference(example, got, FLAGS)}")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_is_of_a_kind_that_is_tested_or_cannot_be(page):
    assert {language for language, _ in blocks(page)} <= set(LANGUAGES)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_other_command_is_known(page):
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for command in commands(page):
        words = command.text.split()
        if words[0] == "make":
            assert set(words[1:]) <= set(targets)
        elif not command.text.startswith(RUN):
            assert command.text in SET_UP


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_inside_sentences_name_what_exists(page):
    known = subcommands()
    for code in inline_code(page):
        if extras := re.findall(r"pip install \"boolrules\[(.*?)\]\"", code):
            assert set(extras[0].split(",")) <= set(PROJECT["optional-dependencies"])
        if code.startswith("make "):
            assert f"\n{code.split()[1]}:" in (ROOT / "Makefile").read_text("utf-8")
        if not code.startswith("boolrules "):
            continue
        name, *words = shlex.split(code)[1:]
        if name.startswith("-"):
            continue
        options = known[name]._option_string_actions
        assert all(word.split("=")[0] in options for word in words if word.startswith("-")), code


def subcommands():
    (choices,) = [a.choices for a in make_parser()._actions if isinstance(a.choices, dict)]
    return choices


def sections():
    """The sections of the page about the command line, by command."""
    text = (ROOT / "docs/command_line.md").read_text("utf-8")
    parts = re.split(r"^## `boolrules (\w+)`$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", subcommands())
def test_every_flag_is_on_the_page_about_the_command_line(name):
    known = subcommands()[name]._option_string_actions
    here, shared = sections()[name], sections()["fit"]
    if "other flags of `fit`" in here:
        here += shared
    missing = [o for o in known if o.startswith("--") and o != "--help" and f"`{o}" not in here]
    assert not missing


@pytest.mark.parametrize("name", subcommands())
def test_no_flag_is_on_that_page_that_does_not_exist(name):
    everywhere = {o for parser in subcommands().values() for o in parser._option_string_actions}
    rows = re.findall(r"^\| `(--[\w-]+)", sections()[name], re.MULTILINE)
    assert set(rows) <= set(subcommands()[name]._option_string_actions)
    mentioned = re.findall(r"`(--[\w-]+)", sections()[name])
    assert set(mentioned) <= everywhere | {"--version"}
