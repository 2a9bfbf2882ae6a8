"""How large the project is beside its goals, and how much code a request passes: ``python -m tests.support.size``.

A request is made twice in this process, and the functions of the package that the second call enters are counted once
each. Compiled functions are not seen.
"""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any

import binairo_cp as bn
from tests.support.command_line import invoke
from tests.support.in_process import in_process_app

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "binairo_cp"
PUZZLE = "..1....0..10.0.."

# The lines and files that each room should have at most, and parts that are counted together.
ROOMS = {
    "batch": (5_300, 27),
    "certificates": (1_500, 9),
    "cli": (2_200, 14),
    "counting": (1_000, 5),
    "deduction": (5_200, 23),
    "features": (3_500, 17),
    "formats": (7_300, 28),
    "generation": (1_850, 8),
    "kernels": (6_500, 35),
    "puzzle": (1_850, 12),
    "reduction": (1_150, 7),
    "rendering": (2_400, 14),
    "service": (6_800, 28),
    "solving": (4_400, 23),
    "workers": (1_500, 9),
}
PARTS: dict[str, tuple[tuple[Path, str], int, int]] = {
    "binairo_cp/, the files above the rooms": ((PACKAGE, "*.py"), 900, 4),
    "binairo_cp/": ((PACKAGE, "**/*.py"), 54_000, 262),
    "tests/": ((ROOT / "tests", "**/*.py"), 32_000, 0),
    "benchmarks/": ((ROOT / "benchmarks", "**/*.py"), 3_300, 0),
    "docs/, all files": ((ROOT / "docs", "**/*"), 0, 90),
    "docs/, pages": ((ROOT / "docs", "**/*.md"), 0, 0),
    "the web page, JavaScript": ((PACKAGE / "service" / "static", "**/*.js"), 0, 0),
    "tests/contract/snapshots/": ((ROOT / "tests", "contract/snapshots/*"), 0, 0),
}


def main() -> None:
    print(f"{'lines':>8}{'goal':>8}{'files':>8}{'goal':>6}")
    for name, (folder, pattern), lines, number in _parts():
        files = _tracked(folder, pattern)
        goals = [f"{goal:,}" if goal else "" for goal in (lines, number)]
        total = sum(path.read_bytes().count(b"\n") for path in files)
        print(f"{total:8,}{goals[0]:>8}{len(files):8,}{goals[1]:>6}  {name}")
    print(f"\n{'functions':>10}{'files':>8}  of the package that a second call enters")
    for name, call in _calls():
        entered = functions_of(call)
        print(f"{len(entered):10}{len({code.co_filename for code in entered}):8}  {name}")


def _parts() -> Iterator[tuple[str, tuple[Path, str], int, int]]:
    """Names, folders and patterns of files that are counted together, and their goals."""
    for room, goals in ROOMS.items():
        yield f"  binairo_cp/{room}/", (PACKAGE / room, "**/*.py"), *goals
    for room in sorted({path.parent for path in (ROOT / "tests").glob("*/*.py")}):
        yield f"  tests/{room.name}/", (room, "**/*.py"), 0, 0
    for name, part in PARTS.items():
        yield name, *part


def _tracked(folder: Path, pattern: str) -> list[Path]:
    kept = _kept()
    return [path for path in folder.glob(pattern) if path in kept]


@cache
def _kept() -> frozenset[Path]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    return frozenset(ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).exists())


def _calls() -> Iterator[tuple[str, Callable[[], Any]]]:
    with TemporaryDirectory() as name, _posting(Path(name)) as post:
        file = Path(name, "puzzle.txt")
        file.write_text(f"4x4:{PUZZLE}\n")
        yield "binairo check FILE", partial(invoke, "check", str(file), "-q", check=0)
        yield "bn.check(text)", partial(bn.check, PUZZLE)
        yield "POST /v1/check", partial(post, "/v1/check", {"puzzle": PUZZLE})
        yield "binairo grade FILE", partial(invoke, "grade", str(file), "-q", check=0)
        yield "binairo generate 6", partial(invoke, "generate", "6", "--seed", "1", "-q", check=0)


@contextmanager
def _posting(folder: Path) -> Iterator[Callable[[str, Any], None]]:
    """A function that sends JSON to the app, which works in this process."""
    from httpx import ASGITransport, AsyncClient

    from binairo_cp.service.limits import Limits

    app = in_process_app(Limits(), folder)

    async def send(path: str, body: Any) -> None:
        async with AsyncClient(transport=ASGITransport(app), base_url="http://localhost") as web:
            (await web.post(path, json=body)).raise_for_status()

    try:
        yield lambda path, body: asyncio.run(send(path, body))
    finally:
        app.state.binairo.store.close()


def functions_of(call: Callable[[], Any]) -> set[CodeType]:
    """The functions of the package that a second call enters, in all threads."""
    entered: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        # Comprehensions are no functions from Python 3.12 on.
        skipped = code.co_name.endswith(("comp>", "genexpr>", "module>"))
        if event == "call" and not skipped and code.co_filename.startswith(str(PACKAGE)):
            entered.add(code)

    call()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return entered


if __name__ == "__main__":
    main()
