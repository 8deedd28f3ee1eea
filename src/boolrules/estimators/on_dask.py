"""Where the rows of a Dask table are learned from: on its workers, or here.

Few rows come here, for no round trip is as fast. So do more of them where something needs them in
one place; a table that is too large for that is turned down before anything is learned. Then
nobody who learns can tell where the rows came from.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.optional import is_dask
from boolrules.data.every_threshold import ALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boolrules.estimators.classifier import BooleanRuleClassifier

Placed = tuple[Any, Any, Any]


def is_on_dask(classifier: BooleanRuleClassifier, X: Any) -> bool:
    """Whether the rows are, or are to be, on the workers of a Dask cluster."""
    return classifier.engine == "dask" or is_elsewhere(X)


def is_elsewhere(X: Any) -> bool:
    """Whether this is a Dask DataFrame, or the path of Parquet files."""
    return is_dask(X) or isinstance(X, str | Path)


def is_on_workers(X: Any) -> bool:
    """Whether it was decided that the rows stay on the workers."""
    return bool(getattr(X, "is_on_dask", False))


def placed(classifier: BooleanRuleClassifier, X: Any, y: Any, sample_weight: Any) -> Placed:
    """Return rows, labels and weights in memory; or, on the workers, a ``DaskTable`` and no more.

    What was in memory, or was placed before, is returned as it is.
    """
    if is_on_workers(X) or not is_on_dask(classifier, X):
        return X, y, sample_weight
    # Dask is a guest: its room may be missing, and is entered only when it is asked for.
    from boolrules.distributed import table as tables

    tables.dask_frames()  # or say how to install it
    what = needs_rows(classifier)
    if not is_elsewhere(X) and (what or np.size(X) <= tables.FEW_VALUES):
        return X, y, sample_weight
    table = tables.DaskTable(X, y, sample_weight)
    if what:
        table.check_is_together(what)
    if what or table.n_values <= tables.FEW_VALUES:
        return table.together()
    return table, None, None


def needs_rows(classifier: BooleanRuleClassifier) -> str | None:
    """Name what was asked for that needs the rows in one place; None where sums of workers do."""
    if classifier.requirements:
        return "requirements"
    if classifier.objective in ("f1", "errors"):
        return f"objective={classifier.objective!r}"
    if classifier.mode == "paper":
        return "mode='paper'"
    if str(getattr(classifier.binarizer, "thresholds", None)) == ALL:
        return "thresholds='all'"
    return None


def brought_together(X: Any, y: Any, sample_weight: Any, what: str) -> Placed:
    """Return rows, labels and weights in memory, or say what needs them there."""
    if not is_elsewhere(X):
        return X, y, sample_weight
    from boolrules.distributed.table import DaskTable

    table = DaskTable(X, y, sample_weight)
    table.check_is_together(what)
    return table.together()


def rows_to_choose_by(
    classifier: BooleanRuleClassifier,
    X: Any,
    y: Any,
    sample_weight: Any,
    thresholds: Sequence[Any] | None,
    seed: int,
) -> tuple[Placed, Placed]:
    """Return the rows to choose by, in memory, and those to learn from.

    They are the same but for a large table on Dask. Of that, some are drawn to choose by.
    ``thresholds`` are those to choose from.
    """
    if not is_elsewhere(X):
        return (X, y, sample_weight), (X, y, sample_weight)
    from boolrules.distributed import table as tables

    table = tables.DaskTable(X, y, sample_weight)
    has_all = thresholds is not None and ALL in list(thresholds)
    what = "thresholds='all'" if has_all else needs_rows(classifier)
    if what:
        table.check_is_together(what)
    if table.n_values <= tables.MOST_VALUES:
        together = table.together()
        return together, together
    n_rows = tables.MOST_VALUES // max(1, len(table.meta.columns))
    return table.sample(n_rows, seed), (table, None, None)
