"""Where rules stand beside a model and its certified bound, on the same rows.

A bound is a fact about rule sets of one form, made of the model's own conditions, within its
limits, on the rows of ``fit``. The rules are put in the place of the model's own and verified as a
model is; of rules that do not pass, nothing is claimed. Rules that break a requirement of the
model may lose less than its bound, and are no better for that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.budget import Budget
from boolrules.data.conditions import around
from boolrules.data.whole_values import as_offered
from boolrules.insight.editing.context import conditions_of, distinct, listed, size_of
from boolrules.proof.certificate import Argument
from boolrules.rules.condition import format_value
from boolrules.rules.mention import Mention
from boolrules.solver.warm_up import warm_up_to_read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boolrules._support.table import TableColumn
    from boolrules.data.labelled_rows import BinaryRows, LabelledRows
    from boolrules.data.requirement import Requirement
    from boolrules.data.standing import Standings
    from boolrules.model.model import Model
    from boolrules.proof.certificate import Certificate
    from boolrules.proof.f1 import F1
    from boolrules.rules import Condition, RuleSet

MEASURES = {
    "loss": "Hamming loss",
    "errors": "misclassified rows",
    "missed": "missed positives",
    "covered": "covered negatives",
}


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Where rules stand beside a model, on the same rows.

    Parameters
    ----------
    certificate : Certificate or None
        What is proved of the rules; None where the model's bound does not speak of them.
    reasons : tuple of str
        Why it does not; empty where it does.
    model_loss : float or None
        Hamming loss of the model's own rules on these rows; None where they are about another
        label, or the table lacks their columns.
    model_complexity : float
        Complexity of the model's own rules.
    n_conditions : int or None
        How many conditions the bound ranges over; None where the table lacks columns of a file
        that has every threshold.
    broken : tuple of str
        The model's requirements that the rules break on these rows.
    standings : Standings or None
        What the figures of the requirements come to, each row counted once; None without any.
    under_requirements : Certificate or None
        Where the rules break requirements and nothing else is in the way: what is proved of the
        model's own rules, among those that meet them.
    minimises : str
        What the model's loss and bound speak of.
    f1 : F1 or None
        The model's score, where losses are at its costs.
    """

    certificate: Certificate | None
    reasons: tuple[str, ...]
    model_loss: float | None
    model_complexity: float
    n_conditions: int | None
    broken: tuple[str, ...] = ()
    standings: Standings | None = None
    under_requirements: Certificate | None = None
    minimises: str = "loss"
    f1: F1 | None = None

    @property
    def sentences(self) -> list[str]:
        """What may be said."""
        said = [f"The model's bound does not speak of these rules: {'; '.join(self.reasons)}."]
        if self.certificate is not None:
            said = [self.certificate.sentence(), self._ranged_over]
        if self.under_requirements is not None:
            said += [
                f"Rules that meet the requirements: {self.under_requirements.sentence()} Rules "
                "that break them may lose less.",
                self._ranged_over,
            ]
        if self.model_loss is not None:
            said.append(
                f"The model's own rules: {MEASURES[self.minimises]} {self.model_loss:.10g} on "
                f"these rows, complexity {self.model_complexity:.10g}."
            )
        if self.f1 is not None:
            missed, covered = self.f1.costs
            said.append(
                f"Losses are at costs of {missed} for a missed positive and {covered} for a "
                f"covered zero: rules have a greater F1 than the model's, {self.f1.value:.4f}, if "
                f"and only if they lose less than {self.f1.loss:.10g}."
            )
        return said

    @property
    def _ranged_over(self) -> str:
        return (
            f"The bound ranges over the {self.n_conditions} conditions of the model and was "
            "proved anew on these rows."
        )

    def to_plain(self) -> dict[str, Any]:
        """Return lists, dicts and scalars that JSON can hold."""
        return {
            "bound_speaks": self.certificate is not None,
            "reasons": list(self.reasons),
            "hamming_loss": self.model_loss,
            "complexity": self.model_complexity,
            "n_conditions": self.n_conditions,
            "minimises": self.minimises,
            "broken": list(self.broken),
            "bound_under_requirements": None
            if self.under_requirements is None
            else self.under_requirements.lower_bound,
        }


def standing_of(
    rules: RuleSet, rows: LabelledRows, saved: Model, time_limit: float | None
) -> Standing:
    """Hold rules against the model's bound, as far as that speaks of them."""
    absent = [f.name for f in saved.encoding.features if f.name not in rows.table.names]
    saved = saved if absent else saved.on(rows)
    known = saved.encoding.conditions if saved.encoding.knows_its_rows else None
    n_conditions = None if known is None else len(known)
    places = [k for k, own in enumerate(saved.rule_sets) if own.positive == rules.positive]
    if not places:
        described = listed([own.positive for own in saved.rule_sets])
        reason = f"it is about {described}, and they describe {format_value(rules.positive)}"
        return Standing(None, (reason,), None, saved.certificates[0].complexity, n_conditions)
    own, claimed = saved.rule_sets[places[0]], saved.certificates[places[0]]
    sides = rows.against_rest(rules.positive)
    certificate = replace(
        claimed,
        hamming_loss=_loss(sides, rules, claimed),
        complexity=claimed.problem.complexity(*size_of(rules)),
        f1=None,  # at the costs of the model's score, the rules' own is another
    )
    standings, broken = None, dict[str, str]()
    unnamed = [r for r in claimed.requirements if r.column not in (None, *rows.table.names)]
    if claimed.requirements and not unnamed:
        standings = sides.standings(rules, claimed.requirements)
        broken = _broken(rules, sides, claimed.requirements, standings)
    outside = [
        *_silences(rows, saved, claimed, absent),
        *(f"the table lacks the column of '{one}'" for one in unnamed),
        *_excesses(rules, own, claimed),
        *(() if known is None else _strangers(rules, rows, claimed, known)),
    ]
    budget = Budget.of(time_limit)
    reasons, under = [*outside, *broken.values()], None
    if not reasons:
        # The rules in the place of the model's own: whatever its certificate claims is checked.
        rules = replace(rules, positive=own.positive, negative=own.negative)
        reasons = _failures(saved, rules, certificate, rows, budget)
    elif not outside and not _failures(saved, own, claimed, rows, budget):
        under = claimed
    model_loss = None
    if set(own.features) <= set(rows.table.names):
        model_loss = _loss(sides, own, claimed)
    return Standing(
        None if reasons else certificate,
        tuple(reasons),
        model_loss,
        claimed.complexity,
        n_conditions,
        tuple(broken),
        standings,
        under,
        claimed.minimises,
        claimed.f1,
    )


