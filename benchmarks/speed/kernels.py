"""``make bench-kernels``: how near the kernel that expands nodes is to the machine's limits.

Nodes of a real search are expanded on one thread. The work that they need is counted, and the same
kinds of work are timed in the simplest loops over the same arrays, in the same run. Counted are
words ANDed, counted or compared, look-ups in tables of μ, increments of histograms, and conditions
held against each other. Not counted, so part of the factor: sorting, bounds, branches guessed
wrong, listing covered rows, summing up histograms, and writing found clauses and children.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import polars
from rich.console import Console

from benchmarks.speed.__main__ import (
    RESULTS,
    converged_duals,
    show,
    subjects,
    training_set,
    write,
    write_tables,
)
from boolrules.data.problem import Problem
from boolrules.search.engines import Nodes, Terms, make_engine
from boolrules.search.engines._kernels.clauses import (
    _bound_below,
    _count,
    _cover,
    _is_within,
    _keep_largest,
    _list_rows,
    _prefers_bits,
    _sum_over_bits,
)

NAMES = ("WDBC", "pima", "ionosphere", "ILPD")
GENERATED = "generated"
REPEATS = 15
KINDS = ("words", "look_ups", "increments", "comparisons")
MILLION = 1_000_000  # about as many steps has each loop that is timed
STREAM_BYTES = 400_000_000  # far more than any cache holds
LONG_ROW = 1024  # words; two such rows stay in the nearest cache


class Work(NamedTuple):
    """What some nodes need, counted; found and children show that the same was done."""

    words: int
    look_ups: int
    increments: int
    comparisons: int
    n_found: int
    n_children: int


def generated(n_rows, n_columns):
    """Make numbers whose label is a rule set with a tenth of the labels flipped."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, n_columns))
    is_positive = ((X[:, 0] > 0) & (X[:, 1] > 0.5)) | ((X[:, 2] < -0.5) & (X[:, 3] < 0.5))
    is_positive ^= random.random(n_rows) < 0.1
    return training_set(polars.DataFrame(X, [f"x{f}" for f in range(n_columns)]), is_positive)


def nodes_of_search(engine, terms, root, most):
    """Return up to ``most`` nodes, evenly from each level of the search.

    The bounds of exact pricing do not depend on what was found, so a search that ends expands the
    same nodes in any order. A level that is too wide is thinned out before it is expanded.
    """
    levels, level = [], root
    while len(level):
        level = level[np.unique(np.linspace(0, len(level) - 1, 10 * most).astype(np.int64))]
        levels.append(level)
        batches = [level[start : start + 256] for start in range(0, len(level), 256)]
        level = Nodes.concatenate([engine.expand(batch, terms).children for batch in batches])
    nodes = Nodes.concatenate(levels)
    return nodes[np.unique(np.linspace(0, len(nodes) - 1, most).astype(np.int64))]


@numba.njit
def _sum_work(side, j, cover):
    """Words and look-ups of one sum over bits."""
    look_ups = 0
    for word in side.mixed:
        left = side.bits[j, word] & cover[word]
        while left:
            look_ups += 1
            left = left >> np.uint64(8) if side.tables.shape[0] else left & (left - np.uint64(1))
    return cover.shape[0] - side.mixed.shape[0], look_ups


@numba.njit
def _words_compared(bits, j, k, cover):
    for word in range(cover.shape[0]):
        if bits[j, word] & ~bits[k, word] & cover[word]:
            return word + 1
    return cover.shape[0]


