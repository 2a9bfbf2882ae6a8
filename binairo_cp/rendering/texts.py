"""The texts of documents besides explanations, in English, and in the languages of explanations.

Each is the `msgid` of its translations, as in `binairo_cp.deduction.messages`.
"""

from __future__ import annotations

from binairo_cp.deduction.messages import Message, named, say
from binairo_cp.deduction.styles import USUAL, Language, Style
from binairo_cp.deduction.wording import elided as elided
from binairo_cp.deduction.wording import said as said
from binairo_cp.puzzle.rules import CLASSIC, UNRULY, Puzzle

TEXTS: dict[str, Message] = {
    # Translators: headings of a book.
    "contents": named("book", "Contents"),
    "rules": named("book", "How to play"),
    "answers": named("book", "Answers"),
    "solutions": named("book", "Solutions"),
    "notes": named("book", "Notes"),
    "time": named("book", "Time"),
    "all_puzzles": named("book", "Puzzles"),
    "puzzles": say("Puzzles {first} to {last}"),
    "puzzle": say("Puzzle {first}"),
    "answer_on": say("Answer on page {page}"),
    "puzzle_on": say("Puzzle on page {page}"),
    # Translators: the rules of the game; zeros and ones are the plural names of the symbols.
    "goal": say("Fill each cell of the board with one of two symbols: {zeros} or {ones}."),
    "runs": say("No more than two equal symbols may be next to each other, across or down."),
    "balance": say("Each row and each column has as many {zeros} as {ones}."),
    "distinct": say("No two rows are the same, and no two columns are the same."),
    "signs": say(
        "The sign = stands between two cells that are alike, and the sign \u00d7 between two cells "
        "that differ."
    ),
    "odd": say("In lines of odd length, one of the symbols occurs once more than the other."),
    "unique": say("Each puzzle has exactly one solution."),
    "differ": say("If a puzzle has other rules, they are named above it."),
}
"""Texts of pages."""

LEVELS: dict[str, Message] = {
    # Translators: levels of difficulty; headings begin with a capital.
    "beginner": named("level", "beginner"),
    "easy": named("level", "easy"),
    "medium": named("level", "medium"),
    "hard": named("level", "hard"),
    "expert": named("level", "expert"),
    "beyond logic": named("level", "beyond logic"),
}

_CAPTIONS: dict[str, Message] = {
    # Translators: how the rules of a puzzle differ from the usual ones, in captions.
    "balance": named("caption", "any number of each symbol"),
    "runs": named("caption", "at most {number} alike in a row"),
    "repeat": named("caption", "lines may repeat"),
    "differ": named("caption", "lines differ"),
    "odd": named("caption", "more {symbols} in odd lines"),
    "multiple": named("caption", "several solutions"),
    "none": named("caption", "no solution"),
    "unknown": named("caption", "not decided"),
}

_SYMBOLS: dict[str, Message] = {
    # Translators: the plural names of the symbols.
    "digits.0": named("symbols", "zeros"),
    "digits.1": named("symbols", "ones"),
    "circles.0": named("symbols", "open circles"),
    "circles.1": named("symbols", "full circles"),
    "sunmoon.0": named("symbols", "suns"),
    "sunmoon.1": named("symbols", "moons"),
    "squares.0": named("symbols", "open squares"),
    "squares.1": named("symbols", "full squares"),
    "letters.0": named("symbols", "As"),
    "letters.1": named("symbols", "Bs"),
    "hearts.0": named("symbols", "hearts"),
    "hearts.1": named("symbols", "stars"),
}

TABLES = (TEXTS, LEVELS, _CAPTIONS, _SYMBOLS)
"""All texts, for the tools of translators."""


def all_said(language: Language) -> dict[str, str]:
    """The texts of pages, by their names."""
    return {name: said(message, language) for name, message in TEXTS.items()}


def capitalised(text: str) -> str:
    """A text that starts with a capital."""
    return text[:1].upper() + text[1:]


def symbol_names(style: Style) -> tuple[str, str]:
    """The plural names of 0 and 1."""
    zeros, ones = (_SYMBOLS[f"{style.symbols}.{value}"] for value in "01")
    return said(zeros, style.language), said(ones, style.language)


def note(verdict: str, language: Language) -> str:
    """Why a puzzle with a verdict is not a proper one, in two words; empty if it is."""
    message = _CAPTIONS.get(verdict)
    return said(message, language) if message else ""


def rules_caption(puzzle: Puzzle, style: Style = USUAL) -> str:
    """Describe for players how the rules differ from the classic ones; empty if they don't."""
    rules, language = puzzle.rules, style.language
    parts = []
    if not rules.balanced:
        parts.append(said(_CAPTIONS["balance"], language))
    if rules.longest_run != CLASSIC.longest_run:
        parts.append(said(_CAPTIONS["runs"], language).format(number=rules.longest_run))
    if rules.distinct_lines is UNRULY.distinct_lines:
        parts.append(said(_CAPTIONS["repeat"], language))
    elif puzzle.signs:
        # Most puzzles with signs have no such rule.
        parts.append(said(_CAPTIONS["differ"], language))
    if rules.odd != CLASSIC.odd and (puzzle.board.height % 2 or puzzle.board.width % 2):
        more = symbol_names(style)[rules.odd == "ones"]
        parts.append(said(_CAPTIONS["odd"], language).format(symbols=more))
    return ", ".join(parts)
