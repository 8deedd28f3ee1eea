"""The loop: Restricted MLP, pricing, new columns; at the end the Restricted MIP (§2.2, §3)."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from boolrules.budget import Budget
from boolrules.certificate import Argument, Certificate, rounded_bound
from boolrules.column import reduced_cost
from boolrules.master import MasterSolution, RestrictedMaster
from boolrules.pricing import BeamSearch, BranchAndBound, IntegerProgram, Sampled
from boolrules.result import Iteration, Result, StopReason
from boolrules.selection import Selected, Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from boolrules.column import Column, IntegerDuals
    from boolrules.pricing import Pricer, PricingResult
    from boolrules.problem import Problem
    from boolrules.training_set import TrainingSet

LARGE_N_ROWS = 20_000
LARGE_N_NONZEROS = 1_000_000
# What is kept of the time limit for choosing the rule set among the columns.
SELECTION_SHARE = 0.25
SECONDS_AFTER_INTERRUPT = 1.0


@dataclass(frozen=True, slots=True)
class Settings:
    """How to search, apart from what for."""

    exact_pricer: str = "search"
    time_limit: float | None = 60.0
    pricing_time_limit: float | None = None
    n_threads: int = 1
    seed: int = 0


def learn(
    training_set: TrainingSet,
    problem: Problem,
    settings: Settings,
    on_iteration: Callable[[Iteration], None],
) -> Result:
    """Generate columns, choose a rule set among them, and certify it.

    Ctrl-C ends it early, with the best so far.
    """
    started = time.monotonic()
    budget = Budget.of(settings.time_limit)
    run = ColumnGeneration(training_set, problem, settings, started)
    try:
        stop_reason = run.generate(budget.share(1.0 - SELECTION_SHARE), on_iteration)
    except KeyboardInterrupt:
        stop_reason = StopReason.INTERRUPTED
        budget = Budget.of(SECONDS_AFTER_INTERRUPT)
    try:
        selected = run.select(budget, is_hurried=stop_reason is StopReason.INTERRUPTED)
    except KeyboardInterrupt:
        stop_reason, selected = StopReason.INTERRUPTED, run.incumbent
    certificate = run.certify(selected)
    if certificate.is_optimal and stop_reason is StopReason.CONVERGED:
        stop_reason = StopReason.OPTIMAL
    seconds = time.monotonic() - started
    columns = tuple(run.master.columns)
    return Result(columns, selected.chosen, certificate, tuple(run.trace), stop_reason, seconds)


class ColumnGeneration:
    """One run of the paper's algorithm."""

    def __init__(
        self, training_set: TrainingSet, problem: Problem, settings: Settings, started: float
    ) -> None:
        self._training_set = training_set
        self._problem = problem
        self._settings = settings
        self._started = started
        self._pricers = make_pricers(training_set, problem, settings)
        self._proof = _Proof(problem)
        self._last: MasterSolution | None = None
        self.master = RestrictedMaster(training_set, problem)
        self.trace: list[Iteration] = []
        self.incumbent = Selected((), float(training_set.weights_P.sum()))

    def generate(self, budget: Budget, on_iteration: Callable[[Iteration], None]) -> StopReason:
        """Repeat until no clause improves the master, or a limit is met (§2.2, §3)."""
        while True:
            solution = self.master.solve(budget)  # the Restricted MLP, eqs. (1)-(3)
            if solution is None:
                return StopReason.TIME_LIMIT
            self._last = solution
            for pricer in self._pricers:  # the Pricing Problem, eqs. (6)-(10)
                priced = pricer.price(
                    solution.duals, budget.at_most(self._settings.pricing_time_limit)
                )
                self._proof.consider(priced)
                n_new = self.master.add(priced.columns)
                if n_new or budget.is_spent:
                    break
            self._record(solution, pricer, priced, n_new, on_iteration)
            if priced.proves_no_improving_clause:
                return StopReason.CONVERGED
            if budget.is_spent:
                return StopReason.TIME_LIMIT
            if not n_new:
                return StopReason.PRICING_LIMIT

    def select(self, budget: Budget, *, is_hurried: bool) -> Selected:
        """Choose the rule set: local search, reduced-cost fixing, the Restricted MIP (§2.3)."""
        columns = self.master.columns
        if self._last is None or not columns:
            return self.incumbent
        w = np.zeros(len(columns))
        w[: len(self._last.w)] = self._last.w
        selection = Selection(self._training_set, self._problem, columns)
        self.incumbent = selection.best_of_starts(w, Budget.unlimited() if is_hurried else budget)
        if is_hurried or self._is_proved(self.incumbent):
            return self.incumbent
        room = self.incumbent.objective - self._last.z_rmlp
        kept = [k for k, c in enumerate(columns) if reduced_cost(c, self._last.duals) <= room]
        kept = sorted({*kept, *self.incumbent.chosen})
        small = Selection(self._training_set, self._problem, [columns[k] for k in kept])
        place = {k: position for position, k in enumerate(kept)}
        start = replace(self.incumbent, chosen=tuple(place[k] for k in self.incumbent.chosen))
        found = small.restricted_mip(start, budget, self._settings.n_threads)
        return replace(found, chosen=tuple(kept[position] for position in found.chosen))

    def certify(self, selected: Selected) -> Certificate:
        """State what was proved, and nothing else."""
        chosen = [self.master.columns[k] for k in selected.chosen]
        loss = hamming_loss(self._training_set, self._problem, chosen)
        n_conditions = sum(len(column.features) for column in chosen)
        complexity = self._problem.complexity(len(chosen), n_conditions)
        objective = loss + self._problem.complexity_penalty * complexity
        bound = self._proof.lower_bound(self._training_set)
        if bound is not None:
            argument = Argument.EXACT_SEARCH if self._proof.is_exact else Argument.INTEGER_PROGRAM
            return Certificate(loss, complexity, bound, argument, self._problem, self._proof.duals)
        if objective == 0:
            return Certificate(loss, complexity, 0, Argument.ZERO_LOSS, self._problem)
        return Certificate(loss, complexity, None, Argument.NONE, self._problem)

    def _is_proved(self, selected: Selected) -> bool:
        bound = self._proof.lower_bound(self._training_set)
        return bound is not None and selected.objective <= bound

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


