"""Look at each puzzle of a block: its verdicts, its keys, and what its file states.

A deeper look, at redundant clues, steps and levels, takes up to a thousand times as long as a
verdict. So it is for the first puzzles only, as many as the user wants.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.batch import columnar
from binairo_cp.batch.pipeline import NumberedBlock
from binairo_cp.deduction import grading
from binairo_cp.deduction.grade_arrays import grade_arrays
from binairo_cp.deduction.grading import LEVEL_OF, Grade
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.errors import BinairoError, WrongSolution
from binairo_cp.formats import Block, Entry, LineBlock
from binairo_cp.formats.columnar import plain
from binairo_cp.formats.entry import LEVEL_KEYS, level_of, stated_puzzle, wrong_with
from binairo_cp.formats.sources import raw_lines
from binairo_cp.json_library import orjson
from binairo_cp.puzzle import twin_keys
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, Rules, Sign
from binairo_cp.puzzle.shape import LONGEST
from binairo_cp.puzzle.slices import PlainPuzzles, Slices
from binairo_cp.puzzle.symmetries import Signs
from binairo_cp.solving import many, solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.solutions import Verdict

Problem = dict[str, Any]

_MOST_CELLS = 1 << 22
_SPIKE = 2
"""How many levels the hardest step of a spike is above all others."""

_SOLUTIONS = ("solution", "answer")
_WORDS = re.compile(b'"(?:' + b"|".join(map(str.encode, (*_SOLUTIONS, *LEVEL_KEYS))) + b')"', re.I)

_RANKS = {
    0: "beginner trivial kids starter very-easy",
    1: "easy simple",
    2: "medium normal moderate intermediate",
    3: "hard difficult tricky advanced tough",
    4: "expert very-hard extreme evil fiendish master insane",
    5: "beyond-logic",
}
RANKS = {word: rank for rank, words in _RANKS.items() for word in words.split()}
"""Where words of publishers stand among our levels, `LEVELS`."""

_OF_SEVERAL = re.compile(r"(\d{1,2})\s*(?:/|of)\s*(\d{1,2})")

VERDICTS = (Verdict.UNIQUE, Verdict.MULTIPLE, Verdict.NONE, Verdict.UNKNOWN, Verdict.INVALID)
"""The verdict for each number in `BlockAudit.verdicts`."""

UNSEEN = 255
"""In place of a verdict or a level that was not looked for."""

_NUMBERS = {verdict: number for number, verdict in enumerate(VERDICTS)}
_BY_COUNT = np.array(
    [_NUMBERS[possible] for possible in (Verdict.NONE, Verdict.UNIQUE, Verdict.MULTIPLE)]
)
_PLAN = columnar.Plan("check", limit=2, kept=2)


@dataclass(slots=True)
class BlockAudit:
    """What is known about the n puzzles of a block, in their order.

    Attributes:
        before: the number of puzzles of the run before the block.
        source: the name of their file.
        keys: n x 2 words, the same for twins; 0 for what can't be read.
        own_keys: the same only for equal puzzles.
        solution_keys: the canonical keys of the solutions of unique puzzles; 0 for others.
        verdicts: numbers of `VERDICTS`.
        others: those with distinct lines instead of without, or the other way round; `UNSEEN` for
            puzzles at which nobody looked deeper.
        levels: our levels as numbers; `UNSEEN` for those without a grade.
        claimed: the levels that the file states, by place in the block.
        problems: what is wrong, by place in the block.
        smaller: the canonical keys without each redundant clue, by place in the block.
        seconds: how long it took.
    """

    before: int
    source: str
    ids: list[str]
    keys: twin_keys.KeyArray
    own_keys: twin_keys.KeyArray
    solution_keys: twin_keys.KeyArray
    verdicts: npt.NDArray[np.uint8]
    others: npt.NDArray[np.uint8]
    levels: npt.NDArray[np.uint8]
    claimed: dict[int, str] = field(default_factory=dict)
    problems: defaultdict[int, list[Problem]] = field(default_factory=lambda: defaultdict(list))
    smaller: dict[int, twin_keys.KeyArray] = field(default_factory=dict)
    seconds: float = 0.0

    @classmethod
    def empty(cls, before: int, source: str, number: int) -> BlockAudit:
        """Nothing is known yet."""
        keys, own, of_solutions = np.zeros((3, number, 2), np.uint64)
        unseen = np.full((2, number), UNSEEN, np.uint8)
        unread = np.full(number, _NUMBERS[Verdict.INVALID], np.uint8)
        others, levels = unseen
        return cls(before, source, [""] * number, keys, own, of_solutions, unread, others, levels)


def audit_block(numbered: NumberedBlock, *, deep: int, time_limit: float | None) -> BlockAudit:
    """What is known about a block, and more about the first `deep` puzzles of the run.

    The time limit is in seconds for a puzzle that the kernel does not decide.
    """
    started = perf_counter()
    audit, groups, claims = _read(numbered.before, numbered.block, numbered.before < deep)
    for group in groups:
        is_unique = _look_at(audit, group, claims, time_limit)
        _look_deeper(audit, group, is_unique, group.lines + audit.before < deep, time_limit)
    levels = ((place, claim.level) for place, claim in claims.items())
    audit.claimed.update((place, level) for place, level in levels if level)
    audit.seconds = perf_counter() - started
    return audit


def _read(
    before: int, block: Block, with_levels: bool
) -> tuple[BlockAudit, list[PlainPuzzles], dict[int, LevelClaim]]:
    """The puzzles of a block by shape, and what is stated about them, by place.

    The `lines` of the puzzles are their places among those of the block.
    """
    groups: list[PlainPuzzles] = []
    entries: dict[int, Entry] = {}
    if isinstance(block, LineBlock):
        groups = [group for group in plain(block, LONGEST) if len(group.lines)]
        skipped = {line for group in groups for line in group.lines.tolist()}
        if len(skipped) < len(block):
            entries = {line: entry for line, entry in block.entries(skipped) if entry}
        lines = np.array(sorted(skipped | entries.keys()), np.int64)
    else:
        entries = dict(enumerate(block))
        lines = np.arange(len(block))
    source = block.source if isinstance(block, LineBlock) else block[0].source
    audit = BlockAudit.empty(before, source, len(lines))
    first = block.number if isinstance(block, LineBlock) else 1
    found = [replace(group, lines=np.searchsorted(lines, group.lines)) for group in groups]
    for group in found:
        for place, id in zip(group.lines.tolist(), group.ids.tolist(), strict=True):
            audit.ids[place] = id.decode() or str(first + place)
    place_of = {line: place for place, line in enumerate(lines.tolist())}
    found += _of_entries(audit, {place_of[line]: entry for line, entry in entries.items()})
    if isinstance(block, LineBlock):
        stated = claims_of(block, with_levels=with_levels)
        claims = {place_of[line]: claim for line, claim in stated if line in place_of}
    else:
        # Their readers have compared the solutions.
        claims = {place: LevelClaim(None, entry.level) for place, entry in entries.items()}
    return audit, found, claims


def _of_entries(audit: BlockAudit, entries: dict[int, Entry]) -> Iterator[PlainPuzzles]:
    """The puzzles of entries by shape; what can't be read is a problem."""
    by_shape: defaultdict[tuple[int, int, Rules, bool], list[tuple[int, Puzzle]]] = defaultdict(
        list
    )
    for place, entry in entries.items():
        audit.ids[place] = entry.id or str(entry.line or place + 1)
        if isinstance(entry.error, WrongSolution):
            problem = {"kind": "wrong-solution", "message": entry.error.problem}
            audit.problems[place].append(problem)
        if (puzzle := stated_puzzle(entry)) is None:
            audit.problems[place].append({"kind": "invalid", "message": str(entry.error)})
            continue
        board = puzzle.board
        shape = board.height, board.width, puzzle.rules, bool(puzzle.signs)
        by_shape[shape].append((place, puzzle))
    for (height, width, rules, has_signs), those in by_shape.items():
        text = "".join(puzzle.board.cells for _, puzzle in those).encode()
        places = np.array([place for place, _ in those], np.int64)
        signs: list[Signs] = [puzzle.signs for _, puzzle in those]
        cells = np.frombuffer(text, np.uint8).reshape(-1, height, width)
        ids = Slices.of([b""] * len(those))
        yield PlainPuzzles(rules, cells, places, ids, signs if has_signs else None)


