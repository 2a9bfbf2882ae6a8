"""How fair solved boards are drawn, beside exact statistics and longer walks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from benchmarks import tables
from binairo_cp import CLASSIC, UNRULY, Rules, legal_lines
from binairo_cp.generation.boards import count_boards, draw_words, seed_of, shape_of

LONG = tables.sized(8, 128)
PART = tables.sized(200, 5, 1)
"""How much fewer boards are drawn than at the full size."""
PLAIN_10 = 117_925_227_108
"""Boards of 10x10 under balance and no triple, which the halves must add up to."""

Words = npt.NDArray[np.uint64]
EVERY = np.uint64(1023)
"""All columns of a row of 10."""


def small_fairness() -> Iterator[tuple[str, list[tables.Row]]]:
    rows: list[tables.Row] = []
    for side in (4, 6):
        total = count_boards(side, side)
        number = max(1, 100 // PART) * total
        for steps in (0, 2, 4, 8, 16):
            words = _drawn(side, side, CLASSIC, number, steps)
            seen = np.unique(words, axis=0, return_counts=True)[1]
            rows.append(
                {
                    "boards": f"{side}x{side}, all {total}",
                    "drawn": number,
                    "steps per line": steps,
                    **_chi_square(seen, np.full(total, number / total)),
                }
            )
    yield "frequencies of all boards of a size", rows


def large_fairness() -> Iterator[tuple[str, list[tables.Row]]]:
    first, middle = exact_lines()
    rows: list[tables.Row] = []
    number = 300_000 // PART
    for row, exact in ((0, first), (4, middle)):
        for steps in (0, 2, 4, 8, 16):
            words = _drawn(10, 10, UNRULY, number, steps)
            seen = np.array([np.count_nonzero(words[:, row] == line) for line in _lines(10)])
            rows.append(
                {
                    "lines": f"84 in row {row + 1} of 10x10, unruly",
                    "drawn": number,
                    "steps per line": steps,
                    **_chi_square(seen, exact * number),
                }
            )
    yield "frequencies of legal lines, compared with all boards", rows
    rows = []
    for side, most in ((10, 40_000), (14, 10_000), (20, 3_000), (30, 400)):
        number = most // PART
        long = _features(_drawn(side, side, CLASSIC, number, LONG), side)
        for steps in (0, 4, 8, 8 + side, 32, 64):
            some = _features(_drawn(side, side, CLASSIC, number, steps), side)
            off = (some.mean(axis=0) - long.mean(axis=0)) / long.std(axis=0)
            words = ("horizontal pairs", "vertical pairs", "blocks")
            rows.append(
                {
                    "boards": f"{side}x{side}",
                    "drawn": number,
                    "steps per line": steps,
                    **{word: f"{each:+.3f}" for word, each in zip(words, off, strict=True)},
                    "expected deviation": round((2 / number) ** 0.5, 3),
                }
            )
    title = f"runs of two and blocks of 2x2 of one symbol, compared with {LONG} steps per line"
    yield f"{title}, in standard deviations of a board", rows


def _drawn(height: int, width: int, rules: Rules, number: int, steps_a_line: int) -> Words:
    shape = shape_of(height, width, rules)
    states = np.array([seed_of("fair", steps_a_line, k) for k in range(number)], np.uint64)
    boards = np.zeros((number, height), np.uint64)
    made = draw_words(shape, boards, states, steps_a_line * (height + width), 10 * height, 1000)
    assert made == number
    return boards


def _chi_square(seen: npt.NDArray[np.int64], expected: npt.NDArray[np.float64]) -> tables.Row:
    """Chi-square by its degrees of freedom, and how many deviations that is from fair draws."""
    freedom = len(expected) - 1
    square = float(((seen - expected[: len(seen)]) ** 2 / expected[: len(seen)]).sum())
    square += float(expected[len(seen) :].sum())
    return {
        "chi-square / df": round(square / freedom, 3),
        "deviations": round((square - freedom) / (2 * freedom) ** 0.5, 1),
    }


def _features(boards: Words, side: int) -> npt.NDArray[np.float64]:
    """Of each board: the runs of two across and down, and the blocks of 2x2 of one symbol."""
    cells = (boards[:, :, None] >> np.arange(side, dtype=np.uint64)) & np.uint64(1)
    right, down = cells[:, :, 1:] == cells[:, :, :-1], cells[:, 1:] == cells[:, :-1]
    blocks = right[:, 1:] & right[:, :-1] & down[:, :, 1:]
    return np.stack(
        [each.sum(axis=tuple(range(1, each.ndim))) for each in (right, down, blocks)], axis=1
    ).astype(float)


def _lines(length: int) -> Words:
    return np.array([int(line[::-1], 2) for line in legal_lines(length)], np.uint64)


def exact_lines() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """How often each legal line is row 1, and row 5, of the boards of 10x10 that may repeat lines.

    A board is cut after row 5. Its lower half, upside down and with 0 for 1, is an upper half too.
    A half is known by the sums of its columns, its last row, and the columns whose last two rows
    are equal; two halves of the same sums fit if no triple arises at the cut.
    """
    lines = _lines(10)
    halves = [np.sort(_halves(lines, first)) for first in range(len(lines))]
    kinds, times = np.unique(np.concatenate(halves), return_counts=True)
    fitting = _fitting(kinds, times)
    total = int(times @ fitting)
    assert total == PLAIN_10, total
    first = np.array([fitting[np.searchsorted(kinds, each)].sum() for each in halves])
    last = (kinds >> np.uint64(10)) & EVERY
    middle = np.array([(times * fitting)[last == line].sum() for line in lines])
    return first / total, middle / total


def _halves(lines: Words, first: int) -> Words:
    """Upper halves with a first line: 4 bits for each sum, the last row and the equal columns."""
    columns = np.arange(10, dtype=np.uint64)
    ones = ((lines[:, None] >> columns & np.uint64(1)) << (np.uint64(4) * columns)).sum(axis=1)
    # Above the first row stands its complement, with which no row makes a triple.
    sums, last, above = ones[[first]], lines[[first]], ~lines[[first]]
    for _ in range(4):
        triples = (last & above)[:, None] & lines | EVERY & ~(last | above)[:, None] & ~lines
        half, line = np.nonzero(triples == 0)
        sums, last, above = sums[half] + ones[line], lines[line], last[half]
    return sums << np.uint64(20) | last << np.uint64(10) | EVERY & ~(last ^ above)


def _fitting(kinds: Words, times: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """For each kind of half, how many lower halves fit; kinds of the same sums lie together."""
    begins = np.flatnonzero(np.diff(kinds >> np.uint64(20))) + 1
    fitting = []
    for group, number in zip(np.split(kinds, begins), np.split(times, begins), strict=True):
        last, equal = group >> np.uint64(10) & EVERY, group & EVERY
        triples = (equal[:, None] | equal) & (last[:, None] ^ last)
        fitting.append((triples == 0) @ number)
    return np.concatenate(fitting)


def all_tables() -> Iterator[tuple[str, list[tables.Row]]]:
    yield from small_fairness()
    yield from large_fairness()


if __name__ == "__main__":
    tables.report(
        "fairness",
        all_tables(),
    )
