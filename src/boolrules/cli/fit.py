"""``boolrules fit``: learn rules from a file."""

from __future__ import annotations

import argparse
import json
import math
import sys
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import polars

from boolrules import BooleanRuleClassifier, FeatureBinarizer, StopReason
from boolrules.cli.files import check_writable, column_of, read_file, weights_of
from boolrules.cli.labels import read_labels
from boolrules.cli.show import show_model

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
    parser.add_argument("data", help="CSV (also .csv.gz) or Parquet file, one row per sample")
    parser.add_argument("--target", required=True, metavar="COL", help="column to predict")
    parser.add_argument(
        "--positive",
        metavar="VALUE",
        help='label that the rules describe, or a comparison such as "> 2"',
    )
    task = parser.add_argument_group("what is learned")
    task.add_argument(
        "--max-complexity",
        type=float,
        default=15,
        metavar="C",
        help="clauses plus conditions, at most (default 15)",
    )
    task.add_argument(
        "--max-conditions", type=int, metavar="D", help="conditions per clause, at most"
    )
    task.add_argument(
        "--form", choices=["dnf", "cnf"], default="dnf", help="OR of ANDs (default) or AND of ORs"
    )
    task.add_argument(
        "--class-weight", choices=["balanced"], help="let both classes weigh the same"
    )
    task.add_argument("--sample-weight", metavar="COL", help="column with the weight of each row")
    task.add_argument(
        "--missed-positive-cost",
        type=float,
        default=1,
        metavar="X",
        help="cost of a missed positive (default 1)",
    )
    task.add_argument(
        "--covered-zero-cost",
        type=float,
        default=1,
        metavar="X",
        help="cost of a covered zero (default 1)",
    )
    task.add_argument(
        "--complexity-penalty",
        type=float,
        default=0,
        metavar="X",
        help="cost of a unit of complexity (default 0)",
    )
    table = parser.add_argument_group("how the table is read")
    table.add_argument(
        "--drop",
        type=_names,
        default=[],
        metavar="COLS",
        help="columns to leave out, separated by commas",
    )
    table.add_argument(
        "--categorical",
        type=_names,
        default=[],
        metavar="COLS",
        help="numeric columns that are categories",
    )
    table.add_argument(
        "--special-values",
        type=_numbers,
        metavar="NUMBERS",
        help="codes that are not measurements, such as -9,-8 (write --special-values=-9,-8)",
    )
    table.add_argument(
        "--thresholds", type=int, metavar="Q", help="q-quantiles as thresholds (default 10)"
    )
    table.add_argument(
        "--binary", action="store_true", help="columns are zeros and ones; take them as conditions"
    )
    run_ = parser.add_argument_group("how long, how, and what comes out")
    run_.add_argument(
        "--time-limit",
        type=float,
        default=60,
        metavar="SECONDS",
        help="for the whole run (default 60)",
    )
    run_.add_argument(
        "--pricing-time-limit", type=float, metavar="SECONDS", help="for one pricing call"
    )
    run_.add_argument(
        "--exact-pricer",
        choices=["search", "integer_program"],
        default="search",
        help="prove by our search (default) or by the paper's integer program",
    )
    run_.add_argument(
        "--mode",
        choices=["prove", "fast"],
        default="prove",
        help="try to prove optimality (default), or stop at a good rule set",
    )
    run_.add_argument("--max-rounds", type=int, metavar="N", help="rounds, at most")
    run_.add_argument(
        "--max-nodes", type=int, metavar="N", help="nodes of one exact search, at most"
    )
    run_.add_argument("--n-jobs", type=int, metavar="N", help="threads (default: all cores)")
    run_.add_argument(
        "--seed", type=int, default=0, metavar="N", help="for sampling on large data (default 0)"
    )
    run_.add_argument(
        "--save", metavar="MODEL.json", help="write the model, for predict and verify"
    )
    run_.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    run_.add_argument(
        "-v", "--verbose", action="store_true", help="show a row per round on standard error"
    )


