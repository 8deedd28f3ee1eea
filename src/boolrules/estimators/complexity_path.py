"""Rule sets for a whole range of complexities: the trade-off that users choose from (§4)."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from itertools import islice
from numbers import Real
from typing import TYPE_CHECKING, Any

from boolrules._support.html import table
from boolrules._support.interrupts import answering
from boolrules.estimators.classifier import BooleanRuleClassifier
from boolrules.estimators.reportable import Reportable
from boolrules.estimators.whole_fit import as_asked, keep_parameters
from boolrules.insight.report.plots import Score
from boolrules.proof.certificate import Argument
from boolrules.rules.condition import format_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from boolrules.model.model import Model
    from boolrules.proof.certificate import Certificate
    from boolrules.rules import RuleSet

# What a cross-validation calls otherwise than the classifier does.
_PARAMETERS = {"thresholds": "binarizer__thresholds"}
DEFAULT_COMPLEXITIES = range(2, 31)
MOST_COMPLEXITIES = 10_000
DEFAULT_PATIENCE = 5


@dataclass(frozen=True, slots=True, eq=False)
class PathPoint:
    """The best rules found at one complexity.

    Parameters
    ----------
    max_complexity : float
        What the rules were allowed.
    classifier : BooleanRuleClassifier
        Fitted, at this complexity.
    is_efficient : bool
        Whether no other point of the path loses less, or as little with simpler rules.
    """

    max_complexity: float
    classifier: BooleanRuleClassifier
    is_efficient: bool

    @property
    def rule_set(self) -> RuleSet:
        """The rules, where there is one rule set."""
        return self.classifier.rule_set_

    @property
    def certificate(self) -> Certificate:
        """What is proved of the rules, where there is one rule set."""
        return self.classifier.certificate_

    @property
    def model(self) -> Model:
        """What was learned, apart from scikit-learn."""
        return self.classifier.model_

    @property
    def complexity(self) -> float:
        """What the rules have, all classes together."""
        return self.model.complexity

    @property
    def n_clauses(self) -> int:
        """How many the rules have, all classes together."""
        return self.model.n_clauses

    @property
    def hamming_loss(self) -> float:
        """What the rules lose on the training data, all classes together."""
        return self.model.hamming_loss

    @property
    def lower_bound(self) -> float | None:
        """What any rules of this complexity lose at least; None if nothing is known.

        With a penalty on complexity it speaks of the loss and the penalty together.
        """
        return self.model.lower_bound

    @property
    def is_optimal(self) -> bool:
        """Whether no rules of this complexity can lose less."""
        return self.model.is_optimal

    def to_row(self) -> dict[str, Any]:
        """Return the point's figures."""
        return {
            "max_complexity": self.max_complexity,
            "complexity": self.complexity,
            "n_clauses": self.n_clauses,
            "hamming_loss": self.hamming_loss,
            "lower_bound": self.lower_bound,
            "is_optimal": self.is_optimal,
            "is_efficient": self.is_efficient,
            "seconds": round(sum(result.seconds for result in self.classifier.results_), 3),
        }


