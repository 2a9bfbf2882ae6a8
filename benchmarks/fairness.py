"""How fair solved boards are drawn, beside exact statistics and longer walks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from numba import njit

from benchmarks import tables
from binairo_cp import CLASSIC, UNRULY, Rules, legal_lines
from binairo_cp.generation.boards import count_boards, draw_words, shape_of
from binairo_cp.generation.randomness import seed_of

LONG = tables.sized(8, 128)
PART = tables.sized(200, 5, 1)
"""How much fewer boards are drawn than at the full size."""
PLAIN_10 = 117_925_227_108
"""Boards of 10x10 under balance and no triple, which the halves must add up to."""

Words = npt.NDArray[np.uint64]


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
    room = np.zeros((60_000_000, 2), np.uint64)
    found = _halves(lines, room)
    halves = room[:found]
    keys, which, times = np.unique(halves[:, 0], return_inverse=True, return_counts=True)
    fitting = np.zeros(len(keys), np.int64)
    _join(keys, times, fitting)
    weights = fitting[which.reshape(-1)]
    total = int(weights.sum())
    assert total == PLAIN_10, total
    first = np.bincount(halves[:, 1].astype(np.int64), weights, len(lines))
    last = (halves[:, 0] >> np.uint64(10)) & np.uint64(1023)
    middle = np.array([weights[last == line].sum() for line in lines])
    return first / total, middle / total


@njit
def _halves(lines: Words, room: Words) -> int:
    """Upper halves of 10x10: sums, last row and equal columns as a word; and the first line."""
    found = 0
    rows = np.zeros(5, np.uint64)
    next_line = np.zeros(6, np.int64)
    sums = np.zeros((6, 10), np.int64)
    depth = 0
    every = np.uint64(1023)
    while depth >= 0:
        if depth == 5:
            key = np.uint64(0)
            fits = True
            for column in range(10):
                fits &= sums[5, column] <= 5
                key |= np.uint64(sums[5, column]) << np.uint64(20 + 4 * column)
            equal = every & ~(rows[4] ^ rows[3])
            room[found, 0] = key | (rows[4] << np.uint64(10)) | equal
            room[found, 1] = np.uint64(next_line[0] - 1)
            found += 1
            depth -= 1
            continue
        place = next_line[depth]
        if place == len(lines):
            next_line[depth] = 0
            depth -= 1
            continue
        next_line[depth] = place + 1
        line = lines[place]
        if depth >= 2:
            one, two = rows[depth - 1], rows[depth - 2]
            if (one & two & line) | (every & ~(one | two | line)):
                continue
        rows[depth] = line
        for column in range(10):
            sums[depth + 1, column] = sums[depth, column] + np.int64(
                (line >> np.uint64(column)) & np.uint64(1)
            )
        depth += 1
        next_line[depth] = 0
    return found


@njit
def _join(keys: Words, times: npt.NDArray[np.int64], fitting: npt.NDArray[np.int64]) -> None:
    """For each kind of half, how many lower halves fit; kinds of the same sums lie together."""
    ten, mask = np.uint64(10), np.uint64(1023)
    begin = 0
    while begin < len(keys):
        end = begin
        while end < len(keys) and keys[end] >> np.uint64(20) == keys[begin] >> np.uint64(20):
            end += 1
        for k in range(begin, end):
            last, equal = (keys[k] >> ten) & mask, keys[k] & mask
            total = 0
            for other in range(begin, end):
                differ = last ^ ((keys[other] >> ten) & mask)
                if not (equal | (keys[other] & mask)) & differ:
                    total += times[other]
            fitting[k] = total
        begin = end


def all_tables() -> Iterator[tuple[str, list[tables.Row]]]:
    yield from small_fairness()
    yield from large_fairness()


if __name__ == "__main__":
    tables.report(
        "fairness",
        all_tables(),
        [
            tables.Plot(
                "frequencies of all boards", ["steps per line"], ["chi-square / df"], by=["boards"]
            ),
            tables.Plot(
                "frequencies of legal", ["steps per line"], ["chi-square / df"], by=["lines"]
            ),
        ],
    )
