"""Rivals in environments of their own: started by ``rivals.ask``, never imported.

Each function has the arrays and the request, and returns what is printed as a line of JSON. A
condition of a rule is its place and whether it must hold; a tree is nested, a leaf being a number
and any other node a condition with the tree where it does not hold and the one where it does.
"""

import base64
import json
import pickle
import random
import sys
import warnings
from math import comb
from pathlib import Path

import numpy as np

DEPTH = 3


def distinct(holds):
    """Return the places of conditions, less copies and complements, which no tree needs."""
    seen, places = set(), []
    for place, (column, other) in enumerate(zip(holds.T, ~holds.T, strict=True)):
        key = np.packbits(column).tobytes()
        if key not in seen:
            seen |= {key, np.packbits(other).tobytes()}
            places.append(place)
    return places


def gosdt(arrays, request):
    from gosdt import GOSDTClassifier

    places = distinct(arrays["holds"])

    def nested(node):
        if "prediction" in node:
            return int(node["prediction"])
        return [places[node["feature"]], nested(node["false"]), nested(node["true"])]

    trees = []
    for price in request["parameters"]:
        seconds = max(1, int(request["seconds"]))
        model = GOSDTClassifier(regularization=price, depth_budget=DEPTH, time_limit=seconds)
        model.fit(arrays["holds"][:, places], arrays["is_positive"].astype(int))
        trees.append(nested(json.loads(model.result_.model)[0]))
    return trees


def streed(arrays, request):
    from pystreed import STreeDClassifier

    places = distinct(arrays["holds"])

    def nested(node):
        if node.is_leaf_node():
            return int(node.label)
        return [places[node.feature], nested(node.left_child), nested(node.right_child)]

    trees = []
    for n_nodes in request["parameters"]:
        model = STreeDClassifier(
            "accuracy",
            max_depth=DEPTH,
            max_num_nodes=n_nodes,
            time_limit=request["seconds"],
            random_seed=request["seed"],
        )
        model.fit(arrays["holds"][:, places].astype(int), arrays["is_positive"].astype(int))
        trees.append(nested(model.tree_))
    return trees


def figs(arrays, request):
    from imodels import FIGSClassifier

    def nested(node):
        if node.left is None:
            negative, positive = node.value
            return float(positive - negative)
        return [int(node.feature), nested(node.left), nested(node.right)]

    sums = []
    for n_splits in request["parameters"]:
        model = FIGSClassifier(max_rules=n_splits, random_state=request["seed"])
        model.fit(arrays["holds"].astype(float), arrays["is_positive"].astype(int))
        sums.append([nested(tree) for tree in model.trees_])
    return sums


def brs(arrays, request):
    from imodels import BayesianRuleSetClassifier

    class Counted(BayesianRuleSetClassifier):
        def _set_pattern_space(self):
            """Count sets of conditions by a formula; it would list them one by one."""
            negated = [f"{name}_neg" for name in self.attr_names]
            self.attr_level_num.update(dict.fromkeys(negated, 1))
            self.attr_names.extend(negated)
            sizes = range(1, self.maxlen + 1)
            self.pattern_space = np.array([0.0, *(comb(len(self.attr_names), k) for k in sizes)])

    places = distinct(arrays["holds"])  # it adds the complements itself
    model = Counted(maxlen=3)
    random.seed(request["seed"])
    names = [f"c{place}" for place in places]
    holds = arrays["holds"][:, places].astype(int)
    model.fit(holds, arrays["is_positive"].astype(int), feature_names=names)
    rules = [
        [(int(name.removesuffix("_neg")[1:]), not name.endswith("_neg")) for name in rule]
        for rule in model.rules_
    ]
    return [rules]


def ruleopt(arrays, request):
    from ruleopt import RUGClassifier
    from ruleopt.solver import HiGHSSolver

    found = []
    for depth, price in request["parameters"]:
        model = RUGClassifier(
            HiGHSSolver(penalty=price), max_depth=depth, random_state=request["seed"]
        )
        model.fit(arrays["holds"].astype(float), arrays["is_positive"].astype(int))
        found.append([_weighted(rule) for rule in model.decision_rules_.values()])
    return found


def _weighted(rule):
    return {
        "body": [(j, bool(np.isfinite(ends["lb"]))) for j, ends in rule.to_dict().items()],
        "label": bool(rule.label),
        "weight": float(rule.weight),
        "share": float(rule.sdist[1] / rule.sdist.sum()),
    }


def wittgenstein(arrays, request):
    import pandas as pd
    from wittgenstein import RIPPER

    names = [f"c{place}" for place in range(arrays["holds"].shape[1])]
    # As text, so that zeros and ones are categories and are not cut into bins.
    frame = pd.DataFrame(np.where(arrays["holds"], "1", "0"), columns=names)
    frame["class"] = np.where(arrays["is_positive"], "1", "0")
    model = RIPPER(random_state=request["seed"])
    model.fit(frame, class_feat="class", pos_class="1")
    rules = [
        [(int(cond.feature[1:]), str(cond.val) == "1") for cond in rule.conds]
        for rule in model.ruleset_.rules
    ]
    return [rules]


def ebm(arrays, request):
    from interpret.glassbox import ExplainableBoostingClassifier

    if "model" in request:
        model = pickle.loads(base64.b64decode(request["model"]))
        return model.predict_proba(arrays["table"])[:, 1].tolist()
    bags = {} if request["bags"] is None else {"outer_bags": request["bags"]}
    model = ExplainableBoostingClassifier(
        **bags,
        feature_types=["nominal" if text else "continuous" for text in request["is_text"]],
        n_jobs=request["n_threads"],
        random_state=request["seed"],
    )
    model.fit(arrays["table"], arrays["is_positive"].astype(int))
    return base64.b64encode(pickle.dumps(model)).decode()


RIVALS = {"GOSDT": gosdt, "STreeD": streed, "FIGS": figs, "BRS imodels": brs, "ruleopt": ruleopt}
RIVALS |= {"wittgenstein": wittgenstein, "EBM": ebm}


def main():
    warnings.filterwarnings("ignore")
    answers, sys.stdout = sys.stdout, sys.stderr  # nothing else may speak on that line
    folder = Path(sys.argv[1])
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    with np.load(folder / "arrays.npz") as file:
        arrays = dict(file)
    print(json.dumps(RIVALS[request["rival"]](arrays, request)), file=answers, flush=True)


if __name__ == "__main__":
    main()
