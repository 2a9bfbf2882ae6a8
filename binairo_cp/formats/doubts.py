"""What a board in a text may be instead of a puzzle: a solution, or a part of another board."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from binairo_cp.formats.entry import Entry
from binairo_cp.formats.text_parts import HEADER, is_heading
from binairo_cp.puzzle.board import Board

SOLUTION = re.compile(
    r"\W*(?:\w+\s*[.:)=]\s*)?(?:(?:the|my|your|final|correct|expected|here is the) )*"
    r"(?:solution|solved|answer|output|result|after|lösung|solución|soluzione|réponse|oplossing)\b",
    re.IGNORECASE,
)
_STATED = re.compile(r"\b([1-9][0-9]?) ?[x\u00d7] ?([1-9][0-9]?)\b", re.IGNORECASE)
_PAIRS = (("[", "]"), ("{", "}"), (r"\begin{", r"\end{"), ("<table", "</table"))
"""What begins and ends in a text; without the end, the text is cut off."""

MOST_ABOVE = 64
"""So many puzzles above are compared with a full board."""


def solves(board: Board, above: Board, clues: int = 4) -> bool:
    """Whether a full board is the solution of a puzzle with open cells and so many clues."""
    given = len(above.cells) - above.cells.count(".")
    if (board.height, board.width) != (above.height, above.width):
        return False
    both = zip(above.cells, board.cells, strict=True)
    return clues <= given < len(above.cells) and all(clue in (".", cell) for clue, cell in both)


class Words:
    """What the words in some lines say about all boards there."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    @cached_property
    def _headings(self) -> list[str]:
        return [line for line in self._lines if is_heading(line) and "://" not in line]

    @cached_property
    def name_a_solution(self) -> bool:
        """Whether a heading says that a solution is below."""
        return any(map(SOLUTION.match, self._headings))

    @cached_property
    def are_ours(self) -> bool:
        """Whether there are headers of the text format."""
        return any(map(HEADER.match, self._lines))

    @cached_property
    def are_cut(self) -> bool:
        """Whether a bracket is not closed."""
        text = "\n".join(self._lines)
        return any(text.count(begin) > text.count(end) for begin, end in _PAIRS)

    @cached_property
    def size(self) -> re.Match[str] | None:
        """The only size in the headings."""
        found = [size for line in self._headings for size in _STATED.finditer(line)]
        return found[0] if len({frozenset(size.groups()) for size in found}) == 1 else None


def other_way(
    entry: Entry, words: Words, refused: int, *, is_page: bool, above: Sequence[Board]
) -> str:
    """What a board below some words may be instead; empty if it is a puzzle.

    `refused` is the number of lines above that can't be read; `is_page` says that the board is
    below the head of a page, and `above` are the boards of the puzzles above.
    """
    if entry.puzzle is None:
        return ""
    board = entry.puzzle.board
    if board.is_full and not above and words.name_a_solution:
        return "the solution of a puzzle that is not above"
    if board.is_full and refused >= board.height:
        return "the solution of what is above it and can't be read"
    is_whole = board.height == board.width or (entry.id and board.height > 3)
    if refused and (is_page or not is_whole):
        return "a part of what is above it and can't be read"
    if words.are_ours:
        return ""
    if board.is_full and above and solves(board, above[-1], clues=0):
        return "the solution of the puzzle above"
    if words.are_cut:
        return "a part of one that is cut off, since a bracket is not closed"
    if words.size and {*words.size.groups()} != {str(board.height), str(board.width)}:
        return f"a part of one of {words.size[0]} as stated"
    return ""
