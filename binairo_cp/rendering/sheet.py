"""Puzzles to draw, their solving steps as panels, and the manifest of a book."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from binairo_cp.deduction.claims import holds
from binairo_cp.deduction.driver import Contradictory
from binairo_cp.deduction.hints import closing_sentence, steps_of
from binairo_cp.deduction.position import Position
from binairo_cp.deduction.steps import Step, values_of
from binairo_cp.deduction.styles import USUAL, Style
from binairo_cp.deduction.wording import Number
from binairo_cp.errors import RenderError
from binairo_cp.formats import Entry
from binairo_cp.formats.results import Level, stated
from binairo_cp.json_library import orjson
from binairo_cp.puzzle.board import OPEN, Board, filled
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.rendering import texts
from binairo_cp.rendering.boards import Highlights, View
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.solutions import Verdict
from binairo_cp.workers.terminal import option

COLUMNS = (
    *("number", "id", "height", "width", "rules", "signs", "clues", "verdict", "solution", "grade"),
    *("file", "page", "answer_page"),
)

ManifestRow = dict[str, object]
"""A printed puzzle; values that are unknown are None."""

_MAX_CELLS = 400_000
"""If the panels of single steps would have more cells in total, a panel shows several steps, as
long as their sentences are true of its board."""


@dataclass(frozen=True, slots=True)
class Item:
    """A puzzle to draw.

    Attributes:
        number: its place among the drawn puzzles, from 1.
        verdict: the result of solving it; None if it was not solved.
        solution: a solution; the only one if the verdict is unique.
        level: its grade; None if it was not graded.
        seconds: the time left to spend on it; None without a limit.
    """

    puzzle: Puzzle
    id: str
    entry: Entry
    number: int = 0
    verdict: Verdict | None = None
    solution: Board | None = None
    level: Level | None = None
    seconds: float | None = None

    def note(self, style: Style = USUAL) -> str:
        """Why it is not a proper puzzle, in two words; empty if unique or not solved."""
        return texts.note(self.verdict.value, style.language) if self.verdict else ""

    def words(
        self, style: Style = USUAL, *, names_rules: bool = True, names_level: bool = True
    ) -> list[str]:
        """The parts of its caption: its grade, its unusual rules, its note."""
        level = self.level if names_level else None
        grade = texts.said(texts.LEVELS[level], style.language) if level else ""
        rules = texts.rules_caption(self.puzzle, style) if names_rules else ""
        return [part for part in (grade, rules, self.note(style)) if part]


@dataclass(frozen=True, slots=True)
class Panel:
    """A board and the steps that follow from it.

    Attributes:
        steps: the steps; empty on the last panel.
        end: the sentence on the last panel.
    """

    puzzle: Puzzle
    board: Board
    steps: list[Step]
    end: str = ""
    style: Style = USUAL

    @property
    def sentences(self) -> list[str]:
        """The reasons of the steps, as sentences; those of a single step with its chain."""
        if len(self.steps) == 1:
            return [line.strip() for line in str(self.steps[0]).splitlines()]
        return [step.sentence for step in self.steps] or [self.end]

    @property
    def technique(self) -> str:
        """The name of the technique of the first step; empty on the last panel."""
        return self.steps[0].name if self.steps else ""

    def view(self, name: str = "") -> View:
        """Return the board with the steps highlighted."""
        highlights = Highlights.of(self.steps) if self.steps else None
        _, symbols, coordinates = self.style
        return View(self.puzzle, self.board, symbols, highlights, name, coordinates)


def hint(item: Item, style: Style = USUAL) -> Panel:
    """Return the panel of the next step.

    Raises:
        Contradictory: the clues contradict the rules.
        BudgetExceeded: the time ran out.
    """
    steps = [step.in_style(style) for step in islice(_steps(item), 1)]
    board = item.puzzle.board
    return Panel(item.puzzle, board, steps, _closing_sentence(board, style), style)


def path(item: Item, style: Style = USUAL) -> list[Panel]:
    """Return the panels of all steps, several on a panel if there are too many, and a last one.

    Raises:
        Contradictory: the clues contradict the rules.
        BudgetExceeded: the time ran out.
    """
    steps = [step.in_style(style) for step in _steps(item)]
    too_many = len(steps) * len(item.puzzle.board.cells) > _MAX_CELLS
    parts = list(_together(item.puzzle, steps)) if too_many else [[step] for step in steps]
    panels, board = list[Panel](), item.puzzle.board
    for part in parts:
        panels.append(Panel(item.puzzle, board, part, style=style))
        board = filled(board, values_of(part))
    for violation in violations(item.puzzle, board):
        raise Contradictory(violation.message)
    return [*panels, Panel(item.puzzle, board, [], _closing_sentence(board, style), style)]


def _steps(item: Item) -> Iterator[Step]:
    solution = item.solution if item.verdict is Verdict.UNIQUE else None
    return steps_of(item.puzzle, solution, Meter(Budget(item.seconds)))


def _together(puzzle: Puzzle, steps: list[Step]) -> Iterator[list[Step]]:
    """Steps whose sentences are all true of the same board."""
    position, part = Position(puzzle, puzzle.board), list[Step]()
    for step in steps:
        if part and not holds(step, position):
            yield part
            position, part = position.with_values(values_of(part)), []
        part.append(step)
    if part:
        yield part


def _closing_sentence(board: Board, style: Style) -> str:
    left = board.cells.count(OPEN)
    return closing_sentence("cells left" if left else "solved", style, left=Number(left))


PuzzlePanels = tuple[Item, list[Panel]]
"""A puzzle and the panels that show its steps."""


def name_of(item: Item, style: Style = USUAL) -> str:
    """Return a puzzle's number, name, grade, unusual rules and note."""
    name = f"{item.number}. {item.id}" if item.id else str(item.number)
    return ", ".join([name, *item.words(style)])


