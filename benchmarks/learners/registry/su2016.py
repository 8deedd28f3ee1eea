"""AM and BCD of Su, Wei, Varshney, Malioutov (2016), written here after their description.

Both learn a CNF of at most ten clauses that minimises Hamming loss plus a price θ per literal.
A DNF for the positives is a CNF for the zeros over negated conditions, so all is said of CNF: a
row to accept must satisfy every clause, a row to reject must fail at least one. With w the
literals of a clause and a_i the literals that hold on row i, a clause pays max(0, 1 − a_i·w) for a
row to accept, and a_i·w for a row to reject that is assigned to it. Each clause is an LP. Its dual
is solved, for there are fewer literals than rows, and few of them matter to a clause.

The descent needs clauses to begin with, and begins twice: with clauses found one after the other,
each for the rows that no clause rejects so far, and with one clause for each cluster of the rows
to reject. The better end counts. How its authors began we do not know for certain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans

from benchmarks.learners.learner import Clauses, Learner, Model, Rows, Task
from benchmarks.learners.other_form import OtherForm
from boolrules._support.budget import Budget
from boolrules.solver.linear_program import INFINITY, LinearProgram

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Literals = list[NDArray[np.bool_]]

N_CLAUSES = 10
MAX_ROUNDS = 10
LITERALS_AT_A_TIME = 10
TOLERANCE = 1e-7
# θ as a share of the number of rows; the last ones where a literal costs half a row or more.
SHARES = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
SMALL_SHARES = (0.0003, 0.0001)
LEAST_ROWS = 0.5


class Problem:
    """The rows to accept and to reject, equal ones merged, and the price of a literal."""

    def __init__(self, rows: Rows, y: NDArray[np.bool_], theta: float) -> None:
        literals = ~rows.holds
        self.theta = theta
        self.accept, self.accept_weight = _merged(literals[~y])
        self.reject, self.reject_weight = _merged(literals[y])
        self.rows_of_literals = sparse.csr_matrix(self.accept.T, dtype=float)
        self._solved: dict[bytes, NDArray[np.bool_]] = {}

    def clause(self, is_assigned: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Solve the LP of one clause and round it; all False means the clause is not used.

        ``is_assigned``: the rows to reject that count here; a clause without any is not used.
        Unused clauses all ask for the same rows, and a clause that no other changed for the rows
        it had, so answers are kept.
        """
        if not is_assigned.any():
            return np.zeros(self.accept.shape[1], dtype=bool)
        key = np.packbits(is_assigned).tobytes()
        if key not in self._solved:
            self._solved[key] = self._rounded(self.relaxed_clause(is_assigned), is_assigned)
        return self._solved[key]

    def relaxed_clause(self, is_assigned: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the w of one clause: min cost·w + Σ weight_i max(0, 1 − a_i·w) over w ≥ 0.

        Its dual is max Σ y_i with Σ y_i a_ij ≤ cost_j and 0 ≤ y_i ≤ weight_i; no w_j above one
        would be of use. Literals come in a few at a time, where y breaks their row, and the
        solver goes on from where it was.
        """
        cost = self.theta + self.reject_weight[is_assigned] @ self.reject[is_assigned]
        dual = LinearProgram()
        dual.set_option("presolve", "off")
        y = self.accept_weight.astype(float)
        dual.add_columns(-np.ones(len(y)), upper=y)
        w, used = np.zeros(len(cost)), np.empty(0, dtype=np.int64)
        while True:
            excess = self.rows_of_literals @ y - cost
            excess[used] = 0
            worst = np.argsort(-excess)[:LITERALS_AT_A_TIME]
            broken = worst[excess[worst] > TOLERANCE * cost[worst]]
            if len(broken) == 0:
                return w
            used = np.concatenate([used, broken])
            entries = [(row.indices, row.data) for row in self.rows_of_literals[broken]]
            dual.add_rows(np.full(len(broken), -INFINITY), cost[broken], entries)
            found = dual.solve(Budget.unlimited())
            if found.values is None or found.row_duals is None:
                raise RuntimeError("the linear program of a clause has no solution")
            w[used] = np.clip(-found.row_duals, 0, 1)
            y = found.values

    def _rounded(
        self, w: NDArray[np.float64], is_assigned: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Round at the threshold of least value; not using the clause is one of the choices."""
        best = np.zeros(len(w), dtype=bool)  # always true: it rejects none of its rows
        least = float(self.reject_weight[is_assigned].sum())
        for threshold in np.unique(np.round(w[w > 1e-6], 6))[-20:]:
            literals = w >= threshold - 1e-9
            pays = self.reject[is_assigned][:, literals].sum(axis=1)
            value = (
                float(self.accept_weight[self.fails(literals, self.accept)].sum())
                + float(self.reject_weight[is_assigned] @ pays)
                + self.theta * literals.sum()
            )
            if value < least:
                best, least = literals, value
        return best

    def fails(self, clause: NDArray[np.bool_], side: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Say which rows a clause turns away; an unused one turns nobody away."""
        if not clause.any():
            return np.zeros(len(side), dtype=bool)
        return ~side[:, clause].any(axis=1)

    def loss(self, clauses: Literals) -> float:
        """Return the objective of a whole rule."""
        turned_away = [self.fails(clause, self.accept) for clause in clauses]
        used = [clause for clause in clauses if clause.any()]
        nearest = self.reject_costs(clauses).min(axis=1)
        return (
            float(sum(self.accept_weight[t].sum() for t in turned_away))
            + float(self.reject_weight @ nearest)
            + self.theta * sum(clause.sum() for clause in used)
        )

    def reject_costs(self, clauses: Literals) -> NDArray[np.float64]:
        """Return what each row to reject would pay at each clause; one at an unused clause."""
        return np.column_stack(
            [
                self.reject[:, clause].sum(axis=1) if clause.any() else np.ones(len(self.reject))
                for clause in clauses
            ]
        )


def _merged(literals: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    unique, counts = np.unique(literals, axis=0, return_counts=True)
    return unique, counts


def first_clauses(problem: Problem) -> Literals:
    """Return clauses found one after the other, each for the rows not rejected so far."""
    is_open = np.ones(len(problem.reject), dtype=bool)
    clauses = []
    for _ in range(N_CLAUSES):
        clause = problem.clause(is_open)
        clauses.append(clause)
        is_open &= ~problem.fails(clause, problem.reject)
        if not clause.any() or not is_open.any():
            break
    unused = np.zeros(problem.accept.shape[1], dtype=bool)
    return clauses + [unused] * (N_CLAUSES - len(clauses))


def clauses_of_clusters(problem: Problem, seed: int) -> Literals:
    """Return one clause for each cluster of the rows to reject."""
    n_clusters = min(N_CLAUSES, len(problem.reject))
    means = KMeans(n_clusters, n_init=3, random_state=seed)
    of_row = means.fit_predict(problem.reject.astype(float), sample_weight=problem.reject_weight)
    clauses = [problem.clause(of_row == k) for k in range(n_clusters)]
    unused = np.zeros(problem.accept.shape[1], dtype=bool)
    return clauses + [unused] * (N_CLAUSES - len(clauses))


def minimise_alternately(problem: Problem, clauses: Literals) -> Literals:
    """AM: assign each row to reject to its cheapest clause, then solve all clauses anew."""
    assigned = problem.reject_costs(clauses).argmin(axis=1)
    return [problem.clause(assigned == k) for k in range(len(clauses))]


def descend_by_blocks(problem: Problem, clauses: Literals) -> Literals:
    """BCD: solve one clause for the rows that the others do not reject, then the next."""
    clauses = list(clauses)
    for k in range(N_CLAUSES):
        others = [problem.fails(c, problem.reject) for i, c in enumerate(clauses) if i != k]
        is_open = ~np.any(others, axis=0)
        clauses[k] = problem.clause(is_open)
    return clauses


class TwoLevel(Learner):
    """Either algorithm, with θ chosen."""

    packages = ("scipy", "highspy", "scikit-learn")
    has_front = True
    parameters = SHARES + SMALL_SHARES
    quick_parameters = SHARES[1::2]
    n_inner = 3  # it is slow

    def __init__(self, name: str, step: Any) -> None:
        self.name = name  # type: ignore[misc]
        self.in_paper = name.removesuffix(" DNF")  # type: ignore[misc]
        self.step = step

    def choices(self, task: Task, n_rows: int) -> Sequence[Any]:
        """Leave out small prices where there are few rows to pay with."""
        every = super().choices(task, n_rows)
        return [s for s in every if s not in SMALL_SHARES or s * n_rows >= LEAST_ROWS]

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Repeat the step while it lowers the objective."""
        problem = Problem(rows, y, parameter * len(y))
        ends = [
            self._descend(problem, first_clauses(problem)),
            self._descend(problem, clauses_of_clusters(problem, task.seed)),
        ]
        best = min(ends, key=problem.loss)
        distinct = {tuple(np.flatnonzero(clause).tolist()) for clause in best if clause.any()}
        return Clauses(tuple(sorted(distinct)))

    def _descend(self, problem: Problem, clauses: Literals) -> Literals:
        best, least = clauses, problem.loss(clauses)
        for _ in range(MAX_ROUNDS):
            clauses = self.step(problem, best)
            loss = problem.loss(clauses)
            if loss >= least - 1e-9:
                break
            best, least = clauses, loss
        return best


_DNF = [TwoLevel("AM DNF", minimise_alternately), TwoLevel("BCD DNF", descend_by_blocks)]
LEARNERS = [*_DNF, *map(OtherForm, _DNF)]
