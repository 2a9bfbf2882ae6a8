"""Run a target with atheris, which is guided by coverage.

`tests.fuzz` starts ``python -m tests.fuzz.guided TARGET`` with options of libFuzzer.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import atheris  # type: ignore[import-not-found]  # only on Linux, by the extra `fuzz`

from tests.fuzz import targets

_PACKAGE = Path(__file__).resolve().parents[2] / "binairo_cp"
_COMPILED = ("counting", "deduction", "generation", "puzzle/bits", "solving/backends/bitboard")


def main() -> None:
    name = sys.argv.pop(1)
    with atheris.instrument_imports(["binairo_cp"], list(_compiled())):
        target = targets.load(name)
    # Compile machine code first, since this may take longer than the time limit of an input.
    for seed in target.seeds:
        target.check(seed)
    atheris.Setup(sys.argv, target.check)
    atheris.Fuzz()


def _compiled() -> Iterator[str]:
    """The modules with machine code: numba can't compile instrumented functions."""
    for path in _PACKAGE.rglob("*.py"):
        place = path.relative_to(_PACKAGE)
        if str(place).startswith(_COMPILED) or "numba" in path.read_text():
            parts = place.with_suffix("").parts
            yield ".".join(["binairo_cp", *(part for part in parts if part != "__init__")])


if __name__ == "__main__":
    main()
