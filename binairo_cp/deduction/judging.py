"""Judge the moves of a player: forced, a guess, or wrong, and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal

from binairo_cp.deduction import hints
from binairo_cp.deduction.contradiction import CONTRADICTION, against, is_refuted
from binairo_cp.deduction.driver import DIRECT, TECHNIQUES
from binairo_cp.deduction.hints import Mistake
from binairo_cp.deduction.messages import JUDGED
from binairo_cp.deduction.position import Position
from binairo_cp.deduction.steps import Step
from binairo_cp.deduction.strip import opposite
from binairo_cp.deduction.styles import USUAL, Style
from binairo_cp.deduction.techniques import LEVELS, Technique
from binairo_cp.deduction.wording import cell_name, said, technique_name
from binairo_cp.errors import BudgetExceeded, MoveError
from binairo_cp.puzzle.board import OPEN, Board, Cell
from binairo_cp.puzzle.html import Sentences
from binairo_cp.puzzle.rules import Puzzle, is_solution
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.solutions import Outcome, Verdict

Judged = Literal["forced", "consistent", "guess", "wrong", "known"]
"""A technique gives the value; another solution has the other one; it is right, but no technique
gives it; it is wrong; the cell has this value already."""

CREDIT = {"forced": 1.0, "consistent": 1.0, "guess": 0.5, "wrong": -1.0, "known": 0.0}
"""What a move counts. The credit of a transcript is their sum per cell to fill, from 0 to 1."""

_MOST_SEARCHES = 4
"""Searches for a shorter refutation."""

_MOVE = re.compile(
    r"\s*(?:r([0-9]{1,3})c([0-9]{1,3})|([a-z]{1,2})([0-9]{1,3}))\s*=\s*([01])\s*", re.IGNORECASE
)
_MOST_SHOWN = 40

Move = tuple[Cell, str]


@dataclass(frozen=True)
class Judgement(Sentences):
    """What is to be said of a move.

    Attributes:
        cell: The cell.
        value: The value that the player fills in.
        judged: Whether it is forced, consistent, a guess, wrong, or known already.
        technique: The technique that forces it, or for a wrong move the one that refutes it.
        mistake: For a wrong move: what is wrong with it.
        style: How its sentences are written.
        find_step: Finds `step`.
    """

    cell: Cell
    value: str
    judged: Judged
    technique: Technique | None = None
    mistake: Mistake | None = None
    style: Style = field(default=USUAL, compare=False, repr=False)
    find_step: Callable[[], Step] | None = field(default=None, compare=False, repr=False)

    @cached_property
    def step(self) -> Step | None:
        """The step of the technique. It is found when it is first asked for: chains take long."""
        return self.find_step().in_style(self.style) if self.find_step else None

    @property
    def sentence(self) -> str:
        """Why it is forced or wrong; empty for others."""
        return str(self.step or self.mistake or "")

    @property
    def _move(self) -> str:
        return f"{cell_name(self.cell, self.style)}={self.value}"

    def __str__(self) -> str:
        name = self.technique and technique_name(self.technique.name, self.style.language)
        by = f" ({name})" if name and self.judged == "forced" else ""
        judged = said(JUDGED[self.judged], self.style.language)
        head = f"{self._move}: {judged}{by}"
        return f"{head}: {self.sentence}" if self.sentence else head

    def to_dict(self) -> dict[str, Any]:
        """An element of ``judgements`` in a result record."""
        from binairo_cp.formats import results

        return results.record_of(results.JudgementRecord, self).to_dict()


@dataclass(frozen=True)
class Judgements(Sentences):
    """What is to be said of the moves of a player, one after the other.

    Attributes:
        moves: The judgement of each move. A wrong move does not stay on the board.
        board: The board after them.
        filled: The number of cells that the player has filled, right ones only.
        to_fill: The number of cells without a clue.
        credit: The sum of `CREDIT` for each cell to fill when the moves began; from 0 to 1.
        mistake: A mistake on the given board; then no move is judged.
        position: The board with its lines.
        style: How sentences are written.
    """

    moves: tuple[Judgement, ...]
    board: Board
    filled: int
    to_fill: int
    credit: float
    mistake: Mistake | None = None
    position: Position | None = field(default=None, compare=False, repr=False)
    style: Style = field(default=USUAL, compare=False, repr=False)

    @cached_property
    def beginner(self) -> tuple[Step, ...]:
        """What techniques for beginners give on the board after the moves."""
        if self.position is None:
            return ()
        seen, steps = set[Cell](), list[Step]()
        for technique in (easy for easy in TECHNIQUES if easy.level == LEVELS[0]):
            for step in technique.steps(self.position, lambda: None):
                if new := step.values.keys() - seen:
                    steps.append(step.only(new).in_style(self.style))
                    seen |= new
        return tuple(steps)

    def __str__(self) -> str:
        return str(self.mistake or "\n".join(map(str, self.moves)))

    def to_dict(self) -> dict[str, Any]:
        """The fields of a result record."""
        from binairo_cp.formats import results

        return results.record_of(results.JudgedRecord, self).to_dict()


def parse_moves(text: str, board: Board) -> list[Move]:
    """The moves of a text such as ``r1c4=1, r2c2=0`` or ``D1=1``.

    Raises:
        MoveError: one of them is no move on a board of this size.
    """
    moves: list[Move] = []
    if not text.strip():
        return moves
    for word in re.split(r"[,;\n]|(?<=[01])\s+(?=[a-zA-Z])", text.strip().rstrip(",;")):
        match = _MOVE.fullmatch(word)
        if match is None:
            shown = word.strip()[:_MOST_SHOWN]
            raise MoveError(f"{shown!r} is not a move; expected a cell and 0 or 1, as in r1c4=1")
        row, column = match[1] or match[4], match[2]
        number = int(column) if column else 0
        for letter in (match[3] or "").lower():
            number = 26 * number + ord(letter) - ord("a") + 1
        moves.append(checked_move(Cell(int(row) - 1, number - 1), match[5], board))
    return moves


def checked_move(cell: Cell, value: str, board: Board) -> Move:
    """A move on a board.

    Raises:
        MoveError: the cell is not on the board.
    """
    if not (0 <= cell.row < board.height and 0 <= cell.column < board.width):
        size = f"{board.height}x{board.width}"
        raise MoveError(f"the cell of the move {cell}={value} is not on the {size} board")
    return cell, value


def judge(
    puzzle: Puzzle,
    outcome: Outcome,
    board: Board | None,
    moves: Iterable[Move],
    meter: Meter,
    style: Style = USUAL,
    *,
    brief: bool = False,
) -> Judgements:
    """Judge moves one after the other.

    Args:
        puzzle: A puzzle with at least one solution.
        outcome: The result of `solutions.check` for it.
        board: A partly filled board; None to start from the clues.
        moves: The cells that are filled, with their values.
        meter: Limits the time.
        style: How sentences are written.
        brief: Leave out the steps.

    Raises:
        BoardError: The board has another size.
        BudgetExceeded: The time ran out.
    """
    mistake = hints.mistake_on(puzzle, outcome, board, meter, style) if board else None
    position = Position(puzzle, hints.with_clues(puzzle, board))
    if mistake:
        return Judgements((), position.board, *_progress(puzzle, position), 0.0, mistake)
    open_before = position.board.cells.count(OPEN)
    judged = []
    for cell, value in moves:
        meter.check_clock()
        found = _judged(position, outcome, cell, value, meter, style)
        judged.append(replace(found, find_step=None) if brief else found)
        if judged[-1].judged not in ("wrong", "known"):
            position = position.with_values({cell: value})
    total = sum(CREDIT[judgement.judged] for judgement in judged)
    credit = round(max(0.0, total) / open_before, 4) if open_before else 0.0
    filled, to_fill = _progress(puzzle, position)
    return Judgements(tuple(judged), position.board, filled, to_fill, credit, None, position, style)


def _progress(puzzle: Puzzle, position: Position) -> tuple[int, int]:
    to_fill = puzzle.board.cells.count(OPEN)
    return to_fill - position.board.cells.count(OPEN), to_fill


def _judged(
    position: Position, outcome: Outcome, cell: Cell, value: str, meter: Meter, style: Style
) -> Judgement:
    board = position.board
    if board[cell] == value:
        return Judgement(cell, value, "known", style=style)
    only_wrong = Judgement(cell, value, "wrong", None, hints.wrong_value(cell, 0, style), style)
    if (clue := position.puzzle.board[cell]) != OPEN:
        return replace(only_wrong, mistake=hints.changed_clue(cell, value, clue, style))
    if board[cell] != OPEN:
        # The reasons are those for an open cell.
        position = position.with_values({cell: OPEN})
    elif _is_right(position, outcome, cell, value, meter):
        if forcing := _forcing(position, cell, value):
            return Judgement(cell, value, "forced", *forcing[:1], None, style, forcing[1])
        is_unique = outcome.verdict is Verdict.UNIQUE
        return Judgement(cell, value, "guess" if is_unique else "consistent", style=style)
    after = position.with_values({cell: value})
    for fault in after.faults(after.numbers_of([cell])):
        return replace(only_wrong, mistake=Mistake(fault.cells, fault.mistake, style))
    if refuting := _refuting(position, cell, value):
        return Judgement(cell, value, "wrong", *refuting[:1], None, style, refuting[1])
    return only_wrong


def _is_right(position: Position, outcome: Outcome, cell: Cell, value: str, meter: Meter) -> bool:
    """Whether a solution has the value, besides all that is on the board."""
    if outcome.verdict is Verdict.UNIQUE and outcome.solution:
        return outcome.solution[cell] == value
    board = position.with_values({cell: value}).board
    puzzle = Puzzle(board, position.puzzle.rules, position.puzzle.signs)
    if any(is_solution(puzzle, known) for known in outcome.solutions):
        return True
    found = solutions.search(puzzle, "solve", time_limit=meter.seconds_left, reasons="none")
    if found.verdict is Verdict.UNKNOWN:
        raise BudgetExceeded("time")
    return found.verdict is Verdict.SOLVED


_Found = tuple[Technique, Callable[[], Step]]
"""A technique, and how to find its step."""


def _forcing(position: Position, cell: Cell, value: str) -> _Found | None:
    """The easiest technique that gives the value, without nested contradictions."""
    for technique in DIRECT:
        for step in technique.steps_at(position, cell):
            if step.values[cell] == value:
                return Technique(step.technique, step.level), partial(step.only, {cell})
    return _refuting(position, cell, opposite(value))


def _refuting(position: Position, cell: Cell, value: str) -> _Found | None:
    """The refutation of a value by a short chain; None if no rule is broken in the end."""
    if not is_refuted(position, cell, value):
        return None
    # The step may be asked for long after the moves were judged, so no time limit holds.
    return CONTRADICTION, partial(against, position, cell, value, lambda: None, _MOST_SEARCHES)
