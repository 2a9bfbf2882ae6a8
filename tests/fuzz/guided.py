"""Run a target with atheris, which is guided by coverage.

`tests.fuzz` starts ``python -m tests.fuzz.guided TARGET`` with options of libFuzzer.
"""

from __future__ import annotations

import sys

import atheris  # type: ignore[import-not-found]  # only on Linux, by the extra `fuzz`

from tests.fuzz import targets


def main() -> None:
    name = sys.argv.pop(1)
    with atheris.instrument_imports(["binairo_cp"]):
        target = targets.load(name)
    atheris.Setup(sys.argv, target.check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
