"""How to search, apart from what for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits of time and work, who prices, and how much is to be proved.

    ``mode`` is "prove" or "fast", which stops where the heuristics find no more. ``max_rounds``
    and ``max_nodes``, per exact search, limit the work where seconds would give other answers on
    other machines. ``engine`` is who sums over samples.
    """

    exact_pricer: str = "search"
    time_limit: float | None = 60.0
    pricing_time_limit: float | None = None
    n_threads: int = 1
    seed: int = 0
    mode: str = "prove"
    max_rounds: int | None = None
    max_nodes: int | None = None
    engine: str = "numba"
