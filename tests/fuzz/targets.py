"""The targets by name: what is checked of an input, and where inputs begin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

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


@dataclass(frozen=True, slots=True)
class Row:
    """Where a target is found.

    Attributes:
        module: of this package; its function `target` is given the name of the target.
        guides: the modules whose branches guide the fuzzer. What numba compiles is none of them,
            since it can't be compiled any more once it has been instrumented.
    """

    module: str
    guides: tuple[str, ...]


_READERS = Row("readers", tuple(f"binairo_cp.{n}" for n in ("formats", "schema", "board", "rules")))

TABLE = {
    **dict.fromkeys(
        ("text", "line", "ndjson", "json", "task", "unruly", "janko", "csv", "auto"), _READERS
    ),
    "answers": Row("answers", ("binairo_cp.decoding", "binairo_cp.encodings.solver_output")),
    **dict.fromkeys(("drat", "lrat"), Row("proofs", ("binairo_cp.proofs.lrat",))),
    **dict.fromkeys(("zip", "forged"), Row("certificates", ("binairo_cp.certificates",))),
    "results": Row("results", ("binairo_cp.results", "binairo_cp.schema", "binairo_cp.parquet")),
    "requests": Row("requests", ("binairo_cp.service", "binairo_cp.formats", "binairo_cp.schema")),
}


def load(name: str) -> Target:
    """The target of a name."""
    target: Target = import_module(f"tests.fuzz.{TABLE[name].module}").target(name)
    return target


def found(name: str) -> Iterator[Path]:
    """The inputs that once showed a fault of a target."""
    return iter(sorted((FOUND / name).glob("*")))
