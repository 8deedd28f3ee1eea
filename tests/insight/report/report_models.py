"""Small models that the tests of the report share: two classes, three, CNF, hostile names."""

import numpy as np
import polars as pl

from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV

HOSTILE = [
    "</script><script>window.stolen = 1</script>",
    "a\"b'c & <b>d</b>",
    "__proto__",
    "$title ${code} \\u003c",
]


def loans(n_rows=120, seed=0):
    """Numbers, text, true/false and missing values, with a planted rule."""
    random = np.random.default_rng(seed)
    late = random.integers(0, 5, n_rows)
    debt = random.integers(0, 70, n_rows)
    home = random.choice(["own", "rent", "family"], n_rows)
    guarantor = random.random(n_rows) < 0.3
    is_bad = ((late > 1) & (debt > 35)) | ((home == "rent") & ~guarantor)
    is_bad ^= random.random(n_rows) < 0.05
    known = random.random(n_rows) > 0.1
    table = pl.DataFrame(
        {
            "late": late,
            "debt": pl.Series([int(d) if k else None for d, k in zip(debt, known, strict=True)]),
            "home": home,
            "guarantor": guarantor,
            "noise": random.normal(size=n_rows).round(3),
        }
    )
    return table, pl.Series("outcome", np.where(is_bad, "refused", "granted"))


def searched(**parameters):
    """Two classes and a path of points, one of which folds have chosen."""
    X, y = loans()
    classifier = BooleanRuleClassifier(positive_label="refused", **parameters)
    search = BooleanRuleClassifierCV(
        classifier, complexities=[2, 3, 4, 6], cv=3, random_state=0, time_limit=None
    )
    return search.fit(X, y), X, y


def three_classes(**parameters):
    """One rule set per class."""
    random = np.random.default_rng(1)
    X = random.integers(0, 12, (90, 3)).astype(float)
    y = np.array(["low", "middle", "high"])[(X[:, 0] + (X[:, 1] > 6)).astype(int) // 5]
    options = {"max_complexity": 5, "random_state": 0, "time_limit": None} | parameters
    return BooleanRuleClassifier(**options).fit(X, y), X, y


def hostile():
    """Names of columns, categories and labels that try to be markup."""
    random = np.random.default_rng(2)
    values = random.choice(HOSTILE[:3], 80)
    numbers = random.integers(0, 9, 80)
    X = pl.DataFrame({HOSTILE[0]: numbers, HOSTILE[1]: values, HOSTILE[2]: random.random(80)})
    y = np.where((numbers > 4) & (values == HOSTILE[0]), HOSTILE[0], HOSTILE[3])
    model = BooleanRuleClassifier(max_complexity=3, positive_label=HOSTILE[0], time_limit=None)
    return model.fit(X, pl.Series(HOSTILE[1], y)), X, pl.Series(HOSTILE[1], y)
