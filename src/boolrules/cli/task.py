"""What ``fit`` and ``path`` do alike: read the task, make the classifier, report and save."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from boolrules._support.rounded import RoundedError
from boolrules._support.table import UnreadColumn, read_table
from boolrules._support.values import is_missing
from boolrules.cli.cluster import is_on_dask
from boolrules.cli.csv_reading import Reading
from boolrules.cli.csv_values import with_clear_commas
from boolrules.cli.data_file import DataFile
from boolrules.cli.files import (
    Frame,
    check_rows,
    column_of,
    dates_of,
    scan_file,
    weights_of,
    with_codes,
)
from boolrules.cli.labels import check_labels, read_labels, tell_labels, with_labels
from boolrules.cli.notes import tell_notes
from boolrules.cli.options import special_values
from boolrules.cli.output import tell
from boolrules.cli.requirements import plain_standings, read_required
from boolrules.cli.stopping import INTERRUPTED, saved_first
from boolrules.data.every_threshold import ALL
from boolrules.data.notes import NoteKind, column_notes, label_notes
from boolrules.estimators.noting import idle_columns, without
from boolrules.estimators.parameters import CLASSIFIER
from boolrules.rules.condition import format_value
from boolrules.solver.result import StopReason

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from boolrules import BooleanRuleClassifier, Constraints
    from boolrules.cli.on_dask import DaskTask
    from boolrules.data.notes import ColumnNote
    from boolrules.data.standing import Standings
    from boolrules.model.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A table to learn from, its labels, what each row weighs, and what is odd about its columns.

    With the checksum of its file; None where there is no file, or it is read column by column and
    not at once. And with the columns whose decimal commas could be read, and are not.
    ``row_numbers`` are those of the file, where rows without a label were left out; else None.
    """

    table: Frame
    y: polars.Series
    positive: Any
    weights: NDArray[np.float64] | None
    sha256: str | None = None
    notes: tuple[ColumnNote, ...] = ()
    with_commas: tuple[str, ...] = ()
    row_numbers: NDArray[np.int64] | None = None

    @property
    def columns(self) -> list[str]:
        """The columns to learn from."""
        return list(read_table(self.table.lazy().head(0).collect()).names)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.y)

    @property
    def n_labels(self) -> int:
        """How many labels there are."""
        return self.y.n_unique()

    def accuracy(self, model: BooleanRuleClassifier) -> float:
        """Share of the rows that the rules get right."""
        return float(np.mean(model.predict(self.table) == self.y.to_numpy()))

    def standings(self, model: Model) -> Standings:
        """How the rules stand to their requirements."""
        return model.standings(self.table, self.y, self.weights)


def read_task(options: argparse.Namespace) -> Task | DaskTask:
    """Read the file and take it apart."""
    if options.target in options.drop:
        raise ValueError(
            f"--drop leaves out {options.target!r}, which --target asks for. Take it from one of "
            "them."
        )
    if is_on_dask(options):
        from boolrules.cli.on_dask import read_dask_task

        return read_dask_task(options)
    limit = getattr(options, "memory_limit", None)
    frame: Frame
    file: DataFile | None
    if limit is None:
        file = DataFile.read(options.data, Reading.of(options))
        frame, sha256 = file.table(), file.sha256
    else:
        file = None
        frame, sha256 = scan_file(options.data, limit, options.thresholds == ALL), None
    frame = with_codes(frame, file, [*options.categorical, *options.forbid_features])
    target = column_of(frame, options.target, options.data)
    check_rows(len(target), options.data)
    rows = with_labels(frame, target, options.data)
    frame, target = rows.frame, rows.column
    labels = read_labels(target, options.positive)
    check_labels(options.target, labels)
    left_out = [options.target, *options.drop]
    weights = None
    if options.sample_weight is not None:
        weights = weights_of(frame, options.sample_weight, options.data)
        left_out.append(options.sample_weight)
    for name in options.drop:
        column_of(frame, name, options.data)
    table = _with_dates(frame.drop(left_out), options)
    if not table.collect_schema().names():
        raise ValueError(
            f"{options.data} has no column beside {', '.join(left_out)} to learn from."
        )
    y = polars.Series(options.target, labels.values)
    # Spellings are those of the file: with --positive, of labels there are two at most.
    notes = _column_notes(table, y) + label_notes(
        target.unique(maintain_order=True).to_list(), options.target
    )
    with_commas: list[str] = []
    if isinstance(table, polars.DataFrame) and file is not None and not file.is_parquet:
        with_commas = with_clear_commas(table, set())
    return Task(
        table, y, labels.positive, weights, sha256, notes, tuple(with_commas), rows.numbers
    )


