"""The levels of some publishers: what each of their levels needs.

A publisher's level is a set of techniques. A puzzle has the first level of the scale whose
techniques solve it. docs/deduction.md compares the scales with the publishers' own puzzles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from binairo_cp.deduction.contradiction import Clock
from binairo_cp.deduction.driver import TECHNIQUES, BoardTechnique, rounds
from binairo_cp.deduction.position import Position
from binairo_cp.deduction.steps import Step
from binairo_cp.deduction.techniques import LEVELS, Level
from binairo_cp.deduction.wording import Phrase
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.rules import Puzzle

ScaleName = Literal["sgt", "puzzle-binairo"]


@dataclass(frozen=True, slots=True)
class Published:
    """A level of a publisher.

    Attributes:
        scale: The name of the publisher's scale.
        level: The name of the level; ``beyond NAME`` if the hardest one, NAME, is not enough.
    """

    scale: ScaleName
    level: str

    def __str__(self) -> str:
        return f"{self.scale}: {self.level}"

    def to_dict(self) -> dict[str, str]:
        """The field ``published`` of a grade in a result record."""
        return {"scale": self.scale, "level": self.level}


def published(puzzle: Puzzle, scale: ScaleName, check_clock: Clock) -> Published:
    """The level of a puzzle with one solution on the scale of a publisher.

    Args:
        puzzle: The puzzle.
        scale: The name of the scale.
        check_clock: Is called regularly, and may raise.
    """
    board = puzzle.board
    level = ""
    for level, techniques in _SCALES[scale].items():
        position = Position(puzzle, board)
        for steps in rounds(puzzle, board, techniques, check_clock):
            position = position.with_values(
                {cell: value for step in steps for cell, value in step.values.items()}
            )
        board = position.board
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
    for line in position.lines:
        for other in position.lines:
            for symbol in "01" if other.direction == line.direction and other != line else "":
                mine, theirs = (set(each.strip.places(symbol)) for each in (line, other))
                complete = other.strip.missing(symbol) == 0 and line.strip.missing(symbol) == 1
                last = theirs - mine
                if complete and len(last) == 1:
                    (place,) = last
                    if line.strip.values[place] == OPEN:
                        values = {line.cell(place): "10"[int(symbol)]}
                        phrase = Phrase((), {})
                        yield Step("unique lines", "hard", values, str(line), (), phrase)


_SINGLE_GAPS = BoardTechnique("single gap", "beginner", _single_gaps)
_UNIQUE_LINES = BoardTechnique("unique lines", "hard", _unique_lines)

_TRIVIAL = (*_named("pair", "sandwich"), _SINGLE_GAPS)
_EASY = (*_named("pair", "sandwich", "count"), _UNIQUE_LINES)

_SCALES: dict[ScaleName, dict[str, tuple[BoardTechnique, ...]]] = {
    "sgt": {"trivial": _TRIVIAL, "easy": _EASY, "normal": (*_EASY, *_named("last one"))},
    "puzzle-binairo": {"easy": _up_to("easy"), "hard": _up_to("medium")},
}
