"""Write a puzzle as weighted clauses (WCNF), for MaxSAT solvers.

There are two problems. To *repair* a puzzle, the rules, the signs and a blocked solution are hard
clauses; each clue is a soft clause of weight 1. The optimum is the minimum number of clues that a
solution of the rules breaks: 0 if the puzzle has a solution.

For the *fewest clues*, a variable says that the clue of its cell is kept. Each other solution of
the rules and signs differs from the known one in some clues, one of which must be kept: a hard
clause. Each kept clue costs 1.

The format is that of the MaxSAT Evaluations since 2022.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from binairo_cp.errors import ExportError
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.solving.constraints import Clue
from binairo_cp.solving.encodings import dimacs
from binairo_cp.solving.encodings.cnf import Encoder
from binairo_cp.solving.encodings.heading import Export, heading, refuse_too_large
from binairo_cp.solving.encodings.pieces import pieces


def write(export: Export) -> Iterator[str]:
    """Write comments, the map of the cells, then the clauses.

    Raises:
        ExportError: the file would be too large, or the puzzle has several solutions.
    """
    if export.others is not None:
        yield from _fewest_clues(export, export.others)
        return
    refuse_too_large(export.puzzle)
    yield from dimacs.comments(export)
    yield "c h: rules and signs; 1: a clue, which may be broken\n"
    _, texts = pieces(_lines(export), export.check_clock)
    yield from texts


def _lines(export: Export) -> Iterator[str]:
    encoder = Encoder(len(export.puzzle.board.cells), export.balance)
    for constraint in export.constraints():
        weight = "1" if isinstance(constraint, Clue) else "h"
        for clause in encoder.clauses(constraint):
            yield f"{weight} {dimacs.line(clause)}"


def _fewest_clues(export: Export, others: Sequence[Board]) -> Iterator[str]:
    board = export.puzzle.board
    clues = [place for place, value in enumerate(board.cells) if value != OPEN]
    yield from heading(replace(export, blocked=None), "c")
    yield "c h: another solution differs in these clues; 1: a clue that is not kept\n"
    yield "c the optimum is the smallest number of clues that make the puzzle unique\n"
    yield from dimacs.cell_map(board, "true if the clue is kept")
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
            yield f"h {dimacs.line([place + 1 for place in differ])}"
    for place in clues:
        yield f"1 {-(place + 1)} 0\n"
