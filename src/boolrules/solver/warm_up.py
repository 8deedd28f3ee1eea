"""Loading the compiled searches before they are used, with another process to help.

That counts against nobody's time limit, and nor does what is loaded later: the clock of budgets
stands still. The search over rule sets is left for when it is needed, for most proofs do without.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from boolrules._support.aside import MOST_SECONDS, Aside
from boolrules._support.budget import Budget, clock
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
    from collections.abc import Iterator

    from boolrules.data.encoding import TableEncoding

CODE_TYPES = ("uint8", "uint16", "uint32")


def compile_aside(engine: str, comes: Literal["fit", "choice"]) -> None:
    """Let another process begin to compile, if this machine has kept nothing, and do not wait.

    ``comes`` says what it is for: a fit, or a choice, which judges for so long that more is
    compiled meanwhile.
    """
    if engine == "numba":
        _compile_elsewhere(ASIDE[comes])


def warm_up(engine: str = "numba", *, with_cuts: bool = False, n_codes: int = 1) -> None:
    """Load the kernels of a fit, or compile them: once per process, outside any time limit.

    ``with_cuts`` loads the search over ranges of cuts too, which takes long chains alone.
    ``n_codes`` is how many codes a column may have: codes in longer numbers have kernels of their
    own, beside those that a narrowed search needs.
    """
    with clock.standing_still():
        for codes in _types_of(n_codes):
            _load(engine, with_cuts, codes)


def warm_up_fast_paths(
    engine: str = "numba", *, n_codes: int = 1, with_beams: bool = False
) -> None:
    """Load what finds and chooses clauses without a proof; beams break ties by preference."""
    with clock.standing_still():
        for codes in _types_of(n_codes):
            _load_without_proof(engine, with_beams, codes)


def _types_of(n_codes: int) -> Iterator[str]:
    """Return the types of codes that kernels meet, up to the one for so many."""
    for codes in CODE_TYPES:
        yield codes
        if n_codes <= np.iinfo(codes).max + 1:
            return


def warm_up_for(conditions: BinnedConditions, engine: str) -> None:
    """Load what searches over these conditions need; to look at millions of them counts."""
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


@cache
def _load(engine: str, with_cuts: bool, type_of_codes: str) -> None:
    """Load what a fit needs; another process has its share in compiling it."""
    tiny = _Tiny.of(type_of_codes)
    if engine == "numba":
        _compile_elsewhere(ASIDE["fit"])
    for name in sorted(FOR_FITS, key=_is_awaited):
        FOR_FITS[name](tiny, engine)
    if with_cuts:
        _search_cuts(Narrowed(tiny.samples, tiny.samples.rounded(tiny.duals)), engine)


@cache
def _load_without_proof(engine: str, with_beams: bool, type_of_codes: str) -> None:
    tiny = _Tiny.of(type_of_codes)
    _load_fast_paths(tiny, engine)
    if with_beams:
        _load_beams(tiny, engine)


_lock = threading.Lock()


def _compile_elsewhere(names: tuple[str, ...]) -> None:
    """Let another process compile what nothing is kept of, unless one does; who needs it waits."""
    kernels = load_kernels()
    with _lock:
        needed = [name for name in names if name in FOR_FITS and not _is_awaited(name)]
        if any(kernels.is_to_be_kept(_kernel(name)) for name in needed):
            process = Aside(f"from boolrules.solver import warm_up; warm_up.load_some({names})")
            for name in KERNELS.keys() & set(names):
                _kernel(name).wait = partial(_wait_for, process, name)


def _wait_for(process: Aside, name: str) -> None:
    seconds = MOST_SECONDS if name in FOR_FITS else SECONDS_FOR_OTHERS
    process.wait(lambda: not load_kernels().is_to_be_kept(_kernel(name)), seconds)


def _kernel(name: str) -> Any:
    return getattr(load_kernels(), KERNELS[name])


def _is_awaited(name: str) -> bool:
    return name in KERNELS and getattr(_kernel(name), "wait", None) is not None


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
}
LOADS = FOR_FITS | {"rule set search": _load_rule_set_search}
# Of what may be compiled elsewhere, the kernel that comes last.
KERNELS = {"beams": "extend", "exact pricing": "expand", "rule set search": "find_rule_set"}
# What another process does meanwhile. A choice needs both processors for much else, whatever the
# priority of that process; what its proof may not need is compiled if it does.
ASIDE = {"fit": ("exact pricing", "rule set search"), "choice": ("exact pricing", "beams")}
# How long what may not be needed is waited for: about what it takes.
SECONDS_FOR_OTHERS = 4.0
