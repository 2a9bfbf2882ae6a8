"""What a file states beside its puzzles: their solutions and their levels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.formats import LineBlock
from binairo_cp.formats.entry import LEVEL_KEYS, level_of
from binairo_cp.formats.sources import raw_lines
from binairo_cp.json_library import orjson

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


class LevelClaim(NamedTuple):
    """What a file states about a puzzle.

    Attributes:
        solution: the cells row by row; None if there is none.
        level: the level as it is written; None if there is none.
    """

    solution: str | None
    level: str | None


def claims(block: LineBlock, *, with_levels: bool) -> Iterator[tuple[int, LevelClaim]]:
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
        return "".join(_cells(each) or "" for each in solution)
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
