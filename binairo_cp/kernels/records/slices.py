"""Copy many slices of bytes."""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.words import Index


def copy_slices(
    data: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    lengths: cython.const[cython.longlong][::1],
    target: cython.uchar[::1],
    places: cython.const[cython.longlong][::1],
) -> None:
    """Copy the bytes of each slice to its place in the target.

    Args:
        data: the bytes.
        starts: where each slice begins.
        lengths: how long each is.
        target: receives them.
        places: where in the target each begins.

    Raises:
        ValueError: the arrays differ in length, or a slice or its place is out of range.
    """
    number: Index = len(starts)
    size: Index = len(data)
    room: Index = len(target)
    if len(lengths) != number or len(places) != number:
        raise ValueError("the starts, lengths and places differ in number")
    fault: Index = -1
    with cython.nogil:
        for k in range(number):
            start: Index = starts[k]
            place: Index = places[k]
            length: Index = lengths[k]
            if not _fits(start, length, size) or not _fits(place, length, room):
                fault = k
                break
            for offset in range(length):
                target[place + offset] = data[start + offset]
    if fault >= 0:
        raise ValueError(f"slice {fault} is out of range")


@cython.inline
def _fits(begin: Index, length: Index, size: Index) -> cython.bint:
    """Whether so many bytes from a place on are within an array."""
    return 0 <= begin <= size and 0 <= length <= size - begin
