"""Folds of a cross-validation: paths learned on some rows and judged on those left out (§4).

Nothing that was learned with the label of a row is judged on that row: complexities, and the
searches for them, share clauses within a split, splits share none.
"""

from __future__ import annotations

import math
import threading
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from numbers import Integral
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.model_selection import RepeatedStratifiedKFold, check_cv
from sklearn.utils import _safe_indexing

from boolrules._support.budget import Budget
from boolrules._support.interrupts import searching
from boolrules._support.table import Table, read_table
from boolrules.data.requirement import read_requirements
from boolrules.estimators.complexity_path import fit_path
from boolrules.proof.unmet import RequirementsNotMetError
from boolrules.rules.condition import format_value
from boolrules.solver.result import StopReason
from boolrules.solver.warm_up import warm_up_fast_paths

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from boolrules.estimators.classifier import BooleanRuleClassifier
    from boolrules.estimators.complexity_path import PathPoint

    Split = tuple[NDArray[np.int64], NDArray[np.int64]]
    # Rows to learn from, then one part or several to be judged each by itself.
    Parts = tuple[NDArray[np.int64], ...]
    Scorer = Callable[[BooleanRuleClassifier, Any, NDArray[Any]], float]

# Folds are judged until so many rows were, at least three of them, three rounds at most.
ENOUGH_JUDGED, FEWEST_FOLDS, MOST_ROUNDS = 2000, 3, 3


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPath:
    """What the rules of a path made of the rows left out, by complexity.

    Parameters
    ----------
    scores, complexities : float arrays (n_complexities,)
        The score, and what the rules have.
    confusions : int array (n_complexities, n_classes, n_classes)
        Rows left out, by class and by answer.
    probabilities : float32 array (n_complexities, n_classes, n_left_out)
        What the rule set of each class says; NaN for a class without one.
    answers : int array (n_complexities, n_left_out)
        The place of the class that each row gets.
    is_cut_short : bool
        Whether time ran out while it was learned: more complex rules may be judged too low.
    """

    scores: NDArray[np.float64]
    complexities: NDArray[np.float64]
    confusions: NDArray[np.int64]
    probabilities: NDArray[np.float32]
    answers: NDArray[np.int16]
    is_cut_short: bool = False


def default_rounds(n_rows: int, n_folds: int) -> list[int]:
    """How many folds to judge in each round: few rows need several rounds, many not even one.

    Examples
    --------
    >>> [default_rounds(n_rows, n_folds=5) for n_rows in (200, 1000, 2000, 2500, 50_000)]
    [[5, 5, 5], [5, 5], [5], [4], [3]]
    """
    n_splits = math.ceil(ENOUGH_JUDGED * n_folds / n_rows)
    if n_splits < n_folds:
        return [min(n_folds, max(FEWEST_FOLDS, n_splits))]
    return [n_folds] * min(MOST_ROUNDS, math.ceil(n_splits / n_folds))


def make_rounds(
    cv: Any, n_repeats: int | None, labels: NDArray[Any], seed: int
) -> tuple[int, Iterator[list[Split]]]:
    """Say how many rounds there are, and split the rows for each when it is asked for.

    A round of folds leaves each row out once, or some of many rows.
    """
    sizes: list[int] | None = None
    if isinstance(cv, Integral):
        distinct, counts = np.unique(labels, return_counts=True)
        n_folds = min(int(cv), int(counts.min()))
        if n_folds < 2 or len(counts) < 2:
            if len(counts) > 1:  # learning says itself that there is one class only
                rarest = distinct.tolist()[counts.argmin()]
                warnings.warn(
                    f"There are too few rows of a class to cross-validate: {format_value(rarest)} "
                    f"has {counts.min()}. Figures, and any choice, rest on the training data "
                    "alone.",
                    UserWarning,
                    stacklevel=3,
                )
            everything = np.arange(len(labels))
            return 1, iter([[(everything, everything)]])
        sizes = default_rounds(len(labels), n_folds)
        if n_repeats is not None:
            sizes = [n_folds] * n_repeats
        cv = RepeatedStratifiedKFold(n_splits=n_folds, n_repeats=len(sizes), random_state=seed)
    splits = check_cv(cv, labels, classifier=True).split(np.zeros(len(labels)), labels)
    if sizes is None:
        return 1, iter([list(splits)])
    return len(sizes), (list(islice(splits, n_folds))[:size] for size in sizes)


def describe_splits(cv: Any, rounds: Sequence[Sequence[Split]]) -> str:
    """Say how rows were left out, in rounds that may have been cut short."""
    splits = [split for some in rounds for split in some]
    if hasattr(cv, "split"):
        return " ".join(str(cv).split())
    if not isinstance(cv, Integral):
        return f"{len(splits)} folds, as given"
    if np.intersect1d(*splits[0]).size:
        return "none, for there are too few of a class: learned and judged on the same rows"
    n_rows, n_judged = sum(map(len, splits[0])), sum(len(test) for _, test in rounds[0])
    if n_judged < n_rows:
        return f"{len(splits)} of {cv} stratified folds, shuffled"
    times = f", {len(rounds)} times with other rows" if len(rounds) > 1 else ""
    return f"{len(rounds[0])} stratified folds, shuffled{times}"


def get_ready(engine: str) -> None:
    """Load what a process judges splits with: this module, for one that begins, and searches."""
    warm_up_fast_paths(engine)


