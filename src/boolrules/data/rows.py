"""What learning and verifying may ask of rows with their labels, wherever these are.

``LabelledRows`` and ``BinaryRows`` answer for rows in memory, ``distributed`` for rows on the
workers of a cluster. What a row weighs is said in ``labelled_rows``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.data.encoding import TableEncoding
    from boolrules.data.fingerprint import RowMarks
    from boolrules.data.given import Given
    from boolrules.data.labelled_rows import Weighing
    from boolrules.data.problem import Problem
    from boolrules.data.requirement import Requirement
    from boolrules.data.samples import Samples
    from boolrules.data.standing import Standings
    from boolrules.rules import Clause, Form, RuleSet


class Labelled(Protocol):
    """Rows with their labels, wherever they are: what a model is verified on."""

    @property
    def weighing(self) -> Weighing:
        """What rows weigh by their class, and what each kind of mistake costs."""
        ...

    @property
    def labels(self) -> NDArray[Any]:
        """The labels: one per row, or each once."""
        ...

    @property
    def has_sample_weight(self) -> bool:
        """Whether rows have weights of their own."""
        ...

    def __len__(self) -> int: ...

    def marks(self, encoding: TableEncoding) -> RowMarks:
        """Return what tells these rows from others."""
        ...

    def against_rest(self, positive: Any) -> Rows:
        """Put the rows of one label on one side and all others on the other."""
        ...


class Rows(Protocol):
    """Rows of one class against the rest, wherever they are: what rules are learned from."""

    @property
    def has_positives(self) -> bool:
        """Whether any positive weighs anything."""
        ...

    @property
    def has_both_classes(self) -> bool:
        """Whether rows of both sides weigh anything."""
        ...

    @property
    def total_costs(self) -> tuple[float, float]:
        """What it costs to miss every positive, and to cover every zero once."""
        ...

    def holds_whole(self, name: str) -> bool:
        """Whether a column of numbers is known to hold whole ones alone, or missing values."""
        ...

    def hamming_loss(self, rules: RuleSet) -> float:
        """What the rules lose on these rows, eq. (1)."""
        ...

    def errors(self, rules: RuleSet) -> float:
        """What the rules mistake on these rows, each counted once."""
        ...

    def with_statistics(self, rules: RuleSet) -> RuleSet:
        """Return the rules with what their clauses do on these rows."""
        ...

    def has_statistics_of(self, rules: RuleSet) -> bool:
        """Whether the statistics that rules come with, if any, are those of these rows."""
        ...

    def is_same_loss(self, one: float, other: float) -> bool:
        """Whether two losses on these rows are the same; see ``labelled_rows.is_same_loss``."""
        ...

    def meets(self, rules: RuleSet, requirements: Sequence[Requirement]) -> bool:
        """Whether the rules meet requirements on these rows, however mistakes are counted."""
        ...

    def standings(self, rules: RuleSet, requirements: Sequence[Requirement]) -> Standings:
        """Say what the figures of requirements come to under some rules."""
        ...

    def caring_for(self, requirement: Requirement) -> Rows | None:
        """Return the rows where nothing costs but what a requirement asks; None if nothing is."""
        ...

    def without(
        self,
        clauses: Sequence[Clause],
        encoding: TableEncoding,
        form: Form,
        problem: Problem,
        requirements: Sequence[Requirement] = (),
    ) -> tuple[Given, Samples]:
        """Take clauses that are given out of a problem, and encode the rows that they leave."""
        ...
