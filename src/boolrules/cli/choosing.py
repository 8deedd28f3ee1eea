"""Choosing by rows left out, as ``fit``, ``path`` and ``report`` offer it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boolrules.cli.options import whole_numbers
from boolrules.estimators.parameters import CHOICES, ONE_AT_A_TIME

if TYPE_CHECKING:
    import argparse

    from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV
    from boolrules.cli.on_dask import DaskTask
    from boolrules.cli.task import Task

FOLDS = 5


def add_choice_options(
    group: argparse._ArgumentGroup, *, folds: int | None, has_complexities: bool = True
) -> None:
    """Declare what rows left out choose from, and how.

    ``folds`` are left out where --cv is not given; None where no rows are then.
    """
    if has_complexities:
        group.add_argument(
            "--complexities",
            type=whole_numbers,
            metavar="LIST",
            help="values of clauses plus conditions to choose from, such as 0,2-10 (0: no rules)",
        )
    default = "" if folds is None else f" (default {folds})"
    group.add_argument("--cv", type=int, metavar="FOLDS", help=f"folds of rows left out{default}")
    group.add_argument(
        "--repeats",
        type=int,
        metavar="N",
        help="rounds of folds (default: 3 below 1,000 rows, 2 below 2,000, else one)",
    )
    group.add_argument(
        "--choice",
        choices=CHOICES,
        help="the simplest rules that are not clearly behind the best on the same folds (paired, "
        "the default), the simplest within one standard error of it, or the best itself",
    )
    group.add_argument(
        "--scoring",
        metavar="NAME",
        help="what they are chosen by: accuracy (default), balanced_accuracy, f1, or another "
        "scorer of scikit-learn",
    )


def check_choice(options: argparse.Namespace) -> None:
    """Turn down what cannot work before any work is done."""
    if options.cv is not None and options.cv < 2:
        raise ValueError(f"--cv {options.cv} leaves no rows to score on. Use 2 folds or more.")
    if options.scoring is not None:
        from boolrules.estimators.checks import check_scorer

        check_scorer(options.scoring)


def check_objective(options: argparse.Namespace) -> None:
    """Turn down an objective that is for one complexity at a time."""
    if options.objective in ONE_AT_A_TIME:
        scoring = "f1" if options.objective == "f1" else "accuracy"
        raise ValueError(
            f"--objective {options.objective} is for one complexity at a time: boolrules fit "
            f"--max-complexity 10 --objective {options.objective}, or another complexity. To "
            f"choose one by rows left out, --cv {FOLDS} --scoring {scoring} instead."
        )


def choose(
    options: argparse.Namespace,
    classifier: BooleanRuleClassifier,
    task: Task | DaskTask,
    **parameters: Any,
) -> BooleanRuleClassifierCV:
    """Let rows left out choose what the options leave open; fit that on all rows."""
    from boolrules import BooleanRuleClassifierCV
    from boolrules.cli.task import verbosity
    from boolrules.estimators.helpers import end_helpers

    given = {
        "complexities": getattr(options, "complexities", None),
        "cv": options.cv or FOLDS,
        "n_repeats": options.repeats,
        "choice": options.choice or CHOICES[0],
        "scoring": options.scoring,
        "time_limit": options.time_limit,
        "n_jobs": -1 if options.n_jobs is None else options.n_jobs,
        "random_state": options.random_state,
        "verbose": verbosity(options),
    }
    if options.form is not None:
        given["forms"] = None
    if options.thresholds is not None or options.binary:
        given["thresholds"] = None
    search = BooleanRuleClassifierCV(classifier, **(given | parameters))
    try:
        return search.fit(task.table, task.y, sample_weight=task.weights)
    finally:
        end_helpers()  # a command learns once; to leave them be would take longer to exit


def what_was_chosen(search: BooleanRuleClassifierCV) -> str:
    """Say it in few words, for people."""
    from boolrules.data.every_threshold import ALL

    params = search.best_params_
    C = params["max_complexity"]
    words = ["no rules" if C == 0 else f"complexity at most {C:g}"]
    if "form" in params and C:
        words.append(params["form"].upper())
    if "thresholds" in params and C:
        q = params["thresholds"]
        words.append("every threshold" if q == ALL else f"thresholds at {q} quantiles")
    rows = "training rows"
    if search.held_out_ is not None:
        rows = f"rows left out ({search.splits_})"
    return f"{', '.join(words)}; by {what_chose(search)} on {rows}"


def what_chose(search: BooleanRuleClassifierCV) -> str:
    """Name the score."""
    return "accuracy" if search.scoring is None else str(search.scoring)
