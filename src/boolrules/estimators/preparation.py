"""Before learning: rows checked, columns encoded, one task per class; then nothing is left to ask.

The table is read once here, and its conditions are built once.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from boolrules._support.values import equals
from boolrules.data.binning import binary_encoding
from boolrules.data.constraints import Constraints
from boolrules.data.fingerprint import Fingerprint
from boolrules.data.given import read_given
from boolrules.data.labelled_rows import (
    LabelledRows,
    Weighing,
    check_weights,
    checked_weights,
)
from boolrules.data.problem import Problem
from boolrules.data.required import with_required
from boolrules.data.requirement import read_requirements
from boolrules.estimators.binarizer import FeatureBinarizer
from boolrules.estimators.checks import (
    check_label_values,
    checked_labels,
    checked_table,
    plain,
    resolved_class_weights,
    take_columns,
)
from boolrules.estimators.noting import heeded
from boolrules.estimators.on_dask import is_on_workers
from boolrules.rules import Form
from boolrules.solver.learner import Learner
from boolrules.solver.reading import Task
from boolrules.solver.settings import SearchLimits, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from boolrules.data.encoding import TableEncoding
    from boolrules.data.requirement import Requirement
    from boolrules.data.rows import Labelled, Rows
    from boolrules.distributed.table import DaskTable
    from boolrules.estimators.classifier import BooleanRuleClassifier


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """Everything that a fit begins with.

    Parameters
    ----------
    classes : array
        The labels, sorted.
    encoding : TableEncoding
        Columns as bin codes, and the conditions over them.
    weighing : Weighing
        What classes weigh and mistakes cost.
    has_sample_weight : bool
        Whether rows have weights of their own.
    learner : Learner
        Learns each task.
    tasks : list of Task
        One for two classes, one per class for more.
    n_jobs : int or None
        Tasks at a time.
    training_rows : Fingerprint
        What tells these rows from others.
    """

    classes: NDArray[Any]
    encoding: TableEncoding
    weighing: Weighing
    has_sample_weight: bool
    learner: Learner
    tasks: list[Task]
    n_jobs: int | None
    training_rows: Fingerprint


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What a classifier was asked for, checked before any row is read."""

    problem: Problem
    constraints: Constraints
    settings: Settings
    requirements: tuple[Requirement, ...]

    @classmethod
    def of(cls, classifier: BooleanRuleClassifier) -> Asked:
        """Read the parameters."""
        problem = Problem(
            classifier.max_complexity,
            classifier.max_conditions,
            classifier.clause_cost,
            classifier.condition_cost,
            classifier.complexity_penalty,
            classifier.max_clauses,
            classifier.min_coverage,
        )
        settings = Settings(
            classifier.time_limit,
            max(1, joblib.effective_n_jobs(classifier.n_jobs or 1)),
            int(check_random_state(classifier.random_state).randint(2**31 - 1)),
            classifier.mode,
            "numba" if classifier.engine == "dask" else classifier.engine,
            SearchLimits.of(classifier.search_limits),
        )
        requirements = read_requirements(classifier.requirements)
        if requirements and settings.mode == "paper":
            raise ValueError("mode='paper' knows no requirements. Use mode='prove' or 'fast'.")
        constraints = Constraints.of(classifier.constraints)
        if classifier.objective in ("missed", "covered") and not requirements:
            every = "every row" if classifier.objective == "missed" else "no row"
            raise ValueError(
                f"objective={classifier.objective!r} asks for rules that flag {every}, unless "
                "requirements limit something else. Add one, such as 'precision >= 0.9'."
            )
        if classifier.objective == "errors":
            _check_errors(problem, constraints, requirements)
        return cls(problem, constraints, settings, requirements)


def _check_errors(
    problem: Problem, constraints: Constraints, requirements: tuple[Requirement, ...]
) -> None:
    """Turn down what a search that counts each row once does not know."""
    asked = {
        "requirements": requirements,
        "given_clauses": constraints.given_clauses,
        "required": constraints.required,
        "min_coverage": problem.min_coverage,
        "complexity_penalty": problem.complexity_penalty,
    }
    for name, is_asked in asked.items():
        if is_asked:
            raise ValueError(f"objective='errors' does without {name}. Use objective='loss'.")


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """What is known of the rows, wherever they are."""

    classes: NDArray[Any]
    encoding: TableEncoding
    rows: Labelled
    target: Any


def prepare(classifier: BooleanRuleClassifier, X: Any, y: Any, sample_weight: Any) -> Prepared:
    """Check and encode what ``fit`` was given, wherever the rows are."""
    asked = Asked.of(classifier)
    if not is_on_workers(X):
        read = _read_in_memory(classifier, asked, X, y, sample_weight)
        assert isinstance(read.rows, LabelledRows)
        constraints = Constraints.of(heeded(classifier, read.rows.table))
        return _prepared(classifier, replace(asked, constraints=constraints), read)
    # The workers sum in compiled code, whatever the engine, and see to one task after another.
    asked = replace(asked, settings=replace(asked.settings, engine="numba"))
    return replace(_prepared(classifier, asked, _read_on_dask(classifier, X)), n_jobs=1)


