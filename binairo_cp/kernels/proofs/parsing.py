"""Parse clauses in DIMACS without a header, or a DRAT proof."""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.words import Index

_SPACE, _NEW_LINE, _RETURN, _TAB = 32, 10, 13, 9
_MINUS, _ZERO, _NINE, _D, _C = 45, 48, 57, 100, 99
_MAX_DIGITS = 10


def parse(
    data: cython.const[cython.uchar][::1],
    literals: cython.int[::1],
    starts: cython.longlong[::1],
    deletes: cython.uchar[::1],
    seen: cython.longlong[::1],
) -> tuple[int, int]:
    """Fill arrays with the lines of a text.

    Args:
        data: the text.
        literals: receives the literals of all lines, without repetitions; it has at least half as
            many places as the text has bytes, and one more.
        starts: receives where each line ends, from its second place on; the first one is 0. It has
            a place more than there may be lines.
        deletes: receives 1 for a line that deletes a clause, else 0; one place for each line.
        seen: by literal: the line in which it was last seen; -1 at first.

    Returns:
        The number of lines, and the place of the first error or -1.

    Raises:
        ValueError: an array is too small.
    """
    size: Index = len(data)
    if 2 * len(literals) <= size or len(starts) <= len(deletes):
        raise ValueError("the arrays are too small for the text")
    most: Index = len(deletes)
    variables: Index = len(seen) // 2
    place: Index = 0
    number: Index = 0
    end: Index = 0
    fault: Index = -1
    with cython.nogil:
        while place < size:
            while place < size and (data[place] == _SPACE or data[place] == _NEW_LINE):
                place += 1
            if place == size:
                break
            if data[place] == _C:
                while place < size and data[place] != _NEW_LINE:
                    place += 1
                continue
            if number == most:
                fault = place
                break
            deletes[number] = data[place] == _D
            if data[place] == _D:
                place += 1
            variable: Index = 1
            while variable:
                while place < size and (data[place] == _SPACE or data[place] == _TAB):
                    place += 1
                negated: Index = place < size and data[place] == _MINUS
                place += negated
                begin = place
                variable = 0
                while (
                    place < size and _ZERO <= data[place] <= _NINE and place - begin < _MAX_DIGITS
                ):
                    variable = 10 * variable + (data[place] - _ZERO)
                    place += 1
                if place == begin or variable >= variables:
                    fault = min(begin, size - 1)
                    break
                literal = 2 * variable + negated
                if variable and seen[literal] != number:
                    seen[literal] = number
                    literals[end] = literal
                    end += 1
            if fault >= 0:
                break
            if place < size and data[place] == _RETURN:
                place += 1
            if place < size and data[place] != _NEW_LINE:
                fault = place
                break
            number += 1
            starts[number] = end
    return number, fault
