"""Audit the puzzles of all files together: duplicates, twins, leaks between files, and a summary.

Each puzzle takes 52 bytes of memory until the end, besides its id and its problems.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from binairo_cp.batch.audit.blocks import VERDICTS, AuditWork, BlockAudit, Problem
from binairo_cp.batch.blocks import BlockSizer, NumberedBlock, number_blocks
from binairo_cp.batch.reports import printable
from binairo_cp.errors import SourceError
from binairo_cp.formats import FormatLike, Tally, read_blocks
from binairo_cp.puzzle.rules import Rules
from binairo_cp.puzzle.twin_keys import KeyArray
from binairo_cp.workers import executors
from binairo_cp.workers.executors import WorkerSettings
from binairo_cp.workers.terminal import exit_status

KINDS: dict[str, str] = {
    "duplicate": "the same puzzle as another",
    "twin": "another puzzle rotated, reflected or with 0 and 1 swapped",
    "leak": "a duplicate or twin in another file",
    "wrong-solution": "the solution beside the puzzle is wrong",
    "multiple": "several solutions",
    "none": "no solution",
    "unknown": "not decided within the time limit",
    "invalid": "can't be read",
}
"""What each kind of problem means, the most serious first in the list of the worst."""

_MANY = 512
"""From so many puzzles on, worker processes are worth their start."""

_WORST = 10
_SHOWN_BYTES = 60


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
    _source_of: list[npt.NDArray[np.int32]] = field(default_factory=list)
    _verdicts: list[npt.NDArray[np.uint8]] = field(default_factory=list)
    _keys: list[list[KeyArray]] = field(default_factory=lambda: [[], [], []])
    _problems: dict[int, list[Problem]] = field(default_factory=dict)

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
        self._source_of.append(np.full(len(part.ids), self._numbers[part.source], np.int32))
        self._verdicts.append(part.verdicts)
        for kept, new in zip(
            self._keys, (part.keys, part.own_keys, part.solution_keys), strict=True
        ):
            kept.append(new)
        for place, problems in part.problems.items():
            self._problems[before + place] = problems

    def id_of(self, place: int) -> str:
        """The id of a puzzle."""
        begin = self._ends[place - 1] if place else 0
        return self._ids[begin : self._ends[place]].decode(errors="surrogatepass")

    def finished(self) -> Audited:
        """What is wrong, after the last block."""
        if not len(self):
            return Audited(self, np.zeros(0, np.int32), np.zeros(0, np.uint8), {}, {})
        source_of, verdicts = np.concatenate(self._source_of), np.concatenate(self._verdicts)
        keys, own, solutions = (np.concatenate(each) for each in self._keys)
        for group in _repeated(keys):
            self._compare(group, own, source_of)
        alike = {int(each[0]): len(each) for each in _repeated(solutions)}
        return Audited(self, source_of, verdicts, self._problems, alike)

    def _compare(
        self, group: npt.NDArray[np.int64], own: KeyArray, source_of: npt.NDArray[np.int32]
    ) -> None:
        """Note what the later ones of some twins repeat."""
        firsts: dict[bytes, int] = {}
        # The first twin in each file: a leak is reported once for each puzzle.
        first_in: dict[int, int] = {}
        for place in group.tolist():
            source = int(source_of[place])
            key = own[place].tobytes()
            if first_in:
                kind = "duplicate" if key in firsts else "twin"
                other = firsts.get(key, next(iter(first_in.values())))
                self._note(place, kind, other, source_of)
                foreign = next((k for each, k in first_in.items() if each != source), None)
                if foreign is not None:
                    self._note(place, "leak", foreign, source_of)
            firsts.setdefault(key, place)
            first_in.setdefault(source, place)

    def _note(self, place: int, kind: str, other: int, source_of: npt.NDArray[np.int32]) -> None:
        problem = {"kind": kind, "id": self.id_of(other), "source": self.sources[source_of[other]]}
        self._problems.setdefault(place, []).append(problem)


def _repeated(keys: KeyArray) -> Iterator[npt.NDArray[np.int64]]:
    """The places of the keys that occur several times, in order; 0 is no key."""
    order = np.lexsort((np.arange(len(keys)), keys[:, 1], keys[:, 0]))
    ordered = keys[order]
    begins = np.flatnonzero(np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1)))
    ends = np.append(begins[1:], len(keys))
    for k in np.flatnonzero((ends - begins > 1) & ordered[begins].any(axis=1)).tolist():
        yield order[begins[k] : ends[k]]


@dataclass(frozen=True, slots=True)
class Audited:
    """What is wrong with a collection.

    Attributes:
        collection: its puzzles.
        source_of: for each puzzle, the number of its file.
        verdicts: numbers of `VERDICTS`.
        problems: what is wrong with puzzles, by place.
        alike: the numbers of puzzles whose solutions are the same up to symmetry, by the place of
            the first, where there are several.
    """

    collection: Collection
    source_of: npt.NDArray[np.int32]
    verdicts: npt.NDArray[np.uint8]
    problems: dict[int, list[Problem]]
    alike: dict[int, int]

    def records(self) -> Iterator[dict[str, Any]]:
        """A record for each puzzle, in order."""
        names = [verdict.value for verdict in VERDICTS]
        sources, none = self.collection.sources, list[Problem]()
        facts = zip(self.source_of.tolist(), self.verdicts.tolist(), strict=True)
        for place, (source, verdict) in enumerate(facts):
            yield {
                "id": self.collection.id_of(place),
                "source": sources[source],
                "verdict": names[verdict],
                "problems": self.problems.get(place, none),
            }

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
            no=bool(kinds),
        )

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        number, kinds = len(self.collection), self.kinds
        bad = len(self.problems)
        files = len(self.collection.sources)
        yield (
            f"{number:,} puzzle{'s' * (number != 1)} in {files} file{'s' * (files != 1)}: "
            + (f"{bad:,} with problems" if bad else "nothing wrong")
        )
        yield from (f"  {kinds[kind]:>9,}  {kind}: {KINDS[kind]}" for kind in KINDS if kinds[kind])
        solved = int((self.verdicts == 0).sum())
        if self.alike:
            distinct = solved - sum(self.alike.values()) + len(self.alike)
            yield (
                f"{distinct:,} different solution{'s' * (distinct != 1)} among {solved:,} unique "
                f"puzzles, counting symmetric ones once; the most frequent one occurs "
                f"{max(self.alike.values()):,} times"
            )
        if bad:
            yield "The worst:"
            for place in self._worst():
                yield f"  {self._name(place)}: {'; '.join(map(_in_words, self.problems[place]))}"

    def _worst(self) -> list[int]:
        """The places of the puzzles with the most problems, the most serious ones first."""
        rank = {kind: k for k, kind in enumerate(reversed(KINDS))}
        order = sorted(
            self.problems,
            key=lambda place: (
                -len(self.problems[place]),
                min(rank[each["kind"]] for each in self.problems[place]),
                place,
            ),
        )
        return order[:_WORST]

    def _name(self, place: int) -> str:
        source = self.collection.sources[self.source_of[place]]
        return printable(f"{source}: {self.collection.id_of(place)}"[:_SHOWN_BYTES])


def _in_words(problem: Problem) -> str:
    kind = problem["kind"]
    if "id" in problem:
        return printable(f"{kind} of {problem['source']}: {problem['id']}")
    detail = problem.get("message") or problem.get("rules")
    return printable(f"{kind} ({detail})" if detail else kind)


def audit_files(
    files: list[str | SourceError],
    format: FormatLike,
    rules: Rules | None,
    *,
    workers: int,
    time_limit: float | None,
    show: Callable[[float, float | None, str], object] = lambda *_: None,
) -> Audited:
    """Look at all puzzles of some files.

    Args:
        files: the files, as `formats.files_of` returns them.
        format: what is stated about them.
        rules: the rules of puzzles that state none.
        workers: the number of worker processes, for more than a few puzzles.
        time_limit: seconds for each puzzle that is not decided at once; None for no limit.
        show: called with the work done, the total work, and a text.
    """
    collection, tally, sizer = Collection(), Tally(), BlockSizer(workers)
    work = AuditWork(time_limit)
    read = read_blocks(files, sizer.size, format, rules, tally, collection.unread.append)
    for part in _parts((each for each in number_blocks(read) if len(each.block)), work, workers):
        sizer.update(len(part.ids), part.seconds)
        collection.add(part)
        show(tally.done, tally.total, f"{len(collection):,} puzzles")
    return collection.finished()


def _parts(blocks: Iterator[NumberedBlock], work: AuditWork, workers: int) -> Iterator[BlockAudit]:
    first: list[NumberedBlock] = []
    while sum(len(each.block) for each in first) < _MANY and (more := list(islice(blocks, 1))):
        yield work(more[0])
        first += more
    if workers == 1 or not (rest := list(islice(blocks, 1))):
        yield from map(work, blocks)
        return
    with WorkerSettings(workers).open(("binairo_cp.batch.audit.blocks",)) as pool:
        every: Iterable[NumberedBlock] = chain(rest, blocks)
        for _, part in executors.map_blocks(pool, work, every, NumberedBlock.split):
            if isinstance(part, Exception):
                raise part
            yield part


def written(record: dict[str, Any]) -> str:
    """A record as a line of JSON."""
    return orjson.dumps(record).decode() + "\n"
