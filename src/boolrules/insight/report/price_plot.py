"""What each limit of a requirement costs, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from boolrules.insight.report.plots import FAINT, INK, MARKER_POINTS, PANEL_INCHES, matplotlib_part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from boolrules.data.requirement import Requirement
    from boolrules.model.model import Model


class PricedPoint(Protocol):
    """What is drawn of one limit."""

    @property
    def requirement(self) -> Requirement:
        """With this limit."""
        ...

    @property
    def model(self) -> Model | None:
        """The rules, if any meet it."""
        ...

    @property
    def is_proved_unmet(self) -> bool:
        """Whether it is proved that none do."""
        ...


class PricedPath(Protocol):
    """What is drawn: a ``RequirementPath``."""

    def __iter__(self) -> Iterator[PricedPoint]:
        """From the loosest limit to the tightest."""
        ...


def plot_price(path: PricedPath, *, ax: Axes | None = None) -> Figure:
    """Draw what the best rules lose under each limit of a requirement.

    Proved optima are filled. Any other point is hollow, and a thin bar leads down to its proved
    lower bound, if one is known. A cross stands where it is proved that no rules meet the limit.

    Parameters
    ----------
    path : RequirementPath
        From ``requirement_path``.
    ax : matplotlib Axes or None
        Where to draw; None makes a figure.

    Examples
    --------
    >>> from boolrules import requirement_path
    >>> X, y = [[0], [1], [2]], [0, 1, 1]
    >>> path = requirement_path(X, y, "recall >= 0", [0, 1], max_complexity=2)
    >>> plot_price(path).axes[0].get_xlabel()
    'recall, at least'
    """
    figure: Any
    if ax is None:
        pyplot = matplotlib_part("pyplot", "plot_price()")
        figure, ax = pyplot.subplots(figsize=PANEL_INCHES, layout="constrained")
    assert ax is not None
    points = list(path)
    met = [(p.requirement.limit, m) for p in points if (m := p.model) is not None]
    ax.plot(
        [limit for limit, _ in met], [m.hamming_loss for _, m in met], color=INK, linewidth=1.2
    )
    for is_optimal, label in ((True, "proved optimal"), (False, "not proved")):
        some = [(limit, m) for limit, m in met if m.is_optimal is is_optimal]
        if some:
            ax.plot(
                [limit for limit, _ in some],
                [m.hamming_loss for _, m in some],
                linestyle="none",
                marker="o",
                markersize=MARKER_POINTS,
                markeredgecolor=INK,
                markerfacecolor=INK if is_optimal else "white",
                label=label,
                zorder=3,
            )
    bars = [(limit, m, m.lower_bound) for limit, m in met if not m.is_optimal]
    for limit, model, bound in bars:
        if bound is not None:
            ax.vlines(limit, bound, model.hamming_loss, color=INK, linewidth=0.8)
    ax.set_ylim(0, 1.08 * max((m.hamming_loss for _, m in met), default=1) or 1)
    unmet = [p.requirement.limit for p in points if p.model is None and p.is_proved_unmet]
    if unmet:
        ax.plot(unmet, [0] * len(unmet), "x", color=FAINT, label="cannot be had", clip_on=False)
    measure = points[0].requirement.measure
    ax.set_xlabel(f"{measure}, {'at least' if measure.is_at_least else 'at most'}")
    ax.set_ylabel("Loss on training rows")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(fontsize="small", facecolor="white", edgecolor="none", framealpha=0.8)
    figure = ax.figure
    return figure
