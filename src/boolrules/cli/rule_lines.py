"""Rules as lines for a terminal: broken between conditions, with clauses' figures beside them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from boolrules.cli.printable import printable
from boolrules.rules.export.outline import clause_figures, figure_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boolrules import RuleSet

# Columns that clauses keep; figures but for the first two make room for them.
LEAST_ROOM = 30
GAP = "  "


def rule_lines(rules: RuleSet, width: int) -> Iterator[Text]:
    """Write a rule set; what does not fit into the width goes on below, indented.

    Examples
    --------
    >>> from boolrules import Clause, Condition, RuleSet
    >>> from boolrules.rules.clause_statistics import ClauseStatistics
    >>> young, poor = Condition("age", "<=", 35), Condition("income", "<=", 20_000)
    >>> rules = RuleSet((Clause((young, poor)),), statistics=(ClauseStatistics(14, 12, 9),))
    >>> for line in rule_lines(rules, width=50):
    ...     print(line.plain)
                              coverage  precision
    IF   (age <= 35                 14      85.7%
          AND income <= 20000)
    THEN True
    ELSE False
    """
    lines = [(keyword, list(map(printable, texts))) for keyword, texts in rules.lines()]
    whole = [cell_len(" ".join(texts)) for _, texts in lines[: rules.n_clauses]]
    beside = _Beside.of(rules, width - 5 - min(LEAST_ROOM, max(whole, default=0)))
    room = width - 5 - beside.width
    blocks = [(keyword, _filled(texts, room)) for keyword, texts in lines[: rules.n_clauses]]
    longest = max((cell_len(line) for _, block in blocks for line in block), default=0)
    for head in beside.head():
        yield Text(" " * (5 + longest) + head, style="dim")
    for k, (keyword, block) in enumerate(blocks):
        for n, line in enumerate(block):
            text = Text((keyword if n == 0 else " " * 5) + line, style="bold")
            if n == 0:
                text.append(" " * (longest - cell_len(line)) + beside.row(k), style="not bold")
            text.rstrip()
            yield text
    for keyword, texts in lines[rules.n_clauses :]:
        for n, line in enumerate(_filled(texts, width - len(keyword))):
            yield Text((keyword if n == 0 else " " * len(keyword)) + line, style="bold")


class _Beside:
    """The figures of the clauses, in columns to the right of them."""

    def __init__(self, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        self._heads = [name.split(" ") for name in names]  # in two lines, for more room
        self._rows = rows
        self._widths = [
            max(map(len, (*head, *cells))) for head, *cells in zip(self._heads, *rows, strict=True)
        ]

    @classmethod
    def of(cls, rules: RuleSet, room: int) -> _Beside:
        """Take as many figures as there is room for, two at least."""
        names = figure_names(rules)
        rows = [list(figures.values()) for figures in clause_figures(rules)]
        for n in (len(names), 3):
            beside = cls(names[:n], [row[:n] for row in rows])
            if beside.width <= room:
                return beside
        return cls(names[:2], [row[:2] for row in rows])

    @property
    def width(self) -> int:
        """How wide all of them are, with the gaps before them."""
        return sum(len(GAP) + width for width in self._widths)

    def head(self) -> list[str]:
        """Return the lines above the first clause; none without figures."""
        height = max(map(len, self._heads), default=0)
        padded = [[""] * (height - len(head)) + head for head in self._heads]
        return [self._joined(cells) for cells in zip(*padded, strict=True)]

    def row(self, k: int) -> str:
        """Return the figures of a clause."""
        return self._joined(self._rows[k]) if self._widths else ""

    def _joined(self, cells: Sequence[str]) -> str:
        pairs = zip(cells, self._widths, strict=True)
        return "".join(GAP + cell.rjust(width) for cell, width in pairs)


def _filled(texts: Sequence[str], width: int) -> list[str]:
    """Put as many texts into a line as fit; one that is too long is broken between words."""
    width = max(width, LEAST_ROOM // 2)
    lines: list[str] = []
    for text in texts:
        indent = " " if lines else ""  # below what follows the bracket
        if lines and cell_len(lines[-1]) + 1 + cell_len(text) <= width:
            lines[-1] += f" {text}"
        elif cell_len(indent + text) <= width:
            lines.append(indent + text)
        else:
            lines += textwrap.wrap(
                text,
                width,
                initial_indent=indent,
                subsequent_indent=" " * 3,
                break_on_hyphens=False,
            )
    return lines
