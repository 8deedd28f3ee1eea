"""A fitted model: rules, certificates and what is needed to check them; in JSON as a file.

One rule set for two classes, one per class for more: whether there is one or many is decided here
and nowhere else. No solver, no pickle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from boolrules._support.dates import definition
from boolrules._support.html import paragraph
from boolrules._support.saving import whole_file
from boolrules._support.table import read_table
from boolrules.data.labelled_rows import LabelledRows
from boolrules.data.standing import Standings
from boolrules.model.figures import Figures
from boolrules.model.file import read_json, to_json
from boolrules.proof.verification import Claim, Finding, Verification, unknown_label, verify
from boolrules.rules.clause import as_labels
from boolrules.rules.condition import format_value
from boolrules.rules.decision_list import DecisionList
from boolrules.rules.export.runnable import Runnable
from boolrules.rules.one_versus_rest import (
    class_probabilities,
    explain_winners,
    winning_class,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from boolrules._support.budget import Budget
    from boolrules.data.encoding import TableEncoding
    from boolrules.data.fingerprint import Fingerprint
    from boolrules.data.labelled_rows import Weighing
    from boolrules.data.requirement import Requirement
    from boolrules.data.rows import Labelled
    from boolrules.proof.certificate import Certificate
    from boolrules.rules import Explanation, RuleSet


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Model(Runnable):
    """What a fitted classifier is, apart from scikit-learn: it predicts, and it can be verified.

    The target's name is that of the rules.

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
    weighing : Weighing
        What classes weigh and mistakes cost; its classes are the model's.
    has_sample_weight : bool
        Whether ``fit`` was given sample weights, which ``verify`` then needs too.
    positive_rule : str or None
        Which values of the target are positive, where the model came from a file.
    is_unaltered : bool
        False for a file whose contents do not match its own checksum.
    training_rows : Fingerprint or None
        What tells the rows of ``fit`` from others; None where it is not known.
    held_out : Figures or None
        How such rules did on rows left out, where somebody looked.
    """

    classes: tuple[Any, ...]
    rule_sets: tuple[RuleSet, ...]
    certificates: tuple[Certificate, ...]
    encoding: TableEncoding
    weighing: Weighing
    has_sample_weight: bool = False
    positive_rule: str | None = None
    is_unaltered: bool = True
    training_rows: Fingerprint | None = None
    held_out: Figures | None = None

    @property
    def target(self) -> str | None:
        """Name of the predicted column."""
        return self.rule_sets[0].target

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that the rules read; predictions ask for no others."""
        return tuple(dict.fromkeys(name for rules in self.rule_sets for name in rules.features))

    @property
    def definitions(self) -> tuple[str, ...]:
        """What the parts of dates and times are that the rules read, in words."""
        days: dict[str, list[float]] = {name: [] for name in self.features}
        for rules in self.rule_sets:
            for condition in (c for clause in rules.clauses for c in clause.conditions):
                if isinstance(condition.value, int | float):
                    days[condition.feature].append(condition.value)
        return tuple(
            definition(name, self.encoding.derived[name], days[name])
            for name in self.features
            if name in self.encoding.derived
        )

    @property
    def complexity(self) -> float:
        """What the rules have, all classes together."""
        return sum(certificate.complexity for certificate in self.certificates)

    @property
    def n_clauses(self) -> int:
        """How many the rules have, all classes together."""
        return sum(rules.n_clauses for rules in self.rule_sets)

    @property
    def hamming_loss(self) -> float:
        """What the rules lose on the training data, all classes together."""
        return sum(certificate.hamming_loss for certificate in self.certificates)

    @property
    def lower_bound(self) -> float | None:
        """What any rules within the limits lose at least; None if nothing is known.

        With a penalty on complexity it speaks of the loss and the penalty together.
        """
        known = [c.lower_bound for c in self.certificates if c.lower_bound is not None]
        return sum(known) if len(known) == len(self.certificates) else None

    @property
    def bound_on_loss(self) -> float | None:
        """The bound where it speaks of the loss alone: where complexity has no price."""
        has_penalty = any(c.problem.complexity_penalty for c in self.certificates)
        return None if has_penalty else self.lower_bound

    @property
    def is_optimal(self) -> bool:
        """Whether no rules within the limits can lose less."""
        return all(certificate.is_optimal for certificate in self.certificates)

    @property
    def decisions(self) -> DecisionList:
        """The rules as one list, whose first decision that holds gives the label."""
        if len(self.rule_sets) == 1:
            return DecisionList.of_rule_set(self.rule_sets[0])
        return DecisionList.of_classes(self.rule_sets, self.classes)

    @property
    def _predicted(self) -> str | None:
        return self.target

    def _answers(self, X: Any) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
        """Return the labels that can come out, and which of them each row gets."""
        table = read_table(X, self.features)
        if len(self.rule_sets) > 1:
            return self.classes, winning_class(self.rule_sets, table)
        rules = self.rule_sets[0]
        return (rules.negative, rules.positive), rules.covers(table).astype(np.int64)

    def predicted_classes(self, X: Any) -> NDArray[np.int64]:
        """Predict for each row the place of its class in ``classes``."""
        labels, answers = self._answers(X)
        place = [self.classes.index(label) if label in self.classes else 0 for label in labels]
        return np.array(place)[answers]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict a label for each row of a raw table."""
        labels, answers = self._answers(X)
        return as_labels(labels)[answers]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each class.

        The smoothed training precision of the best clause that decides the row, on plain rows.
        Rows that no clause decides take the training share of such rows. Where the rules have a
        calibration, it corrects these by rows left out of learning. With three classes or more,
        each rule set speaks for its own class and rows are normalised.
        """
        table = read_table(X, self.features)
        if len(self.classes) == 1:
            return np.ones((len(table), 1))
        probabilities = class_probabilities(self.rule_sets, table)
        is_first = len(self.rule_sets) == 1 and self.rule_sets[0].positive == self.classes[0]
        return probabilities[:, ::-1] if is_first else probabilities

    def explain(self, X: Any) -> list[Explanation]:
        """Say which clauses decided each row or what stood in the way of the nearest one.

        And how often such an answer is right, where that is known.
        """
        table = read_table(X, self.features)
        if len(self.rule_sets) == 1:
            return self.rule_sets[0].explain(table)
        return explain_winners(self.rule_sets, self.classes, table)

    def rows(self, X: Any, y: Any, sample_weight: Any = None) -> LabelledRows:
        """Read rows with their labels, weighed as in ``fit``."""
        if self.has_sample_weight and sample_weight is None:
            raise ValueError(
                "The model was fitted with sample weights. Give them as sample_weight."
            )
        return LabelledRows.of(X, y, sample_weight, self.weighing)

    def on(self, rows: Labelled) -> Model:
        """Return the model with the conditions that these rows allow.

        The same, unless every threshold is on offer: then a file does not list them.
        """
        if not self.encoding.has_cuts:
            return self
        assert isinstance(rows, LabelledRows)  # every threshold asks for rows in memory
        return replace(self, encoding=self.encoding.on(rows.table, rows.sample_weight))

    def are_training_rows(self, rows: LabelledRows) -> bool:
        """Whether these are the rows of ``fit``.

        By their fingerprint. Where that is not known, or a column is missing, by what the rules
        lose there.
        """
        has_columns = {f.name for f in self.encoding.features} <= set(rows.table.names)
        if has_columns and self._knows_training_rows:
            return self._other_rows(rows, self.on(rows).encoding) is None
        for rules, certificate in zip(self.rule_sets, self.certificates, strict=True):
            sides = rows.against_rest(rules.positive)
            loss = sides.errors if certificate.each_row_once else sides.hamming_loss
            if not sides.is_same_loss(loss(rules), certificate.hamming_loss):
                return False
        return True

    def verify(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        budget: Budget | None = None,
        engine: str = "numba",
    ) -> Verification:
        """Recompute the loss from the data and prove the bound anew, for each rule set.

        On other rows than those of ``fit`` nothing is verified, and the answer says so;
        ``score_rows`` says how the rules do there.
        """
        rows = LabelledRows.of(X, y, sample_weight, self.weighing)
        return self.verify_rows(rows, getattr(y, "name", None), budget, engine)

    def verify_rows(
        self, rows: Labelled, name: Any, budget: Budget | None = None, engine: str = "numba"
    ) -> Verification:
        """Do the same for rows that may be elsewhere, weighed as the model says.

        ``name`` is that of their labels, if they have one.
        """
        findings = []
        if not self.is_unaltered:
            findings.append(Finding(False, "the file was altered after it was saved"))
        if self.target is not None and isinstance(name, str) and name not in ("", self.target):
            text = f"the rules' target is {self.target!r:.80}, the labels are called {name!r:.80}"
            findings.append(Finding(False, text))
        if self.has_sample_weight and not rows.has_sample_weight:
            findings.append(Finding(False, "the model was fitted with sample weights; give them"))
            return Verification(tuple(findings))
        encoding = self.on(rows).encoding
        claims = [
            Claim(rules, certificate, encoding, self.classes)
            for rules, certificate in zip(self.rule_sets, self.certificates, strict=True)
        ]
        if self.is_unaltered and self._knows_training_rows:
            others = self._other_rows(rows, encoding)
            if others is not None:
                return Verification(tuple(findings), others)
        findings += verify(claims, rows, budget, engine)
        return Verification(tuple(findings), unchecked=tuple(self._unchecked(name)))

    def _unchecked(self, name: Any) -> Iterator[str]:
        """Say what rows of ``fit`` and their labels, of this name, cannot show."""
        if self.target is not None and (not isinstance(name, str) or not name):
            yield f"that the labels are {self.target!r:.80}, for those given have no name"
        if self.held_out is not None:
            yield "the figures on rows left out, which come from rules of other rows"
        if any(rules.calibration is not None for rules in self.rule_sets):
            yield "the correction of probabilities by rows left out; no answer depends on it"

    @property
    def _knows_training_rows(self) -> bool:
        """Whether there is a fingerprint, and it was taken under this encoding."""
        return self.training_rows is not None and self.training_rows.speaks_of(self.encoding)

    def _other_rows(self, rows: Labelled, encoding: TableEncoding) -> str | None:
        """Say how rows differ from those of ``fit``; None if they do not."""
        kept = self.training_rows
        if text := unknown_label(rows, self.classes):
            return text
        if kept is None or kept.is_of(rows, encoding):
            return None
        if len(rows) != kept.n_rows:
            return f"there are {len(rows)}, and fit had {kept.n_rows}"
        return f"there are {len(rows)} as in fit, but values, labels or weights differ"

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """What the rules had to meet on the training rows."""
        return self.certificates[0].requirements

    def standings(self, X: Any, y: Any, sample_weight: Any = None) -> Standings:
        """Say what the requirements' figures come to on rows with labels, group by group.

        Parameters
        ----------
        X, y, sample_weight
            Rows of ``fit``, or others. Requirements that are met in training may fail on others.
        """
        rows = LabelledRows.of(X, y, sample_weight)
        rules = self.rule_sets[0]
        sides = rows.against_rest(rules.positive)
        is_flagged = rules.covers(rows.table)
        return Standings.of(
            self.requirements, rows.table, sides.is_positive, is_flagged, sides.counts
        )

    def score_rows(self, X: Any, y: Any) -> Figures:
        """Say how the rules do on rows with labels, such as rows that were not there for ``fit``.

        Parameters
        ----------
        X, y
            A table with the columns that the rules read, and one label per row. Rows count alike,
            whatever they weighed in ``fit``.
        """
        rows = LabelledRows.of(read_table(X, self.features), y)
        if len(rows) == 0:
            raise ValueError("The table has no rows.")
        if text := unknown_label(rows, self.classes):
            raise ValueError(f"Some labels cannot be judged: {text}.")
        n_classes, answers = len(self.classes), self.predicted_classes(rows.table)
        confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
        for place, label in enumerate(self.classes):
            confusion[place] = np.bincount(answers[rows.has(label)], minlength=n_classes)
        positive = self.rule_sets[0].positive if n_classes == 2 else None
        return Figures.of(self.classes, positive, [confusion], len(rows))

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        """Show the rules, how they did on rows left out, and what is proved."""
        figures = [] if self.held_out is None else [str(self.held_out)]
        proved = "\n".join(f"{title}{c}" for title, c in self._titled_certificates())
        return "\n\n".join([*map(str, self.rule_sets), *figures, proved])

    def _repr_html_(self) -> str:
        """Show the rules, how they did on rows left out, and what is proved, in notebooks."""
        parts = [rules._repr_html_() for rules in self.rule_sets]
        if self.held_out is not None:
            parts.append(self.held_out._repr_html_())
        for title, certificate in self._titled_certificates():
            parts += [paragraph(title)] if title else []
            parts.append(certificate._repr_html_())
        return "\n".join(parts)

    def _titled_certificates(self) -> list[tuple[str, Certificate]]:
        """Return each with the label that it is about, where there are several."""
        if len(self.rule_sets) == 1:
            return [("", self.certificates[0])]
        labels = (format_value(rules.positive) for rules in self.rule_sets)
        return [(f"{label}: ", c) for label, c in zip(labels, self.certificates, strict=True)]

    def save(self, path: str | Path) -> None:
        """Write the model as JSON: all of it, or the file stays as it was."""
        text = self.to_json().encode()
        with whole_file(path) as file:
            file.write(text)

    def to_json(self) -> str:
        """Return the model as JSON text, with a checksum of its contents."""
        return to_json(self)

    @classmethod
    def load(cls, path: str | Path) -> Model:
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
    def from_json(cls, text: str) -> Model:
        """Read ``to_json``'s text, checking every part of it."""
        return cls(**read_json(text))


class HasModel(Protocol):
    """Something fitted, such as a classifier or the best one of a search."""

    @property
    def model_(self) -> Model:
        """What it learned."""
        ...


def as_model(fitted: Model | HasModel) -> Model:
    """Return the model of something fitted, or the model itself."""
    if isinstance(fitted, Model):
        return fitted
    model = getattr(getattr(fitted, "best_estimator_", fitted), "model_", None)
    if not isinstance(model, Model):
        raise TypeError(
            f"model={fitted!r:.60} is neither a fitted BooleanRuleClassifier nor a Model. "
            "Load a file with Model.load."
        )
    return model
