"""Rules, puzzles, and `violations`: the specification of a solution.

Every solution of every solver is checked before a user sees it, by `fast_check` or `verification`;
tests compare both with `violations`. So this module shares no code with `constraints`, `encodings`
or a solver library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple, get_args

from binairo_cp.errors import ArgumentError, BoardError, PuzzleError
from binairo_cp.puzzle.board import MAX_SIDE, OPEN, SYMBOLS, Board, Cell, Line
from binairo_cp.puzzle.html import headed

Odd = Literal["either", "ones", "zeros"]


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a puzzle, apart from its clues and signs.

    Attributes:
        balanced: a line of even length has as many zeros as ones; in a line of odd length the
            numbers differ by one.
        longest_run: the maximum number of consecutive equal cells in a line.
        distinct_lines: no two rows are equal and no two columns are equal. A row and a column may
            be equal.
        odd: the more frequent symbol in lines of odd length: ``either`` (may differ from line to
            line), ``ones`` or ``zeros``.

    Raises:
        PuzzleError: `longest_run` is not from 1 to 255, or a value is unknown.
    """

    balanced: bool = True
    longest_run: int = 2
    distinct_lines: bool = True
    odd: Odd = "either"

    def __post_init__(self) -> None:
        for name in ("balanced", "distinct_lines"):
            if not isinstance(getattr(self, name), bool):
                raise PuzzleError(f"{name} is {getattr(self, name)!r}; expected True or False")
        if not isinstance(self.longest_run, int) or not 1 <= self.longest_run <= MAX_SIDE:
            raise PuzzleError(
                f"longest_run is {self.longest_run}; expected a number from 1 to {MAX_SIDE}"
            )
        if self.odd not in get_args(Odd):
            raise PuzzleError(f"odd is {self.odd!r}; expected one of {', '.join(get_args(Odd))}")

    @property
    def stated(self) -> str:
        """All fields, as a header ``rules:`` of the text format states them."""
        words = {True: "yes", False: "no"}
        return (
            f"balanced={words[self.balanced]} longest_run={self.longest_run} "
            f"distinct_lines={words[self.distinct_lines]} odd={self.odd}"
        )

    def ones(self, length: int) -> range:
        """The possible numbers of ones in a line of this length."""
        if not self.balanced:
            return range(length + 1)
        low, high = length // 2, (length + 1) // 2
        if self.odd == "ones":
            low = high
        elif self.odd == "zeros":
            high = low
        return range(low, high + 1)


CLASSIC = Rules()
"""Balanced lines, no three equal cells in a row, distinct rows and columns."""

UNRULY = Rules(distinct_lines=False)
"""Like classic, but lines may repeat."""

PLUS = Rules(distinct_lines=False)
"""Binairo+: signs between cells, lines may repeat. Equal to `UNRULY`, since the signs belong to the
puzzle and not to its rules."""

TANGO = PLUS
"""Another name for `PLUS`."""

PRESETS: dict[str, Rules] = {
    "classic": CLASSIC,
    "unruly": UNRULY,
    "plus": PLUS,
    "tango": TANGO,
}


class Sign(NamedTuple):
    """A relation of a cell to its right (``R``) or lower (``D``) neighbour: equal or opposite."""

    row: int
    column: int
    direction: Literal["R", "D"]
    relation: Literal["=", "x"]

    @property
    def cells(self) -> tuple[Cell, Cell]:
        down, right = (0, 1) if self.direction == "R" else (1, 0)
        return Cell(self.row, self.column), Cell(self.row + down, self.column + right)

    def __str__(self) -> str:
        first, second = self.cells
        return f"{first}{self.relation}{second}"


