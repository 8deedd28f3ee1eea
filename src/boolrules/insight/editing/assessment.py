"""What rules do on data: losses, mistakes, clause by clause, and slips that show."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.html import paragraph
from boolrules._support.table import Kind
from boolrules.insight.editing.context import (
    check_columns,
    check_labels,
    conditions_of,
    counted_beside,
    distinct,
    read_rows,
    read_text,
    size_of,
)
from boolrules.insight.editing.standing import MEASURES, standing_of
from boolrules.model.model import as_model
from boolrules.rules import Relation, RuleSet
from boolrules.rules.condition import exact_number
from boolrules.rules.export.outline import clause_figures, figure_names
from boolrules.rules.parse import suggestion

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boolrules._support.table import Table, TableColumn
    from boolrules.data.standing import Standings
    from boolrules.insight.editing.standing import Standing
    from boolrules.model.model import HasModel, Model
    from boolrules.proof.certificate import Certificate
    from boolrules.rules import Condition

_REQUIREMENTS = "Requirements of the model on these rows, each row counted once:"


@dataclass(frozen=True, slots=True, eq=False)
class Assessment:
    """What a rule set does on some rows.

    Parameters
    ----------
    rules : RuleSet
        With the coverage and precision of each clause on these rows.
    n_rows : int
        How many rows there are.
    missed_positives, covered_zeros : int
        Rows that are answered wrongly: positives that are not found, zeros that are taken for
        positives.
    hamming_loss : float
        As the certificate counts it: a zero counts once for each clause that covers it. At the
        weights and costs of the model, where there is one.
    complexity : float
        At the prices of the model, where there is one.
    notes : tuple of str
        What looks like a slip: values that never occur, conditions that are always or never true.
    standing : Standing or None
        Where the rules stand beside the model, if one was given.
    """

    rules: RuleSet
    n_rows: int
    missed_positives: int
    covered_zeros: int
    hamming_loss: float
    complexity: float
    notes: tuple[str, ...] = ()
    standing: Standing | None = None

    @property
    def n_mistakes(self) -> int:
        """Rows that are answered wrongly."""
        return self.missed_positives + self.covered_zeros

    @property
    def error_rate(self) -> float:
        """Share of the rows that are answered wrongly, each counted once."""
        return self.n_mistakes / self.n_rows

    @property
    def accuracy(self) -> float:
        """Share of the rows that are answered rightly."""
        return 1.0 - self.error_rate

    @property
    def standings(self) -> Standings | None:
        """How the rules stand to the model's requirements; None where there are none."""
        return None if self.standing is None else self.standing.standings

    @property
    def certificate(self) -> Certificate | None:
        """What is proved of these rules on these rows; None where nothing is."""
        return None if self.standing is None else self.standing.certificate

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per clause; see ``RuleSet.to_rows``."""
        return self.rules.to_rows()

    def to_plain(self) -> dict[str, Any]:
        """Return lists, dicts and scalars that JSON can hold."""
        certificate, standing = self.certificate, self.standing
        clauses = [
            {key: None if value != value else value for key, value in row.items()}
            for row in self.to_rows()
        ]
        plain = {
            "rules": self.rules.to_text(),
            "form": str(self.rules.form),
            "positive": self.rules.positive,
            "complexity": self.complexity,
            "n_clauses": self.rules.n_clauses,
            "hamming_loss": self.hamming_loss,
            "missed_positives": self.missed_positives,
            "covered_zeros": self.covered_zeros,
            "accuracy": self.accuracy,
            "error_rate": self.error_rate,
            "n_rows": self.n_rows,
            "clauses": clauses,
            "notes": list(self.notes),
            "lower_bound": None if certificate is None else certificate.lower_bound,
            "gap": None if certificate is None else certificate.gap,
            "is_optimal": None if certificate is None else certificate.is_optimal,
            "thresholds": None if certificate is None else certificate.thresholds,
            "model": None if standing is None else standing.to_plain(),
        }
        if self.standings is not None:
            plain["requirements"] = self.standings.to_plain()
        return plain

    def __str__(self) -> str:
        parts = [str(self.rules), "", *self._table(), *self._sentences()]
        if self.standings is not None:
            parts += ["", _REQUIREMENTS, str(self.standings)]
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        """Show the rules, their figures and what is proved, in notebooks."""
        parts = [self.rules._repr_html_(), *map(paragraph, self._sentences())]
        if self.standings is not None:
            parts += [paragraph(_REQUIREMENTS), self.standings._repr_html_()]
        return "\n".join(parts)

    def _sentences(self) -> list[str]:
        measure = "Hamming loss"
        if self.standing is not None and self.standing.minimises in ("missed", "covered"):
            measure = MEASURES[self.standing.minimises].capitalize()
        sentences = [
            f"{measure} {_text(self.hamming_loss)}, complexity {_text(self.complexity)}.",
            f"{self.n_mistakes} of {self.n_rows} rows answered wrongly ({self.error_rate:.1%}); "
            f"positives missed: {self.missed_positives}, zeros covered: {self.covered_zeros}.",
        ]
        sentences += [f"Note: {note}" for note in self.notes]
        return sentences + ([] if self.standing is None else self.standing.sentences)

    def _table(self) -> list[str]:
        if not self.rules.clauses:
            return []
        names = figure_names(self.rules)
        texts = [clause.text(self.rules.form) for clause in self.rules.clauses]
        width = max(map(len, ["clause", *texts]))
        rows = [dict(zip(names, names, strict=True)), *clause_figures(self.rules)]
        lines = [
            "  ".join([f"{text:<{width}}", *(f"{row[name]:>{len(name)}}" for name in names)])
            for text, row in zip(["clause", *texts], rows, strict=True)
        ]
        return [*lines, ""]


def assess(
    rules: RuleSet | str,
    X: Any,
    y: Any,
    model: Model | HasModel | None = None,
    *,
    sample_weight: Any = None,
    time_limit: float | None = 60,
) -> Assessment:
    """Say what rules do on data and, beside a model, how far they are from its bound.

    Parameters
    ----------
    rules : RuleSet or str
        The rules, or text that ``parse_rules`` reads. Text without THEN describes the positive
        label of the model or, of two labels, the second in sorted order.
    X, y
        The table, and one label per row.
    model : BooleanRuleClassifier, Model or None
        Fitted on the same rows. Its conditions are known to the text, its weights and prices are
        used, and its bound is proved anew on these rows and held against the rules, where it
        speaks of them. Where the rules break its requirements, it does not.
    sample_weight : array of numbers, or None
        As in ``fit``.
    time_limit : float or None, default=60
        Seconds for that proof; None means no limit.

    Examples
    --------
    >>> import polars
    >>> from boolrules import BooleanRuleClassifier
    >>> people = polars.DataFrame({"age": [20, 30, 40, 50, 60, 70], "job": ["cook", "clerk"] * 3})
    >>> risk = ["low", "low", "low", "high", "low", "high"]
    >>> model = BooleanRuleClassifier(max_complexity=3, positive_label="high").fit(people, risk)
    >>> print(assess("age > 40", people, risk, model))
    IF   age > 40
    THEN 'high'
    ELSE 'low'
    <BLANKLINE>
    clause    coverage  precision  only here
    age > 40         3      66.7%          2
    <BLANKLINE>
    Hamming loss 1, complexity 2.
    1 of 6 rows answered wrongly (16.7%); positives missed: 0, zeros covered: 1.
    Hamming loss 1, lower bound 0: no rule set of complexity at most 3 can be better by more
    than 1 (100.0 %).
    The bound ranges over the 12 conditions of the model and was proved anew on these rows.
    The model's own rules: Hamming loss 0 on these rows, complexity 3.
    """
    saved = None if model is None else as_model(model)
    rows = read_rows(X, y, sample_weight, saved)
    labels = rows.labels.tolist()
    if isinstance(rules, str):
        rules = read_text(rules, rows.table, saved, labels)
    check_columns(rules, rows.table)
    check_labels(rules, labels, () if saved is None else saved.classes)
    if saved is not None:
        rules = counted_beside(rules, saved, rows)
    sides = rows.against_rest(rules.positive)
    is_positive, covers = sides.is_positive, rules.covers(rows.table)
    complexity: float = rules.complexity
    if saved is not None:
        complexity = saved.certificates[0].problem.complexity(*size_of(rules))
    return Assessment(
        sides.with_statistics(rules),
        len(rows),
        int((is_positive & ~covers).sum()),
        int((~is_positive & covers).sum()),
        sides.hamming_loss(rules),
        complexity,
        tuple(_notes(rules, rows.table)),
        None if saved is None else standing_of(rules, rows, saved, time_limit),
    )


def _notes(rules: RuleSet, table: Table) -> Iterator[str]:
    """What looks like a slip."""
    for condition in conditions_of(rules):
        column = table[condition.feature]
        holds = condition.holds(column)
        if condition.relation in (Relation.EQ, Relation.NE):
            values = distinct(column.values.tolist())
            if condition.value not in values:
                yield f"'{condition}': no row has this value.{_instead(condition, values)}"
                continue
        if not holds.any():
            yield f"'{condition}' is true on no row{_extent(column)}"
        elif holds.all():
            yield f"'{condition}' is true on every row{_extent(column)}"
    counts = Counter(frozenset(clause.conditions) for clause in rules.clauses)
    for clause in dict.fromkeys(rules.clauses):
        n_times = counts[frozenset(clause.conditions)]
        if n_times > 1:
            yield f"the clause '{clause.text(rules.form)}' is there {n_times} times"


def _instead(condition: Condition, values: Sequence[Any]) -> str:
    texts = [value for value in values if isinstance(value, str)]
    if isinstance(condition.value, str) and texts:
        return f" {suggestion(condition.value, texts)}"
    return ""


def _extent(column: TableColumn) -> str:
    if column.kind is not Kind.NUMERIC or column.is_null.all():
        return ""
    low, high = np.nanmin(column.values), np.nanmax(column.values)
    return f": {column.name} goes from {exact_number(low)} to {exact_number(high)}"


def _text(number: float) -> str:
    return f"{number:.10g}"
