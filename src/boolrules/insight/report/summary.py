"""From a fitted model and its rows to the facts of a report. Renders nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.table import Kind
from boolrules.data.notes import NoteKind, column_notes, label_notes
from boolrules.insight.report.alternatives import describe_alternatives
from boolrules.insight.report.distribution import spread_of
from boolrules.insight.report.domain import make_domains
from boolrules.insight.report.embed import (
    count_groups,
    count_holding,
    number_conditions,
    plain_clause,
    plain_conditions,
    plain_decisions,
)
from boolrules.insight.report.facts import (
    ClauseFacts,
    ColumnFacts,
    DataFacts,
    Facts,
    PointFacts,
    RuleSetFacts,
    RunFacts,
    WeightFacts,
)
from boolrules.insight.report.headline import describe_rules
from boolrules.insight.report.held_out import describe_figures, judge_point
from boolrules.insight.report.reading import MEASURES, counting, keeping, reading
from boolrules.insight.report.requirements import describe_requirements, judge_requirements
from boolrules.insight.report.words import Words
from boolrules.rules.clause_statistics import numbers
from boolrules.rules.export.outline import line_text, outline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from boolrules._support.table import Table, TableColumn
    from boolrules.data.encoding import TableEncoding
    from boolrules.data.labelled_rows import LabelledRows
    from boolrules.data.notes import ColumnNote
    from boolrules.insight.alternatives import Alternatives
    from boolrules.insight.report.domain import Domain
    from boolrules.insight.report.embed import Places
    from boolrules.insight.report.facts import FoldsFacts, ParameterFacts
    from boolrules.insight.report.held_out import Fold
    from boolrules.insight.report.requirements import LeftOut
    from boolrules.model.model import Model
    from boolrules.rules import RuleSet
    from boolrules.rules.decision_list import DecisionList
    from boolrules.solver.result import Result

# What is nearest to the standard, of the dialects there are.
COPIED_DIALECT = "postgres"


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """The rules at one complexity, and how they were learned where that is known."""

    model: Model
    results: tuple[Result, ...] | None = None
    is_efficient: bool = True

    @property
    def max_complexity(self) -> float:
        """What the rules were allowed."""
        return self.model.certificates[0].problem.max_complexity


@dataclass(frozen=True, slots=True, eq=False)
class Story:
    """What a report tells: points to choose from, the chosen one, and what is known of the run.

    Parameters
    ----------
    points : sequence of Point
        By growing complexity.
    chosen : int
        Place of the chosen one.
    reason : str
        How it was chosen.
    folds : sequence of Fold
        Rows left out, with a confusion matrix per point; empty where there are none.
    folds_facts : FoldsFacts or None
        What to say of them.
    parameters : list of ParameterFacts
        How the model was made.
    seed : str
        What made it random.
    title, source, sha256 : str or None
        What to call it and where the rows came from.
    n_unmet : int
        Folds beside those given in which no rules were found that meet the requirements.
    words : dict or None
        What rows and labels are called; see ``Words``.
    alternatives : sequence of Alternatives or str
        To each rule set of the chosen point, or why there are none; empty where nobody looked.
    left_out : LeftOut or None
        How the chosen rules stand to requirements on rows left out, where the folds do not say.
    notes : sequence of ColumnNote
        What is odd about the rows beside what can be seen in them.
    """

    points: Sequence[Point]
    chosen: int
    reason: str
    folds: Sequence[Fold] = ()
    folds_facts: FoldsFacts | None = None
    parameters: list[ParameterFacts] = field(default_factory=list)
    seed: str = "not known"
    title: str | None = None
    source: str | None = None
    sha256: str | None = None
    n_unmet: int = 0
    words: Mapping[Any, str] | None = None
    alternatives: Sequence[Alternatives | str] = ()
    left_out: LeftOut | None = None
    notes: Sequence[ColumnNote] = ()


def summarise(
    story: Story, rows: LabelledRows, labels: NDArray[np.int64], *, has_rows: bool = True
) -> tuple[Facts, list[Domain]]:
    """Return the facts of a report, and what each column that rules read may be changed to.

    ``labels`` are the places of the rows' labels among the model's classes, and ``has_rows`` says
    whether the page carries rows.
    """
    story = replace(story, points=[_met(point, rows) for point in story.points])
    model = story.points[story.chosen].model
    lists = [point.model.decisions for point in story.points]
    places = number_conditions(lists)
    domains = make_domains(rows.table, places, model.encoding)
    target, n_classes = model.target, len(model.classes)
    words = Words.of(model.classes, target, story.words)
    title = story.title or (f"Rules for {target}" if target else "Decision rules")
    data = _data_facts(story, model, rows, labels, domains)
    facts = Facts(
        title=title,
        version=version("boolrules"),
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        seed=story.seed,
        target=target,
        classes=words.classes,
        rows_are=words.rows,
        are=[words.telling(k)[0] for k in range(n_classes)],
        names=[words.name(k) for k in range(n_classes)],
        positive=_positive(model),
        n_conditions=_n_conditions(model),
        measure=MEASURES[model.certificates[0].minimises],
        data=data,
        folds=story.folds_facts,
        parameters=story.parameters,
        points=[
            _point_facts(
                story, place, decisions, places, rows, labels, data.are_training_rows, words
            )
            for place, decisions in enumerate(lists)
        ],
        chosen=story.chosen,
        reason=story.reason,
        conditions=plain_conditions(places, domains),
        n_holding=count_holding(places, rows.table, labels, n_classes),
        features=[domain.to_plain() for domain in domains],
        spreads=[
            spread_of(
                rows.table[domain.feature],
                [condition for condition in places if condition.feature == domain.feature],
                labels,
                n_classes,
                has_rows=has_rows,
            )
            for domain in domains
        ],
        alternatives=[
            describe_alternatives(found, rules, _label(rules, model))
            for found, rules in zip(story.alternatives, model.rule_sets, strict=False)
        ],
        held_out=None if model.held_out is None else describe_figures(model.held_out),
        notes=[*_notes(story, target, rows, has_values=has_rows), *model.definitions],
    )
    return facts, domains


def _notes(story: Story, target: str | None, rows: LabelledRows, *, has_values: bool) -> list[str]:
    """Say what is odd about columns; a page that carries no rows shows no values of them."""
    seen = (*column_notes(rows.table, rows.labels), *label_notes(rows.labels, target))
    encoding = story.points[story.chosen].model.encoding
    notes = [n for n in dict.fromkeys((*seen, *story.notes)) if not _is_special(n, encoding)]
    return [str(note) if has_values else f"{note.column!r} {note.words}" for note in notes]


def _is_special(note: ColumnNote, encoding: TableEncoding) -> bool:
    """Whether a note is about codes that the rules were told to take for special values."""
    given = {f.name: getattr(f, "special_values", ()) for f in encoding.features}
    return note.kind is NoteKind.CODES and set(note.values) <= set(given.get(note.column, ()))


def class_places(model: Model, y: Any) -> NDArray[np.int64]:
    """Return the place of each label among the model's classes."""
    known = {label: place for place, label in enumerate(model.classes)}
    labels = np.asarray(y).tolist()
    unknown = [label for label in labels if label not in known]
    if unknown:
        raise ValueError(
            f"y has the label {unknown[0]!r}, which is none of the classes of the model: "
            f"{', '.join(map(repr, model.classes))}."
        )
    return np.array([known[label] for label in labels], dtype=np.int64)


