"""Models of many kinds, and every way to alter their files that a test can think of."""

import copy
import hashlib
import json
from dataclasses import replace

import numpy as np
import polars as pl

from boolrules import BooleanRuleClassifier, FeatureBinarizer
from boolrules.rules.calibration import Calibration

N = 48
RANDOM = np.random.default_rng(3)
X = pl.DataFrame(
    {
        "age": [None if k % 9 == 0 else float(k) for k in range(N)],
        "score": [-9.0 if k % 7 == 0 else k % 5 + 0.5 for k in range(N)],
        "job": RANDOM.choice(["clerk", "cook", "nurse"], N),
        "member": RANDOM.random(N) < 0.5,
        "code": RANDOM.choice([3, 5, 8], N),
    }
)
RISK = np.where(RANDOM.random(N) < 0.3, "low", np.where(np.arange(N) > 24, "high", "low"))
GRADE = np.array(["a", "b", "c"])[(np.arange(N) // 16 + (RANDOM.random(N) < 0.25)) % 3]
WHOLE, PARTS = RANDOM.integers(0, 4, N).astype(float), RANDOM.random(N)
CODED = FeatureBinarizer(special_values=[-9], categorical_features=["code"])
EVERY = FeatureBinarizer(thresholds="all", special_values=[-9])
PICKED = FeatureBinarizer(thresholds={"code": [4, 5]})
INTERVALS = FeatureBinarizer(method="intervals")
CONSTRAINTS = {
    "forbidden_features": ["member"],
    "forbidden_conditions": ["job == 'cook'", "score <="],
    "monotone": {"age": "increasing"},
    "preferred_features": ["score"],
    "given_clauses": ["age > 40 AND job == 'nurse'"],
    "required": ["score"],
}
ASKED = ["recall >= 0.3", "precision >= 0.5 within member", "flagged <= 90 where job = clerk"]
KINDS = {
    "dnf": (RISK, None, {"binarizer": CODED}),
    "cnf": (RISK, WHOLE, {"form": "cnf", "class_weight": "balanced", "missed_positive_cost": 2.5}),
    "three classes": (GRADE, None, {}),
    "three classes by weight": (GRADE, PARTS, {"class_weight": "balanced", "form": "cnf"}),
    "every threshold": (RISK, None, {"binarizer": EVERY}),
    "intervals": (RISK, None, {"binarizer": INTERVALS, "max_conditions": 2}),
    "whole numbers": (np.where(X["code"] == 5, "high", "low"), None, {"binarizer": PICKED}),
    "nothing proved": (RISK, None, {"mode": "fast", "search_limits": {"max_rounds": 1}}),
    "one class": (np.zeros(N), None, {}),
    "prices": (RISK == "high", None, {"complexity_penalty": 0.25, "clause_cost": 2}),
    "demands": (
        RISK,
        None,
        {"max_complexity": 8, "positive_label": "high", "max_clauses": 3, "min_coverage": 1,
         "constraints": CONSTRAINTS},
    ),
    "requirements": (RISK, WHOLE, {"requirements": ASKED, "objective": "covered"}),
    "errors": (RISK, None, {"objective": "errors"}),
    "f1": (RISK, WHOLE, {"objective": "f1"}),
}  # fmt: skip


def fit(kind):
    """Return labels, weights and a model that says all that a model of its kind can say."""
    y, weights, parameters = KINDS[kind]
    asked = {"max_complexity": 5, "time_limit": None, "random_state": 0} | parameters
    labels = pl.Series("risk", y)
    model = BooleanRuleClassifier(**asked).fit(X, labels, weights).model_
    corrected = tuple(
        replace(rules, calibration=Calibration(0.1, 0.9)) for rules in model.rule_sets
    )
    figures = replace(model.score_rows(X, y), description="5 folds")
    return labels, weights, replace(model, rule_sets=corrected, held_out=figures)


def signed(plain):
    """The file of a forger who knows the checksum."""
    contents = {name: part for name, part in plain.items() if name != "sha256"}
    text = json.dumps(contents, sort_keys=True, ensure_ascii=False)
    digest = hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()
    return json.dumps(contents | {"sha256": digest})


def places(plain, path=()):
    """Return every place of a file, objects and lists among them."""
    parts = plain.items() if isinstance(plain, dict) else enumerate(plain)
    for key, part in parts:
        yield (*path, key)
        if isinstance(part, dict | list):
            yield from places(part, (*path, key))


def name_of(path):
    """Return the name of a field: where it stands, whichever of several it is."""
    return ".".join("#" if isinstance(key, int) else key for key in path)


def at(plain, path):
    for key in path:
        plain = plain[key]
    return plain


NASTY = [
    *(None, True, False, 0, -1, 1, 2, -0.0, -0.5, 0.5, 1.5, 1e308, -1e308, 5e-324),
    *(2**53, 2**53 + 1, 2**62, 2**63, 2**64, 10**30, 10**400, float("nan"), float("inf")),
    *("", "x", "s\0", "a", "b", "high", "low", "1", "\ud800", "e\u0301", "\x1b[31m", "x" * 5000),
    *("cnf", "dnf", "none", "zero loss", "no room", "exact search", "enumeration", "branches"),
    *("every rule set", "integer program", "all", "loss", "errors", "missed", "age", "job"),
    *([], {}, [1], [[1]], [[]], {"a": 1}, ["a", "b"], [None], [0]),
]


def alter(plain, random):
    """Return a copy with one thing altered, and the place of it."""
    altered = copy.deepcopy(plain)
    path = random.choice(list(places(plain)))
    holder, key = at(altered, path[:-1]), path[-1]
    old, how = holder[key], random.random()
    if how < 0.6:
        holder[key] = copy.deepcopy(random.choice(NASTY))
    elif how < 0.75 and isinstance(old, int | float) and not isinstance(old, bool):
        holder[key] = old + random.choice([1, -1, 0.5, 1e-9, -1e-9, old])
    elif how < 0.8 and isinstance(old, list):
        holder[key] = old + old[-1:]
    elif how < 0.85 and isinstance(old, dict):
        old[random.choice(["note", "target", "x"])] = copy.deepcopy(random.choice(NASTY))
    elif how < 0.9:
        del holder[key]
    else:
        holder[key] = copy.deepcopy(at(plain, random.choice(list(places(plain)))))
    return path, altered
