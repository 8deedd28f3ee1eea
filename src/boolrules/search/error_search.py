"""Fewest mistaken rows, each counted once: an exact search over all rule sets.

The Hamming loss counts a zero once for each clause that covers it, which is what makes a linear
program of it. Here a row counts once. A rule set of one clause has the same value either way, and
exact pricing finds the best. For rule sets of several clauses there is no linear bound worth
having (zeros at a K-th of their weight prove next to nothing), so all of them are looked at,
clause by clause: whoever has covered too many zeros, or can no longer cover enough positives, is
left. That ends where clauses are few and short, at complexity 5 within seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.bins import pack_bits, unpack_bits
from boolrules.data.column import IntegerDuals
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.search.engines.loading import load_kernels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from boolrules._support.budget import Budget
    from boolrules.data.problem import Problem
    from boolrules.data.training_set import TrainingSet

    Clauses = tuple[tuple[int, ...], ...]

# Rows laid out one by one, whatever they weigh, and longer rule sets than anybody waits for.
MOST_ROWS = 200_000
MOST_CLAUSES = 6
FIRST_NODES = 1_000_000


@dataclass(frozen=True, slots=True)
class FewerErrors:
    """What the search came to: a better rule set, or that there is none."""

    better: Clauses | None
    is_proved: bool


class ErrorSearch:
    """All rule sets of a problem, by the rows that they mistake.

    Parameters
    ----------
    training_set, problem
        What is solved. Weights must be whole numbers, in all at most ``MOST_ROWS``.
    """

    def __init__(
        self,
        training_set: TrainingSet,
        problem: Problem,
        n_threads: int = 1,
        engine: str = "numba",
    ) -> None:
        self._training_set = training_set
        self._problem = problem
        self._pricer = BranchAndBound(
            training_set, problem, most_columns=1, n_threads=n_threads, engine=engine
        )
        self.is_possible = (
            training_set.has_integer_weights
            and training_set.total_weight <= MOST_ROWS
            and problem.most_clauses <= MOST_CLAUSES
        )
        if not self.is_possible:
            return
        bits_P = _repeated(training_set.P.bits, training_set.weights_P)
        bits_Z = _repeated(training_set.Z.bits, training_set.weights_Z)
        # Of conditions that hold on the same rows, one will do.
        both = np.column_stack([bits_P, bits_Z])
        _, self._kept = np.unique(both, axis=0, return_index=True)
        self._kept.sort()
        self._bits_P, self._bits_Z = bits_P[self._kept], bits_Z[self._kept]
        self._n_P = int(training_set.weights_P.sum())

    def errors(self, clauses: Clauses) -> float:
        """Return the weight of the rows that clauses mistake, each counted once."""
        samples = self._training_set
        missed = np.ones(len(samples.weights_P), dtype=bool)
        covered = np.zeros(len(samples.weights_Z), dtype=bool)
        for clause in clauses:
            missed &= ~samples.P.delta(clause)
            covered |= samples.Z.delta(clause)
        return float(samples.weights_P[missed].sum() + samples.weights_Z[covered].sum())

    def below(self, bound: float, budget: Budget) -> FewerErrors:
        """Find a rule set that mistakes less than ``bound``, or prove that there is none."""
        if not self.is_possible:
            return FewerErrors(None, False)
        goal = int(np.ceil(bound)) - 1
        if goal < 0:
            return FewerErrors(None, True)
        if self._n_P <= goal:
            return FewerErrors((), False)
        alone = self._alone(goal, budget)
        if alone is not None and not alone.is_proved:
            return alone
        for lengths in _lengths(self._problem, len(self._kept)):
            if len(lengths) == 1:
                if alone is None:
                    return FewerErrors(None, False)
                continue
            outcome = self._several(np.array(lengths, dtype=np.int64), goal, budget)
            if not outcome.is_proved:
                return outcome
        return FewerErrors(None, True)

    def _alone(self, goal: int, budget: Budget) -> FewerErrors | None:
        """One clause: what it mistakes is the weight of P and its reduced cost, all μ at most.

        None where the budget did not suffice.
        """
        samples = self._training_set
        weights = samples.weights_P.astype(np.int64)
        # A rule set of one clause that mistakes at most the goal has reduced cost below zero once
        # a clause pays for what it need not gain.
        duals = IntegerDuals(weights, 0, 1)
        priced = self._pricer.enumerate(duals, goal - self._n_P, budget, 1)
        if priced.clauses:
            return FewerErrors((priced.clauses[0],), False)
        return FewerErrors(None, True) if priced.is_complete else None

    def _several(self, lengths: NDArray[np.int64], goal: int, budget: Budget) -> FewerErrors:
        """Look at all rule sets whose clauses have at most so many conditions."""
        kernels = load_kernels()
        J = len(self._kept)
        chosen = np.empty((len(lengths), int(lengths.max())), dtype=np.int64)
        for j in range(J):
            is_complete = False
            for limit in budget.growing_limits(FIRST_NODES):
                errors, _, is_complete = kernels.find_fewer_errors(
                    self._bits_P,
                    self._bits_Z,
                    self._n_P,
                    lengths,
                    j,
                    j + 1,
                    goal,
                    limit,
                    chosen,
                )
                if is_complete:
                    break
            if not is_complete:
                return FewerErrors(None, False)
            if errors >= 0:
                clauses = (
                    tuple(sorted(set(self._kept[row[:n]].tolist())))
                    for row, n in zip(chosen, lengths.tolist(), strict=True)
                )
                return FewerErrors(tuple(sorted(set(clauses))), False)
            if budget.is_spent and j + 1 < J:
                return FewerErrors(None, False)
        return FewerErrors(None, True)


def _repeated(bits: NDArray[np.uint64], weights: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Lay out each row as often as it weighs."""
    holds = unpack_bits(bits, len(weights))
    return pack_bits(np.repeat(holds, weights.astype(np.int64), axis=1))


def _lengths(problem: Problem, J: int) -> Iterator[tuple[int, ...]]:
    """How many conditions clauses may have, in growing order, where none can have more.

    Examples
    --------
    >>> from boolrules.data.problem import Problem
    >>> list(_lengths(Problem(max_complexity=5), J=10)), list(_lengths(Problem(6), J=10))
    ([(4,), (1, 2)], [(5,), (1, 3), (2, 2), (1, 1, 1)])
    """
    longest = min(problem.longest_clause or J, J)

    def fits(lengths: tuple[int, ...]) -> bool:
        return max(lengths) <= longest and problem.fits(len(lengths), sum(lengths))

    for K in range(1, problem.most_clauses + 1):
        for lengths in combinations_with_replacement(range(1, longest + 1), K):
            longer = (
                (*lengths[:k], lengths[k] + 1, *lengths[k + 1 :]) for k in range(len(lengths))
            )
            if fits(lengths) and not any(map(fits, longer)):
                yield lengths
