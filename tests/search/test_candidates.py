"""Which of the clauses that a search found become columns."""

import numpy as np

from boolrules.data.bins import BinnedConditions
from boolrules.data.column import IntegerDuals
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.search.candidates import LEAST_TAKEN, Candidates

PROBLEM = Problem(max_complexity=100)


def candidates_of(covers, costs):
    """Return candidates with these covers over rows whose duals are all 8, and the duals."""
    n_rows = len(covers[0])
    # The last column tells all rows apart, so that none are merged.
    codes = np.column_stack([np.transpose(covers), np.arange(n_rows)]).astype(np.uint8)
    conditions = BinnedConditions.build(
        [(f, [(1, 2)]) for f in range(len(covers))], n_codes=[2] * len(covers) + [n_rows]
    )
    samples = TrainingSet.merge(codes, np.ones(n_rows, dtype=bool), np.ones(n_rows), conditions)
    found = Candidates(samples, PROBLEM)
    places = np.arange(len(covers), dtype=np.int32)
    found.offer(np.array(costs), places, places, places[:, None])
    return found, IntegerDuals(np.full(n_rows, 8), 1, 8)


def features(columns):
    return [column.clause for column in columns]


def test_a_clause_that_covers_other_rows_comes_before_a_copy_of_the_best():
    covers = [[1, 1, 1, 0, 0], [1, 1, 1, 0, 0], [0, 0, 0, 1, 1]]
    found, duals = candidates_of(covers, [-20, -19, -10])
    assert features(found.columns(3, duals)) == [(0,), (2,), (1,)]
    assert features(found.columns(2, duals)) == [(0,), (2,)]


def test_beyond_the_first_few_only_clauses_that_still_pay_are_taken():
    n_copies = LEAST_TAKEN + 5
    covers = [[1, 1, 1, 0]] * n_copies + [[0, 0, 0, 1]]
    found, duals = candidates_of(covers, [-20] * n_copies + [-1])
    taken = features(found.columns(100, duals))
    assert len(taken) == LEAST_TAKEN
    assert (n_copies,) in taken


def test_no_candidates_make_no_columns():
    found, duals = candidates_of([[1, 0]], [-1])
    assert Candidates(found._training_set, PROBLEM).columns(5, duals) == []