def _look_at(
    audit: BlockAudit,
    puzzles: PlainPuzzles,
    claims: dict[int, LevelClaim],
    time_limit: float | None,
) -> npt.NDArray[np.bool_]:
    """Find keys, verdicts and wrong solutions. Return which puzzles are unique."""
    places = puzzles.lines
    keys = twin_keys.keys(puzzles)
    audit.keys[places], audit.own_keys[places] = keys
    verdicts, boards = _decided(puzzles, time_limit)
    audit.verdicts[places] = verdicts
    is_unique: npt.NDArray[np.bool_] = verdicts == _NUMBERS[Verdict.UNIQUE]
    if is_unique.any():
        solved = boards[is_unique]
        audit.solution_keys[places[is_unique]] = twin_keys.board_keys(solved, puzzles.rules)
    first = puzzle_at(puzzles, 0)
    rules = first.rules_name or first.rules.stated
    for row in np.flatnonzero(verdicts).tolist():
        problem = {"kind": VERDICTS[verdicts[row]].value, "rules": rules}
        audit.problems[int(places[row])].append(problem)
    size = boards[0].size if len(boards) else 0
    text = boards.tobytes().decode()
    for row, place in enumerate(places.tolist()) if claims else ():
        stated = claims[place].solution if place in claims else None
        if stated is None or (is_unique[row] and stated == text[row * size : (row + 1) * size]):
            continue
        if any(problem["kind"] == "wrong-solution" for problem in audit.problems.get(place, ())):
            continue  # its reader has noticed it
        if message := wrong_with(puzzle_at(puzzles, row), stated):
            audit.problems[place].append({"kind": "wrong-solution", "message": message})
    return is_unique


