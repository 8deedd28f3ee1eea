"""BooleanRuleClassifierCV: the complexity chosen by cross-validation over paths (§4)."""

from __future__ import annotations

import math
import time
import warnings
from functools import partial
from itertools import product
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import joblib
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import RepeatedStratifiedKFold, check_cv
from sklearn.utils import check_random_state, indexable
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from boolrules._support.html import paragraph
from boolrules.data.constraints import Constraints
from boolrules.estimators.checks import allow_raw_tables, checked_labels, checked_table
from boolrules.estimators.choice import CHOICES, choose_place, standard_error
from boolrules.estimators.classifier import BooleanRuleClassifier
from boolrules.estimators.complexity_path import (
    DEFAULT_PATIENCE,
    checked_complexities,
    fit_path,
)
from boolrules.estimators.folds import default_repeats, judge_fold, run_tasks, score_fold
from boolrules.estimators.preparation import make_binarizer
from boolrules.estimators.reportable import Reportable
from boolrules.insight.report.held_out import make_fold
from boolrules.solver.learner import count_workers
from boolrules.solver.progress import counting

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from boolrules.model.model import Model
    from boolrules.proof.certificate import Certificate
    from boolrules.proof.verification import Verification
    from boolrules.rules import Explanation, RuleSet

# What the paths of the folds may take of the time limit; the last path has the rest.
FOLDS_SHARE = 0.6
SECONDS_OF_A_HURRIED_PATH = 2.0


