"""Loading the compiled searches, which must not count against anybody's time limit."""

from __future__ import annotations

from functools import cache

import numpy as np

from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import Duals
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.proof.gap import search_the_gap
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.search.cut_search import CutSearch
from boolrules.search.engines import Terms
from boolrules.search.narrowing import Narrowed
from boolrules.solver.fast_path import ClausePool
from boolrules.solver.pricing import NeighbourSearch
from boolrules.solver.selection import Selection


@cache
def warm_up(engine: str = "numba", *, with_cuts: bool = False) -> None:
    """Load every compiled kernel, or compile it: once per process, outside any time limit.

    ``with_cuts`` loads the search over ranges of cuts too, which takes long chains alone.
    """
    conditions = BinnedConditions.build([(0, [(0, 1)]), (0, [(1, 2)])], n_codes=[2])
    codes = np.array([[0], [1], [1]], dtype=np.uint8)
    is_positive = np.array([True, True, False])
    samples = TrainingSet.merge(codes, is_positive, np.ones(3), conditions)
    problem, duals = Problem(max_complexity=4), Duals(np.zeros(2), 0.0)
    columns = [samples.column((0,), problem)]
    unlimited = Budget.unlimited()
    NeighbourSearch(samples, problem, columns, engine=engine).price(duals, unlimited)
    Selection(samples, problem, columns).local_search([], unlimited)
    search = BranchAndBound(samples, problem, engine=engine)
    search_the_gap(search, samples.rounded(duals), 2, unlimited)
    if with_cuts:
        _search_cuts(Narrowed(samples, samples.rounded(duals)), engine)
    ClausePool(samples, problem, engine).search(np.ones(2), longest=1)
    ClausePool(samples, problem, engine).choose((), np.zeros(1, dtype=np.int64))


def _search_cuts(needed: Narrowed, engine: str) -> None:
    search = CutSearch(needed, Terms(1, 1, 1, 1, 0), is_listing=False, engine=engine)
    while search.has_open_nodes:
        search.expand_a_batch()
