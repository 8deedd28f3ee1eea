"""BooleanRuleClassifier: the scikit-learn face of the package."""

from __future__ import annotations

import copy
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from boolrules._support.budget import Budget
from boolrules._support.optional import is_dask
from boolrules.estimators.allowed import ALLOWED
from boolrules.estimators.checks import allow_raw_tables, checked_table, plain
from boolrules.estimators.on_dask import brought_together, is_elsewhere, placed
from boolrules.estimators.parameters import CLASSIFIER, ONE_AT_A_TIME, documented
from boolrules.estimators.preparation import Prepared, prepare
from boolrules.estimators.reportable import Reportable
from boolrules.estimators.whole_fit import keep_parameters, take_learned, whole
from boolrules.insight.alternatives import Alternatives, find_alternatives
from boolrules.model.model import Model
from boolrules.solver.progress import within
from boolrules.solver.result import StopReason
from boolrules.solver.warm_up import warm_up_to_read

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from boolrules._support.table import Table
    from boolrules.data.constraints import Constraints
    from boolrules.data.encoding import TableEncoding
    from boolrules.proof.certificate import Certificate
    from boolrules.proof.verification import Verification
    from boolrules.rules import Condition, Explanation, RuleSet
    from boolrules.solver.reading import Fitted
    from boolrules.solver.result import Result
    from boolrules.solver.settings import SearchLimits


