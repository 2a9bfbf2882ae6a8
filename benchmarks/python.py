"""Many puzzles a call, and other Python tools on one puzzle: how many a second of CPU time.

The time is that of the process with all its threads, so other programs matter little, and tools
that use all cores pay for them. Tools get each irreducible puzzle once, because a clause learner
remembers what it learned. The first puzzles are a warm-up, which loads everything. All answers,
including those of the warm-up, are compared with the known ones outside the measured time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from pebble import ProcessExpired

import binairo_cp as bn
from benchmarks import puzzles, tables
from benchmarks.against import READINGS, WRONG, classify
from benchmarks.apart import Late, apart
from benchmarks.python_calls import MANY_AT_ONCE, Case, Pile
from benchmarks.sets import Known
from benchmarks.tools import TOOLS, Tool
from binairo_cp import Board, Puzzle, Verdict

SIDES = tables.sized((6,), (6, 10, 14, 20))
CALLS = tables.sized(2, 150)
"""The most measured calls of a tool, for a task and a side."""

TOOL_SECONDS = tables.sized(1.0, 6.0, 100.0)
"""The CPU time after which it is not called again."""

A_PUZZLE = 20.0
"""The time limit of a tool for a puzzle, in seconds of wall-clock time."""

MANY = tables.sized(2_000, 20_000)
ROUNDS = tables.sized(1, 3)
WARM = 3

EMPTY = tables.sized((20,), (30, 50))
EMPTY_TOOLS = ("auto", "cpsat", "pysat", "puzzlekit")
"""The sides of empty boards, and who fills them. Puzzlekit lets lines repeat; ours don't."""

OURS = "binairo_cp"
COMPARED = {
    OURS: TOOLS["auto"],
    **{name: TOOLS[name] for name in ("multi-puzzle-solver", "puzzlekit", "cpmpy")},
}


def cases_of(side: int, folder: Path) -> list[Case]:
    """The irreducible puzzles of a side; two backends that share no code agree on the solution."""
    cases = []
    for puzzle in puzzles.load(side):
        found = [bn.check(puzzle, backend=name) for name in ("bitboard", "pysat:glucose4")]
        assert {outcome.verdict for outcome in found} == {Verdict.UNIQUE}, puzzle
        assert found[0].solution == found[1].solution, puzzle
        cases.append(Case(puzzle, found[0].solution, folder))
    return cases


def cpu(call: Callable[[Any], Any], argument: Any) -> tuple[float, Any]:
    """The CPU seconds of a call, and its result."""
    started = process_time()
    result = call(argument)
    return process_time() - started, result


def _rates(times: list[float]) -> tables.Row:
    figures = tables.spread([1000 * each for each in times])
    return {"calls per second": _rounded(1000 / max(figures["median ms"], 0.001)), **figures}


def _rounded(rate: float) -> float:
    return float(f"{rate:.3g}") if rate < 100 else int(float(f"{rate:.3g}"))