class _Proof:
    """The best lower bound proved so far and the duals that it rests on."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._value: Fraction | None = None
        self.duals: IntegerDuals | None = None
        self.is_exact = True

    def consider(self, priced: PricingResult) -> None:
        """Keep the duals of a pricing call if they give a better bound."""
        if priced.feasible_duals is None:
            return
        value = priced.feasible_duals.bound(self._problem)
        if value > 0 and (self._value is None or value > self._value):
            self._value, self.duals = value, priced.feasible_duals
            self.is_exact = priced.is_exact

    def lower_bound(self, training_set: TrainingSet) -> float | None:
        """Return the bound, rounded as far as that is valid."""
        if self.duals is None:
            return None
        return rounded_bound(self.duals, training_set, self._problem)


def make_pricers(
    training_set: TrainingSet, problem: Problem, settings: Settings
) -> tuple[Pricer, ...]:
    """Who is asked for clauses, in which order, until one has an answer.

    With ``"search"``, the heuristic first and the exact search where it fails; with
    ``"integer_program"``, as in the paper, the Pricing Problem first and the heuristic where that
    fails.
    """
    random = np.random.default_rng(settings.seed)
    beam = BeamSearch(training_set, problem)
    n_rows = len(training_set.weights_P) + len(training_set.weights_Z)
    if settings.exact_pricer == "integer_program":

        def make_program(samples: TrainingSet, problem: Problem) -> Pricer:
            return IntegerProgram(samples, problem, settings.n_threads)

        if n_rows * len(training_set.conditions) > LARGE_N_NONZEROS:
            return Sampled(training_set, problem, make_program, random), beam
        return make_program(training_set, problem), beam
    exact = BranchAndBound(training_set, problem)
    if n_rows > LARGE_N_ROWS:
        quick = Sampled(training_set, problem, BeamSearch, random, LARGE_N_ROWS, 10**9)
        return quick, beam, exact
    return beam, exact


def hamming_loss(training_set: TrainingSet, problem: Problem, columns: Sequence[Column]) -> float:
    """Hamming loss of the columns as a rule set, eq. (1) without any penalty."""
    is_missed = np.ones(len(training_set.weights_P), dtype=bool)
    loss = 0.0
    for column in columns:
        is_missed &= ~column.delta_P
        loss += float(training_set.weights_Z[training_set.delta_Z(column.features)].sum())
    loss += float(training_set.weights_P[is_missed].sum())
    return int(loss) if loss.is_integer() else loss
