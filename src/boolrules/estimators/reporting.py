"""A report of anything fitted: a classifier, a cross-validation, a path or a model file.

Says what there is to tell, and learns in folds where nothing is known of rows left out; what the
page looks like is in ``insight.report``.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from boolrules._support.budget import Budget
from boolrules._support.interrupts import answering, searching
from boolrules.data.constraints import Constraints
from boolrules.data.labelled_rows import LabelledRows
from boolrules.data.requirement import Requirement, read_requirements
from boolrules.estimators.checks import checked_labels, checked_table
from boolrules.estimators.classifier import BooleanRuleClassifier
from boolrules.estimators.classifier_cv import BooleanRuleClassifierCV
from boolrules.estimators.complexity_path import DEFAULT_PATIENCE, ComplexityPath
from boolrules.estimators.on_dask import brought_together
from boolrules.estimators.rounds import Race
from boolrules.estimators.whole_fit import as_asked
from boolrules.insight.alternatives import list_alternatives
from boolrules.insight.report.facts import ParameterFacts
from boolrules.insight.report.held_out import Fold, describe_folds, make_fold
from boolrules.insight.report.requirements import LeftOut
from boolrules.insight.report.summary import Point, Story
from boolrules.insight.report.tell import MAX_ROWS, tell
from boolrules.insight.report.words import Words
from boolrules.model.model import Model
from boolrules.proof.unmet import RequirementsNotMetError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from boolrules.data.notes import ColumnNote
    from boolrules.estimators.complexity_path import PathPoint
    from boolrules.insight.alternatives import Alternatives
    from boolrules.insight.report.page import Report

Reported = BooleanRuleClassifier | BooleanRuleClassifierCV | ComplexityPath | Model
NOT_ON_ITS_OWN = {"verbose", "classifier"}
# A page is about the rules chosen: what else is as good gets a small part of the time.
ALTERNATIVES_SECONDS = 10.0
ALTERNATIVES_SHARE = 0.2
STOPPED = "The run was stopped by hand, so other rules were not looked for."


def make_report(
    model: Reported,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    chosen: float | None = None,
    cv: int | None = 5,
    time_limit: float | None = 60,
    n_jobs: int | None = None,
    max_rows: int = MAX_ROWS,
    alternatives: int | str = 5,
    words: Mapping[Any, str] | None = None,
    title: str | None = None,
    source: str | None = None,
    sha256: str | None = None,
    notes: Sequence[ColumnNote] = (),
    row_numbers: Sequence[int] | NDArray[np.int64] | None = None,
) -> Report:
    """Describe a fitted model on one HTML page.

    Parameters
    ----------
    model : BooleanRuleClassifier, BooleanRuleClassifierCV, ComplexityPath or Model
        Fitted.
    X, y, sample_weight
        The rows that it was learned from. With other rows, the page says so. Of a Dask DataFrame,
        at most 20 million values.
    chosen : float or None
        For a path, the ``max_complexity`` to show first; None is the least training loss.
    cv : int or None, default=5
        Folds in which a classifier or a path is learned again, without proofs, to see what it
        does on rows left out; None leaves that out. A ``BooleanRuleClassifierCV`` brings its own.
    time_limit : float or None, default=60
        Seconds for these folds and for the alternatives; None means no limit for the folds. The
        alternatives take a fifth of it, and at most 10 seconds.
    n_jobs : int or None, default=None
        Folds at a time; None means one, or what ``joblib.parallel_config`` says.
    max_rows : int, default=10000
        Rows that the page carries so that they can be looked up; 0 for none.
    alternatives : int or str, default=5
        How many of the other rule sets to show that are as good as the chosen one, as
        ``find_alternatives`` lists them; 0 does not look for any, and neither does a text, which
        the page has in their place.
    words : dict or None
        What rows and labels are called on the page, such as
        ``{"rows": "patients", 1: "ill", 0: "healthy"}``.
    title, source, sha256 : str or None
        Heading, the name of the file that the rows came from, and its checksum.
    notes : sequence of ColumnNote
        What is odd about the rows beside what ``table_notes`` says of ``X`` and ``y``, such as
        spellings of labels before these became one against the rest.
    row_numbers : sequence of int, or None
        Growing numbers by which rows are looked up on the page, such as those of a file from which
        some rows were left out; None counts the rows of ``X`` from 1.

    Examples
    --------
    >>> from boolrules import complexity_path
    >>> from boolrules.estimators.reporting import make_report
    >>> X, y = [[0], [1], [2], [3]] * 5, [0, 1, 0, 1] * 5
    >>> report = make_report(complexity_path(X, y, complexities=[2, 3, 5]), X, y, cv=None)
    >>> [(point.max_complexity, point.hamming_loss) for point in report.facts.points]
    [(2, 5), (3, 5), (5, 0)]
    """
    if cv is not None and cv < 2:
        raise ValueError(f"cv={cv} leaves no rows out. Use 2 folds or more, or None.")
    if max_rows < 0:
        raise ValueError(f"max_rows={max_rows} is below zero. Use 0 to leave the rows out.")
    if not isinstance(alternatives, str) and alternatives < 0:
        raise ValueError(f"alternatives={alternatives} is below zero. Use 0 to look for none.")
    budget = Budget.of(time_limit)
    X, y, sample_weight = brought_together(X, y, sample_weight, "a report")
    story = _story(model, chosen)
    own = story.points[story.chosen].model
    rows = _read(model, own, X, y, sample_weight)
    numbers = _checked_numbers(row_numbers, len(rows))
    classifier = _classifier_of(model)
    Words.of(own.classes, own.target, words)  # turns down what cannot work
    is_training = own.are_training_rows(rows)
    if cv is not None and classifier is not None and is_training:
        limit = learning_budget(budget, _looks_for(alternatives)).time_limit
        story = _with_folds(story, classifier, X, rows, cv, limit, n_jobs)
    if isinstance(model, BooleanRuleClassifierCV):
        story = replace(story, left_out=_left_out(model, len(rows)))
    if alternatives and is_training:
        rest = budget.at_most(ALTERNATIVES_SECONDS)
        story = replace(story, alternatives=_alternatives(own, rows, alternatives, rest))
    story = replace(story, words=words, title=title, source=source, sha256=sha256)
    story = replace(story, notes=notes)
    return tell(story, rows, max_rows, numbers)


def _checked_numbers(given: Any, n_rows: int) -> NDArray[np.int64] | None:
    """Read row numbers: one for each row, each greater than the one before."""
    if given is None:
        return None
    numbers: NDArray[np.int64] = np.asarray(given, dtype=np.int64)
    if numbers.shape != (n_rows,) or (np.diff(numbers, prepend=0) <= 0).any():
        raise ValueError(
            f"row_numbers={given!r:.60} must be {n_rows} whole numbers from 1 up, one for each "
            "row, each greater than the one before."
        )
    return numbers


def learning_budget(budget: Budget, n_alternatives: int) -> Budget:
    """Return what learning may take of the time for a report that shows alternatives, too."""
    if not n_alternatives:
        return budget
    kept = ALTERNATIVES_SHARE * budget.remaining_seconds
    return budget.less(min(ALTERNATIVES_SECONDS, kept))


def _looks_for(alternatives: int | str) -> int:
    return 0 if isinstance(alternatives, str) else alternatives


def _alternatives(
    model: Model, rows: LabelledRows, most: int | str, budget: Budget
) -> list[Alternatives | str]:
    """List the other rule sets as good, of each class; or say why that is not done.

    Ctrl-C ends the search, and leaves the rest of the page as it is.
    """
    if isinstance(most, str):
        return [most]
    found: list[Alternatives | str] = []
    with answering():
        for place, rules in enumerate(model.rule_sets):
            limit = budget.share(1 / (len(model.rule_sets) - place)).time_limit
            asked: dict[str, Any] = {"most": most, "time_limit": limit, "label": rules.positive}
            try:
                with searching():
                    found.append(list_alternatives(model, rows, **asked))
            except ValueError as error:
                found.append(str(error))
            except KeyboardInterrupt:
                return [STOPPED]
    return found


def _story(model: Reported, chosen: float | None) -> Story:
    if isinstance(model, ComplexityPath):
        place = model.points.index(model.efficient[-1] if chosen is None else model.at(chosen))
        return _path_story(model, place, chosen is not None)
    if isinstance(model, Model):
        return _file_story(model)
    check_is_fitted(model)
    if isinstance(model, BooleanRuleClassifierCV):
        return _search_story(model)
    return _classifier_story(model)


def _read(model: Reported, own: Model, X: Any, y: Any, sample_weight: Any) -> LabelledRows:
    """Read the rows as what was fitted would, weighed as it was."""
    if isinstance(model, Model):
        return LabelledRows.of(X, y, sample_weight, own.weighing)
    fitted: Any = model[0].classifier if isinstance(model, ComplexityPath) else model
    fitted = getattr(fitted, "best_estimator_", fitted)
    table = checked_table(fitted, X, reset=False)
    labels = checked_labels(fitted, y, table)
    return LabelledRows.of(table, labels, sample_weight, own.weighing)


def _classifier_of(model: Reported) -> BooleanRuleClassifier | None:
    """Return what can be learned again in folds; None where there are folds, or no learner."""
    if isinstance(model, ComplexityPath):
        return as_asked(model[0].classifier)
    return as_asked(model) if isinstance(model, BooleanRuleClassifier) else None


def _path_story(path: ComplexityPath, place: int, is_asked_for: bool) -> Story:
    reason = "as asked for" if is_asked_for else "for the least training loss"
    asked = as_asked(path[0].classifier)
    parameters = _parameters(asked, without={"max_complexity"})
    return Story(
        list(map(_point, path)),
        place,
        reason,
        parameters=parameters,
        seed=_seed(asked.random_state),
    )


def _search_story(search: BooleanRuleClassifierCV) -> Story:
    limits = sorted({params["max_complexity"] for params in search.cv_results_["params"]})
    path = search.path_
    chosen = path.points.index(path.at(search.best_complexity_))
    places = [limits.index(point.max_complexity) for point in path]
    # A path that ended early stands for all complexities above its end.
    places[chosen] = limits.index(search.best_complexity_)
    asked = as_asked(search)
    template = asked.classifier or BooleanRuleClassifier()
    rows = "training rows" if search.held_out_ is None else "rows left out"
    return Story(
        list(map(_point, path)),
        chosen,
        f"by {rows} ({asked.choice.replace('_', ' ')})",
        [replace(fold, confusion=fold.confusion[places]) for fold in search.folds_],
        describe_folds(search.folds_, search.splits_, has_chosen=True),
        [
            *_parameters(asked),
            *_parameters(template, {*search.best_params_, *asked.get_params(deep=False)}),
        ],
        _seed(asked.random_state),
    )


def _left_out(search: BooleanRuleClassifierCV, n_rows: int) -> LeftOut | None:
    """Return how the chosen rules stand to requirements on rows that others chose for."""
    if search.held_out_ is None or search.held_out_standings_ is None:
        return None
    n_judged = int(np.sum(search.held_out_.confusions))
    return LeftOut(
        search.held_out_standings_,
        n_judged,
        n_rows,
        is_in_proportion=False,
        description=search.splits_,
    )


def _classifier_story(classifier: BooleanRuleClassifier) -> Story:
    point = Point(classifier.model_, classifier.results_)
    asked = as_asked(classifier)
    seed = _seed(asked.random_state)
    return Story([point], 0, "as asked for", parameters=_parameters(asked), seed=seed)


def _file_story(model: Model) -> Story:
    certificate, rules = model.certificates[0], model.rule_sets[0]
    names = ("missed_positive_cost", "covered_zero_cost")
    costs = dict(zip(names, model.weighing.costs, strict=True))
    known = {"form": str(rules.form), **certificate.problem.to_plain(), **costs}
    known |= {"objective": "f1" if certificate.f1 is not None else certificate.minimises}
    if certificate.requirements:
        known["requirements"] = list(map(str, certificate.requirements))
    defaults = BooleanRuleClassifier().get_params(deep=False)
    parameters = [
        ParameterFacts(name, repr(value), repr(value) == repr(defaults.get(name)))
        for name, value in known.items()
    ]
    return Story([Point(model)], 0, "as saved", parameters=parameters)


def _with_folds(
    story: Story,
    classifier: BooleanRuleClassifier,
    X: Any,
    rows: LabelledRows,
    n_folds: int,
    time_limit: float | None,
    n_jobs: int | None,
) -> Story:
    limits = [point.max_complexity for point in story.points]
    folds, n_unmet = learn_folds(
        classifier, limits, X, rows.labels, rows.sample_weight, n_folds, time_limit, n_jobs
    )
    if not folds:
        return replace(story, n_unmet=n_unmet)
    description = f"{len(folds)} stratified folds, shuffled with seed {fold_seed(classifier)}"
    if n_unmet:
        description += f"; requirements could not be met in {n_unmet} more"
    facts = describe_folds(folds, description, has_chosen=False)
    return replace(story, folds=folds, folds_facts=facts, n_unmet=n_unmet)


def _point(point: PathPoint) -> Point:
    classifier = point.classifier
    return Point(classifier.model_, classifier.results_, point.is_efficient)


def _parameters(estimator: Any, without: Sequence[str] | set[str] = ()) -> list[ParameterFacts]:
    defaults = type(estimator)().get_params(deep=False)
    return [
        ParameterFacts(name, _text(value), _text(value) == _text(defaults[name]))
        for name, value in _in_words(estimator.get_params(deep=False)).items()
        if name not in NOT_ON_ITS_OWN and name not in without
    ]


def _in_words(parameters: dict[str, Any]) -> dict[str, Any]:
    """Read constraints that were given as a dictionary, so that they are told in words."""
    given = parameters.get("constraints")
    return parameters | {"constraints": Constraints.of(given)} if given else parameters


def _text(value: Any) -> str:
    if isinstance(value, Constraints):
        return str(value)
    return " ".join(repr(value).split())[:300]


def _seed(random_state: Any) -> str:
    return "none was set" if random_state is None else _text(random_state)


def learn_folds(
    classifier: BooleanRuleClassifier,
    limits: Sequence[float],
    X: Any,
    labels: NDArray[Any],
    sample_weight: Any,
    n_folds: int,
    time_limit: float | None,
    n_jobs: int | None,
) -> tuple[list[Fold], int]:
    """Learn the rules again in each fold, without proofs; an empty list if that cannot be done.

    And say in how many more folds no rules were found that meet the requirements.
    """
    classes, counts = np.unique(labels, return_counts=True)
    n_folds = min(n_folds, int(counts.min()))
    if n_folds < 2 or len(classes) < 2:
        warnings.warn(
            "There are too few rows of a class to leave any out: the report has training figures "
            "only.",
            UserWarning,
            stacklevel=2,
        )
        return [], 0
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=fold_seed(classifier))
    splits = list(splitter.split(np.zeros(len(labels)), labels))
    kind = _OneByOne if classifier.objective in ("f1", "errors") else type(classifier)
    parameters = clone(classifier).get_params(deep=False)
    engine = "numba" if classifier.engine == "dask" else classifier.engine
    model = kind(**parameters).set_params(mode="fast", n_jobs=1, verbose=0, engine=engine)
    if requirements := read_requirements(classifier.requirements):
        model.set_params(requirements=_in_proportion(requirements, 1 - 1 / n_folds))
    race = Race(
        [model], X, labels, sample_weight, limits, DEFAULT_PATIENCE, scorer=None, n_jobs=n_jobs
    )
    try:
        judged = race.run([splits], time_limit)
    except RequirementsNotMetError:  # in none of them
        return [], len(splits)
    folds = [
        make_fold(split, path.confusions, path.answers)
        for split, path in zip(judged.splits, judged.paths[0], strict=True)
    ]
    return folds, len(judged.unmet)


def _in_proportion(requirements: Sequence[Requirement], share: float) -> list[Requirement]:
    """Lower limits on numbers of rows to what they are for a share of the rows."""
    return [
        one
        if one.measure.is_share
        else replace(one, limit=one.limit * share, margin=one.margin * share)
        for one in requirements
    ]


class _OneByOne(BooleanRuleClassifier):
    """Learns one complexity after another where there are no paths."""

    def fit_path(
        self,
        X: Any,
        y: Any,
        complexities: Sequence[float],
        patience: int,
        sample_weight: Any = None,
    ) -> list[BooleanRuleClassifier]:
        """Fit one copy per complexity."""
        budget, models = Budget.of(self.time_limit), []
        for place, C in enumerate(complexities):
            share = budget.share(1 / (len(complexities) - place)).time_limit
            model = clone(self).set_params(max_complexity=C, time_limit=share)
            models.append(model.fit(X, y, sample_weight))
        return models


def fold_seed(classifier: BooleanRuleClassifier) -> int:
    """Return the classifier's own seed where it has one."""
    seed = classifier.random_state
    return int(seed) if isinstance(seed, Integral) else 0
