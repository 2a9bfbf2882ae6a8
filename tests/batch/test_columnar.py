"""Puzzles that are decided in arrays get the same results as one by one."""

import csv
import io
import json
import random
import re
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import CLASSIC, UNRULY, Board, Puzzle, Rules, formats
from binairo_cp.batch import columnar, pipeline
from binairo_cp.batch.pipeline import NumberedBlock, number_blocks
from binairo_cp.batch.summaries import Summary
from binairo_cp.batch.tables import Output, Table, column_names
from binairo_cp.batch.tasks import Task
from binairo_cp.errors import BinairoError
from binairo_cp.features.steps import GRADE
from binairo_cp.formats import LineBlock, blocks, sources
from binairo_cp.formats.columnar import plain
from binairo_cp.puzzle.rules import Sign, violations
from binairo_cp.puzzle.verification import are_solutions
from binairo_cp.solving.many import sign_words
from binairo_cp.solving.solutions import Verb
from tests.support.strategies import examples, full_boards, rules

SOLVED = Board.parse("101100 011010 010101 100101 101010 010011")


def lines_of(data: bytes, format: str, default_rules: Rules | None = None) -> list[LineBlock]:
    source = sources.Source("x", io.BytesIO(data), lambda: 0)
    blocks = list(formats.FORMATS[format].blocks(source, default_rules, lambda: 10_000))
    assert all(isinstance(block, LineBlock) for block in blocks)
    return blocks  # type: ignore[return-value]


def written(
    data: bytes, format: str, task: Task, output: Output, default_rules: Rules | None
) -> list[str]:
    """The output for a text: first decided one by one, then together. The summary is the same."""
    texts, summaries = [], []
    for many in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pipeline, "_WORTH_LOADING", 1 if many else 1 << 60)
            patch.setattr(pipeline, "_COLUMNAR", "never loaded")
            work = pipeline._BlockWorker(task, output)
            parts = list(map(work, number_blocks(lines_of(data, format, default_rules))))
        texts.append("".join(str(part.data, "utf-8") for part in parts))
        summaries.append(Summary(task.verb))
        for part in parts:
            summaries[-1].merge(part.summary)
    assert summaries[0] == summaries[1]
    return texts


def lines_decided(block: LineBlock, limit: int) -> list[int]:
    """The lines of a block whose puzzles are decided together."""
    groups = columnar.decide_block(block, columnar.Plan("count", limit, kept=1))
    return sorted(line for group in groups for line in group.puzzles.lines.tolist())


SECONDS = re.compile(r'(?<="seconds":)[^,}]*')
SEVERAL = re.compile(r'"verdict":"(?:multiple|solved)"|^[01]+ (?:multiple|solved|[0-9]+\+? )')
CHOSEN = re.compile(r'(?<=solution":")[01]+|^[01]+|(?<="differences":)\[\[.*?\]\]')


def comparable(text: str) -> list[str]:
    """The lines of the output without times, and without which of several solutions was found."""
    lines = [SECONDS.sub("*", line) for line in text.split("\n")]
    return [CHOSEN.sub("*", line) if SEVERAL.search(line) else line for line in lines]


@st.composite
def cells(draw: st.DrawFn) -> str:
    """Mostly puzzles with few solutions, sometimes other text."""
    if draw(st.integers(0, 4)) == 0:
        return draw(st.text("01.-_?x #\t\r:2é", max_size=40))
    board = draw(st.sampled_from([SOLVED, SOLVED.rotated(), SOLVED.mirrored().complemented()]))
    rate = draw(st.sampled_from([0.2, 0.5, 0.8]))
    chance = random.Random(draw(st.integers(0, 1 << 30)))
    kept = [value if chance.random() < rate else "." for value in board.cells]
    if draw(st.integers(0, 3)) == 0:
        kept[chance.randrange(36)] = chance.choice("01")
    return "".join(kept)


@st.composite
def true_signs(draw: st.DrawFn) -> list[list[Any]]:
    """Signs that agree with a solution, so that the puzzle mostly has one."""
    chance = random.Random(draw(st.integers(0, 1 << 30)))
    signs = []
    for _ in range(draw(st.integers(0, 12))):
        row, column, direction = chance.randrange(6), chance.randrange(6), chance.choice("RD")
        down, right = (0, 1) if direction == "R" else (1, 0)
        if row + down < 6 and column + right < 6:
            same = SOLVED[row, column] == SOLVED[row + down, column + right]
            signs.append([row, column, direction, "=" if same else "x"])
    return signs