@numba.njit
def count_work(P, Z, conditions, terms, clauses, lengths, allowed):
    """Take the steps of ``_kernels.expand`` and count them: the kernel's shadow.

    How much it finds and how many children it has must agree with the kernel, and are held equal.
    Nothing here is cached on disk, where it would outlive a change of the kernel.
    """
    J, n_features = conditions.feature.shape[0], conditions.offsets.shape[0] - 1
    rows = np.empty(max(P.codes.shape[0], Z.codes.shape[0]), dtype=np.int64)
    n_P, n_Z = P.bits.shape[1], Z.bits.shape[1]
    cover_P, cover_Z = np.empty(n_P, dtype=np.uint64), np.empty(n_Z, dtype=np.uint64)
    top_value, top_chain = np.zeros((2, terms.longest + 1), dtype=np.int64)
    words, look_ups, increments, comparisons, n_found, n_children = 0, 0, 0, 0, 0, 0
    for b in range(clauses.shape[0]):
        length = lengths[b]
        open_ = [j for j in range(J) if (allowed[b, j >> 6] >> np.uint64(j & 63)) & np.uint64(1)]
        n_active = len(set([conditions.feature[j] for j in open_]))  # noqa: C403
        n_bins = conditions.offsets[n_features]
        _cover(P.bits, clauses[b], P.codes.shape[0], cover_P)
        n = _list_rows(cover_P, rows)
        has_bits_P = _prefers_bits(P, len(open_), cover_P, n_active, n_bins)
        increments += 0 if has_bits_P else n * n_active
        _cover(Z.bits, clauses[b], Z.codes.shape[0], cover_Z)
        n = _list_rows(cover_Z, rows)
        has_bits_Z = _prefers_bits(Z, len(open_), cover_Z, n_active, n_bins)
        increments += 0 if has_bits_Z else n * n_active
        words += length * (n_P + n_Z)
        N_here = Z.weights[rows[:n]].sum()
        price = terms.clause_price + terms.condition_price * (length + 1)
        useful = np.empty(J, dtype=np.int64)
        M, N = np.empty(J, dtype=np.int64), np.empty(J, dtype=np.int64)
        n_useful = 0
        for j in open_:
            M_j = _sum_over_bits(P, j, cover_P)
            if has_bits_P:
                more = _sum_work(P, j, cover_P)
                words, look_ups = words + more[0], look_ups + more[1]
            if price - M_j >= terms.threshold:
                continue
            N_j = _sum_over_bits(Z, j, cover_Z)
            if has_bits_Z:
                more = _sum_work(Z, j, cover_Z)
                words, look_ups = words + more[0], look_ups + more[1]
            if N_here - N_j > terms.least_elimination:
                useful[n_useful], M[n_useful], N[n_useful] = j, M_j, N_j
                n_useful += 1
            elif length == 0 and price - M_j + N_j < terms.threshold:
                n_found += 1
        most_more = terms.longest - length - 1
        order = np.argsort(-M[:n_useful], kind="mergesort")
        survives = np.zeros(J, dtype=np.bool_)
        for beats in (False, True):
            stays_Z = cover_Z.copy()
            n_survivors, n_top = 0, 0
            kept = np.empty(J, dtype=np.int64)
            n_kept = 0
            for place in range(n_useful):
                u = order[place]
                j, chain = useful[u], conditions.chain[useful[u]]
                if price - M[u] >= terms.threshold:
                    n_useful = place
                    break
                if beats:
                    is_beaten = False
                    for v in kept[:n_kept]:
                        comparisons += 1
                        if N[v] <= N[u]:
                            words += _words_compared(P.bits, j, useful[v], cover_P)
                            if _is_within(P.bits, j, useful[v], cover_P):
                                words += _words_compared(Z.bits, useful[v], j, cover_Z)
                                is_beaten = _is_within(Z.bits, useful[v], j, cover_Z)
                        if is_beaten:
                            break
                    if is_beaten:
                        continue
                    kept[n_kept] = u
                    n_kept += 1
                bound = terms.threshold
                if not beats or survives[place]:
                    more = _sum_work(Z, j, stays_Z)
                    words, look_ups = words + more[0], look_ups + more[1]
                    floor = _sum_over_bits(Z, j, stays_Z)
                    if price + terms.condition_price - M[u] + floor < terms.threshold:
                        bound = _bound_below(
                            price - M[u],
                            N[u],
                            floor,
                            chain,
                            terms,
                            most_more,
                            top_value,
                            top_chain,
                            n_top,
                        )
                if beats:
                    n_found += price - M[u] + N[u] < terms.threshold
                    n_children += bound < terms.threshold
                else:
                    survives[place] = bound < terms.threshold
                    n_survivors += survives[place] or price - M[u] + N[u] < terms.threshold
                stays_Z &= Z.bits[j]
                words += n_Z
                n_top = _keep_largest(
                    N_here - N[u], chain, most_more + 1, top_value, top_chain, n_top
                )
            if n_survivors == 0:
                break
    return words, look_ups, increments, comparisons, n_found, n_children


