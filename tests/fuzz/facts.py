"""Facts about a puzzle from different engines: each new answer must agree with all earlier ones.

Each method uses one feature of the package. No answer is trusted: the rules check solutions, and
counts are compared with those of other engines. Unknown results contradict nothing.
"""

import io
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

import binairo_cp
from binairo_cp import Board, Cell, Lines, Outcome, Puzzle, Rules, Sign, formats, is_solution
from binairo_cp.batch import columnar
from binairo_cp.batch.drawing import render_puzzles
from binairo_cp.batch.summaries import OutputSummary
from binairo_cp.batch.tasks import Task, decide
from binairo_cp.certificates import checking, making
from binairo_cp.errors import (
    BackendSizeError,
    BinairoError,
    BudgetExceeded,
    ExportError,
    GenerationError,
    LimitError,
    PuzzleError,
)
from binairo_cp.features.decode import record_of
from binairo_cp.features.feature import feature_named, feature_of, task_of
from binairo_cp.features.render import drawing_of
from binairo_cp.formats import Entry, schema
from binairo_cp.formats.blocks import LineFormat, line_blocks
from binairo_cp.formats.results import ResultRecord
from binairo_cp.formats.sources import Source
from binairo_cp.generation.puzzles import GeneratedPuzzle, Recipe, generate_puzzles
from binairo_cp.puzzle.symmetries import canonical, symmetries_under
from binairo_cp.solving import backends
from binairo_cp.solving.backends import Budget, Counter
from binairo_cp.solving.minimal_conflicts import find_conflict
from binairo_cp.solving.solutions import Reasons
from tests.fuzz.targets import temporary_folder

SECONDS = 0.5
"""The time limit of a call; after that the result is unknown."""

_BAD_KINDS = ("internal", "wrong-answer", "disagreement", "crash", "memory", "backend", "error")


