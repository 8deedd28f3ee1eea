"""The parser of all commands, which loads all that they need."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

from boolrules import __version__
from boolrules.cli import (
    alternatives,
    check,
    compare,
    completion,
    demo,
    explain,
    export,
    fit,
    path,
    predict,
    report,
    score,
    verify,
)
from boolrules.cli.printable import printable

EXAMPLES = """examples:
  boolrules demo
  boolrules fit data.csv --target risk --positive high --max-complexity 10 --save model.json
  boolrules path data.csv --target risk --positive high --cv 10 --plot front.png
  boolrules report data.csv --target risk --positive high -o report.html
  boolrules predict model.json new.csv
  boolrules score model.json new.csv
  boolrules explain model.json new.csv --row 1
  boolrules export model.json --to sql --table people
  boolrules alternatives model.json data.csv --within 2
  boolrules check rules.txt data.csv --target risk --model model.json
  boolrules compare rules.txt model.json data.csv --target risk
  boolrules verify model.json data.csv
"""


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Wraps text as wide as the terminal is, and leaves examples, which are indented, alone."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = text.splitlines()
        return "\n".join(
            line if line.startswith(" ") else textwrap.fill(line, width, initial_indent=indent)
            for line in lines
        )


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options | {"formatter_class": _Formatter})

    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(2, f"boolrules: {printable(message)} (see {self.prog} --help)\n")


def make_parser() -> argparse.ArgumentParser:
    """Build the parser of all commands."""
    parser = _Parser(
        prog="boolrules",
        description="Decision rules a person can read, with a proof of how good they are.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"boolrules {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    learning = (demo, fit, path, report)
    using = (predict, score, explain, export, alternatives, check, compare, verify)
    for command in (*learning, *using):
        command.add_parser(commands)
    completion.add_parser(commands, parser)
    return parser
