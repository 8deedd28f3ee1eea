"""The hot loops, compiled by numba on first use and kept on disk.

Numba enters here and nowhere else.
"""

from boolrules.search.engines._kernels.clauses import Conditions, Side, expand, extend
from boolrules.search.engines._kernels.compiling import is_to_be_kept
from boolrules.search.engines._kernels.cut_node import Chains, CutNodes, CutRows
from boolrules.search.engines._kernels.cuts import search_cuts
from boolrules.search.engines._kernels.errors import find_fewer_errors
from boolrules.search.engines._kernels.fast_path import (
    CodedRows,
    Ranges,
    choose_clauses,
    cover_clauses,
    exchange_conditions,
    grow_clauses,
)
from boolrules.search.engines._kernels.listing import list_clauses, list_rule_sets
from boolrules.search.engines._kernels.partitions import bounds, differ, floors, weigh
from boolrules.search.engines._kernels.rule_sets import (
    Columns,
    Limits,
    Part,
    RuleSetDemands,
    find_rule_set,
    weigh_columns,
)

__all__ = [
    "Chains",
    "CodedRows",
    "Columns",
    "Conditions",
    "CutNodes",
    "CutRows",
    "Limits",
    "Part",
    "Ranges",
    "RuleSetDemands",
    "Side",
    "bounds",
    "choose_clauses",
    "cover_clauses",
    "differ",
    "exchange_conditions",
    "expand",
    "extend",
    "find_fewer_errors",
    "find_rule_set",
    "floors",
    "grow_clauses",
    "is_to_be_kept",
    "list_clauses",
    "list_rule_sets",
    "search_cuts",
    "weigh",
    "weigh_columns",
]
