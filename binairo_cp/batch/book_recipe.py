"""The recipe of a book: which puzzles it has, as a TOML file or as values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from binairo_cp.deduction.styles import Language, Symbols
from binairo_cp.errors import OptionError
from binairo_cp.formats import validation
from binairo_cp.formats.results import Preset
from binairo_cp.generation import Method, Pattern
from binairo_cp.puzzle.rules import PRESETS, Odd, Rules
from binairo_cp.puzzle.shape import sides_of
from binairo_cp.rendering.shapes import MOST_CELLS

MOST_PUZZLES = 5_000
"""The most puzzles of a book."""

LONGEST_SIDE = 32
"""In cells."""

BookGrade = Literal["any", "beginner", "easy", "medium", "hard", "expert", "beyond-logic"]


_Least0 = Annotated[int, Field(strict=True, ge=0)]
_Techniques = (
    Annotated[str, Field(max_length=300)] | Annotated[list[str], Field(max_length=30)] | None
)


class PuzzleSet(BaseModel):
    """Puzzles of one kind, of a book or a dataset: options of `generate`, which checks them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    size: int | str
    count: Annotated[int, Field(strict=True, ge=1, le=MOST_PUZZLES)]
    rules: Preset = "classic"
    odd: Odd = "either"
    grade: BookGrade = "any"
    symmetry: Pattern = "none"
    clues: _Least0 | None = None
    signs: _Least0 | None = None
    method: Method = "auto"
    needs: _Techniques = None
    without: _Techniques = None
    score: Annotated[str, Field(max_length=300)] | tuple[float, float] | None = None
    longest_chain: _Least0 | None = None
    most_trials: _Least0 | None = None
    irreducible: Annotated[bool, Field(strict=True)] = False
    tries: Annotated[int, Field(strict=True, ge=1, le=100_000)] = 1_000

    @model_validator(mode="after")
    def _check_size(self) -> PuzzleSet:
        try:
            sides = sides_of(self.size)
        except OptionError as error:
            raise ValueError(f"size {error.message}") from error
        if max(sides) > LONGEST_SIDE:
            raise ValueError(f"size {self.size}; expected sides of at most {LONGEST_SIDE} cells")
        return self

    @property
    def cells(self) -> int:
        """The number of cells on all boards."""
        height, width = sides_of(self.size)
        return height * width * self.count


class OwnPuzzles(BaseModel):
    """Puzzles in a file that exists."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: Annotated[str, Field(min_length=1, max_length=1_000)]
    rules: Preset | None = None
    odd: Odd = "either"
    balance: Annotated[bool, Field(strict=True)] = True

    @property
    def stated_rules(self) -> Rules | None:
        """The rules of puzzles that state none; None for the usual ones."""
        if self.rules is None and self.odd == "either" and self.balance:
            return None
        return replace(PRESETS[self.rules or "classic"], odd=self.odd, balanced=self.balance)


class BookRecipe(BaseModel):
    """The puzzles of a book, and how they are drawn."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    seed: int | str = 1
    symbols: Symbols = "digits"
    language: Language = "en"
    large: Annotated[bool, Field(strict=True)] = False
    left_handed: Annotated[bool, Field(strict=True, alias="left-handed")] = False
    extras: Annotated[list[Literal["difficulty", "time", "notes"]], Field(max_length=3)] = []
    imprint: Annotated[str, Field(max_length=2_000)] = ""
    isbn: Annotated[str, Field(max_length=20)] = ""
    puzzles: Annotated[list[PuzzleSet], Field(min_length=1, max_length=100)]

    @field_validator("seed")
    @classmethod
    def _check_seed(cls, value: int | str) -> int | str:
        if not re.fullmatch(r"[\w.-]{1,60}", str(value)):
            raise ValueError(
                "expected a number, or 1 to 60 letters, digits, dots, hyphens and underscores"
            )
        return value

    @field_validator("imprint")
    @classmethod
    def _check_imprint(cls, value: str) -> str:
        if not all(line.isprintable() for line in value.splitlines()):
            raise ValueError("expected lines of text without control characters")
        return value

    @field_validator("isbn")
    @classmethod
    def _check_isbn(cls, value: str) -> str:
        digits = value.upper().replace("-", "").replace(" ", "")
        if value and not _is_isbn(digits):
            raise ValueError("is no ISBN: expected 13 or 10 digits, the last of which checks them")
        return value

    @model_validator(mode="after")
    def _check_number(self) -> BookRecipe:
        number = sum(puzzle.count for puzzle in self.puzzles)
        check_bounds(number, sum(puzzle.cells for puzzle in self.puzzles))
        return self


class LocalRecipe(BookRecipe):
    """A recipe that can name files, so it is not for the service."""

    puzzles: Annotated[list[PuzzleSet], Field(min_length=1, max_length=100)] = []
    own: Annotated[list[OwnPuzzles], Field(max_length=100)] = []

    @model_validator(mode="after")
    def _check_puzzles(self) -> LocalRecipe:
        if not self.puzzles and not self.own:
            raise ValueError("has no puzzles; expected a table [[puzzles]] or [[own]]")
        return self


def check_bounds(number: int, cells: int) -> None:
    """Refuse a book that is too large.

    Raises:
        ValueError: it has too many puzzles or cells.
    """
    if number > MOST_PUZZLES:
        raise ValueError(f"{number:,} puzzles in all; expected at most {MOST_PUZZLES:,}")
    if cells > MOST_CELLS:
        raise ValueError(f"{cells:,} cells on all boards; expected at most {MOST_CELLS:,}")


def _is_isbn(digits: str) -> bool:
    if re.fullmatch("97[89][0-9]{10}", digits):
        return sum(int(digit) * (3 if k % 2 else 1) for k, digit in enumerate(digits)) % 10 == 0
    values = [10 if digit == "X" else int(digit) for digit in digits if digit in "0123456789X"]
    is_known = re.fullmatch("[0-9]{9}[0-9X]", digits) is not None
    return is_known and sum(value * (10 - k) for k, value in enumerate(values)) % 11 == 0


def recipe_of(recipe: str | Mapping[str, Any]) -> LocalRecipe:
    """Return the recipe in a TOML file, or in a dictionary with the same keys.

    Files are found from the folder of the recipe, or from the working directory.

    Raises:
        SourceError: the file can't be read, or the recipe has a mistake.
    """
    if isinstance(recipe, Mapping):
        return validation.settings_of(dict(recipe), LocalRecipe, "recipe")
    read = validation.read_settings(recipe, LocalRecipe)
    folder = Path(recipe).parent
    own = [puzzle.model_copy(update={"file": str(folder / puzzle.file)}) for puzzle in read.own]
    return read.model_copy(update={"own": own})
