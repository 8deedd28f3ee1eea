"""``boolrules demo``: learn rules on two tables that need no download."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rich.console import Console

from boolrules import BooleanRuleClassifier
from boolrules.cli.show import show_rules
from boolrules.datasets import breast_cancer, tic_tac_toe

if TYPE_CHECKING:
    import argparse


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "demo",
        help="learn rules on two tables that need no download",
        description="Learn rules on tic-tac-toe, played out, and on scikit-learn's breast cancer.",
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "--time-limit",
        type=float,
        default=30,
        metavar="SECONDS",
        help="for each table (default 30)",
    )


def run(options: argparse.Namespace) -> int:
    """Learn, print and verify, for each table."""
    console = Console(highlight=False)
    boards, x_wins = tic_tac_toe()
    console.rule("Tic-tac-toe: when has x won?")
    _learn(console, boards, x_wins, 32, None, options.time_limit)
    tumours, diagnosis = breast_cancer()
    console.rule("Breast cancer: which tumours are malignant?")
    _learn(console, tumours, diagnosis, 5, "malignant", options.time_limit)
    console.print("Next: boolrules fit YOUR.csv --target COLUMN")
    return 0


def _learn(
    console: Console, X: Any, y: Any, max_complexity: int, positive: str | None, time_limit: float
) -> None:
    verbose = 1 if sys.stderr.isatty() else 2
    model = BooleanRuleClassifier(
        max_complexity, positive_label=positive, time_limit=time_limit, verbose=verbose
    )
    model.fit(X, y)
    show_rules(console, model.rule_set_, model.certificate_)
    console.print(
        f"Training accuracy {model.score(X, y):.1%} on {len(X)} rows. Checking the certificate:"
    )
    console.print(str(model.verify(X, y)), style="dim")
    console.print()
