"""Arguments of the functions: puzzles in any form, and options with the bounds of the commands."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from math import isqrt
from typing import Any, Protocol

from binairo_cp.errors import ArgumentError, BinairoError, FormatError, OptionError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.grids import normalised
from binairo_cp.puzzle.rules import CLASSIC, PRESETS, Puzzle, Rules

RulesLike = Rules | str
"""Rules, or the name of a preset: classic, unruly, plus or tango."""


class HasPuzzle(Protocol):
    """An object with a puzzle: an `Entry` of a file, or a `GeneratedPuzzle`."""

    @property
    def puzzle(self) -> Puzzle | None:
        """The puzzle; None if it can't be read."""


PuzzleLike = Puzzle | Board | str | HasPuzzle
"""A puzzle, a board of clues, text in any format, or an object with a puzzle."""

LEAST_CELLS = 16
"""A row of fewer cells could be many things; the readers name them."""

_CELLS = re.compile(r"[01._?-]+")

_ROWS = (
    "one row per line ('\\n'.join(rows)), Board.from_rows(rows), "
    "or the size before the cells, as in 4x6:"
)

_EXPECTED = "a Puzzle, a Board, text or an object with a puzzle"

_READ = " (read returns the puzzles of a file)"

_ARRAYS = " (Board.from_numpy takes an array of bytes, check_many several)"

_INSTEAD: dict[type[Any], str] = {
    list: " (one element of a list; Board.from_rows takes a list of rows)",
    os.PathLike: _READ,
}
"""What to do with values of other types."""


def puzzle_of(value: PuzzleLike, rules: RulesLike | None = None) -> Puzzle:
    """The puzzle that an argument stands for.

    Args:
        value: the argument.
        rules: the rules for boards and text that state none.

    Raises:
        FormatError: the text is not one puzzle.
        OptionError: there are no rules of that name, or the puzzle has others.
        ArgumentError: the argument has another type.
        BinairoError: the puzzle could not be read.
    """
    chosen = rules_of(rules)
    if isinstance(value, Board):
        return Puzzle(value, chosen or CLASSIC)
    if isinstance(value, str):
        return _parsed(value, chosen)
    puzzle = value if isinstance(value, Puzzle) else getattr(value, "puzzle", None)
    if puzzle is None and isinstance(error := getattr(value, "error", None), BinairoError):
        raise error
    if not isinstance(puzzle, Puzzle):
        expected = next((each for kind, each in _INSTEAD.items() if isinstance(value, kind)), "")
        if hasattr(value, "dtype"):
            expected = _ARRAYS
        raise ArgumentError.of("puzzle", f"{_EXPECTED}{expected}", value)
    if chosen is not None and chosen != puzzle.rules:
        raise OptionError("rules", "differs from the rules of the puzzle; use dataclasses.replace")
    return puzzle


def _parsed(text: str, rules: Rules | None) -> Puzzle:
    if _CELLS.fullmatch(text):
        # The readers would say the same, in ten times as long.
        side = isqrt(len(text))
        if side * side == len(text) >= LEAST_CELLS:
            return Puzzle(Board(side, side, normalised(text)), rules or CLASSIC)
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


def check_workers(workers: Any) -> None:
    """Check a number of worker processes.

    Raises:
        ArgumentError: it is not a whole number.
        OptionError: it is out of bounds.
    """
    # Imported here and below, because the requests of all commands take milliseconds to load.
    from binairo_cp.commands.options import MOST_WORKERS

    if not isinstance(workers, int) or isinstance(workers, bool):
        raise ArgumentError.of("workers", "a whole number", workers)
    if not 1 <= workers <= MOST_WORKERS:
        raise OptionError("workers", f"expected 1 to {MOST_WORKERS}, not {workers}")


def cells_of(value: Board | str | None) -> str | None:
    """The cells of a board, row by row."""
    return value.cells if isinstance(value, Board) else value


def several(values: PuzzleLike | Iterable[PuzzleLike]) -> Iterator[PuzzleLike]:
    """The arguments one by one, if there may be one or several."""
    if isinstance(values, Puzzle | Board | str) or hasattr(values, "puzzle"):
        yield values  # type: ignore[misc]  # it has a puzzle
    elif isinstance(values, Iterable):
        yield from values
    else:
        raise ArgumentError.of("puzzles", f"{_EXPECTED}, or several", values)


def request(command: str, **options: Any) -> Any:
    """The request of a command with these options.

    Raises:
        OptionError: an option is out of bounds.
    """
    from binairo_cp.commands.options import check_bounds
    from binairo_cp.commands.requests import REQUESTS

    made = REQUESTS[command](**options)
    check_bounds(made)
    return made