@numba.njit
def count_words(bits, cover, times):
    """The yardstick for words: AND with a cover and count, row after row."""
    total = 0
    for _ in range(times):
        for j in range(bits.shape[0]):
            for word in range(bits.shape[1]):
                total += _count(bits[j, word] & cover[word])
        cover[0] ^= np.uint64(total & 1)
    return total


@numba.njit
def look_up(tables, bits, times):
    """The yardstick for look-ups: one weight for each byte of a cover."""
    total = 0
    for _ in range(times):
        for j in range(bits.shape[0]):
            for place in range(tables.shape[0]):
                octet = (bits[j, place >> 3] >> np.uint64(8 * (place & 7))) & np.uint64(255)
                total += tables[place, octet]
    return total


@numba.njit
def increment(codes, weights, offsets, histogram, times):
    """The yardstick for increments: all rows and all features into a histogram."""
    for _ in range(times):
        for i in range(codes.shape[0]):
            weight = weights[i]
            for f in range(codes.shape[1]):
                histogram[offsets[f] + codes[i, f] + 1] += weight
    return histogram[0]


@numba.njit
def compare(N, times):
    """The yardstick for comparisons: each number with all before it."""
    total = 0
    for _ in range(times):
        for u in range(N.shape[0]):
            for v in range(u):
                total += N[v] <= N[u]
    return total


@numba.njit
def stream(numbers):
    """The yardstick for memory: read everything once."""
    total = np.uint64(0)
    for i in range(numbers.shape[0]):
        total += numbers[i]
    return total


def best_seconds(runs, repeats):
    """Run each of some loops in turn, again and again; return the least time of each."""
    best = [float("inf")] * len(runs)
    for run in runs:
        run()  # compiled, and in cache
    for _ in range(repeats):
        for place, run in enumerate(runs):
            started = time.perf_counter()
            run()
            best[place] = min(best[place], time.perf_counter() - started)
    return best