def _look_deeper(
    audit: BlockAudit,
    puzzles: PlainPuzzles,
    is_unique: npt.NDArray[np.bool_],
    is_deep: npt.NDArray[np.bool_],
    time_limit: float | None,
) -> None:
    if not is_deep.any():
        return
    rules = replace(puzzles.rules, distinct_lines=not puzzles.rules.distinct_lines)
    others = replace(puzzles.chosen(is_deep), rules=rules)
    audit.others[others.lines] = _decided(others, time_limit)[0]
    if not (is_unique & is_deep).any():
        return
    puzzles = puzzles.chosen(is_unique & is_deep)
    places = puzzles.lines.tolist()
    clues = redundant_clues(puzzles)
    graded = grades(puzzles, time_limit)
    for row, (place, cells, grade) in enumerate(zip(places, clues, graded, strict=True)):
        if cells:
            audit.problems[place].append({"kind": "redundant-clue", "cells": cells})
            audit.smaller[place] = twin_keys.keys(without_each(puzzles, row, cells)).canonical
        if grade:
            audit.levels[place] = LEVELS.index(grade.level)
            audit.problems[place].extend(step_problems(grade))
        if not audit.problems[place]:
            del audit.problems[place]


def _decided(
    puzzles: PlainPuzzles, time_limit: float | None
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """The verdicts on puzzles as numbers of `VERDICTS`, and their first solutions."""
    number, height, width = puzzles.clues.shape
    verdicts = np.full(number, _NUMBERS[Verdict.UNKNOWN], np.uint8)
    boards = np.zeros(puzzles.clues.shape, np.uint8)
    is_left = np.ones(number, bool)
    if max(height, width) <= LONGEST:
        decided = columnar.decide(replace(puzzles, lines=np.arange(number)), _PLAN)
        rows = decided.puzzles.lines
        is_left[rows] = False
        verdicts[rows] = _BY_COUNT[np.minimum(decided.found, 2)]
        boards[rows] = decided.solutions[0]
    for row in np.flatnonzero(is_left).tolist():
        try:
            outcome = solutions.search(
                puzzle_at(puzzles, row), "check", time_limit=time_limit, reasons="none"
            )
        except BinairoError:
            continue
        verdicts[row] = _NUMBERS[outcome.verdict]
        if outcome.solutions:
            cells = np.frombuffer(outcome.solutions[0].cells.encode(), np.uint8)
            boards[row] = cells.reshape(height, width)
    return verdicts, boards


def puzzle_at(puzzles: PlainPuzzles, row: int) -> Puzzle:
    """One of the puzzles of an array."""
    _, height, width = puzzles.clues.shape
    signs = puzzles.signs[row] if puzzles.signs else ()
    return Puzzle(
        Board(height, width, puzzles.clues[row].tobytes().decode()),
        puzzles.rules,
        tuple(Sign(*sign) for sign in signs),  # type: ignore[arg-type]  # Puzzle checks them
    )


def grades(puzzles: PlainPuzzles, time_limit: float | None) -> list[Grade | None]:
    """The grades of unique puzzles; None for those that take longer than the limit."""
    number = len(puzzles.clues)
    found: list[Grade | None] = [None] * number
    if not puzzles.signs and max(puzzles.clues.shape[1:]) <= LONGEST:
        found = list(grade_arrays(puzzles.clues, puzzles.rules))
    for row in range(number):
        if found[row] is None:
            try:
                found[row] = grading.grade(puzzle_at(puzzles, row), Meter(Budget(time_limit)))
            except BinairoError:
                continue
    return found


def step_problems(grade: Grade) -> Iterator[Problem]:
    """What is wrong with the steps of a puzzle: nested contradictions, or one step far above all.

    A spike is a single cell that needs a technique two or more levels above all other steps.
    """
    if grade.left:
        yield {"kind": "beyond-logic", "cells": grade.left}
        return
    ranks = {name: LEVELS.index(LEVEL_OF[name]) for name in grade.placed}
    top = max(ranks.values(), default=0)
    hardest = [name for name, rank in ranks.items() if rank == top]
    others = [rank for rank in ranks.values() if rank < top]
    if others and top - max(others) >= _SPIKE and sum(map(grade.placed.get, hardest)) == 1:  # type: ignore[arg-type]  # they are keys
        yield {"kind": "spike", "technique": hardest[0], "level": LEVELS[top]}


def redundant_clues(puzzles: PlainPuzzles) -> list[list[list[int]]]:
    """For each unique puzzle, the row and column of each clue that the other clues imply.

    A clue is redundant exactly if there is no solution with the other value in its place.
    """
    number, height, width = puzzles.clues.shape
    found: list[list[list[int]]] = [[] for _ in range(number)]
    if max(height, width) > LONGEST:
        return found
    flat = puzzles.clues.reshape(number, -1)
    rows, cells = np.nonzero(flat != ord("."))
    signs = many.sign_words(puzzles.signs, height, width) if puzzles.signs else None
    step = max(1, _MOST_CELLS // (height * width))
    for begin in range(0, len(rows), step):
        some, at = rows[begin : begin + step], cells[begin : begin + step]
        changed = flat[some]
        changed[np.arange(len(some)), at] ^= 1
        of_these = None if signs is None else signs[some]
        boards = changed.reshape(-1, height, width)
        decided = many.decide(boards, puzzles.rules, 1, 0, of_these)
        is_redundant = decided.is_decided & (decided.found == 0)
        for row, cell in zip(some[is_redundant].tolist(), at[is_redundant].tolist(), strict=True):
            found[row].append(list(divmod(cell, width)))
    return found


def without_each(puzzles: PlainPuzzles, row: int, cells: list[list[int]]) -> PlainPuzzles:
    """One of the puzzles without each of these clues in turn."""
    number = len(cells)
    chosen = np.repeat(puzzles.clues[row][None], number, axis=0)
    chosen[np.arange(number), *np.array(cells).T] = ord(".")
    signs = puzzles.signs and [puzzles.signs[row]] * number
    return PlainPuzzles(puzzles.rules, chosen, np.arange(number), Slices.empty(number), signs)


class LevelClaim(NamedTuple):
    """What a file states about a puzzle.

    Attributes:
        solution: the cells row by row; None if there is none.
        level: the level as it is written; None if there is none.
    """

    solution: str | None
    level: str | None


def claims_of(block: LineBlock, *, with_levels: bool) -> Iterator[tuple[int, LevelClaim]]:
    """What the records of a block state, with their lines in the block from 0.

    Solutions beside other keys than ``clues`` are left out: their reader compares them.
    """
    data = block.piece.data
    has_more = with_levels or b'"clues"' in data
    if block.format.name != "ndjson" or not (has_more and _WORDS.search(data)):
        return
    for line, raw in enumerate(raw_lines(block.piece)):
        if not _WORDS.search(raw):
            continue
        try:
            record = orjson.loads(raw)
        except orjson.JSONDecodeError:
            continue
        if isinstance(record, dict):
            if any(key != key.lower() for key in record):
                record = {key.lower(): value for key, value in record.items()}
            solution = next((record[key] for key in _SOLUTIONS if record.get(key)), None)
            yield line, LevelClaim(_cells(solution), level_of(record))


def _cells(solution: Any) -> str | None:
    """The cells of a solution in any form: a text, rows of text, or rows of cells."""
    if solution is None:
        return None
    if isinstance(solution, list):
        return "".join(_cells(row) or "" for row in solution)
    text = str(solution)
    return text if text.isdigit() else re.sub(r"[\s,;|/]", "", text)


def rank_of(level: str) -> int | None:
    """Where a level stands among ours, from 0 to 5; None if the word alone does not tell.

    "3/5" is a level of five, which are spread over ours from beginner to expert.
    """
    if match := _OF_SEVERAL.fullmatch(level):
        number, most = int(match[1]), int(match[2])
        if not 1 <= number <= most or most < 3:
            return None
        return round((number - 1) / (most - 1) * (len(LEVELS) - 2))
    return RANKS.get(re.sub(r"[\s_-]+", "-", level.lower()))
