"""Write a puzzle as weighted clauses (WCNF), for MaxSAT solvers: the clues may be broken.

The rules, the signs and a blocked solution are hard clauses; each clue is a soft clause of weight
1. The optimum is the minimum number of clues that a solution of the rules breaks: 0 if the puzzle
has a solution. The format is that of the MaxSAT Evaluations since 2022.
"""

from __future__ import annotations

from collections.abc import Iterator

from binairo_cp.solving.constraints import Clue
from binairo_cp.solving.encodings import dimacs
from binairo_cp.solving.encodings.cnf import Encoder
from binairo_cp.solving.encodings.heading import Export, refuse_too_large
from binairo_cp.solving.encodings.pieces import pieces


def write(export: Export) -> Iterator[str]:
    """Write comments, the map of the cells, then the clauses.

    Raises:
        ExportError: the file would be too large.
    """
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
