"""The loop: Restricted MLP, pricing, new columns.

Then the rule set and its proof (§2.2, §2.3, §3).
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from boolrules.budget import SECONDS_AFTER_INTERRUPT, Budget, Stopwatch
from boolrules.certificate import Argument, Certificate
from boolrules.master import RestrictedMaster
from boolrules.optimality import (
    Clauses,
    can_be_searched,
    hamming_loss,
    has_integer_objective,
    next_bound,
    provable_bound,
    search_columns,
    search_the_gap,
    warm_up,
)
from boolrules.pricers import make_pricers
from boolrules.pricing import BranchAndBound
from boolrules.proved_bound import ProvedBound
from boolrules.refinement import replacements, required_columns
from boolrules.result import Iteration, Result, StopReason
from boolrules.selection import Selected, Selection, price_of_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from boolrules.master import MasterSolution
    from boolrules.pricing import Pricer, PricingResult
    from boolrules.problem import Problem
    from boolrules.settings import Settings
    from boolrules.training_set import TrainingSet

MOST_SELECTED = 60
MOST_NONZEROS = 1_000_000  # of the Restricted MIP
# What is kept of the time limit for choosing the rule set among the columns, and for its proof.
# Where nothing is proved, choosing may take half; what it leaves goes to more columns.
SELECTION_SHARE = {"prove": 0.2, "fast": 0.5}
# What choosing takes of the time that is left before a proof, and the proof before the MIP.
SHARE_BEFORE_PROOF = 0.5
PROOF_SHARE = 0.8
N_KICKS = 50
MOST_ADDED = 1000
# On a GPU: how large a master is, rows times columns, that takes longer than an exact search.
LARGE_MASTER = 1_500_000
NODES_OVER_COLUMNS = 20_000
MOST_LIKED = 20
# A share of all weight below which a loss is not worth a search for better clauses.
NEGLIGIBLE = 1e-6


def learn(
    training_set: TrainingSet,
    problem: Problem,
    settings: Settings,
    on_iteration: Callable[[Iteration], None],
    on_step: Callable[[str], None] = lambda text: None,
    *,
    master: RestrictedMaster | None = None,
    start: Clauses = (),
    stops_at_the_gap: bool = False,
) -> Result:
    """Generate columns, choose a rule set among them, and certify it.

    Ctrl-C ends it early, with the best so far. ``on_step`` is told what is being done. ``master``
    brings clauses that are known already, and ``start`` a rule set to begin with.
    ``stops_at_the_gap`` leaves the proof to others.
    """
    on_step("loading the search, which is compiled once per machine")
    warm_up(settings.engine)
    started = time.monotonic()
    budget = Budget.of(settings.time_limit)
    run = ColumnGeneration(training_set, problem, settings, started, master)
    if start:
        run.offer_clauses(start, budget)
    stop_reason = StopReason.INTERRUPTED
    try:
        share = 1.0 - SELECTION_SHARE[settings.mode]
        stop_reason = run.generate(budget.share(share), on_iteration)
        has_proof_to_come = (
            stop_reason is StopReason.CONVERGED and run.can_prove and not stops_at_the_gap
        )
        on_step("choosing a rule set")
        with run.stopwatch.timing("selection"):
            run.select(budget.share(SHARE_BEFORE_PROOF) if has_proof_to_come else budget)
        while _has_time_for_more(stop_reason, settings, budget):
            stop_reason = run.generate(budget.share(share), on_iteration)
            with run.stopwatch.timing("selection"):
                run.select(budget)
        if has_proof_to_come:
            on_step("searching all rule sets inside the gap")
            with run.stopwatch.timing("proof"):
                run.prove(budget.share(PROOF_SHARE))
        if settings.mode == "prove" and not stops_at_the_gap:
            on_step("solving the Restricted MIP")
            with run.stopwatch.timing("Restricted MIP"):
                run.solve_restricted_mip(budget)
    except KeyboardInterrupt:
        stop_reason = StopReason.INTERRUPTED
        run.select(Budget.of(SECONDS_AFTER_INTERRUPT))
    certificate = run.certify()
    if certificate.is_optimal and stop_reason is not StopReason.INTERRUPTED:
        stop_reason = StopReason.OPTIMAL
    return Result(
        tuple(run.master.columns),
        run.incumbent.chosen,
        certificate,
        tuple(run.trace),
        stop_reason,
        time.monotonic() - started,
        run.stopwatch.seconds,
    )


def _has_time_for_more(stop_reason: StopReason, settings: Settings, budget: Budget) -> bool:
    """Whether columns were cut short for a choice that did not need its share of the time."""
    is_cut_short = settings.mode == "fast" and stop_reason is StopReason.TIME_LIMIT
    return is_cut_short and not budget.is_spent


class ColumnGeneration:
    """One run of the paper's algorithm, and of the proof that goes beyond it."""

    def __init__(
        self,
        training_set: TrainingSet,
        problem: Problem,
        settings: Settings,
        started: float,
        master: RestrictedMaster | None = None,
    ) -> None:
        self._training_set = training_set
        self._problem = problem
        self._settings = settings
        self._started = started
        self._proof = ProvedBound(problem)
        self._last: MasterSolution | None = None
        self.master = RestrictedMaster(training_set, problem) if master is None else master
        self._pricers = make_pricers(training_set, problem, settings, self.master.columns)
        self.trace: list[Iteration] = []
        self.stopwatch = Stopwatch()
        missing = len(problem.required) * price_of_missing(training_set, problem)
        self.incumbent = Selected((), training_set.weight_of_positives + missing)
        self.master.add(required_columns(training_set, problem, ()))

    def generate(self, budget: Budget, on_iteration: Callable[[Iteration], None]) -> StopReason:
        """Repeat until no clause improves the master, or a limit is met (§2.2, §3)."""
        while True:
            with self.stopwatch.timing("Restricted MLP"):
                solution = self.master.solve(budget)  # eqs. (1)-(3)
            if solution is None:
                return StopReason.TIME_LIMIT if budget.is_spent else StopReason.SOLVER_FAILED
            self._last = solution
            for pricer in self._pricers_in_turn():  # the Pricing Problem, eqs. (6)-(10)
                limit = budget.at_most(self._settings.pricing_time_limit)
                with self.stopwatch.timing("pricing"):
                    priced = pricer.price(solution.duals, limit)
                self._proof.consider(priced)
                n_new = self.master.add(priced.columns)
                if n_new or priced.proves_no_improving_clause or budget.is_spent:
                    break
            self._record(solution, pricer, priced, n_new, on_iteration)
            if priced.proves_no_improving_clause:
                return StopReason.CONVERGED
            if budget.is_spent:
                return StopReason.TIME_LIMIT
            if not n_new:
                return StopReason.PRICING_LIMIT
            if len(self.trace) == self._settings.max_rounds:
                return StopReason.ROUND_LIMIT

    def _pricers_in_turn(self) -> Sequence[Pricer]:
        """Whom to ask: on a GPU, the exact search alone where the master takes longer than it."""
        n_entries = len(self.master.columns) * self._training_set.n_P
        last = self._pricers[-1]
        if n_entries > LARGE_MASTER and isinstance(last, BranchAndBound) and last.is_thorough:
            return (last,)
        return self._pricers

    def select(self, budget: Budget) -> None:
        """Choose a rule set among the columns by local search, then look for better clauses."""
        columns = self.master.columns
        if self._last is None or not columns:
            return
        w = np.zeros(len(columns))
        w[: len(self._last.w)] = self._last.w
        self._add_required(w)
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
        columns = self.master.columns
        kept = list(range(len(columns)))
        if self._training_set.has_patterns and self._last is not None:
            costs = self._training_set.reduced_costs(columns, self._last.duals)
            costs[list(wanted)] = -math.inf
            best = np.argsort(costs, kind="stable")[:MOST_SELECTED].tolist()
            kept = sorted({*best, *needed, *self.incumbent.chosen})
        return kept, Selection(self._training_set, self._problem, [columns[k] for k in kept])

    def _least(self) -> float:
        """What no rule set over the columns that the LP knew is better than."""
        assert self._last is not None
        if has_integer_objective(self._training_set, self._problem):
            return math.ceil(self._last.z_rmlp - NEGLIGIBLE)
        return self._last.z_rmlp

    def _add_required(self, w: NDArray[np.float64]) -> None:
        """Add the clauses that the LP likes most, each with a required condition."""
        if self._problem.required:
            liked = [self.master.columns[k].features for k in np.argsort(-w)[:MOST_LIKED]]
            chosen = [self.master.columns[k].features for k in self.incumbent.chosen]
            more = required_columns(self._training_set, self._problem, [*chosen, *liked])
            self.master.add(more)

    def _search_columns(self, budget: Budget) -> None:
        """Search the rule sets over the columns that reduced-cost fixing leaves, up to a limit."""
        assert self._last is not None
        duals = self._training_set.rounded(self._last.duals)
        if not can_be_searched(self._problem, duals):
            return
        while not self._is_settled and not budget.is_spent:
            kept = self._columns_inside_the_gap()
            outcome = search_columns(
                self._training_set,
                self._problem,
                duals,
                tuple(self.master.columns[k].features for k in kept),
                provable_bound(self._training_set, self._problem, self.incumbent.objective),
                budget,
                NODES_OVER_COLUMNS,
            )
            if outcome.better is None or not self.offer_clauses(outcome.better, budget):
                return

    def _columns_inside_the_gap(self) -> list[int]:
        """Reduced-cost fixing: no other column is in a better rule set."""
        assert self._last is not None
        room = self.incumbent.objective - self._last.z_rmlp
        costs = self._training_set.reduced_costs(self.master.columns, self._last.duals)
        return np.flatnonzero(costs <= room).tolist()

    def _refine(self, budget: Budget) -> bool:
        """Exchange clauses of the incumbent for better ones, known or not; say if that helped."""
        is_better = False
        while not self._is_settled and not budget.is_spent:
            chosen = [self.master.columns[k] for k in self.incumbent.chosen]
            found = replacements(
                self._training_set,
                self._problem,
                chosen,
                budget,
                self._settings.n_threads,
                self._settings.engine,
            )
            n_before = len(self.master.columns)
            if not self.master.add(found):
                break
            kept, selection = self._selection(range(n_before, len(self.master.columns)))
            start = [kept.index(k) for k in self.incumbent.chosen]
            if not self._offer_of(kept, selection.local_search(start, budget)):
                break
            is_better = True
        return is_better

    def _kick(self, budget: Budget) -> bool:
        """Search anew around the incumbent, for clauses have come since; say if that helped."""
        if self._is_settled or budget.is_spent:
            return False
        kept, selection = self._selection()
        start = tuple(kept.index(k) for k in self.incumbent.chosen)
        best = Selected(start, self.incumbent.objective)
        return self._offer_of(kept, selection.kicked(best, budget, N_KICKS))

    @property
    def can_prove(self) -> bool:
        """Whether there are duals of an exact search, and whole costs: what ``prove`` rests on."""
        duals = self._proof.duals
        return duals is not None and self._proof.is_exact and can_be_searched(self._problem, duals)

    def prove(self, budget: Budget) -> None:
        """List every clause inside the gap and search all rule sets over them, in integers.

        From below, in growing steps: each proves a higher bound or finds a better rule set, and
        none looks much further above the dual bound than the optimum asks for.
        """
        duals = self._proof.duals
        if duals is None or not self.can_prove:
            return
        while not self._is_settled and not budget.is_spent:
            bound = next_bound(
                self._training_set,
                self._problem,
                duals,
                self._proof.closed_at,
                self.incumbent.objective,
            )
            outcome = search_the_gap(
                self._training_set,
                self._problem,
                duals,
                bound,
                budget,
                n_threads=self._settings.n_threads,
                most_nodes=self._settings.max_nodes,
                engine=self._settings.engine,
            )
            if outcome.is_proved:
                self._proof.closed_at = bound
                self._select_among(outcome.clauses, budget)
            elif outcome.better is None or not self.offer_clauses(outcome.better, budget):
                self._select_among(outcome.clauses, budget)
                return

    def _select_among(self, clauses: Clauses, budget: Budget) -> None:
        """Add the clauses of the gap to the columns: good rule sets are made of them."""
        if self._is_proved or len(clauses) > MOST_ADDED:
            return
        if self.master.add(self._training_set.columns(clauses, self._problem)):
            self.select(budget)

    def solve_restricted_mip(self, budget: Budget) -> None:
        """Impose eq. (4) on the columns that reduced-cost fixing leaves (§2.3)."""
        columns = self.master.columns
        if self._last is None or not columns or self._is_proved or budget.is_spent:
            return
        kept = sorted({*self._columns_inside_the_gap(), *self.incumbent.chosen})
        if self._training_set.n_nonzeros([columns[k] for k in kept]) > MOST_NONZEROS:
            return  # MIP solvers neither get anywhere here nor keep their time limit
        small = Selection(self._training_set, self._problem, [columns[k] for k in kept])
        place = {k: position for position, k in enumerate(kept)}
        start = replace(self.incumbent, chosen=tuple(place[k] for k in self.incumbent.chosen))
        found = small.restricted_mip(start, budget, self._settings.n_threads)
        self._offer_of(kept, found)

    def certify(self) -> Certificate:
        """State what was proved, and nothing else."""
        chosen = [self.master.columns[k] for k in self.incumbent.chosen]
        if not self._problem.uses_all(column.features for column in chosen):
            raise ValueError(
                "No rule set was found that uses all that is required. Raise max_complexity or "
                "time_limit, lower min_coverage, or require less."
            )
        loss = self.hamming_loss(self.incumbent.chosen)
        n_conditions = sum(len(column.features) for column in chosen)
        complexity = self._problem.complexity(len(chosen), n_conditions)
        objective = loss + self._problem.complexity_penalty * complexity
        duals = self._proof.duals
        if objective == 0:
            return Certificate(loss, complexity, 0, Argument.ZERO_LOSS, self._problem)
        if self._proof.closed_at is not None:
            bound = self._proof.closed_at
            return Certificate(loss, complexity, bound, Argument.ENUMERATION, self._problem, duals)
        dual_bound = self._proof.lower_bound(self._training_set)
        if dual_bound is not None:
            argument = Argument.EXACT_SEARCH if self._proof.is_exact else Argument.INTEGER_PROGRAM
            return Certificate(loss, complexity, dual_bound, argument, self._problem, duals)
        return Certificate(loss, complexity, None, Argument.NONE, self._problem)

    def hamming_loss(self, chosen: Sequence[int]) -> float:
        """Hamming loss of some columns as a rule set, recomputed from the samples."""
        return hamming_loss(self._training_set, [self.master.columns[k].features for k in chosen])

    @property
    def _is_proved(self) -> bool:
        objective = self.incumbent.objective
        goal = provable_bound(self._training_set, self._problem, objective)
        bound = self._proof.lower_bound(self._training_set)
        closed_at = self._proof.closed_at
        return (closed_at is not None and goal <= closed_at) or (
            bound is not None and objective <= bound
        )

    @property
    def _is_settled(self) -> bool:
        """Whether nothing better need be looked for: proved, or a trifle among large weights."""
        trifle = NEGLIGIBLE * self._training_set.total_weight
        is_whole = has_integer_objective(self._training_set, self._problem)
        return self._is_proved or (not is_whole and self.incumbent.objective <= trifle)

    def _offer_of(self, kept: Sequence[int], selected: Selected) -> bool:
        """Take a rule set that was chosen among some columns, if it is better."""
        return self._offer(replace(selected, chosen=tuple(kept[k] for k in selected.chosen)))

    def _offer(self, selected: Selected) -> bool:
        """Take a rule set that is better than the incumbent."""
        is_better = selected.objective < self.incumbent.objective
        if is_better:
            self.incumbent = selected
        return is_better

    def offer_clauses(self, clauses: Clauses, budget: Budget) -> bool:
        """Make clauses columns, and take them, less any that change nothing, if they are better.

        The search over rule sets may spend room that is left on clauses that cover nothing.
        """
        self.master.add(self._training_set.columns(clauses, self._problem))
        place = {column.features: k for k, column in enumerate(self.master.columns)}
        chosen = tuple(sorted(place[f] for f in clauses))
        kept, selection = self._selection(needed=chosen)
        start = [kept.index(k) for k in chosen]
        return self._offer_of(kept, selection.local_search(start, budget))

    def _record(
        self,
        solution: MasterSolution,
        pricer: Pricer,
        priced: PricingResult,
        n_new: int,
        on_iteration: Callable[[Iteration], None],
    ) -> None:
        iteration = Iteration(
            number=len(self.trace) + 1,
            z_rmlp=solution.z_rmlp,
            best_reduced_cost=priced.best_reduced_cost,
            is_proved=priced.proves_no_improving_clause,
            lower_bound=self._proof.lower_bound(self._training_set),
            n_columns=len(self.master.columns),
            n_new=n_new,
            pricer=pricer.name,
            n_nodes=priced.n_nodes,
            seconds=time.monotonic() - self._started,
        )
        self.trace.append(iteration)
        on_iteration(iteration)
