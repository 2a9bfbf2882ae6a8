"""Decide arrays of puzzles of one shape in compiled code, without one object per puzzle.

Puzzles with long lines, errors or long searches are left, and so are those with a solution that
fails `verification.are_solutions`. The caller decides them one by one, which also reports errors.
Both ways give the same results. Files, `*_many` and pictures are decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from sys import maxsize
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from binairo_cp.batch.tasks import Task
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, Rules
from binairo_cp.puzzle.shape import LONGEST
from binairo_cp.puzzle.slices import CELLS, Numbers, PlainPuzzles, Slices
from binairo_cp.puzzle.verification import Cells, Flags
from binairo_cp.solving import many
from binairo_cp.solving.backends.bitboard import Bitboard
from binairo_cp.solving.solutions import USUAL_LIMITS, Outcome, Verb, Verdict

if TYPE_CHECKING:
    from binairo_cp.deduction.grade_arrays import GradeArray
    from binairo_cp.formats import LineBlock

BACKEND = Bitboard.name


@dataclass(frozen=True, slots=True)
class Plan:
    """What to find out about each puzzle.

    Attributes:
        verb: whether to solve, check or count.
        limit: the number of solutions that ends the search: 1 to solve, 2 to check; None to count
            all.
        kept: the number of solutions to return, at most 2.
        explained: leave puzzles without a solution, since the caller needs the reason too.
        graded: grade the unique puzzles; leave those that can't be graded in compiled code.
    """

    verb: Verb
    limit: int | None
    kept: int
    explained: bool = False
    graded: bool = False

    def verdict(self, found: int, is_complete: bool) -> Verdict:
        """The verdict on a puzzle with this number of solutions, perhaps of more."""
        if not found:
            return Verdict.NONE
        if self.verb == "solve":
            return Verdict.SOLVED
        if found > 1:
            return Verdict.MULTIPLE
        return Verdict.UNIQUE if is_complete else Verdict.UNKNOWN


def plan_of(task: Task) -> Plan:
    """The plan of a task that is columnar."""
    is_check = task.verb == "check"
    return Plan(
        verb=task.verb,
        limit=task.limit or USUAL_LIMITS[task.verb],
        kept=1 + is_check,
        explained=is_check and task.reasons != "none",
        graded=bool(task.analyses),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The results of n puzzles of one shape.

    Attributes:
        puzzles: the puzzles, with their places (lines) in the block.
        plan: what was to be found out.
        found: n numbers of solutions.
        solutions: the first and perhaps the second solutions, each n x height x width bytes; they
            mean nothing for puzzles with fewer.
        grades: the grades of the unique puzzles, if they were requested.
        seconds: the time per puzzle.
    """

    puzzles: PlainPuzzles
    plan: Plan
    found: Numbers
    solutions: tuple[Cells, ...]
    grades: GradeArray | None
    seconds: float

    def __len__(self) -> int:
        return len(self.found)

    @property
    def complete(self) -> Flags:
        """Whether all solutions of each puzzle were found."""
        return self.found < (maxsize if self.plan.limit is None else self.plan.limit)

    @property
    def cases(self) -> Numbers:
        """What decides the verdict on each puzzle: its place in `CASES`."""
        return 2 * np.minimum(self.found, 2) + self.complete

    @property
    def verdicts(self) -> npt.NDArray[np.str_]:
        """The verdict on each puzzle, as a word."""
        return np.array([self.plan.verdict(*case).value for case in CASES])[self.cases]

    @property
    def numbers(self) -> dict[tuple[int, bool], int]:
        """The number of puzzles in each of the `CASES` that occur."""
        cases, numbers = np.unique_counts(self.cases)
        return {CASES[k]: n for k, n in zip(cases.tolist(), numbers.tolist(), strict=True)}

    def outcomes(self, begin: int = 0, end: int | None = None) -> Iterator[Outcome]:
        """The outcomes of some of the puzzles, in order. The puzzles have no signs."""
        _, height, width = self.puzzles.clues.shape
        size = height * width
        # Text for all boards at once takes less time than for each.
        arrays = (self.puzzles.clues, *self.solutions)
        clues, *solutions = (array[begin:end].tobytes().decode() for array in arrays)
        facts = zip(self.found[begin:end].tolist(), self.complete[begin:end].tolist(), strict=True)
        for row, (number, is_complete) in enumerate(facts):
            cells = slice(row * size, (row + 1) * size)
            yield Outcome(
                puzzle=Puzzle(Board(height, width, clues[cells]), self.puzzles.rules),
                verb=self.plan.verb,
                limit=self.plan.limit,
                verdict=self.plan.verdict(number, is_complete),
                solutions=tuple(Board(height, width, text[cells]) for text in solutions[:number]),
                count=number,
                complete=is_complete,
                stopped_by=None if is_complete else "limit",
                backend=BACKEND,
                seconds=self.seconds,
            )

    def texts(self, number: int | None = None) -> Iterator[tuple[int, str]]:
        """The place and the cells of each first (0) or second (1) solution, or of each puzzle."""
        if number is not None and number >= len(self.solutions):
            return
        rows = np.flatnonzero(self.found > (-1 if number is None else number))
        boards = (self.puzzles.clues if number is None else self.solutions[number])[rows]
        text, size = boards.tobytes().decode(), int(np.prod(boards.shape[1:]))
        for k, place in enumerate(self.puzzles.lines[rows].tolist()):
            yield place, text[k * size : (k + 1) * size]


