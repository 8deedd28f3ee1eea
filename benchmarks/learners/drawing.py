"""What all pictures share: a color and a mark for each learner, and how they are saved."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt

from benchmarks.learners.summaries import OURS

if TYPE_CHECKING:
    from pathlib import Path

# Ours stands out.
STYLES = {
    OURS: ("#c1121f", "o"),
    "BooleanRuleCG": ("#1d3557", "^"),
    "BRS": ("#2a9d8f", "D"),
    "AM": ("#6c757d", "v"),
    "BCD": ("#9d4edd", "x"),
    "JRip": ("#0077b6", "P"),
    "CART": ("#606c38", "*"),
}

OTHERS = ("#adb5bd", ".")


def save(figure: Any, path: Path, source: Path) -> None:
    """Write a figure, without the date: the same rows give the same file.

    It names the file of results that it was drawn from, so that a test can tell which one it was.
    """
    metadata = {"Date": None, "Description": checksum(source) if source.exists() else None}
    figure.savefig(path, metadata=metadata if path.suffix == ".svg" else None)
    plt.close(figure)


def checksum(path: Path) -> str:
    """Return the sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
