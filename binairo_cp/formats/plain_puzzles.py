"""Puzzles of one shape in arrays, without one object per puzzle."""

from __future__ import annotations

from dataclasses import dataclass

from binairo_cp.formats.slices import Bytes, Numbers, Slices
from binairo_cp.puzzle.rules import Rules

Signs = tuple[tuple[int, int, str, str], ...]


@dataclass(frozen=True, slots=True)
class PlainPuzzles:
    """Puzzles of one shape under the same rules.

    Attributes:
        rules: the rules of all of them.
        clues: n x height x width bytes ``0``, ``1`` and ``.``.
        lines: the line of each puzzle in the block, from 0.
        ids: their ids in UTF-8; empty for puzzles without one.
        signs: the signs of each puzzle, sorted; None if none has any.
    """

    rules: Rules
    clues: Bytes
    lines: Numbers
    ids: Slices
    signs: list[Signs] | None = None
