"""What a requirement costs: losses rise as limits tighten, and every point verifies."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from boolrules import BooleanRuleClassifier, requirement_path
from boolrules.estimators.requirement_path import RequirementPath, RequirementPoint, _served
from boolrules.proof.certificate import Argument
from strategies import generators, times


@times(0.1)
@given(generators())
def test_points_are_those_of_single_fits(random):
    X = random.integers(0, 3, (25, 3))
    y = random.random(25) < 0.4
    y[:2] = True, False
    limits = [0.9, 0.5, 1]
    path = requirement_path(X, y, "precision >= 0.5", limits, max_complexity=4)
    assert [point.requirement.limit for point in path] == [0.5, 0.9, 1]
    for point in path:
        single = BooleanRuleClassifier(4, requirements=point.requirement).fit(X, y)
        assert point.model.hamming_loss == single.certificate_.hamming_loss
        assert point.classifier.verify(X, y).holds
    losses = [point.model.hamming_loss for point in path]
    assert losses == sorted(losses)


def test_what_cannot_be_had_is_a_point_too():
    X, y = np.array([[0], [0], [1], [1]]), np.array([0, 1, 0, 1])
    path = requirement_path(
        X, y, "precision >= 0.5", [0.5, 0.9], max_complexity=4, requirements="recall >= 0.5"
    )
    assert [point.word for point in path] == ["optimal", "cannot be had"]
    assert path.to_rows()[1]["is_proved_unmet"]
    assert "cannot be had" in str(path)
    assert path.plot().axes[0].get_legend() is not None


def test_rules_go_to_looser_limits_and_bounds_to_tighter_ones():
    X = np.array([[0], [1], [2], [3], [4], [5]])
    y = np.array([0, 0, 1, 0, 1, 1])
    loose, tight = (
        BooleanRuleClassifier(4, requirements=f"recall >= {limit}").fit(X, y) for limit in (0.5, 1)
    )
    best, bound = loose.certificate_, tight.certificate_
    worse = replace(best, hamming_loss=6, complexity=0)
    loose.model_ = replace(loose.model_, certificates=(worse,))
    unproved = replace(bound, lower_bound=None, argument=Argument.NONE, duals=None)
    tight.model_ = replace(tight.model_, certificates=(unproved,))
    requirement = best.requirements[0]
    points = [
        RequirementPoint(requirement, loose),
        RequirementPoint(bound.requirements[0], tight),
    ]
    path = RequirementPath(tuple(_served(points)))
    assert path[0].model.hamming_loss == bound.hamming_loss
    assert path[0].model.requirements == (requirement,)
    assert path[1].model.lower_bound == best.lower_bound
    assert all(point.classifier.verify(X, y).holds for point in path)


def test_no_limit_is_an_error():
    with pytest.raises(ValueError, match="limits is empty"):
        requirement_path([[0], [1]], [0, 1], "recall >= 0.5", [])
