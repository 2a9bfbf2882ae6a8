"""The two readings of a puzzle whose source does not say whether lines must be distinct."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol, TypeVar

from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.solutions import Verdict

PREFERENCE = (
    Verdict.UNIQUE,
    Verdict.SOLVED,
    Verdict.UNKNOWN,
    Verdict.MULTIPLE,
    Verdict.NONE,
)
"""The verdicts, the best first: a puzzle counts as unique if it is unique in one reading."""


def readings(puzzle: Puzzle) -> dict[str, Puzzle]:
    """The puzzle with distinct lines (classic) and without (unruly)."""
    return {
        "classic": replace(puzzle, rules=replace(puzzle.rules, distinct_lines=True)),
        "unruly": replace(puzzle, rules=replace(puzzle.rules, distinct_lines=False)),
    }


class HasVerdict(Protocol):
    """An outcome, or its record."""

    @property
    def verdict(self) -> Verdict: ...


Decided = TypeVar("Decided", bound=HasVerdict)


def best(outcomes: Iterable[Decided]) -> Decided:
    """The outcome with the best verdict; the first of several."""
    return min(outcomes, key=lambda outcome: PREFERENCE.index(outcome.verdict))
