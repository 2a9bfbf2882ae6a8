"""The backends by name.

Each row of `TABLE` is a backend. Its module, and with it the solver library, is imported on first
use. Options follow the name after colons: ``pysat:glucose4``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from operator import attrgetter

from binairo_cp.errors import BackendError, BackendNameError
from binairo_cp.solving.backends.contract import (
    UNLIMITED,
    Backend,
    Budget,
    Count,
    Counter,
    Meter,
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
    "Stop",
    "count_by_halves",
    "count_by_showing",
    "get",
    "needs_own_process",
    "usage",
]


@dataclass(frozen=True, slots=True)
class Row:
    """A backend.

    Attributes:
        module: the module that defines it.
        factory: the class in the module, or its function that creates it from options.
        summary: what it is good for.
        uncertain_from: from this side on, its solver may ignore signals and time limits or use all
            memory; None if it never does.
        usage: the forms of its name in help, if the name alone is not all.
        runs_programs: it runs programs of the user's choice, which requests over HTTP must not.
    """

    module: str
    factory: str
    summary: str
    uncertain_from: int | None = None
    usage: tuple[str, ...] = ()
    runs_programs: bool = False


@lru_cache(maxsize=64)
def _load(module: str, factory: str, options: tuple[str, ...]) -> Backend:
    """The backend, which is kept, because this is called for each puzzle."""
    try:
        loaded = import_module(f"binairo_cp.solving.backends.{module}")
    except ImportError as error:
        raise BackendError(f"backend {module} can't be loaded: {error}") from error
    create: Callable[..., Backend] = attrgetter(factory)(loaded)
    if "." in factory:
        return create([*options])
    if options:
        raise BackendNameError(f"{module} takes no options")
    return create()


_LONG_CALLS_FROM = 41
"""From this side on, a call of a clause-learning solver may take seconds and much memory."""

TABLE = {
    "auto": Row("auto", "Auto", "the bitboard and pysat in turns", _LONG_CALLS_FROM),
    "bitboard": Row("bitboard", "Bitboard", "bit-parallel search, in compiled code"),
    "pysat": Row(
        "pysat",
        "PySat.named",
        "clause learning, one incremental solver for all puzzles",
        _LONG_CALLS_FROM,
        usage=("pysat", "pysat:SOLVER", "pysat:SOLVER:fresh"),
    ),
    "cpsat": Row("cpsat", "CpSat.named", "constraint programming with OR-tools", 0),
    "backtracking": Row("backtracking", "Backtracking", "the reference, for small boards"),
    "external": Row(
        "external",
        "External.named",
        "an external SAT solver, run as a program",
        usage=("external:COMMAND for your own SAT solver",),
        runs_programs=True,
    ),
}
"""The backends, the default backend first."""

DEFAULT = next(iter(TABLE))
"""The name of the default backend."""


def usage() -> str:
    """All forms of the names of backends, for help."""
    *others, last = (each for name, row in TABLE.items() for each in row.usage or (name,))
    return f"{', '.join(others)} or {last}"


def get(name: str = DEFAULT) -> Backend:
    """The backend with a name.

    Raises:
        BackendNameError: there is no such backend or option.
        BackendError: its library can't be imported.
    """
    first, *options = name.split(":")
    if first not in TABLE:
        raise BackendNameError(f"there is no backend {name!r}; expected one of {', '.join(TABLE)}")
    return _load(TABLE[first].module, TABLE[first].factory, tuple(options))


def needs_own_process(backend: str | Backend, side: int) -> bool:
    """Whether a puzzle should be decided in a process that can be killed.

    Args:
        backend: a backend or its name. Unknown backends always need their own process.
        side: the longer side of the board, in cells.
    """
    name = backend if isinstance(backend, str) else backend.name
    row = TABLE.get(name.split(":")[0])
    if row is None:
        return True
    return row.uncertain_from is not None and side >= row.uncertain_from
