"""The targets by name, each with its check and its seeds."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from binairo_cp.formats import FORMATS

FOUND = Path(__file__).parent / "found"
"""A folder for each target, with inputs that once failed."""


@dataclass(frozen=True, slots=True)
class Target:
    """A target of fuzzing, which reads bytes.

    Attributes:
        check: raises an exception if something is wrong; documented errors are correct.
        seeds: the first inputs.
        words: typical parts of inputs, for mutations.
        longest: the maximum number of bytes of an input.
    """

    check: Callable[[bytes], object]
    seeds: tuple[bytes, ...]
    words: tuple[bytes, ...] = ()
    longest: int = 4096


_READERS = (*FORMATS, "auto")

TABLE = {
    **dict.fromkeys(_READERS, "readers"),
    "answers": "answers",
    "drat": "proofs",
    "lrat": "proofs",
    "zip": "certificates",
    "forged": "certificates",
    "requests": "requests",
}
"""The names of the targets and their modules. `target(name)` of the module creates the target."""


def load(name: str) -> Target:
    """The target with a name."""
    target: Target = import_module(f"tests.fuzz.{TABLE[name]}").target(name)
    return target


def saved_failures(name: str) -> Iterator[Path]:
    """The inputs with which a target once failed."""
    return iter(sorted((FOUND / name).glob("*")))


@cache
def temporary_folder() -> Path:
    """A folder for files of inputs, in memory if the system supports it, deleted at the end."""
    memory = Path("/dev/shm")
    made = TemporaryDirectory(prefix="binairo-fuzz-", dir=memory if memory.is_dir() else None)
    atexit.register(made.cleanup)
    return Path(made.name)
