"""The records of a certificate: its claim, its puzzle, and the hashes of its files."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    field_validator,
)

from binairo_cp.errors import CertificateError
from binairo_cp.formats.results import Preset
from binairo_cp.formats.schema import PuzzleRecord, RulesRecord, Side
from binairo_cp.puzzle.board import MAX_SIDE
from binairo_cp.puzzle.rules import PRESETS, Odd, Puzzle, Rules

CERTIFICATE_VERSION: Literal[1] = 1

MAX_ID = 1_000
"""Maximum length of an id in a certificate, in characters."""

MANIFEST = "manifest.json"
PUZZLE = "puzzle.json"
SOLUTION = "solution.txt"
SECOND_SOLUTION = "second_solution.txt"
WITHOUT_CLUE = "solutions_without_clue.txt"
FORMULA = "formula.cnf"
DRAT = "proof.drat.gz"
LRAT = "proof.lrat.gz"

Number = Annotated[StrictInt, Field(ge=0, lt=MAX_SIDE)]
Pair = tuple[Literal["row", "column"], Number, Number]


def _require_int(value: object) -> object:
    """Reject True and 1.0, which equal 1."""
    if type(value) is not int:
        raise ValueError("expected a whole number")
    return value


Version = Annotated[Literal[1], BeforeValidator(_require_int)]


class Claim(StrEnum):
    """What a certificate claims: its puzzle has exactly one solution, more than one, or none."""

    UNIQUE = "unique"
    MULTIPLE = "multiple"
    NONE = "none"

    @property
    def solution_files(self) -> tuple[str, ...]:
        """The files with solutions of the puzzle."""
        number = {Claim.UNIQUE: 1, Claim.MULTIPLE: 2, Claim.NONE: 0}[self]
        return (SOLUTION, SECOND_SOLUTION)[:number]

    @property
    def files(self) -> tuple[set[str], set[str]]:
        """The required files besides the manifest, and the optional ones."""
        proof = set() if self is Claim.MULTIPLE else {FORMULA, DRAT}
        needed, optional = {PUZZLE, *self.solution_files, *proof}, {LRAT} if proof else set()
        if self is Claim.NONE:
            optional.add(WITHOUT_CLUE)
        return needed, optional


class StatedRules(RulesRecord):
    """All fields of `rules.Rules`, without defaults."""

    balanced: StrictBool
    longest_run: Side
    distinct_lines: StrictBool
    odd: Odd


class CertifiedPuzzle(PuzzleRecord):
    """A puzzle with explicit rules and no unknown fields."""

    model_config = ConfigDict(extra="forbid")

    id: str | None = Field(default=None, max_length=MAX_ID)
    rules: Preset | StatedRules
    distinct_lines: None = None
    picture: None = None

    @field_validator("signs", mode="before")
    @classmethod
    def _refuse_text(cls, value: object) -> object:
        """Other verifiers read signs only as we write them."""
        if isinstance(value, str):
            raise ValueError("expected a list")
        return value

    @field_validator("picture", mode="before")
    @classmethod
    def _refuse_pictures(cls, value: object) -> None:
        """Other verifiers know no such field."""
        raise ValueError("unknown field")

    @field_validator("rules", mode="before")
    @classmethod
    def _refuse_settings(cls, value: object) -> object:
        """Other verifiers read rules only as we write them."""
        if isinstance(value, str) and "=" in value:
            raise ValueError("expected a name or an object")
        return value

    def stated_rules(self) -> Rules:
        """The rules, which are required."""
        return PRESETS[self.rules] if isinstance(self.rules, str) else self.rules.rules()


def puzzle_text(puzzle: Puzzle, id: str | None) -> bytes:
    """Return the contents of the puzzle file.

    Raises:
        CertificateError: The id is too long.
    """
    if id is not None and len(id) > MAX_ID:
        raise CertificateError(
            f"the id has {len(id):,} characters; expected at most {MAX_ID:,} in a certificate"
        )
    text = CertifiedPuzzle.of(puzzle, id).model_dump_json(exclude_none=True)
    return f"{text}\n".encode()


class FileRecord(BaseModel):
    """The hash and size of a file of the certificate, as stored."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    bytes: StrictInt = Field(ge=0, lt=1 << 40)


class FormulaRecord(BaseModel):
    """How the clauses were generated, so that a checker can generate them again.

    Distinctness is encoded only for the listed pairs of lines, counted from 0, in this order. This
    is sound: what follows from some of the rules follows from all of them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    encoder: Version
    distinct_lines: list[Pair] = []


class Manifest(BaseModel):
    """The manifest of a certificate."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Version
    claim: Claim
    files: dict[str, FileRecord]
    formula: FormulaRecord | None = None
    conflict: str | None = Field(
        default=None,
        description="For the claim none: the clues that contradict each other, as a board, row by "
        "row. The formula states no other clues.",
    )
    solver: str | None = Field(
        default=None, description="The solver that wrote the proof; not trusted."
    )
    made_by: str = Field(description="The program and its version.")
