"""A toy of each kind that CONTRIBUTING.md has a recipe for, in the tables of this process.

`add` adds one row for each toy, and nothing else. The package reads its tables while it is
imported, so `add` runs first, in a separate process. As a program, this module prints where the
toys appear, as JSON.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import make_dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, ClassVar

from binairo_cp.deduction import messages, techniques
from binairo_cp.deduction.strip import Strip
from binairo_cp.deduction.techniques import Deduction
from binairo_cp.formats import FORMATS, Format, codes, results
from binairo_cp.formats.blocks import LineFormat
from binairo_cp.formats.entry import Entry
from binairo_cp.formats.record_base import Record, about
from binairo_cp.formats.sources import TextLine
from binairo_cp.puzzle.rules import Rules
from binairo_cp.solving import backends
from docs.examples.rows import Rows

SOLUTION = "101100011010010101100101101010010011"
PUZZLE = f"{SOLUTION[:-4]}...."
"""A puzzle whose open cells the toy technique fills."""


# The format: a task with ! before it.


def _read(line: TextLine, source: str, asked: Rules | None) -> Entry:
    return codes.TASKS.read(TextLine(line.number, line.text.removeprefix("!"), None), source, asked)


def write(entry: Entry) -> str:
    return f"!{codes.write_task(entry)}"


def begins(line: str) -> bool:
    return line.startswith("!")


TOYS = LineFormat("toy", _read, None, b"!")


# The backend.


class ToyBackend(Rows):
    """The example of the documentation, under another name."""

    name: ClassVar[str] = "toy"


def _find_by_toy(strip: Strip, symbol: str) -> Iterator[Deduction]:
    for deduction in techniques.count(strip, symbol):
        yield replace(deduction, templates=("toy",))


def _add_rows() -> None:
    sys.modules["binairo_cp.formats.toy"] = sys.modules[__name__]
    sys.modules["binairo_cp.solving.backends.toy"] = sys.modules[__name__]
    FORMATS["toy"] = Format(
        "toy", "A toy format", (".toy",), "text/x-toy", reader="TOYS", first_line="!.*"
    )
    backends.TABLE["toy"] = backends.Row("toy", "ToyBackend", "a toy")
    messages.TEMPLATES["toy"] = messages.say("{cells}: {value}, says a toy.")
    said = about("How many toys.", default=None, said=True)
    toys = {"__annotations__": {"toys": int | None}, "toys": said}
    own = type("ToyRecord", (Record,), toys)
    finding: Any = type("Finding", (own, results.Finding), {})
    whole: Any = type("ResultRecord", (finding, results.ResultRecord), {})
    results.Finding, results.ResultRecord = finding, whole  # type: ignore[misc]
    toy = techniques.LineTechnique("toy", "beginner", _find_by_toy)
    techniques.LINE_TECHNIQUES = (toy, *techniques.LINE_TECHNIQUES)


def _add_options() -> None:
    from binairo_cp.features import feature
    from binairo_cp.features.feature import Option, OptionField, options_of
    from binairo_cp.features.render import render
    from binairo_cp.service import limits
    from tests.support import toy_feature  # noqa: F401  # it registers a feature

    frame = Option("Draw a toy frame.", panel="Picture")
    toy_frame = OptionField("toy_frame", bool, False, frame)
    feature._options[render] = (*options_of(render), toy_frame)
    size = Option("Size of a toy.", unit=1024, metavar="KIB")
    limits.Limits = make_dataclass(  # type: ignore[misc]
        "Limits",
        [("toy_bytes", Annotated[int, size], 2048)],
        bases=(limits.Limits,),
        namespace={"__doc__": limits.Limits.__doc__},
        frozen=True,
        slots=True,
        kw_only=True,
    )


def add() -> None:
    """Add the toys. Commands and the service must not be imported yet."""
    imported = [name for name in ("binairo_cp.features", "binairo_cp.cli") if name in sys.modules]
    if imported:
        raise RuntimeError(f"{imported} are imported already")
    _add_rows()
    _add_options()


def _helps() -> dict[str, str]:
    from tests.support.command_line import call

    commands = ("convert", "check", "toy", "render", "serve")
    return {name: call(name, "--help-all")[1] for name in commands} | {"": call("--help")[1]}


def _commands(folder: Path) -> dict[str, tuple[int, str, str]]:
    from pyarrow import parquet

    from tests.support import toy_feature
    from tests.support.command_line import call

    out, table = folder / "x.toy", folder / "x.parquet"
    written = call("toy", "-", "--out", str(table), input=PUZZLE)[:2]
    return {
        "convert": call("convert", "-", "--to", "toy", input=PUZZLE),
        "ending": (*call("convert", "-", "--out", str(out), input=PUZZLE)[:2], out.read_text()),
        "suffix": call("convert", str(out), "--to", "line"),
        "sniffed": call("convert", "-", "--to", "line", input="!0000a1111\n"),
        "check": call("check", "-", "--backend", "toy", "--to", "ndjson", input=PUZZLE),
        "hint": call("hint", input=PUZZLE),
        "grade": call("grade", "-", "--to", "ndjson", input=PUZZLE),
        **{
            f"toy {form}": call("toy", "-", "--pieces", "2", "--to", form, input=PUZZLE)
            for form in ("ndjson", "text", "line", "csv")
        },
        "toy tsv": call("toy", "-", "--columns", "id,toys", input=PUZZLE),
        "schema": call("schema", "result"),
        "python": (0, str(toy_feature.toy(PUZZLE, pieces=4)), ""),
        "parquet": (*written, str(parquet.read_table(table).column("toys").to_pylist())),
        "render": call("render", "-", "--toy-frame", "--grade", input=PUZZLE),
    }


def _http(folder: Path) -> Iterator[tuple[str, Any]]:
    import httpx

    from binairo_cp.service.limits import Limits
    from tests.support.in_process import in_process_app

    app = in_process_app(Limits(), folder)

    async def answers() -> dict[str, Any]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            found: dict[str, httpx.Response] = {
                "openapi": await http.get("/openapi.json"),
                "page": await http.get("/"),
                "limits": await http.get("/v1/limits"),
            }
            for name, path, body in (
                ("convert", "convert", {"to": "toy"}),
                ("check", "check", {"backend": "toy"}),
                ("hint", "hint", {}),
                ("toy", "toy", {"pieces": 2}),
                ("grade", "grade", {}),
                ("too many", "toy", {"pieces": 10}),
                ("render", "render", {"toy_frame": True, "to": "svg"}),
            ):
                found[name] = await http.post(f"/v1/{path}", json={"puzzle": PUZZLE, **body})
            return {
                name: (each.status_code, each.headers["content-type"], each.text)
                for name, each in found.items()
            }

    try:
        yield from asyncio.run(answers()).items()
    finally:
        app.state.binairo.store.close()


def _fuzzing() -> dict[str, Any]:
    """The seeds of the fuzzer, after a check of all seeds of the toy format."""
    from tests.fuzz import driver, targets

    toy = targets.load("toy")
    for seed in toy.seeds:
        toy.check(seed)
    return {
        "format": [seed.decode() for seed in toy.seeds],
        "auto": [seed.decode() for seed in targets.load("auto").seeds],
        "backends": driver.SEARCHERS,
    }


if __name__ == "__main__":
    add()
    with TemporaryDirectory() as name:
        folder = Path(name)
        report = {
            "helps": _helps(),
            "commands": _commands(folder),
            "http": dict(_http(folder / "jobs")),
            "fuzzing": _fuzzing(),
        }
    print(json.dumps(report))
