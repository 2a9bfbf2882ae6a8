"""The techniques of a person, as a table: each looks at one line, and says what follows and why.

A technique is written once, for a line and a symbol; the driver puts every row and every column to
it, and both symbols. What it yields are places of the line with the symbols that they must have,
and the places that are the reason. `contradiction` has those that try a value, `driver`
the order of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal

from binairo_cp.deduction.strip import Strip, opposite
from binairo_cp.puzzle.board import OPEN

Level = Literal["beginner", "easy", "medium", "hard", "expert", "beyond logic"]
LEVELS: tuple[Level, ...] = ("beginner", "easy", "medium", "hard", "expert", "beyond logic")


@dataclass(frozen=True, slots=True)
class Deduced:
    """What follows in a line.

    Attributes:
        places: the open places that it is about.
        values: what each must have.
        reason: the places of the line that it follows from.
        other: the line that must differ from this one, by its number, where that is the reason.
        words: for the sentence.
    """

    places: tuple[int, ...]
    values: str
    reason: tuple[int, ...]
    words: tuple[tuple[str, str], ...] = ()
    other: int | None = None


Find = Callable[[Strip, str], Iterator[Deduced]]
"""What follows in a line about a symbol."""


FindBeside = Callable[[Strip, tuple[tuple[int, str], ...]], Iterator[Deduced]]
"""What follows in a line beside the full ones, which it must not be like, with their numbers."""


@dataclass(frozen=True, slots=True)
class Technique:
    """A way to see what follows.

    Attributes:
        name: what it is called.
        level: how hard it is to see.
        sentence: why, with the names of cells and lines to be filled in.
    """

    name: str
    level: Level
    sentence: str


@dataclass(frozen=True, slots=True)
class LineTechnique(Technique):
    """A technique for a line by itself."""

    find: Find


def pair(strip: Strip, symbol: str) -> Iterator[Deduced]:
    """``00.``: beside as many equal cells as may stand side by side stands the other symbol."""
    longest = strip.rules.longest_run
    for begin in range(len(strip.values) - longest + 1):
        run = tuple(range(begin, begin + longest))
        if strip.values[begin : begin + longest] == symbol * longest:
            for place in (begin - 1, begin + longest):
                if place in strip.open_places:
                    yield Deduced((place,), opposite(symbol), run)


def sandwich(strip: Strip, symbol: str) -> Iterator[Deduced]:
    """``0.0``: between equal cells that would join to too long a run stands the other symbol."""
    for place in strip.open_places:
        run = strip.run_with(symbol, place)
        if run and run[0] < place < run[-1]:
            reason = tuple(each for each in run if each != place)
            yield Deduced((place,), opposite(symbol), reason)


def sign(strip: Strip, symbol: str) -> Iterator[Deduced]:
    """Beside a sign: the cell on its one side says what the other is."""
    for first, relation in strip.signs:
        for known, place in ((first, first + 1), (first + 1, first)):
            if strip.values[known] == symbol and place in strip.open_places:
                value = symbol if relation == "=" else opposite(symbol)
                yield Deduced((place,), value, (known,), (("sign", relation),))


def count(strip: Strip, symbol: str) -> Iterator[Deduced]:
    """The line has all that it may have of a symbol: the rest is the other."""
    if strip.open_places and strip.missing(symbol) == 0 and strip.rules.balanced:
        open_places = strip.open_places
        values = opposite(symbol) * len(open_places)
        words = (("number", str(strip.most(symbol))),)
        yield Deduced(open_places, values, strip.places(symbol), words)


def last_one(strip: Strip, symbol: str) -> Iterator[Deduced]:
    """One more of a symbol may come, and where it came the rest would make too long a run."""
    if strip.missing(symbol) != 1 or not strip.rules.balanced:
        return
    other = opposite(symbol)
    for place in strip.open_places:
        rest = tuple(each for each in strip.open_places if each != place)
        run = strip.run_with(other, *rest)
        # A run that holds the place itself is no reason: it is not the other symbol there.
        if run and place not in run:
            reason = (*strip.places(symbol), *(each for each in run if each not in rest))
            words = (("number", str(strip.most(symbol) - 1)), ("run", _span(run)))
            yield Deduced((place,), other, tuple(sorted(reason)), words)


def equal_pair(strip: Strip, symbol: str) -> Iterator[Deduced]:
    """Two cells with ``=`` between them can't both be a symbol: too long a run, or too many."""
    for first, relation in strip.signs:
        places = (first, first + 1)
        if relation != "=" or not set(places) <= set(strip.open_places):
            continue
        run = strip.run_with(symbol, *places)
        if run:
            reason = tuple(each for each in run if each not in places)
            yield Deduced(places, opposite(symbol) * 2, reason, (("why", "side by side"),))
        elif strip.missing(symbol) == 1 and strip.rules.balanced:
            words = (("why", "in the line"),)
            yield Deduced(places, opposite(symbol) * 2, strip.places(symbol), words)


def one_of_each(strip: Strip, symbol: str) -> Iterator[Deduced]:
    """``1..0`` holds one of each, and so does ``x``: with them the line has all of a symbol."""
    pairs = _mixed_pairs(strip)
    if not pairs or not strip.rules.balanced or strip.missing(symbol) != len(pairs):
        return
    held = {place for places in pairs for place in places}
    rest = tuple(place for place in strip.open_places if place not in held)
    if rest:
        words = (("number", str(strip.most(symbol))), ("pairs", " and ".join(map(_span, pairs))))
        reason = tuple(sorted({*strip.places(symbol), *_around(strip, pairs)}))
        yield Deduced(rest, opposite(symbol) * len(rest), reason, words)


