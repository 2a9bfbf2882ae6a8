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
    rows = [cells[start : start + width] for start in range(0, height * width, width)]
    columns = [cells[start::width] for start in range(width)]
    legal = _legal_lines(puzzle.rules)
    if not all(map(legal.__getitem__, rows)) or not all(map(legal.__getitem__, columns)):
        return False
    if puzzle.rules.distinct_lines and len(set(rows)) != height:
        return False
    if puzzle.rules.distinct_lines and len(set(columns)) != width:
        return False
    return all(
        (board[sign.cells[0]] == board[sign.cells[1]]) == (sign.relation == "=")
        for sign in puzzle.signs
    )


class _LegalLines(dict[str, bool]):
    """Whether lines are full and legal under some rules; each is checked once."""

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self._rules = rules
        self._too_long = ("0" * (rules.longest_run + 1), "1" * (rules.longest_run + 1))

    def __missing__(self, line: str) -> bool:
        if len(self) >= _MAX_LINES:
            self.clear()
        ones, zeros = line.count("1"), line.count("0")
        self[line] = (
            ones + zeros == len(line)
            and ones in self._rules.ones(len(line))
            and not any(run in line for run in self._too_long)
        )
        return self[line]


@lru_cache(maxsize=64)
def _legal_lines(rules: Rules) -> _LegalLines:
    return _LegalLines(rules)
