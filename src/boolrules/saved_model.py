"""A model as a file: rules, certificates and what is needed to check them, in JSON.

No solver, no pickle.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._json import is_label, is_number, parse
from boolrules.certificate import Argument, Certificate, counted
from boolrules.column import EXACT_BITS
from boolrules.encoding import TableEncoding
from boolrules.given import Given, without_given
from boolrules.optimality import ROUNDING
from boolrules.rules import Form, RuleSet
from boolrules.rules.decision_list import DecisionList
from boolrules.rules.export.python import python_source
from boolrules.rules.export.sql import sql_text
from boolrules.rules.one_versus_rest import winning_class
from boolrules.table import is_missing, read_table
from boolrules.training_set import TrainingSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.budget import Budget
    from boolrules.problem import Problem
    from boolrules.rules import Clause
    from boolrules.table import Table

FORMAT = "boolrules model"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was claimed, and whether it holds on the data given."""

    holds: bool
    text: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked and what came of it."""

    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether everything claimed holds."""
        return all(finding.holds for finding in self.findings)

    def __str__(self) -> str:
        lines = [f"{'holds' if f.holds else 'FAILS'}: {f.text}" for f in self.findings]
        verdict = "Everything claimed holds." if self.holds else "Not everything claimed holds."
        return "\n".join([*lines, verdict])


