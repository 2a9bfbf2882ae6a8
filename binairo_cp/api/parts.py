"""The outcomes of a block of puzzles, as arrays where they were decided together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.html import Brief, Sentences
from binairo_cp.puzzle.rules import Puzzle, Rules
from binairo_cp.solving.solutions import Outcome, Verb, Verdict

if TYPE_CHECKING:
    from binairo_cp.deduction.grading import Grade

Cells = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]

VERDICTS = tuple(Verdict)
"""A verdict is stored as its index in this tuple."""

_BULK_BACKEND = "bitboard"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Failure(Brief, Sentences):
    """What takes the place of an outcome if there is none. Errors compare by type and message.

    Attributes:
        verdict: invalid if the puzzle can't be read; unknown if its solver failed.
        error: the reason.
        puzzle: the puzzle, if it could be read.
    """

    verdict: Literal[Verdict.INVALID, Verdict.UNKNOWN]
    error: Exception
    puzzle: Puzzle | None = None

    def _key(self) -> tuple[object, ...]:
        return self.verdict, type(self.error), str(self.error), self.puzzle

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Failure) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        return f"{self.verdict}: {self.error}"

    __bool__ = Outcome.__bool__

    def to_dict(self) -> dict[str, Any]:
        """The verdict and the message of the error."""
        return {"verdict": self.verdict, "error": str(self.error)}


Result = Outcome | Failure


@dataclass(frozen=True, slots=True)
class Group:
    """Puzzles of one shape that were decided together.

    Attributes:
        places: n positions in the block, ascending.
        clues: n x h x w bytes ``0``, ``1`` and ``.``.
        rules: the rules of all of them.
        verb: the function that searched.
        limit: the number of solutions that ends the search; None for no limit.
        verdicts: n verdicts.
        found: n numbers of solutions.
        solutions: for the first and the second solution, n x h x w bytes; only defined for puzzles
            with so many.
        seconds: the time for each puzzle.
    """

    places: Numbers
    clues: Cells
    rules: Rules
    verb: Verb
    limit: int | None
    verdicts: npt.NDArray[np.int8]
    found: Numbers
    solutions: tuple[Cells, ...]
    seconds: float

    @property
    def complete(self) -> npt.NDArray[np.bool_]:
        """Whether all solutions of each puzzle were found."""
        if self.limit is None:
            return np.ones(len(self.found), np.bool_)
        return self.found < self.limit

    def outcomes(self, begin: int = 0, end: int | None = None) -> Iterator[Outcome]:
        """The outcomes of some of the puzzles, in order."""
        _, height, width = self.clues.shape
        size = height * width
        # Text for all boards at once takes less time than for each.
        arrays = (self.clues, *self.solutions)
        clues, *solutions = (array[begin:end].tobytes().decode() for array in arrays)
        verdicts, numbers = self.verdicts[begin:end].tolist(), self.found[begin:end].tolist()
        for row, (verdict, number) in enumerate(zip(verdicts, numbers, strict=True)):
            cells = slice(row * size, (row + 1) * size)
            is_complete = self.limit is None or number < self.limit
            yield Outcome(
                puzzle=Puzzle(Board(height, width, clues[cells]), self.rules),
                verb=self.verb,
                limit=self.limit,
                verdict=VERDICTS[verdict],
                solutions=tuple(Board(height, width, text[cells]) for text in solutions[:number]),
                count=number,
                complete=is_complete,
                stopped_by=None if is_complete else "limit",
                backend=_BULK_BACKEND,
                seconds=self.seconds,
            )

    def texts(self, number: int) -> Iterator[tuple[int, str]]:
        """The position and the cells of each first, or second, solution."""
        if number >= len(self.solutions):
            return
        rows = np.flatnonzero(self.found > number)
        boards = self.solutions[number][rows]
        text, size = boards.tobytes().decode(), int(np.prod(boards.shape[1:]))
        for k, place in enumerate(self.places[rows].tolist()):
            yield place, text[k * size : (k + 1) * size]


class Origin(NamedTuple):
    """Where a puzzle comes from, as in an `Entry`."""

    id: str
    source: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """The outcomes of a block of puzzles: of groups, and of single puzzles by position.

    `origins` says where entries come from, by position. `seconds` is the time that the block took.
    """

    number: int
    origins: dict[int, Origin] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)
    singles: dict[int, Result] = field(default_factory=dict)
    grades: dict[int, Grade] = field(default_factory=dict)
    seconds: float = 0.0

    def result(self, place: int) -> Result:
        """The outcome, or the failure, at a position."""
        if place in self.singles:
            return self.singles[place]
        for group in self.groups:
            row = int(group.places.searchsorted(place))
            if row < len(group.places) and group.places[row] == place:
                return next(group.outcomes(row, row + 1))
        raise IndexError(place)

    def results(self) -> Iterator[Result]:
        """All outcomes and failures in order; sooner than by `result`."""
        group_of = np.full(self.number, -1)
        for number, group in enumerate(self.groups):
            group_of[group.places] = number
        outcomes = [group.outcomes() for group in self.groups]
        for place, number in enumerate(group_of.tolist()):
            yield self.singles[place] if number < 0 else next(outcomes[number])

    def column(self, name: str, dtype: Any) -> npt.NDArray[Any]:
        """An array of an attribute of outcomes, which groups have as arrays; 0 for failures."""
        values = np.zeros(self.number, dtype)
        for group in self.groups:
            values[group.places] = getattr(group, name)
        for place, single in self.singles.items():
            values[place] = getattr(single, "count" if name == "found" else name, 0)
        return values
