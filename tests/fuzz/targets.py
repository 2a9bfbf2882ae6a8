"""The targets by name: what is checked of an input, and where inputs begin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from binairo_cp.formats import FORMATS

FOUND = Path(__file__).parent / "found"
"""A folder for each target, with the inputs that once showed a fault."""


@dataclass(frozen=True, slots=True)
class Target:
    """Something that reads bytes.

    Attributes:
        check: raises if anything that should hold does not; documented errors are no fault.
        seeds: inputs to begin with.
        words: what inputs are made of, for whoever changes them.
        longest: how many bytes an input has at most.
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
    "results": "results",
    "requests": "requests",
}
"""The names of the targets, each with its module, whose function `target` is given the name."""


def load(name: str) -> Target:
    """The target of a name."""
    target: Target = import_module(f"tests.fuzz.{TABLE[name]}").target(name)
    return target


def found(name: str) -> Iterator[Path]:
    """The inputs that once showed a fault of a target."""
    return iter(sorted((FOUND / name).glob("*")))
