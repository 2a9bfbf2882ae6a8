"""Write a puzzle in OPB: linear constraints over Booleans, for pseudo-Boolean solvers."""

from __future__ import annotations

from collections.abc import Iterator

from binairo_cp.solving.encodings.heading import Export, heading, refuse_too_large
from binairo_cp.solving.encodings.linear import Linear, LinearEncoder
from binairo_cp.solving.encodings.pieces import pieces

_SIGNS = {1: "+1", -1: "-1"}


def write(export: Export) -> Iterator[str]:
    """Write OPB with as many models as the puzzle has solutions.

    Raises:
        ExportError: the file would be too large.
    """
    refuse_too_large(export.puzzle)
    comments = heading(export, "*")
    board = export.puzzle.board
    encoder = LinearEncoder(len(board.cells))
    number, texts = pieces(
        (_line(linear) for each in export.constraints() for linear in encoder.linear(each)),
        export.check_clock,
    )
    # Solvers expect the header in the first line.
    yield f"* #variable= {encoder.top} #constraint= {number}\n"
    yield from comments
    yield f"* cell (r, c), counted from 0, is variable r * {board.width} + c + 1\n"
    yield from texts


def _line(linear: Linear) -> str:
    if len(linear.terms) == 3:  # Nearly all have three terms, and this is faster.
        (a, x), (b, y), (c, z) = linear.terms
        three = f"{_SIGNS[a]} x{x} {_SIGNS[b]} x{y} {_SIGNS[c]} x{z}"
        return f"{three} {linear.relation} {linear.bound} ;\n"
    terms = " ".join([f"{_SIGNS[factor]} x{variable}" for factor, variable in linear.terms])
    return f"{terms} {linear.relation} {linear.bound} ;\n"