def _loss(sides: BinaryRows, rules: RuleSet, claimed: Certificate) -> float:
    """What rules lose, in the sense of the model's certificate."""
    return sides.errors(rules) if claimed.each_row_once else sides.hamming_loss(rules)


def _failures(
    saved: Model, rules: RuleSet, certificate: Certificate, rows: LabelledRows, budget: Budget
) -> list[str]:
    """Verify rules as if they were the model's, and say which checks fail.

    The bound is proved anew on the rows at hand, be they those of fit or not.
    """
    edited = replace(saved, rule_sets=(rules,), certificates=(certificate,), training_rows=None)
    warm_up_to_read(saved.encoding, "numba")
    found = edited.verify(rows.table, rows.labels, rows.sample_weight, budget).findings
    return [f"on these rows a check fails ({f.text})" for f in found if not f.holds]


def _broken(
    rules: RuleSet,
    sides: BinaryRows,
    requirements: Sequence[Requirement],
    standings: Standings,
) -> dict[str, str]:
    """Say of each requirement that the rules break in which way they do."""
    fails = {one.requirement for one in standings.broken}
    broken = {}
    for one in requirements:
        if sides.meets(rules, [one]):
            continue
        text = f"they break '{one}'"
        if one.margin and sides.meets(rules, [replace(one, margin=0)]):
            text = f"they keep '{one}' but for its margin"
        elif one not in fails:
            text += ", where a row counts once for each clause that wrongly decides it"
        broken[str(one)] = text
    return broken


def _silences(
    rows: LabelledRows, saved: Model, claimed: Certificate, absent: list[str]
) -> Iterator[str]:
    """Why the bound speaks of nothing here."""
    if claimed.lower_bound is None:
        yield "none was proved"
    unknown = [label for label in distinct(rows.labels.tolist()) if label not in saved.classes]
    if unknown:
        yield f"the labels {listed(unknown)} are not among the model's"
    if absent:
        yield f"the table lacks columns of the model ({listed(absent)})"


def _excesses(rules: RuleSet, own: RuleSet, claimed: Certificate) -> Iterator[str]:
    """In which ways the rules are outside what the bound ranges over, in kind and in size."""
    problem = claimed.problem
    # Where every row has one label the form is of no account, and nothing is below zero.
    if own.form is not rules.form and claimed.argument is not Argument.ZERO_LOSS:
        yield f"it is about rule sets in {own.form.upper()}, and they are in {rules.form.upper()}"
    n_clauses, n_conditions = size_of(rules)
    if problem.max_clauses is not None and n_clauses > problem.max_clauses:
        yield f"they have {n_clauses} clauses, above the limit of {problem.max_clauses}"
    elif not problem.fits(n_clauses, n_conditions):
        complexity, limit = problem.complexity(n_clauses, n_conditions), problem.max_complexity
        yield f"their complexity, {complexity:.10g}, is above the limit of {limit:.10g}"
    longest = max((clause.n_conditions for clause in rules.clauses), default=0)
    if problem.max_conditions is not None and longest > problem.max_conditions:
        yield f"a clause has {longest} conditions, above the limit of {problem.max_conditions}"


def _strangers(
    rules: RuleSet, rows: LabelledRows, claimed: Certificate, known: Sequence[Condition]
) -> Iterator[str]:
    """Which conditions the bound does not range over; clauses given to ``fit`` may have any."""
    learned = [clause for clause in rules.clauses if clause not in claimed.given.clauses]
    for condition in conditions_of(replace(rules, clauses=tuple(learned))):
        if not all(offered in known for offered in as_offered(condition, rules.form)):
            near = _near(condition, known, rows.table[condition.feature])
            yield f"'{condition}' is not among the model's conditions{near}"


def _near(condition: Condition, known: Sequence[Condition], column: TableColumn) -> str:
    """Name the condition of the model that could stand in, if there is one."""
    some = around(known, Mention.of(condition))
    same = [other for other in some if other.feature == condition.feature]
    holds = condition.holds(column)
    for other in same:
        if np.array_equal(other.holds(column), holds):
            return f" (on these rows '{other}' is the same)"
    value = condition.value
    if isinstance(value, int | float):
        distances = [
            (abs(other.value - value), other)
            for other in same
            if other.relation is condition.relation and isinstance(other.value, int | float)
        ]
        if distances:
            return f" (the nearest is '{min(distances, key=lambda d: d[0])[1]}')"
    return ""
