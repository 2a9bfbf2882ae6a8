"""Printed books: boxes, fonts, margins, references, errors in recipes and templates."""

import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pypdf
import pytest

import binairo_cp as bn
from binairo_cp.deduction.styles import Language
from binairo_cp.errors import BinairoError, OptionError, PuzzleError, RenderError
from binairo_cp.puzzle.rules import violations
from binairo_cp.puzzle.symmetries import canonical_digest
from binairo_cp.rendering import documents, texts
from binairo_cp.rendering.pages import MOST_PAGES, OUTSIDE, PrintSpec
from binairo_cp.rendering.pdf import TEMPLATE
from binairo_cp.service.bodies import BOOK
from tests.rendering.test_rendering import embedded_fonts
from tests.support.command_line import UNIQUE, call

RECIPE = {
    "seed": 1,
    "puzzles": [
        {"size": 6, "count": 7, "grade": "easy"},
        {"size": 10, "count": 3, "grade": "medium"},
    ],
}


def printed(**options: Any) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(bn.book(RECIPE, title="A title", **options)))


@pytest.fixture(scope="module")
def reader() -> pypdf.PdfReader:
    return printed(author="A. Writer", notes=1)


def test_the_same_recipe_gives_the_same_bytes() -> None:
    assert bn.book(RECIPE, title="x") == bn.book(RECIPE, title="x", workers=2)


def test_properties_and_fonts(reader: pypdf.PdfReader) -> None:
    assert reader.pdf_header == "%PDF-1.6"
    assert (reader.metadata.title, reader.metadata.author) == ("A title", "A. Writer")
    assert reader.trailer["/Root"]["/Lang"] == "en"  # type: ignore[index]  # it is a dictionary
    assert embedded_fonts(reader)


def spoken(node: Any) -> Iterator[str]:
    """What screen readers say in place of the pictures of a tagged file."""
    node = node.get_object()
    if isinstance(node, dict):
        if "/Alt" in node:
            yield str(node["/Alt"])
        node = [node["/K"]] if "/K" in node else []
    for part in node if isinstance(node, list) else []:
        yield from spoken(part)


def test_the_file_is_tagged_and_boards_can_be_read_aloud(reader: pypdf.PdfReader) -> None:
    root: Any = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    boards = Counter(spoken(root["/StructTreeRoot"]))
    six = [
        text for text in boards if re.fullmatch(r"([01.] ){5}[01.](; ([01.] ){5}[01.]){5}", text)
    ]
    assert len(six) >= 14
    assert any("." not in text for text in six)


def test_a_page_has_any_size() -> None:
    assert [float(side) for side in printed(trim="5x8in").pages[3].mediabox[2:]] == [360, 576]
    with pytest.raises(RenderError, match=r"page size '9in' is unknown; expected one of .* 6x9in"):
        printed(trim="9in")


def test_references_between_pages_are_right(reader: pypdf.PdfReader) -> None:
    texts = [page.extract_text() for page in reader.pages]
    answers = {k for k, text in enumerate(texts, 1) if "Puzzle on page" in text}
    to_answers = {int(n) for text in texts for n in re.findall(r"Answer on page (\d+)", text)}
    to_puzzles = {int(n) for text in texts for n in re.findall(r"Puzzle on page (\d+)", text)}
    assert to_answers == answers
    assert to_puzzles == {k for k, text in enumerate(texts, 1) if "Answer on page" in text}
    assert sum(len(re.findall(r"Puzzle on page", text)) for text in texts) == 10
    links = [len(page.get("/Annots", ())) for page in reader.pages]  # type: ignore[arg-type]
    references = [len(re.findall(r"(?:Puzzle|Answer) on page", text)) for text in texts]
    assert links[2] == len(reader.outline) - 1
    assert links[3:] == references[3:]


