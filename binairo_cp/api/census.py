"""Count all solved boards of a size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

from binairo_cp.api.files import Name
from binairo_cp.errors import OptionError
from binairo_cp.features.arguments import check_workers, path_of
from binairo_cp.puzzle.html import Sentences
from binairo_cp.puzzle.rules import Odd

if TYPE_CHECKING:
    from binairo_cp.counting.estimating import Estimate
    from binairo_cp.counting.orbits import Orbits

CensusRules = Literal["classic", "unruly", "plain", "rows", "columns"]


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


def census(
    size: int | str,
    *,
    rules: CensusRules = "classic",
    odd: Odd = "either",
    up_to_symmetry: bool = False,
    estimate: int | None = None,
    seed: str = "census",
    state: Name | None = None,
    memory: float = 1.0,
    workers: int | None = None,
) -> CensusResult | Estimate:
    """Count all solved boards of a size, or estimate their number.

    >>> import binairo_cp as bn
    >>> bn.census(6, up_to_symmetry=True).boards
    4140

    Args:
        size: 8 for 8x8, or ``"8x10"`` for 8 rows and 10 columns.
        rules: classic: distinct rows and columns; unruly or plain: lines may repeat; rows,
            columns: only the rows or only the columns are distinct.
        odd: the symbol that occurs once more in lines of odd length: ones, zeros or either.
        up_to_symmetry: also count the boards up to symmetry.
        estimate: estimate the number from this many random boards instead.
        seed: the random seed of the estimate.
        state: a file that saves each counted unit, to continue a long count later.
        memory: the GB of memory that each worker may use; larger sizes need more.
        workers: the number of worker processes; None for one per core.

    Raises:
        LimitError: the size is out of reach, or takes long and has no state file.
        OptionError: an option is out of bounds.
        SourceError: the state file can't be read or written.
    """
    # Imported here, because numpy takes time to load.
    from binairo_cp.commands.requests import sides_of
    from binairo_cp.counting import census_runs
    from binairo_cp.counting.orbits import check_reach, count_orbits
    from binairo_cp.counting.sizes import Census
    from binairo_cp.workers.executors import WorkerSettings, cores

    if rules not in census_runs.DISTINCT:
        expected = ", ".join(census_runs.DISTINCT)
        raise OptionError("rules", f"expected one of {expected}, not {rules!r}")
    if workers is not None:
        check_workers(workers)
    if estimate is not None and (not isinstance(estimate, int) or estimate < 2):
        raise OptionError("estimate", f"expected 2 or more samples, not {estimate!r}")
    if not isinstance(memory, int | float) or not memory >= 0.1:
        raise OptionError("memory", f"expected 0.1 GB or more, not {memory!r}")
    height, width = sides_of(size)
    what = Census(height, width, census_runs.DISTINCT[rules], odd)
    name = None if state is None else path_of(state, "state")
    options = census_runs.CensusOptions(name, WorkerSettings(workers or cores()), True, memory)
    census_runs.check_memory(options)
    if estimate is not None:
        return census_runs.sample(what, options, estimate, seed)
    if up_to_symmetry:
        check_reach(what)
    boards = census_runs.run_census(what, options)
    return CensusResult(boards, tuple(count_orbits(what, boards)) if up_to_symmetry else ())
