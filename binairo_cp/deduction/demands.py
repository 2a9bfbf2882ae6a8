"""Demands on a solving path: techniques that it uses or does without, and its score.

A demand is met by grades, so `generate` and `filter` mean the same by it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product
from math import inf
from typing import Any, NamedTuple, TypeVar

from binairo_cp.deduction.grading import LEVEL_OF, LOOK_OF, Grade, cost
from binairo_cp.deduction.path import path
from binairo_cp.deduction.strip import Strip
from binairo_cp.deduction.techniques import (
    DISTINCT,
    LEVELS,
    LINE_TECHNIQUES,
    PROJECTION,
    TWO_OPEN,
    Level,
    LineTechnique,
    deductions,
)
from binairo_cp.errors import LimitError, OptionError
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.rules import Puzzle, Rules
from binairo_cp.solving.backends import Meter

_TRIAL, NESTED = list(LEVEL_OF)[-2:]
EXPERT, BEYOND = LEVELS[-2], LEVELS[-1]
NAMES = {name.replace(" ", "-"): name for name in LEVEL_OF}
"""The techniques, the easiest first, by their names in options."""

_Name = TypeVar("_Name", bound=str)

_NEED_SIGNS = ("sign", "equal pair", "sign chain")
_NUMBERS = re.compile(r"([0-9]{1,6})(\.\.([0-9]{0,6}))?")
_SCORES = re.compile(r"([0-9]{0,9}(?:\.[0-9]+)?)\.\.([0-9]{0,9}(?:\.[0-9]+)?)")
_LONGEST_SHOWN = 40

_LONG = 8
"""In classic lines of so many cells, each technique can find something."""


class Range(NamedTuple):
    """The least and the greatest number allowed."""

    least: float = -inf
    most: float = inf

    def text(self, before: str = "", after: str = "") -> str:
        """The ends, such as ``3..5``; nothing if any number above 0 is allowed."""
        if self == Range(1):
            return ""
        ends = ("" if abs(bound) == inf else f"{bound:.10g}" for bound in self)
        return f"{before}{'..'.join(ends)}{after}"


_ANY = Range()


@dataclass(frozen=True, slots=True)
class Demand:
    """What the solving path of a puzzle must be like.

    Attributes:
        needs: Techniques with the number of cells that each must fill.
        without: Techniques that must fill no cell.
        score: Bounds on the score.
        levels: The levels that are allowed; empty for all.
        longest_chain: The most steps of a chain that refutes a value; None for any number.
        most_trials: The most cells that are filled by trying a value; None for any number.
    """

    needs: tuple[tuple[str, Range], ...] = ()
    without: tuple[str, ...] = ()
    score: Range = _ANY
    levels: tuple[Level, ...] = ()
    longest_chain: int | None = None
    most_trials: int | None = None

    def __str__(self) -> str:
        needs = [f"{name}{cells.text(' (', ' cells)')}" for name, cells in self.needs]
        words = [f"needs {', '.join(needs)}"] if needs else []
        words += [f"without {', '.join(self.without)}"] if self.without else []
        words += [f"score {self.score.text()}"] if self.score != _ANY else []
        words += [f"chains up to {self.longest_chain}"] if self.longest_chain is not None else []
        words += [f"trials up to {self.most_trials}"] if self.most_trials is not None else []
        return "; ".join(words)

    @property
    def is_capped(self) -> bool:
        """Whether there must be no nested trials, whose chains have no bound."""
        return self.longest_chain is not None or self.most_trials is not None

    def is_met_by(self, puzzle: Puzzle, grade: Grade, meter: Meter) -> bool:
        """Whether a puzzle, of this grade, is as demanded.

        Raises:
            BudgetExceeded: The time ran out.
        """
        is_met = (
            self._allows(grade)
            and all(_cells(grade, name) >= cells.least for name, cells in self.needs)
            and grade.score >= self.score.least
            and (not self.levels or grade.level in self.levels)
        )
        if is_met and self.is_capped:  # This takes longer than all before.
            steps = path(puzzle, puzzle.board, meter)
            is_met = not grade.within(steps, self.longest_chain, self.most_trials).over
        return is_met

    def is_kept_by(self, grade: Grade) -> bool:
        """Whether further steps can still meet the demand, as far as its rounds show."""
        # A path mostly has fewer trials than the rounds, but takes longer to find.
        trials = _cells(grade, _TRIAL)
        return self._allows(grade) and (self.most_trials is None or trials <= self.most_trials)

    def _allows(self, grade: Grade) -> bool:
        """Whether nothing is there that must not be."""
        return (
            not any(_cells(grade, name) for name in self.without)
            and all(_cells(grade, name) <= cells.most for name, cells in self.needs)
            and grade.score <= self.score.most
        )

    @property
    def hardest_need(self) -> Level:
        """The level of the hardest technique that is needed."""
        return max((LEVEL_OF[name] for name, _ in self.needs), key=LEVELS.index, default=LEVELS[0])

    def hardest(self, level: Level | None) -> Level:
        """The hardest level that a puzzle of a level, or of any, can need a technique of."""
        if level is not None:
            return level
        if self.needs and self.score == _ANY:
            return self.hardest_need
        return EXPERT if NESTED not in dict(self.needs) else BEYOND

    def easiest(self) -> Level | None:
        """The hardest level of which, and of all below, each technique is allowed; None if none."""
        limited = {*self.without, *(() if self.most_trials is None else (_TRIAL,))}
        limited |= {*(name for name, cells in self.needs if cells.most < inf)}
        levels = [LEVELS.index(LEVEL_OF[name]) for name in limited]
        lowest = min(levels, default=len(LEVELS) - 1) - 1
        return LEVELS[lowest] if lowest >= 0 and self.score.most == inf else None


def _cells(grade: Grade, name: str) -> int:
    return grade.left if name == NESTED else grade.placed.get(name, 0)


def demand_of(
    needs: str | Sequence[str] | None = None,
    without: str | Sequence[str] | None = None,
    score: str | Sequence[float] | None = None,
    levels: str | None = None,
    longest_chain: int | None = None,
    most_trials: int | None = None,
) -> Demand | None:
    """The demand that options state; None if they state none.

    Args:
        needs: Techniques, each with a number of cells if there must be more than one:
            ``equal-pair,contradiction:1..3``, or a list of such texts.
        without: Techniques.
        score: The least and the greatest score: ``400..600``, or a pair of numbers.
        levels: Levels: ``hard,expert``.
        longest_chain: As in `Demand`.
        most_trials: As in `Demand`.

    Raises:
        OptionError: One of them can't be read.
    """
    needed = tuple(_need(word) for word in _words(needs))
    excluded = tuple(_chosen("without", word, NAMES) for word in _words(without))
    named = {level.replace(" ", "-"): level for level in LEVELS}
    allowed = tuple(_chosen("grade", word, named, "levels") for word in _words(levels))
    demand = Demand(needed, excluded, _score(score), allowed, longest_chain, most_trials)
    return None if demand == Demand() else demand


def _words(given: str | Sequence[str] | None) -> list[str]:
    words = given.split(",") if isinstance(given, str) else [*(given or ())]
    return [word.strip() for word in words]


def _need(word: str) -> tuple[str, Range]:
    name, colon, numbers = word.partition(":")
    if not colon:
        return _chosen("needs", name, NAMES), Range(1)
    if not (found := _NUMBERS.fullmatch(numbers)):
        raise OptionError("needs", f"{_shown(word)}; expected a number of cells, as in pair:3..5")
    least, _, most = found.groups()
    needed = _range("needs", float(least), float(most) if most else inf)
    return _chosen("needs", name, NAMES), needed


def _chosen(option: str, word: str, names: dict[str, _Name], what: str = "names") -> _Name:
    if (name := names.get(word.lower().replace(" ", "-"))) is None:
        raise OptionError(option, f"{_shown(word)}; expected {what} among {', '.join(names)}")
    return name


def _score(given: str | Sequence[float] | None) -> Range:
    if given is None:
        return _ANY
    ends: Sequence[Any] = given
    if isinstance(given, str):
        found = _SCORES.fullmatch(given)
        ends = found.groups() if found and given != ".." else ()
    try:
        least, most = ends
        least, most = float(-inf if least == "" else least), float(inf if most == "" else most)
    except (TypeError, ValueError):
        message = f"{_shown(str(given))}; expected two numbers, as in 400..600"
        raise OptionError("score", message) from None
    return _range("score", least, most)


def _range(option: str, least: float, most: float) -> Range:
    if least > most:
        raise OptionError(option, f"{least:g}..{most:g}; expected the smaller number first")
    return Range(least, most)


def _shown(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}...")


def check_demand(
    demand: Demand, level: Level | None, rules: Rules, height: int, width: int, signs: int
) -> None:
    """Refuse a demand that no puzzle of a kind can meet.

    Raises:
        LimitError: There is no such puzzle.
    """
    short = _in_vain(rules, frozenset((height, width))) if demand.needs and not signs else {}
    impossible = _impossible(rules, signs)
    _check_names(demand, level, short | impossible)
    top = demand.hardest(level)
    left = [name for name in LEVEL_OF if name not in {*demand.without, *impossible}]
    if not any(level in (None, LEVEL_OF[name]) for name in left):
        needed = ", ".join(name for name in LEVEL_OF if level in (None, LEVEL_OF[name]))
        what = f"puzzle of grade {level}" if level else "puzzle"
        raise LimitError(f"without {', '.join(demand.without)}: each {what} needs one of {needed}")
    if (filled := sum(cells.least for _, cells in demand.needs)) > height * width:
        raise LimitError(
            f"needs {filled:g} cells that techniques fill; a board of {height}x{width} has "
            f"{height * width}"
        )
    _check_score(demand.score, level, top, left, height, width)


def _check_names(demand: Demand, level: Level | None, impossible: dict[str, str]) -> None:
    for name, _ in demand.needs:
        its_level = LEVEL_OF[name]
        if name in demand.without:
            raise LimitError(f"needs {name}, and without {name}; expected one of them")
        if name in impossible:
            raise LimitError(f"needs {name}: {impossible[name]}")
        if level is not None and LEVELS.index(its_level) > LEVELS.index(level):
            raise LimitError(
                f"needs {name}, of level {its_level}, and grade {level}; expected grade "
                f"{its_level} or a harder one"
            )
    if demand.is_capped and (level == BEYOND or NESTED in dict(demand.needs)):
        raise LimitError(
            f"a bound on trials or their chains, and {NESTED}s, which have none; expected a grade "
            f"up to {EXPERT}"
        )
    if level == BEYOND and NESTED in demand.without:
        raise LimitError(f"grade {BEYOND} without {NESTED}: each such puzzle needs it")


def _impossible(rules: Rules, signs: int) -> dict[str, str]:
    """Techniques that find nothing under rules, with the reason."""
    no_signs = {} if signs else dict.fromkeys(_NEED_SIGNS, "there are no signs; expected --signs N")
    if rules.distinct_lines:
        return no_signs
    reason = "lines may repeat under these rules; expected classic rules"
    return no_signs | dict.fromkeys((TWO_OPEN.name, DISTINCT.name), reason)


@lru_cache
def _in_vain(rules: Rules, lengths: frozenset[int]) -> dict[str, str]:
    """Techniques for which easier ones leave nothing in short lines without signs, and why."""
    if max(lengths) >= _LONG:
        return {}
    techniques = (*LINE_TECHNIQUES, PROJECTION)
    found = set[LineTechnique]()
    for length in lengths:
        for values in map("".join, product(f"01{OPEN}", repeat=length)):
            strip = Strip(values, (), rules)
            finders = (technique for technique in techniques if deductions(technique.find, strip))
            found.update(islice(finders, 1))
    reason = f"in lines of up to {max(lengths)} cells, easier techniques find all that it finds"
    return {technique.name: reason for technique in techniques if technique not in found}


def _check_score(
    score: Range, level: Level | None, top: Level, left: Collection[str], height: int, width: int
) -> None:
    """Refuse bounds that no grade of a level can keep: see `grading.cost`."""
    cells = height * width
    looks = {name: LOOK_OF[name] for name in left if level in (None, LEVEL_OF[name])}
    # A cell left for nested contradictions is not filled.
    filled = 0 if level == BEYOND else 1
    lowest = cost(filled, filled, {min(looks, key=looks.__getitem__): 1}, cells)
    if score.most < lowest:
        what = f"of grade {level}" if level else "with an open cell"
        raise LimitError(
            f"score up to {score.most:g}: no {height}x{width} puzzle {what} has less than "
            f"{lowest:g}"
        )
    names = [name for name in left if LEVELS.index(LEVEL_OF[name]) <= LEVELS.index(top)]
    hardest = max(names, key=LOOK_OF.__getitem__, default=NESTED)
    # A trial ends after at most as many rounds as there are cells, and other looks after one.
    depth = cells if top in (EXPERT, BEYOND) else 1
    highest = cost(cells, cells, {hardest: cells * depth}, cells)
    if score.least > highest:
        raise LimitError(
            f"score from {score.least:g}: no {height}x{width} puzzle of these techniques has more "
            f"than {highest:g}"
        )
