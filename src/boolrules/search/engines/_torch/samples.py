"""The samples on the device, as matrices of small integers whose products are exact.

Weights are written in base 256, with digits from -128 to 127. A matrix of zeros and ones times a
matrix of digits, in 8-bit integers summed up in 32 bits, is what the matrix units of a GPU are
fastest at; the digits' sums are put together in 64 bits. Nothing is rounded anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from boolrules.data.bins import pack_bits, unpack_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.data.column import IntegerDuals
    from boolrules.data.training_set import TrainingSet

DIGIT_BITS = 8
# A sum of so many digits stays within 32 bits.
MOST_ROWS = 2 ** (31 - (DIGIT_BITS - 1)) - 1
# How many digits tell most nodes' fate.
N_LEADING = 2
# Kernels take rows in multiples of this; matrix units take at least so many nodes.
ALIGNMENT = 128
FEWEST_ROWS = 32
# What a row costs at most, in 8 bits; heavier rows are taken several times.
MOST_COST = 127
MOST_TIMES = 64
# By what factor that may raise the number of rows.
MOST_MORE_ROWS = 1.25
# How many conditions the kernel for last conditions takes at once, in steps of how many.
CONDITIONS_AT_ONCE = (320, 256)
NARROWEST = 64


@dataclass(frozen=True)
class Side:
    """P or Z on the device, its n rows padded to a multiple of ``ALIGNMENT``.

    Parameters
    ----------
    holds : int8 tensor (J + 1, n)
        On which rows each condition is true; the last row is true of every sample.
    bits : int32 tensor (J + 1, n / 32)
        The same, as bits.
    words : int32 tensor (n / 32, J + 1)
        The same, word by word.
    weighted : int8 tensor (n_digits * width, n)
        ``holds`` times the leading digit of the weights, then times the next, and so on, each
        ``width`` rows.
    unit : int
        The weights are ``unit`` times what the digits say.
    n_digits, width : int
        How ``weighted`` is made up.
    most_behind : int
        No sum is larger than its ``N_LEADING`` leading digits say by more than this.
    weights : float64 tensor (n,)
        The weights as they are: integers below 2**52.
    weight_bits : int32 tensor (n_planes, n / 32)
        ``weights / unit``, bit by bit.
    """

    holds: Any
    bits: Any
    words: Any
    weighted: Any
    unit: int
    n_digits: int
    width: int
    most_behind: int
    weights: Any
    weight_bits: Any

    @classmethod
    def of(
        cls, truths: NDArray[np.bool_], weights: NDArray[np.int64], device: torch.device
    ) -> Side:
        """Put truth values (J, n) and weights (n,) on the device."""
        J, n = truths.shape
        if n > MOST_ROWS:
            raise ValueError(
                f"{n} distinct rows are more than engine='cuda' sums exactly, {MOST_ROWS}. "
                "Use engine='numba'."
            )
        n_padded = max(1, -(-n // ALIGNMENT)) * ALIGNMENT
        holds = np.zeros((J + 1, n_padded), dtype=np.int8)
        holds[:J, :n] = truths
        holds[J, :n] = 1
        unit = max(1, int(np.gcd.reduce(weights))) if n else 1
        whole = np.zeros(n_padded, dtype=np.int64)
        whole[:n] = weights // unit
        n_bits = max(1, int(whole.max()).bit_length())
        digits = _digits(whole)
        behind = whole - _value(digits[:N_LEADING], len(digits))
        width = -(-(J + 1) // 16) * 16
        on_device = torch.from_numpy(holds).to(device)
        weighted = torch.zeros((len(digits), width, n_padded), dtype=torch.int8, device=device)
        for digit, rows in zip(torch.from_numpy(digits).to(device), weighted, strict=True):
            torch.mul(on_device, digit, out=rows[: J + 1])
        planes = ((whole >> np.arange(n_bits)[:, None]) & 1).astype(bool)
        bits = _bits(holds.astype(bool), device)
        return cls(
            on_device,
            bits,
            bits.t().contiguous(),
            weighted.view(len(digits) * width, n_padded),
            unit,
            len(digits),
            width,
            unit * int(np.maximum(behind, 0).sum()),
            torch.from_numpy((whole * unit).astype(np.float64)).to(device),
            _bits(planes, device),
        )

    @property
    def n_rows(self) -> int:
        """How many rows there are, padding included."""
        return int(self.holds.shape[1])

    def digit_sums(self, cover: Any, n_digits: int | None = None) -> Any:
        """Sum digits, leading first, over covered rows (B, n): int32 (B, n_digits, width)."""
        D = self.n_digits if n_digits is None else n_digits
        return product(cover, self.weighted[: D * self.width]).view(len(cover), D, self.width)

    def sums(self, digit_sums: Any) -> Any:
        """Put digits together: int64 (B, J + 1), last the sum of the clause itself.

        With the leading digits alone, no sum is less than it is.
        """
        D, n = digit_sums.shape[1], len(self.holds)
        total = digit_sums[:, 0, :n].long()
        for d in range(1, D):
            total = (total << DIGIT_BITS) + digit_sums[:, d, :n]
        total <<= DIGIT_BITS * (self.n_digits - D)
        if self.unit != 1:
            total *= self.unit
        return total if self.n_digits == D else total + self.most_behind


@dataclass(frozen=True)
class Last:
    """What the last condition of a clause costs, rounded down to 8 bits, over P and Z together.

    With condition j added, a clause S that covers M has the reduced cost price - M + the μ_i of
    the covered positives that j loses + the weights of the covered zeros that j keeps. Where even
    the least of these sums, rounded down, leaves nothing under the threshold, S is done with.

    Parameters
    ----------
    holds : int8 tensor (J + 1, n)
        As in ``Side``. A row that weighs more than ``unit`` is there several times.
    bits : int32 tensor (J + 1, n / 32)
        The same, as bits: bit 8 t + k of a word is row 4 k + t of its 32.
    costs : int8 tensor (width, n)
        What each condition costs on each row, in parts of ``unit / MOST_COST``; after the J
        conditions the last one again, up to a multiple of ``block``.
    unit : int
        What ``MOST_COST`` stands for.
    block : int
        How many conditions to take at once.
    """

    holds: Any
    bits: Any
    costs: Any
    unit: int
    block: int

    @classmethod
    def of(cls, P: Side, Z: Side) -> Last | None:
        """Join both sides; None where there are no conditions, or too many rows for 32 bits."""
        weights = [side.weights.cpu().numpy().astype(np.int64) for side in (P, Z)]
        unit = _unit_of_costs(np.concatenate(weights), Z.unit)
        rows, costs = zip(*(_in_parts(w, unit) for w in weights), strict=True)
        n, J = sum(map(len, rows)), len(P.holds) - 1
        if J == 0 or n > MOST_ROWS:
            return None
        device, n_padded = P.holds.device, max(1, -(-n // ALIGNMENT)) * ALIGNMENT
        holds = torch.zeros((J + 1, n_padded), dtype=torch.int8, device=device)
        cost = torch.zeros((J + 1, n_padded), dtype=torch.int8, device=device)
        start = 0
        for side, taken, of_rows in zip((P, Z), rows, costs, strict=True):
            some = slice(start, start := start + len(taken))
            holds[:, some] = side.holds[:, torch.from_numpy(taken).to(device)]
            is_paid = 1 - holds[:, some] if side is P else holds[:, some]
            cost[:, some] = is_paid * torch.from_numpy(of_rows).to(device)
        block = _conditions_at_once(J)
        repeated = torch.arange(-(-J // block) * block, device=device).clamp(max=J - 1)
        eighths = holds.view(torch.int32).view(J + 1, -1, 8)
        bits = (eighths << torch.arange(8, dtype=torch.int32, device=device)).sum(
            dim=2, dtype=torch.int32
        )
        return cls(holds, bits, cost[repeated], unit, block)

    def is_open(self, least: Any, M: Any, price: Any, threshold: int) -> Any:
        """Tell whether the least sum of costs may be under the threshold: bool (B,)."""
        return self.unit * least.long() < MOST_COST * (M + threshold - price)


@dataclass(frozen=True)
class Samples:
    """What an engine sums over: P, Z, and which chain each condition belongs to, int64 (J,).

    Chains are numbered from 0 to ``n_chains`` - 1.
    """

    P: Side
    Z: Side
    chain: Any
    n_chains: int

    @classmethod
    def of(
        cls,
        training_set: TrainingSet,
        duals: IntegerDuals,
        *,
        is_enumerating: bool,
        device: torch.device,
    ) -> Samples:
        """Put the rows in play on the device: when pricing, of P only those with μ_i > 0."""
        _, weights_Z = training_set.integer_weights(duals.scale, duals.theta)
        rows = np.arange(len(duals.mu)) if is_enumerating else np.flatnonzero(duals.mu)
        truths_P = unpack_bits(training_set.P.bits, len(duals.mu))[:, rows]
        truths_Z = unpack_bits(training_set.Z.bits, len(weights_Z))
        chain = training_set.conditions.chains
        return cls(
            Side.of(truths_P, duals.mu[rows], device),
            Side.of(truths_Z, weights_Z, device),
            torch.from_numpy(chain.astype(np.int64)).to(device),
            int(chain.max(initial=-1)) + 1,
        )

    @property
    def J(self) -> int:
        """How many conditions there are."""
        return len(self.chain)

    @property
    def device(self) -> Any:
        """Where everything is."""
        return self.chain.device


def product(cover: Any, rows: Any) -> Any:
    """Multiply covered rows (B, n) by rows (W, n): int32 (B, W), exact."""
    B = len(cover)
    if B < FEWEST_ROWS:
        cover = torch.nn.functional.pad(cover, (0, 0, 0, FEWEST_ROWS - B))
    return torch._int_mm(cover, rows.t())[:B]  # noqa: SLF001


def _unit_of_costs(weights: NDArray[np.int64], unit: int) -> int:
    """Return the least multiple of the zeros' unit by which rows do not become too many."""
    n, heaviest = int((weights > 0).sum()), int(weights.max(initial=1))
    while heaviest > MOST_TIMES * unit:
        unit *= 2
    while unit < heaviest and int((-(-weights // unit)).sum()) > MOST_MORE_ROWS * n:
        unit *= 2
    return unit


def _in_parts(weights: NDArray[np.int64], unit: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Write weights as sums of parts up to the unit: which row each is of, and its cost."""
    times, rest = np.divmod(weights, unit)
    rest = MOST_COST * rest // unit
    rows = np.concatenate([np.repeat(np.arange(len(weights)), times), np.flatnonzero(rest)])
    costs = np.concatenate([np.full(times.sum(), MOST_COST), rest[rest > 0]])
    return rows, costs.astype(np.int8)


def _conditions_at_once(J: int) -> int:
    """Return how many conditions to take at once, so that few are taken in vain."""
    if max(CONDITIONS_AT_ONCE) >= J:
        return -(-J // NARROWEST) * NARROWEST
    return min(CONDITIONS_AT_ONCE, key=lambda block: -(-J // block) * block)


def _digits(whole: NDArray[np.int64]) -> NDArray[np.int8]:
    """Write numbers in base 256 with digits from -128 to 127, the leading one first."""
    digits: list[NDArray[np.int8]] = []
    while not digits or whole.any():
        digits.append(whole.astype(np.uint8).view(np.int8))
        whole = (whole - digits[-1]) >> DIGIT_BITS
    return np.array(digits[::-1])


def _value(digits: NDArray[np.int8], n_digits: int) -> NDArray[np.int64]:
    """Return what the leading ones of so many digits say."""
    value = np.zeros(digits.shape[1], dtype=np.int64)
    for digit in digits:
        value = (value << DIGIT_BITS) + digit
    return value << (DIGIT_BITS * (n_digits - len(digits)))


def _bits(rows: NDArray[np.bool_], device: torch.device) -> Any:
    return torch.from_numpy(pack_bits(rows).view(np.int32)).to(device)
