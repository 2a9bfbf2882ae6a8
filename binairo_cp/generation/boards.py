"""Random solved boards, and boards by number for sizes whose boards can all be listed.

The methods:

- ``uniform``: choose from the list of all boards. Every board is exactly equally likely.
- ``gibbs``: fill row by row, then take enough Gibbs sampling steps to forget the start.
- ``rows``: fill row by row only. Some boards are then far more likely than others.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from binairo_cp.errors import GenerationError, LimitError, WrongAnswer
from binairo_cp.generation import Method
from binairo_cp.kernels.arrays import zeros
from binairo_cp.kernels.generation import Generator, draw, fill_words, list_boards
from binairo_cp.puzzle import fast_check
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.lines import legal_lines, why_impossible
from binairo_cp.puzzle.rules import CLASSIC, Puzzle, Rules, violations
from binairo_cp.puzzle.shape import Shape

MAX_LENGTH = 64
"""The longest line, in cells: a line is one machine word."""

MAX_LISTED = 5_000_000
"""The longest list of boards. There are 4,111,116 boards of 8x8."""

_WORD_CELLS = 64
_LISTING_BUDGET = 1_000_000_000
_QUICKLY_LISTED_CELLS = 36
_ROWS_PER_TRY_AND_ROW = 10
_TOTAL_ROWS = 200_000
"""The budget of rows to try for one board, which suffices for most boards of 40x40. If it runs out,
the walk starts from a board that the solver finds."""
_SOLVER_SECONDS = 10.0
_EXTRA_STEPS = 4
_FEW = 100
"""Up to so many boards are checked one by one, which takes less time than to load numpy."""


def seed_of(*parts: object, bits: int = 64) -> int:
    """Derive the seed of an independent stream, such as that of one puzzle; at most 256 bits."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[: bits // 8], "little")


def words(seed: int, number: int) -> memoryview:
    """Return the first random words of a seed."""
    found = zeros("Q", number)[:number]
    fill_words(seed, found)
    return found


def shape_of(height: int, width: int, rules: Rules) -> Shape:
    """Return the shape of the boards to generate.

    Raises:
        LimitError: A side is too long, or the rules are not supported.
    """
    if not (1 <= height <= MAX_LENGTH and 1 <= width <= MAX_LENGTH):
        raise LimitError(
            f"can't generate {height}x{width} boards; expected sides of 1 to {MAX_LENGTH} cells"
        )
    if not rules.balanced or rules.longest_run != 2:
        raise LimitError(
            "boards can only be generated under rules with balance and a longest run of 2"
        )
    return Shape.of(height, width, rules)


def generator_of(shape: Shape) -> Generator:
    """A generator of boards of one shape, whose rows and columns are both distinct, or neither."""
    return Generator(
        shape.height,
        shape.width,
        (shape.row_min_ones, shape.row_max_ones),
        (shape.column_min_ones, shape.column_max_ones),
        bool(shape.distinct_rows),
    )


def draw_words(shape: Shape, boards: Any, states: Any, steps: int, budget: int, tries: int) -> int:
    """Draw boards as words, in buffers: see `binairo_cp.kernels.generation.draw`."""
    generator = generator_of(shape)
    return draw(generator, memoryview(boards), memoryview(states), steps, budget, tries)


