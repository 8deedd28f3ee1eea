"""A rule set as an HTML table, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boolrules._support.html import table
from boolrules.rules.export.outline import figure_names, line_text, outline

if TYPE_CHECKING:
    from boolrules.rules.rule_set import RuleSet


def html_text(rules: RuleSet) -> str:
    """Write a table with one line per clause, and its figures where they are known."""
    names = figure_names(rules)
    rows = [
        [line.keyword, line_text(line, rules), *(line.figures or {}).values()]
        for line in outline(rules)
    ]
    kinds = "".join("s" if name.endswith(("precision", "rightly")) else "r" for name in names)
    return table(f"hm{kinds}", ["", "clause", *names], rows)