def yardsticks(P, Z, offsets):
    """Return (amount, loop) for each kind of work, over the arrays that the kernel reads."""
    side = P if P.tables.size else Z
    cover = np.full(Z.bits.shape[1], ~np.uint64(0))
    random = np.random.default_rng(0)
    long_rows = random.integers(0, 2**63, (2, LONG_ROW), dtype=np.uint64)
    N = random.integers(0, 100, 64)
    histogram = np.zeros(offsets[-1], dtype=np.int64)
    numbers = np.ones(STREAM_BYTES // 8, dtype=np.uint64)
    n_look_ups = side.tables.shape[0] * len(side.bits)
    n_pairs = len(N) * (len(N) - 1) // 2
    words, long_words, look_ups, increments, pairs = (
        max(1, MILLION // max(size, 1))
        for size in (Z.bits.size, long_rows.size, n_look_ups, Z.codes.size, n_pairs)
    )
    return {
        "words": (words * Z.bits.size, lambda: count_words(Z.bits, cover, words)),
        "look_ups": (look_ups * n_look_ups, lambda: look_up(side.tables, side.bits, look_ups)),
        "increments": (
            increments * Z.codes.size,
            lambda: increment(Z.codes, Z.weights, offsets, histogram, increments),
        ),
        "comparisons": (pairs * n_pairs, lambda: compare(N, pairs)),
        "long_words": (
            long_words * long_rows.size,
            lambda: count_words(long_rows, long_rows[0].copy(), long_words),
        ),
        "memory": (numbers.nbytes, lambda: stream(numbers)),
    }


def kernel_row(name, samples, complexity, limit, most_nodes, repeats):
    """Expand nodes, count their work, and hold the time against that of the yardsticks."""
    problem = Problem(complexity)
    duals = samples.rounded(converged_duals(samples, problem, limit)[0])
    engine = make_engine(samples, "numba", duals)
    longest = min(problem.longest_clause, len(samples.conditions))
    clause_price, condition_price = duals.prices(problem)
    terms = Terms(clause_price, condition_price, 0, longest, condition_price)
    root = Nodes.root(len(samples.conditions), longest, int(duals.mu.sum()))
    nodes = nodes_of_search(engine, terms, root, most_nodes)
    P, Z, conditions = engine._P, engine._Z, engine._conditions  # noqa: SLF001
    work = Work(*count_work(P, Z, conditions, terms, nodes.clauses, nodes.lengths, nodes.allowed))
    expansion = engine.expand(nodes, terms)
    assert (work.n_found, work.n_children) == (len(expansion.found), len(expansion.children))

    loops = yardsticks(P, Z, conditions.offsets)
    runs = [lambda: engine.expand(nodes, terms), *(run for _, run in loops.values())]
    seconds, *others = best_seconds(runs, repeats)
    rates = {kind: loops[kind][0] / other for kind, other in zip(loops, others, strict=True)}
    counted = {kind: getattr(work, kind) for kind in KINDS}
    least = sum(n / rates[kind] for kind, n in counted.items() if n)
    n_bytes = 8 * work.words + Z.codes.itemsize * work.increments
    return (
        {
            "data": name,
            "rows": len(P.codes) + len(Z.codes),
            "conditions": len(samples.conditions),
            "complexity": complexity,
            "nodes": len(nodes),
            "nodes_per_second": round(len(nodes) / seconds),
        }
        | {f"{kind}_per_node": round(n / len(nodes)) for kind, n in counted.items()}
        | {
            f"{kind}_per_ns": round(rates[kind] / 1e9, 2) if rates[kind] else None
            for kind in (*KINDS, "long_words")
        }
        | {
            "gb_per_second": round(n_bytes / seconds / 1e9, 1),
            "gb_per_second_from_memory": round(rates["memory"] / 1e9, 1),
            "us_per_node": round(1e6 * seconds / len(nodes), 2),
            "us_counted_work": round(1e6 * least / len(nodes), 2),
            "factor": round(seconds / least, 1),
        }
    )


def main():
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.kernels", description=__doc__
    )
    parser.add_argument("--complexity", type=int, default=10)
    parser.add_argument("--limit", type=float, default=30, help="seconds for the duals")
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=100_000, help="of the generated table")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--data", default=",".join((*NAMES, GENERATED)))
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    console = Console(width=200)
    names = options.data.split(",")
    rows = []
    found = list(subjects([name for name in names if name != GENERATED]))
    if GENERATED in names:
        found.append((GENERATED, generated(options.rows, 20)))
    for name, samples in found:
        row = kernel_row(
            name, samples, options.complexity, options.limit, options.nodes, options.repeats
        )
        rows.append(row)
        console.print("  ".join(f"{key} {value}" for key, value in row.items()), style="dim")
    shown = ("data", "nodes_per_second", "us_per_node", "us_counted_work", "factor")
    short = [{key: row[key] for key in shown} for row in rows]
    show(console, "Expanding nodes on one thread", short)
    write(options.output / "speed_kernels.csv", rows)
    write_tables(options.output)


if __name__ == "__main__":
    main()
