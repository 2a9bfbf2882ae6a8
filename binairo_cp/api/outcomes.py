"""The outcomes of many puzzles: a sequence, and columns for tables."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, Rules
from binairo_cp.solving.solutions import Outcome, Verb, Verdict

if TYPE_CHECKING:
    from binairo_cp.deduction.grading import Grade

Cells = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]

VERDICTS = tuple(Verdict)
"""A verdict is stored as its index in this tuple."""

_NAMES = np.array([verdict.value for verdict in VERDICTS])
_BULK_BACKEND = "bitboard"


@dataclass(frozen=True, slots=True)
class Failure:
    """What takes the place of an outcome if there is none.

    Attributes:
        verdict: invalid if the puzzle can't be read; unknown if its solver failed.
        error: the reason.
    """

    verdict: Verdict
    error: Exception

    def __str__(self) -> str:
        return f"{self.verdict}: {self.error}"

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

    def outcome(self, row: int) -> Outcome:
        """The outcome of one of the puzzles."""
        number, is_complete = int(self.found[row]), bool(self.complete[row])
        kept = self.solutions[: min(number, len(self.solutions))]
        return Outcome(
            puzzle=Puzzle(_board(self.clues[row]), self.rules),
            verb=self.verb,
            limit=self.limit,
            verdict=VERDICTS[self.verdicts[row]],
            solutions=tuple(_board(boards[row]) for boards in kept),
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


@dataclass(frozen=True, slots=True)
class Part:
    """The outcomes of a block of puzzles: of groups, and of single puzzles by position."""

    number: int
    groups: list[Group] = field(default_factory=list)
    singles: dict[int, Result] = field(default_factory=dict)
    grades: dict[int, Grade] = field(default_factory=dict)

    def result(self, place: int) -> Result:
        """The outcome, or the failure, at a position."""
        if place in self.singles:
            return self.singles[place]
        for group in self.groups:
            row = int(np.searchsorted(group.places, place))
            if row < len(group.places) and group.places[row] == place:
                return group.outcome(row)
        raise IndexError(place)

    def column(self, name: str, dtype: Any) -> npt.NDArray[Any]:
        """An array of an attribute of outcomes, which groups have as arrays; 0 for failures."""
        values = np.zeros(self.number, dtype)
        for group in self.groups:
            values[group.places] = getattr(group, name)
        for place, single in self.singles.items():
            values[place] = getattr(single, "count" if name == "found" else name, 0)
        return values


class Outcomes:
    """The outcomes of many puzzles, in their order.

    ``outcomes[k]`` is an `Outcome`, or a `Failure` if the puzzle can't be read or its solver
    failed. It is built when it is asked for. The attributes are columns.

    Args:
        parts: the outcomes by block.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = tuple(parts)
        self._ends = list(accumulate(part.number for part in self._parts))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, place: int) -> Result: ...

    @overload
    def __getitem__(self, place: slice) -> list[Result]: ...

    def __getitem__(self, place: int | slice) -> Result | list[Result]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        position = place + len(self) if place < 0 else place
        if not 0 <= position < len(self):
            raise IndexError(f"outcome {place} of {len(self)}")
        part = bisect_right(self._ends, position)
        before = self._ends[part - 1] if part else 0
        return self._parts[part].result(position - before)

    def __iter__(self) -> Iterator[Result]:
        return (part.result(place) for part in self._parts for place in range(part.number))

    def __repr__(self) -> str:
        names, numbers = np.unique(self.verdict, return_counts=True)
        counts = zip(names.tolist(), numbers.tolist(), strict=True)
        verdicts = ", ".join(f"{number} {name}" for name, number in counts)
        return f"<{len(self)} outcome{'s' * (len(self) != 1)}{': ' * bool(verdicts)}{verdicts}>"

    @cached_property
    def verdict(self) -> npt.NDArray[np.str_]:
        """The verdicts as words."""
        codes = [np.zeros(0, np.int8)]
        for part in self._parts:
            values = np.zeros(part.number, np.int8)
            for group in part.groups:
                values[group.places] = group.verdicts
            for place, single in part.singles.items():
                values[place] = VERDICTS.index(single.verdict)
            codes.append(values)
        return _NAMES[np.concatenate(codes)]

    @cached_property
    def count(self) -> Numbers:
        """The numbers of solutions found; 0 for failures."""
        return self._column("found", np.int64)

    @cached_property
    def complete(self) -> npt.NDArray[np.bool_]:
        """Whether all solutions were found, so that `count` is exact."""
        return self._column("complete", np.bool_)

    @cached_property
    def seconds(self) -> npt.NDArray[np.float64]:
        """The time for each puzzle; puzzles that were decided together share theirs."""
        return self._column("seconds", np.float64)

    @cached_property
    def solution(self) -> list[str | None]:
        """The cells of the first solution, row by row; None if there is none."""
        return self._solutions(0)

    @cached_property
    def second_solution(self) -> list[str | None]:
        """The cells of a second solution; None if none was found."""
        return self._solutions(1)

    @cached_property
    def grade(self) -> list[Grade | None]:
        """The grades of `grade_many`; None for puzzles without exactly one solution."""
        return [part.grades.get(place) for part in self._parts for place in range(part.number)]

    @cached_property
    def error(self) -> list[str | None]:
        """The messages of failures; None for outcomes."""
        singles = (part.singles.get(place) for part in self._parts for place in range(part.number))
        return [str(each.error) if isinstance(each, Failure) else None for each in singles]

    def boards(self) -> Cells:
        """The first solutions as an n x h x w array of bytes; ``.`` where there is none.

        Raises:
            ValueError: the puzzles have different sizes.
        """
        shapes = {group.clues.shape[1:] for part in self._parts for group in part.groups}
        texts = [text for text in self.solution if text]
        if len(shapes) > 1 or len(set(map(len, texts))) > 1 or not shapes:
            raise ValueError("the puzzles have different sizes")
        [shape] = shapes
        empty = "." * int(np.prod(shape))
        data = "".join(text or empty for text in self.solution).encode()
        return np.frombuffer(data, np.uint8).reshape(-1, *shape)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists: verdict, solution, count, complete, seconds, level and error."""
        return {
            "verdict": self.verdict.tolist(),
            "solution": self.solution,
            "count": self.count.tolist(),
            "complete": self.complete.tolist(),
            "seconds": self.seconds.tolist(),
            "level": [grade.level if grade else None for grade in self.grade],
            "error": self.error,
        }

    def to_pandas(self) -> Any:
        """The columns of `to_dict` as a pandas data frame.

        Raises:
            ImportError: pandas is not installed.
        """
        import pandas

        return pandas.DataFrame(self.to_dict())

    def to_polars(self) -> Any:
        """The columns of `to_dict` as a polars data frame.

        Raises:
            ImportError: polars is not installed.
        """
        import polars

        return polars.DataFrame(self.to_dict())

    def to_arrow(self) -> Any:
        """The columns of `to_dict` as an Arrow table.

        Raises:
            ImportError: pyarrow is not installed.
        """
        import pyarrow

        return pyarrow.table(self.to_dict())

    def _column(self, name: str, dtype: Any) -> npt.NDArray[Any]:
        parts = [part.column(name, dtype) for part in self._parts]
        return np.concatenate([np.zeros(0, dtype), *parts])

    def _solutions(self, number: int) -> list[str | None]:
        texts: list[str | None] = [None] * len(self)
        for part, end in zip(self._parts, self._ends, strict=True):
            begin = end - part.number
            for group in part.groups:
                for place, text in group.texts(number):
                    texts[begin + place] = text
            for place, single in part.singles.items():
                if isinstance(single, Outcome) and number < len(single.solutions):
                    texts[begin + place] = single.solutions[number].cells
        return texts


def _board(cells: Cells) -> Board:
    height, width = cells.shape
    return Board(height, width, cells.tobytes().decode())
