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

from binairo_cp.deduction.strip import Signs, Strip, opposite
from binairo_cp.puzzle.board import OPEN

Level = Literal["beginner", "easy", "medium", "hard", "expert", "beyond logic"]
LEVELS: tuple[Level, ...] = ("beginner", "easy", "medium", "hard", "expert", "beyond logic")


Detail = str | int | tuple[int, ...] | tuple[tuple[int, ...], ...] | Signs
"""A field of a sentence: a text, a number, places of the line, the ends of spans of places, or
signs."""


@dataclass(frozen=True, slots=True)
class Deduction:
    """What follows in a line.

    Attributes:
        places: The open places that it determines.
        reason: The places of the line that it follows from.
        templates: The names of its sentences in `messages.TEMPLATES`.
        details: Names and values of further fields of the sentence.
        others: The numbers of the full lines that this one must differ from, if they are a reason.
    """

    places: tuple[int, ...]
    values: str
    reason: tuple[int, ...]
    templates: tuple[str, ...]
    details: tuple[tuple[str, Detail], ...] = ()
    others: tuple[int, ...] = ()


Find = Callable[[Strip, str], Iterator[Deduction]]
"""Yields what follows in a line from the places of a symbol."""


@dataclass(frozen=True, slots=True)
class Technique:
    """A technique.

    Attributes:
        level: How difficult it is.
    """

    name: str
    level: Level


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
    """``.00.``: next to the longest allowed run of equal cells must be the other symbol."""
    longest = strip.rules.longest_run
    for begin in range(len(strip.values) - longest + 1):
        if strip.values[begin : begin + longest] == symbol * longest:
            both = (begin - 1, begin + longest)
            places = tuple(place for place in both if place in strip.open_places)
            if places:
                run, template = tuple(range(begin, begin + longest)), f"pair.{_size(longest)}"
                yield Deduction(places, opposite(symbol) * len(places), run, (template,))


def sandwich(strip: Strip, symbol: str) -> Iterator[Deduction]:
    """``0.0``: between equal cells that would join to too long a run is the other symbol."""
    for place in strip.open_places:
        run = next(strip.runs_with(symbol, place), ())
        if run and run[0] < place < run[-1]:
            reason = tuple(cell for cell in run if cell != place)
            template = f"sandwich.{_size(len(reason))}"
            yield Deduction((place,), opposite(symbol), reason, (template,))


def sign(strip: Strip, symbol: str) -> Iterator[Deduction]:
    """A sign between a known and an open cell determines the open one."""
    for first, relation in strip.signs:
        for known, place in ((first, first + 1), (first + 1, first)):
            if strip.values[known] == symbol and place in strip.open_places:
                value = symbol if relation == "=" else opposite(symbol)
                yield Deduction((place,), value, (known,), (f"sign.{relation}",))


def count(strip: Strip, symbol: str) -> Iterator[Deduction]:
    """The line has as many of a symbol as allowed: all open cells are the other symbol."""
    if (places := strip.open_places) and strip.missing(symbol) == 0 and strip.rules.balanced:
        values, details = opposite(symbol) * len(places), (("most", strip.most(symbol)),)
        templates = (f"count.{_quota(strip, symbol)}",)
        yield Deduction(places, values, strip.places(symbol), templates, details)


def last_one(strip: Strip, symbol: str) -> Iterator[Deduction]:
    """Only one more of a symbol is allowed: not where the rest would make too long a run."""
    if strip.missing(symbol) != 1 or not strip.rules.balanced:
        return
    other = opposite(symbol)
    runs = list(strip.runs_with(other, *strip.open_places))
    # A run that a place belongs to is no reason for it, since the place would have the symbol.
    places = tuple(p for p in strip.open_places if any(p not in run for run in runs))
    if places:
        # The known cells of a run are no reason either: they can only be the other symbol.
        details, values = (("runs", tuple((run[0], run[-1]) for run in runs)),), other * len(places)
        yield Deduction(places, values, strip.places(symbol), ("last one",), details)