CASES = [(found, is_complete) for found in range(3) for is_complete in (False, True)]
"""Numbers of solutions, 2 for several, and whether these are all."""


def decide_block(block: LineBlock, plan: Plan) -> list[Group]:
    """The results of the plain puzzles of a block of lines, with sides of up to `LONGEST`."""
    # Imported here, because arrays of puzzles need no reader.
    from binairo_cp.formats.columnar import plain

    decided = (decide(puzzles, plan) for puzzles in plain(block, LONGEST) if len(puzzles.lines))
    return [group for group in decided if len(group)]


def decide(puzzles: PlainPuzzles, plan: Plan) -> Group:
    """The results of those puzzles that compiled code can decide."""
    started = perf_counter()
    number, height, width = puzzles.clues.shape
    signs = many.sign_words(puzzles.signs, height, width) if puzzles.signs else None
    limit = maxsize if plan.limit is None else plan.limit
    decided = many.decide(puzzles.clues, puzzles.rules, limit, plan.kept, signs)
    is_done, found, solutions = decided.is_decided, decided.found, decided.solutions
    if plan.explained:
        is_done &= found > 0
    grades = _grades(puzzles, found == 1, is_done) if plan.graded else None
    seconds = (perf_counter() - started) / number
    if not is_done.all():
        puzzles, found = puzzles.chosen(is_done), found[is_done]
        solutions = tuple(boards[is_done] for boards in solutions)
        grades = grades and grades.chosen(is_done)
    return Group(puzzles, plan, found, solutions, grades, seconds)


def by_shape(boards: Iterable[tuple[int, int, int, str, Rules]]) -> Iterator[PlainPuzzles]:
    """Puzzles without signs, grouped by shape and rules. Those with other marks are left out.

    The boards state the place, height, width, cells and rules of each.
    """
    shapes: dict[tuple[int, int, Rules], tuple[list[int], list[str]]] = {}
    for place, height, width, cells, rules in boards:
        if 0 < height <= LONGEST and 0 < width <= LONGEST:
            places, texts = shapes.setdefault((height, width, rules), ([], []))
            places.append(place)
            texts.append(cells)
    for (height, width, rules), (places, texts) in shapes.items():
        codes = np.frombuffer("".join(texts).encode("ascii"), np.uint8)
        yield from of_array(np.array(places), CELLS[codes.reshape(-1, height, width)], rules)


def of_array(places: Numbers, cells: Cells, rules: Rules) -> Iterator[PlainPuzzles]:
    """The puzzles in an array of n x height x width codes that are all cells, without ids."""
    is_valid = cells.all(axis=(1, 2))
    if is_valid.any():
        clues = cells[is_valid]
        yield PlainPuzzles(rules, clues, places[is_valid], Slices.empty(len(clues)))


def _grades(puzzles: PlainPuzzles, is_unique: Flags, is_done: Flags) -> GradeArray:
    """The grades of the unique puzzles.

    Clears the flag in `is_done` of each puzzle that can't be graded here.
    """
    # Imported here because most runs grade nothing.
    from binairo_cp.deduction.grade_arrays import grade_arrays

    wanted = is_done & is_unique & (not puzzles.signs)
    grades = grade_arrays(puzzles.clues, puzzles.rules, wanted)
    is_done &= ~is_unique | grades.has_grade
    return grades
