"""Files of many puzzles: puzzles per second and memory of whole runs, by format and executor.

The puzzles are the irreducible 10x10 ones of `data/`, rotated, mirrored and complemented, and
repeated in another order: a million of them at the full size. The results of each kind of run are
checked before it is measured.

The other tables show where the time goes: the CPU time per puzzle of the work on a block, and that
of the parent process, which cuts the input and writes the results, with workers that do nothing;
and for published puzzles, the part of each step in that work.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time, sleep
from typing import NamedTuple

from benchmarks import puzzles, tables
from benchmarks.canned import Canned
from benchmarks.published import published, solutions
from binairo_cp import Board, Puzzle, formats
from binairo_cp.batch import columnar, columnar_text, pipeline
from binairo_cp.batch.pipeline import (
    LARGEST_BLOCK,
    BlockSizer,
    NumberedBlock,
    WrittenBlock,
    number_blocks,
)
from binairo_cp.batch.tables import Output
from binairo_cp.batch.tasks import Task
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.formats import Choices, LineBlock, Tally
from binairo_cp.formats import columnar as columnar_reading
from binairo_cp.formats.line import LINES
from binairo_cp.formats.output_files import open_utf8_output
from binairo_cp.formats.records import RECORDS
from binairo_cp.formats.sources import Piece
from binairo_cp.puzzle.rules import CLASSIC, is_solution
from binairo_cp.puzzle.shape import LONGEST, Shape
from binairo_cp.puzzle.verification import are_solutions
from binairo_cp.solving import many
from binairo_cp.workers import resource_limits
from binairo_cp.workers.executors import WorkerSettings, map_blocks

NUMBER = tables.sized(4_000, 300_000, 1_000_000)
PUBLISHED = tables.sized(16_000, 1_000_000, 8_000_000)
ROUNDS = tables.sized(1, 2, 3)


class Run(NamedTuple):
    """A command for a file of puzzles."""

    input: str
    output: str
    workers: int
    command: str = "check"


RUNS = (
    Run("line", "line", 2),
    Run("line", "line", 1),
    Run("line", "ndjson", 2),
    Run("ndjson", "ndjson", 2),
    Run("ndjson", "line", 2),
)
RUNS_OF_PUBLISHED = (
    Run("line", "line", 2),
    Run("ndjson", "ndjson", 2),
    Run("line", "line", 2, "grade"),
)


def variants(clues: Iterable[Board]) -> list[Board]:
    """Boards under the 16 symmetries."""
    boards = []
    for board in clues:
        for _ in range(4):
            board = board.rotated()
            for each in (board, board.mirrored()):
                boards += [each, each.complemented()]
    return boards


def write(file: Path, boards: list[Board], number: int, format: str) -> None:
    rng = Random("batch")
    with open(file, "w") as out:
        while number > 0:
            rng.shuffle(boards)
            for board in islice(boards, number):
                if format == "line":
                    out.write(f"{board.cells}\n")
                else:
                    record = {"height": board.height, "width": board.width, "clues": board.cells}
                    out.write(json.dumps(record) + "\n")
            number -= len(boards)


def measure(run: Run, source: Path, out: Path) -> tuple[float, float]:
    """Seconds of a whole process with its workers, and their peak memory in MB."""
    command = [sys.executable, "-m", "binairo_cp", run.command, str(source), "-q"]
    command += ["-w", str(run.workers), "--to", run.output, "-o", str(out)]
    started = perf_counter()
    process = subprocess.Popen(command)
    most = [0.0]
    watch = threading.Thread(target=_watch, args=(process, most))
    watch.start()
    assert process.wait() == 0
    seconds = perf_counter() - started
    watch.join()
    return seconds, most[0]


def _watch(process: subprocess.Popen[bytes], most: list[float]) -> None:
    while process.poll() is None:
        family = sum(map(_memory, _family(process.pid)))
        most[0] = max(most[0], family)
        sleep(0.2)


def _family(pid: int) -> list[int]:
    """A process and its descendants."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return [pid]
    return [pid, *(each for child in children for each in _family(int(child)))]


