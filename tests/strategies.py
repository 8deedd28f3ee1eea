"""Small random tables, problems and duals, with everything in them that real tables have.

Shapes and kinds are drawn by hypothesis, so that it can shrink them; values come from a seeded
generator, because tables drawn value by value come out too plain to be hard.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import polars
from hypothesis import assume, settings
from hypothesis import strategies as st
from sklearn.base import clone

import brute_force
from boolrules import BooleanRuleClassifier, Clause, FeatureBinarizer, Form, Requirement
from boolrules._support.table import read_table
from boolrules.data.binning import binary_encoding
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import Duals, IntegerDuals
from boolrules.data.constraints import Constraints
from boolrules.data.encoding import TableEncoding
from boolrules.data.labelled_rows import BinaryRows, Codes, LabelledRows, Weighing
from boolrules.data.problem import Problem
from boolrules.data.required import with_required
from boolrules.data.requirement import Measure
from boolrules.data.training_set import TrainingSet

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_RECORD = -9.0
# All clauses over so many conditions are still quickly written out.
MOST_CONDITIONS = 10
KINDS = {
    "count": ([1.0, 2.0, 3.0], polars.Float64),
    "measurement": ([1.0, 2.0, 2.0, 3.0, 4.0, NO_RECORD, None], polars.Float64),
    "color": (["red", "green", "blue", "red", None], polars.String),
    "count of two": ([1.0, 2.0], polars.Float64),
    "truth": ([True, False], polars.Boolean),
    "rare": ([True, True, True, False], polars.Boolean),
    "truth or null": ([True, False, None], polars.Boolean),
}


def times(factor: float) -> settings:
    """Take more examples than the profile says where they are cheap, or fewer where they are not.

    A test of exactness is worth the more.
    """
    return settings(max_examples=max(1, round(factor * settings.default.max_examples)))


def generators() -> st.SearchStrategy[np.random.Generator]:
    """Seeded sources of values."""
    return st.integers(0, 2**32 - 1).map(np.random.default_rng)


@st.composite
def frames(draw: st.DrawFn, n_rows: int) -> polars.DataFrame:
    """Tables of numbers, categories and truth values, with special and missing ones."""
    random = draw(generators())
    columns = {}
    kinds = st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=7)
    for place, kind in enumerate(draw(kinds)):
        values, dtype = KINDS[kind]
        drawn = [values[i] for i in random.integers(len(values), size=n_rows)]
        columns[f"f{place}"] = polars.Series(drawn, dtype=dtype)
    return polars.DataFrame(columns)


@st.composite
def encodings(draw: st.DrawFn, frame: polars.DataFrame) -> TableEncoding:
    """Fitted binarizers of every kind, cut down to the first few conditions."""
    thresholds = draw(st.sampled_from(["deciles", 2, 3, "all"]))
    methods = ["thresholds"] if thresholds == "all" else ["thresholds", "thresholds", "intervals"]
    binarizer = FeatureBinarizer(
        thresholds=thresholds,
        method=draw(st.sampled_from(methods)),
        negations=draw(st.sampled_from([True, True, False])),
        special_values=draw(st.sampled_from([None, [NO_RECORD]])),
    ).fit(frame)
    kept, n_conditions = [], 0
    for feature in binarizer.encoding_.features:
        n_more = len(feature.binned_conditions())
        if n_conditions + n_more <= MOST_CONDITIONS:
            kept.append(feature)
            n_conditions += n_more
    return TableEncoding(tuple(kept))


@st.composite
def row_weights(draw: st.DrawFn, n_rows: int, *, whole: bool) -> np.ndarray:
    """Weights of rows: ones, small integers with zeros among them, or fractions of any scale."""
    random = draw(generators())
    kinds = [[1.0], [0.0, 1.0, 2.0, 3.0], [1.0, 5.0, 9.0]]
    scale = 1.0
    if not whole:
        kinds += [[0.1, 0.25, 1 / 3, 0.7, 1.5, 2.0], [0.1, 0.3, 1e-4, 7.7]]
        scale = draw(st.sampled_from([1.0, 1.0, 1.0, 1e-3, 1e3]))
    return scale * random.choice(draw(st.sampled_from(kinds)), size=n_rows)


@st.composite
def labels(draw: st.DrawFn, codes: np.ndarray, conditions: BinnedConditions) -> np.ndarray:
    """Any labels, or those of a planted clause with some noise: then long clauses are worth it."""
    random, n_rows, J = draw(generators()), len(codes), len(conditions)
    if not J or draw(st.integers(0, 2)) == 0:
        return random.random(n_rows) < draw(st.sampled_from([0.3, 0.5, 0.7]))
    is_positive = np.ones(n_rows, dtype=bool)
    for j in random.permutation(J)[: draw(st.integers(2, 4))]:
        holds = conditions.holds(int(j), codes)
        if (is_positive & holds).any():
            is_positive &= holds
    return is_positive ^ (random.random(n_rows) < draw(st.sampled_from([0.0, 0.1])))


@st.composite
def near_misses(draw: st.DrawFn, *, whole: bool = False) -> TrainingSet:
    """Zeros and ones where each zero fails one or two conditions: only long clauses are good."""
    random, n_features = draw(generators()), draw(st.integers(3, 8))
    n_rows = draw(st.sampled_from([8, 16, 30]))
    X = np.ones((n_rows, n_features), dtype=np.int64)
    is_positive = random.random(n_rows) < draw(st.sampled_from([0.1, 0.3]))
    is_positive[0], is_positive[1] = True, False
    for row, positive in zip(X, is_positive, strict=True):
        n_failed = random.integers(0, 2) if positive else random.integers(1, 3)
        row[random.permutation(n_features)[:n_failed]] = 0
    weights = np.maximum(draw(row_weights(n_rows, whole=whole)), 1e-3)
    weights = np.ceil(weights) if whole else weights
    weights[is_positive] *= draw(st.sampled_from([1, 2, 5]))
    table = read_table(X)
    return make_training_set(binary_encoding(table.names), table, is_positive, weights, Form.DNF)


@st.composite
def set_covers(draw: st.DrawFn, *, whole: bool = False) -> TrainingSet:
    """Each condition covers any few rows: the best rule sets have several clauses that overlap."""
    random, n_features = draw(generators()), draw(st.integers(3, 7))
    n_P, n_Z = draw(st.integers(3, 7)), draw(st.integers(1, 7))
    X = np.vstack([random.random((n_P, n_features)) < 0.4, random.random((n_Z, n_features)) < 0.2])
    weights = np.maximum(draw(row_weights(n_P + n_Z, whole=whole)), 1 if whole else 1e-3)
    table, is_positive = read_table(X.astype(np.int64)), np.arange(n_P + n_Z) < n_P
    return make_training_set(binary_encoding(table.names), table, is_positive, weights, Form.DNF)


def make_training_set(encoding, table, is_positive, weights, form) -> TrainingSet:
    """Encode rows that all cost what they weigh."""
    rows = BinaryRows(table, is_positive, weights, weights, weights, Codes(table))
    return rows.encoded(encoding, form)


def training_sets(*, whole: bool = False) -> st.SearchStrategy[TrainingSet]:
    """Small training sets of every kind."""
    kinds = [tables(whole=whole), tables(whole=whole), near_misses(whole=whole)]
    return st.one_of(*kinds, set_covers(whole=whole))


@st.composite
def tables(draw: st.DrawFn, *, whole: bool = False) -> TrainingSet:
    """Encoded tables with positives and zeros: DNF, or CNF with complemented conditions."""
    n_rows = draw(st.sampled_from([30, 18, 9, 4, 2]))
    frame = draw(frames(n_rows))
    encoding = draw(encodings(frame))
    table, conditions = read_table(frame), encoding.binned
    is_positive = draw(labels(encoding.encode(table), conditions))
    weights = draw(row_weights(n_rows, whole=whole))
    # There is no pricing problem without a positive, and no classifier without a zero.
    is_positive[0], is_positive[1] = True, False
    weights[:2] = np.where(weights[:2] == 0, weights.max() or 1.0, weights[:2])
    form = draw(st.sampled_from([Form.DNF, Form.CNF]))
    if form is Form.CNF:
        is_positive = ~is_positive
    return make_training_set(encoding, table, is_positive, weights, form)


@st.composite
def frames_of_cuts(draw: st.DrawFn, n_rows: int) -> polars.DataFrame:
    """Numbers with up to seven values each, twins among them, and a few categories.

    Some numbers are special or missing.
    """
    random = draw(generators())
    columns: dict[str, polars.Series] = {}
    for place in range(draw(st.integers(1, 3))):
        values = random.integers(0, draw(st.integers(2, 7)), n_rows).astype(float)
        if place and draw(st.booleans()):
            values = columns["f0"].to_numpy(writable=True)
            values[random.random(n_rows) < draw(st.sampled_from([0.0, 0.3]))] += 1
        values[random.random(n_rows) < draw(st.sampled_from([0.0, 0.0, 0.2]))] = NO_RECORD
        is_null = random.random(n_rows) < draw(st.sampled_from([0.0, 0.0, 0.2]))
        drawn = [None if null else v for v, null in zip(values.tolist(), is_null, strict=True)]
        columns[f"f{place}"] = polars.Series(drawn, dtype=polars.Float64)
    if draw(st.booleans()):
        columns["color"] = polars.Series(random.choice(["red", "green", "blue"], n_rows))
    return polars.DataFrame(columns)


@st.composite
def cuts(draw: st.DrawFn, *, whole: bool = False) -> TrainingSet:
    """Encoded tables with every threshold of their numbers: long chains, and many ties."""
    n_rows = draw(st.sampled_from([24, 16, 10, 5]))
    frame = draw(frames_of_cuts(n_rows))
    encoding = (
        FeatureBinarizer(
            thresholds="all",
            negations=draw(st.sampled_from([True, True, False])),
            special_values=draw(st.sampled_from([None, [NO_RECORD]])),
        )
        .fit(frame)
        .encoding_
    )
    table = read_table(frame)
    is_positive = draw(labels(encoding.encode(table), encoding.binned))
    is_positive[0], is_positive[1] = True, False
    weights = np.maximum(draw(row_weights(n_rows, whole=whole)), 1 if whole else 1e-3)
    form = draw(st.sampled_from([Form.DNF, Form.CNF]))
    if form is Form.CNF:
        is_positive = ~is_positive
    return make_training_set(encoding, table, is_positive, weights, form)


@st.composite
def decoys(draw: st.DrawFn) -> tuple[TrainingSet, IntegerDuals]:
    """One clause is good; a looser cut of it earns more at one of its parts, for nothing.

    Rows are told apart by two columns of zeros and ones and by a level of a third, which has one
    value or several for each level. A few rows are added at random.
    """
    random = draw(generators())
    most = draw(st.sampled_from([0.0, 0.1, 0.3]))
    cells: dict[tuple[int, int, int], str] = {
        cell: random.choice(["P", "Z", "PZ"]) if random.random() < most else ""
        for cell in np.ndindex(2, 3, 2)
    }
    cells |= {(1, 0, 1): "P", (1, 1, 0): "P", (1, 2, 1): "PZ", (0, 0, 1): "PZ"}
    cells |= {(1, 0, 0): "Z", (0, 1, 1): "Z"}
    width = draw(st.sampled_from([1, 1, 2]))
    n_codes = np.array([2, 3 * width, 2])
    rows, is_positive, mu = [], [], {}
    for (s, level, r), sides in cells.items():
        for side in sides:
            code = (s, level * width + int(random.integers(0, width)), r)
            rows.append(code)
            is_positive.append(side == "P")
            mu[code] = int(random.integers(0, 12 if (s, r) == (0, 1) or level == 2 else 4))
            mu[code] += 8 * ((s, level, r) == (1, 0, 1))
    codes = np.array(rows)
    is_flipped, order = random.random(3) < 0.5, random.permutation(3)
    codes = np.where(is_flipped, n_codes - 1 - codes, codes)
    of_row = {tuple(row[order].tolist()): mu[code] for row, code in zip(codes, rows, strict=True)}
    ends = n_codes[order].tolist()
    conditions = BinnedConditions.build(
        [
            (f, [side])
            for f, n in enumerate(ends)
            for k in range(1, n)
            for side in ((0, k), (k, n))
        ],
        ends,
    )
    training_set = TrainingSet.merge(
        codes[:, order].astype(np.uint8),
        np.array(is_positive),
        np.full(len(rows), 40.0),
        conditions,
    )
    earned = [of_row[tuple(row)] for row in training_set.codes_P.tolist()]
    lam = draw(st.sampled_from([0, 0, 1]))
    return training_set, IntegerDuals(np.array(earned, dtype=np.int64), lam, 1)


@st.composite
def problems(draw: st.DrawFn, *, whole: bool = False) -> Problem:
    """Limits and prices: as in the paper, or any others."""
    D = draw(st.sampled_from([None, None, 1, 2, 3]))
    asked = {
        "max_clauses": draw(st.sampled_from([None, None, 1, 2])),
        "min_coverage": draw(st.sampled_from([0, 0, 1, 2, 5])),
    }
    if draw(st.booleans()):
        return Problem(draw(st.integers(2, 9)), D, **asked)
    costs = [0, 1, 2] if whole else [0, 1, 2, 0.5, 0.3, 0.1, 1.7]
    clause_cost = draw(st.sampled_from(costs))
    condition_cost = draw(st.sampled_from(costs if clause_cost else costs[1:]))
    penalty = draw(st.sampled_from([0, 0, 1] if whole else [0, 0, 1, 0.1, 0.013, 2.5]))
    # From room for one clause of one condition to room for several.
    times = draw(st.sampled_from([1, 2, 3] if whole else [1, 1.5, 2, 3.3]))
    least = clause_cost + condition_cost
    return Problem(round(least * times, 6), D, clause_cost, condition_cost, penalty, **asked)


@st.composite
def duals_of(draw: st.DrawFn, training_set: TrainingSet) -> Duals:
    """Duals 0 <= μ_i <= weight_i, zeros among them, and λ >= 0; seldom feasible ones."""
    random, n_P = draw(generators()), len(training_set.weights_P)
    mu = np.ones(n_P)
    match draw(st.sampled_from(["all", "round", "any"])):
        case "round":
            mu = random.choice([0.0, 0.5, 1.0], n_P)
        case "any":
            mu = random.random(n_P)
    mu[random.random(n_P) < draw(st.sampled_from([0.0, 0.3]))] = 0.0
    lam = draw(st.one_of(st.sampled_from([0.0, 0.01, 0.1, 0.3, 0.6, 1.0]), st.floats(0.0, 2.0)))
    return Duals(mu * training_set.weights_P, lam * training_set.unit)


def with_price_of_clauses(draw: st.DrawFn, problem: Problem, duals: Duals) -> Duals:
    """Some ν, where the number of clauses is limited."""
    if problem.max_clauses is None:
        return duals
    return replace(duals, nu=duals.lam * draw(st.sampled_from([0.0, 0.5, 2.0])))


@st.composite
def pricing_problems(
    draw: st.DrawFn, *, whole: bool = False
) -> tuple[TrainingSet, Problem, Duals]:
    """Training sets, problems, and duals to price under."""
    training_set = draw(training_sets(whole=whole))
    problem, duals = draw(problems(whole=whole)), draw(duals_of(training_set))
    return training_set, problem, with_price_of_clauses(draw, problem, duals)


@dataclass(frozen=True, eq=False)
class Asked:
    """A table, labels and weights, and what a classifier is asked for under requirements."""

    frame: polars.DataFrame
    is_positive: np.ndarray
    weights: np.ndarray | None
    requirements: tuple[Requirement, ...]
    parameters: dict[str, Any]

    def fit(self, **others: Any) -> BooleanRuleClassifier:
        """Learn rules from it."""
        asked = {"time_limit": 20} | self.parameters | others
        model = BooleanRuleClassifier(requirements=self.requirements, **asked)
        return model.fit(self.frame, self.is_positive, sample_weight=self.weights)

    @property
    def rows(self) -> tuple[polars.DataFrame, np.ndarray, np.ndarray | None]:
        """What verify takes."""
        return self.frame, self.is_positive, self.weights

    @property
    def has_whole_weights(self) -> bool:
        """Whether rows count in whole numbers, so that sums are not rounded."""
        return self.weights is None or bool((self.weights == np.floor(self.weights)).all())

    @property
    def encoding(self) -> TableEncoding:
        """The conditions on offer."""
        fitted = clone(self.parameters["binarizer"]).fit(*self.rows).encoding_
        return fitted.constrained(self._constraints.on_conditions)

    def problem(self) -> Problem:
        """Limits and prices of whole rule sets, and what they must use."""
        limits = {name: self.parameters[name] for name in LIMITS if name in self.parameters}
        return with_required(
            Problem(**limits),
            self._constraints.required,
            self.encoding,
            self._constraints.given_clauses,
        )

    def training_set(self) -> TrainingSet:
        """Encode the rows that given clauses leave."""
        missed, covered = self._costs
        weighing = Weighing((False, True), (1.0, 1.0), missed, covered)
        rows = LabelledRows.of(*self.rows, weighing).against_rest(True)
        form, given = Form(self.parameters["form"]), self._constraints.given_clauses
        return rows.without(given, self.encoding, form, self.problem(), self.requirements)[1]

    def plain(self) -> brute_force.PlainTask:
        """Write it as the oracle takes it."""
        conditions, problem = list(self.encoding.conditions), self.problem()
        weights = np.ones(len(self.frame)) if self.weights is None else self.weights
        counts = [brute_force.decimal(w) for w in weights.tolist()]
        if self.has_whole_weights:
            counts = [int(count) for count in counts]
        costs = [
            Fraction(n * self._costs[0 if positive else 1])
            for n, positive in zip(counts, self.is_positive.tolist(), strict=True)
        ]
        return brute_force.PlainTask(
            self.frame,
            self.is_positive.tolist(),
            costs,
            counts,
            self.parameters["form"],
            conditions,
            problem,
            [clause.conditions for clause in self._constraints.given_clauses],
            [[conditions[j] for j in group] for group in problem.required],
        )

    @property
    def _constraints(self) -> Constraints:
        return Constraints.of(self.parameters["constraints"])

    @property
    def _costs(self) -> tuple[int, int]:
        """Of a missed positive and of a covered negative."""
        objective = self.parameters["objective"]
        return int(objective != "covered"), int(objective != "missed")


LIMITS = (
    *("max_complexity", "max_conditions", "max_clauses", "min_coverage"),
    *("complexity_penalty", "clause_cost", "condition_cost"),
)
GROUPS = (["A", "B"], ["A", "B", "C"], ["A", "B", None], [1.0, 2.0, None], [True, False])
NOT_WHOLE = ([0.25, 0.5, 1.75], [0.1, 0.3, 0.7, 1.5], [0.01, 2.5, 7.7])
MEASURES = tuple(Measure)


@st.composite
def requirements_on(
    draw: st.DrawFn, groups: Sequence[Any], measures: Sequence[Measure], n_rows: int
) -> Requirement:
    """A limit on some rows, which may be easy to keep, hard, or out of reach."""
    measure = draw(st.sampled_from(measures))
    if measure.compares:
        limit = draw(st.sampled_from([0, 0.1, 0.2, 0.34, 0.5]))
        return Requirement(measure, limit, between="group")
    share = draw(st.sampled_from([0.1, 0.25, 0.3, 0.5, 2 / 3, 0.75, 0.8, 0.9, 1]))
    limit = round(share, 6)
    if not measure.is_share:
        limit = draw(st.integers(0, 4 if measure is not Measure.FLAGGED else n_rows // 2))
    known = [value for value in groups if value is not None]
    where = ("group", draw(st.sampled_from(known)))
    scope = draw(st.sampled_from([{}, {}, {}, {"within": "group"}, {"where": where}]))
    margin = draw(st.sampled_from([0, 0, 0, 0.05])) if limit <= 0.9 else 0
    return Requirement(measure, limit, margin=margin if limit >= 0.1 else 0, **scope)


@st.composite
def frames_with_groups(
    draw: st.DrawFn, n_rows: int, groups: Sequence[Any], *, has_every_cut: bool = False
) -> polars.DataFrame:
    """A column of groups, and one to three others; numbers have many values for every cut."""
    random = draw(generators())
    columns = {"group": [groups[i] for i in random.integers(len(groups), size=n_rows)]}
    if has_every_cut:
        for place in range(draw(st.integers(1, 2))):
            n_values = draw(st.integers(4, 8 if place == 0 else 5))
            columns[f"f{place}"] = random.integers(0, n_values, n_rows).astype(float).tolist()
    else:
        kinds = st.sampled_from(["count of two", "count", "truth", "measurement", "color"])
        for place, kind in enumerate(draw(st.lists(kinds, min_size=1, max_size=3))):
            values = KINDS[kind][0]
            columns[f"f{place}"] = [values[i] for i in random.integers(len(values), size=n_rows)]
    return polars.DataFrame(columns, strict=False)


@st.composite
def asked_beside(draw: st.DrawFn, conditions: Sequence[Any], C: int) -> dict[str, Any]:
    """Limits, prices, given clauses and required columns: what may be asked with requirements."""
    parameters: dict[str, Any] = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "max_clauses": st.sampled_from([1, 2]),
                "max_conditions": st.sampled_from([1, 2]),
                "min_coverage": st.sampled_from([1, 2, 3]),
                "complexity_penalty": st.sampled_from([1, 0.25]),
            },
        )
    )
    random = draw(generators())
    constraints: dict[str, Any] = {}
    n_given = draw(st.integers(0, min(2, C // 2 - 1, parameters.get("max_clauses", 2))))
    if n_given and conditions:
        chosen = random.choice(len(conditions), n_given).tolist()
        constraints["given_clauses"] = [Clause((conditions[j],)) for j in chosen]
    has_room = 2 * n_given + 2 <= C and parameters.get("max_clauses", 3) > n_given
    if conditions and has_room and draw(st.booleans()):
        constraints["required"] = [conditions[int(random.integers(len(conditions)))].feature]
    return parameters | {"constraints": constraints}


def likes_mistakes(requirement: Requirement, form: str) -> bool:
    """Whether a clause that wrongly decides a row may be what a requirement asks for."""
    flags = requirement.measure in (Measure.FLAGGED, Measure.FLAGGED_SHARE)
    is_of_both = requirement.measure is Measure.EQUALISED_ODDS
    return is_of_both or (form == "cnf" and (flags or requirement.measure.compares))


@st.composite
def asked(
    draw: st.DrawFn,
    measures: Sequence[Measure] = MEASURES,
    *,
    n_requirements: tuple[int, int] = (1, 3),
    whole: bool = True,
    is_plain: bool = False,
    has_every_cut: bool = False,
    complexities: Sequence[int] = (2, 3, 4, 5, 6),
) -> Asked:
    """Small tables with groups, and requirements on the rules: whatever is asked beside them.

    ``whole`` is whether weights are whole numbers. ``is_plain`` asks for nothing beside.
    ``has_every_cut`` puts every threshold of numbers with many values on offer.
    """
    random = draw(generators())
    n_rows = draw(st.sampled_from([8, 12, 18, 24]))
    groups = draw(st.sampled_from(GROUPS))
    frame = draw(frames_with_groups(n_rows, groups, has_every_cut=has_every_cut))
    is_positive = random.random(n_rows) < draw(st.sampled_from([0.3, 0.5]))
    if draw(st.booleans()):
        numbers = frame["f0"].cast(polars.Float64, strict=False).to_list()
        is_low = np.array([v is None or v <= 1 for v in numbers])
        is_positive = np.where(random.random(n_rows) < 0.2, is_positive, is_low)
    is_positive[:2] = True, False
    weights = None
    if not whole:
        weights = random.choice(draw(st.sampled_from(NOT_WHOLE)), n_rows)
        weights[0] = 0.25
    elif draw(st.integers(0, 2)) == 0:
        weights = random.integers(draw(st.integers(0, 1)), 4, n_rows).astype(float)
        weights[:2] = np.maximum(weights[:2], 1)
    least, most = n_requirements
    wanted = requirements_on(groups, measures, n_rows)
    requirements = tuple(draw(st.lists(wanted, min_size=least, max_size=most)))
    there = set(frame["group"].to_list())
    assume(all(one.where is None or one.where[1] in there for one in requirements))
    binarizer = FeatureBinarizer(thresholds="all" if has_every_cut else "deciles")
    kept = list(clone(binarizer).fit(frame, None, weights).encoding_.conditions)
    left_out, most_conditions = [], 40 if has_every_cut else MOST_CONDITIONS
    for name in ["group"] * draw(st.booleans()) + frame.columns[:0:-1]:
        if name == "group" or len(kept) > most_conditions:
            left_out.append(name)
            kept = [c for c in kept if c.feature != name]
    assume(kept)
    C, form = draw(st.sampled_from(complexities)), draw(st.sampled_from(["dnf", "cnf"]))
    beside = {} if is_plain else draw(asked_beside(kept, C))
    constraints = beside.get("constraints", {})
    if any(likes_mistakes(one, form) for one in requirements):
        constraints.pop("given_clauses", None)  # which are turned down together
    if left_out:
        constraints["forbidden_features"] = left_out
    objective = draw(st.sampled_from(["loss", "loss", "missed", "covered"]))
    parameters = {
        "max_complexity": C,
        "form": form,
        "objective": objective,
        "binarizer": binarizer,
        **beside,
        "constraints": constraints,
    }
    return Asked(frame, is_positive, weights, requirements, parameters)
