"""Logistic regression and SVM of scikit-learn, on the table as it is read."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import polars
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from benchmarks.learners.learner import Learner, Model, Rows, Task, chance_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Scaled:
    """A model over scaled numbers and one-hot categories."""

    complexity: float | None = None

    def __init__(self, model: Any, rows: Rows, y: NDArray[np.bool_]) -> None:
        texts = [n for n, kind in rows.frame.schema.items() if kind == polars.String]
        numbers = [name for name in rows.frame.columns if name not in texts]
        one_hot = OneHotEncoder(handle_unknown="ignore")
        scaled = make_pipeline(
            SimpleImputer(strategy="median", add_indicator=True), StandardScaler()
        )
        parts = make_column_transformer((scaled, numbers), (one_hot, texts))
        self.model = make_pipeline(parts, model).fit(_plain(rows), y)

    def predict(self, rows: Rows) -> NDArray[np.bool_]:
        """Say which rows are positive."""
        return np.asarray(self.model.predict(_plain(rows)))


class Graded(Scaled):
    """One that says how likely it is that a row is positive."""

    def probabilities(self, rows: Rows) -> NDArray[np.float64]:
        """Return the chance that each row is positive."""
        return chance_of(self.model, _plain(rows))


def _plain(rows: Rows) -> Any:
    """Return a frame that scikit-learn's transformers take, missing text being a category."""
    return rows.frame.with_columns(polars.col(polars.String).fill_null("missing")).to_pandas()


class Logistic(Learner):
    """Logistic regression, with its penalty chosen."""

    name = "LR"
    in_paper = "LR"
    is_readable = False
    packages = ("scikit-learn",)
    parameters = (0.01, 0.1, 1.0, 10.0, 100.0)

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Fit one model."""
        return Graded(LogisticRegression(C=parameter, max_iter=5000), rows, y)


class Svm(Learner):
    """A support vector machine with a Gaussian kernel, penalty and width chosen."""

    name = "SVM"
    in_paper = "SVM"
    is_readable = False
    packages = ("scikit-learn",)
    parameters = tuple(product((0.1, 1.0, 10.0, 100.0), (0.001, 0.01, 0.1, "scale")))
    quick_parameters = tuple(product((1.0, 10.0), (0.01, "scale")))

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Fit one model."""
        C, width = parameter
        return Scaled(SVC(C=C, gamma=width, random_state=task.seed, cache_size=500), rows, y)


LEARNERS = [Logistic(), Svm()]
