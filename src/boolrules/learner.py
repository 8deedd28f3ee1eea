"""From an encoded table to rule sets: one class against the rest, and every class in turn."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np

from boolrules.budget import Budget
from boolrules.certificate import Argument, Certificate
from boolrules.column_generation import Settings, learn
from boolrules.progress import reporting
from boolrules.result import Result, StopReason
from boolrules.rules import Clause, Form, RuleSet
from boolrules.saved_model import make_training_set
from boolrules.trade_off import TradeOff

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.encoding import TableEncoding
    from boolrules.problem import Problem
    from boolrules.rules import Condition
    from boolrules.table import Table
    from boolrules.training_set import TrainingSet


Fitted = tuple[RuleSet, Certificate, Result]

# What is kept of a path's time limit for choosing among all clauses at the end.
FIRST_PASS_SHARE = 0.9
# How many times its equal share of what is left each complexity may take: the first need little.
EAGERNESS = 3.0
LEAST_SECONDS = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """One class against the rest.

    Parameters
    ----------
    positive, negative : label
        What is predicted.
    is_positive : bool array
        Which rows are of the class.
    row_weights : float array
        What each row costs in the Hamming loss.
    class_weights : float array
        The same without the costs of mistakes: what statistics and probabilities count.
    """

    positive: Any
    negative: Any
    is_positive: NDArray[np.bool_]
    row_weights: NDArray[np.float64]
    class_weights: NDArray[np.float64]


class Learner:
    """Learns one rule set per task from one encoded table."""

    def __init__(
        self,
        table: Table,
        encoding: TableEncoding,
        problem: Problem,
        form: Form,
        target: str | None,
        settings: Settings,
        verbose: int,
    ) -> None:
        self._table = table
        self._encoding = encoding
        self._conditions = encoding.conditions()[0]
        self._problem = problem
        self._form = form
        self._target = target
        self._settings = settings
        self._verbose = verbose

    def fit_all(self, tasks: list[Task], n_jobs: int | None) -> list[Fitted]:
        """Learn every task's rules within one time limit.

        An interrupt hurries those that are left.
        """
        if len(tasks) == 1:
            return [self.fit(tasks[0])]
        n_workers = min(joblib.effective_n_jobs(n_jobs or 1), len(tasks))
        if self._settings.time_limit is not None:
            share = self._settings.time_limit / math.ceil(len(tasks) / n_workers)
            self._settings = replace(self._settings, time_limit=share, n_threads=1)
        if n_workers > 1:
            return list(joblib.Parallel(n_jobs)(joblib.delayed(self.fit)(task) for task in tasks))
        fitted = []
        for task in tasks:
            fitted.append(self.fit(task))
            if fitted[-1][2].stop_reason is StopReason.INTERRUPTED:
                self._settings = replace(self._settings, time_limit=1.0)
        return fitted

    def fit(self, task: Task) -> Fitted:
        """Learn one task's rules."""
        training_set = self._training_set(task)
        if training_set is None:
            return self._constant(task, self._problem)
        with reporting(self._verbose, _title(task)) as shown:
            result = learn(training_set, self._problem, self._settings, shown, shown.step)
        return self._finished(task, result)

    def fit_path(
        self, tasks: list[Task], max_complexities: Sequence[float], patience: int
    ) -> list[list[Fitted]]:
        """Learn every task at one complexity after another, within one time limit.

        Stops where no task loses anything, where the losses have not fallen for ``patience``
        complexities, or at an interrupt.
        """
        budget = Budget.of(self._settings.time_limit)
        first_pass = budget.share(FIRST_PASS_SHARE)
        makers = [
            None if samples is None else TradeOff(samples, self._settings)
            for samples in map(self._training_set, tasks)
        ]
        results: list[list[Result]] = [[] for _ in tasks]
        for place, C in enumerate(max_complexities):
            problem = replace(self._problem, max_complexity=C)
            n_left = len(max_complexities) - place
            for k, (task, maker) in enumerate(zip(tasks, makers, strict=True)):
                if maker is None:
                    results[k].append(self._constant(task, problem)[2])
                    continue
                share = min(1.0, EAGERNESS / (n_left * len(tasks) - k))
                seconds = first_pass.share(share).remaining_seconds
                with reporting(self._verbose, f"{_title(task, C)}") as shown:
                    limit = None if math.isinf(seconds) else max(seconds, LEAST_SECONDS)
                    results[k].append(maker.learn(problem, limit, shown, shown.step))
            if _has_ended(results, patience):
                break
        fitted = []
        for task, maker, row in zip(tasks, makers, results, strict=True):
            if maker is None:
                fitted.append([self._constant(task, r.certificate.problem) for r in row])
            else:
                again = maker.chosen_among_all(row, budget)
                fitted.append([self._finished(task, result) for result in again])
        return [list(point) for point in zip(*fitted, strict=True)]

    def _training_set(self, task: Task) -> TrainingSet | None:
        """Encode the task; None where all weight is in one class."""
        weighs = task.row_weights > 0
        if not (np.any(weighs & task.is_positive) and np.any(weighs & ~task.is_positive)):
            return None
        return make_training_set(
            self._encoding, self._table, task.is_positive, task.row_weights, self._form
        )

    def _finished(self, task: Task, result: Result) -> Fitted:
        """Read the chosen clauses as rules, and count their loss on the table itself."""
        if not self._conditions:
            result = replace(result, stop_reason=StopReason.NO_CONDITIONS)
        rules = self._read(task, [column.features for column in result.chosen_columns], self._form)
        loss = rules.hamming_loss(self._table, task.is_positive, task.row_weights)
        if not math.isclose(loss, result.certificate.hamming_loss, rel_tol=1e-9):
            raise RuntimeError(
                f"The rules lose {loss} on the table but {result.certificate.hamming_loss} in "
                "the solver. "
                "This is a bug in boolrules; please report it with the data."
            )
        certificate = replace(result.certificate, hamming_loss=loss)
        return rules, certificate, replace(result, certificate=certificate)

    def _constant(self, task: Task, problem: Problem) -> Fitted:
        """Return the constant rule set.

        No clause, complexity 0, loss 0, where all weight is in one class.
        """
        always_positive = bool(np.any((task.row_weights > 0) & task.is_positive))
        rules = self._read(task, [], Form.CNF if always_positive else Form.DNF)
        certificate = Certificate(0, 0, 0, Argument.ZERO_LOSS, problem)
        return rules, certificate, Result((), (), certificate, (), StopReason.ONE_CLASS, 0.0)

    def _read(self, task: Task, clauses: list[tuple[int, ...]], form: Form) -> RuleSet:
        def read(features: tuple[int, ...]) -> tuple[Condition, ...]:
            return tuple(self._conditions[j] for j in features)

        rules = RuleSet(
            tuple(Clause(read(features)) for features in clauses),
            form,
            task.positive,
            task.negative,
            self._target,
        )
        return rules.with_statistics(self._table, task.is_positive, task.class_weights)


def _title(task: Task, max_complexity: float | None = None) -> str:
    """Name the class, where there are several, and the complexity, where there is a path."""
    words = [] if task.negative is not None else [str(task.positive)]
    if max_complexity is not None:
        words.append(f"complexity {max_complexity:g}")
    return ", ".join(words)


def _has_ended(results: Sequence[Sequence[Result]], patience: int) -> bool:
    if any(row[-1].stop_reason is StopReason.INTERRUPTED for row in results):
        return True
    losses = [sum(r.certificate.objective for r in point) for point in zip(*results, strict=True)]
    return losses[-1] == 0 or (len(losses) > patience and losses[-1] >= losses[-1 - patience])
