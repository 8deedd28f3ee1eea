"""A clause as the LP sees it, the duals that price it, and its reduced cost (eq. 5)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules.data.bins import unpack_bits
from boolrules.data.problem import as_written

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples

# Duals within this of feasible are made feasible by raising λ: no LP solver is more exact.
DUAL_TOLERANCE = 1e-6
# Integer sums stay below 2**52, so that they are exact in double precision too.
EXACT_BITS = 52
FINEST_GRID_BITS = 40


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A clause with its coefficients in eqs. (1)-(3).

    Parameters
    ----------
    clause : tuple of int
        The conditions j with z_j = 1, increasing.
    cost : float
        Its coefficient in eq. (1): the (weighted) zeros it covers, plus any penalty on complexity.
    complexity : float
        c_k.
    cover_P : uint64 array, or None
        Which positives it covers, as bits; None where the rows are on other machines.
    n_P : int
        How many positives there are.
    demands : tuple of int
        What it adds to each requirement, by the zeros that it covers.
    """

    clause: tuple[int, ...]
    cost: float
    complexity: float
    cover_P: NDArray[np.uint64] | None = None
    n_P: int = 0
    demands: tuple[int, ...] = ()

    @property
    def delta_P(self) -> NDArray[np.bool_]:
        """Which positives it covers, δ_i, unpacked."""
        assert self.cover_P is not None
        return unpack_bits(self.cover_P[None, :], self.n_P)[0]


@dataclass(frozen=True, slots=True, eq=False)
class Duals:
    """Duals of the master LP: μ_i of eq. (2), λ of eq. (3), ν of the limit on clauses.

    And θ_s of each requirement, for a row whose largest coefficient is one.
    """

    mu: NDArray[np.float64]
    lam: float
    nu: float = 0.0
    theta: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if min(self.lam, self.nu, self.mu.min(initial=0.0)) < -DUAL_TOLERANCE:
            raise ValueError("Duals of the master LP must be non-negative; check the row senses.")


def reduced_cost(column: Column, duals: Duals, norms: Sequence[int] = ()) -> float:
    """Change in Hamming loss per unit of this clause, eq. (5); norms are those of requirements."""
    paid = duals.lam * column.complexity + duals.nu
    paid += sum(
        t * b / norm for t, b, norm in zip(duals.theta, column.demands, norms, strict=True)
    )
    return float(column.cost - duals.mu @ column.delta_P + paid)


