"""What a requirement costs: the best rules for one limit after another, each with its proof."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from boolrules._support.budget import Budget
from boolrules._support.html import table
from boolrules.data.requirement import Requirement, read_requirements
from boolrules.estimators.classifier import BooleanRuleClassifier
from boolrules.estimators.on_dask import brought_together
from boolrules.insight.report import plot_price
from boolrules.proof.unmet import RequirementsNotMetError
from boolrules.rules.condition import format_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from boolrules.model.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class RequirementPoint:
    """The best rules found under one limit.

    Parameters
    ----------
    requirement : Requirement
        With this limit.
    classifier : BooleanRuleClassifier or None
        Fitted; None where no rules were found that meet it.
    is_proved_unmet : bool
        Whether it is proved that there are none.
    """

    requirement: Requirement
    classifier: BooleanRuleClassifier | None
    is_proved_unmet: bool = False

    @property
    def model(self) -> Model | None:
        """What was learned, if anything was."""
        return None if self.classifier is None else self.classifier.model_

    def to_row(self) -> dict[str, Any]:
        """Return the point's figures."""
        model = self.model
        return {
            "limit": self.requirement.limit,
            "hamming_loss": None if model is None else model.hamming_loss,
            "lower_bound": None if model is None else model.lower_bound,
            "is_optimal": None if model is None else model.is_optimal,
            "complexity": None if model is None else model.complexity,
            "is_proved_unmet": self.is_proved_unmet,
        }

    @property
    def word(self) -> str:
        """Say what is proved."""
        if self.model is None:
            return "cannot be had" if self.is_proved_unmet else "not found"
        return "optimal" if self.model.is_optimal else "not proved"


