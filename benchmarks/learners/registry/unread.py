"""EBM of interpret and boosted trees of scikit-learn, on the table as it is read.

For the accuracy that nobody can read.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import polars
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks.learners.learner import Learner, Model, Rows, Task, chance_of
from benchmarks.learners.rivals import Rival, ask

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNSEEN = -1.0


class Codes:
    """Numbers for categories, as the training rows have them; a missing one is not a number."""

    def __init__(self, frame: polars.DataFrame) -> None:
        texts = [name for name, kind in frame.schema.items() if kind == polars.String]
        self.categories = {n: frame[n].drop_nulls().unique().sort().to_list() for n in texts}
        self.is_text = [name in self.categories for name in frame.columns]

    def table(self, rows: Rows) -> NDArray[np.float64]:
        """Return the table in numbers."""
        columns = []
        for name in rows.frame.columns:
            column = rows.frame[name]
            if name in self.categories:
                codes = {text: float(k) for k, text in enumerate(self.categories[name])}
                column = polars.Series(
                    [None if text is None else codes.get(text, UNSEEN) for text in column],
                    dtype=polars.Float64,
                )
            columns.append(column.cast(polars.Float64).fill_null(np.nan).to_numpy())
        return np.column_stack(columns)


class Boosted:
    """Boosted trees with the codes of their training rows."""

    complexity: float | None = None

    def __init__(self, model: Any, rows: Rows, y: NDArray[np.bool_]) -> None:
        self.codes = Codes(rows.frame)
        model.set_params(categorical_features=self.codes.is_text)
        self.model = model.fit(self.codes.table(rows), y)

    def predict(self, rows: Rows) -> NDArray[np.bool_]:
        """Say which rows are positive."""
        return np.asarray(self.model.predict(self.codes.table(rows)))

    def probabilities(self, rows: Rows) -> NDArray[np.float64]:
        """Return the chance that each row is positive."""
        return chance_of(self.model, self.codes.table(rows))


class Boosting(Learner):
    """Two hundred trees at most, with learning rate and leaves to a tree chosen."""

    name = "boosting"
    is_readable = False
    packages = ("scikit-learn",)
    parameters = tuple(product((4, 8, 31), (0.03, 0.1)))
    quick_parameters = ((4, 0.1), (31, 0.1))

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Grow trees one after the other."""
        leaves, rate = parameter
        model = HistGradientBoostingClassifier(
            learning_rate=rate, max_iter=200, max_leaf_nodes=leaves, random_state=task.seed
        )
        return Boosted(model, rows, y)


class Additive:
    """An EBM as the bytes that its own environment reads, with the codes of its training rows."""

    complexity: float | None = None

    def __init__(self, codes: Codes, model: str) -> None:
        self.codes, self.model = codes, model

    def predict(self, rows: Rows) -> NDArray[np.bool_]:
        """Say which rows are positive."""
        return self.probabilities(rows) > 0.5

    def probabilities(self, rows: Rows) -> NDArray[np.float64]:
        """Return the chance that each row is positive."""
        table = {"table": self.codes.table(rows)}
        return np.array(ask(Ebm.environment, table, rival=Ebm.name, model=self.model))


class Ebm(Rival):
    """An explainable boosting machine, with its defaults; a quick one with two bags, not 14."""

    name = "EBM"
    is_readable = False
    environment = "interpret"
    pins = ("interpret-core==0.7.8", "numpy==2.4.6", "scikit-learn==1.9.1")
    quick_parameters = (2,)

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Fit one, on the table itself."""
        codes = Codes(rows.frame)
        model = ask(
            self.environment,
            {"table": codes.table(rows), "is_positive": y},
            rival=self.name,
            is_text=codes.is_text,
            bags=parameter,
            n_threads=task.n_threads,
            seed=task.seed,
        )
        return Additive(codes, model)


LEARNERS = [Ebm(), Boosting()]
