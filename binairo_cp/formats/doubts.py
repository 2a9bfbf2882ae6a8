"""What a board in a text may be instead of a puzzle: a solution, a part of another board, a form to
fill in, another game, or one of which the text says that it is not the puzzle as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from binairo_cp.formats import cells
from binairo_cp.formats.entry import Entry
from binairo_cp.formats.text_parts import HEADER, is_heading
from binairo_cp.puzzle.board import Board

SOLUTION = re.compile(
    r"\W*(?:\w+\s*[.:)=]\s*)?(?:(?:the|my|your|final|correct|expected|here is the) )*"
    r"(?:solution|solved|answer|output|result|after|lösung|solución|soluzione|réponse|oplossing)\b",
    re.IGNORECASE,
)
ANSWER = re.compile(
    r"^\s*a\s*:|\b(?:solutions?|solved|answers?|completed?|finished|filled|lösung(?:en)?|soluci[oó]n(?:es)?"
    r"|soluzion[ei]|réponses?|oplossing(?:en)?)\b",
    re.IGNORECASE,
)
_OTHER_GAME = re.compile(
    r"\b(?:tic-?tac-?toe|connect (?:four|4)|game of life|nonograms?|minesweeper|battleships?"
    r"|othello|reversi|checkers|(?:adjacency|incidence) matrix|adjacency|truth table|xor"
    r"|one-?hot|gray code|life pattern|sprite|bitmap|pixels?"
    r"|secret message|mazes?)\b",
    re.IGNORECASE,
)
DOUBT = re.compile(
    r"\btypos?\b|misprint|\bcorrection|\berratum|\bshould be\b|\bforgot\b|\bswapped\b|\bby mistake"
    r"|\b(?:ignore|skip|delete) (?:the|this|row|line)|\bpasted twice|\bduplicate\b|\bnot a clue"
    r"|\b(?:bottom to top|right to left|upside.down|mirrored|transposed?|column.major|per column)\b"
    r"|\.T\b|zip\(\*|\[::-1\]|\[:-[0-9]\]|\bcolumns, left|\borigin\b|column, row"
    r"|\b(?:top|upper|bottom|lower) (?:left|right|half|of the board)|\b(?:left|right) half"
    r"|\bquarter\b|\bcorner\b|\bthe rest\b|\bsee more\b"
    r"|\brows? [0-9]+ (?:to|-) [0-9]|\bcolumns? [0-9]+ ?(?:to|-) ?[0-9]"
    r"|\bfirst (?:two|three|four|[0-9]+) rows|\bcut (?:off|after)|\bis missing\b"
    r"|\bcontinued from|\btwo lines\b|\bnot a (?:puzzle|takuzu|binairo)|\bmy (?:own )?guess",
    re.IGNORECASE,
)
"""What people say of a board that is not the puzzle as it stands: a part, a turned one, a typo."""
_LEGEND = re.compile(
    r"(?:^|[\s(,;#])([XOWBSM■□⚫⚪●○⬛⬜])(?: \([^)]*\))? ?(?:=|->|is|are|means?|stands? for|for)"
    r" ?(0|1|zero|one)(?:e?s)?(?!\w)",
    re.IGNORECASE,
)
_FORM = re.compile(r"\b(?:blank|empty|template|your own)\b", re.IGNORECASE)
_OURS = re.compile(r"binair|takuzu|tango|binox|unruly|binary puzzle|tohu", re.IGNORECASE)
_STATED = re.compile(r"\b([1-9][0-9]?) ?(?:[x\u00d7]|by) ?([1-9][0-9]?)\b", re.IGNORECASE)
_FACT = re.compile(r"\w\([0-9]+,\s*[0-9]+,\s*[01]\)")
_PAIRS = (("[", "]"), ("{", "}"), (r"\begin{", r"\end{"), ("<table", "</table"))
"""What begins and ends in a text; without the end, the text is cut off."""

MOST_ABOVE = 64
"""So many puzzles above are compared with a full board."""


def goes_on(board: Board, above: Board) -> bool:
    """Whether a board has all of six or more clues of another one, and more."""
    return board != above and _clues_kept(board, above) > 5


def solves(board: Board, above: Board, clues: int = 4) -> bool:
    """Whether a full board is the solution of a puzzle with open cells and so many clues."""
    return not above.is_full and _clues_kept(board, above) >= clues


def _clues_kept(board: Board, above: Board) -> int:
    """The number of clues of a board of the same size, all of which this one has; -1 if not so."""
    if (board.height, board.width) != (above.height, above.width):
        return -1
    both = zip(above.cells, board.cells, strict=True)
    is_kept = all(clue in (".", cell) for clue, cell in both)
    return len(above.cells) - above.cells.count(".") if is_kept else -1


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
    def names_an_answer(self) -> bool:
        """Whether a heading, which is no comment, speaks of a solution, perhaps on another page."""
        return any(ANSWER.search(line) and line.lstrip()[:1] != "#" for line in self._headings)

    @cached_property
    def doubt(self) -> str:
        """What the lines say against the board; empty if nothing."""
        found = [word[0] for line in self._headings if (word := DOUBT.search(line))]
        legend = [
            (mark, "01"[value.lower()[0] in "1o"])
            for line in self._headings
            for mark, value in _LEGEND.findall(line)
        ]
        found += [f"{mark} is {cell}" for mark, cell in legend if cells.is_other(mark, cell)]
        return found[0] if found else ""

    @cached_property
    def name_a_form(self) -> bool:
        """Whether a heading speaks of an empty board to fill in."""
        return any(map(_FORM.search, self._headings))

    @cached_property
    def other_game(self) -> str:
        """What the headings name that is no Binairo; empty if they name none."""
        found = [game[0] for line in self._headings if (game := _OTHER_GAME.search(line))]
        return "" if any(map(_OURS.search, self._headings)) or not found else found[0]

    @cached_property
    def are_ours(self) -> bool:
        """Whether there are headers of the text format."""
        return any(map(HEADER.match, self._lines))

    @cached_property
    def are_facts(self) -> bool:
        """Whether there are facts, as in the answer of a solver, which is read as a board."""
        return any(map(_FACT.search, self._lines))

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
    if entry.puzzle is None or words.are_facts:
        return ""
    board = entry.puzzle.board
    if board.is_full and (puzzle := _solved(board, words, refused, above)):
        return f"the solution of {puzzle}"
    is_whole = board.height == board.width or (entry.id and board.height > 3)
    if refused and (is_page or not is_whole):
        return "a part of what is above it and can't be read"
    if words.are_ours:
        return ""
    return _stated(board, words, above)


def _solved(board: Board, words: Words, refused: int, above: Sequence[Board]) -> str:
    """Which puzzle a full board may be the solution of; empty if none."""
    if not above and words.name_a_solution:
        return "a puzzle that is not above"
    if refused >= board.height:
        return "what is above it and can't be read"
    if words.are_ours:
        return ""
    if above and solves(board, above[-1], clues=0):
        return "the puzzle above"
    return "another puzzle" if words.names_an_answer else ""


def _stated(board: Board, words: Words, above: Sequence[Board]) -> str:
    """What the words above a board, or the puzzle there, show it to be; empty if nothing."""
    if above and goes_on(board, above[-1]):
        return "the puzzle above with more cells"
    if not board.cells.strip(".") and words.name_a_form:
        return "an empty board to fill in"
    if words.doubt:
        return f"something else, since the text says {words.doubt!r}"
    if words.other_game:
        return f"what the heading says: {words.other_game}"
    if words.are_cut:
        return "a part of one that is cut off, since a bracket is not closed"
    if words.size and {*words.size.groups()} != {str(board.height), str(board.width)}:
        return f"a part of one of {words.size[0]} as stated"
    return ""
