"""What ``verify`` checks: losses, limits, and bounds proved anew.

Everything is recomputed from the data, in integers where it counts, and without a solver.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support import html
from boolrules._support.values import equals, is_missing
from boolrules.data.column import EXACT_BITS
from boolrules.data.labelled_rows import ROUNDING, BinaryRows
from boolrules.data.problem import are_whole
from boolrules.data.whole_values import clause_as_offered, cut_alike
from boolrules.proof.bound import reproved_bound
from boolrules.proof.certificate import Argument, Certificate, counted
from boolrules.proof.f1 import F1, STEPS
from boolrules.proof.few_errors import reproved_errors
from boolrules.rules.decision_list import DecisionList

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boolrules._support.budget import Budget
    from boolrules.data.encoding import TableEncoding
    from boolrules.data.given import Given
    from boolrules.data.labelled_rows import Weighing
    from boolrules.data.rows import Labelled, Rows
    from boolrules.data.samples import Samples
    from boolrules.rules import Clause, RuleSet


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was claimed, and whether it holds on the data given."""

    holds: bool
    text: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked and what came of it.

    Parameters
    ----------
    findings : tuple of Finding
        What was checked.
    other_rows : str or None
        How the rows differ from those of ``fit``, where they are others: then no claim was
        checked, and ``holds`` is False.
    unchecked : tuple of str
        What the model says that these rows cannot show, and that was not checked.
    """

    findings: tuple[Finding, ...]
    other_rows: str | None = None
    unchecked: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether everything claimed holds, on the rows that it is about."""
        return self.other_rows is None and all(finding.holds for finding in self.findings)

    def __str__(self) -> str:
        lines = [f"{'holds' if f.holds else 'FAILS'}: {f.text}" for f in self.findings]
        if self.other_rows is not None:
            lines += [
                f"These are not the training rows: {self.other_rows}.",
                "A certificate speaks of the training rows alone: nothing was verified on these.",
                "How the rules do on these rows: boolrules score, or Model.score_rows in Python.",
            ]
            return "\n".join(lines)
        lines += [f"not checked: {text}" for text in self.unchecked]
        verdict = "Everything claimed holds." if self.holds else "Not everything claimed holds."
        return "\n".join([*lines, verdict])

    def _repr_html_(self) -> str:
        """Show in notebooks whether everything holds, and each thing that was checked."""
        cells = [[html.sign(f.holds), f.text] for f in self.findings]
        cells += [["-", f"not checked: {text}"] for text in self.unchecked]
        if self.other_rows is not None:
            verdict = f"These are not the training rows: {self.other_rows}."
            note = "Nothing was verified. How the rules do on these rows: Model.score_rows."
            return html.card(html.BAD, html.lead(verdict), html.aside(note))
        verdict = "Everything claimed holds." if self.holds else "Not everything claimed holds."
        color = html.GOOD if self.holds else html.BAD
        lead = html.lead(f"{html.sign(self.holds)} {verdict}")
        return html.card(color, lead, html.table("ll", [], cells))


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """A rule set, what its certificate says of it, and what both range over."""

    rules: RuleSet
    certificate: Certificate
    encoding: TableEncoding
    classes: tuple[Any, ...]

    def check(self, rows: Rows, budget: Budget | None, engine: str) -> Iterator[Finding]:
        """Hold every part of the claim against the rows."""
        if not sum(rows.total_costs) < 2.0**EXACT_BITS:
            raise ValueError("The weights are too large for exact sums.")
        claimed, loss = self.certificate.hamming_loss, _loss(rows, self.rules, self.certificate)
        name = {"loss": "Hamming loss"}.get(self.certificate.minimises, self.certificate.minimises)
        yield Finding(
            rows.is_same_loss(loss, claimed) and self._is_minimised(rows),
            f"{name} {claimed:.10g} claimed, {loss:.10g} on this data",
        )
        if self.certificate.f1 is not None:
            yield self._f1(rows, self.certificate.f1)
        yield self._complexity()
        yield self._conditions(rows)
        if self.certificate.thresholds is not None:
            yield self._thresholds()
        yield Finding(self._knows_labels(), "the rules' labels are the classes of the model")
        if self.rules.statistics or self.rules.undecided is not None:
            counted = rows.has_statistics_of(self.rules)
            yield Finding(counted, "coverage and precision of the clauses are those of this data")
        given, training_set = rows.without(
            self.certificate.given.clauses,
            self.encoding,
            self.rules.form,
            self.certificate.problem,
            self.certificate.requirements,
        )
        for requirement in self.certificate.requirements:
            met = rows.meets(self.rules, [requirement])
            yield Finding(met, f"the rules meet '{requirement}'")
        if given.clauses:
            yield self._given(given, rows)
        if any(j >= len(self.encoding.conditions) for g in self._required for j in g):
            yield Finding(False, "the conditions that are required are among those of the rows")
            return
        yield from self._demands(training_set)
        yield self._bound(given, training_set, budget, engine)

    def _is_minimised(self, rows: Rows) -> bool:
        """Whether nothing costs but what the certificate says is least."""
        missed, covered = rows.total_costs
        return not {"missed": covered, "covered": missed}.get(self.certificate.minimises)

    def _f1(self, rows: Rows, f1: F1) -> Finding:
        """Check that the rules have the score, and that the costs are those of it."""
        assert isinstance(rows, BinaryRows)
        score = F1.on(rows, self.rules)
        costs = rows.counts * np.where(rows.is_positive, *map(float, f1.costs))
        dust = 0 if are_whole(rows.counts) else 1 / STEPS
        is_so = abs(score.value - f1.value) <= dust and score.positives == f1.positives
        holds = is_so and bool(np.array_equal(costs, rows.costs))
        return Finding(holds, f"F1 {f1.value:.10g} claimed, {score.value:.10g} on this data")

    def _complexity(self) -> Finding:
        problem, claimed = self.certificate.problem, self.certificate.complexity
        every = [*self.certificate.given.clauses, *self._learned()]
        lengths = [len(clause.conditions) for clause in every]
        complexity = problem.complexity(len(lengths), sum(lengths))
        within = problem.fits(len(lengths), sum(lengths))
        told = [clause.n_conditions for clause in self.rules.clauses]
        within = within and (len(told), sum(told)) == (len(lengths), sum(lengths))
        if problem.max_conditions is not None:
            within = within and max(lengths, default=0) <= problem.max_conditions
        allowed = f"{problem.max_complexity:.10g} allowed"
        if problem.max_clauses is not None:
            allowed += f", {len(lengths)} of {problem.max_clauses} clauses"
        return Finding(
            within and complexity == claimed,
            f"complexity {claimed:.10g} claimed, {complexity:.10g} counted, {allowed}",
        )

    def _conditions(self, rows: Rows) -> Finding:
        known = self.encoding.conditions
        all_known = all(c in known for clause in self._learned() for c in clause.conditions)
        all_allowed = all(
            self.encoding.allows(c) for clause in self.rules.clauses for c in clause.conditions
        )
        is_constrained = self.certificate.constraints.forbids_something
        kept = " and keeps to the constraints" if is_constrained else ""
        text = f"every condition is among those that the bound ranges over{kept}"
        return Finding(all_known and all_allowed and cut_alike(self.rules, rows), text)

    def _thresholds(self) -> Finding:
        """Check that the conditions, which are those of the rows, have every cut of these."""
        has_all = self.encoding.thresholds == self.certificate.thresholds
        return Finding(has_all, "every threshold of every numeric column is on offer")

    def _knows_labels(self) -> bool:
        labels = [self.rules.positive, self.rules.negative]
        if len(self.classes) == 2:
            return sorted(map(repr, labels)) == sorted(map(repr, self.classes))
        own, other = labels if len(self.classes) > 2 else labels[::-1]
        return other is None and repr(own) in map(repr, self.classes)

    def _given(self, given: Given, rows: Rows) -> Finding:
        is_same = rows.is_same_loss(given.loss, self.certificate.given.loss)
        has_them = Counter(given.clauses) <= Counter(self.rules.clauses)
        return Finding(
            is_same and has_them, f"the given clauses are there and cost {given.loss:.10g}"
        )

    def _demands(self, training_set: Samples) -> Iterator[Finding]:
        """Check what was required, and how much each clause must cover, of learned clauses."""
        problem, conditions = self.certificate.problem, self.encoding.conditions
        if problem.required:  # beside what the given clauses have
            used = {c for clause in self._learned() for c in clause.conditions}
            places = [conditions.index(c) for c in used if c in conditions]
            yield Finding(all(problem.uses(places)), "all that is required is used")
        if problem.min_coverage:
            covers_enough = all(
                training_set.covers_enough(
                    np.array([[conditions.index(c) for c in clause.conditions]]), problem
                ).all()
                for clause in self._learned()
                if all(c in conditions for c in clause.conditions)
            )
            rows = counted(problem.min_coverage, "row")
            yield Finding(covers_enough, f"every clause covers at least {rows} of its class")

    def _bound(
        self, given: Given, training_set: Samples, budget: Budget | None, engine: str
    ) -> Finding:
        certificate = self.certificate
        if certificate.lower_bound is None:
            return Finding(True, "no lower bound is claimed")
        claimed = f"lower bound {certificate.lower_bound:.10g}"
        claimed_rest = certificate.lower_bound_of_the_rest
        if certificate.argument is Argument.ZERO_LOSS:
            beside = " beside the given clauses" if given.clauses else ""
            holds = claimed_rest is not None and claimed_rest <= 0
            return Finding(holds, f"{claimed}: no loss{beside} is below zero")
        reprove = reproved_errors if certificate.each_row_once else reproved_bound
        proved = reprove(certificate, training_set, budget, engine)
        constant, duals = given.constant(certificate.problem), certificate.duals
        shown = "nothing" if proved is None else f"{proved + constant:.10g}"
        rests_on = "the rows" if duals is None else "the duals"
        text = f"{claimed} claimed, {shown} proved from {rests_on}"
        holds = proved is not None and claimed_rest is not None and proved >= claimed_rest
        if holds and certificate.lower_bound > certificate.objective * (1 + ROUNDING):
            return Finding(False, f"{text}, but it is above the objective")
        return Finding(holds, text)

    @property
    def _required(self) -> tuple[tuple[int, ...], ...]:
        return self.certificate.problem.required

    def _learned(self) -> list[Clause]:
        """Return the clauses beside the given ones, of the conditions that they count as.

        One that is given once more was learned; the given ones come first.
        """
        learned = list(self.rules.clauses)
        for clause in self.certificate.given.clauses:
            if clause in learned:
                learned.remove(clause)
        return [clause_as_offered(clause, self.rules.form) for clause in learned]


