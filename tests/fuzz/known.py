"""What is known of a puzzle, whoever said it: each new answer must go with all answers before.

A method asks one thing of the package. No answer is believed: solutions are checked by the rules,
and numbers are compared with those that other engines gave. What was not found out contradicts
nothing.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

import binairo_cp
from binairo_cp import Board, Cell, Lines, Outcome, Puzzle, Rules, Sign, formats, is_solution
from binairo_cp.batch.bulk import decide_block
from binairo_cp.batch.clue_analyses import (
    ClueAnalysis,
    FewestClues,
    RedundantClues,
    RepairAddition,
)
from binairo_cp.batch.explanations import GradeAddition, StepsAddition
from binairo_cp.batch.tasks import Task, decide
from binairo_cp.certificates import checking, making
from binairo_cp.commands import encode, render, render_options
from binairo_cp.commands.decode import decode
from binairo_cp.commands.requests import RenderRequest
from binairo_cp.errors import (
    BackendSizeError,
    BinairoError,
    BudgetExceeded,
    ExportError,
    GenerationError,
    LimitError,
)
from binairo_cp.formats import Entry
from binairo_cp.formats.blocks import LineFormat, line_blocks
from binairo_cp.formats.schema import ResultRecord
from binairo_cp.formats.sources import Source
from binairo_cp.generation.puzzles import GeneratedPuzzle, Recipe, generate_puzzles
from binairo_cp.puzzle.symmetries import canonical, symmetries_under
from binairo_cp.solving import backends, counting
from binairo_cp.solving.backends import Budget, Counter
from binairo_cp.solving.minimal_conflicts import find_contradiction
from binairo_cp.solving.solutions import Reasons
from tests.fuzz import scratch

SECONDS = 0.5
"""How long an answer may take; then it is unknown."""

_MOST_KEPT = 60
_BAD_KINDS = ("internal", "wrong-answer", "disagreement", "crash", "memory", "backend", "error")


class Known:
    """A puzzle, and what is known of its solutions.

    Args:
        rows: of its board, as `Board.parse` takes them.
        rules: as in `Puzzle`.
        signs: as in `Puzzle`.
    """

    def __init__(self, rows: str, rules: Rules, signs: Iterable[Sign] = ()) -> None:
        self.puzzle = Puzzle(Board.parse(rows), rules, tuple(signs))
        self.at_least = 0
        self.at_most: int | None = None
        self.boards: set[Board] = set()

    def told(self, count: int, complete: bool, boards: Iterable[Board] = ()) -> None:
        """So many solutions were found, these among them; and there are no others, if complete."""
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
        """All solutions, if each of them is known."""
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
        self.told(outcome.count, outcome.complete, outcome.solutions)

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
        """All solutions, or the first few: then they are left alone, as by a client that goes."""
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
        self.told(len(boards), complete, boards)

    def work(self, backend: str, work: int, limit: int | None = 20) -> None:
        """With little work: what was found is found, and nothing else is said."""
        found: list[Board] = []
        complete = False
        with suppress(BudgetExceeded, BackendSizeError):
            solver = backends.get(backend)
            for board in solver.solutions(self.puzzle, limit=limit, budget=Budget(SECONDS, work)):
                found.append(board)
            complete = len(found) != limit
        assert len(set(found)) == len(found)
        self.told(len(found), complete, found)

    def native(self, backend: str, work: int, limit: int | None = None) -> None:
        """A backend's own way of counting."""
        solver = backends.get(backend)
        if isinstance(solver, Counter):
            with suppress(BackendSizeError):
                told = solver.count(self.puzzle, limit=limit, budget=Budget(SECONDS, work))
                assert limit is None or told.found <= limit
                self.told(told.found, told.stopped_by is None, told.boards)

    def split(self, backend: str) -> None:
        """The parts of a puzzle have its solutions, each once."""
        parts = counting.parts(self.puzzle, 4)[:40]
        found = [
            binairo_cp.count(each, backend=backend, limit=50, time_limit=SECONDS / 10)
            for each in parts
        ]
        complete = len(parts) < 40 and all(each.complete for each in found)
        boards = [board for each in found for board in each.solutions]
        assert len(set(boards)) == len(boards)
        self.told(sum(each.count for each in found), complete, boards)

    def image(self, number: int, backend: str) -> None:
        """A turned, mirrored or complemented puzzle has as many solutions, and one form."""
        board = self.puzzle.board
        ways = symmetries_under(self.puzzle.rules, board.height, board.width)
        image = ways[number % len(ways)].puzzle(self.puzzle)
        assert canonical(image) == canonical(self.puzzle)
        with suppress(BackendSizeError):
            found = binairo_cp.count(image, backend=backend, limit=50, time_limit=SECONDS)
            self.told(found.count, found.complete)

    def many(self, verb: Any, limit: int) -> None:
        """The way of files with many puzzles."""
        entry = replace(Entry(self.puzzle, id="p"))
        if self.puzzle.signs or not self.puzzle.rules_name:
            return
        read = formats.FORMATS["ndjson"].read
        assert isinstance(read, LineFormat)
        text = "".join(formats.write([entry], "ndjson")).encode()
        (block,) = line_blocks(Source("x", io.BytesIO(text), lambda: 0), read, None, lambda: 10)
        limit = {"solve": 1, "check": 2}.get(verb, limit)
        for answer in decide_block(block, verb, limit, reasons=False).values():
            shown = [each for each in (answer.solution, answer.second_solution) if each]
            board = self.puzzle.board
            boards = [Board(board.height, board.width, cells) for cells in shown]
            self.told(answer.found, answer.found < limit, boards)

    def backbone(self, backend: str) -> None:
        """Each cell that is said to be shared is so in all solutions known."""
        found = None
        with suppress(BackendSizeError):
            found = binairo_cp.backbone(self.puzzle, backend=backend, time_limit=SECONDS)
            if found is None:
                self.told(0, True)
        if found is None:
            return
        self._shared(dict(found.board.clues()))
        if found.complete:
            # Otherwise the time may have run out before there was any solution.
            self.told(1, False)
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
            found = find_contradiction(self.puzzle, Budget(SECONDS))
        if isinstance(found, Board):
            self.told(1, False, [found])
        elif found:
            self.told(0, True)
            self._contradiction(found.clues)

    def _contradiction(self, clues: Iterable[Cell]) -> None:
        board = self.puzzle.board
        kept = Board.empty(board.height, board.width)
        for cell in clues:
            assert board[cell] != "."
            kept = kept.replace(cell, board[cell])
        Known(str(kept), self.puzzle.rules, self.puzzle.signs)._is_none()

    def _is_none(self) -> None:
        for backend in ("backtracking", "bitboard", "pysat"):
            self.solve(backend)
        assert not self.boards, "the clues do not contradict each other"

    def _record(self, task: Task) -> ResultRecord:
        record = decide(Entry(self.puzzle, id="p", source="s"), task)
        if record.error:
            assert record.error.kind not in _BAD_KINDS, record.error
        board = self.puzzle.board
        if record.solution and not any(isinstance(a, ClueAnalysis) for a in task.additions):
            self.told(
                1, record.verdict == "unique", [Board(board.height, board.width, record.solution)]
            )
        if record.verdict == "none":
            self.told(0, True)
        if record.verdict == "multiple":
            self.told(2, False)
        assert ResultRecord.model_validate_json(record.to_json(), strict=True) == record
        return record

    def logic(self, kind: Any, cells: str | None = None) -> None:
        """A person's steps never lead away from a solution."""
        board = self.puzzle.board
        cells = cells and (cells * len(board.cells))[: len(board.cells)]
        addition = {
            "hint": StepsAddition(cells, only_next=True),
            "explain": StepsAddition(cells),
            "grade": GradeAddition(),
        }[kind]
        record = self._record(Task("check", time_limit=SECONDS, additions=(addition,)))
        begun = {} if cells is None else dict(Board(board.height, board.width, cells).clues())
        values: dict[Cell, str] = {}
        for step in record.steps or ():
            for cell, value in zip(step.cells, step.values, strict=True):
                assert values.setdefault(Cell(*cell), value) == value
        agreeing = [b for b in self.boards if all(b[cell] == v for cell, v in begun.items())]
        for solution in agreeing:
            assert not record.mistake, record.mistake
            assert all(solution[cell] == value for cell, value in values.items()), record.steps

    def study(self, kind: Any, *, all_cells: bool = False, number: int | None = None) -> None:
        """What is said about clues can be tried."""
        known = sorted(self.boards, key=str)
        solution = known[number % len(known)] if known and number is not None else None
        cells = solution.cells if solution and kind == "repair" else None
        analysis = {
            "clues": RedundantClues(limit=5),
            "fewest": FewestClues(all_cells=all_cells),
            "repair": RepairAddition(solution=cells),
        }[kind]
        task = Task("check", time_limit=SECONDS, reasons="none", additions=(analysis,))
        record = self._record(task)
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
        other = Known(rows, self.puzzle.rules, self.puzzle.signs)
        for backend in ("backtracking", "pysat", "bitboard"):
            other.solve(backend, 2)
        assert other.at_least <= 1, f"not unique:\n{rows}"
        assert other.at_most != 0, f"without solution:\n{rows}"

    def certify(self, solver: str = "cadical195") -> None:
        """A certificate is made of each outcome that is known, and holds."""
        outcome = binairo_cp.check(self.puzzle, reasons="none", time_limit=SECONDS)
        if outcome.verdict == "unknown":
            return
        with suppress(BudgetExceeded):
            files, _ = making.certify(self.puzzle, outcome, id="p", solver=solver, seconds=SECONDS)
            checked = checking.check(files, SECONDS)
            assert (checked.puzzle, checked.claim) == (self.puzzle, outcome.verdict.value)
            counts = {"none": 0, "unique": 1, "multiple": 2}
            self.told(counts[checked.claim], checked.claim != "multiple", checked.solutions)

    def convert(self, format: str) -> None:
        entry = Entry(self.puzzle, id="a name")
        with suppress(BinairoError):
            text = "".join(formats.write([entry], format))
            (found,) = formats.read_bytes(text.encode(), "x", format, self.puzzle.rules)
            assert (found.puzzle, found.id) == (self.puzzle, "a name")

    def encode(self, balance: str, number: int | None = None) -> None:
        """The clauses go to a solver, and its answer comes back."""
        from pysat.formula import CNF
        from pysat.solvers import Solver

        if len(self.puzzle.board.cells) > 64:
            return
        known = sorted(self.boards, key=str)
        blocked = known[number % len(known)].cells if known and number is not None else None
        entry = Entry(self.puzzle, id="p")
        text = "".join(encode.text(entry, encode.EncodeOptions("dimacs", balance, blocked)))
        with Solver("minisat22", bootstrap_with=CNF(from_string=text).clauses) as solver:
            solver.conf_budget(2_000)
            said = solver.solve_limited()
            words = {True: "s SATISFIABLE", False: "s UNSATISFIABLE", None: "s UNKNOWN"}
            answer = words[said] + "\n"
            if said:
                answer += f"v {' '.join(map(str, solver.get_model()))} 0\n"
        file = scratch.folder() / "driven"
        file.write_text(answer)
        record = decode(entry, str(file), blocked)
        assert not record.error, record.error
        if said is not None:
            board = self.puzzle.board
            shown = [each for each in (record.solution, record.second_solution) if each]
            boards = [Board(board.height, board.width, each) for each in shown]
            self.told(len(boards), not said, boards)

    def other_encoding(self, target: str) -> None:
        """It is written, or refused with a reason."""
        with suppress(ExportError):
            text = "".join(encode.text(Entry(self.puzzle, id="p"), encode.EncodeOptions(target)))
            assert text.isascii()

    def render(self, form: Any, **options: bool) -> None:
        """Pictures are made, or it is told why not."""
        file = scratch.folder() / "drawn"
        order = render_options.options_of(
            RenderRequest(to=form, not_unique="mark", **options), out=str(file), time_limit=SECONDS
        )
        done = encode.OutputSummary(on_problem=lambda verdict, entry, why: None)
        render.render_puzzles([Entry(self.puzzle, id="p")], order, quiet=True, summary=done)
        assert done.written + sum(done.problems.values()) == 1

    def generate(self, recipe: Recipe, seed: int) -> None:
        """What is made has one solution."""
        puzzles: list[GeneratedPuzzle | None] = []
        with suppress(LimitError, GenerationError):
            puzzles += generate_puzzles(replace(recipe, tries=2), seed, range(2))
        for made in puzzles:
            if made:
                other = Known(str(made.puzzle.board), made.puzzle.rules, made.puzzle.signs)
                other.told(1, True, [made.solution])
                for backend in ("backtracking", "pysat"):
                    other.solve(backend, 2)

    def lines(self) -> None:
        """Each line of a solution is one of the legal ones that complete it."""
        for line in self.puzzle.board.lines():
            legal = Lines(line.values, self.puzzle.rules)
            if self.boards:
                assert legal.count
                for board in self.boards:
                    full = (board.rows if line.direction == "row" else board.columns)[line.number]
                    assert legal[legal.index(full)] == full
            else:
                assert legal.count >= 0
