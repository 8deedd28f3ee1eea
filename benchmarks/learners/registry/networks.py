"""Networks that learn rules, RRL and DR-Net: listed, with why they are missing."""

from __future__ import annotations

from benchmarks.learners.learner import Learner


class Network(Learner):
    """One whose authors give a folder of scripts, and no package."""

    def __init__(self, name: str, why: str) -> None:
        self.name = name  # type: ignore[misc]
        self.why = why

    def unobtainable(self) -> str | None:
        """Return why it cannot be had."""
        return self.why


LEARNERS = [
    Network(
        "RRL",
        "no package index has the rule-based representation learner (Wang et al., 2021): the "
        "package called rrl there limits rates with Redis",
    ),
    Network(
        "DR-Net",
        "no package index has it (Qiao et al., 2021); pip says of drnet and of dr-net: "
        "No matching distribution found",
    ),
]
