"""What rows left out choose from: complexities, forms, positive classes and thresholds (§4)."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from boolrules.data.constraints import Constraints
from boolrules.data.problem import MOST_CLAUSES
from boolrules.estimators.complexity_path import checked_complexities
from boolrules.estimators.preparation import make_binarizer, prepare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boolrules._support.table import Table
    from boolrules.data.encoding import TableEncoding
    from boolrules.estimators.classifier import BooleanRuleClassifier

Candidate = dict[str, Any]

FORMS = ("dnf", "cnf")
RESOLUTIONS = (10, 30)
# How many rows there must be for each unit of complexity: up to the second, and beyond it.
ROWS_PER_UNIT, MANY_UNITS, ROWS_PER_UNIT_BEYOND = 15, 36, 50
FEWEST_UNITS = 10
COMPLEXITIES = (
    *(0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 17, 20, 25, 30, 36),
    *(45, 55, 70, 90, 110, 135),
)


def complexities_for(
    classifier: BooleanRuleClassifier, X: Any, y: Any, sample_weight: Any = None
) -> list[float]:
    """Complexities to choose from for so many rows: where a clause has room, and no rules.

    Given clauses, and what is required, have a complexity of their own: nothing is below it.

    Examples
    --------
    >>> from boolrules import BooleanRuleClassifier
    >>> X, y = [[k] for k in range(200)], [0, 1] * 100
    >>> complexities_for(BooleanRuleClassifier(), X, y)
    [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]
    """
    some = min(MANY_UNITS, len(y) / ROWS_PER_UNIT)
    most = max(FEWEST_UNITS, some, len(y) / ROWS_PER_UNIT_BEYOND)
    least = classifier.clause_cost + classifier.condition_cost
    wanted: list[float] = [C for C in COMPLEXITIES if C == 0 or least <= C <= most]
    constraints = Constraints.of(classifier.constraints)
    if constraints.given_clauses or constraints.required:
        roomy = clone(classifier).set_params(max_complexity=int(MOST_CLAUSES * least) // 2)
        demanded = prepare(roomy, X, y, sample_weight).learner.least_complexity
        wanted = [C for C in wanted if demanded <= C] or [demanded]
    return checked_complexities(wanted, classifier)


def list_candidates(
    classifier: BooleanRuleClassifier,
    table: Table,
    forms: Sequence[str] | None,
    thresholds: Sequence[int | str] | None,
    positive_labels: Sequence[Any] | None,
) -> list[Candidate]:
    """List every combination of form, positive class and thresholds to choose from."""
    constraints = Constraints.of(classifier.constraints)
    choices = {
        "form": None if constraints.given_clauses else forms,
        "positive_label": positive_labels,
        "thresholds": _resolutions(classifier, table, thresholds),
    }
    asked = {name: list(values) for name, values in choices.items() if values is not None}
    for name, values in asked.items():
        if not values:
            raise ValueError(f"The list of values for {name} is empty. Use None to keep it.")
    if constraints.monotone and len(asked.get("positive_label", ())) > 1:
        raise ValueError(
            "positive_labels would change what monotone means, which speaks of the positive "
            "class. Give the classifier its positive_label, and leave positive_labels at None."
        )
    return [dict(zip(asked, values, strict=True)) for values in product(*asked.values())]


def _resolutions(
    classifier: BooleanRuleClassifier, table: Table, thresholds: Sequence[int | str] | None
) -> list[int | str] | None:
    """Kinds of thresholds that make a difference; None where the classifier's are kept."""
    has_own = classifier.binarizer is None or make_binarizer(classifier).thresholds != "deciles"
    if thresholds is None or (has_own and tuple(thresholds) == RESOLUTIONS):
        return None
    if classifier.binarizer is None:
        raise ValueError("thresholds needs a binarizer, but the classifier has none.")
    kept: list[tuple[TableEncoding, int | str]] = []
    for q in thresholds:
        binarizer = make_binarizer(classifier).set_params(thresholds=q)
        encoding = binarizer.binning().fit(table)
        if not any(_are_alike(encoding, other) for other, _ in kept):
            kept.append((encoding, q))
    return [q for _, q in kept]


def most_codes(models: Sequence[BooleanRuleClassifier], table: Table) -> int:
    """Return how many codes a column has at most, of those that conditions may read."""
    of_one_form = [model for model in models if model.form == models[0].form]
    return max(
        (
            feature.n_codes
            for model in of_one_form
            if model.binarizer is not None
            for feature in make_binarizer(model).binning().fit(table).features
            if Constraints.of(model.constraints).allows_feature(feature.name)
        ),
        default=1,
    )


def _are_alike(one: TableEncoding, other: TableEncoding) -> bool:
    """Whether two encodings cut the rows alike; with every cut, as many cuts are the same ones."""
    if one.has_cuts or other.has_cuts:
        return [f.n_codes for f in one.features] == [f.n_codes for f in other.features]
    return one.features == other.features


def as_parameters(candidate: Candidate, classifier: BooleanRuleClassifier) -> dict[str, Any]:
    """Write a candidate as parameters of the classifier."""
    parameters = {name: value for name, value in candidate.items() if name != "thresholds"}
    if "thresholds" in candidate:
        binarizer = make_binarizer(classifier)
        parameters["binarizer"] = binarizer.set_params(thresholds=candidate["thresholds"])
    return parameters
