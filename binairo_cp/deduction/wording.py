"""Sentences in a style, from templates in `messages` and the terms in their fields.

A field of a template is a term: cells, lines, a symbol, a number. ``{symbol}`` and ``{value}`` have
forms as in "a third sun" (``{symbol}``), "it is a sun" (``.one``), "they are suns" (``.all``) and
"two suns" (``.many``). ``{line.start}`` is for the start of a sentence.
"""

from __future__ import annotations

import gettext
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from binairo_cp.deduction.messages import HIGHLIGHTED, TECHNIQUES, TEMPLATES, WORDS, Message
from binairo_cp.deduction.styles import CHARACTERS, USUAL, Language, Style, column_name
from binairo_cp.puzzle.board import Cell

_DOMAIN = "explanations"
_NO_BREAK = "\u2060"
"""Keeps the symbols of a sequence on one line."""

LOCALE = Path(__file__).parent / "locale"
"""The folder of the catalogues."""


class Term(Protocol):
    """What stands in a field of a template."""

    def words(self, style: Style) -> str: ...


def number_of(term: Any) -> int:
    """How many there are of what a term names, for the form of the sentence."""
    return int(term.number) if hasattr(term, "number") else len(term[0])


class Words(str):
    """Words with forms: ``start`` begins a sentence."""

    __slots__ = ("all", "many", "one")
    one: str
    all: str
    many: str

    @property
    def start(self) -> str:
        """The words with a capital."""
        return self[:1].upper() + self[1:]


class Name(Words):
    """A name, which stays as it is at the start of a sentence."""

    __slots__ = ()

    @property
    def start(self) -> str:
        return self


class Symbol(NamedTuple):
    """A value, 0 or 1."""

    value: str
    number: int = 1

    def words(self, style: Style) -> Words:
        return _symbol(self.value, style)


class Number(NamedTuple):
    """A number: in words up to twenty, and in digits above."""

    number: int

    def words(self, style: Style) -> str:
        known = _word("numbers", style.language).split()
        return known[self.number] if self.number < len(known) else str(self.number)


class Counted(NamedTuple):
    """Things with their numbers, such as "two rules".

    Attributes:
        numbers: How many there are of each, by the names of the messages.
    """

    numbers: tuple[tuple[str, int], ...]

    @property
    def number(self) -> int:
        return sum(number for _, number in self.numbers)

    def words(self, style: Style) -> str:
        named = (
            _form(WORDS[name], number, style.language).format(number=Number(number).words(style))
            for name, number in self.numbers
            if number
        )
        return listed(named, style)


class Cells(NamedTuple):
    """Cells; without coordinates, the highlighted ones."""

    cells: tuple[Cell, ...]

    def words(self, style: Style) -> Words:
        if style.coordinates == "none":
            return Words(_form(WORDS["cells"], len(self.cells), style.language))
        return Name(listed((cell_name(cell, style) for cell in self.cells), style))


class Conclusion(NamedTuple):
    """What some cells are, such as "so r1c2 is 0"."""

    cells: Cells
    value: Symbol

    def words(self, style: Style) -> str:
        cells, value = self.cells.words(style), self.value.words(style)
        clause = _form(WORDS["so"], number_of(self.cells), style.language)
        return clause.format(cells=cells, value=value)


class After(NamedTuple):
    """After how many steps something is so; at once after none."""

    number: int

    def words(self, style: Style) -> str:
        start = _form(WORDS["after" if self.number else "then"], self.number, style.language)
        return start.format(number=Number(self.number).words(style))


class Spans(NamedTuple):
    """Neighbouring cells from the first to the last of each span."""

    spans: tuple[tuple[Cell, Cell], ...]

    def words(self, style: Style) -> str:
        span = _word("span", style.language)
        named = (
            span.format(first=cell_name(first, style), last=cell_name(last, style))
            for first, last in self.spans
        )
        return listed(named, style)


class SignedCells(NamedTuple):
    """Signs with their cells, such as ``r1c3 = r1c4``."""

    signs: tuple[tuple[Cell, Cell, str], ...]

    def words(self, style: Style) -> str:
        named = (
            f"{cell_name(one, style)} {relation.replace('x', chr(0xD7))} {cell_name(other, style)}"
            for one, other, relation in self.signs
        )
        return listed(named, style)


class Assigned(NamedTuple):
    """Cells with their values, such as ``r4c3=1``."""

    values: tuple[tuple[Cell, str], ...]

    def words(self, style: Style) -> Words:
        of = CHARACTERS[style.symbols]
        named = (f"{cell_name(cell, style)}={of[int(value)]}" for cell, value in self.values)
        return listed(named, style)


class LineNames(NamedTuple):
    """Rows or columns.

    Attributes:
        names: Such as ``row 3``, counted from 1.
        role: What they are called without coordinates: line, broken, compared or lines.
        joined: The word between them.
    """

    names: tuple[str, ...]
    role: str = "line"
    joined: str = "and"

    def words(self, style: Style) -> Words:
        if style.coordinates == "none" and self.names:
            direction, _ = self.names[0].split()
            return Words(_word(f"{direction}.{self.role}", style.language))
        return listed((_line_name(name, style) for name in self.names), style, self.joined)