@dataclass(frozen=True, slots=True, eq=False)
class RequirementPath:
    """Rules under one limit after another, from the loosest to the tightest.

    Parameters
    ----------
    points : tuple of RequirementPoint
        One for each limit.
    """

    points: tuple[RequirementPoint, ...]

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[RequirementPoint]:
        return iter(self.points)

    def __getitem__(self, place: int) -> RequirementPoint:
        return self.points[place]

    @property
    def requirement(self) -> Requirement:
        """What is asked, with the loosest limit."""
        return self.points[0].requirement

    def plot(self, ax: Any = None) -> Any:
        """Draw what the best rules lose under each limit, on a matplotlib figure.

        Proved optima are filled. Any other point is hollow, and a thin bar leads down to its
        proved lower bound; a cross stands where it is proved that no rules meet the limit.
        """
        return plot_price(self, ax=ax)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per point, ready for a data frame."""
        return [point.to_row() for point in self.points]

    def cells(self) -> list[list[str]]:
        """Write the points as rows of a table: limit, loss, bound, complexity, what is proved."""
        return [
            [
                f"{point.requirement.measure.sign} {point.requirement.limit:.10g}",
                *_figures(point.model),
                point.word,
            ]
            for point in self.points
        ]

    def __str__(self) -> str:
        rows = [[str(self.requirement.measure), *_HEAD], *self.cells()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(row[:-1], widths, strict=False))
            + f"  {row[-1]}".rstrip()
            for row in rows
        )

    def _repr_html_(self) -> str:
        """Show the points in notebooks."""
        return table("rrrrl", [str(self.requirement.measure), *_HEAD], self.cells())


_HEAD = ["loss", "bound", "complexity", ""]


def requirement_path(
    X: Any,
    y: Any,
    requirement: Requirement | str | dict[str, Any],
    limits: Iterable[float],
    *,
    sample_weight: Any = None,
    time_limit: float | None = 300,
    **parameters: Any,
) -> RequirementPath:
    """Learn what one requirement costs: the best rules under each of several limits.

    Rules that meet a tighter limit meet a looser one, and what no rules can do under a looser one
    none can under a tighter: so losses never fall, and bounds serve each other.

    Parameters
    ----------
    X, y, sample_weight
        As for ``BooleanRuleClassifier.fit``.
    requirement : Requirement, str or dict
        Whose limit is varied.
    limits : iterable of numbers
        Its limits.
    time_limit : float or None, default=300
        Seconds for all of them.
    parameters
        Any other parameter of ``BooleanRuleClassifier``; other ``requirements`` hold throughout.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[20, 1], [30, 0], [40, 1], [50, 0], [60, 1], [70, 0]])
    >>> y = [0, 0, 1, 1, 0, 1]
    >>> print(requirement_path(X, y, "recall >= 0.5", [0.5, 1], max_complexity=2))
    recall  loss  bound  complexity
    >= 0.5     1      1           2  optimal
      >= 1     1      1           2  optimal
    """
    classifier = BooleanRuleClassifier(time_limit=time_limit, **parameters)
    return fit_requirement_path(classifier, X, y, sample_weight, requirement, limits)


def fit_requirement_path(
    classifier: BooleanRuleClassifier,
    X: Any,
    y: Any,
    sample_weight: Any,
    requirement: Requirement | str | dict[str, Any],
    limits: Iterable[float],
) -> RequirementPath:
    """Fit copies of a classifier, one per limit; its own requirements hold throughout."""
    asked = Requirement.of(requirement)
    others = read_requirements(classifier.requirements)
    sign = 1 if asked.measure.is_at_least else -1
    ordered = sorted(
        {replace(asked, limit=limit) for limit in limits}, key=lambda r: sign * r.limit
    )
    if not ordered:
        raise ValueError("limits is empty. Give at least one limit of the requirement.")
    X, y, sample_weight = brought_together(X, y, sample_weight, "a path of requirements")
    budget = Budget.of(classifier.time_limit)
    points = []
    for place, one in enumerate(ordered):
        limit = budget.share(1 / (len(ordered) - place)).time_limit
        again = clone(classifier).set_params(requirements=[*others, one], time_limit=limit)
        points.append(_point(one, again, X, y, sample_weight))
    return RequirementPath(tuple(_served(points)))


def _point(
    requirement: Requirement, classifier: BooleanRuleClassifier, X: Any, y: Any, sample_weight: Any
) -> RequirementPoint:
    try:
        return RequirementPoint(requirement, classifier.fit(X, y, sample_weight))
    except RequirementsNotMetError as error:
        return RequirementPoint(requirement, None, error.is_proved)


def _served(points: list[RequirementPoint]) -> list[RequirementPoint]:
    """Take rules from tighter limits and bounds from looser ones, where they are better."""
    for looser, tighter in zip(reversed(points[:-1]), reversed(points[1:]), strict=True):
        if looser.classifier is not None and tighter.classifier is not None:
            _take_better_rules(looser.classifier, tighter.classifier)
    for looser, tighter in pairwise(points):
        if looser.classifier is not None and tighter.classifier is not None:
            _take_better_bound(tighter.classifier, looser.classifier)
    return points


def _take_better_rules(looser: BooleanRuleClassifier, tighter: BooleanRuleClassifier) -> None:
    """Take rules that lose less; the bound stays, for it holds for every rule set it speaks of."""
    own, found = looser.certificate_, tighter.certificate_
    if found.objective < own.objective:
        loss, complexity = found.hamming_loss, found.complexity
        certificate = replace(own, hamming_loss=loss, complexity=complexity)
        looser.model_ = replace(
            looser.model_, rule_sets=tighter.rule_sets_, certificates=(certificate,)
        )


def _take_better_bound(tighter: BooleanRuleClassifier, looser: BooleanRuleClassifier) -> None:
    """Take a bound that holds for more rule sets, with what it rests on."""
    own, above = tighter.certificate_, looser.certificate_
    if above.lower_bound is None or above.lower_bound <= (own.lower_bound or 0):
        return
    certificate = replace(
        own, lower_bound=above.lower_bound, argument=above.argument, duals=above.duals
    )
    tighter.model_ = replace(tighter.model_, certificates=(certificate,))


def _figures(model: Model | None) -> list[str]:
    if model is None:
        return ["-", "-", "-"]
    bound = "-" if model.lower_bound is None else format_number(model.lower_bound)
    return [format_number(model.hamming_loss), bound, format_number(model.complexity)]
