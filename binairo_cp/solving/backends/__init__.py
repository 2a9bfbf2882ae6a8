"""From a puzzle to its solutions: the backends, by name.

Each row of `TABLE` is a backend; its module, and with it the solver's library, is imported when it
is first asked for. A name may go on with options after colons: ``pysat:glucose4``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from binairo_cp.errors import BackendError, BackendNameError
from binairo_cp.solving.backends.contract import (
    UNLIMITED,
    Backend,
    Budget,
    Count,
    Counter,
    Meter,
    Portfolio,
    Stop,
    count_by_halves,
    count_by_showing,
)

__all__ = [
    "DEFAULT",
    "TABLE",
    "UNLIMITED",
    "Backend",
    "Budget",
    "Count",
    "Counter",
    "Meter",
    "Portfolio",
    "Stop",
    "count_by_halves",
    "count_by_showing",
    "get",
    "needs_own_process",
]


@dataclass(frozen=True, slots=True)
class Row:
    """Where a backend is found, and what it is good for.

    Attributes:
        module: its file.
        factory: what makes it there.
        summary: what it is good for.
        uncertain_from: the longest side of a board from which on its solver may not hear of a
            signal or a time limit, or may take all memory; None if it always hears.
    """

    module: str
    factory: str
    summary: str
    uncertain_from: int | None = None

    def load(self, options: list[str]) -> Backend:
        try:
            module = import_module(f"binairo_cp.solving.backends.{self.module}")
        except ImportError as error:
            raise BackendError(f"backend {self.module} can't be loaded: {error}") from error
        factory = cast("Callable[[list[str]], Backend]", module)
        for part in self.factory.split("."):
            factory = getattr(factory, part)
        return factory(options)


_LONG_CALLS_FROM = 41
"""From this side on a call of a clause-learning solver may take seconds, and much memory."""

TABLE = {
    "auto": Row(
        "auto", "Auto.named", "the bitboard with a bound on its work, then pysat", _LONG_CALLS_FROM
    ),
    "bitboard": Row("bitboard", "Bitboard.named", "bit-parallel search, compiled by numba"),
    "pysat": Row(
        "pysat",
        "PySat.named",
        "clause learning, one incremental solver for all puzzles",
        _LONG_CALLS_FROM,
    ),
    "cpsat": Row("cpsat", "CpSat.named", "constraint programming with OR-tools", 0),
    "external": Row("external", "External.named", "a SAT solver of yours, as a program"),
    "backtracking": Row("backtracking", "Backtracking.named", "the reference, for small boards"),
}
"""The backends, the default one first."""

DEFAULT = next(iter(TABLE))
"""The name of the backend that is asked if none is named."""


def get(name: str = DEFAULT) -> Backend:
    """The backend of a name.

    Raises:
        BackendNameError: there is none, or it has no such option.
        BackendError: its library can't be imported.
    """
    first, *options = name.split(":")
    if first not in TABLE:
        raise BackendNameError(f"there is no backend {name!r}; expected one of {', '.join(TABLE)}")
    return TABLE[first].load(options)


def needs_own_process(backend: str | Backend, side: int) -> bool:
    """Whether a puzzle should be decided in a process that can be killed.

    Args:
        backend: a backend or its name; of one that is not ours nothing is known.
        side: the longer side of the board, in cells.
    """
    name = backend if isinstance(backend, str) else backend.name
    row = TABLE.get(name.split(":")[0])
    if row is None:
        return True
    return row.uncertain_from is not None and side >= row.uncertain_from
