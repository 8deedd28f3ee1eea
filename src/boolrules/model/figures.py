"""How rules did on rows that they were not learned from, for people who decide by it (§4).

Everything follows from counts of rows by class and by answer. Nothing is learned or proved here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.html import paragraph
from boolrules._support.html import table as html_table
from boolrules._support.json import is_label, is_number
from boolrules._support.text_table import text_table
from boolrules.rules.answers import label_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Matrix = tuple[tuple[int, ...], ...]

# A larger table is left out of what people read; it is in ``table``.
MOST_SHOWN_CLASSES = 12
# A class with at most this share of the rows is rare: accuracy says little of it.
RARE = 0.1
# Rules find a class if they find half of it, and answer it twice as often there as elsewhere.
FOUND, TWICE = 0.5, 2
# What a file may hold; counts stay exact as floats.
MOST_SPLITS, MOST_ROWS, LONGEST = 100_000, 2**53, 1000


@dataclass(frozen=True, slots=True)
class Figures:
    """How rules did on rows, as counts by class and answer.

    Parameters
    ----------
    classes : tuple of labels
        As in the model.
    positive : label or None
        What the rules describe; None for three classes or more.
    confusions : tuple of int matrices
        One per split of the rows: ``confusions[s][i][j]`` rows are ``classes[i]`` and get the
        answer ``classes[j]``. Plain rows, whatever they weigh.
    n_rows : int
        Distinct rows judged: a round of folds judges each once, further rounds judge them again.
    description : str, default=""
        How rows were left out, such as "5 stratified folds, shuffled, 3 times"; empty for rows of
        their own.
    is_chosen_on : bool, default=False
        Whether the same rows also chose among several rules: the figures are a little too good.

    Examples
    --------
    >>> figures = Figures.of(["fraud", "no"], "fraud", [[[2, 83], [0, 3800]]], n_rows=3885)
    >>> print(figures)
    Accuracy 97.9 % ± 0.2 % on 3885 rows; always 'no' has 97.8 %.
    Precision 100.0 %: of the 2 rows flagged 'fraud', 2 are.
    Recall 2.4 %: of the 85 rows that are 'fraud', 2 are found.
    <BLANKLINE>
                answer 'fraud'  answer 'no'
    is 'fraud'               2           83
    is 'no'                  0         3800
    <BLANKLINE>
    2 of 85 rows that are 'fraud' found, accuracy 97.9 %, always 'no' has 97.8 %: by accuracy these
    rules are hardly better than none. With every label counting alike they have 51.2 %, one answer
    for all 50.0 %. If a missed 'fraud' costs more than a false alarm, say so, ...
    """

    classes: tuple[Any, ...]
    positive: Any
    confusions: tuple[Matrix, ...]
    n_rows: int
    description: str = ""
    is_chosen_on: bool = False

    def __post_init__(self) -> None:
        n_classes = len(self.classes)
        if n_classes == 0 or not self.confusions:
            raise ValueError("Figures need at least one class and one split of the rows.")
        for confusion in self.confusions:
            if len(confusion) != n_classes or any(len(row) != n_classes for row in confusion):
                raise ValueError(
                    f"Figures need one row and one column for each of {n_classes} classes; "
                    f"got {confusion!r:.80}."
                )
            if not any(map(any, confusion)):
                raise ValueError("Figures need at least one row in every split.")
        if not 1 <= self.n_rows <= self._counts.sum():
            raise ValueError(
                f"n_rows={self.n_rows!r} must be from 1 to the {self._counts.sum()} answers."
            )
        if self.positive is not None and self.positive not in self.classes:
            raise ValueError(f"positive={self.positive!r:.80} is none of the classes.")

    @classmethod
    def of(
        cls,
        classes: Sequence[Any] | NDArray[Any],
        positive: Any,
        confusions: Sequence[Any] | NDArray[np.int64],
        n_rows: int,
        description: str = "",
        is_chosen_on: bool = False,
    ) -> Figures:
        """Make figures of lists or arrays."""
        return cls(
            tuple(map(_plain, classes)),
            _plain(positive),
            tuple(tuple(tuple(map(int, row)) for row in confusion) for confusion in confusions),
            int(n_rows),
            description,
            bool(is_chosen_on),
        )

    @property
    def _counts(self) -> NDArray[np.int64]:
        return np.array(self.confusions, dtype=np.int64).sum(axis=0)

    @property
    def table(self) -> tuple[tuple[float, ...], ...]:
        """Rows by class and answer, which add up to ``n_rows``.

        Whole numbers where every row was judged once. Where rows were judged in several rounds,
        the mean of a round.
        """
        counts = self._counts
        total = int(counts.sum())
        if total == self.n_rows:
            return tuple(tuple(row) for row in counts.tolist())
        return tuple(tuple(row) for row in (counts * (self.n_rows / total)).tolist())

    @property
    def accuracy(self) -> float:
        """Share of right answers among all, as in the table.

        The mean over splits, which scikit-learn reports, differs a little where some of them leave
        out more rows than others.
        """
        counts = self._counts
        return float(counts.trace() / counts.sum())

    @property
    def standard_error(self) -> float:
        """How far off the accuracy may be because there are only so many rows.

        sqrt(p (1 - p) / n), that of a share, over distinct rows: further rounds of folds judge the
        same rows again and make it no smaller. One right and one wrong answer are added, so that
        few rows without a mistake do not pass for certainty.
        """
        n = self.n_rows + 2
        p = (self.accuracy * self.n_rows + 1) / n
        return math.sqrt(p * (1 - p) / n)

    @property
    def majority(self) -> Any:
        """The most frequent class of these rows."""
        return self.classes[self._majority]

    @property
    def majority_accuracy(self) -> float:
        """Accuracy of always giving the most frequent class of these rows as the answer."""
        counts = self._counts
        return float(counts[self._majority].sum() / counts.sum())

    @property
    def precision(self) -> float | None:
        """Share of rows that are positive among those said to be; None where there are none."""
        found, said, _ = self._positives
        return found / said if said else None

    @property
    def recall(self) -> float | None:
        """Share of the positive rows that are found; None where there are none."""
        found, _, there = self._positives
        return found / there if there else None

    @property
    def is_hardly_better(self) -> bool:
        """Whether the accuracy is not above that of the majority by more than its error."""
        return self.accuracy - self.majority_accuracy <= self.standard_error

    @property
    def advice(self) -> str:
        """What to make of rules that are hardly better than none, or that miss a rare class.

        Empty where there is nothing to say.
        """
        if len(self.classes) != 2:
            return self._advice_for_many() if self.is_hardly_better else ""
        rare = 1 - self._majority
        counts = np.array(self.table)
        there, found, alarms = counts[rare].sum(), counts[rare, rare], counts[1 - rare, rare]
        name, other = map(self._said, (self.classes[rare], self.classes[1 - rare]))
        if not there:
            return f"All rows are {other}: they cannot show whether {name} is found."
        n_found = f"{_count(found)} of {_count(there)}"
        share, false_share = found / there, alarms / counts[1 - rare].sum()
        if share >= FOUND and share >= TWICE * false_share:
            if self.accuracy >= self.majority_accuracy:
                return ""
            return (
                f"Always {other} would be right more often, but would find no {name}: these "
                f"rules find {n_found}, with {_count(alarms)} false answers {name}."
            )
        if self.is_hardly_better:
            said = (
                f"{_count(found)} of {_rows(float(there))} that are {name} found, "
                f"{self._accuracies}: by accuracy these rules are hardly better than none. "
                f"{self._counting_alike}"
            )
        elif there <= RARE * self.n_rows:
            said = f"{name} is rare and mostly missed: {n_found} found, {self._accuracies}"
        else:
            return ""
        return f"{said}. {self._remedy(rare)}"

    def lines(self, width: int | None = None) -> list[str]:
        """Say it in sentences, with a table between them, for people; it fits into ``width``."""
        lines = self.sentences()
        if self._is_small:
            lines += ["", *text_table([self._head(), *self._body()], width)]
        return [*lines, *(["", self.advice] if self.advice else [])]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        """Show the sentences and the table, in notebooks."""
        parts = list(map(paragraph, self.sentences()))
        if self._is_small:
            columns = "h" + "r" * len(self.classes)
            parts.append(html_table(columns, self._head(), self._body()))
        return "\n".join([*parts, *([paragraph(self.advice)] if self.advice else [])])

    def to_plain(self) -> dict[str, Any]:
        """Return what ``--json`` prints and a model file holds."""
        return {
            "accuracy": self.accuracy,
            "standard_error": self.standard_error,
            "majority": self.majority,
            "majority_accuracy": self.majority_accuracy,
            "positive": self.positive,
            "precision": self.precision,
            "recall": self.recall,
            "classes": list(self.classes),
            "confusion": [list(row) for row in self.table],
            "n_rows": self.n_rows,
            "n_splits": len(self.confusions),
            "description": self.description,
            "chosen_on_the_same_rows": self.is_chosen_on,
            "confusions": [[list(row) for row in confusion] for confusion in self.confusions],
        }

    @classmethod
    def from_plain(cls, plain: Any) -> Figures:
        """Read ``to_plain``'s form: the counts. What else is there must follow from them."""
        if not isinstance(plain, dict):
            raise ValueError(f"Figures must be an object; got {plain!r:.80}.")
        classes, confusions = plain.get("classes"), plain.get("confusions")
        if not isinstance(classes, list) or not all(map(is_label, classes)):
            raise ValueError(f"Figures need a list of classes; got {classes!r:.80}.")
        if not isinstance(confusions, list) or not len(confusions) <= MOST_SPLITS:
            raise ValueError(f"Figures need a list of at most {MOST_SPLITS} tables of counts.")
        matrices = tuple(map(_read_matrix, confusions))
        if sum(sum(map(sum, matrix)) for matrix in matrices) > MOST_ROWS:
            raise ValueError(f"Figures of more than {MOST_ROWS} rows cannot be.")
        n_rows, description = plain.get("n_rows", 0), plain.get("description", "")
        if not _is_count(n_rows):
            raise ValueError(f"Figures need a number of rows; got {n_rows!r:.80}.")
        if not isinstance(description, str) or len(description) > LONGEST:
            raise ValueError("The description of figures must be a short text.")
        is_chosen_on = plain.get("chosen_on_the_same_rows", False)
        if not isinstance(is_chosen_on, bool) or not is_label(plain.get("positive")):
            raise ValueError("Figures need a positive label, and true or false for the choice.")
        positive = plain.get("positive")
        figures = cls(tuple(classes), positive, matrices, n_rows, description, is_chosen_on)
        counted = figures.to_plain()
        for name, told in plain.items():
            if name not in counted or not _is_same(told, counted[name]):
                raise ValueError(
                    f"Figures say that {name!r:.40} is {told!r:.40}; their counts give "
                    f"{counted.get(name)!r:.40}."
                )
        return figures

    @property
    def _majority(self) -> int:
        """Place of the most frequent class; of two equal ones that of the negative."""
        n_by_class = self._counts.sum(axis=1)
        places = np.flatnonzero(n_by_class == n_by_class.max()).tolist()
        others = [place for place in places if self.classes[place] != self.positive]
        return int([*others, *places][0])

    @property
    def _positives(self) -> tuple[float, float, float]:
        """Positive rows found, rows said to be positive, and rows that are."""
        if self.positive is None:
            return 0, 0, 0
        place, counts = self.classes.index(self.positive), np.array(self.table)
        return (
            float(counts[place, place]),
            float(counts[:, place].sum()),
            float(counts[place].sum()),
        )

    def sentences(self) -> list[str]:
        """Say it in sentences, without the table and the advice."""
        rows = f"{self.n_rows} row{'s' * (self.n_rows != 1)}"
        name, left_out = (
            ("Held-out accuracy", " left out") if self.description else ("Accuracy", "")
        )
        said = [
            f"{name} {_percent(self.accuracy)} ± {_percent(self.standard_error)} on "
            f"{rows}{left_out}; always {self._said(self.majority)} has "
            f"{_percent(self.majority_accuracy)}."
        ]
        said += self._of_positives()
        how = [f"How: {self.description}."] if self.description else []
        if self.is_chosen_on:
            how.append("The same rows chose among several rules, so this is a little too good.")
        return [*said, " ".join(how)] if how else said

    def _of_positives(self) -> list[str]:
        """Say what a positive answer is worth, and how many positives are found."""
        if self.positive is None:
            return []
        found, answered, there = self._positives
        label = self._said(self.positive)
        worth, how_many = f"No row is flagged {label}.", f"No row is {label}."
        if self.precision is not None:
            worth = (
                f"Precision {_percent(self.precision)}: of the {_rows(answered)} flagged {label}, "
                f"{_count(found)} {'is' if found == 1 else 'are'}."
            )
        if self.recall is not None:
            how_many = (
                f"Recall {_percent(self.recall)}: of the {_rows(there)} that "
                f"{'is' if there == 1 else 'are'} {label}, {_count(found)} "
                f"{'is' if found == 1 else 'are'} found."
            )
        return [worth, how_many]

    def _said(self, label: Any) -> str:
        """Write a label, as rules say it."""
        return label_text(label)

    @property
    def _is_small(self) -> bool:
        return len(self.classes) <= MOST_SHOWN_CLASSES

    def _head(self) -> list[str]:
        return ["", *(f"answer {self._said(label)}" for label in self.classes)]

    def _body(self) -> list[list[str]]:
        return [
            [f"is {self._said(label)}", *map(_count, row)]
            for label, row in zip(self.classes, self.table, strict=True)
        ]

    @property
    def _accuracies(self) -> str:
        return (
            f"accuracy {_percent(self.accuracy)}, always {self._said(self.majority)} has "
            f"{_percent(self.majority_accuracy)}"
        )

    @property
    def _counting_alike(self) -> str:
        """Say what the rules have where classes count alike: the mean of their recalls."""
        n_rows = self._counts.sum(axis=1)
        there = n_rows > 0
        recalls = self._counts.diagonal()[there] / n_rows[there]
        return (
            f"With every label counting alike they have {_percent(recalls.mean())}, one answer "
            f"for all {_percent(1 / there.sum())}"
        )

    def _advice_for_many(self) -> str:
        if len(self.classes) == 1:
            return ""
        return (
            f"These rules are hardly better than none: {self._accuracies}. "
            f"{self._counting_alike}. If rare classes matter as much as frequent ones, say so: "
            "class_weight='balanced' with scoring='balanced_accuracy' (--class-weight balanced "
            "--scoring balanced_accuracy)."
        )

    def _remedy(self, rare: int) -> str:
        """Name what makes rules find the rare class: the mistake to make dear."""
        label = self._said(self.classes[rare])
        dear, cost = f"a missed {label} costs more than a false alarm", "missed_positive_cost"
        if self.positive is not None and self.classes[rare] != self.positive:
            positive = self._said(self.positive)
            dear = f"a false {positive} costs more than a missed one"
            cost = "covered_zero_cost"
        option = cost.replace("_", "-")
        return (
            f"If {dear}, say so, and choose by what finds both: class_weight='balanced' or "
            f"{cost}, with scoring='balanced_accuracy' (--class-weight balanced or --{option}, "
            "with --scoring balanced_accuracy)."
        )


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _count(n: float) -> str:
    """Write a number of rows: whole, or the mean of several rounds."""
    return f"{n:.0f}" if float(n).is_integer() else f"{n:.1f}"


def _rows(n: float) -> str:
    return f"{_count(n)} row{'s' * (n != 1)}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST_ROWS


def _is_same(told: Any, counted: Any) -> bool:
    """Whether a file says what its counts give, but for the last digits of a share."""
    if isinstance(counted, list):
        is_as_long = isinstance(told, list) and len(told) == len(counted)
        return is_as_long and all(map(_is_same, told, counted))
    if isinstance(counted, float) and is_number(told):
        return math.isclose(told, counted, rel_tol=1e-9)
    return type(told) is type(counted) and told == counted


def _read_matrix(plain: Any) -> Matrix:
    if not isinstance(plain, list) or not all(
        isinstance(row, list) and all(map(_is_count, row)) for row in plain
    ):
        raise ValueError(f"Counts of rows must be whole numbers of 0 or more; got {plain!r:.80}.")
    return tuple(map(tuple, plain))
