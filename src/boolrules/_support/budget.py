"""How long a step may still take. Nobody else in the package reads a clock to decide."""

from __future__ import annotations

import math
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from boolrules._support.forking import forget_in_forks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FASTEST_GROWTH = 4.0
LEAST_SECONDS = 1e-3
# For what follows a Ctrl-C: to choose, prove and answer with what was found.
SECONDS_AFTER_INTERRUPT = 1.0


class _Clock:
    """Seconds that count: it stands still while a search is compiled or loaded.

    That happens once, and nobody who sets a limit means it. Where several threads search, it
    stands still for all of them.

    Examples
    --------
    >>> budget = Budget.of(1.0)
    >>> with clock.standing_still():
    ...     before = budget.remaining_seconds
    ...     time.sleep(0.01)
    ...     budget.remaining_seconds == before
    True
    """

    def __init__(self) -> None:
        self._state: tuple[float | None, float] = (None, 0.0)  # since when, and how far behind
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget who let it stand still."""
        self._holders: set[object] = set()
        self._lock = threading.Lock()
        self._state = (None, self._state[1])

    def __call__(self) -> float:
        """Return the seconds so far."""
        since, lag = self._state
        return (time.monotonic() if since is None else since) - lag

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """Let it stand still meanwhile."""
        holder = object()
        try:
            self._hold(holder, is_held=True)
            yield
        finally:
            self._hold(holder, is_held=False)

    def _hold(self, holder: object, *, is_held: bool) -> None:
        """Twice is like once: Ctrl-C may come before anything was done."""
        with self._lock:
            (self._holders.add if is_held else self._holders.discard)(holder)
            (since, lag), now = self._state, time.monotonic()
            if self._holders:
                self._state = (now if since is None else since, lag)
            elif since is not None:
                self._state = (None, lag + now - since)


clock = _Clock()
forget_in_forks(clock.begin_anew)


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
    clock: Callable[[], float] = clock

    @classmethod
    def of(cls, seconds: float | None, clock: Callable[[], float] = clock) -> Budget:
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

    clock: Callable[[], float] = clock
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timing(self, step: str) -> Iterator[None]:
        """Count what is done inside towards a step."""
        started = self.clock()
        try:
            yield
        finally:
            self.seconds[step] = self.seconds.get(step, 0.0) + self.clock() - started
