"""A sort that compiles in little time, for all kernels that put conditions in order."""

from __future__ import annotations

from boolrules.search.engines._kernels.compiling import inlined

SHORT_RUN = 16  # a power of two


@inlined
def sort_places(keys, n, order, spare):
    """Write the places of the first n keys in growing order, equal ones as they come.

    order, spare: int64, at least n places, both written. numba's own sort takes longer to compile
    than most kernels. Short runs are sorted by insertion, then merged.
    """
    for place in range(n):
        at = place
        while at & (SHORT_RUN - 1) and keys[order[at - 1]] > keys[place]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = place
    size = SHORT_RUN
    while size < n:
        for middle in range(size, n, 2 * size):
            first = middle - size
            last = min(middle + size, n)
            for place in range(size):
                spare[place] = order[first + place]
            left, right, at = 0, middle, first
            while left < size:
                if right < last and keys[order[right]] < keys[spare[left]]:
                    order[at] = order[right]
                    right += 1
                else:
                    order[at] = spare[left]
                    left += 1
                at += 1
        size *= 2
