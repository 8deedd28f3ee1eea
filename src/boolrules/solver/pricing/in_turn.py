"""Who is asked for clauses, and in which order (§3)."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.training_set import TrainingSet
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.search.engines import TORCH_DEVICES
from boolrules.solver.pricing import BeamSearch, IntegerProgram, NeighbourSearch, Sampled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boolrules.data.column import Column
    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples
    from boolrules.search.pricer import Pricer
    from boolrules.solver.settings import Settings

LARGE_N_ROWS = 20_000
LARGE_N_NONZEROS = 1_000_000
MOST_COLUMNS = 100
MOST_COLUMNS_OF_LARGE = 10
WIDE_BEAM = 1000
# On a GPU: how large a master is, rows times columns, that takes longer than an exact search.
LARGE_MASTER = 4_000_000
# How much an exact search looks at, nodes times rows times conditions, while it finds something.
PATIENCE_ENTRIES = 60 * 10**12
COLUMNS_PER_ROUND = 300


def make_pricers(
    training_set: Samples, problem: Problem, settings: Settings, columns: Sequence[Column]
) -> tuple[Pricer, ...]:
    """Who is asked for clauses, in which order, until one has an answer.

    Heuristics first, each wider than the last, and the exact search where they fail; in mode
    "paper" the Pricing Problem first and the heuristic where that fails.
    """
    n_threads, engine = settings.n_threads, settings.engine
    random = np.random.default_rng(settings.seed)
    n_rows = training_set.n_rows
    # Each column may double the coverage patterns of a large master.
    most = MOST_COLUMNS if n_rows <= LARGE_N_ROWS else MOST_COLUMNS_OF_LARGE
    beam = BeamSearch(training_set, problem, most_columns=most, n_threads=n_threads, engine=engine)
    if settings.mode == "paper":
        return integer_program(training_set, problem, n_threads, random), beam
    n_starts = 200 if n_rows <= LARGE_N_ROWS else 20
    neighbours = NeighbourSearch(
        training_set, problem, columns, n_starts, most, n_threads=n_threads, engine=engine
    )
    exact = replace(
        exact_search(training_set, problem, settings),
        most_columns=COLUMNS_PER_ROUND if engine in TORCH_DEVICES else 2 * most,
        patience=PATIENCE_ENTRIES // max(n_rows * len(training_set.conditions), 1),
        is_thorough=True,
    )
    proving: tuple[Pricer, ...] = (exact,) if settings.is_to_prove else ()
    if engine in TORCH_DEVICES and proving:
        return beam, neighbours, exact
    if n_rows > LARGE_N_ROWS:
        return sampled_beam(training_set, beam, random), beam, neighbours, *proving
    wide = replace(beam, beam_depth=2 * beam.beam_depth, beam_width=WIDE_BEAM)
    return beam, neighbours, wide, *proving


def exact_search(training_set: Samples, problem: Problem, settings: Settings) -> BranchAndBound:
    """Return the exact search over clauses, with the limits and the engine of the settings."""
    return BranchAndBound(
        training_set,
        problem,
        n_threads=settings.n_threads,
        most_nodes=settings.limits.max_nodes,
        engine=settings.engine,
    )


def whom_to_ask(
    pricers: tuple[Pricer, ...], n_entries: int, *, is_near: bool
) -> tuple[Pricer, ...]:
    """Return all pricers or, on a GPU, the exact search alone where a master is large.

    ``n_entries`` are its rows times its columns; it then takes longer than the search. Where the
    duals are not near enough to optimal for a proof, the exact search that comes last is left out.
    """
    last = pricers[-1]
    if not isinstance(last, BranchAndBound):
        return pricers
    if last.engine in TORCH_DEVICES and n_entries > LARGE_MASTER:
        return (last,)
    return pricers if is_near else pricers[:-1]


@singledispatch
def sampled_beam(training_set: Samples, beam: BeamSearch, random: np.random.Generator) -> Pricer:
    """Return the heuristic on samples of large data; each kind of rows registers its own way."""
    raise TypeError(f"There is no way to sample from {type(training_set).__name__}.")


@sampled_beam.register(TrainingSet)
def _(training_set: TrainingSet, beam: BeamSearch, random: np.random.Generator) -> Pricer:
    def make_beam(samples: TrainingSet, problem: Problem) -> Pricer:
        return replace(beam, training_set=samples, problem=problem)

    return Sampled(training_set, beam.problem, make_beam, random, LARGE_N_ROWS, 10**9)


@singledispatch
def integer_program(
    training_set: Samples, problem: Problem, n_threads: int, random: np.random.Generator
) -> Pricer:
    """Return the Pricing Problem as the paper solves it, on samples of large data."""
    raise ValueError(
        "mode='paper' needs the rows in memory. Use mode='prove', which proves more anyway."
    )


@integer_program.register(TrainingSet)
def _(
    training_set: TrainingSet, problem: Problem, n_threads: int, random: np.random.Generator
) -> Pricer:
    def make_program(samples: TrainingSet, problem: Problem) -> Pricer:
        return IntegerProgram(samples, problem, n_threads)

    if training_set.n_rows * len(training_set.conditions) > LARGE_N_NONZEROS:
        return Sampled(training_set, problem, make_program, random)
    return make_program(training_set, problem)
