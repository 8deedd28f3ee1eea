"""Rules that a person wrote or edited: what they do on data, and what a change changes."""

from boolrules.insight.editing.assessment import Assessment, assess
from boolrules.insight.editing.comparison import Comparison, Difference, compare
from boolrules.insight.editing.standing import Standing

__all__ = ["Assessment", "Comparison", "Difference", "Standing", "assess", "compare"]
