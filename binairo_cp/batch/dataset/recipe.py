"""The recipe of a dataset, a TOML file: which puzzles, in which splits and files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from binairo_cp.batch.book_recipe import PuzzleSet
from binairo_cp.generation.runs import GenerationSpec

MOST_PUZZLES = 10_000_000
"""The most puzzles of a dataset."""

FileFormat = Literal["parquet", "ndjson"]

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,59}", re.ASCII)
_EXPECTED_NAME = "expected 1 to 60 letters, digits, dots, hyphens and underscores"
_MOST_SPLITS = 10


class DatasetSet(PuzzleSet):
    """Puzzles of one kind."""

    count: Annotated[int, Field(strict=True, ge=1, le=MOST_PUZZLES)]


class DatasetRecipe(BaseModel):
    """The puzzles of a dataset, and the form of its files.

    Attributes:
        license: what the card states, as Hugging Face names licenses.
        description: a paragraph for the card.
        splits: the share of each split, in any unit.
        shard: the most puzzles of a file.
        paths: find the steps of each puzzle, which takes most of the time.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    seed: int | str = 1
    license: Annotated[str, Field(pattern=r"^[a-z0-9.-]{1,40}$")] = "cc0-1.0"
    description: Annotated[str, Field(max_length=2_000)] = ""
    splits: dict[str, Annotated[int, Field(strict=True, ge=1, le=MOST_PUZZLES)]] = {"train": 1}
    format: FileFormat = "parquet"
    shard: Annotated[int, Field(strict=True, ge=10, le=100_000)] = 10_000
    paths: Annotated[bool, Field(strict=True)] = True
    puzzles: Annotated[list[DatasetSet], Field(min_length=1, max_length=1_000)]

    @field_validator("name", "seed")
    @classmethod
    def _check_name(cls, value: int | str) -> int | str:
        if not _NAME.fullmatch(str(value)):
            raise ValueError(_EXPECTED_NAME)
        return value

    @field_validator("splits")
    @classmethod
    def _check_splits(cls, value: dict[str, int]) -> dict[str, int]:
        # Hugging Face accepts word characters and dots only.
        if not 1 <= len(value) <= _MOST_SPLITS:
            raise ValueError(f"expected 1 to {_MOST_SPLITS} splits")
        if wrong := next((name for name in value if not re.fullmatch(r"\w{1,60}", name)), None):
            raise ValueError(f"{wrong[:60]!r}: expected letters, digits and underscores")
        return value

    @model_validator(mode="after")
    def _check_number(self) -> DatasetRecipe:
        if self.total > MOST_PUZZLES:
            raise ValueError(f"{self.total:,} puzzles in all; expected at most {MOST_PUZZLES:,}")
        return self

    @property
    def total(self) -> int:
        """The number of puzzles."""
        return sum(puzzle.count for puzzle in self.puzzles)


@dataclass(frozen=True)
class SetPlan:
    """A set of puzzles to generate.

    Attributes:
        number: its number in the recipe, from 1.
    """

    number: int
    spec: GenerationSpec

    @property
    def size(self) -> tuple[int, int]:
        """The shorter side first: puzzles of other sizes can't be twins."""
        sides = sorted((self.spec.recipe.height, self.spec.recipe.width))
        return sides[0], sides[1]

    @property
    def what(self) -> str:
        """The kind of puzzles in words."""
        kind = self.spec.recipe
        level = f" of level {kind.level}" if kind.level else ""
        demand = f" ({kind.demand})" if kind.demand else ""
        kinds = f"{'irreducible ' * kind.irreducible}{kind.height}x{kind.width} puzzles"
        return f"{kinds}{level}{demand}"


@dataclass(frozen=True, slots=True)
class Shard:
    """Some puzzles of a set that share a file.

    Attributes:
        name: the name of their files, without an ending.
        count: how many.
    """

    of: SetPlan
    split: str
    name: str
    count: int


@dataclass(frozen=True)
class DatasetPlan:
    """All that is to be generated."""

    recipe: DatasetRecipe
    sets: list[SetPlan]

    @cached_property
    def shards(self) -> list[Shard]:
        """The shards of all sets, in order."""
        shards: list[Shard] = []
        for of in self.sets:
            kind = self.recipe.puzzles[of.number - 1]
            sides = f"{of.spec.recipe.height}x{of.spec.recipe.width}"
            stem = f"{of.number:02}-{sides}-{kind.rules}-{kind.grade}"
            end = shares = 0
            for split, share in self.recipe.splits.items():
                begin, shares = end, shares + share
                end = of.spec.count * shares // sum(self.recipe.splits.values())
                for number, at in enumerate(range(begin, end, self.recipe.shard)):
                    count = min(self.recipe.shard, end - at)
                    shards.append(Shard(of, split, f"{stem}-{number:03}", count))
        return shards
