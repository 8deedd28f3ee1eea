"""Rule sets for one complexity after another, from one pool of clauses (§4).

Each run of column generation starts with all clauses of those before it, the master's last basis
and the last rule set. A second pass chooses every rule set among the clauses found anywhere.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from boolrules.certificate import Argument
from boolrules.column_generation import Settings, learn
from boolrules.master import RestrictedMaster
from boolrules.optimality import hamming_loss
from boolrules.result import StopReason
from boolrules.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from boolrules.budget import Budget
    from boolrules.certificate import Certificate
    from boolrules.column import Column
    from boolrules.problem import Problem
    from boolrules.result import Iteration, Result
    from boolrules.training_set import TrainingSet


class TradeOff:
    """One training set and the clauses found for it so far; limits must grow from call to call."""

    def __init__(self, training_set: TrainingSet, settings: Settings) -> None:
        self._training_set = training_set
        self._settings = settings
        self._master: RestrictedMaster | None = None
        self._last: Result | None = None

    def learn(
        self,
        problem: Problem,
        time_limit: float | None,
        on_iteration: Callable[[Iteration], None],
        on_step: Callable[[str], None],
    ) -> Result:
        """Learn at the next complexity; never worse than at the one before."""
        if self._master is None:
            self._master = RestrictedMaster(self._training_set, problem)
        self._master.change_limit(problem)
        start = () if self._last is None else _clauses(self._last)
        self._last = learn(
            self._training_set,
            problem,
            replace(self._settings, time_limit=time_limit),
            on_iteration,
            on_step,
            master=self._master,
            start=start,
        )
        return self._last

    def chosen_among_all(self, results: Sequence[Result], budget: Budget) -> list[Result]:
        """Choose again at every complexity, among the clauses found at any of them."""
        pool = list(self._master.columns) if self._master is not None else []
        chosen: list[Result] = []
        for result in results:
            best = result
            if not result.certificate.is_optimal:
                starts = [*chosen[-1:], result]
                best = self._chosen_again(result, pool, starts, budget)
            chosen.append(best)
        return chosen

    def _chosen_again(
        self, result: Result, pool: list[Column], starts: Sequence[Result], budget: Budget
    ) -> Result:
        problem = result.certificate.problem
        columns = [column for column in pool if column.complexity <= problem.max_complexity]
        place = {column.features: k for k, column in enumerate(columns)}
        selection = Selection(self._training_set, problem, columns)
        found = [
            selection.local_search([place[f] for f in _clauses(start)], budget) for start in starts
        ]
        best = min(found, key=lambda selected: selected.objective)
        if best.objective >= result.certificate.objective:
            return result
        certificate = self._certified(
            result.certificate, [columns[k] for k in best.chosen], problem
        )
        stop_reason = StopReason.OPTIMAL if certificate.is_optimal else result.stop_reason
        return replace(
            result,
            columns=tuple(columns),
            chosen=best.chosen,
            certificate=certificate,
            stop_reason=stop_reason,
        )

    def _certified(
        self, old: Certificate, chosen: Sequence[Column], problem: Problem
    ) -> Certificate:
        """The bound holds for every rule set of the problem: only the loss changes."""
        loss = hamming_loss(self._training_set, [column.features for column in chosen])
        n_conditions = sum(len(column.features) for column in chosen)
        complexity = problem.complexity(len(chosen), n_conditions)
        new = replace(old, hamming_loss=loss, complexity=complexity)
        if new.objective == 0 and old.lower_bound is None:
            return replace(new, lower_bound=0, argument=Argument.ZERO_LOSS, duals=None)
        return new


def _clauses(result: Result) -> tuple[tuple[int, ...], ...]:
    return tuple(column.features for column in result.chosen_columns)
