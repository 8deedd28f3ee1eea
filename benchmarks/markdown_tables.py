"""Tables in Markdown, and the marked places of a page that they go to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

DOCS = Path(__file__).resolve().parents[1] / "docs"


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Write a table."""
    parts = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(part) + " |" for part in parts)


def fill(text: str, tables: Mapping[str, str]) -> str:
    """Put each table between the marks that name it; what none is given for stays."""

    def replaced(match: re.Match[str]) -> str:
        if match[1] not in tables:
            return match[0]
        table = tables[match[1]]
        return f"<!-- begin {match[1]} -->\n\n{table}\n\n<!-- end {match[1]} -->"

    return re.sub(r"<!-- begin ([\w ]+) -->.*?<!-- end \1 -->", replaced, text, flags=re.DOTALL)


def fill_page(page: Path, tables: Mapping[str, str]) -> None:
    """Do so in a file."""
    page.write_text(fill(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