TASKS = [
    Task("check", "bitboard"),
    Task("check", "bitboard", reasons="none"),
    Task("check", "bitboard", analyses=(GRADE,)),
    Task("solve", "bitboard"),
    Task("count", "bitboard", limit=50),
    Task("count", "bitboard", limit=1),
]


OUTPUTS: list[Output] = ["line", "ndjson"]
OUTPUTS_WITH_COLUMNS = [
    *(Table(column_names(), is_csv) for is_csv in (False, True)),
    *(Table(("id", "verdict", "grade.level", "solution"), is_csv) for is_csv in (False, True)),
    Table(("differences", "id"), is_csv=True),
    *(Table((name,), is_csv=True) for name in ("id", "height", "mistake", "grade", "differences")),
    Table(("grade.published.scale", "id"), is_csv=True),
]
SIZES = ["", "", "6x6:", "9x4:", "4X9:", " 6x6:", "0x0:", "6x6: "]
NAMES = [
    "", "", " name", "  two words ", "\r", ' "quoted\\" ', " é", "       far   ", "\tx", " 011010",
]  # fmt: skip


@given(
    st.lists(st.tuples(st.sampled_from(SIZES), cells(), st.sampled_from(NAMES)), max_size=8)
    | st.lists(st.tuples(st.just(""), cells(), st.just("")), max_size=8),
    st.sampled_from(["\n", "\r\n", "\n\n", "\n# a comment\n"]),
    st.sampled_from(TASKS),
    st.sampled_from([None, CLASSIC, UNRULY]),
    st.sampled_from(OUTPUTS),
    st.booleans(),
)
@examples(2.5)
def test_lines(
    rows: list[tuple[str, str, str]],
    end: str,
    task: Task,
    default_rules: Rules | None,
    output: Output,
    ends: bool,
) -> None:
    text = end.join("".join(row) for row in rows) + ends * end
    one_by_one, many = written(text.encode(), "line", task, output, default_rules)
    assert comparable(many) == comparable(one_by_one)


SIGN = st.builds(
    lambda row, column, direction, differs: [row, column, direction, differs],
    st.sampled_from([*range(6), True, 7]),
    st.sampled_from([*range(6), 2.0, -1]),
    st.sampled_from(["R", "D", "D", "R", "U"]),
    st.sampled_from(["=", "x", "x", "=", "?"]),
)
SIGNS = st.one_of(true_signs(), st.lists(SIGN, max_size=2), st.sampled_from([None, [[0, 0]], "x"]))

RECORD = st.fixed_dictionaries(
    {
        "height": st.sampled_from([6, 6, 6, 4, 9, True, 6.0, "6"]),
        "width": st.sampled_from([*[6] * 9, True, 6.0, "6"]),
        "clues": cells(),
    },
    optional={
        "id": st.sampled_from(["a", "", 0, 17, None, 1.5, "é\n", [1], " b", '"c\\', "é"]),
        "rules": st.sampled_from(
            ["classic", "unruly", "tango", "hard", None, {}, {"odd": "ones"}, {"longest_run": 2.0}]
        ),
        "distinct_lines": st.sampled_from([True, False, None, 1]),
        "signs": SIGNS,
        "verdict": st.just("unique"),
    },
)


@given(
    st.lists(RECORD, max_size=8),
    st.sampled_from(TASKS),
    st.sampled_from([None, UNRULY]),
    st.sampled_from(OUTPUTS),
)
@examples(2.5)
def test_records(
    records: list[dict[str, Any]], task: Task, default_rules: Rules | None, output: Output
) -> None:
    data = "".join(json.dumps(record) + "\n" for record in records).encode()
    one_by_one, many = written(data, "ndjson", task, output, default_rules)
    assert comparable(many) == comparable(one_by_one)


CHOSEN_COLUMNS = {"seconds", "readings.classic.seconds", "readings.unruly.seconds"}
"""They differ: how long it took, and for several solutions which of them was found."""
OF_SOLUTIONS = {"solution", "second_solution", "differences"}


@given(
    st.lists(RECORD, max_size=8),
    st.sampled_from([*TASKS, Task("check", "bitboard", limit=2, reasons="none")]),
    st.sampled_from(OUTPUTS_WITH_COLUMNS),
)
@examples(2.5)
def test_tables(records: list[dict[str, Any]], task: Task, table: Table) -> None:
    data = "".join(json.dumps(record) + "\n" for record in records).encode()
    one_by_one, many = written(data, "ndjson", task, table, None)
    for one, two in zip(cells_of(table, one_by_one), cells_of(table, many), strict=True):
        several = one.get("verdict", "multiple") in ("multiple", "solved")
        skipped = CHOSEN_COLUMNS | (OF_SOLUTIONS if several else set())
        for name in set(table.columns) - skipped:
            assert one[name] == two[name], name


