"""Parse clauses and DRAT proofs to arrays.

Literals are numbers: 2 v for variable v and 2 v + 1 for its negation, so that the last bit negates.
Line k has the literals ``literals[starts[k] : starts[k + 1]]``, without repetitions. `deletes` is 1
for a line of a proof that deletes a clause.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import int32, int64, types, uint8

from binairo_cp.errors import ProofError
from binairo_cp.workers.compiling import compiled, notice

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

MAX_LINES = 10_000_000
"""Maximum number of lines; checking takes about 60 bytes of memory for each."""

_SPACE, _NEW_LINE, _RETURN, _TAB = 32, 10, 13, 9
_MINUS, _ZERO, _NINE, _D, _C = 45, 48, 57, 100, 99


@dataclass(frozen=True, slots=True)
class Clauses:
    """Clauses, or lines of a proof."""

    literals: Ints
    starts: Longs
    deletes: Bytes

    def __len__(self) -> int:
        return len(self.deletes)

    @property
    def top(self) -> int:
        """The largest variable."""
        return int(self.literals.max()) >> 1 if len(self.literals) else 0


def parse(text: bytes, name: str, top: int) -> Clauses:
    """Parse clauses in DIMACS without a header, or a DRAT proof.

    Args:
        text: The lines: literals and a 0, with a leading ``d`` for a deletion. Comments start with
            ``c``.
        name: The name to use in errors.
        top: The largest variable allowed.

    Raises:
        ProofError: A line can't be parsed, or there are too many lines.
    """
    data = np.frombuffer(text, np.uint8)
    lines = text.count(b"\n") + 1
    if lines > MAX_LINES:
        raise ProofError(f"{name} has more than {MAX_LINES:,} lines")
    literals = np.empty(len(data) // 2 + 1, np.int32)
    starts = np.zeros(lines + 1, np.int64)
    deletes = np.zeros(lines, np.uint8)
    seen = np.full(2 * top + 2, -1, np.int64)
    number, fault = parser()(data, literals, starts, deletes, seen)
    if fault >= 0:
        line = text.count(b"\n", 0, fault) + 1
        begin = text.rfind(b"\n", 0, fault) + 1
        end = text.find(b"\n", fault)
        excerpt = text[begin : end if end >= 0 else None][:60].decode(errors="replace")
        raise ProofError(
            f"{name}, line {line}: {excerpt!r} is not a clause; expected literals of variables 1 "
            f"to {top:,}, a 0, and the end of the line"
        )
    return Clauses(literals[: starts[number]].copy(), starts[: number + 1], deletes[:number])


@cache
def parser() -> Any:
    """The compiled `_parse`."""
    # An array over bytes is read-only, which is a separate type in numba.
    readonly = types.Array(types.uint8, 1, "C", readonly=True)
    signature = types.UniTuple(int64, 2)(readonly, int32[::1], int64[::1], uint8[::1], int64[::1])
    with notice("the checker of proofs", seconds=1):
        return compiled(_parse, signature)


def _parse(data: Any, literals: Any, starts: Any, deletes: Any, seen: Any) -> Any:
    """Fill the arrays; return the number of lines and the place of an error, or -1.

    `seen` is the line in which each literal was last seen.
    """
    size, place, number, end = len(data), 0, 0, 0
    while place < size:
        while place < size and (data[place] == _SPACE or data[place] == _NEW_LINE):
            place += 1
        if place == size:
            break
        if data[place] == _C:
            while place < size and data[place] != _NEW_LINE:
                place += 1
            continue
        deletes[number] = data[place] == _D
        if data[place] == _D:
            place += 1
        closed = False
        while not closed:
            while place < size and (data[place] == _SPACE or data[place] == _TAB):
                place += 1
            negated = place < size and data[place] == _MINUS
            if negated:
                place += 1
            begin, variable = place, 0
            while place < size and _ZERO <= data[place] <= _NINE and place - begin < 10:
                variable = 10 * variable + (data[place] - _ZERO)
                place += 1
            if place == begin or 2 * variable + 1 >= len(seen):
                return number, min(begin, size - 1)
            closed = variable == 0
            literal = 2 * variable + negated
            if not closed and seen[literal] != number:
                seen[literal] = number
                literals[end] = literal
                end += 1
        if place < size and data[place] == _RETURN:
            place += 1
        if place < size and data[place] != _NEW_LINE:
            return number, place
        number += 1
        starts[number] = end
    return number, -1
