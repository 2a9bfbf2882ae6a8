"""Solved boards: drawn at random, or by number where all of a size can be listed.

How a board is drawn:

- ``uniform``: by a random number in the list of all boards: each exactly as likely.
- ``stirred``: row by row, then so many steps of a random walk that nothing is left of how it began.
- ``rows``: row by row only. Some boards are then far more likely than others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np

from binairo_cp.errors import GenerationError, LimitError, WrongAnswer
from binairo_cp.generation.kernel import Words, kernel, shape_of
from binairo_cp.generation.randomness import seed_of
from binairo_cp.puzzle import verification
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.lines import legal_lines
from binairo_cp.puzzle.rules import CLASSIC, Puzzle, Rules, violations
from binairo_cp.solving import solutions

Method = Literal["auto", "uniform", "stirred", "rows"]
"""``auto`` is uniform where all boards are listed in no time, and stirred elsewhere."""

MAX_LISTED = 5_000_000
"""The longest list of boards; there are 4,111,116 of 8x8."""

_CELLS_OF_A_WORD = 64
_LINES_LOOKED_AT = 1_000_000_000
_CELLS_LISTED_AT_ONCE = 36
_ROWS_BEGUN_A_ROW = 10
_ROWS_BEGUN = 200_000
"""So many are enough for most boards of 40x40; another beginning is as good for larger ones."""
_SECONDS = 10.0
_FURTHER = 4


def _steps(height: int, width: int) -> int:
    """How long a walk is that forgets where it began: larger boards take more steps a line.

    Measured by benchmarks/fairness.py, docs/generation.md.
    """
    lines = height + width
    return lines * (8 + lines // 2)


def draw_boards(
    height: int,
    width: int,
    seeds: Sequence[int],
    rules: Rules = CLASSIC,
    method: Method = "auto",
) -> list[Board]:
    """A solved board for each seed, the same ones on every machine.

    Args:
        height: of the boards, 1 to 64 cells.
        width: of the boards.
        seeds: of 64 bits, as `randomness.seed_of` makes them.
        rules: with balance and no triple.
        method: see above.

    Raises:
        LimitError: a size or rules that boards are not made for, or that no board can have, or a
            method that does not suit them.
        GenerationError: no board was found.
    """
    shape = shape_of(height, width, rules)
    for length, number in ((width, height), (height, width)):
        if rules.distinct_lines and legal_lines(length, rules).count < number:
            raise _no_board(height, width)
    if method == "auto":
        method = "uniform" if height * width <= _CELLS_LISTED_AT_ONCE else "stirred"
        if method == "uniform" and _listed(height, width, rules) is None:
            method = "stirred"
    if method == "uniform":
        every = _all(height, width, rules)
        drawn = every[[_below(seed, len(every)) for seed in seeds]]
        found = _unpacked(drawn, height, width)
    else:
        states = np.array(seeds, np.uint64)
        found = np.zeros((len(seeds), height), np.uint64)
        steps = _steps(height, width) if method == "stirred" else 0
        budget = _ROWS_BEGUN_A_ROW * height
        # There is no other way to a board if it is to come by rows only.
        begun = _ROWS_BEGUN * (10 if method == "rows" else 1)
        made = kernel().draw(shape, found, states, steps, budget, begun // budget)
        if made < len(seeds):
            if method == "rows":
                raise GenerationError(f"no {height}x{width} board was found row by row")
            start = _any_board(height, width, rules)
            found[made:] = [int(row[::-1], 2) for row in start.rows]
            # A board that was not drawn has further to go.
            kernel().stir(shape, found[made:], states[made:], steps * _FURTHER)
    return _checked(found, width, rules)


def count_boards(height: int, width: int, rules: Rules = CLASSIC) -> int:
    """How many boards of a size there are, for sizes that can be listed.

    Raises:
        LimitError: they can't.
    """
    return len(_all(height, width, rules))


def board_of_number(height: int, width: int, number: int, rules: Rules = CLASSIC) -> Board:
    """The board of a number, from 0, in the lexicographic order of all boards of a size.

    Raises:
        LimitError: the boards of that size can't be listed, or there is none of that number.
    """
    every = _all(height, width, rules)
    if not 0 <= number < len(every):
        raise LimitError(
            f"there are {len(every)} boards of {height}x{width}, from number 0 on; no {number}"
        )
    return _checked(_unpacked(every[number : number + 1], height, width), width, rules)[0]


def number_of_board(board: Board, rules: Rules = CLASSIC) -> int:
    """The number of a board in the lexicographic order of all of its size.

    Raises:
        LimitError: the boards of that size can't be listed, or this is none of them.
    """
    every = _all(board.height, board.width, rules)
    if not board.is_full or violations(Puzzle(board, rules), board):
        raise LimitError("the board is no solved board under these rules")
    return int(np.flatnonzero(every == np.uint64(int(board.cells[::-1], 2)))[0])


def _all(height: int, width: int, rules: Rules) -> Words:
    every = _listed(height, width, rules)
    if every is None:
        raise LimitError(
            f"the boards of {height}x{width} can't be listed: they have more than "
            f"{_CELLS_OF_A_WORD} cells, are more than {MAX_LISTED}, or it takes too long"
        )
    if not len(every):
        raise _no_board(height, width)
    return every


def _no_board(height: int, width: int) -> LimitError:
    return LimitError(f"there is no {height}x{width} board under these rules")


@lru_cache(maxsize=4)
def _listed(height: int, width: int, rules: Rules) -> Words | None:
    """All boards as words in lexicographic order; None if they can't be listed."""
    shape = shape_of(height, width, rules)
    if height * width > _CELLS_OF_A_WORD:
        return None
    legal = legal_lines(width, rules)
    if legal.count > MAX_LISTED:
        return None
    lines = np.array([int(line[::-1], 2) for line in legal], np.uint64)
    room = np.zeros(MAX_LISTED, np.uint64)
    found = kernel().list(shape, lines, room, _LINES_LOOKED_AT)
    return None if found < 0 else room[:found].copy()


def _unpacked(words: Words, height: int, width: int) -> Words:
    """Boards of one word as boards of a word for each row."""
    shifts = np.arange(height, dtype=np.uint64) * np.uint64(width)
    row = np.uint64((1 << width) - 1)
    # A row of 64 cells is the word itself.
    return (words[:, None] >> shifts) & row


def _below(seed: int, number: int) -> int:
    """A number below another, drawn by a seed: of 2^256 values none is favoured to speak of."""
    return int(seed_of("number", seed, bits=256) % number)


def _any_board(height: int, width: int, rules: Rules) -> Board:
    """A solved board, however it is found.

    Raises:
        LimitError: there is none.
        GenerationError: none was found.
    """
    outcome = solutions.solve(Puzzle(Board.empty(height, width), rules), time_limit=_SECONDS)
    if outcome.solution:
        return outcome.solution
    if outcome.verdict is solutions.Verdict.NONE:
        raise _no_board(height, width)
    raise GenerationError(f"no {height}x{width} board was found in {_SECONDS:g} s")


def _checked(words: Words, width: int, rules: Rules) -> list[Board]:
    """Boards of a word for each row, which are looked at before anybody sees them."""
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    cells = bits.reshape(*words.shape, 64)[:, :, :width] + np.uint8(ord("0"))
    good = verification.are_solutions(cells, np.full_like(cells, ord(OPEN)), rules)
    boards = [Board(words.shape[1], width, each.tobytes().decode()) for each in cells]
    if not good.all():
        wrong = boards[int(np.argmin(good))]
        raise WrongAnswer(f"the generator made a board that is no solution:\n{wrong}")
    return boards