class PuzzleFacts:
    """A puzzle, of rows as in `Board.parse`, and the facts about its solutions so far."""

    def __init__(self, rows: str, rules: Rules, signs: Iterable[Sign] = ()) -> None:
        self.puzzle = Puzzle(Board.parse(rows), rules, tuple(signs))
        self.at_least = 0
        self.at_most: int | None = None
        self.boards: set[Board] = set()

    def add_answer(self, count: int, complete: bool, boards: Iterable[Board] = ()) -> None:
        """Add an answer: a number of solutions, some of them, and whether there are no others."""
        for board in boards:
            assert is_solution(self.puzzle, board), f"no solution:\n{board}"
            self.boards.add(board)
        self.at_least = max(self.at_least, count, len(self.boards))
        if complete:
            assert self.at_most in (None, count), f"{count} solutions, and {self.at_most} before"
            self.at_most = count
        most = self.at_most
        assert most is None or self.at_least <= most, f"{self.at_least} solutions of {most}"

    @property
    def all_boards(self) -> set[Board] | None:
        """All solutions, if all are known."""
        return self.boards if self.at_most == len(self.boards) else None

    def _outcome(self, outcome: Outcome, limit: int | None) -> None:
        assert limit is None or outcome.count <= limit
        assert outcome.complete == (outcome.stopped_by is None)
        assert len(set(outcome.solutions)) == len(outcome.solutions) <= outcome.count
        expected = {0: "none", 1: "unique"}.get(outcome.count, "multiple")
        if outcome.count < 2 and not outcome.complete:
            expected = "unknown"
        if outcome.verdict != "solved":
            assert outcome.verdict == expected, outcome
        self.add_answer(outcome.count, outcome.complete, outcome.solutions)

    def solve(self, backend: str, limit: int = 1, seconds: float = SECONDS) -> None:
        with suppress(BackendSizeError):
            found = binairo_cp.solve(self.puzzle, backend=backend, limit=limit, time_limit=seconds)
            assert found.count == len(found.solutions)
            assert (found.verdict == "solved") == (found.count > 0)
            self._outcome(found, limit)

    def check(self, backend: str, other: str | None = None, *, reasons: Reasons = "none") -> None:
        with suppress(BackendSizeError):
            found = binairo_cp.check(
                self.puzzle, backend=backend, cross_check=other, reasons=reasons, time_limit=SECONDS
            )
            self._outcome(found, 2)
            if found.contradiction:
                self._contradiction(found.contradiction.clues)

    def count(self, backend: str, limit: int | None = 50) -> None:
        with suppress(BackendSizeError):
            found = binairo_cp.count(self.puzzle, backend=backend, limit=limit, time_limit=SECONDS)
            self._outcome(found, limit)

    def enumerate(self, backend: str, limit: int | None = None, leave_after: int = 50) -> None:
        """Enumerate all solutions, or abandon the generator after the first few."""
        boards: list[Board] = []
        complete = False
        with suppress(BudgetExceeded, BackendSizeError):
            some = binairo_cp.enumerate_solutions(
                self.puzzle, backend=backend, limit=limit, time_limit=SECONDS
            )
            boards += islice(some, leave_after)
            ended = len(boards) < leave_after
            complete = ended and len(boards) != limit
        assert len(set(boards)) == len(boards)
        self.add_answer(len(boards), complete, boards)

    def limited_work(self, backend: str, work: int, limit: int | None = 20) -> None:
        """Search with a work limit; solutions found before the limit are valid."""
        found: list[Board] = []
        complete = False
        with suppress(BudgetExceeded, BackendSizeError):
            solver = backends.get(backend)
            for board in solver.solutions(self.puzzle, limit=limit, budget=Budget(SECONDS, work)):
                found.append(board)
            complete = len(found) != limit
        assert len(set(found)) == len(found)
        self.add_answer(len(found), complete, found)

    def native_count(self, backend: str, work: int, limit: int | None = None) -> None:
        """The native counting of a backend."""
        solver = backends.get(backend)
        if isinstance(solver, Counter):
            with suppress(BackendSizeError):
                counted = solver.count(self.puzzle, limit=limit, budget=Budget(SECONDS, work))
                assert limit is None or counted.found <= limit
                self.add_answer(counted.found, counted.stopped_by is None, counted.boards)

    def symmetric_image(self, number: int, backend: str) -> None:
        """A rotated, mirrored or complemented puzzle has the same count and the same canonical form."""
        board = self.puzzle.board
        symmetries = symmetries_under(self.puzzle.rules, board.height, board.width)
        image = symmetries[number % len(symmetries)].puzzle(self.puzzle)
        assert canonical(image) == canonical(self.puzzle)
        with suppress(BackendSizeError):
            found = binairo_cp.count(image, backend=backend, limit=50, time_limit=SECONDS)
            self.add_answer(found.count, found.complete)

    def columnar(self, verb: Any, limit: int) -> None:
        entry = replace(Entry(self.puzzle, id="p"))
        read = formats.FORMATS["ndjson"].read
        assert isinstance(read, LineFormat)
        text = "".join(formats.write([entry], "ndjson")).encode()
        (block,) = line_blocks(Source("x", io.BytesIO(text), lambda: 0), read, None, lambda: 10)
        limit = {"solve": 1, "check": 2}.get(verb, limit)
        for group in columnar.decide_block(block, columnar.Plan(verb, limit, kept=2)):
            found = int(group.found[0])
            board = self.puzzle.board
            boards = [
                Board(board.height, board.width, cells[0].tobytes().decode())
                for cells in group.solutions[:found]
            ]
            self.add_answer(found, found < limit, boards)

    def backbone(self, backend: str) -> None:
        found = None
        with suppress(BackendSizeError):
            found = binairo_cp.backbone(self.puzzle, backend=backend, time_limit=SECONDS)
            if found is None:
                self.add_answer(0, True)
        if found is None:
            return
        self._shared(dict(found.board.clues()))
        if found.complete:
            # Otherwise the time limit may have come before the first solution.
            self.add_answer(1, False)
        if found.complete and self.all_boards is not None:
            for place, value in enumerate(found.board.cells):
                if value == ".":
                    assert len({board.cells[place] for board in self.all_boards}) == 2

    def _shared(self, values: dict[Cell, str]) -> None:
        for board in self.boards:
            wrong = [cell for cell, value in values.items() if board[cell] != value]
            assert not wrong, f"{wrong} have other values in\n{board}"

    def contradiction(self) -> None:
        found = None
        with suppress(BudgetExceeded):
            found = find_conflict(self.puzzle, Budget(SECONDS))
        if isinstance(found, Board):
            self.add_answer(1, False, [found])
        elif found:
            self.add_answer(0, True)
            self._contradiction(found.clues)

    def _contradiction(self, clues: Iterable[Cell]) -> None:
        board = self.puzzle.board
        kept = Board.empty(board.height, board.width)
        for cell in clues:
            assert board[cell] != "."
            kept = kept.with_cell(cell, board[cell])
        PuzzleFacts(str(kept), self.puzzle.rules, self.puzzle.signs)._is_none()

    def _is_none(self) -> None:
        for backend in ("backtracking", "bitboard", "pysat"):
            self.solve(backend)
        assert not self.boards, "the clues do not contradict each other"

    def _record(self, task: Task) -> ResultRecord:
        record = decide(Entry(self.puzzle, id="p", source="s"), task)
        if record.error:
            assert record.error.kind not in _BAD_KINDS, record.error
        board = self.puzzle.board
        if record.solution and not any(each.is_about_clues for each in task.analyses):
            self.add_answer(
                1, record.verdict == "unique", [Board(board.height, board.width, record.solution)]
            )
        if record.verdict == "none":
            self.add_answer(0, True)
        if record.verdict == "multiple":
            self.add_answer(2, False)
        assert schema.adapter(ResultRecord).validate_json(record.to_json(), strict=True) == record
        return record

    def deduce(self, kind: Any, cells: str | None = None) -> None:
        """Logical steps never contradict a solution."""
        board = self.puzzle.board
        cells = cells and (cells * len(board.cells))[: len(board.cells)]
        options = {} if kind == "grade" else {"board": cells}
        record = self._record(
            task_of(kind, feature_named(kind).completed(options), time_limit=SECONDS)
        )
        begun = {} if cells is None else dict(Board(board.height, board.width, cells).clues())
        values: dict[Cell, str] = {}
        for step in record.steps or ():
            for cell, value in zip(step.cells, step.values, strict=True):
                assert values.setdefault(Cell(*cell), value) == value
        agreeing = [b for b in self.boards if all(b[cell] == v for cell, v in begun.items())]
        for solution in agreeing:
            assert not record.mistake, record.mistake
            assert all(solution[cell] == value for cell, value in values.items()), record.steps

    def clue_analysis(
        self, kind: Any, *, all_cells: bool = False, number: int | None = None
    ) -> None:
        """Results about clues are checked by solving."""
        known = sorted(self.boards, key=str)
        solution = known[number % len(known)] if known and number is not None else None
        cells = solution.cells if solution and kind == "repair" else None
        options: dict[str, Any] = {
            "clues": {"limit": 5},
            "fewest": {"all_cells": all_cells},
            "repair": {"solution": cells},
        }[kind]
        record = self._record(
            task_of(kind, feature_named(kind).completed(options), time_limit=SECONDS)
        )
        if record.needs:
            self._is_unique(record.needs.irreducible)
        if record.fewest:
            assert record.fewest.at_least <= record.fewest.at_most
            self._is_unique(record.fewest.puzzle)
        if record.repair and record.repair.verdict == "unique":
            self._is_unique(record.repair.puzzle)
            assert cells in (None, record.repair.solution) or record.repair.dropped

    def _is_unique(self, cells: str) -> None:
        height, width = self.puzzle.board.height, self.puzzle.board.width
        rows = str(Board(height, width, cells))
        other = PuzzleFacts(rows, self.puzzle.rules, self.puzzle.signs)
        for backend in ("backtracking", "pysat", "bitboard"):
            other.solve(backend, 2)
        assert other.at_least <= 1, f"not unique:\n{rows}"
        assert other.at_most != 0, f"without solution:\n{rows}"

    def certify(self, solver: str = "cadical195") -> None:
        outcome = binairo_cp.check(self.puzzle, reasons="none", time_limit=SECONDS)
        if outcome.verdict == "unknown":
            return
        with suppress(BudgetExceeded):
            files, _ = making.certify(self.puzzle, outcome, id="p", solver=solver, seconds=SECONDS)
            checked = checking.check(files, SECONDS)
            assert (checked.puzzle, checked.claim) == (self.puzzle, outcome.verdict.value)
            counts = {"none": 0, "unique": 1, "multiple": 2}
            self.add_answer(counts[checked.claim], checked.claim != "multiple", checked.solutions)

    def convert(self, format: str) -> None:
        entry = Entry(self.puzzle, id="a name")
        with suppress(BinairoError):
            text = "".join(formats.write([entry], format))
            (found,) = formats.read_bytes(text.encode(), "x", format, self.puzzle.rules)
            assert (found.puzzle, found.id) == (self.puzzle, "a name")

    def encode(self, balance: str, number: int | None = None) -> None:
        """Encode the puzzle, run a SAT solver, and decode its answer."""
        from pysat.formula import CNF
        from pysat.solvers import Solver

        if len(self.puzzle.board.cells) > 64:
            return
        known = sorted(self.boards, key=str)
        blocked = known[number % len(known)].cells if known and number is not None else None
        entry = Entry(self.puzzle, id="p")
        text = binairo_cp.encode(entry, balance=balance, unique=blocked)
        with Solver("minisat22", bootstrap_with=CNF(from_string=text).clauses) as solver:
            solver.conf_budget(2_000)
            satisfiable = solver.solve_limited()
            words = {True: "s SATISFIABLE", False: "s UNSATISFIABLE", None: "s UNKNOWN"}
            answer = words[satisfiable] + "\n"
            if satisfiable:
                answer += f"v {' '.join(map(str, solver.get_model()))} 0\n"
        file = temporary_folder() / "driven"
        file.write_text(answer)
        record = record_of(entry, str(file), blocked)
        assert not record.error, record.error
        if satisfiable is not None:
            board = self.puzzle.board
            shown = [each for each in (record.solution, record.second_solution) if each]
            boards = [Board(board.height, board.width, each) for each in shown]
            self.add_answer(len(boards), not satisfiable, boards)

    def other_encoding(self, target: str) -> None:
        """The export succeeds or is refused with an error."""
        with suppress(ExportError):
            try:
                assert binairo_cp.encode(self.puzzle, to=target).isascii()
            except PuzzleError:
                self.add_answer(0, complete=True)

    def render(self, form: Any, **options: bool) -> None:
        file = temporary_folder() / "drawn"
        chosen = feature_of(binairo_cp.render).completed(
            {"to": form, "not_unique": "mark", **options}
        )
        settings = drawing_of(chosen, out=str(file), time_limit=SECONDS)
        done = OutputSummary(on_problem=lambda verdict, entry, why: None)
        render_puzzles([Entry(self.puzzle, id="p")], settings, quiet=True, summary=done)
        assert done.written + sum(done.problems.values()) == 1

    def generate(self, recipe: Recipe, seed: int) -> None:
        puzzles: list[GeneratedPuzzle | None] = []
        with suppress(LimitError, GenerationError):
            puzzles += generate_puzzles(replace(recipe, tries=2), seed, range(2))
        for made in puzzles:
            if made:
                other = PuzzleFacts(str(made.puzzle.board), made.puzzle.rules, made.puzzle.signs)
                other.add_answer(1, True, [made.solution])
                for backend in ("backtracking", "pysat"):
                    other.solve(backend, 2)

    def lines(self) -> None:
        """Each line of a solution is one of the legal completions of the clues."""
        for line in self.puzzle.board.lines():
            legal = Lines(line.values, self.puzzle.rules)
            if self.boards:
                assert legal.count
                for board in self.boards:
                    full = (board.rows if line.direction == "row" else board.columns)[line.number]
                    assert legal[legal.index(full)] == full
            else:
                assert legal.count >= 0
