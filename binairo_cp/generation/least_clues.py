"""How few clues a puzzle without signs can have: what is proved, and what examples show."""

from __future__ import annotations

from dataclasses import replace

from binairo_cp.errors import LimitError
from binairo_cp.puzzle.rules import CLASSIC, UNRULY, Rules

_THREE_ARE_NOT_ENOUGH = {
    (side, side, rules): 4 for side in range(8, 21, 2) for rules in (CLASSIC, UNRULY)
}
"""Each puzzle of three clues has no solution or several: all of them were tried."""

PROVED = {
    (2, 2, CLASSIC): 1,
    (2, 2, UNRULY): 1,
    (2, 4, UNRULY): 2,
    (4, 4, CLASSIC): 4,
    (4, 4, UNRULY): 4,
    (4, 6, CLASSIC): 5,
    (4, 6, UNRULY): 6,
    (6, 6, CLASSIC): 5,
    (6, 6, UNRULY): 6,
    **_THREE_ARE_NOT_ENOUGH,
}
"""No puzzle of a size has fewer clues. Up to 6x6 it is the least: the fewest clues of each solved
board were found. A test proves it again."""

KNOWN = {
    (8, 8, CLASSIC): 8,
    (10, 10, CLASSIC): 12,
    (12, 12, CLASSIC): 18,
    (14, 14, CLASSIC): 26,
}
"""The fewest clues of any puzzle known, where that may not be the least."""

_WHERE = "docs/reduction.md"


def check_clues(height: int, width: int, rules: Rules, clues: int, signs: int) -> None:
    """Refuse a number of clues that is proved to be too small.

    Raises:
        LimitError: no puzzle has so few.
    """
    size, key = f"{height}x{width}", _key(height, width, rules)
    least = 0 if signs else PROVED.get(key, 0)
    if clues < least:
        raise LimitError(
            f"{clues} clues on a {size} board; expected {least} or more: it is proved that no "
            f"{size} puzzle has fewer{_of_known(key)} ({_WHERE})"
        )
    if clues == 0 and _may_be_complemented(height, width, rules):
        raise LimitError(
            "0 clues; expected 1 or more: without clues, exchanging 0 and 1 in a solution gives "
            "another"
        )


def note(height: int, width: int, rules: Rules, clues: object, signs: int) -> str:
    """What to expect of a search for fewer clues than any known puzzle has; else empty."""
    known = None if signs else KNOWN.get(_key(height, width, rules))
    if known is None or not isinstance(clues, int) or clues >= known:
        return ""
    return f"no {height}x{width} puzzle with fewer than {known} clues is known ({_WHERE})"


def _key(height: int, width: int, rules: Rules) -> tuple[int, int, Rules]:
    """Rows for columns makes no difference, nor what lines of odd length have where none is."""
    if height % 2 == width % 2 == 0:
        rules = replace(rules, odd="either")
    return min(height, width), max(height, width), rules


def _of_known(key: tuple[int, int, Rules]) -> str:
    return f", and none with fewer than {KNOWN[key]} is known" if key in KNOWN else ""


def _may_be_complemented(height: int, width: int, rules: Rules) -> bool:
    return rules.odd == "either" or (height % 2 == 0 and width % 2 == 0)
