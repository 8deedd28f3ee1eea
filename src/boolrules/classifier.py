"""BooleanRuleClassifier: the scikit-learn face of the package."""

from __future__ import annotations

import copy
import warnings
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import joblib
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import assert_all_finite, check_random_state, compute_class_weight
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from boolrules._reportable import Reportable
from boolrules.alternatives import Alternatives, find_alternatives
from boolrules.binarizer import FeatureBinarizer, binary_encoding, checked_table, checked_weights
from boolrules.budget import Budget
from boolrules.constraints import Constraints
from boolrules.dask_learner import (
    DaskLearner,
    DaskTable,
    DaskTask,
    Weighing,
    is_dask,
    predict_parts,
)
from boolrules.demands import read_given, with_required
from boolrules.learner import Fitted, Learner, Task, plain
from boolrules.problem import Problem
from boolrules.progress import within
from boolrules.rules import Clause, Form, RuleSet
from boolrules.rules.one_versus_rest import class_probabilities, winning_class
from boolrules.saved_model import SavedModel
from boolrules.settings import Settings
from boolrules.table import is_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from boolrules.certificate import Certificate
    from boolrules.encoding import TableEncoding
    from boolrules.result import Result
    from boolrules.rules import Explanation
    from boolrules.table import Table
    from boolrules.verification import Verification


