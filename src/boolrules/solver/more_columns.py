"""More columns than the linear program asks for, where good rule sets are made of them.

Owns the clauses that hold what is required, those that requirements may need, and those that take
the place of one that is chosen. Which of them are chosen is decided in ``incumbent``.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, product
from typing import TYPE_CHECKING

import numpy as np

from boolrules.solver.pricing import BeamSearch, NeighbourSearch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boolrules._support.budget import Budget
    from boolrules.data.column import Column
    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples
    from boolrules.solver.settings import Settings

MOST_TOGETHER = 1000
# What requirements charge, relative to the linear program, where clauses are looked for.
PRICES_OF_DEMANDS = (0.0, 0.5, 2.0, 8.0)
MOST_REPLACEMENTS = 20
BEAM_WIDTH = 20
N_STARTS = 20


def required_columns(
    training_set: Samples, problem: Problem, clauses: Sequence[tuple[int, ...]]
) -> list[Column]:
    """Make clauses of the required conditions, alone, together, and added to others."""
    groups = problem.required
    longest = problem.longest_clause or len(training_set.conditions)
    singles = sorted({j for group in groups for j in group})
    made: set[tuple[int, ...]] = {(j,) for j in singles}
    for together in islice(product(*groups), MOST_TOGETHER if groups else 0):
        made.add(tuple(sorted(set(together))))
    made |= {tuple(sorted({*clause, j})) for clause in clauses for j in singles}
    kept = sorted(clause for clause in made if len(clause) <= longest)
    enough = [c for c in kept if training_set.covers_enough(np.array([c]), problem)[0]]
    return training_set.columns(enough, problem)


def demanded_columns(
    training_set: Samples,
    problem: Problem,
    theta: tuple[float, ...],
    settings: Settings,
    budget: Budget,
) -> Iterator[list[Column]]:
    """Look for clauses that would be good if requirements charged more than theta, or nothing.

    The linear program may call a covered positive missed, and so comes by clauses that meet
    requirements in name only.
    """
    for factor in PRICES_OF_DEMANDS:
        beam = BeamSearch(
            training_set, problem, n_threads=settings.n_threads, engine=settings.engine
        )
        charged = tuple(factor * (t + training_set.unit) for t in theta)
        duals = training_set.duals_of_missed((), charged)
        yield beam.price(duals, budget).columns


def replacements(
    training_set: Samples,
    problem: Problem,
    rule_set: Sequence[Column],
    budget: Budget,
    n_threads: int = 1,
    engine: str = "numba",
    theta: tuple[float, ...] = (),
) -> list[Column]:
    """Look for clauses that lower the loss in the place of one in the rule set, or beside it.

    Near the clause (one condition more, fewer or exchanged, again and again) and from nothing.
    """
    found: list[Column] = []
    for place in range(len(rule_set) + 1):
        others = [column for k, column in enumerate(rule_set) if k != place]
        n_conditions = sum(len(column.clause) for column in others)
        room = problem.room_for_conditions(len(others) + 1, n_conditions)
        if room < 1 or budget.is_spent:
            continue
        limits = [float(room), float(problem.max_conditions or room)]
        longest = int(min(*limits, len(training_set.conditions)))
        smaller = replace(problem, max_conditions=longest)
        duals = training_set.duals_of_missed(others, theta)
        near = NeighbourSearch(
            training_set,
            smaller,
            rule_set[place : place + 1],
            N_STARTS,
            MOST_REPLACEMENTS,
            n_threads=n_threads,
            engine=engine,
        )
        anew = BeamSearch(
            training_set,
            smaller,
            beam_width=BEAM_WIDTH,
            most_columns=MOST_REPLACEMENTS,
            n_threads=n_threads,
            engine=engine,
        )
        for pricer in (near, anew):
            found += pricer.price(duals, budget).columns
    return found
