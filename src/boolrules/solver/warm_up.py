"""Loading the compiled searches, which must not count against anybody's time limit."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from boolrules._support.aside import Aside
from boolrules._support.budget import Budget
from boolrules._support.forking import forget_in_forks
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
    from collections.abc import Callable, Iterator

    from boolrules.data.encoding import TableEncoding

CODE_TYPES = ("uint8", "uint16", "uint32")


def compile_aside(engine: str, comes: Literal["fit", "folds", "choice"]) -> None:
    """Let another process begin to compile, if this machine has kept nothing, and do not wait.

    ``comes`` says what it is for: a fit alone, one on each of a few folds before, or a choice,
    which judges for so long that both exact searches are compiled meanwhile.
    """
    _helper(engine, ASIDE[comes])


def warm_up(engine: str = "numba", *, with_cuts: bool = False, n_codes: int = 1) -> None:
    """Load every kernel of a fit, or compile it: once per process, outside any time limit.

    ``with_cuts`` loads the search over ranges of cuts too, which takes long chains alone.
    ``n_codes`` is how many codes a column may have: codes in longer numbers have kernels of their
    own, beside those that a narrowed search needs.
    """
    for codes in _types_of(n_codes):
        _load(engine, with_cuts, codes)


def warm_up_fast_paths(
    engine: str = "numba", *, n_codes: int = 1, with_beams: bool = False
) -> None:
    """Load what finds and chooses clauses without a proof; beams break ties by preference."""
    for codes in _types_of(n_codes):
        _load_without_proof(engine, with_beams, codes)


def _types_of(n_codes: int) -> Iterator[str]:
    """Return the types of codes that kernels meet, up to the one for so many."""
    for codes in CODE_TYPES:
        yield codes
        if n_codes <= np.iinfo(codes).max + 1:
            return


def warm_up_for(conditions: BinnedConditions, engine: str) -> None:
    """Load what searches over these conditions need."""
    warm_up(
        engine,
        with_cuts=conditions.has_long_chains(LONG_CHAIN),
        n_codes=int(conditions.n_codes.max(initial=1)),
    )


def warm_up_to_read(encoding: TableEncoding, engine: str) -> None:
    """Load what a model of this encoding needs, which may not have met its rows yet."""
    if encoding.knows_its_rows:
        warm_up_for(encoding.binned, engine)
    else:
        warm_up(engine, with_cuts=encoding.has_cuts)


def warmed_up(budget: Budget, conditions: BinnedConditions, engine: str) -> Budget:
    """Load what these conditions need; return the budget, put off by what that took."""
    conditions.has_long_chains(LONG_CHAIN)  # seconds, with millions of them: these count
    return put_off(budget, partial(warm_up_for, conditions, engine))


def put_off(budget: Budget, load: Callable[[], None]) -> Budget:
    """Load something, and return the budget as if that had taken no time."""
    started = budget.clock()
    load()
    return budget.less(started - budget.clock())


@cache
def _load(engine: str, with_cuts: bool, type_of_codes: str) -> None:
    """Load what a fit needs; another process has its share in compiling it."""
    tiny, helper = _Tiny.of(type_of_codes), _helper(engine, ASIDE["fit"])
    own = [name for name in FOR_FITS if helper is None or name not in helper.names]
    with nullcontext() if helper is None else helper.process:
        for name in own:
            FOR_FITS[name](tiny, engine)
        if with_cuts:
            _search_cuts(Narrowed(tiny.samples, tiny.samples.rounded(tiny.duals)), engine)
    for name in FOR_FITS:
        if name not in own:
            FOR_FITS[name](tiny, engine)


@cache
def _load_without_proof(engine: str, with_beams: bool, type_of_codes: str) -> None:
    tiny = _Tiny.of(type_of_codes)
    _load_fast_paths(tiny, engine)
    if with_beams:
        _load_beams(tiny, engine)


class _Helper(NamedTuple):
    """Another process that compiles some kernels meanwhile."""

    names: tuple[str, ...]
    process: Aside


_begun: list[_Helper] = []  # one at most
_lock = threading.Lock()
forget_in_forks(_begun.clear)


def _helper(engine: str, names: tuple[str, ...]) -> _Helper | None:
    """Return the helper that was begun before, or begin it if it has anything to compile."""
    if engine != "numba":
        return None
    kernels = load_kernels()
    with _lock:
        if not _begun and any(kernels.is_to_be_kept(getattr(kernels, LAST[n])) for n in names):
            statement = f"from boolrules.solver import warm_up; warm_up.load_some({names})"
            _begun.append(_Helper(names, Aside(statement)))
        return _begun[0] if _begun else None


def load_some(names: tuple[str, ...]) -> None:
    """Load these kernels alone, in this order."""
    for name in names:
        LOADS[name](_Tiny.of(CODE_TYPES[0]), "numba")


@dataclass(frozen=True)
class _Tiny:
    """A task of three rows."""

    samples: TrainingSet
    problem: Problem
    columns: list[Column]
    duals: Duals

    @classmethod
    def of(cls, type_of_codes: str) -> _Tiny:
        conditions = BinnedConditions.build([(0, [(0, 1)]), (0, [(1, 2)])], n_codes=[2])
        codes = np.array([[0], [1], [1]], dtype=type_of_codes)
        is_positive = np.array([True, True, False])
        samples = TrainingSet.merge(codes, is_positive, np.ones(3), conditions)
        problem = Problem(max_complexity=4)
        return cls(samples, problem, [samples.column((0,), problem)], Duals(np.zeros(2), 0.0))


def _load_fast_paths(tiny: _Tiny, engine: str) -> None:
    _load_selection(tiny, engine)
    pool = ClausePool(tiny.samples, tiny.problem, engine)
    pool.choose((), np.zeros(1, dtype=np.int64))
    pool.search(np.ones(2), longest=1)


def _load_beams(tiny: _Tiny, engine: str) -> None:
    pricer = NeighbourSearch(tiny.samples, tiny.problem, tiny.columns, engine=engine)
    pricer.price(tiny.duals, Budget.unlimited())


def _load_exact_pricing(tiny: _Tiny, engine: str) -> None:
    BranchAndBound(tiny.samples, tiny.problem, engine=engine).price(tiny.duals, Budget.unlimited())


def _load_selection(tiny: _Tiny, engine: str) -> None:
    Selection(tiny.samples, tiny.problem, tiny.columns).local_search([], Budget.unlimited())


def _load_rule_set_search(tiny: _Tiny, engine: str) -> None:
    rounded = tiny.samples.rounded(tiny.duals)
    RuleSetSearch(tiny.samples, tiny.problem, rounded, [(0,)]).find(2, Budget.unlimited())


def _search_cuts(needed: Narrowed, engine: str) -> None:
    search = CutSearch(needed, Terms(1, 1, 1, 1, 0), is_listing=False, engine=engine)
    while search.has_open_nodes:
        search.expand_a_batch()


FOR_FITS = {
    "beams": _load_beams,
    "exact pricing": _load_exact_pricing,
    "selection": _load_selection,
    "rule set search": _load_rule_set_search,
}
LOADS = FOR_FITS | {"fast paths": _load_fast_paths}
# The kernel that each of them compiles last.
LAST = {
    "beams": "extend",
    "exact pricing": "expand",
    "selection": "choose_clauses",
    "rule set search": "find_rule_set",
    "fast paths": "cover_clauses",
}
# What another process compiles meanwhile, in this order: about half.
ASIDE = {
    "fit": ("rule set search", "selection"),
    "folds": ("fast paths", "rule set search"),
    "choice": ("rule set search", "exact pricing", "beams"),
}
