"""Audit the puzzles of all files together: duplicates, twins, leaks between files; what is wrong.

Each puzzle takes 73 bytes of memory, twice as much for a moment at the end, besides its id and its
problems.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from binairo_cp.batch.audit.blocks import (
    UNSEEN,
    VERDICTS,
    BlockAudit,
    Problem,
    audit_block,
    rank_of,
)
from binairo_cp.batch.pipeline import BlockSizer, NumberedBlock, number_blocks, worked
from binairo_cp.batch.reports import printable
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.errors import SolverCrash, SourceError
from binairo_cp.formats import Choices, Tally, read_blocks
from binairo_cp.puzzle.rules import Rules
from binairo_cp.puzzle.twin_keys import KeyArray
from binairo_cp.solving.solutions import Verdict
from binairo_cp.workers.terminal import exit_status

KINDS = {
    "wrong-solution": "the solution beside the puzzle is wrong",
    "none": "no solution",
    "multiple": "several solutions",
    "leak": "a duplicate or twin in another file or split",
    "duplicate": "the same puzzle as another",
    "duplicate-id": "the id of another puzzle of the file",
    "twin": "another puzzle rotated, reflected or with 0 and 1 swapped",
    "extra-clue": "another puzzle, or a twin of it, plus a clue",
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


_SPLIT = re.compile(r"(?:train|test|valid(?:ation)?|val|dev|eval)(?=[-_.]|$)", re.IGNORECASE)

_LEAST_ALIKE = 10
"""From so many puzzles with a claimed number on, their usual level is what the number means."""

_FAR = 2


@dataclass(slots=True)
class Collection:
    """What is known about all puzzles so far.

    Attributes:
        sources: the names of the files, in order.
        unread: the errors of files that can't be read.
    """

    sources: list[str] = field(default_factory=list)
    unread: list[SourceError] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)
    _ids: bytearray = field(default_factory=bytearray)
    _ends: array[int] = field(default_factory=lambda: array("q"))
    _id_hashes: array[int] = field(default_factory=lambda: array("q"))
    _parts: list[BlockAudit] = field(default_factory=list)
    _claimed: dict[int, str] = field(default_factory=dict)
    _problems: dict[int, list[Problem]] = field(default_factory=dict)
    _smaller: dict[int, KeyArray] = field(default_factory=dict)
    _source_of: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))

    def __len__(self) -> int:
        return len(self._ends)

    def add(self, part: BlockAudit) -> None:
        """Add the next block."""
        if part.source not in self._numbers:
            self._numbers[part.source] = len(self.sources)
            self.sources.append(part.source)
        before = len(self)
        for id in part.ids:
            self._ids += id.encode(errors="surrogatepass")
            self._ends.append(len(self._ids))
            self._id_hashes.append(hash((part.source, id)))
        self._parts.append(replace(part, ids=[], smaller={}))
        self._smaller.update((before + place, few) for place, few in part.smaller.items())
        for place, level in part.claimed.items():
            if part.levels[place] != UNSEEN:
                self._claimed[before + place] = level
        self._problems.update((before + place, problem) for place, problem in part.problems.items())

    def id_of(self, place: int) -> str:
        """The id of a puzzle."""
        begin = self._ends[place - 1] if place else 0
        return self._ids[begin : self._ends[place]].decode(errors="surrogatepass")

    def finished(self) -> Audited:
        """What is wrong, after the last block."""
        if not len(self):
            none = np.zeros(0, np.uint8)
            return Audited(self, np.zeros(0, np.int32), none, none, none, {}, {})
        numbers = np.array([self._numbers[part.source] for part in self._parts], np.int32)
        self._source_of = np.repeat(numbers, [len(part.verdicts) for part in self._parts])
        names = ("verdicts", "others", "levels", "keys", "own_keys", "solution_keys")
        verdicts, others, levels, keys, own, solutions = (
            np.concatenate([getattr(part, name) for part in self._parts]) for name in names
        )
        self._compare_ids()
        for group in _repeated(keys):
            self._compare(group, own)
        self._compare_smaller(keys)
        alike = {int(group[0]): len(group) for group in _repeated(solutions)}
        self._compare_levels(levels)
        return Audited(self, self._source_of, verdicts, others, levels, self._problems, alike)

    def _compare_ids(self) -> None:
        hashes = np.frombuffer(self._id_hashes, np.uint64)
        for group in _repeated(np.stack([hashes, np.ones_like(hashes)], axis=1)):
            firsts: dict[tuple[int, str], int] = {}
            for place in group.tolist():
                first = firsts.setdefault((int(self._source_of[place]), self.id_of(place)), place)
                if first != place:
                    self._note(place, "duplicate-id", first)

    def _compare_levels(self, levels: npt.NDArray[np.uint8]) -> None:
        """Note the puzzles whose claimed level is far from ours.

        A claim may have a meaning of its own, such as easy or 3/5, and a usual level: the median of
        the puzzles of its file with the same claim. A puzzle must be far from both, unless the
        usual level is itself far from the meaning.
        """
        alike: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
        for place, claim in self._claimed.items():
            alike[int(self._source_of[place]), claim].append(place)
        for (_, claim), places in alike.items():
            meant = rank_of(claim)
            expected = set() if meant is None else {meant}
            if len(places) >= _LEAST_ALIKE:
                usual = int(np.median(levels[places]))
                if all(abs(usual - number) < _FAR for number in expected):
                    expected.add(usual)
            for place in places if expected else ():
                level = int(levels[place])
                if all(abs(level - number) >= _FAR for number in expected):
                    problem = {"kind": "wrong-level", "claimed": claim, "level": LEVELS[level]}
                    self._problems.setdefault(place, []).append(problem)

    def _compare(self, group: npt.NDArray[np.int64], own: KeyArray) -> None:
        """Note what the later ones of some twins repeat."""
        firsts: dict[bytes, int] = {}
        # The first twin in each split: a leak is reported once for each puzzle.
        first_in: dict[str, int] = {}
        for place in group.tolist():
            split = _split_of(self.sources[self._source_of[place]])
            key = own[place].tobytes()
            if first_in:
                kind = "duplicate" if key in firsts else "twin"
                other = firsts.get(key, next(iter(first_in.values())))
                self._note(place, kind, other)
                foreign = next((k for name, k in first_in.items() if name != split), None)
                if foreign is not None:
                    self._note(place, "leak", foreign)
            firsts.setdefault(key, place)
            first_in.setdefault(split, place)

    def _compare_smaller(self, keys: KeyArray) -> None:
        """Note the puzzles that are another one, or a twin of it, plus a clue."""
        if not self._smaller:
            return
        wanted = np.concatenate([*self._smaller.values()])
        places = np.flatnonzero(np.isin(keys[:, 0], wanted[:, 0])).tolist()
        place_of = {keys[place].tobytes(): place for place in reversed(places)}
        for place, smaller in self._smaller.items():
            others = (place_of.get(key.tobytes()) for key in smaller)
            other = next((other for other in others if other is not None), None)
            if other is not None:
                self._note(place, "extra-clue", other)

    def _note(self, place: int, kind: str, other: int) -> None:
        source = self.sources[self._source_of[other]]
        problem = {"kind": kind, "id": self.id_of(other), "source": source}
        self._problems.setdefault(place, []).append(problem)


@lru_cache(maxsize=1 << 12)
def _split_of(source: str) -> str:
    """The split of a dataset that a file belongs to, or else the file.

    It is the folder in `data/train/0.parquet`, and the word in `train-00001-of-00002.parquet`.
    """
    path = Path(source)
    if _SPLIT.fullmatch(path.parent.name):
        return str(path.parent)
    split = _SPLIT.match(path.name)
    return str(path.parent / split[0]) if split else source


def _repeated(keys: KeyArray) -> Iterator[npt.NDArray[np.int64]]:
    """The places of the keys that occur several times, in order; 0 is no key."""
    order = np.lexsort((np.arange(len(keys)), keys[:, 1], keys[:, 0]))
    ordered = keys[order]
    begins = np.flatnonzero(np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1)))
    ends = np.append(begins[1:], len(keys))
    for k in np.flatnonzero((ends - begins > 1) & ordered[begins].any(axis=1)).tolist():
        yield order[begins[k] : ends[k]]


def audit_files(
    files: list[str | SourceError],
    choices: Choices,
    rules: Rules | None,
    *,
    workers: int,
    deep: int,
    time_limit: float | None,
    show: Callable[[float, float | None, str], object] = lambda *_: None,
) -> Audited:
    """Look at all puzzles of some files, which are named as `formats.files_of` returns them.

    The number of workers counts for more than a few puzzles; `deep`, the time limit in seconds and
    the rules mean what they mean in `binairo audit`. `show` gets the work done, the total work and
    a text.
    """
    collection, tally, sizer = Collection(), Tally(), BlockSizer(workers)
    work = partial(audit_block, deep=deep, time_limit=time_limit)
    read = read_blocks(files, sizer.size, choices, rules, tally, collection.unread.append)
    blocks = (block for block in number_blocks(read) if len(block.block))
    for _, part in worked(work, blocks, workers, audit_block.__module__, NumberedBlock.split):
        if isinstance(part, SolverCrash):
            raise part
        sizer.update(len(part.ids), part.seconds)
        collection.add(part)
        show(tally.done, tally.total, f"{len(collection):,} read")
    return collection.finished()


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
        facts = zip(*(column.tolist() for column in columns), strict=True)
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
            kind
            for some in self.problems.values()
            for kind in {problem["kind"] for problem in some}
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
        bad = sum(
            {problem["kind"] for problem in some} - NOTES != set()
            for some in self.problems.values()
        )
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
        badness = {
            place: (sorted(rank[problem["kind"]] for problem in some), place)
            for place, some in self.problems.items()
        }
        return sorted(badness, key=badness.__getitem__)[:number]

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
