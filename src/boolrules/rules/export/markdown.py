"""A rule set as a Markdown table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boolrules.rules.export.outline import line_text, outline, printed_names

if TYPE_CHECKING:
    from boolrules.rules.export.outline import Line
    from boolrules.rules.rule_set import RuleSet

_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", "~": "&#126;", "$": "&#36;", "\0": "\ufffd"}
    | {sign: f"\\{sign}" for sign in r"\`*_{}[]|>#!"}
)


def markdown_text(rules: RuleSet) -> str:
    """Write a table with one line per clause."""
    names = printed_names(rules)
    head = "".join(f" {name} |" for name in names)
    lines = [f"| | rule |{head}", f"|---|---|{'--:|' * len(names)}"]
    lines += [_row(line, rules, names) for line in outline(rules)]
    return "\n".join(lines) + "\n"


def _row(line: Line, rules: RuleSet, names: list[str]) -> str:
    figures = line.figures or {}
    cells = [f"**{line.keyword}**", _escaped(line_text(line, rules))]
    cells += [figures.get(name, "") for name in names]
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return " ".join(text.split()).translate(_ESCAPES)
