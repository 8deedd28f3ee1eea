"""Who finds a clause of negative reduced cost."""

from boolrules.pricing.beam_search import BeamSearch
from boolrules.pricing.branch_and_bound import BranchAndBound
from boolrules.pricing.integer_program import IntegerProgram
from boolrules.pricing.neighbour_search import NeighbourSearch
from boolrules.pricing.pricer import Pricer, PricingResult
from boolrules.pricing.sampled import Sampled

__all__ = [
    "BeamSearch",
    "BranchAndBound",
    "IntegerProgram",
    "NeighbourSearch",
    "Pricer",
    "PricingResult",
    "Sampled",
]
