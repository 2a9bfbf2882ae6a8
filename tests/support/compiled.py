"""``python -m tests.support.compiled``: compile and cache all numba code.

`make test` runs this before it starts several test processes. Otherwise each of them would compile
the same code at the same time.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

KERNELS = {
    # Its functions are properties, each compiled on first use.
    "binairo_cp.census.kernel": "[getattr(kernel.kernel(), name) for name in vars(kernel.Kernel)]",
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
