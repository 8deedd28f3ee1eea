"""What counts as found, and how commands and calls are watched for it."""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys

import joblib

from boolrules.cli.main import main

SECONDS = 60  # for one call; whatever takes longer hangs
TOLD = (ValueError, TypeError, OSError)
ANSWERS = (0, 1, 2)
STOPPED = (129, 130, 143)
PROGRAM = [sys.executable, "-m", "boolrules"]


class FoundError(Exception):
    """Something that must not be: a traceback, a hang, a claim that is not true, a loss."""


class HangError(BaseException):
    """Not to be caught by what hangs."""


def check(is_so, text):
    """Find something where it is not so."""
    if not is_so:
        raise FoundError(text)


@contextlib.contextmanager
def in_time():
    """Interrupt what hangs in Python."""

    def stop(*_):
        raise HangError(f"takes more than {SECONDS} s")

    old = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)


def answer(action):
    """Return what a call gives, or None where it tells in one line what is wrong."""
    try:
        return action()
    except TOLD as error:
        check(len(str(error).splitlines()) <= 1, f"an error of several lines: {error}")
        return None


# What is said of a table before anything is made of it.
ABOUT_THE_TABLE = re.compile(
    r": read (as|with) |: Note: | left out\.$| dates and times are | has \d+ labels: "
)


def call(*arguments):
    """Run a command in this process: its exit code and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        joblib.parallel_config(backend="sequential"),
    ):
        code = main([str(argument) for argument in arguments])
    judge(arguments, code, err.getvalue())
    return code, out.getvalue()


def judge(arguments, code, err, codes=ANSWERS):
    """Find a traceback, an exit code that means nothing, or an error that is not one line."""
    what = " ".join(map(str, arguments))
    check(code in codes, f"{what}: exit code {code}, {err[-300:]!r}")
    check("Traceback" not in err and "panicked" not in err, f"{what}: {err[-1500:]}")
    told = [line for line in err.splitlines() if line.startswith("boolrules: ")]
    told = [line for line in told if not ABOUT_THE_TABLE.search(line)]
    check(code != ANSWERS[-1] or len(told) == 1, f"{what}: {len(told)} lines in {err[:600]!r}")


def environment():
    """The environment of processes, which find what this one finds."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def start(*arguments):
    """Start a command in a process of its own."""
    return subprocess.Popen(
        [*PROGRAM, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=environment(),
    )


def ended(process):
    """Wait for a process, which does not outlive its case: its exit code and its errors."""
    try:
        _, err = process.communicate()
    except BaseException:
        process.kill()
        process.communicate()
        raise
    return process.returncode, err
