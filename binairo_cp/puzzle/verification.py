"""Which of many full boards are solutions: `rules.violations` for arrays, without the reasons.

It is written anew, over words and not over strings, and tested against that specification. It takes
lines of up to 64 cells and no signs.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from binairo_cp.puzzle.rules import Rules

Cells = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]

LONGEST = 64
"""The longest line that is taken, in cells."""

_OPEN = ord(".")


def are_solutions(boards: Cells, clues: Cells, rules: Rules) -> Flags:
    """Whether each board keeps its clues and the rules.

    Args:
        boards: n x height x width bytes ``0`` and ``1``.
        clues: n x height x width bytes ``0``, ``1`` and ``.``.
        rules: of all of them.

    Returns:
        n flags.
    """
    good: Flags = ((clues == _OPEN) | (clues == boards)).all(axis=(1, 2))
    ones = boards == ord("1")
    for lines in (ones, ones.transpose(0, 2, 1)):
        good &= _keep(_words(lines), lines.shape[2], rules)
    return good


def _words(lines: Flags) -> Words:
    """A word for each line; bit k is its cell k."""
    boards, count, length = lines.shape
    # Packed as one long row, for many short ones take their time.
    size = next(size for size in (8, 16, 32, 64) if length <= size)
    padded = np.zeros((boards, count, size), bool)
    padded[:, :, :length] = lines
    packed = np.packbits(padded.reshape(-1), bitorder="little")
    return packed.view(f"<u{size // 8}").reshape(boards, count).astype(np.uint64)


def _keep(ones: Words, length: int, rules: Rules) -> Flags:
    """Whether the lines of each board keep the rules; n x lines words."""
    number = np.bitwise_count(ones)
    allowed = rules.ones(length)
    good: Flags = np.all((number >= allowed[0]) & (number <= allowed[-1]), axis=1)
    if rules.longest_run < length:
        every_cell = np.uint64((1 << length) - 1)
        for runs in (ones, ~ones & every_cell):
            for _ in range(rules.longest_run):
                runs = runs & (runs >> np.uint64(1))
            good &= (runs == 0).all(axis=1)
    if rules.distinct_lines:
        ordered = np.sort(ones, axis=1)
        good &= (np.diff(ordered, axis=1) != 0).all(axis=1)
    return good
