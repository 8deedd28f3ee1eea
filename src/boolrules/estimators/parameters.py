"""The one table of the classifier's parameters: documentation and options come from it.

``BooleanRuleClassifier`` takes the first part of its docstring from here, the command line its
options, and the documentation shows both. A parameter is added by one entry, one in ``allowed``,
and a name in the constructor. Nothing is imported here: ``--help`` waits for no library.
"""

from __future__ import annotations

import inspect
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

T = TypeVar("T")
# How rows left out choose (estimators/choice.py).
CHOICES = ("paired", "one_standard_error", "best")
# Objectives that paths and cross-validation do not know.
ONE_AT_A_TIME = ("errors", "f1")


@dataclass(frozen=True, slots=True)
class Option:
    """How a parameter is set on the command line.

    Parameters
    ----------
    text : str
        A few words for ``--help``; the default is added where there is one.
    metavar : str or None
        What stands for the value.
    type : callable, "seconds", "jobs" or None
        Reads the value; None where there is a choice.
    choices : tuple of str, or None
        What there is to choose from; by default what the parameter allows.
    flag : str or None
        The option, where it is not called as the parameter.
    """

    text: str
    metavar: str | None = None
    type: Any = None
    choices: tuple[str, ...] | None = None
    flag: str | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a constructor.

    Parameters
    ----------
    name, default
        As in the signature.
    kind : str
        What may be given, in words.
    text : str
        What it means.
    option : Option or None
        On the command line, if it is there under a name of its own.
    """

    name: str
    default: Any
    kind: str
    text: str
    option: Option | None = None

    @property
    def flag(self) -> str:
        """The option's name on the command line."""
        given = None if self.option is None else self.option.flag
        return given or f"--{self.name.replace('_', '-')}"


