"""Parse the command line, run a command, turn errors into one line and an exit code."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from boolrules import __version__
from boolrules.cli import demo, explain, export, fit, path, predict, verify

if TYPE_CHECKING:
    from collections.abc import Sequence

DONE, FAILED_CHECK, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130

EXAMPLES = """examples:
  boolrules demo
  boolrules fit data.csv --target risk --positive high --max-complexity 10 --save model.json
  boolrules path data.csv --target risk --positive high --cv 10 --plot front.png
  boolrules predict model.json new.csv
  boolrules explain model.json new.csv --row 1
  boolrules export model.json --to sql --table people
  boolrules verify model.json data.csv
"""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

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
    for command in (demo, fit, path, predict, explain, export, verify):
        command.add_parser(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    try:
        options = make_parser().parse_args(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    try:
        return int(options.run(options))
    except BrokenPipeError:
        # Whoever read our output stopped reading, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (ValueError, TypeError, OSError, ImportError) as error:
        print(f"boolrules: {' '.join(str(error).split())}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("boolrules: interrupted", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
