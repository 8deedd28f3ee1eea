"""A report of any fitted model: a classifier, a cross-validation, a path or a model file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from boolrules.binarizer import checked_table, checked_weights
from boolrules.classifier import BooleanRuleClassifier, checked_labels
from boolrules.classifier_cv import BooleanRuleClassifierCV
from boolrules.complexity_path import ComplexityPath
from boolrules.report.facts import ParameterFacts
from boolrules.report.held_out import describe_folds, describe_search, fold_seed, learn_folds
from boolrules.report.page import Report, render
from boolrules.report.rows import embed_rows
from boolrules.report.summary import Point, Story, are_training_rows, class_places, summarise
from boolrules.saved_model import SavedModel
from boolrules.table import read_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.complexity_path import PathPoint
    from boolrules.table import Table

    Model = BooleanRuleClassifier | BooleanRuleClassifierCV | ComplexityPath | SavedModel

MAX_ROWS = 10_000
NOT_ON_ITS_OWN = {"verbose", "classifier"}


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """What the report was given."""

    X: Any
    table: Table
    labels: NDArray[Any]
    weights: NDArray[np.float64] | None


def make_report(
    model: Model,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    chosen: float | None = None,
    cv: int | None = 5,
    time_limit: float | None = 60,
    n_jobs: int | None = None,
    max_rows: int = MAX_ROWS,
    title: str | None = None,
    source: str | None = None,
    sha256: str | None = None,
) -> Report:
    """Describe a fitted model on one HTML page.

    Parameters
    ----------
    model : BooleanRuleClassifier, BooleanRuleClassifierCV, ComplexityPath or SavedModel
        Fitted.
    X, y, sample_weight
        The rows that it was learned from. With other rows, the page says so.
    chosen : float or None
        For a path, the ``max_complexity`` to show first; None is the least training loss.
    cv : int or None, default=5
        Folds in which a classifier or a path is learned again, without proofs, to see what it
        does on rows left out; None leaves that out. A ``BooleanRuleClassifierCV`` brings its own.
    time_limit : float or None, default=60
        Seconds for these folds.
    n_jobs : int or None, default=None
        Folds at a time; None means one, or what ``joblib.parallel_config`` says.
    max_rows : int, default=10000
        Rows that the page carries so that they can be looked up; 0 for none.
    title, source, sha256 : str or None
        Heading, the name of the file that the rows came from, and its checksum.

    Examples
    --------
    >>> from boolrules import complexity_path
    >>> from boolrules.report import make_report
    >>> X, y = [[0], [1], [2], [3]] * 5, [0, 1, 0, 1] * 5
    >>> report = make_report(complexity_path(X, y, complexities=[2, 3, 5]), X, y, cv=None)
    >>> [(point.max_complexity, point.hamming_loss) for point in report.facts.points]
    [(2, 5), (3, 5), (5, 0)]
    """
    if cv is not None and cv < 2:
        raise ValueError(f"cv={cv} leaves no rows out. Use 2 folds or more, or None.")
    if max_rows < 0:
        raise ValueError(f"max_rows={max_rows} is below zero. Use 0 to leave the rows out.")
    rows = _read(model, X, y, sample_weight)
    if isinstance(model, ComplexityPath):
        place = model.points.index(model.efficient[-1] if chosen is None else model.at(chosen))
        story = _path_story(model, place, chosen is not None)
    elif isinstance(model, BooleanRuleClassifierCV):
        story = _search_story(model)
    elif isinstance(model, BooleanRuleClassifier):
        story = _classifier_story(model)
    else:
        story = _file_story(model)
    classifier = _classifier_of(model)
    labels = class_places(story.points[0].model, rows.labels)
    if cv is not None and classifier is not None:
        own = story.points[story.chosen].model
        if are_training_rows(own, rows.table, labels, rows.weights):
            story = _with_folds(story, classifier, rows, cv, time_limit, n_jobs)
    story = replace(story, title=title, source=source, sha256=sha256)
    facts, domains = summarise(story, rows.table, labels, rows.weights)
    return Report(facts, render(facts, embed_rows(rows.table, labels, domains, max_rows)))


def _read(model: Model, X: Any, y: Any, sample_weight: Any) -> _Rows:
    if isinstance(model, SavedModel):
        table, labels = read_table(X), np.asarray(y)
        if labels.shape != (len(table),):
            raise ValueError(f"Give one label per row: {len(table)} rows, labels {labels.shape}.")
    else:
        fitted = model[0].classifier if isinstance(model, ComplexityPath) else model
        check_is_fitted(fitted)
        if isinstance(fitted, BooleanRuleClassifierCV):
            fitted = fitted.best_estimator_
        table = checked_table(fitted, X, reset=False)
        labels = checked_labels(fitted, y, table)
    weights = None if sample_weight is None else checked_weights(sample_weight, table)
    return _Rows(X, table, labels, weights)


def _classifier_of(model: Model) -> BooleanRuleClassifier | None:
    """Return what can be learned again in folds; None where there are folds, or no learner."""
    if isinstance(model, ComplexityPath):
        return model[0].classifier
    return model if isinstance(model, BooleanRuleClassifier) else None


def _path_story(path: ComplexityPath, place: int, is_asked_for: bool) -> Story:
    reason = "as asked for" if is_asked_for else "for the least training loss"
    parameters = _parameters(path[0].classifier, without={"max_complexity"})
    return Story(
        list(map(_point, path)),
        place,
        reason,
        parameters=parameters,
        seed=_seed(path[0].classifier.random_state),
    )


def _search_story(search: BooleanRuleClassifierCV) -> Story:
    limits = sorted({params["max_complexity"] for params in search.cv_results_["params"]})
    path = search.path_
    chosen = path.points.index(path.at(search.best_complexity_))
    places = [limits.index(point.max_complexity) for point in path]
    # A path that ended early stands for all complexities above its end.
    places[chosen] = limits.index(search.best_complexity_)
    template = search.classifier or BooleanRuleClassifier()
    return Story(
        list(map(_point, path)),
        chosen,
        f"by rows left out ({search.choice.replace('_', ' ')})",
        [replace(fold, confusion=fold.confusion[places]) for fold in search.folds_],
        describe_folds(search.folds_, describe_search(search), has_chosen=True),
        [
            *_parameters(search),
            *_parameters(template, {*search.best_params_, *search.get_params(deep=False)}),
        ],
        _seed(search.random_state),
    )


def _classifier_story(classifier: BooleanRuleClassifier) -> Story:
    point = Point(classifier.to_saved_model(), classifier.results_)
    seed = _seed(classifier.random_state)
    return Story([point], 0, "as asked for", parameters=_parameters(classifier), seed=seed)


def _file_story(model: SavedModel) -> Story:
    certificate, rules = model.certificates[0], model.rule_sets[0]
    costs = dict(zip(("missed_positive_cost", "covered_zero_cost"), model.costs, strict=True))
    known = {"form": str(rules.form), **certificate.problem.to_json(), **costs}
    defaults = BooleanRuleClassifier().get_params(deep=False)
    parameters = [
        ParameterFacts(name, repr(value), repr(value) == repr(defaults.get(name)))
        for name, value in known.items()
    ]
    return Story([Point(model)], 0, "as saved", parameters=parameters)


def _with_folds(
    story: Story,
    classifier: BooleanRuleClassifier,
    rows: _Rows,
    n_folds: int,
    time_limit: float | None,
    n_jobs: int | None,
) -> Story:
    limits = [point.max_complexity for point in story.points]
    folds = learn_folds(
        classifier, limits, rows.X, rows.labels, rows.weights, n_folds, time_limit, n_jobs
    )
    if not folds:
        return story
    description = f"{len(folds)} stratified folds, shuffled with seed {fold_seed(classifier)}"
    facts = describe_folds(folds, description, has_chosen=False)
    return replace(story, folds=folds, folds_facts=facts)


def _point(point: PathPoint) -> Point:
    classifier = point.classifier
    return Point(classifier.to_saved_model(), classifier.results_, point.is_efficient)


def _parameters(estimator: Any, without: Sequence[str] | set[str] = ()) -> list[ParameterFacts]:
    defaults = type(estimator)().get_params(deep=False)
    return [
        ParameterFacts(name, _text(value), _text(value) == _text(defaults[name]))
        for name, value in estimator.get_params(deep=False).items()
        if name not in NOT_ON_ITS_OWN and name not in without
    ]


def _text(value: Any) -> str:
    return " ".join(repr(value).split())[:300]


def _seed(random_state: Any) -> str:
    return "none was set" if random_state is None else _text(random_state)
