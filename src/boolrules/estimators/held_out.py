"""What rows left out say of the chosen rules: figures to quote, and better probabilities (§4)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.values import equals
from boolrules.data.standing import Standings
from boolrules.estimators.pairs import can_choose_for_each
from boolrules.insight.report.held_out import make_fold
from boolrules.model.figures import Figures
from boolrules.rules.calibration import fit_calibration

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.data.labelled_rows import LabelledRows
    from boolrules.estimators.folds import JudgedPath
    from boolrules.estimators.rounds import Judgements
    from boolrules.insight.report.held_out import Fold
    from boolrules.model.model import Model
    from boolrules.rules import RuleSet


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

    For each fold a candidate and a complexity are chosen by the others, with rules that were
    learned without it: its rows have no say in what they are answered by. Later rounds say nothing
    here, for all rows of the first chose who takes part in them. Where there was no time to learn
    such rules, those of the other splits choose; where there are too few splits, or some that
    share rows, the choice that was made on all of them is judged on all of them. The figures say
    so then.
    """
    splits = judged.rounds[0]
    has_choice = judged.paths[0][0].scores.size * len(judged.paths) > 1
    confusions = [path.confusions[place] for path, place in _judges(judged, choice, chosen)]
    n_rows = len(np.unique(np.concatenate([test for _, test in splits])))
    positive = model.rule_sets[0].positive if len(classes) == 2 else None
    is_chosen_on = has_choice and not judged.pairs
    if not judged.has_time_for_pairs:
        description += "; too little time to choose without each of them"
    return Figures.of(classes, positive, confusions, n_rows, description, is_chosen_on)


def held_out_standings(
    judged: Judgements, choice: str, chosen: tuple[int, int], model: Model, rows: LabelledRows
) -> Standings:
    """Say how rules that met the requirements in training stand to them on rows left out.

    Each split of the first round is judged by what the others choose, as for the figures.
    """
    splits = judged.rounds[0]
    left_out = np.concatenate([test for _, test in splits])
    judges = _judges(judged, choice, chosen)
    answers = np.concatenate([path.answers[place] for path, place in judges])
    is_positive = rows.has(model.rule_sets[0].positive)
    positive = np.searchsorted(np.unique(rows.labels), rows.labels[is_positive][0])
    is_positive = is_positive[left_out]
    table = rows.table.rows(left_out)
    return Standings.of(model.requirements, table, is_positive, answers == positive)


def _judges(
    judged: Judgements, choice: str, chosen: tuple[int, int]
) -> list[tuple[JudgedPath, int]]:
    """Return for each split of the first round the path, and the place, that it is judged by.

    What others choose for it, or where they cannot what was chosen.
    """
    splits, (k, place) = judged.rounds[0], chosen
    if not can_choose_for_each(splits):
        return [(path, place) for path in judged.paths[k][: len(splits)]]
    candidates, judges = list(judged.paths), []
    for s in range(len(splits)):
        k, place = judged.choose(choice, judged.beside(s))
        judges.append((judged.paths[candidates[k]][s], place))
    return judges


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
