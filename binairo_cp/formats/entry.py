"""A puzzle and its position in a source, or the error that takes its place."""

from __future__ import annotations

from dataclasses import dataclass

from binairo_cp.errors import BinairoError, FormatError
from binairo_cp.puzzle.html import Brief, headed
from binairo_cp.puzzle.rules import CLASSIC, PLUS, Puzzle, Rules, Sign


@dataclass(frozen=True, slots=True, repr=False)
class Entry(Brief):
    """A result of a reader: either `puzzle` or `error` is set.

    Attributes:
        puzzle: the puzzle.
        error: the reason why there is no puzzle.
        id: the name of the puzzle in the source.
        source: the name of the file, ``-`` for standard input.
        line: the first line of the puzzle, counted from 1.
    """

    puzzle: Puzzle | None = None
    error: BinairoError | None = None
    id: str | None = None
    source: str = ""
    line: int | None = None

    def _brief(self) -> str:
        return str(self.error) if self.puzzle is None else self.id or ""

    def _repr_html_(self) -> str:
        """The id, and the puzzle or the error, for notebooks."""
        return headed(self._brief()) + (self.puzzle._repr_html_() if self.puzzle else "")


def rules_for(signs: tuple[Sign, ...], default_rules: Rules | None) -> Rules:
    """The rules of a puzzle that states none: `default_rules`, or else plus with signs or classic.

    Puzzles with signs (Binairo+, Tango) do not require distinct lines, others do.
    """
    return default_rules or (PLUS if signs else CLASSIC)


def one_line(id: str) -> str:
    """Check that an id survives being written on a line of text and read again.

    Raises:
        FormatError: it is empty, begins or ends with a blank, or contains a line break or NUL.
    """
    if not id or id.strip() != id or any(mark in id for mark in "\n\r\0"):
        raise FormatError(f"a line can't hold the id {id!r}")
    return id
