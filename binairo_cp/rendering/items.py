"""Puzzles to draw, with their solutions and grades."""

from __future__ import annotations

from dataclasses import dataclass

from binairo_cp.formats import Entry
from binairo_cp.formats.schema import Level
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.solutions import Verdict

NOT_UNIQUE: dict[Verdict, str] = {
    Verdict.MULTIPLE: "several solutions",
    Verdict.NONE: "no solution",
    Verdict.UNKNOWN: "not decided",
}
"""The note on a puzzle that does not have exactly one solution."""


@dataclass(frozen=True, slots=True)
class Item:
    """A puzzle to draw.

    Attributes:
        puzzle: the puzzle.
        id: its name.
        entry: the input entry it was read from.
        number: its place among the drawn puzzles, from 1.
        verdict: the result of solving it; None if it was not solved.
        solution: a solution; the only one if the verdict is unique.
        level: its grade; None if it was not graded.
        seconds: the time left to spend on it; None without a limit.
    """

    puzzle: Puzzle
    id: str
    entry: Entry
    number: int = 0
    verdict: Verdict | None = None
    solution: Board | None = None
    level: Level | None = None
    seconds: float | None = None

    @property
    def note(self) -> str:
        """Why it is not a proper puzzle, in two words; empty if unique or not solved."""
        return NOT_UNIQUE.get(self.verdict, "") if self.verdict else ""
