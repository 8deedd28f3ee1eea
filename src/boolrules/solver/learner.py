"""From rows to rule sets: one class against the rest, and every class in turn.

Owns what is learned in which time, at one complexity or along a path; ``reading`` makes rules of
what is found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import joblib
import numpy as np

from boolrules._support.budget import SECONDS_AFTER_INTERRUPT, Budget
from boolrules.data.training_set import TrainingSet
from boolrules.proof.certificate import Argument, Certificate
from boolrules.proof.unmet import RequirementsNotMetError, Unmet, UnmetError
from boolrules.solver.column_generation import learn
from boolrules.solver.fast_path import FastPath, padded_path
from boolrules.solver.fewest_errors import learn_fewest_errors
from boolrules.solver.not_met import not_met, quoted, told
from boolrules.solver.path import TradeOff
from boolrules.solver.preference import with_preferred
from boolrules.solver.progress import reporting
from boolrules.solver.reading import Reader
from boolrules.solver.result import Result, StopReason
from boolrules.solver.warm_up import warm_up_fast_paths, warm_up_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boolrules.data.encoding import TableEncoding
    from boolrules.data.given import Given
    from boolrules.data.problem import Problem
    from boolrules.data.requirement import Requirement
    from boolrules.data.samples import Samples
    from boolrules.rules import Clause, Form
    from boolrules.solver.reading import Fitted, Task
    from boolrules.solver.settings import Settings

# What a path's first pass may take of the time limit: the rest is for choosing among all clauses
# and for closing the gaps.
FIRST_PASS_SHARE = 0.5
# How many times its equal share of what is left each complexity may take: proofs at the first need
# little.
EAGERNESS = 3.0
# How long to look for the nearest to each requirement where not all can be met.
SECONDS_FOR_NEAREST = 5.0


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A task of a path with both classes: what given clauses leave of it, and its trade-off."""

    task: Task
    given: Given
    training_set: Samples
    trade_off: TradeOff


def count_workers(n_jobs: int | None, n_tasks: int) -> int:
    """How many tasks run side by side; None leaves it to ``joblib.parallel_config``, else one."""
    n_workers = joblib.effective_n_jobs(n_jobs)  # type: ignore[arg-type]
    return max(1, min(n_workers, n_tasks))


