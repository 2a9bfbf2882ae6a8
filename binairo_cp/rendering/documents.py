"""Documents of puzzles and steps, with the rules if asked: values that templates lay out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

from binairo_cp.deduction.styles import Language, Style
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.puzzle.board import Board, Cell
from binairo_cp.puzzle.rules import TANGO, UNRULY, Puzzle, Sign
from binairo_cp.rendering import text_layout, texts
from binairo_cp.rendering.boards import Highlights, View
from binairo_cp.rendering.pages import LARGE, NORMAL, PageLayout, TypeSizes
from binairo_cp.rendering.pdf import picture
from binairo_cp.rendering.shapes import COLOURS, Ink
from binairo_cp.rendering.sheet import Item, Panel, PuzzlePanels, name_of, panel_caption

_START = "..10.0....111..."
_SIGNED_START = "0..............0"
_SOLUTION = "0110100100111100"
_SIGNS = (
    *(Sign(0, 1, "R", "="), Sign(1, 1, "D", "=")),
    *(Sign(2, 2, "R", "="), Sign(2, 0, "D", "x")),
)
"""A puzzle of four rows, without and with signs; its only solution under the weakest rules."""

_USUAL_TITLE = "Binairo"
_OPTIONS: dict[str, Any] = {
    **dict.fromkeys(("ids", "large", "plain", "left-handed", "blank-at-end"), False),
    "per-page": None,
    "answers": "end",
    "extras": [],
    "notes": 0,
    "least-cell": 0,
}


def document(
    kind: str,
    title: str,
    *,
    language: Language = "en",
    sizes: TypeSizes = NORMAL,
    colours: Mapping[Ink, str] | None = None,
    said: Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
    **others: Any,
) -> dict[str, Any]:
    """The values that all documents have.

    Args:
        kind: which pages the template makes: ``book``, ``puzzles`` or ``steps``.
        title: printed, and a property of the file.
        language: of the texts.
        sizes: of texts and cells.
        colours: inks that differ from the usual ones.
        said: texts that replace the usual ones.
        options: choices about the layout.
        others: the values that only this kind has.
    """
    inks = {**COLOURS, **(colours or {})}
    return {
        "kind": kind,
        "title": title,
        "author": "",
        "subject": "",
        "language": language,
        "colours": {ink: [*bytes.fromhex(colour[1:])] for ink, colour in inks.items()},
        "sizes": sizes,
        "texts": texts.all_said(language) | dict(said or {}),
        "options": _OPTIONS | dict(options or {}),
        **others,
    }


def puzzle_values(
    item: Item, words: Sequence[str], style: Style, *, solved: bool = False
) -> dict[str, Any]:
    """A puzzle as templates expect it."""
    board = item.puzzle.board

    def drawn(shown: Any) -> dict[str, Any]:
        return picture(View(item.puzzle, shown, style.symbols))

    answer = drawn(item.solution or board)
    return {
        "number": item.number,
        "id": item.id,
        "size": f"{board.height}x{board.width}",
        "words": list(words),
        "note": item.note(style),
        "level": LEVELS.index(item.level) + 1 if item.level else 0,
        "board": answer if solved else drawn(board),
        "answer": answer,
    }


def panel_values(caption: str, panel: Panel) -> dict[str, Any]:
    """A panel with its caption, as templates expect it."""
    return {
        "caption": caption,
        "picture": picture(panel.view()),
        "sentences": panel.sentences if panel.steps else [],
    }


def given_puzzles(items: Iterable[Item], layout: PageLayout) -> dict[str, Any]:
    """The document of puzzles that were given."""
    style = layout.style
    title = texts.said(texts.TEXTS["solutions"], style.language) if layout.solved else ""
    given = list(items)
    puzzles = [
        puzzle_values(item, item.words(style), style, solved=layout.solved) for item in given
    ]
    instructions = {"text": "", "height": 0.0}
    if (len(given) == 1 or layout.instructions) and not layout.solved:
        differ = len({item.puzzle.rules for item in given}) > 1
        said = texts.all_said(style.language)
        parts = paragraphs((item.puzzle for item in given), said, style, differ=differ)
        rules = " ".join(part["text"] for part in parts)
        if len(given) == 1:
            # A sheet of its own: large, without a number, and with the rules.
            layout = replace(layout, per_page=1)
            puzzles[0] |= {"alone": True, "rules": rules}
        else:
            size = (LARGE if layout.large else NORMAL)["caption"]
            lines = [*text_layout.wrap(rules, size, layout.paper.content_size[0])]
            instructions = {"text": rules, "height": 1.4 * size * (len(lines) + 1)}
    sections = [{"title": title, "note": "", "puzzles": puzzles}]
    return _given("puzzles", layout, sections=sections, instructions=instructions)


def given_steps(puzzles: list[PuzzlePanels], layout: PageLayout) -> dict[str, Any]:
    """The document of the steps of puzzles, each on pages of its own; hints share pages."""
    if all(len(panels) == 1 for _, panels in puzzles):
        parts = [
            {"title": "", "panels": [panel_values(_hint_caption(i, p[0]), p[0]) for i, p in group]}
            for _, group in groupby(puzzles, lambda pair: pair[0].puzzle.board.width)
        ]
    else:
        parts = [
            {
                "title": name_of(item, layout.style),
                "panels": [
                    panel_values(panel_caption(number, panel), panel)
                    for number, panel in enumerate(panels, 1)
                ],
            }
            for item, panels in puzzles
        ]
    return _given("steps", layout, parts=parts)


def _hint_caption(item: Item, panel: Panel) -> str:
    name = f"{item.number}. {item.id}" if item.id else f"{item.number}."
    return f"{name}: {panel.technique}" if panel.technique else name


def _given(kind: str, layout: PageLayout, **others: Any) -> dict[str, Any]:
    paper = layout.paper
    page = {"width": paper.width, "height": paper.height, "bleed": 0, "two-sided": False}
    names = {"per-page": "per_page", "answers": "answers", "ids": "ids", "large": "large"}
    return document(
        kind,
        layout.title or _USUAL_TITLE,
        language=layout.style.language,
        sizes=LARGE if layout.large else NORMAL,
        options={option: getattr(layout, name) for option, name in names.items()},
        page=page | dict.fromkeys(("inside", "outside", "top", "bottom"), paper.margin),
        head=layout.title,
        **others,
    )


class _Example(NamedTuple):
    """Rows of cells; those at the places in `broken` break the rule."""

    rows: str
    broken: tuple[int, ...] = ()
    signs: tuple[Sign, ...] = ()

    def drawn(self, style: Style) -> dict[str, Any]:
        """The board as templates expect it, and whether it is right."""
        height = self.rows.count("/") + 1
        values = self.rows.replace("/", "")
        board = Board(height, len(values) // height, values)
        cells = frozenset(Cell(*divmod(place, board.width)) for place in self.broken)
        marked = Highlights({}, frozenset(), frozenset(), broken=cells)
        puzzle = Puzzle(board, TANGO, self.signs)
        view = View(puzzle, board, style.symbols, marked, coordinates="none")
        return {"picture": picture(view), "is-right": not self.broken}


_PAIR = (Sign(0, 0, "R", "="), Sign(0, 2, "R", "x"))
_EXAMPLES: Mapping[str, tuple[_Example, ...]] = {
    "runs": (_Example("100101"), _Example("100011", (1, 2, 3))),
    "balance": (_Example("011010"), _Example("011011", (1, 2, 4, 5))),
    "odd": (_Example("01101"),),
    "distinct": (_Example("011010/010110"), _Example("011010/011010", tuple(range(12)))),
    "signs": (_Example("0010", (), _PAIR), _Example("0110", (0, 1), _PAIR)),
}


def paragraphs(
    puzzles: Iterable[Puzzle], said: Mapping[str, str], style: Style, *, differ: bool
) -> Iterator[dict[str, Any]]:
    """The rules that hold for puzzles, each as a text and its boards.

    Args:
        puzzles: all puzzles of the book.
        said: the texts of the book.
        style: how symbols are drawn, and what they are called.
        differ: whether the rules of some puzzles are named above them.
    """
    given = list(puzzles)
    boards = [puzzle.board for puzzle in given]
    holds = {
        "odd": any(board.height % 2 or board.width % 2 for board in boards),
        "distinct": any(puzzle.rules.distinct_lines for puzzle in given),
        "signs": any(puzzle.signs for puzzle in given),
        "differ": differ,
    }
    zeros, ones = texts.symbol_names(style)
    for name in ("goal", "runs", "balance", "odd", "distinct", "signs", "unique", "differ"):
        if holds.get(name, True) and said[name]:
            examples = [example.drawn(style) for example in _EXAMPLES.get(name, ())]
            text = texts.elided(said[name].format(zeros=zeros, ones=ones), style.language)
            yield {"text": text, "boards": examples}


def solved_example(style: Style, *, signed: bool) -> list[dict[str, Any]]:
    """A small puzzle, and its solution."""
    rules, signs = (TANGO, _SIGNS) if signed else (UNRULY, ())
    puzzle = Puzzle(Board(4, 4, _SIGNED_START if signed else _START), rules, signs)
    boards = (puzzle.board, Board(4, 4, _SOLUTION))
    return [picture(View(puzzle, board, style.symbols)) for board in boards]
