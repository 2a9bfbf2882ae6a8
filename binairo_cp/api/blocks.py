"""Decide a block of puzzles: the plain ones as arrays, the others one by one.

Plain puzzles have no signs, lines of up to 64 cells and no errors. Puzzles that take long, or whose
answer fails a check, are also decided one by one, as in files (`batch.bulk`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isqrt
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from binairo_cp.api.parts import VERDICTS, Cells, Failure, Group, Numbers, Origin, Part, Result
from binairo_cp.errors import BinairoError
from binairo_cp.features.arguments import LEAST_CELLS, puzzle_of
from binairo_cp.formats.columnar import CELLS, codes_of
from binairo_cp.puzzle import cell_values
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import CLASSIC, Puzzle, Rules
from binairo_cp.puzzle.verification import LONGEST, Flags
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.backends.contract import LEAST_TIME_LIMIT
from binairo_cp.solving.many import decide
from binairo_cp.solving.solutions import Outcome, Reasons, Verb, Verdict

if TYPE_CHECKING:
    from binairo_cp.deduction.grading import Grade

Block = Any
"""A list of puzzles in any form, or an n x h x w array: bytes are codes, others are values."""

_Plain = tuple[Numbers, Cells, Rules]
"""The positions of n plain puzzles in their block, their clues, and their rules."""


@dataclass(frozen=True, slots=True)
class Work:
    """What to do with each block of puzzles; it travels to the workers."""

    verb: Verb
    limit: int | None
    rules: Rules | None
    backend: str
    reasons: Reasons
    time_limit: float | None
    graded: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether plain puzzles can be decided together."""
        is_fast = self.time_limit is None or self.time_limit >= LEAST_TIME_LIMIT
        return is_fast and self.backend in ("auto", "bitboard")


def decide_block(work: Work, block: Block) -> Part:
    """The outcomes of a block of puzzles."""
    started = monotonic()
    part = Part(len(block), origins_of(block))
    left: Iterable[int] = range(len(block))
    if work.is_plain:
        left = _decide_groups(work, _plain(block, work.rules), part)
    for place in left:
        part.singles[place] = _decide_one(work, block, place, part)
    return replace(part, seconds=monotonic() - started)


def origins_of(block: Block) -> dict[int, Origin]:
    """Where entries and generated puzzles come from, by position."""
    if isinstance(block, np.ndarray):
        return {}
    return {
        place: Origin(id, getattr(value, "source", ""), getattr(value, "line", None))
        for place, value in enumerate(block)
        if isinstance(id := getattr(value, "id", None), str) and id
    }


def _value(block: Block, place: int) -> Any:
    if isinstance(block, np.ndarray) and block.dtype == np.uint8:
        # In an array of codes, a board without any is not one of values.
        return Board.from_rows(cell_values.coded_rows(block[place]))
    return block[place]


def _plain(block: Block, rules: Rules | None) -> list[_Plain]:
    """The plain puzzles, by shape and rules."""
    if isinstance(block, np.ndarray):
        if not 0 < min(block.shape[1:]) <= max(block.shape[1:]) <= LONGEST:
            return []
        return _valid(np.arange(len(block)), codes_of(block), rules or CLASSIC)
    texts: dict[tuple[int, int, Rules], tuple[list[int], list[str]]] = {}
    for place, value in enumerate(block):
        if isinstance(value, str):
            if not value.isascii():
                continue
            side = isqrt(len(value))
            shape, cells = (side, side, rules or CLASSIC), value
            if side * side != len(value) or len(value) < LEAST_CELLS:
                continue
        else:
            puzzle = getattr(value, "puzzle", value)
            if not isinstance(puzzle, Puzzle) or puzzle.signs:
                continue
            if rules is not None and rules != puzzle.rules:
                continue
            board = puzzle.board
            shape, cells = (board.height, board.width, puzzle.rules), board.cells
        if 0 < shape[0] <= LONGEST and shape[1] <= LONGEST:
            places, boards = texts.setdefault(shape, ([], []))
            places.append(place)
            boards.append(cells)
    return [
        each
        for (height, width, own), (places, boards) in texts.items()
        for each in _valid(np.array(places), _array(boards, height, width), own)
    ]


