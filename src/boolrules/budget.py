"""How long a step may still take. Nobody else in the package reads a clock to decide."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Budget:
    """A moment after which a step returns what it has.

    Examples
    --------
    >>> Budget.unlimited().is_spent
    False
    >>> Budget.of(0.0).is_spent
    True
    >>> now = [0.0]
    >>> budget = Budget.of(10.0, clock=lambda: now[0])
    >>> now[0] = 4.0
    >>> budget.remaining_seconds, budget.share(0.5).remaining_seconds
    (6.0, 3.0)
    """

    deadline: float
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def of(cls, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> Budget:
        """Start a budget now; ``None`` means no limit."""
        return cls(math.inf if seconds is None else clock() + seconds, clock)

    @classmethod
    def unlimited(cls) -> Budget:
        """Return a budget that is never spent."""
        return cls(math.inf)

    @property
    def remaining_seconds(self) -> float:
        """Seconds left, never below zero; infinity when there is no limit."""
        return max(0.0, self.deadline - self.clock())

    @property
    def is_spent(self) -> bool:
        """Whether the moment has passed."""
        return self.remaining_seconds <= 0.0

    def at_most(self, seconds: float | None) -> Budget:
        """Return the tighter of this budget and ``seconds`` from now."""
        if seconds is None:
            return self
        return Budget(min(self.deadline, self.clock() + seconds), self.clock)

    def share(self, fraction: float) -> Budget:
        """Return a budget over the given fraction of what remains."""
        return self.at_most(fraction * self.remaining_seconds)