def verify(
    claims: Sequence[Claim],
    rows: Labelled,
    budget: Budget | None = None,
    engine: str = "numba",
) -> Iterator[Finding]:
    """Recompute the loss from the data and prove the bound anew, for each claim.

    The weights of classes and mistakes are those of ``rows``, and are said where there are any.
    """
    if not rows.weighing.is_unweighted:
        yield Finding(True, _weighing(rows.weighing))
    classes = claims[0].classes
    if text := unknown_label(rows, classes) or unknown_class(rows, classes):
        yield Finding(False, text)
        return
    for claim in claims:
        title = f"{claim.rules.positive!r}: " if len(claims) > 1 else ""
        for finding in claim.check(rows.against_rest(claim.rules.positive), budget, engine):
            yield Finding(finding.holds, title + finding.text)
    if len(claims) > 1:
        yield _order(claims, rows)


def _order(claims: Sequence[Claim], rows: Labelled) -> Finding:
    """Check that a row that several classes claim goes to the one that these rows give it to."""
    rule_sets, classes = [claim.rules for claim in claims], claims[0].classes
    holds = all(rules.has_probabilities for rules in rule_sets)
    if holds:
        counted = [rows.against_rest(rules.positive).with_statistics(rules) for rules in rule_sets]
        told, own = (DecisionList.of_classes(one, classes) for one in (rule_sets, counted))
        holds = told == own
    return Finding(holds, "of several classes, the more precise one is the answer")


