"""DIMACS: the clauses of a puzzle as text for SAT solvers, and its relative WCNF.

The output has an exact header, one clause per line, single spaces, only ASCII, and no comment of
more than 1,000 characters, since some programs accept nothing else.

Weighted clauses (WCNF) are for MaxSAT solvers, in the format of the MaxSAT Evaluations since 2022.
There are two problems. To *repair* a puzzle, the rules, the signs and a blocked solution are hard
clauses; each clue is a soft clause of weight 1. The optimum is the minimum number of clues that a
solution of the rules breaks: 0 if the puzzle has a solution. For the *fewest clues*, a variable
says that the clue of its cell is kept. Each other solution of the rules and signs differs from the
known one in some clues, one of which must be kept: a hard clause. Each kept clue costs 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from binairo_cp.errors import ExportError
from binairo_cp.puzzle.board import Board, clue_places
from binairo_cp.solving.constraints import Clue
from binairo_cp.solving.encodings import Export, heading, pieces, refuse_too_large
from binairo_cp.solving.encodings.cnf import PRESERVING, Clause, Encoder

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
    clauses = chain.from_iterable(map(encoder.clauses, export.constraints()))
    number, texts = pieces(map(line, clauses), export.check_clock)
    yield f"p cnf {encoder.top} {number}\n"
    yield from texts


def comments(export: Export, shown: int = SHOWN) -> Iterator[str]:
    """The comments before the clauses: the puzzle, the map of its cells, the projection.

    `shown` is how many variables a line of the projection has.
    """
    board = export.puzzle.board
    yield from heading(export, "c")
    models = "a solution may have many models, counted over the cells they are as many"
    if export.balance in PRESERVING:
        models = "as many models as the puzzle has solutions"
    yield f"c balance {export.balance}: {models}\n"
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


def write_wcnf(export: Export) -> Iterator[str]:
    """Write comments, the map of the cells, then the clauses.

    Raises:
        ExportError: the file would be too large, or the puzzle has several solutions.
    """
    if export.others is not None:
        yield from _fewest_clues(export, export.others)
        return
    refuse_too_large(export.puzzle)
    yield from comments(export)
    yield "c h: rules and signs; 1: a clue, which may be broken\n"
    _, texts = pieces(_weighted_lines(export), export.check_clock)
    yield from texts


def _weighted_lines(export: Export) -> Iterator[str]:
    encoder = Encoder(len(export.puzzle.board.cells), export.balance)
    for constraint in export.constraints(has_soft_clues=True):
        weight = "1" if isinstance(constraint, Clue) else "h"
        for clause in encoder.clauses(constraint):
            yield f"{weight} {line(clause)}"


def _fewest_clues(export: Export, others: Sequence[Board]) -> Iterator[str]:
    board = export.puzzle.board
    clues = clue_places(board.cells)
    yield from heading(replace(export, blocked=None), "c")
    yield "c h: another solution differs in these clues; 1: a clue that is not kept\n"
    yield "c the optimum is the smallest number of clues that make the puzzle unique\n"
    yield from cell_map(board, "true if the clue is kept")
    _, texts = pieces(_hitting(board, clues, others), export.check_clock)
    yield from texts


def _hitting(board: Board, clues: Sequence[int], others: Iterable[Board]) -> Iterator[str]:
    seen = set()
    for other in others:
        differ = tuple(place for place in clues if other.cells[place] != board.cells[place])
        if not differ:
            raise ExportError("the puzzle has several solutions, so no clues make it unique")
        if differ not in seen:
            seen.add(differ)
            yield f"h {line([place + 1 for place in differ])}"
    for place in clues:
        yield f"1 {-(place + 1)} 0\n"
