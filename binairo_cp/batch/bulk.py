"""Decide the plain puzzles of a block together, without one object per puzzle.

Puzzles with signs, long lines, errors or long searches are skipped; the caller decides them one by
one. Both paths give the same results. Puzzles with a solution that fails
`verification.are_solutions` are also skipped, so that the caller reports the error.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress, repeat
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from binairo_cp.batch.compact_results import Answer, Group
from binairo_cp.formats import LineBlock, schema
from binairo_cp.formats.plain import PlainPuzzles, plain
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.puzzle.verification import LONGEST, Flags
from binairo_cp.solving.backends.bitboard import Bitboard
from binairo_cp.solving.many import Decided, decide
from binairo_cp.solving.solutions import Verb


def decide_block(
    block: LineBlock, verb: Verb, limit: int, reasons: bool, graded: bool = False
) -> dict[int, Answer]:
    """The answers of plain puzzles by their lines in the block, from 0.

    Args:
        block: the puzzles.
        verb: whether to solve, check or count.
        limit: stop after this many solutions: 1 to solve, 2 to check.
        reasons: skip puzzles without a solution, since the caller needs the reason too.
        graded: grade the unique puzzles.
    """
    answers: dict[int, Answer] = {}
    for puzzles in plain(block, LONGEST):
        if puzzles.lines:
            answers.update(_decide_group(block, puzzles, verb, limit, reasons, graded))
    return answers


def _decide_group(
    block: LineBlock, puzzles: PlainPuzzles, verb: Verb, limit: int, reasons: bool, graded: bool
) -> dict[int, Answer]:
    started = perf_counter()
    kept = 2 if verb == "check" else 1
    decided = decide(puzzles.clues, puzzles.rules, limit, kept)
    answered = decided.is_decided
    if reasons:
        answered &= decided.found > 0
    first, second, *_ = (*_solutions(decided), repeat(None))
    grades = _grades(puzzles, decided.found == 1, answered) if graded else repeat(None)
    number, height, width = puzzles.clues.shape
    stated = schema.stated(Puzzle(Board.empty(height, width), puzzles.rules))
    group = Group(
        source=block.source,
        line=block.piece.number,
        height=height,
        width=width,
        rules=stated if isinstance(stated, str) else stated.model_dump(),
        verb=verb,
        limit=limit,
        backend=Bitboard.name,
        seconds=round((perf_counter() - started) / number, 6),
    )
    columns = (puzzles.ids, _texts(puzzles.clues), decided.found.tolist(), first, second, grades)
    answers = map(Answer, repeat(group), *columns)
    flags = answered.tolist()
    return dict(zip(compress(puzzles.lines, flags), compress(answers, flags), strict=True))


def _solutions(decided: Decided) -> Iterator[list[str | None]]:
    """The first solutions of all puzzles, then the second ones, and so on; None if missing."""
    for number, boards in enumerate(decided.solutions):
        has = decided.found > number
        texts: list[str | None] = [None] * len(has)
        for place, text in zip(np.flatnonzero(has).tolist(), _texts(boards[has]), strict=True):
            texts[place] = text
        yield texts


def _grades(
    puzzles: PlainPuzzles, is_unique: Flags, answered: Flags
) -> list[dict[str, Any] | None]:
    """The grades of the unique puzzles.

    Clears the flag in `answered` of each puzzle that can't be graded here.
    """
    # Imported here because most runs grade nothing.
    from binairo_cp.deduction.grading import grade_cells

    grades: list[dict[str, Any] | None] = [None] * len(answered)
    places = np.flatnonzero(answered & is_unique)
    if not len(places):
        return grades
    found = grade_cells(puzzles.clues[places], puzzles.rules)
    for place, grade in zip(places.tolist(), found, strict=True):
        if grade is None:
            answered[place] = False
        else:
            grades[place] = grade.to_dict()
    return grades


def _texts(boards: npt.NDArray[np.uint8]) -> list[str]:
    """The cells of n boards as strings."""
    if not len(boards):
        return []
    size = boards[0].size
    text = boards.tobytes().decode()
    return [text[start : start + size] for start in range(0, len(text), size)]
