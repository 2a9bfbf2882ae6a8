"""Compile all machine code in advance, each part in a worker."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import as_completed
from dataclasses import dataclass
from importlib import import_module
from time import perf_counter

from binairo_cp.errors import CacheError
from binairo_cp.workers.executors import WorkerSettings

PARTS = {
    "census": ("binairo_cp.counting.kernel", "load_all"),
    "grader": ("binairo_cp.deduction.kernel", "grader"),
    "bitboard": ("binairo_cp.solving.backends.bitboard.kernel", "load_all"),
    "fewest clues": ("binairo_cp.counting.fewest_clues.kernel", "load_all"),
    "techniques": ("binairo_cp.deduction.closure", "closure"),
    "proofs": ("binairo_cp.certificates.proofs.drat", "checker"),
    "puzzle files": ("binairo_cp.formats.flat_records", "parser"),
    "result files": ("binairo_cp.formats.slices", "copier"),
    "proof files": ("binairo_cp.certificates.proofs.text", "parser"),
}
"""The module that compiles each part, and its function that does so; the longest ones first.

The parts share no machine code, so they can be compiled in parallel.
"""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A part that is ready.

    Attributes:
        part: its name in `PARTS`.
        seconds: the time to compile it, or to load it if it was compiled before.
    """

    part: str
    seconds: float


def warm_up(workers: int) -> Iterator[Compiled]:
    """Compile all parts that were not compiled before; yields each as soon as it is ready.

    Raises:
        CacheError: the code can't be stored.
    """
    with WorkerSettings(workers).open() as executor:
        for job in as_completed([executor.submit(_compile, part) for part in PARTS]):
            yield job.result()


def _compile(part: str) -> Compiled:
    # Imported here, because it loads numba.
    from binairo_cp.workers import compiling

    started = perf_counter()
    module, function = PARTS[part]
    getattr(import_module(module), function)()
    if compiling.not_stored:
        raise CacheError(compiling.not_stored[0])
    return Compiled(part, perf_counter() - started)
