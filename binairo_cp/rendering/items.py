"""Puzzles to draw, with their solutions and grades."""

from __future__ import annotations

from dataclasses import dataclass

from binairo_cp.deduction.styles import USUAL, Style
from binairo_cp.formats import Entry
from binairo_cp.formats.results import Level
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.rendering import texts
from binairo_cp.solving.solutions import Verdict


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

    def note(self, style: Style = USUAL) -> str:
        """Why it is not a proper puzzle, in two words; empty if unique or not solved."""
        return texts.note(self.verdict.value, style.language) if self.verdict else ""

    def words(
        self, style: Style = USUAL, *, names_rules: bool = True, names_level: bool = True
    ) -> list[str]:
        """The parts of its caption: its grade, its unusual rules, its note."""
        level = self.level if names_level else None
        grade = texts.said(texts.LEVELS[level], style.language) if level else ""
        rules = texts.rules_caption(self.puzzle, style) if names_rules else ""
        return [part for part in (grade, rules, self.note(style)) if part]
