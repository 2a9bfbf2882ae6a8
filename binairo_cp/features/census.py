"""Count all solved boards of a size, or list the legal lines of a length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from binairo_cp.errors import LimitError
from binairo_cp.features.arguments import Name, check_workers, path_of
from binairo_cp.features.feature import Option, checked, feature
from binairo_cp.features.generate import OddOption
from binairo_cp.puzzle.html import Sentences
from binairo_cp.puzzle.lines import Lines, legal_lines
from binairo_cp.puzzle.rules import Rules
from binairo_cp.puzzle.shape import sides_of

CensusRules = Literal["classic", "unruly", "plain", "rows", "columns"]

_LONG_RUNS = "Long runs"


@dataclass(frozen=True, slots=True)
class CensusResult(Sentences):
    """The number of boards of a size.

    Attributes:
        boards: the number of boards.
    """

    boards: int

    def __str__(self) -> str:
        return str(self.boards)

    def to_dict(self) -> dict[str, Any]:
        """The attributes as plain values."""
        return {"boards": self.boards}


@feature(
    examples=("[bold]binairo census 8[/]", "[bold]binairo census 12 --state census-12x12.gz[/]")
)
def census(
    size: Annotated[
        int | str,
        Option(
            "Board size: 8 for 8x8, or 8x10 for 8 rows and 10 columns.",
            metavar="SIZE",
            is_positional=True,
        ),
    ],
    *,
    rules: Annotated[
        CensusRules,
        Option(
            "Which lines must differ: with classic rows and columns, with unruly or plain none, "
            "with rows or columns only these.",
            flags=("--rules", "-r"),
        ),
    ] = "classic",
    odd: OddOption = "either",
    state: Annotated[
        Name | None,
        Option(
            "Save each counted unit to this file, and continue from it.",
            type=str | None,
            metavar="FILE",
            panel=_LONG_RUNS,
        ),
    ] = None,
    memory: Annotated[
        float,
        Option(
            "Memory that each worker may use. A size that needs more says how much.",
            least=0.1,
            most=10_000,
            metavar="GB",
            panel=_LONG_RUNS,
        ),
    ] = 1.0,
    workers: Annotated[int | None, "The number of worker processes; None for one per core."] = None,
) -> CensusResult:
    """Count all solved boards of a size.

    >>> import binairo_cp as bn
    >>> bn.census(6).boards
    4140

    Raises:
        LimitError: the size is out of reach, or takes long and has no state file.
        OptionError: an option is out of bounds.
        SourceError: the state file can't be read or written.
    """
    checked(census, locals())
    if workers is not None:
        check_workers(workers)
    # Imported here, because numpy takes time to load.
    from binairo_cp.counting import census_runs
    from binairo_cp.counting.sizes import Census
    from binairo_cp.workers.executors import WorkerSettings, cores

    what = Census(*sides_of(size), census_runs.DISTINCT[rules], odd)
    name = None if state is None else path_of(state, "state")
    options = census_runs.CensusOptions(name, WorkerSettings(workers or cores()), True, memory)
    census_runs.check_memory(options)
    return CensusResult(census_runs.run_census(what, options))


@feature(
    examples=(
        "[bold]binairo lines 24[/]",
        "[bold]binairo lines 10 --number 0 --number 83[/]",
        "[bold]binairo lines 6 --pattern 1....0 --all[/]",
    )
)
def lines(
    length: Annotated[
        int,
        Option(
            "Length of the lines, in cells.",
            least=1,
            most=255,
            metavar="LENGTH",
            is_positional=True,
        ),
    ],
    *,
    pattern: Annotated[
        str | None, Option("Only lines that match these cells.", metavar="CELLS")
    ] = None,
    longest_run: Annotated[
        int, Option("The most equal cells allowed side by side.", least=1, most=255)
    ] = 2,
    odd: OddOption = "either",
) -> Lines:
    """Count the legal lines of a length, or list some of them.

    The lines are a sequence that can be counted and indexed:

    >>> import binairo_cp as bn
    >>> bn.lines(10).count, bn.lines(10)[83], list(bn.lines(6, pattern="1....0"))
    (84, '1101100100', ['100110', '101010', '101100', '110010', '110100'])

    Raises:
        LimitError: the pattern has another length.
        BoardError: the length is out of range, or the pattern has a character that is not a cell.
        ArgumentError: the length is not an int, or the pattern not a str.
    """
    rules = Rules(longest_run=longest_run, odd=odd)
    legal = legal_lines(length, rules)
    if pattern is None:
        return legal
    if isinstance(pattern, str) and len(pattern) != length:
        raise LimitError(f"the pattern has {len(pattern)} cells; expected {length}")
    return Lines(pattern, rules)
