"""Who is asked for clauses, and in which order (§3)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from boolrules.distributed import LocalBeams, PartitionedTrainingSet
from boolrules.engines import TORCH_DEVICES
from boolrules.pricing import (
    BeamSearch,
    BranchAndBound,
    IntegerProgram,
    NeighbourSearch,
    Sampled,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boolrules.column import Column
    from boolrules.pricing import Pricer
    from boolrules.problem import Problem
    from boolrules.settings import Settings
    from boolrules.training_set import TrainingSet

LARGE_N_ROWS = 20_000
LARGE_N_NONZEROS = 1_000_000
MOST_COLUMNS = 100
MOST_COLUMNS_OF_LARGE = 10
WIDE_BEAM = 1000
# On a GPU: how much an exact search looks at, nodes times rows times conditions, while it finds
# something.
PATIENCE_ENTRIES = 60 * 10**12
COLUMNS_PER_ROUND = 300


def make_pricers(
    training_set: TrainingSet,
    problem: Problem,
    settings: Settings,
    columns: Sequence[Column],
) -> tuple[Pricer, ...]:
    """Who is asked for clauses, in which order, until one has an answer.

    With ``"search"``, heuristics first, each wider than the last, and the exact search where they
    fail, on a GPU a thorough one; with ``"integer_program"``, as in the paper, the Pricing Problem
    first and the heuristic where that fails.
    """
    n_threads, engine = settings.n_threads, settings.engine
    random = np.random.default_rng(settings.seed)
    n_rows = training_set.n_rows
    # Each column may double the coverage patterns of a large master.
    most = MOST_COLUMNS if n_rows <= LARGE_N_ROWS else MOST_COLUMNS_OF_LARGE
    beam = BeamSearch(training_set, problem, most_columns=most, n_threads=n_threads, engine=engine)
    if settings.exact_pricer == "integer_program":

        def make_program(samples: TrainingSet, problem: Problem) -> Pricer:
            return IntegerProgram(samples, problem, n_threads)

        if settings.mode == "fast":
            return (beam,)
        if n_rows * len(training_set.conditions) > LARGE_N_NONZEROS:
            return Sampled(training_set, problem, make_program, random), beam
        return make_program(training_set, problem), beam
    n_starts = 200 if n_rows <= LARGE_N_ROWS else 20
    neighbours = NeighbourSearch(
        training_set, problem, columns, n_starts, most, n_threads=n_threads, engine=engine
    )
    exact = BranchAndBound(
        training_set,
        problem,
        most_columns=2 * most,
        n_threads=n_threads,
        most_nodes=settings.max_nodes,
        engine=engine,
    )
    proving: tuple[Pricer, ...] = (exact,) if settings.mode == "prove" else ()
    if n_rows > LARGE_N_ROWS and isinstance(training_set, PartitionedTrainingSet):
        return (
            LocalBeams(training_set, problem, random, LARGE_N_ROWS, most),
            beam,
            neighbours,
            *proving,
        )
    if engine in TORCH_DEVICES and proving:
        patience = PATIENCE_ENTRIES // max(n_rows * len(training_set.conditions), 1)
        thorough = replace(
            exact, most_columns=COLUMNS_PER_ROUND, patience=patience, is_thorough=True
        )
        return beam, neighbours, thorough
    if n_rows > LARGE_N_ROWS:

        def make_beam(samples: TrainingSet, problem: Problem) -> Pricer:
            return replace(beam, training_set=samples, problem=problem)

        quick = Sampled(training_set, problem, make_beam, random, LARGE_N_ROWS, 10**9)
        return quick, beam, neighbours, *proving
    wide = replace(beam, beam_depth=2 * beam.beam_depth, beam_width=WIDE_BEAM)
    return beam, neighbours, wide, *proving
