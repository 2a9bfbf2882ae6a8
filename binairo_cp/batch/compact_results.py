"""Compact results of many puzzles with one shape, in arrays.

Creating a full result record takes as long as solving the puzzle, so it is done only if needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from binairo_cp.formats.columnar import PlainPuzzles
from binairo_cp.formats.schema import RESULT_VERSION
from binairo_cp.solving.solutions import Verb, Verdict

_NONE, _SOLVED = Verdict.NONE.value, Verdict.SOLVED.value
_DECIDED = (_NONE, Verdict.UNIQUE.value, Verdict.MULTIPLE.value)
VERDICTS: dict[Verb, tuple[str, str, str]] = {
    "solve": (_NONE, _SOLVED, _SOLVED),
    "check": _DECIDED,
    "count": _DECIDED,
}
"""The verdicts for no solution, for one, and for several, by verb."""


@dataclass(frozen=True, slots=True)
class Group:
    """The results of some puzzles of a block with the same shape and rules.

    Attributes:
        source: the name of their file.
        line: the first line of their block, from 1.
        puzzles: the puzzles, with their lines in the block.
        rules: their rules, as in a record.
        verb: whether to solve, check or count.
        limit: the number of solutions that ends the search.
        backend: the name of the backend.
        seconds: the time per puzzle.
        found: numbers of solutions found; below the limit, there are no others.
        solutions: the first and perhaps the second solutions, each n x height x width bytes. The
            board of a puzzle with fewer solutions is undefined.
        grades: the fields of the grades of unique puzzles, if they were requested.
    """

    source: str
    line: int
    puzzles: PlainPuzzles
    rules: str | dict[str, Any]
    verb: Verb
    limit: int
    backend: str
    seconds: float
    found: npt.NDArray[np.int64]
    solutions: tuple[npt.NDArray[np.uint8], ...]
    grades: list[dict[str, Any] | None] | None = None

    def __len__(self) -> int:
        return len(self.found)

    @property
    def is_complete(self) -> npt.NDArray[np.bool_]:
        """Whether there are no other solutions, for each puzzle."""
        return self.found < self.limit

    @property
    def incomplete(self) -> int:
        """The number of puzzles with perhaps more solutions."""
        return int((~self.is_complete).sum())

    @property
    def verdicts(self) -> tuple[str, str, str]:
        """The verdicts for no solution, for one, and for several."""
        return VERDICTS[self.verb]

    @property
    def numbers(self) -> list[int]:
        """The numbers of puzzles with no solution, with one, and with several."""
        numbers: list[int] = np.bincount(np.minimum(self.found, 2), minlength=3).tolist()
        return numbers

    def fields(self, k: int, number: int) -> Mapping[str, Any]:
        """The fields of a `schema.ResultRecord` in its order, without absent ones.

        Args:
            k: the index of the puzzle in this group.
            number: the number of the puzzle in its source.
        """
        puzzles, found = self.puzzles, int(self.found[k])
        _, height, width = puzzles.clues.shape
        id = puzzles.ids.take([k]).tolist()[0].decode()
        record: dict[str, Any] = {
            "schema_version": RESULT_VERSION,
            "id": id or str(number),
            "source": self.source,
            "line": self.line + int(puzzles.lines[k]),
            "height": height,
            "width": width,
            "clues": puzzles.clues[k].tobytes().decode(),
            "rules": self.rules,
            "verdict": self.verdicts[min(found, 2)],
            "count": found,
            "complete": found < self.limit,
            "backend": self.backend,
            "seconds": self.seconds,
        }
        if puzzles.signs:
            record["signs"] = puzzles.signs[k]
        if found >= self.limit:
            record["stopped_by"] = "limit"
        names = ("solution", "second_solution")
        shown = [boards[k] for boards in self.solutions[:found]]
        record |= {name: each.tobytes().decode() for name, each in zip(names, shown, strict=False)}
        if len(shown) == len(names):
            record["differences"] = np.argwhere(shown[0] != shown[1]).tolist()
        if self.grades and (grade := self.grades[k]):
            record["grade"] = grade
        return record
