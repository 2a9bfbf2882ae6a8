"""Grades: how hard a puzzle is for a person, by the techniques that its solving path needs.

The score estimates the time that a person needs. To write a value takes 1, to see what the next
round fills 3, and before a harder technique one looks all over the board in vain for easier ones.
So a path with many rounds, in which few steps are in sight at a time, takes longer.
docs/deduction.md says what the numbers were fitted to.

A publisher's level is a set of techniques. A puzzle has the first level of the scale whose
techniques solve it. docs/deduction.md compares the scales with the publishers' own puzzles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, cast

from binairo_cp.deduction.driver import GRADED, TECHNIQUES, BoardTechnique, rounds
from binairo_cp.deduction.position import Position
from binairo_cp.deduction.shortest_chain import Clock
from binairo_cp.deduction.steps import Step, values_of
from binairo_cp.deduction.strip import opposite
from binairo_cp.deduction.styles import ScaleName
from binairo_cp.deduction.techniques import DISTINCT, LEVELS, TWO_OPEN, Level
from binairo_cp.deduction.wording import Phrase
from binairo_cp.errors import ArgumentError
from binairo_cp.kernels import deduction as kernel
from binairo_cp.puzzle.board import OPEN, Board, filled
from binairo_cp.puzzle.html import Sentences
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.puzzle.shape import Shape
from binairo_cp.solving.backends import UNLIMITED, Meter

ROUND = 3
"""What it takes to see the steps of a round, where to write the value of a cell takes 1."""

_LOOKS: dict[Level, int] = dict(zip(LEVELS, (0, 0, 15, 40, 80, 320), strict=True))

LOOK_OF = {technique.name: _LOOKS[technique.level] for technique in TECHNIQUES}
LOOK_OF |= dict.fromkeys((TWO_OPEN.name, DISTINCT.name), 25)
"""What it takes to look for a technique all over a 6x6 board; on others, in proportion to size."""

_BEYOND = TECHNIQUES[-1]

_TRIAL = GRADED[-1].name

_WITHOUT_SIGNS = tuple(technique.name for technique in GRADED if not technique.needs_signs)

_MAX_CELLS_FOR_TRIALS = 400
"""On larger boards compiled code tries no values: it checks no clock, and it could take minutes."""

LEVEL_OF: dict[str, Level] = {technique.name: technique.level for technique in TECHNIQUES}
"""The level of each technique, the easiest technique first."""

_RANK = {name: number for number, name in enumerate(LEVEL_OF)}


def cost(filled: Any, rounds: Any, looks: Mapping[str, Any], cells: int) -> Any:
    """The score of a solving path, before it is rounded.

    With arrays instead of numbers, the scores of many puzzles.

    Args:
        filled: The number of cells that techniques filled.
        rounds: The number of rounds.
        looks: How often one looks for each technique: the kernel's `LOOKS`, and the number of cells
            left for nested contradictions.
        cells: The number of cells of the board.
    """
    look = sum(LOOK_OF[name] * number for name, number in looks.items())
    return filled + ROUND * rounds + look * cells / 36


@dataclass(frozen=True, slots=True)
class Grade(Sentences):
    """How hard a puzzle is.

    Grades are ordered by level, then by the hardest technique, then by the number of cells left.
    Grades that differ only in other attributes are neither smaller nor greater.

    Attributes:
        level: The level of the hardest technique needed; beyond logic if some cells need nested
            contradictions.
        hardest: The hardest technique used; None for a puzzle without open cells.
        placed: The number of cells that each technique filled: in the rounds, or with limits in the
            path that they are about.
        rounds: The number of rounds.
        narrowest: The fewest cells filled in any round except the last; 0 for a single round.
        left: The number of cells that need nested contradictions.
        score: About the time that a person needs; a typical 6x6 Tango of LinkedIn has 100. It
            compares puzzles of all levels and sizes.
        published: The level on the scale of a publisher, if one was requested.
        longest_chain: The most steps of a chain that refutes a value, if that is limited.
        over: The limits that the path exceeds: ``longest-chain``, ``most-trials``.
    """

    level: Level
    hardest: str | None
    placed: dict[str, int] = field(hash=False)
    rounds: int
    narrowest: int
    left: int
    score: float = 0.0
    published: Published | None = None
    longest_chain: int | None = None
    over: tuple[str, ...] = ()

    def __str__(self) -> str:
        over = f", over {' and '.join(self.over)}" if self.over else ""
        return (self.level if self.hardest is None else f"{self.level} ({self.hardest})") + over

    def to_dict(self) -> dict[str, Any]:
        """The fields of ``grade`` in a result record."""
        from binairo_cp.formats import results

        return results.record_of(results.GradeRecord, self).to_dict()

    def within(
        self, path: Iterable[Step], longest_chain: int | None, most_trials: int | None
    ) -> Grade:
        """The grade with the cells that each technique fills in a path, and the limits that it
        exceeds; as it is without limits.

        Args:
            path: The steps that `explain` shows. Nested trials exceed all limits.
            longest_chain: The most steps of a chain that refutes a value; None for any number.
            most_trials: The most cells that are filled by trying a value; None for any number.
        """
        if longest_chain is None and most_trials is None:
            return self
        steps = list(path) if not self.left else []
        longest = max((step.chain.size for step in steps if step.chain), default=0)
        placed = placed_by((step.technique, len(step.values)) for step in steps)
        limits = (
            ("longest-chain", longest, longest_chain),
            ("most-trials", placed.get(_TRIAL, 0), most_trials),
        )
        stated = ((name, number, most) for name, number, most in limits if most is not None)
        over = tuple(name for name, number, most in stated if self.left or number > most)
        told = None if longest_chain is None or self.left else longest
        return replace(self, placed=placed or self.placed, longest_chain=told, over=over)

    def __lt__(self, other: Grade) -> bool:
        return _difficulty(self) < _difficulty(other)

    def __le__(self, other: Grade) -> bool:
        return _difficulty(self) <= _difficulty(other)

    def __gt__(self, other: Grade) -> bool:
        return _difficulty(self) > _difficulty(other)

    def __ge__(self, other: Grade) -> bool:
        return _difficulty(self) >= _difficulty(other)


def placed_by(steps: Iterable[tuple[str, int]]) -> dict[str, int]:
    """How many cells each technique fills in all, if its steps fill so many; the easiest first."""
    placed = dict.fromkeys(LEVEL_OF, 0)
    for technique, cells in steps:
        placed[technique] = placed.get(technique, 0) + cells
    return {name: number for name, number in placed.items() if number}


def _difficulty(grade: Grade) -> tuple[int, int, int]:
    if not isinstance(grade, Grade):
        raise ArgumentError.of("comparison", "a Grade (its level is grade.level)", grade)
    hardest = -1 if grade.hardest is None else _RANK[grade.hardest]
    return LEVELS.index(grade.level), hardest, grade.left


def grade(puzzle: Puzzle, meter: Meter | None = None, scale: ScaleName | None = None) -> Grade:
    """Grade a puzzle that has exactly one solution.

    Args:
        puzzle: The puzzle.
        meter: Limits the time; None for no limit.
        scale: Also find the level on the scale of this publisher.

    Raises:
        Contradictory: The puzzle has no solution.
        BudgetExceeded: The time ran out.
    """
    check_clock = (meter or Meter(UNLIMITED)).check_clock
    check_clock()
    if scale is not None:
        level = published(puzzle, scale, check_clock)
        return replace(grade(puzzle, meter), published=level)
    (compiled_grade,) = grade_plain([puzzle])
    path = rounds(puzzle, techniques=GRADED, check_clock=check_clock)
    return compiled_grade or grade_of(puzzle, path)


def grade_each(puzzles: Sequence[Puzzle], meter: Meter | None = None) -> list[Grade]:
    """Grade puzzles of the same shape and rules, each of which has exactly one solution.

    Raises:
        Contradictory: A puzzle has no solution.
        BudgetExceeded: The time ran out.
    """
    return [
        known_grade or grade(puzzle, meter)
        for known_grade, puzzle in zip(grade_plain(puzzles), puzzles, strict=True)
    ]


def grade_of(puzzle: Puzzle, path: Iterable[Sequence[Step]]) -> Grade:
    """Compute the grade of a puzzle from its solving path."""
    placed: list[tuple[str, int]] = []
    looks: dict[str, int] = {}
    number, narrowest, left = 0, len(puzzle.board.cells), puzzle.board.cells.count(OPEN)
    for steps in path:
        name = steps[0].technique
        if steps[0].level == _BEYOND.level:
            break
        cells = sum(len(step.values) for step in steps)
        placed.append((name, cells))
        looks[name] = looks.get(name, 0) + steps[0].depth
        number, left = number + 1, left - cells
        if left:
            narrowest = min(narrowest, cells)
    return _grade(placed_by(placed), looks, number, narrowest, left, len(puzzle.board.cells))


def is_plain(puzzle: Puzzle) -> bool:
    """Whether a puzzle has no signs and lines of up to 64 cells."""
    return not puzzle.signs and max(puzzle.board.height, puzzle.board.width) <= 64


def grade_plain(puzzles: Sequence[Puzzle], tries: bool = True) -> list[Grade | None]:
    """Grade puzzles of the same shape and rules by compiled code.

    Args:
        puzzles: The puzzles.
        tries: Whether to try values on boards of up to 400 cells.

    Returns:
        The grades. None for a puzzle that breaks a rule, and for one that needs trials where values
        are not tried. All are None if there are signs or longer lines, or the kernel lacks a
        technique.
    """
    if not (puzzles and all(map(is_plain, puzzles)) and has_all_techniques()):
        return [None] * len(puzzles)
    board = puzzles[0].board
    shape = Shape.of(board.height, board.width, puzzles[0].rules)
    results, tries = grade_results(cells_of(puzzle.board for puzzle in puzzles), shape, tries)
    return [
        None
        if row[kernel.BROKEN] or (row[kernel.OPEN_CELLS] and not tries)
        else grade_of_result(row, len(board.cells))
        for row in cast("list[list[int]]", results.tolist())
    ]


def grade_results(clues: memoryview, shape: Shape, tries: bool = True) -> tuple[memoryview, bool]:
    """What compiled code finds out about the solving paths of puzzles, as `kernel.RESULT_WORDS`.

    Args:
        clues: n x (h * w) bytes.
        shape: The shape of the boards.
        tries: Whether to try values on boards of up to 400 cells.

    Returns:
        n x `kernel.RESULT_WORDS` numbers, and whether values were tried.
    """
    number = len(clues)
    tries &= shape.height * shape.width <= _MAX_CELLS_FOR_TRIALS
    size = number, kernel.RESULT_WORDS
    results = memoryview(bytearray(8 * size[0] * size[1])).cast("q", size)
    if shape.fits_lanes(number):
        # Imported here, because few puzzles at a time need no lanes.
        from binairo_cp.kernels import lanes

        boards = bytearray(clues)
        lanes.begin_grades(lanes.LaneGrader(*shape.lane_rules()), boards, results)
        clues = memoryview(boards).cast("B", (number, shape.height * shape.width))
    rules = (*shape.directions(kernel.Direction), shape.longest_run)
    kernel.grade_all(kernel.Path(*rules), kernel.Path(*rules), clues, tries, results)
    return results, tries


def cells_of(boards: Iterable[Board]) -> memoryview:
    """The cells of boards of one shape, for compiled code."""
    cells = [board.cells for board in boards]
    return memoryview("".join(cells).encode()).cast("B", (len(cells), len(cells[0])))


def has_all_techniques() -> bool:
    """Whether compiled code has all techniques for boards without signs."""
    return kernel.GRADED == _WITHOUT_SIGNS


def grade_of_result(result: list[int], cells: int) -> Grade:
    """The grade that a row of `grade_results` means, of a board with so many cells."""
    # The kernel has the techniques in the order of `LEVEL_OF`.
    numbers, looks_of = result[kernel.PLACED : kernel.LOOKS], result[kernel.LOOKS :]
    placed, looks = {}, {}
    for name, number, look in zip(kernel.GRADED, numbers, looks_of, strict=True):
        if number:
            placed[name], looks[name] = number, look
    rounds, narrowest = result[kernel.ROUNDS], result[kernel.NARROWEST]
    return _grade(placed, looks, rounds, narrowest, result[kernel.OPEN_CELLS], cells)


def _grade(
    placed: dict[str, int],
    looks: dict[str, int],
    number: int,
    narrowest: int,
    left: int,
    cells: int,
) -> Grade:
    """The grade for these cells of each technique, in the order of `LEVEL_OF`."""
    hardest = next(reversed(placed), None)
    level = LEVEL_OF[hardest] if hardest else LEVELS[0]
    return Grade(
        level=LEVELS[-1] if left else level,
        hardest=hardest,
        placed=placed,
        rounds=number,
        narrowest=narrowest if number > 1 else 0,
        left=left,
        score=round(cost(sum(placed.values()), number, looks | {_BEYOND.name: left}, cells), 1),
    )


@dataclass(frozen=True, slots=True)
class Published:
    """A level of a publisher.

    Attributes:
        level: The name of the level; ``beyond NAME`` if the hardest one, NAME, is not enough.
    """

    scale: ScaleName
    level: str

    def __str__(self) -> str:
        return f"{self.scale}: {self.level}"


def published(puzzle: Puzzle, scale: ScaleName, check_clock: Clock) -> Published:
    """The level of a puzzle with one solution on the scale of a publisher."""
    board = puzzle.board
    level = ""
    for level, techniques in _SCALES[scale].items():
        for steps in rounds(puzzle, board, techniques, check_clock):
            board = filled(board, values_of(steps))
        if OPEN not in board.cells:
            return Published(scale, level)
    return Published(scale, f"beyond {level}")


def _up_to(level: Level) -> tuple[BoardTechnique, ...]:
    levels = LEVELS[: LEVELS.index(level) + 1]
    return tuple(technique for technique in TECHNIQUES if technique.level in levels)


def _named(*names: str) -> tuple[BoardTechnique, ...]:
    return tuple(technique for technique in TECHNIQUES if technique.name in names)


def _single_gaps(position: Position, check_clock: Clock) -> Iterator[Step]:
    """The steps of `count` in lines with one open cell."""
    gaps = {str(line) for line in position.lines if len(line.strip.open_places) == 1}
    (count,) = _named("count")
    for step in count.steps(position, check_clock):
        if step.line in gaps:
            yield step


def _unique_lines(position: Position, _: Clock) -> Iterator[Step]:
    """A line lacks one of a symbol, and it is not where an otherwise equal line has its last one.

    Unlike our own techniques, this does not need a full line: the other line has all of the symbol.
    """
    if not position.puzzle.rules.distinct_lines:
        return
    for line, other, symbol in product(position.lines, position.lines, "01"):
        if other.direction == line.direction and other != line:
            mine, theirs = (set(one.strip.places(symbol)) for one in (line, other))
            complete = other.strip.missing(symbol) == 0 and line.strip.missing(symbol) == 1
            last = [*theirs - mine]
            if complete and len(last) == 1 and line.strip.values[last[0]] == OPEN:
                values, phrase = {line.cell(last[0]): opposite(symbol)}, Phrase((), {})
                yield Step("unique lines", "hard", values, str(line), (), phrase)


_SINGLE_GAPS = BoardTechnique("single gap", "beginner", _single_gaps)
_UNIQUE_LINES = BoardTechnique("unique lines", "hard", _unique_lines)

_TRIVIAL = (*_named("pair", "sandwich"), _SINGLE_GAPS)
_EASY = (*_named("pair", "sandwich", "count"), _UNIQUE_LINES)

_SCALES: dict[ScaleName, dict[str, tuple[BoardTechnique, ...]]] = {
    "sgt": {"trivial": _TRIVIAL, "easy": _EASY, "normal": (*_EASY, *_named("last one"))},
    "puzzle-binairo": {"easy": _up_to("easy"), "hard": _up_to("medium")},
}
