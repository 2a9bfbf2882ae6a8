"""Decide a block of puzzles: the plain ones as arrays, the others one by one.

Plain puzzles have no signs, lines of up to 64 cells and no errors. `batch.columnar` decides them,
and leaves those that take long or whose answer fails a check.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isqrt
from time import monotonic
from typing import Any

import numpy as np

from binairo_cp.api.outcomes import Failure, Origin, Part, Result
from binairo_cp.batch import columnar
from binairo_cp.batch.columnar import Plan
from binairo_cp.errors import BinairoError
from binairo_cp.features.arguments import LEAST_CELLS, puzzle_of
from binairo_cp.puzzle import cell_values
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.cell_arrays import PlainPuzzles, codes_of
from binairo_cp.puzzle.rules import CLASSIC, Puzzle, Rules
from binairo_cp.puzzle.verification import LONGEST
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.backends.contract import LEAST_TIME_LIMIT
from binairo_cp.solving.solutions import Outcome, Reasons, Verb, Verdict

Block = Any
"""A list of puzzles in any form, or an n x h x w array: bytes are codes, others are values."""


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
    def plan(self) -> Plan | None:
        """How plain puzzles are decided together; None if all are decided one by one."""
        is_fast = self.time_limit is None or self.time_limit >= LEAST_TIME_LIMIT
        if not is_fast or self.backend not in ("auto", "bitboard"):
            return None
        kept = 1 if self.verb == "solve" else 2
        return Plan(self.verb, self.limit, kept, self.reasons != "none", self.graded)


def decide_block(work: Work, block: Block) -> Part:
    """The outcomes of a block of puzzles."""
    started = monotonic()
    part = Part(len(block), origins_of(block))
    is_left = np.ones(len(block), np.bool_)
    if plan := work.plan:
        for puzzles in _plain(block, work.rules):
            group = columnar.decide(puzzles, plan)
            places = group.puzzles.lines
            is_left[places] = False
            part.groups.append(group)
            grades = zip(places.tolist(), group.grades or (), strict=False)
            part.grades.update((place, grade) for place, grade in grades if grade)
    for place in np.flatnonzero(is_left).tolist():
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


def _plain(block: Block, rules: Rules | None) -> Iterator[PlainPuzzles]:
    """The plain puzzles, by shape and rules; their lines are their positions."""
    if not isinstance(block, np.ndarray):
        yield from columnar.by_shape(_boards(block, rules))
    elif 0 < min(block.shape[1:]) <= max(block.shape[1:]) <= LONGEST:
        yield from columnar.of_array(np.arange(len(block)), codes_of(block), rules or CLASSIC)


def _boards(block: list[Any], rules: Rules | None) -> Iterator[tuple[int, int, int, str, Rules]]:
    """The position, height, width, cells and rules of puzzles in a list that may be plain."""
    for place, value in enumerate(block):
        if isinstance(value, str):
            side = isqrt(len(value))
            if value.isascii() and side * side == len(value) >= LEAST_CELLS:
                yield place, side, side, value, rules or CLASSIC
            continue
        puzzle = getattr(value, "puzzle", value)
        if isinstance(puzzle, Puzzle) and not puzzle.signs and rules in (None, puzzle.rules):
            board = puzzle.board
            yield place, board.height, board.width, board.cells, puzzle.rules


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
