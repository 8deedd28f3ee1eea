"""``boolrules fit``: learn rules from a file."""

from __future__ import annotations

import argparse
import json
import math
from typing import TYPE_CHECKING, Any

from boolrules.cli.files import check_writable
from boolrules.cli.options import (
    add_constraint_options,
    add_data_options,
    add_output_options,
    add_parameter,
    add_search_options,
    add_table_options,
    add_task_options,
    memory,
)
from boolrules.cli.output import say
from boolrules.cli.show import show_model
from boolrules.cli.task import (
    exit_code,
    make_classifier,
    read_task,
    save_model,
    training_figures,
    warnings_as_lines,
)

if TYPE_CHECKING:
    from boolrules import BooleanRuleClassifier
    from boolrules.cli.task import Task

EXAMPLES = """examples:
  boolrules fit credit.csv --target risk --positive high --max-complexity 10
  boolrules fit drinks.csv --target drinks --positive "> 2" --form cnf --save model.json
  boolrules fit heart.csv --target disease --categorical pain,slope --time-limit 120 --json
"""


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "fit",
        help="learn rules from a CSV or Parquet file",
        description="Learn rules from a CSV or Parquet file; print them with their certificate.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add_data_options(parser)
    task = parser.add_argument_group("what is learned")
    add_parameter(task, "max_complexity")
    add_task_options(task)
    add_table_options(parser)
    add_constraint_options(parser)
    run_ = parser.add_argument_group("how long, how, and what comes out")
    add_parameter(run_, "time_limit")
    add_search_options(run_)
    run_.add_argument(
        "--memory-limit",
        type=memory,
        metavar="SIZE",
        help="read a Parquet file column by column; turned down if that would take more than, "
        "say, 2GiB",
    )
    add_parameter(run_, "n_jobs")
    add_parameter(run_, "random_state", default=0)
    add_output_options(run_)


def run(options: argparse.Namespace) -> int:
    """Learn, save, print."""
    if options.save:
        check_writable(options.save)
    task = read_task(options)
    model = make_classifier(options, task, max_complexity=_limit(options.max_complexity))
    with warnings_as_lines():
        model.fit(task.table, task.y, sample_weight=task.weights)
    try:
        if options.save:
            save_model(model, options)
    finally:  # rules that cannot be saved can still be read
        _print(model, task, options)
    return exit_code([model])


def _print(model: BooleanRuleClassifier, task: Task, options: argparse.Namespace) -> None:
    figures = training_figures(model, task)
    if options.json:
        say(json.dumps(figures, ensure_ascii=False, allow_nan=False))
    else:
        show_model(model, figures)


def _limit(complexity: float) -> float:
    if not math.isfinite(complexity):
        raise ValueError(f"--max-complexity {complexity} is no limit. Use a finite number.")
    return int(complexity) if complexity == int(complexity) else complexity
