"""The outcomes of many puzzles: a sequence, and columns for tables."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain
from operator import eq
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np
import numpy.typing as npt

from binairo_cp.batch import tasks
from binairo_cp.batch.columnar import Group
from binairo_cp.formats import Entry
from binairo_cp.puzzle.html import Brief, Sentences
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.puzzle.slices import Numbers
from binairo_cp.solving.solutions import Outcome, Verdict

if TYPE_CHECKING:
    from binairo_cp.deduction.grading import Grade

_WORD = np.array([verdict.value for verdict in Verdict]).dtype


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
class Part:
    """The outcomes of a block of puzzles: of groups, and of single puzzles by position.

    `origins` has entries without puzzles, which say where some come from, by position. `seconds` is
    the time that the block took.
    """

    number: int
    origins: dict[int, Entry] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)
    singles: dict[int, Result] = field(default_factory=dict)
    grades: dict[int, Grade] = field(default_factory=dict)
    seconds: float = 0.0

    def result(self, place: int) -> Result:
        """The outcome, or the failure, at a position."""
        if place in self.singles:
            return self.singles[place]
        for group in self.groups:
            row = int(group.puzzles.lines.searchsorted(place))
            if row < len(group) and group.puzzles.lines[row] == place:
                return next(group.outcomes(row, row + 1))
        raise IndexError(place)

    def results(self) -> Iterator[Result]:
        """All outcomes and failures in order; sooner than by `result`."""
        group_of = np.full(self.number, -1)
        for number, group in enumerate(self.groups):
            group_of[group.puzzles.lines] = number
        outcomes = [group.outcomes() for group in self.groups]
        for place, number in enumerate(group_of.tolist()):
            yield self.singles[place] if number < 0 else next(outcomes[number])


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

    @classmethod
    def of(cls, results: Sequence[Result]) -> Self:
        """The outcomes of single calls, such as of `check`."""
        return cls([Part(len(results), singles=dict(enumerate(results)))])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outcomes):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, place: int) -> Result: ...

    @overload
    def __getitem__(self, place: slice) -> list[Result]: ...

    def __getitem__(self, place: int | slice) -> Result | list[Result]:
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(len(self)))]
        position = place + len(self) if place < 0 else place
        if not 0 <= position < len(self):
            raise IndexError(f"outcome {place} of {len(self)}")
        part = bisect_right(self._ends, position)
        before = self._ends[part - 1] if part else 0
        return self._parts[part].result(position - before)

    def __iter__(self) -> Iterator[Result]:
        return chain.from_iterable(part.results() for part in self._parts)

    def __repr__(self) -> str:
        names, numbers = np.unique(self.verdict, return_counts=True)
        counts = zip(names.tolist(), numbers.tolist(), strict=True)
        verdicts = ", ".join(f"{number} {name}" for name, number in counts)
        return f"<{len(self)} outcome{'s' * (len(self) != 1)}{': ' * bool(verdicts)}{verdicts}>"

    @cached_property
    def verdict(self) -> npt.NDArray[np.str_]:
        """The verdicts as words."""
        return self._column("verdicts", "verdict", _WORD)

    @cached_property
    def count(self) -> Numbers:
        """The numbers of solutions found; 0 for failures."""
        return self._column("found", "count", np.int64)

    @cached_property
    def complete(self) -> npt.NDArray[np.bool_]:
        """Whether all solutions were found, so that `count` is exact."""
        return self._column("complete", "complete", np.bool_)

    @cached_property
    def seconds(self) -> npt.NDArray[np.float64]:
        """The time for each puzzle; puzzles that were decided together share theirs."""
        return self._column("seconds", "seconds", np.float64)

    @cached_property
    def solution(self) -> list[str | None]:
        """The cells of the first solution, row by row; None if there is none."""
        return self._texts(0)

    @cached_property
    def second_solution(self) -> list[str | None]:
        """The cells of a second solution; None if none was found."""
        return self._texts(1)

    @cached_property
    def grade(self) -> list[Grade | None]:
        """The grades of `grade_many`; None for puzzles without exactly one solution."""
        return [part.grades.get(place) for part in self._parts for place in range(part.number)]

    @cached_property
    def error(self) -> list[str | None]:
        """The messages of failures; None for outcomes."""
        singles = (part.singles.get(place) for part in self._parts for place in range(part.number))
        return [str(single.error) if isinstance(single, Failure) else None for single in singles]

    @cached_property
    def id(self) -> list[str]:
        """The ids of entries and generated puzzles; others are numbered from 1."""
        ids = [str(number) for number in range(1, len(self) + 1)]
        for part, end in zip(self._parts, self._ends, strict=True):
            for place, origin in part.origins.items():
                ids[end - part.number + place] = origin.id or ""
        return ids

    @cached_property
    def clues(self) -> list[str | None]:
        """The cells of the puzzles, row by row; None for those that can't be read."""
        return self._texts(None)

    def boards(self) -> npt.NDArray[np.int8]:
        """The first solutions as an n x h x w array (int8) of 0 and 1; -1 where there is none.

        Raises:
            ValueError: the puzzles have different sizes.
        """
        shapes = {group.puzzles.clues.shape[1:] for part in self._parts for group in part.groups}
        texts = [text for text in self.solution if text]
        if len(shapes) > 1 or len(set(map(len, texts))) > 1 or not shapes:
            raise ValueError("the puzzles have different sizes")
        [shape] = shapes
        empty = "." * int(np.prod(shape))
        data = "".join(text or empty for text in self.solution).encode()
        codes = np.frombuffer(data, np.uint8).reshape(-1, *shape)
        return np.where(codes == ord("."), -1, codes.astype(np.int8) - ord("0")).astype(np.int8)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists: the id, clues, verdict, solution, count, seconds and so on.

        `pandas.DataFrame`, `polars.DataFrame` and `pyarrow.table` make tables of them.
        """
        return {
            "id": self.id,
            "clues": self.clues,
            "verdict": self.verdict.tolist(),
            "solution": self.solution,
            "count": self.count.tolist(),
            "complete": self.complete.tolist(),
            "seconds": self.seconds.tolist(),
            "level": [grade.level if grade else None for grade in self.grade],
            "score": [grade.score if grade else None for grade in self.grade],
            "error": self.error,
        }

    def to_records(self) -> Iterator[dict[str, Any]]:
        """Yield the result records that the command line writes as NDJSON; `write` writes them.

        Puzzles without an id are numbered from 1.
        """
        for part, end in zip(self._parts, self._ends, strict=True):
            first = end - part.number + 1
            for place in range(part.number):
                origin = part.origins.get(place) or Entry(id=str(first + place))
                result, grade = part.result(place), part.grades.get(place)
                entry = replace(origin, puzzle=result.puzzle)
                if isinstance(result, Failure):
                    record = tasks.failed(entry, result.error, result.verdict)
                else:
                    record = tasks.record(entry, {**result.fields(), "grade": grade})
                yield record.to_dict()

    def _column(self, of_group: str, of_single: str, dtype: Any) -> npt.NDArray[Any]:
        """A column from these attributes; a failure that has none of that name gets 0."""
        values = np.zeros(len(self), dtype)
        for part, end in zip(self._parts, self._ends, strict=True):
            own = values[end - part.number : end]
            for group in part.groups:
                own[group.puzzles.lines] = getattr(group, of_group)
            for place, single in part.singles.items():
                own[place] = getattr(single, of_single, 0)
        return values

    def _texts(self, number: int | None) -> list[str | None]:
        """The cells of each puzzle, or of its first (0) or second (1) solution."""
        texts: list[str | None] = [None] * len(self)
        for part, end in zip(self._parts, self._ends, strict=True):
            begin = end - part.number
            for group in part.groups:
                for place, text in group.texts(number):
                    texts[begin + place] = text
            for place, single in part.singles.items():
                boards = single.solutions if isinstance(single, Outcome) else ()
                if number is None:
                    boards = (single.puzzle.board,) if single.puzzle else ()
                if len(boards) > (number or 0):
                    texts[begin + place] = boards[number or 0].cells
        return texts
