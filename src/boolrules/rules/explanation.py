"""Why a row was classified as it was, and how often such an answer is right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from boolrules._support import html
from boolrules.rules.answers import label_text
from boolrules.rules.clause import Form

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules._support.table import Table
    from boolrules.rules.clause import Clause, Label
    from boolrules.rules.condition import Condition
    from boolrules.rules.rule_set import RuleSet


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one row was classified as it was, and how far to trust the answer.

    ``decided_by`` holds the clauses that decided it; when there is none, ``nearest`` is the clause
    that came closest and ``failed`` the conditions that stood in the way.

    Parameters
    ----------
    prediction : label
        The answer.
    decided_by, nearest, failed
        The reasons.
    form : Form
        Of the rules.
    probability : float or None
        How often the answer is right on such rows: those that the most precise clause among
        ``decided_by`` decides or, where there is none, those that no clause decides. None where
        the rules have no statistics.
    interval : (float, float) or None
        95 % interval of the probability, from the number of such rows in training.
    is_corrected : bool
        Whether both are corrected by rows left out of learning (``RuleSet.calibration``).
        Otherwise they rest on the training rows alone, on which rules look better than on others.

    Examples
    --------
    >>> from boolrules import Clause, Condition
    >>> young = Clause((Condition("age", "<=", 35),))
    >>> print(Explanation("high", (young,), None, (), Form.DNF, 0.823, (0.742, 0.881)))
    'high' because age <= 35 (right on 82 % of such rows, 95 % interval 74 % to 88 %; from
    training rows)
    """

    prediction: Label
    decided_by: tuple[Clause, ...]
    nearest: Clause | None
    failed: tuple[Condition, ...]
    form: Form
    probability: float | None = None
    interval: tuple[float, float] | None = None
    is_corrected: bool = False

    @property
    def reason(self) -> str:
        """What decided the row, or what stood in the way."""
        if self.decided_by:
            texts = [clause.text(self.form) for clause in self.decided_by]
            if self.form is Form.DNF:
                return "; and because ".join(texts)
            return "none of these holds: " + "; nor any of these: ".join(texts)
        if self.nearest is None:
            return "there is no clause"
        if self.form is Form.CNF:
            return "every clause has a condition that holds"
        failed = " and ".join(f"'{condition}'" for condition in self.failed)
        return f"no clause covers it; nearest: {self.nearest}, where {failed} failed"

    @property
    def trust(self) -> str:
        """How often such an answer is right, in words; empty where that is not known."""
        if self.probability is None or self.interval is None:
            return ""
        low, high = map(_percent, self.interval)
        source = "corrected by rows left out" if self.is_corrected else "from training rows"
        return (
            f"right on {_percent(self.probability)} of such rows, 95 % interval {low} to {high}; "
            f"{source}"
        )

    def __str__(self) -> str:
        trust = f" ({self.trust})" if self.trust else ""
        return f"{label_text(self.prediction)} because {self.reason}{trust}"

    def _repr_html_(self) -> str:
        """Show the answer in notebooks, each condition that led to it, and how far to trust it."""
        lead = html.lead(label_text(self.prediction))
        trust = html.aside(f"{self.trust[0].upper()}{self.trust[1:]}.") if self.trust else ""
        return html.card(html.PLAIN, lead, html.table("lm", [], self._cells()), trust)

    def _cells(self) -> list[list[str]]:
        """Write one row for each clause that decided, or for each condition of the nearest."""
        if self.decided_by:
            is_so = self.form is Form.DNF
            return [[html.sign(is_so), clause.text(self.form)] for clause in self.decided_by]
        if self.nearest is None or self.form is Form.CNF:
            return [["-", self.reason]]
        conditions = self.nearest.conditions
        return [["-", "no clause covers it; the nearest:"]] + [
            [html.sign(condition not in self.failed), str(condition)] for condition in conditions
        ]

    def turned_into(self, prediction: Label) -> Explanation:
        """Give the opposite answer for the same reasons: it is right where the other is wrong."""
        if self.probability is None or self.interval is None:
            return replace(self, prediction=prediction)
        low, high = self.interval
        return replace(
            self,
            prediction=prediction,
            probability=1.0 - self.probability,
            interval=(1.0 - high, 1.0 - low),
        )


def explain_rows(rules: RuleSet, table: Table) -> list[Explanation]:
    """Say for each row which clauses decided it, or what stood in the way of the nearest."""
    decides = rules.decides(table)
    is_dnf = rules.form is Form.DNF
    stands_in_the_way = {
        c: c.holds(table[c.feature]) != is_dnf
        for clause in rules.clauses
        for c in clause.conditions
    }
    n_failed = np.column_stack(
        [sum(stands_in_the_way[c] for c in clause.conditions) for clause in rules.clauses]
        or [np.empty((len(table), 0), dtype=np.int64)]
    )
    predictions, chances = rules.predict(table), _chances(rules, table)
    explanations = []
    for i, label in enumerate(predictions):
        prediction = label.item() if isinstance(label, np.generic) else label
        decided_by = tuple(c for c, d in zip(rules.clauses, decides[i], strict=True) if d)
        nearest: Clause | None = None
        failed: tuple[Condition, ...] = ()
        if not decided_by and rules.clauses:
            nearest = rules.clauses[int(n_failed[i].argmin())]
            failed = tuple(c for c in nearest.conditions if stands_in_the_way[c][i])
        reasons = Explanation(prediction, decided_by, nearest, failed, rules.form)
        if chances is not None:
            probability, *interval = chances[i].tolist()
            reasons = replace(
                reasons,
                probability=probability,
                interval=tuple(interval),
                is_corrected=rules.calibration is not None,
            )
        explanations.append(reasons)
    return explanations


def _chances(rules: RuleSet, table: Table) -> NDArray[np.float64] | None:
    """How often each row's answer is right, and the interval of that: (n_rows, 3)."""
    if not rules.has_probabilities:
        return None
    p, interval = rules.positive_probability(table), rules.positive_interval(table)
    positive = np.column_stack([p, interval])
    negative = 1.0 - np.column_stack([p, interval[:, ::-1]])
    return np.where(rules.covers(table)[:, None], positive, negative)


def _percent(share: float) -> str:
    """Write a share in whole percent, and never certainty where there is none."""
    if 0 < share < 0.005 or 0.995 <= share < 1:
        return "under 1 %" if share < 0.5 else "over 99 %"
    return f"{100 * share:.0f} %"