def _memory(pid: int) -> float:
    """The memory of a process in MB; shared pages count in proportion."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return int(text.split("Pss:")[1].split()[0]) / 1024


def validate(source: Path, out: Path, output: str) -> None:
    """Each result is a solution of the puzzle on the same line; no line is missing."""
    with open(source) as puzzles_file, open(out) as results:
        for puzzle, answer in zip(puzzles_file, results, strict=True):
            cells = json.loads(puzzle)["clues"] if puzzle[0] == "{" else puzzle.strip()
            if output == "line":
                solution, verdict, *_ = answer.split()
            else:
                record = json.loads(answer)
                solution, verdict = record["solution"], record["verdict"]
            assert verdict.replace("-", " ") in ("unique", *LEVELS), answer
            side = round(len(cells) ** 0.5)
            assert is_solution(Puzzle(Board(side, side, cells)), Board(side, side, solution))


EXECUTORS = ("none", "workers", "cluster")
"""In the process itself, in worker processes, or in a Dask cluster on this machine."""


def executor_rows(source: Path, out: Path, number: int) -> Iterator[tables.Row]:
    """The same work by each executor, in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in EXECUTORS}
    with TemporaryDirectory() as folder, _cluster(Path(folder), 1) as address:
        for turn in range(ROUNDS + 1):
            for name in EXECUTORS:
                started = perf_counter()
                _decide(source, out, name, address)
                if turn:
                    seconds[name].append(perf_counter() - started)
                else:
                    validate(source, out, "line")
    plain = median(seconds["none"])
    for name in EXECUTORS:
        rate = round(number / median(seconds[name]))
        part = round(plain / median(seconds[name]), 3)
        yield {"executor": name, "puzzles per second": rate, "relative speed": part}


def _decide(source: Path, out: Path, name: str, address: str) -> None:
    """Decide a file with one solving process; reading and writing take little time."""
    settings = WorkerSettings(int(name != "none"), cluster=address if name == "cluster" else None)
    sizer = BlockSizer(1)
    blocks = number_blocks(
        formats.read_blocks([str(source)], sizer.size, Choices("line"), None, Tally())
    )
    with open(out, "wb") as file:
        for part in pipeline.process_blocks(blocks, Task("check"), "line", sizer, settings):
            if name == "none":
                sizer.update(part.summary.total, part.seconds)
            file.write(part.data)


@contextmanager
def _cluster(folder: Path, workers: int) -> Iterator[str]:
    """The address of a Dask cluster of this machine."""
    file = folder / "scheduler.json"
    begin = [sys.executable, "-m", "distributed.cli.dask_"]
    more = ["--scheduler-file", str(file), "--no-dashboard"]
    here = Path(__file__).parent.parent
    with ExitStack() as stack:
        for kind in ("scheduler", *["worker"] * workers):
            words = [*begin[:-1], begin[-1] + kind, *more]
            words += ["--nthreads", "1"] if kind == "worker" else ["--host", "127.0.0.1"]
            words += ["--port", "0"] if kind == "scheduler" else []
            process = subprocess.Popen(words, cwd=here, stderr=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.terminate)
            while not file.exists():
                sleep(0.05)
        yield json.loads(file.read_text())["address"]


def cpu_rows(folder: Path, number: int) -> Iterator[tables.Row]:
    """CPU time per puzzle of the workers and of the parent."""
    for format, output in dict.fromkeys((run.input, run.output) for run in RUNS):
        work, parent = [], []
        for _ in range(ROUNDS):
            seconds, text = _work_seconds(folder / f"x.{format}", output)
            work.append(seconds)
            parent.append(_parent_seconds(folder / f"x.{format}", folder / "out", text))
        yield {
            "input": format,
            "output": output,
            "us of work": round(median(work) / number * 1e6, 2),
            "us of the parent": round(median(parent) / number * 1e6, 2),
            "workers until the parent is busy": round(median(work) / median(parent), 1),
        }


def _numbered(source: Path, sizer: BlockSizer) -> Iterator[NumberedBlock]:
    return number_blocks(formats.read_blocks([str(source)], sizer.size, Choices(), None, Tally()))


def _work_seconds(source: Path, output: Output) -> tuple[float, str]:
    """The CPU time of the work on all blocks in this process, and the text of a result."""
    sizer = BlockSizer(1, first=LARGEST_BLOCK)
    blocks = list(_numbered(source, sizer))
    task = Task("check", reasons="none")
    settings = WorkerSettings(0)
    started = process_time()
    parts = pipeline.process_blocks(iter(blocks), task, output, sizer, settings)
    text = ""
    for part in parts:
        text = part.text
    return process_time() - started, text[: text.index("\n") + 1]


def _parent_seconds(source: Path, out: Path, text: str) -> float:
    """The CPU time of this process while two workers return a text for each puzzle."""
    sizer = BlockSizer(2, first=LARGEST_BLOCK)
    with WorkerSettings(2).open() as executor, open_utf8_output(str(out)) as write:
        started = process_time()
        blocks = _numbered(source, sizer)
        for _, part in map_blocks(executor, Canned(text), blocks, NumberedBlock.split):
            assert isinstance(part, WrittenBlock)
            write(part.data)
        return process_time() - started


