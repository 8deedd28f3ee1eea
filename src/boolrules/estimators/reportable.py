"""Anything fitted can be reported: users look for the report where the model is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from boolrules.insight.report import Report


class Reportable:
    """Something fitted that can be described on one HTML page."""

    __slots__ = ()

    def report(self, X: Any, y: Any, path: str | Path | None = None, **options: Any) -> Report:
        """Describe the rules on one HTML page that needs no network.

        Parameters
        ----------
        X, y
            The rows that they were learned from.
        path : str, Path or None
            Where to write the page. In a notebook, the report shows itself.
        options
            As for ``boolrules.make_report``: ``sample_weight``, folds, how many rows the page
            carries.
        """
        # It knows everything that can be reported, this among them.
        from boolrules.estimators.reporting import make_report

        model: Any = self
        report = make_report(model, X, y, **options)
        if path is not None:
            report.save(path)
        return report
