"""Documents of puzzles and steps, described as the values that templates lay out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from binairo_cp.deduction.styles import Language, Style
from binairo_cp.rendering import rules_page, texts
from binairo_cp.rendering.boards import View, draw
from binairo_cp.rendering.pages import LARGE, NORMAL, PageLayout, TypeSizes
from binairo_cp.rendering.pdf import picture
from binairo_cp.rendering.shapes import COLOURS, Ink
from binairo_cp.rendering.sheet import Item, Panel, PuzzlePanels, name_of, panel_caption

_USUAL_TITLE = "Binairo"
_OPTIONS: dict[str, Any] = {
    "per-page": None,
    "answers": "end",
    "ids": False,
    "large": False,
    "plain": False,
    "left-handed": False,
    "notes": 0,
    "blank-at-end": False,
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
        return picture(draw(View(item.puzzle, shown, style.symbols)))

    answer = drawn(item.solution or board)
    return {
        "number": item.number,
        "id": item.id,
        "size": f"{board.height}x{board.width}",
        "words": list(words),
        "note": item.note(style),
        "board": answer if solved else drawn(board),
        "answer": answer,
    }


def panel_values(caption: str, panel: Panel) -> dict[str, Any]:
    """A panel with its caption, as templates expect it."""
    return {
        "caption": caption,
        "picture": picture(draw(panel.view())),
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
    if len(given) == 1 and not layout.solved:
        said = texts.all_said(style.language)
        parts = rules_page.paragraphs([given[0].puzzle], said, style, differ=False)
        # A sheet of its own: large, without a number, and with the rules.
        layout = replace(layout, per_page=1)
        puzzles[0] |= {"alone": True, "rules": " ".join(each["text"] for each in parts)}
    return _given("puzzles", layout, sections=[{"title": title, "note": "", "puzzles": puzzles}])


def given_steps(puzzles: list[PuzzlePanels], layout: PageLayout) -> dict[str, Any]:
    """The document of the steps of puzzles, each on pages of its own; hints share pages."""
    if all(len(panels) == 1 for _, panels in puzzles):
        groups = [
            {"title": "", "panels": [panel_values(_hint_caption(i, p[0]), p[0]) for i, p in group]}
            for _, group in groupby(puzzles, lambda each: each[0].puzzle.board.width)
        ]
    else:
        groups = [
            {
                "title": name_of(item, layout.style),
                "panels": [
                    panel_values(panel_caption(number, panel), panel)
                    for number, panel in enumerate(panels, 1)
                ],
            }
            for item, panels in puzzles
        ]
    return _given("steps", layout, groups=groups)


def _hint_caption(item: Item, panel: Panel) -> str:
    name = f"{item.number}. {item.id}" if item.id else f"{item.number}."
    return f"{name}: {panel.technique}" if panel.technique else name


def _given(kind: str, layout: PageLayout, **others: Any) -> dict[str, Any]:
    paper = layout.paper
    margins = dict.fromkeys(("inside", "outside", "top", "bottom"), paper.margin)
    return document(
        kind,
        layout.title or _USUAL_TITLE,
        language=layout.style.language,
        sizes=LARGE if layout.large else NORMAL,
        options={
            "per-page": layout.per_page,
            "answers": layout.answers,
            "ids": layout.ids,
            "large": layout.large,
        },
        page={
            "width": paper.width,
            "height": paper.height,
            "bleed": 0,
            "two-sided": False,
            **margins,
        },
        head=layout.title,
        **others,
    )