@dataclass(frozen=True, slots=True, eq=False)
class SavedModel:
    """What a fitted classifier is, apart from scikit-learn: it predicts, and it can be verified.

    Parameters
    ----------
    classes : tuple
        The labels, sorted.
    rule_sets : tuple of RuleSet
        One for two classes; one per class for more.
    certificates : tuple of Certificate
        One per rule set.
    encoding : TableEncoding
        The columns and every condition that the certificates range over, constraints heeded.
    class_weights : tuple of float
        What a row of each class weighs, times its sample weight.
    costs : (float, float)
        What a missed positive and a covered zero cost, times the row's weight.
    has_sample_weight : bool
        Whether ``fit`` was given sample weights, which ``verify`` then needs too.
    target, positive_rule : str or None
        The label column, and which of its values are positive, where the model came from a file.
    is_unaltered : bool
        False for a file whose contents do not match its own checksum.
    """

    classes: tuple[Any, ...]
    rule_sets: tuple[RuleSet, ...]
    certificates: tuple[Certificate, ...]
    encoding: TableEncoding
    class_weights: tuple[float, ...]
    costs: tuple[float, float] = (1, 1)
    has_sample_weight: bool = False
    target: str | None = None
    positive_rule: str | None = None
    is_unaltered: bool = True

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict a label for each row of a raw table."""
        if len(self.rule_sets) == 1:
            return self.rule_sets[0].predict(X)
        labels = np.array(self.classes, dtype=object)
        return labels[winning_class(self.rule_sets, X)]

    def to_sql(self, dialect: str = "sqlite", table: str | None = None) -> str:
        """Return ``predict`` as SQL, for any number of classes; see ``RuleSet.to_sql``."""
        return sql_text(self._decisions(), dialect, table)

    def to_python(self) -> str:
        """Return ``predict`` as Python source, for any number of classes."""
        return python_source(self._decisions())

    def _decisions(self) -> DecisionList:
        if len(self.rule_sets) == 1:
            return DecisionList.of_rule_set(self.rule_sets[0])
        return DecisionList.of_classes(self.rule_sets, self.classes)

    def verify(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        budget: Budget | None = None,
        engine: str = "numba",
    ) -> Verification:
        """Recompute the loss from the data and prove the bound anew, for each rule set."""
        table = read_table(X)
        labels = np.asarray(y)
        if labels.shape != (len(table),):
            raise ValueError(f"Give one label per row: {len(table)} rows, labels {labels.shape}.")
        findings = [] if self._is_unweighted else [Finding(True, self._weighing())]
        if not self.is_unaltered:
            findings.append(Finding(False, "the file was altered after it was saved"))
        if self.has_sample_weight and sample_weight is None:
            findings.append(Finding(False, "the model was fitted with sample weights; give them"))
            return Verification(tuple(findings))
        unknown = [v for v in labels.tolist() if is_missing(v) or v not in self.classes]
        if unknown:
            known = ", ".join(map(repr, self.classes))
            text = f"the data have the label {unknown[0]!r}, the model knows {known}"
            return Verification((*findings, Finding(False, text)))
        weights = self.weigh(labels, sample_weight)
        for rules, certificate in zip(self.rule_sets, self.certificates, strict=True):
            is_positive = labels == rules.positive
            with np.errstate(over="ignore"):
                w = weights * np.where(is_positive, *self.costs)
                if not w.sum() < 2.0**EXACT_BITS:
                    raise ValueError("The weights are too large for exact sums.")
            title = f"{rules.positive!r}: " if len(self.rule_sets) > 1 else ""
            for finding in self._check(rules, certificate, table, is_positive, w, budget, engine):
                findings.append(Finding(finding.holds, title + finding.text))
        return Verification(tuple(findings))

    def weigh(self, labels: NDArray[Any], sample_weight: Any) -> NDArray[np.float64]:
        """Return what each row weighs, the costs of mistakes apart."""
        weights = np.ones(len(labels))
        if sample_weight is not None:
            weights = np.asarray(sample_weight, dtype=float)
            if weights.shape != labels.shape or not (np.isfinite(weights) & (weights >= 0)).all():
                raise ValueError("sample_weight needs a number of 0 or more for every row.")
        for label, class_weight in zip(self.classes, self.class_weights, strict=True):
            weights = np.where(labels == label, weights * class_weight, weights)
        return weights

    @property
    def _is_unweighted(self) -> bool:
        return {*self.class_weights, *self.costs} == {1}

    def _weighing(self) -> str:
        """Say what a mistake costs, which the check takes from the model."""
        missed, covered = self.costs
        classes = ", ".join(
            f"{label!r} {weight:.10g}"
            for label, weight in zip(self.classes, self.class_weights, strict=True)
        )
        return (
            f"weighed as the model says: a missed positive {missed:.10g}, a covered zero "
            f"{covered:.10g}; class weights {classes}"
        )

    def _check(
        self,
        rules: RuleSet,
        certificate: Certificate,
        table: Table,
        is_positive: NDArray[np.bool_],
        weights: NDArray[np.float64],
        budget: Budget | None,
        engine: str,
    ) -> list[Finding]:
        claimed = certificate.hamming_loss
        loss = rules.hamming_loss(table, is_positive, weights)
        findings = [
            Finding(
                is_same_loss(loss, claimed, weights),
                f"Hamming loss {claimed:.10g} claimed, {loss:.10g} on this data",
            )
        ]
        findings += self._check_rules(rules, certificate)
        given, training_set = split_off_given(
            certificate.given.clauses,
            self.encoding,
            table,
            is_positive,
            weights,
            rules.form,
            certificate.problem,
        )
        if given.clauses:
            is_same = is_same_loss(given.loss, certificate.given.loss, weights)
            has_them = Counter(given.clauses) <= Counter(rules.clauses)
            text = f"the given clauses are there and cost {given.loss:.10g}"
            findings.append(Finding(is_same and has_them, text))
        findings += self._check_limits(rules, certificate.problem, given, training_set)
        if certificate.lower_bound is None:
            return [*findings, Finding(True, "no lower bound is claimed")]
        claimed_rest = certificate.lower_bound_of_the_rest
        if certificate.argument is Argument.ZERO_LOSS:
            holds = claimed_rest is not None and claimed_rest <= 0
            bound = f"{certificate.lower_bound:.10g}"
            beside = " beside the given clauses" if given.clauses else ""
            text = f"lower bound {bound}: no loss{beside} is below zero"
            return [*findings, Finding(holds, text)]
        proved = certificate.reproved_bound(training_set, budget, engine)
        constant = given.constant(certificate.problem)
        shown = "nothing" if proved is None else f"{proved + constant:.10g}"
        text = f"lower bound {certificate.lower_bound:.10g} claimed, {shown} proved from the duals"
        holds = proved is not None and claimed_rest is not None and proved >= claimed_rest
        if holds and certificate.lower_bound > certificate.objective * (1 + ROUNDING):
            holds, text = False, text + ", but it is above the objective"
        return [*findings, Finding(holds, text)]

    def _check_rules(self, rules: RuleSet, certificate: Certificate) -> list[Finding]:
        problem = certificate.problem
        lengths = [len(clause.conditions) for clause in rules.clauses]
        complexity = problem.complexity(len(lengths), sum(lengths))
        within = problem.fits(len(lengths), sum(lengths))
        if problem.max_conditions is not None:
            within = within and max(lengths, default=0) <= problem.max_conditions
        allowed = f"{problem.max_complexity:.10g} allowed"
        if problem.max_clauses is not None:
            allowed += f", {len(lengths)} of {problem.max_clauses} clauses"
        known = set(self.encoding.conditions()[0])
        learned = _learned(rules, certificate.given)
        all_known = all(c in known for clause in learned for c in clause.conditions)
        all_known &= all(
            self.encoding.allows(c) for clause in rules.clauses for c in clause.conditions
        )
        is_constrained = certificate.constraints.forbids_something
        kept = " and keeps to the constraints" if is_constrained else ""
        return [
            Finding(
                within and complexity == certificate.complexity,
                f"complexity {certificate.complexity:.10g} claimed, {complexity:.10g} counted, "
                f"{allowed}",
            ),
            Finding(all_known, f"every condition is among those that the bound ranges over{kept}"),
            Finding(self._knows_labels(rules), "the rules' labels are the classes of the model"),
        ]

    def _check_limits(
        self, rules: RuleSet, problem: Problem, given: Given, training_set: TrainingSet
    ) -> list[Finding]:
        conditions = list(self.encoding.conditions()[0])
        learned = _learned(rules, given)
        findings = []
        if problem.required:  # beside what the given clauses have
            used = {c for clause in learned for c in clause.conditions}
            places = [j for j, condition in enumerate(conditions) if condition in used]
            findings.append(Finding(all(problem.uses(places)), "all that is required is used"))
        if not problem.min_coverage:
            return findings
        covers_enough = all(
            training_set.covers_enough(
                np.array([[conditions.index(c) for c in clause.conditions]]), problem
            ).all()
            for clause in learned
            if all(c in conditions for c in clause.conditions)
        )
        text = f"every clause covers at least {counted(problem.min_coverage, 'row')} of its class"
        return [*findings, Finding(covers_enough, text)]

    def _knows_labels(self, rules: RuleSet) -> bool:
        labels = [rules.positive, rules.negative]
        if len(self.classes) == 2:
            return sorted(map(repr, labels)) == sorted(map(repr, self.classes))
        return any(label in self.classes for label in labels)

    def save(self, path: str | Path) -> None:
        """Write the model as JSON."""
        Path(path).write_text(self.to_json(), encoding="utf-8")

    def to_json(self) -> str:
        """Return the model as JSON text, with a checksum of its contents."""
        contents = {
            "format": FORMAT,
            "version": VERSION,
            "classes": list(self.classes),
            "rule_sets": [rules.to_plain() for rules in self.rule_sets],
            "certificates": [certificate.to_json() for certificate in self.certificates],
            "features": self.encoding.to_json(),
            "class_weights": list(self.class_weights),
            "costs": list(self.costs),
            "has_sample_weight": self.has_sample_weight,
            "target": self.target,
            "positive_rule": self.positive_rule,
        }
        return json.dumps(
            contents | {"sha256": _checksum(contents)},
            ensure_ascii=False,
            indent=1,
            allow_nan=False,
        )

    @classmethod
    def load(cls, path: str | Path) -> SavedModel:
        """Read a model file. Safe on hostile input: nothing is executed."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise ValueError(f"{path} is not a boolrules model: it is not text.") from None
        try:
            return cls.from_json(text)
        except ValueError as error:
            raise ValueError(f"{path} is not a usable boolrules model: {error}") from None

    @classmethod
    def from_json(cls, text: str) -> SavedModel:
        """Read ``to_json``'s text, checking every part of it."""
        plain = parse(text)
        if not isinstance(plain, dict) or plain.get("format") != FORMAT:
            raise ValueError(f"it does not say that its format is {FORMAT!r}.")
        if plain.get("version") != VERSION:
            raise ValueError(
                f"its version is {plain.get('version')!r:.20}; this release reads {VERSION}."
            )
        lists = ["classes", "rule_sets", "certificates", "class_weights", "costs"]
        if not all(isinstance(plain.get(name), list) for name in lists):
            raise ValueError(f"it needs lists of {', '.join(lists)}.")
        if not len(plain["rule_sets"]) == len(plain["certificates"]) > 0:
            raise ValueError("it needs one certificate per rule set.")
        if len(plain["classes"]) != len(plain["class_weights"]) or len(plain["costs"]) != 2:
            raise ValueError("it needs one weight per class and two costs.")
        if not all(map(is_label, plain["classes"])):
            raise ValueError("its classes must be text, numbers or true/false.")
        rule_sets = tuple(map(RuleSet.from_plain, plain["rule_sets"]))
        if not _is_one_for_each(rule_sets, plain["classes"]):
            raise ValueError("it needs one rule set for two classes, or one for each of more.")
        certificates = tuple(map(Certificate.from_json, plain["certificates"]))
        constraints = certificates[0].constraints
        if any(certificate.constraints != constraints for certificate in certificates):
            raise ValueError("its certificates speak of different constraints.")
        encoding = TableEncoding.from_json(plain.get("features"), constraints)
        n_conditions = len(encoding.conditions()[0])
        for certificate in certificates:
            if any(j >= n_conditions for group in certificate.problem.required for j in group):
                raise ValueError("its certificates require conditions that there are not.")
        contents = {key: value for key, value in plain.items() if key != "sha256"}
        return cls(
            tuple(plain["classes"]),
            rule_sets,
            certificates,
            encoding,
            tuple(map(_read_weight, plain["class_weights"])),
            (_read_weight(plain["costs"][0]), _read_weight(plain["costs"][1])),
            bool(plain.get("has_sample_weight")),
            _read_text(plain.get("target")),
            _read_text(plain.get("positive_rule")),
            plain.get("sha256") == _checksum(contents),
        )


