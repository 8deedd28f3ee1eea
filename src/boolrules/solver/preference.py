"""Ties broken in favour of preferred features, once a rule set is chosen.

Conditions are exchanged one for one while the Hamming loss stays what it is: loss, complexity and
bound are those of before. Finds, never proves: among all rule sets of this loss, another may use
more of the preferred features. With more conditions times rows than can be laid out, ties stay as
they were.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.bins import NO_CONDITION
from boolrules.search.engines import make_engine
from boolrules.search.narrowing import MOST_BITS_OF_EXACT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples
    from boolrules.solver.result import Result

Clause = tuple[int, ...]


def with_preferred(
    result: Result, training_set: Samples, is_preferred: NDArray[np.bool_]
) -> Result:
    """Return the result with the rule set that ``preferring`` makes of its own.

    As it was, where every threshold of a large table makes more conditions times rows than an
    exact search lays out: only the tie-break is lost.
    """
    if len(training_set.conditions) * training_set.n_rows > MOST_BITS_OF_EXACT:
        return result
    chosen = [column.clause for column in result.chosen_columns]
    problem = result.certificate.problem
    clauses = preferring(training_set, problem, chosen, is_preferred)
    place = {column.clause: k for k, column in enumerate(result.columns)}
    columns = list(result.columns)
    for clause in clauses:
        if clause not in place:
            place[clause] = len(columns)
            columns.append(training_set.column(clause, problem))
    return replace(
        result, columns=tuple(columns), chosen=tuple(place[clause] for clause in clauses)
    )


def preferring(
    training_set: Samples,
    problem: Problem,
    clauses: Sequence[Clause],
    is_preferred: NDArray[np.bool_],
) -> list[Clause]:
    """Exchange conditions for preferred ones until no single exchange keeps the Hamming loss.

    Examples
    --------
    Two conditions that are true on the same rows, of which the second is preferred:

    >>> from boolrules.data.bins import BinnedConditions
    >>> from boolrules.data.problem import Problem
    >>> from boolrules.data.training_set import TrainingSet
    >>> conditions = BinnedConditions.build([(0, [(1, 2)]), (1, [(1, 2)])], n_codes=[2, 2])
    >>> codes = np.array([[1, 1], [0, 0]], dtype=np.uint8)
    >>> samples = TrainingSet.merge(codes, np.array([True, False]), np.ones(2), conditions)
    >>> preferring(samples, Problem(max_complexity=2), [(0,)], np.array([False, True]))
    [(1,)]
    """
    chosen = list(clauses)
    place = 0
    while place < len(chosen):
        exchanged = _exchanged(training_set, problem, chosen, place, is_preferred)
        if exchanged is None:
            place += 1
        else:
            chosen[place] = exchanged
            place = 0
    return chosen


def _exchanged(
    training_set: Samples,
    problem: Problem,
    chosen: Sequence[Clause],
    place: int,
    is_preferred: NDArray[np.bool_],
) -> Clause | None:
    """Exchange one condition of one clause; None where that would change the loss."""
    clause = chosen[place]
    others = [other for k, other in enumerate(chosen) if k != place]
    given_up = [j for j in clause if not is_preferred[j]]
    if not given_up:
        return None
    # What the others leave uncovered, at its whole weight: M - N is what the clause saves.
    columns = training_set.columns(others, problem)
    duals = training_set.rounded(training_set.duals_of_missed(columns))
    rests = [[k for k in clause if k != j] for j in given_up]
    bases = np.array([rest or [NO_CONDITION] for rest in rests], dtype=np.int32)
    sums = make_engine(training_set, "numba", duals).extend(bases)
    saved = sums.M_extended - sums.N_extended
    loss = training_set.hamming_loss(chosen)
    for b, j in enumerate(given_up):
        is_equal = (saved[b] == saved[b, j]) & (sums.M_extended[b] > 0)
        for new in np.flatnonzero(is_equal & is_preferred).tolist():
            candidate = tuple(sorted({*rests[b], new}))
            if len(candidate) < len(clause) or candidate in others:
                continue
            clauses = [*others, candidate]
            covers_enough = training_set.covers_enough(np.array([candidate]), problem)[0]
            if not covers_enough or not problem.uses_all(clauses):
                continue
            if training_set.hamming_loss(clauses) == loss and training_set.meets_demands(clauses):
                return candidate
    return None
