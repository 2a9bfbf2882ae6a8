"""Make the kept certificates of the fewest clues of 8x8 boards.

``python -m docs.minimum_certificates`` certifies all classes of boards that need 7 or 16 clues, the
fewest and the most, and a sample of the others, whose puzzles it writes to docs/numbers/. To save
space, only the certificates of boards that need 7 clues have LRAT proofs: `binairo certify` writes
them for the others.
"""

from __future__ import annotations

import io
import json
import lzma
import random
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from binairo_cp.certificates import checking, making, record
from binairo_cp.certificates.container import Files
from binairo_cp.counting import unit_files
from binairo_cp.counting.fewest_clues import (
    NO_LIMIT,
    FewestUnits,
    classes_of_boards,
    puzzle_of,
    smallest_sets,
    tasks_of,
)
from binairo_cp.counting.sizes import Census
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.solutions import check

DOCS = Path(__file__).parent
UNITS = DOCS / "census/fewest-clues/8x8-classic.gz"
PUZZLES = {
    "fewest": DOCS / "numbers/8x8-classic-7-clues.line",
    "most": DOCS / "numbers/8x8-classic-16-clues.line",
    "sample": DOCS / "numbers/8x8-classic-sample.line",
}
CERTIFICATES = DOCS / "census/fewest-clues/8x8-classic-certificates.tar.xz"

SAMPLED = range(8, 15)
PER_NUMBER = 8
_WITHOUT_LRAT = ("most-", "sample-")


def sample() -> Iterator[str]:
    """A smallest puzzle of random classes, the same number for each number of clues."""
    census = Census(8, 8)
    classes = classes_of_boards(census)
    units = unit_files.read(str(UNITS), FewestUnits(census, tasks_of(classes), NO_LIMIT))
    fewest = np.array([each for k in sorted(units) for each in units[k].fewest])
    for clues in SAMPLED:
        places = np.flatnonzero(fewest == clues).tolist()
        for place in sorted(random.Random(f"minima {clues}").sample(places, PER_NUMBER)):
            board = classes.boards[place]
            [found] = smallest_sets(census, np.array([board]))
            yield puzzle_of(int(board), int(found), census)


def certificate(cells: str, name: str) -> Files:
    """The certificate that no fewer cells of a puzzle's solution determine it."""
    puzzle = Puzzle(Board(8, 8, cells))
    files, _ = making.certify(puzzle, check(puzzle), id=name, fewest="all cells")
    if name.startswith(_WITHOUT_LRAT):
        manifest = json.loads(files[record.MANIFEST])
        for each in (record.LRAT, record.FEWER_LRAT):
            files.pop(each, None)
            manifest["files"].pop(each, None)
        files[record.MANIFEST] = f"{json.dumps(manifest, indent=1)}\n".encode()
    checked = checking.check(files)
    clues = sum(cell != "." for cell in cells)
    assert str(checked) == f"valid: {clues} is the smallest number of clues"
    return files


def write(path: Path, certificates: Iterator[tuple[str, Files]]) -> None:
    """Write certificates as folders of an archive; the same ones give the same bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, files in certificates:
            for file, data in sorted(files.items()):
                info = tarfile.TarInfo(f"8x8-classic-certificates/{name}/{file}")
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    path.write_bytes(lzma.compress(buffer.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def main() -> int:
    """Write the sample and the archive."""
    PUZZLES["sample"].write_text("".join(f"{cells}\n" for cells in sample()))
    puzzles = [
        (f"{kind}-{k:03}", cells)
        for kind, path in PUZZLES.items()
        for k, cells in enumerate(path.read_text().split(), 1)
    ]
    write(CERTIFICATES, ((name, certificate(cells, name)) for name, cells in puzzles))
    print(f"{len(puzzles)} certificates, {CERTIFICATES.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
