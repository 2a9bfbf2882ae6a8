"""A puzzle with the place it comes from, or what is wrong in its stead."""

from __future__ import annotations

from dataclasses import dataclass

from binairo_cp.errors import BinairoError, FormatError
from binairo_cp.puzzle.rules import CLASSIC, PLUS, Puzzle, Rules, Sign


@dataclass(frozen=True, slots=True)
class Entry:
    """What a reader yields: either `puzzle` or `error` is there.

    Attributes:
        puzzle: what was read.
        error: why there is no puzzle.
        id: the name that the source gives the puzzle.
        source: the file's name, ``-`` for standard input.
        line: where the puzzle begins, counted from 1.
    """

    puzzle: Puzzle | None = None
    error: BinairoError | None = None
    id: str | None = None
    source: str = ""
    line: int | None = None


def rules_for(signs: tuple[Sign, ...], asked: Rules | None) -> Rules:
    """The rules of a puzzle that says nothing of them: those asked for, else those usual for it.

    Boards with signs (Binairo+, Tango) are played without distinct lines, others with.
    """
    return asked or (PLUS if signs else CLASSIC)


def one_line(id: str) -> str:
    """An id as it can stand in a line of text, so that it is read again as it was.

    Raises:
        FormatError: it can't: it is empty, blank at an end, or holds what no line may hold.
    """
    if not id or id.strip() != id or any(mark in id for mark in "\n\r\0"):
        raise FormatError(f"a line can't hold the id {id!r}")
    return id