def _loss(rows: Rows, rules: RuleSet, certificate: Certificate) -> float:
    """What the rules lose on these rows, in the sense of the certificate."""
    return rows.errors(rules) if certificate.each_row_once else rows.hamming_loss(rules)


def unknown_label(rows: Labelled, classes: tuple[Any, ...]) -> str | None:
    """Name a label that is none of the classes; None if there is none."""
    labels = rows.labels
    distinct = np.unique(labels) if labels.dtype.kind in "biuU" else labels
    for label in distinct.tolist():
        if is_missing(label) or label not in classes:
            known = ", ".join(map(repr, classes))
            return f"the data have the label {label!r}, the model knows {known}"
    return None


def unknown_class(rows: Labelled, classes: tuple[Any, ...]) -> str | None:
    """Name a class that no row has; None if there is none, or rows may have been left out."""
    if rows.has_sample_weight:
        return None
    for label in classes:
        if not equals(rows.labels, label).any():
            return f"the model has the class {label!r}, which no row of the data has"
    return None


def _weighing(weighing: Weighing) -> str:
    """Say what a mistake costs, which the check takes from the model."""
    missed, covered = weighing.costs
    classes = ", ".join(
        f"{label!r} {weight:.10g}"
        for label, weight in zip(weighing.classes, weighing.class_weights, strict=True)
    )
    return (
        f"weighed as the model says: a missed positive {missed:.10g}, a covered zero "
        f"{covered:.10g}; class weights {classes}"
    )
