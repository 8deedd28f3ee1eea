"""The certificate in two sentences: every kind of claim, and none that was not proved."""

from dataclasses import replace

import pytest

from boolrules import Argument, Certificate, Constraints
from boolrules.data.problem import Problem
from boolrules.insight.report.reading import keeping, reading


def certificate(loss, bound, **limits):
    argument = Argument.NONE if bound is None else Argument.EXACT_SEARCH
    return Certificate(loss, 5, bound, argument, Problem(max_complexity=5, **limits))


def test_an_optimum_cannot_be_beaten():
    first, second = reading(certificate(23, 23), 1540)
    assert "1,540 conditions on offer" in first
    assert "none has a Hamming loss below 23" in first
    assert first.endswith("these have 23, so none is better there.")
    assert "nothing about new rows" in second


def test_all_thresholds_are_named_instead_of_a_number_of_conditions():
    first, _ = reading(replace(certificate(23, 23), thresholds="all"), 30_620)
    assert "at most 5 that can be written over these columns with any thresholds, none" in first
    assert "30,620" not in first
    unknown, _ = reading(certificate(23, 23), None)
    assert "with the conditions on offer, none" in unknown


def test_a_gap_says_how_much_could_be_gained():
    first, _ = reading(certificate(143, 142), 10)
    assert "none has a Hamming loss below 142" in first
    assert first.endswith("these have 143, so at most 1 could still be gained there.")


def test_without_a_bound_nothing_is_claimed():
    first, _ = reading(certificate(7, None), 10)
    assert "nothing was proved" in first
    assert "none" not in first
    assert "may or may not exist" in first


@pytest.mark.parametrize("limits", [{"max_conditions": 2}, {"clause_cost": 2}])
def test_other_limits_are_not_passed_over(limits):
    assert "other limits named above" in reading(certificate(7, 7, **limits), 10)[0]
    assert "other limits" not in reading(certificate(7, 7), 10)[0]


def test_constraints_are_named_where_the_proof_is():
    kept = Constraints(forbidden_features=["id", "note"], preferred_features=["age"])
    claim = replace(certificate(7, 6), constraints=kept)
    assert keeping(claim) == "Constraints: no id; no note; preferring age."
    assert "at most 5, within the constraints named above, that can" in reading(claim, 10)[0]
    both = replace(claim, problem=Problem(max_complexity=5, max_conditions=2))
    assert "within the other limits and constraints named above," in reading(both, 10)[0]
    assert keeping(certificate(7, 6)) is None
    assert keeping(replace(claim, constraints=Constraints(preferred_features=["age"]))) is None


def test_a_penalty_is_part_of_what_is_bounded():
    first, _ = reading(certificate(7, 9.5, complexity_penalty=0.5), 10)
    assert "Hamming loss plus 0.5 per unit of complexity below 9.5" in first
    assert first.endswith("these have 9.5, so none is better there.")


def test_there_are_two_sentences():
    for bound in (23, 20, None):
        assert all(part.count(". ") == 0 for part in reading(certificate(23, bound), 10))