def test_the_manifest_names_the_right_pages(tmp_path: Path) -> None:
    file = tmp_path / "m.ndjson"
    texts = [page.extract_text() for page in printed(manifest=file).pages]
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [row["number"] for row in rows] == list(range(1, 11))
    assert [row["grade"] for row in rows] == ["easy"] * 7 + ["medium"] * 3
    for row in rows:
        words = texts[row["page"] - 1].split()
        assert str(row["number"]) in words
        assert f"Answer on page {row['answer_page']}" in " ".join(words)
        assert f"Puzzle on page {row['page']}" in texts[row["answer_page"] - 1]


def test_a_recipe_chooses_the_odd_symbol_and_puzzles_without_redundant_clues(tmp_path: Path):
    file = tmp_path / "m.ndjson"
    puzzles = {"size": 5, "count": 3, "odd": "ones", "irreducible": True}
    pages = pypdf.PdfReader(
        io.BytesIO(bn.book({"puzzles": [puzzles]}, title="x", manifest=file))
    ).pages
    # The rules page does not name the symbol, so each puzzle does.
    assert sum(page.extract_text().count("more ones in odd lines") for page in pages) == 3
    for row in map(json.loads, file.read_text().splitlines()):
        assert all(line.count("1") == 3 for line in re.findall(".{5}", row["solution"]))
        for place in (k for k, value in enumerate(row["clues"]) if value != "."):
            without = row["clues"][:place] + "." + row["clues"][place + 1 :]
            puzzle = bn.Puzzle(bn.Board(5, 5, without), bn.Rules(odd="ones"))
            assert bn.check(puzzle).verdict == "multiple"


def test_a_recipe_has_demands_as_a_dataset_has(tmp_path: Path) -> None:
    kind = {"needs": "sandwich", "without": ["projection"], "score": "0..60"}
    recipe = {"puzzles": [{"size": 6, "count": 1, "rules": "unruly", **kind}]}
    first, second = tmp_path / "1.ndjson", tmp_path / "2.ndjson"
    bn.book(recipe, title="x", manifest=first)
    bn.book(recipe, title="x", manifest=second, exclude=first)
    (one,), (other,) = ([each.puzzle for each in bn.read(file)] for file in (first, second))
    placed = bn.grade(one).placed
    assert placed["sandwich"] > 0
    assert not placed.get("projection")
    assert canonical_digest(one) != canonical_digest(other)


@pytest.mark.parametrize("form", ["json", "ndjson", "csv"])
def test_a_manifest_can_be_read_and_printed_again(form: str, tmp_path: Path) -> None:
    kinds = [{"rules": "tango"}, {"size": 5, "odd": "ones"}, {"size": "4x6", "rules": "unruly"}]
    recipe = {"puzzles": [{"size": 6, "count": 1, **each} for each in kinds]}
    one, two = (tmp_path / f"{name}.{form}" for name in ("one", "two"))
    bn.book(recipe, title="x", plain=True, manifest=one)
    puzzles = [entry.puzzle for entry in bn.read(one)]
    assert all(bn.check(puzzle).verdict == "unique" for puzzle in puzzles if puzzle)
    bn.book({"own": [{"file": str(one)}]}, title="x", plain=True, manifest=two)
    assert [entry.puzzle for entry in bn.read(two)] == puzzles
    assert {puzzle.rules.odd for puzzle in puzzles if puzzle} == {"ones", "either"}
    assert sum(bool(puzzle.signs) for puzzle in puzzles if puzzle) == 1


def test_the_service_reads_no_files() -> None:
    with pytest.raises(ValueError, match="own"):
        BOOK.model_validate({"recipe": {"own": [{"file": "x"}], **RECIPE}, "title": "x"})


