"""What can go wrong, as one tree.

::

    BinairoError
    ├── ArgumentError         a value of another type than a function takes
    ├── BoardError            no board can be like that (size, symbols, ragged rows)
    ├── PuzzleError           rules or signs that no puzzle can have
    ├── FormatError           text that is no puzzle: file, line, column, what was expected
    ├── SourceError           a file that can't be read, or contains no puzzle
    ├── ExportError           a puzzle that a language can't say, or that would take too much room
    ├── RenderError           what can't be drawn as asked, or not without a library
    │   └── FontError         the font has no glyph for a character
    ├── ProofError            a proof that proves nothing: which line, and why
    ├── CertificateError      a certificate that does not hold
    ├── GenerationError       no board or puzzle of the kind that was asked for was found
    ├── ServiceError          a service that can't be started as asked, or can't be reached
    ├── OptionError           an option that does not go with another
    ├── LimitError            a limit that no task can have (a negative time, no solutions at all)
    ├── BudgetExceeded        the work or the time allowed ran out: the answer is unknown
    ├── BackendError          a solver can't be used, or failed
    │   ├── BackendNameError  there is no backend of that name
    │   ├── BackendSizeError  the backend refuses a board of this size
    │   ├── WrongAnswer       a solver's answer is wrong: a board that breaks the rules, or
    │   │                     "no solution" for a puzzle that has one
    │   └── SolverCrash       the process of a solver died
    │       ├── SolverHang    it did not end in its time, and was ended
    │       └── SolverMemory  it took all the memory that it may have
    ├── WorkersError          worker processes can't be started
    ├── ClusterError          a cluster can't be reached, or is gone
    └── Disagreement          two backends decided the same puzzle differently

Each class has a ``kind``: the word by which a result record names it.
"""

from __future__ import annotations

from typing import ClassVar, Literal, Self


class BinairoError(Exception):
    """The root: catching it catches everything that this package raises on purpose."""

    kind: ClassVar[str] = "error"


class ArgumentError(BinairoError, TypeError):
    """A value of another type than a function takes."""

    kind = "argument"

    @classmethod
    def of(cls, what: str, expected: str, value: object) -> Self:
        """The error of a value.

        Args:
            what: the function or argument it is for.
            expected: what would have been right.
            value: the value.
        """
        return cls(f"{what}: expected {expected}, not {type(value).__name__}")


class BoardError(BinairoError, ValueError):
    """No board can be like that: its size, its symbols or the lengths of its rows.

    Args:
        message: what is wrong.
        cell: the row and the column, from 0, of a cell that is wrong.
    """

    kind = "board"

    def __init__(self, message: str, cell: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.cell = cell


class PuzzleError(BinairoError, ValueError):
    """Rules or signs that no puzzle can have."""

    kind = "puzzle"


class FormatError(BinairoError, ValueError):
    """Text that is no puzzle.

    Args:
        message: what is wrong.
        source: the file's name, ``-`` for standard input.
        line: where, counted from 1.
        column: where in the line, counted in characters from 1.
        expected: what would have been right.
        cell: the row and the column on the board, from 0, where one cell is wrong.
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
        """What is wrong and what was expected, for whoever tells the place apart."""
        return f"{self.message}; expected {self.expected}" if self.expected else self.message

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.source, self.line, self.column) if part)
        return f"{place}: {self.without_place}" if place else self.without_place

    def __reduce__(self) -> tuple[object, ...]:
        # An exception with keyword-only arguments can't cross a process border by itself.
        told = (self.message, self.source, self.line, self.column, self.expected, self.cell)
        return _format_error, told


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


class SourceError(BinairoError):
    """A source of puzzles that can't be read, or that holds none.

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


class ExportError(BinairoError):
    """A puzzle that a language for other programs can't say, or that would take too much room."""

    kind = "export"


class RenderError(BinairoError):
    """What can't be drawn as it is asked for, or not without a library that is not there."""

    kind = "render"


class FontError(RenderError):
    """The font has no glyph for a character.

    Args:
        character: the character.
        text: where it stands.
    """

    kind = "font"

    def __init__(self, character: str, text: str) -> None:
        super().__init__(character, text)
        self.character = character
        self.text = text

    def __str__(self) -> str:
        return f"the font has no {self.character!r} for {self.text[:40]!r}"


class ProofError(BinairoError):
    """A proof that can't be read, or that does not refute its clauses."""

    kind = "proof"


class CertificateError(BinairoError):
    """A certificate that does not hold, or is none."""

    kind = "certificate"


class GenerationError(BinairoError):
    """No board or puzzle of the kind that was asked for was found, or there is none."""

    kind = "generation"


class ServiceError(BinairoError):
    """A service that can't be started as it is asked for, or that can't be reached."""

    kind = "service"


class OptionError(BinairoError):
    """An option that does not go with what else is asked for.

    Args:
        option: its name.
        message: what is wrong.
        other: the option that the message ends with, if any.
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
    """A limit that no task can have."""

    kind = "limit"


class BudgetExceeded(BinairoError):
    """The work or the time allowed ran out before the search ended: the answer is *unknown*.

    Args:
        by: what ran out.
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
    """The process of a solver did not end in its time, and was ended."""

    kind = "hang"

    def __init__(
        self, message: str = "the solver's process did not end in its time, and was ended"
    ) -> None:
        super().__init__(message)


class SolverMemory(SolverCrash):
    """The process of a solver took all the memory that it may have."""

    kind = "memory"


class WorkersError(BinairoError):
    """Worker processes can't be started: the system gives too few files or too little memory."""

    kind = "workers"


class ClusterError(BinairoError):
    """A cluster can't be reached, or is gone."""

    kind = "cluster"


class Disagreement(BinairoError):
    """Two backends decided the same puzzle differently: at least one of them is wrong."""

    kind = "disagreement"
