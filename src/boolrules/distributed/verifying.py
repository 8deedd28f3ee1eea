"""A model's claims held against a Dask DataFrame: in memory where it fits, else on workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boolrules._support.table import read_table
from boolrules.data.labelled_rows import check_weights
from boolrules.data.patterns import IntegerPatternDuals
from boolrules.distributed import table as tables
from boolrules.distributed.rows import DaskLabelledRows

if TYPE_CHECKING:
    from boolrules._support.budget import Budget
    from boolrules.model.model import Model
    from boolrules.proof.certificate import Certificate
    from boolrules.proof.verification import Verification


def verify(
    model: Model,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    budget: Budget | None = None,
    engine: str = "numba",
) -> Verification:
    """Do what ``Model.verify`` does for a Dask DataFrame, or the path of Parquet files.

    Parameters
    ----------
    model : Model
        Whose claims are checked.
    X, y, sample_weight
        A Dask DataFrame or a path; labels and weights as names of columns, or as Dask Series.
    budget : Budget or None
        How long it may take.
    engine : str
        Who sums over rows that are brought together.
    """
    names = [feature.name for feature in model.encoding.features]
    table = tables.DaskTable(X, y, sample_weight, names)
    read_table(table.meta, names)  # or say which column is missing
    if table.n_values <= tables.MOST_VALUES:
        return model.verify(*table.together(), budget, engine)
    if what := _needs_rows(model):
        table.check_is_together(what)
    labels = table.labels()
    check_weights(labels.least, labels.largest)
    name = y if isinstance(y, str) else getattr(y, "name", None)
    rows = DaskLabelledRows(table, model.weighing, labels)
    return model.verify_rows(rows, name, budget, engine)


def _needs_rows(model: Model) -> str | None:
    """Name what only rows in one place can prove again; None where sums of workers do."""
    if model.encoding.has_cuts:
        return "verifying a model with thresholds='all'"
    if model.requirements:
        return "verifying requirements"
    if any(c.each_row_once or c.f1 is not None for c in model.certificates):
        return "verifying objective='errors' or 'f1'"
    if any(map(_names_rows, model.certificates)):
        return "verifying a certificate that names rows one by one, as those of rows in memory do,"
    return None


def _names_rows(certificate: Certificate) -> bool:
    duals = certificate.duals
    has_rows = duals is not None and not isinstance(duals, IntegerPatternDuals)
    return has_rows or certificate.branches is not None
