"""Learning from partitions against learning from the whole."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from distributed_cases import split
from hypothesis import given

from boolrules import FeatureBinarizer, Form
from boolrules._support.table import read_table
from boolrules.data.problem import Problem
from boolrules.distributed import InProcess, Partition, PartitionedTrainingSet
from boolrules.proof.bound import is_proved_again
from boolrules.proof.gap import has_integer_objective
from boolrules.solver.column_generation import learn
from boolrules.solver.settings import SearchLimits, Settings
from strategies import generators, make_training_set, problems, times, training_sets


def learned(training_set, problem, **settings):
    return learn(training_set, problem, Settings(time_limit=None, **settings), lambda _: None)


@times(0.5)
@given(training_sets(), problems(), generators())
def test_loss_bound_and_proof_are_those_of_one_machine(training_set, problem, random):
    whole = learned(training_set, problem).certificate
    parts = learned(split(training_set, random), problem).certificate
    if has_integer_objective(training_set, problem):
        assert parts.hamming_loss == whole.hamming_loss
        assert parts.lower_bound == whole.lower_bound
        assert parts.is_optimal == whole.is_optimal
    rounding = 1e-8 * training_set.total_weight
    assert parts.objective == pytest.approx(whole.objective, abs=rounding)
    bounds = [certificate.lower_bound or 0.0 for certificate in (parts, whole)]
    assert bounds[0] == pytest.approx(bounds[1], abs=rounding)


@times(0.5)
@given(training_sets(whole=True), problems(), generators())
def test_certificate_of_partitions_is_verified_on_the_whole(training_set, problem, random):
    result = learned(split(training_set, random), problem)
    assert is_proved_again(result.certificate, training_set)
    chosen = [column.clause for column in result.chosen_columns]
    assert training_set.hamming_loss(chosen) == result.certificate.hamming_loss


@times(0.5)
@given(training_sets(whole=True), problems(), generators())
def test_certificate_of_partitions_is_verified_on_other_partitions(training_set, problem, random):
    result = learned(split(training_set, random), problem)
    parts = split(training_set, random, n_parts=2)
    assert is_proved_again(result.certificate, parts)
    best = learned(training_set, problem).certificate
    if best.is_optimal:
        higher = replace(result.certificate, lower_bound=best.objective + 1)
        assert not is_proved_again(higher, parts)


@times(0.3)
@given(training_sets(whole=True), problems(), generators())
def test_every_step_is_that_of_a_master_over_patterns(training_set, problem, random):
    with mock.patch("boolrules.data.training_set.MANY_POSITIVES", -1):
        whole = learned(training_set, problem, limits=SearchLimits(max_rounds=3))
    parts = learned(split(training_set, random), problem, limits=SearchLimits(max_rounds=3))
    for one, other in zip(parts.trace, whole.trace, strict=True):
        assert (one.z_rmlp, one.n_columns, one.pricer) == (
            pytest.approx(other.z_rmlp, abs=1e-9),
            other.n_columns,
            other.pricer,
        )
    assert parts.certificate.hamming_loss == whole.certificate.hamming_loss
    assert [c.clause for c in parts.columns] == [c.clause for c in whole.columns]


@times(0.3)
@given(training_sets(whole=True), problems(), generators())
def test_sampling_within_partitions_does_not_change_what_is_proved(training_set, problem, random):
    expected = learned(training_set, problem).certificate
    with mock.patch("boolrules.solver.pricing.in_turn.LARGE_N_ROWS", 1):
        found = learned(split(training_set, random), problem).certificate
    least = 1e-9 * (1 + expected.objective)
    assert found.lower_bound is None or found.lower_bound <= expected.objective + least
    assert found.objective >= expected.lower_bound - least
    if found.is_optimal and expected.is_optimal:
        assert found.objective == pytest.approx(expected.objective, rel=1e-8)


def test_an_empty_partition_is_no_trouble():
    table = read_table(np.random.default_rng(0).integers(0, 4, (60, 4)).astype(float))
    is_positive = np.random.default_rng(1).random(60) < 0.4
    encoding = FeatureBinarizer().fit(np.column_stack([c.values for c in table.columns])).encoding_
    training_set = make_training_set(encoding, table, is_positive, np.ones(60), Form.DNF)
    problem = Problem(max_complexity=6)
    nothing = training_set.sample(
        np.empty(0, dtype=np.int64),
        np.empty(0, dtype=np.int64),
        np.arange(len(training_set.conditions)),
    )
    workers = InProcess([Partition(nothing), Partition(training_set), Partition(nothing)])
    parts = learned(PartitionedTrainingSet(training_set.conditions, workers), problem)
    expected = learned(training_set, problem).certificate
    assert parts.certificate.hamming_loss == expected.hamming_loss
    assert parts.certificate.lower_bound == expected.lower_bound
