"""Check drawn files by reading them back with code that shares nothing with the painters."""

import ast
import io
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from html.parser import HTMLParser
from itertools import chain, combinations, pairwise
from math import hypot
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

import pypdf
import pytest
from fontTools.ttLib import TTFont
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from typer.testing import CliRunner

from binairo_cp import CLASSIC, Board, Puzzle, Rules, Sign, check, cli, render
from binairo_cp.batch import drawing
from binairo_cp.batch.drawing import PreparationOptions
from binairo_cp.batch.summaries import OutputSummary
from binairo_cp.deduction import wording
from binairo_cp.deduction.styles import CHARACTERS, Style, Symbols
from binairo_cp.errors import RenderError
from binairo_cp.formats import Entry, read_sources
from binairo_cp.puzzle.rules import violations
from binairo_cp.rendering import pdf, png, sheet, svg, terminal, text_layout, texts
from binairo_cp.rendering.boards import _SIGN, View, draw, figure
from binairo_cp.rendering.documents import given_puzzles, given_steps
from binairo_cp.rendering.pages import SIZES, Answers, PageLayout, paper
from binairo_cp.rendering.shapes import MOST_CELLS, Rect, Text
from binairo_cp.rendering.sheet import Item
from binairo_cp.rendering.text_layout import BUILT_IN
from binairo_cp.solving.solutions import Verdict
from build_tools import text_symbols
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE, binairo, call, invoke
from tests.support.strategies import puzzles

PUZZLES = "instances/classic/06x06-hard.txt"
SIGNED = "instances/signs/06x06-easy.txt"
SYMBOLS: tuple[Symbols, ...] = get_args(Symbols)
ONE = f"{UNIQUE} one\n"
NAMESPACE = "{http://www.w3.org/2000/svg}"


def read(name: str) -> list[Entry]:
    return list(read_sources([name]))


def first(name: str) -> Puzzle:
    puzzle = read(name)[0].puzzle
    assert puzzle
    return puzzle


def item(puzzle: Puzzle, number: int = 1, id: str = "some") -> Item:
    return Item(puzzle, id, Entry(puzzle, id=id), number)


# --- SVG -----------------------------------------------------------------------------------------


def groups(text: str) -> Iterator[tuple[dict[str, str], list[ElementTree.Element]]]:
    """Yield the styles of an SVG document, each with its shapes."""
    for group in ElementTree.fromstring(text).findall(f"{NAMESPACE}g"):
        yield group.attrib, list(group)


def values_in(text: str) -> dict[tuple[int, int], str]:
    """Return the values in the cells of a drawn board without row and column numbers."""
    found = {}
    for style, shapes in groups(text):
        for shape in shapes:
            kind = shape.tag.removeprefix(NAMESPACE)
            at = shape.attrib
            if kind == "text" and style["font-size"] == "6.2":
                # The baseline is below the middle of the digit.
                value = (shape.text or "").translate(str.maketrans("AB", "01"))
                found[cell_at(float(at["x"]), float(at["y"]) - 2)] = value
            elif kind == "polygon":
                points = [tuple(map(float, pair.split(","))) for pair in at["points"].split()]
                x, y = (sum(each) / len(points) for each in zip(*points, strict=True))
                # A moon is one curve, and a heart has two halves.
                found[cell_at(x, y)] = "0" if len(points) == 72 else "1"
            elif kind == "path" and style["stroke-width"] == "0.56":
                corners = re.findall("M([^ ]+) ([^L]+)", at["d"])
                for star in zip(*[iter(corners)] * 10, strict=True):
                    x, y = (sum(map(float, each)) / 10 for each in zip(*star, strict=True))
                    found[cell_at(x, y)] = "1"
            elif kind == "rect" and float(at["width"]) < 6:
                x, y = (float(at[side]) + float(at["width"]) / 2 for side in "xy")
                found[cell_at(x, y)] = "0" if style["fill"] == "#ffffff" else "1"
            elif kind == "circle" and (style["fill"] == "#000000" or "stroke" in style):
                white = style["fill"] == "#ffffff"
                found[cell_at(float(at["cx"]), float(at["cy"]))] = "0" if white else "1"
    return found


