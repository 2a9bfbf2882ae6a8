"""Compact results of many puzzles with one shape.

Creating a full result record takes as long as solving the puzzle, so it is done only if needed.
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
"""The verdicts for no solution, for one, and for several, by verb."""


@dataclass(frozen=True, slots=True)
class Group:
    """What the results of a group of puzzles have in common.

    Attributes:
        source: the name of their file.
        line: the first line of their block, from 1.
        height: of the boards.
        width: of the boards.
        rules: of the puzzles, as in a record.
        verb: whether to solve, check or count.
        limit: the number of solutions that ends the search.
        backend: the name of the backend.
        seconds: the time per puzzle.
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
    """The result of a puzzle of a group.

    Attributes:
        group: the group.
        id: the puzzle's id, if it has one.
        clues: row by row.
        found: number of solutions found; if it is below the limit, there are no others.
        solution: the first solution; None if there is none.
        second_solution: the second solution; None if there is none or it was not requested.
        grade: the fields of the grade, if it was requested and the puzzle is unique.
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
    """The fields of a `schema.ResultRecord`, in its order, without absent ones.

    Args:
        answer: the result.
        line: the line of the puzzle in its block, from 0.
        id: the puzzle's id or number.
    """
    group = answer.group
    record: dict[str, Any] = {
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
    if first := answer.solution:
        record["solution"] = first
        if second := answer.second_solution:
            record["second_solution"] = second
            places = (k for k in range(len(first)) if first[k] != second[k])
            record["differences"] = [divmod(place, group.width) for place in places]
    record["count"] = answer.found
    record["complete"] = answer.complete
    if not answer.complete:
        record["stopped_by"] = "limit"
    if answer.grade:
        record["grade"] = answer.grade
    record["backend"] = group.backend
    record["seconds"] = group.seconds
    return record
