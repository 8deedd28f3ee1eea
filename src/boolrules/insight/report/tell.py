"""From a story and its rows to a page: summarise, embed, render."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boolrules.insight.report.page import Report, render
from boolrules.insight.report.rows import embed_rows
from boolrules.insight.report.summary import class_places, summarise

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from boolrules.data.labelled_rows import LabelledRows
    from boolrules.insight.report.summary import Story

MAX_ROWS = 10_000


def tell(
    story: Story,
    rows: LabelledRows,
    max_rows: int = MAX_ROWS,
    numbers: NDArray[np.int64] | None = None,
) -> Report:
    """Describe what a story tells on one HTML page, with as many of the rows as fit.

    ``numbers`` are those by which rows are looked up; None counts them from 1.
    """
    labels = class_places(story.points[0].model, rows.labels)
    facts, domains = summarise(story, rows, labels, has_rows=max_rows > 0)
    carried = embed_rows(rows.table, labels, domains, max_rows, numbers)
    return Report(facts, render(facts, carried))
