"""The whole loop against every rule set: what it certifies is true, whenever it stops."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise
from unittest import mock

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import brute_force
from boolrules import Argument
from boolrules._support.budget import Budget
from boolrules._support.table import read_table
from boolrules.data.bins import BinnedConditions
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.proof.bound import is_proved_again
from boolrules.proof.gap import Outcome, search_the_gap
from boolrules.rules import Form
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.solver import incumbent, master
from boolrules.solver.column_generation import ColumnGeneration, learn
from boolrules.solver.incumbent import Incumbent
from boolrules.solver.pricing import in_turn as pricers
from boolrules.solver.result import StopReason
from boolrules.solver.selection import Selection
from boolrules.solver.settings import SearchLimits, Settings
from strategies import (
    binary_encoding,
    make_training_set,
    problems,
    times,
    training_sets,
)

MODES = ["prove", "paper"]
CONVERGED = {StopReason.CONVERGED, StopReason.OPTIMAL}
modes = pytest.mark.parametrize("mode", MODES)


def limits():
    """Time limits from none to hopeless, for the whole and for one pricing call."""
    seconds = st.sampled_from([None, 1e-9, 1e-3, 5e-3, 1e-2])
    steps = st.builds(SearchLimits, pricing_time_limit=seconds)
    return st.builds(Settings, mode=st.sampled_from(MODES), time_limit=seconds, limits=steps)


def run(training_set, problem, settings, on_iteration=lambda iteration: None):
    return learn(training_set, problem, settings, on_iteration)


def without_limits(training_set, problem, mode="prove"):
    return run(training_set, problem, Settings(mode=mode, time_limit=None))


# What is claimed of every run, one function per claim.


def lower_bound_is_at_most_the_optimum(case, result):
    bound = result.certificate.lower_bound
    assert bound is None or Fraction(bound) <= case.optimum


def objective_is_that_of_the_chosen_columns(case, result):
    exact = case.objective_of(result)
    assert result.certificate.objective == pytest.approx(float(exact), rel=1e-12)


def rule_set_is_allowed_by_the_problem(case, result):
    allowed = {k.conditions for k in brute_force.every_clause(case.training_set, case.problem)}
    lengths = [len(column.clause) for column in result.chosen_columns]
    complexity = brute_force.complexity(case.problem, len(lengths), sum(lengths))
    assert {column.clause for column in result.chosen_columns} <= allowed
    assert complexity <= brute_force.decimal(case.problem.max_complexity)
    assert result.certificate.complexity == float(complexity)


def certificate_verifies(case, result):
    assert is_proved_again(result.certificate, case.training_set)


def bounds_only_rise_and_values_only_fall(case, result):
    bounds = [iteration.lower_bound or 0 for iteration in result.trace]
    values = [iteration.z_rmlp for iteration in result.trace]
    most = 1e-6 * case.training_set.total_weight
    assert bounds == sorted(bounds)
    assert all(after <= before + most for before, after in pairwise(values))


def what_is_called_optimal_is_optimal(case, result):
    if result.certificate.is_optimal:
        # What is below a billionth of fractional weights cannot be told apart.
        most = case.optimum * (1 + Fraction(1, 10**9))
        assert case.objective_of(result) <= most


@dataclass(frozen=True)
class Case:
    """What is learned from, and what enumeration says of it."""

    training_set: TrainingSet
    problem: Problem

    @cached_property
    def optimum(self):
        return brute_force.optimum(self.training_set, self.problem)

    @cached_property
    def z_mlp(self):
        return brute_force.master_lp(self.training_set, self.problem)

    def objective_of(self, result):
        columns = result.chosen_columns
        return brute_force.objective_of_columns(self.training_set, self.problem, columns)

    def holds(self, result):
        """Make the claims that any run must keep, whenever it stopped."""
        lower_bound_is_at_most_the_optimum(self, result)
        objective_is_that_of_the_chosen_columns(self, result)
        rule_set_is_allowed_by_the_problem(self, result)
        certificate_verifies(self, result)
        bounds_only_rise_and_values_only_fall(self, result)


@times(2)
@given(training_sets(), problems(), limits())
def test_a_run_keeps_all_its_promises_whatever_the_limits(training_set, problem, settings):
    Case(training_set, problem).holds(run(training_set, problem, settings))


@given(training_sets(whole=True), problems(), limits())
def test_what_is_called_optimal_is_optimal_whatever_the_limits(training_set, problem, settings):
    case, result = Case(training_set, problem), run(training_set, problem, settings)
    what_is_called_optimal_is_optimal(case, result)
    case.holds(result)


@given(training_sets(whole=True), problems(whole=True), limits())
def test_whole_objectives_are_stated_exactly(training_set, problem, settings):
    case, result = Case(training_set, problem), run(training_set, problem, settings)
    assert result.certificate.objective == case.objective_of(result)
    case.holds(result)


@given(training_sets(whole=True), problems(whole=True))
def test_where_complexity_is_whole_the_optimum_is_found_and_proved(training_set, problem):
    case, result = Case(training_set, problem), without_limits(training_set, problem)
    assert result.certificate.is_optimal
    assert float(case.objective_of(result)) == pytest.approx(float(case.optimum), rel=1e-9)


@modes
@times(2)
@given(training_sets(whole=True), problems())
def test_what_is_called_optimal_is_optimal(mode, training_set, problem):
    case, result = Case(training_set, problem), without_limits(training_set, problem, mode)
    what_is_called_optimal_is_optimal(case, result)


@modes
@times(2)
@given(training_sets(), problems())
def test_a_run_without_limits_keeps_all_its_promises(mode, training_set, problem):
    case, result = Case(training_set, problem), without_limits(training_set, problem, mode)
    case.holds(result)
    assert result.stop_reason in CONVERGED
    value_at_convergence_is_that_of_the_master_lp(case, result)
    the_argument_says_who_proved_the_bound(case, result, mode)
    if mode == "prove":
        bound_at_convergence_is_the_value_of_the_master_lp(case, result)


def central_duals():
    """Take all duals from the middle of the master, however small it is."""
    return mock.patch.multiple(master, MANY_CENTRAL=0, MANY_COLUMNS=0)


@times(2)
@modes
@given(training_sets(), problems())
def test_duals_from_the_middle_prove_what_the_linear_program_can(mode, training_set, problem):
    case = Case(training_set, problem)
    with central_duals():
        result = without_limits(training_set, problem, mode)
    case.holds(result)
    what_is_called_optimal_is_optimal(case, result)
    assert result.stop_reason in CONVERGED
    assert result.trace[-1].z_rmlp >= case.z_mlp - 1e-5 * training_set.total_weight
    if mode == "prove":
        off = master.FINEST_GAP * training_set.weight_of_positives
        bound_at_convergence_is_the_value_of_the_master_lp(case, result, off)


@given(training_sets(), problems(), limits())
def test_duals_from_the_middle_keep_all_promises_whatever_the_limits(
    training_set, problem, settings
):
    with central_duals():
        result = run(training_set, problem, settings)
    Case(training_set, problem).holds(result)


def value_at_convergence_is_that_of_the_master_lp(case, result):
    most = 1e-5 * case.training_set.total_weight
    assert result.trace[-1].z_rmlp == pytest.approx(case.z_mlp, abs=most)


def bound_at_convergence_is_the_value_of_the_master_lp(case, result, off=0.0):
    # Every unit of complexity costs the tolerance that λ is lifted by.
    units = case.training_set.unit * max(1.0, case.problem.max_complexity)
    most = 3e-6 * units + 1e-6 * case.z_mlp + off
    assert (result.certificate.lower_bound or 0) >= case.z_mlp - most


def the_argument_says_who_proved_the_bound(case, result, mode):
    certificate = result.certificate
    by_pricer = {
        "prove": {Argument.EXACT_SEARCH, Argument.ENUMERATION},
        "paper": {Argument.INTEGER_PROGRAM},
    }
    expected = {*by_pricer[mode], Argument.ZERO_LOSS, Argument.NONE}
    if not len(case.training_set.conditions):
        expected |= by_pricer["prove"]
    assert certificate.argument in expected
    assert (certificate.duals is None) == (
        certificate.argument in (Argument.ZERO_LOSS, Argument.NONE)
    )


@pytest.mark.parametrize("most", [10, 10**3, 10**6, 10**9])
@pytest.mark.parametrize("fraction", [0, 0.5])
def test_a_run_without_limits_converges_whatever_the_size_of_the_weights(most, fraction):
    for seed in range(8, 17):
        random = np.random.default_rng(seed)
        conditions = BinnedConditions.build(
            [(f, [(code, code + 1)]) for f in range(4) for code in (0, 1)], n_codes=[2] * 4
        )
        codes = random.integers(0, 2, (24, 4)).astype(np.uint8)
        weights = random.integers(1, most, 24) + fraction
        training_set = TrainingSet.merge(codes, random.random(24) < 0.5, weights, conditions)
        assert without_limits(training_set, Problem(6)).stop_reason in CONVERGED


@pytest.mark.parametrize("penalty", [1e3, 1e6, 1e10, 1e15])
@given(training_sets(whole=True))
def test_a_penalty_that_no_clause_is_worth_leaves_the_empty_rule_set(penalty, training_set):
    result = without_limits(training_set, Problem(4, complexity_penalty=penalty))
    assert result.chosen == ()
    assert result.certificate.hamming_loss == sum(training_set.weights_P)


@given(training_sets(), problems())
def test_a_gap_that_was_not_searched_to_the_end_is_not_called_closed(training_set, problem):
    unfinished = Outcome(better=None, is_proved=False, n_nodes=0)
    with mock.patch.object(incumbent, "search_the_gap", return_value=unfinished):
        certificate = without_limits(training_set, problem).certificate
    assert certificate.argument is not Argument.ENUMERATION
    assert is_proved_again(certificate, training_set)


@pytest.mark.parametrize(
    ("refined", "kicked", "n_refined"),
    [([False], [], 1), ([True], [False], 1), ([True, True, False], [True, True], 3)],
)
def test_choosing_goes_on_while_new_clauses_and_kicks_help(refined, kicked, n_refined):
    made, best = small_run()
    with (
        mock.patch.object(best, "_refine", side_effect=refined) as refine,
        mock.patch.object(best, "_kick", side_effect=kicked) as kick,
    ):
        best.select(made.last, Budget.unlimited())
    assert refine.call_count == n_refined
    assert kick.call_count == len(kicked)


def small_run(**settings):
    """Column generation over thresholds of one column, after its rounds."""
    samples = np.arange(16)
    conditions = BinnedConditions.build([(0, [(k, 16)]) for k in range(1, 16)], [16])
    codes, is_positive = samples[:, None].astype(np.uint8), samples % 3 == 0
    training_set = TrainingSet.merge(codes, is_positive, np.ones(16), conditions)
    problem, settings = Problem(max_complexity=6), Settings(**settings)
    made = ColumnGeneration(training_set, problem, settings, 0.0)
    made.generate(Budget.unlimited(), lambda iteration: None)
    return made, Incumbent(training_set, problem, settings, made.master, made.proof)


def test_a_kick_begins_with_the_incumbent_and_keeps_the_limit_on_time():
    made, chosen = small_run(mode="fast")
    chosen.select(made.last, Budget.unlimited())
    best = chosen.best
    with mock.patch.object(Selection, "kicked", side_effect=lambda start, *_: start) as kicked:
        assert not chosen._kick(Budget.unlimited())
    (start, *_), _ = kicked.call_args
    assert start.objective == best.objective
    with mock.patch.object(Selection, "kicked", side_effect=AssertionError):
        assert not chosen._kick(Budget.of(0.0))


@pytest.mark.parametrize(("mode", "n_generated"), [("fast", 3), ("prove", 1)])
def test_time_that_choosing_left_goes_to_more_columns_where_nothing_is_proved(mode, n_generated):
    made, best = small_run(mode=mode)
    reasons = [StopReason.TIME_LIMIT] * 2 + [StopReason.PRICING_LIMIT]
    with (
        mock.patch.object(ColumnGeneration, "generate", side_effect=reasons) as generate,
        mock.patch.object(Incumbent, "select") as select,
    ):
        settings = Settings(mode=mode, time_limit=60)
        result = run(made._training_set, best._problem, settings)
    assert generate.call_count == select.call_count == n_generated
    assert result.stop_reason is reasons[n_generated - 1]


@modes
@given(training_sets(), problems())
def test_certificates_are_right_where_large_data_are_sampled(mode, training_set, problem):
    with (
        mock.patch.object(pricers, "LARGE_N_ROWS", 0),
        mock.patch.object(pricers, "LARGE_N_NONZEROS", 0),
    ):
        result = without_limits(training_set, problem, mode)
    Case(training_set, problem).holds(result)


@modes
@given(training_sets(), problems())
def test_an_interrupt_gives_a_valid_result(mode, training_set, problem):
    def interrupt(iteration):
        raise KeyboardInterrupt

    settings = Settings(mode=mode, time_limit=None)
    result = run(training_set, problem, settings, interrupt)
    assert result.stop_reason is StopReason.INTERRUPTED
    assert len(result.trace) == 1
    Case(training_set, problem).holds(result)


@given(training_sets(), problems())
def test_an_interrupt_of_the_restricted_mip_leaves_what_local_search_found(training_set, problem):
    settings = Settings(time_limit=None)
    with mock.patch.object(Selection, "restricted_mip", side_effect=KeyboardInterrupt):
        result = run(training_set, problem, settings)
    Case(training_set, problem).holds(result)
    assert result.stop_reason in {StopReason.INTERRUPTED, *CONVERGED}


@given(training_sets(), problems())
def test_equal_input_gives_equal_rules(training_set, problem):
    first, second = (without_limits(training_set, problem) for _ in range(2))
    features = [[column.clause for column in r.chosen_columns] for r in (first, second)]
    assert features[0] == features[1]
    assert first.certificate.to_plain() == second.certificate.to_plain()


def two_cycles():
    """Twice three positives, each covered by two of three clauses: half of each covers all."""
    cycle = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    table = read_table(np.vstack([np.kron(np.eye(2, dtype=int), cycle), np.zeros((1, 6), int)]))
    encoding, is_positive = binary_encoding(table.names), np.arange(7) < 6
    return make_training_set(encoding, table, is_positive, np.ones(7), Form.DNF)


def test_duals_of_less_room_tell_clauses_apart_where_the_linear_program_loses_nothing():
    problem = Problem(max_complexity=7)
    training_set = two_cycles()
    generation = ColumnGeneration(training_set, problem, Settings(), 0.0)
    generation.generate(Budget.unlimited(), lambda iteration: None)
    assert not generation.proof.is_positive
    assert not generation.proof.duals.mu.any()
    generation.take_duals_of_less_room(Budget.unlimited())
    assert generation.proof.duals.mu.all()
    assert generation.proof.lower_bound is None
    certificate = without_limits(training_set, problem).certificate
    assert certificate.hamming_loss == certificate.lower_bound == 1
    assert certificate.duals.mu.all()
    assert is_proved_again(certificate, training_set)


def test_nothing_is_searched_once_nothing_is_lost(monkeypatch):
    nobody = mock.Mock(side_effect=AssertionError("searched"))
    monkeypatch.setattr(incumbent, "search_the_gap", nobody)
    monkeypatch.setattr(ColumnGeneration, "take_duals_of_less_room", nobody)
    monkeypatch.setattr(Selection, "restricted_mip", nobody)
    result = without_limits(two_cycles(), Problem(max_complexity=8))
    assert result.certificate.argument is Argument.ZERO_LOSS
    assert result.stop_reason is StopReason.OPTIMAL
    # With room for one clause less, two positives of a cycle are covered at best.
    with pytest.raises(AssertionError, match="searched"):
        without_limits(two_cycles(), Problem(max_complexity=7))


def test_an_interrupt_leaves_the_master_at_its_own_limit(monkeypatch):
    problem = Problem(max_complexity=6)
    generation = ColumnGeneration(two_cycles(), problem, Settings(), 0.0)
    generation.generate(Budget.unlimited(), lambda iteration: None)
    monkeypatch.setattr(ColumnGeneration, "generate", mock.Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        generation.take_duals_of_less_room(Budget.unlimited())
    # Under the limit of 5 that it tried, something is lost.
    assert generation.master.solve(Budget.unlimited()).z_rmlp == pytest.approx(0)


@st.composite
def vertex_covers(draw):
    """Positives are the edges of a graph, conditions its vertices: half of each covers all."""
    n_vertices = draw(st.integers(4, 6))
    edges = list(combinations(range(n_vertices), 2))
    kept = draw(st.lists(st.sampled_from(edges), min_size=6, unique=True))
    X = np.zeros((len(kept) + 1, n_vertices), dtype=np.int64)
    for row, edge in enumerate(kept):
        X[row, list(edge)] = 1
    table, is_positive = read_table(X), np.arange(len(X)) < len(kept)
    encoding = binary_encoding(table.names)
    return make_training_set(encoding, table, is_positive, np.ones(len(X)), Form.DNF)


@times(2)
@given(vertex_covers(), st.integers(5, 9).map(Problem))
def test_duals_of_less_room_prove_what_brute_force_finds(training_set, problem):
    generation = ColumnGeneration(training_set, problem, Settings(), 0.0)
    generation.generate(Budget.unlimited(), lambda iteration: None)
    before = generation.proof.lower_bound
    generation.take_duals_of_less_room(Budget.unlimited())
    duals = generation.proof.searchable_duals
    assert duals is not None
    assert generation.proof.lower_bound == before
    assert generation.last.z_rmlp == generation.master.solve(Budget.unlimited()).z_rmlp
    search = BranchAndBound(training_set, problem)
    assert search.price_integer(duals, Budget.unlimited()).proves_no_improving_clause
    optimum = brute_force.optimum(training_set, problem)
    event(f"loses nothing in fractions: {before is None}, in whole: {optimum == 0}")
    assert search_the_gap(search, duals, optimum, Budget.unlimited()).is_proved
    better = search_the_gap(search, duals, optimum + 1, Budget.unlimited()).better
    assert better is not None
    assert training_set.hamming_loss(better) == optimum
