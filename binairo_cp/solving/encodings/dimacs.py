"""DIMACS CNF: the clauses of a puzzle as text for SAT solvers and model counters.

The output has an exact header, one clause per line, single spaces, only ASCII, and no comment of
more than 1,000 characters, since some programs accept nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from binairo_cp.puzzle.board import Board
from binairo_cp.solving.constraints import Constraint
from binairo_cp.solving.encodings.cnf import BALANCE, Clause, Encoder
from binairo_cp.solving.encodings.heading import Export, heading, refuse_too_large
from binairo_cp.solving.encodings.pieces import pieces

SHOWN = 10
"""How many variables a line of ``c p show`` has: lrat-check and drat-trim refuse long comments."""


def write(export: Export) -> Iterator[str]:
    """Write DIMACS CNF: comments, the map of the cells, ``p cnf``, the clauses.

    Raises:
        ExportError: the file would be too large.
    """
    refuse_too_large(export.puzzle)
    yield from comments(export)
    cells = len(export.puzzle.board.cells)
    encoder = Encoder(cells, export.balance)
    number, texts = pieces(_lines(encoder, export.constraints()), export.check_clock)
    yield f"p cnf {encoder.top} {number}\n"
    yield from texts


def comments(export: Export, shown: int = SHOWN) -> Iterator[str]:
    """The comments before the clauses: the puzzle, the map of its cells, the projection.

    Args:
        export: what is written.
        shown: how many variables a line of the projection has.
    """
    board = export.puzzle.board
    yield from heading(export, "c")
    yield f"c balance {export.balance}: {_models(export.balance)}\n"
    yield from cell_map(board, "true for 1")
    variables = list(map(str, range(1, len(board.cells) + 1)))
    for start in range(0, len(variables), shown):
        yield f"c p show {' '.join(variables[start : start + shown])} 0\n"


def cell_map(board: Board, meaning: str) -> Iterator[str]:
    """The comments that name the variable of each cell."""
    yield f"c cell ROW COLUMN = VARIABLE, rows and columns from 1; {meaning}\n"
    for place in range(len(board.cells)):
        row, column = board.cell(place)
        yield f"c cell {row + 1} {column + 1} = {place + 1}\n"


def line(clause: Clause) -> str:
    """A clause as a line."""
    if len(clause) == 3:  # Nearly all have three literals, and this is faster.
        one, two, three = clause
        return f"{one} {two} {three} 0\n"
    return f"{' '.join(map(str, clause))} 0\n"


def _lines(encoder: Encoder, constraints: Iterable[Constraint]) -> Iterator[str]:
    for constraint in constraints:
        yield from map(line, encoder.clauses(constraint))


def _models(balance: str) -> str:
    if BALANCE[balance].count_preserving:
        return "as many models as the puzzle has solutions"
    return "a solution may have many models, counted over the cells they are as many"
