"""A rule set as a Markdown table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boolrules.rules.export.outline import line_text, outline

if TYPE_CHECKING:
    from boolrules.rules.export.outline import Line
    from boolrules.rules.rule_set import RuleSet

_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", "~": "&#126;", "$": "&#36;", "\0": "\ufffd"}
    | {sign: f"\\{sign}" for sign in r"\`*_{}[]|>#!"}
)


def markdown_text(rules: RuleSet) -> str:
    """Write a table with one line per clause."""
    has_figures = bool(rules.statistics)
    lines = ["| | rule |", "|---|---|"]
    if has_figures:
        lines = [f"{lines[0]} coverage | precision |", f"{lines[1]}--:|--:|"]
    lines += [_row(line, rules, has_figures) for line in outline(rules)]
    return "\n".join(lines) + "\n"


def _row(line: Line, rules: RuleSet, has_figures: bool) -> str:
    cells = [f"**{line.keyword}**", _escaped(line_text(line, rules))]
    if has_figures:
        cells += line.figures or ("", "")
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return " ".join(text.split()).translate(_ESCAPES)
