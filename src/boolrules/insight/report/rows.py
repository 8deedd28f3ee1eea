"""The rows that the page can look up: as many as fit, and only the columns that rules read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.table import Kind
from boolrules.data.column_encoding import tidy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules._support.table import Table, TableColumn
    from boolrules.insight.report.domain import Domain

# So the page stays below some ten megabytes, whatever the table.
MOST_CELLS = 500_000
MOST_LETTERS = 80


def embed_rows(
    table: Table,
    labels: NDArray[np.int64],
    domains: Sequence[Domain],
    max_rows: int,
    numbers: NDArray[np.int64] | None = None,
) -> dict[str, Any]:
    """Return rows for the page, spread evenly over the table where there are too many.

    ``numbers`` are those by which they are looked up, as in a file from which rows were left out;
    None counts the rows of the table from 1.

    Examples
    --------
    >>> from boolrules.insight.report.domain import Domain
    >>> from boolrules._support.table import read_table
    >>> table = read_table(np.array([[1.5, 0], [2, 0], [np.nan, 0], [4, 0], [5, 0]]))
    >>> domains = [Domain("x0", Kind.NUMERIC, True)]
    >>> rows = embed_rows(table, np.array([0, 0, 1, 1, 1]), domains, max_rows=3)
    >>> rows["numbers"], rows["labels"], rows["columns"]
    ([1, 3, 5], [0, 1, 1], [{'values': [1.5, None, 5]}])
    """
    n_rows = max(0, min(len(table), max_rows, MOST_CELLS // max(1, len(domains))))
    places = np.linspace(0, len(table) - 1, n_rows).round().astype(np.int64)
    numbers = np.arange(1, len(table) + 1) if numbers is None else numbers
    return {
        "n_rows": len(table),
        "last": int(numbers.max(initial=0)),
        "numbers": numbers[places].tolist(),
        "labels": labels[places].tolist(),
        "columns": [_embed_column(table[d.feature], d, places) for d in domains],
    }


def _embed_column(
    column: TableColumn, domain: Domain, places: NDArray[np.int64]
) -> dict[str, Any]:
    chosen = column.values[places].tolist()
    if column.kind is not Kind.TEXT:
        return {"values": [None if value != value else tidy(value) for value in chosen]}
    texts = [None if value is None else _shortened(value, domain) for value in chosen]
    distinct = sorted({text for text in texts if text is not None})
    code = {text: place for place, text in enumerate(distinct)}
    return {"texts": distinct, "values": [None if t is None else code[t] for t in texts]}


def _shortened(text: str, domain: Domain) -> str:
    """Cut a long text that no condition compares with: rules cannot tell it from the whole one."""
    if len(text) <= MOST_LETTERS or text in domain.values:
        return text
    return f"{text[:MOST_LETTERS]}…"