def at_once(cases: list[Case]) -> Iterator[tables.Row]:
    texts = [case.text for case in cases]
    pile = Pile(cases, (texts * -(-MANY // len(texts)))[:MANY])
    for call in MANY_AT_ONCE:
        print(f"{call.name}...", flush=True)
        times = []
        for number in range(ROUNDS + 1):
            seconds, result = cpu(call.run, pile)
            assert call.is_right(pile, result), call.name
            if number:
                times.append(seconds)
        seconds = median(times)
        yield {
            "function": call.name,
            "of": call.about,
            "puzzles": MANY,
            "median ms": round(1000 * seconds, 1),
            "puzzles per second": _rounded(MANY / seconds),
        }


TASKS = {"filled": 1, "uniqueness": 2}
"""The number of solutions to look for, by task."""

Answers = dict[tuple[int, str], tuple[list[float], Counter[str]]]
"""The CPU seconds of each answer but those of the warm-up, and the kinds of all answers."""


def answers_of(name: str) -> Answers:
    """One tool on all sides and tasks."""
    bn.check(Puzzle(Board.empty(2, 2)), backend="bitboard")  # as after the first hard puzzle
    tool = COMPARED[name]
    return {
        (side, task): _answers(tool, side, wanted)
        for side in SIDES
        for task, wanted in TASKS.items()
        if wanted == 1 or tool.second
    }


def _answers(tool: Tool, side: int, wanted: int) -> tuple[list[float], Counter[str]]:
    times: list[float] = []
    kinds: Counter[str] = Counter()
    for number, puzzle in enumerate(puzzles.load(side)[: WARM + CALLS]):
        seconds, result = cpu(lambda each: tool.solve(each, wanted, A_PUZZLE), puzzle)
        kinds[classify(Known(puzzle, Verdict.UNIQUE), result, wanted)] += 1
        if number >= WARM:
            times.append(seconds)
        if sum(times) > TOOL_SECONDS:
            break
    return times, kinds


def compared() -> Iterator[tables.Row]:
    found: dict[str, Answers] = {}
    missing: list[tables.Row] = []
    for name, tool in COMPARED.items():
        if tool.missing:
            missing.append({"side": "", "task": "", "tool": f"{name}: not installed"})
            continue
        print(f"{name}...", flush=True)
        seconds = 60 + 4 * TOOL_SECONDS * len(SIDES) * len(TASKS)
        try:
            found[name], _ = apart(answers_of, name, seconds=seconds)
        except (Late, ProcessExpired) as error:
            missing.append({"side": "", "task": "", "tool": f"{name}: {type(error).__name__}"})
    assert not any(_wrong(kinds) for _, kinds in found[OURS].values())
    for side in SIDES:
        for task in TASKS:
            for name, answers in found.items():
                if (side, task) in answers:
                    times, kinds = answers[side, task]
                    yield _row(side, task, name, times, kinds)
    empty = {"calls": "", "calls per second": "", "median ms": "", "p99 ms": "", "wrong": ""}
    yield from ({**row, **empty} for row in missing)


def first_solutions(name: str) -> list[tables.Row]:
    """One tool on empty boards; only the first call of each size builds models that are kept."""
    bn.check(Puzzle(Board.empty(2, 2)), backend="bitboard")  # as after the first hard puzzle
    tool = TOOLS[name]
    tool.solve(Puzzle(Board.empty(6, 6)), 1, A_PUZZLE)
    rows: list[tables.Row] = []
    for side in EMPTY:
        puzzle = Puzzle(
            Board.empty(side, side), bn.UNRULY if tool.distinct is False else bn.CLASSIC
        )
        row: tables.Row = {"board": f"{side}x{side}", "tool": name}
        for call in ("first call ms", "second call ms"):
            seconds, result = cpu(lambda each: tool.solve(each, 1, A_PUZZLE), puzzle)
            assert not any(
                bn.violations(puzzle, Board(side, side, cells)) for cells in result.boards
            )
            row[call] = round(1000 * seconds, 1) if result.boards else "unknown"
        rows.append(row)
    return rows


def empty_boards() -> Iterator[tables.Row]:
    for name in EMPTY_TOOLS:
        if not TOOLS[name].missing:
            print(f"{name}...", flush=True)
            yield from apart(first_solutions, name, seconds=60 + 4 * A_PUZZLE * len(EMPTY))[0]


def _row(side: int, task: str, name: str, times: list[float], kinds: Counter[str]) -> tables.Row:
    reading = COMPARED[name].distinct
    label = name if reading is None else f"{name}, {READINGS[reading]}"
    row: tables.Row = {"side": side, "task": task, "tool": label, "calls": len(times)}
    return row | _rates(times) | {"wrong": _wrong(kinds)}


def _wrong(kinds: Counter[str]) -> int:
    return sum(kinds[kind] for kind in WRONG)


def all_tables() -> Iterator[tables.Table]:
    with TemporaryDirectory() as folder:
        cases = cases_of(10, Path(folder))
        yield "many puzzles a call, 10x10, CPU time", list(at_once(cases))
    yield "compared with other Python tools, CPU time", list(compared())
    yield "first solution of empty boards, CPU time", list(empty_boards())


if __name__ == "__main__":
    tables.report("python", all_tables())
