"""The specification of the two lists behind alternatives, in plain loops: slow and obvious.

Every clause and every rule set is written out and looked at. ``_kernels/listing`` must list the
same ones.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.search.engines.engine import Terms


def list_clauses(
    holds_P: NDArray[np.bool_],
    mu: NDArray[np.int64],
    weights_P: NDArray[np.int64],
    counts_P: NDArray[np.int64],
    holds_Z: NDArray[np.bool_],
    weights_Z: NDArray[np.int64],
    terms: Terms,
    least_gain: int,
    least_coverage: int,
) -> list[tuple[int, ...]]:
    """List the clauses of reduced cost below ``terms.threshold`` that a minimal rule set may use.

    Each condition eliminates a zero that no other one of the clause does, unless it is the only
    one; the positives weigh at least ``least_gain`` more than the zeros, and are at least
    ``least_coverage`` in number. ``holds_P`` (J, n_P) and ``holds_Z`` (J, n_Z) say on which rows
    each condition holds, ``counts_P`` how many rows were merged into each positive.
    """
    listed = []
    for n in range(1, terms.longest + 1):
        for clause in combinations(range(len(holds_Z)), n):
            delta_P = holds_P[list(clause)].all(axis=0)
            delta_Z = holds_Z[list(clause)].all(axis=0)
            price = terms.clause_price + terms.condition_price * n
            N = int(weights_Z[delta_Z].sum())
            reduced_cost = price - int(mu[delta_P].sum()) + N
            looser = [[j for j in clause if j != dropped] for dropped in clause]
            is_needed = n == 1 or all(
                (holds_Z[others].all(axis=0) & ~delta_Z).any() for others in looser
            )
            gain = int(weights_P[delta_P].sum()) - N
            is_worth_it = gain >= least_gain and counts_P[delta_P].sum() >= least_coverage
            if is_needed and is_worth_it and reduced_cost < terms.threshold:
                listed.append(clause)
    return listed


def list_rule_sets(
    covers: NDArray[np.bool_],
    paid: NDArray[np.int64],
    complexity: NDArray[np.int64],
    looser_starts: NDArray[np.int64],
    looser_covers: NDArray[np.bool_],
    rise: NDArray[np.int64],
    weights: NDArray[np.int64],
    room: int,
    most_chosen: int,
    most: int,
    least_gain: int,
) -> list[tuple[int, ...]]:
    """List every minimal rule set over some columns whose objective is at most ``most``.

    Minimal means that dropping any one clause, or any one condition, raises the objective by at
    least ``least_gain``. ``covers`` (K, n_P) says which positives each column covers, ``paid``
    what it adds to the objective; without one of its conditions column k covers the rows
    ``looser_covers[c]`` and pays ``rise[c]`` more, for c from ``looser_starts[k]`` up to
    ``looser_starts[k + 1]``. ``room`` is the complexity allowed, ``most_chosen`` the clauses.
    """
    listed = []

    def missed(others: list[NDArray[np.bool_]]) -> int:
        return int(weights[~np.any([np.zeros(len(weights), dtype=bool), *others], axis=0)].sum())

    for n in range(min(len(covers), most_chosen) + 1):
        if np.sort(complexity)[:n].sum() > room:
            break
        for chosen in combinations(range(len(covers)), n):
            if complexity[list(chosen)].sum() > room:
                continue
            objective = missed([covers[k] for k in chosen]) + int(paid[list(chosen)].sum())
            if objective > most:
                continue
            shorter = []
            for k in chosen:
                others = [covers[other] for other in chosen if other != k]
                shorter.append(missed(others) - int(paid[k]))
                for c in range(looser_starts[k], looser_starts[k + 1]):
                    shorter.append(missed([*others, covers[k], looser_covers[c]]) + int(rise[c]))
            before = missed([covers[k] for k in chosen])
            if all(after - before >= least_gain for after in shorter):
                listed.append(chosen)
    return listed
