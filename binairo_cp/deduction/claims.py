"""Tests what a sentence claims against the board beside which it stands.

A sentence is a template with its facts in fields: a line, cells, a symbol, a number, completions.
Each is tested here for what it says, without the code that found the step. The walk along a path
words a step anew where a claim is no longer true (`told`), because other cells were filled
meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice, pairwise
from typing import Any

from binairo_cp.deduction.contradiction import CONTRADICTION, NESTED, against, is_refuted
from binairo_cp.deduction.driver import DIRECT
from binairo_cp.deduction.position import BrokenRule, PlacedStrip, Position
from binairo_cp.deduction.shortest_chain import Clock
from binairo_cp.deduction.steps import Chain, Step
from binairo_cp.deduction.strip import Strip, opposite
from binairo_cp.deduction.techniques import MOST_LISTED
from binairo_cp.puzzle.board import OPEN, Cell

_MOST_SEARCHES = 4

Facts = dict[str, Any]
"""The fields of a sentence, and the cells that it fills with their value."""


def holds(step: Step, position: Position) -> bool:
    """Whether all sentences of a step, with those of its chain, are true in a position."""
    board = position.board
    if any(board[cell] != OPEN for cell in step.values):
        return False
    facts: Facts = {**step.phrase.fields, "filled": step.values}
    for template in step.phrase.templates:
        claim = _CLAIMS.get(template) or _CLAIMS.get(template.partition(".")[0])
        if claim and not claim(template, facts, position):
            return False
    return step.chain is None or _chain_holds(step.chain, position)


def _chain_holds(chain: Chain, position: Position) -> bool:
    if any(position.board[cell] != OPEN for cell in chain.tried):
        return False
    position = position.with_values(chain.tried)
    for step in chain.steps:
        if not holds(step, position):
            return False
        position = position.with_values(step.values)
    return is_broken(chain.broken, position)


def is_broken(broken: BrokenRule, position: Position) -> bool:
    """Whether a rule is broken in a position as it says."""
    values = [position.board[cell] for cell in broken.cells]
    if broken.kind == "lemma":
        return OPEN not in values
    if broken.kind == "identical":
        one, other = (_named(position, name).strip.values for name in broken.lines)
        return one == other and OPEN not in one
    if broken.kind == "sign":
        is_same = broken.symbol == "="
        return OPEN not in values and (values[0] == values[1]) != is_same
    (line,) = (_named(position, name) for name in broken.lines)
    if broken.kind == "count":
        number = len(line.strip.places(broken.symbol))
        return number == len(broken.cells) > broken.most == line.strip.most(broken.symbol)
    return set(values) == {broken.symbol} and _is_run(broken.cells, position)


def _named(position: Position, name: str) -> PlacedStrip:
    direction, number = name.split()
    first = position.board.height if direction == "column" else 0
    return position.lines[first + int(number) - 1]


def _is_run(cells: tuple[Cell, ...], position: Position) -> bool:
    """Whether cells are neighbours in a line, and more than may be equal."""
    ordered = sorted(cells)
    steps = {(b.row - a.row, b.column - a.column) for a, b in pairwise(ordered)}
    is_row = steps <= {(0, 1)} or steps <= {(1, 0)}
    return is_row and len(cells) == position.puzzle.rules.longest_run + 1


def _are(cells: tuple[Cell, ...], value: str, position: Position) -> bool:
    return all(position.board[cell] == value for cell in cells)


def _relation(cells: tuple[Cell, ...], position: Position) -> str | None:
    found = (sign for sign in position.puzzle.signs if {*sign.cells} == {*cells})
    return next((sign.relation for sign in found), None)


def _placed(facts: Facts, position: Position) -> PlacedStrip:
    return _named(position, facts["line"].names[0])


# One function for each kind of sentence


def _pair(_: str, facts: Facts, position: Position) -> bool:
    reason = facts["reason"].cells
    return _are(reason, facts["symbol"].value, position) and all(
        _is_run((*reason, cell), position) for cell in facts["filled"]
    )


def _sign(template: str, facts: Facts, position: Position) -> bool:
    (known,), (cell,) = facts["reason"].cells, facts["filled"]
    return position.board[known] != OPEN and (
        _relation((known, cell), position) == template.partition(".")[2]
    )


def _last_one(template: str, facts: Facts, position: Position) -> bool:
    placed = _placed(facts, position)
    symbol = facts["symbol"].value
    first, last = (placed.place(facts[name].cells[0]) for name in ("first", "last"))
    runs = [
        run
        for run in placed.strip.runs_with(opposite(symbol), *placed.strip.open_places)
        if first <= run[0] and run[-1] <= last
    ]
    is_named = template.endswith("between") or len(runs) == 1
    return (
        is_named
        and placed.strip.missing(symbol) == 1
        and all(any(placed.place(cell) not in run for run in runs) for cell in facts["filled"])
    )


def _equal_pair(template: str, facts: Facts, position: Position) -> bool:
    pair, symbol = facts["pair"].cells, facts["symbol"].value
    if _relation(pair, position) != "=" or not _are(pair, OPEN, position):
        return False
    if template.endswith("count"):
        return _placed(facts, position).strip.missing(symbol) == 1
    reason = facts["reason"].cells
    return _are(reason, symbol, position) and _is_run((*pair, *reason), position)


def _one_of_each(template: str, facts: Facts, position: Position) -> bool:
    kind = template.partition(".")[2]
    placed = _placed(facts, position)
    if kind not in ("between", "signed"):
        return placed.strip.missing(facts["symbol"].value) == len(facts["pairs"].spans)
    for pair in facts[kind].spans:
        first, last = map(placed.place, pair)
        around = {*placed.strip.values[first - 1 : first], *placed.strip.values[last + 1 :][:1]}
        is_mixed = around == {"0", "1"} if kind == "between" else _relation(pair, position) == "x"
        if not is_mixed or not _are(pair, OPEN, position):
            return False
    return True


def _with_named_signs(facts: Facts, position: Position) -> Strip:
    """The line, with those signs only that the sentence names."""
    placed = _placed(facts, position)
    named = getattr(facts.get("signs"), "signs", ())
    signs = tuple((placed.place(one), relation) for one, _, relation in named)
    return Strip(placed.strip.values, signs, placed.strip.rules)


def _projection(template: str, facts: Facts, position: Position) -> bool:
    strip, placed = _with_named_signs(facts, position), _placed(facts, position)
    if any(strip.possible[placed.place(c)] != value for c, value in facts["filled"].items()):
        return False
    return template.endswith(".many") or _open_ways(strip) == [*facts["ways"].ways]


def _open_ways(strip: Strip) -> list[str]:
    """What the first completions of a line, one more than a sentence lists, have in open cells."""
    ways = islice(strip.completions(), MOST_LISTED + 1)
    return ["".join(way[place] for place in strip.open_places) for way in ways]


def _two_open(_: str, facts: Facts, position: Position) -> bool:
    strip = _with_named_signs(facts, position)
    (same,), both = facts["compared"].names, facts["both"].cells
    return (
        {*both} == facts["filled"].keys()
        and {*_open_ways(strip)} == {facts["order"].ways[0], facts["other_order"].ways[0]}
        and _named(position, same).strip.values in strip.completions()
    )


def _distinct(template: str, facts: Facts, position: Position) -> bool:
    strip = _with_named_signs(facts, position)
    ((cell, value),) = facts["filled"].items()
    filled = strip.filled(opposite(value), _placed(facts, position).place(cell))
    tried = Strip(filled, strip.signs, strip.rules)
    full = {_named(position, name).strip.values for name in facts["compared"].names}
    return {*tried.completions()} == full and OPEN not in "".join(full)


_CLAIMS: dict[str, Callable[[str, Facts, Position], bool]] = {
    "pair": _pair,
    "sandwich": _pair,
    "sign": _sign,
    "count": lambda _, facts, position: (
        _placed(facts, position).strip.missing(facts["symbol"].value) == 0
    ),
    "last one": _last_one,
    "equal pair": _equal_pair,
    "one of each": _one_of_each,
    "signs": lambda _, facts, position: all(
        _relation((one, other), position) == relation
        for one, other, relation in facts["signs"].signs
    ),
    "projection": _projection,
    "two open": _two_open,
    "distinct lines": _distinct,
    "sign chain": lambda _, facts, position: _are(facts["all_linked"].cells, OPEN, position),
    "by lemma": lambda _, facts, position: all(
        position.board[cell] == value for cell, value in facts["assigned"].values
    ),
    "smallest": lambda _, facts, position: (
        OPEN not in [position.board[cell] for cell in facts["reason"].cells]
    ),
    # The end of a chain is tested with it.
    **dict.fromkeys(("sign.then", "count.now", "count.then"), lambda *_: True),
}


# Wording steps anew


def told(step: Step, position: Position, check_clock: Clock) -> Step:
    """A step that fills the same cells, worded for a position where its reason is known."""
    if holds(step, position):
        return step
    if step.chain:
        if chain := _told_chain(step.chain, position, check_clock):
            return replace(step, chain=chain, reason=chain.reason)
        if step.technique in (CONTRADICTION.name, NESTED.name):
            ((cell, value),) = step.chain.tried.items()
            if is_refuted(position, cell, value):
                return against(position, cell, value, check_clock, _MOST_SEARCHES)
        return step
    for technique in DIRECT:
        for other in technique.steps_at(position, min(step.values)):
            same = replace(other.only(step.values.keys()), support=step.support)
            if same.values == step.values and holds(same, position):
                return same
    return step


def _told_chain(chain: Chain, position: Position, check_clock: Clock) -> Chain | None:
    """A chain of the same steps, in an order and words that are true; None if none is found."""
    if any(position.board[cell] != OPEN for cell in chain.tried):
        return None
    position = position.with_values(chain.tried)
    left, steps = list(chain.steps), list[Step]()
    while left:
        ready = [
            fault for fault in left if OPEN not in [position.board[cell] for cell in fault.reason]
        ]
        if not ready:
            return None
        step = min(ready, key=lambda step: _harm(step, ready, position))
        left.remove(step)
        step = told(step, position, check_clock)
        if not holds(step, position):
            return None
        steps.append(step)
        position = position.with_values(step.values)
    if not is_broken(chain.broken, position):
        return None
    return replace(chain, steps=tuple(steps))


def _harm(step: Step, ready: list[Step], position: Position) -> tuple[bool, int]:
    """Whether a step is false already, and how many others are false after it."""
    if not holds(step, position):
        return True, 0
    after = position.with_values(step.values)
    others = [other for other in ready if other is not step]
    return False, sum(holds(other, position) and not holds(other, after) for other in others)
