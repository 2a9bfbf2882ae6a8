"""Check arrays of full boards: `rules.violations` for arrays, without the reasons.

It is an independent implementation on machine words, and the tests compare it with that
specification. It supports lines of up to 64 cells.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from binairo_cp.puzzle.rules import Rules

Cells = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]

LONGEST = 64
"""The maximum length of a line, in cells."""

_OPEN = ord(".")


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
        words = np.concatenate((rows, columns), axis=1)
        changes = words ^ (words >> np.uint64(1))
        good &= ~((changes & signs[:, 0]) | (~changes & signs[:, 1])).any(axis=1)
    return good


def _words(lines: Flags) -> Words:
    """One word per line; bit k is cell k."""
    boards, count, length = lines.shape
    # Packing one long row is faster than packing many short ones.
    size = next(size for size in (8, 16, 32, 64) if length <= size)
    padded = np.zeros((boards, count, size), bool)
    padded[:, :, :length] = lines
    packed = np.packbits(padded, bitorder="little")
    return packed.view(f"<u{size // 8}").reshape(boards, count).astype(np.uint64)


def _follow_rules(ones: Words, length: int, rules: Rules) -> Flags:
    """Whether the lines of each board follow the rules; `ones` are n x lines words."""
    number = np.bitwise_count(ones)
    allowed = rules.ones(length)
    good: Flags = np.all((number >= allowed[0]) & (number <= allowed[-1]), axis=1)
    if rules.longest_run < length:
        every_cell = np.uint64((1 << length) - 1)
        for runs in (ones, ~ones & every_cell):
            for _ in range(rules.longest_run):
                runs = runs & (runs >> np.uint64(1))
            good &= ~runs.any(axis=1)
    if rules.distinct_lines:
        ordered = np.sort(ones, axis=1)
        good &= (np.diff(ordered, axis=1) != 0).all(axis=1)
    return good
