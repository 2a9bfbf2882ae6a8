"""The look of a printed book: fonts, colours, sizes and texts, which a TOML file can change."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from binairo_cp.deduction.styles import Language
from binairo_cp.formats import validation
from binairo_cp.rendering import texts
from binairo_cp.rendering.pages import LARGE, MM, NORMAL, TypeSizes
from binairo_cp.rendering.shapes import Ink
from binairo_cp.rendering.text_layout import Typeface

GREYS: dict[Ink, str] = {"broken": "#c0c0c0"}
"""Cells that break a rule, without colour: most books are printed with black alone."""

Points = Annotated[float, Field(ge=4, le=72)]
Millimetres = Annotated[float, Field(ge=1, le=60)]
Line = Annotated[str, Field(min_length=1, max_length=200)]
Paragraph = Annotated[str, Field(max_length=2_000)]

_PARAGRAPHS = ("goal", "runs", "balance", "distinct", "signs", "odd", "unique", "differ")
_FIELDS_OF = {name: ["zeros", "ones"] for name in _PARAGRAPHS} | {"puzzle": ["first", "last"]}
"""The names that the braces of a text can hold, if not only those of the English text."""


def _colour(text: str) -> str:
    if not re.fullmatch("#[0-9a-fA-F]{6}", text):
        raise ValueError(f"{text[:20]!r} is no colour; expected one such as #1f5fa8")
    return text


def _with_fields_of(name: str, english: str) -> Callable[[str], str]:
    """A validator for a text whose braces hold the same names as the English text."""
    known = _FIELDS_OF.get(name) or texts.fields_of(english)
    expected = " and ".join(f"{{{word}}}" for word in known) or "no braces"

    def check(value: str) -> str:
        try:
            is_right = set(texts.fields_of(value)) <= set(known)
        except ValueError:
            is_right = False
        if not is_right:
            raise ValueError(f"its braces are not right; expected only {expected}")
        return value

    return check


def _known(kind: str, words: Mapping[str, object]) -> AfterValidator:
    """A validator for a dictionary with known keys."""

    def check(value: dict[str, str]) -> dict[str, str]:
        if unknown := sorted(set(value) - set(words)):
            raise ValueError(f"{unknown[0]!r} is no {kind}; expected {', '.join(words)}")
        return value

    return AfterValidator(check)


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


class _TextsBase(_Table):
    """The texts of the book that are replaced; ``{zeros}`` and ``{ones}`` name the symbols."""

    grades: Annotated[dict[Line, Line], _known("grade", texts.LEVELS)] = Field(default_factory=dict)

    def grade(self, level: str, language: Language) -> str:
        """The title of a section."""
        said = self.grades.get(level)
        return said or texts.capitalised(texts.said(texts.LEVELS[level], language))


_FIELDS: dict[str, Any] = {
    name: (
        Annotated[
            Paragraph if name in _PARAGRAPHS else Line,
            AfterValidator(_with_fields_of(name, message.one)),
        ]
        | None,
        None,
    )
    for name, message in texts.TEXTS.items()
}
if TYPE_CHECKING:
    Texts: TypeAlias = _TextsBase
else:
    Texts = create_model("Texts", __base__=_TextsBase, __doc__=_TextsBase.__doc__, **_FIELDS)


class Design(_Table):
    """The look of a book, without its fonts, which are files."""

    colours: dict[Ink, Colour] = Field(default_factory=dict)
    sizes: Sizes = Sizes()
    texts: Texts = Texts()

    def type_sizes(self, *, large: bool) -> TypeSizes:
        """The sizes, with those of normal or large print where the look has none."""
        usual = LARGE if large else NORMAL
        given = self.sizes.model_dump(exclude_none=True)
        return usual | {
            name.replace("_", "-"): value * MM if name.endswith("cell") else value
            for name, value in given.items()
        }

    @property
    def inks(self) -> dict[Ink, str]:
        """The colours, with greys where the look has none."""
        return {**GREYS, **self.colours}

    def said(self, language: Language) -> dict[str, str]:
        """All texts."""
        usual = texts.all_said(language)
        return usual | dict(self.texts.model_dump(include=set(usual), exclude_none=True))


class Look(Design):
    """The look of a book."""

    fonts: FontFiles = FontFiles()

    def typeface(self, folder: Path) -> Typeface | None:
        """The files of the font; None for the built-in font."""
        if self.fonts.regular is None:
            return None
        regular = str(folder / self.fonts.regular)
        return Typeface(regular, str(folder / self.fonts.bold) if self.fonts.bold else regular)


def read(path: str) -> Look:
    """Return the look in a file.

    Raises:
        SourceError: the file can't be read, or has a mistake.
    """
    return validation.read_settings(path, Look)
