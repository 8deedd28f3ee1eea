"""The other rule sets that are about as good as a model's: its Rashomon set."""

from boolrules.insight.alternatives.alternative import Alternative, Alternatives
from boolrules.insight.alternatives.find import find_alternatives, list_alternatives

__all__ = ["Alternative", "Alternatives", "find_alternatives", "list_alternatives"]
