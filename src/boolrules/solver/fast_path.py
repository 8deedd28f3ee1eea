"""Rule sets for a whole range of complexities in a fraction of a second, without proofs (§4).

What folds learn with, where rules are judged and thrown away. The steps are the paper's: clauses
from beams under the duals of the master, a choice among them, and clauses that would do better in
the place of one that was chosen. All of it runs in compiled kernels over one pool of clauses that
serves every complexity, and each step does a little: it finds, and never proves.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boolrules._support.budget import clock
from boolrules._support.interrupts import searching
from boolrules.data.bins import unpack_bits
from boolrules.data.column import DUAL_TOLERANCE, Column
from boolrules.proof.bound import ProvedBound
from boolrules.search.engines.loading import load_fast_path
from boolrules.solver.master import LEAST_W, RestrictedMaster
from boolrules.solver.more_columns import required_columns
from boolrules.solver.result import Result, StopReason
from boolrules.solver.selection import price_of_missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from boolrules._support.budget import Budget
    from boolrules.data.problem import Problem
    from boolrules.data.training_set import TrainingSet

# Beams: under the master's duals, and for one place of a rule set; and how many clauses of each
# length a search brings.
WIDE, MOST_WIDE = 80, 15
NARROW, MOST_NARROW = 20, 5
# Beams are as wide up to so many conditions. Clauses such as ``job not in {...}`` have more: a few
# go on growing, as long as that gains.
LONG, LONGEST, N_LONG = 5, 15, 5
# How many of the clauses that a search brings have their conditions exchanged.
MOST_EXCHANGED = {WIDE: 3, NARROW: 1}
# A beam keeps the rows of each of its clauses: so many in all.
MOST_ROWS = 8_000_000
# Searches before the first master: what a clause covers is worth less to those after it.
N_FIRST, SHARE_TAKEN = 6, 0.5
# A complexity has rounds of column generation if it is so much above the last that had some.
ROUNDS, GROWTH = 2, 1.2
# With more positives a linear program takes longer than all the rest: it is given a sample.
MOST_DUALS = 2000
# How many of the clauses that a search brings join the linear program.
MOST_ADDED = 20
N_REFINED = 2
N_KICKS, SHARE_KEPT = 10, 0.6
FIRST_CAPACITY = 512


Clause = tuple[int, ...]


class Chosen(NamedTuple):
    """Columns of the pool, and their value in eq. (1)."""

    columns: tuple[int, ...]
    objective: float


class ClausePool:
    """Clauses found so far as arrays, and the kernels that find more and choose among them."""

    def __init__(self, training_set: TrainingSet, problem: Problem, engine: str) -> None:
        self._kernels = load_fast_path(engine)
        self.samples = training_set
        self._problem = problem
        self._engine = engine
        self._n_P = len(training_set.weights_P)
        # Relative to the mean weight, because the kernels' tolerance is absolute.
        self._unit = training_set.unit
        # One type of codes, so that kernels are compiled once; more codes than it has are rare.
        dtype = np.promote_types(np.uint16, training_set.codes_P.dtype)
        self._rows = self._kernels.CodedRows(
            np.ascontiguousarray(training_set.codes_P, dtype=dtype),
            np.ascontiguousarray(training_set.codes_Z, dtype=dtype),
            training_set.weights_Z / self._unit,
        )
        conditions = training_set.conditions
        self._conditions = self._kernels.Ranges(
            conditions.feature,
            np.ascontiguousarray(conditions.ranges),  # or kernels are compiled once more
            np.concatenate([[0], np.cumsum(conditions.n_codes + 1)]),
        )
        self._complexity = cache(partial(problem.complexity, 1))
        price = price_of_missing(training_set, problem)
        groups = np.full(len(problem.required), price)
        self.weights = np.concatenate([training_set.weights_P, groups]) / self._unit
        self.columns: list[Column] = []
        self._place: dict[tuple[int, ...], int] = {}
        self._ends: dict[tuple[int, bytes, tuple[int, ...]], Chosen] = {}
        n_words = max(1, -(-len(self.weights) // 64))
        self._covers = np.empty((FIRST_CAPACITY, n_words), dtype=np.uint64)
        self._costs = np.empty(FIRST_CAPACITY)
        self._lengths = np.empty(FIRST_CAPACITY, dtype=np.int64)
        self.add(column.clause for column in required_columns(training_set, problem, ()))

    def sampled(self, most: int) -> ClausePool:
        """Return this pool or, where there are more positives than that, one over some rows."""
        if self._n_P <= most:
            return self
        random = np.random.default_rng(0)
        share = most / self._n_P
        codes = self.samples.codes_P, self.samples.codes_Z
        chosen = [np.flatnonzero(random.random(len(side)) < share) for side in codes]
        every = np.arange(len(self.samples.conditions))
        sample = self.samples.sample(chosen[0], chosen[1], every)
        return ClausePool(sample, self._problem, self._engine)

    def search(
        self,
        mu: NDArray[np.float64],
        longest: int,
        price: float = 0.0,
        width: int = NARROW,
        most: int = MOST_NARROW,
    ) -> list[int]:
        """Find clauses that gain where positives are worth μ; return their places, best first.

        ``price`` is what a clause and each of its conditions cost, in units of weight.
        """
        longest = min(LONGEST, longest, self._problem.max_conditions or LONGEST)
        if longest < 1 or not len(self._conditions.feature) or not mu.any():
            return []
        n_rows = len(self._rows.codes_P) + len(self._rows.codes_Z)
        some = max(most, min(width, MOST_ROWS // n_rows))
        mu = mu / self._unit
        clauses, sums = self._kernels.grow_clauses(
            self._rows, self._conditions, mu, price / self._unit, some, longest, most, LONG, N_LONG
        )
        best = np.argsort(sums[:, 1] - sums[:, 0], kind="stable")
        more = clauses[best[: MOST_EXCHANGED[width]]].copy()
        self._kernels.exchange_conditions(self._rows, self._conditions, mu, more)
        found = np.concatenate([more, clauses[best]])
        return self.add(tuple(sorted({j for j in f if j >= 0})) for f in found.tolist())

    def add(self, clauses: Iterable[tuple[int, ...]]) -> list[int]:
        """Add clauses that cover enough and are not there yet; return the places of all."""
        clauses = list(dict.fromkeys(clauses))
        fresh = [clause for clause in clauses if clause not in self._place]
        if fresh:
            padded = np.full((len(fresh), max(map(len, fresh))), -1, dtype=np.int32)
            for k, clause in enumerate(fresh):
                padded[k, : len(clause)] = clause
            is_enough = self.samples.covers_enough(padded, self._problem)
            self._append([f for f, is_kept in zip(fresh, is_enough, strict=True) if is_kept],
                         padded[is_enough])  # fmt: skip
        return [self._place[clause] for clause in clauses if clause in self._place]

    def _append(self, clauses: Sequence[tuple[int, ...]], padded: NDArray[np.int32]) -> None:
        first, end = len(self.columns), len(self.columns) + len(clauses)
        while end > len(self._costs):
            self._covers = np.concatenate([self._covers, np.empty_like(self._covers)])
            self._costs = np.concatenate([self._costs, np.empty_like(self._costs)])
            self._lengths = np.concatenate([self._lengths, np.empty_like(self._lengths)])
        covers, costs = self._covers[first:end], self._costs[first:end]
        self._kernels.cover_clauses(self._rows, self._conditions, padded, covers, costs)
        n_words = max(1, -(-self._n_P // 64))
        for k, clause in enumerate(clauses):
            complexity = self._complexity(len(clause))
            cost = costs[k] * self._unit + self._problem.complexity_penalty * complexity
            cover_P = covers[k, :n_words].copy()
            self.columns.append(Column(clause, cost, complexity, cover_P, self._n_P))
            self._place[clause] = first + k
            costs[k] = cost / self._unit
            self._lengths[first + k] = len(clause)
            if self._problem.required:
                self._mark_required(covers[k], clause)

    def _mark_required(self, cover: NDArray[np.uint64], clause: tuple[int, ...]) -> None:
        """Treat each required group as a positive, after the others."""
        for group, is_used in enumerate(self._problem.uses(clause), start=self._n_P):
            if is_used:
                cover[group >> 6] |= np.uint64(1) << np.uint64(group & 63)

    def covered(self, columns: Sequence[int]) -> NDArray[np.bool_]:
        """Which positives some of the columns cover."""
        bits = np.bitwise_or.reduce(self._covers[list(columns)], axis=0, keepdims=True)
        return unpack_bits(bits, self._n_P)[0]

    def choose(self, start: Sequence[int], room: NDArray[np.int64]) -> Chosen:
        """Add, drop and swap columns while the objective falls; from each start once."""
        K = len(self.columns)
        key = K, room.tobytes(), tuple(start)
        if key not in self._ends:
            self._ends[key] = self._choose(K, start, room)
        return self._ends[key]

    def _choose(self, K: int, start: Sequence[int], room: NDArray[np.int64]) -> Chosen:
        chosen, objective = self._kernels.choose_clauses(
            self._covers[:K],
            self._costs[:K],
            self._lengths[:K],
            self.weights,
            room,
            np.array(start, dtype=np.int64),
        )
        return Chosen(tuple(sorted(chosen.tolist())), objective)


class Generator:
    """Column generation (§2.2) on a training set or, where it is large, on a sample of it.

    Its linear program is given a few of the clauses that a search brings at a time.
    """

    def __init__(self, pool: ClausePool, problems: Sequence[Problem], budget: Budget) -> None:
        self._problem, self._budget = problems[0], budget
        self.pool = pool.sampled(MOST_DUALS)
        self._master = RestrictedMaster(self.pool.samples, problems[0])
        self._in_master: list[int] = []
        self._generated_at = 0.0

    def add(self, clauses: Iterable[tuple[int, ...]]) -> None:
        """Give the linear program clauses that it does not have."""
        known = set(self._in_master)
        fresh = [k for k in self.pool.add(clauses) if k not in known][:MOST_ADDED]
        self._in_master += fresh
        self._master.add([self.pool.columns[k] for k in fresh])

    def generate(self, problem: Problem) -> tuple[list[Clause], list[Clause]]:
        """Return clauses that the linear program likes, most first, and those that are new."""
        liked: list[Clause] = []
        found: list[Clause] = []
        if problem.max_complexity < GROWTH * self._generated_at:
            return liked, found
        self._generated_at = problem.max_complexity
        self._master.change_limit(problem)
        for _ in range(ROUNDS):
            solution = None if self._budget.is_spent else self._master.solve(self._budget)
            if solution is None:
                break
            order = np.argsort(-solution.w, kind="stable")[: int((solution.w > LEAST_W).sum())]
            liked = [self._master.columns[k].clause for k in order]
            mu = solution.duals.mu
            mu = np.where(mu > DUAL_TOLERANCE * self.pool.samples.unit, mu, 0.0)
            price = solution.duals.lam * min(problem.clause_cost, problem.condition_cost)
            longest = problem.longest_clause or LONGEST
            brought = self.pool.search(mu, longest, price, WIDE, MOST_WIDE)
            found += [self.pool.columns[k].clause for k in brought]
            if set(brought) <= set(self._in_master):
                break
            self.add(self.pool.columns[k].clause for k in brought)
        return liked, found


class FastPath:
    """One training set, and rule sets for one complexity after another.

    Parameters
    ----------
    training_set : TrainingSet
        What is learned from.
    problems : list of Problem
        The same but for the complexity, which grows.
    engine : str
        Who sums over samples.
    budget : Budget
        For the whole path.
    """

    def __init__(
        self,
        training_set: TrainingSet,
        problems: Sequence[Problem],
        engine: str,
        budget: Budget,
    ) -> None:
        self._samples = training_set
        self._problems = problems
        self._room = [most_conditions(problem) for problem in problems]
        self._budget = budget
        self._pool = ClausePool(training_set, problems[-1], engine)
        self._generator = Generator(self._pool, problems, budget)
        # The same kicks whatever random_state is: equal data give equal rules.
        self._random = np.random.default_rng(0)

    def learn(self, patience: int) -> list[Result]:
        """Learn at each complexity; a path ends where nothing is lost or patience is at an end.

        Ctrl-C ends it early, with the complexities that were done, if there are any.
        """
        started = clock()
        found: list[Chosen] = []
        stop_reason = StopReason.PRICING_LIMIT
        try:
            with searching():
                self._search_first()
                for problem, room in zip(self._problems, self._room, strict=True):
                    last = found[-1].columns if found else ()
                    found.append(self._choose(problem, room, last))
                    if _has_ended([one.objective for one in found], patience):
                        break
                found = self._chosen_among_all(found)
        except KeyboardInterrupt:
            if not found:
                raise
            stop_reason = StopReason.INTERRUPTED
        if self._budget.is_spent and stop_reason is StopReason.PRICING_LIMIT:
            stop_reason = StopReason.TIME_LIMIT
        seconds = (clock() - started) / len(found)
        pairs = zip(found, self._problems, strict=False)
        return [self._result(chosen, problem, stop_reason, seconds) for chosen, problem in pairs]

    def _search_first(self) -> None:
        """Look for clauses before there are duals; each search values what was covered less."""
        mu = self._samples.weights_P.copy()
        for _ in range(N_FIRST):
            found = self._pool.search(mu, LONGEST)
            if not found or self._budget.is_spent:
                break
            mu[self._pool.covered(found[:1])] *= 1 - SHARE_TAKEN
            self._generator.add(self._pool.columns[k].clause for k in found)

    def _choose(self, problem: Problem, room: NDArray[np.int64], last: tuple[int, ...]) -> Chosen:
        """Choose at one complexity; never worse than the rule set of the one before."""
        self._generator.add(self._pool.columns[k].clause for k in last)
        likes, found = self._generator.generate(problem)
        self._pool.add(found)
        liked = self._fitting(self._pool.add(likes), room)
        firsts = {last, liked, (), self._required(problem, room, last)}
        starts = {self._pool.choose(first, room) for first in firsts}
        best = sorted(starts, key=lambda one: (one.objective, one.columns))
        refined = [self._refined(one, room) for one in best[:N_REFINED]]
        return min(refined, key=lambda one: one.objective)

    def _required(
        self, problem: Problem, room: NDArray[np.int64], last: tuple[int, ...]
    ) -> tuple[int, ...]:
        """Take few clauses that use all that is required, where single moves may not get to."""
        if not problem.required:
            return ()
        clauses = [self._pool.columns[k].clause for k in last]
        made = required_columns(self._samples, problem, clauses)
        self._pool.add(column.clause for column in made)
        uses = np.array([problem.uses(column.clause) for column in self._pool.columns], dtype=bool)
        lengths = np.array([len(column.clause) for column in self._pool.columns])
        taken: list[int] = []
        while len(uses) and uses.any():
            k = int(np.lexsort((lengths, -uses.sum(axis=1)))[0])
            taken.append(k)
            uses &= ~uses[k]
        return self._fitting(taken, room)

    def _fitting(self, order: Sequence[int], room: NDArray[np.int64]) -> tuple[int, ...]:
        """Take columns in the given order as long as they fit."""
        taken: list[int] = []
        n_conditions = 0
        for k in order:
            more = n_conditions + len(self._pool.columns[k].clause)
            if len(taken) + 1 < len(room) and more <= room[len(taken) + 1]:
                taken.append(k)
                n_conditions = more
        return tuple(taken)

    def _refined(self, chosen: Chosen, room: NDArray[np.int64]) -> Chosen:
        """Look for clauses that do better in the place of a chosen one, or beside all of them."""
        for place in range(len(chosen.columns) + 1):
            others = chosen.columns[:place] + chosen.columns[place + 1 :]
            if len(others) + 1 >= len(room) or self._budget.is_spent:
                continue
            used = sum(len(self._pool.columns[k].clause) for k in others)
            mu = np.where(self._pool.covered(others), 0.0, self._samples.weights_P)
            self._pool.search(mu, int(room[len(others) + 1]) - used)
        return self._pool.choose(chosen.columns, room)

    def _chosen_among_all(self, found: Sequence[Chosen]) -> list[Chosen]:
        """Choose again at every complexity, among the clauses found at any of them."""
        again: list[Chosen] = []
        for one, room in zip(found, self._room, strict=False):
            starts = [one.columns, *(last.columns for last in again[-1:])]
            best = min((self._pool.choose(s, room) for s in starts), key=lambda c: c.objective)
            for _ in range(N_KICKS):
                if self._budget.is_spent:
                    break
                is_kept = self._random.random(len(best.columns)) < SHARE_KEPT
                kicked = self._pool.choose(np.array(best.columns, int)[is_kept].tolist(), room)
                best = min(best, kicked, key=lambda c: c.objective)
            again.append(best)
        return again

    def _result(
        self, chosen: Chosen, problem: Problem, stop_reason: StopReason, seconds: float
    ) -> Result:
        columns = tuple(self._pool.columns)
        clauses = [columns[k].clause for k in chosen.columns]
        if not problem.uses_all(clauses):
            raise ValueError(
                "No rule set was found that uses all that is required. Raise max_complexity or "
                "time_limit, lower min_coverage, or require less."
            )
        certificate = ProvedBound(self._samples, problem).certify(clauses)
        return Result(columns, chosen.columns, certificate, (), stop_reason, seconds)


def most_conditions(problem: Problem) -> NDArray[np.int64]:
    """Return how many conditions rule sets may have, by their number of clauses.

    Examples
    --------
    >>> from boolrules.data.problem import Problem
    >>> most_conditions(Problem(max_complexity=7)).tolist()
    [7, 6, 5, 4]
    """
    return np.array(_most_conditions(problem), dtype=np.int64)


@lru_cache(maxsize=256)  # folds ask for the same again, and exact arithmetic takes its time
def _most_conditions(problem: Problem) -> tuple[float, ...]:
    unlimited = np.iinfo(np.int32).max
    room: list[float] = []
    while problem.room_for_conditions(len(room), 0) >= len(room):
        room.append(min(problem.room_for_conditions(len(room), 0), unlimited))
        if len(room) > MOST_CLAUSES:
            break
    return tuple(room)


# Where neither clauses nor conditions limit the number of clauses.
MOST_CLAUSES = 1000


def _has_ended(objectives: Sequence[float], patience: int) -> bool:
    last = objectives[-1]
    return last <= 0 or (len(objectives) > patience and last >= objectives[-1 - patience])


def padded_path(results: Sequence[Result], problems: Sequence[Problem]) -> list[Result]:
    """Go on with the last rule set where a path ended before others did."""
    last = results[-1]
    more = [
        replace(last, certificate=replace(last.certificate, problem=problem))
        for problem in problems[len(results) :]
    ]
    return [*results, *more]
