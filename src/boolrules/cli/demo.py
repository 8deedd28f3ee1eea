"""``boolrules demo``: learn rules on two tables that need no download."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from boolrules.cli.options import time_limit
from boolrules.cli.output import say

if TYPE_CHECKING:
    import argparse

    from boolrules import BooleanRuleClassifier
    from boolrules.cli.show import Output
    from boolrules.cli.task import Task
    from boolrules.proof.verification import Verification

EXAMPLES = """examples:
  boolrules demo
  boolrules demo --time-limit 5 --json
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Learn rules on tic-tac-toe, played out, and on scikit-learn's breast cancer."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    parser.add_argument(
        "--time-limit",
        type=time_limit,
        default=30,
        metavar="SECONDS",
        help="for each table (default 30)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON list instead, an object per table"
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show a row per round on standard error"
    )


def run(options: argparse.Namespace) -> int:
    """Learn, print and verify, for each table."""
    from boolrules.cli.show import Output
    from boolrules.cli.task import Task, exit_code, training_figures
    from boolrules.data.datasets import breast_cancer, tic_tac_toe

    boards, x_wins = tic_tac_toe()
    tumours, diagnosis = breast_cancer()
    malignant = Task(tumours, diagnosis, "malignant", None)
    tables = [
        ("Tic-tac-toe: when has x won?", Task(boards, x_wins, True, None), 32),
        ("Breast cancer: which tumours are malignant?", malignant, 5),
    ]
    console = Output()
    models, answers = [], []
    for title, task, max_complexity in tables:
        if not options.json:
            console.rule(title)
        model = _learn(task, max_complexity, options)
        verification = model.verify(task.table, task.y)
        models.append(model)
        figures = training_figures(model, task)
        answers.append({"table": title} | figures | {"is_verified": verification.holds})
        if not options.json:
            _show(console, model, figures, verification)
    if options.json:
        say(json.dumps(answers, ensure_ascii=False, allow_nan=False))
    else:
        console.print("Next: boolrules fit YOUR.csv --target COLUMN")
    return exit_code(models)


def _learn(task: Task, max_complexity: int, options: argparse.Namespace) -> BooleanRuleClassifier:
    """Learn rules of one complexity; folds say how good such rules are on other rows."""
    from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV
    from boolrules.cli.task import verbosity

    classifier = BooleanRuleClassifier(
        max_complexity,
        positive_label=task.positive,
        time_limit=options.time_limit,
        verbose=verbosity(options),
    )
    search = BooleanRuleClassifierCV(
        classifier,
        complexities=[max_complexity],
        forms=None,
        thresholds=None,
        n_repeats=1,
        time_limit=options.time_limit,
        random_state=0,
        n_jobs=1,
        verbose=verbosity(options),
    )
    return search.fit(task.table, task.y).best_estimator_


def _show(
    console: Output,
    model: BooleanRuleClassifier,
    figures: dict[str, Any],
    verification: Verification,
) -> None:
    from boolrules.cli.show import (
        show_certificate,
        show_figures,
        show_rules,
        show_training,
        show_verification,
    )

    show_rules(console, model.rule_set_)
    held_out = model.model_.held_out
    if held_out is not None:
        show_figures(console, held_out)
    show_certificate(console, model.certificate_)
    if not model.certificate_.is_optimal:
        console.print("A longer --time-limit may prove more.")
    show_training(console, figures)
    if verification.holds:
        console.print("Checked again from the table: everything claimed holds.")
    else:
        show_verification(console, verification)
    console.print()
