"""Run a command; turn errors into one line, and errors and signals into an exit code.

Little is imported before signals are taken care of: what commands need takes seconds to load.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from boolrules.cli.output import safe_streams, say, tell
from boolrules.cli.stopping import INTERRUPTED, stopping

if TYPE_CHECKING:
    from collections.abc import Sequence

BAD_INPUT = 2  # 1: not verified, in verify
# What is wrong with what was given, or with the machine; all else is a mistake of ours.
TURNED_DOWN = (ValueError, TypeError, OSError, ImportError, MemoryError)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    with safe_streams(), stopping(is_own_process=arguments is None) as stop:
        try:
            return stop.exit_code(_run(arguments))
        except KeyboardInterrupt:
            stop.end()
            tell("interrupted")
            return stop.exit_code(INTERRUPTED)
        except Exception as error:
            stop.end()
            is_told = isinstance(error, TURNED_DOWN)
            if not is_told and not stop.is_asked:  # what is stopped half-way may fail in any way
                raise
            tell(_in_one_line(error) if is_told else "interrupted")
            return stop.exit_code(BAD_INPUT)


def _run(arguments: Sequence[str] | None) -> int:
    from boolrules._support.panics import check_threads, keep_panics_quiet
    from boolrules.cli.cluster import on_cluster
    from boolrules.cli.parser import make_parser
    from boolrules.cli.writing import check_files

    words = sys.argv[1:] if arguments is None else arguments
    try:
        options = make_parser(words).parse_args(words)
    except SystemExit as end:
        say("", end="")  # --help with no reader is found here and not when Python ends
        return int(end.code or 0)
    keep_panics_quiet()
    check_threads()
    check_files(options)
    with on_cluster(options):
        return int(options.run(options))


def _in_one_line(error: Exception) -> str:
    """Write what an error says; of the system's own, the file and the reason without a number."""
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    elif isinstance(error, MemoryError):
        text = "Out of memory: this machine has too little for what is asked. Ask for less."
    return " ".join(text.split())
