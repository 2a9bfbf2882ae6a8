"""What was found out about each of many puzzles of one shape, in a few values.

A result record is made of it only where one is asked for: that takes as long as the puzzle itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from binairo_cp.formats.schema import RESULT_VERSION
from binairo_cp.solving.solutions import Verb, Verdict

_NONE, _SOLVED = Verdict.NONE.value, Verdict.SOLVED.value
_DECIDED = (_NONE, Verdict.UNIQUE.value, Verdict.MULTIPLE.value)
VERDICTS: dict[Verb, tuple[str, str, str]] = {
    "solve": (_NONE, _SOLVED, _SOLVED),
    "check": _DECIDED,
    "count": _DECIDED,
}
"""What is known of a puzzle with no solution, with one, and with more."""


@dataclass(frozen=True, slots=True)
class Group:
    """What the puzzles of a shape have in common.

    Attributes:
        source: the name of their file.
        line: on which line of it their block begins, from 1.
        height: of the boards.
        width: of the boards.
        rules: of the puzzles, as a record says them.
        verb: what was asked.
        limit: how many solutions ended the search.
        backend: who answered.
        seconds: how long it took, for each.
    """

    source: str
    line: int
    height: int
    width: int
    rules: str | dict[str, Any]
    verb: Verb
    limit: int
    backend: str
    seconds: float


class Answer(NamedTuple):
    """What was found out about a puzzle of a group.

    Attributes:
        group: the group.
        id: the puzzle's name, if it has one.
        clues: row by row.
        found: how many solutions; if fewer than the limit, there are no others.
        solution: the first of them.
        second_solution: the second one, if it was wanted.
        grade: the fields of its grade, if it was wanted and there is one solution.
    """

    group: Group
    id: str | None
    clues: str
    found: int
    solution: str | None
    second_solution: str | None
    grade: dict[str, Any] | None = None

    @property
    def complete(self) -> bool:
        return self.found < self.group.limit


def fields(answer: Answer, line: int, id: str) -> dict[str, Any]:
    """The fields of the `schema.ResultRecord`, in its order, without those that are absent.

    Args:
        answer: what was found out.
        line: on which line of its block the puzzle stands, from 0.
        id: the puzzle's name or number.
    """
    group = answer.group
    made: dict[str, Any] = {
        "schema_version": RESULT_VERSION,
        "id": id,
        "source": group.source,
        "line": group.line + line,
        "height": group.height,
        "width": group.width,
        "clues": answer.clues,
        "rules": group.rules,
        "verdict": VERDICTS[group.verb][min(answer.found, 2)],
    }
    if one := answer.solution:
        made["solution"] = one
        if two := answer.second_solution:
            made["second_solution"] = two
            places = (k for k in range(len(one)) if one[k] != two[k])
            made["differences"] = [divmod(place, group.width) for place in places]
    made["count"] = answer.found
    made["complete"] = answer.complete
    if not answer.complete:
        made["stopped_by"] = "limit"
    if answer.grade:
        made["grade"] = answer.grade
    made["backend"] = group.backend
    made["seconds"] = group.seconds
    return made
