"""Look deeper at puzzles with one solution: redundant clues, steps, levels, the other rules.

This takes up to a thousand times as long as a verdict, so an audit does it for the first puzzles
only, as many as its user wants.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from binairo_cp.deduction import grading
from binairo_cp.deduction.grade_arrays import grade_arrays
from binairo_cp.deduction.grading import LEVEL_OF, Grade
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.errors import BinairoError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, Sign
from binairo_cp.puzzle.shape import LONGEST
from binairo_cp.puzzle.slices import PlainPuzzles, Slices
from binairo_cp.solving import many
from binairo_cp.solving.backends import Budget, Meter

Problem = dict[str, Any]

_MOST_CELLS = 1 << 22
_SPIKE = 2
"""How many levels the hardest step of a spike is above all others."""


def puzzle_at(puzzles: PlainPuzzles, row: int) -> Puzzle:
    """One of the puzzles of an array."""
    _, height, width = puzzles.clues.shape
    signs = puzzles.signs[row] if puzzles.signs else ()
    return Puzzle(
        Board(height, width, puzzles.clues[row].tobytes().decode()),
        puzzles.rules,
        tuple(Sign(*sign) for sign in signs),  # type: ignore[arg-type]  # Puzzle checks them
    )


def grades(puzzles: PlainPuzzles, time_limit: float | None) -> list[Grade | None]:
    """The grades of unique puzzles; None for those that take longer than the limit."""
    number = len(puzzles.clues)
    found: list[Grade | None] = [None] * number
    if not puzzles.signs and max(puzzles.clues.shape[1:]) <= LONGEST:
        found = list(grade_arrays(puzzles.clues, puzzles.rules))
    for row in range(number):
        if found[row] is None:
            try:
                found[row] = grading.grade(puzzle_at(puzzles, row), Meter(Budget(time_limit)))
            except BinairoError:
                continue
    return found


def step_problems(grade: Grade) -> Iterator[Problem]:
    """What is wrong with the steps of a puzzle: nested contradictions, or one step far above all.

    A spike is a single cell that needs a technique two or more levels above all other steps.
    """
    if grade.left:
        yield {"kind": "beyond-logic", "cells": grade.left}
        return
    ranks = {name: LEVELS.index(LEVEL_OF[name]) for name in grade.placed}
    top = max(ranks.values(), default=0)
    hardest = [name for name, rank in ranks.items() if rank == top]
    others = [rank for rank in ranks.values() if rank < top]
    if others and top - max(others) >= _SPIKE and sum(map(grade.placed.get, hardest)) == 1:  # type: ignore[arg-type]  # they are keys
        yield {"kind": "spike", "technique": hardest[0], "level": LEVELS[top]}


def redundant_clues(puzzles: PlainPuzzles) -> list[list[list[int]]]:
    """For each unique puzzle, the row and column of each clue that the other clues imply.

    A clue is redundant exactly if there is no solution with the other value in its place.
    """
    number, height, width = puzzles.clues.shape
    found: list[list[list[int]]] = [[] for _ in range(number)]
    if max(height, width) > LONGEST:
        return found
    flat = puzzles.clues.reshape(number, -1)
    rows, cells = np.nonzero(flat != ord("."))
    signs = many.sign_words(puzzles.signs, height, width) if puzzles.signs else None
    step = max(1, _MOST_CELLS // (height * width))
    for begin in range(0, len(rows), step):
        some, at = rows[begin : begin + step], cells[begin : begin + step]
        changed = flat[some]
        changed[np.arange(len(some)), at] ^= 1
        of_these = None if signs is None else signs[some]
        boards = changed.reshape(-1, height, width)
        decided = many.decide(boards, puzzles.rules, 1, 0, of_these)
        is_redundant = decided.is_decided & (decided.found == 0)
        for row, cell in zip(some[is_redundant].tolist(), at[is_redundant].tolist(), strict=True):
            found[row].append(list(divmod(cell, width)))
    return found


def without_each(puzzles: PlainPuzzles, row: int, cells: list[list[int]]) -> PlainPuzzles:
    """One of the puzzles without each of these clues in turn."""
    number = len(cells)
    chosen = np.repeat(puzzles.clues[row][None], number, axis=0)
    chosen[np.arange(number), *np.array(cells).T] = ord(".")
    signs = puzzles.signs and [puzzles.signs[row]] * number
    return PlainPuzzles(puzzles.rules, chosen, np.arange(number), Slices.empty(number), signs)
