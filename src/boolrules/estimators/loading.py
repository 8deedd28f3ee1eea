"""Loading what a choice by rows left out searches with, before its limits begin.

Owns which searches judge candidates, and which prove the chosen one. How each is loaded is in
``solver.warm_up``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boolrules.data.constraints import Constraints
from boolrules.data.every_threshold import ALL
from boolrules.solver.warm_up import compile_aside, warm_up, warm_up_fast_paths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boolrules.estimators.candidates import Candidate
    from boolrules.estimators.rounds import Race


def load_what_judges(race: Race, candidates: Sequence[Candidate], n_codes: int) -> None:
    """Load what splits learn with; what proves a choice among many is compiled meanwhile.

    ``n_codes`` is how many codes a column has at most. To count them is work, which counts.
    """
    model = race.models[0]
    has_much_to_judge = len(candidates) * len(race.limits) > 1
    compile_aside(model.engine, "choice" if has_much_to_judge else "fit")
    prefers = bool(Constraints.of(model.constraints).preferred_features)
    warm_up_fast_paths(model.engine, n_codes=n_codes, with_beams=prefers)
    if model.requirements or not has_much_to_judge:
        warm_up(model.engine, with_cuts=any(map(_has_cuts, candidates)), n_codes=n_codes)


def load_what_proves(engine: str, candidate: Candidate, n_codes: int) -> None:
    """Load what learns the chosen candidate with its proof."""
    warm_up(engine, with_cuts=_has_cuts(candidate), n_codes=n_codes)


def _has_cuts(candidate: Candidate) -> bool:
    return bool(candidate.get("thresholds") == ALL)
