"""What was learned, for people: one HTML page that needs no network, and pictures.

The pictures need matplotlib (``pip install "boolrules[plot]"``), the page needs nothing.

>>> from boolrules.insight.report import plot_path
"""

from boolrules.insight.report.page import Report
from boolrules.insight.report.plots import Score, check_picture, plot_path
from boolrules.insight.report.price_plot import plot_price
from boolrules.insight.report.tell import tell

__all__ = ["Report", "Score", "check_picture", "plot_path", "plot_price", "tell"]
