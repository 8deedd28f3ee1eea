"""What every command has: examples that work, ``--json``, and help that fits a terminal."""

import re
import shlex

import pytest

from boolrules.cli.parser import make_parser


def commands():
    """Every command's parser by name, found by introspection, so that none can be forgotten."""
    actions = make_parser()._actions
    (choices,) = [action.choices for action in actions if isinstance(action.choices, dict)]
    return choices


COMMANDS = commands()
EXAMPLES = [
    (name, line.strip())
    for name, parser in {"": make_parser(), **COMMANDS}.items()
    for line in (parser.epilog or "").splitlines()
    if line.strip().startswith("boolrules")
]
# Its answer is a script for a shell.
NO_JSON = {"completion"}
TIMED = [n for n, parser in COMMANDS.items() if "--time-limit" in parser._option_string_actions]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_teaches_by_example(name):
    assert [line for command, line in EXAMPLES if command == name]


@pytest.mark.parametrize(("name", "line"), EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_the_examples_of_the_help_are_understood(name, line):
    words = shlex.split(line.split(" > ")[0])
    options = make_parser().parse_args(words[1:])
    assert words[0] == "boolrules"
    assert name in ("", words[1])
    assert callable(options.run)


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - NO_JSON))
def test_every_command_that_answers_has_json(name):
    assert "--json" in COMMANDS[name]._option_string_actions


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_is_printed_and_names_every_option(call, name):
    code, out, err = call(*name.split(), "--help")
    assert (code, err) == (0, "")
    parser = COMMANDS.get(name) or make_parser()
    assert all(option in out for option in parser._option_string_actions)
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_is_for(name):
    for action in COMMANDS[name]._actions:
        assert action.help
        assert not re.search(r"[.]$", action.help)


@pytest.mark.parametrize("name", TIMED)
@pytest.mark.parametrize("limit", ["0", "-5", "nan", "soon"])
def test_a_time_limit_is_above_zero(call, name, limit):
    code, out, err = call(name, f"--time-limit={limit}")
    assert (code, out) == (2, "")
    assert f"--time-limit: '{limit}' is not a number of seconds above 0" in err
