"""The rules and techniques of the page, run by node, against those of the package."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from binairo_cp import Board, Entry, Puzzle, check, clues, convert, generate, grade, read
from binairo_cp.deduction import driver, hints
from binairo_cp.deduction.styles import LANGUAGES, Style
from binairo_cp.errors import FormatError
from binairo_cp.generation.puzzles import GeneratedPuzzle
from binairo_cp.puzzle.rules import PRESETS, Rules, Sign, violations
from binairo_cp.service import page
from binairo_cp.solving import solutions
from tests.support import programs

STATIC = Path(page.__file__).parent / "static"

SCRIPT = """
import { readFileSync } from "node:fs";
globalThis.fetch = async (url) => ({ ok: true, json: async () => JSON.parse(readFileSync(url)) });
const [{ violations }, { answer }, { readPuzzles, written }] =
  await Promise.all(["rules", "offline", "formats"].map((name) => import(`./${name}.js`)));
const answers = [];
for (const [word, body] of JSON.parse(readFileSync(0))) {
  if (word === "violations") answers.push(violations(body.puzzle, body.board));
  else if (word === "read") answers.push(readPuzzles(body.text));
  else if (word === "write") answers.push(written(body.puzzle, body.to));
  else answers.push(await answer(word, body));
}
console.log(JSON.stringify(answers));
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The modules of the page, as node reads them."""
    programs.needed("node")
    folder = tmp_path_factory.mktemp("static")
    for path in STATIC.iterdir():
        shutil.copy(path, folder)
    (folder / "phrases.json").write_text(page.phrases_as_json(), encoding="utf-8")
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "script.js").write_text(SCRIPT, encoding="utf-8")
    return folder


def run(folder: Path, requests: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    return programs.run_node(folder, "script.js", requests)


def board_at_random(random: Random, height: int, width: int, *, opens: int) -> Board:
    return Board(height, width, "".join(random.choices("01.", (1, 1, opens), k=height * width)))


RULES = [*PRESETS.values(), Rules(longest_run=3, odd="ones"), Rules(balanced=False, odd="zeros")]


def puzzle_at_random(random: Random) -> Puzzle:
    height, width = random.randint(1, 7), random.randint(1, 7)
    places = [
        *((r, c, "R") for r, c in product(range(height), range(width - 1))),
        *((r, c, "D") for r, c in product(range(height - 1), range(width))),
    ]
    signs = [
        Sign(*place, random.choice("=x"))  # type: ignore[arg-type]
        for place in random.sample(places, min(len(places), random.choice((0, 0, 3))))
    ]
    clues = board_at_random(random, height, width, opens=9)
    return Puzzle(clues, random.choice(RULES), tuple(signs))


def test_violations_are_the_same(folder: Path) -> None:
    random = Random(1)
    pairs = []
    for _ in range(1_000):
        puzzle = puzzle_at_random(random)
        height, width = puzzle.board.height, puzzle.board.width
        opens = random.choice((0, 1, 6))
        pairs.append((puzzle, board_at_random(random, height, width, opens=opens)))
    answers = run(
        folder,
        [("violations", {"puzzle": p.to_dict(), "board": board.cells}) for p, board in pairs],
    )
    kinds = set()
    for (puzzle, board), found in zip(pairs, answers, strict=True):
        width = board.width
        expected = [
            (each.rule, [cell.row * width + cell.column for cell in each.cells])
            for each in violations(puzzle, board)
        ]
        assert [(each["rule"], each["cells"]) for each in found] == expected, (puzzle, board)
        kinds.update(each["rule"] for each in found)
    assert kinds == {"clue", "balance", "no triple", "distinct lines", "sign"}


@pytest.mark.slow
def test_verdicts_are_the_same(folder: Path) -> None:
    random = Random(2)
    puzzles = [puzzle_at_random(random) for _ in range(1_000)]
    answers = run(folder, [("check", {"puzzle": puzzle.to_dict()}) for puzzle in puzzles])
    assert answers.count(None) < 20, "those that take too long"
    decided = [both for both in zip(puzzles, answers, strict=True) if both[1]]
    for puzzle, found in decided:
        expected = check(puzzle)
        assert found["verdict"] == str(expected.verdict), puzzle
        if found["verdict"] == "unique":
            assert found["solution"] == expected.solution.cells  # type: ignore[union-attr]
    assert len({found["verdict"] for _, found in decided}) == 3


def test_the_ones_of_a_whole_board_are_counted(folder: Path) -> None:
    puzzle = Puzzle(Board.empty(9, 10), Rules(odd="ones"))
    assert run(folder, [("check", {"puzzle": puzzle.to_dict()})]) == [{"verdict": "none"}]


def boards_on_the_way(random: Random, made: GeneratedPuzzle) -> Iterator[Board]:
    """The boards of the solving path, and boards with more cells, some of them wrong."""
    clues, solution = made.puzzle.board, made.solution.cells
    cells = list(clues.cells)
    for steps in driver.rounds(made.puzzle):
        yield replace(clues, cells="".join(cells))
        for cell, value in ((cell, value) for step in steps for cell, value in step.values.items()):
            cells[cell.row * clues.width + cell.column] = value
    for _ in range(10):
        known, wrong = random.choice((0, 0.3, 0.9)), random.choice((0, 0.04))
        yield replace(
            clues,
            cells="".join(
                str(1 - int(right))
                if random.random() < wrong
                else right
                if clue != "." or random.random() < known
                else "."
                for clue, right in zip(clues.cells, solution, strict=True)
            ),
        )


PUZZLES: list[tuple[str, dict[str, Any]]] = [
    ("6", {"rules": "classic"}),
    ("10", {"rules": "classic", "grade": "hard"}),
    ("10", {"rules": "classic", "grade": "expert"}),
    ("7x5", {"rules": "unruly"}),
    ("6", {"rules": "tango", "grade": "medium"}),
]
SIMPLE = {"pair", "sandwich", "sign", "count", "last one", "projection"}
"""The techniques that the page knows."""
PROJECTED = {"one of each", "equal pair"}
"""Techniques of the server that the page replaces by projection."""


@pytest.mark.slow
def test_hints_are_those_of_the_server(folder: Path) -> None:
    """The same step with the same sentence, or the same mistake, in every language and style."""
    random = Random(3)
    symbols, coordinates = ("digits", "circles", "sunmoon"), ("rc", "a1", "none")
    styles = [Style(*each) for each in product(LANGUAGES, symbols, coordinates)]
    cases = [
        (made, board, random.choice(styles))
        for size, options in PUZZLES
        for made in generate(size, count=12, seed=5, **options)
        for board in boards_on_the_way(random, made)
    ]
    answers = run(
        folder,
        [
            ("hint", {"puzzle": made.puzzle.to_dict(), "board": board.cells, **style._asdict()})
            for made, board, style in cases
        ],
    )
    outcomes = {made.id: solutions.check(made.puzzle) for made, _, _ in cases}
    seen = set()
    for (made, board, style), found in zip(cases, answers, strict=True):
        expected = hints.hint(made.puzzle, outcomes[made.id], board, style=style)
        if expected.mistake:
            seen.add("mistake")
            assert found["mistake"] == expected.mistake.to_dict(), (made.puzzle, board, style)
        elif expected.step is None:
            assert found["steps"] == []
        elif expected.step.technique in SIMPLE:
            seen.add(expected.step.technique)
            record = expected.step.to_dict()
            record.pop("name", None)
            assert found["steps"] == [record], (made.puzzle, board, style)
        elif expected.step.technique in PROJECTED:
            assert found["steps"][0]["technique"] == "projection"
        else:
            assert found is None, "the page does not know the technique"
    assert seen == SIMPLE | {"mistake"}


@pytest.mark.slow
def test_explanations_grades_and_redundant_clues_are_those_of_the_server(folder: Path) -> None:
    puzzles = [
        made.puzzle
        for size, options in PUZZLES
        for made in generate(size, count=8, seed=6, **options)
    ]
    requests = [(word, {"puzzle": each.to_dict()}) for each in puzzles for word in WORDS]
    answers = iter(run(folder, requests))
    levels = set()
    for puzzle in puzzles:
        explained, graded, pruned = (next(answers) for _ in WORDS)
        assert pruned["needs"]["spare"] == clues(puzzle).to_dict()["spare"]  # type: ignore[union-attr]
        fewer = replace(puzzle.board, cells=pruned["needs"]["irreducible"])
        assert check(replace(puzzle, board=fewer)).verdict == "unique"
        if not explained:
            assert not graded
            continue
        cells = list(puzzle.board.cells)
        for step in explained["steps"]:
            for (row, column), value in zip(step["cells"], step["values"], strict=True):
                cells[row * puzzle.board.width + column] = value
        assert "".join(cells) == explained["solution"]
        if graded:
            levels.add(graded["grade"]["level"])
            assert graded["grade"] == explained["grade"]
            assert graded["grade"]["level"] == grade(puzzle).level  # type: ignore[union-attr]
    assert {"easy", "medium"} <= levels


WORDS = ("explain", "grade", "clues")


def test_what_the_page_does_not_know_is_left_to_the_server(folder: Path) -> None:
    puzzle = {"height": 2, "width": 2, "clues": "....", "rules": "classic"}
    large = {"height": 20, "width": 20, "clues": "." * 400, "rules": "classic"}
    requests: list[tuple[str, dict[str, Any]]] = [
        ("fewest", {"puzzle": puzzle}),
        ("check", {"puzzle": puzzle, "backend": "sat"}),
        ("check", {"puzzle": large}),
        ("check", {"puzzle": {**puzzle, "rules": "another"}}),
        ("grade", {"puzzle": puzzle}),
        ("check", {}),
    ]
    assert run(folder, requests) == [None] * len(requests)


FORMATS = ("text", "line", "ndjson", "json", "task")
CHOICES = (
    "0..11..001101001\n0..11..001101001",
    "\n".join(["0..11..001101001"] * 16),
    "0..1 1..0 0110 1001",
    "0 . .\n.1 .",
    "01\n10",
    "0110",
    "012.\n....\n....\n....",
    "0..1 1..0 name",
    "easy",
    '{"height": 4, "width": 4, "clues": "0..11..001101001", "distinct_lines": false}',
)
"""Texts that have several meanings, or that only the package reads."""


def test_texts_are_as_the_package_writes_and_reads_them(folder: Path, tmp_path: Path) -> None:
    """What the page reads, the package reads in the same way, and refuses nothing of it."""
    random = Random(5)
    puzzles = [puzzle_at_random(random) for _ in range(60)]
    records = [
        {"id": f"p {n}", "signs": [], **puzzle.to_dict()} for n, puzzle in enumerate(puzzles)
    ]
    pairs = [(each, to) for each in records if isinstance(each["rules"], str) for to in FORMATS]
    texts = run(folder, [("write", {"puzzle": each, "to": to}) for each, to in pairs])
    for (each, to), text in zip(pairs, texts, strict=True):
        try:
            expected = convert(_read(tmp_path, json.dumps(each)), to=to)
        except FormatError:
            assert not text
        else:
            assert text == expected
    sources = [text for text in texts if text]
    sources += [text * 2 for text in sources] + list(CHOICES)
    answers = run(folder, [("read", {"text": text}) for text in sources])
    known = [(text, answer) for text, answer in zip(sources, answers, strict=True) if answer]
    assert len(known) > 200
    for text, answer in known:
        found = [({"id": each.id} | each.puzzle.to_dict()) for each in _read(tmp_path, text)]
        assert found == [_usual(each, n) for n, each in enumerate(answer, 1)], text


def _read(folder: Path, text: str) -> list[Entry]:
    path = folder / "puzzles"
    path.write_text(text, encoding="utf-8")
    return read(path)


def _usual(record: dict[str, Any], number: int) -> dict[str, Any]:
    """A record as the package writes it."""
    usual = {"id": str(number)} | record
    return {name: value for name, value in usual.items() if name != "signs" or value}
