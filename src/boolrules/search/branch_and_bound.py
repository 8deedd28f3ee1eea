"""Exact pricing as a search over clauses, in integers: no solver, nothing rounded.

A node is a clause S with the conditions that may still join it. Expanding it gives, for every
condition j, the sums M_j = Σ μ_i over the positives and N_j = weight of the zeros that S with j
covers. Conditions are ordered by decreasing M_j, and child j may use only conditions before it: so
each clause is reached once, and no clause below child j covers more than M_j. The least bound
comes first; stopped early, the open nodes still give a valid bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.bins import NO_CONDITION, pack_bits
from boolrules.data.problem import as_written
from boolrules.search.candidates import Candidates
from boolrules.search.cut_search import CutSearch
from boolrules.search.engines import Nodes, Terms, make_engine
from boolrules.search.narrowing import MOST_BITS_OF_EXACT, has_many_cuts, narrowed
from boolrules.search.pricer import PricingResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from boolrules._support.budget import Budget
    from boolrules.data.column import Duals, IntegerDuals
    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples
    from boolrules.search.engines import Engine
    from boolrules.search.narrowing import Narrowed

# Choices of required conditions beyond which clauses are not listed.
MOST_REQUIRED = 10_000
# How much of the linear program's value an exact search may give away, at most.
SPARE = Fraction(1, 10)
# Who can search ranges of cuts; the others look at conditions one by one.
CUT_ENGINES = ("numba", "numpy")
NOTHING_PRICED = PricingResult([], None, None, None, is_exact=False, n_nodes=0)


@dataclass(frozen=True, slots=True)
class Enumeration:
    """All clauses up to a reduced cost, or as many as there was room and time for.

    Parameters
    ----------
    clauses : list of tuple of int
        Condition ids. Clauses are left out that another one beats: at least the same positives, no
        other zeros, no more conditions. So may be those that cover no positive: no rule set is
        better with one of them.
    is_complete : bool
        Whether the list is all there is.
    n_nodes : int
        Clauses that were expanded.
    """

    clauses: list[tuple[int, ...]]
    is_complete: bool
    n_nodes: int


@dataclass(frozen=True)
class BranchAndBound:
    """Finds clauses of negative reduced cost, or proves that there is none.

    It returns with ``most_columns`` clauses or, after ``patience`` nodes, with whatever it has
    found; after ``most_nodes`` in any case. With ``is_thorough`` it goes on to the end of its
    patience, for a better bound and for the best clauses, and returns them even if they are alike.
    """

    training_set: Samples
    problem: Problem
    most_columns: int = 200
    patience: int = 100_000
    most_nodes: int | None = None
    engine: str = "numba"
    n_threads: int = 1
    is_thorough: bool = False
    name: str = "exact"

    def price(self, duals: Duals, budget: Budget) -> PricingResult:
        """Round the duals to integers, λ up by what the bound can spare, then search."""
        rounded = self.training_set.rounded(duals)
        return self.price_integer(rounded.raised(self._spare(rounded)), budget)

    def _spare(self, duals: IntegerDuals) -> int:
        """By how much λ may rise for a bound that is as good once it is rounded up.

        Where cuts are many, a search for the last trifle takes as long as all before it.
        """
        has_integers = (
            self.training_set.has_integer_weights and not self.problem.complexity_penalty
        )
        if not has_integers or not has_many_cuts(self.training_set):
            return 0
        z = duals.bound(self.problem) + self.training_set.constant(duals, self.problem)
        above = z - (math.ceil(z) - 1)
        return int(min(above / 2, SPARE) * duals.scale / as_written(self.problem.max_complexity))

    def price_integer(self, duals: IntegerDuals, budget: Budget) -> PricingResult:
        """Search until all is proved, enough is found, or the budget is spent."""
        # What beats a clause must cover all of its positives, if that is asked of clauses.
        needed = self._narrowed(duals, is_enumerating=self.problem.min_coverage > 0)
        if not needed.is_exact:
            return NOTHING_PRICED
        # A condition that eliminates no more than it pays is better left out.
        _, condition_price = duals.prices(self.problem)
        terms = self._terms(needed, 0, condition_price)
        search = self._search_of(needed, terms, _root(needed, terms))
        candidates = Candidates(self.training_set, self.problem)
        while search.has_open_nodes and not budget.is_spent and self._has_nodes(search):
            if search.n_nodes < self.patience:
                if len(candidates) >= self.most_columns and not self.is_thorough:
                    break
            elif len(candidates):
                break
            sums, clauses = search.expand_a_batch()
            candidates.offer(sums[:, 0], sums[:, 1], sums[:, 2], clauses)
        least_by_length = search.least_by_length()
        least = candidates.least
        columns = (
            candidates.best_columns(self.most_columns)
            if self.is_thorough
            else candidates.columns(self.most_columns, duals)
        )
        return PricingResult(
            columns,
            None if least is None else least / duals.scale,
            lower_bound=min(least_by_length, default=0) / duals.scale,
            feasible_duals=duals.raised(_raise_needed(least_by_length, self.problem)),
            is_exact=True,
            n_nodes=search.n_nodes,
        )

    def enumerate(
        self, duals: IntegerDuals, most: int, budget: Budget, most_clauses: int
    ) -> Enumeration:
        """List every clause of reduced cost at most ``most``, except those that another beats.

        A condition is discarded only if it eliminates nothing, or if another keeps at least the
        same positives, those with μ_i = 0 included, and at most the same zeros.
        """
        needed = self._narrowed(duals, is_enumerating=True)
        if not needed.is_exact:
            return Enumeration([], False, 0)
        terms = self._terms(needed, most + 1, 0)
        required = self._required_nodes(needed, terms.longest)
        if required is None:
            return Enumeration([], False, 0)
        growing = required[np.flatnonzero(required.lengths < terms.longest)]
        roots = [
            root for root in (_root(needed, terms), growing) if root is not None and len(root)
        ]
        root = Nodes.concatenate(roots) if roots else None
        search = self._search_of(needed, terms, root, is_enumerating=True)
        clauses = [self._cheap(needed.of_the_whole(required.clauses), duals, most)]
        n_clauses = 0
        while (
            search.has_open_nodes
            and not budget.is_spent
            and self._has_nodes(search)
            and n_clauses <= most_clauses
        ):
            _, batch = search.expand_a_batch()
            clauses.append(batch)
            n_clauses += len(batch)
        if search.has_open_nodes and budget.is_spent:
            return Enumeration([], False, search.n_nodes)  # to read a long list takes seconds
        listed = [
            tuple(sorted(j for j in row if j >= 0)) for batch in clauses for row in batch.tolist()
        ]
        if self.problem.required:
            listed = list(dict.fromkeys(listed))
        return Enumeration(listed, not search.has_open_nodes, search.n_nodes)

    def _required_nodes(self, needed: Narrowed, longest: int) -> Nodes | None:
        """Return a node for each choice of a condition from some of the required groups.

        A clause may be beaten by one without the condition that is required of it; below these
        nodes, whatever beats a clause has the same conditions of those groups. None where they are
        too many.
        """
        groups = [sorted({needed.of_this((j,)) for j in g}) for g in self.problem.required]
        starts: set[tuple[int, ...]] = set()
        for n in range(1, len(groups) + 1):
            for some in combinations(groups, n):
                if math.prod(map(len, some)) > MOST_REQUIRED:
                    return None
                starts.update(tuple(sorted({j for (j,) in chosen})) for chosen in product(*some))
        kept = sorted(start for start in starts if len(start) <= longest)
        J = len(needed.samples.conditions)
        clauses = np.full((len(kept), longest), NO_CONDITION, dtype=np.int32)
        allowed = np.ones((len(kept), J), dtype=bool)
        for k, start in enumerate(kept):
            clauses[k, : len(start)] = start
            allowed[k, list(start)] = False
        M, _ = needed.samples.sums(kept, needed.duals)
        lengths = (clauses >= 0).sum(axis=1).astype(np.int64)
        return Nodes(clauses, lengths, pack_bits(allowed), -M, M)

    def _cheap(
        self, clauses: NDArray[np.int32], duals: IntegerDuals, most: int
    ) -> NDArray[np.int32]:
        """Return the clauses whose reduced cost is at most ``most``."""
        clause_price, condition_price = duals.prices(self.problem)
        M, zeros = self.training_set.sums(
            [clause[clause >= 0].tolist() for clause in clauses], duals
        )
        cost = clause_price + condition_price * (clauses >= 0).sum(axis=1) - M + zeros
        return clauses[(cost <= most) & self._cover_enough(clauses)]

    def _narrowed(self, duals: IntegerDuals, *, is_enumerating: bool) -> Narrowed:
        """Return what the search needs; what is required of clauses stays on offer."""
        return narrowed(
            self.training_set,
            duals,
            is_enumerating=is_enumerating,
            kept=self._kept(),
            most_bits=MOST_BITS_OF_EXACT,
        )

    def _kept(self) -> list[int]:
        """Return the required conditions, but for chains that are required as a whole.

        Of these, any condition will do.
        """
        kept: set[int] = set()
        for group in self.problem.required:
            chains = self.training_set.conditions.chains
            is_outside = np.ones(len(chains), dtype=bool)
            is_outside[list(group)] = False
            kept.update(j for j in group if chains[j] in chains[is_outside])
        return sorted(kept)

    def _search_of(
        self, needed: Narrowed, terms: Terms, root: Nodes | None, *, is_enumerating: bool = False
    ) -> CutSearch | _Search:
        """Search ranges of cuts where there are many, condition by condition elsewhere."""
        asks_more = bool(self.problem.required) or self.problem.min_coverage > 0
        if needed.is_narrowed and not asks_more and self.engine in CUT_ENGINES:
            return CutSearch(
                needed,
                terms,
                is_listing=is_enumerating,
                engine=self.engine,
                n_threads=self.n_threads,
            )
        engine = make_engine(
            needed.samples,
            self.engine,
            needed.duals,
            n_threads=self.n_threads,
            is_enumerating=is_enumerating or self.problem.min_coverage > 0,
        )
        return _Search(engine, terms, root, needed, self._cover_enough)

    def _cover_enough(self, clauses: NDArray[np.int32]) -> NDArray[np.bool_]:
        return self.training_set.covers_enough(clauses, self.problem)

    def _has_nodes(self, search: CutSearch | _Search) -> bool:
        return self.most_nodes is None or search.n_nodes < self.most_nodes

    def _terms(self, needed: Narrowed, threshold: int, least_elimination: int) -> Terms:
        J = len(needed.samples.conditions)
        limit = self.problem.longest_clause
        longest = J if limit is None else min(limit, J)
        prices = needed.duals.prices(self.problem)
        return Terms(*prices, threshold, longest, least_elimination)


def _root(needed: Narrowed, terms: Terms) -> Nodes | None:
    J = len(needed.samples.conditions)
    return Nodes.root(J, terms.longest, int(needed.duals.mu.sum())) if J else None


class _Search:
    """The state of one search: open nodes, and the least found by clause length."""

    def __init__(
        self,
        engine: Engine,
        terms: Terms,
        root: Nodes | None,
        needed: Narrowed,
        are_allowed: Callable[[NDArray[np.int32]], NDArray[np.bool_]],
    ) -> None:
        self._open = engine.open(root, terms)
        self._needed = needed
        self._are_allowed = are_allowed
        self._least_found = np.zeros(terms.longest + 1, dtype=np.int64)
        self.n_nodes = 0

    @property
    def has_open_nodes(self) -> bool:
        """Whether anything is left to search."""
        return len(self._open) > 0

    def expand_a_batch(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Expand open nodes of least bound; return reduced cost, M and N found, and clauses."""
        n_nodes, sums, clauses = self._open.expand_a_batch()
        self.n_nodes += n_nodes
        clauses = self._needed.of_the_whole(clauses)
        is_allowed = self._are_allowed(clauses)
        sums, clauses = sums[is_allowed], clauses[is_allowed]
        np.minimum.at(self._least_found, (clauses >= 0).sum(axis=1), sums[:, 0])
        return sums, clauses

    def least_by_length(self) -> list[int]:
        """Lower bounds, at most 0, on the reduced cost of clauses with 1, 2, … conditions."""
        least = np.minimum(self._least_found, self._open.least_by_length())
        # A clause that was discarded is no better than a shorter one that was not.
        return [int(value) for value in np.minimum.accumulate(least)[1:]]


def _raise_needed(least_by_length: list[int], problem: Problem) -> int:
    """By how much λ must rise so that no reduced cost is negative: ε = −min rc_k / c_k.

    Where costs are not whole numbers, prices are rounded down, by at most one for the clause and
    one for each condition.
    """
    costs = as_written(problem.clause_cost), as_written(problem.condition_cost)
    is_whole = all(cost.denominator == 1 for cost in costs)
    needed = 0
    for n, least in enumerate(least_by_length, start=1):
        if least < 0:
            shortfall = -least + (0 if is_whole else 1 + n)
            needed = max(needed, math.ceil(shortfall / (costs[0] + n * costs[1])))
    return needed
