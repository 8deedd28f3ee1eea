"""Docstrings as they are at run time, where a part of them is written at import.

An extension of griffe, which reads the sources for the reference of the site. The parameters of
``BooleanRuleClassifier`` come from a table (``boolrules.estimators.parameters``), so its source
has ``{parameters}`` in their place.
"""

from __future__ import annotations

import inspect
from typing import Any

import griffe

WRITTEN_AT_IMPORT = "{parameters}\n"


class DocstringsAtRunTime(griffe.Extension):
    """Takes the docstring of such a class from the class itself."""

    def on_class(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Look at each class once it is read. Called by griffe."""
        if cls.docstring and WRITTEN_AT_IMPORT in cls.docstring.value:
            live = griffe.dynamic_import(cls.path)
            cls.docstring.value = inspect.cleandoc(live.__doc__)