def _met(point: Point, rows: LabelledRows) -> Point:
    """Give a model from a file the thresholds that it does not list, if these are its rows."""
    model = point.model
    if model.encoding.knows_its_rows or not model.are_training_rows(rows):
        return point
    has_columns = {feature.name for feature in model.encoding.features} <= set(rows.table.names)
    return replace(point, model=model.on(rows)) if has_columns else point


def _n_conditions(model: Model) -> int | None:
    return len(model.encoding.conditions) if model.encoding.knows_its_rows else None


def _positive(model: Model) -> int | None:
    rules = model.rule_sets[0]
    is_one = len(model.rule_sets) == 1 and rules.positive in model.classes
    return model.classes.index(rules.positive) if is_one else None


def _data_facts(
    story: Story,
    model: Model,
    rows: LabelledRows,
    labels: NDArray[np.int64],
    domains: Sequence[Domain],
) -> DataFacts:
    table = rows.table
    used = {domain.feature for domain in domains}
    columns = [table[f.name] for f in model.encoding.features if f.name in table.names]
    is_null = [column.is_null for column in columns]
    has_null = np.logical_or.reduce(is_null) if is_null else np.zeros(len(table), dtype=bool)
    return DataFacts(
        source=story.source,
        sha256=story.sha256,
        n_rows=len(table),
        n_by_class=np.bincount(labels, minlength=len(model.classes)).tolist(),
        n_missing=int(sum(part.sum() for part in is_null)),
        n_rows_with_missing=int(has_null.sum()),
        has_weights=rows.sample_weight is not None,
        are_training_rows=model.are_training_rows(rows),
        columns=[
            _column_facts(column, int(part.sum()), column.name in used)
            for column, part in zip(columns, is_null, strict=True)
        ],
    )


def _column_facts(column: TableColumn, n_missing: int, is_used: bool) -> ColumnFacts:
    known = column.values[~column.is_null]
    n_distinct = len(set(known.tolist())) if column.kind is Kind.TEXT else len(np.unique(known))
    return ColumnFacts(column.name, str(column.kind), n_missing, n_distinct, is_used)


