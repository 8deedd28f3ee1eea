"""What was found for a task, as people read it: rules, and the certificate of them.

Owns how columns become rules. Counts their loss again on the table itself, and holds them against
the requirements there, whatever the solver says of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from boolrules.data.whole_values import as_read
from boolrules.proof.certificate import Argument, Certificate
from boolrules.proof.unmet import Unmet, UnmetError
from boolrules.rules import Clause, Form, RuleSet
from boolrules.solver.result import Result, StopReason

if TYPE_CHECKING:
    from boolrules.data.encoding import TableEncoding
    from boolrules.data.given import Given
    from boolrules.data.problem import Problem
    from boolrules.data.requirement import Requirement
    from boolrules.data.rows import Rows
    from boolrules.rules import Condition

Fitted = tuple[RuleSet, Certificate, Result]


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """One class against the rest.

    Parameters
    ----------
    positive, negative : label
        What is predicted; None for "the rest" of three classes or more.
    rows : Rows
        What to learn from.
    """

    positive: Any
    negative: Any
    rows: Rows


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """Reads what is found for tasks over the conditions of one encoding.

    Parameters
    ----------
    encoding : TableEncoding
        Whose conditions clauses are made of.
    form : Form
        How clauses are joined.
    target : str or None
        The name of the column that is predicted.
    given : tuple of Clause
        Clauses that must stay.
    requirements : tuple of Requirement
        What rules must meet on the table.
    minimises : str
        What certificates speak of.
    """

    encoding: TableEncoding
    form: Form
    target: str | None
    given: tuple[Clause, ...]
    requirements: tuple[Requirement, ...]
    minimises: str

    def finished(self, task: Task, result: Result, given: Given, problem: Problem) -> Fitted:
        """Read the chosen clauses as rules, and count their loss on the table itself."""
        if problem.max_complexity == 0 and task.negative is not None:
            return self._no_rules(task, result, problem)
        if not self.encoding.conditions:
            result = replace(result, stop_reason=StopReason.NO_CONDITIONS)
        clauses = [column.clause for column in result.chosen_columns]
        rules = self.read(task, clauses, self.form, given.clauses)
        certificate = result.certificate.with_given(given, problem)
        is_once = certificate.each_row_once
        loss = task.rows.errors(rules) if is_once else task.rows.hamming_loss(rules)
        if not task.rows.is_same_loss(loss, certificate.hamming_loss):
            raise RuntimeError(
                f"The rules lose {loss} on the table but {certificate.hamming_loss} in "
                "the solver. "
                "This is a bug in boolrules; please report it with the data."
            )
        certificate = replace(certificate, hamming_loss=loss, **self._ranged_over)
        if not task.rows.meets(rules, self.requirements):
            if result.stop_reason is StopReason.NOTHING_TO_LEARN:
                raise UnmetError(Unmet(problem, (), Argument.NO_ROOM, given=given.size))
            raise RuntimeError(
                "The rules meet the requirements in the solver, but not on the table. "
                "This is a bug in boolrules; please report it with the data."
            )
        trace = tuple(i.shifted(given.constant(problem)) for i in result.trace)
        return rules, certificate, replace(result, certificate=certificate, trace=trace)

    def _no_rules(self, task: Task, result: Result, problem: Problem) -> Fitted:
        """Return the better of the two rule sets without a clause: always no, or always yes."""
        forms = sorted(Form, key=lambda form: form is not self.form)
        every = [self.read(task, [], form) for form in forms]
        every = [rules for rules in every if task.rows.meets(rules, self.requirements)]
        if not every:
            raise UnmetError(Unmet(problem, (), Argument.NO_ROOM))
        rules = min(every, key=task.rows.hamming_loss)
        loss = task.rows.hamming_loss(rules)
        argument = Argument.NO_ROOM if loss else Argument.ZERO_LOSS
        certificate = Certificate(loss, 0, loss, argument, problem, **self._ranged_over)
        return rules, certificate, replace(result, certificate=certificate)

    def constant(self, task: Task, problem: Problem) -> Fitted:
        """Return the constant rule set.

        No clause, complexity 0, loss 0, where all weight is in one class.
        """
        if self.given or problem.required or self.requirements:
            raise ValueError(
                "All rows with weight are of one class: there is nothing to learn beside "
                "given_clauses, required or requirements. Leave them out."
            )
        rules = self.read(task, [], Form.CNF if task.rows.has_positives else Form.DNF)
        certificate = Certificate(0, 0, 0, Argument.ZERO_LOSS, problem, **self._ranged_over)
        return rules, certificate, Result((), (), certificate, (), StopReason.ONE_CLASS, 0.0)

    @property
    def _ranged_over(self) -> dict[str, Any]:
        """What a certificate says of the conditions that it ranges over."""
        return {
            "constraints": self.encoding.constraints,
            "thresholds": self.encoding.thresholds,
            "requirements": self.requirements,
            "minimises": self.minimises,
        }

    def read(
        self,
        task: Task,
        clauses: list[tuple[int, ...]],
        form: Form,
        given: tuple[Clause, ...] = (),
    ) -> RuleSet:
        """Write clauses over the conditions as rules, after the given ones."""

        def read(clause: tuple[int, ...]) -> tuple[Condition, ...]:
            conditions = (self.encoding.conditions[j] for j in clause)
            return as_read(conditions, form, task.rows, self.encoding)

        rules = RuleSet(
            (*given, *(Clause(read(clause)) for clause in clauses)),
            form,
            task.positive,
            task.negative,
            self.target,
        )
        return task.rows.with_statistics(rules)
