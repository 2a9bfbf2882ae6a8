"""Compare other tools on the same puzzles in the same run, and count their wrong answers.

Each tool runs in its own process through its own API, after a warm-up on the first puzzle of each
shape. A board that breaks the rules is a wrong answer, and so is "unsolvable" for a puzzle with a
solution. The expected verdicts come from `sets`. Some tools support only one reading of the rules,
with distinct lines or without. They run on both, and the readings are reported separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter

from pebble import ProcessExpired

from benchmarks import sets, tables
from benchmarks.apart import Late, apart
from benchmarks.sets import Known
from benchmarks.tools import TOOLS, ToolResult
from binairo_cp import Board, Verdict, violations

PUZZLES = tables.sized(2, 150, 1_000_000)
"""The most puzzles of a set."""

A_PUZZLE = tables.sized(0.5, 3.0, 60.0)
A_SET = tables.sized(0.05, 1.5, 3_600.0)
"""The time limit in seconds for a puzzle, and the time after which no further puzzle is started."""

READINGS = {True: "distinct lines", False: "lines may repeat"}
FIRST = next(iter(TOOLS))

Key = tuple[str, bool, int]
"""A set, whether its lines are distinct, and the number of solutions requested per puzzle."""


@dataclass
class Seen:
    """The results of a tool on a set.

    Attributes:
        seconds: by the index of the puzzle, without the warm-up.
        counts: the number of answers of each kind.
    """

    seconds: dict[int, float] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)


def jobs() -> dict[Key, list[Known]]:
    """Return every set in its usual reading of the rules, and in the other reading."""
    found: dict[Key, list[Known]] = {}
    for name, some in sets.sets().items():
        for known in some:
            key = name, known.puzzle.rules.distinct_lines, 1
            if len(found.setdefault(key, [])) < PUZZLES:
                found[key].append(known)
    other = {
        (f"{name}, other reading", not distinct, 1): [
            sets.under(known, distinct=not distinct) for known in some
        ]
        for (name, distinct, _), some in found.items()
    }
    second = {
        (name, distinct, 2): some
        for (name, distinct, _), some in found.items()
        if name.startswith("irreducible") or name == "instances/classic"
    }
    return found | other | second


def sets_for(name: str, all_jobs: dict[Key, list[Known]]) -> dict[Key, list[Known]]:
    """Choose the sets for a tool; a tool that supports both readings runs only on the usual one."""
    tool = TOOLS[name]
    chosen = {}
    for key, some in all_jobs.items():
        other = key[0].endswith("other reading") and tool.distinct is None and name != FIRST
        if not other and (tool.second or key[2] == 1):
            chosen[key] = [known for known in some if tool.supports(known.puzzle)]
    return {key: some for key, some in chosen.items() if some}


def work(name: str, chosen: dict[Key, list[Known]]) -> tuple[dict[Key, Seen], float]:
    """Run one tool; also return the milliseconds of its first answer, including imports."""
    started = perf_counter()
    key, (first, *_) = next(iter(chosen.items()))
    TOOLS[name].solve(first.puzzle, key[2], 60.0)
    cold = 1000 * (perf_counter() - started)
    if name == FIRST:
        # Otherwise it would load the bitboard only for the first hard puzzle.
        TOOLS["bitboard"].solve(first.puzzle, key[2], 60.0)
    return {key: _of_set(name, some, key[2]) for key, some in chosen.items()}, cold


def _of_set(name: str, some: list[Known], wanted: int) -> Seen:
    seen = Seen()
    warm: set[tuple[object, ...]] = set()
    end = perf_counter() + A_SET
    for number, known in enumerate(some):
        if perf_counter() > (end if seen.seconds else end + 4 * A_SET):
            break
        result = _answer(name, known, wanted)
        seen.counts[classify(known, result, wanted)] += 1
        shape = sets.shape(known.puzzle)
        if shape in warm:
            seen.seconds[number] = result.seconds
        warm.add(shape)
    return seen


def _answer(name: str, known: Known, wanted: int) -> ToolResult:
    try:
        return TOOLS[name].solve(known.puzzle, wanted, A_PUZZLE)
    except Exception as error:  # Any failure of another tool is a result to report.
        return ToolResult([], False, 0.0, f"{type(error).__name__}: {error}")


def classify(known: Known, result: ToolResult, wanted: int) -> str:
    """Classify an answer."""
    board = known.puzzle.board
    for cells in result.boards:
        if violations(known.puzzle, Board(board.height, board.width, cells)):
            return "against the rules"
    if result.error:
        return "error"
    if not result.boards:
        if not result.all:
            return "unknown"
        return "right" if known.verdict == Verdict.NONE else "called unsolvable"
    if wanted == 1 or not (result.all or len(result.boards) == wanted):
        return "right" if wanted == 1 else "unknown"
    verdict = Verdict.UNIQUE if result.all else Verdict.MULTIPLE
    return "right" if known.verdict == verdict else "wrong number"


WRONG = ("called unsolvable", "against the rules", "wrong number")
OTHERWISE = ("unknown", "error")


def row(key: Key, name: str, seen: Seen, first: Seen) -> tables.Row:
    common = sorted(seen.seconds.keys() & first.seconds.keys())
    figures: tables.Row = {"tool": name, "reading": READINGS[key[1]]}
    figures |= {"puzzles": seen.counts.total(), "median ms": "", "p99 ms": "", "times auto": ""}
    if common:
        times = [1000 * seen.seconds[number] for number in common]
        figures |= tables.spread(times)
        base = median(1000 * first.seconds[number] for number in common)
        figures["times auto"] = round(median(times) / base, 1)
    return figures | {kind: seen.counts[kind] for kind in (*WRONG, *OTHERWISE)}


def totals(found: dict[str, dict[Key, Seen]]) -> Iterator[tables.Row]:
    for name, by_key in found.items():
        counts: dict[tuple[bool, bool], Counter[str]] = {}
        for key, seen in by_key.items():
            group = key[1], key[0].endswith("other reading")
            counts[group] = counts.get(group, Counter()) + seen.counts
        for (distinct, other), kinds in sorted(counts.items(), reverse=True):
            yield {
                "tool": name,
                "reading": READINGS[distinct],
                "sets": "other reading" if other else "as they are played",
                "answers": kinds.total(),
                "wrong": sum(kinds[kind] for kind in WRONG),
                **{kind: kinds[kind] for kind in (*WRONG, *OTHERWISE)},
            }


def all_tables() -> Iterator[tables.Table]:
    all_jobs = jobs()
    found: dict[str, dict[Key, Seen]] = {}
    about: list[tables.Row] = []
    for name, tool in TOOLS.items():
        print(f"{name}...", flush=True)
        entry: tables.Row = {"tool": name, "version": "", "description": tool.about}
        entry["claims"] = READINGS[tool.distinct] if tool.distinct is not None else "both readings"
        entry |= {"first answer ms": "", "memory MB": ""}
        about.append(entry)
        if tool.missing:
            entry["description"] = f"not run: {tool.missing} is not installed"
            continue
        entry["version"] = tool.version
        chosen = sets_for(name, all_jobs)
        seconds = 60 + 2 * (A_SET + A_PUZZLE) * len(chosen)
        try:
            (found[name], cold), memory = apart(work, name, chosen, seconds=seconds)
            entry |= {"first answer ms": round(cold), "memory MB": memory}
        except (Late, ProcessExpired) as error:
            entry["description"] = f"not done in {seconds:g} s, or died: {type(error).__name__}"
    yield "the tools; the first answer includes all imports", about
    yield "all answers", list(totals(found))
    for key in all_jobs:
        rows = [
            row(key, name, by_key[key], found.get(FIRST, {}).get(key, Seen()))
            for name, by_key in found.items()
            if key in by_key
        ]
        task = "filled" if key[2] == 1 else "uniqueness"
        if rows:
            yield f"{key[0]}, {READINGS[key[1]]}: {task}", rows


if __name__ == "__main__":
    tables.report("against", all_tables())
