"""The exception classes, as one tree.

::

    BinairoError
    ├── ArgumentError         an argument of the wrong type
    ├── BoardError            an invalid board (size, symbols, ragged rows)
    │   └── MoveError         a move that is none, or not on the board
    ├── PuzzleError           invalid rules or signs
    ├── FormatError           text that is not a puzzle: file, line, column, what was expected
    ├── SourceError           a file that can't be read, or contains no puzzle
    │   └── UnsureError       a picture in which a cell or a sign can't be told for sure
    ├── ExportError           a puzzle that an export format can't express, or that is too large
    ├── RenderError           a drawing that is not supported, or needs a missing library
    │   └── FontError         the font has no glyph for a character
    ├── ProofError            an invalid proof: line and reason
    ├── CertificateError      a certificate that does not hold
    ├── GenerationError       no board or puzzle with the requested properties was found
    ├── ServiceError          a service that can't be started or reached
    ├── OptionError           an option that contradicts another option
    ├── LimitError            an invalid limit (a negative time, zero solutions)
    ├── BudgetExceeded        the time or work limit was reached: the answer is unknown
    ├── BackendError          a solver can't be used, or failed
    │   ├── BackendNameError  there is no backend of that name
    │   ├── BackendSizeError  the backend refuses a board of this size
    │   ├── WrongAnswer       a wrong answer of a solver: a board that breaks the rules, or
    │   │                     "no solution" for a puzzle that has one
    │   └── SolverCrash       the solver's process died
    │       ├── SolverHang    it exceeded its time limit and was killed
    │       └── SolverMemory  it reached its memory limit
    ├── WorkersError          worker processes can't be started
    ├── ClusterError          a cluster can't be reached, or the connection is lost
    └── Disagreement          two backends decided the same puzzle differently

Each class has a ``kind``, its name in result records.
"""

from __future__ import annotations

import unicodedata
from typing import Any, ClassVar, Literal, Self


class BinairoError(Exception):
    """The base class of all exceptions that this package raises on purpose."""

    kind: ClassVar[str] = "error"

    def __init_subclass__(cls, kind: str = "") -> None:
        cls.kind = kind or cls.kind


class ArgumentError(BinairoError, TypeError, kind="argument"):
    """An argument of the wrong type."""

    @classmethod
    def of(cls, what: str, expected: str, value: object) -> Self:
        """Create the error for a value.

        Args:
            what: the function or argument that got the value.
            expected: the expected type, in words.
            value: the value.
        """
        return cls(f"{what}: expected {expected}, not {type(value).__name__}")


class BoardError(BinairoError, ValueError, kind="board"):
    """An invalid board: its size, its symbols or the lengths of its rows.

    Args:
        message: what is wrong.
        cell: row and column of the wrong cell, from 0.
    """

    def __init__(self, message: str, cell: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.cell = cell


class MoveError(BoardError, kind="move"):
    """A move that is none, or not on the board."""


class PuzzleError(BinairoError, ValueError, kind="puzzle"):
    """Invalid rules or signs."""


class FormatError(BinairoError, ValueError, kind="format"):
    """Text that is not a puzzle.

    Args:
        message: what is wrong.
        source: the name of the file, ``-`` for standard input.
        line: the line, counted from 1.
        column: the column in characters, counted from 1.
        expected: what was expected.
        cell: row and column of the wrong cell on the board, from 0.
    """

    def __init__(
        self,
        message: str,
        *,
        source: str = "",
        line: int | None = None,
        column: int | None = None,
        expected: str = "",
        cell: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.line = line
        self.column = column
        self.expected = expected
        self.cell = cell

    @property
    def without_place(self) -> str:
        """The message and what was expected, without the position."""
        return f"{self.message}; expected {self.expected}" if self.expected else self.message

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.source, self.line, self.column) if part)
        return f"{place}: {self.without_place}" if place else self.without_place


class WrongSolution(FormatError):
    """The solution that stands beside a puzzle does not solve it.

    Args:
        problem: what is wrong with it.
        puzzle: the puzzle.
        source: the name of the file.
        line: the line, counted from 1.
    """

    def __init__(self, problem: str, puzzle: object, source: str, line: int | None) -> None:
        message = f"the solution beside the puzzle is wrong: {problem}"
        expected = "its solution, or the puzzle alone"
        super().__init__(message, source=source, line=line, expected=expected)
        self.problem = problem
        self.puzzle = puzzle

    def __reduce__(self) -> tuple[object, ...]:
        return WrongSolution, (self.problem, self.puzzle, self.source, self.line)


