"""Check arrays of full boards: `rules.violations` for arrays, without the reasons.

It is an independent implementation on bits, and the tests compare it with that specification. It
supports lines of up to 64 cells.

A cell of many boards is one array of bits, a bit for each board. So each operation treats eight
boards in a byte, and many bytes at a time:

    board         0 1 2 3 4 5 ...
    r1c1          1 0 0 1 1 0        boards 0, 3 and 4 have 1 in r1c1
    r1c2          1 0 1 0 1 1
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from binairo_cp.puzzle.rules import Rules

Cells = npt.NDArray[np.uint8]
Bits = npt.NDArray[np.uint8]
Words = npt.NDArray[np.unsignedinteger]
Flags = npt.NDArray[np.bool_]


_CELLS_TOGETHER = 1 << 20
"""Boards with so many cells are checked together. They fit in the caches of most processors."""

_ALL = np.uint8(0xFF)


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
    number, height, width = boards.shape
    good = np.empty(number, bool)
    step = max(_CELLS_TOGETHER // max(height * width, 1), 1)
    for begin in range(0, number, step):
        some = slice(begin, begin + step)
        these, given = boards[some], clues[some]
        # In the codes of 0 and 1, bit 4 is set, and bit 0 is the value.
        differ = (these ^ given) & (given >> np.uint8(4))
        wrong = np.bitwise_or.reduce(_bits(differ & np.uint8(1)), axis=(0, 1))
        rows = _bits(these & np.uint8(1))
        columns = rows.transpose(1, 0, 2)
        if rows.shape == columns.shape:
            # As many operations for both as for one.
            broken = _broken(np.concatenate((rows, columns), axis=2), rules).reshape(2, -1)
            wrong |= broken[0] | broken[1]
        else:
            wrong |= _broken(rows, rules) | _broken(columns, rules)
        flags = np.unpackbits(wrong, bitorder="little").reshape(-1, 8).T.reshape(-1)
        good[some] = flags[: len(these)] == 0
    if signs is not None:
        good &= _follow_signs(boards == ord("1"), signs)
    return good


def _bits(cells: Cells) -> Bits:
    """The values of n x height x width cells as height x width x m bytes.

    Bit k of byte j is that of board k * m + j. So whole eighths of the array are shifted.
    """
    _, height, width = cells.shape
    if missing := -len(cells) % 64:
        cells = np.concatenate((cells, np.zeros((missing, height, width), np.uint8)))
    eighths = cells.reshape(8, -1).view(np.uint64)
    bits = eighths[0].copy()
    for k in range(1, 8):
        bits |= eighths[k] << np.uint64(k)
    by_board = bits.view(np.uint8).reshape(-1, height * width)
    return np.ascontiguousarray(by_board.T).reshape(height, width, -1)


def _broken(lines: Bits, rules: Rules) -> Bits:
    """Which boards break a rule in lines x cells x m bytes."""
    length = lines.shape[1]
    wrong = np.zeros(lines.shape[2], np.uint8)
    if rules.longest_run < length:
        for values in (lines, ~lines):
            runs = values
            for _ in range(rules.longest_run):
                values, runs = values[:, 1:], runs[:, :-1] & values[:, 1:]
            wrong |= np.bitwise_or.reduce(runs, axis=(0, 1))
    if rules.balanced:
        wrong |= ~np.bitwise_and.reduce(_has(_count(lines), rules.ones(length)), axis=0)
    if rules.distinct_lines:
        for distance in range(1, len(lines)):
            differ = np.bitwise_or.reduce(lines[distance:] ^ lines[:-distance], axis=1)
            wrong |= ~np.bitwise_and.reduce(differ, axis=0)
    return wrong


def _count(lines: Bits) -> list[Bits]:
    """The binary digits of the number of ones in each line, the lowest first.

    Three bits of the same weight are replaced by their sum, a bit of this weight and a carry.
    """
    digits = []
    bits = list(lines.transpose(1, 0, 2))
    while bits:
        carries = []
        while len(bits) > 1:
            one, other = bits.pop(), bits.pop()
            third = bits.pop() if bits else np.zeros_like(one)
            half = one ^ other
            bits.append(half ^ third)
            carries.append((one & other) | (half & third))
        digits += bits
        bits = carries
    return digits


def _has(digits: list[Bits], numbers: Iterable[int]) -> Bits:
    """In which boards the number with these digits is one of some numbers."""
    found = np.zeros_like(digits[0])
    for number in numbers:
        same = np.full_like(found, _ALL)
        for k, digit in enumerate(digits):
            same &= digit if number >> k & 1 else ~digit
        found |= same
    return found


def _follow_signs(ones: Flags, signs: Words) -> Flags:
    """Whether the cells beside each sign are equal, or differ."""
    lines = np.concatenate((_words(ones), _words(ones.transpose(0, 2, 1))), axis=1)
    changes = lines ^ (lines >> np.uint64(1))
    wrong = (changes & signs[:, 0]) | (~changes & signs[:, 1])
    return np.logical_not(wrong.any(axis=1))


def _words(lines: Flags) -> Words:
    """One word for each of n x k lines; bit k is cell k."""
    packed = np.packbits(lines, axis=2, bitorder="little")
    padded = np.zeros((*packed.shape[:2], 8), np.uint8)
    padded[:, :, : packed.shape[2]] = packed
    return padded.view("<u8")[:, :, 0]
