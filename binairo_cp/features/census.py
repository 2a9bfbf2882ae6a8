"""Count all solved boards of a size, or list the legal lines of a length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, overload

from binairo_cp.errors import LimitError
from binairo_cp.features.arguments import Name, check_workers, path_of
from binairo_cp.features.feature import Option, checked, feature
from binairo_cp.features.generate import OddOption
from binairo_cp.puzzle.html import Sentences
from binairo_cp.puzzle.lines import Lines, legal_lines
from binairo_cp.puzzle.rules import Odd, Rules
from binairo_cp.puzzle.shape import sides_of

if TYPE_CHECKING:
    from binairo_cp.counting.estimating import Estimate
    from binairo_cp.counting.orbits import Orbits

CensusRules = Literal["classic", "unruly", "plain", "rows", "columns"]

_MOST_SAMPLES = 1_000_000_000
_LONG_RUNS = "Long runs"


@dataclass(frozen=True, slots=True)
class CensusResult(Sentences):
    """The number of boards of a size.

    Attributes:
        boards: the number of boards.
        orbits: the number up to rotations, reflections and the swap of 0 and 1, then without the
            swap, if it was requested.
    """

    boards: int
    orbits: tuple[Orbits, ...] = ()

    def __str__(self) -> str:
        more = (f"{each.orbits} up to {each.symmetries} symmetries" for each in self.orbits)
        return ", ".join([str(self.boards), *more])

    def to_dict(self) -> dict[str, Any]:
        """The attributes as plain values."""
        return {"boards": self.boards, "orbits": [each._asdict() for each in self.orbits]}


@overload
def census(
    size: int | str,
    *,
    rules: CensusRules = ...,
    odd: Odd = ...,
    up_to_symmetry: bool = ...,
    estimate: None = ...,
    seed: str = ...,
    state: Name | None = ...,
    memory: float = ...,
    workers: int | None = ...,
) -> CensusResult: ...


@overload
def census(
    size: int | str,
    *,
    rules: CensusRules = ...,
    odd: Odd = ...,
    up_to_symmetry: Literal[False] = ...,
    estimate: int,
    seed: str = ...,
    state: None = ...,
    memory: float = ...,
    workers: int | None = ...,
) -> Estimate: ...


@feature(
    examples=(
        "[bold]binairo census 8[/]",
        "[bold]binairo census 12 --state census-12x12.gz[/]",
        "[bold]binairo census 14 --estimate 100000[/]",
    )
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
            "classic: distinct rows and columns; unruly or plain: lines may repeat; rows, "
            "columns: only the rows or only the columns are distinct.",
            flags=("--rules", "-r"),
        ),
    ] = "classic",
    odd: OddOption = "either",
    up_to_symmetry: Annotated[
        bool, Option("Also count the boards up to rotation, reflection and symbol swap.")
    ] = False,
    estimate: Annotated[
        int | None,
        Option(
            "Estimate the count, with its error, from this many random boards.",
            least=2,
            most=_MOST_SAMPLES,
            metavar="SAMPLES",
        ),
    ] = None,
    seed: Annotated[str, Option("Random seed for estimates and for verifying.")] = "census",
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
            "Memory that each worker may use. Larger sizes need more; a forecast says how much.",
            least=0.1,
            most=10_000,
            metavar="GB",
            panel=_LONG_RUNS,
        ),
    ] = 1.0,
    workers: Annotated[int | None, "The number of worker processes; None for one per core."] = None,
) -> CensusResult | Estimate:
    """Count all solved boards of a size.

    >>> import binairo_cp as bn
    >>> bn.census(6, up_to_symmetry=True).boards
    4140

    Returns:
        The numbers, or an estimate if `estimate` is given.

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
    from binairo_cp.counting.orbits import check_reach, count_orbits
    from binairo_cp.counting.sizes import Census
    from binairo_cp.workers.executors import WorkerSettings, cores

    what = Census(*sides_of(size), census_runs.DISTINCT[rules], odd)
    name = None if state is None else path_of(state, "state")
    options = census_runs.CensusOptions(name, WorkerSettings(workers or cores()), True, memory)
    census_runs.check_memory(options)
    if estimate is not None:
        return census_runs.sample(what, options, estimate, seed)
    if up_to_symmetry:
        check_reach(what)
    boards = census_runs.run_census(what, options)
    return CensusResult(boards, tuple(count_orbits(what, boards)) if up_to_symmetry else ())


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
