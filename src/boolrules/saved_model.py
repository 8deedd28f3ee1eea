"""A model as a file: rules, certificates and what is needed to check them, in JSON.

No solver, no pickle.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._json import is_label, is_number, parse
from boolrules.certificate import Certificate
from boolrules.column import EXACT_BITS
from boolrules.encoding import TableEncoding
from boolrules.rules import RuleSet
from boolrules.rules.decision_list import DecisionList
from boolrules.rules.export.python import python_source
from boolrules.rules.export.sql import sql_text
from boolrules.rules.one_versus_rest import winning_class
from boolrules.table import is_missing, read_table
from boolrules.verification import Claim, Finding, Verification

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.budget import Budget

FORMAT = "boolrules model"
VERSION = 1


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
            claim = Claim(rules, certificate, self.encoding, self.classes)
            for finding in claim.check(table, is_positive, w, budget, engine):
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


def _is_one_for_each(rule_sets: Sequence[RuleSet], classes: Sequence[Any]) -> bool:
    """Whether rules and classes belong together: predictions go by their order."""
    if len(classes) <= 2:
        return len(rule_sets) == 1
    return [repr(rules.positive) for rules in rule_sets] == list(map(repr, classes))


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