def make_training_set(
    encoding: TableEncoding,
    table: Table,
    is_positive: NDArray[np.bool_],
    weights: NDArray[np.float64],
    form: Form,
    is_kept: NDArray[np.bool_] | None = None,
) -> TrainingSet:
    """Encode a table for the solver.

    CNF is DNF with labels and conditions negated (De Morgan, §2).
    """
    _, conditions = encoding.conditions()
    if form is Form.CNF:
        is_positive, conditions = ~is_positive, conditions.complement()
    return TrainingSet.merge(encoding.encode(table), is_positive, weights, conditions, is_kept)


def split_off_given(
    clauses: Sequence[Clause],
    encoding: TableEncoding,
    table: Table,
    is_positive: NDArray[np.bool_],
    weights: NDArray[np.float64],
    form: Form,
    problem: Problem,
) -> tuple[Given, TrainingSet]:
    """Take given clauses out of a problem, and encode the rows that they leave.

    The positives that they cover weigh nothing there, but count towards ``min_coverage``.
    """
    given, left = without_given(clauses, form, table, is_positive, weights)
    is_kept = (weights if problem.min_coverage else left) > 0
    return given, make_training_set(encoding, table, is_positive, left, form, is_kept)


def is_same_loss(one: float, other: float, weights: NDArray[np.float64]) -> bool:
    """Compare sums of weights: exactly where these are whole numbers, else but for rounding."""
    is_whole = bool((weights == np.floor(weights)).all())
    return one == other if is_whole else math.isclose(one, other, rel_tol=1e-12)


def _is_one_for_each(rule_sets: Sequence[RuleSet], classes: Sequence[Any]) -> bool:
    """Whether rules and classes belong together: predictions go by their order."""
    if len(classes) <= 2:
        return len(rule_sets) == 1
    return [repr(rules.positive) for rules in rule_sets] == list(map(repr, classes))


def _learned(rules: RuleSet, given: Given) -> list[Clause]:
    """Return the clauses beside the given ones; one that is given once more was learned."""
    return list((Counter(rules.clauses) - Counter(given.clauses)).elements())


def _checksum(contents: dict[str, Any]) -> str:
    text = json.dumps(contents, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


def _read_text(plain: Any) -> str | None:
    if not isinstance(plain, str | None):
        raise ValueError(f"a name must be text; got {plain!r:.80}.")
    return plain


def _read_weight(plain: Any) -> float:
    if not is_number(plain) or plain < 0:
        raise ValueError(f"a weight must be a number of 0 or more; got {plain!r:.80}.")
    return plain
