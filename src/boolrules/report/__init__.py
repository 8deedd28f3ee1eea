"""What was learned, for people: one HTML page that needs no network, and pictures.

The pictures need matplotlib (``pip install "boolrules[plot]"``), the page needs nothing.

>>> from boolrules.report import make_report, plot_path
"""

from boolrules.report.build import make_report
from boolrules.report.page import Report
from boolrules.report.plots import check_picture, plot_path
from boolrules.report.scores import Score, scores_of

__all__ = ["Report", "Score", "check_picture", "make_report", "plot_path", "scores_of"]