@documented(CLASSIFIER)
class BooleanRuleClassifier(Reportable, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learn a short rule set and a certificate of how close to optimal it is.

    Column generation over all clauses that the conditions allow (Dash, Günlük, Wei, 2018). The
    rule set minimises the Hamming loss on the training data: one for each positive that no clause
    covers and, for each row of the other class, a zero, one for each clause that covers it. With
    three classes or more, one rule set is learned per class against the rest.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : array
        The labels.
    model_ : Model
        What was learned, apart from scikit-learn: what is saved, verified and edited.
    rule_set_, certificate_, result_ : RuleSet, Certificate, Result
        For two classes: the rules, what is proved of them, and how the run went.
    rule_sets_, certificates_, results_ : tuple
        The same as tuples, with one entry per class where there are three or more.
    conditions_ : sequence of Condition
        Every condition that the certificate ranges over; a tuple but for every threshold.
    params_ : dict
        The parameters of this fit. What was fitted rests on them until the next ``fit`` succeeds:
        ``set_params`` changes nothing before, and a ``fit`` that fails nothing at all.

    References
    ----------
    Dash, Günlük, Wei. Boolean Decision Rules via Column Generation. NeurIPS 2018.

    Examples
    --------
    >>> import polars
    >>> people = polars.DataFrame({"age": [20, 30, 40, 50, 60, 70], "job": ["cook", "clerk"] * 3})
    >>> risk = ["low", "low", "low", "high", "low", "high"]
    >>> model = BooleanRuleClassifier(max_complexity=5, positive_label="high").fit(people, risk)
    >>> print(model.rule_set_)
    IF   (age > 30 AND job == 'clerk')
    THEN 'high'
    ELSE 'low'
    >>> print(model.certificate_)
    Hamming loss 0, lower bound 0: optimal among all rule sets of complexity at most 5.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = ALLOWED

    def __init__(
        self,
        max_complexity: float = 15,
        *,
        max_conditions: int | None = None,
        max_clauses: int | None = None,
        min_coverage: int = 0,
        form: str = "dnf",
        positive_label: Any = None,
        class_weight: Any = None,
        missed_positive_cost: float = 1,
        covered_zero_cost: float = 1,
        objective: str = "loss",
        requirements: Any = None,
        clause_cost: float = 1,
        condition_cost: float = 1,
        complexity_penalty: float = 0,
        binarizer: Any = "auto",
        constraints: Constraints | dict[str, Any] | None = None,
        mode: str = "prove",
        time_limit: float | None = 60,
        search_limits: SearchLimits | dict[str, Any] | None = None,
        engine: str = "numba",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | None = None,
    ) -> None:
        self.max_complexity = max_complexity
        self.max_conditions = max_conditions
        self.max_clauses = max_clauses
        self.min_coverage = min_coverage
        self.form = form
        self.positive_label = positive_label
        self.class_weight = class_weight
        self.missed_positive_cost = missed_positive_cost
        self.covered_zero_cost = covered_zero_cost
        self.objective = objective
        self.requirements = requirements
        self.clause_cost = clause_cost
        self.condition_cost = condition_cost
        self.complexity_penalty = complexity_penalty
        self.binarizer = binarizer
        self.constraints = constraints
        self.mode = mode
        self.time_limit = time_limit
        self.search_limits = search_limits
        self.engine = engine
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @whole
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BooleanRuleClassifier:
        """Learn rules from a table and its labels.

        Parameters
        ----------
        X : pandas, polars or numpy table
            One row per sample; numbers, text, categories, true/false and missing values. Or a Dask
            DataFrame or the path of Parquet files, with ``y`` and ``sample_weight`` as names of
            columns or as Dask Series.
        y : array of labels
            One per row.
        sample_weight : array of numbers, or None
            Weight of each row in the Hamming loss; integer weights equal repeated rows, and rows
            of weight zero are left out.
        """
        self._validate_params()
        X, y, sample_weight = placed(self, X, y, sample_weight)
        if self.objective == "f1":
            return self._fit_best_f1(X, y, sample_weight)
        budget = Budget.of(self.time_limit)
        with within(self.time_limit):
            prepared = prepare(self, X, y, sample_weight)
            fitted = prepared.learner.fit_all(prepared.tasks, prepared.n_jobs, budget)
        self._take(prepared, fitted)
        keep_parameters(self)
        _warn_of_no_time(fitted, self.time_limit, stacklevel=4)
        return self

    def fit_path(
        self,
        X: Any,
        y: Any,
        complexities: Sequence[float],
        patience: int,
        sample_weight: Any = None,
    ) -> list[BooleanRuleClassifier]:
        """Fit one copy per complexity, which must grow; see ``complexity_path``."""
        template = clone(self).set_params(max_complexity=complexities[-1])
        template._validate_params()  # noqa: SLF001
        if self.objective in ONE_AT_A_TIME:
            scoring = "f1" if self.objective == "f1" else "accuracy"
            raise ValueError(
                f"objective={self.objective!r} is for one complexity at a time. Call "
                f"BooleanRuleClassifier(max_complexity={complexities[-1]:g}, objective="
                f"{self.objective!r}).fit(X, y); or leave it out, and let "
                f"BooleanRuleClassifierCV(scoring={scoring!r}) choose by rows left out."
            )
        X, y, sample_weight = placed(template, X, y, sample_weight)
        budget = Budget.of(self.time_limit)
        with within(self.time_limit):
            prepared = prepare(template, X, y, sample_weight)
            fitted_path = prepared.learner.fit_path(prepared.tasks, complexities, patience, budget)
        _warn_of_no_time(fitted_path[-1], self.time_limit, stacklevel=3)
        keep_parameters(template)
        models = []
        for fitted in fitted_path:
            # Requirements may begin to be met at a later complexity than the first.
            C = fitted[0][1].problem.max_complexity
            model = copy.copy(template)
            model.max_complexity = C
            model._take(prepared, fitted)  # noqa: SLF001
            model.params_ = {**template.params_, "max_complexity": C}
            models.append(model)
        return models

    def _fit_best_f1(self, X: Any, y: Any, sample_weight: Any) -> BooleanRuleClassifier:
        """Learn the rules of greatest F1, which has its own costs."""
        from boolrules.estimators.best_f1 import fit_best_f1

        own = (self.class_weight, self.missed_positive_cost, self.covered_zero_cost)
        if own != (None, 1, 1) or self.complexity_penalty:
            raise ValueError(
                "objective='f1' has costs of its own. Leave class_weight, missed_positive_cost, "
                "covered_zero_cost and complexity_penalty as they are."
            )
        take_learned(self, fit_best_f1(self, X, y, sample_weight))
        keep_parameters(self)
        return self

    def _take(self, prepared: Prepared, fitted: list[Fitted]) -> None:
        """Keep what was learned."""
        rule_sets, certificates, self.results_ = (
            tuple(parts) for parts in zip(*fitted, strict=True)
        )
        self.classes_ = prepared.classes
        self.model_ = Model(
            tuple(map(plain, prepared.classes)),
            rule_sets,
            certificates,
            prepared.encoding,
            prepared.weighing,
            prepared.has_sample_weight,
            training_rows=prepared.training_rows,
        )

    def predict(self, X: Any) -> Any:
        """Predict a label for each row. The solver takes no part.

        A Dask DataFrame gets a Dask Series, part by part.
        """
        check_is_fitted(self)
        if is_dask(X):
            from boolrules.distributed.table import predict_parts

            return predict_parts(self.model_, X, self.classes_)
        return self.classes_[self.model_.predicted_classes(self._checked(X))]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each class.

        The smoothed training precision of the best clause that decides the row; see
        ``Model.predict_proba``.
        """
        table = self._checked(X)
        return self.model_.predict_proba(table)

    def explain(self, X: Any) -> list[Explanation]:
        """Say which clauses decided each row or what stood in the way of the nearest one."""
        table = self._checked(X)
        return self.model_.explain(table)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of the rows that are predicted right; by weight, where there are weights."""
        X, y, sample_weight = brought_together(X, y, sample_weight, "score")
        return float(super().score(X, y, sample_weight))

    def verify(
        self, X: Any, y: Any, sample_weight: Any = None, time_limit: float | None = None
    ) -> Verification:
        """Recompute the losses and prove the bounds anew, in integers and without a solver.

        A Dask DataFrame is verified on its workers where it is large.
        """
        check_is_fitted(self)
        engine = "numba" if self.params_["engine"] == "dask" else self.params_["engine"]
        warm_up_to_read(self.model_.encoding, engine)
        budget = Budget.of(time_limit)
        if is_elsewhere(X):
            from boolrules.distributed.verifying import verify

            return verify(self.model_, X, y, sample_weight, budget, engine)
        table = self._checked(X)
        return self.model_.verify(table, y, sample_weight, budget, engine)

    def alternatives(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        within: float = 0,
        most: int = 100,
        time_limit: float | None = 60,
        label: Any = None,
    ) -> Alternatives:
        """List the other rule sets that are as good on the training data, or nearly.

        Parameters
        ----------
        X, y, sample_weight
            What was given to ``fit``.
        within : float, default=0
            How much more than the model they may lose.
        most : int, default=100
            Most alternatives to return. All that are found are counted and ranked.
        time_limit : float or None, default=60
            Seconds for the searches; ``is_complete`` says whether they came to an end.
        label : label or None
            With three classes or more: whose rule set.
        """
        X, y, sample_weight = brought_together(X, y, sample_weight, "alternatives")
        table = self._checked(X)
        return find_alternatives(
            self.model_,
            table,
            y,
            sample_weight,
            within=within,
            most=most,
            time_limit=time_limit,
            label=label,
        )

    def save(self, path: str | Path) -> None:
        """Write the model as JSON, for ``Model.load`` and ``boolrules verify``."""
        check_is_fitted(self)
        self.model_.save(path)

    @property
    def rule_sets_(self) -> tuple[RuleSet, ...]:
        """The rules, one rule set for two classes, one per class for more."""
        return self._fitted_model.rule_sets

    @property
    def certificates_(self) -> tuple[Certificate, ...]:
        """What is proved of each rule set."""
        return self._fitted_model.certificates

    @property
    def encoding_(self) -> TableEncoding:
        """How columns become bin codes."""
        return self._fitted_model.encoding

    @property
    def conditions_(self) -> Sequence[Condition]:
        """Every condition that the certificate ranges over."""
        return self.encoding_.conditions

    @property
    def rule_set_(self) -> RuleSet:
        """The rules, where there is one rule set."""
        rules: RuleSet = self._only("rule_sets_")
        return rules

    @property
    def certificate_(self) -> Certificate:
        """What is proved of the rules, where there is one rule set."""
        certificate: Certificate = self._only("certificates_")
        return certificate

    @property
    def result_(self) -> Result:
        """How the run went, where there is one rule set."""
        result: Result = self._only("results_")
        return result

    def _html_repr(self) -> str:
        """Show the rules and what is proved of them, above scikit-learn's diagram."""
        shown = [self.model_._repr_html_()] if hasattr(self, "model_") else []
        return "\n".join([*shown, super()._html_repr()])

    def __sklearn_tags__(self) -> Any:
        return allow_raw_tables(super().__sklearn_tags__())

    @property
    def _fitted_model(self) -> Model:
        model: Model | None = self.__dict__.get("model_")
        if model is None:
            raise AttributeError(f"This {type(self).__name__} is not fitted yet; call fit first.")
        return model

    def _only(self, name: str) -> Any:
        n_rule_sets = len(self._fitted_model.rule_sets)
        if n_rule_sets > 1:
            raise AttributeError(
                f"There is one rule set for each of {n_rule_sets} classes; use {name} instead of "
                f"{name[:-2]}_."
            )
        return getattr(self, name)[0]

    def _checked(self, X: Any) -> Table:
        check_is_fitted(self)
        return checked_table(self, X, reset=False)


def _warn_of_no_time(fitted: list[Fitted], time_limit: float | None, stacklevel: int) -> None:
    """Say in one line that the limit came before any clause was found."""
    is_cut_short = [
        result.stop_reason is StopReason.TIME_LIMIT and not result.columns
        for _, _, result in fitted
    ]
    if not any(is_cut_short):
        return
    which = "the rules are"
    if len(fitted) > 1:
        which = f"{sum(is_cut_short)} of {len(fitted)} classes have rules that are"
    warnings.warn(
        f"time_limit={time_limit:g} ended the search before any clause was found: {which} "
        "constant. Raise it, or leave out columns of very many values.",
        UserWarning,
        stacklevel=stacklevel,
    )
