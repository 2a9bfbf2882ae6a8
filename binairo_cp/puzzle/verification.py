"""Check arrays of full boards: `rules.violations` for arrays, without the reasons.

It is an independent implementation on machine words, and the tests compare it with that
specification. It supports lines of up to 64 cells.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from binairo_cp.puzzle.rules import Rules

Cells = npt.NDArray[np.uint8]
Words = npt.NDArray[np.unsignedinteger]
Flags = npt.NDArray[np.bool_]

LONGEST = 64
"""The maximum length of a line, in cells."""

_OPEN = ord(".")
_MANY_BOARDS = 100
"""From so many boards on, comparing all pairs of lines is faster than sorting them."""


def are_solutions(boards: Cells, clues: Cells, rules: Rules, signs: Words | None = None) -> Flags:
    """Whether each board agrees with its clues, its signs and the rules.

    Args:
        boards: n x height x width bytes ``0`` and ``1``.
        clues: n x height x width bytes ``0``, ``1`` and ``.``.
        rules: the rules of all boards.
        signs: n x 2 x (height + width) words, the equal and the opposite signs along the rows and
            the columns; bit k is a sign between cells k and k + 1. None without signs.

    Returns:
        n flags.
    """
    good: Flags = ((clues == _OPEN) | (clues == boards)).all(axis=(1, 2))
    ones = boards == ord("1")
    rows, columns = _words(ones), _words(ones.transpose(0, 2, 1))
    for words, length in ((rows, boards.shape[2]), (columns, boards.shape[1])):
        good &= _follow_rules(words, length, rules)
    if signs is not None:
        lines = np.concatenate((rows.T, columns.T), axis=1).astype(np.uint64)
        changes = lines ^ (lines >> np.uint64(1))
        good &= ~((changes & signs[:, 0]) | (~changes & signs[:, 1])).any(axis=1)
    return good


def _words(lines: Flags) -> Words:
    """One word per line, as lines x boards; bit k is cell k.

    The words are as short as possible, and those of a line are adjacent. So each operation takes
    many boards at a time.
    """
    boards, count, length = lines.shape
    # Packing one long row is faster than packing many short ones.
    size = next(size for size in (8, 16, 32, 64) if length <= size)
    padded = np.zeros((boards, count, size), bool)
    padded[:, :, :length] = lines
    packed = np.packbits(padded, bitorder="little")
    return np.ascontiguousarray(packed.view(f"<u{size // 8}").reshape(boards, count).T)


def _follow_rules(ones: Words, length: int, rules: Rules) -> Flags:
    """Whether the lines of each board follow the rules; `ones` are lines x n words."""
    one = ones.dtype.type(1)
    number = np.bitwise_count(ones)
    allowed = rules.ones(length)
    good: Flags = np.all((number >= allowed[0]) & (number <= allowed[-1]), axis=0)
    if rules.longest_run < length:
        every_cell = ones.dtype.type((1 << length) - 1)
        for runs in (ones, ~ones & every_cell):
            for _ in range(rules.longest_run):
                runs = runs & (runs >> one)
            good &= ~runs.any(axis=0)
    if rules.distinct_lines:
        good &= _all_differ(ones)
    return good


def _all_differ(lines: Words) -> Flags:
    """Whether the lines of each board differ; `lines` are lines x n words."""
    if lines.shape[1] < _MANY_BOARDS:
        ordered = np.sort(lines, axis=0)
        few: Flags = np.all(ordered[1:] != ordered[:-1], axis=0)
        return few
    # Each comparison takes many boards at a time, which sorting does not.
    good = np.ones(lines.shape[1], bool)
    for distance in range(1, len(lines)):
        good &= (lines[distance:] != lines[:-distance]).all(axis=0)
    return good
