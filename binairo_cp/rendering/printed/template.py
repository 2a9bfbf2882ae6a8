"""The look of a printed book: fonts, colours, sizes and texts, which a TOML file can change."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from string import Formatter
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator

from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.formats import validation
from binairo_cp.rendering.pages import LARGE, MM, NORMAL, TypeSizes
from binairo_cp.rendering.shapes import Ink
from binairo_cp.rendering.text_layout import Typeface

DESCRIPTIONS: dict[str, str] = {
    "pair": "Two neighbours are alike. The cells before and after them have the other symbol.",
    "sandwich": "Two cells are alike, with one cell between them. That cell has the other symbol.",
    "sign": "A sign stands beside a known cell. It determines the cell on its other side.",
    "count": "A line already has all cells of one symbol. Its open cells have the other symbol.",
    "last one": (
        "A line needs one more of a symbol. Where it would leave three of the other symbol in a "
        "row, it can't be."
    ),
    "equal pair": (
        "Two open cells are alike because of a sign. If one symbol does not fit into both, they "
        "have the other."
    ),
    "one of each": (
        "Some open cells must contain one of each symbol. Count them in, and the line may already "
        "have all cells of one symbol."
    ),
    "sign chain": (
        "Signs connect several open cells, so there are only two ways to fill them. One of the two "
        "breaks a rule at once."
    ),
    "projection": (
        "Imagine all ways to complete a line. If a cell has the same symbol in all of them, it has "
        "this symbol."
    ),
    "two open": (
        "A line with two open cells must not become the same as a full line. So they are filled "
        "the other way round."
    ),
    "distinct lines": (
        "Imagine all ways to complete a line that do not repeat a full line. If a cell has the "
        "same symbol in all of them, it has this symbol."
    ),
    "contradiction": (
        "Try a symbol in a cell and follow what it implies. If a rule breaks, the cell has the "
        "other symbol."
    ),
    "nested contradiction": (
        "Try a symbol in a cell, and other symbols on the way. If a rule breaks in each case, the "
        "cell has the other symbol."
    ),
}
"""By the name of the technique, the easiest first."""

GREYS: dict[Ink, str] = {
    "filled": "#b8b8b8",
    "reason": "#e4e4e4",
    "line": "#404040",
    "supposed": "#d0d0d0",
    "broken": "#949494",
}
"""The inks of steps without colour: most books are printed with black alone."""

Points = Annotated[float, Field(ge=4, le=72)]
Millimetres = Annotated[float, Field(ge=1, le=60)]
Line = Annotated[str, Field(min_length=1, max_length=200)]
Paragraph = Annotated[str, Field(max_length=2_000)]


def _with_fields(text: str, *names: str) -> str:
    """Return a text whose braces contain no other names, and no formats."""
    expected = " and ".join(f"{{{name}}}" for name in names)
    try:
        for _, name, spec, conversion in Formatter().parse(text):
            if name is not None and (name not in names or spec or conversion):
                raise ValueError
    except ValueError:
        raise ValueError(f"its braces are not right; expected only {expected}") from None
    return text


def _colour(text: str) -> str:
    if not re.fullmatch("#[0-9a-fA-F]{6}", text):
        raise ValueError(f"{text[:20]!r} is no colour; expected one such as #1f5fa8")
    return text


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


Colour = Annotated[str, AfterValidator(_colour)]


class FontFiles(_Table):
    """TrueType files; a relative path starts at the folder of the template."""

    regular: Line | None = None
    bold: Line | None = None


class Sizes(_Table):
    """Sizes of text in points and of cells in millimetres; None for the usual size."""

    number: Points | None = None
    caption: Points | None = None
    header: Points | None = None
    answer: Points | None = None
    min_cell: Millimetres | None = None
    max_cell: Millimetres | None = None
    answer_cell: Millimetres | None = None


class Texts(_Table):
    """The texts of the book; ``{zeros}`` and ``{ones}`` are the names of the symbols."""

    contents: Line = "Contents"
    rules: Line = "How to play"
    example: Line = "A worked example"
    techniques: Line = "Techniques"
    answers: Line = "Answers"
    notes: Line = "Notes"
    puzzles: Line = "Puzzles {first} to {last}"
    puzzle: Line = "Puzzle {first}"
    answer_on: Line = "Answer on page {page}"
    puzzle_on: Line = "Puzzle on page {page}"
    from_puzzle: Line = "From puzzle {number}."
    solution: Line = "The solution"
    goal: Paragraph = "Fill each cell of the board with one of two symbols: {zeros} or {ones}."
    runs: Paragraph = "At most two cells in a row may be alike, across and down."
    balance: Paragraph = "Each row and each column has as many {zeros} as {ones}."
    distinct: Paragraph = "No two rows are the same, and no two columns are the same."
    signs: Paragraph = (
        "The sign = stands between two cells that are alike, and the sign \u00d7 between two "
        "cells that differ."
    )
    odd: Paragraph = "In lines of odd length, one of the symbols occurs once more than the other."
    unique: Paragraph = "Each puzzle has exactly one solution."
    differ: Paragraph = "If a puzzle has other rules, they are named above it."
    grades: dict[Line, Line] = Field(default_factory=dict)
    descriptions: dict[Line, Paragraph] = Field(default_factory=dict)

    @field_validator("puzzles", "puzzle")
    @classmethod
    def _check_range(cls, value: str) -> str:
        return _with_fields(value, "first", "last")

    @field_validator("answer_on", "puzzle_on")
    @classmethod
    def _check_page(cls, value: str) -> str:
        return _with_fields(value, "page")

    @field_validator("from_puzzle")
    @classmethod
    def _check_number(cls, value: str) -> str:
        return _with_fields(value, "number")

    @field_validator("goal", "runs", "balance", "distinct", "signs", "odd", "unique", "differ")
    @classmethod
    def _check_symbols(cls, value: str) -> str:
        return _with_fields(value, "zeros", "ones")

    @field_validator("grades")
    @classmethod
    def _check_grades(cls, value: dict[str, str]) -> dict[str, str]:
        if unknown := sorted(set(value) - set(LEVELS)):
            raise ValueError(f"{unknown[0]!r} is no grade; expected {', '.join(LEVELS)}")
        return value

    @field_validator("descriptions")
    @classmethod
    def _check_techniques(cls, value: dict[str, str]) -> dict[str, str]:
        if unknown := sorted(set(value) - set(DESCRIPTIONS)):
            raise ValueError(f"{unknown[0]!r} is no technique; expected {', '.join(DESCRIPTIONS)}")
        return value

    def grade(self, level: str) -> str:
        """The title of a section."""
        return self.grades.get(level, level[:1].upper() + level[1:])

    def description(self, technique: str) -> str:
        return self.descriptions.get(technique, DESCRIPTIONS[technique])


class Design(_Table):
    """The look of a book, without its fonts, which are files."""

    colours: dict[Ink, Colour] = Field(default_factory=dict)
    sizes: Sizes = Sizes()
    texts: Texts = Texts()

    def type_sizes(self, *, large: bool) -> TypeSizes:
        """The sizes, with those of normal or large print where the template has none."""
        usual = LARGE if large else NORMAL
        given = self.sizes.model_dump(exclude_none=True)
        cells = {name: value * MM for name, value in given.items() if name.endswith("cell")}
        return replace(usual, **{**given, **cells})

    @property
    def inks(self) -> dict[Ink, str]:
        """The colours, with greys where the template has none."""
        return {**GREYS, **self.colours}


class Template(Design):
    """The look of a book."""

    fonts: FontFiles = FontFiles()

    def typeface(self, folder: Path) -> Typeface | None:
        """The files of the font; None for the built-in font."""
        if self.fonts.regular is None:
            return None
        regular = str(folder / self.fonts.regular)
        return Typeface(regular, str(folder / self.fonts.bold) if self.fonts.bold else regular)


def read(path: str | None) -> Template:
    """Return the template of a file; the usual one without a file.

    Raises:
        SourceError: the file can't be read, or has a mistake.
    """
    return Template() if path is None else validation.read_settings(path, Template)
