"""Check one full board: `rules.violations` for a single yes or no, some twenty times as fast.

It is an independent implementation on strings and integers, and the tests compare it with that
specification. `verification` does the same for arrays of boards.
"""

from __future__ import annotations

from functools import lru_cache

from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, Rules

_CLUES = bytes.maketrans(b".01", b"\0\1\1")
"""1 for a clue, 0 for an open cell. The codes of 0 and 1 differ in their last bit."""

_MAX_LINES = 1 << 14


def is_solution(puzzle: Puzzle, board: Board) -> bool:
    """Whether a board of the same size is full and agrees with the rules, signs and clues."""
    height, width, cells = board.height, board.width, board.cells
    clues = puzzle.board.cells.encode()
    changed = int.from_bytes(clues) ^ int.from_bytes(cells.encode())
    if changed & int.from_bytes(clues.translate(_CLUES)):
        return False
    rows = {cells[start : start + width] for start in range(0, height * width, width)}
    columns = {cells[start::width] for start in range(width)}
    legal, is_distinct = _legal_lines(puzzle.rules), puzzle.rules.distinct_lines
    if is_distinct and (len(rows) != height or len(columns) != width):
        return False
    # Most lines occurred in earlier boards.
    if not (rows <= legal and columns <= legal):
        if not all(_is_legal(line, puzzle.rules) for line in rows | columns):
            return False
        if len(legal) > _MAX_LINES:
            legal.clear()
        legal |= rows | columns
    return not puzzle.signs or all(
        (board[sign.cells[0]] == board[sign.cells[1]]) == (sign.relation == "=")
        for sign in puzzle.signs
    )


def _is_legal(line: str, rules: Rules) -> bool:
    """Whether a line is full, balanced, and without long runs."""
    ones, zeros, longest = line.count("1"), line.count("0"), rules.longest_run
    return (
        ones + zeros == len(line)
        and ones in rules.ones(len(line))
        and "0" * (longest + 1) not in line
        and "1" * (longest + 1) not in line
    )


@lru_cache(maxsize=64)
def _legal_lines(rules: Rules) -> set[str]:
    return set()
