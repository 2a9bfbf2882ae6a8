"""The calls that `python` measures: functions of ``import binairo_cp`` for many puzzles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import orjson

import binairo_cp as bn
from binairo_cp import Board, Puzzle


@dataclass(frozen=True)
class Case:
    """An irreducible puzzle, its solution, and a folder for files."""

    puzzle: Puzzle
    solution: Board
    folder: Path

    @cached_property
    def text(self) -> str:
        return self.puzzle.board.cells


@dataclass(frozen=True)
class Call:
    """A call to measure.

    Attributes:
        name: the function.
        about: what it is called with.
        run: makes the call with a `Case`, or with a `Pile`.
        is_right: whether the result is right.
    """

    name: str
    about: str
    run: Callable[[Any], Any]
    is_right: Callable[[Any, Any], bool]


@dataclass(frozen=True)
class Pile:
    """Many puzzles at once, in the forms that the functions take."""

    cases: list[Case]
    texts: list[str]

    @cached_property
    def array(self) -> Any:
        data = np.frombuffer("".join(self.texts).encode(), np.uint8)
        return data.reshape(-1, 10, 10)

    @cached_property
    def puzzles(self) -> list[Puzzle]:
        return [Puzzle(Board.parse(text)) for text in self.texts]

    def file(self, name: str) -> Path:
        return self.cases[0].folder / name

    @cached_property
    def line_file(self) -> Path:
        bn.write(self.puzzles, self.file("puzzles.line"))
        return self.file("puzzles.line")

    @cached_property
    def results(self) -> Path:
        """A file with the results of the puzzles."""
        path = self.file("results.ndjson")
        records = (
            {"source": "bench", "id": str(number)} | bn.check(puzzle).to_dict()
            for number, puzzle in enumerate(self.puzzles)
        )
        path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records))
        return path


def _all_unique(pile: Pile, outcomes: bn.Outcomes) -> bool:
    known = {case.text: case.solution.cells for case in pile.cases}
    answers = zip(pile.texts, outcomes.verdict.tolist(), outcomes.solution, strict=True)
    return all(
        verdict in ("unique", "solved") and solution == known[text]
        for text, verdict, solution in answers
    )


def _all_graded(pile: Pile, outcomes: bn.Outcomes) -> bool:
    return _all_unique(pile, outcomes) and all(outcomes.grade)


def _dataset(pile: Pile) -> int:
    """Make a dataset of as many easy puzzles; return their number."""
    recipe, folder = pile.file("recipe.toml"), Path(mkdtemp(dir=pile.file("")))
    recipe.write_text(
        'name = "x"\nformat = "ndjson"\n[[puzzles]]\nsize = 10\ngrade = "easy"\n'
        f"count = {len(pile.texts)}\n"
    )
    bn.dataset(recipe, folder)
    return sum(each.read_text().count("\n") for each in folder.rglob("*.ndjson"))


MANY_AT_ONCE = [
    Call("dataset", "a recipe", _dataset, lambda pile, number: number == len(pile.texts)),
    Call("check_many", "an array", lambda pile: bn.check_many(pile.array), _all_unique),
    Call("check_many", "a list of text", lambda pile: bn.check_many(pile.texts), _all_unique),
    Call("check_many", "a list of Puzzles", lambda pile: bn.check_many(pile.puzzles), _all_unique),
    Call("solve_many", "an array", lambda pile: bn.solve_many(pile.array), _all_unique),
    Call("count_many", "an array", lambda pile: bn.count_many(pile.array), _all_unique),
    Call("grade_many", "an array", lambda pile: bn.grade_many(pile.array), _all_graded),
    Call(
        "read",
        "a file, one puzzle a line",
        lambda pile: bn.read(pile.line_file),
        lambda pile, entries: [each.puzzle for each in entries] == pile.puzzles,
    ),
    Call(
        "write",
        "a file, one puzzle a line",
        lambda pile: bn.write(pile.puzzles, pile.file("written.line")),
        lambda pile, _: pile.file("written.line").read_bytes() == pile.line_file.read_bytes(),
    ),
    Call(
        "convert",
        "NDJSON",
        lambda pile: bn.convert(pile.puzzles, to="ndjson"),
        lambda pile, text: text.count("\n") == len(pile.texts),
    ),
    Call(
        "audit",
        "a file of results",
        lambda pile: bn.audit(pile.results),
        lambda pile, found: len(list(found.records())) == len(pile.texts),
    ),
]
