"""Count lines, and copy many slices of bytes."""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.words import Index

_LINE_FEED, _POINT, _ONE, _LARGEST_BYTE = 10, 46, 49, 255


def count_lines(text: cython.const[cython.uchar][::1]) -> int:
    """The number of line feeds."""
    size: Index = len(text)
    number: Index = 0
    # Without wider numbers in the loop, compilers treat many bytes at once.
    with cython.nogil:
        for begin in range(0, size, _LARGEST_BYTE):
            some: cython.uchar = 0
            for k in range(begin, min(begin + _LARGEST_BYTE, size)):
                some += text[k] == _LINE_FEED
            number += some
    return number


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


def copy_lines(text: cython.const[cython.uchar][::1], boards: cython.uchar[:, ::1]) -> bool:
    """Copy lines of cells that are equally long.

    Args:
        text: the lines, each with its line feed.
        boards: lines x cells bytes; receives them.

    Returns:
        Whether all lines are so long, and all cells are ``0``, ``1`` and ``.``. Otherwise, the
        boards are undefined.

    Raises:
        ValueError: the text has another size.
    """
    number: Index = boards.shape[0]
    length: Index = boards.shape[1]
    if len(text) != number * (length + 1):
        raise ValueError("the size of the text is not that of the boards")
    # Without a branch in the loop, compilers treat many bytes at once.
    wrong: cython.uchar = 0
    with cython.nogil:
        for k in range(number):
            start: Index = k * (length + 1)
            for cell in range(length):
                byte: cython.uchar = text[start + cell]
                boards[k, cell] = byte
                wrong |= is_no_cell(byte)
            wrong |= text[start + length] != _LINE_FEED
    return wrong == 0


@cython.inline_nogil_noexcept
def is_no_cell(byte: cython.uchar) -> cython.uchar:
    """Whether a byte is none of ``0``, ``1`` and ``.``, without a branch."""
    return (byte != _POINT) & (byte | 1 != _ONE)


@cython.inline_nogil_noexcept
def _fits(begin: Index, length: Index, size: Index) -> cython.bint:
    """Whether so many bytes from a place on are within an array."""
    return 0 <= begin <= size and 0 <= length <= size - begin