def _array(boards: list[str], height: int, width: int) -> Cells:
    # Characters that are no cells become 0, and are sorted out later.
    data = "".join(boards).encode("ascii")
    return CELLS[np.frombuffer(data, np.uint8).reshape(-1, height, width)]


def _valid(places: Numbers, cells: Cells, rules: Rules) -> list[_Plain]:
    """The puzzles whose codes are all cells."""
    is_valid = cells.all(axis=(1, 2))
    return [(places[is_valid], cells[is_valid], rules)] if is_valid.any() else []


def _decide_groups(work: Work, groups: list[_Plain], part: Part) -> list[int]:
    """Decide groups of plain puzzles; returns the positions that have no outcome yet."""
    left = np.ones(part.number, np.bool_)
    for places, clues, rules in groups:
        group, grades = _decide_group(work, places, clues, rules)
        part.groups.append(group)
        part.grades.update(grades)
        left[group.places] = False
    return np.flatnonzero(left).tolist()


def _decide_group(
    work: Work, places: Numbers, clues: Cells, rules: Rules
) -> tuple[Group, dict[int, Grade]]:
    """The outcomes of those plain puzzles that were decided, and their grades."""
    started = monotonic()
    limit = sys.maxsize if work.limit is None else work.limit
    kept = 1 if work.verb == "solve" else 2
    decided = decide(clues, rules, limit, kept)
    found = decided.found
    is_done = decided.is_decided
    if work.reasons != "none":
        is_done &= found > 0
    grades: dict[int, Grade] = {}
    if work.graded:
        grades = _grades(places, clues, rules, is_done, found == 1)
    seconds = (monotonic() - started) / len(places)
    group = Group(
        places=places[is_done],
        clues=clues[is_done],
        rules=rules,
        verb=work.verb,
        limit=work.limit,
        verdicts=_verdicts(work, found[is_done]),
        found=found[is_done],
        solutions=tuple(boards[is_done] for boards in decided.solutions),
        seconds=seconds,
    )
    return group, grades


def _verdicts(work: Work, found: Numbers) -> npt.NDArray[np.int8]:
    """The verdicts for numbers of solutions, as `solutions` gives them."""
    one = Verdict.UNIQUE if work.limit != 1 else Verdict.UNKNOWN
    several = Verdict.MULTIPLE
    if work.verb == "solve":
        one = several = Verdict.SOLVED
    codes = np.array([VERDICTS.index(each) for each in (Verdict.NONE, one, several)], np.int8)
    verdicts: npt.NDArray[np.int8] = codes[np.minimum(found, 2)]
    return verdicts


def _grades(
    places: Numbers, clues: Cells, rules: Rules, is_done: Flags, is_unique: Flags
) -> dict[int, Grade]:
    """The grades of the unique puzzles. Clears the flag of each that can't be graded together."""
    from binairo_cp.deduction.grading import grade_cells

    rows = np.flatnonzero(is_done & is_unique)
    grades: dict[int, Grade] = {}
    for row, grade in zip(rows.tolist(), grade_cells(clues[rows], rules), strict=True):
        if grade is None:
            is_done[row] = False
        else:
            grades[int(places[row])] = grade
    return grades


def _decide_one(work: Work, block: Block, place: int, part: Part) -> Result:
    """The outcome of a puzzle, or the reason why there is none."""
    try:
        puzzle = puzzle_of(_value(block, place), work.rules)
    except BinairoError as error:
        return Failure(Verdict.INVALID, error)
    try:
        outcome = _searched(work, puzzle)
        if work.graded and outcome.verdict is Verdict.UNIQUE:
            from binairo_cp.deduction.grading import grade

            part.grades[place] = grade(puzzle, Meter(Budget(work.time_limit)))
    except Exception as error:
        # The other puzzles are not lost.
        return Failure(Verdict.UNKNOWN, error, puzzle)
    return outcome


def _searched(work: Work, puzzle: Puzzle) -> Outcome:
    options: dict[str, Any] = {"backend": work.backend, "time_limit": work.time_limit}
    if work.verb == "check":
        return solutions.check(puzzle, reasons=work.reasons, **options)
    if work.verb == "solve":
        return solutions.solve(puzzle, **options)
    return solutions.count(puzzle, limit=work.limit, **options)
