"""Fewest mistaken rows, each counted once: found from the Hamming optimum on, and proved.

The best rule set for the Hamming loss is a good one here. Exchanging its clauses one by one makes
it better, and an exact search over all rule sets proves it or finds one that is better still.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from boolrules._support.budget import Budget, clock
from boolrules._support.interrupts import searching
from boolrules.data.column import Duals
from boolrules.data.problem import as_number
from boolrules.data.training_set import TrainingSet
from boolrules.proof.certificate import Argument, Certificate
from boolrules.proof.few_errors import least_errors, with_dear_positives
from boolrules.search.error_search import ErrorSearch
from boolrules.solver.column_generation import learn
from boolrules.solver.pricing import BeamSearch
from boolrules.solver.result import StopReason

if TYPE_CHECKING:
    from collections.abc import Callable

    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples
    from boolrules.proof.gap import Clauses
    from boolrules.solver.result import Iteration, Result
    from boolrules.solver.settings import Settings

# Of the time that is left: for the Hamming loss to begin with, and for the search.
SHARE_OF_START, SHARE_OF_SEARCH = 0.3, 0.7


def learn_fewest_errors(
    training_set: Samples,
    problem: Problem,
    settings: Settings,
    on_iteration: Callable[[Iteration], None],
    on_step: Callable[[str], None] = lambda text: None,
) -> Result:
    """Find a rule set that mistakes few rows, and prove what can be proved of it."""
    assert isinstance(training_set, TrainingSet)
    started = clock()
    budget = Budget.of(settings.time_limit)
    first = replace(settings, time_limit=budget.share(SHARE_OF_START).time_limit)
    result = learn(training_set, problem, first, on_iteration, on_step)
    search = ErrorSearch(training_set, problem, settings.n_threads, settings.engine)
    best: Clauses = tuple(column.clause for column in result.chosen_columns)
    stop_reason, bound, argument, duals = StopReason.TIME_LIMIT, None, Argument.NONE, None
    try:
        with searching():
            best = _exchanged(search, training_set, problem, settings, best, budget)
            if settings.is_to_prove:
                on_step("searching all rule sets, each row counted once")
                best, is_proved = _searched(search, best, budget.share(SHARE_OF_SEARCH))
                if is_proved:
                    bound, argument = search.errors(best), Argument.EVERY_RULE_SET
                    stop_reason = StopReason.OPTIMAL
                else:
                    on_step("proving a bound with zeros at a share of their weight")
                    rest = replace(settings, time_limit=budget.time_limit)
                    dear = learn(
                        with_dear_positives(training_set, problem), problem, rest, _ignored
                    )
                    weak = dear.certificate.lower_bound
                    if weak is not None and dear.certificate.duals is not None:
                        bound = least_errors(weak, training_set, problem)
                        duals, argument = dear.certificate.duals, dear.certificate.argument
    except KeyboardInterrupt:
        stop_reason = StopReason.INTERRUPTED
    errors = search.errors(best)
    if errors == 0:
        bound, argument, duals, stop_reason = 0, Argument.ZERO_LOSS, None, StopReason.OPTIMAL
    certificate = Certificate(
        as_number(errors),
        problem.complexity(len(best), sum(map(len, best))),
        None if bound is None else as_number(float(min(bound, errors))),
        argument,
        problem,
        duals,
        minimises="errors",
    )
    columns = tuple(training_set.columns(best, problem))
    return replace(
        result,
        columns=columns,
        chosen=tuple(range(len(columns))),
        certificate=certificate,
        stop_reason=stop_reason,
        seconds=clock() - started,
    )


def _searched(search: ErrorSearch, best: Clauses, budget: Budget) -> tuple[Clauses, bool]:
    """Search until nothing is better; say whether that is proved."""
    while True:
        outcome = search.below(search.errors(best), budget)
        if outcome.better is None:
            return best, outcome.is_proved
        best = outcome.better


def _exchanged(
    search: ErrorSearch,
    training_set: TrainingSet,
    problem: Problem,
    settings: Settings,
    best: Clauses,
    budget: Budget,
) -> Clauses:
    """Exchange one clause after another for the best beside the others, while that helps."""
    is_better = True
    while is_better and not budget.is_spent:
        is_better = False
        for place in range(len(best) + 1):
            if budget.is_spent:
                break
            others = tuple(clause for k, clause in enumerate(best) if k != place)
            for found in _beside(training_set, problem, settings, others, budget):
                changed = (*others, found)
                if search.errors(changed) < search.errors(best):
                    best, is_better = changed, True
                    break
            if is_better:
                break
    return best


def _beside(
    training_set: TrainingSet,
    problem: Problem,
    settings: Settings,
    others: Clauses,
    budget: Budget,
) -> list[tuple[int, ...]]:
    """Look for clauses where the rows that others cover count no more."""
    room = problem.room_for_conditions(len(others) + 1, sum(map(len, others)))
    if room < 1:
        return []
    longest = int(min(room, problem.max_conditions or room, len(training_set.conditions)))
    weights_P, weights_Z = training_set.weights_P.copy(), training_set.weights_Z.copy()
    for clause in others:
        weights_P[training_set.P.delta(clause)] = 0.0
        weights_Z[training_set.Z.delta(clause)] = 0.0
    left = replace(training_set, weights_P=weights_P, weights_Z=weights_Z)
    small = replace(problem, max_conditions=longest)
    beam = BeamSearch(left, small, engine=settings.engine, n_threads=settings.n_threads)
    return [column.clause for column in beam.price(Duals(weights_P, 0.0), budget).columns]


def _ignored(iteration: Iteration) -> None:
    """Nobody looks at the rounds of a bound by the way."""