class Learner:
    """Learns one rule set per task, over the conditions of one encoding."""

    def __init__(
        self,
        encoding: TableEncoding,
        problem: Problem,
        form: Form,
        target: str | None,
        settings: Settings,
        verbose: int | None,
        given: tuple[Clause, ...] = (),
        requirements: tuple[Requirement, ...] = (),
        *,
        minimises: str = "loss",
    ) -> None:
        self._requirements = requirements
        self._minimises = minimises
        self._encoding = encoding
        self._problem = problem
        self._form = form
        self._settings = settings
        self._verbose = verbose
        self._given = given
        self._reader = Reader(encoding, form, target, given, requirements, minimises)

    def fit_all(self, tasks: list[Task], n_jobs: int | None, budget: Budget) -> list[Fitted]:
        """Learn every task's rules within one budget.

        An interrupt hurries those that are left.
        """
        self._warm_up(tasks)
        n_workers = count_workers(n_jobs, len(tasks))
        if len(tasks) > 1 and n_workers > 1:
            self._settings = replace(self._settings, n_threads=1)
            share = budget.share(1 / math.ceil(len(tasks) / n_workers)).time_limit
            fit = joblib.delayed(self.fit)
            workers = joblib.Parallel(n_workers)  # no more than there is work for
            return list(workers(fit(task, share) for task in tasks))
        fitted: list[Fitted] = []
        most = None
        for place, task in enumerate(tasks):
            share = budget.share(1 / (len(tasks) - place)).at_most(most).time_limit
            fitted.append(self.fit(task, share))
            if fitted[-1][2].stop_reason is StopReason.INTERRUPTED:
                most = SECONDS_AFTER_INTERRUPT
        return fitted

    def _warm_up(self, tasks: list[Task], *, is_fast: bool = False) -> None:
        """Load the compiled searches, if there is anything to learn."""
        if not any(task.rows.has_both_classes for task in tasks):
            return
        engine = self._settings.engine
        if not is_fast:
            warm_up_for(self._encoding.binned, engine)
            return
        n_codes = int(self._encoding.binned.n_codes.max(initial=1))
        prefers = bool(self._encoding.constraints.preferred_features)
        warm_up_fast_paths(engine, n_codes=n_codes, with_beams=prefers)

    def fit(self, task: Task, time_limit: float | None) -> Fitted:
        """Learn one task's rules, and read them, in so many seconds."""
        if not task.rows.has_both_classes:
            return self._reader.constant(task, self._problem)
        budget = Budget.of(time_limit)
        given, training_set = self._split(task)
        rest = _rest(given, training_set, self._problem)
        try:
            if rest is None:
                result = _nothing_to_learn(training_set, self._problem)
                return self._reader.finished(task, result, given, self._problem)
            with reporting(self._verbose, _title(task)) as shown:
                solve = learn_fewest_errors if self._minimises == "errors" else learn
                settings = replace(self._settings, time_limit=budget.time_limit)
                result = solve(training_set, rest, settings, shown, shown.step)
        except UnmetError as error:
            raise self._not_met(task, error.unmet, self._problem, budget) from None
        result = self._preferring(result, training_set)
        return self._reader.finished(task, result, given, self._problem)

    def fit_path(
        self,
        tasks: list[Task],
        max_complexities: Sequence[float],
        patience: int,
        budget: Budget,
    ) -> list[list[Fitted]]:
        """Learn every task at one complexity after another, within one budget.

        Stops where no task loses anything, where the losses have not fallen for ``patience``
        complexities, or at an interrupt, which hurries what is left.
        """
        self._check_room(max_complexities[0])
        problems = [replace(self._problem, max_complexity=C) for C in max_complexities]
        parts = [self._part(task) for task in tasks]
        samples = [part.training_set for part in parts if part is not None]
        is_in_memory = all(isinstance(one, TrainingSet) for one in samples)
        is_fast = not (self._settings.is_to_prove or self._requirements) and is_in_memory
        self._warm_up(tasks, is_fast=is_fast)
        if is_fast:
            rows = self._fast_rows(parts, problems, patience, budget)
        else:
            n_unmet, rows = self._first_pass(tasks, parts, problems, patience, budget)
            problems = problems[n_unmet:]
        points = problems[: max(1, *map(len, rows))]
        fitted = []
        for task, part, row in zip(tasks, parts, rows, strict=True):
            if part is None:
                fitted.append([self._reader.constant(task, problem) for problem in points])
                continue
            if self._settings.is_to_prove and row:
                if any(map(_is_interrupted, rows)):
                    budget = budget.at_most(SECONDS_AFTER_INTERRUPT)
                row[:] = self._second_pass(part, row, budget)
            best = [self._preferring(result, part.training_set) for result in row]
            longer = zip(padded_path(best, points), points, strict=True)
            fitted.append(
                [self._reader.finished(task, r, part.given, problem) for r, problem in longer]
            )
        return [list(point) for point in zip(*fitted, strict=True)]

    def _fast_rows(
        self, parts: list[Part | None], problems: list[Problem], patience: int, budget: Budget
    ) -> list[list[Result]]:
        """Learn each task at all complexities, without proofs; return a row for each task.

        Tasks share the time limit. An interrupt leaves the complexities that were done in all
        tasks, and hurries those that are left.
        """
        rows: list[list[Result]] = []
        for place, part in enumerate(parts):
            share = budget.share(1 / (len(parts) - place))
            rows.append([] if part is None else self._fast_row(part, problems, patience, share))
            if _is_interrupted(rows[-1]):
                problems = problems[: len(rows[-1])]
                budget = budget.at_most(SECONDS_AFTER_INTERRUPT)
        return [row[: len(problems)] for row in rows]

    def _fast_row(
        self, part: Part, problems: list[Problem], patience: int, budget: Budget
    ) -> list[Result]:
        """Learn one task at all complexities, beside the given clauses where these leave room."""
        rests = [_rest(part.given, part.training_set, problem) for problem in problems]
        left = [rest for rest in rests if rest is not None]
        full = [_nothing_to_learn(part.training_set, p) for p in problems[: -len(left) or None]]
        if not left:
            ends = (n for n in range(1, len(full)) if _has_ended([full[:n]], patience))
            return full[: next(ends, None)]
        assert isinstance(part.training_set, TrainingSet)
        path = FastPath(part.training_set, left, self._settings.engine, budget)
        return [*full, *path.learn(patience)]

    def _part(self, task: Task) -> Part | None:
        if not task.rows.has_both_classes:
            return None
        given, training_set = self._split(task)
        return Part(task, given, training_set, TradeOff(training_set, self._settings))

    def _first_pass(
        self,
        tasks: list[Task],
        parts: list[Part | None],
        problems: list[Problem],
        patience: int,
        budget: Budget,
    ) -> tuple[int, list[list[Result]]]:
        """Learn each task at each complexity; return a row of results for each task.

        And before that, how many complexities came before the first at which requirements are met.
        An interrupt leaves the complexities that were done, if there are any.
        """
        if self._settings.is_to_prove:
            budget = budget.share(FIRST_PASS_SHARE)
        rows: list[list[Result]] = [[] for _ in tasks]
        n_unmet = 0
        for place, problem in enumerate(problems):
            try:
                point = self._point(tasks, parts, problem, len(problems) - place, budget)
                for result, row in zip(point, rows, strict=True):
                    row.append(result)
            except UnmetError as error:
                # Requirements that cannot be met at a complexity may be at the next. The path
                # begins there, even if no rules at all, always no or always yes, met them.
                if problem is problems[-1]:
                    raise self._not_met(tasks[0], error.unmet, problem, budget) from None
                n_unmet, rows = place + 1, [[] for _ in tasks]
                continue
            except KeyboardInterrupt:
                if place == n_unmet:
                    raise
                return n_unmet, [_cut_off(row, place - n_unmet) for row in rows]
            if _has_ended(rows, patience):
                break
        return n_unmet, rows

    def _point(
        self,
        tasks: list[Task],
        parts: list[Part | None],
        problem: Problem,
        n_left: int,
        budget: Budget,
    ) -> Iterator[Result]:
        """Learn each task at one complexity, of so many that are left."""
        for k, (task, part) in enumerate(zip(tasks, parts, strict=True)):
            if part is None:
                yield self._reader.constant(task, problem)[2]
                continue
            rest = _rest(part.given, part.training_set, problem)
            if rest is None:
                result = _nothing_to_learn(part.training_set, problem)
                self._reader.finished(task, result, part.given, problem)  # if requirements are met
                yield result
                continue
            share = min(1.0, EAGERNESS / (n_left * len(tasks) - k))
            limit = budget.share(share).time_limit
            with reporting(self._verbose, _title(task, problem.max_complexity)) as shown:
                result = part.trade_off.learn(rest, limit, shown, shown.step)
            if result.stop_reason is StopReason.INTERRUPTED:
                n_left, budget = 1, budget.at_most(SECONDS_AFTER_INTERRUPT)
            yield result

    @property
    def least_complexity(self) -> float:
        """What the given clauses, and the fewest conditions that are required, have."""
        n_clauses, n_conditions = self._least_size
        return self._problem.complexity(n_clauses, n_conditions)

    @property
    def _least_size(self) -> tuple[int, int]:
        n_clauses, n_conditions = self._problem.least_required
        n_clauses += len(self._given)
        return n_clauses, n_conditions + sum(len(clause.conditions) for clause in self._given)

    def _check_room(self, C: float) -> None:
        if not replace(self._problem, max_complexity=C).fits(*self._least_size):
            raise ValueError(
                f"complexities begin at {C:g}, but what is given and required has "
                f"{self.least_complexity:g}. Begin at {self.least_complexity:g}."
            )

    def _second_pass(self, part: Part, row: list[Result], budget: Budget) -> list[Result]:
        """Choose among all clauses and close the gaps, where there was anything to learn."""
        n_full = sum(r.stop_reason is StopReason.NOTHING_TO_LEARN for r in row)
        again = part.trade_off.chosen_among_all(row[n_full:], budget)
        is_interrupted = _is_interrupted(row) or _is_interrupted(again)
        if again:
            left = budget.at_most(SECONDS_AFTER_INTERRUPT if is_interrupted else None)
            with reporting(self._verbose, _title(part.task)) as shown:
                again = part.trade_off.proved(again, left, shown.step)
        if again and is_interrupted:
            # A proof of the last point does not make the path a whole one.
            again[-1] = replace(again[-1], stop_reason=StopReason.INTERRUPTED)
        return [*row[:n_full], *again]

    def _split(self, task: Task) -> tuple[Given, Samples]:
        """Take the given clauses out of the task, and encode what they leave."""
        return task.rows.without(
            self._given, self._encoding, self._form, self._problem, self._requirements
        )

    def _not_met(
        self, task: Task, unmet: Unmet, problem: Problem, budget: Budget
    ) -> RequirementsNotMetError:
        """Say what cannot be had, or was not found, and the nearest that was."""
        nearest = self._reader.read(task, list(unmet.nearest), self._form, self._given)
        found = [self._nearest_to(one, task, problem, budget) for one in self._requirements]
        known = [one for one in found if one] or [
            told(task.rows.standings(nearest, self._requirements))
        ]
        text = not_met(self._requirements, unmet.is_proved, problem, known)
        return RequirementsNotMetError(text, unmet, nearest)

    def _nearest_to(
        self, requirement: Requirement, task: Task, problem: Problem, budget: Budget
    ) -> str | None:
        """Look for the nearest to one requirement where the others are met, and say what it is."""
        others = tuple(one for one in self._requirements if one is not requirement)
        rows = task.rows.caring_for(requirement)
        if rows is None or not others or budget.is_spent:
            return None
        given, training_set = rows.without(
            self._given, self._encoding, self._form, problem, others
        )
        rest = problem.without(*given.size)
        if rest is None:
            return None
        seconds = budget.share(1 / (1 + len(self._requirements))).at_most(SECONDS_FOR_NEAREST)
        settings = replace(self._settings, mode="fast", time_limit=seconds.remaining_seconds)
        try:
            result = learn(training_set, rest, settings, lambda iteration: None)
        except UnmetError:
            return None
        clauses = [column.clause for column in result.chosen_columns]
        rules = self._reader.read(task, clauses, self._form, given.clauses)
        return f"{told(task.rows.standings(rules, [requirement]))} with {quoted(others)}"

    def _preferring(self, result: Result, training_set: Samples) -> Result:
        """Break ties in favour of preferred features."""
        preferred = self._encoding.constraints.preferred_features
        if not preferred:
            return result
        features, binned = self._encoding.features, self._encoding.binned
        is_preferred = np.array([f.name in preferred for f in features], dtype=bool)
        return with_preferred(result, training_set, is_preferred[binned.feature])


