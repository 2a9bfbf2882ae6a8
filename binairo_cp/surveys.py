"""One census at the command line: what is told beforehand, counted, kept and told."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np

from binairo_cp import executors, progress
from binairo_cp.census import counting, states
from binairo_cp.census.sizes import Census, Distinct, classes_of, oriented, pairs_of_blocks

DISTINCT: dict[str, Distinct] = {
    "classic": "lines",
    "unruly": "nothing",
    "plain": "nothing",
    "rows": "rows",
    "columns": "columns",
}
"""What may not repeat, by the name of the rules."""


def take(census: Census, state_file: str | None, workers: int | None, quiet: bool) -> int:
    """Count all boards of a census.

    Raises:
        LimitError: it is out of reach.
        SourceError: the state can't be read or written.
        SolverCrash: a worker died.
    """
    if census.height == census.width == 1:
        return counting.count_boards(census)
    census = oriented(census)
    classes = classes_of(census)
    with ExitStack() as stack:
        state = stack.enter_context(states.opened(state_file, census, classes))
        left = classes.packed[~np.isin(classes.packed, list(state.units))]
        pool = None
        if pairs_of_blocks(census) > counting.SMALL:
            pool = stack.enter_context(
                executors.Pool(workers or executors.cores(), ["binairo_cp.census.loaded"])
            )
        tell = stack.enter_context(progress.bar(quiet))
        for units in counting.counted(census, left, pool):
            state.add(units)
            tell(len(state.units), len(classes.packed), f"{len(state.units):,} units")
        return counting.total(classes, state.units)
