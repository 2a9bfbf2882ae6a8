"""A solution of a large, nearly empty board by construction, for a clause learner to start from.

Rows in pairs, each a legal line and its opposite, keep every column balanced and without a triple,
so such a board breaks a rule at most by its clues or by lines that are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random

from binairo_cp.board import OPEN, Board
from binairo_cp.lines import Lines
from binairo_cp.rules import Puzzle, is_solution

LEAST_SIDE = 41
"""From the first side on a clause learner by itself takes seconds."""

_CELLS_A_CLUE = 64
_TRIES = 10
_OPPOSITE = str.maketrans("01", "10")


def is_nearly_empty(puzzle: Puzzle) -> bool:
    """Whether a guess may well be right: on a large board with hardly any clue or sign."""
    board = puzzle.board
    told = sum(1 for _ in board.clues()) + len(puzzle.signs)
    return max(board.height, board.width) >= LEAST_SIDE and told * _CELLS_A_CLUE < len(board.cells)


def guess(puzzle: Puzzle) -> Board | None:
    """A solution that is made of opposite rows; None if some tries yield none.

    The same puzzle gets the same guess.
    """
    rng = Random(0)

    @cache
    def lines(pattern: str) -> Lines:
        return Lines(pattern, puzzle.rules)

    if puzzle.board.height % 2 == 0:
        for _ in range(_TRIES):
            board = _opposite_rows(puzzle.board, lines, rng)
            if board and is_solution(puzzle, board):
                return board
    return None


def _opposite_rows(board: Board, lines: Callable[[str], Lines], rng: Random) -> Board | None:
    rows: list[str] = []
    given = iter(board.rows)
    for upper, lower in zip(given, given, strict=True):
        pattern = "".join(
            one if one != OPEN else other.translate(_OPPOSITE)
            for one, other in zip(upper, lower, strict=True)
        )
        legal = lines(pattern)
        if not legal:
            return None
        row = legal[rng.randrange(legal.count)]
        rows += [row, row.translate(_OPPOSITE)]
    return Board.from_rows(rows)