class SourceError(BinairoError, kind="source"):
    """A source of puzzles that can't be read, or that contains none.

    Args:
        source: its name.
        message: what is wrong.
    """

    def __init__(self, source: str, message: str) -> None:
        super().__init__(source, message)
        self.source = source
        self.without_place = message

    def __str__(self) -> str:
        return f"{self.source}: {self.without_place}"


class UnsureError(SourceError, kind="unsure"):
    """A picture in which a cell or a sign can't be told for sure; the message names the cells."""


class ExportError(BinairoError, kind="export"):
    """A puzzle that an export format can't express, or that is too large for it."""


class RenderError(BinairoError, kind="render"):
    """A drawing that is not supported, or that needs a library that is not installed."""


_FAMILIES = {
    **dict.fromkeys(("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "IDEOGRAPHIC"), "Noto Sans CJK"),
    **{name.upper(): f"Noto Sans {name}" for name in ("Arabic", "Hebrew", "Devanagari", "Thai")},
}
"""Free fonts, by the first word of the names of characters."""


class FontError(RenderError, kind="font"):
    """The font has no glyph for a character.

    Args:
        character: the character.
        text: the text that contains it.
    """

    def __init__(self, character: str, text: str) -> None:
        super().__init__(character, text)
        self.character = character
        self.text = text

    def __str__(self) -> str:
        script = unicodedata.name(self.character, "").split(" ")[0].split("-")[0]
        family = _FAMILIES.get(script)
        known = f", which a font such as {family} has" if family else ""
        return f"the font has no {self.character!r} for {self.text[:40]!r}{known}"


class ProofError(BinairoError, kind="proof"):
    """A proof that can't be read, or that does not refute its clauses."""


class CertificateError(BinairoError, kind="certificate"):
    """A file that is not a certificate, or a certificate that does not hold.

    Args:
        message: what is wrong.
        checkers: the answers of all proof checkers (`formats.results.CheckerRecord`), if one of the
            other checkers rejects the proof.
    """

    def __init__(self, message: str, checkers: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.checkers = checkers


class GenerationError(BinairoError, kind="generation"):
    """No board or puzzle with the requested properties was found, or none exists."""


class ServiceError(BinairoError, kind="service"):
    """A service that can't be started or reached."""


class OptionError(BinairoError, kind="option"):
    """An option that contradicts another option or argument.

    Args:
        option: the name of the option.
        message: what is wrong.
        other: the other option, which the message ends with, if any.
    """

    def __init__(self, option: str, message: str, other: str = "") -> None:
        super().__init__(option, message, other)
        self.option = option
        self.message = message
        self.other = other

    def __str__(self) -> str:
        return f"{self.option}: {self.message} {self.other}".rstrip()


class LimitError(BinairoError, ValueError, kind="limit"):
    """An invalid limit, such as a negative time."""


class BudgetExceeded(BinairoError, kind="budget"):
    """The search reached its time or work limit: the answer is *unknown*.

    Args:
        by: the limit that was reached.
    """

    def __init__(self, by: Literal["time", "work"]) -> None:
        super().__init__(by)
        self.by = by

    def __str__(self) -> str:
        return f"the {self.by} allowed ran out"


class BackendError(BinairoError, kind="backend"):
    """A solver can't be used, or failed."""


class BackendNameError(BackendError, LookupError, kind="backend-name"):
    """There is no backend of that name."""

    def __str__(self) -> str:
        return str(self.args[0])


class BackendSizeError(BackendError, kind="backend-size"):
    """The backend refuses a board of this size, since its model would not fit in memory."""


class WrongAnswer(BackendError, kind="wrong-answer"):
    """A solver returned a board that breaks the rules, or found no solution where there is one."""


class SolverCrash(BackendError, kind="crash"):
    """The process of a solver died."""


class SolverHang(SolverCrash, kind="hang"):
    """The process of a solver exceeded its time limit and was killed."""

    def __init__(
        self, message: str = "the solver's process exceeded its time limit and was killed"
    ) -> None:
        super().__init__(message)


class SolverMemory(SolverCrash, kind="memory"):
    """The process of a solver reached its memory limit."""


class WorkersError(BinairoError, kind="workers"):
    """Worker processes can't be started: the system allows too few files or too little memory."""


class ClusterError(BinairoError, kind="cluster"):
    """A cluster can't be reached, or the connection is lost."""


class Disagreement(BinairoError, kind="disagreement"):
    """Two backends decided the same puzzle differently: at least one of them is wrong."""
