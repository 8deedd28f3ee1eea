"""What rows left out say of the chosen rules: figures to quote, and better probabilities (§4)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.values import equals
from boolrules.data.standing import Standings
from boolrules.estimators.choice import choose_place
from boolrules.insight.report.held_out import make_fold
from boolrules.model.figures import Figures
from boolrules.rules.calibration import fit_calibration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from boolrules.data.labelled_rows import LabelledRows
    from boolrules.estimators.folds import JudgedPath
    from boolrules.estimators.rounds import Judgements
    from boolrules.insight.report.held_out import Fold
    from boolrules.model.model import Model
    from boolrules.rules import RuleSet

# To choose for a split there must be so many others in its round.
LEAST_OTHERS = 2


def held_out_folds(judged: Judgements, k: int) -> tuple[Fold, ...]:
    """Return what a candidate made of the rows that each split left out."""
    paths = judged.paths[k]
    most = max(len(path.confusions) for path in paths)
    return tuple(
        make_fold(split, _padded(path.confusions, most))
        for split, path in zip(judged.splits, paths, strict=True)
    )


def _padded(confusions: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Add tables of zeros for complexities that a split was not asked about."""
    return np.pad(confusions, ((0, most - len(confusions)), (0, 0), (0, 0)))


def held_out_figures(
    judged: Judgements,
    choice: str,
    chosen: tuple[int, int],
    model: Model,
    classes: NDArray[Any],
    description: str,
) -> Figures:
    """Add up what the first round made of its rows, where other rows chose for each fold.

    The splits of a round leave out different rows, so those beside a split choose the candidate
    and the complexity that it is judged by. No score of a row chooses what it is judged by; the
    rules behind the other scores were learned from it, though, which docs/path.md has measured.
    Later rounds say nothing here, for all rows of the first chose who takes part in them. Where
    there are too few splits, or some that share rows, the choice that was made on all of them is
    judged on all of them, and the figures say so.
    """
    splits = judged.rounds[0]
    has_choice = judged.paths[0][0].scores.size * len(judged.paths) > 1
    is_chosen_on = has_choice and not (len(splits) > LEAST_OTHERS and _are_apart(splits))
    k, place = chosen
    confusions = [path.confusions[place] for path in judged.paths[k][: len(splits)]]
    if has_choice and not is_chosen_on:
        confusions = [path.confusions[place] for path, place in _chosen_by_others(judged, choice)]
    n_rows = len(np.unique(np.concatenate([test for _, test in splits])))
    positive = model.rule_sets[0].positive if len(classes) == 2 else None
    return Figures.of(classes, positive, confusions, n_rows, description, is_chosen_on)


def _are_apart(splits: Any) -> bool:
    """Whether no row is left out twice."""
    left_out = np.concatenate([test for _, test in splits])
    return len(np.unique(left_out)) == len(left_out)


def held_out_standings(
    judged: Judgements, choice: str, chosen: tuple[int, int], model: Model, rows: LabelledRows
) -> Standings:
    """Say how rules that met the requirements in training stand to them on rows left out.

    Each split of the first round is judged by what the others choose, as for the figures.
    """
    splits = judged.rounds[0]
    left_out = np.concatenate([test for _, test in splits])
    k, place = chosen
    judges = [(path, place) for path in judged.paths[k][: len(splits)]]
    if len(splits) > LEAST_OTHERS and _are_apart(splits):
        judges = list(_chosen_by_others(judged, choice))
    answers = np.concatenate([path.answers[place] for path, place in judges])
    is_positive = rows.has(model.rule_sets[0].positive)
    positive = np.searchsorted(np.unique(rows.labels), rows.labels[is_positive][0])
    is_positive = is_positive[left_out]
    table = rows.table.rows(left_out)
    return Standings.of(model.requirements, table, is_positive, answers == positive)


def _chosen_by_others(judged: Judgements, choice: str) -> Iterator[tuple[JudgedPath, int]]:
    """Return for each split of the first round the path, and the place, that others choose."""
    candidates, n_splits = list(judged.paths), len(judged.rounds[0])
    scores = judged.scores(candidates, slice(n_splits))
    for s in range(n_splits):
        others = np.delete(scores, s, axis=1)
        k, place = choose_place(choice, others, has_no_rules=judged.has_one_answer_without_rules)
        yield judged.paths[candidates[k]][s], place


def calibrated_rules(
    judged: Judgements, chosen: tuple[int, int], model: Model, labels: NDArray[Any]
) -> tuple[RuleSet, ...]:
    """Give each rule set the calibration that its folds show: what they said, and what was so."""
    k, place = chosen
    classes = np.unique(labels)
    left_out = np.concatenate([test for _, test in judged.splits])
    times = np.bincount(left_out, minlength=len(labels))[left_out]
    said = np.concatenate([path.probabilities[place] for path in judged.paths[k]], axis=1)
    calibrated = []
    for rules in model.rule_sets:
        of_class = np.flatnonzero(equals(classes, rules.positive))
        if len(of_class) and rules.statistics is not None:
            p = said[of_class[0]]
            is_known = np.isfinite(p)
            was_so = equals(labels[left_out][is_known], rules.positive)
            calibration = fit_calibration(p[is_known], was_so, 1 / times[is_known])
            rules = replace(rules, calibration=calibration)
        calibrated.append(rules)
    return tuple(calibrated)
