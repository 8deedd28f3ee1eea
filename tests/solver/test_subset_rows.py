"""Subset rows over listed clauses: what they drop is in no better rule set."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from boolrules._support.budget import Budget
from boolrules.data.column import Duals
from boolrules.data.problem import Problem
from boolrules.proof import gap as gap_module
from boolrules.proof.gap import search_the_gap, slack_below
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.search.rule_set_search import RuleSetSearch, SubsetRows, times_counted
from boolrules.solver import subset_rows
from boolrules.solver.subset_rows import shorten, shortening, violated_rows
from strategies import near_misses, set_covers, times


@st.composite
def gaps(draw):
    """Training sets, problems with or without a limit on clauses, and feasible duals."""
    training_set = draw(st.one_of(set_covers(whole=True), near_misses(whole=True)))
    most = draw(st.sampled_from([None, 2, 3]))
    problem = Problem(draw(st.integers(4, 9)), draw(st.sampled_from([1, 2, 3])), max_clauses=most)
    duals = Duals(
        draw(st.sampled_from([0.0, 0.5, 1.0])) * training_set.weights_P,
        draw(st.sampled_from([0.0, 0.3])) * training_set.unit,
    )
    priced = BranchAndBound(training_set, problem).price(duals, Budget.unlimited())
    return training_set, problem, priced.feasible_duals


@times(4)
@given(gaps(), st.integers(0, 3))
def test_a_shortened_list_proves_what_is_true_and_finds_what_is_there(gap, above):
    training_set, problem, duals = gap
    optimum = int(brute_force.optimum(training_set, problem))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gap_module, "NODES_BEFORE_SHORTENING", 0)
        patch.setattr(subset_rows, "LARGE_SHARE", 1.0)
        patch.setattr(subset_rows, "FIRST_COLUMNS", 2)
        outcome = search_the_gap(
            BranchAndBound(training_set, problem),
            duals,
            optimum + above,
            Budget.unlimited(),
            shorten=shortening(training_set, problem),
        )
    assert outcome.is_proved == (above == 0)
    assert (outcome.better is None) == (above == 0)


@times(4)
@given(gaps(), st.data())
def test_whatever_the_duals_no_clause_of_a_better_rule_set_is_dropped(gap, data):
    training_set, problem, duals = gap
    bound = int(brute_force.optimum(training_set, problem)) + 1
    slack = slack_below(training_set, problem, duals, bound)
    listed = BranchAndBound(training_set, problem).enumerate(
        duals, max(slack, 0), Budget.unlimited(), 10**6
    )
    search = RuleSetSearch(training_set, problem, duals, listed.clauses)
    n, scale = len(training_set.weights_P), duals.scale
    triples = list(combinations(range(n), 3))
    rows = data.draw(st.lists(st.sampled_from(triples), max_size=4)) if triples else []
    shares = st.sampled_from([0, scale // 8, scale // 3, scale])
    numbers = st.lists(shares, min_size=n, max_size=n)
    nu = data.draw(shares) if problem.max_clauses is not None else 0
    search.drop(
        SubsetRows(
            np.array(data.draw(numbers), dtype=np.int64),
            data.draw(shares),
            nu,
            np.array(rows, dtype=np.int64).reshape(-1, 3),
            np.array([data.draw(shares) for _ in rows], dtype=np.int64),
        ),
        slack,
    )
    # The optimum is below the bound, so a rule set that attains it is left.
    assert search.find(slack, Budget.unlimited()).chosen is not None


def test_a_row_of_three_pairs_proves_what_the_linear_program_alone_does_not():
    # Three clauses cover two of three positives each, without zeros: half of each would do.
    covers = np.array([[0b011], [0b101], [0b110]], dtype=np.uint64)
    rows = violated_rows(
        np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=bool), np.full(3, 0.5), np.zeros(3)
    )
    assert rows.tolist() == [[0, 1, 2]]
    assert times_counted(covers, rows).ravel().tolist() == [1, 1, 1]


@given(st.data())
def test_violated_rows_are_violated_and_none_is_missed(data):
    K, n = data.draw(st.integers(1, 6)), data.draw(st.integers(3, 6))
    covers = np.array(data.draw(st.lists(st.booleans(), min_size=K * n, max_size=K * n)))
    covers = covers.reshape(K, n)
    w = np.array(data.draw(st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=K, max_size=K)))
    missed = np.maximum(0.0, 1.0 - w @ covers)

    def value(triple):
        counted = (covers[:, triple].sum(axis=1) + 1) // 2
        return w @ counted + missed[list(triple)].sum()

    found = [tuple(row) for row in violated_rows(covers, w, missed).tolist()]
    assert all(value(row) < 2 for row in found)
    if not found:
        # Of positives that the same clauses cover, one stands for all.
        distinct = {tuple(covers[:, i]): i for i in range(n)}.values()
        assert all(value(row) >= 2 - 0.02 - 1e-9 for row in combinations(sorted(distinct), 3))


@given(gaps())
def test_lists_with_many_positives_are_left_as_they_are(gap):
    training_set, problem, duals = gap
    listed = BranchAndBound(training_set, problem).enumerate(
        duals, duals.scale, Budget.unlimited(), 10**6
    )
    search = RuleSetSearch(training_set, problem, duals, listed.clauses)
    n_before = search.n_columns
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subset_rows, "MOST_POSITIVES", 0)
        shorten(search, 0, Budget.unlimited())
    assert search.n_columns == n_before