class BooleanRuleClassifierCV(Reportable, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learn rules of the complexity that does best on rows left out.

    Every fold learns a whole path, without proofs; the last path, on all rows, has its
    certificates. When asked, the form, the positive class and the number of thresholds are chosen
    in the same way.

    Parameters
    ----------
    classifier : BooleanRuleClassifier or None, default=None
        What to learn with, apart from the complexity; None is ``BooleanRuleClassifier()``.
    complexities : list of numbers, or None
        Values of ``max_complexity`` to choose from; None is 2 to 30.
    cv : int, cross-validation splitter or iterable, default=5
        Folds; an integer makes them stratified and shuffled.
    n_repeats : int or None, default=None
        Rounds of folds for an integer ``cv``. None goes on until 2,000 rows were judged, three
        rounds at most: on few rows a single one chooses by luck. All share ``time_limit``.
    scoring : str, callable or None, default=None
        Any scorer of scikit-learn; None is accuracy.
    choice : "best", "smoothed", "one_standard_error" or "paired", default="paired"
        The complexity of best mean score; the same after averaging each score with those of the
        complexities beside it; the simplest within one standard error of the best; or the simplest
        that is not clearly worse than the best on the same splits. On the paper's small data sets
        its rules were the shortest, at about the same accuracy.
    forms : list of "dnf" and "cnf", or None
        Forms to choose from; None keeps the classifier's.
    positive_labels : list of labels, or None
        Positive classes to choose from, for two classes.
    thresholds : list of int, or None
        Numbers of quantiles to choose from.
    patience : int, default=5
        A path stops when its loss has not fallen for so many complexities in a row.
    time_limit : float or None, default=180
        Seconds for the whole of ``fit``.
    n_jobs : int or None, default=None
        Folds at a time, through joblib, so that they run on a Dask or Ray cluster too. None means
        one, or what ``joblib.parallel_config`` says.
    random_state : int, RandomState or None, default=None
        Seed of the folds.
    verbose : int, default=0
        0 shows nothing, 1 one progress line, 2 a row per fold and, for the last path, per round.

    Attributes
    ----------
    best_complexity_ : float
        The chosen ``max_complexity``.
    best_params_ : dict
        It and the other choices.
    best_score_ : float
        Its mean score on the rows left out.
    best_estimator_ : BooleanRuleClassifier
        Fitted on all rows at that complexity.
    path_ : ComplexityPath
        On all rows.
    n_repeats_ : int
        Rounds of folds, of which an interrupt may have left some undone.
    is_interrupted_ : bool
        Whether Ctrl-C ended the folds early.
    cv_results_ : dict of arrays
        One entry per choice and complexity: parameters, score of each fold, mean, standard
        deviation, standard error, mean complexity of the rules, rank.
    folds_ : tuple of Fold
        What the chosen form, class and thresholds made of the rows that each fold left out.

    Examples
    --------
    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> X = random.integers(0, 10, (60, 2))
    >>> model = BooleanRuleClassifierCV(complexities=[2, 3, 6], random_state=0)
    >>> model = model.fit(X, (X[:, 0] > 4) & (X[:, 1] < 7))
    >>> model.best_complexity_
    3
    >>> print(model.rule_set_)
    IF   (x0 > 4 AND x1 <= 6)
    THEN True
    ELSE False
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "classifier": [BooleanRuleClassifier, None],
        "complexities": ["array-like", None],
        "cv": ["cv_object"],
        "n_repeats": [Interval(Integral, 1, None, closed="left"), None],
        "scoring": "no_validation",
        "choice": [StrOptions(set(CHOICES))],
        "forms": ["array-like", None],
        "positive_labels": ["array-like", None],
        "thresholds": ["array-like", None],
        "patience": [Interval(Integral, 1, None, closed="left")],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        classifier: BooleanRuleClassifier | None = None,
        *,
        complexities: Any = None,
        cv: Any = 5,
        n_repeats: int | None = None,
        scoring: Any = None,
        choice: str = "paired",
        forms: Any = None,
        positive_labels: Any = None,
        thresholds: Any = None,
        patience: int = DEFAULT_PATIENCE,
        time_limit: float | None = 180,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.classifier = classifier
        self.complexities = complexities
        self.cv = cv
        self.n_repeats = n_repeats
        self.scoring = scoring
        self.choice = choice
        self.forms = forms
        self.positive_labels = positive_labels
        self.thresholds = thresholds
        self.patience = patience
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BooleanRuleClassifierCV:
        """Choose the complexity by cross-validation, then learn on all rows.

        Parameters
        ----------
        X, y, sample_weight
            As for ``BooleanRuleClassifier.fit``. Weights count in learning; the scorer sees none.
            Ctrl-C ends it with the folds that are done, if there are any, and a short last path.
        """
        self._validate_params()
        started = time.monotonic()
        template = BooleanRuleClassifier() if self.classifier is None else clone(self.classifier)
        table = checked_table(self, X, reset=True)
        (X,) = indexable(X)
        labels = checked_labels(self, y, table)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        limits = checked_complexities(self.complexities, template)
        candidates = self._candidates(template.set_params(random_state=seed))
        splits = self._splits(labels, seed)
        scores, complexities, confusions = self._scores(
            candidates, limits, splits, X, labels, sample_weight
        )
        self._choose(candidates, limits, scores, complexities)
        chosen = candidates.index(self._best_candidate)
        self.folds_ = tuple(map(make_fold, splits, confusions[chosen]))
        left = None
        if self.time_limit is not None:
            left = max(1e-3, self.time_limit - (time.monotonic() - started))
        if self.is_interrupted_:
            left = SECONDS_OF_A_HURRIED_PATH
        final = clone(template).set_params(
            **self._parameters(self._best_candidate, template),
            time_limit=left,
            n_jobs=template.n_jobs if template.n_jobs is not None else self.n_jobs,
            verbose=self.verbose,
        )
        self.path_ = fit_path(final, X, y, sample_weight, limits, self.patience)
        self.best_estimator_ = self.path_.at(self.best_complexity_).classifier
        self.classes_ = self.best_estimator_.classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict a label for each row."""
        return self._best().predict(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each class."""
        return self._best().predict_proba(X)

    def explain(self, X: Any) -> list[Explanation]:
        """Say which clauses decided each row or what stood in the way of the nearest one."""
        return self._best().explain(X)

    def verify(
        self, X: Any, y: Any, sample_weight: Any = None, time_limit: float | None = None
    ) -> Verification:
        """Recompute the losses and prove the bounds anew, in integers and without a solver."""
        return self._best().verify(X, y, sample_weight, time_limit)

    def save(self, path: str | Path) -> None:
        """Write the chosen model as JSON."""
        check_is_fitted(self)
        self.best_estimator_.save(path)

    @property
    def model_(self) -> Model:
        """The chosen model, apart from scikit-learn."""
        return self._fitted().model_

    @property
    def rule_set_(self) -> RuleSet:
        """The chosen rules, where there is one rule set."""
        return self._fitted().rule_set_

    @property
    def certificate_(self) -> Certificate:
        """What is proved of the chosen rules, where there is one rule set."""
        return self._fitted().certificate_

    def _html_repr(self) -> str:
        """Show the choice, the rules and what is proved of them, above scikit-learn's diagram."""
        if not hasattr(self, "best_estimator_"):
            return super()._html_repr()
        choice = (
            f"Chosen: complexity at most {self.best_complexity_:g}, "
            f"with a mean score of {self.best_score_:.3f} on rows left out."
        )
        return "\n".join([paragraph(choice), self.model_._repr_html_(), super()._html_repr()])

    def __sklearn_tags__(self) -> Any:
        return allow_raw_tables(super().__sklearn_tags__())

    def _fitted(self) -> BooleanRuleClassifier:
        if not hasattr(self, "best_estimator_"):
            raise AttributeError(f"This {type(self).__name__} is not fitted yet; call fit first.")
        return self.best_estimator_

    def _best(self) -> BooleanRuleClassifier:
        check_is_fitted(self)
        return self.best_estimator_

    def _candidates(self, template: BooleanRuleClassifier) -> list[dict[str, Any]]:
        """List every combination of form, positive class and thresholds that was asked for."""
        choices = {
            "form": self.forms,
            "positive_label": self.positive_labels,
            "thresholds": self.thresholds,
        }
        asked = {name: list(values) for name, values in choices.items() if values is not None}
        for name, values in asked.items():
            if not values:
                raise ValueError(f"The list of values for {name} is empty. Use None to keep it.")
        if "thresholds" in asked and template.binarizer is None:
            raise ValueError("thresholds needs a binarizer, but the classifier has none.")
        has_direction = Constraints.of(template.constraints).monotone
        if has_direction and len(asked.get("positive_label", ())) > 1:
            raise ValueError(
                "positive_labels would change what monotone means, which speaks of the positive "
                "class. Give the classifier its positive_label, and leave positive_labels at None."
            )
        return [dict(zip(asked, values, strict=True)) for values in product(*asked.values())]

    @staticmethod
    def _parameters(candidate: dict[str, Any], template: BooleanRuleClassifier) -> dict[str, Any]:
        """Write a candidate as parameters of the classifier."""
        parameters = {name: v for name, v in candidate.items() if name != "thresholds"}
        if "thresholds" in candidate:
            binarizer = make_binarizer(template)
            parameters["binarizer"] = binarizer.set_params(thresholds=candidate["thresholds"])
        return parameters

    def _splits(self, labels: NDArray[Any], seed: int) -> list[tuple[Any, Any]]:
        splitter: Any = self.cv
        rows = np.zeros(len(labels))
        self.n_repeats_ = 1
        if isinstance(self.cv, Integral):
            _, counts = np.unique(labels, return_counts=True)
            n_splits = min(int(self.cv), int(counts.min()))
            if n_splits < 2 or len(counts) < 2:
                warnings.warn(
                    "There are too few rows of a class to cross-validate: the complexity is "
                    "chosen on the training data.",
                    UserWarning,
                    stacklevel=3,
                )
                everything = np.arange(len(labels))
                return [(everything, everything)]
            self.n_repeats_ = self.n_repeats or default_repeats(len(labels))
            splitter = RepeatedStratifiedKFold(
                n_splits=n_splits, n_repeats=self.n_repeats_, random_state=seed
            )
        splits = check_cv(splitter, labels, classifier=True).split(rows, labels)
        return [(train, test) for train, test in splits]

    def _scores(
        self,
        candidates: list[dict[str, Any]],
        limits: list[float],
        splits: list[tuple[Any, Any]],
        X: Any,
        labels: NDArray[Any],
        sample_weight: Any,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """Judge each candidate, fold and complexity: score, complexity of the rules, confusion."""
        template = BooleanRuleClassifier() if self.classifier is None else self.classifier
        judge = partial(judge_fold, check_scoring(template, self.scoring), np.unique(labels))
        n_tasks = len(candidates) * len(splits)
        n_workers = count_workers(self.n_jobs, n_tasks)
        seconds = None
        if self.time_limit is not None:
            seconds = FOLDS_SHARE * self.time_limit / math.ceil(n_tasks / n_workers)
        models = [
            clone(template).set_params(
                **self._parameters(candidate, template),
                mode="fast",
                time_limit=seconds,
                n_jobs=1,
                verbose=0,
            )
            for candidate in candidates
        ]
        tasks = [
            joblib.delayed(score_fold)(
                model, X, labels, sample_weight, split, limits, self.patience, judge
            )
            for split in splits
            for model in models
        ]
        with counting(self.verbose, "paths on folds", n_tasks) as is_done:
            parts = run_tasks(tasks, self.n_jobs, n_workers, is_done if self.verbose else None)
        self.is_interrupted_ = len(parts) < n_tasks
        n_splits = len(parts) // len(candidates)
        if n_splits == 0:
            raise KeyboardInterrupt
        whole = parts[: n_splits * len(candidates)]
        scores, complexities, confusions = (
            np.array(part).reshape(n_splits, len(candidates), *np.shape(part)[1:]).swapaxes(0, 1)
            for part in (
                [[score for score, _ in judged] for judged, _ in whole],
                [complexities for _, complexities in whole],
                [[confusion for _, confusion in judged] for judged, _ in whole],
            )
        )
        return scores, complexities, confusions

    def _choose(
        self,
        candidates: list[dict[str, Any]],
        limits: list[float],
        scores: NDArray[np.float64],
        complexities: NDArray[np.float64],
    ) -> None:
        """Apply the rule of choice and write the results down."""
        mean = scores.mean(axis=1)
        n_splits = scores.shape[1]
        std = scores.std(axis=1)
        error = standard_error(scores)
        k, place = choose_place(self.choice, scores)
        self._best_candidate = candidates[k]
        self.best_complexity_ = limits[place]
        self.best_params_ = {**candidates[k], "max_complexity": limits[place]}
        self.best_score_ = float(mean[k, place])
        params = [{**c, "max_complexity": C} for c in candidates for C in limits]
        flat = mean.ravel()
        self.cv_results_ = {
            "params": params,
            **{
                f"param_{name}": np.array([p[name] for p in params], dtype=object)
                for name in params[0]
            },
            **{f"split{s}_test_score": scores[:, s].ravel() for s in range(n_splits)},
            "mean_test_score": flat,
            "std_test_score": std.ravel(),
            "standard_error": np.asarray(error).ravel(),
            "mean_complexity": complexities.mean(axis=1).ravel(),
            "rank_test_score": 1 + np.array([(flat > value).sum() for value in flat]),
        }
