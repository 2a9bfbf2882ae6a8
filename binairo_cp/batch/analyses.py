"""What a task can find out about a puzzle besides its verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from binairo_cp.formats import Entry
    from binairo_cp.puzzle.rules import Puzzle
    from binairo_cp.solving.solutions import Outcome

Progress = Callable[[int, int], object]
"""Called with a lower and an upper bound whenever one of them changes."""


class Subject(NamedTuple):
    """What an analysis is about.

    Attributes:
        entry: where the puzzle comes from.
        puzzle: the puzzle, under the rules of the search.
        seconds: the time limit; None for no limit.
        progress: called as the bounds close, if a single puzzle is analysed in this process.
    """

    entry: Entry
    puzzle: Puzzle
    outcome: Outcome
    seconds: float | None
    progress: Progress | None


@dataclass(frozen=True, repr=False)
class Analysis:
    """One more thing to find out about each puzzle, after the search.

    It travels to the workers, and its text is part of the journal of a run.

    Attributes:
        name: its name in the journal.
        find: returns fields of the record, which replace those that the search filled in. If it
            raises a `BinairoError`, the record keeps the result of the search.
        options: keyword arguments of `find`.
        columns: its fields in a table without ``--columns``.
        only_if: it is done only if the option of this name is on.
        unanswered: fields of the record if it fails.
        works_if_undecided: it can answer even if the search runs out of time, so the search gets
            half of the time.
        shares_time: its time limit is what the search left, in any case.
        shows_progress: it reports progress, so that a single puzzle is not decided in another
            process.
        searches: how many time limits it may use.
        is_columnar: `columnar` can do it for many puzzles at once, if it has no options.
        of_run: returns the options for a run of a single puzzle or of many. An analysis that has it
            must know from the start which of them the run is.
        progress: called with bounds as they close.
    """

    name: str
    find: Callable[..., dict[str, Any]] = field(compare=False)
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    _: KW_ONLY
    columns: tuple[str, ...] = ()
    only_if: str = ""
    unanswered: tuple[tuple[str, Any], ...] = ()
    works_if_undecided: bool = False
    shares_time: bool = False
    shows_progress: bool = False
    searches: int = 1
    is_columnar: bool = False
    of_run: Callable[..., dict[str, Any]] | None = None
    progress: Progress | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        options = (f"{name}={value!r}" for name, value in self.options.items())
        return f"{self.name}({', '.join(options)})"

    def with_options(self, **options: Any) -> Analysis:
        """The same, with these options of `find`."""
        is_plain = all(each is None or each is False for each in options.values())
        return replace(self, options=options, is_columnar=self.is_columnar and is_plain)

    def for_run(self, *, is_single: bool, progress: Progress | None = None) -> Analysis:
        """The same, for a run of a single puzzle, whose progress it may show, or of many.

        Raises:
            BinairoError: it can't be done for many puzzles.
        """
        options = self.of_run(is_single, **self.options) if self.of_run else self.options
        shown = progress if is_single and self.shows_progress else None
        return replace(self, options=options, progress=shown)
