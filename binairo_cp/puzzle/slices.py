"""Many byte strings and puzzles as arrays, so that records are read and written without objects.

Only `copy` uses a kernel. It moves the bytes of many slices, which numpy can do only through an
index for each byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from binairo_cp.kernels.records import copy_slices
from binairo_cp.puzzle.grids import OPEN_MARKS
from binairo_cp.puzzle.rules import Rules
from binairo_cp.puzzle.symmetries import Signs

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]


class Slices(NamedTuple):
    """n byte strings.

    Attributes:
        data: the array that contains them.
        starts: where each begins.
    """

    data: Bytes
    starts: Numbers
    lengths: Numbers

    @classmethod
    def of(cls, strings: Sequence[bytes]) -> Self:
        """The slices with the contents of byte strings."""
        lengths = np.fromiter(map(len, strings), np.int64, len(strings))
        return cls(np.frombuffer(b"".join(strings), np.uint8), starts_of(lengths), lengths)

    @classmethod
    def empty(cls, number: int) -> Self:
        """So many empty strings."""
        none = np.zeros(number, np.int64)
        return cls(np.zeros(0, np.uint8), none, none)

    @classmethod
    def rows(cls, array: Bytes) -> Self:
        """The rows of an array with two or more dimensions."""
        number = len(array)
        size = array.size // number if number else 0
        starts = np.arange(number, dtype=np.int64) * size
        return cls(array.reshape(-1), starts, np.full(number, size))

    def take(self, chosen: Any) -> Slices:
        """Some of them, chosen by an array of indexes or flags. They may repeat."""
        return Slices(self.data, self.starts[chosen], self.lengths[chosen])

    def only(self, flags: npt.NDArray[np.bool_]) -> Slices:
        """The same where a flag is set, elsewhere empty strings."""
        return Slices(self.data, self.starts, self.lengths * flags)

    def tolist(self) -> list[bytes]:
        """The byte strings."""
        data = self.data.tobytes()
        slices = zip(self.starts.tolist(), self.lengths.tolist(), strict=True)
        return [data[start : start + length] for start, length in slices]


def starts_of(lengths: Numbers) -> Numbers:
    """Where strings of these lengths begin, one directly after another."""
    starts: Numbers = np.cumsum(lengths) - lengths
    return starts


def ends_of_lines(data: Bytes) -> Numbers:
    """Where lines end: at their line feeds, and the last one perhaps at the end."""
    ends = np.flatnonzero(data == ord("\n"))
    return ends if data[-1] == ord("\n") else np.append(ends, len(data))


def decimals(numbers: Numbers) -> Slices:
    """Numbers from 0 on, as decimal digits."""
    most = len(str(int(numbers.max(initial=0))))
    digits = np.empty((len(numbers), most), np.uint8)
    lengths = np.ones(len(numbers), np.int64)
    rest = numbers
    for place in range(most - 1, -1, -1):
        quotient = rest // 10
        digits[:, place] = rest - 10 * quotient + ord("0")
        rest = quotient
        lengths += rest > 0
    ends = np.arange(1, len(numbers) + 1) * most
    return Slices(digits.reshape(-1), ends - lengths, lengths)


def copy(source: Slices, target: Bytes, places: Numbers) -> None:
    """Copy each string to its place in an array."""
    copy_slices(source.data.data, source.starts.data, source.lengths.data, target.data, places.data)


def joined(columns: Sequence[Slices]) -> Slices:
    """Join the k-th strings of all columns, for each k."""
    lengths = np.sum([column.lengths for column in columns], axis=0)
    places = starts_of(lengths)
    result = Slices(np.empty(int(lengths.sum()), np.uint8), places.copy(), lengths)
    for column in columns:
        copy(column, result.data, places)
        places += column.lengths
    return result


CELLS = np.zeros(256, np.uint8)
"""Maps the byte of a mark to its cell; 0 for bytes that are no mark."""
CELLS[list(b"01")] = list(b"01")
CELLS[list(OPEN_MARKS.encode())] = ord(".")


def codes_of(values: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """The codes of an array of the same shape; 0 for values that are no cell.

    Args:
        values: bytes (uint8) are codes; other bools, integers and floats are 0, 1, and -1, nan or
            masked for an open cell.
    """
    if values.dtype == np.uint8:
        codes: npt.NDArray[np.uint8] = CELLS[values]
        return codes
    data = np.ma.getdata(values)
    codes = np.zeros(data.shape, np.uint8)
    for value, code in zip((0, 1, -1), b"01.", strict=True):
        codes[data == value] = code
    codes[np.ma.getmaskarray(values) | (data != data)] = ord(".")
    return codes


@dataclass(frozen=True, slots=True)
class PlainPuzzles:
    """Puzzles of one shape under the same rules.

    Attributes:
        clues: n x height x width bytes ``0``, ``1`` and ``.``.
        lines: the line of each puzzle in the block, from 0.
        ids: their ids in UTF-8; empty for puzzles without one.
        signs: the signs of each puzzle, sorted; None if none has any.
    """

    rules: Rules
    clues: Bytes
    lines: Numbers
    ids: Slices
    signs: list[Signs] | None = None

    def chosen(self, flags: npt.NDArray[np.bool_]) -> PlainPuzzles:
        """The puzzles whose flag is set."""
        signs = self.signs and list(compress(self.signs, flags.tolist()))
        chosen = self.clues[flags], self.lines[flags], self.ids.take(flags)
        return PlainPuzzles(self.rules, *chosen, signs)
