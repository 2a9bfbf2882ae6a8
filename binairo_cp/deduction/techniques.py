"""The techniques that look at one line, as a table: what follows in the line, and why.

Each technique is written once, for a line and a symbol. The driver applies it to every row and
column with both symbols. It yields places of the line with the values that they must have, and the
places that are the reason. `contradiction` has the techniques that try values, and `driver` the
order of all techniques.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal

from binairo_cp.deduction.strip import Strip, opposite
from binairo_cp.deduction.wording import amount
from binairo_cp.puzzle.board import OPEN

Level = Literal["beginner", "easy", "medium", "hard", "expert", "beyond logic"]
LEVELS: tuple[Level, ...] = ("beginner", "easy", "medium", "hard", "expert", "beyond logic")


@dataclass(frozen=True, slots=True)
class Deduction:
    """What follows in a line.

    Attributes:
        places: The open places that it determines.
        values: The value of each.
        reason: The places of the line that it follows from.
        fields: Names and texts of further fields of the sentence. The texts are formatted with the
            common fields.
        spans: Names and spans of places of further fields of the sentence.
        other: The number of the line that must differ from this one, if that is the reason.
    """

    places: tuple[int, ...]
    values: str
    reason: tuple[int, ...]
    fields: tuple[tuple[str, str], ...] = ()
    spans: tuple[tuple[str, tuple[tuple[int, ...], ...]], ...] = ()
    other: int | None = None


Find = Callable[[Strip, str], Iterator[Deduction]]
"""Yields what follows in a line from the places of a symbol."""


FindDistinct = Callable[[Strip, tuple[tuple[int, str], ...]], Iterator[Deduction]]
"""Yields what follows in a line that must differ from full lines, given as (number, values)."""


@dataclass(frozen=True, slots=True)
class Technique:
    """A technique.

    Attributes:
        name: Its name.
        level: How difficult it is.
        sentence: The explanation of a step, with fields for cells, lines and symbols, which
            `steps.step_of` fills in.
    """

    name: str
    level: Level
    sentence: str


@dataclass(frozen=True, slots=True)
class LineTechnique(Technique):
    """A technique that looks at one line alone.

    Attributes:
        find: Yields what follows in a line.
        needs_signs: It finds nothing on boards without signs.
    """

    find: Find
    needs_signs: bool = False


def pair(strip: Strip, symbol: str) -> Iterator[Deduction]:
    """``00.``: next to the longest allowed run of equal cells must be the other symbol."""
    longest = strip.rules.longest_run
    for begin in range(len(strip.values) - longest + 1):
        run = tuple(range(begin, begin + longest))
        if strip.values[begin : begin + longest] == symbol * longest:
            for place in (begin - 1, begin + longest):
                if place in strip.open_places:
                    yield Deduction((place,), opposite(symbol), run)


def sandwich(strip: Strip, symbol: str) -> Iterator[Deduction]:
    """``0.0``: between equal cells that would join to too long a run is the other symbol."""
    for place in strip.open_places:
        run = strip.run_with(symbol, place)
        if run and run[0] < place < run[-1]:
            reason = tuple(each for each in run if each != place)
            yield Deduction((place,), opposite(symbol), reason)


def sign(strip: Strip, symbol: str) -> Iterator[Deduction]:
    """A sign between a known and an open cell determines the open one."""
    for first, relation in strip.signs:
        for known, place in ((first, first + 1), (first + 1, first)):
            if strip.values[known] == symbol and place in strip.open_places:
                value = symbol if relation == "=" else opposite(symbol)
                meaning = "are equal" if relation == "=" else "differ"
                fields = (("known", symbol), ("sign", relation), ("meaning", meaning))
                yield Deduction((place,), value, (known,), fields)


def count(strip: Strip, symbol: str) -> Iterator[Deduction]:
    """The line has as many of a symbol as allowed: all open cells are the other symbol."""
    if strip.open_places and strip.missing(symbol) == 0 and strip.rules.balanced:
        open_places = strip.open_places
        values = opposite(symbol) * len(open_places)
        most = strip.most(symbol)
        limit = f"already has {amount(most, symbol)} and can't have more"
        fields = (("limit", limit if most else f"can't have any {symbol}s"),)
        yield Deduction(open_places, values, strip.places(symbol), fields)


def last_one(strip: Strip, symbol: str) -> Iterator[Deduction]:
    """Only one more of a symbol is allowed: not where the rest would make too long a run."""
    if strip.missing(symbol) != 1 or not strip.rules.balanced:
        return
    other = opposite(symbol)
    for place in strip.open_places:
        rest = tuple(each for each in strip.open_places if each != place)
        run = strip.run_with(other, *rest)
        # A run with the place itself is no reason, since the place would have the symbol.
        if run and place not in run:
            reason = (*strip.places(symbol), *(each for each in run if each not in rest))
            yield Deduction((place,), other, tuple(sorted(reason)), spans=(("run", (run,)),))


def equal_pair(strip: Strip, symbol: str) -> Iterator[Deduction]:
    """Two cells with ``=`` between them can't both be a symbol that would then occur too often."""
    for first, relation in strip.signs:
        places = (first, first + 1)
        if relation != "=" or not set(places) <= set(strip.open_places):
            continue
        run = strip.run_with(symbol, *places)
        if run:
            reason = tuple(each for each in run if each not in places)
            fields = (("contradiction", "there would be {too_many} {symbol}s in a row"),)
            yield Deduction(places, opposite(symbol) * 2, reason, fields)
        elif strip.missing(symbol) == 1 and strip.rules.balanced:
            too_many = amount(strip.most(symbol) + 1, symbol)
            fields = (("contradiction", f"{{line}} would have {too_many}, one too many"),)
            yield Deduction(places, opposite(symbol) * 2, strip.places(symbol), fields)