def test_own_puzzles_are_printed_with_an_imprint(tmp_path: Path) -> None:
    Path(tmp_path / "own.line").write_text(f"{UNIQUE} mine\n")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        "imprint = '''Published by me\nAll rights reserved'''\nisbn = '978-3-16-148410-0'\n"
        "left-handed = true\n[[own]]\nfile = 'own.line'\n"
        "[[puzzles]]\nsize = 6\ncount = 2\n"
    )
    manifest = tmp_path / "m.json"
    pages = pypdf.PdfReader(io.BytesIO(bn.book(recipe, title="x", manifest=manifest))).pages
    rows = json.loads(manifest.read_text())
    assert sorted(row["id"] == "mine" for row in rows) == [False, False, True]
    (mine,) = (row for row in rows if row["id"] == "mine")
    assert mine["clues"] == UNIQUE
    text = pages[1].extract_text()
    assert text.split("\n") == ["Published by me", "All rights reserved", "ISBN 978-3-16-148410-0"]
    page = pages[mine["page"] - 1]
    words = page.extract_text().replace("\n", " ")
    assert re.search(rf"Answer on page {mine['answer_page']} {mine['number']}\b", words)


@pytest.mark.parametrize(("text", "expected"), [
    (f"{UNIQUE} a\n{UNIQUE} b\n", "own.line:2: b: the same puzzle as {folder}/own.line:1"),
    (f"{UNIQUE} a\n{UNIQUE[::-1]} b\n", "own.line:2: b: the same puzzle as"),
])  # fmt: skip
def test_puzzles_that_are_twins_are_refused(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "own.line").write_text(text)
    with pytest.raises(PuzzleError) as error:
        bn.book({"own": [{"file": str(tmp_path / "own.line")}]}, title="x", plain=True)
    assert expected.format(folder=tmp_path) in str(error.value)


def test_new_puzzles_are_no_twins_of_own_and_excluded_ones(tmp_path: Path) -> None:
    recipe = {"seed": 1, "puzzles": [{"size": 4, "count": 30}]}
    first, second = tmp_path / "1.ndjson", tmp_path / "2.ndjson"
    bn.book(recipe, title="x", plain=True, manifest=first)
    bn.book({**recipe, "own": [{"file": str(first)}]}, title="x", plain=True, manifest=second)
    assert len({canonical_digest(each.puzzle) for each in bn.read(second) if each.puzzle}) == 60
    command = ("generate", "4", "-n", "30", "--seed", "1", "-q", "--to", "line")
    (tmp_path / "more.line").write_text(call(*command, "--exclude", str(second))[1])
    more = [entry.puzzle for entry in bn.read(tmp_path / "more.line")]
    made = bn.generate(4, count=len(more), seed=1, exclude=second)
    assert [each.puzzle for each in made] == more
    files = (second, tmp_path / "more.line")
    puzzles = [each.puzzle for file in files for each in bn.read(file)]
    assert len({canonical_digest(puzzle) for puzzle in puzzles if puzzle}) == 90
    (tmp_path / "r.toml").write_text("[[own]]\nfile = '1.ndjson'\n")
    command = ("book", "--title", "x", "--recipe", str(tmp_path / "r.toml"), "--exclude")
    status, _, error = call(*command, str(second), "-o", str(tmp_path / "x.pdf"))
    assert status == 2
    assert "the same puzzle as an excluded puzzle" in error
    with pytest.raises(PuzzleError, match="the same puzzle as an excluded puzzle"):
        bn.book(tmp_path / "r.toml", title="x", exclude=[second])


def test_large_print_has_one_puzzle_on_a_page_and_no_small_text() -> None:
    sizes: list[float] = []

    def visit(text: str, cm: Any, tm: Any, _: Any, size: float) -> None:
        if text.strip():
            sizes.append(size * abs(tm[3]) * abs(cm[3]))

    own = {"size": 6, "count": 1, "rules": "unruly", "grade": "easy"}
    recipe = {**RECIPE, "puzzles": [*RECIPE["puzzles"], own], "large": True, "imprint": "Me"}  # type: ignore[misc]  # it is a list
    book = bn.book(recipe, title="A title", trim="8.5x11in", notes=1)
    for page in pypdf.PdfReader(io.BytesIO(book)).pages:
        text = page.extract_text(visitor_text=visit)
        assert text.count("Answer on page") <= 1
    assert min(sizes) >= 17.99


