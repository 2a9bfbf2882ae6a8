"""Find the puzzles in lines of flat JSON records.

A flat record has only numbers, words, and strings of printable ASCII without escapes; its list of
signs is empty. Whatever the kernel accepts, `schema.PuzzleRecord` accepts with the same
values. It leaves all other records to a complete parser.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from binairo_cp.formats.slices import Bytes, Numbers
from binairo_cp.formats.sources import MAX_LINE_BYTES
from binairo_cp.kernels import records as kernel
from binairo_cp.puzzle.rules import CLASSIC, PRESETS, UNRULY

BY_DISTINCT = (None, CLASSIC, UNRULY)
"""The rules by the field `distinct_lines`, if there is no field `rules`: absent, true, false."""

RULES = (*BY_DISTINCT, *PRESETS.values())
"""The rules for each number in `Found.rules`."""

_WORDS = (
    *("height", "width", "clues", "id", "rules", "distinct_lines", "signs"),
    *("true", "false", "null"),
    *PRESETS,
)
"""The words that the kernel knows, in its order."""


class Found(NamedTuple):
    """The puzzles of n lines.

    Attributes:
        heights: the heights of the boards; 0 for lines that are left to another parser.
        widths: their widths.
        cells: where the cells begin.
        sizes: the numbers of cells.
        ids: where the ids begin.
        id_lengths: the lengths of the ids.
        rules: places in `RULES`.
    """

    heights: Numbers
    widths: Numbers
    cells: Numbers
    sizes: Numbers
    ids: Numbers
    id_lengths: Numbers
    rules: Numbers


def find(data: Bytes, starts: Numbers, ends: Numbers) -> Found:
    """Find the puzzles in lines.

    Args:
        data: the bytes of all lines.
        starts: where each line begins.
        ends: where each line ends, before its line feed.
    """
    found = Found(*np.zeros((len(Found._fields), len(starts)), np.int64))
    records = kernel.Records(data.data, *_words(), *(column.data for column in found))
    kernel.find(records, starts.data, ends.data, MAX_LINE_BYTES)
    return found


@cache
def _words() -> tuple[memoryview, memoryview]:
    """The known words, one in a row of bytes, and their lengths."""
    lengths = np.array([len(word) for word in _WORDS], np.int64)
    words = np.zeros((len(_WORDS), lengths.max()), np.uint8)
    for row, word in zip(words, _WORDS, strict=True):
        row[: len(word)] = list(word.encode())
    return words.data, lengths.data
