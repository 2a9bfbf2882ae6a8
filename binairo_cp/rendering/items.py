"""Puzzles to draw, with what is known of them."""

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
"""What is said of a puzzle that has not exactly one solution."""


@dataclass(frozen=True, slots=True)
class Item:
    """A puzzle that is drawn.

    Attributes:
        puzzle: the puzzle.
        id: its name.
        entry: where it comes from.
        number: its place among those that are drawn, from 1.
        verdict: what is known of it; None if nobody asked.
        solution: a solution; the only one if the verdict is unique.
        level: how hard it is.
        seconds: how long may still be spent on it; None for no bound.
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
        """What is wrong with it, in two words."""
        return NOT_UNIQUE.get(self.verdict, "") if self.verdict else ""
