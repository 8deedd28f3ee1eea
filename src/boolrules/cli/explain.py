"""``boolrules explain``: why a saved model answers as it does, row by row."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from boolrules.cli.csv_reading import Reading, add_reading_options
from boolrules.cli.output import say
from boolrules.cli.printable import printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from boolrules import RuleSet
    from boolrules.rules import Explanation


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Say which clauses decided each row, or what stood in the way of the nearest, "
        "and how often such an answer is right."
    )
    parser.epilog = (
        "examples:\n  boolrules explain model.json new.csv\n"
        "  boolrules explain model.json new.csv --row 1 5 --json\n"
    )
    parser.set_defaults(run=run)
    parser.add_argument("model", help="model file written by fit --save")
    parser.add_argument("data", help="CSV or Parquet file with the columns that the rules use")
    parser.add_argument(
        "--row",
        type=int,
        nargs="+",
        action="extend",
        metavar="N",
        help="only these rows; the first is 1 (default: all)",
    )
    add_reading_options(parser)
    parser.add_argument(
        "--json", action="store_true", help="print one JSON list instead, an object per row"
    )


def run(options: argparse.Namespace) -> int:
    """Explain and print."""
    from boolrules import Model
    from boolrules.cli.files import read_rows, text_columns

    model = Model.load(options.model)
    frame = read_rows(options.data, text_columns(model), Reading.of(options))
    numbers = list(range(1, len(frame) + 1)) if options.row is None else options.row
    outside = [number for number in numbers if not 1 <= number <= len(frame)]
    if outside:
        raise ValueError(
            f"--row {outside[0]} is not in {options.data}, whose rows are 1 to {len(frame)}."
        )
    rows = frame[[number - 1 for number in numbers]]
    predictions = model.predict(rows).tolist()
    explained = list(zip(*(rules.explain(rows) for rules in model.rule_sets), strict=True))
    if options.json:
        answers = [
            {"row": number, "prediction": prediction} | _plain(model.rule_sets, explanations)
            for number, prediction, explanations in zip(
                numbers, predictions, explained, strict=True
            )
        ]
        say(json.dumps(answers, ensure_ascii=False))
        return 0
    for number, prediction, explanations in zip(numbers, predictions, explained, strict=True):
        say(f"row {number}: {printable(_text(model.rule_sets, prediction, explanations))}")
    for line in model.definitions:
        say(printable(f"{line}."))
    return 0


def _text(
    rule_sets: Sequence[RuleSet], prediction: Any, explanations: Sequence[Explanation]
) -> str:
    from boolrules.rules.condition import format_value

    if len(explanations) == 1:
        return str(explanations[0])
    lines = [format_value(prediction)]
    for rules, explanation in zip(rule_sets, explanations, strict=True):
        reason = str(explanation).removeprefix(format_value(explanation.prediction))
        is_own = explanation.prediction == rules.positive
        lines.append(f"  {'' if is_own else 'not '}{format_value(rules.positive)}{reason}")
    return "\n".join(lines)


def _plain(rule_sets: Sequence[RuleSet], explanations: Sequence[Explanation]) -> dict[str, Any]:
    plain = [
        {
            "decided_by": [list(map(str, clause.conditions)) for clause in e.decided_by],
            "nearest": None if e.nearest is None else list(map(str, e.nearest.conditions)),
            "failed": list(map(str, e.failed)),
            "probability": e.probability,
            "interval": e.interval,
            "is_corrected": e.is_corrected,
        }
        for e in explanations
    ]
    if len(plain) == 1:
        return plain[0]
    labelled = zip(rule_sets, plain, strict=True)
    return {"rule_sets": [{"label": rules.positive} | reasons for rules, reasons in labelled]}
