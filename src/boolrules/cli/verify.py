"""``boolrules verify``: check everything that a model file claims against the data."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from boolrules._support.budget import Budget
from boolrules.cli.cluster import add_scheduler, is_on_dask
from boolrules.cli.csv_reading import add_reading_options
from boolrules.cli.options import add_parameter, time_limit
from boolrules.cli.output import say

if TYPE_CHECKING:
    import argparse

    from boolrules.proof.verification import Verification


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Recompute the loss and prove the bound anew from the stored duals, in exact "
        "integers. No LP solver takes part. Exit code 1 if anything claimed does not hold, or if "
        "these are not the training rows: how rules do on others says score."
    )
    parser.epilog = (
        "examples:\n  boolrules verify model.json data.csv\n"
        "  boolrules verify model.json data.csv --time-limit 60 --json\n"
    )
    parser.set_defaults(run=run)
    parser.add_argument("model", help="model file written by fit --save")
    parser.add_argument("data", help="the file that the model was fitted on")
    parser.add_argument(
        "--target", metavar="COL", help="label column (default: as saved in the model)"
    )
    parser.add_argument(
        "--sample-weight", metavar="COL", help="column with the weight of each row, if fit had one"
    )
    parser.add_argument(
        "--time-limit",
        type=time_limit,
        metavar="SECONDS",
        help="give up after this long (default: never)",
    )
    add_parameter(parser, "engine")
    add_scheduler(parser)
    add_reading_options(parser)
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of text"
    )


def _verified(options: argparse.Namespace) -> Verification:
    import polars

    from boolrules.cli.fitted_data import read_fitted_data
    from boolrules.cli.on_dask import verify_on_dask
    from boolrules.solver.progress import waiting
    from boolrules.solver.warm_up import warm_up, warm_up_to_read

    progress = (int(sys.stderr.isatty()), "proving the claims anew", options.time_limit)
    if is_on_dask(options):
        warm_up("numba")
        with waiting(*progress):
            return verify_on_dask(options, Budget.of(options.time_limit))
    given = read_fitted_data(options)
    engine = "numba" if options.engine == "dask" else options.engine
    warm_up_to_read(given.model.encoding, engine)
    with waiting(*progress):
        return given.model.verify(
            given.frame,
            polars.Series(options.target or given.model.target, given.labels.values),
            given.weights,
            Budget.of(options.time_limit),
            engine,
        )


def run(options: argparse.Namespace) -> int:
    """Verify and print what holds."""
    from boolrules.cli.show import Output, show_verification

    verification = _verified(options)
    if options.json:
        findings = [{"holds": f.holds, "text": f.text} for f in verification.findings]
        verdict = {
            "holds": verification.holds,
            "other_rows": verification.other_rows,
            "unchecked": list(verification.unchecked),
            "findings": findings,
        }
        say(json.dumps(verdict, ensure_ascii=False))
    else:
        show_verification(Output(), verification)
    return 0 if verification.holds else 1
