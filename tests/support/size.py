"""How large the project is, and how much code a request passes: ``python -m tests.support.size``.

A request is made twice in this process, and the functions of the package that the second call enters are counted once
each. Compiled functions are not seen.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
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


def main() -> None:
    print(f"{'lines':>8}{'files':>8}")
    for name, folder, pattern in _parts():
        files = list(folder.glob(pattern))
        print(f"{sum(map(_lines, files)):8,}{len(files):8,}  {name}")
    print(f"\n{'functions':>10}{'files':>8}  of the package that a second call enters")
    for name, call in _calls():
        entered = functions_of(call)
        print(f"{len(entered):10}{len({code.co_filename for code in entered}):8}  {name}")


def _parts() -> Iterator[tuple[str, Path, str]]:
    """Names, folders and patterns of files that are counted together."""
    for folder in (PACKAGE, ROOT / "tests"):
        yield f"{folder.name}/, Python", folder, "**/*.py"
        yield "  its own files", folder, "*.py"
        for room in sorted({path.parent for path in folder.glob("*/*.py")}):
            yield f"  {room.name}/", room, "**/*.py"
    yield "tests/contract/snapshots/", ROOT / "tests", "contract/snapshots/*"
    yield "the web page, JavaScript", PACKAGE / "service" / "static", "**/*.js"
    yield "docs/, Python", ROOT / "docs", "**/*.py"
    yield "docs/, pages", ROOT / "docs", "**/*.md"
    yield "benchmarks/, Python", ROOT / "benchmarks", "**/*.py"


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


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
