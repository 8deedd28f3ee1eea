"""HTML that notebooks show: every text escaped, no colours, so that dark themes work as well."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Notebooks align cells to the right, and HTML takes line breaks for spaces, unless told otherwise.
_TEXT = "text-align: left; white-space: pre-wrap"
_STYLES = {"l": _TEXT, "h": _TEXT, "r": "text-align: right; white-space: nowrap"}


def paragraph(text: str) -> str:
    """Return one paragraph.

    Examples
    --------
    >>> paragraph("age < 35")
    '<p>age &lt; 35</p>'
    """
    return f"<p>{html.escape(text)}</p>"


def table(columns: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table.

    Parameters
    ----------
    columns : str
        One letter per column: "l" for text, "r" for numbers, "h" for what heads a row.
    head : sequence of str
        Names of the columns.
    rows : iterable of sequences of str
        The last cell of a short row takes the columns that are left.

    Examples
    --------
    >>> print(table("lr", ["clause", "rows"], [["age < 35", "12"], ["otherwise"]]))
    <table>
    <thead><tr><th style="text-align: left; ...">clause</th><th ...>rows</th></tr></thead>
    <tbody>
    <tr><td ...>age &lt; 35</td><td style="text-align: right; white-space: nowrap">12</td></tr>
    <tr><td style="text-align: left; white-space: pre-wrap" colspan="2">otherwise</td></tr>
    </tbody>
    </table>
    """
    body = "\n".join(_row(columns, row, "td") for row in rows)
    head_row = _row(columns, head, "th")
    return f"<table>\n<thead>{head_row}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _row(columns: str, cells: Sequence[str], tag: str) -> str:
    written = []
    for place, text in enumerate(cells):
        kind = columns[place]
        name = "th" if kind == "h" else tag
        is_last = place == len(cells) - 1
        n_left = len(columns) - place
        span = f' colspan="{n_left}"' if is_last and n_left > 1 else ""
        written.append(f'<{name} style="{_STYLES[kind]}"{span}>{html.escape(text)}</{name}>')
    return f"<tr>{''.join(written)}</tr>"
