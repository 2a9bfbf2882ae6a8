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


class ArgumentError(BinairoError, TypeError):
    """An argument of the wrong type."""

    kind = "argument"

    @classmethod
    def of(cls, what: str, expected: str, value: object) -> Self:
        """Create the error for a value.

        Args:
            what: the function or argument that got the value.
            expected: the expected type, in words.
            value: the value.
        """
        return cls(f"{what}: expected {expected}, not {type(value).__name__}")


class BoardError(BinairoError, ValueError):
    """An invalid board: its size, its symbols or the lengths of its rows.

    Args:
        message: what is wrong.
        cell: row and column of the wrong cell, from 0.
    """

    kind = "board"

    def __init__(self, message: str, cell: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.cell = cell


class MoveError(BoardError):
    """A move that is none, or not on the board."""

    kind = "move"


class PuzzleError(BinairoError, ValueError):
    """Invalid rules or signs."""

    kind = "puzzle"


class FormatError(BinairoError, ValueError):
    """Text that is not a puzzle.

    Args:
        message: what is wrong.
        source: the name of the file, ``-`` for standard input.
        line: the line, counted from 1.
        column: the column in characters, counted from 1.
        expected: what was expected.
        cell: row and column of the wrong cell on the board, from 0.
    """

    kind = "format"

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

    def __reduce__(self) -> tuple[object, ...]:
        # By default, pickle can't restore an exception with keyword-only arguments.
        values = (self.message, self.source, self.line, self.column, self.expected, self.cell)
        return _format_error, values


def _format_error(
    message: str,
    source: str,
    line: int | None,
    column: int | None,
    expected: str,
    cell: tuple[int, int] | None,
) -> FormatError:
    return FormatError(
        message, source=source, line=line, column=column, expected=expected, cell=cell
    )


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


class SourceError(BinairoError):
    """A source of puzzles that can't be read, or that contains none.

    Args:
        source: its name.
        message: what is wrong.
    """

    kind = "source"

    def __init__(self, source: str, message: str) -> None:
        super().__init__(source, message)
        self.source = source
        self.without_place = message

    def __str__(self) -> str:
        return f"{self.source}: {self.without_place}"


class UnsureError(SourceError):
    """A picture in which a cell or a sign can't be told for sure; the message names the cells."""

    kind = "unsure"


class ExportError(BinairoError):
    """A puzzle that an export format can't express, or that is too large for it."""

    kind = "export"


class RenderError(BinairoError):
    """A drawing that is not supported, or that needs a library that is not installed."""

    kind = "render"


_FAMILIES = {
    **dict.fromkeys(("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "IDEOGRAPHIC"), "Noto Sans CJK"),
    **{name.upper(): f"Noto Sans {name}" for name in ("Arabic", "Hebrew", "Devanagari", "Thai")},
}
"""Free fonts, by the first word of the names of characters."""


class FontError(RenderError):
    """The font has no glyph for a character.

    Args:
        character: the character.
        text: the text that contains it.
    """

    kind = "font"

    def __init__(self, character: str, text: str) -> None:
        super().__init__(character, text)
        self.character = character
        self.text = text

    def __str__(self) -> str:
        script = unicodedata.name(self.character, "").split(" ")[0].split("-")[0]
        family = _FAMILIES.get(script)
        known = f", which a font such as {family} has" if family else ""
        return f"the font has no {self.character!r} for {self.text[:40]!r}{known}"


class ProofError(BinairoError):
    """A proof that can't be read, or that does not refute its clauses."""

    kind = "proof"


class CertificateError(BinairoError):
    """A file that is not a certificate, or a certificate that does not hold.

    Args:
        message: what is wrong.
        checkers: the answers of all proof checkers (`formats.results.CheckerRecord`), if one of the
            other checkers rejects the proof.
    """

    kind = "certificate"

    def __init__(self, message: str, checkers: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.checkers = checkers


class GenerationError(BinairoError):
    """No board or puzzle with the requested properties was found, or none exists."""

    kind = "generation"


class ServiceError(BinairoError):
    """A service that can't be started or reached."""

    kind = "service"


class OptionError(BinairoError):
    """An option that contradicts another option or argument.

    Args:
        option: the name of the option.
        message: what is wrong.
        other: the other option, which the message ends with, if any.
    """

    kind = "option"

    def __init__(self, option: str, message: str, other: str = "") -> None:
        super().__init__(option, message, other)
        self.option = option
        self.message = message
        self.other = other

    def __str__(self) -> str:
        return f"{self.option}: {self.message} {self.other}".rstrip()


class LimitError(BinairoError, ValueError):
    """An invalid limit, such as a negative time."""

    kind = "limit"


class BudgetExceeded(BinairoError):
    """The search reached its time or work limit: the answer is *unknown*.

    Args:
        by: the limit that was reached.
    """

    kind = "budget"

    def __init__(self, by: Literal["time", "work"]) -> None:
        super().__init__(by)
        self.by = by

    def __str__(self) -> str:
        return f"the {self.by} allowed ran out"


class BackendError(BinairoError):
    """A solver can't be used, or failed."""

    kind = "backend"


class BackendNameError(BackendError, LookupError):
    """There is no backend of that name."""

    kind = "backend-name"

    def __str__(self) -> str:
        return str(self.args[0])


class BackendSizeError(BackendError):
    """The backend refuses a board of this size, since its model would not fit in memory."""

    kind = "backend-size"


class WrongAnswer(BackendError):
    """A solver returned a board that breaks the rules, or found no solution where there is one."""

    kind = "wrong-answer"


class SolverCrash(BackendError):
    """The process of a solver died."""

    kind = "crash"


class SolverHang(SolverCrash):
    """The process of a solver exceeded its time limit and was killed."""

    kind = "hang"

    def __init__(
        self, message: str = "the solver's process exceeded its time limit and was killed"
    ) -> None:
        super().__init__(message)


class SolverMemory(SolverCrash):
    """The process of a solver reached its memory limit."""

    kind = "memory"


class WorkersError(BinairoError):
    """Worker processes can't be started: the system allows too few files or too little memory."""

    kind = "workers"


class ClusterError(BinairoError):
    """A cluster can't be reached, or the connection is lost."""

    kind = "cluster"


class Disagreement(BinairoError):
    """Two backends decided the same puzzle differently: at least one of them is wrong."""

    kind = "disagreement"
