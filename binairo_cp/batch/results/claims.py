"""What a result record claims about the number of solutions, and when claims contradict."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from binairo_cp.formats.record_base import to_json
from binairo_cp.formats.results import Finding, ResultRecord
from binairo_cp.solving.solutions import Verdict

Board = tuple[Any, ...]
"""Size, clues and signs of a puzzle; for an invalid puzzle, its id and line."""

_AT_LEAST = {Verdict.UNIQUE: 1, Verdict.SOLVED: 1, Verdict.MULTIPLE: 2}
_KNOWLEDGE = {Verdict.INVALID: 0, Verdict.UNKNOWN: 1, Verdict.SOLVED: 2}
_DECIDED = 3


def board(record: ResultRecord) -> Board:
    """The identity of the puzzle of a record, without its rules and its id."""
    if record.clues is None:
        return (record.id, record.line)
    return (record.height, record.width, record.clues, *sorted(record.signs or []))


def digest(*parts: object) -> bytes:
    """A short key for lookups."""
    # `repr`, since integers in a record may exceed the 64 bits of orjson.
    return hashlib.sha256(repr(parts).encode(errors="surrogatepass")).digest()[:16]


def rules(record: ResultRecord) -> str | None:
    """The rules that a puzzle was decided under; None if the record has none."""
    if record.readings:
        return "; ".join(
            f"{name} {_rules_text(each)}" for name, each in sorted(record.readings.items())
        )
    return _rules_text(record) if record.rules else None


def _rules_text(finding: Finding) -> str:
    rules = finding.rules
    return rules if isinstance(rules, str) else to_json(rules)


@dataclass(frozen=True, slots=True)
class SolutionBounds:
    """Bounds on the number of solutions of a puzzle.

    Attributes:
        at_most: upper bound; None if it is unknown.
        solution: the solution of a unique puzzle.
        knowledge: from 0 (invalid) and 1 (unknown) to 3 (decided).
    """

    at_least: int
    at_most: int | None
    solution: str | None
    knowledge: int

    @classmethod
    def of(cls, finding: Finding) -> SolutionBounds:
        """The claim of a record, or of one reading of it."""
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

    def contradicts(self, other: SolutionBounds) -> bool:
        """Whether at most one of the two claims can be right."""
        if any(
            one.at_most is not None and one.at_most < two.at_least
            for one, two in ((self, other), (other, self))
        ):
            return True
        return None not in (self.solution, other.solution) and self.solution != other.solution


def claims(record: ResultRecord) -> dict[str, SolutionBounds]:
    """The claims of a record by reading; the name is empty if there is only one."""
    if record.readings is None:
        return {"": SolutionBounds.of(record)}
    return {name: SolutionBounds.of(finding) for name, finding in record.readings.items()}


def contradict(one: ResultRecord, two: ResultRecord) -> bool:
    """Whether at most one of two records of a puzzle can be right."""
    first, second = claims(one), claims(two)
    return any(first[name].contradicts(second[name]) for name in first.keys() & second.keys())


def know_as_much(one: ResultRecord, two: ResultRecord) -> bool:
    """Whether two records of a puzzle are equally informative."""
    first, second = claims(one), claims(two)
    return all(
        (first[name].knowledge, first[name].at_most is None)
        == (second[name].knowledge, second[name].at_most is None)
        for name in first.keys() & second.keys()
    )


def knowledge(record: ResultRecord) -> tuple[int, ...]:
    """A key that orders the records of a puzzle by how informative they are."""
    each = [
        (claim.knowledge, claim.at_most is not None, claim.at_least)
        for claim in claims(record).values()
    ]
    return (not record.error, *map(sum, zip(*each, strict=True)))