def test_large_print_refuses_boards_with_small_text() -> None:
    recipe = {"puzzles": [{"size": 14, "count": 1, "rules": "unruly"}], "large": True}
    for symbols in ("digits", "letters"):
        with pytest.raises(RenderError, match="cells would be too small for text of 18 points"):
            bn.book({**recipe, "symbols": symbols}, title="x", plain=True)
    assert bn.book({**recipe, "symbols": "circles"}, title="x", plain=True)


def test_a_title_in_the_running_head_is_never_cut() -> None:
    title = "One Hundred and Forty Binary Puzzles of Six Sizes for Long Evenings"
    reader = pypdf.PdfReader(io.BytesIO(bn.book(RECIPE, title=title, plain=True)))
    for page in reader.pages:
        found: list[tuple[float, float]] = []

        def visit(text: str, cm: Any, tm: Any, _: Any, size: float, found: Any = found) -> None:
            if "Hundred" in text or "Evenings" in text:
                found.append((size, cm[4] + cm[0] * tm[4]))

        text = " ".join(page.extract_text(visitor_text=visit).split())
        assert title in text or page.extract_text() == ""
        assert all(6 <= size <= 10 and x >= OUTSIDE * 0.7 for size, x in found)


def test_a_few_answers_fill_their_page() -> None:
    recipe = {"puzzles": [{"size": 6, "count": 6, "grade": "easy"}]}
    book = bn.book(recipe, title="x", trim="a4", plain=True, per_page=6)
    sizes: list[float] = []

    def visit(text: str, cm: Any, tm: Any, _: Any, size: float) -> None:
        if text.strip() and set(text) <= set("01 \n"):
            sizes.append(size)

    pypdf.PdfReader(io.BytesIO(book)).pages[1].extract_text(visitor_text=visit)
    assert max(sizes) > 15


@pytest.mark.parametrize("signed", [False, True])
def test_the_puzzle_of_the_rules_page_has_the_solution_beside_it(signed: bool) -> None:
    start, signs = (documents._SIGNED_START, documents._SIGNS) if signed else (documents._START, ())
    found = bn.check(bn.Puzzle(bn.Board(4, 4, start), bn.Rules(distinct_lines=False), signs))
    expected = ("unique", documents._SOLUTION)
    assert (found.verdict, found.solution and found.solution.cells) == expected


