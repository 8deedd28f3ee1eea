"""Duals of coverage patterns: one rate for all positives that the same clauses cover.

Where rows are too many to name one by one, or on other machines, a dual is a rule: these clauses,
and for each combination of them that covers some positive a rate. A positive's μ_i is its weight
times the rate of its combination. Anyone with the data can work it out again, however the rows
are split or merged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules.data.bins import unpack_bits
from boolrules.data.column import EXACT_BITS, Duals, IntegerDuals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.data.samples import Samples
    from boolrules.data.training_set import TrainingSet

Clauses = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class PatternRates:
    """What a unit of weight is worth in each coverage pattern.

    Parameters
    ----------
    clauses : tuple of tuples of int
        What patterns are told apart by.
    keys : uint64 array (n, n_words)
        Which of the clauses cover each pattern, as bits.
    marks : uint64 array (n,)
        The sum of the marks of these clauses, increasing: how a row finds its pattern.
    rates : float array (n,)
        Between 0 and 1.
    """

    clauses: Clauses
    keys: NDArray[np.uint64]
    marks: NDArray[np.uint64]
    rates: NDArray[np.float64]

    def mu(self, samples: TrainingSet, scale: int, marks: NDArray[np.uint64]) -> NDArray[np.int64]:
        """μ_i of the positives of some rows, on the grid; 0 for a pattern that is not known.

        ``marks`` are those of the rows, from ``row_marks``. Any number from 0 to the weight is a
        dual, so that nothing can be proved wrongly here.
        """
        weights, _ = samples.integer_weights(scale)
        if not len(self.marks):
            return np.zeros(len(weights), dtype=np.int64)
        place = np.minimum(np.searchsorted(self.marks, marks), len(self.marks) - 1)
        rate = np.where(self.marks[place] == marks, self.rates[place], 0.0)
        return np.floor(weights * rate).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class PatternDuals(Duals):
    """Duals of the master LP; ``mu`` has the sum of μ_i, ``totals`` of weights, per pattern."""

    of: PatternRates | None = None
    totals: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))


@dataclass(frozen=True, slots=True, eq=False)
class IntegerPatternDuals(IntegerDuals):
    """Duals on the grid; ``mu`` has the sum of μ_i over each pattern."""

    of: PatternRates | None = None

    def on(self, samples: Samples) -> IntegerDuals | None:
        """Return what the rates come to on some samples, wherever these are.

        None where they cannot be duals of this data: a model file may come from anywhere.
        """
        assert self.of is not None
        largest = max((j for clause in self.of.clauses for j in clause), default=-1)
        is_exact = samples.total_weight * self.scale < 2.0**EXACT_BITS
        if largest >= len(samples.conditions) or not is_exact:
            return None
        return samples.from_rates(self)

    def to_plain(self) -> dict[str, Any]:
        """Return plain values that ``duals_from_plain`` reads back."""
        assert self.of is not None
        keys = np.ascontiguousarray(self.of.keys)
        plain = {
            "clauses": [list(clause) for clause in self.of.clauses],
            "patterns": [key.tobytes().hex() for key in keys],
            "rates": self.of.rates.tolist(),
            "lam": self.lam,
            "scale": self.scale,
        }
        return {**plain, "nu": self.nu} if self.nu else plain


def duals_from_plain(plain: Any) -> IntegerDuals:
    """Read either form of integer duals, checking every part of it."""
    if not isinstance(plain, dict) or "patterns" not in plain:
        return IntegerDuals.from_plain(plain)
    rest = {name: plain[name] for name in ("lam", "scale", "nu") if name in plain}
    numbers = IntegerDuals.from_plain({**rest, "mu": []})
    clauses, keys, rates = (plain.get(name) for name in ("clauses", "patterns", "rates"))
    if not (
        isinstance(clauses, list)
        and all(isinstance(c, list) and all(type(j) is int and j >= 0 for j in c) for c in clauses)
        and isinstance(keys, list)
        and isinstance(rates, list)
        and len(keys) == len(rates)
        and all(isinstance(r, int | float) and 0 <= r <= 1 for r in rates)
    ):
        raise ValueError("Duals of patterns need clauses, patterns, and a rate from 0 to 1 each.")
    n_words = max(1, -(-len(clauses) // 64))
    try:
        raw = b"".join(bytes.fromhex(key) for key in keys)
        packed = np.frombuffer(raw, dtype=np.uint64).reshape(len(keys), n_words)
    except (TypeError, ValueError):
        raise ValueError(f"Patterns must be {16 * n_words} hexadecimal digits each.") from None
    known = tuple(tuple(clause) for clause in clauses)
    marks = key_marks(packed, len(known))
    order = np.argsort(marks, kind="stable")
    of = PatternRates(known, packed[order], marks[order], np.array(rates, dtype=float)[order])
    empty = np.empty(0, dtype=np.int64)
    return IntegerPatternDuals(empty, numbers.lam, numbers.scale, numbers.nu, of=of)


def marks_of(n_clauses: int) -> NDArray[np.uint64]:
    """Return a random mark for each clause, always the same ones; see ``CoveragePatterns``."""
    marks = np.random.default_rng(0)
    drawn = [marks.integers(1, 2**63, dtype=np.uint64) for _ in range(n_clauses)]
    return np.array(drawn, dtype=np.uint64)


def row_marks(samples: TrainingSet, clauses: Sequence[tuple[int, ...]]) -> NDArray[np.uint64]:
    """Sum up, for each positive, the marks of the clauses that cover it."""
    sums = np.zeros(len(samples.weights_P), dtype=np.uint64)
    for clause, mark in zip(clauses, marks_of(len(clauses)), strict=True):
        sums[samples.P.delta(clause)] += mark
    return sums


def key_marks(keys: NDArray[np.uint64], n_clauses: int) -> NDArray[np.uint64]:
    """Sum up the same marks for patterns given as bits."""
    covers = unpack_bits(keys, n_clauses)
    sums = np.zeros(len(keys), dtype=np.uint64)
    for k, mark in enumerate(marks_of(n_clauses)):
        sums[covers[:, k]] += mark
    return sums


def integer_sums(
    totals: NDArray[np.float64], rates: NDArray[np.float64], scale: int
) -> NDArray[np.int64]:
    """Σ μ_i over patterns of integer weights: exact, because rates are on the grid."""
    assert float(totals.sum()) * scale < 2.0**EXACT_BITS
    return np.floor(totals * scale * rates).astype(np.int64)
