"""Figures of rules in lines for a terminal: the table of answers in parts where it is too wide."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boolrules.rules.answers import label_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boolrules.model.figures import Figures

GAP = "  "


def figure_lines(figures: Figures, width: int) -> list[str]:
    r"""Return what figures say, with a table that fits: its columns in groups if need be.

    Examples
    --------
    >>> from boolrules.model.figures import Figures
    >>> cities = ["Berlin", "London", "Paris"]
    >>> figures = Figures.of(cities, None, [[[9, 0, 1], [2, 8, 0], [0, 1, 7]]], n_rows=28)
    >>> print(*figure_lines(figures, 50)[1:], sep="\n")
    <BLANKLINE>
                 answer 'Berlin'  answer 'London'
    is 'Berlin'                9                0
    is 'London'                2                8
    is 'Paris'                 0                1
    <BLANKLINE>
                 answer 'Paris'
    is 'Berlin'               1
    is 'London'               0
    is 'Paris'                7
    """
    sentences, lines = figures.sentences(), figures.lines()
    end = len(lines) - (2 if figures.advice else 0)
    table = lines[len(sentences) + 1 : end]
    if max(map(len, table), default=0) <= width:
        return lines
    return [*sentences, *_in_parts(figures, width), *lines[end:]]


def _in_parts(figures: Figures, width: int) -> Iterator[str]:
    """Write groups of columns below each other, each with the heads of the rows."""
    labels = list(map(label_text, figures.classes))
    heads = ["", *(f"is {label}" for label in labels)]
    columns = [
        [f"answer {label}", *(f"{row[k]:.1f}".removesuffix(".0") for row in figures.table)]
        for k, label in enumerate(labels)
    ]
    widest = max(len(column[0]) for column in columns)
    room = width - max(map(len, heads))
    n_parts = math.ceil(len(columns) / max(1, room // (widest + len(GAP))))
    size = math.ceil(len(columns) / n_parts)
    for start in range(0, len(columns), size):
        yield ""
        yield from _aligned(heads, columns[start : start + size])


def _aligned(heads: Sequence[str], columns: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in columns]
    left = max(map(len, heads))
    for head, *row in zip(heads, *columns, strict=True):
        cells = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        yield GAP.join([head.ljust(left), *cells])
