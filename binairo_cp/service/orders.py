"""What is made over HTTP: new puzzles, and files of puzzles that came."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated, Literal, Self, cast

from pydantic import Field, StrictInt, WithJsonSchema, field_validator, model_validator

from binairo_cp.commands import generate
from binairo_cp.commands.generate import Order
from binairo_cp.formats.schema import Preset
from binairo_cp.generation.puzzles import Recipe
from binairo_cp.puzzle.board import MAX_SIDE
from binairo_cp.puzzle.rules import PRESETS
from binairo_cp.rendering.bounds import LARGEST_CELL, MOST_MARGIN, MOST_PER_PAGE, SMALLEST_CELL
from binairo_cp.service.asks import Ask, TimeLimit

_SIZE = re.compile(r"(0{0,2}[1-9][0-9]{0,2})(?:x(0{0,2}[1-9][0-9]{0,2}))?")
_SIZES = {
    "anyOf": [
        {"type": "integer", "minimum": 1, "maximum": 999},
        {"type": "string", "pattern": f"^{_SIZE.pattern}$"},
    ]
}
_MOST_MADE = 10_000_000


class GenerateAsk(TimeLimit):
    """New puzzles with exactly one solution."""

    size: Annotated[StrictInt | str, WithJsonSchema(_SIZES)] = Field(
        description="10 for 10x10, or 6x8: rows x columns."
    )
    count: int = Field(default=1, ge=1, le=_MOST_MADE, description="How many.")
    grade: Literal["any", "beginner", "easy", "medium", "hard", "expert", "beyond-logic"] = Field(
        default="any", description="How hard they are; any: nobody looks."
    )
    clues: int | Literal["fewest"] | None = Field(
        default=None, description="How many clues; if absent: as few as are left."
    )
    symmetry: Literal[
        "none",
        "rotate2",
        "rotate4",
        "mirror",
        "flip",
        "mirror4",
        "diagonal",
        "diagonal4",
        "full",
    ] = Field(default="none", description="How the clues lie.")
    signs: int | None = Field(
        default=None, ge=0, description="How many signs; if absent: as usual under the rules."
    )
    rules: Preset = "classic"
    odd: Literal["either", "ones", "zeros"] = "either"
    irreducible: bool = Field(default=False, description="No clue and no sign can go.")
    distinct: bool = Field(default=False, description="None is the image of another.")
    seed: StrictInt | str | None = Field(
        default=None,
        union_mode="left_to_right",
        validate_default=True,
        description="The same seed makes the same puzzles, everywhere; if absent: a new one.",
    )
    tries: int = Field(default=1_000, ge=1, le=1_000_000, description="Boards for a puzzle.")
    method: Literal["auto", "uniform", "stirred", "rows"] = "auto"

    @field_validator("size")
    @classmethod
    def _check_size(cls, size: int | str) -> int | str:
        if not _SIZE.fullmatch(str(size)):
            raise ValueError("expected a number, or rows x columns as in 6x8")
        return size

    @field_validator("seed")
    @classmethod
    def _check_seed(cls, seed: int | str | None) -> str:
        text = str(generate.draw_seed() if seed is None else seed)
        if not generate.is_seed(text):
            raise ValueError(generate.A_SEED)
        return text

    @property
    def sides(self) -> tuple[int, int]:
        """Rows and columns."""
        match = cast("re.Match[str]", _SIZE.fullmatch(str(self.size)))
        return int(match[1]), int(match[2] or match[1])

    def order(self, *, graded: bool = True) -> Order:
        """What is to be made.

        Raises:
            LimitError: there can be no such puzzles.
        """
        height, width = self.sides
        signs = self.signs
        if signs is None:
            signs = generate.usual_signs(height, width, self.rules)
        recipe = Recipe(
            height,
            width,
            replace(PRESETS[self.rules], odd=self.odd),
            level=generate.level_named(self.grade),
            clues=self.clues,
            pattern=self.symmetry,
            signs=signs,
            irreducible=self.irreducible,
            method=self.method,
            tries=self.tries,
        )
        return Order(recipe, str(self.seed), self.count, self.distinct, graded=graded)


class EncodeAsk(Ask):
    """Puzzles written for solvers."""

    to: Literal["dimacs", "opb", "lp", "dzn", "smt2", "mps"] = "dimacs"
    balance: Literal[
        "grid", "seqcounter", "mtotalizer", "kmtotalizer", "totalizer", "sortnetwrk", "cardnetwrk"
    ] = Field(default="grid", description="How clauses say balance.")
    unique: str | None = Field(
        default=None,
        max_length=MAX_SIDE * MAX_SIDE,
        description="Forbid this solution, given by its cells row by row, or one that is found: "
        "auto.",
    )

    @model_validator(mode="after")
    def _check_unique(self) -> Self:
        if self.unique and self.to == "dzn":
            raise ValueError("dzn is data, which can't forbid a solution")
        if self.unique not in (None, "auto") and self.puzzle is None:
            raise ValueError("a solution is that of one puzzle; expected puzzle, not puzzles")
        return self


class ConvertAsk(Ask):
    """Puzzles written in another format."""

    to: Literal["text", "line", "json", "ndjson", "task", "unruly", "janko", "csv"] = "text"


class CertifyAsk(Ask):
    """Certificates that puzzles have one solution, several or none."""


class RenderAsk(Ask):
    """Puzzles drawn."""

    to: Literal["text", "svg", "png", "pdf", "html"] = "svg"
    symbols: Literal["digits", "circles", "sunmoon"] = "digits"
    solution: bool = Field(default=False, description="Show the solutions.")
    hint: bool = Field(default=False, description="Show the next step, and why.")
    steps: bool = Field(default=False, description="Show all steps: as text, html or pdf.")
    grade: bool = Field(default=False, description="Show how hard they are.")
    title: str = Field(default="", max_length=200)
    ids: bool = Field(default=False, description="Show their ids.")
    not_unique: Literal["refuse", "mark"] = "refuse"
    cell: int | None = Field(
        default=None, ge=SMALLEST_CELL, le=LARGEST_CELL, description="Pixels, in svg and png."
    )
    page: str | None = Field(default=None, max_length=40, description="Of a pdf: a4, 170x240mm.")
    margin: float | None = Field(
        default=None, ge=0, le=MOST_MARGIN, allow_inf_nan=False, description="In mm."
    )
    per_page: int | None = Field(default=None, ge=1, le=MOST_PER_PAGE)
    answers: Literal["end", "back", "none"] | None = None
    large: bool = Field(default=False, description="Large print.")
