"""``boolrules alternatives``: the other rule sets that are as good as a model's, or nearly."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from boolrules.cli.csv_reading import add_reading_options
from boolrules.cli.options import time_limit
from boolrules.cli.output import say
from boolrules.cli.printable import printable

if TYPE_CHECKING:
    import argparse

    import numpy as np
    from numpy.typing import NDArray

    from boolrules import Model
    from boolrules.insight.alternatives import Alternatives


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "List the rule sets that lose no more than the model, or little more, ranked "
        "by how differently they answer, and in how many of them each column appears. Say whether "
        "these are all."
    )
    parser.epilog = (
        "examples:\n  boolrules alternatives model.json data.csv\n"
        "  boolrules alternatives model.json data.csv --within 2 --most 20 --json\n"
    )
    parser.set_defaults(run=run)
    parser.add_argument("model", help="model file written by fit --save")
    parser.add_argument("data", help="the file that the model was fitted on")
    parser.add_argument(
        "--within",
        type=float,
        default=0,
        metavar="X",
        help="how much more than the model they may lose (default 0)",
    )
    parser.add_argument(
        "--most", type=int, default=20, metavar="N", help="most to show (default 20)"
    )
    parser.add_argument(
        "--label", metavar="LABEL", help="with three labels or more: whose rule set"
    )
    parser.add_argument(
        "--target", metavar="COL", help="label column (default: as saved in the model)"
    )
    parser.add_argument(
        "--sample-weight", metavar="COL", help="column with the weight of each row, if fit had one"
    )
    parser.add_argument(
        "--time-limit",
        type=time_limit,
        default=60,
        metavar="SECONDS",
        help="end the search after this long (default 60)",
    )
    add_reading_options(parser)
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of text"
    )


def run(options: argparse.Namespace) -> int:
    """List and print."""
    from boolrules import find_alternatives
    from boolrules.cli.fitted_data import read_fitted_data
    from boolrules.solver.progress import waiting

    given = read_fitted_data(options)
    with waiting(int(sys.stderr.isatty()), "listing the alternatives", options.time_limit):
        found = find_alternatives(
            given.model,
            given.frame,
            given.labels.values,
            given.weights,
            within=options.within,
            most=options.most,
            time_limit=options.time_limit,
            label=_label(given.model, options.label),
        )
    if options.json:
        say(json.dumps(_plain(found, given.row_numbers), ensure_ascii=False))
    else:
        say(printable(str(found)))
    return 0


def _label(model: Model, text: str | None) -> Any:
    """Return the label that prints as the text, whose rule set there must be."""
    from boolrules.rules.condition import format_value

    labels = [rules.positive for rules in model.rule_sets]
    label = next((label for label in model.classes if str(label) == text), text)
    if label not in labels and not (label is None and len(labels) == 1):
        given = "" if text is None else f"--label {text!r:.80} has none. "
        raise ValueError(
            f"The model has a rule set for each of {', '.join(map(format_value, labels))}. "
            f"{given}Say with --label whose alternatives are wanted."
        )
    return label


def _plain(found: Alternatives, numbers: NDArray[np.int64] | None) -> dict[str, Any]:
    """Return what ``--json`` prints, with row numbers as in the file."""
    rows = []
    for row, one in zip(found.to_rows(), found, strict=True):
        places = one.differs_on
        differs_on = places + 1 if numbers is None else numbers[places]
        rows.append(row | {"rules": one.rule_set.to_text(), "differs_on": differs_on.tolist()})
    return {
        "within": found.within,
        "n_rule_sets": found.n_rule_sets,
        "n_answers": found.n_answers,
        "is_complete": found.is_complete,
        "features": found.features,
        "alternatives": rows,
    }
