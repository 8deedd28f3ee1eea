"""BooleanRuleClassifierCV: the complexity chosen by cross-validation over paths (§4)."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state, indexable
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from boolrules._support.budget import SECONDS_AFTER_INTERRUPT, Budget
from boolrules._support.html import paragraph
from boolrules._support.interrupts import has_been_asked_to_stop
from boolrules.data.labelled_rows import LabelledRows
from boolrules.estimators.candidates import (
    FORMS,
    RESOLUTIONS,
    as_parameters,
    complexities_for,
    list_candidates,
    most_codes,
)
from boolrules.estimators.checks import (
    allow_raw_tables,
    checked_labels,
    checked_table,
    make_binary_scorer,
)
from boolrules.estimators.classifier import BooleanRuleClassifier
from boolrules.estimators.complexity_path import (
    DEFAULT_PATIENCE,
    checked_complexities,
    fit_path,
    take_better_rules,
)
from boolrules.estimators.folds import describe_splits, make_rounds, quietly
from boolrules.estimators.held_out import (
    calibrated_rules,
    held_out_figures,
    held_out_folds,
    held_out_standings,
)
from boolrules.estimators.loading import load_what_judges, load_what_proves
from boolrules.estimators.noting import heeded
from boolrules.estimators.on_dask import is_on_workers, rows_to_choose_by
from boolrules.estimators.parameters import CHOICES
from boolrules.estimators.preparation import positive_class
from boolrules.estimators.reportable import Reportable
from boolrules.estimators.rounds import Race
from boolrules.estimators.whole_fit import keep_parameters, whole
from boolrules.solver.result import StopReason

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from boolrules.data.standing import Standings
    from boolrules.estimators.rounds import Judgements
    from boolrules.model.figures import Figures
    from boolrules.model.model import Model
    from boolrules.proof.certificate import Certificate
    from boolrules.proof.verification import Verification
    from boolrules.rules import Explanation, RuleSet

# What splits may take of the time limit; the certificate of the chosen rules has the rest.
# A path without proofs on all rows may take so much of that.
FOLDS_SHARE, FAST_SHARE = 0.5, 0.3


class BooleanRuleClassifierCV(Reportable, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learn rules whose complexity, form and thresholds do best on rows left out.

    Every split of the rows learns a whole path for each candidate, without proofs. What is chosen
    is learned on all rows, with its certificate.

    Parameters
    ----------
    classifier : BooleanRuleClassifier or None, default=None
        What to learn with, apart from what is chosen; None is ``BooleanRuleClassifier()``.
    complexities : list of numbers, or None
        Values of ``max_complexity`` to choose from, 0 for no rules at all; None is 0 and 2 to 36,
        in growing steps, and up to 135 where there are thousands of rows.
    forms : list of "dnf" and "cnf", or None, default=("dnf", "cnf")
        Forms to choose from; None keeps the classifier's, and so do given clauses.
    thresholds : list of int and "all", or None, default=(10, 30)
        Numbers of quantiles to choose from, or every threshold; None keeps the classifier's, and
        so does a binarizer with thresholds of its own.
    positive_labels : list of labels, or None
        Positive classes to choose from, for two classes.
    cv : int, cross-validation splitter or iterable, default=5
        Folds; an integer makes them stratified and shuffled.
    n_repeats : int or None, default=None
        Rounds of folds for an integer ``cv``. None goes on until 2,000 rows were judged: three
        rounds at most, for on few rows a single one chooses by luck, and three folds at least.
        From the second on only those take part that are not clearly behind, and none begins that
        would not end in time.
    scoring : str, callable or None, default=None
        Any scorer of scikit-learn; None is accuracy.
    choice : "paired", "one_standard_error" or "best", default="paired"
        The simplest rules of any form and thresholds that are not clearly behind the best on the
        same splits, or none unless the best is far ahead of that; the simplest within one standard
        error of the best; or the best.
    proves : "chosen" or "path", default="chosen"
        What has certificates: the chosen rules alone or, in the time that they leave, all of
        ``path_``.
    patience : int, default=5
        A path stops when its loss has not fallen for so many complexities in a row.
    time_limit : float or None, default=240
        Seconds for all of ``fit``: half at most for the splits, the rest for the certificate.
    n_jobs : int or None, default=None
        Splits at a time, through joblib, so that they run on a Dask or Ray cluster too. None means
        one, or what ``joblib.parallel_config`` says. The choice is the same. With few rows,
        workers are started only where splits take seconds.
    random_state : int, RandomState or None, default=None
        Seed of the folds.
    verbose : int or None, default=None
        0 shows nothing, 1 one progress line, 2 a row per split and, at the end, per round. None
        is 1 in a notebook and 0 elsewhere.

    Attributes
    ----------
    best_complexity_ : float
        The chosen ``max_complexity``.
    best_params_ : dict
        It and the other choices.
    best_score_ : float
        Its mean score on the rows left out: a little too good, as the best of many scores is.
    best_estimator_ : BooleanRuleClassifier
        Fitted on all rows at that complexity.
    held_out_standings_ : Standings or None
        How such rules stand to the requirements on the same rows; None without any.
    held_out_ : Figures or None
        How such rules do on rows left out, where other rows chose for each, by rules that were
        learned without it: the figure to quote. None where a class has too few rows to leave any
        out.
    path_ : ComplexityPath
        On all rows, for the chosen form and thresholds.
    splits_ : str
        How rows were left out.
    n_repeats_ : int
        Rounds of folds, of which an interrupt may have left some undone.
    is_interrupted_ : bool
        Whether Ctrl-C ended the folds early.
    cv_results_ : dict of arrays
        One entry per choice and complexity: parameters, score of each split (NaN where it was left
        out for being behind), mean, standard deviation, standard error, mean complexity of the
        rules, rank.
    folds_ : tuple of Fold
        What the chosen form, class and thresholds made of the rows that each split left out.
    params_ : dict
        The parameters of this fit: ``set_params`` is for the next one.

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
        "forms": ["array-like", None],
        "thresholds": ["array-like", None],
        "positive_labels": ["array-like", None],
        "cv": ["cv_object"],
        "n_repeats": [Interval(Integral, 1, None, closed="left"), None],
        "scoring": "no_validation",
        "choice": [StrOptions(set(CHOICES))],
        "proves": [StrOptions({"chosen", "path"})],
        "patience": [Interval(Integral, 1, None, closed="left")],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose", None],
    }

    def __init__(
        self,
        classifier: BooleanRuleClassifier | None = None,
        *,
        complexities: Any = None,
        forms: Any = FORMS,
        thresholds: Any = RESOLUTIONS,
        positive_labels: Any = None,
        cv: Any = 5,
        n_repeats: int | None = None,
        scoring: Any = None,
        choice: str = "paired",
        proves: str = "chosen",
        patience: int = DEFAULT_PATIENCE,
        time_limit: float | None = 240,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | None = None,
    ) -> None:
        self.classifier = classifier
        self.complexities = complexities
        self.forms = forms
        self.thresholds = thresholds
        self.positive_labels = positive_labels
        self.cv = cv
        self.n_repeats = n_repeats
        self.scoring = scoring
        self.choice = choice
        self.proves = proves
        self.patience = patience
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @whole
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BooleanRuleClassifierCV:
        """Choose by rows left out, then learn on all rows.

        Parameters
        ----------
        X, y, sample_weight
            As for ``BooleanRuleClassifier.fit``. Weights count in learning; the scorer sees none.
            Of a Dask DataFrame of more than 20 million values, some rows are drawn to choose by.
            Ctrl-C ends it with the splits that are done, if there are any, and rules without a
            proof.
        """
        self._validate_params()
        keep_parameters(self)
        budget = Budget.of(self.time_limit)
        template = BooleanRuleClassifier() if self.classifier is None else clone(self.classifier)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        template.set_params(random_state=seed)
        (X, y, sample_weight), every_row = rows_to_choose_by(
            template, X, y, sample_weight, self.thresholds, seed
        )
        table = checked_table(self, X, reset=True)
        (X,) = indexable(X)
        labels = checked_labels(self, y, table)
        template.set_params(constraints=heeded(template, table))
        if self.complexities is None:
            limits = complexities_for(template, X, y, sample_weight)
        else:
            limits = checked_complexities(self.complexities, template)
        candidates = list_candidates(
            template, table, self.forms, self.thresholds, self.positive_labels
        )
        # A scorer wants rows as people have them; all others take those that are read already.
        rows = (table if self.scoring is None else X, labels, sample_weight)
        race = self._race(candidates, template, rows, limits)
        n_rounds, rounds = make_rounds(self.cv, self.n_repeats, labels, seed)
        n_codes = most_codes(race.models, table)
        load_what_judges(race, candidates, n_codes)
        for_splits = budget.share(FOLDS_SHARE)
        judged = race.run(rounds, for_splits.time_limit)
        if not judged.rounds:
            raise KeyboardInterrupt
        judged = race.run_pairs(judged, for_splits.time_limit)
        self.is_interrupted_ = judged.is_interrupted
        self.n_repeats_ = len(judged.rounds)
        self.splits_ = judged.description(self.cv, n_rounds, len(candidates))
        if is_on_workers(every_row[0]):
            self.splits_ += f"; of {len(labels):,} rows drawn from {every_row[0].n_rows:,}"
        k, place = self._choose(judged, candidates, limits)
        final = clone(template).set_params(
            **as_parameters(candidates[k], template),
            n_jobs=template.n_jobs if template.n_jobs is not None else self.n_jobs,
            verbose=self.verbose,
        )
        load_what_proves(race.models[k].engine, candidates[k], n_codes)
        self.is_interrupted_ |= has_been_asked_to_stop()
        self._learn(final, every_row, limits, budget)
        self._tell(judged, (k, place), LabelledRows.of(table, labels))
        return self

    def _learn(
        self,
        final: BooleanRuleClassifier,
        rows: tuple[Any, Any, Any],
        limits: list[float],
        budget: Budget,
    ) -> None:
        """Learn the chosen rules with their certificate, then prove the others if asked to.

        A fast path comes before both: it has rules for every complexity. Where those at the chosen
        one lose less than what was found with the bound, the bound holds for them as well. To
        start from them takes longer: on ionosphere 118 rounds instead of 25.
        """
        fast = clone(final).set_params(mode="fast", time_limit=budget.share(FAST_SHARE).time_limit)
        with quietly():
            path = fit_path(fast, *rows, limits, self.patience)
        # Requirements may be out of reach at the chosen complexity on all rows.
        self._choose_complexity(max(self.best_complexity_, path[0].max_complexity))
        chosen = clone(final).set_params(
            max_complexity=self.best_complexity_, time_limit=budget.time_limit
        )
        if self.is_interrupted_:
            chosen.set_params(mode="fast", time_limit=SECONDS_AFTER_INTERRUPT)
        chosen.fit(*rows)
        take_better_rules(chosen, path.at(self.best_complexity_).classifier)
        if self.is_interrupted_:
            stopped = StopReason.INTERRUPTED
            chosen.results_ = tuple(replace(r, stop_reason=stopped) for r in chosen.results_)
        self.best_estimator_, self.classes_ = chosen, chosen.classes_
        if self.proves == "path" and not budget.is_spent and not self.is_interrupted_:
            final.set_params(time_limit=budget.time_limit)
            path = fit_path(final, *rows, limits, self.patience)
        self.path_ = path.with_fitted(chosen)

    def _choose_complexity(self, C: float) -> None:
        self.best_complexity_ = C
        self.best_params_["max_complexity"] = C

    def _tell(self, judged: Judgements, chosen: tuple[int, int], rows: LabelledRows) -> None:
        """Write down what rows left out say of the chosen rules, and correct probabilities."""
        labels = rows.labels
        self.folds_ = held_out_folds(judged, chosen[0])
        self.held_out_: Figures | None = None
        self.held_out_standings_: Standings | None = None
        if not all(fold.is_separate for fold in self.folds_):
            return
        model, classes = self.best_estimator_.model_, np.unique(labels)
        if len(classes) < len(self.classes_):  # rows that were drawn may lack a rare one
            return
        how = describe_splits(self.cv, judged.rounds[:1])
        self.held_out_ = held_out_figures(judged, self.choice, chosen, model, classes, how)
        if model.requirements:
            self.held_out_standings_ = held_out_standings(judged, self.choice, chosen, model, rows)
        rule_sets = calibrated_rules(judged, chosen, model, labels)
        self.best_estimator_.model_ = replace(model, rule_sets=rule_sets, held_out=self.held_out_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict a label for each row."""
        return self._best().predict(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each class."""
        return self._best().predict_proba(X)

    def explain(self, X: Any) -> list[Explanation]:
        """Say which clauses decided each row or what stood in the way of the nearest one."""
        return self._best().explain(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of the rows that are predicted right; by weight, where there are weights."""
        return self._best().score(X, y, sample_weight)

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

    def _race(
        self,
        candidates: list[dict[str, Any]],
        template: BooleanRuleClassifier,
        rows: tuple[Any, NDArray[Any], Any],
        limits: list[float],
    ) -> Race:
        # The rows to choose by are in memory, wherever the others are.
        engine = "numba" if template.engine == "dask" else template.engine
        fast = {"mode": "fast", "n_jobs": 1, "verbose": 0, "engine": engine}
        models = [
            clone(template).set_params(**as_parameters(candidate, template), **fast)
            for candidate in candidates
        ]
        scorer = None
        if self.scoring is not None:
            classes = np.unique(rows[1])
            positive = None
            if len(classes) == 2:
                positive = classes[positive_class(template.positive_label, classes)]
            scorer = make_binary_scorer(template, self.scoring, positive)
        return Race(models, *rows, limits, self.patience, scorer, self.n_jobs, self.verbose)

    def _choose(
        self, judged: Judgements, candidates: list[dict[str, Any]], limits: list[float]
    ) -> tuple[int, int]:
        """Apply the rule of choice to those that were judged on all splits; write it all down."""
        finalists = judged.finalists
        scores = judged.scores(finalists)
        first, place = judged.choose(self.choice, [judged.paths[k] for k in finalists])
        k = finalists[first]
        self.best_params_ = {**candidates[k]}
        self._choose_complexity(limits[place])
        self.best_score_ = float(scores[first, :, place].mean())
        self.cv_results_ = judged.results(candidates, limits)
        return k, place
