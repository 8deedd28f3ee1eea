"""Every public estimator passes scikit-learn's own checks, but for what is named here."""

import inspect

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

import boolrules

ESTIMATORS = [
    value
    for name in boolrules.__all__
    if inspect.isclass(value := getattr(boolrules, name)) and issubclass(value, BaseEstimator)
]
# Hundreds of fits: a short path is as good as a long one.
QUICK = {
    boolrules.BooleanRuleClassifierCV: lambda: boolrules.BooleanRuleClassifierCV(
        complexities=[2, 5], cv=2, n_repeats=1
    )
}

# The rules are the same, see test_integer_weights_equal_repeated_rows. Probabilities are shares of
# plain rows: a row does not become several because it matters more.
PROBABILITIES_OF_PLAIN_ROWS = {
    "check_sample_weight_equivalence_on_dense_data": "predict_proba counts plain rows"
}


def expected_to_fail(estimator):
    return PROBABILITIES_OF_PLAIN_ROWS if hasattr(estimator, "predict_proba") else {}


def test_the_public_estimators_are_found():
    assert {estimator.__name__ for estimator in ESTIMATORS} >= {
        "BooleanRuleClassifier",
        "BooleanRuleClassifierCV",
        "FeatureBinarizer",
    }


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [QUICK.get(estimator, estimator)() for estimator in ESTIMATORS],
    expected_failed_checks=expected_to_fail,
)
def test_estimator_passes_scikit_learns_checks(estimator, check):
    check(estimator)