def equal_pair(strip: Strip, symbol: str) -> Iterator[Deduction]:
    """Two cells with ``=`` between them can't both be a symbol that would then occur too often."""
    if strip.rules.balanced and strip.missing(symbol) < 1:
        return  # `count` fills them, and some of the known cells may not be needed here.
    for first, relation in strip.signs:
        places = (first, first + 1)
        if relation != "=" or not set(places) <= set(strip.open_places):
            continue
        values, details = opposite(symbol) * 2, (("pair", places),)
        reasons = [
            tuple(cell for cell in run if cell not in places)
            for run in strip.runs_with(symbol, *places)
        ]
        if reasons:
            reason = min(reasons, key=len)
            template = "equal pair.run" if reason else "equal pair.alone"
            yield Deduction(places, values, reason, (template,), details)
        elif strip.missing(symbol) == 1 and strip.rules.balanced:
            yield Deduction(places, values, strip.places(symbol), ("equal pair.count",), details)


def one_of_each(strip: Strip, symbol: str) -> Iterator[Deduction]:
    """Open pairs as in ``1..0``, or with ``x``, have one of each symbol: with them, all of one."""
    pairs = _mixed_pairs(strip)
    if not pairs or not strip.rules.balanced or strip.missing(symbol) != len(pairs):
        return
    held = {place for places in pairs for place in places}
    rest = tuple(place for place in strip.open_places if place not in held)
    if rest:
        mixed = {first for first, relation in strip.signs if relation == "x"}
        between = tuple(two for two in pairs if two[0] not in mixed)
        signed = tuple(two for two in pairs if two[0] in mixed)
        templates = (
            *("one of each.between",) * bool(between),
            *("one of each.signed",) * bool(signed),
            f"one of each.{_quota(strip, symbol)}",
        )
        details: tuple[tuple[str, Detail], ...] = (
            ("pairs", tuple(pairs)),
            ("between", between),
            ("signed", signed),
            ("most", strip.most(symbol)),
        )
        around = {place for first, last in between for place in (first - 1, last + 1)}
        reason = tuple(sorted({*strip.places(symbol), *around}))
        yield Deduction(rest, opposite(symbol) * len(rest), reason, templates, details)


def _size(number: int) -> str:
    """Which sentence names so many cells."""
    return {1: "one", 2: "two"}.get(number, "more")


def _quota(strip: Strip, symbol: str) -> str:
    """Which sentence says that a line has all of a symbol."""
    most = strip.most(symbol)
    if most < 2:
        return "one" if most else "none"
    if most + strip.most(opposite(symbol)) > len(strip.values):
        return "most"
    return "two" if most == 2 else "all"


def projection(strip: Strip, symbol: str) -> Iterator[Deduction]:
    """All legal completions of the line have the same symbols in some places."""
    forced = tuple(place for place in strip.open_places if len(strip.possible[place]) == 1)
    if forced and symbol == "0":  # once for both symbols
        ways = tuple(islice(strip.completions(), MOST_LISTED + 1))
        number = {1: "one", 2: "two", MOST_LISTED + 1: "many"}.get(len(ways), "some")
        shown = ("".join(way[place] for place in strip.open_places) for way in ways)
        values = [strip.possible[place] for place in forced]

        def is_same(other: Strip) -> bool:
            if number == "many":
                return [other.possible[place] for place in forced] == values
            return tuple(islice(other.completions(), MOST_LISTED + 1)) == ways

        details: dict[str, Detail] = {"ways": " ".join(islice(shown, MOST_LISTED))}
        yield _by_completions(
            strip, forced, "".join(values), f"projection.{number}", details, is_same
        )