def projection(strip: Strip, symbol: str) -> Iterator[Deduced]:
    """All legal lines that complete this one have the same symbol in some places."""
    forced = tuple(place for place in strip.open_places if strip.possible[place] == symbol)
    if forced:
        known = tuple(place for place, value in enumerate(strip.values) if value != OPEN)
        yield Deduced(forced, symbol * len(forced), known)


LINE_TECHNIQUES = (
    LineTechnique(
        "pair",
        "beginner",
        "{reason} in {line} are {symbol}; one more beside them would be too many side by side, "
        "so {cells} is {value}.",
        pair,
    ),
    LineTechnique(
        "sandwich",
        "beginner",
        "With a {symbol} in {cells} too many would stand side by side with {reason}, so it is "
        "{value}.",
        sandwich,
    ),
    LineTechnique(
        "sign",
        "beginner",
        "{reason} is {symbol}, and the sign {sign} beside it says that {cells} is {value}.",
        sign,
    ),
    LineTechnique(
        "count",
        "easy",
        "{Line} already has its {number} {symbol}s, so the rest is {value}: {cells}.",
        count,
    ),
    LineTechnique(
        "last one",
        "medium",
        "{Line} has {number} of its {symbol}s. If the last one stood in {cells}, then {run} would "
        "be {value}, too many side by side; so {cells} is {value}.",
        last_one,
    ),
    LineTechnique(
        "equal pair",
        "medium",
        "{cells} are equal; as {symbol} they would be too many {why} with {reason}, so both are "
        "{value}.",
        equal_pair,
    ),
    LineTechnique(
        "one of each",
        "hard",
        "In {line} {pairs} hold one of each symbol; so it has its {number} {symbol}s, and the rest "
        "is {value}: {cells}.",
        one_of_each,
    ),
    LineTechnique(
        "projection",
        "hard",
        "Whichever way {line} is completed, {cells} {are} {value}.",
        projection,
    ),
)
"""Those for a line by itself, the cheapest first."""

TWO_OPEN = Technique(
    "two open",
    "hard",
    "{Line} would be the same as {other} if {cells} had its symbols; so they are the other way "
    "round.",
)
DISTINCT = Technique(
    "distinct lines",
    "hard",
    "Of the ways to complete {line} those with another symbol in {cells} all make it the same as "
    "another full line ({other}), so it is {value}.",
)


def two_open(strip: Strip, full: tuple[tuple[int, str], ...]) -> Iterator[Deduced]:
    """A line with two open cells that must be one of each, and a full one that is the same else."""
    if len(strip.open_places) != 2:
        return
    completions = list(islice(strip.completions(), 3))
    for number, values in full:
        if len(completions) == 2 and values in completions:
            (left,) = (each for each in completions if each != values)
            places = tuple(place for place in strip.open_places if left[place] != values[place])
            found = "".join(left[place] for place in places)
            if len(places) == 2:
                yield Deduced(places, found, _known(strip), other=number)


def distinct(strip: Strip, full: tuple[tuple[int, str], ...]) -> Iterator[Deduced]:
    """What is shared by the completions that are no other full line."""
    same = {values: number for number, values in full if _fits(strip, values)}
    if not same:
        return
    for place in strip.open_places:
        for symbol in "01":
            if opposite(symbol) not in strip.possible[place]:
                continue
            tried = Strip(strip.filled(opposite(symbol), place), strip.signs, strip.rules)
            found = list(islice(tried.completions(), len(same) + 1))
            if all(each in same for each in found):
                yield Deduced((place,), symbol, _known(strip), other=same[found[0]])


@lru_cache(maxsize=1 << 17)
def found(find: Find, strip: Strip) -> tuple[Deduced, ...]:
    """What a technique yields for a line and both symbols; lines come again and again."""
    return (*find(strip, "0"), *find(strip, "1"))


def _mixed_pairs(strip: Strip) -> list[tuple[int, int]]:
    """Pairs of open cells that hold one of each symbol, none in two pairs.

    Two open cells between different symbols do, where no more than two may stand side by side;
    so do two with the sign x between them.
    """
    pairs: list[tuple[int, int]] = []
    mixed = {first for first, relation in strip.signs if relation == "x"}
    equal = {first for first, relation in strip.signs if relation == "="}
    for place in range(len(strip.values) - 1):
        if not {place, place + 1} <= set(strip.open_places) or (pairs and place in pairs[-1]):
            continue
        around = strip.values[place - 1 : place] + strip.values[place + 2 : place + 3]
        between = strip.rules.longest_run == 2 and around in ("01", "10") and place not in equal
        if between or place in mixed:
            pairs.append((place, place + 1))
    return pairs


def _around(strip: Strip, pairs: list[tuple[int, int]]) -> Iterator[int]:
    for first, second in pairs:
        for place in (first - 1, second + 1):
            if 0 <= place < len(strip.values) and strip.values[place] != OPEN:
                yield place


def _known(strip: Strip) -> tuple[int, ...]:
    return tuple(place for place, value in enumerate(strip.values) if value != OPEN)


def _fits(strip: Strip, values: str) -> bool:
    return all(mine in (OPEN, other) for mine, other in zip(strip.values, values, strict=True))


def _span(places: tuple[int, ...]) -> str:
    """Places as the driver can name them: the numbers of the cells in the line."""
    return ",".join(map(str, places))
