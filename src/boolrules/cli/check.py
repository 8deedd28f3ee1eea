"""``boolrules check``: what rules that a person wrote do on a file, and beside a model."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from boolrules.cli.csv_reading import Reading, add_reading_options
from boolrules.cli.options import time_limit
from boolrules.cli.output import say
from boolrules.cli.printable import printable

if TYPE_CHECKING:
    import argparse

    import polars

    from boolrules import Model, RuleSet
    from boolrules.cli.labels import Labels
    from boolrules.cli.rules_file import Given

EXAMPLES = """examples:
  boolrules check rules.txt data.csv --target risk --positive high
  boolrules check rules.txt data.csv --target risk --model model.json

rules.txt has a clause on each line, or OR between clauses; # begins a comment:
  age <= 35 AND job != 'clerk'
  income is missing
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Read rules from text and say what they do on a file: Hamming loss, mistakes, "
        "coverage and precision of each clause, values that never occur. With a model, say how "
        "far they are from its lower bound, which is proved anew, where it speaks of them."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    parser.add_argument(
        "rules",
        metavar="RULES.txt",
        help="text file with rules; also a model or a rule set as JSON",
    )
    parser.add_argument("data", help="CSV or Parquet file with the columns that the rules use")
    parser.add_argument(
        "--target",
        metavar="COL",
        help="label column (default: as saved in the model or the rule set)",
    )
    parser.add_argument(
        "--positive",
        metavar="VALUE",
        help='label that the rules describe, or a comparison such as "> 2" (default: what they '
        "say after THEN, or as saved in the model)",
    )
    parser.add_argument(
        "--model", metavar="MODEL.json", help="model fitted on the same file, for its bound"
    )
    parser.add_argument(
        "--sample-weight", metavar="COL", help="column with the weight of each row"
    )
    parser.add_argument(
        "--time-limit",
        type=time_limit,
        default=60,
        metavar="SECONDS",
        help="for proving the model's bound anew (default 60)",
    )
    add_reading_options(parser)
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of text"
    )


def run(options: argparse.Namespace) -> int:
    """Read, assess and print."""
    from boolrules import Model, assess
    from boolrules.cli.files import column_of, read_rows, weights_of
    from boolrules.cli.labels import with_labels
    from boolrules.cli.rules_file import columns_of_text, read_rules_file, read_target
    from boolrules.solver.progress import waiting

    file = read_rules_file(options.rules)
    given = _one_rule_set(file, options.rules)
    model = Model.load(options.model) if options.model else None
    known = model or file
    frame = read_rows(options.data, columns_of_text(known), Reading.of(options))
    target = options.target
    if target is None and not isinstance(known, str):
        target = known.target
    if target is None:
        raise ValueError("Say with --target which column holds the labels.")
    rows = with_labels(frame, column_of(frame, target, options.data), options.data)
    frame = rows.frame
    labels = read_target(rows.column, options.positive, [known])
    weights = None
    if options.sample_weight is not None:
        weights = weights_of(frame, options.sample_weight, options.data)
    table = frame.drop(target)
    rules = given
    if isinstance(given, str):
        try:
            rules = _read(given, table, model, labels)
        except ValueError as error:
            raise ValueError(f"{options.rules}, {error}") from None
    with waiting(int(sys.stderr.isatty()), "proving the bound anew", options.time_limit):
        assessment = assess(
            rules,
            table,
            labels.values,
            model,
            sample_weight=weights,
            time_limit=options.time_limit,
        )
    if options.json:
        say(json.dumps(assessment.to_plain(), ensure_ascii=False, allow_nan=False))
    else:
        say(printable(str(assessment)))
    return 0


def _one_rule_set(given: Given, path: str) -> str | RuleSet:
    from boolrules import Model

    if not isinstance(given, Model):
        return given
    if len(given.rule_sets) > 1:
        raise ValueError(
            f"{path} has a rule set for each of {len(given.rule_sets)} labels. Check one at a "
            "time, from text."
        )
    return given.rule_sets[0]


def _read(text: str, table: polars.DataFrame, model: Model | None, labels: Labels) -> RuleSet:
    """Read the text beside the model or, without one, with the label that --positive names."""
    from boolrules import RuleSet
    from boolrules._support.table import read_table
    from boolrules.insight.editing.context import read_text

    values, beside = labels.values.tolist(), None
    if labels.positive is not None:
        others = [label for label in values if label != labels.positive]
        beside = RuleSet((), positive=labels.positive, negative=others[0] if others else None)
    return read_text(text, read_table(table), model or beside, values)