def cells_of(table: Table, text: str) -> list[dict[str, str]]:
    lines = text.splitlines(keepends=True)
    rows = csv.reader(lines) if table.is_csv else (line[:-1].split("\t") for line in lines)
    return [dict(zip(table.columns, row, strict=True)) for row in rows]


@given(st.binary(max_size=200) | st.text('01.x \n:#{}[]",\0\r', max_size=80).map(str.encode))
def test_no_bytes_make_it_fail(data: bytes) -> None:
    for format in ("line", "ndjson"):
        for block in lines_of(data, format):
            for group in plain(block, 64):
                assert len(group.lines) == len(group.ids.starts) == len(group.clues)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_all_plain_lines_are_decided_together(end: bytes) -> None:
    """Otherwise they would be slow."""
    rows = [b"." * 4, b"." * 5, b"01x1", b"\t....", b"." * 16, b"." * 36 + b" name"]
    (block,) = lines_of(end.join([*rows, b""]), "line")
    assert lines_decided(block, 5) == [0, 4, 5]


def test_a_rectangle_of_another_size_a_long_id_and_nothing_at_the_end() -> None:
    data = (
        b'{"height":2,"width":3,"clues":"01..1."}\n\n'
        b'{"id":"' + b"x" * 5000 + b'","height":1,"width":2,"clues":".."}\n'
        b'{"height":65,"width":1,"clues":"' + b"." * 65 + b'"}'
    )
    one_by_one, many = written(data, "ndjson", TASKS[2], "ndjson", None)
    assert comparable(many) == comparable(one_by_one)
    block = lines_of(data, "ndjson")[0]
    assert lines_decided(block, 50) == [0, 2]


@pytest.mark.parametrize("verb", ["check", "solve", "count"])
@pytest.mark.parametrize("output", ["line", "text"])
def test_the_other_outputs(verb: Verb, output: Output) -> None:
    rows = [
        SOLVED.with_cell((0, 0), ".").cells,
        "." * 16,
        "000" + "." * 13 + " impossible",
        "0123",
        "." * 4,
        "2x2:0110 sized",
    ]
    data = "\n".join(rows).encode()
    limit = 50 if verb == "count" else None
    task = Task(verb, "bitboard", limit=limit, reasons="none" if output == "line" else "smallest")
    one_by_one, many = written(data, "line", task, output, None)
    # Which of several solutions is shown may differ, and so may what follows from that.
    if verb == "count" or output == "text":

        def shape(text):
            return [
                " ".join(word for word in line.split() if not set(word) <= set("01^"))
                for line in text.splitlines()
            ]

        assert shape(many) == shape(one_by_one)
    else:
        assert many == one_by_one


