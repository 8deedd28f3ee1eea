"""The trade-off between complexity and loss as a picture that a paper can print."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from boolrules._support.optional import require

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from boolrules.model.model import Model

PANEL_INCHES = (3.5, 2.8)
INK, FAINT, ACCENT = "#222222", "#b8b8b8", "#c0392b"
MARKER_POINTS, RING_POINTS = 5, 11
# Losses that stay above this share of the largest leave room for the legend below them.
MIDDLE = 0.45


@dataclass(frozen=True, slots=True)
class Score:
    """How well rules of one complexity did on rows left out.

    Parameters
    ----------
    max_complexity : float
        What the rules were allowed.
    mean, standard_error : float
        Over the folds.
    complexity : float
        What the rules had, on average.
    """

    max_complexity: float
    mean: float
    standard_error: float
    complexity: float


class DrawnPoint(Protocol):
    """What is drawn of rules at one complexity."""

    @property
    def model(self) -> Model:
        """The rules and their certificates."""
        ...

    @property
    def is_efficient(self) -> bool:
        """Whether no other point loses less, or as little with simpler rules."""
        ...


class DrawnPath(Protocol):
    """What is drawn: a ``ComplexityPath``."""

    def __iter__(self) -> Iterator[DrawnPoint]:
        """By growing complexity."""
        ...

    @property
    def efficient(self) -> Sequence[DrawnPoint]:
        """The points that no other beats in both loss and complexity."""
        ...

    def at(self, max_complexity: float) -> DrawnPoint:
        """Return the best rules of at most this complexity."""
        ...

    def scores(self, cv_results: Mapping[str, Any]) -> list[Score]:
        """Return the scores that belong to the path."""
        ...


def plot_path(
    path: DrawnPath,
    *,
    cv_results: Mapping[str, Any] | None = None,
    chosen: float | None = None,
    ax: Axes | None = None,
) -> Figure:
    """Draw what the rules lose at each complexity and, if given, how they score on other rows.

    A line joins the efficient points, those that no other beats in both loss and complexity; the
    others are faint. Proved optima are filled. Any other point is hollow, and a thin bar leads
    down to its proved lower bound, if one is known.

    Parameters
    ----------
    path : ComplexityPath
        From ``complexity_path``, or ``path_`` of a ``BooleanRuleClassifierCV``.
    cv_results : dict of arrays, or None
        ``cv_results_`` of that classifier; adds a panel with the mean score on the rows left out
        and its standard error.
    chosen : float or None
        A ``max_complexity`` to mark, such as ``best_complexity_``.
    ax : matplotlib Axes or None
        Where to draw one panel: the scores if there are any, otherwise the losses. None makes a
        figure with a panel for each.

    Returns
    -------
    Figure
        Write it with ``savefig("front.pdf")``.

    Examples
    --------
    >>> from boolrules import complexity_path
    >>> path = complexity_path([[0], [1], [2], [3]], [0, 1, 0, 1], complexities=[2, 3, 5])
    >>> figure = plot_path(path, chosen=5)
    >>> figure.axes[0].get_ylabel()
    'Hamming loss on training rows'
    """
    pyplot = matplotlib_part("pyplot")
    figure: Any
    if ax is None:
        n_panels = 1 if cv_results is None else 2
        width, height = PANEL_INCHES
        figure, panels = pyplot.subplots(
            1, n_panels, figsize=(width * n_panels, height), layout="constrained", squeeze=False
        )
        _draw_losses(panels[0, 0], path, chosen)
        if cv_results is not None:
            _draw_scores(panels[0, 1], path.scores(cv_results), chosen)
        return figure
    if cv_results is None:
        _draw_losses(ax, path, chosen)
    else:
        _draw_scores(ax, path.scores(cv_results), chosen)
    figure = ax.figure
    return figure


def check_picture(file: str) -> None:
    """Fail early where matplotlib is missing or cannot write such a file."""
    known = matplotlib_part("backend_bases").FigureCanvasBase.get_supported_filetypes()
    ending = Path(file).suffix.lower().lstrip(".")
    if ending not in known:
        raise ValueError(
            f"Cannot draw {file}: its name must end in one of {', '.join(sorted(known))}."
        )


def matplotlib_part(part: str, needed_for: str = "plot_path()") -> Any:
    """Return a module of matplotlib, or say how to install it."""
    return require(
        f"matplotlib.{part}", needed_for=needed_for, install='pip install "boolrules[plot]"'
    )


def _draw_losses(ax: Axes, path: DrawnPath, chosen: float | None) -> None:
    efficient = path.efficient
    others = [point for point in path if not point.is_efficient]
    at_efficient = {_place(point) for point in efficient}
    beside = [point for point in others if _place(point) not in at_efficient]
    ax.plot(*_columns(efficient), color=INK, linewidth=1.2, zorder=2)
    _draw_points(ax, beside, FAINT, "not efficient")
    _draw_points(ax, [p for p in efficient if p.model.is_optimal], INK, "proved optimal")
    unproved = [p for p in efficient if not p.model.is_optimal]
    bars = [(p, bound) for p in unproved if (bound := p.model.bound_on_loss) is not None]
    ax.vlines(
        [point.model.complexity for point, _ in bars],
        [bound for _, bound in bars],
        [point.model.hamming_loss for point, _ in bars],
        color=INK,
        linewidth=0.8,
        zorder=1,
    )
    words = "not proved\n(bar to lower bound)" if bars else "not proved optimal"
    _draw_points(ax, unproved, INK, words, facecolor="white")
    if chosen is not None:
        _mark(ax, *_place(path.at(chosen)))
    _finish(ax, "Complexity of the rules", "Hamming loss on training rows")
    ax.set_ylim(bottom=0)
    losses = [point.model.hamming_loss for point in path]
    is_high = min(losses) > MIDDLE * max(losses)
    ax.legend(
        loc="lower left" if is_high else "upper right",
        fontsize="small",
        handletextpad=0.3,
        facecolor="white",
        edgecolor="none",
        framealpha=0.8,
    )


def _draw_scores(ax: Axes, scores: Sequence[Score], chosen: float | None) -> None:
    scores = _without_flat_end(scores)
    limits = [score.max_complexity for score in scores]
    ax.errorbar(
        limits,
        [score.mean for score in scores],
        yerr=[score.standard_error for score in scores],
        color=INK,
        ecolor=FAINT,
        elinewidth=1.2,
        linewidth=1.2,
        marker="o",
        markersize=MARKER_POINTS,
        zorder=2,
    )
    if chosen is not None:
        allowed = [score for score in scores if score.max_complexity <= chosen] or scores[:1]
        _mark(ax, allowed[-1].max_complexity, allowed[-1].mean)
    _finish(
        ax,
        "Complexity allowed",
        "Score on rows left out\n(mean ± standard error)",
    )


def _draw_points(
    ax: Axes, points: Sequence[DrawnPoint], color: str, label: str, facecolor: str | None = None
) -> None:
    if points:
        ax.plot(
            *_columns(points),
            linestyle="none",
            marker="o",
            markersize=MARKER_POINTS,
            markeredgecolor=color,
            markerfacecolor=facecolor or color,
            label=label,
            clip_on=False,  # a loss of zero lies on the axis
            zorder=3,
        )


def _mark(ax: Axes, complexity: float, height: float) -> None:
    """Put a ring around the chosen point, and its complexity above the panel."""
    ax.axvline(complexity, color=ACCENT, linewidth=0.8, linestyle=":", zorder=0)
    ax.plot(
        [complexity],
        [height],
        linestyle="none",
        marker="o",
        markersize=RING_POINTS,
        markerfacecolor="none",
        markeredgecolor=ACCENT,
        markeredgewidth=1.5,
        clip_on=False,
        zorder=4,
    )
    ax.annotate(
        f"chosen: {complexity:g}",
        (complexity, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 2),
        textcoords="offset points",
        ha="center",
        va="bottom",
        color=ACCENT,
        fontsize="small",
    )


def _finish(ax: Axes, x_label: str, y_label: str) -> None:
    ax.set_xlabel(f"{x_label}\n(clauses + conditions)")
    ax.set_ylabel(y_label)
    ax.locator_params(axis="x", integer=True)
    ax.spines[["top", "right"]].set_visible(False)


def _place(point: DrawnPoint) -> tuple[float, float]:
    return point.model.complexity, point.model.hamming_loss


def _columns(points: Sequence[DrawnPoint]) -> tuple[list[float], list[float]]:
    models = [point.model for point in points]
    return [model.complexity for model in models], [model.hamming_loss for model in models]


def _without_flat_end(scores: Sequence[Score]) -> Sequence[Score]:
    """Leave out complexities that no fold's rules made use of."""
    last = len(scores)
    while last > 1 and _is_same(scores[last - 1], scores[last - 2]):
        last -= 1
    return scores[:last]


def _is_same(one: Score, other: Score) -> bool:
    return (one.complexity, one.mean) == (other.complexity, other.mean)
