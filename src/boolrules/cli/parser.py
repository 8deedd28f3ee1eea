"""The parser of all commands.

A command's module is loaded when it is named: what one command needs, no other waits for. The
modules themselves load libraries where they work with them, so that help and mistakes are told
at once.
"""

from __future__ import annotations

import argparse
import textwrap
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from boolrules.cli.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

# Each is a module beside this one; first those that learn.
COMMANDS = {
    "demo": "learn rules on two tables that need no download",
    "fit": "learn rules from a CSV or Parquet file",
    "path": "learn rules for a range of complexities, and choose one",
    "report": "write one HTML page: rules, trade-off, certificate, look-up of rows",
    "predict": "apply a saved model to a CSV or Parquet file",
    "score": "say how a saved model does on other rows",
    "explain": "say which clauses decided each row of a file",
    "export": "write a saved model as SQL, Python, Excel, PMML, ONNX, LaTeX, Markdown or JSON",
    "alternatives": "list the other rule sets that are as good as a saved model's, or nearly",
    "check": "say what rules that you wrote or edited do on a file",
    "compare": "say where two models or rule sets answer differently",
    "verify": "check a saved model's loss and bound against the data",
    "completion": "print a script for the shell's Tab key",
}
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


def make_parser(named: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """Build the parser of all commands, with the options of those that are named.

    Examples
    --------
    >>> parser = make_parser(["export", "model.json", "--to", "sql"])
    >>> parser.parse_args(["export", "model.json", "--to", "sql"]).to
    'sql'
    """
    parser = _Parser(
        prog="boolrules",
        description="Decision rules a person can read, with a proof of how good they are.",
        epilog=EXAMPLES,
    )
    shown = f"boolrules {version('boolrules')}"
    parser.add_argument("--version", action="version", version=shown)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    declared = set(named)
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text)
        if name in declared:
            import_module(f"boolrules.cli.{name}").declare(command)
    return parser
