"""The rows of a dataset: puzzles with their solutions, grades and paths."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import takewhile
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field

from binairo_cp.batch.dataset.recipe import SetPlan
from binairo_cp.deduction.grading import grade_each
from binairo_cp.deduction.hints import steps_of
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.formats.results import Level, Preset, stated
from binairo_cp.formats.schema import Index, RulesRecord, Side
from binairo_cp.generation.puzzles import GeneratedPuzzle, generate_puzzles
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.puzzle.symmetries import canonical_digest
from binairo_cp.solving.backends import UNLIMITED, Meter


class PathStep(BaseModel):
    """A step of the path."""

    technique: str
    cells: list[int] = Field(description="Places in `puzzle`, from 0.")


class DatasetRecord(BaseModel):
    """A row of a dataset."""

    id: str
    puzzle: str = Field(description="Row by row: '0', '1', '.' for an open cell.")
    solution: str
    height: Side
    width: Side
    rules: Preset | RulesRecord
    signs: list[tuple[Index, Index, Literal["R", "D"], Literal["=", "x"]]]
    level: Level
    score: float
    steps: list[PathStep]
    clue_count: int
    canonical_hash: str
    seed: str


class DatasetRow(NamedTuple):
    """A row as a worker makes it.

    Attributes:
        digest: the same for twins.
        text: the row as a line of JSON in UTF-8.
    """

    digest: bytes
    text: bytes


@dataclass(frozen=True, slots=True)
class RowWork:
    """The function that a worker calls for some numbers of a set; `paths` asks for the steps."""

    of: SetPlan
    paths: bool

    def __call__(self, numbers: list[int]) -> list[DatasetRow]:
        """The rows of the puzzles that were found."""
        generated = generate_puzzles(self.of.spec.recipe, self.of.spec.seed, numbers, graded=False)
        return self.rows(numbers, generated)

    def rows(self, numbers: list[int], generated: list[GeneratedPuzzle | None]) -> list[DatasetRow]:
        """The rows of puzzles with some numbers."""
        found = [(n, drawn) for n, drawn in zip(numbers, generated, strict=True) if drawn]
        grades = grade_each([drawn.puzzle for _, drawn in found])
        rows = []
        for (number, drawn), grade in zip(found, grades, strict=True):
            puzzle, board = drawn.puzzle, drawn.puzzle.board
            rules = stated(puzzle)
            digest = canonical_digest(puzzle)
            record = DatasetRecord(
                id=self.of.spec.name(number),
                puzzle=board.cells,
                solution=drawn.solution.cells,
                height=board.height,
                width=board.width,
                rules=rules if isinstance(rules, str) else RulesRecord(**asdict(rules)),
                signs=list(puzzle.signs),
                level=grade.level,
                score=grade.score,
                steps=_path(puzzle) if self.paths else [],
                clue_count=len(board.cells) - board.cells.count("."),
                canonical_hash=digest.hex(),
                seed=self.of.spec.seed,
            )
            rows.append(DatasetRow(digest, record.model_dump_json().encode() + b"\n"))
        return rows


def _path(puzzle: Puzzle) -> list[PathStep]:
    """The steps that `explain` shows, up to nested contradictions."""
    place = puzzle.board.place
    steps = takewhile(
        lambda step: step.level != LEVELS[-1], steps_of(puzzle, None, Meter(UNLIMITED))
    )
    return [
        PathStep(technique=step.technique, cells=sorted(map(place, step.values))) for step in steps
    ]


def number_of(id: str) -> int:
    """The number of the puzzle in its seed, from 0."""
    return int(id.rpartition("-")[2]) - 1
