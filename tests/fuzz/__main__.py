"""``python -m fuzz --seconds 60 --seed 1``: exit code 1 where something is found."""

import argparse
import random
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

import altered

from fuzz.cases import KINDS, fitted
from fuzz.judging import FoundError, in_time


def fuzz(seconds, seed, kinds, case=None):
    """Play cases for so long, or one; print what is found and a summary; return 1 or 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        prepare()
        spent = dict.fromkeys(kinds, 0.0)
        n_played = dict.fromkeys(kinds, 0)
        found = None
        while found is None and (sum(spent.values()) < seconds or 0 in n_played.values()):
            kind = min(kinds, key=lambda kind: (n_played[kind] > 0, spent[kind]))
            begun = time.monotonic()
            found = play(kind, seed, n_played[kind] if case is None else case)
            spent[kind] += time.monotonic() - begun
            n_played[kind] += 1
            if case is not None:
                break
    counts = ", ".join(f"{n} {kind}" for kind, n in n_played.items())
    print(f"{'FOUND after' if found else 'Nothing found in'} {counts} (seed {seed})")
    return int(found is not None)


def prepare():
    """Fit the models, once: that compiles what is not compiled yet, and no case waits for it."""
    for kind in altered.KINDS:
        fitted(kind)


def play(kind, seed, n):
    """Play one case; print and return what it finds, or None."""
    try:
        with in_time(), tempfile.TemporaryDirectory() as folder:
            KINDS[kind](random.Random(f"{seed} {kind} {n}"), Path(folder))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of polars, or an exit, is no Exception
        text = str(error) if isinstance(error, FoundError) else traceback.format_exc()
        print(f"FOUND {text}\n  again: make fuzz SEED={seed} KIND={kind} CASE={n}", flush=True)
        return text
    return None


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS, action="append", help="this kind alone")
    parser.add_argument("--case", type=int, help="this case alone, of --kind")
    options = parser.parse_args(arguments)
    return fuzz(options.seconds, options.seed, options.kind or list(KINDS), options.case)


if __name__ == "__main__":
    sys.exit(main())