def rules_for(signs: tuple[Sign, ...], default_rules: Rules | None) -> Rules:
    """The rules of a puzzle that states none: `default_rules`, or else plus with signs or classic.

    Puzzles with signs (Binairo+, Tango) do not require distinct lines, others do.
    """
    return default_rules or (PLUS if signs else CLASSIC)


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A board of clues with its rules and the signs between its cells.

    Signs are sorted and duplicates are removed, so that equal puzzles compare equal.

    Raises:
        PuzzleError: a sign is outside the board or invalid, or two signs contradict each other.
        ArgumentError: the board or the rules have the wrong type.
    """

    board: Board
    rules: Rules = CLASSIC
    signs: tuple[Sign, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.board, Board):
            expected = "a Board, as returned by Board.parse"
            raise ArgumentError.of("board", expected, self.board)
        if not isinstance(self.rules, Rules):
            raise ArgumentError.of("rules", "Rules, such as UNRULY", self.rules)
        if type(self.signs) is tuple and not self.signs:
            return
        signs = tuple(self._checked_signs())
        for one, two in pairwise(signs):
            if one[:3] == two[:3]:
                raise PuzzleError(f"the cells of the signs {one} and {two} can't be both")
        object.__setattr__(self, "signs", signs)

    def _checked_signs(self) -> list[Sign]:
        try:
            raw = list(self.signs)
            given: list[tuple[Any, ...]] = [tuple(sign) for sign in raw]
        except TypeError as error:
            expected = "several Signs, such as (Sign(0, 0, 'R', '='),)"
            raise ArgumentError.of("signs", expected, self.signs) from error
        for sign, stated in zip(given, raw, strict=True):
            if len(sign) != 4 or not all(map(isinstance, sign, (int, int, str, str))):
                expected = "expected (row, column, 'R' or 'D', '=' or 'x')"
                raise ArgumentError(f"sign {stated!r}: {expected}")
        signs = sorted({Sign(*sign) for sign in given})
        for sign in signs:
            self._check_sign(sign)
        return signs

    def _check_sign(self, sign: Sign) -> None:
        if sign.direction not in ("R", "D") or sign.relation not in ("=", "x"):
            raise PuzzleError(
                f"sign {list(sign)} is invalid; expected [row, column, 'R' or 'D', '=' or 'x']"
            )
        for row, column in sign.cells:
            if not (0 <= row < self.board.height and 0 <= column < self.board.width):
                raise PuzzleError(
                    f"sign {list(sign)} leaves the {self.board.height}x{self.board.width} board"
                )

    @property
    def rules_name(self) -> str | None:
        """The name of the preset with these rules; None if there is none."""
        if self.rules == UNRULY:
            return "plus" if self.signs else "unruly"
        return "classic" if self.rules == CLASSIC else None

    def to_dict(self) -> dict[str, Any]:
        """The fields of the JSON record: size, clues, signs if there are any, and rules."""
        record: dict[str, Any] = {
            "height": self.board.height,
            "width": self.board.width,
            "clues": self.board.cells,
        }
        if self.signs:
            record["signs"] = list(map(list, self.signs))
        return record | {"rules": self.rules_name or asdict(self.rules)}

    def _repr_html_(self) -> str:
        """The size, the rules and a table with the signs, for notebooks."""
        rules = self.rules_name or self.rules.stated
        head = f"{self.board.height}x{self.board.width}, {rules}"
        return headed(head, self.board, signs=self.signs)

    def __str__(self) -> str:
        """The puzzle in the text format, which all functions that take a puzzle can read."""
        lines = [f"rules: {self.rules_name or self.rules.stated}"]
        if self.signs:
            lines.append(f"signs: {' '.join(map(str, self.signs))}")
        return "\n".join([*lines, str(self.board)])


def expect_puzzle(puzzle: object) -> None:
    """Check that an argument is a puzzle.

    Raises:
        ArgumentError: it has another type.
    """
    if not isinstance(puzzle, Puzzle):
        raise ArgumentError.of("puzzle", "a Puzzle, as in Puzzle(Board.parse(text))", puzzle)


RuleName = Literal["clue", "balance", "no triple", "distinct lines", "sign"]


class Violation(NamedTuple):
    """A broken rule: its name, the cells that break it, and a message."""

    rule: RuleName
    cells: tuple[Cell, ...]
    message: str

    def __str__(self) -> str:
        return self.message


def violations(puzzle: Puzzle, board: Board) -> list[Violation]:
    """All violations of the rules, signs and clues of a puzzle by a full or partial board.

    Open cells break no rule. A full board without violations is a solution.

    >>> puzzle = Puzzle(Board.parse("..1. ...0 ..10 .0.."))
    >>> print(violations(puzzle, Board.parse("0111 ...0 ..10 .0.."))[1])
    row 1 has 3 times 1 side by side from r1c2; at most 2 allowed

    Raises:
        BoardError: the two boards differ in size.
        ArgumentError: an argument has the wrong type.
    """
    expect_puzzle(puzzle)
    if not isinstance(board, Board):
        raise ArgumentError.of("board", "a Board", board)
    if (board.height, board.width) != (puzzle.board.height, puzzle.board.width):
        raise BoardError(
            f"a board of {board.height}x{board.width} for a "
            f"puzzle of {puzzle.board.height}x{puzzle.board.width}"
        )
    found = [*_changed_clues(puzzle.board, board)]
    for line in board.lines():
        for violation in _line_violations(line.values, puzzle.rules):
            found.append(violation.on(line))
    if puzzle.rules.distinct_lines:
        found += _repeated_lines(board)
    found += _broken_signs(puzzle.signs, board)
    return found


def is_solution(puzzle: Puzzle, board: Board) -> bool:
    """Whether a board is full and has no violations.

    >>> puzzle = Puzzle(Board.parse("..1. ...0 ..10 .0.."))
    >>> is_solution(puzzle, Board.parse("0011 1100 0110 1001"))
    True

    Raises:
        BoardError: the two boards differ in size.
    """
    return not violations(puzzle, board) and board.is_full


def _changed_clues(clues: Board, board: Board) -> Iterator[Violation]:
    for cell, value in clues.clues():
        if board[cell] not in (value, OPEN):
            yield Violation("clue", (cell,), f"{cell} is {board[cell]}, but its clue is {value}")


class _LineViolation(NamedTuple):
    """A violation within one line: indexes of its cells, and the message after the line's name."""

    rule: RuleName
    places: tuple[int, ...]
    words: str

    def on(self, line: Line) -> Violation:
        cells = tuple(map(line.cell, self.places))
        return Violation(self.rule, cells, f"{line} {self.words.format(cells[0])}")


