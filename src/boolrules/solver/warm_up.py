"""Loading the compiled searches, which must not count against anybody's time limit."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from boolrules._support.aside import aside
from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import Column, Duals
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.search.cut_search import CutSearch
from boolrules.search.engines import Terms
from boolrules.search.engines.loading import load_kernels
from boolrules.search.narrowing import LONG_CHAIN, Narrowed
from boolrules.search.rule_set_search import RuleSetSearch
from boolrules.solver.fast_path import ClausePool
from boolrules.solver.pricing import NeighbourSearch
from boolrules.solver.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Callable

    from boolrules.data.encoding import TableEncoding

CODE_TYPES = (np.uint8, np.uint16, np.uint32)


def warm_up(
    engine: str = "numba",
    *,
    with_cuts: bool = False,
    with_fast_paths: bool = False,
    n_codes: int = 1,
) -> None:
    """Load every compiled kernel, or compile it: once per process, outside any time limit.

    ``with_cuts`` loads the search over ranges of cuts too, which takes long chains alone, and
    ``with_fast_paths`` what finds and chooses clauses without a proof, which one fit does not do.
    ``n_codes`` is how many codes a column may have: codes in longer numbers have kernels of their
    own, beside those that a narrowed search needs.
    """
    for codes in CODE_TYPES:
        _load(engine, with_cuts, with_fast_paths, codes)
        if n_codes <= np.iinfo(codes).max + 1:
            return


def warm_up_for(
    conditions: BinnedConditions, engine: str, *, with_fast_paths: bool = False
) -> None:
    """Load what searches over these conditions need."""
    warm_up(
        engine,
        with_cuts=conditions.has_long_chains(LONG_CHAIN),
        with_fast_paths=with_fast_paths,
        n_codes=int(conditions.n_codes.max(initial=1)),
    )


def warm_up_to_read(encoding: TableEncoding, engine: str) -> None:
    """Load what a model of this encoding needs, which may not have met its rows yet."""
    if encoding.knows_its_rows:
        warm_up_for(encoding.binned, engine)
    else:
        warm_up(engine, with_cuts=encoding.has_cuts)


def warmed_up(
    budget: Budget, conditions: BinnedConditions, engine: str, *, with_fast_paths: bool = False
) -> Budget:
    """Load what these conditions need; return the budget, put off by what that took."""
    conditions.has_long_chains(LONG_CHAIN)  # seconds, with millions of them: these count
    load = partial(warm_up_for, conditions, engine, with_fast_paths=with_fast_paths)
    return put_off(budget, load)


def put_off(budget: Budget, load: Callable[[], None]) -> Budget:
    """Load something, and return the budget as if that had taken no time."""
    started = budget.clock()
    load()
    return budget.less(started - budget.clock())


@cache
def _load(
    engine: str,
    with_cuts: bool,
    with_fast_paths: bool,
    type_of_codes: type[np.unsignedinteger],
) -> None:
    """Load what prices and what chooses; two processes share the work of compiling them."""
    tiny, kernels = _Tiny.of(type_of_codes), load_kernels()
    other_half = (
        "from boolrules.solver import warm_up; "
        f"warm_up.load_what_chooses(with_fast_paths={with_fast_paths})"
    )
    last = kernels.cover_clauses if with_fast_paths else kernels.find_rule_set
    is_first = engine == "numba" and kernels.is_to_be_kept(last)
    with aside(other_half) if is_first else nullcontext():
        _load_what_prices(tiny, engine, with_cuts)
        if with_fast_paths:
            _load_exchanges(tiny, engine)
    load_what_chooses(tiny, engine, with_fast_paths=with_fast_paths)


@dataclass(frozen=True)
class _Tiny:
    """A task of three rows."""

    samples: TrainingSet
    problem: Problem
    columns: list[Column]
    duals: Duals

    @classmethod
    def of(cls, type_of_codes: type[np.unsignedinteger]) -> _Tiny:
        conditions = BinnedConditions.build([(0, [(0, 1)]), (0, [(1, 2)])], n_codes=[2])
        codes = np.array([[0], [1], [1]], dtype=type_of_codes)
        is_positive = np.array([True, True, False])
        samples = TrainingSet.merge(codes, is_positive, np.ones(3), conditions)
        problem = Problem(max_complexity=4)
        return cls(samples, problem, [samples.column((0,), problem)], Duals(np.zeros(2), 0.0))


def _load_what_prices(tiny: _Tiny, engine: str, with_cuts: bool) -> None:
    """Load the kernels that look for clauses."""
    samples, problem, unlimited = tiny.samples, tiny.problem, Budget.unlimited()
    pricer = NeighbourSearch(samples, problem, tiny.columns, engine=engine)
    pricer.price(tiny.duals, unlimited)
    BranchAndBound(samples, problem, engine=engine).price(tiny.duals, unlimited)
    if with_cuts:
        _search_cuts(Narrowed(samples, samples.rounded(tiny.duals)), engine)


def load_what_chooses(
    tiny: _Tiny | None = None, engine: str = "numba", *, with_fast_paths: bool = False
) -> None:
    """Load the kernels that choose among clauses, and those that find them on fast paths."""
    tiny = tiny or _Tiny.of(np.uint8)
    samples, problem, unlimited = tiny.samples, tiny.problem, Budget.unlimited()
    Selection(samples, problem, tiny.columns).local_search([], unlimited)
    rounded = samples.rounded(tiny.duals)
    RuleSetSearch(samples, problem, rounded, [(0,)]).find(2, unlimited)
    if with_fast_paths:
        ClausePool(samples, problem, engine).search(np.ones(2), longest=1)


def _load_exchanges(tiny: _Tiny, engine: str) -> None:
    """Load the kernels that choose on fast paths: the lesser half has time for them."""
    pool = ClausePool(tiny.samples, tiny.problem, engine)
    pool.choose((), np.zeros(1, dtype=np.int64))


def _search_cuts(needed: Narrowed, engine: str) -> None:
    search = CutSearch(needed, Terms(1, 1, 1, 1, 0), is_listing=False, engine=engine)
    while search.has_open_nodes:
        search.expand_a_batch()
