"""The step that every engine takes: expand a batch of clauses by every condition at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_CONDITION = -1


@dataclass(frozen=True, slots=True)
class ExtensionSums:
    """Exact integer sums for a batch of B clauses S and each condition j that may join them.

    ``M`` is Σ μ_i over the covered positives, ``N`` the weight of the covered zeros: of the clause
    itself (B,), and of the clause with condition j added (B, J).
    """

    M: NDArray[np.int64]
    N: NDArray[np.int64]
    M_extended: NDArray[np.int64]
    N_extended: NDArray[np.int64]


class Engine(Protocol):
    """Sums over the covered samples, for one training set and one set of integer duals."""

    @property
    def batch_size(self) -> int:
        """How many clauses to expand at once."""
        ...

    def extend(self, clauses: NDArray[np.int64]) -> ExtensionSums:
        """Expand clauses given as rows of condition ids, padded with ``NO_CONDITION``."""
        ...
