"""BooleanRuleCG of aix360, in its own environment: started by ``published``, never imported.

Takes a folder with the conditions and the labels, and the name of a cvxpy solver. Then answers
each line of standard input, a penalty and a time limit, with a line of JSON: the chosen clauses.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from aix360.algorithms.rbm.boolean_rule_cg import BooleanRuleCG

NULL_TESTS = {"is null": "==", "is not null": "!="}


def read(folder):
    """Return the table of zeros and ones, and the labels."""
    with np.load(folder / "samples.npz") as samples:
        holds, is_positive = samples["holds"], samples["is_positive"]
    conditions = json.loads((folder / "conditions.json").read_text(encoding="utf-8"))
    names = pd.MultiIndex.from_tuples([label(condition) for condition in conditions])
    return pd.DataFrame(holds.astype(int), columns=names), is_positive.astype(int)


def label(condition):
    """Name a condition as aix360's own binarizer does: feature, relation, value.

    Its beam search compares the values, so thresholds stay numbers.
    """
    feature, relation = condition["feature"], condition["relation"]
    if relation in NULL_TESTS:
        return feature, NULL_TESTS[relation], "NaN"
    return feature, relation, condition["value"]


def fit(X, y, solver, penalty, seconds):
    """Return the clauses as places of conditions; what the fit raises is an answer too."""
    model = BooleanRuleCG(
        lambda0=penalty, lambda1=penalty, CNF=False, timeMax=seconds, solver=solver, silent=True
    )
    started = time.perf_counter()
    try:
        model.fit(X, y)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:200]}
    fit_seconds = time.perf_counter() - started
    chosen = np.flatnonzero(np.asarray(model.w) > 0.5)
    clauses = [np.flatnonzero(model.z.iloc[:, k]).tolist() for k in chosen]
    return {"clauses": clauses, "seconds": fit_seconds, "rounds": model.it}


def main():
    warnings.filterwarnings("ignore")
    folder, solver = Path(sys.argv[1]), sys.argv[2]
    answers, sys.stdout = sys.stdout, sys.stderr  # nothing else may speak on that line
    X, y = read(folder)
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(fit(X, y, solver, **json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
