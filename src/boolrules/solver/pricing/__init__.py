"""Who finds a clause of negative reduced cost; ``in_turn`` says who is asked when.

The exact search, ``search.branch_and_bound``, is a pricer too. A new pricer goes here.
"""

from boolrules.solver.pricing.beam_search import BeamSearch
from boolrules.solver.pricing.integer_program import IntegerProgram
from boolrules.solver.pricing.neighbour_search import NeighbourSearch
from boolrules.solver.pricing.sampled import Sampled

__all__ = ["BeamSearch", "IntegerProgram", "NeighbourSearch", "Sampled"]
