"""How long a step may still take. Nobody else in the package reads a clock to decide."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FASTEST_GROWTH = 4.0
LEAST_SECONDS = 1e-3
# For what follows a Ctrl-C: to choose, prove and answer with what was found.
SECONDS_AFTER_INTERRUPT = 1.0


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
    >>> budget.less(2.0).remaining_seconds
    4.0
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
    def time_limit(self) -> float | None:
        """What is left as a limit for somebody else: above zero, or None for no limit."""
        left = self.remaining_seconds
        return None if math.isinf(left) else max(LEAST_SECONDS, left)

    @property
    def is_spent(self) -> bool:
        """Whether the moment has passed."""
        return self.remaining_seconds <= 0.0

    def at_most(self, seconds: float | None) -> Budget:
        """Return the tighter of this budget and ``seconds`` from now."""
        if seconds is None:
            return self
        return Budget(min(self.deadline, self.clock() + seconds), self.clock)

    def less(self, seconds: float) -> Budget:
        """Return a budget that ends so much earlier, for what was spent already."""
        return Budget(self.deadline - seconds, self.clock)

    def share(self, fraction: float) -> Budget:
        """Return a budget over the given fraction of what remains."""
        return self.at_most(fraction * self.remaining_seconds)

    def growing_limits(self, first: int, most: int | None = None) -> Iterator[int]:
        """Yield how much a search may look at that is begun again each time.

        Once in any case, then as long as the time seems to allow more than the last time, at most
        four times as much.

        >>> list(Budget.unlimited().growing_limits(100, most=1000))
        [100, 401, 1000]
        """
        limit = first
        while True:
            limit = limit if most is None else min(limit, most)
            started = self.clock()
            yield limit
            seconds = max(self.clock() - started, LEAST_SECONDS)
            growth = min(FASTEST_GROWTH, self.remaining_seconds / seconds)
            if limit == most or growth <= 1.0:
                return
            limit = int(limit * growth) + 1


@dataclass(frozen=True)
class Stopwatch:
    """Adds up the seconds that named steps take.

    Examples
    --------
    >>> now = [0.0]
    >>> stopwatch = Stopwatch(clock=lambda: now[0])
    >>> with stopwatch.timing("pricing"):
    ...     now[0] = 2.5
    >>> stopwatch.seconds
    {'pricing': 2.5}
    """

    clock: Callable[[], float] = time.monotonic
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timing(self, step: str) -> Iterator[None]:
        """Count what is done inside towards a step."""
        started = self.clock()
        try:
            yield
        finally:
            self.seconds[step] = self.seconds.get(step, 0.0) + self.clock() - started
