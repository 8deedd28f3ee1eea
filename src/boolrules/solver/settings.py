"""How to search, apart from what for."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """Limits of single steps of the search, beside the time limit of the whole.

    Parameters
    ----------
    max_rounds : int or None
        Most rounds of column generation.
    max_nodes : int or None
        Most nodes of one exact search. Like rounds, nodes limit the work where seconds would give
        other answers on other machines.
    pricing_time_limit : float or None
        Seconds for one pricing call.

    Examples
    --------
    >>> SearchLimits.of({"max_rounds": 20})
    SearchLimits(max_rounds=20, max_nodes=None, pricing_time_limit=None)
    """

    max_rounds: int | None = None
    max_nodes: int | None = None
    pricing_time_limit: float | None = None

    def __post_init__(self) -> None:
        for name in ("max_rounds", "max_nodes"):
            limit = getattr(self, name)
            if limit is not None and (not isinstance(limit, Integral) or limit < 1):
                raise ValueError(f"{name}={limit!r:.40} allows nothing. Use 1 or more, or None.")
        limit = self.pricing_time_limit
        if limit is not None and not (isinstance(limit, Real) and limit > 0):
            raise ValueError(
                f"pricing_time_limit={limit!r:.40} is no time. Use seconds above 0, or None."
            )

    @classmethod
    def of(cls, given: SearchLimits | Mapping[str, Any] | None) -> SearchLimits:
        """Read what a user gave: limits, a dict of their fields, or nothing."""
        if isinstance(given, SearchLimits):
            return given
        known = [f.name for f in fields(cls)]
        for name in given or ():
            if name not in known:
                raise ValueError(
                    f"search_limits has {name!r:.80}, which is unknown. Known are: "
                    f"{', '.join(known)}."
                )
        return cls(**(given or {}))


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits of time and work, who prices, and how much is to be proved.

    ``mode`` is "prove", "fast", which stops where the heuristics find no more, or "paper", which
    prices by an integer program. ``engine`` is who sums over samples.
    """

    time_limit: float | None = 60.0
    n_threads: int = 1
    seed: int = 0
    mode: str = "prove"
    engine: str = "numba"
    limits: SearchLimits = field(default_factory=SearchLimits)

    @property
    def is_to_prove(self) -> bool:
        """Whether a bound is wanted."""
        return self.mode != "fast"