def cell_at(x: float, y: float) -> tuple[int, int]:
    return int((y - 1) // 10), int((x - 1) // 10)


def signs_in(text: str) -> set[Sign]:
    found = set()
    for style, shapes in groups(text):
        for shape in shapes:
            if style.get("stroke-width") != "0.44":
                continue
            numbers = [float(each) for each in re.findall(r"[-\d.]+", shape.attrib["d"])]
            assert len(numbers) == 8
            x, y = sum(numbers[::2]) / 4 - 1, sum(numbers[1::2]) / 4 - 1
            relation = "=" if numbers[1] == numbers[3] else "x"
            if abs(x / 10 - round(x / 10)) < 0.01:
                found.add(Sign(int(y // 10), round(x / 10) - 1, "R", relation))
            else:
                found.add(Sign(round(y / 10) - 1, int(x // 10), "D", relation))
    return found


@given(puzzles(), st.sampled_from(SYMBOLS))
def test_svg_shows_the_puzzle(puzzle: Puzzle, symbols: Symbols) -> None:
    text = svg.paint(draw(View(puzzle, puzzle.board, symbols)), 4)
    assert values_in(text) == dict(puzzle.board.clues())
    assert signs_in(text) == set(puzzle.signs)


@pytest.mark.parametrize("symbols", SYMBOLS)
def test_a_solution_has_shaded_clues(symbols: Symbols) -> None:
    puzzle = first(SIGNED)
    solution = check(puzzle).solution
    text = svg.paint(draw(View(puzzle, solution, symbols)), 4)
    assert values_in(text) == dict(solution.clues())
    assert rectangles(text, "#dedede") == {cell for cell, _ in puzzle.board.clues()}


def rectangles(text: str, fill: str) -> set[tuple[int, int]]:
    return {
        cell_at(float(each.attrib["x"]) + 5, float(each.attrib["y"]) + 5)
        for style, shapes in groups(text)
        if style.get("fill") == fill
        for each in shapes
    }


def test_a_hint_highlights_its_cells_and_gives_the_reason() -> None:
    puzzle = first(PUZZLES)
    panel = sheet.hint(item(puzzle))
    (step,) = panel.steps
    code, out, _ = call("render", "-", "--to", "svg", "--hint", "-q", input=str_of(puzzle))
    assert code == 0
    shift = 7.5  # space for the row and column numbers
    moved = {
        fill: {
            cell_at(float(each.attrib["x"]) + 5 - shift, float(each.attrib["y"]) + 5 - shift)
            for style, shapes in groups(out)
            if style.get("fill") == fill
            for each in shapes
        }
        for fill in ("#ffd54a", "#cfe3f7")
    }
    assert moved["#ffd54a"] == set(step.values)
    assert moved["#cfe3f7"] == set(step.reason) - set(step.values)
    texts = [each.text or "" for _, shapes in groups(out) for each in shapes]
    assert step.sentence in " ".join(texts)


def str_of(puzzle: Puzzle) -> str:
    return f"{puzzle.board.cells} one\n"


@given(st.text())
def test_any_name_gives_valid_xml(name: str) -> None:
    puzzle = Puzzle(Board.parse("01 10"))
    root = ElementTree.fromstring(svg.paint(draw(View(puzzle, puzzle.board, name=name)), 1))
    title = root.find(f"{NAMESPACE}title")
    assert (title is not None) == bool(name)
    description = root.find(f"{NAMESPACE}desc")
    assert "01 / 10" in (description.text or "")
    assert {"viewBox", "width", "height", "role"} <= set(root.attrib)


# --- PNG -----------------------------------------------------------------------------------------


@given(puzzles(), st.integers(12, 50))
def test_png_shows_the_puzzle(puzzle: Puzzle, cell: int) -> None:
    content = png.paint(draw(View(puzzle, puzzle.board, "circles")), cell)
    image = Image.open(io.BytesIO(content)).convert("RGB")
    board = puzzle.board
    assert image.size == (round((board.width + 0.2) * cell), round((board.height + 0.2) * cell))
    for k, value in enumerate(board.cells):
        row, column = divmod(k, board.width)
        middle = image.getpixel((int((column + 0.6) * cell), int((row + 0.6) * cell)))
        rim = image.getpixel((int((column + 0.6 + 0.29) * cell), int((row + 0.6) * cell)))
        assert isinstance(middle, tuple)
        assert isinstance(rim, tuple)
        assert (sum(middle) < 100) == (value == "1")
        if value == "0" and not puzzle.signs:
            assert sum(rim) < 500
    border = image.getpixel((image.width // 2, int(0.1 * cell)))
    assert isinstance(border, tuple)
    assert sum(border) < 200


def test_png_of_the_largest_board_is_bounded() -> None:
    puzzle = Puzzle(Board.empty(255, 255))
    picture = draw(View(puzzle, puzzle.board))
    image = Image.open(io.BytesIO(png.paint(picture, None)))
    assert image.width * image.height <= png.MOST_PIXELS
    assert image.width > 3000
    with pytest.raises(RenderError, match=r"expected at most 16,000,000 \(15 per cell\)"):
        png.paint(picture, 100)


# --- PDF -----------------------------------------------------------------------------------------


def rendered_pdf(*arguments: str, input: str | None = None) -> pypdf.PdfReader:
    """Run render with PDF on standard output, and read the result."""
    done = CliRunner().invoke(cli.app, ["render", "--to", "pdf", "-q", *arguments], input=input)
    assert (done.exit_code, done.stderr) == (0, "")
    return pypdf.PdfReader(io.BytesIO(done.stdout_bytes))


def embedded_fonts(reader: pypdf.PdfReader) -> bool:
    """Whether there are fonts, and the file contains all of them."""
    resources = (page.get("/Resources", {}) for page in reader.pages)
    fonts = [font for each in resources for font in each.get("/Font", {}).values()]
    inner = [font.get_object()["/DescendantFonts"][0].get_object() for font in fonts]
    return bool(inner) and all("/FontFile2" in font["/FontDescriptor"] for font in inner)


def words(page: pypdf.PageObject) -> list[str]:
    return page.extract_text().split()


def test_a_book_has_numbers_grades_answers_and_embedded_fonts() -> None:
    reader = rendered_pdf(PUZZLES, "--grade", "--title", "A title", "--ids")
    puzzles, answers = reader.pages
    text = " ".join(words(puzzles))
    assert "A title" in text
    assert "Answers" not in text
    for number, grade in enumerate(["expert", "expert", "hard", "hard", "hard"], 1):
        assert f"{number}" in words(puzzles)
        assert f"{number} {grade} classic-6x6-hard-{number} " in text
    assert {"A", "title", "Answers", "1", "2", "3", "4", "5"} <= set(words(answers))
    assert embedded_fonts(reader)
    assert [entry["/Title"] for entry in reader.outline] == ["Puzzles", "Answers"]  # type: ignore[index,call-overload]
    assert reader.metadata.title == "A title"
    assert [round(float(side)) for side in puzzles.mediabox[2:]] == [595, 842]


def typeset(given: list[Item], layout: PageLayout) -> pdf.Printed:
    with pdf.typesetter() as setter:
        return setter.typeset(given_puzzles(given, layout))


Box = tuple[float, float, float, float]


def placed(page: pypdf.PageObject) -> tuple[list[tuple[float, float, str]], list[Box]]:
    """The texts of a page with their places, and its outlined rectangles; y points down."""
    height = float(page.mediabox.height)
    said: list[tuple[float, float, str]] = []
    boxes: list[Box] = []
    points: list[tuple[float, float]] = []
    starts: list[bool] = []

    def visit_text(text: str, cm: list[float], tm: list[float], *_: object) -> None:
        if text.strip():
            place = cm[4] + cm[0] * tm[4], height - cm[5] - cm[3] * tm[5]
            said.append((*place, text.strip("\n").rstrip()))

    def visit(operator: bytes, numbers: list[float], cm: list[float], _: object) -> None:
        if operator in (b"m", b"l"):
            # The lines of a grid are one path too, with many starts.
            starts.append(operator == b"m")
            x, y = map(float, numbers)
            points.append((cm[4] + cm[0] * x, height - cm[5] - cm[3] * y))
        elif operator in (b"S", b"s", b"f", b"n", b"W"):
            if operator == b"S" and starts == [True, False, False, False]:
                xs, ys = zip(*points, strict=True)
                boxes.append((min(xs), min(ys), max(xs), max(ys)))
            points.clear()
            starts.clear()

    page.extract_text(visitor_text=visit_text, visitor_operand_before=visit)
    return said, boxes


def pages_of(printed: pdf.Printed) -> list[pypdf.PageObject]:
    return list(pypdf.PdfReader(io.BytesIO(printed.content)).pages)


@given(puzzles(), st.booleans())
def test_a_page_shows_the_board(puzzle: Puzzle, large: bool) -> None:
    layout = PageLayout(paper("a5", 10), answers="none", large=large)
    (page,) = pages_of(typeset([item(puzzle)], layout))
    said, boxes = placed(page)
    left, top, right, bottom = max(boxes, key=lambda box: box[2] - box[0])
    cell = (right - left) / puzzle.board.width
    found = {
        (int((y - 0.01 - top) / cell), int((x - left) / cell) + k): value
        for x, y, text in said
        if left < x < right and top < y < bottom
        # The reader puts a space before each digit that is far from the one before.
        for k, value in enumerate(re.sub("(?<=[01]) ", "", text))
        if value != " "
    }
    assert found == dict(puzzle.board.clues())


@pytest.mark.parametrize(("options", "pages"), [
    ([], 2),
    (["--per-page", "2"], 4),
    (["--per-page", "1", "--answers", "none"], 5),
    (["--per-page", "2", "--answers", "back"], 6),
    (["--per-page", "5", "--solution"], 1),
    (["--large"], 4),
    (["--page", "a6", "--margin", "5"], 4),
    (["--page", "8.5x11in"], 2),
])  # fmt: skip
def test_number_of_pages(options: list[str], pages: int) -> None:
    reader = rendered_pdf(PUZZLES, *options)
    assert len(reader.pages) == pages
    assert [words(page)[-1] for page in reader.pages] == [str(k + 1) for k in range(pages)]


boards = st.lists(
    st.tuples(st.integers(1, 40), st.integers(1, 40)).map(lambda s: Puzzle(Board.empty(*s))),
    min_size=1,
    max_size=12,
)


@given(
    boards,
    st.sampled_from(["a3", "a4", "a5", "letter", "297x210mm", "6x9in"]),
    st.integers(0, 20),
    st.sampled_from([None, 1, 2, 3, 4, 6, 9]),
    st.sampled_from(["end", "back", "none"]),
    st.booleans(),
)
def test_nothing_overlaps_or_leaves_the_page(
    given: list[Puzzle], size: str, margin: int, per_page: int | None, answers: Answers, large: bool
) -> None:
    sheets = paper(size, margin)
    layout = PageLayout(sheets, per_page, answers, "A long title " * 9, large=large, ids=True)
    numbered = [
        replace(item(puzzle, number, "a name " * number), level="beyond logic")
        for number, puzzle in enumerate(given, 1)
    ]
    printed = typeset(numbered, layout)
    assert list(printed.puzzles) == [each.number for each in numbered]
    assert list(printed.answers) == (
        [] if answers == "none" else [each.number for each in numbered]
    )
    assert not per_page or max(Counter(printed.puzzles.values()).values()) <= per_page
    pages = pages_of(printed)
    assert len(pages) == printed.pages
    inside, outside = layout.paper.margin - 0.01, layout.paper
    for page in pages:
        _, boxes = placed(page)
        for left, top, right, bottom in boxes:
            assert left >= inside
            assert top >= inside
            assert right <= outside.width - inside
            assert bottom <= outside.height - inside
        for one, two in combinations(boxes, 2):
            assert one[2] <= two[0] or two[2] <= one[0] or one[3] <= two[1] or two[3] <= one[1]


def test_a_wide_answer_does_not_set_the_gaps_of_the_next_row() -> None:
    """It fills its row, so that no gap is left in it."""
    layout = PageLayout(paper("a4", 20), large=True)
    boards = [Board.empty(1, 40), Board.empty(1, 1), Board.empty(1, 1)]
    items = [item(Puzzle(board), number) for number, board in enumerate(boards, 1)]
    _, (_, left, right) = placed(pages_of(typeset(items, layout))[-1])
    assert right[0] > left[2] + 1


@given(st.text(st.characters(min_codepoint=32, max_codepoint=500)), st.floats(5, 500))
def test_wrapped_lines_fit(text: str, max_width: float) -> None:
    lines = list(text_layout.wrap(text, 10, max_width))
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(text_layout.text_width(line, 10) <= max_width or len(line) == 1 for line in lines)
    short = text_layout.shorten(text, 10, max_width)
    assert short == text or text_layout.text_width(short, 10) <= max_width or short == "\u2026"


@pytest.mark.parametrize("max_width", range(55, 200, 7))
def test_japanese_lines_keep_numbers_and_brackets(max_width: int) -> None:
    text = "3 行目は01011、10011か10101です。だから「ちょっと」は、r3c7。"
    lines = list(text_layout.wrap(text, 10, max_width))
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert re.findall(r"\w+", "|".join(lines), re.ASCII) == re.findall(r"\w+", text, re.ASCII)
    assert not any(re.match("[、。」ょっ]", line) or line.endswith("「") for line in lines)


def test_text_width_is_an_upper_bound() -> None:
    for file in text_layout.typeface(None):
        with TTFont(file) as font:
            glyphs, widths = font.getBestCmap(), font["hmtx"]
            for code in range(32, 127):
                real = 1000 * widths[glyphs[code]][0] / font["head"].unitsPerEm
                assert real <= text_layout.text_width(chr(code), 1000) + 1, chr(code)


# --- puzzles that are not unique -----------------------------------------------------------------


def test_puzzles_that_are_not_unique_are_reported_and_skipped() -> None:
    text = f"{UNIQUE} good\n{MULTIPLE} many\n{NONE} none\n"
    code, out, err = call("render", "-", "--solution", "-f", "line", input=text)
    assert code == 1
    assert "-:2: many: has several solutions" in err
    assert "-:3: none: has no solution" in err
    assert "3 puzzles: 1 written" in err
    assert (out.count("good"), out.count("many")) == (1, 0)
    assert read_text(out) == [KNOWN]


def test_puzzles_that_are_not_unique_can_be_marked() -> None:
    text = f"{MULTIPLE} many\n{NONE} none\n"
    reader = rendered_pdf("-", "-f", "line", "--not-unique", "mark", input=text)
    page = " ".join(words(reader.pages[0]))
    assert "several solutions" in page
    assert "no solution" in page
    assert "1 several solutions" in " ".join(words(reader.pages[1]))


def test_invalid_and_undecided_puzzles_are_reported() -> None:
    text = f"{MULTIPLE} many\n{UNIQUE}x broken\n{UNIQUE} good\n"
    code, out, err = call("render", "-", "--solution", "-f", "line", input=text)
    assert code == 2
    assert "-:2:37:" in err
    assert read_text(out) == [KNOWN]
    open_board = "." * 10_000 + "\n"
    options = ["-f", "line", "--time-limit", "0", "--solution"]
    code, _, err = call("render", "-", *options, input=open_board)
    assert code == 3
    assert "was not solved within the time limit" in err


def read_text(out: str) -> list[str]:
    """Return the boards in boxes, without the signs between rows."""
    found, rows = [], []
    for line in out.splitlines():
        if line.startswith("│"):
            rows.append(line.strip("│").replace("·", ".").replace(" ", ""))
        elif line.startswith("└"):
            found.append("".join(rows))
            rows = []
    return found


@given(puzzles(st.just(CLASSIC)))
def test_text_shows_the_puzzle(puzzle: Puzzle) -> None:
    from binairo_cp.rendering import terminal

    lines = terminal.draw(View(puzzle, puzzle.board), colour=False).splitlines()[1:-1]
    assert len({len(line) for line in lines}) == 1
    below = {sign.row for sign in puzzle.signs if sign.direction == "D"}
    rows = iter(lines)
    for row in range(puzzle.board.height):
        line = next(rows)[2:-2]
        assert line[::2].replace("·", ".") == puzzle.board.rows[row]
        across = {k for k, sign in enumerate(line[1::2]) if sign != " "}
        assert across == {s.column for s in puzzle.signs if s.direction == "R" and s.row == row}
        if row in below:
            signs = {k: sign for k, sign in enumerate(next(rows)[2:-2:2]) if sign != " "}
            down = [s for s in puzzle.signs if s.direction == "D" and s.row == row]
            assert signs == {s.column: s.relation.replace("x", "×") for s in down}
    assert next(rows, None) is None


def prepared(entries: list[Entry], options: PreparationOptions) -> tuple[list[Item], OutputSummary]:
    done = OutputSummary()
    return list(drawing.prepare(entries, options, done)), done


def some_entries() -> list[Entry]:
    texts = [UNIQUE, MULTIPLE, NONE, KNOWN]
    own = [Entry(Puzzle(Board(6, 6, text)), id=str(k)) for k, text in enumerate(texts)]
    names = ["benchmarks/data/irreducible-10x10.line", "instances/rectangular/04x06-easy.line"]
    files = [entry for name in (*names, SIGNED) for entry in read(name)[:30]]
    odd = [Entry(Puzzle(Board.parse("0.1 ... 1.."), Rules(odd="zeros")), id="odd")]
    return [*own, *files, *odd]


def test_puzzles_are_solved_and_graded() -> None:
    found, _ = prepared(some_entries(), PreparationOptions(solved=True, graded=True, marked=True))
    assert len(found) == len(some_entries())
    for item in found:
        assert item.verdict is check(item.puzzle).verdict
        assert (item.level is None) == (item.verdict is not Verdict.UNIQUE)
        assert not item.solution or not violations(item.puzzle, item.solution)


# --- steps ---------------------------------------------------------------------------------------


def test_panels_lead_to_the_solution() -> None:
    for name in (PUZZLES, SIGNED):
        puzzle = first(name)
        path = sheet.path(item(puzzle))
        assert path[0].board == puzzle.board
        assert path[-1].board == check(puzzle).solution
        assert path[-1].sentences == ["Solved."]
        for one, two in pairwise(path):
            changed = {cell for step in one.steps for cell in step.values}
            assert set(one.board.differences(two.board)) == changed != set()


def test_long_paths_show_several_steps_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = first(PUZZLES)
    steps = sheet.path(item(puzzle))
    monkeypatch.setattr(sheet, "_MAX_CELLS", 100)
    parts = sheet.path(item(puzzle))
    assert 1 < len(parts) < len(steps)
    assert parts[-1] == steps[-1]
    assert [s for p in parts for s in p.steps] == [s for p in steps for s in p.steps]


def test_the_last_panel_counts_the_cells_left() -> None:
    open_board = sheet.path(item(Puzzle(Board.empty(2, 2))))
    assert open_board[-1].end == "No technique finds a next step; four cells are left."


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def test_steps_as_one_html_file() -> None:
    name = '<script>alert("x")</script>&'
    puzzle = first(PUZZLES)
    path = sheet.path(item(puzzle))
    text = "".join(svg.page([(item(puzzle, id=name), path)], name, Style()))
    page = _Page()
    page.feed(text)
    assert "script" not in page.tags
    assert page.tags.count("svg") == len(path)
    assert page.text.count(name) == 3
    assert not {name for name, _ in page.attributes} & {"src", "href", "onload", "onclick"}
    assert set(re.findall(r"https?://[^\"<]*", text)) == {"http://www.w3.org/2000/svg"}
    assert "@import" not in text
    assert "url(" not in text
    for panel in path[:-1]:
        assert all(sentence in page.text for sentence in panel.sentences)
    assert "prefers-color-scheme: dark" in text
    assert ("name", "viewport") in page.attributes
    used = set(re.findall(r"var\(--(\w+)\)", text))
    assert used <= set(re.findall(r"--(\w+):", text))


def test_a_chain_has_numbers_and_two_colours() -> None:
    path = sheet.path(item(first("instances/classic/06x06-hard.txt")))
    panel = next(panel for panel in path if panel.technique == "contradiction")
    chain = panel.steps[0].chain
    assert chain
    picture = draw(panel.view())
    fills = {
        ink: {cell_at(s.x + 5 - 8.5, s.y + 5 - 8.5) for s in picture.shapes if is_square(s, ink)}
        for ink in ("filled", "supposed", "broken")
    }
    assert fills["filled"] == {chain.cell}
    assert fills["broken"] == {*chain.broken.cells} - {chain.cell}
    assert fills["supposed"] == chain.values.keys() - {chain.cell}
    numbers = {
        cell_at(s.x - 6.5, s.y - 6.5): int(s.text)
        for s in picture.shapes
        if isinstance(s, Text) and s.anchor == "start"
    }
    assert numbers == {cell: n for n, step in enumerate(chain.steps, 1) for cell in step.values}
    text = terminal.draw(panel.view(), colour=False)
    assert text.count("!") >= len(chain.broken.cells) - 1
    assert f"?{chain.value}?" in text
    assert len(panel.sentences) == len(chain.steps) + 2


def is_square(shape: object, ink: str) -> bool:
    return isinstance(shape, Rect) and shape.fill == ink


@pytest.mark.parametrize("option", ["--steps", "--hint"])
def test_steps_on_pages(option: str, tmp_path: Path) -> None:
    file = tmp_path / "two.txt"
    file.write_text("\n\n".join(Path(PUZZLES).read_text().split("\n\n")[:2]) + "\n")
    entries = read(str(file))
    reader = rendered_pdf(str(file), option, "--title", "Title")
    said = " ".join(" ".join(words(page)) for page in reader.pages)
    for entry in entries:
        assert entry.puzzle
        path = sheet.path(item(entry.puzzle))
        shown = path[:-1] if option == "--steps" else [sheet.hint(item(entry.puzzle))]
        assert entry.id
        assert entry.id in said
        assert all(sentence in said for panel in shown for sentence in panel.sentences)
    if option == "--hint":
        assert len(reader.pages) == 1
        return
    outline = [entry for entry in reader.outline if not isinstance(entry, list)]
    places = [reader.get_destination_page_number(entry) for entry in outline]
    assert len(places) == len(set(places)) == len(entries) == 2


def test_a_panel_of_many_sentences_goes_on_on_the_next_page() -> None:
    puzzle = first(PUZZLES)
    steps = [step for panel in sheet.path(item(puzzle)) for step in panel.steps]
    panel = sheet.Panel(puzzle, puzzle.board, steps * 20)
    layout = PageLayout(paper("a6", 10), large=True)
    with pdf.typesetter() as setter:
        pages = pages_of(setter.typeset(given_steps([(item(puzzle), [panel])], layout)))
    assert len(pages) > 1
    for page in pages:
        lowest = layout.paper.height - layout.paper.margin
        assert all(y <= lowest for _, y, _ in placed(page)[0])
    assert steps[-1].sentence.split()[-1] in words(pages[-1])


@pytest.mark.parametrize("form", ["text", "svg", "html", "pdf"])
@pytest.mark.parametrize("symbols", SYMBOLS)
def test_sentences_name_the_drawn_symbols(form: str, symbols: Symbols, tmp_path: Path) -> None:
    out = tmp_path / "hint"
    options = ["--hint", "--symbols", symbols, "--to", form, "-o", str(out), "-q"]
    assert call("render", "-", *options, input=ONE) == (0, "", "")
    said = out.read_text() if form != "pdf" else pypdf.PdfReader(out).pages[0].extract_text()
    said = " ".join(re.sub("<[^>]*>", " ", said).split())
    step = sheet.hint(item(Puzzle(Board(6, 6, UNIQUE))), Style(symbols=symbols)).steps[0]
    assert step.sentence in said


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["svg", "png"])
def test_pictures_go_to_a_folder_under_safe_names(tmp_path: Path, form: str) -> None:
    text = f"{UNIQUE} a\n{UNIQUE} A\n{UNIQUE} a\n{UNIQUE} ../x\n{UNIQUE}\n"
    options = ["--to", form, "-o", f"{tmp_path}/pictures/", "-q"]
    assert call("render", "-", "-f", "line", *options, input=text) == (0, "", "")
    names = [path.name for path in (tmp_path / "pictures").iterdir()]
    assert len(set(map(str.casefold, names))) == 5


def test_names_and_limits_are_documented() -> None:
    page = Path("docs/rendering.md").read_text()
    books = Path("docs/books.md").read_text()
    assert all(f"`{name}`" in books for name in sheet.COLUMNS)
    assert all(name in page for name in SIZES)
    assert f"{MOST_CELLS:,} cells" in page
    assert f"{png.MOST_PIXELS:,} pixels" in page


def run_in_terminal(*arguments: str, **environment: str) -> tuple[int, str]:
    """Run a command with a terminal as standard output; return the exit status and the output."""
    pty = pytest.importorskip("pty")
    controller, terminal = pty.openpty()
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | environment
    done = subprocess.Popen(
        [*binairo, *arguments], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal, env=env
    )
    os.close(terminal)
    said = b""
    with suppress(OSError):  # Linux raises an error when the other end is closed
        while part := os.read(controller, 4096):
            said += part
    os.close(controller)
    return done.wait(), said.decode()


def test_colours_are_only_for_terminals_without_no_color() -> None:
    status, said = run_in_terminal("render", PUZZLES, "--solution", "-q")
    assert status == 0
    assert "\x1b[1m1\x1b[0m" in said
    status, said = run_in_terminal("render", PUZZLES, "--solution", "-q", NO_COLOR="1")
    assert "\x1b" not in said
    assert "\x1b" not in call("render", PUZZLES, "-q")[1]


def test_a_terminal_is_rejected_before_reading_input() -> None:
    status, said = run_in_terminal("render", "no such file", "--to", "pdf")
    assert status == 2
    assert "standard output: a terminal can't show this format; use --out FILE" in said
    assert "no such file" not in said


def test_a_bad_font_is_rejected_before_solving() -> None:
    def entries() -> Iterator[Entry]:
        raise AssertionError("read")
        yield

    layout = PageLayout(paper("a4", 15))
    order = drawing.RenderOptions(
        "pdf", layout, PreparationOptions(solved=True), out="never.pdf", font=__file__
    )
    with pytest.raises(RenderError, match="can't be used as a font"):
        drawing.render_puzzles(entries(), order, quiet=True)


def test_names_beside_long_rules_are_complete() -> None:
    reader = rendered_pdf(SIGNED, "--page", "a5", "--ids", "--grade")
    text = " ".join(" ".join(words(page)) for page in reader.pages)
    assert all(f"signs-6x6-easy-{number} " in text for number in range(1, 5))


@pytest.mark.parametrize(
    ("symbols", "said"), [("digits", "ones"), ("circles", "full circles"), ("sunmoon", "moons")]
)
def test_rules_name_the_drawn_symbols(symbols: Symbols, said: str) -> None:
    puzzle = Puzzle(Board.empty(3, 3), replace(CLASSIC, odd="ones"))
    assert texts.rules_caption(puzzle, Style(symbols=symbols)) == f"more {said} in odd lines"


def test_png_to_a_pipe() -> None:
    done = subprocess.run(
        [*binairo, "render", "-", "--to", "png", "-q"], input=ONE.encode(), capture_output=True
    )
    assert Image.open(io.BytesIO(done.stdout)).size == (298, 298)


@pytest.mark.parametrize("title", ["Café, Łódź, Ærø", "Αθήνα", "Київ, Щука", "“½ €” – …"])
def test_the_built_in_font_has_european_letters(title: str) -> None:
    puzzle = Puzzle(Board(6, 6, UNIQUE))
    layout = PageLayout(paper("a6", 10), title=title)
    (page, *_) = pages_of(typeset([item(puzzle)], layout))
    assert title in page.extract_text()
    pictures = [png.paint(figure(View(puzzle, puzzle.board), words), 40) for words in (title, "")]
    heights = [Image.open(io.BytesIO(picture)).height for picture in pictures]
    assert heights[0] > heights[1]


def test_the_built_in_font_has_a_licence() -> None:
    files = [Path(file) for file in text_layout.typeface(None)]
    assert len(set(files)) == 2
    for file in files:
        assert file.stat().st_size < 100_000
        assert "DejaVu changes are in public domain" in (file.parent / "LICENSE").read_text()


def test_a_name_with_missing_glyphs_is_rejected() -> None:
    for form in ("png", "pdf"):
        text = f"{UNIQUE} 数独\n"
        done = invoke("render", "-", "--ids", "--to", form, "-q", input=text, check=2)
        message = done.stderr
        assert "the font has no '数' for '数独', which a font such as Noto Sans CJK has" in message
        assert "; choose another font with --font FILE" in message
        assert not done.stdout


def paint_named(name: str, form: str) -> None:
    puzzle = Puzzle(Board(6, 6, UNIQUE))
    layout = PageLayout(paper("a6", 10), ids=True, title=name)
    if form == "pdf":
        typeset([item(puzzle, id=name)], layout)
    else:
        picture = figure(View(puzzle, puzzle.board, name=name), name, [name])
        svg.paint(picture, 1) if form == "svg" else png.paint(picture, 8)


PRINTABLE = st.characters(min_codepoint=0x20, max_codepoint=0x7E)


@given(st.text() | st.text(PRINTABLE), st.sampled_from(["svg", "png", "pdf"]))
def test_a_name_is_rejected_only_for_missing_glyphs(name: str, form: str) -> None:
    message = ""
    try:
        paint_named(name, form)
    except RenderError as error:
        message = str(error)
    if message:
        match = re.match("the font has no (.+?) for ", message)
        assert match, message
        missing = ast.literal_eval(match[1])
        assert missing in name
        assert not (missing.isascii() and missing.isprintable())
        assert form != "svg"


def test_limits_of_a_page_and_of_a_file() -> None:
    large = [item(Puzzle(Board.empty(255, 255)), k) for k in range(1, 9)]
    with pytest.raises(RenderError, match="puzzle 1 is 255x255: its cells would be too small"):
        typeset(large[:2], PageLayout(paper("a4", 15), per_page=40))
    layout = PageLayout(paper("a4", 15), answers="none")
    assert typeset(large[:1], layout).pages == 1
    layout = PageLayout(paper("a4", 15))
    with pytest.raises(RenderError, match="more than 500,000 cells in total; split"):
        drawing.render_puzzles(
            [e.entry for e in large],
            drawing.RenderOptions("pdf", layout, PreparationOptions()),
            quiet=True,
        )


@pytest.mark.parametrize(
    ("extra", "library", "packages"),
    [("pdf", "typst", ["fonttools", "typst"]), ("png", "PIL", ["pillow"])],
)
def test_a_missing_package_is_named(extra: str, library: str, packages: list[str], tmp_path: Path):
    hide = f"import sys; sys.modules[{library!r}] = None; from binairo_cp.cli import main; main()"
    (tmp_path / "one.line").write_text(ONE)
    done = subprocess.run(
        [sys.executable, "-c", hide, "render", str(tmp_path / "one.line"), "--to", extra],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert f"{extra.upper()} needs {', '.join(packages)}. Install with: pip install" in done.stderr
    assert all(f" '{each}>=" in done.stderr for each in packages)
    assert f"in a clone: pip install '.[{extra}]'" in done.stderr


def test_libraries_are_loaded_on_first_use() -> None:
    code = (
        "import sys; from binairo_cp.cli import app; from binairo_cp.features import render\n"
        "assert not {'typst', 'fontTools', 'PIL'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("symbols", text_symbols.DRAWN)
def test_signs_do_not_touch_symbols(symbols: Any) -> None:
    places = [(5.0, 0.0), (-5.0, 0.0), (0.0, 5.0), (0.0, -5.0)]
    for value in "01":
        for x, y in chain.from_iterable(text_symbols.outlines_of(symbols, value)):
            assert min(hypot(x - left, y - top) for left, top in places) >= _SIGN


@pytest.mark.parametrize("symbols", text_symbols.DRAWN)
def test_a_sentence_shows_the_symbols_of_the_board_in_one_piece(symbols: Any) -> None:
    for value, character in zip("01", CHARACTERS[symbols], strict=True):
        with TTFont(BUILT_IN.regular) as font:
            glyph = font["glyf"][font.getBestCmap()[ord(character)]]
        assert glyph.numberOfContours == len(text_symbols.outlines_of(symbols, value))
    ways = wording.Ways(("0110", "1001")).words(Style(symbols=symbols)).split(" or ")
    shown = figure(View(Puzzle(Board.parse(UNIQUE)), Board.parse(UNIQUE), symbols), "", [*ways] * 9)
    assert png.paint(shown, 20)
    assert all(way.replace("\u2060", "") in str(shown.shapes) for way in ways)


@pytest.mark.parametrize(("answers", "pages"), [("end", [0]), ("back", [0, 2])])
def test_a_sheet_for_a_class_has_the_rules_below_its_puzzles(answers: Answers, pages: list[int]):
    puzzles = [entry.puzzle for entry in read(PUZZLES)]
    content = render(
        [puzzle for puzzle in puzzles if puzzle][: 4 * len(pages)],
        to="pdf",
        title="Monday",
        instructions=True,
        per_page=4,
        answers=answers,
    )
    texts = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages]  # type: ignore[arg-type]
    assert all("Monday" in text for text in texts)
    rules = "Each row and each column has as many zeros as ones."
    assert [k for k, text in enumerate(texts) if rules in " ".join(text.split())] == pages
