"""Pictures of what was learned; they need matplotlib (``pip install "boolrules[plot]"``).

>>> from boolrules.report import plot_path
"""

from boolrules.report.plots import check_picture, plot_path
from boolrules.report.scores import Score, scores_of

__all__ = ["Score", "check_picture", "plot_path", "scores_of"]
