"""What the comments of an exported formula state: the puzzle, and the solution that is forbidden.

The answer of a solver means nothing without its formula: *no model* is *none* for one formula and
*unique* for another. All formats begin with the comments of `heading`, which say which it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NoReturn

from binairo_cp.errors import BinairoError, FormatError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, Rules, Sign
from binairo_cp.solving.encodings.cnf import VERSION

HEAD_BYTES = 1_000
"""So much of a file shows whether it is a formula."""

_HEADING = re.compile(r"[c*%] binairo puzzle, encoder version (\d+)\s*$")
_FORMULA = re.compile(r"(?:c|p w?cnf .*|\* #variable= .*|h( -?\d+)+ 0)\s*$|c ")
_COMMENT = re.compile(r"[c*%] (\w+):? ?(.*)")
_SIGN = re.compile(r"r(\d+)c(\d+)([=x])r(\d+)c(\d+), ")
_SOFT_CLUES = "rules and signs; 1: a clue, which may be broken"
_KEPT_CLUES = "another solution differs in these clues; 1: a clue that is not kept"


@dataclass(frozen=True, slots=True)
class StatedFormula:
    """An exported puzzle.

    Attributes:
        id: the id of the puzzle; None if it has none.
        blocked: the solution that the formula forbids, if it forbids one.
        has_soft_clues: a model may break clues, the fewest in an optimum.
    """

    puzzle: Puzzle
    id: str | None
    blocked: Board | None
    has_soft_clues: bool


def is_formula(head: str) -> bool:
    """Whether a text that begins so is a formula, ours or not, and no puzzle."""
    first, _, rest = head.partition("\n")
    return any(_HEADING.match(line) for line in (first, rest.partition("\n")[0])) or bool(
        _FORMULA.match(first)
    )


def read(lines: Iterable[str], source: str = "") -> StatedFormula:
    """Read the comments before the first constraint, and no more lines than needed.

    Raises:
        FormatError: they do not state a puzzle, or the answer to the formula is no board.
    """
    found: dict[str, list[str]] = {}
    version = 0
    for line in takewhile(lambda line: line[:2].rstrip() in ("c", "*", "%"), lines):
        if heading := _HEADING.match(line):
            version = int(heading[1])
        elif comment := _COMMENT.match(line):
            found.setdefault(comment[1], []).append(comment[2].rstrip())
    if not version:
        _refuse("this formula does not say which puzzle it encodes", source)
    if version > VERSION:
        _refuse(f"this formula is of the later encoder version {version}", source)
    if _KEPT_CLUES in found.get("h", []):
        _refuse("the answer to this formula is a choice of clues, not a board", source)
    try:
        signs = tuple(_sign(text) for text in found.get("sign", []))
        rules = Rules(**dict(_rule(*text.split()) for text in found.get("rule", [])))
        puzzle = Puzzle(Board.from_rows(found.get("clues", [])), rules, signs)
        blocked = Board.from_rows(found["blocked"]) if "blocked" in found else None
    except (BinairoError, TypeError, ValueError) as error:
        _refuse(f"the comments of this formula state no puzzle: {error}", source)
    id = found.get("id", [None])[0]
    return StatedFormula(puzzle, id and _unescaped(id), blocked, _SOFT_CLUES in found.get("h", []))


def _refuse(message: str, source: str) -> NoReturn:
    expected = "the puzzle, or a formula that encode wrote, with its comments"
    raise FormatError(message, source=source, expected=expected)


def _sign(text: str) -> Sign:
    match = _SIGN.match(text)
    if not match:
        raise ValueError(f"{text[:40]!r} is not a sign")
    row, column = int(match[1]), int(match[2])
    return Sign(row - 1, column - 1, "R" if row == int(match[4]) else "D", match[3])  # type: ignore[arg-type]


def _rule(name: str, value: str) -> tuple[str, Any]:
    words: dict[str, Any] = {"True": True, "False": False}
    return name, int(value) if value.isdecimal() else words.get(value, value)


def _unescaped(id: str) -> str:
    """The id before `heading` escaped it; as it is if it was cut within an escape."""
    with suppress(ValueError):
        return id.encode("ascii").decode("unicode_escape")
    return id