def _read_in_memory(
    classifier: BooleanRuleClassifier, asked: Asked, X: Any, y: Any, sample_weight: Any
) -> Read:
    table = checked_table(classifier, X, reset=True)
    labels = checked_labels(classifier, y, table)
    given = None if sample_weight is None else checked_weights(sample_weight, len(table))
    classes = np.unique(labels)
    if classifier.binarizer is None:
        encoding = binary_encoding(table.names)
        # Anything but zeros and ones is turned down before the time limit begins.
        replace(encoding, constraints=asked.constraints.on_conditions).encode(table)
    else:
        classifier.binarizer_ = make_binarizer(classifier).fit_table(table, given)
        take_columns(classifier, classifier.binarizer_)
        encoding = classifier.binarizer_.encoding_
    base = np.ones(len(table)) if given is None else given
    weighing = _weighing(classifier, classes, labels, base)
    rows = LabelledRows(table, labels, given, weighing)
    target = getattr(y, "name", None)
    return Read(classes, encoding, rows, target)


def _read_on_dask(classifier: BooleanRuleClassifier, table: DaskTable) -> Read:
    # Dask is a guest: its room may be missing, and is entered only when it is asked for.
    from boolrules.distributed.rows import DaskLabelledRows

    binning = None if classifier.binarizer is None else make_binarizer(classifier).binning()
    validate_data(classifier, table.meta, reset=True, skip_check_array=True)
    names = [str(name) for name in table.meta.columns]
    if binning is not None:
        binning.check_names(names)
    summary = table.summary(binning)
    known = summary.labels
    check_label_values(known.values, known.n_missing)
    if table.has_weights:
        check_weights(known.least, known.largest)
    classes = np.unique(known.values)  # which has none missing by now
    encoding = binary_encoding(names) if binning is None else summary.encoding(binning)
    totals = np.array([known.weights[label][1] for label in classes.tolist()])
    weighing = _weighing(classifier, classes, classes, totals)
    rows = DaskLabelledRows(table, weighing, known, summary.whole)
    return Read(classes, encoding, rows, table.target)


def make_binarizer(classifier: BooleanRuleClassifier) -> FeatureBinarizer:
    """Return a new one, as the classifier was asked for it."""
    given = classifier.binarizer
    return FeatureBinarizer() if given == "auto" else clone(given)


def _weighing(
    classifier: BooleanRuleClassifier,
    classes: NDArray[Any],
    labels: NDArray[Any],
    weights: NDArray[np.float64],
) -> Weighing:
    class_weights = resolved_class_weights(classifier.class_weight, classes, labels, weights)
    return Weighing(
        tuple(map(plain, classes)),
        class_weights,
        0 if classifier.objective == "covered" else classifier.missed_positive_cost,
        0 if classifier.objective == "missed" else classifier.covered_zero_cost,
    )


def _prepared(classifier: BooleanRuleClassifier, asked: Asked, read: Read) -> Prepared:
    """Heed what is demanded of rules, and say what is to be learned."""
    constraints, form = asked.constraints, Form(classifier.form)
    encoding = read.encoding.constrained(constraints.on_conditions)
    given = read_given(constraints.given_clauses, form, encoding, asked.problem)
    problem = with_required(asked.problem, constraints.required, encoding, given)
    demands = (
        ("given_clauses", given),
        ("required", problem.required),
        ("requirements", asked.requirements),
    )
    for name, is_asked in demands:
        if is_asked and len(read.classes) > 2:
            raise ValueError(
                f"{name} is for two classes; there are {len(read.classes)}. Fit one class against "
                "the rest."
            )
    target = read.target if isinstance(read.target, str) and read.target else None
    settings, verbose = asked.settings, classifier.verbose
    return Prepared(
        read.classes,
        encoding,
        read.rows.weighing,
        read.rows.has_sample_weight,
        Learner(
            encoding,
            problem,
            form,
            target,
            settings,
            verbose,
            given,
            asked.requirements,
            minimises=classifier.objective,
        ),
        _tasks(classifier, read.classes, encoding, read.rows.against_rest),
        classifier.n_jobs,
        Fingerprint.of(read.rows, encoding),
    )


def _tasks(
    classifier: BooleanRuleClassifier,
    classes: NDArray[Any],
    encoding: TableEncoding,
    rows_of: Callable[[Any], Rows],
) -> list[Task]:
    labels = list(map(plain, classes))
    if len(labels) == 1:
        warnings.warn(
            f"Every label is {labels[0]!r}: the rule set is constant.", UserWarning, stacklevel=6
        )
        return [Task(None, labels[0], rows_of(None))]
    if len(labels) == 2:
        positive = positive_class(classifier.positive_label, classes)
        return [Task(labels[positive], labels[1 - positive], rows_of(labels[positive]))]
    if classifier.positive_label is not None:
        raise ValueError(
            f"positive_label={classifier.positive_label!r} is for two classes, but there are "
            f"{len(labels)}: each gets a rule set of its own. Leave positive_label at None."
        )
    if encoding.constraints.monotone:
        raise ValueError(
            f"monotone speaks of the positive class of two, but there are {len(labels)} classes. "
            "Learn one class against the rest, with labels such as y == 'high', or leave monotone "
            "out."
        )
    return [Task(label, None, rows_of(label)) for label in labels]


def positive_class(positive_label: Any, classes: NDArray[Any]) -> int:
    """Place of the positive class of two in ``classes_``."""
    if positive_label is None:
        return 1
    places = np.flatnonzero(equals(classes, positive_label))
    if len(places) != 1:
        raise ValueError(
            f"positive_label={positive_label!r} is not among the labels {classes.tolist()}."
        )
    return int(places[0])