def _point_facts(
    story: Story,
    place: int,
    decisions: DecisionList,
    places: Places,
    rows: LabelledRows,
    labels: NDArray[np.int64],
    are_training_rows: bool,
    words: Words,
) -> PointFacts:
    point = story.points[place]
    model = point.model
    plain, otherwise = plain_decisions(
        decisions, places, {label: k for k, label in enumerate(model.classes)}
    )
    n_classes = len(model.classes)
    confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
    np.add.at(confusion, (labels, model.predicted_classes(rows.table)), 1)
    held_out = judge_point(story.folds, place) if story.folds else None
    return PointFacts(
        max_complexity=point.max_complexity,
        complexity=model.complexity,
        n_clauses=model.n_clauses,
        hamming_loss=model.hamming_loss,
        lower_bound=model.bound_on_loss,
        is_optimal=model.is_optimal,
        is_efficient=point.is_efficient,
        headline=describe_rules(
            words,
            _positive(model) if n_classes == 2 else None,
            confusion.tolist(),
            are_training_rows=are_training_rows,
            figures=model.held_out if place == story.chosen else None,
            held_out=held_out,
            folds=story.folds_facts,
        ),
        sql=_sql(model),
        confusion=confusion.tolist(),
        accuracy=float(confusion.trace() / len(rows)),
        held_out=held_out,
        rule_sets=[
            _rule_set_facts(point, k, places, rows, labels, are_training_rows)
            for k in range(len(model.rule_sets))
        ],
        decisions=plain,
        otherwise=otherwise,
        requirements=describe_requirements(
            model,
            rows,
            _left_out(story, place, rows),
            are_training_rows=are_training_rows,
            n_unmet=story.n_unmet,
            n_folds=len(story.folds),
        ),
    )


def _sql(model: Model) -> str | None:
    """Write the rules as SQL; None without sqlglot, or for names that SQL does not know."""
    try:
        return model.to_sql(COPIED_DIALECT)
    except (ImportError, ValueError):
        return None


def _left_out(story: Story, place: int, rows: LabelledRows) -> LeftOut | None:
    if story.left_out is not None and place == story.chosen:
        return story.left_out
    return judge_requirements(story.folds, place, story.points[place].model, rows)


def _rule_set_facts(
    point: Point,
    k: int,
    places: Places,
    rows: LabelledRows,
    labels: NDArray[np.int64],
    are_training_rows: bool,
) -> RuleSetFacts:
    model = point.model
    rules, certificate = model.rule_sets[k], model.certificates[k]
    counted = rows.against_rest(rules.positive).with_statistics(rules)
    if are_training_rows:  # what other rows say needs no correction
        counted = replace(counted, calibration=rules.calibration)
    decides = rules.decides(rows.table)
    if rows.sample_weight is not None:  # as the figures of clauses do
        decides = decides[np.asarray(rows.sample_weight) > 0]
    n_deciding = np.bincount(decides.sum(axis=1), minlength=2)
    texts = [line_text(line, rules) for line in outline(rules) if line.clause is None]
    return RuleSetFacts(
        label=_label(rules, model),
        form=str(rules.form),
        then=texts[0],
        otherwise=texts[-1],
        clauses=_clause_facts(counted, places, rows.table, labels, len(model.classes)),
        overlap=(decides.T.astype(np.int64) @ decides).tolist(),
        n_deciding=n_deciding.tolist(),
        is_corrected=counted.calibration is not None,
        objective=certificate.objective,
        lower_bound=certificate.lower_bound,
        is_optimal=certificate.is_optimal,
        sentence=str(certificate),
        constraints=keeping(certificate),
        argument=certificate.reason,
        reading=reading(certificate, _n_conditions(model)),
        counting=counting(certificate, str(rules.form)),
        run=None if point.results is None else _run_facts(point.results[k]),
    )


def _label(rules: RuleSet, model: Model) -> int | None:
    return model.classes.index(rules.positive) if rules.positive in model.classes else None


def _clause_facts(
    rules: RuleSet, places: Places, table: Table, labels: NDArray[np.int64], n_classes: int
) -> list[ClauseFacts]:
    intervals = rules.precision_intervals().tolist()
    groups = [clause.groups(rules.form) for clause in rules.clauses]
    return [
        ClauseFacts(
            text=clause.text(rules.form),
            texts=clause.texts(rules.form),
            groups=[[places[condition] for condition in group] for group in own],
            n_holding=count_groups(own, rules.form, table, labels, n_classes),
            conditions=plain_clause(clause, places),
            covered=int(s.covered),
            right=int(s.right),
            only_here=int(s.only_here),
            interval=(low, high),
            weighted=None if s.weighted is None else WeightFacts(*numbers(s.weighted)),
        )
        for clause, own, s, (low, high) in zip(
            rules.clauses, groups, rules.statistics, intervals[:-1], strict=True
        )
    ]


def _run_facts(result: Result) -> RunFacts:
    rounds = [(r.number, float(r.z_rmlp), r.lower_bound) for r in result.trace]
    return RunFacts(rounds, len(result.columns), str(result.stop_reason), round(result.seconds, 3))
