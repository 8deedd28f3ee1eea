"""Clauses and rule sets: print, predict, explain one row, JSON in and out. No solver needed.

DNF and CNF share one mechanism. A clause *decides* a row: in DNF it covers the row and makes it
positive, in CNF it turns the row away (none of its conditions holds) and makes it negative.
Everything else, from ``predict`` to the Hamming loss, follows from which clauses decide which
rows.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.json import is_label, parse
from boolrules._support.optional import require
from boolrules._support.table import read_table
from boolrules.rules.answers import answer_texts
from boolrules.rules.calibration import Calibration
from boolrules.rules.clause import Clause, Form, Label, as_labels
from boolrules.rules.clause_statistics import ClauseStatistics, count_rows, wilson_interval
from boolrules.rules.condition import Condition
from boolrules.rules.decision_list import DecisionList
from boolrules.rules.explanation import Explanation, explain_rows
from boolrules.rules.export.html import html_text
from boolrules.rules.export.latex import latex_text
from boolrules.rules.export.markdown import markdown_text
from boolrules.rules.export.runnable import Runnable
from boolrules.rules.names import format_name

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class RuleSet(Runnable):
    """Rules that people read and that predict on raw tables.

    Parameters
    ----------
    clauses : tuple of Clause
        In DNF a row is positive when any clause holds, in CNF when all do.
    form : Form
        ``"dnf"`` or ``"cnf"``.
    positive, negative : label
        What is predicted.
    target : str or None
        Name of the predicted column, for printing.
    statistics : tuple of ClauseStatistics
        One per clause, from the training data; empty when unknown.
    undecided : ClauseStatistics or None
        The same for the rows that no clause decides: ``right`` counts those that a clause should
        have decided.
    calibration : Calibration or None
        Corrects probabilities by rows that were left out of learning; None leaves those of the
        training rows. It belongs to these statistics, and goes when rows are counted anew.

    Examples
    --------
    >>> from boolrules import Condition, Relation
    >>> young = Clause((Condition("age", Relation.LE, 35),))
    >>> clerk = Clause((Condition("age", Relation.GT, 60), Condition("job", Relation.EQ, "clerk")))
    >>> rules = RuleSet((young, clerk), Form.DNF, positive="high", negative="low", target="risk")
    >>> print(rules)
    IF   age <= 35
      OR (age > 60 AND job == 'clerk')
    THEN risk is 'high'
    ELSE risk is 'low'
    >>> import polars
    >>> people = polars.DataFrame({"age": [20, 70, 70], "job": ["cook", "clerk", None]})
    >>> rules.predict(people).tolist()
    ['high', 'high', 'low']
    >>> print(rules.explain(people)[2])
    'low' because no clause covers it; nearest: age <= 35, where 'age <= 35' failed
    >>> RuleSet.from_json(rules.to_json()) == rules
    True
    """

    clauses: tuple[Clause, ...]
    form: Form = Form.DNF
    positive: Label = True
    negative: Label = False
    target: str | None = None
    statistics: tuple[ClauseStatistics, ...] = ()
    undecided: ClauseStatistics | None = None
    calibration: Calibration | None = None

    @property
    def complexity(self) -> int:
        """Clauses plus conditions."""
        return sum(clause.complexity for clause in self.clauses)

    @property
    def n_clauses(self) -> int:
        """How many clauses there are."""
        return len(self.clauses)

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that the rules read, in order of appearance."""
        return tuple(
            dict.fromkeys(c.feature for clause in self.clauses for c in clause.conditions)
        )

    def decides(self, X: Any) -> NDArray[np.bool_]:
        """Which clause decides which row: Boolean, (n_rows, n_clauses)."""
        table = read_table(X, self.features)
        decides = np.ones((len(table), self.n_clauses), dtype=bool)
        for k, clause in enumerate(self.clauses):
            for condition in clause.conditions:
                holds = condition.holds(table[condition.feature])
                decides[:, k] &= holds if self.form is Form.DNF else ~holds
        return decides

    def covers(self, X: Any) -> NDArray[np.bool_]:
        """On which rows the answer is positive."""
        is_decided = np.asarray(self.decides(X).any(axis=1))
        return is_decided if self.form is Form.DNF else ~is_decided

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict a label for each row of a raw table."""
        return as_labels([self.negative, self.positive])[self.covers(X).astype(int)]

    @property
    def has_weighted_statistics(self) -> bool:
        """Whether there are weighted counts beside those of plain rows."""
        return any(s.weighted is not None for s in self.statistics)

    @property
    def has_probabilities(self) -> bool:
        """Whether there are the statistics that probabilities rest on."""
        return len(self.statistics) == self.n_clauses and self.undecided is not None

    def positive_probability(self, X: Any) -> NDArray[np.float64]:
        """P(positive): smoothed precision on plain rows of the best clause that decides each row.

        Rows that no clause decides take the share of positives among such rows in training. Where
        there is a calibration, it corrects both.

        Examples
        --------
        >>> from boolrules import Condition
        >>> X, y = np.arange(10.0).reshape(-1, 1), np.arange(10) > 5
        >>> rules = RuleSet((Clause((Condition("x0", ">", 4),)),)).with_statistics(X, y)
        >>> rules.positive_probability(X[[5, 0]]).round(3).tolist()
        [0.714, 0.143]
        >>> careful = replace(rules, calibration=Calibration(slope=0.5))
        >>> careful.positive_probability(X[[5, 0]]).round(3).tolist()
        [0.613, 0.29]
        """
        every = self._known_statistics()
        return self._positive(np.array([s.smoothed_precision for s in every])[self._best(X)])

    def positive_interval(self, X: Any) -> NDArray[np.float64]:
        """95 % interval of ``positive_probability``: lower and upper ends, (n_rows, 2)."""
        ends = self.precision_intervals()[self._best(X)]
        return ends if self.form is Form.DNF else 1.0 - ends[:, ::-1]

    def precision_intervals(self) -> NDArray[np.float64]:
        """95 % interval of how often each clause is right, then of the undecided rows' share.

        Wilson's, for as many rows as there were in training: (n_clauses + 1, 2). Where there is a
        calibration, it is that of the corrected share, and no narrower for the correction: that
        says where the share is likely to be, and brings no more rows.
        """
        every = self._known_statistics()
        if self.calibration is None:
            return np.array([s.interval for s in every])
        positive = self._positive(np.array([s.smoothed_precision for s in every]))
        right = positive if self.form is Form.DNF else 1.0 - positive
        pairs = zip(right.tolist(), every, strict=True)
        return np.array([wilson_interval(share * s.covered, s.covered) for share, s in pairs])

    def positive_score(self, X: Any) -> NDArray[np.float64]:
        """Say by what classes compete for a row: its probability as weights see it.

        Weights say which rows matter, so they count in who wins. A calibration does not: what is
        predicted never depends on it.
        """
        precisions = np.array([s.by_weight.score for s in self._known_statistics()])
        decides = self.decides(X)
        best = np.where(decides, precisions[:-1], 0.0).max(axis=1, initial=0.0)
        decided = np.where(decides.any(axis=1), best, precisions[-1])
        return decided if self.form is Form.DNF else 1.0 - decided

    def _known_statistics(self) -> list[ClauseStatistics]:
        """Return those of the clauses, then those of the undecided rows."""
        if not self.has_probabilities or self.undecided is None:
            raise ValueError(
                "This rule set has no training statistics, so it has no probabilities."
            )
        return [*self.statistics, self.undecided]

    def _best(self, X: Any) -> NDArray[np.int64]:
        """Place of the most precise clause that decides each row; the last where none does."""
        decides = self.decides(X)
        is_undecided = ~decides.any(axis=1, keepdims=True)
        precisions = [s.smoothed_precision for s in self._known_statistics()]
        return np.where(np.hstack([decides, is_undecided]), precisions, -np.inf).argmax(axis=1)

    def _positive(self, right: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn shares of rows on which clauses are right into P(positive)."""
        positive = right if self.form is Form.DNF else 1.0 - right
        return positive if self.calibration is None else self.calibration(positive)

    def hamming_loss(
        self, X: Any, is_positive: NDArray[np.bool_], weights: NDArray[Any] | None = None
    ) -> float:
        """Hamming loss of eq. (1), from the raw table: what a certificate speaks of.

        A row that a clause should have decided counts once; a row that clauses wrongly decide
        counts once for each of them.
        """
        n_decides = self.decides(X).sum(axis=1)
        should = np.asarray(is_positive, dtype=bool)
        if self.form is Form.CNF:
            should = ~should
        if weights is None:
            weights = np.ones(len(should), dtype=np.int64)
        times = np.where(should, n_decides == 0, n_decides)
        loss = math.fsum((times * weights).tolist())
        return int(loss) if loss.is_integer() else loss

    def with_statistics(
        self, X: Any, is_positive: NDArray[np.bool_], weights: NDArray[Any] | None = None
    ) -> RuleSet:
        """Return the same rules with statistics from the given rows.

        Plain rows are counted and, where weights are not all 1, what they weigh beside them. Rows
        of weight 0 do not count.

        Examples
        --------
        >>> from boolrules import Condition
        >>> X, is_old = np.array([[1.0], [2.0], [3.0]]), np.array([False, True, True])
        >>> rules = RuleSet((Clause((Condition("x0", "<=", 2),)),))
        >>> rules.with_statistics(X, is_old, [1, 9, 1]).to_rows()
        [{'clause': 'x0 <= 2', 'n_conditions': 1,
        'coverage': 2.0, 'precision': 0.5, 'only_here': 1.0,
        'weighted_coverage': 10.0, 'weighted_precision': 0.9, 'weighted_only_here': 9.0}]
        """
        is_right = np.asarray(is_positive, dtype=bool)
        if self.form is Form.CNF:
            is_right = ~is_right
        statistics, undecided = count_rows(self.decides(X), is_right, weights)
        return replace(self, statistics=tuple(statistics), undecided=undecided, calibration=None)

    def explain(self, X: Any) -> list[Explanation]:
        """Say for each row which clauses decided it, or what stood in the way of the nearest.

        And how often such an answer is right, where that is known.
        """
        return explain_rows(self, read_table(X, self.features))

    def __str__(self) -> str:
        return "\n".join(f"{keyword}{' '.join(texts)}" for keyword, texts in self.lines())

    def lines(self) -> list[tuple[str, list[str]]]:
        """Return what is printed: a keyword for each line, and texts between which it may break.

        The lines of the clauses come first.
        """
        name = format_name(self.target) if self.target else ""
        yes, no = answer_texts(name, self.positive, self.negative)
        if not self.clauses:
            answer = no if self.form is Form.DNF else yes
            return [("ALWAYS ", [answer, "(there is no clause)"])]
        joint = "  OR " if self.form is Form.DNF else " AND "
        lines = [(joint if k else "IF   ", self._texts(c)) for k, c in enumerate(self.clauses)]
        return [*lines, ("THEN ", [yes]), ("ELSE ", [no])]

    def to_text(self) -> list[list[str]]:
        """Return the conditions of each clause as text."""
        return [[str(condition) for condition in clause.conditions] for clause in self.clauses]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row per clause.

        Conditions, coverage, precision, rows that only it gets right: of plain rows and, where
        there are weights, weighted ones beside them.
        """
        rows: list[dict[str, Any]] = []
        for k, clause in enumerate(self.clauses):
            row: dict[str, Any] = {
                "clause": clause.text(self.form),
                "n_conditions": clause.n_conditions,
            }
            if self.statistics:
                s = self.statistics[k]
                row |= {"coverage": s.covered, "precision": s.precision, "only_here": s.only_here}
                if self.has_weighted_statistics:
                    row |= {
                        "weighted_coverage": s.by_weight.covered,
                        "weighted_precision": s.by_weight.precision,
                        "weighted_only_here": s.by_weight.only_here,
                    }
            rows.append(row)
        return rows

    def to_frame(self, library: str | None = None) -> Any:
        """Return ``to_rows`` as a data frame.

        Parameters
        ----------
        library : "pandas", "polars" or None
            None takes pandas where it is installed, and polars otherwise.
        """
        if library not in (None, "pandas", "polars"):
            raise ValueError(f"library={library!r} is unknown; use 'pandas', 'polars' or None.")
        columns = ["clause", "n_conditions", "coverage", "precision", "only_here"]
        if self.has_weighted_statistics:
            columns += [f"weighted_{name}" for name in columns[2:]]
        data = {name: [row.get(name) for row in self.to_rows()] for name in columns}
        if library != "polars":
            try:
                pandas = require(
                    "pandas", needed_for="to_frame('pandas')", install="pip install pandas"
                )
                return pandas.DataFrame(data)
            except ImportError:
                if library == "pandas":
                    raise
        return require("polars", needed_for="to_frame()", install="pip install polars").DataFrame(
            data
        )

    @property
    def decisions(self) -> DecisionList:
        """The rules as a list of at most one decision, from which they are exported."""
        return DecisionList.of_rule_set(self)

    @property
    def _predicted(self) -> str | None:
        return self.target

    def to_latex(self) -> str:
        """Return a LaTeX ``tabular``, with coverage and precision where they are known."""
        return latex_text(self)

    def to_markdown(self) -> str:
        """Return a Markdown table, with coverage and precision where they are known."""
        return markdown_text(self)

    def _repr_html_(self) -> str:
        """Show the rules in notebooks."""
        return html_text(self)

    def to_json(self) -> str:
        """Return JSON text that ``from_json`` reads back to an equal rule set."""
        return json.dumps(self.to_plain(), ensure_ascii=False, allow_nan=False)

    def to_plain(self) -> dict[str, Any]:
        """Return lists, dicts and scalars that JSON can hold."""
        plain: dict[str, Any] = {
            "form": str(self.form),
            "positive": self.positive,
            "negative": self.negative,
            "target": self.target,
            "clauses": [[c.to_plain() for c in clause.conditions] for clause in self.clauses],
            "statistics": [s.to_plain() for s in self.statistics],
            "undecided": None if self.undecided is None else self.undecided.to_plain(),
        }
        if self.calibration is not None:
            plain["calibration"] = self.calibration.to_plain()
        return plain

    @classmethod
    def from_json(cls, text: str) -> RuleSet:
        """Read ``to_json``'s text. Safe on hostile input: nothing is executed."""
        return cls.from_plain(parse(text))

    @classmethod
    def from_plain(cls, plain: Any) -> RuleSet:
        """Read ``to_plain``'s form, checking every part of it."""
        if not isinstance(plain, dict) or not isinstance(plain.get("clauses"), list):
            raise ValueError(f"A rule set needs a list of clauses; got {plain!r:.80}.")
        if plain.get("form") not in list(Form):
            raise ValueError(f"form={plain.get('form')!r:.40} is unknown; use 'dnf' or 'cnf'.")
        if not all(isinstance(clause, list) for clause in plain["clauses"]):
            raise ValueError("Each clause must be a list of conditions.")
        labels = [plain.get(name) for name in ("positive", "negative", "target")]
        if not all(map(is_label, labels)) or not isinstance(labels[2], str | None):
            raise ValueError(f"Labels must be text, numbers or true/false; got {labels!r:.80}.")
        if not isinstance(plain.get("statistics", []), list):
            raise ValueError("The statistics of a rule set must be a list.")
        clauses = tuple(
            Clause(tuple(map(Condition.from_plain, clause))) for clause in plain["clauses"]
        )
        statistics = tuple(map(ClauseStatistics.from_plain, plain.get("statistics", [])))
        if statistics and len(statistics) != len(clauses):
            raise ValueError(f"{len(clauses)} clauses have {len(statistics)} rows of statistics.")
        undecided, calibration = plain.get("undecided"), plain.get("calibration")
        return cls(
            clauses,
            Form(plain["form"]),
            labels[0],
            labels[1],
            labels[2],
            statistics,
            None if undecided is None else ClauseStatistics.from_plain(undecided),
            None if calibration is None else Calibration.from_plain(calibration),
        )

    def _texts(self, clause: Clause) -> list[str]:
        """Write a clause, in brackets where several conditions could be misread."""
        texts = clause.texts(self.form)
        inner = "AND" if self.form is Form.DNF else "OR"
        texts = [texts[0], *(f"{inner} {text}" for text in texts[1:])]
        # In CNF a list alone needs brackets: without them it reads as a DNF of its values.
        if len(texts) > 1 or (self.form is Form.CNF and len(clause.conditions) > 1):
            texts[0] = f"({texts[0]}"
            texts[-1] += ")"
        return texts
