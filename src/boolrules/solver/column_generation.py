"""The loop: Restricted MLP, pricing, new columns (§2.2, §3).

``learn`` wires it to the choice of a rule set (``incumbent``) and to the proof (``proof``).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from boolrules._support.budget import SECONDS_AFTER_INTERRUPT, Budget, Stopwatch, clock
from boolrules._support.interrupts import searching
from boolrules.data.step import rounded_up
from boolrules.data.training_set import TrainingSet
from boolrules.proof.bound import ProvedBound
from boolrules.proof.certificate import Argument
from boolrules.proof.gap import objective_step
from boolrules.proof.unmet import Unmet, UnmetError
from boolrules.solver.branching import Branching, can_branch
from boolrules.solver.incumbent import Incumbent
from boolrules.solver.master import FINEST_GAP, RestrictedMaster
from boolrules.solver.pricing.in_turn import exact_search, make_pricers, whom_to_ask
from boolrules.solver.result import Iteration, Result, StopReason
from boolrules.solver.warm_up import warm_up_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples
    from boolrules.proof.gap import Clauses
    from boolrules.search.pricer import Pricer, PricingResult
    from boolrules.solver.master import MasterSolution
    from boolrules.solver.settings import Settings

# What is kept of the time limit for choosing the rule set among the columns, and for its proof.
# Where nothing is to be proved, choosing may take half; what it leaves goes to more columns.
SELECTION_SHARE = {"prove": 0.2, "paper": 0.2, "fast": 0.5}
# What choosing takes of the time that is left before a proof, and the proof before the MIP.
SHARE_BEFORE_PROOF = 0.5
PROOF_SHARE = 0.8
# What searching the gap as a whole takes of it, where it can be searched in parts.
SHARE_BEFORE_PARTS = 0.25
# What finding duals that tell clauses apart takes of it, where the linear program loses nothing.
SHARE_OF_LESS_ROOM = 0.1
# How near to its value the master is solved at first, relative to it, and how much nearer each
# time that pricing finds no clause worth more than that.
FIRST_TOLERANCE, TIGHTER = 1e-2, 3.0
# Relative to the value of the linear program: what is nothing but rounding.
ROUNDING = 1e-9


def learn(
    training_set: Samples,
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
    budget = Budget.of(settings.time_limit)
    warm_up_for(training_set.conditions, settings.engine)
    started = clock()
    run = ColumnGeneration(training_set, problem, settings, started, master)
    incumbent = Incumbent(training_set, problem, settings, run.master, run.proof)
    if start:
        incumbent.offer_clauses(start, budget)
    stop_reason = StopReason.INTERRUPTED
    nearest: Clauses = ()
    try:
        with searching():
            share = 1.0 - SELECTION_SHARE[settings.mode]
            stop_reason = run.generate(budget.share(share), on_iteration)
            has_proof_to_come = (
                stop_reason is StopReason.CONVERGED
                and run.proof.searchable_duals is not None
                and not stops_at_the_gap
            )
            on_step("choosing a rule set")
            with run.stopwatch.timing("selection"):
                incumbent.select(
                    run.last, budget.share(SHARE_BEFORE_PROOF) if has_proof_to_come else budget
                )
            if training_set.demands is not None and not incumbent.is_acceptable:
                on_step("looking for any rule set that meets the requirements")
                with run.stopwatch.timing("requirements"):
                    unmet = meet_demands(incumbent, training_set, problem, settings, budget)
                if unmet.is_proved:
                    raise UnmetError(unmet)
                nearest = unmet.nearest
            while _has_time_for_more(stop_reason, settings, budget):
                stop_reason = run.generate(budget.share(share), on_iteration)
                with run.stopwatch.timing("selection"):
                    incumbent.select(run.last, budget)
            if has_proof_to_come:
                on_step("searching all rule sets inside the gap")
                with run.stopwatch.timing("proof"):
                    has_parts = can_branch(training_set, problem)
                    share = SHARE_BEFORE_PARTS if has_parts else PROOF_SHARE
                    if not incumbent.is_settled:
                        run.take_duals_of_less_room(budget.share(SHARE_OF_LESS_ROOM))
                    incumbent.close_the_gap(budget.share(share))
                if not incumbent.is_settled and has_parts:
                    on_step("proving the parts of what is left of the gap")
                    with run.stopwatch.timing("proof"):
                        run.prove_in_parts(incumbent, budget.share(PROOF_SHARE))
            if settings.is_to_prove and not stops_at_the_gap:
                on_step("solving the Restricted MIP")
                with run.stopwatch.timing("Restricted MIP"):
                    incumbent.solve_restricted_mip(budget)
    except KeyboardInterrupt:
        stop_reason = StopReason.INTERRUPTED
        incumbent.select(run.last, Budget.of(SECONDS_AFTER_INTERRUPT))
    if training_set.demands is not None and not incumbent.is_acceptable:
        raise UnmetError(incumbent.unmet(nearest))
    certificate = run.proof.certify(incumbent.clauses)
    if certificate.is_optimal and stop_reason is not StopReason.INTERRUPTED:
        stop_reason = StopReason.OPTIMAL
    return Result(
        tuple(run.master.columns),
        incumbent.best.chosen,
        certificate,
        tuple(run.trace),
        stop_reason,
        clock() - started,
        run.stopwatch.seconds,
    )


def meet_demands(
    incumbent: Incumbent,
    training_set: Samples,
    problem: Problem,
    settings: Settings,
    budget: Budget,
) -> Unmet:
    """Look for a rule set that meets the requirements, at any loss, or prove that there is none.

    What is found goes to the incumbent; returned is what is known where nothing is.
    """
    bare, problem = training_set.without_objective(), replace(problem, complexity_penalty=0)
    run = ColumnGeneration(bare, problem, settings, clock())
    run.generate(budget.share(SHARE_BEFORE_PROOF), lambda iteration: None)
    if run.proof.is_positive and run.proof.is_exact:
        argument, duals = Argument.EXACT_SEARCH, run.proof.duals
    else:
        argument, duals = Argument.NONE, None
    own = Incumbent(bare, problem, settings, run.master, run.proof)
    own.select(run.last, budget.share(SHARE_BEFORE_PROOF))
    if own.is_acceptable:
        incumbent.offer_clauses(own.chosen, budget)
    return Unmet(problem, own.chosen, argument, duals)


def _has_time_for_more(stop_reason: StopReason, settings: Settings, budget: Budget) -> bool:
    """Whether columns were cut short for a choice that did not need its share of the time."""
    is_cut_short = not settings.is_to_prove and stop_reason is StopReason.TIME_LIMIT
    return is_cut_short and not budget.is_spent


class ColumnGeneration:
    """One run of the paper's loop."""

    def __init__(
        self,
        training_set: Samples,
        problem: Problem,
        settings: Settings,
        started: float,
        master: RestrictedMaster | None = None,
    ) -> None:
        self._training_set = training_set
        self._problem = problem
        self._settings = settings
        self._started = started
        self.master = RestrictedMaster(training_set, problem) if master is None else master
        self._pricers = make_pricers(training_set, problem, settings, self.master.columns)
        self.proof = ProvedBound(training_set, problem)
        self.last: MasterSolution | None = None
        self._tolerance = FIRST_TOLERANCE
        self.trace: list[Iteration] = []
        self.stopwatch = Stopwatch()

    def generate(self, budget: Budget, on_iteration: Callable[[Iteration], None]) -> StopReason:
        """Repeat until no clause improves the master, or a limit is met (§2.2, §3)."""
        while True:
            with self.stopwatch.timing("Restricted MLP"):
                solution = self.master.solve(budget, self._tolerance)  # eqs. (1)-(3)
            if solution is None:
                return StopReason.TIME_LIMIT if budget.is_spent else StopReason.SOLVER_FAILED
            self.last = solution
            is_near = self._is_near(solution)
            n_new = 0
            for place, pricer in enumerate(self._pricers_in_turn(is_near=is_near)):
                limit = budget.at_most(self._settings.limits.pricing_time_limit)
                with self.stopwatch.timing("pricing"):  # the Pricing Problem, eqs. (6)-(10)
                    priced = pricer.price(solution.duals, limit)
                self.proof.consider(priced)
                n_new += self.master.add(priced.columns)
                is_worth = self._is_worth(priced, solution)
                is_enough = n_new and (is_worth or place)
                if is_enough or priced.proves_no_improving_clause or budget.is_spent:
                    break
            self._record(solution, pricer, priced, n_new, on_iteration)
            if self._has_converged(priced, solution):
                return StopReason.CONVERGED
            if budget.is_spent:
                return StopReason.TIME_LIMIT
            if not n_new and is_near:
                return StopReason.PRICING_LIMIT
            if len(self.trace) == self._settings.limits.max_rounds:
                return StopReason.ROUND_LIMIT
            if not n_new or not is_worth:
                self._tolerance /= TIGHTER

    def take_duals_of_less_room(self, budget: Budget) -> None:
        """Where the linear program loses nothing, take duals of one with less room.

        Its own are zero, and all clauses without errors are inside their gap. Those under the
        highest limit where something is lost prove nothing more, but few clauses are inside.
        """
        run = self
        try:
            while run.last is not None and not run.proof.is_positive and not budget.is_spent:
                less = run._with_less_room()
                if less is None:
                    break
                self.master.change_limit(less)
                run = ColumnGeneration(
                    self._training_set, less, self._settings, self._started, self.master
                )
                run.generate(budget, lambda iteration: None)
        finally:
            self.master.change_limit(self._problem)
        if run is not self and run.proof.duals is not None and run.proof.is_positive:
            search = exact_search(self._training_set, self._problem, self._settings)
            self.proof.rest_on(search.price_integer(run.proof.duals, budget))

    def _with_less_room(self) -> Problem | None:
        """Allow one condition less than the last master uses; None where no clause is left."""
        problem = self._problem
        step = problem.condition_cost or problem.clause_cost
        limit = min(problem.max_complexity, math.ceil(self._complexity)) - step
        if limit < problem.min_clause_complexity:
            return None
        return replace(problem, max_complexity=limit)

    @property
    def _complexity(self) -> float:
        """What the weights of the last master add up to in eq. (3)."""
        assert self.last is not None
        columns = self.master.columns[: len(self.last.w)]
        return sum(w * column.complexity for w, column in zip(self.last.w, columns, strict=True))

    def prove_in_parts(self, incumbent: Incumbent, budget: Budget) -> None:
        """Split all rule sets, and prove a bound of each part; it helps if all are higher."""
        duals = self.proof.searchable_duals
        if duals is None or not isinstance(self._training_set, TrainingSet):
            return
        branching = Branching(
            self._training_set,
            self._problem,
            self._settings,
            ColumnGeneration,
            lambda: incumbent.goal,
            lambda clauses: incumbent.offer_clauses(clauses, budget),
        )
        proved = int(self.proof.closed_at or self.proof.lower_bound or 0)
        clauses = [column.clause for column in self.master.columns]
        n_used = 0.0 if self.last is None else float(self.last.w.sum())
        self.proof.take(branching.prove(duals, proved, clauses, n_used, budget))

    def _is_near(self, solution: MasterSolution) -> bool:
        """Whether the duals prove what the linear program can, if no clause is missing.

        Where objectives are multiples of a step, they do so when rounded up.
        """
        if self._tolerance <= FINEST_GAP or not solution.excess:
            return True
        return self._least_objective(solution.z_rmlp) >= self._least_objective(solution.attained)

    def _least_objective(self, value: float) -> float:
        """Round a value of the linear program up where objectives are multiples of a step."""
        step = objective_step(self._training_set, self._problem)
        return value if step is None else rounded_up(value - ROUNDING * abs(value), step)

    def _is_worth(self, priced: PricingResult, solution: MasterSolution) -> bool:
        """Whether a clause was found that promises more than the master is off its value."""
        found = priced.best_reduced_cost
        return not solution.excess or (
            found is not None and -found >= self._tolerance * solution.attained
        )

    def _has_converged(self, priced: PricingResult, solution: MasterSolution) -> bool:
        """Whether no clause could raise the bound.

        Because none has negative reduced cost under duals that are near enough, or because what
        is proved is all that the weights of the master leave room for.
        """
        if priced.proves_no_improving_clause and self._is_near(solution):
            return True
        bound = self.proof.lower_bound
        return (
            solution.excess > 0
            and bound is not None
            and bound >= self._least_objective(solution.attained)
        )

    def _pricers_in_turn(self, *, is_near: bool) -> tuple[Pricer, ...]:
        n_entries = len(self.master.columns) * self._training_set.n_P
        return whom_to_ask(self._pricers, n_entries, is_near=is_near)

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
            z_rmlp=min([solution.attained, *(last.z_rmlp for last in self.trace[-1:])]),
            best_reduced_cost=priced.best_reduced_cost,
            is_proved=priced.proves_no_improving_clause,
            lower_bound=self.proof.lower_bound,
            n_columns=len(self.master.columns),
            n_new=n_new,
            pricer=pricer.name,
            n_nodes=priced.n_nodes,
            seconds=clock() - self._started,
        )
        self.trace.append(iteration)
        on_iteration(iteration)
