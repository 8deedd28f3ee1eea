"""Names from files, as a terminal may see them."""

from __future__ import annotations

_KEPT = "\n\t\N{NO-BREAK SPACE}"


def printable(text: str) -> str:
    r"""Write characters that a terminal would obey, or that turn text around, as escapes.

    Examples
    --------
    >>> print(printable("red \x1b[31m.csv"))
    red \x1b[31m.csv
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in _KEPT else c.encode("unicode_escape").decode() for c in text
    )