def test_boards_of_the_rules_page_keep_and_break_their_rule() -> None:
    for name, examples in documents._EXAMPLES.items():
        for each in examples:
            height = each.rows.count("/") + 1
            values = each.rows.replace("/", "")
            board = bn.Board(height, len(values) // height, values)
            rules = bn.Rules(balanced=name == "balance", distinct_lines=name == "distinct")
            found = violations(bn.Puzzle(board, rules, each.signs), board)
            broken = [each for each in found if name != "distinct" or "row" in each.message]
            assert bool(broken) == bool(each.broken), (name, each)


def test_sections_start_on_the_right_and_contents_are_right(reader: pypdf.PdfReader) -> None:
    titles = {
        str(entry["/Title"]): reader.get_destination_page_number(entry) + 1  # type: ignore[arg-type,call-overload,index]
        for entry in reader.outline
    }
    assert {"Contents", "How to play", "Easy", "Medium", "Answers"} <= set(titles)
    assert all(titles[name] % 2 for name in ("Contents", "Easy", "Medium", "Answers"))
    rows = re.findall(
        r"(?m)^(.+?)(?: Puzzles? .*)? (\d+)$", reader.pages[titles["Contents"] - 1].extract_text()
    )
    expected = {name: str(page) for name, page in titles.items() if name != "Contents"}
    assert dict(rows) == expected
    assert len(reader.pages) % 2 == 0


@pytest.mark.parametrize("bleed", [False, True])
def test_page_boxes(bleed: bool) -> None:
    edge = 9 if bleed else 0
    for number, page in enumerate(printed(trim="8x10in", bleed=bleed).pages, 1):
        left = 0 if number % 2 else edge
        assert [float(v) for v in page.mediabox] == [0, 0, 576 + edge, 720 + 2 * edge]
        assert [float(v) for v in page.trimbox] == [left, edge, left + 576, edge + 720]
        assert page.bleedbox == page.mediabox


def test_text_keeps_within_the_margins(reader: pypdf.PdfReader) -> None:
    spec, pages = PrintSpec(), len(reader.pages)
    inside = spec.inside(pages)
    for number, page in enumerate(reader.pages, 1):
        found: list[tuple[float, float]] = []

        def visit(text: str, cm: Any, tm: Any, *_: Any, found: Any = found) -> None:
            if text.strip():
                found.append((cm[4] + cm[0] * tm[4], cm[5] + cm[3] * tm[5]))

        page.extract_text(visitor_text=visit)
        left, right = (inside, OUTSIDE) if number % 2 else (OUTSIDE, inside)
        assert all(left - 0.1 <= x <= 432 - right for x, _ in found)
        assert all(OUTSIDE - 0.1 <= y <= 648 - OUTSIDE for _, y in found)


def test_no_page_of_puzzles_or_answers_is_nearly_empty(reader: pypdf.PdfReader) -> None:
    for page in reader.pages:
        text = page.extract_text()
        if "on page" in text:
            assert len(re.findall(r"[01]", text)) > 15


@pytest.mark.parametrize(
    ("pages", "inches"),
    [(24, 0.375), (150, 0.375), (151, 0.5), (300, 0.5), (301, 0.625), (500, 0.625), (501, 0.75),
     (700, 0.75), (701, 0.875), (MOST_PAGES, 0.875), (9_999, 0.875)],
)  # fmt: skip
def test_the_inside_margin_depends_on_the_number_of_pages(pages: int, inches: float) -> None:
    assert PrintSpec().inside(pages) == inches * 72
    assert PrintSpec(printer="ingramspark").inside(pages) == max(inches, 0.5) * 72


@pytest.mark.parametrize(("text", "expected"), [
    ("", "expected a table [[puzzles]] or [[own]]"),
    ("isbn = '978-3-16-148410-1'\n[[puzzles]]\nsize = 6\ncount = 1", "line 1: isbn: is no ISBN"),
    ('imprint = "a\\u0007"\n[[puzzles]]\nsize = 6\ncount = 1', "line 1: imprint: expected"),
    ("[[own]]\nfile = 'none.line'", "none.line"),
    ("[[own]]\nfile = 'two.line'", "two.line:2"),
    ("[[own]]\nfile = 'many.line'", "many.line:1: some: has several solutions"),
    ("[[own]]\nfile = 'wide.line'", "sides of at most 32"),
    ("puzzles = []", "line 1: puzzles"),
    ("[[puzzles]]\nsize = 6\ncount = 0", "line 3: puzzles[1].count"),
    ("[[puzzles]]\nsize = 6\ncount = 1000000000", "line 3: puzzles[1].count"),
    ("[[puzzles]]\nsize = 6\ncount = 1\ngrade = 'god'", "line 4: puzzles[1].grade"),
    ("[[puzzles]]\nsize = 6\ncount = 1\n[[puzzles]]\nsize = 6", "line 4: puzzles[2].count"),
    ("[[puzzles]]\nsize = 6\ncount = 1\ncolour = 1", "line 4: puzzles[1].colour: there is no"),
    ("[[puzzles]]\nsize = 6\ncount = 1\nneeds = 'x'", "line 4: puzzles[1].needs: 'x'; expected"),
    ("[[puzzles]]\nsize = 6\ncount = 1\nclues = 99", "line 1: puzzles[1]: 99 clues on a board"),
    ("[[puzzles]]\nsize = 99\ncount = 1", "size 99; expected sides of at most 32"),
    ("seed = 'a b'\n[[puzzles]]\nsize = 6\ncount = 1", "line 1: seed: expected a number"),
    ("[[puzzles]]\nsize = 32\ncount = 5000", "cells on all boards"),
    ("size", "is not valid TOML"),
])  # fmt: skip
def test_mistakes_in_recipes_are_named(tmp_path: Path, text: str, expected: str) -> None:
    file = tmp_path / "recipe.toml"
    file.write_text(text)
    (tmp_path / "two.line").write_text(f"{UNIQUE}\n0123\n")
    (tmp_path / "many.line").write_text(f"{'.' * 36} some\n")
    (tmp_path / "wide.line").write_text(f"{'.' * 34 * 34} some\n")
    with pytest.raises(BinairoError) as error:
        bn.book(file, title="x")
    assert expected in str(error.value)


@pytest.mark.parametrize(
    "language", ["de", *(pytest.param(each, marks=pytest.mark.slow) for each in ("es", "fr", "nl"))]
)
def test_all_texts_are_in_the_language_of_the_recipe(language: Language) -> None:
    book = bn.book({**RECIPE, "language": language, "symbols": "circles"}, title="x")
    text = " ".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(book)).pages)
    text = " ".join(text.split())
    for name, message in texts.TEXTS.items():
        said = texts.said(message, language)
        fixed = max(re.split(r"\{\w+\}", message.one), key=len)
        if said != message.one and len(fixed) > 8:
            assert fixed.strip() not in text, name
    for name in ("contents", "rules", "answers", "unique", "distinct"):
        assert texts.said(texts.TEXTS[name], language) in text
    assert texts.capitalised(texts.said(texts.LEVELS["medium"], language)) in text


