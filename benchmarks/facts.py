"""What a row of results was measured with: machine, versions, commit and day."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOT = Path(__file__).resolve().parents[1]
# What a result depends on, and the files of results not.
CODE = ("src", "benchmarks", ":!benchmarks/results", "pyproject.toml")
OURS = ("boolrules", "numpy", "numba", "highspy")
FACTS = ("machine", "versions", "commit", "date")


def commit() -> str:
    """Name the commit, with a plus if code differs from it. Each task imports the tree afresh."""
    name = _git("rev-parse", "--short", "HEAD")
    is_changed = _git("status", "--porcelain", "--", *CODE)
    return f"{name}{'+' if is_changed else ''}" if name else "unknown"


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


@cache
def machine() -> str:
    """Name the machine by its processor, cores and memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{processor()}, {os.cpu_count()} cores, {memory:.0f} GiB"


def processor() -> str:
    """Name the processor, or its kind where that is all that is known."""
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text(encoding="utf-8").splitlines() if facts.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def today() -> str:
    """Return the day."""
    return datetime.now(UTC).strftime("%Y-%m-%d")


def facts(more_versions: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return what a row of ours was measured with, and versions of what it was held against."""
    versions = {"python": platform.python_version()} | {name: version(name) for name in OURS}
    versions |= more_versions or {}
    written = " ".join(f"{name}-{number}" for name, number in versions.items())
    values = (machine(), written, commit(), today())
    return dict(zip(FACTS, values, strict=True))


def said_of(rows: Iterable[Mapping[str, str]]) -> str:
    """Write the facts of some rows in a line, each value once."""
    kept = [[row[name] for name in FACTS if row.get(name)] for row in rows]
    return "; ".join(dict.fromkeys(", ".join(values) for values in kept if values))
