"""Facts that the paper states, and facts about the paper's bound."""

import os
from fractions import Fraction
from pathlib import Path

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from boolrules import Argument, BooleanRuleClassifier
from boolrules._support.budget import Budget
from boolrules.data.problem import Problem
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.solver.master import RestrictedMaster
from boolrules.solver.pricing import IntegerProgram
from brute_force import ExactDuals
from strategies import generators, training_sets

ROOT = Path(__file__).parents[2]
DATA = ROOT / os.environ.get("BOOLRULES_DATA", "benchmarks/.data")
TRANSFUSION = DATA / "transfusion" / "data.csv"
MIN_CLAUSE_COMPLEXITY = 2  # one for the clause, one for its first condition


def test_tic_tac_toe_is_solved_with_complexity_32_and_proved(solved_tic_tac_toe):
    _, _, model = solved_tic_tac_toe
    certificate = model.certificate_
    claimed = (certificate.hamming_loss, certificate.complexity, certificate.is_optimal)
    assert claimed == (0, 32, True)


def test_the_rules_of_tic_tac_toe_are_eight_clauses_of_three_conditions(solved_tic_tac_toe):
    _, _, model = solved_tic_tac_toe
    assert [len(clause.conditions) for clause in model.rule_set_.clauses] == [3] * 8


def test_the_rules_of_tic_tac_toe_make_no_mistake(solved_tic_tac_toe):
    boards, x_wins, model = solved_tic_tac_toe
    assert model.predict(boards).tolist() == x_wins.to_list()


@pytest.fixture(scope="module")
def transfusion():
    if not TRANSFUSION.exists():
        pytest.skip(f"{TRANSFUSION} is not there; BOOLRULES_DATA names the folder")
    table = polars.read_csv(TRANSFUSION)
    X, y = table.drop("target"), table["target"]
    model = BooleanRuleClassifier(max_complexity=15, time_limit=None).fit(X, y)
    return table, model


needs_data = pytest.mark.skipif(
    not TRANSFUSION.exists(), reason="the folder named by BOOLRULES_DATA is not there"
)


@needs_data
def test_the_gap_on_transfusion_is_at_most_that_of_the_paper(transfusion):
    _, model = transfusion
    certificate = model.certificate_
    assert certificate.hamming_loss == 143
    assert certificate.lower_bound >= 142
    assert round(certificate.gap, 3) <= 0.007


@needs_data
def test_the_loss_on_transfusion_is_what_counting_rows_gives(transfusion):
    table, model = transfusion
    relations = {"<=": float.__le__, ">": float.__gt__, "==": float.__eq__, "!=": float.__ne__}
    loss = 0
    for row in table.iter_rows(named=True):
        n_covering = sum(
            all(
                relations[condition.relation](float(row[condition.feature]), condition.value)
                for condition in clause.conditions
            )
            for clause in model.rule_set_.clauses
        )
        loss += (n_covering == 0) if row["target"] == 1 else n_covering
    assert loss == 143


@needs_data
def test_the_bound_on_transfusion_is_proved_anew_from_the_data(transfusion):
    table, model = transfusion
    assert model.certificate_.argument is Argument.ENUMERATION
    assert model.certificate_.is_optimal
    assert model.verify(table.drop("target"), table["target"]).holds


@st.composite
def masters_under_way(draw):
    """Restricted Masters over some of the clauses, solved: z_RMLP is above z_MLP."""
    training_set = draw(training_sets())
    problem = Problem(draw(st.integers(2, 9)), draw(st.sampled_from([None, 1, 2, 3])))
    random = draw(generators())
    master = RestrictedMaster(training_set, problem)
    master.add(
        [
            training_set.column(k.conditions, problem)
            for k in brute_force.every_clause(training_set, problem)
            if random.random() < 0.1
        ]
    )
    return training_set, problem, master.solve(Budget.unlimited())


def papers_bound(training_set, problem, solution):
    """z_RMLP + (C/2) z_CG, with the exact z_CG (§2.3)."""
    exact = ExactDuals.of(solution.duals)
    z_cg = brute_force.least_reduced_cost(training_set, problem, exact)
    most_clauses = Fraction(problem.max_complexity) / MIN_CLAUSE_COMPLEXITY
    return Fraction(solution.z_rmlp) + most_clauses * min(0, 0 if z_cg is None else z_cg)


@given(masters_under_way())
def test_the_bound_that_is_kept_is_never_worse_than_the_papers(under_way):
    training_set, problem, solution = under_way
    search = BranchAndBound(training_set, problem, most_columns=10**9)
    priced = search.price(solution.duals, Budget.unlimited())
    kept = priced.feasible_duals.bound(problem)
    # λ is lifted by the LP's tolerance, and μ rounded down to the grid.
    lifted = Fraction(3e-6 * training_set.unit) * problem.max_complexity
    assert kept >= papers_bound(training_set, problem, solution) - lifted


@given(masters_under_way())
def test_the_integer_program_gives_the_papers_bound(under_way):
    training_set, problem, solution = under_way
    priced = IntegerProgram(training_set, problem).price(solution.duals, Budget.unlimited())
    kept = float(priced.feasible_duals.bound(problem))
    expected = float(papers_bound(training_set, problem, solution))
    assert kept == pytest.approx(expected, abs=1e-5 * training_set.unit * problem.max_complexity)


@given(masters_under_way())
def test_the_papers_bound_is_below_the_optimum(under_way):
    training_set, problem, solution = under_way
    optimum = brute_force.optimum(training_set, problem)
    tolerance = Fraction(1e-6 * training_set.total_weight)
    assert papers_bound(training_set, problem, solution) <= optimum + tolerance
