"""The number with the fewest digits that cuts a column as another one would."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

# So many digits tell any two floats apart.
MOST_DIGITS = 17
_EXACT = Context(prec=60)


def shortest_in_gap(
    low: float, high: float, is_whole: bool = False, near: float | None = None
) -> float:
    """Return the number with the fewest digits in ``[low, high)``, whole if asked for.

    Of several, the one nearest to a number of the gap, which is the middle unless it is given; of
    two as near, the lower. ``low`` and ``high`` are whole where the number must be.

    Examples
    --------
    >>> shortest_in_gap(0.0493, 0.0497), shortest_in_gap(17, 24, is_whole=True)
    (0.0495, 20.0)
    >>> shortest_in_gap(-3.2, 4.1), shortest_in_gap(-1, 0), shortest_in_gap(-1, 0, is_whole=True)
    (0.0, -0.5, -1.0)
    >>> shortest_in_gap(19.6, 21.0, near=20.299999999999997), shortest_in_gap(2, 7, near=2)
    (20.0, 2.0)
    """
    if low <= 0 < high:
        return 0.0
    # As they print: of 0.1 and 0.4 the middle is 0.25, without the dust of floats.
    low_written, high_written = (Decimal(repr(float(end))) for end in (low, high))
    aim = _EXACT.divide(_EXACT.add(low_written, high_written), Decimal(2))
    if near is not None:
        aim = Decimal(repr(float(near)))
    n_digits_of_low = len(low_written.normalize().as_tuple().digits)
    for n_digits in range(1, MOST_DIGITS + 1):
        candidates = [
            Context(prec=n_digits, rounding=rounding).plus(aim)
            for rounding in (ROUND_FLOOR, ROUND_CEILING)
        ]
        candidates += [low_written] * (n_digits_of_low <= n_digits)
        inside = [
            number
            for number in candidates
            if low <= float(number) < high and (float(number).is_integer() or not is_whole)
        ]
        if inside:
            nearest = min(inside, key=lambda n: (abs(_EXACT.subtract(n, aim)), n))
            return float(nearest)
    return float(low)
