"""Parse the command line, run a command, turn errors into one line and an exit code."""

from __future__ import annotations

import argparse
import sys
import textwrap
from typing import TYPE_CHECKING, Any

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
from boolrules.cli.output import discard_output, say
from boolrules.cli.writing import check_files

if TYPE_CHECKING:
    from collections.abc import Sequence

DONE, BAD_INPUT, INTERRUPTED = 0, 2, 130  # 1: not verified, in verify

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
        self.exit(BAD_INPUT, f"boolrules: {message} (see {self.prog} --help)\n")


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    try:
        options = make_parser().parse_args(arguments)
    except SystemExit as stop:
        say("", end="")  # --help into a closed pipe is no error
        return int(stop.code or 0)
    try:
        check_files(options)
        return int(options.run(options))
    except BrokenPipeError:
        discard_output()
        return DONE
    except (ValueError, TypeError, OSError, ImportError) as error:
        print(f"boolrules: {_in_one_line(error)}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("boolrules: interrupted", file=sys.stderr)
        return INTERRUPTED


def _in_one_line(error: Exception) -> str:
    """Write what an error says; of the system's own, the file and the reason without a number."""
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(text.split())


if __name__ == "__main__":
    sys.exit(main())
