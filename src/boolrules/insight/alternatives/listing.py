"""Every minimal rule set up to an objective, listed in full and in integers.

A rule set is *minimal* if dropping any one of its clauses, or any one condition, raises its
objective. Under feasible duals, the identity of ``rule_set_search`` limits the reduced cost of
each clause of such a rule set. Those clauses are listed, then all rule sets over them; no clause
is left out because another beats it.

Under requirements, rule sets that meet them are listed, and dropping a part of a minimal one may
break a requirement instead. Whatever meets a requirement has at most θ · most of what θ shifts
weights by, so the same identity holds under shifted weights, with a slack that is larger by what
``TrainingSet.constant`` says. What is needed there is less than that the shifted objective rises:
a condition must keep some zero out, and a clause must cover some positive that no other does.
Both lists are of those, and have more than is wanted; the last check, on the limits and weights
themselves, decides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.bins import MOST_UNPACKED, pack_bits, unpack_bits
from boolrules.data.column import EXACT_BITS
from boolrules.data.labelled_rows import ROUNDING
from boolrules.data.problem import as_written
from boolrules.insight.alternatives.columns import NOTHING, Columns
from boolrules.proof.gap import Clauses, dual_bound, has_integer_objective
from boolrules.search.engines import Terms
from boolrules.search.engines.loading import load_kernels
from boolrules.search.engines.numpy_listing import list_clauses, list_rule_sets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from boolrules._support.budget import Budget
    from boolrules.data.column import IntegerDuals
    from boolrules.data.problem import Problem
    from boolrules.data.training_set import TrainingSet
    from boolrules.insight.alternatives.meeting import Meeting

    Places = NDArray[np.int64]
    # How many were found, how many nodes there were, and whether these are all.
    Found = tuple[int, int, bool]

MOST_CLAUSES = 200_000
MOST_RULE_SETS = 100_000
# What the rows that all listed clauses cover may take, and the places of all rule sets.
MOST_BYTES = 400_000_000
# What is summed over in a second, by a slow machine.
BYTES_PER_SECOND = 50_000_000
FIRST_NODES = 500
# What is spent of the time on listing clauses; and of that, on each slack before it is halved.
CLAUSES_SHARE = 0.7
FIRST_SHARE = 0.7
# How often the slack is halved where not all clauses inside it can be listed.
N_HALVINGS = 8
# Beside sums on the grid of the duals: any gain is more than the least, any rise more than none.
ANY_GAIN, SOME_RISE = -(2**61), 2**60
# How many rule sets the last check looks at where it must, and how many of them together.
MOST_CANDIDATES = 1_000_000
AT_A_TIME = 5_000


@dataclass(frozen=True, slots=True)
class Listing:
    """Minimal rule sets up to an objective, the best first.

    Parameters
    ----------
    rule_sets : tuple of clauses
        Condition ids, sorted.
    objectives : tuple of float
        The value of eq. (1) for each.
    is_complete : bool
        Whether these are all there are.
    n_nodes : int
        How many nodes both searches had.
    """

    rule_sets: tuple[Clauses, ...]
    objectives: tuple[float, ...]
    is_complete: bool
    n_nodes: int

    @classmethod
    def of(cls, objectives: dict[Clauses, float], is_complete: bool, n_nodes: int) -> Listing:
        """Put rule sets in order: by objective, then the shortest first."""
        items = sorted(objectives.items(), key=lambda item: (item[1], _size(item[0]), item[0]))
        return cls(
            tuple(rule_set for rule_set, _ in items),
            tuple(objective for _, objective in items),
            is_complete,
            n_nodes,
        )

    def with_more(self, other: Listing) -> Listing:
        """Add what else another search has found; it does not make the list complete."""
        pairs = [zip(one.rule_sets, one.objectives, strict=True) for one in (self, other)]
        return Listing.of(dict(pairs[0]) | dict(pairs[1]), self.is_complete, self.n_nodes)


class MinimalRuleSets:
    """All minimal rule sets within the limits whose objective is at most a given one.

    Where weights or a penalty are fractions, objectives that differ by no more than a billionth of
    all weight count as equal.

    Parameters
    ----------
    training_set, problem
        What is solved.
    duals : IntegerDuals
        Feasible: no clause of negative reduced cost.
    most_objective : float
        The highest objective that is wanted.
    engine : "numba" or "numpy"
        Compiled searches, or the specification that they are tested against.
    meeting : Meeting or None
        What is asked of mistakes, where the training set has requirements.
    """

    def __init__(
        self,
        training_set: TrainingSet,
        problem: Problem,
        duals: IntegerDuals,
        most_objective: float,
        engine: str = "numba",
        meeting: Meeting | None = None,
    ) -> None:
        self._training_set = training_set
        self._problem = problem
        self._duals = duals
        self._engine = engine
        self._meeting = meeting
        self._most = most_objective
        if meeting is None:  # no minimal rule set loses more than one without clauses
            self._most = min(most_objective, float(training_set.weights_P.sum()))
        if has_integer_objective(training_set, problem):
            self._tolerance, self._least_gain = 0.0, 1
            most = Fraction(math.floor(self._most) * duals.scale)
        else:
            # Fractions are rounded to the grid: the searches let doubtful rule sets pass, and the
            # last check, on the weights themselves, turns them down.
            self._tolerance = ROUNDING * training_set.total_weight
            n_rows = len(training_set.weights_P) + len(training_set.weights_Z)
            self._least_gain = math.floor(self._tolerance * duals.scale) - n_rows - 2
            most = Fraction(self._most + self._tolerance) * duals.scale
        if meeting is not None:
            # Whatever it gains, a part may be needed for a requirement. Every positive weighs
            # something in the search, for which each may be charged one.
            self._least_gain = ANY_GAIN
            most += len(training_set.weights_P)
        # Charges are rounded down, one by one: only the difference may be, too.
        proved = dual_bound(training_set, problem, duals)
        self._slack = math.floor(most - proved * duals.scale)
        self._most_on_grid = math.floor(most)

    def list(
        self,
        budget: Budget,
        most_rule_sets: int = MOST_RULE_SETS,
        most_nodes: int | None = None,
    ) -> Listing:
        """List them, or as many as there is time and room for."""
        if self._slack < 0:
            return Listing((), (), True, 0)
        if self._slack >= 2 ** (EXACT_BITS + 1):
            return Listing((), (), False, 0)
        clauses, n_nodes, has_all_clauses = self._clauses(budget.share(CLAUSES_SHARE), most_nodes)
        n_affordable = self._affordable(clauses.shape[1], budget)
        has_all_clauses = has_all_clauses and len(clauses) <= n_affordable
        clauses = clauses[:n_affordable]
        listing = self._over(clauses, budget, most_rule_sets, most_nodes)
        return replace(
            listing,
            is_complete=listing.is_complete and has_all_clauses,
            n_nodes=listing.n_nodes + n_nodes,
        )

    def _affordable(self, longest: int, budget: Budget) -> int:
        """Say over how many clauses there is time to sum, which goes on once it has begun."""
        if math.isinf(budget.remaining_seconds):
            return MOST_CLAUSES
        samples = self._training_set
        n_words = samples.P.bits.shape[1] + samples.Z.bits.shape[1]
        return int(budget.remaining_seconds * BYTES_PER_SECOND) // (8 * n_words * (1 + longest))

    def over(self, clauses: Clauses, budget: Budget) -> Listing:
        """List those that are made of some clauses."""
        longest = max(map(len, clauses), default=1)
        return self._over(_padded(clauses, longest), budget, MOST_RULE_SETS, None)

    def _clauses(self, budget: Budget, most_nodes: int | None) -> tuple[Places, int, bool]:
        """List the clauses inside the slack; where they are too many, inside a part of it."""
        n_nodes = 0
        for n_halvings in range(N_HALVINGS + 1):
            slack = self._slack >> n_halvings
            share = budget.share(FIRST_SHARE)
            clauses, n_more, is_complete = self._clauses_inside(slack, share, most_nodes)
            n_nodes += n_more
            if is_complete or budget.is_spent:
                break
        return clauses, n_nodes, is_complete and slack == self._slack

    def _clauses_inside(
        self, slack: int, budget: Budget, most_nodes: int | None
    ) -> tuple[Places, int, bool]:
        samples, duals = self._training_set, self._duals
        J, n_P, n_Z = len(samples.conditions), len(samples.weights_P), len(samples.weights_Z)
        # Each condition of a longer clause eliminates a zero of its own.
        longest = min(self._problem.longest_clause or J, J, max(n_Z, 1))
        terms = Terms(*duals.prices(self._problem), slack + 1, longest, 0)
        if not longest:
            return np.empty((0, 1), dtype=np.int64), 0, True
        weights_P, weights_Z = samples.integer_weights(duals.scale, duals.theta)
        counts_P, least_coverage = samples.counts_P, self._problem.min_coverage
        if self._meeting is not None and not least_coverage:
            counts_P, least_coverage = None, 1  # or it would not be missed
        counts_P = np.ones(n_P, dtype=np.int64) if counts_P is None else counts_P
        if self._engine == "numpy":
            found = list_clauses(
                unpack_bits(samples.P.bits, n_P),
                duals.mu,
                weights_P,
                counts_P,
                unpack_bits(samples.Z.bits, n_Z),
                weights_Z,
                terms,
                self._least_gain,
                least_coverage,
            )
            return _padded(found, longest), len(found), True
        kernels = load_kernels()
        bytes_per_clause = 8 * (samples.P.bits.shape[1] + 1) * (1 + longest)
        most = min(MOST_CLAUSES, MOST_BYTES // bytes_per_clause)
        clauses = np.full((most, longest), NOTHING, dtype=np.int64)
        mu, bits_mu = duals.mu, samples.P.bits
        if J * n_P <= MOST_UNPACKED:
            rows = np.flatnonzero(mu)
            mu, bits_mu = mu[rows], pack_bits(unpack_bits(bits_mu, n_P)[:, rows])

        def search(limit: int) -> Found:
            clauses[:] = NOTHING
            found: Found = kernels.list_clauses(
                bits_mu,
                mu,
                samples.P.bits,
                weights_P,
                counts_P,
                samples.Z.bits,
                weights_Z,
                samples.conditions.chains,
                terms,
                self._least_gain,
                least_coverage,
                limit,
                clauses,
            )
            return found

        n_listed, n_nodes, is_complete = _go_on(search, budget, most_nodes)
        clauses = clauses[:n_listed]
        n_used = int((clauses != NOTHING).sum(axis=1).max(initial=1))
        return clauses[:, :n_used], n_nodes, is_complete

    def _over(self, clauses: Places, budget: Budget, most: int, most_nodes: int | None) -> Listing:
        columns = Columns.of(
            self._training_set, self._problem, self._duals, clauses, self._meeting
        )
        most_candidates = most if self._meeting is None else max(most, MOST_CANDIDATES)
        chosen, n_nodes, is_complete = self._places(columns, budget, most_candidates, most_nodes)
        chosen = chosen[self._are_wanted(columns, chosen)]
        is_complete, chosen = is_complete and len(chosen) <= most, chosen[:most]
        objectives = columns.objectives(chosen)
        if not self._tolerance:
            objectives = objectives.astype(np.int64)
        read = map(columns.rule_set, chosen.tolist())
        found = dict(zip(read, objectives.tolist(), strict=True))
        return Listing.of(found, is_complete, n_nodes)

    def _places(
        self, columns: Columns, budget: Budget, most: int, most_nodes: int | None
    ) -> tuple[Places, int, bool]:
        """List rule sets as places of columns, padded with NOTHING: all wanted, and maybe more."""
        samples, duals = self._training_set, self._duals
        weights_P, _ = samples.integer_weights(duals.scale, duals.theta)
        paid, rise, least_gain = columns.grid_paid, columns.grid_rise, self._least_gain
        most_on_grid = self._most_on_grid
        if self._meeting is not None:
            weights_P, most_on_grid = np.maximum(weights_P, 1), SOME_RISE
            paid, rise = np.zeros_like(paid), np.full_like(rise, SOME_RISE)
            # By clauses, one more that covers a zero once more may make up for something.
            least_gain = ANY_GAIN if self._meeting.is_apart else 1
        C, complexity, denominator = _whole(self._problem, columns.lengths)
        unit = duals.lam // denominator
        # Room that all columns together cannot take is left over in any case.
        room = min(C, int(complexity.sum()))
        slack = self._slack - unit * (C - room)
        most_clauses = len(columns)
        if self._problem.max_clauses is not None:
            most_clauses = int(self._problem.max_clauses)
        least = int(complexity.min(initial=room + 1))
        depth = min(len(columns), room // least, most_clauses)
        if self._engine == "numpy":
            covers = unpack_bits(columns.covers, len(weights_P))
            found = list_rule_sets(
                covers[: len(columns)],
                paid,
                complexity,
                columns.looser_starts,
                covers[len(columns) : -1],
                rise,
                weights_P,
                room,
                most_clauses,
                most_on_grid,
                least_gain,
            )
            return _padded(found, depth), len(found), True
        kernels = load_kernels()
        most = min(most, MOST_BYTES // (8 * max(depth, 1)))
        listed = np.full((most, depth), NOTHING, dtype=np.int64)
        starts, members = columns.members(len(weights_P))

        def search(limit: int) -> Found:
            listed[:] = NOTHING
            found: Found = kernels.list_rule_sets(
                columns.covers[: len(columns)],
                columns.grid_cost,
                paid,
                complexity,
                columns.looser_starts,
                columns.covers[len(columns) :],
                rise,
                duals.mu,
                weights_P,
                np.argsort(duals.mu - weights_P, kind="stable"),
                starts,
                members,
                room,
                unit,
                most_clauses,
                duals.nu,
                slack,
                least_gain,
                limit,
                listed,
            )
            return found

        n_listed, n_nodes, is_complete = _go_on(search, budget, most_nodes)
        return listed[:n_listed], n_nodes, is_complete

    def _are_wanted(self, columns: Columns, chosen: Places) -> NDArray[np.bool_]:
        """Whether the objective is low enough, what is asked is met, and each part is needed.

        That each is needed is known already, unless fractions count or something is asked.
        """
        objectives = columns.objectives(chosen)
        is_wanted = objectives <= self._most + self._tolerance
        if not self._tolerance and self._meeting is None:
            return is_wanted
        for first in range(0, len(chosen), AT_A_TIME):
            part = slice(first, first + AT_A_TIME)
            places = np.flatnonzero(is_wanted[part]) + first
            places = places[columns.meet(chosen[places])]
            is_wanted[part] = False
            is_wanted[places] = self._are_minimal(columns, chosen[places], objectives[places])
        return is_wanted

    def _are_minimal(
        self, columns: Columns, chosen: Places, objectives: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Whether without any one part they would lose more or break a requirement."""
        are_minimal = np.ones(len(chosen), dtype=bool)
        for shorter, is_one in columns.with_a_part_dropped(chosen):
            as_good = columns.objectives(shorter) - objectives <= self._tolerance
            as_good &= columns.meet(shorter)
            are_minimal &= ~(as_good & is_one)
        return are_minimal


def _go_on(search: Callable[[int], Found], budget: Budget, most_nodes: int | None) -> Found:
    """Search with a growing limit on nodes, as long as the time may allow it."""
    for limit in budget.growing_limits(FIRST_NODES, most_nodes):
        found = search(limit)
        _, n_nodes, _ = found
        if n_nodes <= limit:
            break
    return found


def _whole(problem: Problem, lengths: Places) -> tuple[int, Places, int]:
    """Return C and the complexities as whole numbers, and by what they were multiplied."""
    numbers = (problem.max_complexity, problem.clause_cost, problem.condition_cost)
    exact = [as_written(number) for number in numbers]
    denominator = math.lcm(*(number.denominator for number in exact))
    C, clause_cost, condition_cost = (int(number * denominator) for number in exact)
    return C, clause_cost + condition_cost * lengths, denominator


def _padded(found: Sequence[tuple[int, ...]], width: int) -> Places:
    rows = np.full((len(found), width), NOTHING, dtype=np.int64)
    for row, places in zip(rows, found, strict=True):
        row[: len(places)] = places
    return rows


def _size(rule_set: Clauses) -> int:
    return len(rule_set) + sum(map(len, rule_set))
