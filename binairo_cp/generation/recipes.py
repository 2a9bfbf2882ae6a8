"""What kind of puzzle to generate, a generated puzzle, and the places of its clues and signs."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, get_args

from binairo_cp.deduction.techniques import LEVELS, Level
from binairo_cp.errors import LimitError
from binairo_cp.generation import Method, Pattern
from binairo_cp.generation.boards import shape_of
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.html import Brief, headed
from binairo_cp.puzzle.rules import CLASSIC, UNRULY, Puzzle, Rules

if TYPE_CHECKING:
    from binairo_cp.deduction.demands import Demand
    from binairo_cp.deduction.grading import Grade


_SQUARE_PATTERNS = ("rotate4", "diagonal", "diagonal4", "full")

_Grid = list[list[int]]

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
"""Proved lower bounds on the clues of a puzzle, by height, width and rules; docs/numbers.md says
how. Up to 6x6, and for 6x8 and 8x8 classic, they are optimal."""

KNOWN = {(10, 10, CLASSIC): 12, (12, 12, CLASSIC): 18, (14, 14, CLASSIC): 26}
"""The fewest clues of any known puzzle, for sizes where fewer may be possible."""

_LEVELS_OF_4X4: dict[Rules, tuple[Level, ...]] = {
    CLASSIC: ("beginner", "easy", "hard", "expert"),
    UNRULY: ("beginner", "easy"),
}
"""The levels of all 4x4 puzzles without signs: each set of clues of each board was graded."""

RARE: dict[tuple[int, int, Rules], dict[Level, str]] = {
    (6, 6, CLASSIC): {"beginner": "none of 20,000"},
    (8, 8, CLASSIC): {"beginner": "none of 20,000", "easy": "38 of 20,000"},
    (10, 10, CLASSIC): {"beginner": "none of 5,000", "easy": "2 of 5,000"},
    (6, 6, UNRULY): {
        "beginner": "1 of 20,000",
        "hard": "none of 20,000",
        "beyond logic": "none of 20,000",
    },
    (8, 8, UNRULY): {"beginner": "none of 20,000", "beyond logic": "none of 20,000"},
}
"""How many irreducible puzzles without signs have a level, where they are fewer than 1 %: measured
for random puzzles, 2026-11-26."""

_DOCUMENTATION = "docs/reduction.md"


def check_clues(height: int, width: int, rules: Rules, clues: int, signs: int) -> None:
    """Reject a number of clues that is proved to be too small.

    Raises:
        LimitError: No puzzle has so few clues.
    """
    size, key = f"{height}x{width}", _key(height, width, rules)
    least = 0 if signs else PROVED.get(key, 0)
    if clues < least:
        known = f", and none with fewer than {KNOWN[key]} is known" if key in KNOWN else ""
        raise LimitError(
            f"{clues} clue{'s' * (clues != 1)} on a board of {size}; expected {least} or more: "
            f"it is proved that no {size} puzzle has fewer{known} ({_DOCUMENTATION})"
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


def _allows_complement(height: int, width: int, rules: Rules) -> bool:
    """Whether exchanging 0 and 1 in a solved board gives a solved board."""
    return rules.odd == "either" or (height % 2 == 0 and width % 2 == 0)


@dataclass(frozen=True, slots=True, repr=False)
class Recipe:
    """The kind of puzzle to generate.

    Attributes:
        height: Rows of the board, 1 to 64.
        width: Columns of the board, 1 to 64.
        rules: Rules with balance and a longest run of 2.
        level: The required difficulty; None for any.
        clues: The number of clues; None to remove clues until all are needed; ``fewest`` for the
            smallest possible number for the board, or the smallest found within 50,000 conflicts
            of the solvers.
        pattern: The symmetry of the clues.
        signs: The number of signs; a maximum if `irreducible`.
        irreducible: Require that the puzzle has several solutions without any one of its clues or
            signs. Without a level, a number of clues and a pattern, this always holds for clues.
        method: How to draw the solved board.
        tries: Maximum number of boards to try per puzzle.
        demand: What the solving path must be like; None for anything.

    Raises:
        LimitError: No such puzzle can exist.
    """

    height: int
    width: int
    rules: Rules = CLASSIC
    level: Level | None = None
    clues: int | Literal["fewest"] | None = None
    pattern: Pattern = "none"
    signs: int = 0
    irreducible: bool = False
    method: Method = "auto"
    tries: int = 1_000
    demand: Demand | None = None

    def __repr__(self) -> str:
        # Seeds come from this text. It names what every recipe has, and the other options if given.
        values = ((each.name, getattr(self, each.name)) for each in fields(self))
        shown = (
            f"{name}={value!r}"
            for name, value in values
            if name in ("level", "clues") or value is not None
        )
        return f"Recipe({', '.join(shown)})"

    def __post_init__(self) -> None:
        shape_of(self.height, self.width, self.rules)
        orbits(self.height, self.width, self.pattern)
        self._check_level()
        cells, pairs = self.height * self.width, len(sign_places(self.height, self.width))
        for name, number, most in (("clues", self.clues, cells), ("signs", self.signs, pairs)):
            if isinstance(number, int) and not 0 <= number <= most:
                raise LimitError(
                    f"{number} {name} on a board of {self.height}x{self.width}; "
                    f"expected 0 to {most}"
                )
        if isinstance(self.clues, int):
            check_clues(self.height, self.width, self.rules, self.clues, self.signs)
            if not fits(self.height, self.width, self.pattern, self.clues):
                raise LimitError(
                    f"{self.clues} clue{'s' * (self.clues != 1)} can't have the symmetry "
                    f"{self.pattern} on a board of {self.height}x{self.width}; expected another "
                    "number of clues, or the symmetry none"
                )
        if self.clues == "fewest" and self.pattern != "none":
            raise LimitError("the fewest clues can't be symmetric; expected the symmetry none")
        if self.demand is not None:
            from binairo_cp.deduction.demands import check_demand

            size = self.height, self.width
            check_demand(self.demand, self.level, self.rules, *size, self.signs)
        if self.tries < 1:
            raise LimitError(f"{self.tries} tries; expected 1 or more")

    def _check_level(self) -> None:
        if self.level is not None and self.level not in get_args(Level):
            raise LimitError(f"level {self.level!r}; expected one of {', '.join(LEVELS)}")
        key = _key(self.height, self.width, self.rules)
        levels = _LEVELS_OF_4X4.get(key[2], LEVELS) if key[:2] == (4, 4) else LEVELS
        if self.level and self.level not in levels and not self.signs:
            raise LimitError(
                f"no 4x4 puzzle has the grade {self.level}; expected {', '.join(levels)}: "
                "all of them were graded"
            )

    @property
    def note(self) -> str:
        """A warning if no such puzzle is known, or few are; otherwise empty."""
        key = _key(self.height, self.width, self.rules)
        rare = RARE.get(key, {}).get(self.level) if self.level and not self.signs else None
        if self.irreducible and rare:
            size = f"{self.height}x{self.width}"
            return f"{rare} random irreducible {size} puzzles had the grade {self.level}"
        return note(self.height, self.width, self.rules, self.clues, self.signs)

    @property
    def can_be_searched(self) -> bool:
        """Whether a number of clues may stand anywhere, so that the fewest can be searched."""
        return isinstance(self.clues, int) and self.pattern == "none"

    @property
    def is_slow(self) -> bool:
        """Whether each puzzle takes long: it is graded by trial, or its clues are minimized."""
        return self.level in LEVELS[-2:] or self.clues == "fewest" or self.demand is not None


@dataclass(frozen=True, slots=True, repr=False)
class GeneratedPuzzle(Brief):
    """A generated puzzle.

    Attributes:
        puzzle: The puzzle, which has exactly one solution.
        solution: That solution.
        grade: Its grade, if a level and grades were requested.
        id: Its name: the size, the level, the seed and its number.
    """

    puzzle: Puzzle
    solution: Board
    grade: Grade | None = None
    id: str = ""

    def __str__(self) -> str:
        # With the grade as a comment, the text is still a puzzle.
        return f"{self.puzzle}\n# {self.grade}" if self.grade else str(self.puzzle)

    def _brief(self) -> str:
        return ": ".join(map(str, filter(None, [self.id, self.grade])))

    def _repr_html_(self) -> str:
        """The id, the grade and the puzzle, for notebooks."""
        return headed(self._brief()) + self.puzzle._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """The fields of the result record, except ``source``."""
        found = {"verdict": "unique", "solution": self.solution.cells}
        grade = {"grade": self.grade.to_dict()} if self.grade else {}
        return {"id": self.id} | self.puzzle.to_dict() | found | grade


@cache
def orbits(height: int, width: int, pattern: Pattern) -> tuple[tuple[int, ...], ...]:
    """Return the sets of places that are images of each other.

    Raises:
        LimitError: The pattern needs a square board, and the board is not square.
    """
    if pattern in _SQUARE_PATTERNS and height != width:
        raise LimitError(f"{pattern} needs a square board, not {height}x{width}")
    images = [chain.from_iterable(image) for image in _images(height, width, pattern)]
    sets: dict[int, list[int]] = {}
    for place, same in enumerate(zip(*images, strict=True)):
        sets.setdefault(min(same), []).append(place)
    return tuple(map(tuple, sets.values()))


@cache
def _sums(height: int, width: int, pattern: Pattern) -> int:
    """The possible numbers of clues, which are sums of sizes of orbits, as bits of an integer."""
    sums = 1
    for places in orbits(height, width, pattern):
        sums |= sums << len(places)
    return sums


def fits(height: int, width: int, pattern: Pattern, clues: int) -> bool:
    """Whether a pattern can have exactly this number of clues."""
    return bool(_sums(height, width, pattern) >> clues & 1)


def _images(height: int, width: int, pattern: Pattern) -> list[_Grid]:
    """The images of the places under the symmetries of a pattern, which form a group."""
    places = [list(range(row * width, (row + 1) * width)) for row in range(height)]
    left, up = [row[::-1] for row in places], places[::-1]
    half = left[::-1]
    over, across = _transposed(places), _transposed(half)
    quarters = [over[::-1], _transposed(up)]
    return {
        "none": [places],
        "rotate2": [places, half],
        "rotate4": [places, half, *quarters],
        "mirror": [places, left],
        "flip": [places, up],
        "mirror4": [places, half, left, up],
        "diagonal": [places, over],
        "diagonal4": [places, half, over, across],
        "full": [places, half, *quarters, left, up, over, across],
    }[pattern]


def _transposed(grid: _Grid) -> _Grid:
    return [list(column) for column in zip(*grid, strict=True)]


@cache
def sign_places(height: int, width: int) -> tuple[tuple[int, int, int, int], ...]:
    """The possible places of signs: pairs of neighbours, horizontal ones first.

    Returns:
        For each pair its line, the place of its first cell in the line, and the places of both
        cells on the board.
    """
    across = [
        (row, column, row * width + column, row * width + column + 1)
        for row in range(height)
        for column in range(width - 1)
    ]
    down = [
        (height + column, row, row * width + column, (row + 1) * width + column)
        for row in range(height - 1)
        for column in range(width)
    ]
    return (*across, *down)
