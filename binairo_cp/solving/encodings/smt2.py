"""Write a puzzle in SMT-LIB 2: Booleans for cells, sums of integers for balance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import singledispatchmethod
from itertools import combinations

from binairo_cp.puzzle.board import Board
from binairo_cp.solving.constraints import (
    Balanced,
    Blocked,
    Clue,
    Distinct,
    NotAllSame,
    Places,
    Related,
)
from binairo_cp.solving.encodings.export import Export, heading, refuse_too_large


def write(export: Export) -> Iterator[str]:
    """Write a script that ends with ``(check-sat)``.

    Raises:
        ExportError: the script would be too large.
    """
    refuse_too_large(export.puzzle)
    yield from heading(export, ";")
    yield "; cell_R_C is the cell in row R and column C, counted from 1; true for 1\n"
    yield "(set-logic QF_LIA)\n"
    script = _Script(export.puzzle.board)
    for name in script.names:
        yield f"(declare-const {name} Bool)\n"
    for constraint in export.constraints():
        for formula in script.formulas(constraint):
            export.check_clock()
            yield f"(assert {formula})\n"
    yield "(check-sat)\n"


class _Script:
    def __init__(self, board: Board) -> None:
        cells = map(board.cell, range(len(board.cells)))
        self.names = [f"cell_{cell.row + 1}_{cell.column + 1}" for cell in cells]

    def _literal(self, place: int, value: int) -> str:
        return self.names[place] if value else f"(not {self.names[place]})"

    @singledispatchmethod
    def formulas(self, constraint: object) -> Iterable[str]:
        raise TypeError(f"no formula for {type(constraint).__name__}")

    @formulas.register
    def _(self, constraint: Clue) -> Iterable[str]:
        return [self._literal(constraint.place, constraint.value)]

    @formulas.register
    def _(self, constraint: NotAllSame) -> Iterable[str]:
        return [
            f"(or {' '.join(self._literal(place, value) for place in constraint.places)})"
            for value in (0, 1)
        ]

    @formulas.register
    def _(self, constraint: Balanced) -> Iterable[str]:
        ones = [f"(ite {self.names[place]} 1 0)" for place in constraint.places]
        total = ones[0] if len(ones) == 1 else f"(+ {' '.join(ones)})"
        bounds = [(len(ones) + more) // 2 for more in constraint.surplus]
        return [f"(or {' '.join(f'(= {total} {bound})' for bound in bounds)} false)"]

    @formulas.register
    def _(self, constraint: Related) -> Iterable[str]:
        relation = "=" if constraint.equal else "xor"
        return [f"({relation} {self.names[constraint.first]} {self.names[constraint.second]})"]

    @formulas.register
    def _(self, constraint: Blocked) -> Iterable[str]:
        values = enumerate(map(int, constraint.values))
        others = (self._literal(place, 1 - value) for place, value in values)
        return [f"(or {' '.join(others)} false)"]

    @formulas.register
    def _(self, constraint: Distinct) -> Iterator[str]:
        for one, two in combinations(constraint.lines, 2):
            yield f"(or {' '.join(self._differences(one, two))} false)"

    def _differences(self, one: Places, two: Places) -> Iterator[str]:
        for first, second in zip(one, two, strict=True):
            yield f"(xor {self.names[first]} {self.names[second]})"
