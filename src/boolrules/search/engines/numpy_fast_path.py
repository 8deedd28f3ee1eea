"""What the kernels of ``_kernels.fast_path`` compute, written for reading: slow, obvious numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules.data.bins import NO_CONDITION, pack_bits, unpack_bits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

LEAST_GAIN = 1e-9
LEAST_SHARE = 1e-11


def _truths(conditions: Any, codes: NDArray[np.unsignedinteger]) -> NDArray[np.bool_]:
    """Which condition holds on which row (J, n)."""
    of_condition = codes.T[conditions.feature]
    start, stop, start_2, stop_2 = conditions.ranges.T[:, :, None]
    first = (of_condition >= start) & (of_condition < stop)
    return first | ((of_condition >= start_2) & (of_condition < stop_2))


def _covers(truths: NDArray[np.bool_], clause: Iterable[int]) -> NDArray[np.bool_]:
    conditions = [j for j in clause if j != NO_CONDITION]
    return np.asarray(truths[conditions].all(axis=0))


def _padded(clauses: Sequence[tuple[int, ...]], longest: int) -> NDArray[np.int32]:
    padded = np.full((len(clauses), longest), NO_CONDITION, dtype=np.int32)
    for k, clause in enumerate(clauses):
        padded[k, : len(clause)] = clause
    return padded


def _best_distinct(
    entries: list[tuple[float, float, float, tuple[int, ...]]], most: int
) -> list[tuple[float, float, tuple[int, ...]]]:
    """Return the entries of least score, the first of equal ones, one for each pair of sums."""
    best: dict[tuple[float, float], tuple[int, ...]] = {}
    for _, M, N, clause in sorted(entries, key=lambda entry: entry[0]):
        if len(best) < most:
            best.setdefault((M, N), clause)
    return [(M, N, clause) for (M, N), clause in best.items()]


def grow_clauses(
    rows: Any,
    conditions: Any,
    mu: NDArray[np.float64],
    price: float,
    width: int,
    longest: int,
    most: int,
    wide: int,
    few: int,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Beam search: grow clauses one condition at a time, and keep the best of each length.

    Beyond ``wide`` conditions the beam is narrow, and ends where nothing gains more than what is
    shorter.
    """
    holds_P = _truths(conditions, rows.codes_P)
    holds_Z = _truths(conditions, rows.codes_Z)
    found: list[tuple[float, float, tuple[int, ...]]] = []
    beam: list[tuple[int, ...]] = [()]
    least = 0.0
    for length in range(1, longest + 1):
        paid = price * (length + 1)
        gaining, grown = [], []
        for clause in beam:
            zeros = _covers(holds_Z, clause)
            N_here = float(rows.weights_Z[zeros].sum())
            for j in range(len(conditions.feature)):
                M = float(mu[_covers(holds_P, clause) & holds_P[j]].sum())
                N = float(rows.weights_Z[zeros & holds_Z[j]].sum())
                entry = (N - M, M, N, (*clause, j))
                # No clause is empty, so the first condition need not leave out a zero.
                if N - M + paid < 0 and (N_here > N or not clause):
                    gaining.append(entry)
                if paid < M and 0 < N < N_here:
                    grown.append(entry)
        best = _best_distinct(gaining, most if length <= wide else min(most, few))
        scores = [N - M + paid for M, N, _ in best]
        if length > wide and min(scores, default=least) >= least:
            break
        least = min([least, *scores])
        found += best
        n_growing = width if length < wide else min(width, few)
        beam = [clause for *_, clause in _best_distinct(grown, n_growing)]
    sums = np.array([(M, N) for M, N, _ in found]).reshape(len(found), 2)
    return _padded([clause for *_, clause in found], longest), sums


def exchange_conditions(
    rows: Any, conditions: Any, mu: NDArray[np.float64], clauses: NDArray[np.int32]
) -> None:
    """Exchange one condition of each clause for a better one, the best of all, while it gains."""
    holds_P = _truths(conditions, rows.codes_P)
    holds_Z = _truths(conditions, rows.codes_Z)
    for clause in clauses:
        places = np.flatnonzero(clause != NO_CONDITION).tolist()
        best = -np.inf
        while True:
            step = None
            for place in places:
                others = [clause[p] for p in places if p != place]
                left_P, left_Z = _covers(holds_P, others), _covers(holds_Z, others)
                for j in range(len(conditions.feature)):
                    if j in others:
                        continue
                    M = mu[left_P & holds_P[j]].sum()
                    gain = M - rows.weights_Z[left_Z & holds_Z[j]].sum()
                    if gain > best + LEAST_GAIN:
                        best, step = gain, (place, j)
            if step is None:
                break
            clause[step[0]] = step[1]


def cover_clauses(
    rows: Any,
    conditions: Any,
    clauses: NDArray[np.int32],
    covers: NDArray[np.uint64],
    zeros: NDArray[np.float64],
) -> None:
    """Write which positives each clause covers, as bits, and the weight of the zeros it covers."""
    holds_P = _truths(conditions, rows.codes_P)
    holds_Z = _truths(conditions, rows.codes_Z)
    for k, clause in enumerate(clauses):
        covers[k] = pack_bits(_covers(holds_P, clause)[None, :])[0]
        zeros[k] = rows.weights_Z[_covers(holds_Z, clause)].sum()


def choose_clauses(
    covers: NDArray[np.uint64],
    costs: NDArray[np.float64],
    lengths: NDArray[np.int64],
    weights: NDArray[np.float64],
    room: NDArray[np.int64],
    start: NDArray[np.int64],
) -> tuple[NDArray[np.int64], float]:
    """Add, drop or swap columns, the best move each time, while the objective falls."""
    delta = unpack_bits(covers, len(weights))

    def objective(chosen: Sequence[int]) -> float:
        is_missed = ~delta[list(chosen)].any(axis=0)
        return float(weights[is_missed].sum() + costs[list(chosen)].sum())

    def fits(chosen: Sequence[int]) -> bool:
        return len(chosen) < len(room) and lengths[list(chosen)].sum() <= room[len(chosen)]

    chosen = start.tolist()
    while True:
        others = [k for k in range(len(costs)) if k not in chosen]
        moves = [[*chosen, k] for k in others]
        for place in range(len(chosen)):
            # The last takes the place of the one that goes, as in the kernel.
            kept = chosen.copy()
            kept[place] = kept[-1]
            kept.pop()
            moves += [kept, *([*kept, k] for k in others)]
        now = objective(chosen)
        best, step = max(LEAST_GAIN, LEAST_SHARE * float(weights.sum())), None
        for move in moves:
            if fits(move) and now - objective(move) > best:
                best, step = now - objective(move), move
        if step is None:
            return np.array(chosen, dtype=np.int64), now
        chosen = step
