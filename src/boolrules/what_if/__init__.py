"""Rules that a person wrote or edited: what they do on data, and what a change changes."""

from boolrules.what_if.assessment import Assessment, assess
from boolrules.what_if.comparison import Comparison, Difference, compare
from boolrules.what_if.standing import Standing

__all__ = ["Assessment", "Comparison", "Difference", "Standing", "assess", "compare"]
