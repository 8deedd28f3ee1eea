"""What is compiled before a search is what the search calls."""

import numpy as np
import pytest

from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV
from boolrules.solver import warm_up

X = np.arange(40.0)[:, None] % 7
y = X[:, 0] > 3


def fit(mode):
    BooleanRuleClassifier(2, mode=mode).fit(X, y)


def follow(mode):
    BooleanRuleClassifier(mode=mode).fit_path(X, y, [2], patience=1)


def choose(mode):
    classifier = BooleanRuleClassifier(mode=mode)
    BooleanRuleClassifierCV(classifier, complexities=[2], cv=2, n_repeats=1).fit(X, y)


@pytest.mark.parametrize(
    ("learn", "mode", "is_fast"),
    [
        (fit, "prove", False),
        (fit, "fast", False),
        (follow, "prove", False),
        (follow, "fast", True),
        (choose, "prove", True),
    ],
)
def test_kernels_of_fast_paths_are_loaded_for_these_alone(monkeypatch, learn, mode, is_fast):
    loaded = []
    monkeypatch.setattr(warm_up, "_load", lambda *what: loaded.append(what))
    learn(mode)
    assert any(with_fast_paths for _, _, with_fast_paths, _ in loaded) is is_fast
