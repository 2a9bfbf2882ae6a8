"""``python -m tests.support.compiled``: compile and cache all numba code.

`make test` runs this before it starts several test processes. Otherwise each of them would compile
the same code at the same time.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

from binairo_cp.workers import compiling

KERNELS = {
    # Its functions are properties, each compiled on first use.
    "binairo_cp.counting.kernel": "[getattr(kernel.kernel(), name) for name in vars(kernel.Kernel)]",
    "binairo_cp.deduction.kernel": "kernel.grader()",
    "binairo_cp.deduction.closure": "closure._compiled()",
    "binairo_cp.generation.kernel": "kernel.kernel()",
    "binairo_cp.solving.backends.bitboard.kernel": "kernel.kernel()",
    "binairo_cp.certificates.proofs.drat": "drat._checker()",
    "binairo_cp.certificates.proofs.text": "text._parser()",
}
"""Each module that compiles code, and the expression that makes it do so.

They share no machine code, so they can be compiled in parallel. Those that take longest are first.
"""


@cache
def cached(function: Any) -> Any:
    """Keep the machine code of a function that tests call directly, until a source changes.

    The package caches only its kernels. Other compiled functions are parts of them, so that every
    session would compile them again.
    """
    rooms = {each.rpartition(".")[0].partition(".")[2].replace(".", "/") for each in KERNELS}
    function.enable_caching()
    function._cache._cache_file._source_stamp = compiling._digest("puzzle/bits", *sorted(rooms))
    return function


def main() -> int:
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for job in [threads.submit(_compile, *each) for each in KERNELS.items()]:
            job.result()
    return 0


def _compile(module: str, expression: str) -> None:
    room, _, name = module.rpartition(".")
    code = f"from {room} import {name}; {expression}"
    subprocess.run([sys.executable, "-c", code], check=True)


if __name__ == "__main__":
    sys.exit(main())
