"""RIPPER of wittgenstein, in its own environment: started by ``ripper``, never imported."""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from wittgenstein import RIPPER


def main():
    warnings.filterwarnings("ignore")
    answers, sys.stdout = sys.stdout, sys.stderr  # nothing else may speak on that line
    folder = Path(sys.argv[1])
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    with np.load(folder / "samples.npz") as samples:
        holds, is_positive = samples["holds"], samples["is_positive"]
    names = [f"c{place}" for place in range(holds.shape[1])]
    # As text, so that zeros and ones are categories and are not cut into bins.
    frame = pd.DataFrame(np.where(holds, "1", "0"), columns=names)
    frame["class"] = np.where(is_positive, "1", "0")
    model = RIPPER(random_state=request["seed"])
    model.fit(frame, class_feat="class", pos_class="1")
    rules = [
        [(int(cond.feature[1:]), str(cond.val) == "1") for cond in rule.conds]
        for rule in model.ruleset_.rules
    ]
    print(json.dumps(rules), file=answers, flush=True)


if __name__ == "__main__":
    main()
