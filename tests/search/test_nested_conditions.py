"""Clauses that end because a tighter condition of the same chain could replace one of theirs.

Exact searches over narrowed training sets, against every clause of the whole: pricing, listing,
and searches stopped early. Ties are what could lose a clause, so the tables are full of them.
"""

from unittest import mock

import numpy as np
import pytest

from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import IntegerDuals
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.search import narrowing
from boolrules.search.branch_and_bound import BranchAndBound

engines = pytest.mark.parametrize("engine", ["numba", "numpy"])


@pytest.fixture(autouse=True)
def _narrows_short_chains():
    with mock.patch.object(narrowing, "LONG_CHAIN", 1):
        yield


@engines
@pytest.mark.xfail(strict=True, reason="the looser cut beats the tighter, then fails to touch")
def test_of_two_cuts_one_is_left_where_each_could_stand_for_the_other(engine):
    """At ``x0 == 1`` the looser cut of x1 beats the tighter: more positives, the same zeros.

    With ``x2 == 1`` both cover the same rows, and the looser touches no positive: the clause with
    the tighter is as good. One of the two must be left.
    """
    conditions = BinnedConditions.build(
        [
            *((0, [(0, 1)]), (0, [(1, 2)])),
            *((1, [(0, 1)]), (1, [(0, 2)]), (1, [(1, 3)]), (1, [(2, 3)])),
            *((2, [(0, 1)]), (2, [(1, 2)])),
        ],
        n_codes=[2, 3, 2],
    )
    positives = {(0, 0, 1): 6, (1, 0, 1): 10, (1, 1, 0): 1, (1, 2, 1): 3}
    zeros = [(0, 0, 1), (0, 1, 1), (1, 0, 0), (1, 2, 1)]
    codes = np.array([*positives, *zeros], dtype=np.uint8)
    samples = TrainingSet.merge(codes, np.arange(8) < 4, np.full(8, 20.0), conditions)
    duals = IntegerDuals(np.array(list(positives.values())), lam=0, scale=1)
    found = BranchAndBound(samples, Problem(6), engine=engine).price_integer(
        duals, Budget.unlimited()
    )
    assert (found.best_reduced_cost, found.lower_bound) == (-10, -10)
