"""What a task can find out about a puzzle besides its verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from binairo_cp.puzzle.board import Board
    from binairo_cp.puzzle.rules import Puzzle
    from binairo_cp.solving.solutions import Outcome, Verdict

Progress = Callable[[int, int], object]
"""Called with a lower and an upper bound whenever one of them changes."""


class Subject(NamedTuple):
    """What something is found out about.

    Attributes:
        puzzle: the puzzle, under the rules of the search.
        seconds: the time limit; None for no limit.
        progress: called as the bounds close, if a single puzzle is analysed in this process.
    """

    puzzle: Puzzle
    outcome: Outcome
    seconds: float | None
    id: str = ""
    progress: Progress | None = None

    def board(self, board: Board | str | None) -> Board | None:
        """A board of the size of the puzzle, which its cells can stand for."""
        return replace(self.puzzle.board, cells=board) if isinstance(board, str) else board


@dataclass(frozen=True, repr=False)
class Analysis:
    """One more thing to find out about each puzzle, after the search.

    It travels to the workers, and its text is part of the journal of a run.

    Attributes:
        name: its name in the journal.
        find: returns the result for a `Subject`; None if there is none for its verdict.
        options: keyword arguments of `find`.
        record: the field of the record that holds the result; or a function that returns the
            fields for a result or None, and the outcome. They replace those that the search filled
            in. If `find` raises a `BinairoError`, the record keeps the result of the search.
        lacks: why there is no result, by verdict; else the puzzle has no solution.
        columns: its fields in a table without ``--columns``.
        only_if: it is done only if the option of this name is on.
        works_if_undecided: it can answer even if the search runs out of time, so the search gets
            half of the time.
        is_about_clues: it gets the time that the search left, and reports its progress, so that a
            single puzzle is not decided in another process. Its record says whether it has an
            answer, and how long it took.
        searches: how many time limits it may use.
        may_be_columnar: `columnar` can do it for many puzzles at once, if it has no options.
        of_run: returns the options for a run of a single puzzle or of many. An analysis that has it
            must know from the start which of them the run is.
        progress: called with bounds as they close.
    """

    name: str
    find: Callable[..., Any] = field(compare=False)
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    _: KW_ONLY
    record: str | Callable[[Any, Outcome], dict[str, Any]] = field(compare=False)
    lacks: Mapping[Verdict, str] = field(default_factory=dict, compare=False)
    columns: tuple[str, ...] = ()
    only_if: str = ""
    works_if_undecided: bool = False
    is_about_clues: bool = False
    searches: int = 1
    may_be_columnar: bool = False
    of_run: Callable[..., dict[str, Any]] | None = None
    progress: Progress | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        options = (f"{name}={value!r}" for name, value in self.options.items())
        return f"{self.name}({', '.join(options)})"

    def fields(self, subject: Subject) -> dict[str, Any]:
        """What is found out about a puzzle, as fields of its record."""
        result = self.find(subject._replace(progress=self.progress), **self.options)
        if isinstance(self.record, str):
            return {self.record: result}
        return self.record(result, subject.outcome)

    @property
    def is_columnar(self) -> bool:
        """Whether `columnar` can do it for many puzzles at once."""
        are_unset = (value is None or value is False for value in self.options.values())
        return self.may_be_columnar and all(are_unset)