def one_of_each(strip: Strip, symbol: str) -> Iterator[Deduction]:
    """Open pairs as in ``1..0``, or with ``x``, have one of each symbol: with them, all of one."""
    pairs = _mixed_pairs(strip)
    if not pairs or not strip.rules.balanced or strip.missing(symbol) != len(pairs):
        return
    held = {place for places in pairs for place in places}
    rest = tuple(place for place in strip.open_places if place not in held)
    if rest:
        fields = (
            ("contain", "contains" if len(pairs) == 1 else "each contain"),
            ("amount", amount(strip.most(symbol), symbol)),
        )
        spans = (("pairs", tuple(pairs)),)
        reason = tuple(sorted({*strip.places(symbol), *_around(strip, pairs)}))
        yield Deduction(rest, opposite(symbol) * len(rest), reason, fields, spans)


def projection(strip: Strip, symbol: str) -> Iterator[Deduction]:
    """All legal completions of the line have the same symbol in some places."""
    forced = tuple(place for place in strip.open_places if strip.possible[place] == symbol)
    if forced:
        known = tuple(place for place, value in enumerate(strip.values) if value != OPEN)
        yield Deduction(forced, symbol * len(forced), known)


LINE_TECHNIQUES = (
    LineTechnique(
        "pair",
        "beginner",
        "{reason} {reason_are} {symbol}. {one_more} next to {them} would make {too_many} in a row, "
        "so {cells} is {value}.",
        pair,
    ),
    LineTechnique(
        "sandwich",
        "beginner",
        "{reason} {reason_are} {symbol}. A {symbol} between them would make {too_many} in a row, "
        "so {cells} is {value}.",
        sandwich,
    ),
    LineTechnique(
        "sign",
        "beginner",
        "{reason} is {known}. The sign {sign} means that {reason} and {cells} {meaning}, so "
        "{cells} is {value}.",
        sign,
        needs_signs=True,
    ),
    LineTechnique(
        "count",
        "easy",
        "{Line} {limit}, so {cells} {are} {value}.",
        count,
    ),
    LineTechnique(
        "last one",
        "medium",
        "{Line} can have only one more {symbol}. If it were in {cells}, {run} would be {too_many} "
        "{value}s in a row, so {cells} is {value}.",
        last_one,
    ),
    LineTechnique(
        "equal pair",
        "medium",
        "The sign = means that {cells} are equal. If both were {symbol}, {contradiction}, so both "
        "are {value}.",
        equal_pair,
        needs_signs=True,
    ),
    LineTechnique(
        "one of each",
        "hard",
        "{pairs} {contain} one 0 and one 1. With them, {line} has {amount} and can't have more, so "
        "{cells} {are} {value}.",
        one_of_each,
    ),
)
"""The techniques that look at one line alone, the easiest first. A person tries those of a level
before the other techniques of that level."""

PROJECTION = LineTechnique(
    "projection",
    "hard",
    "{cells} {are} {value} in every legal completion of {line}.",
    projection,
)
"""The technique that finds all that follows in one line, after all others that look at one."""

TWO_OPEN = Technique(
    "two open",
    "hard",
    "If {cells} had the values of {other}, {line} and {other} would be identical, so "
    "{assignments}.",
)
DISTINCT = Technique(
    "distinct lines",
    "hard",
    "If {cells} were {symbol}, every legal completion of {line} would be identical to another full "
    "line, such as {other}, so {cells} is {value}.",
)


def two_open(strip: Strip, full: tuple[tuple[int, str], ...]) -> Iterator[Deduction]:
    """Two open cells of different symbols, in a line that otherwise equals a full one."""
    if len(strip.open_places) != 2:
        return
    completions = list(islice(strip.completions(), 3))
    for number, values in full:
        if len(completions) == 2 and values in completions:
            (left,) = (each for each in completions if each != values)
            places = tuple(place for place in strip.open_places if left[place] != values[place])
            forced = "".join(left[place] for place in places)
            if len(places) == 2:
                yield Deduction(places, forced, _known(strip), other=number)


def distinct(strip: Strip, full: tuple[tuple[int, str], ...]) -> Iterator[Deduction]:
    """The values shared by all completions that differ from the full lines."""
    same = {values: number for number, values in full if _fits(strip, values)}
    if not same:
        return
    for place in strip.open_places:
        for symbol in "01":
            if opposite(symbol) not in strip.possible[place]:
                continue
            tried = Strip(strip.filled(opposite(symbol), place), strip.signs, strip.rules)
            completions = list(islice(tried.completions(), len(same) + 1))
            if all(each in same for each in completions):
                yield Deduction((place,), symbol, _known(strip), other=same[completions[0]])


@lru_cache(maxsize=1 << 17)
def deductions(find: Find, strip: Strip) -> tuple[Deduction, ...]:
    """What a technique yields for a line and both symbols; cached, since the same lines recur."""
    return (*find(strip, "0"), *find(strip, "1"))


def _mixed_pairs(strip: Strip) -> list[tuple[int, int]]:
    """Disjoint pairs of open neighbours that must contain one of each symbol.

    These are two open cells between different symbols, if the longest run is 2, and two open cells
    with the sign x between them.
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
