"""Write a puzzle in FlatZinc: linear constraints over integers 0 and 1, for CP solvers."""

from __future__ import annotations

from collections.abc import Iterator

from binairo_cp.solving.encodings.heading import Export, heading, refuse_too_large
from binairo_cp.solving.encodings.linear import Linear, LinearEncoder
from binairo_cp.solving.encodings.pieces import pieces


def write(export: Export) -> Iterator[str]:
    """Write FlatZinc with as many solutions as the puzzle.

    Raises:
        ExportError: the file would be too large.
    """
    refuse_too_large(export.puzzle)
    board = export.puzzle.board
    encoder = LinearEncoder(len(board.cells))
    _, texts = pieces(
        (_line(linear) for each in export.constraints() for linear in encoder.linear(each)),
        export.check_clock,
    )
    yield from heading(export, "%")
    yield f"% cell (r, c), counted from 0, is variable r * {board.width} + c + 1\n"
    # Declarations come before constraints.
    _, variables = pieces(
        (f"var 0..1: x{number};\n" for number in range(1, encoder.top + 1)), export.check_clock
    )
    yield from variables
    cells = ", ".join(f"x{place + 1}" for place in range(len(board.cells)))
    ranges = f"[1..{board.height}, 1..{board.width}]"
    yield f"array [1..{len(board.cells)}] of var int: cells "
    yield f":: output_array({ranges}) = [{cells}];\n"
    yield from texts
    yield "solve satisfy;\n"


def _line(linear: Linear) -> str:
    """A constraint; FlatZinc has <= where a linear constraint has >=."""
    sign = 1 if linear.relation == "=" else -1
    factors = ", ".join([str(sign * factor) for factor, _ in linear.terms])
    variables = ", ".join([f"x{variable}" for _, variable in linear.terms])
    name = "int_lin_eq" if linear.relation == "=" else "int_lin_le"
    return f"constraint {name}([{factors}], [{variables}], {sign * linear.bound});\n"