def _by_completions(
    strip: Strip,
    places: tuple[int, ...],
    values: str,
    template: str,
    details: dict[str, Detail],
    is_same: Callable[[Strip], bool],
    others: tuple[int, ...] = (),
) -> Deduction:
    """What all completions of a line show, with the signs without which it has others."""
    named = _needed_signs(strip, is_same)
    templates, more = (*("signs",) * bool(named), template), (*details.items(), ("signs", named))
    known = tuple(place for place, value in enumerate(strip.values) if value != OPEN)
    return Deduction(places, values, known, templates, more, others)


def _needed_signs(strip: Strip, is_same: Callable[[Strip], bool]) -> Signs:
    """Signs of a line without which it has other completions; those of known cells are none."""
    needed = strip.signs
    for sign in strip.signs:
        rest = tuple(other for other in needed if other != sign)
        if is_same(Strip(strip.values, rest, strip.rules)):
            needed = rest
    return needed


MOST_LISTED = 6
"""A sentence lists the completions of a line if there are no more."""


SIGN = LineTechnique("sign", "beginner", sign, needs_signs=True)

LINE_TECHNIQUES = (
    LineTechnique("pair", "beginner", pair),
    LineTechnique("sandwich", "beginner", sandwich),
    SIGN,
    LineTechnique("count", "easy", count),
    LineTechnique("last one", "medium", last_one),
    LineTechnique("equal pair", "medium", equal_pair, needs_signs=True),
    LineTechnique("one of each", "hard", one_of_each),
)
"""The techniques that look at one line alone, the easiest first. A person tries those of a level
before the other techniques of that level."""

PROJECTION = LineTechnique("projection", "hard", projection)
"""The technique that finds all that follows in one line, after all others that look at one."""


def two_open(strip: Strip, full: tuple[tuple[int, str], ...]) -> Iterator[Deduction]:
    """Two open cells of different symbols, in a line that otherwise equals a full one."""
    if len(strip.open_places) != 2:
        return
    completions = list(islice(strip.completions(), 3))
    for number, values in full:
        if len(completions) == 2 and values in completions:
            (left,) = (completion for completion in completions if completion != values)
            places = tuple(place for place in strip.open_places if left[place] != values[place])
            if len(places) == 2:
                order, forced = ("".join(text[k] for k in places) for text in (values, left))
                details: dict[str, Detail] = {"both": places, "order": order, "other_order": forced}

                def is_same(other: Strip) -> bool:
                    return list(islice(other.completions(), 3)) == completions

                yield _by_completions(
                    strip, places, forced, "two open", details, is_same, (number,)
                )


def distinct(strip: Strip, full: tuple[tuple[int, str], ...]) -> Iterator[Deduction]:
    """The values shared by all completions that differ from the full lines."""
    same = {
        values: number
        for number, values in full
        if all(mine in (OPEN, other) for mine, other in zip(strip.values, values, strict=True))
    }
    if not same:
        return
    for place in strip.open_places:
        for symbol in "10":
            if not 0 < strip.completions_with(place, symbol) <= len(same):
                continue
            tried = Strip(strip.filled(symbol, place), strip.signs, strip.rules)
            completions = list(tried.completions())
            if all(completion in same for completion in completions):

                def is_same(
                    other: Strip, tried: Strip = tried, completions: list[str] = completions
                ) -> bool:
                    without = Strip(tried.values, other.signs, tried.rules)
                    return [*islice(without.completions(), len(same) + 1)] == completions

                template = f"distinct lines.{'some' if len(completions) <= MOST_LISTED else 'many'}"
                details: dict[str, Detail] = {"ways": " ".join(completions)}
                others = tuple(same[completion] for completion in completions)
                yield _by_completions(
                    strip, (place,), opposite(symbol), template, details, is_same, others
                )


TWO_OPEN, DISTINCT = Technique("two open", "hard"), Technique("distinct lines", "hard")

COMPARING = {TWO_OPEN: two_open, DISTINCT: distinct}
"""The techniques that compare a line with full ones; each yields what follows in a line that must
differ from those, given as (number, values)."""


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
