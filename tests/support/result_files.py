"""Input puzzles for batch runs, and records of result files without fields that vary."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from binairo_cp.batch import pipeline
from binairo_cp.batch.pipeline import BlockSizer, number_blocks
from binairo_cp.batch.tasks import Task
from binairo_cp.formats import Block, parquet, schema
from binairo_cp.formats.results import ResultRecord
from binairo_cp.workers.executors import WorkerSettings
from tests.support.command_line import call


@cache
def _clues() -> list[str]:
    output = call("generate", "6", "-n", "100", "--seed", "1", "--to", "line", "-q")[1]
    return [line.split()[0] for line in output.splitlines()]


def write_puzzles(folder: Path, number: int = 300) -> Path:
    """Write a file of puzzles that includes an invalid line and an empty board."""
    path = folder / "puzzles.line"
    lines = [f"{_clues()[k % 100]} p{k}" for k in range(number)]
    lines[7:8] = ["0a1 broken"] if number > 7 else []
    lines[11:12] = ["." * 36 + " open"] if number > 11 else []
    path.write_text("\n".join(lines) + "\n")
    return path


def stable_records(lines: str | list[str]) -> list[object]:
    lines = lines.splitlines() if isinstance(lines, str) else lines
    records = [json.loads(line) for line in lines]
    for record in records:
        differing = {"seconds", "backend"}
        if record["verdict"] == "multiple":
            # Runs may find different solutions of a puzzle with several.
            differing |= {"solution", "second_solution", "differences", "steps"}
        for name in differing & record.keys():
            del record[name]
    return records


def read_lines(table: Path) -> bytes:
    with table.open("rb") as file:
        return b"".join(parquet.lines(file, "x"))


def read_results(path: Path) -> list[dict[str, object]]:
    lines = read_lines(path) if path.suffix == ".parquet" else path.read_bytes()
    return [json.loads(line) for line in lines.splitlines()]


def write_all_verdicts(path: Path) -> Path:
    """Write result records with all kinds of verdicts."""
    broken = path.with_name("broken.txt")
    broken.write_text("0a..\n")
    call(
        "check",
        "instances/classic/06x06-hard.txt",
        "instances/edge",
        str(broken),
        "--to",
        "ndjson",
        "--out",
        str(path),
        "-q",
    )
    return path


HERE = WorkerSettings(0)


def records_of(
    blocks: Iterable[Block], task: Task, settings: WorkerSettings = HERE
) -> list[ResultRecord]:
    """Run a task on blocks of puzzles, and return the records that the batch writes."""
    sizer = BlockSizer(max(1, settings.workers))
    return [
        schema.adapter(ResultRecord).validate_json(text)
        for part in pipeline.process_blocks(number_blocks(blocks), task, "ndjson", sizer, settings)
        for text in str(part.data, "utf-8").split("\n")[:-1]
    ]
