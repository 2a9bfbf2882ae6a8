"""The ordinary puzzles of a block decided many at a time, without an object for each.

What is left out here goes the common way, one by one: puzzles with signs or long lines, those that
need a longer search, faults of any kind. What is found is what would be found there; every solution
passes `verification.are_solutions`, and one that does not is left out too, so that the common way
tells the error.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
import numpy.typing as npt

from binairo_cp.backends.bitboard import Bitboard
from binairo_cp.backends.bitboard.many import Decided, decide
from binairo_cp.board import Board
from binairo_cp.formats import Lines
from binairo_cp.formats.plain import Plain, plain
from binairo_cp.rules import Puzzle
from binairo_cp.schema import RESULT_VERSION, Fields, stated
from binairo_cp.solutions import Verb
from binairo_cp.verification import LONGEST, Flags, are_solutions

_MOST_COUNTED = 1_000
_SECONDS_DIGITS = 6
_KEPT: dict[Verb, int] = {"solve": 1, "check": 2, "count": 1}
_DECIDED = ("none", "unique", "multiple")
_VERDICTS: dict[Verb, tuple[str, ...]] = {
    "solve": ("none", "solved", "solved"),
    "check": _DECIDED,
    "count": _DECIDED,
}


def find(block: Lines, verb: Verb, limit: int, reasons: bool) -> dict[int, Fields]:
    """What was found out, by the lines of the block, counted from 0; the id may be missing.

    Args:
        block: the puzzles.
        verb: what is asked: a solution, whether there is one only, or how many there are.
        limit: how many solutions to stop after; for a solution 1, for uniqueness 2.
        reasons: leave out the puzzles without a solution, since the reason is wanted too.
    """
    found: dict[int, Fields] = {}
    for group in plain(block, LONGEST):
        if group.lines:
            _find(block, group, verb, limit, reasons, found)
    return found


def _find(
    block: Lines, group: Plain, verb: Verb, limit: int, reasons: bool, found: dict[int, Fields]
) -> None:
    started = perf_counter()
    decided = decide(group.clues, group.rules, min(limit, _MOST_COUNTED), _KEPT[verb])
    settled = decided.complete | (decided.found >= limit)
    if reasons:
        settled &= decided.found > 0
    solutions = [_solutions(group, decided, settled, number) for number in range(_KEPT[verb])]
    count, height, width = group.clues.shape
    named = stated(Puzzle(Board.empty(height, width), group.rules))
    rules = named if isinstance(named, str) else named.model_dump()
    clues = _texts(group.clues)
    numbers = decided.found.tolist()
    seconds = round((perf_counter() - started) / count, _SECONDS_DIGITS)
    first = block.piece.number
    for k in np.flatnonzero(settled).tolist():
        number, line = numbers[k], group.lines[k]
        found[line] = fields = {
            "schema_version": RESULT_VERSION,
            "id": group.ids[k],
            "source": block.source,
            "line": first + line,
            "height": height,
            "width": width,
            "clues": clues[k],
            "rules": rules,
            "verdict": _VERDICTS[verb][min(number, 2)],
        }
        if number:
            fields["solution"] = solutions[0][k]
        if number > 1 and verb == "check":
            one, two = solutions[0][k], solutions[1][k]
            fields["second_solution"] = two
            fields["differences"] = [
                divmod(place, width) for place in range(len(one)) if one[place] != two[place]
            ]
        fields["count"] = number
        fields["complete"] = number < limit
        if number == limit:
            fields["stopped_by"] = "limit"
        fields["backend"] = Bitboard.name
        fields["seconds"] = seconds


def _solutions(group: Plain, decided: Decided, settled: Flags, number: int) -> dict[int, str]:
    """The solutions of a number, by puzzle; one with a wrong solution is no longer settled."""
    has = decided.found > number
    if not has.any():
        return {}
    which = slice(None) if has.all() else has
    boards = decided.boards(which, number)
    settled[which] &= are_solutions(boards, group.clues[which], group.rules)
    return dict(zip(np.flatnonzero(has).tolist(), _texts(boards), strict=True))


def _texts(boards: npt.NDArray[np.uint8]) -> list[str]:
    """The cells of n boards as strings."""
    size = boards[0].size
    text = boards.tobytes().decode()
    return [text[start : start + size] for start in range(0, len(text), size)]
