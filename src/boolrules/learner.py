"""From an encoded table to rule sets: one class against the rest, and every class in turn."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np

from boolrules.certificate import Argument, Certificate
from boolrules.column_generation import Settings, learn
from boolrules.progress import reporting
from boolrules.result import Result, StopReason
from boolrules.rules import Clause, Form, RuleSet
from boolrules.saved_model import make_training_set

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.encoding import TableEncoding
    from boolrules.problem import Problem
    from boolrules.rules import Condition
    from boolrules.table import Table


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

    def fit_all(
        self, tasks: list[Task], n_jobs: int | None
    ) -> list[tuple[RuleSet, Certificate, Result]]:
        """Learn every task's rules within one time limit.

        An interrupt hurries those that are left.
        """
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

    def fit(self, task: Task) -> tuple[RuleSet, Certificate, Result]:
        """Learn one task's rules."""
        weighs = task.row_weights > 0
        has_both = np.any(weighs & task.is_positive) and np.any(weighs & ~task.is_positive)
        if not has_both:
            return self._constant(task)
        training_set = make_training_set(
            self._encoding, self._table, task.is_positive, task.row_weights, self._form
        )
        title = "" if task.negative is not None else str(task.positive)
        with reporting(self._verbose, title) as shown:
            result = learn(training_set, self._problem, self._settings, shown, shown.step)
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

    def _constant(self, task: Task) -> tuple[RuleSet, Certificate, Result]:
        """Return the constant rule set.

        No clause, complexity 0, loss 0, where all weight is in one class.
        """
        always_positive = bool(np.any((task.row_weights > 0) & task.is_positive))
        rules = self._read(task, [], Form.CNF if always_positive else Form.DNF)
        certificate = Certificate(0, 0, 0, Argument.ZERO_LOSS, self._problem)
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
