"""Boards as HTML tables, for notebooks."""

from __future__ import annotations

from binairo_cp.puzzle.board import OPEN, Board

_TABLE = "border-collapse: collapse; margin: 0.5em 0"
_CELL = (
    "width: 1.8em; height: 1.8em; padding: 0; text-align: center; font-family: monospace; "
    "border: 1px solid #888"
)
_CLUE = "font-weight: bold; background: #8883"


def table(board: Board, clues: Board | None = None) -> str:
    """A board as an HTML table.

    Args:
        board: the board.
        clues: a board of the same size whose cells are shaded; None for the board itself.
    """
    shaded = (clues or board).cells
    width = board.width
    cells = [
        f'<td style="{_CELL}{f"; {_CLUE}" * (clue != OPEN)}">{"" if cell == OPEN else cell}</td>'
        for cell, clue in zip(board.cells, shaded, strict=True)
    ]
    rows = ("".join(cells[start : start + width]) for start in range(0, len(cells), width))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<table style="{_TABLE}">{body}</table>'
