"""What is loaded before splits, and before the proof, is what each will search with."""

import numpy as np
import pytest

from boolrules import BooleanRuleClassifierCV
from boolrules.data.every_threshold import ALL
from boolrules.estimators import loading

X = np.arange(400.0)[:, None]


@pytest.mark.parametrize(("thresholds", "n_codes"), [(10, 11), (ALL, 401)])
def test_what_is_chosen_decides_what_is_loaded_to_prove_it(monkeypatch, thresholds, n_codes):
    asked = []
    monkeypatch.setattr(loading, "warm_up", lambda engine, **what: asked.append((engine, what)))
    BooleanRuleClassifierCV(
        complexities=[0, 2], forms=None, thresholds=[thresholds], cv=2, n_repeats=1
    ).fit(X, X[:, 0] > 250)
    assert asked == [("numba", {"with_cuts": thresholds == ALL, "n_codes": n_codes})]