def _rest(given: Given, training_set: Samples, problem: Problem) -> Problem | None:
    """Return what the given clauses leave to be solved; None where there is nothing."""
    is_asked = training_set.weight_of_positives or problem.required or training_set.demands
    if not is_asked:
        return None
    return problem.without(*given.size)


def _nothing_to_learn(training_set: Samples, problem: Problem) -> Result:
    """No clause beside the given ones: they cover all positives, or leave no room."""
    loss = training_set.hamming_loss([])
    argument = Argument.NO_ROOM if loss else Argument.ZERO_LOSS
    certificate = Certificate(loss, 0, loss, argument, problem)
    return Result((), (), certificate, (), StopReason.NOTHING_TO_LEARN, 0.0)


def _title(task: Task, max_complexity: float | None = None) -> str:
    """Name the class, where there are several, and the complexity, where there is a path."""
    words = [] if task.negative is not None else [str(task.positive)]
    if max_complexity is not None:
        words.append(f"complexity {max_complexity:g}")
    return ", ".join(words)


def _cut_off(row: list[Result], place: int) -> list[Result]:
    """Keep what was learned before a place; it ended there, where there was anything to learn."""
    kept = row[:place]
    if kept[-1].stop_reason not in (StopReason.NOTHING_TO_LEARN, StopReason.ONE_CLASS):
        kept[-1] = replace(kept[-1], stop_reason=StopReason.INTERRUPTED)
    return kept


def _is_interrupted(row: Sequence[Result]) -> bool:
    return any(result.stop_reason is StopReason.INTERRUPTED for result in row)


def _has_ended(results: Sequence[Sequence[Result]], patience: int) -> bool:
    if any(map(_is_interrupted, results)):
        return True
    losses = [sum(r.certificate.objective for r in point) for point in zip(*results, strict=True)]
    return losses[-1] == 0 or (len(losses) > patience and losses[-1] >= losses[-1 - patience])
