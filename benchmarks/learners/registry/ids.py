"""Interpretable Decision Sets (Lakkaraju et al., 2016): listed, with why it is missing."""

from __future__ import annotations

from benchmarks.learners.learner import Learner


class Ids(Learner):
    """We found no implementation that can be installed on today's Python."""

    name = "IDS"
    in_paper = "IDS"

    def available(self) -> str | None:
        """Return why it cannot run here."""
        return (
            "no package index has it: the package called pyIDS there is a client of a web service "
            "with the same letters, and github jirifilip/pyIDS ran on Python 3.8 only, by hand. "
            "The paper could run IDS on seven of its data sets"
        )


LEARNERS = [Ids()]
