"""The recipe of a book: which puzzles it has, as a TOML file or as values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from binairo_cp.deduction.styles import Coordinates, Language, Symbols
from binairo_cp.errors import OptionError
from binairo_cp.formats import validation
from binairo_cp.generation import Pattern
from binairo_cp.puzzle.rules import PRESETS, Odd
from binairo_cp.puzzle.shape import sides_of

if TYPE_CHECKING:
    PresetName: TypeAlias = str
else:
    PresetName = Literal[tuple(PRESETS)]

MOST_PUZZLES = 5_000
"""The most puzzles of a book."""

MOST_CELLS = 500_000
"""The most cells on all boards of a book."""

_LONGEST_SIDE = 32

BookGrade = Literal["any", "beginner", "easy", "medium", "hard", "expert", "beyond-logic"]


class PuzzleSet(BaseModel):
    """Puzzles of one kind."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    size: int | str
    count: Annotated[int, Field(strict=True, ge=1, le=MOST_PUZZLES)]
    rules: PresetName = "classic"
    odd: Odd = "either"
    grade: BookGrade = "any"
    symmetry: Pattern = "none"
    clues: Annotated[int, Field(strict=True, ge=0)] | None = None
    signs: Annotated[int, Field(strict=True, ge=0)] | None = None
    irreducible: Annotated[bool, Field(strict=True)] = False
    tries: Annotated[int, Field(strict=True, ge=1, le=100_000)] = 1_000

    @model_validator(mode="after")
    def _check_size(self) -> PuzzleSet:
        try:
            sides = sides_of(self.size)
        except OptionError as error:
            raise ValueError(f"size {error.message}") from error
        if max(sides) > _LONGEST_SIDE:
            raise ValueError(f"size {self.size}; expected sides of at most {_LONGEST_SIDE} cells")
        return self

    @property
    def cells(self) -> int:
        """The number of cells on all boards."""
        height, width = sides_of(self.size)
        return height * width * self.count


class BookRecipe(BaseModel):
    """The puzzles of a book, and how they are drawn."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int | str = 1
    symbols: Symbols = "digits"
    language: Language = "en"
    coordinates: Coordinates = "rc"
    puzzles: Annotated[list[PuzzleSet], Field(min_length=1, max_length=100)]

    @field_validator("seed")
    @classmethod
    def _check_seed(cls, value: int | str) -> int | str:
        if not re.fullmatch(r"[\w.-]{1,60}", str(value)):
            raise ValueError(
                "expected a number, or 1 to 60 letters, digits, dots, hyphens and underscores"
            )
        return value

    @model_validator(mode="after")
    def _check_number(self) -> BookRecipe:
        if (number := sum(each.count for each in self.puzzles)) > MOST_PUZZLES:
            raise ValueError(f"{number:,} puzzles in all; expected at most {MOST_PUZZLES:,}")
        if (cells := sum(each.cells for each in self.puzzles)) > MOST_CELLS:
            raise ValueError(f"{cells:,} cells on all boards; expected at most {MOST_CELLS:,}")
        return self


def recipe_of(recipe: str | Mapping[str, Any]) -> BookRecipe:
    """Return the recipe in a TOML file, or in a dictionary with the same keys.

    Raises:
        SourceError: the file can't be read, or the recipe has a mistake.
    """
    if isinstance(recipe, Mapping):
        return validation.settings_of(dict(recipe), BookRecipe, "recipe")
    return validation.read_settings(recipe, BookRecipe)