def published_tens() -> list[Board]:
    """The published 10x10 puzzles with one solution."""
    return [
        puzzle.board
        for _, record, puzzle in published()
        if puzzle.rules == CLASSIC and not puzzle.signs and solutions(record) == 1
        if puzzle.board.height == puzzle.board.width == 10
    ]


def step_rows(ten: list[Board]) -> Iterator[tables.Row]:
    """CPU time per puzzle of the steps of the work on blocks of 10x10 puzzles."""
    resource_limits.keep_freed_memory()
    number = 1 << 14
    boards = list(islice(cycle(variants(ten)), number))
    lines = "".join(f"{board.cells}\n" for board in boards).encode()
    objects = "".join(f'{{"height":10,"width":10,"clues":"{each.cells}"}}\n' for each in boards)
    block = LineBlock(LINES, Piece(1, lines), "x", None, 1, number)
    known = LineBlock(RECORDS, Piece(1, objects.encode()), "x", None, 1, number)
    (plain,) = columnar_reading.plain(block, LONGEST)
    clues, plan = plain.clues, columnar.plan_of(Task("check", reasons="none"))
    whole = columnar.decide(plain, plan)
    shape = Shape.of(10, 10, CLASSIC)
    boards_so_far, is_solved = many._propagated(clues, shape)
    left = boards_so_far[~is_solved]
    assert (whole.found == 1).all()
    graded = replace(plan, graded=True)

    def write(output: Output) -> object:
        return columnar_text.written(block, [whole], {}, output, str)

    steps: dict[str, Callable[[], object]] = {
        "parse lines": lambda: list(columnar_reading.plain(block, LONGEST)),
        "parse NDJSON": lambda: list(columnar_reading.plain(known, LONGEST)),
        "propagate, side by side": lambda: many._propagated(clues, shape),
        f"search the {len(left) / number:.0%} that are left": lambda: many._search(
            left, CLASSIC, 2, 2, None, many.NODES
        ),
        "check the solutions": lambda: are_solutions(whole.solutions[0], clues, CLASSIC),
        "decide, which is these three": lambda: columnar.decide(plain, plan),
        "decide and grade": lambda: columnar.decide(plain, graded),
        "write lines": lambda: write("line"),
        "write NDJSON": lambda: write("ndjson"),
    }
    for name, step in steps.items():
        step()
        taken = []
        for _ in range(5 * ROUNDS):
            started = process_time()
            step()
            taken.append(process_time() - started)
        yield {"step": name, "ns per puzzle": round(median(taken) / number * 1e9)}


def all_tables(number: int) -> Iterator[tuple[str, list[tables.Row]]]:
    boards = variants(puzzle.board for puzzle in puzzles.load(10))
    with TemporaryDirectory() as name:
        folder = Path(name)
        yield (
            f"file to file: check of {number} irreducible 10x10 puzzles",
            list(file_rows(RUNS, boards, number, folder)),
        )
        source = folder / "x.line"
        yield (
            f"one solving process: check of {number} irreducible 10x10 puzzles",
            list(executor_rows(source, folder / "out", number)),
        )
        yield "CPU time per puzzle", list(cpu_rows(folder, number))
        if ten := published_tens():
            yield (
                f"file to file: {PUBLISHED} published 10x10 puzzles",
                list(file_rows(RUNS_OF_PUBLISHED, variants(ten), PUBLISHED, folder)),
            )
            yield "CPU time per published 10x10 puzzle", list(step_rows(ten))


def file_rows(
    runs: Iterable[Run], boards: list[Board], number: int, folder: Path
) -> Iterator[tables.Row]:
    """Whole commands for files of so many of the boards, which are left in the folder."""
    out = folder / "out"
    for name in ("line", "ndjson"):
        write(folder / f"x.{name}", list(boards), number, name)
        write(folder / f"few.{name}", list(boards), len(boards), name)
    for run in runs:
        few = folder / f"few.{run.input}"
        measure(run, few, out)
        validate(few, out, run.output)
        measured = [measure(run, folder / f"x.{run.input}", out) for _ in range(ROUNDS)]
        seconds = [each for each, _ in measured]
        yield {
            "command": run.command,
            "input": run.input,
            "output": run.output,
            "workers": run.workers,
            "puzzles per second": round(number / median(seconds)),
            "best": round(number / min(seconds)),
            "memory MB": round(max(memory for _, memory in measured)),
        }


if __name__ == "__main__":
    tables.report(
        "batch",
        all_tables(NUMBER),
    )
