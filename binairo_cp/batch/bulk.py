"""The ordinary puzzles of a block decided many at a time, without an object for each.

What is left out here goes the common way, one by one: puzzles with signs or long lines, those that
need a longer search, faults of any kind. What is found is what would be found there; every solution
passes `verification.are_solutions`, and one that does not is left out too, so that the common way
tells the error.
"""

from __future__ import annotations

from itertools import compress, repeat
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from binairo_cp.batch.compact_results import Answer, Group
from binairo_cp.formats import Lines, schema
from binairo_cp.formats.plain import Plain, plain
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.puzzle.verification import LONGEST, Flags, are_solutions
from binairo_cp.solving.backends.bitboard import Bitboard
from binairo_cp.solving.backends.bitboard.many import Decided, decide
from binairo_cp.solving.solutions import Verb

_MOST_COUNTED = 1_000


def find(
    block: Lines, verb: Verb, limit: int, reasons: bool, graded: bool = False
) -> dict[int, Answer]:
    """What was found out, by the lines of the block, counted from 0.

    Args:
        block: the puzzles.
        verb: what is asked: a solution, whether there is one only, or how many there are.
        limit: how many solutions to stop after; for a solution 1, for uniqueness 2.
        reasons: leave out the puzzles without a solution, since the reason is wanted too.
        graded: grade the puzzles with one solution.
    """
    found: dict[int, Answer] = {}
    for puzzles in plain(block, LONGEST):
        if puzzles.lines:
            found.update(_find(block, puzzles, verb, limit, reasons, graded))
    return found


def _find(
    block: Lines, puzzles: Plain, verb: Verb, limit: int, reasons: bool, graded: bool
) -> dict[int, Answer]:
    started = perf_counter()
    kept = 2 if verb == "check" else 1
    decided = decide(puzzles.clues, puzzles.rules, min(limit, _MOST_COUNTED), kept)
    settled = decided.complete | (decided.found >= limit)
    if reasons:
        settled &= decided.found > 0
    first = _solutions(puzzles, decided, settled, 0)
    second = _solutions(puzzles, decided, settled, 1) if kept == 2 else repeat(None)
    grades = _grades(puzzles, decided.found == 1, settled) if graded else repeat(None)
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
    flags = settled.tolist()
    return dict(zip(compress(puzzles.lines, flags), compress(answers, flags), strict=True))


def _solutions(
    puzzles: Plain, decided: Decided, settled: Flags, number: int
) -> list[str] | list[str | None]:
    """The solution of a number of each puzzle; one with a wrong solution is no longer settled."""
    has = decided.found > number
    if has.all():
        boards = decided.boards(slice(None), number)
        settled &= are_solutions(boards, puzzles.clues, puzzles.rules)
        return _texts(boards)
    texts: list[str | None] = [None] * len(has)
    if has.any():
        boards = decided.boards(has, number)
        settled[has] &= are_solutions(boards, puzzles.clues[has], puzzles.rules)
        for place, text in zip(np.flatnonzero(has).tolist(), _texts(boards), strict=True):
            texts[place] = text
    return texts


def _grades(puzzles: Plain, is_unique: Flags, settled: Flags) -> list[dict[str, Any] | None]:
    """The grades of the unique puzzles; one that can't be graded here is no longer settled."""
    # Imported here, since most runs grade nothing.
    from binairo_cp.batch.reasoning import grade_fields
    from binairo_cp.deduction.grading import grade_arrays

    grades: list[dict[str, Any] | None] = [None] * len(settled)
    places = np.flatnonzero(settled & is_unique)
    if not len(places):
        return grades
    cells = puzzles.clues[places]
    values = np.where(cells == ord(OPEN), np.uint8(2), cells & 1)
    for place, grade in zip(places.tolist(), grade_arrays(values, puzzles.rules), strict=True):
        if grade is None:
            settled[place] = False
        else:
            grades[place] = grade_fields(grade)
    return grades


def _texts(boards: npt.NDArray[np.uint8]) -> list[str]:
    """The cells of n boards as strings."""
    size = boards[0].size
    text = boards.tobytes().decode()
    return [text[start : start + size] for start in range(0, len(text), size)]