def _column_notes(table: Frame, y: polars.Series) -> tuple[ColumnNote, ...]:
    """Say what is odd about columns; turn down what cannot be read, with options that help."""
    read = read_table(table)
    try:
        for column in getattr(read, "held", ()):  # of a file, each is read when its turn comes
            if isinstance(column, UnreadColumn):
                raise column.error
        return column_notes(read, y)
    except RoundedError as error:
        advice = "take them as such with --categorical, or leave the column out with --drop"
        raise RoundedError(error.column, error.value, advice) from None


def _with_dates(table: Frame, options: argparse.Namespace) -> Frame:
    """Name all columns of dates at once, and leave them out if that is asked for."""
    dates = dates_of(table)
    if not dates:
        return table
    shown = ", ".join(map(repr, dates))
    if options.dates == "drop":
        tell(f"{options.data}: dates and times are left out: {shown}.")
        return table.drop(dates)
    tell(
        f"{options.data}: dates and times are read as year, month, weekday, days and the like: "
        f"{shown}. To leave them out, --dates drop."
    )
    return table


def make_classifier(
    options: argparse.Namespace, task: Task | DaskTask, **parameters: Any
) -> BooleanRuleClassifier:
    """Make the classifier that the options ask for; ``parameters`` are those they leave open."""
    from boolrules import BooleanRuleClassifier, FeatureBinarizer, Form, SearchLimits

    binarizer: FeatureBinarizer | None = FeatureBinarizer(
        thresholds="deciles" if options.thresholds is None else options.thresholds,
        special_values=special_values(options.special_values),
        categorical_features=options.categorical or None,
    )
    if options.binary:
        binarizer = None
    used, requirements = read_required(options, task.columns, task.n_labels)
    asked = [p.name for p in CLASSIFIER if p.option is not None and hasattr(options, p.name)]
    given = {name: getattr(options, name) for name in asked}
    if given["form"] is None:
        given["form"] = Form.DNF.value
    if given["n_jobs"] is None and task.n_labels <= 2:
        given["n_jobs"] = -1
    given |= {
        "positive_label": task.positive,
        "binarizer": binarizer,
        "constraints": make_constraints(options, used),
        "requirements": requirements or None,
        "search_limits": SearchLimits(
            options.max_rounds, options.max_nodes, options.pricing_time_limit
        ),
        "verbose": verbosity(options),
    }
    classifier = BooleanRuleClassifier(**(given | parameters))
    if not isinstance(task, Task):
        return classifier
    if options.binary:
        _check_binary(task, given["constraints"])
    return _noted(classifier, task)


def _check_binary(task: Task, constraints: Constraints) -> None:
    """Turn down a table that is not of zeros and ones, in words of the command line."""
    table = read_table(task.table)
    for name in filter(constraints.allows_feature, table.names):
        column = table[name]
        others = column.values[~np.isin(column.values, (0.0, 1.0))]
        if len(others):
            raise ValueError(
                f"--binary takes a table of zeros and ones, but column {name!r} holds "
                f"{_shown(others[0])}. Leave --binary out, or the column with --drop."
            )


def _shown(value: Any) -> str:
    return "missing values" if is_missing(value) else f"{format_value(value):.40}"


def _noted(classifier: BooleanRuleClassifier, task: Task) -> BooleanRuleClassifier:
    """Say what is odd about the table, and let no condition read what looks like an identifier."""
    if task.n_labels > 2:
        tell_labels(task.y.name, task.y.unique().sort().to_list())
    idle = idle_columns(classifier, task.notes, read_table(task.table))
    given = getattr(classifier.binarizer, "special_values", None) or []
    notes = [
        note
        for note in task.notes
        if note.kind != NoteKind.CODES or set(note.values) - _codes_of(given, note.column)
    ]
    tell_notes(notes, idle, task.with_commas)
    if idle:
        classifier.set_params(constraints=without(classifier.constraints, idle))
    return classifier


