"""HTML that notebooks show: every text escaped, readable in light and in dark themes.

Styles stand on the elements themselves, so that one display never changes another. Colours are
half transparent or of middle brightness, and so need not know the ground below them.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GOOD, BAD, PLAIN = "#2f9e62", "#d8504d", "rgba(128, 128, 128, 0.6)"
YES, NO = "✓", "✗"
_SIGNS = {YES: GOOD, NO: BAD}
_BAR = "rgba(66, 133, 244, 0.28)"
_LINE = "1px solid rgba(128, 128, 128, 0.3)"
_MONO = "font-family: ui-monospace, 'DejaVu Sans Mono', monospace; font-size: 0.95em"

# Notebooks align cells to the right, and HTML takes line breaks for spaces, unless told otherwise.
_TEXT = "text-align: left; white-space: pre-wrap"
_NUMBER = "text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums"
_STYLES = {
    "l": _TEXT,
    "h": f"{_TEXT}; font-weight: 600",
    "m": f"{_TEXT}; {_MONO}",
    "r": _NUMBER,
    "s": _NUMBER,
}
_CELL = f"padding: 0.3em 0.7em; border: 0; border-bottom: {_LINE}; vertical-align: top"
_HEAD = "font-weight: 500; opacity: 0.75; vertical-align: bottom"
_TABLE = "border-collapse: collapse; margin: 0.4em 0; border: 0; color: inherit; font-size: 1em"


def paragraph(text: str) -> str:
    """Return one paragraph.

    Examples
    --------
    >>> paragraph("age < 35")
    '<p>age &lt; 35</p>'
    """
    return f"<p>{html.escape(text)}</p>"


def lead(text: str) -> str:
    """Return what is to be read first."""
    return f'<p style="font-weight: 600; margin: 0 0 0.2em">{html.escape(text)}</p>'


def aside(text: str) -> str:
    """Return what is to be read last."""
    return f'<p style="opacity: 0.75; font-size: 0.9em; margin: 0.2em 0">{html.escape(text)}</p>'


def card(color: str, *parts: str) -> str:
    """Set parts off from what is above and below, with an edge that tells good from bad."""
    style = f"border-left: 4px solid {color}; padding: 0.2em 0 0.2em 0.8em; margin: 0.5em 0"
    return f'<div style="{style}">\n{chr(10).join(part for part in parts if part)}\n</div>'


def folded(title: str, content: str) -> str:
    """Hide something until it is asked for."""
    return (
        f'<details><summary style="cursor: pointer">{html.escape(title)}</summary>\n'
        f"{content}\n</details>"
    )


def sign(is_so: bool) -> str:
    """Say yes or no in one letter, which needs no colour to be read."""
    return YES if is_so else NO


def table(columns: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table.

    Parameters
    ----------
    columns : str
        One letter per column: "l" for text, "m" for rules, "r" for numbers, "s" for shares in
        percent, which have a bar behind them, "h" for what heads a row.
    head : sequence of str
        Names of the columns; none for a table without a head.
    rows : iterable of sequences of str
        The last cell of a short row takes the columns that are left.

    Examples
    --------
    >>> print(table("lr", ["clause", "rows"], [["age < 35", "12"], ["otherwise"]]))
    <table style="...">
    <thead><tr><th style="text-align: left; ...">clause</th><th ...>rows</th></tr></thead>
    <tbody>
    <tr><td ...>age &lt; 35</td><td style="text-align: right; ...">12</td></tr>
    <tr><td style="text-align: left; white-space: pre-wrap; ..." colspan="2">otherwise</td></tr>
    </tbody>
    </table>
    """
    body = "\n".join(_row(columns, row, "td") for row in rows)
    names = f"<thead>{_row(columns, head, 'th')}</thead>\n" if head else ""
    return f'<table style="{_TABLE}">\n{names}<tbody>\n{body}\n</tbody>\n</table>'


def _row(columns: str, cells: Sequence[str], tag: str) -> str:
    written = []
    for place, text in enumerate(cells):
        kind = columns[place]
        name = "th" if kind == "h" else tag
        is_last = place == len(cells) - 1
        n_left = len(columns) - place
        span = f' colspan="{n_left}"' if is_last and n_left > 1 else ""
        style = f"{_style(kind, tag)}; {_CELL}"
        if tag == "th":
            style += f"; {_HEAD}"
        elif kind == "s":
            style += _share(text)
        elif text in _SIGNS:
            style += f"; color: {_SIGNS[text]}; font-weight: 600"
        written.append(f'<{name} style="{style}"{span}>{html.escape(text)}</{name}>')
    return f"<tr>{''.join(written)}</tr>"


def _style(kind: str, tag: str) -> str:
    return _STYLES["l"] if tag == "th" and kind in "hm" else _STYLES[kind]


def _share(text: str) -> str:
    """Draw a bar behind a text such as "95.6%"; none behind what is no share."""
    try:
        percent = min(max(float(text.removesuffix("%")), 0.0), 100.0)
    except ValueError:
        return ""
    stop = f"{percent:.1f}%"
    return f"; background: linear-gradient(90deg, {_BAR} {stop}, transparent {stop})"
