"""``boolrules fit``: learn rules from a file."""

from __future__ import annotations

import json
import math
import warnings
from typing import TYPE_CHECKING

from boolrules._support.budget import LEAST_SECONDS, Budget
from boolrules.cli.choosing import (
    FOLDS,
    add_choice_options,
    check_choice,
    choose,
    what_was_chosen,
)
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
from boolrules.cli.output import say, tell
from boolrules.cli.stopping import INTERRUPTED
from boolrules.estimators.parameters import ONE_AT_A_TIME

if TYPE_CHECKING:
    import argparse

    from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV
    from boolrules.cli.on_dask import DaskTask
    from boolrules.cli.task import Task

EXAMPLES = """examples:
  boolrules fit credit.csv --target risk --positive high
  boolrules fit credit.csv --target risk --positive high --max-complexity 10
  boolrules fit drinks.csv --target drinks --positive "> 2" --form cnf --save model.json
  boolrules fit heart.csv --target disease --categorical pain,slope --time-limit 120 --json
  boolrules fit credit.csv --target risk --require "precision >= 0.9" --objective missed
  boolrules fit credit.csv --target risk --require "recall >= 0.8 within branch"
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Learn rules from a CSV or Parquet file. Print them, how they do on rows\n"
        "left out, and their certificate. Without --max-complexity, rows left out\n"
        "choose the complexity, the form and the thresholds."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    add_data_options(parser)
    task = parser.add_argument_group("what is learned")
    complexity = "clauses plus conditions, at most (default: rows left out choose)"
    add_parameter(task, "max_complexity", default=None, text=complexity)
    add_task_options(task)
    add_table_options(parser)
    add_constraint_options(parser)
    choice = parser.add_argument_group("how rows are left out, and what they choose by")
    add_choice_options(choice, folds=FOLDS, has_complexities=False)
    choice.add_argument(
        "--no-cv", action="store_true", help="leave no rows out; needs --max-complexity"
    )
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
    from boolrules.cli.task import exit_code, read_task, save_model, warnings_as_lines

    _check(options)
    task = read_task(options)
    _compile_aside(options)
    with warnings_as_lines():
        model, search = _learn(options, task)
    try:
        if options.save:
            save_model(model, options)
    finally:  # rules that cannot be saved can still be read
        _print(model, task, options, search)
    return INTERRUPTED if search is not None and search.is_interrupted_ else exit_code([model])


def _check(options: argparse.Namespace) -> None:
    """Turn down what cannot work before any work is done."""
    check_choice(options)
    name = _leaves_none_out(options)
    if name is None:
        return
    if options.max_complexity is None:
        raise ValueError(
            f"{name} leaves no rows out, but without --max-complexity rows left out "
            "choose. Add --max-complexity 10, or another complexity."
        )
    for other in ("cv", "repeats", "choice", "scoring"):
        given = getattr(options, other)
        if given is not None:
            raise ValueError(
                f"--{other} {given} is for rows left out, but {name} leaves none out. Leave one "
                "of them out."
            )


def _leaves_none_out(options: argparse.Namespace) -> str | None:
    """Name the option, if there is one, with which all rows are learned from."""
    if options.no_cv:
        return "--no-cv"
    if options.memory_limit is not None:
        return "--memory-limit"
    return f"--objective {options.objective}" if options.objective in ONE_AT_A_TIME else None


def _compile_aside(options: argparse.Namespace) -> None:
    """Begin to compile what comes, on a first run; loading it takes longer than a table."""
    from boolrules.solver.warm_up import compile_aside

    compile_aside(options.engine, "choice" if options.max_complexity is None else "fit")


def _learn(
    options: argparse.Namespace, task: Task | DaskTask
) -> tuple[BooleanRuleClassifier, BooleanRuleClassifierCV | None]:
    """Fit what is asked for; rows left out choose what is not, and say how good it is."""
    from boolrules import RequirementsNotMetError
    from boolrules.cli.task import make_classifier
    from boolrules.estimators.folds import ENOUGH_JUDGED

    if options.max_complexity is None:
        search = choose(options, make_classifier(options, task), task)
        return search.best_estimator_, search
    C = _limit(options.max_complexity)
    classifier = make_classifier(options, task, max_complexity=C)
    if _leaves_none_out(options):
        if options.objective in ONE_AT_A_TIME and not options.no_cv:
            tell(
                f"--objective {options.objective} leaves no rows out: the figures are those of "
                "training. boolrules score shows how the rules do on other rows."
            )
        return classifier.fit(task.table, task.y, sample_weight=task.weights), None
    only = {"complexities": [C], "forms": None, "thresholds": None}
    repeats = options.repeats or (1 if task.n_rows < ENOUGH_JUDGED else None)
    budget = Budget.of(options.time_limit)
    try:
        search = choose(options, classifier, task, **only, n_repeats=repeats)
    except RequirementsNotMetError:
        # It speaks of some of the rows, without a proof. What all rows allow is what was asked.
        classifier.set_params(time_limit=max(LEAST_SECONDS, budget.remaining_seconds))
        model = classifier.fit(task.table, task.y, sample_weight=task.weights)
        warnings.warn(
            "The requirements can be met on all rows, but were not on some of the parts that "
            "folds learn from. There are no figures on rows left out.",
            UserWarning,
            stacklevel=2,
        )
        return model, None
    return search.best_estimator_, search


def _print(
    model: BooleanRuleClassifier,
    task: Task | DaskTask,
    options: argparse.Namespace,
    search: BooleanRuleClassifierCV | None,
) -> None:
    from boolrules.cli.notes import plain_notes
    from boolrules.cli.show import show_model
    from boolrules.cli.task import training_figures, training_standings

    standings = training_standings(model, task)
    left_out = None if search is None else search.held_out_standings_
    figures = training_figures(model, task, standings, left_out)
    figures["notes"] = plain_notes(task.notes)
    has_chosen = search is not None and options.max_complexity is None
    if has_chosen:
        assert search is not None
        figures["chosen"] = search.best_params_
    if options.json:
        say(json.dumps(figures, ensure_ascii=False, allow_nan=False))
    else:
        chosen = what_was_chosen(search) if search is not None and has_chosen else None
        show_model(model, figures, standings, left_out, chosen)


def _limit(complexity: float) -> float:
    if not math.isfinite(complexity):
        raise ValueError(f"--max-complexity {complexity} is no limit. Use a finite number.")
    return int(complexity) if complexity == int(complexity) else complexity
