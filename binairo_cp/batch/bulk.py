"""Decide the plain puzzles of a block together, without one object per puzzle.

Puzzles with long lines, errors or long searches are skipped; the caller decides them one by one.
Both paths give the same results. Puzzles with a solution that fails `verification.are_solutions`
are also skipped, so that the caller reports the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import compress
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from binairo_cp.batch.compact_results import Group
from binairo_cp.formats import LineBlock
from binairo_cp.formats.columnar import PlainPuzzles, Signs, plain
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.puzzle.verification import LONGEST, Flags
from binairo_cp.solving.backends.bitboard import Bitboard, sign_places
from binairo_cp.solving.many import decide
from binairo_cp.solving.solutions import Verb


def decide_block(
    block: LineBlock, verb: Verb, limit: int, reasons: bool, graded: bool = False
) -> list[Group]:
    """The results of the plain puzzles of a block.

    Args:
        block: the puzzles.
        verb: whether to solve, check or count.
        limit: stop after this many solutions: 1 to solve, 2 to check.
        reasons: skip puzzles without a solution, since the caller needs the reason too.
        graded: grade the unique puzzles; those that can't be graded together are skipped.
    """
    groups = (
        _decide_group(block, puzzles, verb, limit, reasons, graded)
        for puzzles in plain(block, LONGEST)
        if len(puzzles.lines)
    )
    return [group for group in groups if len(group)]


def _decide_group(
    block: LineBlock, puzzles: PlainPuzzles, verb: Verb, limit: int, reasons: bool, graded: bool
) -> Group:
    started = perf_counter()
    number, height, width = puzzles.clues.shape
    kept = 2 if verb == "check" else 1
    signs = sign_words(puzzles.signs, height, width) if puzzles.signs else None
    decided = decide(puzzles.clues, puzzles.rules, limit, kept, signs)
    is_done, found = decided.is_decided, decided.found
    if reasons:
        is_done &= found > 0
    grades = _grades(puzzles, found == 1, is_done) if graded else None
    seconds = round((perf_counter() - started) / number, 6)
    solutions = decided.solutions
    if not is_done.all():
        puzzles, found = _some(puzzles, is_done), found[is_done]
        solutions = tuple(boards[is_done] for boards in solutions)
        grades = grades and list(compress(grades, is_done.tolist()))
    return Group(
        source=block.source,
        line=block.piece.number,
        puzzles=puzzles,
        rules=_stated(puzzles),
        verb=verb,
        limit=limit,
        backend=Bitboard.name,
        seconds=seconds,
        found=found,
        solutions=solutions,
        grades=grades,
    )


def _some(puzzles: PlainPuzzles, flags: Flags) -> PlainPuzzles:
    """The puzzles whose flag is set."""
    return PlainPuzzles(
        rules=puzzles.rules,
        clues=puzzles.clues[flags],
        lines=puzzles.lines[flags],
        ids=puzzles.ids.take(flags),
        signs=puzzles.signs and list(compress(puzzles.signs, flags.tolist())),
    )


def _stated(puzzles: PlainPuzzles) -> str | dict[str, Any]:
    """The rules as in a record."""
    _, height, width = puzzles.clues.shape
    name = Puzzle(Board.empty(height, width), puzzles.rules).rules_name
    if name == "unruly" and puzzles.signs:
        name = "plus"
    return name or asdict(puzzles.rules)


def sign_words(signs: Sequence[Signs], height: int, width: int) -> npt.NDArray[np.uint64]:
    """The signs of n puzzles along their lines: n x 2 (equal, opposite) x (height + width) words.

    Bit k of a word is a sign between cells k and k + 1 of the line.
    """
    lines = height + width
    places = []
    bits = []
    for number, each in enumerate(signs):
        for (relation, line), bit in sign_places(each, height, width):
            places.append((2 * number + relation) * lines + line)
            bits.append(bit)
    words = np.zeros(len(signs) * 2 * lines, np.uint64)
    np.bitwise_or.at(words, places, np.array(bits, np.uint64))
    return words.reshape(-1, 2, lines)


def _grades(puzzles: PlainPuzzles, is_unique: Flags, is_done: Flags) -> list[dict[str, Any] | None]:
    """The grades of the unique puzzles.

    Clears the flag in `is_done` of each puzzle that can't be graded here.
    """
    # Imported here because most runs grade nothing.
    from binairo_cp.deduction.grading import grade_cells

    grades: list[dict[str, Any] | None] = [None] * len(is_done)
    if puzzles.signs:
        is_done &= ~is_unique
        return grades
    places = np.flatnonzero(is_done & is_unique)
    found = grade_cells(puzzles.clues[places], puzzles.rules)
    for place, grade in zip(places.tolist(), found, strict=True):
        if grade is None:
            is_done[place] = False
        else:
            grades[place] = grade.to_dict()
    return grades
