"""What is loaded before splits, and before the proof, is what each will search with."""

import numpy as np
import pytest

from boolrules import BooleanRuleClassifier, FeatureBinarizer
from boolrules._support.table import read_table
from boolrules.data.every_threshold import ALL
from boolrules.estimators import loading

TABLE = read_table(np.arange(400.0)[:, None])


@pytest.mark.parametrize(("thresholds", "n_codes"), [(10, 11), (ALL, 401)])
def test_the_chosen_candidate_decides_what_is_loaded_to_prove_it(monkeypatch, thresholds, n_codes):
    asked = []
    monkeypatch.setattr(loading, "warm_up", lambda engine, **what: asked.append((engine, what)))
    model = BooleanRuleClassifier(binarizer=FeatureBinarizer(thresholds=thresholds))
    loading.load_what_proves(model, {"thresholds": thresholds}, TABLE)
    assert asked == [("numba", {"with_cuts": thresholds == ALL, "n_codes": n_codes})]
