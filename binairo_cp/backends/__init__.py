"""From a puzzle to its solutions: the backends, by name.

Each row of `TABLE` is a backend; its module, and with it the solver's library, is imported when it
is first asked for. A name may go on with options after colons: ``pysat:glucose4``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from binairo_cp.backends.contract import (
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
from binairo_cp.errors import BackendError, BackendNameError

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
]


@dataclass(frozen=True, slots=True)
class Row:
    """Where a backend is found, and what it is good for."""

    module: str
    factory: str
    summary: str

    def load(self, options: list[str]) -> Backend:
        try:
            module = import_module(f"binairo_cp.backends.{self.module}")
        except ImportError as error:
            raise BackendError(f"backend {self.module} can't be loaded: {error}") from error
        factory = cast("Callable[[list[str]], Backend]", module)
        for part in self.factory.split("."):
            factory = getattr(factory, part)
        return factory(options)


TABLE = {
    "auto": Row("auto", "Auto.named", "the bitboard with a bound on its work, then pysat"),
    "bitboard": Row("bitboard", "Bitboard.named", "bit-parallel search, compiled by numba"),
    "pysat": Row("pysat", "PySat.named", "clause learning, one incremental solver for all puzzles"),
    "cpsat": Row("cpsat", "CpSat.named", "constraint programming with OR-tools"),
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
