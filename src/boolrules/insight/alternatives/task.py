"""One rule set of a model, and the rows that it was fitted on, taken up again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.budget import Budget
from boolrules.data.bins import pack_bits
from boolrules.data.whole_values import as_read, clause_as_offered
from boolrules.insight.alternatives.duals import feasible_duals
from boolrules.insight.alternatives.listing import MOST_RULE_SETS, Listing, MinimalRuleSets
from boolrules.insight.alternatives.meeting import Meeting
from boolrules.rules import Clause, RuleSet
from boolrules.rules.condition import format_value
from boolrules.search.narrowing import MOST_BITS_OF_EXACT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.data.encoding import TableEncoding
    from boolrules.data.given import Given
    from boolrules.data.labelled_rows import BinaryRows, LabelledRows
    from boolrules.data.problem import Problem
    from boolrules.data.training_set import TrainingSet
    from boolrules.model.model import Model
    from boolrules.proof.certificate import Certificate
    from boolrules.proof.gap import Clauses
    from boolrules.rules import Condition

    Words = NDArray[np.uint64]

# What the answers of all rule sets, as bits, may take.
MOST_ANSWER_BYTES = 2**28


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """One rule set of a model and the rows that it was fitted on.

    ``given`` are the clauses that every rule set must have, and ``problem`` and ``training_set``
    what they leave; ``clauses`` are the condition ids of the others. ``codes`` are all rows, by
    ``names`` of columns, ``by_given`` says which of them the given clauses decide. ``meeting`` is
    what requirements ask, where there are any.
    """

    rule_set: RuleSet
    certificate: Certificate
    given: Given
    problem: Problem | None
    encoding: TableEncoding
    clauses: Clauses
    rows: BinaryRows
    training_set: TrainingSet
    names: tuple[str, ...]
    codes: NDArray[np.unsignedinteger]
    by_given: Words
    meeting: Meeting | None
    _known: dict[int, Words] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, model: Model, rows: LabelledRows, label: Any) -> Task:
        """Take up where ``fit`` began, after a check that the data are the same."""
        place = _place(model, label)
        rules, certificate = model.rule_sets[place], model.certificates[place]
        if certificate.each_row_once:
            raise ValueError(
                "Alternatives are listed by Hamming loss, and this model was fitted with "
                "objective='errors'. Fit one with objective='loss'."
            )
        sides = rows.against_rest(rules.positive)
        loss = sides.hamming_loss(rules)
        if not sides.is_same_loss(loss, certificate.hamming_loss):
            raise ValueError(
                f"The model's Hamming loss is {certificate.hamming_loss:.10g} in its certificate, "
                f"but {loss:.10g} on this data. Give the rows, labels and sample weights of fit."
            )
        broken = [one for one in certificate.requirements if not sides.meets(rules, [one])]
        if broken:
            raise ValueError(
                f"The model's rules do not meet '{broken[0]}' on this data. Give the rows, labels "
                "and sample weights of fit."
            )
        if certificate.problem.required:
            raise ValueError(
                "Alternatives cannot be listed for a model that was fitted with required "
                "conditions. Fit one without required."
            )
        # A file does not list the cuts of columns that have every threshold: the rows give them.
        encoding = model.on(rows).encoding
        given, samples = sides.without(
            certificate.given.clauses,
            encoding,
            rules.form,
            certificate.problem,
            certificate.requirements,
        )
        learned = [
            clause_as_offered(clause, rules.form)
            for clause in rules.clauses
            if clause not in given.clauses
        ]
        is_decided = replace(rules, clauses=given.clauses).decides(rows.table).any(axis=1)
        return cls(
            rules,
            certificate,
            given,
            certificate.problem.without(*given.size),
            encoding,
            _condition_ids(learned, encoding.conditions),
            sides,
            samples,
            tuple(feature.name for feature in encoding.features),
            encoding.encode(rows.table),
            _pack(np.asarray(is_decided)),
            Meeting.of(samples),
        )

    @property
    def conditions(self) -> Sequence[Condition]:
        """Those that clauses are made of."""
        return self.encoding.conditions

    def list(self, within: float, budget: Budget) -> Listing:
        """List the alternatives; if that is cut short, at least those of the model's clauses."""
        if self.problem is None:
            return Listing(((),), (self.training_set.hamming_loss(()),), True, 0)
        self._check_size()
        most = self.certificate.objective + within - self.given.constant(self.certificate.problem)
        duals = feasible_duals(self.training_set, self.problem, self.certificate, budget)
        search = MinimalRuleSets(
            self.training_set, self.problem, duals, most, meeting=self.meeting
        )
        most_listed = MOST_ANSWER_BYTES // (len(self.rows.table) // 8 + 1)
        listing = search.list(budget, min(MOST_RULE_SETS, most_listed))
        if listing.is_complete:
            return listing
        return listing.with_more(search.over(self.clauses, Budget.unlimited()))

    def _check_size(self) -> None:
        """Turn down more conditions than can be laid out: for this list none may be left out."""
        n_conditions, n_rows = len(self.conditions), self.training_set.n_rows
        if n_conditions * n_rows > MOST_BITS_OF_EXACT:
            raise ValueError(
                f"Alternatives cannot be listed over {n_conditions:,} conditions on {n_rows:,} "
                "rows: that is too many. Fit a model with fewer thresholds, such as "
                "thresholds='deciles', or on a sample of the rows."
            )

    def objective(self, of_the_rest: float) -> float:
        """Add what the given clauses cost."""
        return of_the_rest + self.given.constant(self.certificate.problem)

    def decided(self, rule_sets: Sequence[Clauses]) -> Words:
        """Return the rows that each rule set decides, as bits: what tells answers apart."""
        distinct = {clause for clauses in rule_sets for clause in clauses}
        known = {clause: self._decided_by(clause) for clause in distinct}
        decided = np.repeat(self.by_given[None, :], len(rule_sets), axis=0)
        for r, clauses in enumerate(rule_sets):
            for clause in clauses:
                decided[r] |= known[clause]
        return decided

    def _decided_by(self, clause: tuple[int, ...]) -> Words:
        """Return the rows on which all conditions hold (in CNF: fail), as bits."""
        for j in clause:
            if j not in self._known:
                self._known[j] = _pack(self.training_set.conditions.holds(j, self.codes))
        return np.bitwise_and.reduce([self._known[j] for j in clause], axis=0)

    def read(self, clauses: Clauses) -> RuleSet:
        """Return condition ids as rules; the clause that covers most comes first."""
        if clauses == self.clauses:
            return self.rule_set
        n_decided = {k: int(np.bitwise_count(self._decided_by(k)).sum()) for k in clauses}
        ordered = sorted(clauses, key=lambda clause: (-n_decided[clause], clause))
        every = ([self.conditions[j] for j in clause] for clause in ordered)
        form, rows, encoding = self.rule_set.form, self.rows, self.encoding
        read = (Clause(as_read(conditions, form, rows, encoding)) for conditions in every)
        rules = replace(self.rule_set, clauses=(*self.given.clauses, *read))
        return rows.with_statistics(rules)

    def features(self, rule_sets: Sequence[Clauses]) -> dict[str, int]:
        """Count in how many rule sets each feature appears."""
        feature = self.training_set.conditions.feature
        of_given = {c.feature for clause in self.given.clauses for c in clause.conditions}
        counts: Counter[str] = Counter()
        for clauses in rule_sets:
            used = {self.names[feature[j]] for clause in clauses for j in clause}
            counts.update(of_given | used)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _pack(rows: NDArray[np.bool_]) -> Words:
    return pack_bits(rows[None, :])[0]


def _place(model: Model, label: Any) -> int:
    """Return which of the model's rule sets is meant."""
    labels = [rules.positive for rules in model.rule_sets]
    if label is None and len(labels) == 1:
        return 0
    if label not in labels:
        known = ", ".join(map(format_value, labels))
        given = "" if label is None else f"label={label!r:.80} has none. "
        raise ValueError(
            f"The model has a rule set for each of {known}. {given}Say with label whose "
            "alternatives are wanted."
        )
    return labels.index(label)


def _condition_ids(clauses: Sequence[Clause], conditions: Sequence[Condition]) -> Clauses:
    unknown = [c for clause in clauses for c in clause.conditions if c not in conditions]
    if unknown:
        raise ValueError(
            f"The model's rules have '{unknown[0]}', which is not among the conditions that it "
            "may use. Its file was altered; fit and save it again."
        )
    places = [tuple(sorted(map(conditions.index, k.conditions))) for k in clauses]
    return tuple(sorted(places))
