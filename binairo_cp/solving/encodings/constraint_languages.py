"""Write puzzles in languages of constraints: SMT-LIB 2, XCSP3, and data for clingo and MiniZinc.

In SMT-LIB 2, cells are Booleans, and sums of integers balance them. Clingo and MiniZinc read their
data together with the models in `models/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import singledispatchmethod
from itertools import combinations

from binairo_cp.errors import ExportError
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
from binairo_cp.solving.encodings import Export, heading, refuse_too_large

_DIRECTIONS = {"R": "right", "D": "down"}
_RELATIONS = {"=": "equal", "x": "opposite"}

_SYMBOLS = {"0": " 0", "1": " 1", ".": "-1"}


def write_smt2(export: Export) -> Iterator[str]:
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


def write_xcsp3(export: Export) -> Iterator[str]:
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


def write_clingo(export: Export) -> Iterator[str]:
    """Write a puzzle as facts, with its rules as constants."""
    board, rules = export.puzzle.board, export.puzzle.rules
    yield from heading(export, "%")
    yield "% clingo binairo.lp THIS 0   (cells count from 0)\n"
    yield f"#const balanced={int(rules.balanced)}. [override]\n"
    yield f"#const odd={rules.odd}. [override]\n"
    yield f"#const longest_run={rules.longest_run}. [override]\n"
    yield f"#const distinct_lines={int(rules.distinct_lines)}. [override]\n"
    yield f"height({board.height}). width({board.width}).\n"
    for (row, column), value in board.clues():
        yield f"clue({row},{column},{value}).\n"
    for sign in export.puzzle.signs:
        words = _DIRECTIONS[sign.direction], _RELATIONS[sign.relation]
        yield f"sign({sign.row},{sign.column},{words[0]},{words[1]}).\n"
    if export.blocked:
        cells = (f"cell({row},{column},{value})" for (row, column), value in export.blocked.clues())
        yield f":- {', '.join(cells)}.\n"


def write_minizinc(export: Export) -> Iterator[str]:
    """Write a puzzle and its rules as data.

    Raises:
        ExportError: there is a solution to block, which data can't express.
    """
    if export.blocked:
        raise ExportError("dzn is data, which can't block a solution; choose another format")
    board, rules, signs = export.puzzle.board, export.puzzle.rules, export.puzzle.signs
    yield from heading(export, "%")
    yield f"height = {board.height};\nwidth = {board.width};\n"
    rows = (", ".join(_SYMBOLS[value] for value in row) for row in board.rows)
    clues = "\n         | ".join(rows)
    yield f"clues = [| {clues} |];\n"
    yield f"sign_row = {_array(sign.row + 1 for sign in signs)};\n"
    yield f"sign_column = {_array(sign.column + 1 for sign in signs)};\n"
    yield f"sign_direction = {_array(_DIRECTIONS[sign.direction] for sign in signs)};\n"
    yield f"sign_relation = {_array(_RELATIONS[sign.relation] for sign in signs)};\n"
    yield f"balanced = {str(rules.balanced).lower()};\nodd = {rules.odd};\n"
    yield f"longest_run = {rules.longest_run};\n"
    yield f"distinct_lines = {str(rules.distinct_lines).lower()};\n"


def _array(items: Iterable[object]) -> str:
    return f"[{', '.join(map(str, items))}]"
