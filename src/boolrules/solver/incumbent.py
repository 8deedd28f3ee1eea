"""The best rule set so far: chosen among the columns, improved, and held against the bound.

Owns eq. (4), the choice of whole clauses, by local search, by exact searches over columns and by
the Restricted MIP (§2.3). Finds, never proves: what is proved is with ``ProvedBound``.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.step import at_steps, n_steps_up_to, rounded_up
from boolrules.proof.certificate import Argument
from boolrules.proof.gap import (
    can_be_searched,
    has_integer_objective,
    next_bound,
    objective_step,
    provable_bound,
    search_columns,
    search_the_gap,
    slack_below,
)
from boolrules.proof.unmet import Unmet
from boolrules.search.narrowing import has_many_cuts
from boolrules.solver.more_columns import demanded_columns, replacements, required_columns
from boolrules.solver.pricing.in_turn import exact_search
from boolrules.solver.selection import Selected, Selection, price_of_breaking, price_of_missing
from boolrules.solver.subset_rows import shortening

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules._support.budget import Budget
    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples
    from boolrules.proof.bound import ProvedBound
    from boolrules.proof.gap import Clauses
    from boolrules.solver.master import MasterSolution, RestrictedMaster
    from boolrules.solver.settings import Settings

MOST_SELECTED = 60
MOST_NONZEROS = 1_000_000  # of the Restricted MIP
N_KICKS = 50
MOST_ADDED = 1000
# With no more clauses inside the gap than this, all of it is searched in one step.
FEW_LISTED = 10_000
NODES_OVER_COLUMNS = 20_000
MOST_LIKED = 20
# How steps to a bound become smaller where the clauses inside are too many.
SHORTER_STEPS, MOST_SHORTER = 4, 256
# Of the time that is left: for a choice among some of those.
SHARE_OF_SOME = 0.2
# A share of all weight below which a loss is not worth a search for better clauses.
NEGLIGIBLE = 1e-6


class Incumbent:
    """Keeps the best rule set over the columns of a master, and looks for better ones.

    Parameters
    ----------
    training_set, problem, settings
        What is learned, and how.
    master : RestrictedMaster
        Whose columns there are to choose from; clauses that are found join them.
    proof : ProvedBound
        What is known from below: nothing is looked for where it is met, and it is told where all
        rule sets below a bound were searched.
    """

    def __init__(
        self,
        training_set: Samples,
        problem: Problem,
        settings: Settings,
        master: RestrictedMaster,
        proof: ProvedBound,
    ) -> None:
        self._training_set = training_set
        self._problem = problem
        self._settings = settings
        self._master = master
        self._proof = proof
        missing = len(problem.required) * price_of_missing(training_set, problem)
        broken = price_of_breaking(training_set, problem)
        self._most_objective = broken - 1.0
        self.best = Selected((), training_set.weight_of_positives + missing + 2 * broken)
        if training_set.meets_demands(()):
            self.best = Selected((), training_set.weight_of_positives + missing)
        self._last: MasterSolution | None = None
        master.add(required_columns(training_set, problem, ()))

    @property
    def clauses(self) -> Clauses:
        """The best rule set, which uses all that is required."""
        chosen = self.chosen
        if not self._problem.uses_all(chosen):
            raise ValueError(
                "No rule set was found that uses all that is required. Raise max_complexity or "
                "time_limit, lower min_coverage, or require less."
            )
        return chosen

    @property
    def is_acceptable(self) -> bool:
        """Whether the best rule set uses all that is required and meets all requirements."""
        chosen = self.chosen
        return self._training_set.meets_demands(chosen) and self._problem.uses_all(chosen)

    @property
    def chosen(self) -> Clauses:
        """The best rule set, whatever it lacks."""
        return tuple(self._master.columns[k].clause for k in self.best.chosen)

    def unmet(self, nearest: Clauses) -> Unmet:
        """Say what is known where no rule set was found that meets the requirements."""
        if not self._is_proved:
            return Unmet(self._problem, nearest, Argument.NONE)
        duals, beyond = self._proof.duals, self.goal
        return Unmet(self._problem, nearest, Argument.ENUMERATION, duals, beyond)

    @property
    def goal(self) -> float:
        """The bound to prove: the best objective or, where none was found, more than any."""
        if self.best.objective > self._most_objective:
            return math.ceil(self._most_objective) + 1
        return provable_bound(self._training_set, self._problem, self.best.objective)

    def select(self, solution: MasterSolution | None, budget: Budget) -> None:
        """Choose a rule set among the columns by local search, then look for better clauses.

        ``solution`` is the master's last, if it had one: local search begins with it, and its
        duals say which columns are worth a look.
        """
        self._last = solution
        self._select(budget)

    def _select(self, budget: Budget) -> None:
        columns = self._master.columns
        if self._last is None or not columns:
            return
        w = np.zeros(len(columns))
        w[: len(self._last.w)] = self._last.w
        self._add_required(w)
        self._add_demanded(budget)
        w = np.append(w, np.zeros(len(columns) - len(w)))
        kept, selection = self._selection()
        self._offer_of(kept, selection.best_of_starts(w[kept], budget, N_KICKS, self._least()))
        while self._refine(budget):
            if not self._kick(budget):
                break
        self._search_columns(budget)

    def _selection(
        self, wanted: Sequence[int] = (), needed: Sequence[int] = ()
    ) -> tuple[list[int], Selection]:
        """Return which columns to choose among, and the choice.

        All of them, unless each one more may double the coverage patterns: then the needed ones,
        those of the incumbent, and as far as there is room the wanted ones and the others of least
        reduced cost.
        """
        columns = self._master.columns
        kept = list(range(len(columns)))
        if self._training_set.has_patterns and self._last is not None:
            costs = self._training_set.reduced_costs(columns, self._last.duals)
            costs[list(wanted)] = -math.inf
            best = np.argsort(costs, kind="stable")[:MOST_SELECTED].tolist()
            kept = sorted({*best, *needed, *self.best.chosen})
        return kept, Selection(self._training_set, self._problem, [columns[k] for k in kept])

    def _least(self) -> float:
        """What no rule set over the columns that the LP knew is better than."""
        assert self._last is not None
        value, step = self._last.z_rmlp, objective_step(self._training_set, self._problem)
        return value if step is None else rounded_up(value - NEGLIGIBLE, step)

    def _add_required(self, w: NDArray[np.float64]) -> None:
        """Add the clauses that the LP likes most, each with a required condition."""
        if self._problem.required:
            liked = [self._master.columns[k].clause for k in np.argsort(-w)[:MOST_LIKED]]
            chosen = [self._master.columns[k].clause for k in self.best.chosen]
            more = required_columns(self._training_set, self._problem, [*chosen, *liked])
            self._master.add(more)

    def _add_demanded(self, budget: Budget) -> None:
        """Add clauses that would be good if requirements charged more, or nothing."""
        if self._training_set.demands is None or self._last is None:
            return
        theta, settings = self._last.duals.theta, self._settings
        for found in demanded_columns(self._training_set, self._problem, theta, settings, budget):
            self._master.add(found)

    def _search_columns(self, budget: Budget) -> None:
        """Search the rule sets over the columns that reduced-cost fixing leaves, up to a limit."""
        assert self._last is not None
        duals = self._training_set.rounded(self._last.duals)
        if not can_be_searched(self._problem, duals):
            return
        while not self.is_settled and not budget.is_spent:
            kept = self._columns_inside_the_gap()
            outcome = search_columns(
                self._training_set,
                self._problem,
                duals,
                tuple(self._master.columns[k].clause for k in kept),
                self.goal,
                budget,
                NODES_OVER_COLUMNS,
                self._settings.n_threads,
            )
            if outcome.better is None or not self.offer_clauses(outcome.better, budget):
                return

    def _columns_inside_the_gap(self) -> list[int]:
        """Reduced-cost fixing: no other column is in a better rule set."""
        assert self._last is not None
        room = self.best.objective - self._last.z_rmlp
        costs = self._training_set.reduced_costs(self._master.columns, self._last.duals)
        return np.flatnonzero(costs <= room).tolist()

    def _refine(self, budget: Budget) -> bool:
        """Exchange clauses of the incumbent for better ones, known or not; say if that helped."""
        is_better = False
        while not self.is_settled and not budget.is_spent:
            chosen = [self._master.columns[k] for k in self.best.chosen]
            found = replacements(
                self._training_set,
                self._problem,
                chosen,
                budget,
                self._settings.n_threads,
                self._settings.engine,
                () if self._last is None else self._last.duals.theta,
            )
            n_before = len(self._master.columns)
            if not self._master.add(found):
                break
            kept, selection = self._selection(range(n_before, len(self._master.columns)))
            start = [kept.index(k) for k in self.best.chosen]
            if not self._offer_of(kept, selection.local_search(start, budget)):
                break
            is_better = True
        return is_better

    def _kick(self, budget: Budget) -> bool:
        """Search anew around the incumbent, for clauses have come since; say if that helped."""
        if self.is_settled or budget.is_spent:
            return False
        kept, selection = self._selection()
        start = tuple(kept.index(k) for k in self.best.chosen)
        best = Selected(start, self.best.objective)
        return self._offer_of(kept, selection.kicked(best, budget, N_KICKS))

    def close_the_gap(self, budget: Budget) -> None:
        """List every clause inside the gap and search all rule sets over them, in integers.

        From below, in growing steps: each proves a higher bound or finds a better rule set, and
        none looks much further above the dual bound than the optimum asks for. Where few clauses
        were inside, or where cuts are many and the gap is small, the next step is the last, unless
        it is too far.
        """
        duals = self._proof.searchable_duals
        if duals is None:
            return
        search = exact_search(self._training_set, self._problem, self._settings)
        is_in_steps, n_listed, shorter = False, None, 1
        while not self.is_settled and not budget.is_spent:
            goal = self.goal
            bound = next_bound(
                self._training_set, self._problem, duals, self._proof.closed_at, goal
            )
            slack = slack_below(self._training_set, self._problem, duals, goal)
            # With many cuts, listing clauses up to the price of a condition is hardly more work
            # than to show that none has negative reduced cost.
            is_small = has_many_cuts(self._training_set) and slack <= duals.lam
            if n_listed is not None:
                is_small = n_listed <= FEW_LISTED
            if is_small and not is_in_steps:
                n_listed = 0
                bound = goal
            if shorter > 1:
                bound = self._nearer(bound, shorter)
            outcome = search_the_gap(
                search, duals, bound, budget, shorten=shortening(self._training_set, self._problem)
            )
            if outcome.is_proved:
                self._proof.closed_at = bound
                n_listed = len(outcome.clauses)
                self._select_among(outcome.clauses, budget)
            elif outcome.better is not None:
                if not self.offer_clauses(outcome.better, budget):
                    return
            elif bound == goal and n_listed is not None and not is_in_steps:
                is_in_steps = True
            elif self._may_step_less(bound, shorter):
                self._select_among(outcome.clauses, budget.share(SHARE_OF_SOME))
                shorter *= SHORTER_STEPS
            else:
                self._select_among(outcome.clauses, budget)
                return

    def _nearer(self, bound: float, shorter: int) -> float:
        """Return a bound to be proved after a step that is so many times shorter."""
        step = objective_step(self._training_set, self._problem)
        assert step is not None  # or no step is made shorter
        proved = self._proof.closed_at or max(0.0, self._proof.lower_bound or 0.0)
        nearer = n_steps_up_to(proved + (bound - proved) / shorter, step)
        return at_steps(max(n_steps_up_to(proved, step) + 1, nearer), step)

    def _may_step_less(self, bound: float, shorter: int) -> bool:
        """Whether a smaller step may do where one was too long.

        The linear program may be far from the best rules, and a step is a part of that.
        """
        proved = self._proof.closed_at or max(0.0, self._proof.lower_bound or 0.0)
        step = objective_step(self._training_set, self._problem)
        return step is not None and bound > proved + step and shorter < MOST_SHORTER

    def _select_among(self, clauses: Clauses, budget: Budget) -> None:
        """Add the clauses of the gap to the columns: good rule sets are made of them."""
        if self._is_proved:
            return
        if len(clauses) > MOST_ADDED:
            # Good rule sets need not be made of the best clauses.
            clauses = clauses[:: -(-len(clauses) // MOST_ADDED)]
        if self._master.add(self._training_set.columns(clauses, self._problem)):
            self._select(budget)

    def solve_restricted_mip(self, budget: Budget) -> None:
        """Impose eq. (4) on the columns that reduced-cost fixing leaves (§2.3)."""
        columns = self._master.columns
        if self._last is None or not columns or self.is_settled or budget.is_spent:
            return
        kept = sorted({*self._columns_inside_the_gap(), *self.best.chosen})
        if self._training_set.n_nonzeros([columns[k] for k in kept]) > MOST_NONZEROS:
            return  # MIP solvers neither get anywhere here nor keep their time limit
        small = Selection(self._training_set, self._problem, [columns[k] for k in kept])
        place = {k: place for place, k in enumerate(kept)}
        start = replace(self.best, chosen=tuple(place[k] for k in self.best.chosen))
        found = small.restricted_mip(start, budget, self._settings.n_threads)
        self._offer_of(kept, found)

    @property
    def _is_proved(self) -> bool:
        goal, proved = self.goal, (self._proof.closed_at, self._proof.lower_bound)
        return any(bound is not None and goal <= bound for bound in proved)

    @property
    def is_settled(self) -> bool:
        """Whether nothing better need be looked for: proved, or nothing is lost.

        A trifle among large weights counts as nothing.
        """
        is_whole = has_integer_objective(self._training_set, self._problem)
        trifle = 0.0 if is_whole else NEGLIGIBLE * self._training_set.total_weight
        return self._is_proved or self.best.objective <= trifle

    def _offer_of(self, kept: Sequence[int], selected: Selected) -> bool:
        """Take a rule set that was chosen among some columns, if it is better."""
        return self._offer(replace(selected, chosen=tuple(kept[k] for k in selected.chosen)))

    def _offer(self, selected: Selected) -> bool:
        """Take a rule set that is better than the incumbent."""
        is_better = selected.objective < self.best.objective
        if is_better and selected.objective <= self._most_objective:
            # Searches count a zero once for each clause; requirements may mean both ways.
            clauses = [self._master.columns[k].clause for k in selected.chosen]
            is_better = self._training_set.meets_demands(clauses)
        if is_better:
            self.best = selected
        return is_better

    def offer_clauses(self, clauses: Clauses, budget: Budget) -> bool:
        """Make clauses columns, and take them, less any that change nothing, if they are better.

        The search over rule sets may spend room that is left on clauses that cover nothing.
        """
        self._master.add(self._training_set.columns(clauses, self._problem))
        place = {column.clause: k for k, column in enumerate(self._master.columns)}
        chosen = tuple(sorted(place[f] for f in clauses))
        kept, selection = self._selection(needed=chosen)
        start = [kept.index(k) for k in chosen]
        if self._offer_of(kept, selection.local_search(start, budget)):
            return True
        return self._offer_of(kept, Selected(tuple(start), selection.objective(start)))