# The same few legal lines occur in many boards.
@lru_cache(maxsize=1 << 16)
def _line_violations(values: str, rules: Rules) -> tuple[_LineViolation, ...]:
    return (*_too_many(values, rules), *_long_runs(values, rules.longest_run))


def _too_many(values: str, rules: Rules) -> Iterator[_LineViolation]:
    ones = rules.ones(len(values))
    limits = {"1": ones[-1], "0": len(values) - ones[0]}
    for symbol in SYMBOLS:
        places = tuple(k for k, value in enumerate(values) if value == symbol)
        if len(places) > limits[symbol]:
            words = f"has {len(places)} times {symbol}; at most {limits[symbol]} allowed"
            yield _LineViolation("balance", places, words)


def _long_runs(values: str, longest: int) -> Iterator[_LineViolation]:
    for run in re.finditer("0+|1+", values):
        length = run.end() - run.start()
        if length > longest:
            words = f"has {length} times {run.group()[0]} side by side from {{}}; "
            words += f"at most {longest} allowed"
            yield _LineViolation("no triple", tuple(range(*run.span())), words)


def _repeated_lines(board: Board) -> Iterator[Violation]:
    first: dict[tuple[str, str], Line] = {}
    for line in filter(lambda line: line.is_full, board.lines()):
        earlier = first.setdefault((line.direction, line.values), line)
        if earlier is not line:
            cells = tuple(one.cell(k) for one in (earlier, line) for k in range(len(line.values)))
            yield Violation("distinct lines", cells, f"{earlier} and {line} are the same")


def _broken_signs(signs: tuple[Sign, ...], board: Board) -> Iterator[Violation]:
    for sign in signs:
        first, second = (board[cell] for cell in sign.cells)
        if OPEN not in (first, second) and (first == second) != (sign.relation == "="):
            word = "equal" if sign.relation == "=" else "opposite"
            yield Violation(
                "sign",
                sign.cells,
                f"{sign.cells[0]} is {first} and {sign.cells[1]} is {second}, "
                f"but the sign {sign.relation} requires {word} cells",
            )
