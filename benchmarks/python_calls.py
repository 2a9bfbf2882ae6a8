"""The calls that `python` measures: the functions of ``import binairo_cp``."""

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

    @cached_property
    def wider(self) -> Puzzle:
        """The puzzle without its first clue; it has several solutions."""
        [(cell, _), *_] = self.puzzle.board.clues()
        return Puzzle(self.puzzle.board.with_cell(cell, "."), self.puzzle.rules)

    @cached_property
    def answer(self) -> str:
        """What a SAT solver prints."""
        values = (k if cell == "1" else -k for k, cell in enumerate(self.solution.cells, 1))
        return f"s SATISFIABLE\nv {' '.join(map(str, values))} 0\n"

    @cached_property
    def certificate(self) -> Path:
        path = self.folder / f"{self.text}.zip"
        bn.certify(self.puzzle, path)
        return path


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


def _solved(case: Case, outcome: bn.Outcome) -> bool:
    return outcome.solutions == (case.solution,) and outcome.verdict in ("unique", "solved")


def _follows(case: Case, steps: Any) -> bool:
    return all(
        case.solution[cell] == value for step in steps for cell, value in step.values.items()
    )


def _first_move(case: Case) -> list[tuple[int, int, str]]:
    cell = case.puzzle.board.cell(case.text.index("."))
    return [(*cell, case.solution[cell])]


def _is_needed(case: Case, analysis: Any) -> bool:
    return len(analysis.needed) == case.puzzle.board.clue_count and not analysis.spare


def _is_unique(case: Case, made: Any) -> bool:
    return bn.check(made, backend="pysat").verdict == "unique"


_BOOK = {"puzzles": [{"size": 6, "count": 4, "grade": "easy"}]}

