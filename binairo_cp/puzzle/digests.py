"""Digests of puzzles: equal for puzzles that differ only by a symmetry, or only for equal ones."""

from __future__ import annotations

from hashlib import blake2b

from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, Sign
from binairo_cp.puzzle.symmetries import canonical

Signs = tuple[tuple[int, int, str, str], ...]


def canonical_digest(puzzle: Puzzle) -> bytes:
    """16 bytes that are the same for twins: BLAKE2b of ``(height, width, cells, signs)``.

    These are of the smallest image of the puzzle; if it is higher than wide, of its transpose.
    """
    board = puzzle.board
    if board.height > board.width:
        columns = (board.cells[k :: board.width] for k in range(board.width))
        signs = tuple(Sign(*sign) for sign in transposed_signs(tuple(map(tuple, puzzle.signs))))  # type: ignore[arg-type]  # they were checked
        puzzle = Puzzle(Board(board.width, board.height, "".join(columns)), puzzle.rules, signs)
    return digest(canonical(puzzle))


def transposed_signs(signs: Signs) -> Signs:
    """The signs of the transpose of a board."""
    return tuple((c, r, "D" if way == "R" else "R", relation) for r, c, way, relation in signs)


def digest(puzzle: Puzzle) -> bytes:
    """16 bytes that are the same only for equal puzzles, apart from their rules."""
    board = puzzle.board
    signs = tuple(map(tuple, puzzle.signs))
    text = repr((board.height, board.width, board.cells, signs))
    return blake2b(text.encode(), digest_size=16).digest()
