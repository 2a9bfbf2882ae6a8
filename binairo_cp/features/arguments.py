"""Arguments of the functions: puzzles in any form, and options with the bounds of the commands."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from binairo_cp.errors import ArgumentError, BinairoError, FormatError, OptionError
from binairo_cp.puzzle.board import Board, plain_board
from binairo_cp.puzzle.cell_values import is_board, is_table
from binairo_cp.puzzle.grids import LEAST, square
from binairo_cp.puzzle.rules import CLASSIC, PRESETS, Puzzle, Rules

if TYPE_CHECKING:
    from binairo_cp.formats import Entry

RulesLike = Rules | str
"""Rules, or the name of a preset: classic, unruly, plus or tango."""


class HasPuzzle(Protocol):
    """An object with a puzzle: an `Entry` of a file, or a `GeneratedPuzzle`."""

    @property
    def puzzle(self) -> Puzzle | None:
        """The puzzle; None if it can't be read."""


class HasCells(Protocol):
    """An array, or a data frame."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its height and its width."""


Name = str | os.PathLike[str]
"""The name of a file."""

PuzzleLike = Puzzle | Board | str | HasPuzzle | HasCells | Sequence[Any]
"""A puzzle, a board of clues, text in any format, an object with a puzzle, or the rows of a board:
nested lists, an h x w array or a data frame, as in `Board.from_rows`."""

MOST_WORKERS = 512
"""The most worker processes of a command, a function or a server."""

_CELLS = re.compile(r"[01._?-]+")

_EXPECTED = "a Puzzle, a Board, text, rows or an object with a puzzle"

_ROWS = (
    "one row per line ('\\n'.join(rows)), Board.from_rows(rows), "
    "or the size before the cells, as in 4x6:"
)

_READ = " (read returns the puzzles of a file)"

_INSTEAD: dict[type[Any], str] = {
    bytes: " (its decode method makes text of it)",
    Mapping: " (json.dumps makes text of a record)",
    Iterator: " (check_many takes several puzzles)",
    os.PathLike: _READ,
}
"""What to do with values of other types."""


def puzzle_of(value: PuzzleLike, rules: RulesLike | None = None) -> Puzzle:
    """The puzzle that an argument stands for.

    Args:
        value: the argument.
        rules: the rules for boards, text and entries that state none.

    Raises:
        FormatError: the text is not one puzzle.
        OptionError: there are no rules of that name, or the puzzle has others.
        ArgumentError: the argument has another type.
        BoardError: the rows are not a board.
        BinairoError: the puzzle could not be read.
    """
    chosen = rules_of(rules)
    if isinstance(value, Board):
        return Puzzle(value, chosen or CLASSIC)
    if isinstance(value, str):
        return _parsed(value, chosen)
    if _is_rows(value):
        return Puzzle(Board.from_rows(value), chosen or CLASSIC)  # type: ignore[arg-type]
    puzzle = value if isinstance(value, Puzzle) else getattr(value, "puzzle", None)
    if puzzle is None and isinstance(error := getattr(value, "error", None), BinairoError):
        raise error
    if not isinstance(puzzle, Puzzle):
        expected = next(
            (advice for kind, advice in _INSTEAD.items() if isinstance(value, kind)), ""
        )
        raise ArgumentError.of("puzzle", f"{_EXPECTED}{expected}", value)
    return under(puzzle, value, chosen)


def under(puzzle: Puzzle, value: object, rules: Rules | None) -> Puzzle:
    """A puzzle under the rules that an option states for puzzles which do not name their own.

    Args:
        puzzle: the puzzle.
        value: where it comes from. An entry of a file knows whether the file states the rules, and
            keeps those; a puzzle always states them.
        rules: the rules of the option, if there is one.

    Raises:
        OptionError: the puzzle itself has others.
    """
    if rules is None or rules == puzzle.rules:
        return puzzle
    states_rules = getattr(value, "states_rules", None)
    if states_rules is None:
        raise OptionError("rules", "differs from the rules of the puzzle; use dataclasses.replace")
    return puzzle if states_rules else replace(puzzle, rules=rules)


def _is_rows(value: object) -> bool:
    """Whether this is the rows of a board: a list, an array or a table."""
    if is_table(value) or hasattr(value, "dtype"):
        if getattr(value, "ndim", 2) == 2:
            return True
        expected = "a board, height x width (check_many takes several puzzles)"
        raise ArgumentError(
            f"puzzle: expected {expected}, not {type(value).__name__} "
            f"with the shape {getattr(value, 'shape', ())}"
        )
    if not isinstance(value, list | tuple) or hasattr(value, "puzzle"):
        return False
    if any(isinstance(row, Puzzle | Board) or hasattr(row, "puzzle") for row in value):
        raise ArgumentError("puzzle: expected one, not several; check_many takes a list of puzzles")
    is_text = len(value) > 0 and all(isinstance(row, str) for row in value)
    if is_text and (
        len(value) == 1 or all(len(row) >= LEAST and square(len(row)) for row in value)
    ):
        raise ArgumentError(
            "puzzle: the texts of a list could be rows or puzzles; Board.from_rows takes rows, "
            "check_many several puzzles"
        )
    return True