def wake_workers(n_workers: int, engine: str) -> None:
    """Let workers start and get ready.

    That takes seconds. Whoever shares out the time that is left does so afterwards, or the splits
    would take longer than they may.
    """
    joblib.Parallel(n_workers)(joblib.delayed(get_ready)(engine) for _ in range(n_workers))


def judge_split(
    models: Sequence[BooleanRuleClassifier],
    X: Any,
    labels: NDArray[Any],
    sample_weight: Any,
    limits: Sequence[float],
    patience: int,
    scorer: Scorer | None,
    split: Parts,
    time_limit: float | None = None,
) -> list[list[JudgedPath]] | RequirementsNotMetError | None:
    """Learn a path with each model on the first part and judge its points on each of the others.

    Without a scorer the score is accuracy. Models share the time limit; after it come no more than
    the first. None if interrupted; an error, returned, where the requirements cannot be met on
    these rows.
    """
    budget = Budget.of(time_limit)
    train, *tests = split
    weights = None if sample_weight is None else np.asarray(sample_weight)[train]
    X_train, classes = _rows(X, train), np.unique(labels)
    judges = [_Judge(_rows(X, test), labels[test], classes, scorer) for test in tests]
    judged: list[list[JudgedPath]] = []
    for place, model in enumerate(models):
        if judged and budget.is_spent:
            break
        model.set_params(time_limit=budget.share(1 / (len(models) - place)).time_limit)
        try:
            with quietly():
                heard = _without_absent(model, X_train)
                path = fit_path(heard, X_train, labels[train], weights, limits, patience)
        except RequirementsNotMetError as error:
            return error
        reasons = {r.stop_reason for r in path[-1].classifier.results_}
        if StopReason.INTERRUPTED in reasons:
            return None
        # Where requirements are not met yet, the simplest rules that meet them stand in.
        points = [path.at(max(limit, path[0].max_complexity)) for limit in limits]
        is_cut_short = StopReason.TIME_LIMIT in reasons
        judged.append([judge.path(points, is_cut_short) for judge in judges])
    return judged


def _rows(X: Any, chosen: NDArray[np.int64]) -> Any:
    """Return some of the rows of a table, as people have it or read already."""
    return X.rows(chosen) if isinstance(X, Table) else _safe_indexing(X, chosen)


def _without_absent(model: BooleanRuleClassifier, X: Any) -> BooleanRuleClassifier:
    """Leave out requirements on a group that a split has no row of."""
    requirements = read_requirements(model.requirements)
    if not any(one.where for one in requirements):
        return model
    table = read_table(X)
    present = [one for one in requirements if one.groups(table)[0][1].any()]
    return clone(model).set_params(requirements=present)


@contextmanager
def quietly() -> Iterator[None]:
    """Leave it to the rules that are learned on all rows to say what is odd about a table.

    Only in a main thread, as that of a worker process is: filters belong to all threads.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


class _Judge:
    """Rows that a split leaves out, read once."""

    def __init__(
        self, X: Any, labels: NDArray[Any], classes: NDArray[Any], scorer: Scorer | None
    ) -> None:
        self._X = X
        self._table = read_table(X)
        self._labels = labels
        self._places = np.searchsorted(classes, labels)
        self._classes = classes
        self._scorer = scorer

    def path(self, points: Sequence[PathPoint], is_cut_short: bool) -> JudgedPath:
        """Judge points, of which several may be the same one."""
        known = {id(point): self._judge(point) for point in {id(p): p for p in points}.values()}
        parts = zip(*(known[id(point)] for point in points), strict=True)
        scores, complexities, confusions, probabilities, answers = map(np.array, parts)
        return JudgedPath(scores, complexities, confusions, probabilities, answers, is_cut_short)

    def _judge(
        self, point: PathPoint
    ) -> tuple[float, float, NDArray[np.int64], NDArray[np.float32], NDArray[np.int16]]:
        """Return score, complexity, confusion matrix, probabilities and answers of rules."""
        model, n_classes = point.model, len(self._classes)
        confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
        own = np.searchsorted(self._classes, point.classifier.classes_)
        answers = own[model.predicted_classes(self._table)]
        np.add.at(confusion, (self._places, answers), 1)
        probabilities = np.full((n_classes, len(self._labels)), np.nan, dtype=np.float32)
        for rules in model.rule_sets:
            place = np.flatnonzero(self._classes == rules.positive)
            if len(place):
                probabilities[place[0]] = rules.positive_probability(self._table)
        if self._scorer is None:
            score = float(confusion.trace() / confusion.sum())
        else:
            score = float(self._scorer(point.classifier, self._X, self._labels))
        return score, point.complexity, confusion, probabilities, answers.astype(np.int16)


def until_interrupted(results: Iterator[Any], is_done: Callable[[], None]) -> list[Any]:
    """Return the results in order; after an interrupt, those that were there before it.

    ``is_done`` is called after each.
    """
    parts: list[Any] = []
    try:
        with searching():
            for part in results:
                parts.append(part)
                if part is None:
                    break
                is_done()
    except KeyboardInterrupt:
        pass
    return parts[: parts.index(None)] if None in parts else parts


def side_by_side(tasks: Iterable[Any], n_workers: int) -> Generator[Any]:
    """Let workers do the tasks, and return the results in order."""
    try:
        workers = joblib.Parallel(n_workers, return_as="generator")
    except ValueError:  # this backend hands over all results at the end
        workers = joblib.Parallel(n_workers)
    yield from workers(tasks)
