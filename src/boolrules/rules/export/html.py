"""A rule set as an HTML table, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boolrules._support.html import table
from boolrules.rules.condition import format_number
from boolrules.rules.export.outline import line_text, outline

if TYPE_CHECKING:
    from boolrules.rules.rule_set import RuleSet


def html_text(rules: RuleSet) -> str:
    """Write a table with one line per clause, and its figures where they are known."""
    columns, head = "hl", ["", "clause"]
    if rules.statistics:
        columns, head = "hlrrr", [*head, "coverage", "precision", "only here"]
    only_here = [format_number(s.only_here) for s in rules.statistics]
    rows = []
    for k, line in enumerate(outline(rules)):
        figures = [] if line.figures is None else [*line.figures, only_here[k]]
        rows.append([line.keyword, line_text(line, rules), *figures])
    return table(columns, head, rows)
