"""What text stands for that was meant as something else: numbers with signs and units, dates.

Values are looked at one by one; how many of a column must agree, the notes say. Nothing is read
here: a note only says what text looks like.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SIGNS = "$€£¥₹"
_CURRENCIES = (
    "USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|TRY|RUB|BRL|MXN|CAD|AUD|NZD|SGD|HKD|KRW"
    "|US\\$|Rs\\.?|R\\$|kr\\.?|zł|Fr\\."
)
# Whole numbers, those in groups of three alike, and what stands behind a point or comma.
_DIGITS = (
    r"(?:[1-9]\d{0,2}(?:([.,' \u00a0\u202f])\d{3})(?:\1\d{3})*(?:[.,]\d+)?"
    r"|\d*[.,]\d+|\d+[.,]?)"
)
_UNIT = r"°?[^\W\d_]{1,10}\.?(?:/[^\W\d_]{1,8})?[23²³]?|°|[%‰]|[" + _SIGNS + "]"
_NUMBER = re.compile(
    rf"[<>≤≥~]?\s*[-+]?\s?(?:[{_SIGNS}]|{_CURRENCIES})?\s?[-+]?{_DIGITS}(?:[eE][-+]?\d+)?"
    rf"\s?(?P<unit>{_UNIT})?"
)
# What people write behind numbers, alone or mixed. Any other word must be the same everywhere.
_KNOWN_UNIT = re.compile(
    rf"[%‰°{_SIGNS}]|°?[CF]|K|k|M|[kmµ]?g|t|lbs?|oz|[cmk]?m|mi|ft|in|[dm]?[lL]|s|sec|min|h|hrs?|d"
    r"|(?:day|week|month|year|yr)s?|k?Wh?|V|[kMG]?Hz|[kKMGT]B|px|pt|Mio|Mrd|bn"
    rf"|{_CURRENCIES}"
)
_ORDINAL = re.compile("st|[nr]d|th")
# Of a place, a product or a telephone: no number begins so, or is as long as floats cannot be.
_CODE = re.compile(r"0\d[\d ]*|[-+]?\d{16,}")
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[AaPp]\.?[Mm]\.?)?"
_ZONE = r"(?:\s?(?:Z|UTC|GMT|[-+]\d{2}:?(?:\d{2})?))?"
_DAY, _MONTH, _YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:1[5-9]|2[01])\d{2}"
# How the names of months begin in the languages around us, from January on.
_NAME = (
    "(?:jan|ene|gen|feb|fev|fév|mar|mär|mrz|maa|apr|abr|avr|may|mai|mag|mei|maj|jun|jui|giu|jul|lug"
    "|aug|aoû|ago|sep|set|oct|okt|out|ott|nov|dec|dez|dic|déc)" + r"[^\W\d_]{0,7}\.?"
)
_DATE = re.compile(
    rf"(?:{_YEAR}([-/.]){_MONTH}\1{_DAY}"
    rf"|(?:{_DAY}([-/.]){_MONTH}\2|{_MONTH}([-/]){_DAY}\3)(?:{_YEAR}|\d{{2}})"
    rf"|{_DAY}\.?[-/ ]{_NAME}[-/ ,]\s?(?:{_YEAR}|\d{{2}})|{_NAME}[-/ ]{_DAY},?[-/ ]{_YEAR})"
    rf"(?:(?:[T ]|,\s)\s*{_CLOCK}{_ZONE})?|{_CLOCK}{_ZONE}",
    re.IGNORECASE,
)
_OPEN_DATE = re.compile(r"(\d{1,2})[-/](\d{1,2})[-/]\d{4}(\D.*)?")
_NONE = re.compile(
    r"[-\u2013\u2014.?*/_#!\s]*|(?:not\s)?(?:#?n[./]?\s?[adb]\.?|nan|null|none|nil|unknown|missing|available|known"
    r"|recorded|measured|k\.?\s?a\.?|unbekannt|fehlt|keine?|inconnue?|desconocid[oa]|error)",
    re.IGNORECASE,
)


def numbers_among(texts: Iterable[str]) -> set[str]:
    """Return the texts that are numbers, with a sign, a currency or a unit; none where codes are.

    A unit that is not widely known counts where it is the only one: ``12 Stück``, but not ``2A``
    beside ``3B``.

    Examples
    --------
    >>> sorted(numbers_among(["12 kg", "1,234.5", "(100)", "USD 300", "1.2.0", "02.02.24"]))
    ['(100)', '1,234.5', '12 kg', 'USD 300']
    >>> numbers_among(["2A", "3B", "4"]), numbers_among(["030 123 456", "123 456 789"])
    ({'4'}, set())
    """
    unit_of = {}
    addresses = n_texts = 0
    for text in texts:
        stripped = text.strip()
        if _CODE.fullmatch(stripped):
            return set()
        n_texts += 1
        addresses += _ADDRESS.fullmatch(stripped) is not None
        inner = stripped[1:-1] if stripped[:1] + stripped[-1:] == "()" else stripped
        found = _NUMBER.fullmatch(inner)
        if found is not None:
            unit_of[text] = found["unit"]
    if addresses > n_texts / 2:
        return set()
    odd = {unit for unit in unit_of.values() if unit and not _KNOWN_UNIT.fullmatch(unit)}
    if len(odd) > 1 or any(map(_ORDINAL.fullmatch, odd)):
        return {text for text, unit in unit_of.items() if unit not in odd}
    return set(unit_of)


def dates_among(texts: Iterable[str]) -> set[str]:
    """Return the texts that are dates or times, in whatever form.

    Examples
    --------
    >>> sorted(dates_among(["31-Jan-2020", "2020-01-31T12:00Z", "3.4.45", "12:30", "1.2.0", "12"]))
    ['12:30', '2020-01-31T12:00Z', '3.4.45', '31-Jan-2020']
    """
    return {text for text in texts if _DATE.fullmatch(text.strip())}


def says_none(text: str) -> bool:
    """Whether a text says that there is no value.

    Examples
    --------
    >>> [says_none(text) for text in ("-", "n/a", "Unknown", "not measured", "many")]
    [True, True, True, True, False]
    """
    return _NONE.fullmatch(text.strip()) is not None


def are_open_dates(texts: Iterable[str]) -> bool:
    """Whether in all of these dates the day may come first, or the month.

    Examples
    --------
    >>> are_open_dates(["03/04/2024", "11/12/2024"]), are_open_dates(["03/04/2024", "31/12/2024"])
    (True, False)
    """
    found = [_OPEN_DATE.fullmatch(text.strip()) for text in texts]
    return all(m is not None and int(m[1]) <= 12 and int(m[2]) <= 12 for m in found)
