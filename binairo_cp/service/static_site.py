"""Write the web page as a folder for any host that serves files, without our server.

For each grade the page has a list of puzzles. Each puzzle is its clues in the run-length code of
puzzle-binairo.com, in which a letter stands for 1 (a) to 26 (z) open cells. The puzzle of the day
is chosen from its own lists: if they change, so do past days.
"""

from __future__ import annotations

import json
from math import ceil
from pathlib import Path
from typing import get_args

from binairo_cp.deduction.techniques import Level
from binairo_cp.errors import ServiceError
from binairo_cp.features.convert import convert
from binairo_cp.features.generate import generate
from binairo_cp.workers.extras import require_extra

with require_extra("service", ServiceError):
    from binairo_cp.service import page


SIZES = page.OWN_SIZES
GRADES: tuple[Level, ...] = get_args(Level)[:-1]
"""All but "beyond logic": these puzzles can be solved without guessing."""

DAILY_SIZE = 10
PER_WEEK: dict[Level, int] = dict(zip(GRADES, (1, 2, 2, 1, 1), strict=True))
"""How many puzzles of the day of each grade a week has, as in `static/daily.js`."""

Puzzles = dict[Level, list[str]]


def write_site(folder: Path, puzzles: dict[str, bytes]) -> dict[str, bytes]:
    """Write the page. Files of a site that was there are replaced; others stay.

    Args:
        folder: where to write.
        puzzles: the files with puzzles; without one, the page has those of the package.

    Returns:
        The files by name, relative to the folder.

    Raises:
        ServiceError: this installation has no page, or the folder can't be written.
    """
    found = page.read(alone_with=puzzles)
    if found is None:
        raise ServiceError("this installation has no page")
    place = f"static/{found.version}"
    served = found.top | {f"{place}/{name}": file for name, file in found.files.items()}
    files = {name: file.content for name, file in served.items()}
    try:
        (folder / place).mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise ServiceError(f"can't write {error.filename}: {error.strerror}") from error
    return files


def generated(size: int, counts: dict[Level, int], seed: str) -> Puzzles:
    """Puzzles of a size by grade, as codes. The same seed gives the same puzzles."""
    return {
        grade: [
            convert(made, to="task").split()[0]
            for made in generate(size, count=count, grade=grade, distinct=True, seed=seed)
        ]
        for grade, count in counts.items()
    }


def puzzles_of(per_level: int | None, days: int | None, seed: str | None) -> dict[str, bytes]:
    """The files with puzzles, by name; none without any choice.

    Args:
        per_level: number of puzzles of each size and grade.
        days: number of days until a puzzle of the day comes again, then turned or mirrored.
        seed: the seed of the generator.
    """
    if (per_level, days, seed) == (None, None, None):
        return {}
    seed = seed or "binairo"
    stock = {
        f"stock-{size}.json": generated(size, dict.fromkeys(GRADES, per_level or 20), seed)
        for size in SIZES
    }
    weeks = ceil((days or 365) / 7)
    counts = {grade: number * weeks for grade, number in PER_WEEK.items()}
    stock["daily.json"] = generated(DAILY_SIZE, counts, f"{seed}-daily")
    return {name: written(puzzles) for name, puzzles in stock.items()}


def written(puzzles: Puzzles) -> bytes:
    """A file of puzzles, one a line."""
    return (json.dumps(puzzles, indent=0) + "\n").encode()