CLASSIFIER = (
    Parameter(
        "max_complexity",
        15,
        "float",
        "Most that a rule set may have of clauses plus conditions.",
        Option("clauses plus conditions, at most", "C", float),
    ),
    Parameter(
        "max_conditions",
        None,
        "int or None",
        "Most conditions in a clause; None leaves it to ``max_complexity``.",
        Option("conditions per clause, at most", "D", int),
    ),
    Parameter(
        "max_clauses",
        None,
        "int or None",
        "Most clauses in a rule set; None leaves it to ``max_complexity``.",
        Option("clauses, at most", "K", int),
    ),
    Parameter(
        "min_coverage",
        0,
        "int",
        "Least number of rows that each clause must cover of the class that it decides: the "
        "positive one in DNF, the other in CNF. Rows count one by one, whatever they weigh.",
        Option("rows of its class that each clause must cover, at least", "N", int),
    ),
    Parameter(
        "form",
        "dnf",
        '"dnf" or "cnf"',
        "OR of ANDs, or AND of ORs.",
        Option("OR of ANDs (dnf) or AND of ORs (cnf)", choices=("dnf", "cnf")),
    ),
    Parameter(
        "positive_label",
        None,
        "label or None",
        "Which of two classes the rules describe; None takes ``classes_[1]``.",
    ),
    Parameter(
        "class_weight",
        None,
        'dict, "balanced" or None',
        "Weight of each class in the Hamming loss.",
        Option("let both classes weigh the same", choices=("balanced",)),
    ),
    Parameter(
        "missed_positive_cost",
        1,
        "float",
        "What a missed positive costs.",
        Option("cost of a missed positive", "X", float),
    ),
    Parameter(
        "covered_zero_cost",
        1,
        "float",
        "What a covered zero costs.",
        Option("cost of a covered zero", "X", float),
    ),
    Parameter(
        "objective",
        "loss",
        '"loss", "errors", "f1", "missed" or "covered"',
        "What is to be least: the Hamming loss; the rows that are misclassified, each counted "
        'once ("errors"), which is proved where clauses are few; or, under ``requirements``, the '
        'positives that are missed ("missed") or the negatives that are covered ("covered") '
        'alone. "f1" is for the greatest F1 score.',
        Option(
            "what rules are to be best at: least loss, fewest errors (each row once), greatest "
            "F1, fewest missed positives or covered negatives",
            choices=("loss", "errors", "f1", "missed", "covered"),
        ),
    ),
    Parameter(
        "requirements",
        None,
        "str, Requirement, dict, list of these, or None",
        "What the rules must meet on the training rows, such as ``'precision >= 0.9'``, ``'recall "
        ">= 0.8 within branch'``, ``'flagged <= 200'`` or ``'equal opportunity <= 0.02 between "
        "sex'``; see ``Requirement``. The certificate then holds among the rule sets that do.",
    ),
    Parameter("clause_cost", 1, "float", "What a clause adds to the complexity."),
    Parameter("condition_cost", 1, "float", "What a condition adds to the complexity."),
    Parameter(
        "complexity_penalty",
        0,
        "float",
        "What each unit of complexity adds to the objective, beside the limit.",
        Option("cost of a unit of complexity", "X", float),
    ),
    Parameter(
        "binarizer",
        "auto",
        '"auto", FeatureBinarizer or None',
        'Where the conditions come from. "auto" is ``FeatureBinarizer()``; None takes a table of '
        "zeros and ones as it is, each column being one condition.",
    ),
    Parameter(
        "constraints",
        None,
        "Constraints, dict or None",
        "What is demanded of rules: which conditions they may be made of, clauses that must stay, "
        "and what must be used; a dict holds the fields of ``Constraints``. The certificate then "
        "holds among the rule sets that keep to them.",
    ),
    Parameter(
        "mode",
        "prove",
        '"prove", "fast" or "paper"',
        '"fast" stops where the heuristics find no better clause, with a good rule set and no '
        'proof. "paper" gives the Pricing Problem to an integer programming solver, as the paper '
        "does, instead of our search in exact integers.",
        Option(
            "try to prove optimality (prove), stop at a good rule set (fast), or price by the "
            "paper's integer program (paper)",
            choices=("prove", "fast", "paper"),
        ),
    ),
    Parameter(
        "time_limit",
        60,
        "float or None",
        "Seconds for the whole of ``fit``; the best rule set so far is returned. None means no "
        "limit.",
        Option("for the whole run", "SECONDS", "seconds"),
    ),
    Parameter(
        "search_limits",
        None,
        "SearchLimits, dict or None",
        "Limits of single steps: ``max_rounds``, ``max_nodes``, ``pricing_time_limit``. With the "
        "first two and ``time_limit=None`` the answer is the same on every machine.",
    ),
    Parameter(
        "engine",
        "numba",
        '"numba", "cuda" or "dask"',
        "Who sums over samples: compiled code on all kinds of machines, an NVIDIA GPU by way of "
        'PyTorch (``pip install "boolrules[gpu]"``), or the workers of a Dask cluster (``pip '
        'install "boolrules[dask]"``), which a Dask DataFrame or a folder of Parquet files asks '
        "for by itself. Tables of up to two million values are summed here. What is proved is the "
        "same.",
        Option(
            "who sums over samples: compiled code (numba), an NVIDIA GPU (cuda), or the workers "
            "of a Dask cluster (dask), who read Parquet files",
            choices=("numba", "cuda", "dask"),
        ),
    ),
    Parameter(
        "n_jobs",
        None,
        "int or None",
        "Threads of the solver or, with three classes or more, processes over classes. None means "
        "one, or for classes what ``joblib.parallel_config`` says.",
        Option("threads; all cores if it is left out", "N", "jobs"),
    ),
    Parameter(
        "random_state",
        None,
        "int, RandomState or None",
        "Seed of the sampling on large data. Equal data, parameters and seed give equal rules, "
        "unless a time limit cuts the run.",
        Option("for sampling on large data", "N", int, flag="--seed"),
    ),
    Parameter(
        "verbose",
        None,
        "int or None",
        "0 shows nothing, 1 one progress line, 2 a row per round; on standard error, or the line "
        "below the cell of a notebook. None is 1 in a notebook and 0 elsewhere.",
    ),
)
BY_NAME: Mapping[str, Parameter] = {parameter.name: parameter for parameter in CLASSIFIER}


def documented(parameters: Iterable[Parameter]) -> Callable[[type[T]], type[T]]:
    """Write the parameters into a class docstring, where it says ``{parameters}``."""

    def write(cls: type[T]) -> type[T]:
        # Python 3.13 takes the indentation of docstrings away by itself.
        cls.__doc__ = inspect.cleandoc(cls.__doc__ or "").replace(
            "{parameters}", section(parameters)
        )
        return cls

    return write


def section(parameters: Iterable[Parameter]) -> str:
    """Return a section of a class docstring.

    Examples
    --------
    >>> print(section([BY_NAME["form"]]))
    form : "dnf" or "cnf", default="dnf"
        OR of ANDs, or AND of ORs.
    """
    lines = []
    for parameter in parameters:
        is_text = isinstance(parameter.default, str)
        default = f'"{parameter.default}"' if is_text else str(parameter.default)
        lines.append(f"{parameter.name} : {parameter.kind}, default={default}")
        lines += textwrap.wrap(parameter.text, 90, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)
