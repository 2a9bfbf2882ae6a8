"""Write a puzzle in XCSP3-core, for CP solvers; see https://xcsp.org."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import singledispatchmethod

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
from binairo_cp.solving.encodings.export import Export, heading


def write(export: Export) -> Iterator[str]:
    """Write an instance with as many solutions as the puzzle; its only variables are the cells."""
    board = export.puzzle.board
    instance = _Instance(board)
    yield '<instance format="XCSP3" type="CSP">\n'
    # A comment must not contain two hyphens.
    comments = (re.sub("-(?=-)", "- ", line) for line in heading(export, " "))
    yield from ("<!--\n", *comments, "-->\n")
    size = f"[{board.height}][{board.width}]"
    yield f'<variables><array id="x" size="{size}"> 0 1 </array></variables>\n'
    yield "<constraints>\n"
    for constraint in export.constraints():
        export.check_clock()
        yield from instance.elements(constraint)
    yield "</constraints>\n</instance>\n"


class _Instance:
    def __init__(self, board: Board) -> None:
        cells = map(board.cell, range(len(board.cells)))
        self._names = [f"x[{cell.row}][{cell.column}]" for cell in cells]

    def _list(self, places: Iterable[int]) -> str:
        return f"<list> {' '.join(self._names[place] for place in places)} </list>"

    @singledispatchmethod
    def elements(self, constraint: object) -> Iterable[str]:
        raise TypeError(f"no constraint of XCSP3 for {type(constraint).__name__}")

    @elements.register
    def _(self, constraint: Clue) -> Iterable[str]:
        name = self._names[constraint.place]
        return [f"<intension> eq({name},{constraint.value}) </intension>\n"]

    @elements.register
    def _(self, constraint: NotAllSame) -> Iterable[str]:
        return self._sum(constraint.places, 1, len(constraint.places) - 1)

    @elements.register
    def _(self, constraint: Balanced) -> Iterable[str]:
        fewest, most = ((len(constraint.places) + constraint.surplus[k]) // 2 for k in (0, -1))
        return self._sum(constraint.places, fewest, most)

    def _sum(self, places: Places, fewest: int, most: int) -> Iterable[str]:
        condition = f"<condition> (in,{fewest}..{most}) </condition>"
        return [f"<sum> {self._list(places)} {condition} </sum>\n"]

    @elements.register
    def _(self, constraint: Related) -> Iterable[str]:
        first, second = self._names[constraint.first], self._names[constraint.second]
        operator = "eq" if constraint.equal else "ne"
        return [f"<intension> {operator}({first},{second}) </intension>\n"]

    @elements.register
    def _(self, constraint: Blocked) -> Iterable[str]:
        cells = self._list(range(len(self._names)))
        values = ",".join(constraint.values)
        return [f"<extension> {cells} <conflicts> ({values}) </conflicts> </extension>\n"]

    @elements.register
    def _(self, constraint: Distinct) -> Iterable[str]:
        if len(constraint.lines) > 1:
            yield "<allDifferent>\n"
            yield from (f"  {self._list(line)}\n" for line in constraint.lines)
            yield "</allDifferent>\n"
