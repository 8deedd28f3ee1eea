"""From a table to what is learned from: encoded rows, less what given clauses settle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boolrules.given import Given, without_given
from boolrules.rules import Form
from boolrules.training_set import TrainingSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from boolrules.encoding import TableEncoding
    from boolrules.problem import Problem
    from boolrules.rules import Clause
    from boolrules.table import Table


def make_training_set(
    encoding: TableEncoding,
    table: Table,
    is_positive: NDArray[np.bool_],
    weights: NDArray[np.float64],
    form: Form,
    is_kept: NDArray[np.bool_] | None = None,
) -> TrainingSet:
    """Encode a table for the solver.

    CNF is DNF with labels and conditions negated (De Morgan, §2).
    """
    _, conditions = encoding.conditions()
    if form is Form.CNF:
        is_positive, conditions = ~is_positive, conditions.complement()
    return TrainingSet.merge(encoding.encode(table), is_positive, weights, conditions, is_kept)


def split_off_given(
    clauses: Sequence[Clause],
    encoding: TableEncoding,
    table: Table,
    is_positive: NDArray[np.bool_],
    weights: NDArray[np.float64],
    form: Form,
    problem: Problem,
) -> tuple[Given, TrainingSet]:
    """Take given clauses out of a problem, and encode the rows that they leave.

    The positives that they cover weigh nothing there, but count towards ``min_coverage``.
    """
    given, left = without_given(clauses, form, table, is_positive, weights)
    is_kept = (weights if problem.min_coverage else left) > 0
    return given, make_training_set(encoding, table, is_positive, left, form, is_kept)