@dataclass(frozen=True, slots=True, eq=False)
class IntegerDuals:
    """Duals on a grid of integers: every sum over them is exact.

    Rounding μ down, λ and ν up leaves duals duals, so the bound Σμ − Cλ − Kν stays valid as long
    as no clause has negative reduced cost under them. ν is 0 where the number of clauses is not
    limited, by K.

    Parameters
    ----------
    mu : int64 array
        ``mu / scale`` are the μ_i.
    lam : int
        ``lam / scale`` is λ.
    scale : int
        A power of two.
    nu : int
        ``nu / scale`` is ν.
    theta : tuple of int
        ``theta / scale`` are the θ_s of requirements, each the price of its row's largest
        coefficient. The bound pays for them by what shifts the weights; see ``TrainingSet``.
    """

    mu: NDArray[np.int64]
    lam: int
    scale: int
    nu: int = 0
    theta: tuple[int, ...] = ()

    @classmethod
    def rounded(
        cls,
        duals: Duals,
        scale: int,
        most: NDArray[np.int64],
        tolerance: float,
        theta: tuple[int, ...] = (),
    ) -> IntegerDuals:
        """Round μ down, to at most ``most``, λ and ν up, λ lifted by the LP's tolerance."""
        mu = np.floor(np.maximum(duals.mu, 0.0) * scale).astype(np.int64)
        lam = math.ceil((max(duals.lam, 0.0) + tolerance) * scale)
        nu = math.ceil(max(duals.nu, 0.0) * scale)
        return cls(np.minimum(mu, most), lam, scale, nu, theta)

    def on(self, samples: Samples) -> IntegerDuals | None:
        """Return the duals of these samples: a dual for each positive, which these are already."""
        return self

    def raised(self, by: int) -> IntegerDuals:
        """Raise λ, which adds ``by`` per unit of complexity to every reduced cost."""
        return replace(self, lam=self.lam + by)

    def prices(self, problem: Problem) -> tuple[int, int]:
        """What a clause and a condition pay in the reduced cost: (λ + penalty) c_k, and ν.

        Rounded down, and capped where no clause could pay it in any case.
        """
        unit = self.lam + self.scale * as_written(problem.complexity_penalty)
        prices = [
            math.floor(unit * as_written(c)) for c in (problem.clause_cost, problem.condition_cost)
        ]
        return min(prices[0] + self.nu, 2**EXACT_BITS), min(prices[1], 2**EXACT_BITS)

    def bound(self, problem: Problem) -> Fraction:
        """Σμ − Cλ − Kν, exactly: a lower bound if no clause has negative reduced cost."""
        C = as_written(problem.max_complexity)
        return (int(self.mu.sum()) - C * self.lam - self.paid_for_clauses(problem)) / self.scale

    def paid_for_clauses(self, problem: Problem) -> int:
        """Kν, on the grid."""
        if self.nu and problem.max_clauses is None:
            raise ValueError("Duals have a price of clauses, but the problem does not limit them.")
        return self.nu * int(problem.max_clauses or 0)

    def to_plain(self) -> dict[str, Any]:
        """Return plain values that ``from_plain`` reads back."""
        plain: dict[str, Any] = {"mu": self.mu.tolist(), "lam": self.lam, "scale": self.scale}
        plain |= {"nu": self.nu} if self.nu else {}
        return plain | ({"theta": list(self.theta)} if self.theta else {})

    @classmethod
    def from_plain(cls, plain: Any) -> IntegerDuals:
        """Read ``to_plain``'s form, checking every part of it."""

        def is_count(value: Any) -> bool:
            return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**62

        if not (
            isinstance(plain, dict)
            and isinstance(plain.get("mu"), list)
            and all(map(is_count, plain["mu"]))
            and is_count(plain.get("lam"))
            and is_count(plain.get("nu", 0))
            and isinstance(plain.get("theta", []), list)
            and all(map(is_count, plain.get("theta", [])))
            and type(plain.get("scale")) is int
            and 0 < plain["scale"] < 2**1000
            and plain["scale"].bit_count() == 1
        ):
            raise ValueError(
                "Duals must be integers mu, lam, nu, theta, 0 or more, and a power of two."
            )
        mu = np.array(plain["mu"], dtype=np.int64)
        theta = tuple(plain.get("theta", ()))
        return cls(mu, plain["lam"], plain["scale"], plain.get("nu", 0), theta)


def grid(total_weight: float, unit: float | None) -> int:
    """Finest power of two on which sums over all rows stay exact: relative to the mean weight.

    Without a unit, as fine as can be: for weights that are multiples of nothing.

    Examples
    --------
    >>> grid(1000.0, unit=1.0) == 2**40, grid(1e9, unit=1.0) == 2**21, grid(1000.0, None) == 2**41
    (True, True, True)
    """
    if total_weight <= 0:
        return 1
    exact = EXACT_BITS - math.ceil(math.log2(total_weight)) - 1
    finest = exact if unit is None else FINEST_GRID_BITS - round(math.log2(unit))
    return int(2 ** max(0, min(finest, exact)))


class CoveragePatterns:
    """Tells apart the positives that different columns cover, by sums of random marks.

    Should two sums ever agree by chance, an LP or a local search is a trifle off; no proof rests
    on it.

    Examples
    --------
    >>> patterns = CoveragePatterns(3)
    >>> patterns.add(np.array([True, True, False]))
    >>> patterns.add(np.array([True, True, True]))
    >>> _, row, totals = patterns.merge(np.array([1.0, 2.0, 4.0]))
    >>> bool(row[0] == row[1] != row[2]), sorted(totals.tolist())
    (True, [3.0, 4.0])
    """

    def __init__(self, n_positives: int) -> None:
        self._sums = np.zeros(n_positives, dtype=np.uint64)
        self._marks = np.random.default_rng(0)

    def add(self, delta: NDArray[np.bool_]) -> None:
        """Take a column into account."""
        mark = self._marks.integers(1, 2**63, dtype=np.uint64)
        self._sums += np.where(delta, mark, np.uint64(0))

    def merge(
        self, weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return a positive of each pattern, each one's pattern, and the total weights."""
        _, first, row = np.unique(self._sums, return_index=True, return_inverse=True)
        totals = np.zeros(len(first))
        np.add.at(totals, row, weights)
        return first, row, totals