class Ways(NamedTuple):
    """The values of lines or cells, such as ``0011``."""

    ways: tuple[str, ...]

    def words(self, style: Style) -> str:
        table = dict(zip("01", CHARACTERS[style.symbols], strict=True))
        joined = "" if style.symbols == "digits" else _NO_BREAK
        ways = (joined.join(table[value] for value in way) for way in self.ways)
        return listed(ways, style, "or")


class Phrase(NamedTuple):
    """The names of templates, for one sentence after the other, and the terms in their fields."""

    templates: tuple[str, ...]
    fields: Mapping[str, Term | str]

    def sentence(self, style: Style = USUAL, **more: Term | str) -> str:
        """The sentences in a style, with further fields."""
        fields = {**_ALWAYS, **self.fields, **more}
        words, sentences = _InWords(fields, style), []
        for name in self.templates:
            is_shown = style.coordinates == "none" and name in HIGHLIGHTED
            message = (HIGHLIGHTED if is_shown else TEMPLATES)[name]
            term = fields.get(message.counted)
            number = 1 if term is None or isinstance(term, str) else number_of(term)
            sentences.append(_form(message, number, style.language).format_map(words))
        return elided(("" if style.language == "ja" else " ").join(sentences), style.language)


_ALWAYS: dict[str, Term | str] = {"zero": Symbol("0"), "one": Symbol("1")}


class _InWords(dict[str, str]):
    """The terms of fields in words, each as soon as it is needed."""

    def __init__(self, fields: Mapping[str, Term | str], style: Style) -> None:
        super().__init__()
        self._fields, self._style = fields, style

    def __missing__(self, name: str) -> str:
        term = self._fields[name]
        words = term if isinstance(term, str) else term.words(self._style)
        return words if isinstance(words, Words) else Words(words)


@cache
def _catalogue(language: Language) -> gettext.NullTranslations:
    if language == "en":
        return gettext.NullTranslations()
    return gettext.translation(_DOMAIN, LOCALE, [language])


@lru_cache(maxsize=1 << 12)
def _form(message: Message, number: int, language: Language) -> str:
    catalogue = _catalogue(language)
    if message.several is not None:
        return catalogue.ngettext(message.one, message.several, number)
    if message.context is not None:
        return catalogue.pgettext(message.context, message.one)
    return catalogue.gettext(message.one)


def said(message: Message, language: Language) -> str:
    """A message in a language, in the form for one."""
    return _form(message, 1, language)


def elided(text: str, language: Language) -> str:
    """A text without the vowel that French drops before *étoile*, our only word that needs it."""
    return text.replace(" de é", " d\u2019é") if language == "fr" else text


def forms(message: Message, language: Language) -> tuple[str, ...]:
    """The form of a message for one, and that for several if it has one."""
    if message.several is None:
        return (said(message, language),)
    return said(message, language), _form(message, 2, language)


def _word(name: str, language: Language) -> str:
    return said(WORDS[name], language)


@cache
def _symbol(value: str, style: Style) -> Words:
    alone, one, all_, many = (
        part.strip() for part in _word(f"{style.symbols}.{value}", style.language).split("|")
    )
    text = Words(alone)
    text.one, text.all, text.many = one, all_, many
    return text


def technique_name(technique: str, language: Language) -> str:
    """The name of a technique; one without a translation keeps its English name."""
    message = TECHNIQUES.get(technique)
    return said(message, language) if message else technique


def summary(part: str, number: float, language: Language, **fields: object) -> str:
    """A part of the summary of a grade or of moves, with its number."""
    message = TEMPLATES[f"summary.{part}"]
    count = round(number) if message.several else 1
    return _form(message, count, language).format(digits=f"{number:.0f}", **fields)


def cell_name(cell: Cell, style: Style) -> str:
    """The name of a cell; ``r4c3`` also where sentences have no coordinates."""
    if style.coordinates == "a1":
        return f"{column_name(cell.column, 'a1')}{cell.row + 1}"
    return str(cell)


def _line_name(line: str, style: Style) -> str:
    direction, number = line.split()
    name = column_name(int(number) - 1, style.coordinates) if direction == "column" else number
    return _word(direction, style.language).format(name=name)


def listed(words: Iterable[str], style: Style = USUAL, joined: str = "and") -> Words:
    """List words with commas, and with a final "and" or "or"."""
    named = list(words)
    if len(named) < 2:
        return Words("".join(named))
    text, *others = named
    for other in others[:-1]:
        text = _word("comma", style.language).format(first=text, last=other)
    return Words(_word(joined, style.language).format(first=text, last=others[-1]))


def numbered(chain: Any, prefix: str = "") -> Iterator[str]:
    """Yield a line of text for each step of a chain and for the broken rule, numbered from 1.

    Args:
        chain: A `Chain`, or its record.
        prefix: What stands before each number.
    """
    for number, step in enumerate(chain.steps, 1):
        yield f"{prefix}{number}. {step.sentence}"
        if step.chain:
            yield from numbered(step.chain, f"{prefix}{number}.")
    yield f"{prefix}{len(chain.steps) + 1}. {chain.broken.sentence}"


def rules_listed(support: Any) -> Iterator[str]:
    """Yield a line of text about the size of a `Support` or its record, and one for each rule."""
    yield support.sentence
    yield from (f"- {rule.sentence}" for rule in support.constraints)
