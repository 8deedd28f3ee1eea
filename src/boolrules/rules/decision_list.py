"""Rule sets as one list of decisions: the first that holds gives the label.

What SQL and Python source are written from. One rule set makes one decision; one per class
against the rest make several, in the order that ``winning_class`` would prefer them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boolrules.rules.clause import Form

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boolrules.rules.clause import Clause, Label
    from boolrules.rules.rule_set import RuleSet


@dataclass(frozen=True, slots=True)
class Decision:
    """Clauses, joined as the form says, and the label where they hold."""

    clauses: tuple[Clause, ...]
    form: Form
    label: Label

    @property
    def always_holds(self) -> bool:
        """Whether nothing is asked: an AND of no clauses."""
        return self.form is Form.CNF and not self.clauses


@dataclass(frozen=True, slots=True)
class DecisionList:
    """Decisions in order, and the label where none of them holds."""

    decisions: tuple[Decision, ...]
    otherwise: Label

    @property
    def labels(self) -> tuple[Label, ...]:
        """Every label that can come out."""
        return (*(decision.label for decision in self.decisions), self.otherwise)

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that are read, in order of appearance."""
        clauses = [clause for decision in self.decisions for clause in decision.clauses]
        return tuple(dict.fromkeys(c.feature for clause in clauses for c in clause.conditions))

    @classmethod
    def of_rule_set(cls, rules: RuleSet) -> DecisionList:
        """Return what ``RuleSet.predict`` does, as a list of at most one decision."""
        if not rules.clauses:
            return cls((), rules.negative if rules.form is Form.DNF else rules.positive)
        return cls((Decision(rules.clauses, rules.form, rules.positive),), rules.negative)

    @classmethod
    def of_classes(cls, rule_sets: Sequence[RuleSet], labels: Sequence[Label]) -> DecisionList:
        """Return what ``winning_class`` does, as a list.

        A rule set has few scores, each with a formula that says where it is reached. Sorted by
        score, the first formula that holds belongs to the class that wins.
        """
        scored = []
        for probabilities in (_where_covered, _where_not_covered):
            entries = [
                (score, k, formula)
                for k, rules in enumerate(rule_sets)
                for score, formula in probabilities(rules)
            ]
            scored += sorted(entries, key=lambda entry: (-entry[0], entry[1]))
        decisions: list[Decision] = []
        for _, k, (form, clauses) in scored:
            decision = Decision(clauses, form, labels[k])
            if decision.always_holds:
                return cls(tuple(decisions), labels[k])
            decisions.append(decision)
        raise ValueError("There is no rule set to choose from.")


_Scored = tuple[float, tuple[Form, tuple["Clause", ...]]]


def _where_covered(rules: RuleSet) -> Iterator[_Scored]:
    """Each score of a rule set on the rows that it covers, and where it reaches it."""
    precisions, undecided = _precisions(rules)
    if rules.form is Form.CNF:
        yield 1.0 - undecided, (Form.CNF, rules.clauses)
        return
    for clause, precision in zip(rules.clauses, precisions, strict=True):
        yield precision, (Form.DNF, (clause,))


def _where_not_covered(rules: RuleSet) -> Iterator[_Scored]:
    """The same for the rows that no rule set covers.

    In CNF some clause turns the row away there. The score is at least 1 - p where every
    clause more precise than p lets it pass.
    """
    precisions, undecided = _precisions(rules)
    if rules.form is Form.DNF:
        yield undecided, (Form.CNF, ())
        return
    for score in {1.0 - precision for precision in precisions}:
        passed = tuple(
            clause
            for clause, precision in zip(rules.clauses, precisions, strict=True)
            if 1.0 - precision < score
        )
        yield score, (Form.CNF, passed)


def _precisions(rules: RuleSet) -> tuple[list[float], float]:
    if not rules.has_probabilities or rules.undecided is None:
        raise ValueError(
            "A rule set has no training statistics, so it cannot be weighed against those of the "
            "other classes. Export each rule set on its own."
        )
    return [s.by_weight.score for s in rules.statistics], rules.undecided.by_weight.score
