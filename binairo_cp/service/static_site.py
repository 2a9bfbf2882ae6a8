"""Write the web page as a folder for any host that serves files, without our server.

For each grade the page has a list of puzzles. Each puzzle is its clues in the run-length code of
puzzle-binairo.com, in which a letter stands for 1 (a) to 26 (z) open cells. The puzzle of the day
is chosen from its own lists: if they change, so do past days.
"""

from __future__ import annotations

import io
import json
import zipfile
from importlib.metadata import version
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

_PYODIDE = (
    *("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"),
    "pyodide-lock.json",
)
"""The files of npm's package that a browser loads."""

_NEEDED = ("annotated_types", "pydantic", "pydantic_core", "python_sat", "typing_extensions")
"""The beginnings of the names of wheels without which the page can't solve."""

_METADATA = f"Metadata-Version: 2.1\nName: binairo-cp\nVersion: {version('binairo-cp')}\n"
_PACKAGED = {".py", ".mo", ".ttf", ".typ", ".json"}

Puzzles = dict[Level, list[str]]


def write_site(
    folder: Path, puzzles: dict[str, bytes], solver: page.Solver = page.NO_SOLVER
) -> dict[str, bytes]:
    """Write the page. Files of a site that was there are replaced; others stay.

    Args:
        folder: where to write.
        puzzles: the files with puzzles; without one, the page has those of the package.
        solver: the files with which the page solves, if any.

    Returns:
        The files by name, relative to the folder.

    Raises:
        ServiceError: this installation has no page, or the folder can't be written.
    """
    found = page.read(alone_with=puzzles, solver=solver)
    if found is None:
        raise ServiceError("this installation has no page")
    place = f"static/{found.version}"
    served = found.top | {f"{place}/{name}": file for name, file in found.files.items()}
    files = {name: file.content for name, file in served.items()}
    files |= {f"{solver.place}/{name}": content for name, content in solver.files.items()}
    try:
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    except OSError as error:
        raise ServiceError(f"can't write {error.filename}: {error.strerror}") from error
    return files


def solver_of(folder: Path | None) -> page.Solver:
    """What runs this package in a browser: Pyodide and wheels from a folder, and the package.

    Without a folder, there is none.

    Raises:
        ServiceError: a file is missing.
    """
    if folder is None:
        return page.NO_SOLVER
    wheels = sorted(path.name for path in folder.glob("*.whl"))
    missing = [name for name in _PYODIDE if not (folder / name).is_file()]
    found = {name.partition("-")[0] for name in wheels}
    missing += [f"{name}-*.whl" for name in _NEEDED if name not in found]
    if missing:
        raise ServiceError(
            f"--solver {folder} has no {', '.join(missing)}; docs/playing.md says how to get it"
        )
    files = {name: (folder / name).read_bytes() for name in (*_PYODIDE, *wheels)}
    return page.Solver(files | {"package.zip": _package()})


def _package() -> bytes:
    """The modules and data of this package that a browser needs, as an archive."""
    root = Path(__file__).parent.parent
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        # Certificates say which version made them.
        name = f"binairo_cp-{version('binairo-cp')}.dist-info/METADATA"
        archive.writestr(zipfile.ZipInfo(name), _METADATA)
        for path in sorted(root.rglob("*")):
            place = path.relative_to(root)
            if path.suffix in _PACKAGED and place.parts[0] != "cli":
                archive.writestr(
                    zipfile.ZipInfo(f"binairo_cp/{place.as_posix()}"),
                    path.read_bytes(),
                    zipfile.ZIP_DEFLATED,
                )
    return buffer.getvalue()


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