def _parsed(text: str, rules: Rules | None) -> Puzzle:
    if board := plain_board(text):
        return Puzzle(board, rules or CLASSIC)
    if not text.strip():
        raise FormatError("the text is empty", expected="a puzzle")
    # Imported here, because the readers load pydantic.
    from binairo_cp.formats import read_bytes, registry

    if "\n" not in text and os.path.splitext(text)[1] in registry.suffixes():
        raise FormatError(f"{text!r} is the name of a file", expected=f"a puzzle{_READ}")
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise FormatError("a character that is not Unicode", column=error.start + 1) from error
    entries = list(read_bytes(data, "", default_rules=rules))
    for entry in entries:
        if entry.error:
            if isinstance(entry.error, FormatError) and _CELLS.fullmatch(text):
                raise FormatError(entry.error.message, expected=_ROWS)
            raise entry.error
    if len(entries) != 1 or entries[0].puzzle is None:
        raise FormatError(f"{len(entries)} puzzles", expected="one; use read or check_many")
    return entries[0].puzzle


def rules_of(rules: RulesLike | None) -> Rules | None:
    """The rules with a name.

    Raises:
        OptionError: there are no rules of that name.
    """
    if rules is None or isinstance(rules, Rules):
        return rules
    if not isinstance(rules, str):
        raise ArgumentError.of("rules", "Rules, such as UNRULY, or their name", rules)
    if rules not in PRESETS:
        raise OptionError("rules", f"expected one of {', '.join(PRESETS)}, not {rules!r}")
    return PRESETS[rules]


def path_of(name: Any, what: str = "out") -> str:
    """The name of a file.

    Raises:
        ArgumentError: it is neither text nor a path, or it is empty.
    """
    if not isinstance(name, str | os.PathLike):
        raise ArgumentError.of(what, "the name of a file", name)
    path = os.fspath(name)
    if not path:
        raise OptionError(what, "the name of the file is empty")
    return os.fsdecode(path)


def names_of(names: Name | Iterable[Name], what: str) -> list[str]:
    """The names of one or several files.

    Raises:
        ArgumentError: they are no names.
    """
    several = [names] if isinstance(names, str | os.PathLike) else names
    if not isinstance(several, Iterable):
        raise ArgumentError.of(what, "the names of files", names)
    return [path_of(name, what) for name in several]


def suffix_of(name: str) -> str:
    """The ending of a name, without the ending of gzip."""
    return os.path.splitext(name.removesuffix(".gz"))[1].lower()


def check_workers(workers: Any) -> None:
    """Check a number of worker processes.

    Raises:
        ArgumentError: it is not a whole number.
        OptionError: it is out of bounds.
    """
    if not isinstance(workers, int) or isinstance(workers, bool):
        raise ArgumentError.of("workers", "a whole number", workers)
    if not 1 <= workers <= MOST_WORKERS:
        raise OptionError("workers", f"expected 1 to {MOST_WORKERS}, not {workers}")


def cells_of(value: PuzzleLike | None) -> str | None:
    """The cells of a board, row by row; text as it is."""
    return value if value is None or isinstance(value, str) else puzzle_of(value).board.cells


def several(values: PuzzleLike | Iterable[PuzzleLike]) -> Iterator[PuzzleLike]:
    """The arguments one by one, if there may be one or several. Texts in a list are several."""
    is_one = isinstance(values, Puzzle | Board | str) or hasattr(values, "puzzle")
    if is_one or is_table(values) or is_board(values) or getattr(values, "ndim", 1) == 2:
        yield values  # type: ignore[misc]  # it has a puzzle
    elif isinstance(values, Iterable) and not isinstance(values, bytes | Mapping):
        check_texts(values)
        yield from values
    else:
        raise ArgumentError.of("puzzles", f"{_EXPECTED}, or several", values)


def entries_of(
    puzzles: PuzzleLike | Iterable[PuzzleLike], rules: RulesLike | None
) -> Iterable[Entry]:
    """Puzzles with their ids, if they have any."""
    from binairo_cp.formats import Entry

    for puzzle in several(puzzles):
        yield Entry(puzzle_of(puzzle, rules), id=getattr(puzzle, "id", None))


def check_texts(puzzles: object) -> None:
    """Check that a list of texts is not more likely the rows of one small board.

    Rows of other lengths are no squares, so that their errors say what is wrong. There are
    collections of 4x4 puzzles, so 16 texts of 16 cells are only warned of.

    Raises:
        FormatError: there are so many texts as each has cells, 4 or 9.
    """
    if not isinstance(puzzles, list | tuple) or len(puzzles) not in (4, 9, 16):
        return
    side = len(puzzles)
    if not all(isinstance(text, str) and len(text) == side for text in puzzles):
        return
    message = f"{side} texts of {side} cells could be the rows of one puzzle"
    if side < LEAST:
        raise FormatError(message, expected="Board.from_rows(rows) for rows, or larger puzzles")
    warnings.warn(
        f"{message}; they are taken for {side} puzzles of 4x4. Board.from_rows takes rows",
        stacklevel=4,
    )
