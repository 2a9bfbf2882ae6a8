"""The targets by name, each with its check and its seeds."""

import atexit
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st

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
}
"""The names of the targets and their modules. `target(name)` of the module creates the target."""


def load(name: str) -> Target:
    target: Target = import_module(f"tests.fuzz.{TABLE[name]}").target(name)
    return target


def changed_seeds(target: Target) -> st.SearchStrategy[bytes]:
    """The seeds of a target with some parts left out, repeated, or replaced by typical words."""
    words = st.sampled_from((b"", *target.words)) | st.binary(max_size=4) | st.none()
    lengths, times = st.sampled_from((0, 1, 2, 4, 16, 64, 4096)), st.sampled_from((1, 1, 2, 50))
    changes = st.lists(st.tuples(st.integers(0, target.longest), lengths, words, times), max_size=6)

    def changed(data: bytes, changes: list[tuple[int, int, bytes | None, int]]) -> bytes:
        for place, length, word, number in changes:
            start = place % (len(data) + 1)
            end = start + length
            new = data[start:end] * (number + 1) if word is None else word * number
            data = data[:start] + new + data[end:]
        return data[: target.longest]

    return st.builds(changed, st.sampled_from(target.seeds), changes)


@cache
def temporary_folder() -> Path:
    """A folder for files of inputs, in memory if the system supports it, deleted at the end."""
    memory = Path("/dev/shm")
    made = TemporaryDirectory(prefix="binairo-fuzz-", dir=memory if memory.is_dir() else None)
    atexit.register(made.cleanup)
    return Path(made.name)
