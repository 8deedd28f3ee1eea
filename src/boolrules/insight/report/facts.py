"""What a report says, as plain values: the page shows them, ``--json`` prints them.

Labels, columns and conditions are given by their place in the lists of ``Facts``.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

Matrix = list[list[int]]


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """One column of the table."""

    name: str
    kind: str
    n_missing: int
    n_distinct: int
    is_used: bool


@dataclass(frozen=True, slots=True)
class DataFacts:
    """The rows that the report was given.

    ``are_training_rows`` says whether the rules were learned from them; see
    ``Model.are_training_rows``.
    """

    source: str | None
    sha256: str | None
    n_rows: int
    n_by_class: list[int]
    n_missing: int
    n_rows_with_missing: int
    has_weights: bool
    are_training_rows: bool
    columns: list[ColumnFacts]


@dataclass(frozen=True, slots=True)
class FoldsFacts:
    """The folds: what the rules in ``held_out`` of each point were learned without.

    ``are_separate`` is False where rows were both learned from and left out, and
    ``has_chosen`` True where the complexity was chosen on these folds.
    """

    description: str
    n_learned: list[int]
    n_left_out: list[int]
    are_separate: bool
    has_chosen: bool


@dataclass(frozen=True, slots=True)
class HeldOutFacts:
    """Rows left out: by class and answer over all folds, and the accuracy of each fold."""

    confusion: Matrix
    accuracies: list[float]
    mean: float
    standard_error: float | None


@dataclass(frozen=True, slots=True)
class StandingFacts:
    """What a figure of a requirement came to, and of how many rows it is a share.

    ``interval`` has the ends of a 95 % interval of a share. ``is_met`` is None where no limit is
    on the figure by itself, and ``short`` says by how much a limit is not kept.
    """

    value: float | None
    n_rows: float
    interval: tuple[float, float] | None
    is_met: bool | None
    short: float | None


@dataclass(frozen=True, slots=True)
class RequirementFacts:
    """One figure of a requirement in one group: on the rows given, and on rows left out."""

    requirement: str
    figure: str
    group: str
    limit: str
    is_share: bool
    given: StandingFacts
    left_out: StandingFacts | None


@dataclass(frozen=True, slots=True)
class RequirementsFacts:
    """What the rules had to meet, in words, what came of it, and figure by figure."""

    asked: list[str]
    sentences: list[str]
    figures: list[RequirementFacts]


@dataclass(frozen=True, slots=True)
class FiguresFacts:
    """What ``Figures`` says of the chosen rules: numbers, sentences, and any advice.

    ``confusion`` has the rows by class and answer; ``description`` says how they were left out.
    """

    accuracy: float
    standard_error: float
    precision: float | None
    recall: float | None
    majority: str
    majority_accuracy: float
    is_chosen_on: bool
    confusion: list[list[float]]
    description: str
    sentences: list[str]
    advice: str


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """What rules do for one class: shares of rows, None where there is nothing to divide by.

    ``flagged`` is the share of rows that get the label as their answer, and ``lift`` how many
    times as frequent it is among them as among all rows.
    """

    label: int
    base_rate: float
    flagged: float
    precision: float | None
    recall: float | None
    lift: float | None


@dataclass(frozen=True, slots=True)
class HeadlineFacts:
    """What is said first: a sentence, and figures of the best rows there are to judge by.

    ``rows`` names these rows and ``source`` says how they came about. ``by_class`` has the
    positive class of two, or all of more.
    """

    sentence: str
    source: str
    rows: str
    accuracy: float
    standard_error: float | None
    majority: int
    majority_accuracy: float
    by_class: list[ClassFigures]


@dataclass(frozen=True, slots=True)
class SpreadFacts:
    """How the values of a column are spread: rows by class and by bar, and without a value.

    Numbers have the ``edges`` of their bars, of which each holds what is above its first and up
    to its second. Text has ``values``, and one more bar for all others; true and false have
    neither.
    """

    edges: list[float]
    values: list[str]
    counts: Matrix
    missing: list[int]


@dataclass(frozen=True, slots=True)
class AlternativeFacts:
    """Another rule set about as good: its clauses, and on how many rows it answers otherwise."""

    clauses: list[str]
    hamming_loss: float
    complexity: float
    n_different: int
    is_model: bool


@dataclass(frozen=True, slots=True)
class AlternativesFacts:
    """The other rule sets as good as the chosen one, or why they are not listed."""

    label: int | None
    sentence: str
    notes: list[str]
    rule_sets: list[AlternativeFacts]
    features: list[tuple[str, int]]
    n_rule_sets: int


@dataclass(frozen=True, slots=True)
class WeightFacts:
    """What the rows weigh that a clause decides, and those on which it, or only it, is right."""

    covered: float
    right: float
    only_here: float


@dataclass(frozen=True, slots=True)
class ClauseFacts:
    """A clause, the rows it decides, on how many it is right, and on how many only it is.

    ``texts`` is what stands between the connectives: conditions, some of them as one. For each,
    ``groups`` has these conditions, and ``n_holding`` the rows of each class on which it holds.
    ``interval`` has the ends of a 95 % interval of its precision, and ``weighted`` the same counts
    by weight; None where every row weighs 1.
    """

    text: str
    texts: list[str]
    groups: Matrix
    n_holding: Matrix
    conditions: list[int]
    covered: int
    right: int
    only_here: int
    interval: tuple[float, float]
    weighted: WeightFacts | None


@dataclass(frozen=True, slots=True)
class RunFacts:
    """How column generation went: (round, LP value, proved bound or None) for each round."""

    rounds: list[tuple[int, float, float | None]]
    n_clauses: int
    stop_reason: str
    seconds: float


@dataclass(frozen=True, slots=True)
class RuleSetFacts:
    """A rule set, what is proved of it, how to read that, and how its loss is counted.

    ``constraints`` is a sentence that names those that the claim speaks of; None without any.
    ``overlap`` counts the rows that each two clauses decide, and ``n_deciding`` the rows that no
    clause, one, two and so on decide.
    ``is_corrected`` says whether the intervals of its clauses are corrected by rows left out of
    learning; otherwise they rest on the rows of the report alone.
    """

    label: int | None
    form: str
    then: str
    otherwise: str
    clauses: list[ClauseFacts]
    overlap: Matrix
    n_deciding: list[int]
    is_corrected: bool
    objective: float
    lower_bound: float | None
    is_optimal: bool
    sentence: str
    constraints: str | None
    argument: str
    reading: tuple[str, str]
    counting: str
    run: RunFacts | None


@dataclass(frozen=True, slots=True)
class DecisionFacts:
    """Clauses, joined as the form says, and the label where they hold: the first to hold wins."""

    form: str
    clauses: list[list[int]]
    label: int


@dataclass(frozen=True, slots=True)
class PointFacts:
    """The rules at one complexity; ``sql`` is None where it cannot be written."""

    max_complexity: float
    complexity: float
    n_clauses: int
    hamming_loss: float
    lower_bound: float | None
    is_optimal: bool
    is_efficient: bool
    headline: HeadlineFacts
    sql: str | None
    confusion: Matrix
    accuracy: float
    held_out: HeldOutFacts | None
    rule_sets: list[RuleSetFacts]
    decisions: list[DecisionFacts]
    otherwise: int
    requirements: RequirementsFacts | None


@dataclass(frozen=True, slots=True)
class ParameterFacts:
    """A parameter, its value as text, and whether that is the default."""

    name: str
    value: str
    is_default: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that a report says, apart from the rows that can be looked up.

    Parameters
    ----------
    title : str
        Heading of the page.
    version, made : str
        The release of boolrules, and when the report was made (UTC).
    seed : str
        What made the folds and the sampling random.
    target : str or None
        Name of the predicted column.
    classes : list of str
        The labels in the reader's words.
    rows_are : str
        What the rows are called.
    are, names : list of str
        For each class, how to say that rows are of it, and how to name it on its own.
    positive : int or None
        Which of two classes the rules describe.
    n_conditions : int or None
        How many conditions the certificates range over; None where a model file that has every
        threshold did not meet its training rows.
    measure : str
        What losses and bounds count, such as "Hamming loss".
    data, folds, parameters, points
        See there.
    chosen : int
        Place of the point that was chosen.
    reason : str
        How.
    conditions : list of dict
        Every condition of any point, with ``feature`` as a place in ``features``.
    n_holding : list of list of int
        For each of them, the rows of each class on which it holds.
    features : list of dict
        Every column that they read, and the values that it may be changed to.
    spreads : list of SpreadFacts
        How the values of each of these columns are spread.
    alternatives : list of AlternativesFacts
        To the chosen rules, for each rule set; empty where nobody looked.
    held_out : FiguresFacts or None
        Of the chosen point, on rows that took no part in the choice; None where nobody measured.
    notes : list of str
        What is odd about columns of the table, and what parts of dates are that the rules read.
    """

    title: str
    version: str
    made: str
    seed: str
    target: str | None
    classes: list[str]
    rows_are: str
    are: list[str]
    names: list[str]
    positive: int | None
    n_conditions: int | None
    measure: str
    data: DataFacts
    folds: FoldsFacts | None
    parameters: list[ParameterFacts]
    points: list[PointFacts]
    chosen: int
    reason: str
    conditions: list[dict[str, Any]]
    n_holding: Matrix
    features: list[dict[str, Any]]
    spreads: list[SpreadFacts]
    alternatives: list[AlternativesFacts]
    held_out: FiguresFacts | None = None
    notes: list[str] = field(default_factory=list)

    def to_plain(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)
