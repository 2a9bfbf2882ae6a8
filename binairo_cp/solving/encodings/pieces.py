"""Join many short lines to a few long pieces, and count the lines before writing the first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

_LINES = 20_000


def pieces(lines: Iterable[str], check_clock: Callable[[], None]) -> tuple[int, list[str]]:
    """The number of lines and their text. The clock is checked before each piece."""
    number, texts, rest = 0, [], iter(lines)
    check_clock()
    while piece := list(islice(rest, _LINES)):
        check_clock()
        number += len(piece)
        texts.append("".join(piece))
    return number, texts
