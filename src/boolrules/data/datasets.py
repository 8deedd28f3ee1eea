"""Tables that need no download: for the demo, the documentation and the tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars

if TYPE_CHECKING:
    from collections.abc import Iterator

SQUARES = [
    f"{row}_{column}"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
]
NOISE, SHARE_NOT_ASKED = 0.05, 0.08
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def tic_tac_toe() -> tuple[polars.DataFrame, polars.Series]:
    """Play out tic-tac-toe: every final board, and whether x, who begins, has won.

    Examples
    --------
    >>> boards, x_wins = tic_tac_toe()
    >>> boards.shape, int(x_wins.sum())
    ((958, 9), 626)
    """
    boards = sorted(set(_final_boards("b" * 9, "x")))
    table = polars.DataFrame(
        {square: [board[place] for board in boards] for place, square in enumerate(SQUARES)}
    )
    return table, polars.Series("x_wins", [_has_won(board, "x") for board in boards])


def breast_cancer() -> tuple[polars.DataFrame, polars.Series]:
    """Return the Wisconsin diagnostic data that scikit-learn carries.

    569 tumours, 212 of them malignant.

    Examples
    --------
    >>> tumours, diagnosis = breast_cancer()
    >>> tumours.shape, int((diagnosis == "malignant").sum())
    ((569, 30), 212)
    """
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    names = [str(name).replace(" ", "_") for name in data.feature_names]
    labels = [str(data.target_names[k]) for k in data.target]
    return polars.DataFrame(data.data, schema=names), polars.Series("diagnosis", labels)


def loan_applications(
    n_rows: int = 1000, random_state: int = 0
) -> tuple[polars.DataFrame, polars.Series]:
    """Make up loan applications, and what became of the loans. The true rule is known.

    A loan defaults if ``missed_payments > 1 AND debt_to_income > 35``, or if ``years_employed <= 1
    AND housing == 'rent'``; then one label in twenty is turned round. The other columns say
    nothing. Where ``income`` is missing, nobody asked.

    Examples
    --------
    >>> applications, outcome = loan_applications()
    >>> applications.columns
    ['age', 'income', 'debt_to_income', 'missed_payments', 'years_employed', 'housing', 'purpose']
    >>> outcome.value_counts(sort=True).rows()
    [('repaid', 680), ('defaulted', 320)]
    """
    random = np.random.default_rng(random_state)
    age = random.integers(21, 71, n_rows)
    income = (np.exp(random.normal(3.7, 0.4, n_rows))).round(1)
    debt_to_income = random.integers(0, 71, n_rows)
    missed_payments = random.choice(5, n_rows, p=[0.45, 0.2, 0.15, 0.12, 0.08])
    years_employed = np.minimum(random.geometric(0.18, n_rows) - 1, age - 18)
    housing = random.choice(["own", "rent", "family"], n_rows, p=[0.4, 0.45, 0.15])
    purpose = random.choice(["car", "education", "home", "business"], n_rows)
    is_default = (missed_payments > 1) & (debt_to_income > 35)
    is_default |= (years_employed <= 1) & (housing == "rent")
    is_default ^= random.random(n_rows) < NOISE
    is_asked = random.random(n_rows) >= SHARE_NOT_ASKED
    table = polars.DataFrame(
        {
            "age": age,
            "income": [v if known else None for v, known in zip(income, is_asked, strict=True)],
            "debt_to_income": debt_to_income,
            "missed_payments": missed_payments,
            "years_employed": years_employed,
            "housing": housing,
            "purpose": purpose,
        }
    )
    labels = np.where(is_default, "defaulted", "repaid")
    return table, polars.Series("outcome", labels)


def _final_boards(board: str, player: str) -> Iterator[str]:
    if _has_won(board, "x") or _has_won(board, "o") or "b" not in board:
        yield board
        return
    for place, mark in enumerate(board):
        if mark == "b":
            other = "o" if player == "x" else "x"
            yield from _final_boards(board[:place] + player + board[place + 1 :], other)


def _has_won(board: str, player: str) -> bool:
    return any(all(board[place] == player for place in line) for line in LINES)
