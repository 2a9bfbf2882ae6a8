"""Bounds on the number of clues of a puzzle without signs: proved minimums and known records."""

from __future__ import annotations

from dataclasses import replace

from binairo_cp.errors import LimitError
from binairo_cp.puzzle.rules import CLASSIC, UNRULY, Rules

_NONE_WITH_THREE_CLUES = {
    (side, side, rules): 4 for side in range(8, 21, 2) for rules in (CLASSIC, UNRULY)
}
"""No puzzle of three clues has exactly one solution; all of them were tried."""

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
    **_NONE_WITH_THREE_CLUES,
    (6, 8, CLASSIC): 5,
    (8, 8, CLASSIC): 7,
    (10, 10, CLASSIC): 8,
}
"""Proved lower bounds on the clues of a puzzle, by height, width and rules. Up to 6x6, and for 6x8
and 8x8 classic, they are optimal: `binairo census --fewest` searched all solved boards. For 10x10,
`benchmarks/lower_bounds.py` tried all sets of 7 clues. Tests repeat the proofs, for 8x8 in part,
but not that for 10x10."""

KNOWN = {
    (10, 10, CLASSIC): 12,
    (12, 12, CLASSIC): 18,
    (14, 14, CLASSIC): 26,
}
"""The fewest clues of any known puzzle, for sizes where fewer may be possible."""

_DOCUMENTATION = "docs/reduction.md"


def check_clues(height: int, width: int, rules: Rules, clues: int, signs: int) -> None:
    """Reject a number of clues that is proved to be too small.

    Raises:
        LimitError: No puzzle has so few clues.
    """
    size, key = f"{height}x{width}", _key(height, width, rules)
    least = 0 if signs else PROVED.get(key, 0)
    if clues < least:
        raise LimitError(
            f"{clues} clue{'s' * (clues != 1)} on a {size} board; expected {least} or more: "
            f"it is proved that no {size} puzzle has fewer{_known_bound(key)} ({_DOCUMENTATION})"
        )
    if clues == 0 and _allows_complement(height, width, rules):
        raise LimitError(
            "0 clues; expected 1 or more: without clues, exchanging 0 and 1 in a solution gives "
            "another solution"
        )


def note(height: int, width: int, rules: Rules, clues: object, signs: int) -> str:
    """A warning if the request is for fewer clues than any known puzzle has; otherwise empty."""
    known = None if signs else KNOWN.get(_key(height, width, rules))
    if known is None or not isinstance(clues, int) or clues >= known:
        return ""
    return f"no {height}x{width} puzzle with fewer than {known} clues is known ({_DOCUMENTATION})"


def _key(height: int, width: int, rules: Rules) -> tuple[int, int, Rules]:
    """The key of `PROVED` and `KNOWN`: the same for transposed sizes.

    The rule for lines of odd length makes no difference where no line has odd length.
    """
    if height % 2 == width % 2 == 0:
        rules = replace(rules, odd="either")
    return min(height, width), max(height, width), rules


def _known_bound(key: tuple[int, int, Rules]) -> str:
    return f", and none with fewer than {KNOWN[key]} is known" if key in KNOWN else ""


def _allows_complement(height: int, width: int, rules: Rules) -> bool:
    """Whether exchanging 0 and 1 in a solved board gives a solved board."""
    return rules.odd == "either" or (height % 2 == 0 and width % 2 == 0)
