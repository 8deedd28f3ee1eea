"""The best bound of a run is kept, with the duals that it rests on."""

import numpy as np

from boolrules.data.bins import BinnedConditions
from boolrules.data.column import IntegerDuals
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.proof.bound import ProvedBound
from boolrules.proof.certificate import Argument
from boolrules.search.pricer import PricingResult


def priced(mu, lam=0, is_exact=True):
    duals = IntegerDuals(np.array([mu]), lam, 1)
    return PricingResult([], None, 0.0, duals, is_exact, 0)


def made():
    conditions = BinnedConditions.build([(0, [(1, 2)])], n_codes=[2])
    codes, weights = np.array([[1], [0]], dtype=np.uint8), np.array([9.0, 1.0])
    samples = TrainingSet.merge(codes, np.array([True, False]), weights, conditions)
    return ProvedBound(samples, Problem(max_complexity=2))


def test_the_higher_of_two_bounds_is_kept_in_whichever_order():
    for values in ([3, 5, 4], [5, 4, 3], [4, 3, 5]):
        proof = made()
        for value in values:
            proof.consider(priced(value))
        assert proof.lower_bound == 5
        assert proof.duals.mu.tolist() == [5]


def test_nothing_is_known_before_a_bound_above_zero():
    proof = made()
    assert proof.lower_bound is None
    proof.consider(PricingResult([], None, None, None, False, 0))
    proof.consider(priced(4, lam=2))
    assert proof.lower_bound is None
    assert proof.certify([]).argument is Argument.NONE


def test_who_proved_it_is_told():
    for is_exact, argument in ((True, Argument.EXACT_SEARCH), (False, Argument.INTEGER_PROGRAM)):
        proof = made()
        proof.consider(priced(5, is_exact=is_exact))
        certificate = proof.certify([])
        assert (certificate.argument, certificate.lower_bound) == (argument, 5)
        assert (proof.searchable_duals is not None) == is_exact
    proof.closed_at = 9
    assert proof.certify([]).argument is Argument.ENUMERATION
    assert proof.certify([(0,)]).argument is Argument.ZERO_LOSS