def _steps(height: int, width: int) -> int:
    """Number of Gibbs steps that make a board independent of its start.

    Larger boards need more steps per line: see docs/generation.md.
    """
    lines = height + width
    return lines * (8 + lines // 2)


def draw_boards(
    height: int, width: int, seeds: Sequence[int], rules: Rules = CLASSIC, method: Method = "auto"
) -> list[Board]:
    """Draw a solved board for each seed; the same seeds give the same boards on every machine.

    Args:
        height: Rows of the boards, 1 to 64.
        width: Columns of the boards, 1 to 64.
        seeds: Seeds of 64 bits, such as `randomness.seed_of` returns.
        rules: Rules with balance and a longest run of 2.
        method: How to draw; see the module's docstring.

    Raises:
        LimitError: Boards of this size or these rules are not supported or don't exist, or the
            method can't draw them.
        GenerationError: No board was found.
    """
    shape = shape_of(height, width, rules)
    if why_impossible(height, width, rules):
        raise _no_board(height, width)
    if method == "auto":
        method = "uniform" if height * width <= _QUICKLY_LISTED_CELLS else "gibbs"
        if method == "uniform" and _listed(height, width, rules) is None:
            method = "gibbs"
    rows: Any = []
    if method == "uniform":
        every = _all(height, width, rules)
        # The bias of reducing 256 bits is negligible.
        numbers = (int(seed_of("number", seed, bits=256) % len(every)) for seed in seeds)
        rows = [_unpacked(every[number], height, width) for number in numbers]
    elif seeds:
        states = memoryview(array("Q", seeds))
        words = zeros("Q", len(seeds), height)
        steps = 0 if method == "rows" else _steps(height, width)
        budget = _ROWS_PER_TRY_AND_ROW * height
        # The method "rows" has no other start to fall back on.
        total_rows = _TOTAL_ROWS * (10 if method == "rows" else 1)
        drawn = draw_words(shape, words, states, steps, budget, total_rows // budget)
        if drawn < len(seeds):
            if method == "rows":
                raise GenerationError(
                    f"no {height}x{width} board was found row by row; try another method"
                )
            start = [int(row[::-1], 2) for row in _any_board(height, width, rules).rows]
            others = memoryview(array("Q", start * (len(seeds) - drawn))).cast("B")
            others = others.cast("Q", (len(seeds) - drawn, height))
            # This start is not random, so it takes more steps to forget it.
            draw_words(shape, others, states[drawn:], steps * _EXTRA_STEPS, 0, 0)
            rows = words.tolist()[:drawn] + others.tolist()
        else:
            rows = words.tolist()
    return _checked(rows, width, rules)


def count_boards(height: int, width: int, rules: Rules = CLASSIC) -> int:
    """Count the boards of a size by listing them.

    Raises:
        LimitError: The boards of this size can't be listed.
    """
    return len(_all(height, width, rules))


def board_of_number(height: int, width: int, number: int, rules: Rules = CLASSIC) -> Board:
    """Return a board by its number, from 0, in the lexicographic order of all boards of a size.

    Raises:
        LimitError: The boards of this size can't be listed, or the number is out of range.
    """
    every = _all(height, width, rules)
    if not 0 <= number < len(every):
        raise LimitError(
            f"no board {number}: the {height}x{width} boards have numbers from 0 to "
            f"{len(every) - 1}"
        )
    return _checked([_unpacked(every[number], height, width)], width, rules)[0]


def number_of_board(board: Board, rules: Rules = CLASSIC) -> int:
    """Return the number of a board in the lexicographic order of all boards of its size.

    Raises:
        LimitError: The boards of this size can't be listed, or the board is not a solution.
    """
    every = _all(board.height, board.width, rules)
    if not board.is_full or violations(Puzzle(board, rules), board):
        raise LimitError("the board is not a solved board under these rules")
    return every.index(int(board.cells[::-1], 2))


def _all(height: int, width: int, rules: Rules) -> array[int]:
    every = _listed(height, width, rules)
    if every is None:
        raise LimitError(
            f"the {height}x{width} boards can't be listed: they have more than {_WORD_CELLS} "
            f"cells, there are more than {MAX_LISTED} of them, or listing takes too long"
        )
    if not len(every):
        raise _no_board(height, width)
    return every


def _no_board(height: int, width: int) -> LimitError:
    return LimitError(f"there is no {height}x{width} board under these rules")


@lru_cache(maxsize=4)
def _listed(height: int, width: int, rules: Rules) -> array[int] | None:
    """List all boards as words in lexicographic order; None if they can't be listed."""
    shape = shape_of(height, width, rules)
    if height * width > _WORD_CELLS:
        return None
    legal = legal_lines(width, rules)
    if legal.count > MAX_LISTED:
        return None
    lines = memoryview(array("Q", (int(line[::-1], 2) for line in legal)))
    boards = zeros("Q", MAX_LISTED)
    distinct = bool(shape.distinct_rows)
    number = list_boards(generator_of(shape), lines, boards, _LISTING_BUDGET, distinct, distinct)
    if number < 0:
        return None
    listed = array("Q")
    listed.frombytes(boards[:number].cast("B"))
    return listed


def _unpacked(word: int, height: int, width: int) -> list[int]:
    """The rows of a board of one word."""
    return [word >> row * width & (1 << width) - 1 for row in range(height)]


def _any_board(height: int, width: int, rules: Rules) -> Board:
    """Find any solved board with the solver.

    Raises:
        LimitError: There is no board of this size.
        GenerationError: The solver stopped before it found a board.
    """
    # Imported here, because few boards need a solver.
    from binairo_cp.solving import solutions

    outcome = solutions.solve(Puzzle(Board.empty(height, width), rules), time_limit=_SOLVER_SECONDS)
    if outcome.solution:
        return outcome.solution
    if outcome.verdict is solutions.Verdict.NONE:
        raise _no_board(height, width)
    raise GenerationError(f"no {height}x{width} board was found in {_SOLVER_SECONDS:g} s")


def _checked(boards: list[list[int]], width: int, rules: Rules) -> list[Board]:
    """Convert boards of one word per row, and check each against the rules.

    Raises:
        WrongAnswer: A board breaks a rule.
    """
    found = [
        Board(len(rows), width, "".join(f"{1 << width | row:b}"[:0:-1] for row in rows))
        for rows in boards
    ]
    for board, is_right in zip(found, _are_right(found, rules), strict=True):
        if not is_right:
            raise WrongAnswer(f"the generator drew a board that breaks the rules:\n{board}")
    return found


def _are_right(boards: list[Board], rules: Rules) -> list[bool]:
    if len(boards) > _FEW:
        with suppress(ModuleNotFoundError):
            import numpy as np

            from binairo_cp.puzzle.verification import are_solutions

            text = "".join(board.cells for board in boards).encode()
            cells = np.frombuffer(text, np.uint8).reshape(-1, boards[0].height, boards[0].width)
            return list(are_solutions(cells, np.full_like(cells, ord(OPEN)), rules))
    return [fast_check.is_solution(Puzzle(board, rules), board) for board in boards]
