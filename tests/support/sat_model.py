"""A SAT model of the rules, written for the tests: do some cells imply others?

It shares no code with the encodings and techniques of the package. Lines are counted with the
cardinality encodings of PySAT.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, product
from typing import Any, Self

from pysat.card import CardEnc
from pysat.formula import IDPool
from pysat.solvers import Solver

from binairo_cp import Puzzle
from binairo_cp.puzzle.board import Cell

Clause = list[int]


class SatModel:
    """The rules and signs of a puzzle, without its clues."""

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle
        height, width = puzzle.board.height, puzzle.board.width
        self._pool = IDPool(start_from=height * width + 1)
        rows = [[r * width + c + 1 for c in range(width)] for r in range(height)]
        columns = [list(column) for column in zip(*rows, strict=True)]
        self._solver = Solver("minisat22")
        for line in rows + columns:
            self._add(self._line(line))
        for lines in (rows, columns):
            if puzzle.rules.distinct_lines:
                for one, other in combinations(lines, 2):
                    self._add(self._different(one, other))
        for row, column, direction, relation in puzzle.signs:
            one = rows[row][column]
            other = rows[row + (direction == "D")][column + (direction == "R")]
            same = -1 if relation == "=" else 1
            self._add([[one, same * other], [-one, -same * other]])

    @classmethod
    def of_some(cls, puzzle: Puzzle, chosen: Iterable[Mapping[str, Any]]) -> Self:
        """Only some rules, as in ``support.constraints`` of a record."""
        model = cls.__new__(cls)
        height, width = puzzle.board.height, puzzle.board.width
        model._puzzle = puzzle
        model._pool = IDPool(start_from=height * width + 1)
        model._solver = Solver("minisat22")
        for rule in chosen:
            lines = [model._variables(name) for name in rule["lines"]]
            cells = [row * width + column + 1 for row, column in rule["cells"]]
            if rule["rule"] == "balance":
                model._add(model._balance(*lines))
            elif rule["rule"] == "distinct lines":
                model._add(model._different(*lines))
            elif rule["rule"] == "no triple":
                model._add([cells, [-cell for cell in cells]])
            else:
                model._add(model._sign(*cells))
        return model

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._solver.delete()

    def allows(self, values: Mapping[Cell, str]) -> bool:
        """Whether a full board that keeps all rules has these values."""
        return bool(self._solver.solve([self._literal(*each) for each in values.items()]))

    def imply(self, values: Mapping[Cell, str], others: Mapping[Cell, str]) -> bool:
        """Whether every full board with some values has the others too."""
        return all(
            not self.allows({**values, cell: "10"[int(value)]}) for cell, value in others.items()
        )

    def _literal(self, cell: Cell, value: str) -> int:
        variable = cell.row * self._puzzle.board.width + cell.column + 1
        return variable if value == "1" else -variable

    def _add(self, clauses: Iterable[Clause]) -> None:
        for clause in clauses:
            self._solver.add_clause(clause)

    def _variables(self, name: str) -> list[int]:
        """The variables of a line such as "row 3"."""
        direction, number = name.split()
        height, width = self._puzzle.board.height, self._puzzle.board.width
        begin = int(number) - 1
        if direction == "row":
            return [begin * width + column + 1 for column in range(width)]
        return [row * width + begin + 1 for row in range(height)]

    def _sign(self, one: int, other: int) -> list[Clause]:
        width = self._puzzle.board.width
        for row, column, direction, relation in self._puzzle.signs:
            first = row * width + column + 1
            if {one, other} == {first, first + (1 if direction == "R" else width)}:
                same = -1 if relation == "=" else 1
                return [[one, same * other], [-one, -same * other]]
        raise ValueError(f"no sign between {one} and {other}")

    def _line(self, line: list[int]) -> Iterator[Clause]:
        rules = self._puzzle.rules
        run = rules.longest_run + 1
        for begin, sign in product(range(len(line) - run + 1), (1, -1)):
            yield [sign * variable for variable in line[begin : begin + run]]
        if rules.balanced:
            yield from self._balance(line)

    def _balance(self, line: list[int]) -> Iterator[Clause]:
        rules = self._puzzle.rules
        half, odd = divmod(len(line), 2)
        ones = half + (odd and rules.odd != "zeros")
        zeros = half + (odd and rules.odd != "ones")
        yield from CardEnc.atmost(line, ones, vpool=self._pool).clauses
        yield from CardEnc.atmost([-v for v in line], zeros, vpool=self._pool).clauses

    def _different(self, one: list[int], other: list[int]) -> Iterator[Clause]:
        differences = []
        for mine, theirs in zip(one, other, strict=True):
            differs = self._pool.id((mine, theirs))
            yield from ([-differs, mine, theirs], [-differs, -mine, -theirs])
            differences.append(differs)
        yield differences