def panel_caption(number: int, panel: Panel) -> str:
    """Return the caption above a panel."""
    return f"{number}. {panel.technique}" if panel.technique else panel.end


def row(item: Item, file: str | None, page: int | None, answer_page: int | None) -> ManifestRow:
    """Return the row of a puzzle in the book with a name."""
    puzzle, rules = item.puzzle, stated(item.puzzle)
    return {
        "number": item.number,
        "id": item.id,
        "height": puzzle.board.height,
        "width": puzzle.board.width,
        "rules": rules if isinstance(rules, str) else _fields(asdict(rules)),
        "signs": " ".join(map(str, puzzle.signs)),
        "clues": puzzle.board.cells,
        "verdict": item.verdict and item.verdict.value,
        "solution": item.solution and item.solution.cells,
        "grade": item.level,
        "file": file,
        "page": page,
        "answer_page": answer_page,
    }


def _fields(rules: dict[str, object]) -> str:
    """Rules without a name, written as in the text format."""
    words = {True: "yes", False: "no"}
    return " ".join(
        f"{name}={words[value] if isinstance(value, bool) else value}"
        for name, value in rules.items()
    )


def check_name(path: str) -> None:
    """Reject the name of a manifest without a known extension.

    Raises:
        RenderError: the name has none of the known extensions.
    """
    if Path(path).suffix.lower() not in (".csv", ".json", ".ndjson"):
        raise RenderError(
            f"{option('manifest', path)}: expected a name that ends in .csv, .json or .ndjson"
        )


def text(rows: list[ManifestRow], path: str) -> str:
    """Return the rows as CSV, JSON or NDJSON, according to the extension of the file name."""
    suffix = Path(path).suffix.lower()
    if suffix == ".ndjson":
        return "".join(f"{orjson.dumps(record).decode()}\n" for record in rows)
    if suffix == ".json":
        return orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode() + "\n"
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