def test_a_book_in_japanese_names_the_fonts_that_it_needs() -> None:
    with pytest.raises(RenderError, match="such as Noto Sans CJK has"):
        bn.book({**RECIPE, "language": "ja"}, title="x")


def own_layout(folder: Path, change: str = "") -> Path:
    """A copy of the layout that comes with the package, with more at its end."""
    copytree(TEMPLATE.parent, folder / "own")
    file = folder / "own" / "book.typ"
    file.write_text(file.read_text() + change)
    return file


def test_a_layout_can_be_copied_and_changed(tmp_path: Path) -> None:
    file = own_layout(tmp_path)
    assert bn.book(RECIPE, title="x", template=file) == bn.book(RECIPE, title="x")
    more = own_layout(tmp_path / "more", '#page[Printed on a #lower("FOREST").]')
    found = re.search(
        r"```typst\n(.*?)```", (Path(__file__).parents[2] / "docs/books.md").read_text(), re.DOTALL
    )
    assert found
    data = more.with_name("data.typ")
    changed = {line.split("=")[0]: line for line in found[1].splitlines()}
    lines = [changed.get(line.split("=")[0], line) for line in data.read_text().splitlines()]
    data.write_text("\n".join(lines))
    pages = printed(template=more).pages
    assert "Printed on a forest." in pages[-1].extract_text()
    text = " ".join(page.extract_text() for page in pages)
    assert "Solutions" in text
    assert "Sun and moon" in text