class BooleanRuleClassifier(Reportable, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learn a short rule set and a certificate of how close to optimal it is.

    Column generation over all clauses that the conditions allow (Dash, Günlük, Wei, 2018). The
    rule set minimises the Hamming loss on the training data: one for each positive that no clause
    covers and, for each row of the other class, a zero, one for each clause that covers it. With
    three classes or more, one rule set is learned per class against the rest.

    Parameters
    ----------
    max_complexity : float, default=15
        Most that a rule set may have of clauses plus conditions.
    max_conditions : int or None, default=None
        Most conditions in a clause; None leaves it to ``max_complexity``.
    max_clauses : int or None, default=None
        Most clauses in a rule set; None leaves it to ``max_complexity``.
    min_coverage : int, default=0
        Least number of rows that each clause must cover of the class that it decides: the positive
        one in DNF, the other in CNF. Rows count one by one, whatever they weigh.
    form : "dnf" or "cnf", default="dnf"
        OR of ANDs, or AND of ORs.
    positive_label : label or None, default=None
        Which of two classes the rules describe; None takes ``classes_[1]``.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class in the Hamming loss.
    missed_positive_cost, covered_zero_cost : float, default=1
        What each kind of mistake costs.
    clause_cost, condition_cost : float, default=1
        What a clause and a condition add to the complexity.
    complexity_penalty : float, default=0
        What each unit of complexity adds to the objective, beside the limit.
    binarizer : "auto", FeatureBinarizer or None, default="auto"
        Where the conditions come from. "auto" is ``FeatureBinarizer()``; None takes a table of
        zeros and ones as it is, each column being one condition.
    constraints : Constraints, dict or None, default=None
        Which of these conditions rules may be made of; a dict holds the fields of ``Constraints``.
        The certificate then holds among the rule sets that keep to them.
    given_clauses : list of str or Clause, default=()
        Clauses that must stay, such as ``"age <= 35 AND job == 'clerk'"`` (with OR in CNF). They
        count towards complexity and clauses, and the certificate holds among the rule sets that
        have them. For two classes.
    required : list of str, default=()
        Columns, or conditions such as ``"age <= 35"``, that the rules must use somewhere, in a
        clause that covers something. For two classes.
    mode : "prove" or "fast", default="prove"
        "fast" stops where the heuristics find no better clause, with a good rule set and no proof.
    exact_pricer : "search" or "integer_program", default="search"
        How clauses are proved missing: by our search in exact integers, or as in the paper by
        giving the Pricing Problem to a solver.
    time_limit : float or None, default=60
        Seconds for the whole of ``fit``; the best rule set so far is returned. None means no
        limit.
    pricing_time_limit : float or None, default=None
        Seconds for one pricing call.
    max_rounds : int or None, default=None
        Most rounds of column generation; with ``time_limit=None`` the answer is the same on every
        machine.
    max_nodes : int or None, default=None
        Most nodes of one exact search, likewise.
    engine : "numba", "cuda" or "dask", default="numba"
        Who sums over samples: compiled code on all kinds of machines, an NVIDIA GPU by way of
        PyTorch (``pip install "boolrules[gpu]"``), or the workers of a Dask cluster
        (``pip install "boolrules[dask]"``), which a Dask DataFrame or a folder of Parquet files
        asks for by itself. What is proved is the same.
    n_jobs : int or None, default=None
        Threads of the solver or, with three classes or more, processes over classes. None means
        one, or for classes what ``joblib.parallel_config`` says.
    random_state : int, RandomState or None, default=None
        Seed of the sampling on large data. Equal data, parameters and seed give equal rules,
        unless a time limit cuts the run.
    verbose : int, default=0
        0 shows nothing, 1 one progress line, 2 a row per round; on standard error.

    Attributes
    ----------
    classes_ : array
        The labels.
    rule_set_, certificate_, result_ : RuleSet, Certificate, Result
        For two classes: the rules, what is proved of them, and how the run went.
    rule_sets_, certificates_, results_ : tuple
        The same as tuples, with one entry per class where there are three or more.
    encoding_ : TableEncoding
        How columns become bin codes.
    conditions_ : tuple of Condition
        Every condition that the certificate ranges over.

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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "max_complexity": [Interval(Real, None, None, closed="neither")],
        "max_conditions": [Interval(Integral, 1, None, closed="left"), None],
        "form": [StrOptions({"dnf", "cnf"})],
        "positive_label": "no_validation",
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "missed_positive_cost": [Interval(Real, 0, None, closed="neither")],
        "covered_zero_cost": [Interval(Real, 0, None, closed="neither")],
        "max_clauses": [Interval(Integral, 1, None, closed="left"), None],
        "min_coverage": [Interval(Integral, 0, None, closed="left")],
        "clause_cost": [Interval(Real, 0, None, closed="left")],
        "condition_cost": [Interval(Real, 0, None, closed="left")],
        "complexity_penalty": [Interval(Real, 0, None, closed="left")],
        "binarizer": [StrOptions({"auto"}), FeatureBinarizer, None],
        "constraints": [Constraints, dict, None],
        "given_clauses": ["array-like"],
        "required": ["array-like"],
        "mode": [StrOptions({"prove", "fast"})],
        "exact_pricer": [StrOptions({"search", "integer_program"})],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "pricing_time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "max_rounds": [Interval(Integral, 1, None, closed="left"), None],
        "max_nodes": [Interval(Integral, 1, None, closed="left"), None],
        "engine": [StrOptions({"numba", "cuda", "dask"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

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
        clause_cost: float = 1,
        condition_cost: float = 1,
        complexity_penalty: float = 0,
        binarizer: Any = "auto",
        constraints: Constraints | dict[str, Any] | None = None,
        given_clauses: Sequence[str | Clause] = (),
        required: Sequence[str] = (),
        mode: str = "prove",
        exact_pricer: str = "search",
        time_limit: float | None = 60,
        pricing_time_limit: float | None = None,
        max_rounds: int | None = None,
        max_nodes: int | None = None,
        engine: str = "numba",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
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
        self.clause_cost = clause_cost
        self.condition_cost = condition_cost
        self.complexity_penalty = complexity_penalty
        self.binarizer = binarizer
        self.constraints = constraints
        self.given_clauses = given_clauses
        self.required = required
        self.mode = mode
        self.exact_pricer = exact_pricer
        self.time_limit = time_limit
        self.pricing_time_limit = pricing_time_limit
        self.max_rounds = max_rounds
        self.max_nodes = max_nodes
        self.engine = engine
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

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
        if self.engine == "dask" or is_dask(X) or isinstance(X, str | Path):
            self._fit_dask(X, y, sample_weight)
            return self
        learner, tasks = self._prepare(X, y, sample_weight)
        with within(self.time_limit):
            self._take(learner.fit_all(tasks, self.n_jobs))
        return self

    def _fit_dask(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Learn rules from rows that stay where they are."""
        self._validate_params()
        problem = self._problem()
        if len(self.given_clauses):
            raise ValueError("given_clauses is not there for Dask yet. Leave it out.")
        table = DaskTable(X, y, sample_weight)
        validate_data(self, table.meta, reset=True, skip_check_array=True)
        names = [str(name) for name in table.meta.columns]
        binarizer = None
        if self.binarizer is not None:
            binarizer = FeatureBinarizer() if self.binarizer == "auto" else clone(self.binarizer)
            binarizer.check_names(names)
        summary = table.summary(binarizer)
        self.classes_ = np.unique(np.array(list(summary.labels)))
        check_classification_targets(self.classes_)
        encoding = binary_encoding(names) if binarizer is None else summary.encoding(binarizer)
        self.encoding_ = encoding.constrained(Constraints.of(self.constraints))
        self.conditions_, _ = self.encoding_.conditions()
        totals = np.array([summary.labels[label][1] for label in self.classes_.tolist()])
        self._class_weights = self._resolved_class_weights(self.classes_, totals)
        self._has_sample_weight = table.has_weights
        _, problem = self._demands(problem)
        costs = (self.missed_positive_cost, self.covered_zero_cost)
        weighing = Weighing(self.classes_, None, self._class_weights, costs)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        learner = DaskLearner(
            table,
            self.encoding_,
            problem,
            Form(self.form),
            table.target,
            replace(self._settings(seed), engine="numba"),
            self.verbose,
        )
        weighed = (totals * np.array(self._class_weights)).tolist()
        tasks = self._tasks(lambda *sides: DaskTask.of(weighing, weighed, *sides))
        with within(self.time_limit):
            self._take(learner.fit_all(tasks, 1))

    def fit_path(
        self,
        X: Any,
        y: Any,
        complexities: Sequence[float],
        patience: int,
        sample_weight: Any = None,
    ) -> list[BooleanRuleClassifier]:
        """Return fitted copies, one per complexity, which must grow; see ``complexity_path``."""
        template = clone(self).set_params(max_complexity=complexities[-1])
        learner, tasks = template._prepare(X, y, sample_weight)  # noqa: SLF001
        with within(self.time_limit):
            fitted_path = learner.fit_path(tasks, complexities, patience)
        models = []
        for C, fitted in zip(complexities, fitted_path, strict=False):
            model = copy.copy(template).set_params(max_complexity=C)
            model._take(fitted)  # noqa: SLF001
            models.append(model)
        return models

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> tuple[Learner, list[Task]]:
        """Check everything and encode the table: what is left is to learn."""
        self._validate_params()
        if self.engine == "dask" or is_dask(X):
            raise ValueError(
                "Dask fits one complexity at a time, with fit. Paths and cross-validation take "
                "tables in memory; joblib spreads them over a cluster (docs/scale.md)."
            )
        problem = self._problem()
        table = checked_table(self, X, reset=True)
        labels = checked_labels(self, y, table)
        weights = None if sample_weight is None else checked_weights(sample_weight, table)
        self.classes_, place = np.unique(labels, return_inverse=True)
        self.encoding_ = self._fit_encoding(X, table, weights)
        self.conditions_, _ = self.encoding_.conditions()
        base = np.ones(len(table)) if weights is None else weights
        self._class_weights = self._resolved_class_weights(labels, base)
        self._has_sample_weight = weights is not None
        target = getattr(y, "name", None)
        target = target if isinstance(target, str) and target else None
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        given, problem = self._demands(problem)
        learner = Learner(
            table,
            self.encoding_,
            problem,
            Form(self.form),
            target,
            self._settings(seed),
            self.verbose,
            given,
        )
        return learner, self._tasks(self._task_maker(place, base))

    def _demands(self, problem: Problem) -> tuple[tuple[Clause, ...], Problem]:
        """Return the clauses that must stay, and the problem with what must be used."""
        given = read_given(self.given_clauses, Form(self.form), self.encoding_, problem)
        wanted = with_required(problem, self.required, self.encoding_, given)
        for name, is_asked in (("given_clauses", given), ("required", wanted.required)):
            if is_asked and len(self.classes_) > 2:
                raise ValueError(
                    f"{name} is for two classes; there are {len(self.classes_)}. Fit one class "
                    "against the rest."
                )
        return given, wanted

    def _take(self, fitted: list[Fitted]) -> None:
        self.rule_sets_, self.certificates_, self.results_ = (
            tuple(parts) for parts in zip(*fitted, strict=True)
        )

    def predict(self, X: Any) -> Any:
        """Predict a label for each row. The solver takes no part.

        A Dask DataFrame gets a Dask Series, part by part.
        """
        if is_dask(X):
            check_is_fitted(self)
            return predict_parts(self, X)
        table = self._checked(X)
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, len(table))
        if len(self.rule_sets_) > 1:
            return self.classes_[winning_class(self.rule_sets_, table)]
        positive = self._positive_place()
        return self.classes_[np.where(self.rule_sets_[0].covers(table), positive, 1 - positive)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each class.

        The smoothed training precision of the best clause that decides the row.

        Rows that no clause decides take the training share of such rows. With three classes or
        more, each rule set speaks for its own class and rows are normalised.
        """
        table = self._checked(X)
        if len(self.classes_) == 1:
            return np.ones((len(table), 1))
        probabilities = class_probabilities(self.rule_sets_, table)
        if len(self.rule_sets_) == 1 and self._positive_place() == 0:
            return probabilities[:, ::-1]
        return probabilities

    def explain(self, X: Any) -> list[Explanation]:
        """Say which clauses decided each row or what stood in the way of the nearest one."""
        table = self._checked(X)
        if len(self.rule_sets_) == 1:
            return list(self.rule_sets_[0].explain(table))
        winners = winning_class(self.rule_sets_, table)
        explained = [rules.explain(table) for rules in self.rule_sets_]
        return [
            replace(explained[c][i], prediction=plain(self.classes_[c]))
            for i, c in enumerate(winners)
        ]

    def verify(
        self, X: Any, y: Any, sample_weight: Any = None, time_limit: float | None = None
    ) -> Verification:
        """Recompute the losses and prove the bounds anew, in integers and without a solver."""
        check_is_fitted(self)
        return self.to_saved_model().verify(
            self._checked(X), y, sample_weight, Budget.of(time_limit), self._engine_here
        )

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
        table = self._checked(X)
        return find_alternatives(
            self.to_saved_model(),
            table,
            y,
            sample_weight,
            within=within,
            most=most,
            time_limit=time_limit,
            label=label,
        )

    def save(self, path: str | Path) -> None:
        """Write the model as JSON, for ``SavedModel.load`` and ``boolrules verify``."""
        self.to_saved_model().save(path)

    def to_saved_model(self) -> SavedModel:
        """Return the rules and certificates apart from scikit-learn."""
        check_is_fitted(self)
        return SavedModel(
            tuple(plain(label) for label in self.classes_),
            self.rule_sets_,
            self.certificates_,
            self.encoding_,
            self._class_weights,
            (self.missed_positive_cost, self.covered_zero_cost),
            self._has_sample_weight,
        )

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
        shown = [rules_html(self)] if hasattr(self, "rule_sets_") else []
        return "\n".join([*shown, super()._html_repr()])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _only(self, name: str) -> Any:
        if name not in self.__dict__:
            raise AttributeError(f"This {type(self).__name__} is not fitted yet; call fit first.")
        values = self.__dict__[name]
        if len(values) > 1:
            raise AttributeError(
                f"There is one rule set for each of {len(values)} classes; use {name} instead of "
                f"{name[:-2]}_."
            )
        return values[0]

    def _checked(self, X: Any) -> Table:
        check_is_fitted(self)
        if is_dask(X):
            raise TypeError(
                "X is a Dask DataFrame, which fit and predict take. Give some of its rows as a "
                "table in memory, with X.compute(), or all where they fit."
            )
        return checked_table(self, X, reset=False)

    @property
    def _engine_here(self) -> str:
        """Who sums over samples in memory."""
        return "numba" if self.engine == "dask" else self.engine

    def _problem(self) -> Problem:
        return Problem(
            self.max_complexity,
            self.max_conditions,
            self.clause_cost,
            self.condition_cost,
            self.complexity_penalty,
            self.max_clauses,
            self.min_coverage,
        )

    def _settings(self, seed: int) -> Settings:
        n_threads = max(1, joblib.effective_n_jobs(self.n_jobs or 1))
        return Settings(
            self.exact_pricer,
            self.time_limit,
            self.pricing_time_limit,
            n_threads,
            seed,
            self.mode,
            self.max_rounds,
            self.max_nodes,
            self.engine,
        )

    def _fit_encoding(
        self, X: Any, table: Table, weights: NDArray[np.float64] | None
    ) -> TableEncoding:
        constraints = Constraints.of(self.constraints)
        if self.binarizer is None:
            encoding = binary_encoding(table.names).constrained(constraints)
            encoding.encode(table)
            return encoding
        binarizer = FeatureBinarizer() if self.binarizer == "auto" else clone(self.binarizer)
        self.binarizer_ = binarizer.fit(X, sample_weight=weights)
        return self.binarizer_.encoding_.constrained(constraints)

    def _resolved_class_weights(
        self, labels: NDArray[Any], weights: NDArray[np.float64]
    ) -> tuple[float, ...]:
        kept = labels[weights > 0]
        present = np.unique(kept)
        resolved = dict(
            zip(
                present.tolist(),
                compute_class_weight(
                    self.class_weight, classes=present, y=kept, sample_weight=weights[weights > 0]
                ),
                strict=True,
            )
        )
        for label, weight in resolved.items():
            if not (np.isfinite(weight) and weight > 0):
                raise ValueError(
                    f"class_weight gives {plain(label)!r} the weight {weight:g}; use finite "
                    "numbers above 0. To leave a class out, drop its rows."
                )
        return tuple(float(resolved.get(label, 1.0)) for label in self.classes_.tolist())

    def _positive_place(self) -> int:
        """Place of the positive class of two in ``classes_``."""
        if self.positive_label is None:
            return 1
        places = np.flatnonzero(self.classes_ == self.positive_label)
        if len(places) != 1:
            raise ValueError(
                f"positive_label={self.positive_label!r} is not among the labels "
                f"{self.classes_.tolist()}."
            )
        return int(places[0])

    def _task_maker(
        self, place: NDArray[np.int64], weights: NDArray[np.float64]
    ) -> Callable[[int | None, Any], Task]:
        row_weights = weights * np.array(self._class_weights)[place]
        costs = (self.missed_positive_cost, self.covered_zero_cost)

        def task(positive: int | None, negative: Any) -> Task:
            is_positive = place == positive
            return Task(
                None if positive is None else plain(self.classes_[positive]),
                negative,
                is_positive,
                row_weights * np.where(is_positive, *costs),
                row_weights,
            )

        return task

    def _tasks(self, task: Callable[[int | None, Any], Task]) -> list[Task]:
        n_classes = len(self.classes_)
        if n_classes == 1:
            warnings.warn(
                f"Every label is {plain(self.classes_[0])!r}: the rule set is constant.",
                UserWarning,
                stacklevel=4,
            )
            return [task(None, plain(self.classes_[0]))]
        if n_classes == 2:
            positive = self._positive_place()
            return [task(positive, plain(self.classes_[1 - positive]))]
        if self.positive_label is not None:
            raise ValueError(
                f"positive_label={self.positive_label!r} is for two classes, but there are "
                f"{n_classes}: each "
                "gets a rule set of its own. Leave positive_label at None."
            )
        if self.encoding_.constraints.monotone:
            raise ValueError(
                "monotone speaks of the positive class of two, but there are "
                f"{n_classes} classes. Learn one class against the rest, with labels such as "
                "y == 'high', or leave monotone out."
            )
        return [task(c, None) for c in range(n_classes)]


def rules_html(model: BooleanRuleClassifier) -> str:
    """Return each rule set of a fitted model with its certificate, for notebooks."""
    fitted = zip(model.rule_sets_, model.certificates_, strict=True)
    return "\n".join(part._repr_html_() for pair in fitted for part in pair)


def checked_labels(estimator: BaseEstimator, y: Any, table: Table) -> NDArray[Any]:
    """Return the labels as an array, one per row of the table, or say what is wrong with them."""
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target "
            "y is None."
        )
    labels = np.asarray(column_or_1d(y, warn=True))
    check_consistent_length(table, labels)
    if labels.dtype.kind in "mM":
        raise ValueError("y holds dates or times, which are no labels. Make them text or classes.")
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    if labels.dtype.kind == "O":
        n_missing = sum(map(is_missing, labels.tolist()))
        if n_missing:
            raise ValueError(f"Input y contains NaN in {n_missing} rows; drop them first.")
    check_classification_targets(labels)
    return labels
