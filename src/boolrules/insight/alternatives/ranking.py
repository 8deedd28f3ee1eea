"""Rank rule sets by how different they are: each next one is the farthest from those before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.bins import pack_bits, unpack_bits
from boolrules.insight.alternatives.alternative import Alternative

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.insight.alternatives.task import Task
    from boolrules.proof.gap import Clauses

    Words = NDArray[np.uint64]

TAKEN = -1


class Ranking:
    """Rule sets by how differently they answer, then by the conditions in which they differ."""

    def __init__(self, task: Task, rule_sets: Sequence[Clauses]) -> None:
        self._task = task
        self._rule_sets = rule_sets
        self._decided = task.decided(rule_sets)
        self._by_model = task.decided([task.clauses])
        self._of_model = [r for r, clauses in enumerate(rule_sets) if clauses == task.clauses]
        _, first, answers = np.unique(
            self._decided, axis=0, return_index=True, return_inverse=True
        )
        # Rule sets come best first, and so do the first of each set of answers.
        order = np.argsort(first)
        self._first = first[order]
        self._answers = np.argsort(order)[answers.ravel()]

    @property
    def n_answers(self) -> int:
        """In how many ways the rows are answered."""
        return len(self._first)

    def first(self, most: int) -> list[tuple[int, int]]:
        """Return the first places of the ranking, each with its distance from those before it."""
        shown = [(r, 0) for r in self._of_model]
        answered = {int(self._answers[r]) for r in self._of_model}
        others = np.array([r for r in self._first if self._answers[r] not in answered], dtype=int)
        places, distances = spread(self._decided[others], self._by_model, most - len(shown))
        shown += zip(others[places].tolist(), distances, strict=True)
        if len(shown) < most:
            rest = np.setdiff1d(np.arange(len(self._rule_sets)), [r for r, _ in shown])
            used = self._used_conditions()
            before = used[[r for r, _ in shown]]
            places, _ = spread(used[rest], before, most - len(shown))
            shown += [(int(r), 0) for r in rest[places]]
        return shown

    def alternative(self, r: int, distance: int) -> Alternative:
        """Read one of the rule sets."""
        task, problem = self._task, self._task.certificate.problem
        rules = task.read(self._rule_sets[r])
        loss = task.rows.hamming_loss(rules)
        n_conditions = sum(clause.n_conditions for clause in rules.clauses)
        complexity = problem.complexity(rules.n_clauses, n_conditions)
        differs = unpack_bits(self._decided[[r]] ^ self._by_model, len(task.rows.table))[0]
        return Alternative(
            rules,
            loss,
            loss + problem.complexity_penalty * complexity,
            complexity,
            np.flatnonzero(differs),
            distance,
            int(self._answers[r]),
            r in self._of_model,
        )

    def _used_conditions(self) -> Words:
        """Return, as bits, which of the conditions that any rule set uses each of them does."""
        every = sorted({j for clauses in self._rule_sets for clause in clauses for j in clause})
        place = {j: k for k, j in enumerate(every)}
        used = np.zeros((len(self._rule_sets), len(every)), dtype=bool)
        for r, clauses in enumerate(self._rule_sets):
            used[r, [place[j] for clause in clauses for j in clause]] = True
        return pack_bits(used)


def spread(candidates: Words, before: Words, most: int) -> tuple[list[int], list[int]]:
    """Take again and again the candidate that is farthest from its nearest; ties to the first.

    Distances are numbers of bits that differ, from ``before`` and from those taken already. Return
    the places of those taken, and how far each was.
    """

    def distances(words: Words) -> NDArray[np.int64]:
        return np.bitwise_count(candidates ^ words).sum(axis=1, dtype=np.int64)

    nearest = np.full(len(candidates), np.iinfo(np.int64).max)
    for words in before:
        nearest = np.minimum(nearest, distances(words))
    taken: list[int] = []
    how_far: list[int] = []
    while len(taken) < min(most, len(candidates)):
        place = int(nearest.argmax())
        taken.append(place)
        how_far.append(int(nearest[place]))
        nearest = np.minimum(nearest, distances(candidates[place]))
        nearest[taken] = TAKEN
    return taken, how_far
