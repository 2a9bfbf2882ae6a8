"""What the grade of a puzzle is made of: the techniques by number, and the words of a result."""

from __future__ import annotations

PAIR, SANDWICH, COUNT, LAST_ONE, ONE_OF_EACH, PROJECTION, TWO_OPEN, DISTINCT_LINES = (
    0, 1, 2, 3, 4, 5, 6, 7,
)  # fmt: skip
IN_LINES = 8
"""The number of techniques for lines, in order; each is one of `driver.TECHNIQUES`."""

FOLLOWED = LAST_ONE + 1
"""The techniques with smaller numbers are those that follow a tried value."""

GRADED = (
    "pair",
    "sandwich",
    "count",
    "last one",
    "one of each",
    "projection",
    "two open",
    "distinct lines",
    "contradiction",
)
"""The names of the techniques: those for lines by their numbers, and the one that tries values."""

ROUNDS, NARROWEST, OPEN_CELLS, BROKEN, PLACED = 0, 1, 2, 3, 4
LOOKS = PLACED + IN_LINES + 1
RESULT_WORDS = LOOKS + IN_LINES + 1
"""The places in a result: the number of rounds, the fewest cells filled in any round except the
last, the number of open cells left, whether a rule is broken, from `PLACED` on the number of cells
that each technique of `GRADED` filled, and from `LOOKS` on the number of its rounds, where a round
of trials counts once for each round of easier techniques that a trial takes."""