def run(options: argparse.Namespace) -> int:
    """Learn, print, save."""
    if options.save:
        check_writable(options.save)
    frame = read_file(options.data)
    target = column_of(frame, options.target, options.data)
    if frame.height == 0:
        raise ValueError(f"{options.data} has a header but no rows.")
    labels = read_labels(target, options.positive)
    left_out = [options.target, *options.drop]
    weights = None
    if options.sample_weight:
        weights = weights_of(frame, options.sample_weight, options.data)
        left_out.append(options.sample_weight)
    for name in options.drop:
        column_of(frame, name, options.data)
    table = frame.drop(left_out)
    if not table.width:
        raise ValueError(
            f"{options.data} has no column beside {', '.join(left_out)} to learn from."
        )
    n_jobs = options.n_jobs
    if n_jobs is None and len(np.unique(labels.values)) <= 2:
        n_jobs = -1
    model = _make_model(options, labels.positive, n_jobs)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(table, polars.Series(options.target, labels.values), sample_weight=weights)
    for warning in caught:
        print(f"boolrules: {warning.message}", file=sys.stderr)
    figures = training_figures(model, table, labels.values)
    if options.json:
        print(json.dumps(figures, ensure_ascii=False, allow_nan=False))
    else:
        show_model(model, figures)
    if options.save:
        saved = replace(
            model.to_saved_model(), target=options.target, positive_rule=options.positive
        )
        saved.save(options.save)
    is_interrupted = any(r.stop_reason is StopReason.INTERRUPTED for r in model.results_)
    return 130 if is_interrupted else 0


def training_figures(
    model: BooleanRuleClassifier, table: polars.DataFrame, labels: Any
) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    accuracy = float(np.mean(model.predict(table) == np.asarray(labels)))
    shared = {
        "train_accuracy": accuracy,
        "n_rows": table.height,
        "n_conditions": len(model.conditions_),
    }
    figures = [
        {
            "rules": rules.to_text(),
            "form": str(rules.form),
            "complexity": certificate.complexity,
            "n_clauses": rules.n_clauses,
            "hamming_loss": certificate.hamming_loss,
            "lower_bound": certificate.lower_bound,
            "gap": certificate.gap,
            "is_optimal": certificate.is_optimal,
            "argument": str(certificate.argument),
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


def _make_model(
    options: argparse.Namespace, positive: Any, n_jobs: int | None
) -> BooleanRuleClassifier:
    binarizer: FeatureBinarizer | None = FeatureBinarizer(
        thresholds="deciles" if options.thresholds is None else options.thresholds,
        special_values=options.special_values,
        categorical_features=options.categorical or None,
    )
    if options.binary:
        binarizer = None
    verbose = 2 if options.verbose else 1 if sys.stderr.isatty() else 0
    complexity = options.max_complexity
    if not math.isfinite(complexity):
        raise ValueError(f"--max-complexity {complexity} is no limit. Use a finite number.")
    return BooleanRuleClassifier(
        int(complexity) if complexity == int(complexity) else complexity,
        max_conditions=options.max_conditions,
        form=options.form,
        positive_label=positive,
        class_weight=options.class_weight,
        missed_positive_cost=options.missed_positive_cost,
        covered_zero_cost=options.covered_zero_cost,
        complexity_penalty=options.complexity_penalty,
        binarizer=binarizer,
        mode=options.mode,
        exact_pricer=options.exact_pricer,
        max_rounds=options.max_rounds,
        max_nodes=options.max_nodes,
        time_limit=options.time_limit,
        pricing_time_limit=options.pricing_time_limit,
        n_jobs=n_jobs,
        random_state=options.seed,
        verbose=verbose,
    )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _numbers(text: str) -> list[float]:
    try:
        return [float(number) for number in _names(text)]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a list of numbers such as -9,-8"
        ) from None
