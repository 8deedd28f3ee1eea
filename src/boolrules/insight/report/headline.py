"""What a report says first: one sentence and a few figures that need no explanation.

From rows left out where there are any, and every sentence says from which rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boolrules.insight.report.facts import ClassFigures, HeadlineFacts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.insight.report.facts import FoldsFacts, HeldOutFacts, Matrix
    from boolrules.insight.report.words import Words
    from boolrules.model.figures import Figures

LEFT_OUT, TRAINING, GIVEN = "rows left out", "training rows", "rows given"
# Shares are told as so many of 100, or of more where that would say none or all.
DENOMINATORS = (100, 1_000, 10_000, 100_000)


def describe_rules(
    words: Words,
    positive: int | None,
    confusion: Matrix,
    *,
    are_training_rows: bool,
    figures: Figures | None = None,
    held_out: HeldOutFacts | None = None,
    folds: FoldsFacts | None = None,
) -> HeadlineFacts:
    """Say how rules do on the best rows there are to judge them.

    Parameters
    ----------
    words : Words
        What rows and labels are called.
    positive : int or None
        Which of two classes the rules describe.
    confusion : matrix
        The rows given, by class and by answer.
    are_training_rows : bool
        Whether the rules were learned from these.
    figures : Figures or None
        On rows that took no part in the choice either.
    held_out, folds : HeldOutFacts and FoldsFacts, or None
        On rows left out of learning.
    """
    if not are_training_rows:
        counts, rows, error = np.array(confusion), GIVEN, None
        source = (
            f"Counted on the {words.rows} given; the rules were learned from others, or from "
            "these with other labels or weights."
        )
    elif figures is not None:
        counts, rows, error = np.array(figures.table), LEFT_OUT, figures.standard_error
        how = f" ({figures.description})" if figures.description else ""
        source = f"Counted on {words.rows} left out of learning{how}: {_hope(figures)}."
    elif held_out is not None and folds is not None and folds.are_separate:
        counts, rows, error = np.array(held_out.confusion), LEFT_OUT, held_out.standard_error
        doubt = "a little too good, as the same folds chose" if folds.has_chosen else _EXPECT
        source = f"Counted on {words.rows} left out of learning ({folds.description}): {doubt}."
    else:
        counts, rows, error = np.array(confusion), TRAINING, None
        source = (
            f"Counted on the {words.rows} that the rules were learned from: too good for new "
            "ones, and nothing here says by how much."
        )
    accuracy = _accuracy(counts, figures, held_out, rows)
    every = [_class_figures(counts, k) for k in range(len(counts))]
    shown = every if positive is None else [every[positive]]
    return HeadlineFacts(
        sentence=_sentence(words, positive, every, accuracy),
        source=source,
        rows=rows,
        accuracy=accuracy,
        standard_error=error,
        majority=int(counts.sum(axis=1).argmax()),
        majority_accuracy=float(counts.sum(axis=1).max() / counts.sum()),
        by_class=shown,
    )


_EXPECT = "what to expect on new ones of the same kind"


def _hope(figures: Figures) -> str:
    return "a little too good, as the same rows chose" if figures.is_chosen_on else _EXPECT


def _accuracy(
    counts: NDArray[np.float64], figures: Figures | None, held_out: HeldOutFacts | None, rows: str
) -> float:
    """Return the figure that is given elsewhere: of folds, their mean."""
    if rows == LEFT_OUT and figures is not None:
        return figures.accuracy
    if rows == LEFT_OUT and held_out is not None:
        return held_out.mean
    return float(counts.trace() / counts.sum())


def _class_figures(counts: NDArray[np.float64], k: int) -> ClassFigures:
    n_rows, there, flagged = counts.sum(), counts[k].sum(), counts[:, k].sum()
    precision = float(counts[k, k] / flagged) if flagged else None
    base_rate = float(there / n_rows)
    return ClassFigures(
        label=k,
        base_rate=base_rate,
        flagged=float(flagged / n_rows),
        precision=precision,
        recall=float(counts[k, k] / there) if there else None,
        lift=precision / base_rate if precision is not None and base_rate else None,
    )


def _sentence(
    words: Words, positive: int | None, every: Sequence[ClassFigures], accuracy: float
) -> str:
    rows = words.rows
    if len(every) == 1:
        return f"All {rows} are {words.classes[0]}: there is nothing to tell apart."
    if positive is None:
        common = max(every, key=lambda one: one.base_rate)
        return (
            f"Right on {_of(accuracy, rows)}; always {words.classes[common.label]} would be right "
            f"on {_of(common.base_rate)}."
        )
    own, other = every[positive], every[1 - positive]
    if own.precision is None:
        return f"Flags none of the {rows}: always answers {words.classes[other.label]}."
    are, those = words.telling(positive)
    found = "" if own.recall is None else f"; finds {_percent(own.recall)} of {those}"
    return f"Flags {_of(own.flagged, rows)}; {_of(own.precision, 'flagged')} {are}{found}."


def _of(share: float, things: str = "") -> str:
    """Write a share as so many of a round number, and never all or none where it is not so.

    Examples
    --------
    >>> _of(0.514, "patients"), _of(0.0034, "rows"), _of(0.9996), _of(1.0, "rows")
    ('51 of 100 patients', '3 of 1,000 rows', '9,996 of 10,000', 'all rows')
    """
    end = f" {things}" if things else ""
    if share in (0, 1):
        return f"{'all' if share else 'none of the'}{end}" if things else f"{share:.0%}"
    for n in DENOMINATORS:
        if 0 < round(share * n) < n:
            return f"{round(share * n):,} of {n:,}{end}"
    return f"{'hardly any' if share < 0.5 else 'nearly all'}{end}"


def _percent(share: float) -> str:
    """Write a share in whole percent, and never all or none where it is not so."""
    if 0 < share < 0.005 or 0.995 <= share < 1:
        return "under 1 %" if share < 0.5 else "over 99 %"
    return f"{100 * share:.0f} %"
