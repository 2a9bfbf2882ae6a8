"""What result records claim: of which puzzle, how many solutions, and whether two can be right."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from binairo_cp.formats.schema import Finding, ResultRecord, RulesRecord
from binairo_cp.solving.solutions import Verdict

Board = tuple[Any, ...]
"""Size, clues and signs of a puzzle; of what is none, its name and where it stood."""

_AT_LEAST = {
    Verdict.UNIQUE: 1,
    Verdict.SOLVED: 1,
    Verdict.MULTIPLE: 2,
}
_KNOWLEDGE = {
    Verdict.INVALID: 0,
    Verdict.UNKNOWN: 1,
    Verdict.SOLVED: 2,
}
_DECIDED = 3


def board(record: ResultRecord) -> Board:
    """What tells the puzzle of a record from others, besides its rules and its name."""
    if record.clues is None:
        return (record.id, record.line)
    return (record.height, record.width, record.clues, *sorted(record.signs or []))


def digest(*parts: object) -> bytes:
    """What takes the place of a puzzle where many must be looked up."""
    # Of numbers too, however large they are that somebody wrote.
    return hashlib.sha256(repr(parts).encode(errors="surrogatepass")).digest()[:16]


def rules(record: ResultRecord) -> str | None:
    """The rules that a puzzle was decided under; None if the record says nothing of them."""
    if record.readings:
        return "; ".join(f"{name} {_said(each)}" for name, each in sorted(record.readings.items()))
    return _said(record) if record.rules else None


def _said(finding: Finding) -> str:
    said = finding.rules
    return said.model_dump_json() if isinstance(said, RulesRecord) else str(said)


@dataclass(frozen=True, slots=True)
class Claim:
    """How many solutions a puzzle has, as far as it was found out.

    Attributes:
        at_least: as many were found.
        at_most: there are no more; None if that is not known.
        solution: the only one.
        knowledge: from 0, not even a puzzle, to 3, decided.
    """

    at_least: int
    at_most: int | None
    solution: str | None
    knowledge: int

    @classmethod
    def of(cls, finding: Finding) -> Claim:
        """What is claimed of one reading."""
        verdict = finding.verdict
        knowledge = _KNOWLEDGE.get(verdict, _DECIDED)
        if verdict is Verdict.NONE:
            return cls(0, 0, None, knowledge)
        if verdict is Verdict.UNIQUE:
            return cls(1, 1, finding.solution, knowledge)
        if verdict is Verdict.INVALID:
            return cls(0, None, None, knowledge)
        shown = 1 if finding.solution else 0
        found = max(_AT_LEAST.get(verdict, 0), finding.count or 0, shown)
        only = finding.solution if finding.complete and found == 1 else None
        return cls(found, found if finding.complete else None, only, knowledge)

    def contradicts(self, other: Claim) -> bool:
        """Whether not both can be right."""
        if any(
            one.at_most is not None and one.at_most < two.at_least
            for one, two in ((self, other), (other, self))
        ):
            return True
        return None not in (self.solution, other.solution) and self.solution != other.solution

    def knows_as_much(self, other: Claim) -> bool:
        """Whether neither says more than the other of what is to be found out."""
        return (self.knowledge, self.at_most is None) == (other.knowledge, other.at_most is None)


def claims(record: ResultRecord) -> dict[str, Claim]:
    """What a record claims under each reading, by its name; there is one without, mostly."""
    if record.readings is None:
        return {"": Claim.of(record)}
    return {name: Claim.of(finding) for name, finding in record.readings.items()}


def contradict(one: ResultRecord, two: ResultRecord) -> bool:
    """Whether not both records of a puzzle can be right."""
    first, second = claims(one), claims(two)
    return any(first[name].contradicts(second[name]) for name in first.keys() & second.keys())


def know_as_much(one: ResultRecord, two: ResultRecord) -> bool:
    """Whether neither record of a puzzle tells more than the other."""
    first, second = claims(one), claims(two)
    return all(first[name].knows_as_much(second[name]) for name in first.keys() & second.keys())


def knowledge(record: ResultRecord) -> tuple[int, ...]:
    """How much a record tells: the larger, the better."""
    each = [
        (claim.knowledge, claim.at_most is not None, claim.at_least)
        for claim in claims(record).values()
    ]
    return (not record.error, *map(sum, zip(*each, strict=True)))
