"""Tables that need no download: for the demo, the documentation and the tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars

if TYPE_CHECKING:
    from collections.abc import Iterator

SQUARES = [
    f"{row}_{column}"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
]
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
