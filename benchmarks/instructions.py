"""Count the instructions of small fixed jobs with valgrind, and compare them with the saved counts.

On a busy machine, times hide a slowdown of a tenth; instruction counts don't. Each job is a
process. Instructions are counted between two marks, so that imports and the first puzzle
are excluded. The exit status is 1 if a job needs more than `TOLERANCE` above
``results/instructions.json``, unless versions differ. ``--accept`` saves the new counts; so does a
first run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import machine, options, tables

TOLERANCE = 0.02
"""Hashes, threads and versions are fixed; only the memory layout varies."""

SECONDS = 400
"""The time limit of a process."""
VERSIONS = ("Python", "numpy", "python-sat")

# The mark is a C function that nothing else calls: valgrind dumps its counts before each call.
JOB = """
import ctypes, sys
from binairo_cp import check
from binairo_cp.formats import read_sources
mark = ctypes.CDLL(None).drand48
backend, source, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
first, *puzzles = [entry.puzzle for entry in read_sources([source])][: number + 1]
check(first, backend=backend)
mark()
verdicts = {check(puzzle, backend=backend).verdict for puzzle in puzzles}
mark()
assert verdicts == {"unique"}, verdicts
"""

TOGETHER = """
import ctypes, sys
import numpy as np
from binairo_cp.solving.many import decide
from binairo_cp.formats import read_sources
mark = ctypes.CDLL(None).drand48
source, number = sys.argv[2], int(sys.argv[3])
puzzles = [entry.puzzle for entry in read_sources([source])][:number]
board, rules = puzzles[0].board, puzzles[0].rules
text = "".join(puzzle.board.cells for puzzle in puzzles)
clues = np.frombuffer(text.encode(), np.uint8).reshape(-1, board.height, board.width)
decide(clues, rules, limit=2)
mark()
decided = decide(clues, rules, limit=2)
mark()
assert decided.is_complete.all() and (decided.found == 1).all()
"""

JOBS = {
    "pysat": (JOB, "10x10", tables.sized(2, 60)),
    "backtracking": (JOB, "6x6", tables.sized(1, 5)),
    "bitboard": (TOGETHER, "10x10", tables.sized(2, 200)),
}
"""What a backend does, the irreducible puzzles that it is given, and how many of them: one by one;
or in one call, since what is around a call outweighs the search of the bitboard."""


def instructions(backend: str) -> int:
    """Those between the two marks of a job."""
    job, side, number = JOBS[backend]
    source = str(options.RESULTS.parent / f"data/irreducible-{side}.line")
    python = [sys.executable, "-c", job, backend, source, str(number)]
    environment = os.environ | {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    with TemporaryDirectory() as folder:
        out = f"--callgrind-out-file={folder}/out"
        command = ["valgrind", "--tool=callgrind", "-q", out]
        command += ["--dump-before=*drand48*", *python]
        subprocess.run(command, env=environment, check=True, timeout=SECONDS)
        return _between(Path(folder))


def _between(folder: Path) -> int:
    """Each dump has what was counted since the one before; a mark may make two, for its helper."""
    counted = {}
    for file in folder.glob("out*"):
        part = re.search(r"^part: (\d+)$", file.read_text(), re.MULTILINE)
        total = re.search(r"^(?:totals|summary): (\d+)", file.read_text(), re.MULTILINE)
        if part and total:
            counted[int(part.group(1))] = int(total.group(1))
    parts = [counted[number] for number in sorted(counted)]
    assert len(parts) > 2, "valgrind did not see the marks"
    return sum(parts[1:-1])


def kept(folder: Path) -> tuple[dict[str, int], bool]:
    """The counts that are kept, and whether they are of these versions and this size."""
    file = folder / "instructions.json"
    if not file.exists():
        return {}, False
    saved = json.loads(file.read_text())
    now = machine.describe()
    same = saved["size"] == options.size()
    same &= all(saved["machine"].get(name) == now.get(name) for name in VERSIONS)
    rows = next(iter(saved["tables"].values()))
    return {row["job"]: row["instructions"] for row in rows}, same


def rows(before: dict[str, int]) -> Iterator[tables.Row]:
    for name, (_, side, puzzles) in JOBS.items():
        title = f"check by {name}, {puzzles} irreducible {side}"
        number = instructions(name)
        ratio = round(number / before[title], 4) if title in before else ""
        yield {"job": title, "instructions": number, "ratio to saved": ratio}


def main() -> int:
    parser = options.parser(prog="python -m benchmarks.instructions", description=__doc__)
    parser.add_argument("--accept", action="store_true", help="keep the new counts")
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        print("not run: valgrind is not installed (Debian: apt-get install valgrind)")
        return options.NOT_RUN
    before, same = kept(options.folder(arguments) or options.RESULTS)
    if arguments.accept or not same:
        sys.argv = [word for word in sys.argv if word != "--accept"]
        sys.argv += [] if options.folder(arguments) else ["--save"]
        title = "instructions of each job, compared with saved results"
        tables.report("instructions", ((title, list(rows(before))) for _ in range(1)))
        return 0
    made = list(rows(before))
    print(tables.markdown(made))
    worst = max((each["ratio to saved"] for each in made if each["ratio to saved"]), default=0.0)
    print(f"The worst is {worst} of the kept; {1 + TOLERANCE} is allowed.")
    return int(float(worst) > 1 + TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