ONE = [
    Call("solve", "a Puzzle", lambda case: bn.solve(case.puzzle), _solved),
    Call("check", "a Puzzle", lambda case: bn.check(case.puzzle), _solved),
    Call("check", "text", lambda case: bn.check(case.text), _solved),
    Call("count", "a Puzzle", lambda case: bn.count(case.puzzle), _solved),
    Call(
        "enumerate_solutions",
        "a Puzzle, all solutions",
        lambda case: list(bn.enumerate_solutions(case.puzzle)),
        lambda case, boards: boards == [case.solution],
    ),
    Call(
        "backbone",
        "a Puzzle",
        lambda case: bn.backbone(case.puzzle),
        lambda case, found: found.board == case.solution,
    ),
    Call(
        "hint",
        "a Puzzle",
        lambda case: bn.hint(case.puzzle),
        lambda case, hint: _follows(case, [hint.step]),
    ),
    Call(
        "judge",
        "its first open cell",
        lambda case: bn.judge(case.puzzle, None, _first_move(case)),
        lambda case, judged: judged.moves[0].judged in ("forced", "guess"),
    ),
    Call(
        "explain",
        "a Puzzle, all steps",
        lambda case: bn.explain(case.puzzle),
        lambda case, found: bool(found.steps) and _follows(case, found.steps),
    ),
    Call(
        "grade",
        "a Puzzle",
        lambda case: bn.grade(case.puzzle),
        lambda case, grade: grade == bn.explain(case.puzzle).grade,
    ),
    Call("clues", "a Puzzle", lambda case: bn.clues(case.puzzle), _is_needed),
    Call(
        "fewest",
        "a Puzzle",
        lambda case: bn.fewest(case.puzzle),
        lambda case, found: found.proved and found.at_most == case.puzzle.board.clue_count,
    ),
    Call(
        "repair",
        "a Puzzle that lost a clue",
        lambda case: bn.repair(case.wider),
        lambda case, found: found.proved and _is_unique(case, found.puzzle),
    ),
    Call(
        "filter",
        "a Puzzle",
        lambda case: bn.filter(case.puzzle, without="pair"),
        lambda case, kept: len(kept) == ("pair" not in bn.grade(case.puzzle).placed),
    ),
    Call("generate", "one puzzle", lambda case: bn.generate(10, seed=case.text)[0], _is_unique),
    Call(
        "board",
        "one board",
        lambda case: bn.board(10, seed=case.text)[0],
        lambda case, board: bn.is_solution(Puzzle(board), board),
    ),
    Call(
        "book",
        "four puzzles of 6x6",
        lambda case: bn.book(_BOOK | {"seed": case.text}, title="Four puzzles"),
        lambda case, data: data.startswith(b"%PDF"),
    ),
    Call(
        "render",
        "a Puzzle as SVG",
        lambda case: bn.render(case.puzzle, to="svg"),
        lambda case, data: data.startswith(b"<?xml"),
    ),
    Call(
        "render",
        "a Puzzle and its answer as PDF",
        lambda case: bn.render(case.puzzle, to="pdf"),
        lambda case, data: data.startswith(b"%PDF"),
    ),
    Call(
        "encode",
        "a Puzzle as DIMACS",
        lambda case: bn.encode(case.puzzle, to="dimacs"),
        lambda case, text: "p cnf" in text,
    ),
    Call(
        "decode",
        "the answer of a SAT solver",
        lambda case: bn.decode(case.puzzle, case.answer),
        lambda case, found: found.solutions == (case.solution,),
    ),
    Call(
        "certify",
        "a Puzzle",
        lambda case: bn.certify(case.puzzle, case.folder / "certificate.zip"),
        lambda case, found: found.solutions == (case.solution,) and found.claim == "unique",
    ),
    Call(
        "verify",
        "a certificate",
        lambda case: bn.verify(case.certificate),
        lambda case, found: found.solutions == (case.solution,) and found.claim == "unique",
    ),
    Call(
        "is_solution",
        "a Puzzle and a Board",
        lambda case: bn.is_solution(case.puzzle, case.solution),
        lambda case, found: found is True,
    ),
    Call(
        "violations",
        "a Puzzle and a Board",
        lambda case: bn.violations(case.puzzle, case.solution),
        lambda case, found: not found,
    ),
    Call(
        "legal_lines",
        "10 cells",
        lambda case: list(bn.legal_lines(10)),
        lambda case, lines: lines == list(bn.lines(10)),
    ),
    Call(
        "lines",
        "10 cells",
        lambda case: list(bn.lines(10)),
        lambda case, lines: len(set(lines)) == 84,
    ),
    Call(
        "census",
        "all 4,111,116 boards of 8x8",
        lambda case: bn.census(8, workers=1),
        lambda case, found: found.boards == 4_111_116,
    ),
    Call(
        "schema",
        "the result record",
        lambda case: bn.schema(),
        lambda case, found: "properties" in found,
    ),
]


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
    def results(self) -> tuple[Path, Path]:
        """Two files with the results of the same puzzles."""
        paths = self.file("first.ndjson"), self.file("second.ndjson")
        for path in paths:
            records = (
                {"source": "bench", "id": str(number)} | bn.check(puzzle).to_dict()
                for number, puzzle in enumerate(self.puzzles)
            )
            path.write_bytes(b"".join(orjson.dumps(each) + b"\n" for each in records))
        return paths


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
        'name = "x"\nformats = ["ndjson"]\n[[puzzles]]\nsize = 10\ngrade = "easy"\n'
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
        "merge",
        "two files of results",
        lambda pile: bn.merge(pile.results),
        lambda pile, records: len(records) == 2 * len(pile.texts),
    ),
    Call(
        "diff",
        "two files of results",
        lambda pile: bn.diff(*pile.results),
        lambda pile, changes: changes == [],
    ),
    Call(
        "audit",
        "a file of results",
        lambda pile: bn.audit(pile.results[0]),
        lambda pile, found: len(list(found.records())) == len(pile.texts),
    ),
]