@dataclass(frozen=True, slots=True, eq=False)
class ComplexityPath(Reportable):
    """Rule sets of growing complexity and falling loss, each with its certificate.

    Parameters
    ----------
    points : tuple of PathPoint
        By growing ``max_complexity``.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2)
    >>> path = complexity_path(X, X[:, 0] ^ X[:, 1], binarizer=None)
    >>> [(point.max_complexity, point.hamming_loss) for point in path]
    [(2, 4), (3, 4), (4, 4), (5, 4), (6, 4), (7, 4)]
    """

    points: tuple[PathPoint, ...]

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[PathPoint]:
        return iter(self.points)

    def __getitem__(self, place: int) -> PathPoint:
        return self.points[place]

    @property
    def efficient(self) -> tuple[PathPoint, ...]:
        """The points that no other beats in both loss and complexity."""
        return tuple(point for point in self.points if point.is_efficient)

    def at(self, max_complexity: float) -> PathPoint:
        """Return the best rules of at most this complexity."""
        allowed = [p for p in self.points if p.max_complexity <= max_complexity]
        if not allowed:
            raise ValueError(
                f"max_complexity={max_complexity} is below the path, which starts at "
                f"{self.points[0].max_complexity}."
            )
        return allowed[-1]

    def with_fitted(self, classifier: BooleanRuleClassifier) -> ComplexityPath:
        """Take rules that were learned by themselves at one of the complexities.

        They take the place of points that lose more, at theirs and at higher complexities.
        """
        C, own = classifier.params_["max_complexity"], _objective(classifier)
        points = []
        for point in self.points:
            if point.max_complexity == C:
                point = replace(point, classifier=classifier)
            elif point.max_complexity > C and _objective(point.classifier) > own:
                point = replace(point, classifier=_allowed(classifier, point.max_complexity))
            points.append(point)
        if C not in [point.max_complexity for point in points]:
            points.append(PathPoint(C, classifier, is_efficient=False))
        return _marked(sorted(points, key=lambda point: point.max_complexity))

    def scores(self, cv_results: Mapping[str, Any]) -> list[Score]:
        """Return the scores at each complexity, for the form and thresholds of the path.

        Parameters
        ----------
        cv_results : dict of arrays
            ``cv_results_`` of the cross-validation that it belongs to, which may have other forms
            and thresholds as well.

        Examples
        --------
        >>> from boolrules import BooleanRuleClassifierCV
        >>> X = [[0], [1], [0], [1], [0], [1]]
        >>> model = BooleanRuleClassifierCV(complexities=[2, 3], cv=3, random_state=0)
        >>> model = model.fit(X, [0, 1, 0, 1, 0, 1])
        >>> [(s.max_complexity, s.mean) for s in model.path_.scores(model.cv_results_)]
        [(2, 1.0), (3, 1.0)]
        """
        own = as_asked(self[0].classifier).get_params()
        scores = [
            Score(params["max_complexity"], float(mean), float(error), float(complexity))
            for params, mean, error, complexity in zip(
                cv_results["params"],
                cv_results["mean_test_score"],
                cv_results["standard_error"],
                cv_results["mean_complexity"],
                strict=True,
            )
            if all(
                own[_PARAMETERS.get(name, name)] == value
                for name, value in params.items()
                if name != "max_complexity"
            )
        ]
        if not scores:
            raise ValueError(
                "cv_results has no scores for the form and thresholds of this path. Give path_ "
                "and cv_results_ of the same BooleanRuleClassifierCV."
            )
        return scores

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per point, ready for a data frame."""
        return [point.to_row() for point in self.points]

    def __str__(self) -> str:
        lines = ["complexity    loss   bound  clauses"]
        for point in self.points:
            marks = [
                word
                for word, is_so in (
                    ("efficient", point.is_efficient),
                    ("optimal", point.is_optimal),
                )
                if is_so
            ]
            lines.append(
                f"{format_number(point.max_complexity):>10}  "
                f"{format_number(point.hamming_loss):>6}  {_shown_bound(point):>6}  "
                f"{point.n_clauses:>7}  {', '.join(marks)}".rstrip()
            )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Show the efficient points in notebooks, with their rules."""
        head = ["at most", "complexity", "loss", "bound", "proved", "rules"]
        rows = [
            [
                format_number(point.max_complexity),
                format_number(point.complexity),
                format_number(point.hamming_loss),
                _shown_bound(point),
                "yes" if point.is_optimal else "no",
                "\n".join(map(_in_short, point.model.rule_sets)),
            ]
            for point in self.efficient
        ]
        return table("rrrrlm", head, rows)


def complexity_path(
    X: Any,
    y: Any,
    *,
    complexities: Iterable[float] | None = None,
    patience: int = DEFAULT_PATIENCE,
    sample_weight: Any = None,
    time_limit: float | None = 60,
    **parameters: Any,
) -> ComplexityPath:
    """Learn rule sets for a whole range of complexities in one call.

    Clauses found at one complexity serve all others, so a path takes far less than its fits one by
    one, and losses never rise with complexity.

    Parameters
    ----------
    X, y, sample_weight
        As for ``BooleanRuleClassifier.fit``.
    complexities : iterable of numbers, or None
        Values of ``max_complexity``; None is 2 to 30. Those at which requirements are not met are
        left out.
    patience : int, default=5
        Stop when the loss has not fallen for so many complexities in a row.
    time_limit : float or None, default=60
        Seconds for the whole path.
    parameters
        Any other parameter of ``BooleanRuleClassifier``.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[20, 1], [30, 0], [40, 1], [50, 0], [60, 1], [70, 0]])
    >>> path = complexity_path(X, [0, 0, 0, 1, 0, 1], complexities=[2, 3, 5])
    >>> print(path)
    complexity    loss   bound  clauses
             2       1       1        1  efficient, optimal
             3       0       0        1  efficient, optimal
    """
    classifier = BooleanRuleClassifier(time_limit=time_limit, **parameters)
    return fit_path(classifier, X, y, sample_weight, complexities, patience)


