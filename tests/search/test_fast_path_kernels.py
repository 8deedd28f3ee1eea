"""The compiled kernels of fast paths against their specification in numpy, and their promises."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules.data.bins import BinnedConditions, pack_bits
from boolrules.search.engines.loading import load_fast_path
from strategies import generators, times

KERNELS, SPECIFICATION = load_fast_path("numba"), load_fast_path("numpy")
# More positives than one word of bits has, and than two have.
N_POSITIVES = [1, 2, 5, 12, 25, 64, 65, 130]


@dataclass(frozen=True)
class Drawn:
    """Rows and conditions as kernels take them, and what positives are worth."""

    binned: BinnedConditions
    rows: tuple
    mu: np.ndarray

    @property
    def conditions(self):
        offsets = np.concatenate([[0], np.cumsum(self.binned.n_codes + 1)])
        return KERNELS.Ranges(self.binned.feature, self.binned.ranges, offsets)

    def covered(self, clause, codes):
        holds = [self.binned.holds(int(j), codes) for j in clause if j >= 0]
        return np.all(holds, axis=0)

    def sums(self, clause):
        M = self.mu[self.covered(clause, self.rows.codes_P)].sum()
        return M, self.rows.weights_Z[self.covered(clause, self.rows.codes_Z)].sum()

    def gain(self, clause):
        M, N = self.sums(clause)
        return M - N


@st.composite
def binned_conditions(draw):
    """Conditions on one or two ranges of codes; the last code of a feature is for what is missing.

    Few codes make conditions that are equal, or that hold on everything.
    """
    random = draw(generators())
    n_codes = draw(st.lists(st.integers(2, 6), min_size=1, max_size=4))
    conditions = []
    for f in random.integers(len(n_codes), size=draw(st.integers(1, 9))).tolist():
        edges = np.sort(random.choice(n_codes[f] + 1, size=4)).tolist()
        pieces = [(edges[0], edges[1]), (edges[2], edges[3])]
        conditions.append((f, pieces[: draw(st.integers(1, 2))]))
    return BinnedConditions.build(conditions, n_codes)


@st.composite
def drawn_rows(draw):
    """Rows with whole weights: floating-point sums of them are exact in any order."""
    random, binned = draw(generators()), draw(binned_conditions())
    n_P, n_Z = draw(st.sampled_from(N_POSITIVES)), draw(st.sampled_from([0, 1, 4, 12, 25]))
    rows = KERNELS.CodedRows(
        *(random.integers(binned.n_codes, size=(n, len(binned.n_codes)), dtype=np.uint16)
          for n in (n_P, n_Z)),
        random.integers(1, draw(st.sampled_from([2, 6])), size=n_Z).astype(float),
    )  # fmt: skip
    mu = random.integers(0, draw(st.sampled_from([2, 5])), size=n_P).astype(float)
    return Drawn(binned, rows, mu)


@st.composite
def drawn_clauses(draw, drawn):
    """Clauses of one to three different conditions, padded with -1."""
    random, J = draw(generators()), len(drawn.binned)
    clauses = np.full((draw(st.integers(1, 4)), 3), -1, dtype=np.int32)
    for clause in clauses:
        conditions = random.permutation(J)[: random.integers(1, 4)]
        clause[: len(conditions)] = conditions
    return clauses


@st.composite
def searches(draw):
    """Price, width of the beam, longest clause, most clauses of each length; what is long."""
    price = float(draw(st.sampled_from([0, 0, 1, 3])))
    sizes = draw(st.integers(1, 5)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    return price, *sizes, draw(st.integers(1, 4)), draw(st.integers(1, 3))


@dataclass(frozen=True)
class Choice:
    """Columns to choose from."""

    delta: np.ndarray
    costs: np.ndarray
    lengths: np.ndarray
    weights: np.ndarray
    room: np.ndarray
    start: np.ndarray

    def objective(self, chosen):
        is_missed = ~self.delta[chosen].any(axis=0)
        return self.weights[is_missed].sum() + self.costs[chosen].sum()

    def fits(self, chosen):
        n = len(chosen)
        return n < len(self.room) and self.lengths[chosen].sum() <= self.room[n]

    def choose(self, kernels):
        covers = pack_bits(self.delta)
        arrays = (self.costs, self.lengths, self.weights, self.room, self.start)
        return kernels.choose_clauses(covers, *arrays)


@st.composite
def choices(draw):
    """Any columns, some of them equal, with room for a few, and a start that fits."""
    random, n_P = draw(generators()), draw(st.sampled_from(N_POSITIVES))
    K = draw(st.integers(0, 12))
    delta = random.random((K, n_P)) < draw(st.sampled_from([0.1, 0.3, 0.6]))
    costs = random.integers(0, draw(st.sampled_from([1, 3, 9, 30])), size=K).astype(float)
    lengths = random.integers(1, 4, size=K)
    if K and draw(st.booleans()):
        twins = random.integers(K, size=K)
        delta, costs, lengths = delta[twins], costs[twins], lengths[twins]
    # Small whole numbers are counted digit by digit, others are added up.
    weights = random.integers(0, draw(st.sampled_from([2, 6])), size=n_P).astype(float)
    weights *= draw(st.sampled_from([1.0, 0.5, 64.0]))
    most, n_clauses = draw(st.integers(0, 9)), draw(st.integers(0, 5))
    room = np.maximum(most - np.arange(n_clauses + 1), -1)
    start: list[int] = []
    for k in random.permutation(K).tolist() if draw(st.booleans()) else []:
        n, n_conditions = len(start) + 1, lengths[[*start, k]].sum()
        if n < len(room) and n_conditions <= room[n]:
            start.append(k)
    return Choice(delta, costs, lengths, weights, room, np.array(start, dtype=np.int64))


@times(10)
@given(drawn_rows(), searches())
def test_clauses_grow_as_the_specification_says(drawn, search):
    found = KERNELS.grow_clauses(drawn.rows, drawn.conditions, drawn.mu, *search)
    expected = SPECIFICATION.grow_clauses(drawn.rows, drawn.conditions, drawn.mu, *search)
    for one, other in zip(found, expected, strict=True):
        assert one.tolist() == other.tolist()
        assert one.dtype == other.dtype


@times(10)
@given(drawn_rows(), searches())
def test_grown_clauses_gain_what_they_claim(drawn, search):
    price, _, longest, most, *_ = search
    clauses, sums = KERNELS.grow_clauses(drawn.rows, drawn.conditions, drawn.mu, *search)
    assert [drawn.sums(clause) for clause in clauses] == [tuple(pair) for pair in sums.tolist()]
    lengths = (clauses >= 0).sum(axis=1)
    assert all(len({*f}) == n for f, n in zip(_unpadded(clauses), lengths, strict=True))
    gains = sums[:, 0] - sums[:, 1]
    assert (gains > price * (lengths + 1)).all()
    assert lengths.tolist() == sorted(lengths)
    for length in range(1, longest + 1):
        pairs = sums[lengths == length].tolist()
        assert len({tuple(pair) for pair in pairs}) == len(pairs) <= most
        best_first = gains[lengths == length].tolist()
        assert best_first == sorted(best_first, reverse=True)


@times(10)
@given(drawn_rows(), searches())
def test_the_best_clause_of_one_condition_is_always_found(drawn, search):
    price = search[0]
    clauses, sums = KERNELS.grow_clauses(drawn.rows, drawn.conditions, drawn.mu, *search)
    most = max(drawn.gain([j]) for j in range(len(drawn.binned)))
    is_single = (clauses >= 0).sum(axis=1) == 1
    found = [M - N for M, N in sums[is_single].tolist()]
    assert max(found, default=None) == (most if most > 2 * price else None)


@times(10)
@given(st.data(), drawn_rows())
def test_conditions_are_exchanged_as_the_specification_says(data, drawn):
    clauses = data.draw(drawn_clauses(drawn))
    found, expected = clauses.copy(), clauses.copy()
    KERNELS.exchange_conditions(drawn.rows, drawn.conditions, drawn.mu, found)
    SPECIFICATION.exchange_conditions(drawn.rows, drawn.conditions, drawn.mu, expected)
    assert found.tolist() == expected.tolist()


@times(10)
@given(st.data(), drawn_rows())
def test_no_exchange_of_one_condition_is_left_that_gains(data, drawn):
    before = data.draw(drawn_clauses(drawn))
    after = before.copy()
    KERNELS.exchange_conditions(drawn.rows, drawn.conditions, drawn.mu, after)
    assert ((after >= 0) == (before >= 0)).all()
    for old, new in zip(_unpadded(before), _unpadded(after), strict=True):
        gain = drawn.gain(new)
        assert gain >= drawn.gain(old)
        assert len({*new}) == len(new)
        for place in range(len(new)):
            others = new[:place] + new[place + 1 :]
            left = set(range(len(drawn.binned))) - {*others}
            assert all(drawn.gain([*others, j]) <= gain for j in left)


@times(10)
@given(st.data(), drawn_rows())
def test_clauses_cover_what_the_specification_says(data, drawn):
    clauses = data.draw(drawn_clauses(drawn))
    n_words = -(-len(drawn.mu) // 64)
    # Whatever was there before is written over.
    covers = np.full((2, len(clauses), n_words), 2**64 - 1, dtype=np.uint64)
    zeros = np.full((2, len(clauses)), np.nan)
    for place, kernels in enumerate((KERNELS, SPECIFICATION)):
        kernels.cover_clauses(drawn.rows, drawn.conditions, clauses, covers[place], zeros[place])
    expected = [drawn.covered(clause, drawn.rows.codes_P) for clause in clauses]
    assert covers[0].tolist() == covers[1].tolist() == pack_bits(np.array(expected)).tolist()
    assert zeros[0].tolist() == zeros[1].tolist() == [drawn.sums(f)[1] for f in clauses]


@times(10)
@given(choices())
def test_columns_are_chosen_as_the_specification_says(choice):
    chosen, objective = choice.choose(KERNELS)
    expected, value = choice.choose(SPECIFICATION)
    assert chosen.tolist() == expected.tolist()
    assert objective == value


@times(10)
@given(choices())
def test_no_single_move_improves_the_chosen_columns(choice):
    found, objective = choice.choose(KERNELS)
    chosen = found.tolist()
    assert len({*chosen}) == len(chosen)
    assert choice.fits(chosen)
    assert objective == choice.objective(chosen) <= choice.objective(choice.start.tolist())
    others = sorted(set(range(len(choice.costs))) - {*chosen})
    smaller = [[k for k in chosen if k != gone] for gone in chosen]
    moves = [*smaller, *([*kept, k] for kept in [chosen, *smaller] for k in others)]
    assert all(choice.objective(move) >= objective for move in moves if choice.fits(move))


def test_columns_that_are_equal_but_for_rounding_do_not_take_turns():
    random, n_P = np.random.default_rng(0), 50_000
    delta = np.zeros((12, n_P), dtype=bool)
    for covered in delta:
        covered[random.permutation(n_P)[: n_P // 3]] = True
    one, room = np.ones(12, dtype=np.int64), np.array([1, 1])
    start = np.empty(0, dtype=np.int64)
    choice = Choice(delta, np.zeros(12), one, np.full(n_P, 0.3713), room, start)
    chosen, objective = choice.choose(KERNELS)  # which ends
    assert objective == pytest.approx(choice.objective(chosen.tolist()))


def _unpadded(clauses):
    return [[j for j in clause if j >= 0] for clause in clauses.tolist()]
