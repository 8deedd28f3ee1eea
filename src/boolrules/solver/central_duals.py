"""Duals from the middle of the Restricted MLP, as near to optimal as is asked for (§2.2).

Owns an interior point method for eqs. (1)-(3) over the columns in play. Any duals give a valid
bound, and those in the middle price far better than those of a vertex: so early rounds need no
solved linear program. What is returned lies on both sides of its value, by sums of our own.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from threadpoolctl import ThreadpoolController

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from boolrules._support.budget import Budget

MOST_STEPS = 100
# How far a step goes towards the nearest bound.
STEP_SHARE = 0.95
# How far inside all bounds a solution begins that goes on from an earlier one: relative to the
# gap that is allowed, and at most and at least.
PUSH_PER_GAP, MOST_PUSH, LEAST_PUSH = 10.0, 0.1, 1e-4
# The same of pairs that have no earlier value, and the least that any of them begins at.
HALF_INSIDE, LEAST_INSIDE = 0.3, 1e-3
# Where λ begins: enough for so many of the columns. The others are short of it at first.
SHARE_PAID = 0.9
# What keeps the equations of a step from being singular, relative to their largest coefficient.
RIDGE = 1e-13


@dataclass(frozen=True, slots=True, eq=False)
class CentralPoint:
    """Feasible duals of eqs. (2) and (3), weights w_k, and the values of both.

    Parameters
    ----------
    mu : float array (n,)
        Between 0 and the weight of each positive.
    prices : float array (m,)
        λ and, where clauses are limited, ν.
    w : float array (K,)
        The weight of each column, within the limits.
    least, most : float
        What the duals prove and what the weights attain: the LP's value lies between them.
    """

    mu: NDArray[np.float64]
    prices: NDArray[np.float64]
    w: NDArray[np.float64]
    least: float
    most: float


@dataclass(frozen=True, eq=False)
class CentralProgram:
    """The dual of eqs. (1)-(3): maximise Σ μ_i less the price of the limits.

    Parameters
    ----------
    covers : float array (K, n)
        1 where a column covers a positive.
    weights : float array (n,)
        What ξ_i costs in eq. (1), more than 0.
    costs : float array (K,)
        What each column costs in eq. (1).
    uses : float array (K, m)
        What each column takes of each limit; more than 0 of the first, the complexity.
    limits : float array (m,)
        C and, where clauses are limited, K.
    """

    covers: NDArray[np.float64]
    weights: NDArray[np.float64]
    costs: NDArray[np.float64]
    uses: NDArray[np.float64]
    limits: NDArray[np.float64]

    def solve(self, gap: float, start: CentralPoint | None, budget: Budget) -> CentralPoint | None:
        """Step towards the optimum until the two values differ by no more than ``gap``.

        ``start`` is an earlier point. None where the numbers or the budget did not allow it.
        """
        with one_thread():
            x, p = self._start(gap, start)
            for _ in range(MOST_STEPS):
                point = self._point(x, p)
                if point.most - point.least <= gap:
                    return point
                if budget.is_spent:
                    return None
                try:
                    x, p = self._step(x, p)
                except LinAlgError:
                    return None
                if not (np.isfinite(x).all() and np.isfinite(p).all()):
                    return None
        return None

    @cached_property
    def parts(self) -> list[int]:
        """Where x = (μ, u − μ, s, λ) and p = (y, ξ, w, z) are split.

        Each number of the one is the dual of its partner in the other: their products are 0 at the
        optimum and equal in the middle. s is the reduced cost of each column, z what is left of
        each limit, y what a positive is covered beyond need, and u are the weights.
        """
        K, n = self.covers.shape
        return [n, 2 * n, 2 * n + K]

    def _start(
        self, gap: float, start: CentralPoint | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return a point well inside all bounds."""
        mu = self.weights / 2
        w = np.full(len(self.costs), float((self.limits / self.uses.sum(axis=0)).min()) / 2)
        push = 1.0
        if start is not None:
            push = min(MOST_PUSH, max(LEAST_PUSH, PUSH_PER_GAP * gap / max(start.most, gap)))
            mu = (1 - push) * start.mu + push * mu
            w = (1 - push) * start.w + push * w
        cost = self.costs - self.covers @ mu
        lam = np.full(len(self.limits), LEAST_INSIDE)
        lam[0] = max(LEAST_INSIDE, float(np.quantile(-cost / self.uses[:, 0], SHARE_PAID)))
        s = np.maximum(cost + self.uses @ lam, push * float(np.mean(np.abs(cost))) + LEAST_INSIDE)
        missed = 1 - w @ self.covers
        y, xi = (np.maximum(side, 0.0) + push * HALF_INSIDE for side in (-missed, missed))
        z = np.maximum(self.limits - w @ self.uses, push * self.limits / 20)
        return np.concatenate([mu, self.weights - mu, s, lam]), np.concatenate([y, xi, w, z])

    def _point(self, x: NDArray[np.float64], p: NDArray[np.float64]) -> CentralPoint:
        """Make both sides feasible, and count what they are worth."""
        mu, _, _, lam = np.split(x, self.parts)
        _, _, w, _ = np.split(p, self.parts)
        mu, lam = np.minimum(mu, self.weights), lam.copy()
        short = self.covers @ mu - self.uses @ lam - self.costs
        lam[0] += float((short / self.uses[:, 0]).max(initial=0.0))
        w = w / float((w @ self.uses / self.limits).max(initial=1.0))
        missed = np.maximum(0.0, 1 - w @ self.covers)
        least = float(mu.sum() - self.limits @ lam)
        most = float(self.costs @ w + self.weights @ missed)
        return CentralPoint(mu, lam, w, least, most)

    def _step(
        self, x: NDArray[np.float64], p: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Take one step of Mehrotra's method: aim at the optimum, then at the middle."""
        newton = _Newton(self, x, p)
        dx, dp = newton.direction(-x * p)
        ahead = (x + _longest(x, dx) * dx) @ (p + _longest(p, dp) * dp)
        left = float(x @ p)
        middle = max(0.0, float(ahead) / left) ** 3 * left / len(x)
        dx, dp = newton.direction(middle - x * p - dx * dp)
        return x + STEP_SHARE * _longest(x, dx) * dx, p + STEP_SHARE * _longest(p, dp) * dp


class _Newton:
    """The equations of a step from (x, p), brought down to one for each column and factorised.

    With the products of partners to change by r, a step keeps to the equations of the LP and of
    its dual, and makes good what (x, p) is off them. All but the change of w is eliminated.
    """

    def __init__(
        self, program: CentralProgram, x: NDArray[np.float64], p: NDArray[np.float64]
    ) -> None:
        self._program, self._x, self._p = program, x, p
        covers, uses = program.covers, program.uses
        mu, v, s, lam = np.split(x, program.parts)
        y, xi, w, z = np.split(p, program.parts)
        self._theta = 1.0 / (y / mu + xi / v)
        scaled = covers * np.sqrt(self._theta)
        normal = scaled @ scaled.T + (uses * (lam / z)) @ uses.T
        diagonal = normal.diagonal() + s / w
        np.fill_diagonal(normal, diagonal + RIDGE * diagonal.max())
        self._factor = cho_factor(normal, lower=True, overwrite_a=True, check_finite=False)
        self._off_columns = program.costs - covers @ mu + uses @ lam - s
        self._off_positives = 1 - w @ covers - xi + y
        self._off_limits = program.limits - w @ uses - z

    def direction(self, r: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the step (dx, dp) with p dx + x dp = r."""
        covers, uses, parts = self._program.covers, self._program.uses, self._program.parts
        mu, v, s, lam = np.split(self._x, parts)
        _, _, w, z = np.split(self._p, parts)
        r_y, r_xi, r_s, r_z = np.split(r, parts)
        g = self._theta * (r_y / mu - r_xi / v + self._off_positives)
        h = (r_z - lam * self._off_limits) / z
        right = covers @ g - uses @ h + r_s / w - self._off_columns
        d_w = cho_solve(self._factor, right, check_finite=False)
        d_mu = g - self._theta * (d_w @ covers)
        d_lam = h + (lam / z) * (d_w @ uses)
        dx = np.concatenate([d_mu, -d_mu, (r_s - s * d_w) / w, d_lam])
        return dx, (r - self._p * dx) / self._x


def _longest(x: NDArray[np.float64], dx: NDArray[np.float64]) -> float:
    """Return how much of a step keeps all numbers from falling below 0."""
    is_falling = dx < 0
    return float(np.min(-x[is_falling] / dx[is_falling], initial=1.0))


@contextmanager
def one_thread() -> Iterator[None]:
    """Multiply matrices in one thread.

    More gain nothing where they are small, and wait for each other on a busy machine. With one the
    sums are the same on any number of cores, too.
    """
    with _blas().limit(limits=1, user_api="blas"):
        yield


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()