def fit_path(
    classifier: BooleanRuleClassifier,
    X: Any,
    y: Any,
    sample_weight: Any,
    complexities: Iterable[float] | None,
    patience: int,
) -> ComplexityPath:
    """Fit copies of a classifier, one per complexity."""
    limits = checked_complexities(complexities, classifier)
    with answering():
        models = classifier.fit_path(X, y, limits, patience, sample_weight)
        return _marked([PathPoint(m.max_complexity, m, is_efficient=False) for m in models])


def _marked(points: Sequence[PathPoint]) -> ComplexityPath:
    """Say which points are efficient."""
    return ComplexityPath(
        tuple(
            replace(point, is_efficient=is_efficient)
            for point, is_efficient in zip(points, _efficient(points), strict=True)
        )
    )


def take_better_rules(classifier: BooleanRuleClassifier, other: BooleanRuleClassifier) -> None:
    """Take the rules of another fit to the same rows and limits where these lose less.

    A bound holds for every rule set within the limits: only the loss and the complexity change.
    """
    model, pairs = classifier.model_, []
    ours = zip(model.rule_sets, model.certificates, strict=True)
    theirs = zip(other.rule_sets_, other.certificates_, strict=True)
    for (rules, own), (better, found) in zip(ours, theirs, strict=True):
        if found.objective >= own.objective:
            pairs.append((rules, own))
        elif found.is_optimal:
            pairs.append((better, found))
        else:
            loss, complexity = found.hamming_loss, found.complexity
            pairs.append((better, replace(own, hamming_loss=loss, complexity=complexity)))
    rule_sets, certificates = (tuple(parts) for parts in zip(*pairs, strict=True))
    classifier.model_ = replace(model, rule_sets=rule_sets, certificates=certificates)


def _objective(classifier: BooleanRuleClassifier) -> float:
    """What the rules lose, any penalty on complexity included."""
    return sum(certificate.objective for certificate in classifier.certificates_)


def _allowed(classifier: BooleanRuleClassifier, C: float) -> BooleanRuleClassifier:
    """Return the same rules as found at a higher complexity, of which nothing is proved."""
    model = classifier.model_
    certificates = tuple(
        replace(
            certificate,
            problem=replace(certificate.problem, max_complexity=C),
            lower_bound=0 if certificate.objective == 0 else None,
            argument=Argument.ZERO_LOSS if certificate.objective == 0 else Argument.NONE,
            duals=None,
        )
        for certificate in model.certificates
    )
    allowed = copy.copy(classifier).set_params(**classifier.params_ | {"max_complexity": C})
    keep_parameters(allowed)
    allowed.model_ = replace(model, certificates=certificates)
    return allowed


def checked_complexities(
    complexities: Iterable[float] | None, classifier: BooleanRuleClassifier
) -> list[float]:
    """Return the complexities in growing order, or those of the default that allow a clause."""
    if complexities is None:
        least = classifier.clause_cost + classifier.condition_cost
        complexities = [C for C in DEFAULT_COMPLEXITIES if least <= C]
    values = list(islice(complexities, MOST_COMPLEXITIES + 1))
    if len(values) > MOST_COMPLEXITIES:
        raise ValueError(
            f"complexities has more than {MOST_COMPLEXITIES:,} values. Give fewer: a path ends "
            "where more complexity brings nothing."
        )
    limits = sorted({_plain_number(C) for C in values})
    if not limits:
        raise ValueError("complexities is empty. Give at least one value of max_complexity.")
    return limits


def _efficient(points: Sequence[PathPoint]) -> list[bool]:
    """Mark each point that no other beats; of equal ones, the first."""
    values = [(point.hamming_loss, point.complexity) for point in points]
    return [
        value not in values[:place]
        and not any(v != value and v[0] <= value[0] and v[1] <= value[1] for v in values)
        for place, value in enumerate(values)
    ]


def _shown_bound(point: PathPoint) -> str:
    return "-" if point.lower_bound is None else format_number(point.lower_bound)


def _in_short(rules: RuleSet) -> str:
    """Leave out what every row of a table would repeat."""
    if not rules.clauses:
        return str(rules)
    return "\n".join(str(rules).splitlines()[: -1 if rules.negative is None else -2])


def _plain_number(value: Any) -> float:
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"complexities has {value!r}, which is no number.")
    number = float(value)
    return int(number) if number.is_integer() else number
