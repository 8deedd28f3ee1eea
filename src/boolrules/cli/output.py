"""What commands print; a reader that goes away, as ``head`` does, ends the printing only."""

from __future__ import annotations

import os
import sys

from rich.console import Console


class Output(Console):
    """Standard output for people; quiet once nobody reads it."""

    def __init__(self) -> None:
        super().__init__(highlight=False)

    def on_broken_pipe(self) -> None:
        """Go quiet, so that the command can end as it would have."""
        self.quiet = True
        discard_output()


def say(text: str, end: str = "\n") -> None:
    """Print at once, so that a closed pipe is found here and not when Python ends."""
    try:
        print(text, end=end, flush=True)
    except BrokenPipeError:
        discard_output()


def discard_output() -> None:
    """Let standard output lead nowhere, with what it still holds."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
