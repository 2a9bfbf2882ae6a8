"""Write a puzzle as an integer program in MPS, for MIP solvers; OR-tools writes the file.

A module of its own, so that OR-tools is loaded before the clock of a time limit starts.
"""

from __future__ import annotations

from collections.abc import Iterator

from ortools.linear_solver.python import model_builder

from binairo_cp.solving.encodings import Export, heading, refuse_too_large
from binairo_cp.solving.encodings.linear import LinearEncoder

_MOST_PLACES = 150_000
"""The number for a 53x53 board, which takes about 10 s and 0.5 GB."""


def write(export: Export) -> Iterator[str]:
    """Write an integer program without an objective, in free MPS.

    Raises:
        ExportError: the file would be too large.
    """
    refuse_too_large(export.puzzle, _MOST_PLACES)
    yield from heading(export, "*")
    yield "* xN is the variable of cell (r, c), counted from 0, if N = r * width + c + 1\n"
    model = model_builder.Model()
    cells = len(export.puzzle.board.cells)
    encoder = LinearEncoder(cells)
    variables = [model.new_bool_var(f"x{number}") for number in range(1, cells + 1)]
    used: set[int] = set()
    for constraint in export.constraints():
        for linear in encoder.linear(constraint):
            export.check_clock()
            for number in range(len(variables) + 1, encoder.top + 1):
                variables.append(model.new_bool_var(f"x{number}"))
            total = model_builder.LinearExpr.weighted_sum(
                [variables[variable - 1] for _, variable in linear.terms],
                [factor for factor, _ in linear.terms],
            )
            used.update(variable for _, variable in linear.terms)
            model.add(total == linear.bound if linear.relation == "=" else total >= linear.bound)
    for number in range(1, cells + 1):
        if number not in used:
            # Some readers ignore variables that occur in no row.
            model.add(variables[number - 1] >= 0)
    export.check_clock()
    yield model.export_to_mps_string()
