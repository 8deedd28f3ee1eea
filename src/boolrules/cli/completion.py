"""``boolrules completion``: a script with which a shell completes commands, options and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boolrules._support.optional import require
from boolrules.cli.output import say
from boolrules.cli.writing import READ, WRITTEN

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

SHELLS = ("bash", "zsh", "fish")
EXAMPLES = """examples, each followed by a new shell:
  boolrules completion bash > ~/.local/share/bash-completion/completions/boolrules
  boolrules completion zsh > ~/.zfunc/_boolrules
  boolrules completion fish > ~/.config/fish/completions/boolrules.fish

The folders must exist. zsh must know its folder: "fpath+=~/.zfunc" before "compinit" in ~/.zshrc.
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Print a script with which a shell completes commands, options and files. "
        'It needs shtab: pip install "boolrules[completion]".'
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    parser.add_argument("shell", choices=SHELLS, help="for which shell")


def run(options: argparse.Namespace) -> int:
    """Print the script. It is static: pressing Tab does not start Python."""
    from boolrules.cli.parser import make_parser

    whole = make_parser()
    shtab = require(
        "shtab", needed_for="boolrules completion", install='pip install "boolrules[completion]"'
    )
    for action in _arguments(whole):
        if _takes_file(action):
            action.complete = shtab.FILE
    say(shtab.complete(whole, options.shell))
    return 0


def _arguments(parser: argparse.ArgumentParser) -> Iterator[Any]:
    """List the arguments of a parser and of the commands below it."""
    for action in parser._actions:  # noqa: SLF001
        if isinstance(action.choices, dict):
            for command in action.choices.values():
                yield from _arguments(command)
        else:
            yield action


def _takes_file(action: argparse.Action) -> bool:
    return action.dest in (*READ, *WRITTEN)
