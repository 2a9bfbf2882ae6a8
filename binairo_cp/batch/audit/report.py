"""What is wrong with a collection: a summary, and records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from binairo_cp.batch.audit.blocks import UNSEEN, VERDICTS
from binairo_cp.batch.audit.depth import Problem
from binairo_cp.batch.reports import printable
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.solving.solutions import Verdict
from binairo_cp.workers.terminal import exit_status

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from binairo_cp.batch.audit.collection import Collection

KINDS = {
    "wrong-solution": "the solution beside the puzzle is wrong",
    "none": "no solution",
    "multiple": "several solutions",
    "leak": "a duplicate or twin in another file or split",
    "duplicate": "the same puzzle as another",
    "duplicate-id": "the id of another puzzle of the file",
    "twin": "another puzzle rotated, reflected or with 0 and 1 swapped",
    "invalid": "can't be read",
    "unknown": "not decided within the time limit",
    "wrong-level": "the level beside the puzzle is two or more levels off",
    "beyond-logic": "cells that need nested contradictions",
    "spike": "a single step two or more levels above all others",
    "redundant-clue": "clues that the others imply",
}
"""What each kind of problem means, the most serious first."""

NOTES = frozenset({"beyond-logic", "spike", "redundant-clue"})
"""Kinds that leave the exit status at 0, since many setters want them."""

_WORST = 10
_SHOWN = 60
"""Characters shown of the name of a file, and of an id."""


@dataclass(frozen=True, slots=True)
class Audited:
    """What is wrong with a collection.

    Attributes:
        collection: its puzzles.
        source_of: for each puzzle, the number of its file.
        verdicts: numbers of `VERDICTS`.
        others: those with distinct lines instead of without, or the other way round.
        levels: the numbers of our levels.
        problems: what is wrong with puzzles, by place.
        alike: the numbers of puzzles whose solutions are the same up to symmetry, by the place of
            the first, where there are several.
        fail_on: kinds of `NOTES` that set the exit status too.
    """

    collection: Collection
    source_of: npt.NDArray[np.int32]
    verdicts: npt.NDArray[np.uint8]
    others: npt.NDArray[np.uint8]
    levels: npt.NDArray[np.uint8]
    problems: dict[int, list[Problem]]
    alike: dict[int, int]
    fail_on: frozenset[str] = frozenset()

    def records(self) -> Iterator[dict[str, Any]]:
        """A record for each puzzle, in order."""
        names = [verdict.value for verdict in VERDICTS]
        sources, none = self.collection.sources, list[Problem]()
        columns = (self.source_of, self.verdicts, self.others, self.levels)
        facts = zip(*(each.tolist() for each in columns), strict=True)
        for place, (source, verdict, other, level) in enumerate(facts):
            record: dict[str, Any] = {
                "id": self.collection.id_of(place),
                "source": sources[source],
                "verdict": names[verdict],
            }
            if other != UNSEEN:
                record["other_verdict"] = names[other]
            if level != UNSEEN:
                record["level"] = LEVELS[level]
            yield record | {"problems": self.problems.get(place, none)}

    @property
    def kinds(self) -> Counter[str]:
        """The number of puzzles with each kind of problem."""
        return Counter(
            kind for each in self.problems.values() for kind in {one["kind"] for one in each}
        )

    @property
    def exit_status(self) -> int:
        """The exit status: 2 if something can't be read, 3 if unknown, 1 if something is wrong."""
        kinds = self.kinds
        return exit_status(
            error=self.collection.unread or kinds["invalid"],
            unknown=kinds["unknown"],
            no=kinds.keys() - NOTES | kinds.keys() & self.fail_on,
        )

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        number, kinds = len(self.collection), self.kinds
        bad = sum({each["kind"] for each in one} - NOTES != set() for one in self.problems.values())
        notes = len(self.problems) - bad
        files = len(self.collection.sources)
        fine = "nothing wrong" if number else "nothing to look at"
        yield (
            f"{number:,} puzzle{'s' * (number != 1)} in {files} file{'s' * (files != 1)}: "
            + (f"{bad:,} with problems" if bad else fine)
            + (f", {notes:,} with notes only" if notes else "")
        )
        for error in self.collection.unread:
            yield f"not read: {error}"
        yield from (f"  {kinds[kind]:>9,}  {kind}: {KINDS[kind]}" for kind in KINDS if kinds[kind])
        yield from self._about_depth()
        solved = int((self.verdicts == 0).sum())
        if self.alike:
            distinct = solved - sum(self.alike.values()) + len(self.alike)
            yield (
                f"{distinct:,} different solution{'s' * (distinct != 1)} among {solved:,} unique "
                f"puzzles, counting symmetric ones once; the most frequent one occurs "
                f"{max(self.alike.values()):,} times"
            )
        if self.problems:
            more = len(self.problems) > _WORST
            yield f"The worst {_WORST} of {len(self.problems):,}:" if more else "The worst:"
            for place in self.worst(_WORST):
                problems = "; ".join(map(_in_words, self.problems[place]))
                yield f"  {self._name(place)}: {problems}"

    def _about_depth(self) -> Iterator[str]:
        seen = (self.others != UNSEEN) | (self.verdicts == VERDICTS.index(Verdict.INVALID))
        for name, bad in (("none", Verdict.NONE), ("multiple", Verdict.MULTIPLE)):
            saved = int(((self.verdicts == VERDICTS.index(bad)) & (self.others == 0)).sum())
            if saved:
                change = "without" if bad is Verdict.NONE else "with"
                yield f"unique {change} distinct lines: {saved:,} with the verdict {name}"
        if not seen.all():
            yield (
                f"levels, steps, redundant clues and the other rules: looked at in the first "
                f"{int(seen.sum()):,} (--deep)"
            )

    def worst(self, number: int) -> list[int]:
        """The places of the puzzles with the most serious problems, then the most problems."""
        rank = {kind: k for k, kind in enumerate(KINDS)}

        def badness(place: int) -> tuple[list[int], int]:
            return sorted(rank[each["kind"]] for each in self.problems[place]), place

        return sorted(self.problems, key=badness)[:number]

    def _name(self, place: int) -> str:
        source = self.collection.sources[self.source_of[place]]
        source = source if len(source) <= _SHOWN else f"…{source[1 - _SHOWN :]}"
        return printable(f"{source}: {self.collection.id_of(place)[:_SHOWN]}")


def _in_words(problem: Problem) -> str:
    kind = problem["kind"]
    if "id" in problem:
        return printable(f"{kind} of {problem['source']}: {problem['id']}")
    detail = problem.get("message") or problem.get("rules") or problem.get("technique")
    if kind == "wrong-level":
        detail = f"claimed {problem['claimed']}, ours {problem['level']}"
    elif "cells" in problem:
        cells = problem["cells"]
        detail = cells if isinstance(cells, int) else len(cells)
    return printable(f"{kind} ({detail})" if detail else kind)
