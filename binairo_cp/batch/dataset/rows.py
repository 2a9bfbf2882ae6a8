"""The rows of a dataset: puzzles with their solutions, grades and paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, Field

from binairo_cp.batch.dataset.recipe import SetPlan
from binairo_cp.deduction.driver import GRADED, rounds
from binairo_cp.deduction.grading import Grade, grade_of, grade_plain
from binairo_cp.formats.results import Level, Preset, stated
from binairo_cp.formats.schema import Index, RulesRecord, Side
from binairo_cp.generation.puzzles import GeneratedPuzzle, generate_puzzles
from binairo_cp.kernels import deduction as kernel
from binairo_cp.puzzle import twin_keys
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving import solutions


class RoundRecord(BaseModel):
    """All cells that the easiest technique gives on a board."""

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
    steps: list[RoundRecord]
    clue_count: int
    canonical_hash: str
    seed: str


class DatasetRow(NamedTuple):
    """A row as a worker makes it.

    Attributes:
        digest: the same for twins.
        text: the row as a line of JSON in UTF-8.
        certificate: a zip; None if it is not wanted.
    """

    digest: bytes
    text: bytes
    certificate: bytes | None = None


@dataclass(frozen=True, slots=True)
class RowWork:
    """The function that a worker calls for some numbers of a set. With `certified`, it makes
    certificates too.
    """

    of: SetPlan
    certified: bool

    def __call__(self, numbers: list[int]) -> list[DatasetRow]:
        """The rows of the puzzles that were found."""
        generated = generate_puzzles(self.of.spec.recipe, self.of.spec.seed, numbers, graded=False)
        return self.rows(numbers, generated)

    def rows(self, numbers: list[int], generated: list[GeneratedPuzzle | None]) -> list[DatasetRow]:
        """The rows of puzzles with some numbers."""
        found = [(n, each) for n, each in zip(numbers, generated, strict=True) if each]
        paths = graded_paths([each.puzzle for _, each in found])
        rows = []
        for (number, each), (grade, path) in zip(found, paths, strict=True):
            puzzle, board = each.puzzle, each.puzzle.board
            rules = stated(puzzle)
            digest = twin_keys.canonical_digest(puzzle)
            record = DatasetRecord(
                id=self.of.spec.name(number),
                puzzle=board.cells,
                solution=each.solution.cells,
                height=board.height,
                width=board.width,
                rules=rules if isinstance(rules, str) else RulesRecord(**asdict(rules)),
                signs=list(puzzle.signs),
                level=grade.level,
                score=grade.score,
                steps=path,
                clue_count=len(board.cells) - board.cells.count("."),
                canonical_hash=digest.hex(),
                seed=self.of.spec.seed,
            )
            text = record.model_dump_json().encode() + b"\n"
            rows.append(DatasetRow(digest, text, self._certificate(each, record.id)))
        return rows

    def _certificate(self, generated: GeneratedPuzzle, id: str) -> bytes | None:
        if not self.certified:
            return None
        # Imported here because it loads a solver that writes proofs.
        from binairo_cp.certificates import container, making

        outcome = solutions.check(generated.puzzle, reasons="none")
        files, _ = making.certify(generated.puzzle, outcome, id=id)
        return container.zipped(files)


def graded_paths(puzzles: Sequence[Puzzle]) -> Iterator[tuple[Grade, list[RoundRecord]]]:
    """The grade and the path of each puzzle; compiled code finds them if there are no signs.

    The puzzles have the same shape and rules, and exactly one solution each.
    """
    if not puzzles:
        return
    filled = np.zeros((len(puzzles), len(puzzles[0].board.cells)), np.uint32)
    grades = grade_plain(puzzles, filled=filled.data)
    for puzzle, grade, notes in zip(puzzles, grades, filled, strict=True):
        yield (grade, _path_of(notes)) if grade else _slow(puzzle)


def _path_of(notes: npt.NDArray[np.uint32]) -> list[RoundRecord]:
    order = np.argsort(notes, kind="stable")
    order = order[notes[order] > 0]
    both = zip(notes[order].tolist(), order.tolist(), strict=True)
    return [
        RoundRecord(
            technique=kernel.GRADED[note % kernel.LEN_GRADED], cells=[cell for _, cell in cells]
        )
        for note, cells in groupby(both, key=lambda each: each[0])
    ]


def _slow(puzzle: Puzzle) -> tuple[Grade, list[RoundRecord]]:
    path, place = list(rounds(puzzle, techniques=GRADED)), puzzle.board.place
    found = [
        RoundRecord(
            technique=steps[0].technique,
            cells=sorted(place(cell) for step in steps for cell in step.values),
        )
        for steps in path
    ]
    return grade_of(puzzle, path), found


def number_of(id: str) -> int:
    """The number of the puzzle in its seed, from 0."""
    return int(id.rpartition("-")[2]) - 1