@pytest.mark.parametrize(("change", "expected"), [
    ('#read("/../secret")', "would escape"),
    ('#read("../secret")', "would escape"),
    ('#include "../secret"', "would escape"),
    ('#eval("read(\\"../secret\\")")', "would escape"),
    ('#read("/secret")', "file not found"),
    ('#read("../own/../secret")', "would escape"),
    ('#read("link")', "link leads out of the template's folder"),
    ('#import "@preview/cetz:0.3.0": *', "imports the package @preview/cetz:0.3.0"),
    ('#import ("@pre" + "view/cetz:0.3.0"): *', "templates use their own files only"),
    ('#image("none.png")', "file not found"),
    ("#let broken = (", "book.typ, line 19, column"),
])  # fmt: skip
def test_a_layout_uses_its_own_folder_only(tmp_path: Path, change: str, expected: str) -> None:
    (tmp_path / "secret").write_text("secret")
    file = own_layout(tmp_path, change)
    if "link" in change:
        (file.parent / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(RenderError) as error:
        bn.book(RECIPE, title="x", template=file)
    assert expected in str(error.value)


def test_texts_are_never_markup() -> None:
    title = '#read("/etc/passwd") *bold* $x$ <label> @ref \\n // /*'
    reader = pypdf.PdfReader(io.BytesIO(bn.book(RECIPE, title=title, author=title)))
    assert reader.metadata
    assert reader.metadata.title == title
    assert '#read("/etc/passwd") *bold* $x$ <label> @ref' in " ".join(
        reader.pages[0].extract_text().split()
    )


def test_what_can_not_be_printed_is_refused(tmp_path: Path) -> None:
    for title, family in (
        ("数独", "CJK"),
        ("ビナイロ", "CJK"),
        ("בינארי", "Hebrew"),
        ("ثنائي", "Arabic"),
    ):
        with pytest.raises(RenderError, match=f"the font has no .* such as Noto Sans {family} has"):
            bn.book(RECIPE, title=title)
    with pytest.raises(RenderError, match="can't be used as a font"):
        bn.book(RECIPE, title="x", font=tmp_path / "none.ttf")
    with pytest.raises(OptionError):
        bn.book(RECIPE, title=" ")
    with pytest.raises(OptionError, match="is the name of"):
        bn.book(RECIPE, title="x", out=tmp_path / "a.json", manifest=tmp_path / "a.json")


def test_a_board_that_is_too_large_for_its_page_is_named() -> None:
    recipe = {"puzzles": [{"size": 20, "count": 1, "rules": "unruly"}]}
    with pytest.raises(RenderError, match="puzzle 1 is 20x20: its cells would be too small to see"):
        bn.book(recipe, title="x", trim="a5", plain=True, per_page=100)


@pytest.mark.parametrize(("length", "fits"), [(200, True), (500, False)])
def test_a_long_title_fits(length: int, fits: bool) -> None:
    title = ("Verylongword" * 50)[:length]
    if not fits:
        with pytest.raises(OptionError, match="expected at most 200 characters"):
            bn.book(RECIPE, title=title)
        return
    pages = pypdf.PdfReader(io.BytesIO(bn.book(RECIPE, title=title))).pages
    assert "Verylong" in pages[0].extract_text().replace("\u200b", "")


@pytest.mark.slow
def test_certificates_are_valid(tmp_path: Path) -> None:
    recipe = {"puzzles": [{"size": 6, "count": 2}]}
    bn.book(recipe, title="x", plain=True, certificates=tmp_path)
    found = sorted(tmp_path.glob("*.zip"))
    assert len(found) == 2
    assert all("exactly one solution" in str(bn.verify(each)) for each in found)


def test_extras_stand_beside_each_puzzle() -> None:
    kinds = [{"size": 6, "count": 3, "rules": "tango"}, {"size": 10, "count": 1}]
    recipe = {"puzzles": kinds, "symbols": "hearts", "extras": ["difficulty", "time", "notes"]}
    pages = pypdf.PdfReader(io.BytesIO(bn.book(recipe, title="x"))).pages
    texts = [page.extract_text() for page in pages]
    answers = [len(re.findall("Answer on page", text)) for text in texts]
    assert [text.count("Time") for text in texts] == answers
    assert sum(answers) == 4
    # The rules and their solved puzzle share a page.
    rules = texts.index(next(text for text in texts if text.startswith("How to play")))
    assert len({"Easy", "Medium", "Hard", "Expert"} & set(texts[rules + 1].split())) == 1
    plain = pypdf.PdfReader(io.BytesIO(bn.book({**recipe, "extras": []}, title="x"))).pages
    assert not any("Time" in page.extract_text() for page in plain)