def test_ids_and_numbers_continue_across_blocks() -> None:
    data = b"# a comment\n" + b"".join(b".... x%d\n....\n\n" % k for k in range(50))
    source = sources.Source("x", io.BytesIO(data), lambda: 0)
    sizes = iter(range(1, 100))
    blocks = list(formats.FORMATS["line"].blocks(source, None, lambda: next(sizes)))
    assert len(blocks) > 10
    ids = [entry.id for block in blocks for entry in block]
    assert ids == [f"x{k // 2}" if k % 2 == 0 else str(k + 1) for k in range(100)]
    lines = [entry.line for block in blocks for entry in block]
    assert lines == [2 + k // 2 * 3 + k % 2 for k in range(100)]


@st.composite
def boards_and_clues(draw: st.DrawFn) -> tuple[Rules, list[Board], list[str]]:
    """A board that mostly satisfies its rules, and boards that nearly do."""
    chosen = draw(rules)
    board = draw(full_boards(chosen, st.integers(1, 8)))
    chance = random.Random(draw(st.integers(0, 1 << 30)))
    boards = [board, board.complemented(), board.mirrored()]
    for _ in range(12):
        rows = list(board.rows)
        change = chance.randrange(3)
        if change == 0:
            rows[chance.randrange(len(rows))] = chance.choice(rows)
        elif change == 1:
            chance.shuffle(rows)
        other = Board.from_rows(rows)
        if change == 2:
            place = chance.randrange(len(board.cells))
            other = board.with_cell(board.cell(place), chance.choice("01"))
        boards.append(other)
    clues = []
    for each in boards:
        kept = [value if chance.random() < 0.3 else "." for value in each.cells]
        if chance.random() < 0.2:
            kept[chance.randrange(len(kept))] = chance.choice("01")
        clues.append("".join(kept))
    return chosen, boards, clues


@given(boards_and_clues())
@examples(3.3)
def test_verification_of_arrays_agrees_with_boards(case: tuple[Rules, list[Board], list[str]]):
    chosen, boards, clues = case
    height, width = boards[0].height, boards[0].width
    shape = (-1, height, width)
    arrays = [
        np.frombuffer("".join(each).encode(), np.uint8).reshape(shape)
        for each in ([board.cells for board in boards], clues)
    ]
    found = are_solutions(*arrays, chosen)
    repeated = are_solutions(*(np.tile(each, (8, 1, 1)) for each in arrays), chosen)
    assert repeated.tolist() == 8 * found.tolist()  # they are other bits of other bytes
    for board, given_clues, good in zip(boards, clues, found.tolist(), strict=True):
        puzzle = Puzzle(Board(height, width, given_clues), chosen)
        assert good == (not violations(puzzle, board)), (puzzle, board)


@given(st.lists(SIGN, max_size=12), st.booleans())
def test_signs_are_verified(signs: list[list[Any]], turned: bool) -> None:
    board = SOLVED.rotated() if turned else SOLVED
    own = {}
    for sign in signs:
        with suppress(BinairoError):
            own[tuple(sign[:3])] = Puzzle(board, UNRULY, (Sign(*sign),)).signs[0]
    puzzle = Puzzle(Board.empty(6, 6), UNRULY, tuple(own.values()))
    boards = np.frombuffer(board.cells.encode(), np.uint8).reshape(1, 6, 6)
    words = sign_words([puzzle.signs], 6, 6)
    good = are_solutions(boards, np.full_like(boards, ord(".")), UNRULY, words)
    assert good.tolist() == [not violations(puzzle, board)]


@pytest.mark.parametrize("length", [8, 9, 16, 17, 32, 33, 63, 64])
def test_long_lines_are_verified(length: int) -> None:
    row = ("01" * 32)[:length]
    board = Board.from_rows([row, row[1:] + row[0]])
    for changed in (board, board.with_cell((0, length - 1), "10"[int(row[-1])])):
        boards = np.frombuffer(changed.cells.encode(), np.uint8).reshape(1, 2, length)
        clues = np.full_like(boards, ord("."))
        puzzle = Puzzle(Board.empty(2, length), UNRULY)
        assert are_solutions(boards, clues, UNRULY).tolist() == [not violations(puzzle, changed)]


def test_puzzles_are_decided_one_by_one_after_an_error(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv(blocks.STRICT)
    monkeypatch.setattr(pipeline, "_WORTH_LOADING", 1)
    (block,) = lines_of(2 * (SOLVED.cells.encode() + b"\n"), "line")

    def fail(*_: object) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr(columnar, "decide_block", fail)
    part = pipeline._BlockWorker(TASKS[0], "line")(NumberedBlock(0, block))
    assert str(part.data, "utf-8") == f"{SOLVED.cells} unique 1\n{SOLVED.cells} unique 2\n"
    assert len(caplog.records) == 1


def test_an_error_ends_a_strict_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tests are strict; otherwise the slow path would hide a broken fast path."""
    monkeypatch.setattr(pipeline, "_WORTH_LOADING", 1)
    monkeypatch.setattr(columnar, "decide_block", lambda *_: 1 // 0)
    (block,) = lines_of(2 * (SOLVED.cells.encode() + b"\n"), "line")
    with pytest.raises(ZeroDivisionError):
        pipeline._BlockWorker(TASKS[0], "line")(NumberedBlock(0, block))


@pytest.mark.parametrize(("marks", "is_left"), [(15, False), (16, True), (17, True)])
def test_names_with_enough_marks_to_be_cells_are_left(marks: int, is_left: bool) -> None:
    for before in range(40):
        name = f"{'n' * before} {'0' * marks}".strip()
        (block,) = lines_of(f"{SOLVED.cells} {name}\n{SOLVED.cells} n\n".encode(), "line")
        (puzzles,) = plain(block, 64)
        assert puzzles.lines.tolist() == ([1] if is_left else [0, 1])
