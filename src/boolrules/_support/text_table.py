"""Tables in lines of text, for terminals: in parts below each other where they are too wide."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

GAP = "  "


def text_table(cells: Sequence[Sequence[str]], width: int | None = None) -> list[str]:
    r"""Align the cells of a table, the first column to the left and the others to the right.

    Columns that do not fit into ``width`` come below, each group beside the first column again.

    Examples
    --------
    >>> cells = [["", "answer a", "answer b"], ["is a", "9", "10"], ["is b", "2", "8"]]
    >>> print(*text_table(cells), sep="\n")
          answer a  answer b
    is a         9        10
    is b         2         8
    >>> print(*text_table(cells, width=20), sep="\n")
          answer a
    is a         9
    is b         2
    <BLANKLINE>
          answer b
    is a        10
    is b         8
    """
    first, *others = (max(map(len, column)) for column in zip(*cells, strict=True))
    n_fit = len(others)
    if width is not None and first + sum(len(GAP) + other for other in others) > width:
        n_fit = max(1, (width - first) // (max(others) + len(GAP)))
    size = math.ceil(len(others) / math.ceil(len(others) / n_fit))
    lines: list[str] = []
    for start in range(0, len(others), size):
        lines += [""] if lines else []
        for head, *row in cells:
            pairs = list(zip(row, others, strict=True))[start : start + size]
            shown = [head.ljust(first), *(cell.rjust(wide) for cell, wide in pairs)]
            lines.append(GAP.join(shown).rstrip())
    return lines