def _codes_of(given: list[float] | dict[str, list[float]], column: str) -> set[float]:
    return set(given.get(column, ()) if isinstance(given, dict) else given)


def make_constraints(options: argparse.Namespace, used: Sequence[str]) -> Constraints:
    """Return what the options ask of conditions; ``used`` are those that rules must use."""
    from boolrules import Constraints

    return Constraints(
        forbidden_features=options.forbid_features,
        allowed_features=options.only_features,
        forbidden_conditions=options.forbid_condition,
        forbid_not_equal=options.no_not_equal,
        monotone=_directions(options.monotone),
        preferred_features=options.prefer_features,
        given_clauses=options.given_clause,
        required=used,
    )


def _directions(given: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the direction of each column, after a check that there is one."""
    known: dict[str, str] = {}
    for name, direction in given:
        if known.setdefault(name, direction) != direction:
            raise ValueError(
                f"--monotone asks for {name!r} to be {known[name]} and {direction}. Leave one of "
                "them out; a column that may not be used at all is for --forbid-features."
            )
    return known


def verbosity(options: argparse.Namespace) -> int:
    """Return 2 for rows, 1 for a progress line on a terminal, 0 for silence."""
    return 2 if options.verbose else 1 if sys.stderr.isatty() else 0


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Print each warning once, as one line on standard error, when the work is done."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # By scikit-learn, of many labels for few rows; what is no class is turned down by us.
        warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%")
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        tell(message)


def training_figures(
    model: BooleanRuleClassifier,
    task: Task | DaskTask,
    standings: Standings | None = None,
    left_out: Standings | None = None,
) -> dict[str, Any]:
    """Return what ``fit --json`` prints."""
    held_out = model.model_.held_out
    shared = {
        "held_out": None if held_out is None else held_out.to_plain(),
        **plain_standings(standings, left_out),
        "train_accuracy": task.accuracy(model),
        "n_rows": task.n_rows,
        "n_conditions": len(model.conditions_),
    }
    figures = [
        {
            "rules": rules.to_text(),
            "form": str(rules.form),
            "complexity": certificate.complexity,
            "n_clauses": rules.n_clauses,
            "objective": model.objective,
            "f1": None if certificate.f1 is None else certificate.f1.value,
            "hamming_loss": certificate.hamming_loss,
            "lower_bound": certificate.lower_bound,
            "gap": certificate.gap,
            "is_optimal": certificate.is_optimal,
            "argument": str(certificate.argument),
            "thresholds": certificate.thresholds,
            **shared,
            "n_columns": len(result.columns),
            "n_iterations": len(result.trace),
            "stop_reason": str(result.stop_reason),
            "seconds": round(result.seconds, 3),
        }
        for rules, certificate, result in zip(
            model.rule_sets_, model.certificates_, model.results_, strict=True
        )
    ]
    if len(figures) == 1:
        return figures[0]
    labelled = [
        {"label": rules.positive} | figure
        for rules, figure in zip(model.rule_sets_, figures, strict=True)
    ]
    return {**shared, "rule_sets": labelled, "seconds": sum(f["seconds"] for f in figures)}


def training_standings(model: BooleanRuleClassifier, task: Task | DaskTask) -> Standings | None:
    """Say how the rules stand to their requirements on the training rows; None without any."""
    if not model.model_.requirements:
        return None
    return task.standings(model.model_)


def save_model(model: BooleanRuleClassifier, options: argparse.Namespace) -> None:
    """Write the model, with what ``verify`` must know of the target."""
    with saved_first():
        replace(model.model_, positive_rule=options.positive).save(options.save)


def exit_code(models: Iterable[BooleanRuleClassifier]) -> int:
    """Return what says that Ctrl-C ended the work, otherwise 0."""
    reasons = {result.stop_reason for model in models for result in model.results_}
    return INTERRUPTED if StopReason.INTERRUPTED in reasons else 0
