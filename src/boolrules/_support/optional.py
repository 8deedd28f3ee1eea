"""Optional packages enter through one function, with one message when they are missing."""

from __future__ import annotations

import importlib
from typing import Any


def require(name: str, *, needed_for: str, install: str) -> Any:
    """Import an optional package, or say what needs it and how to install it.

    Examples
    --------
    >>> require("math", needed_for="this example", install="nothing").sqrt(4.0)
    2.0
    >>> require("no_such_package", needed_for="to_frame()", install="pip install pandas")
    Traceback (most recent call last):
    ...
    ImportError: to_frame() needs no_such_package. Install it with: pip install pandas
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{needed_for} needs {name}. Install it with: {install}") from error


def is_dask(X: Any) -> bool:
    """Whether this is a Dask DataFrame, found out without importing Dask."""
    return type(X).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(X, "npartitions")
