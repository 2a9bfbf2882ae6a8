"""Check the census against known numbers, exhaustive search and a simple join of halves."""

import gzip
import os
import signal
import subprocess
import time
from array import array
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import Board, count, enumerate_solutions, legal_lines
from binairo_cp.batch.tasks import Task
from binairo_cp.counting import census_runs, counting, sizes, units
from binairo_cp.counting.sizes import Census, Distinct, classes_of, oriented, pairs_of_units, tables
from binairo_cp.counting.units import count_unit, count_units, digits_of
from binairo_cp.errors import LimitError, SourceError, WrongAnswer
from binairo_cp.formats import Entry
from binairo_cp.kernels import census as kernel
from binairo_cp.puzzle.rules import CLASSIC, UNRULY, Odd, Puzzle, Rules
from binairo_cp.puzzle.shape import sides_of
from binairo_cp.workers import executors
from binairo_cp.workers.executors import Pool
from tests.support.command_line import binairo, call
from tests.support.oracles import Instance, clingo_solutions, minizinc_available, minizinc_solutions
from tests.support.result_files import records_of

# Classic: OEIS A253316, and rectangles from a code golf thread. Others: computed by two methods.
KNOWN: dict[Distinct, dict[int, int]] = {
    "lines": {2: 2, 4: 72, 6: 4140, 8: 4_111_116},
    "nothing": {2: 2, 4: 90, 6: 11_222, 8: 12_413_918},
    "rows": {2: 2, 4: 72, 6: 5_868, 8: 6_417_612},
}
TEN_BY_TEN: dict[Distinct, int] = {
    "lines": 48_183_195_384,
    "nothing": 117_925_227_108,
    "rows": 70_012_548_456,
    "columns": 70_012_548_456,
}
NUMBERS = Path(__file__).resolve().parents[2] / "docs/numbers.md"
RECTANGLES = {(4, 6): 96, (6, 8): 51_744, (6, 10): 392_208}


def published(heading: str, odd: Odd = "either") -> Iterator[tuple[Census, int]]:
    """The numbers of boards in a table of docs/numbers.md, which follows some words."""
    names: dict[str, Distinct] = {
        "classic": "lines",
        "plain": "nothing",
        "distinct rows": "rows",
        "distinct columns": "columns",
    }
    text = NUMBERS.read_text(encoding="utf-8").partition(heading)[2]
    head, _, *rows = text[text.index("\n|") :].strip().partition("\n\n")[0].splitlines()
    columns = [names[cell.strip()] for cell in head.strip("|").split("|")[1:]]
    for row in rows:
        size, *numbers = (cell.strip() for cell in row.strip("|").split("|"))
        for distinct, number in zip(columns, numbers, strict=True):
            if number != "-":
                yield Census(*sides_of(size), distinct, odd), int(number.replace(",", ""))


@pytest.mark.parametrize("distinct", KNOWN)
@pytest.mark.parametrize("side", [2, 4, 6, 8])
def test_known_squares(side: int, distinct: Distinct) -> None:
    assert counting.count_boards(Census(side, side, distinct)) == KNOWN[distinct][side]


@pytest.mark.parametrize("side", [2, 4, 6, 8])
def test_distinct_columns_have_the_count_of_distinct_rows(side: int) -> None:
    """The code compares rows by index and columns by bit masks, so this compares two methods."""
    assert counting.count_boards(Census(side, side, "columns")) == KNOWN["rows"][side]


@pytest.mark.parametrize("size", RECTANGLES)
def test_known_rectangles_in_both_orientations(size: tuple[int, int]) -> None:
    height, width = size
    for census in (Census(height, width), Census(width, height)):
        classes = classes_of(census)
        units = {each: count_unit(census, each) for each in classes.packed.tolist()}
        assert counting.total(classes, units) == RECTANGLES[size]


def test_the_published_numbers_of_ten_by_ten_are_those_of_the_test_below() -> None:
    numbers = dict(published("## Squares"))
    for distinct in ("lines", "nothing", "rows"):
        assert numbers[Census(10, 10, distinct)] == TEN_BY_TEN[distinct]


@pytest.mark.slow
@pytest.mark.parametrize("distinct", TEN_BY_TEN)
def test_ten_by_ten(distinct: Distinct) -> None:
    with Pool(2, ["binairo_cp.counting.units"]) as pool:
        assert counting.count_boards(Census(10, 10, distinct), pool) == TEN_BY_TEN[distinct]


@pytest.mark.parametrize(
    ("heading", "odd", "checked"),
    [("## Squares", "either", 21), ("(`--odd ones`)", "ones", 9), ("## Rectangles", "either", 64)],
)
def test_the_published_numbers_of_small_boards(heading: str, odd: Odd, checked: int) -> None:
    small = [
        (census, number)
        for census, number in published(heading, odd)
        if (census.height * census.width <= 64 and min(census.height, census.width) < 7)
        or census.height == census.width == 8
    ]
    assert len(small) == checked
    for census, number in small:
        assert counting.count_boards(census) == number


SMALL = [(h, w) for h, w in product(range(1, 8), repeat=2) if h * w <= 30]


@pytest.mark.parametrize("odd", ["either", "ones", "zeros"])
@pytest.mark.parametrize("distinct", ["lines", "nothing"])
def test_all_small_sizes_by_search(distinct: Distinct, odd: Odd) -> None:
    rules = Rules(distinct_lines=distinct == "lines", odd=odd)
    for height, width in SMALL:
        expected = count(
            Puzzle(Board.empty(height, width), rules), backend="bitboard", limit=None
        ).count
        assert counting.count_boards(Census(height, width, distinct, odd)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("size", [(7, 7), (5, 9), (7, 8)])
def test_odd_sizes_by_search(size: tuple[int, int]) -> None:
    for odd in ("either", "ones", "zeros"):
        puzzle = Puzzle(Board.empty(*size), Rules(odd=odd))
        expected = count(puzzle, backend="bitboard", limit=None).count
        assert counting.count_boards(Census(*size, odd=odd)) == expected


@cache
def all_boards(height: int, width: int, odd: Odd = "either") -> list[Board]:
    puzzle = Puzzle(Board.empty(height, width), Rules(distinct_lines=False, odd=odd))
    return list(enumerate_solutions(puzzle, backend="bitboard"))


def are_distinct(lines: list[str]) -> bool:
    return len(set(lines)) == len(lines)


def rows_and_columns(board: Board) -> tuple[list[str], list[str]]:
    rows = [board.cells[k : k + board.width] for k in range(0, len(board.cells), board.width)]
    return rows, ["".join(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("size", [(4, 4), (4, 6), (6, 4), (5, 4), (4, 5), (5, 5), (3, 6)])
@pytest.mark.parametrize("odd", ["either", "ones"])
def test_only_rows_or_only_columns_distinct(size: tuple[int, int], odd: Odd) -> None:
    lines = [rows_and_columns(board) for board in all_boards(*size, odd)]
    with_rows = sum(are_distinct(rows) for rows, _ in lines)
    with_columns = sum(are_distinct(columns) for _, columns in lines)
    assert counting.count_boards(Census(*size, "rows", odd)) == with_rows
    assert counting.count_boards(Census(*size, "columns", odd)) == with_columns


@pytest.mark.parametrize("distinct", ["lines", "rows", "columns", "nothing"])
def test_each_unit_by_search(distinct: Distinct) -> None:
    """Check the count of each class, and that symmetric images of classes have equal counts."""
    expected: Counter[str] = Counter()
    for board in all_boards(6, 6):
        rows, columns = rows_and_columns(board)
        if (distinct in ("rows", "lines") and not are_distinct(rows)) or (
            distinct in ("columns", "lines") and not are_distinct(columns)
        ):
            continue
        expected["".join(str(column[:3].count("1")) for column in columns)] += 1
    classes = classes_of(Census(6, 6, distinct))
    assert len(expected) <= classes.sizes.sum()
    for packed in classes.packed.tolist():
        digits = digits_of(packed, 6)
        swapped = "".join(str(3 - int(digit)) for digit in digits)
        boards = count_unit(Census(6, 6, distinct), packed).boards
        for image in (digits, digits[::-1], swapped, swapped[::-1]):
            assert expected[image] == boards


@cache
def three_rows(width: int) -> tuple[np.ndarray, np.ndarray]:
    lines = np.array([[int(cell) for cell in line] for line in legal_lines(width)], np.int8)
    n = len(lines)
    one, two = (each.ravel() for each in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    parts = []
    for three in range(n):
        sums = lines[one] + lines[two] + lines[three]
        fits = ((sums > 0) & (sums < 3)).all(1) & (one != two) & (two != three) & (one != three)
        parts.append(np.column_stack([one[fits], two[fits], np.full(fits.sum(), three)]))
    return lines, np.concatenate(parts)


def count_by_simple_join(digits: str, *, columns_differ: bool) -> int:
    """Count a unit of 12x12 with distinct rows by testing every pair of halves, as cell arrays."""
    lines, triples = three_rows(len(digits))
    totals = np.array([int(digit) for digit in digits], np.int8)
    sums = lines[triples].sum(1, dtype=np.int8)
    of_sum: dict[bytes, list[int]] = {}
    for k, each in enumerate(sums):
        of_sum.setdefault(each.tobytes(), []).append(k)
    halves = []
    for key, above in of_sum.items():
        below = of_sum.get((totals - np.frombuffer(key, np.int8)).tobytes())
        for k in above if below else ():
            halves += [
                [*triples[k], *triples[m]]
                for m in below or ()
                if are_distinct([*triples[k], *triples[m]])
            ]
    cells = lines[np.array(halves)]
    for k in (1, 2):
        sums = cells[:, k : k + 3].sum(1)
        cells = cells[((sums > 0) & (sums < 3)).all(1)]
    # The lower half is another upper half, complemented and upside down.
    codes = (cells << np.arange(len(digits))).sum(2)
    other = (1 << len(digits)) - 1 - codes
    boards = 0
    pairs = list(zip(*np.triu_indices(len(digits), 1), strict=True))
    equal = np.array([(cells[:, :, i] == cells[:, :, j]).all(1) for i, j in pairs]).T
    for k, half in enumerate(cells):
        across = half[4] + half[5] + 1 - cells[:, 5], half[5] + 2 - cells[:, 5] - cells[:, 4]
        fits = np.all([((sums > 0) & (sums < 3)).all(1) for sums in across], 0)
        if columns_differ:
            fits &= ~(equal[k] & equal).any(1)
        fits &= ~np.isin(other, codes[k]).any(1)
        boards += int(fits.sum())
    return boards


@pytest.mark.slow
@pytest.mark.parametrize("distinct", ["lines", "rows"])
@pytest.mark.parametrize("digits", ["423444222432", "443222343432", "223342444242"])
def test_units_of_twelve_by_a_simple_join(digits: str, distinct: Distinct) -> None:
    packed = sum(int(digit) << (4 * k) for k, digit in enumerate(digits))
    joined = count_by_simple_join(digits, columns_differ=distinct == "lines")
    assert count_unit(Census(12, 12, distinct), packed).boards == joined


@pytest.mark.slow
def test_images_of_classes_of_twelve_have_equal_counts() -> None:
    for distinct in ("lines", "rows", "columns", "nothing"):
        counts = set()
        for digits in ("423444222432", "234222444324", "243222444234", "432444222342"):
            packed = sum(int(digit) << (4 * k) for k, digit in enumerate(digits))
            counts.add(count_unit(Census(12, 12, distinct), packed).boards)
        assert len(counts) == 1
        assert counts.pop() > 0


def test_the_number_of_classes() -> None:
    classes = classes_of(Census(12, 12))
    assert (len(classes.packed), classes.sizes.sum()) == (18_665, 73_789)


@pytest.mark.parametrize("odd", ["either", "ones", "zeros"])
@pytest.mark.parametrize("width", [1, 2, 5, 6, 9, 12])
def test_rows_of_lists_the_legal_lines(width: int, odd: Odd) -> None:
    lines = [int(line[::-1], 2) for line in legal_lines(width, Rules(odd=odd))]
    assert sizes.rows_of(width, Rules(odd=odd)).tolist() == sorted(lines)


def test_check_compares_halves_with_a_transfer_matrix() -> None:
    census = Census(8, 8)
    classes = classes_of(census)
    units = {each: count_unit(census, each) for each in classes.packed.tolist()}
    counting.check(census, classes, units)
    key = next(each for each in units if units[each].halves)
    units[key] = units[key]._replace(halves=units[key].halves + 1)
    with pytest.raises(WrongAnswer, match="upper halves"):
        counting.check(census, classes, units)


def test_sizes_out_of_reach_are_rejected() -> None:
    for size in ((16, 16), (14, 14), (255, 255), (10, 20), (11, 11)):
        with pytest.raises(LimitError, match="out of reach"):
            counting.count_boards(Census(*size))
    with pytest.raises(LimitError, match="a board of 0x4; expected sides of 1 or more"):
        counting.count_boards(Census(0, 4))


def test_a_worker_pool_gives_the_same_count() -> None:
    with Pool(2, ["binairo_cp.counting.units"]) as pool:
        assert counting.count_boards(Census(6, 8), pool) == 51_744


SIX = Census(6, 6)


def test_a_state_file_is_read_back(tmp_path: Path) -> None:
    path = str(tmp_path / "state.gz")
    classes = classes_of(SIX)
    counted = [count_unit(SIX, each) for each in classes.packed.tolist()]
    units.write(path, SIX, counted[::-1])
    assert units.read(path, SIX, classes) == {each.packed: each for each in counted}
    before = Path(path).read_bytes()
    units.write(path, SIX, counted)
    assert Path(path).read_bytes() == before


HEAD = '{"height":6,"width":6,"distinct":"lines","odd":"either"}\n'


@pytest.mark.parametrize(("data", "message"), [
    (b"no gzip", "damaged"),
    (gzip.compress(HEAD.encode(), mtime=0)[:-4], "damaged"),
    (gzip.compress(b"", mtime=0), "empty"),
    (gzip.compress(b"hello\n", mtime=0), ":1: is not a valid header"),
    (
        gzip.compress(HEAD.replace("6,", "8,", 1).encode(), mtime=0),
        "belongs to the census 8x6 classic",
    ),
    (gzip.compress((HEAD + "222111 x 3\n").encode(), mtime=0), ":2: is not a unit"),
    (gzip.compress((HEAD + "11122 1 3\n").encode(), mtime=0), ":2: is not a unit"),
    (gzip.compress((HEAD + "222111 -1 3\n").encode(), mtime=0), ":2: is not a unit"),
    (gzip.compress((HEAD + "555555 1 3\n").encode(), mtime=0), "not a class"),
    (gzip.compress((HEAD + "222111 1 3\n222111 2 3\n").encode(), mtime=0), "different counts"),
    (gzip.compress(b"\xff\n", mtime=0), "damaged"),
])  # fmt: skip
def test_damaged_state_files_are_rejected(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "state.gz"
    path.write_bytes(data)
    with pytest.raises(SourceError, match=message):
        units.read(str(path), SIX, classes_of(SIX))


def test_one_run_at_a_time(tmp_path: Path) -> None:
    path = str(tmp_path / "state.gz")
    with (
        units.opened(path, SIX, classes_of(SIX)),
        pytest.raises(SourceError, match="another run"),
        units.opened(path, SIX, classes_of(SIX)),
    ):
        pass
    assert not list(tmp_path.iterdir())


def test_an_interrupted_run_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "state.gz")
    real = counting.count_blocks

    def interrupted(census: Census, work: list[list[int]], pool: object = None) -> object:
        yield from real(census, [work[0][:3]], None)
        raise KeyboardInterrupt

    monkeypatch.setattr(counting, "count_blocks", interrupted)
    with pytest.raises(KeyboardInterrupt, match=r"stopped; the progress is saved in .*state\.gz"):
        census_runs.run_census(SIX, census_runs.CensusOptions(path, quiet=True))
    assert len(units.read(path, SIX, classes_of(SIX))) == 3
    counted: list[int] = []

    def recorded(census: Census, work: list[list[int]], pool: object = None) -> object:
        counted.extend(each for some in work for each in some)
        return real(census, work, None)

    monkeypatch.setattr(counting, "count_blocks", recorded)
    assert census_runs.run_census(SIX, census_runs.CensusOptions(path, quiet=True)) == 4140
    assert len(counted) == len(classes_of(SIX).packed) - 3
    assert census_runs.run_census(SIX, census_runs.CensusOptions(path, quiet=True)) == 4140


@pytest.mark.slow
def test_a_killed_run_resumes(tmp_path: Path) -> None:
    path = tmp_path / "state.gz"
    command = [*binairo, "census", "10", "--state", str(path), "-q", "-w", "1"]
    with subprocess.Popen(command, start_new_session=True) as run:
        while not path.exists():
            assert run.poll() is None
            time.sleep(0.05)
        with suppress(ProcessLookupError):  # it may have ended
            os.killpg(run.pid, signal.SIGKILL)
    census = oriented(Census(10, 10))
    assert len(units.read(str(path), census, classes_of(census))) > 0
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "48183195384\n"


def test_units_are_split_by_their_work() -> None:
    census = Census(8, 8)
    classes = classes_of(census)
    pairs = pairs_of_units(census, classes.packed)
    outer, inner = tables(census).upper
    assert (pairs * classes.sizes).sum() <= len(outer.line) * len(inner.line)
    work = dict(zip(classes.packed.tolist(), pairs.tolist(), strict=True))
    split = counting.split_by_work(classes.packed, pairs, 5_000)
    assert [work[packed] for block in split for packed in block] == sorted(pairs, reverse=True)
    assert all(sum(work[packed] for packed in block[1:]) <= 5_000 for block in split)


@pytest.mark.parametrize(("size", "distinct", "odd", "is_long"), [
    ((10, 12), "lines", "either", False),
    ((12, 12), "nothing", "either", False),
    ((9, 9), "lines", "ones", False),
    ((9, 9), "lines", "either", True),
    ((10, 14), "lines", "either", True),
    ((12, 12), "rows", "either", True),
])  # fmt: skip
def test_a_long_census_needs_a_state_file(
    size: tuple[int, int], distinct: Distinct, odd: Odd, is_long: bool
) -> None:
    census = oriented(Census(*size, distinct, odd))
    assert census_runs.is_long(census) == is_long
    if is_long:
        with pytest.raises(census_runs.TooLong, match=r"use state='FILE' to save the progress"):
            census_runs.run_census(census, census_runs.CensusOptions())


def cli(*arguments: str) -> tuple[int, str, str]:
    return call("census", *arguments)


@pytest.mark.parametrize("distinct", ["nothing", "columns"])
@pytest.mark.parametrize("odd", ["either", "ones", "zeros"])
@pytest.mark.parametrize(("height", "width"), [(2, 2), (3, 2), (5, 4), (7, 3), (8, 4), (9, 4)])
def test_narrow_boards_agree_with_the_halves(height: int, width: int, odd: Odd, distinct: Distinct):
    census = Census(height, width, distinct, odd)
    classes = classes_of(census)
    units = {packed: count_unit(census, packed) for packed in classes.packed.tolist()}
    assert counting.count_narrow(census) == counting.total(classes, units)
    assert counting.count_narrow(census.transposed) == counting.count_narrow(census)


@pytest.mark.parametrize(("size", "rules", "boards"), [
    # There are 6 legal lines of length 4, and 14 of length 6.
    ("4x20", "classic", 0),
    ("16x6", "rows", 0),
    ("4x20", "plain", 2_210_076_900),
    # The second row is the complement of the first.
    ("2x200", "plain", legal_lines(200).count),
])  # fmt: skip
def test_long_boards(size: str, rules: str, boards: int) -> None:
    assert cli(size, "--rules", rules)[:2] == (0, f"{boards}\n")


@pytest.mark.parametrize(("size", "reason"), [
    ("11", "1.6e+09 half boards at once (limit 1e+07) take 81 GB"),
    pytest.param(
        "12x14",
        "6.6e+06 blocks of rows (limit 6e+06) take 0.22 GB; --memory must be 1.1 (GB)",
        marks=pytest.mark.slow,
    ),
    pytest.param(
        "14", "the rows of a half take a key of 60 bits (limit 59)", marks=pytest.mark.slow
    ),
    pytest.param("20", "one side may have 16 cells, the other 18", marks=pytest.mark.slow),
])  # fmt: skip
def test_sizes_out_of_reach_say_why(size: str, reason: str) -> None:
    status, out, err = cli(size)
    assert (status, out) == (2, "")
    assert reason in " ".join(err.split())


def test_an_even_height_is_preferred() -> None:
    """The columns of odd height have two possible sums, which takes a hundred times longer."""
    assert oriented(Census(9, 10)) == oriented(Census(10, 9)) == Census(10, 9)


def test_more_memory_lifts_the_limit() -> None:
    with pytest.raises(LimitError, match=r"memory must be 1\.1"):
        oriented(Census(12, 14))
    assert oriented(Census(12, 14), memory=2) == Census(12, 14)
    status, _, err = cli("14", "--memory", "9999")
    assert (status, "of this machine" in " ".join(err.split())) == (2, True)


@pytest.mark.slow
def test_narrow_boards_with_too_many_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MAX_STATES", 20)
    status, _, err = cli("4x20", "--rules", "plain")
    assert (status, "more than 20 cases" in " ".join(err.split())) == (2, True)


@pytest.mark.parametrize("distinct", ["lines", "rows", "nothing"])
def test_memory_that_is_too_small_grows(distinct: Distinct, monkeypatch: pytest.MonkeyPatch):
    census = Census(6, 8, distinct)
    packed = [int(each) for each in classes_of(census).packed[:40]]
    expected = count_units(census, packed)
    small = units._Memory()
    # A kind needs room for 128 pairs.
    small.lengths = [0, 1, 1, 1, 2, 128]
    monkeypatch.setattr(units, "_memory", small)
    assert count_units(census, packed) == expected
    assert small.lengths > [0, 1, 1, 1, 2, 128]


def test_large_memory_is_not_kept(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(units, "_MAX_KEPT", 0)
    memory = units._Memory()
    assert memory.get("ends", bytearray, 8) is not memory.get("ends", bytearray, 8)


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 9), max_size=300))
def test_words_are_sorted(words: list[int]):
    values = array("Q", words)
    kernel.sort_words(memoryview(values))
    assert values.tolist() == sorted(words)


BACKENDS = [
    "auto",
    "bitboard",
    "pysat",
    pytest.param("pysat:cadical195", marks=pytest.mark.slow),
    pytest.param("cpsat:codes", marks=pytest.mark.slow),
    pytest.param("cpsat:differences", marks=pytest.mark.slow),
    "backtracking",
]
SQUARES = {2: 2, 4: 72, 6: 4140}
PLAIN = {2: 2, 4: 90, 6: 11222}


def number_of_boards(height: int, width: int, rules: Rules, backend: str) -> int:
    outcome = count(Puzzle(Board.empty(height, width), rules), backend=backend, limit=None)
    assert outcome.complete
    return outcome.count


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("side", SQUARES)
def test_classic_squares(side: int, backend: str) -> None:
    assert number_of_boards(side, side, CLASSIC, backend) == SQUARES[side]


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["pysat", "cpsat", "backtracking"])
def test_plain_squares_and_rectangles(backend: str) -> None:
    counts = [number_of_boards(side, side, UNRULY, backend) for side in PLAIN]
    assert counts == [*PLAIN.values()]
    assert (
        number_of_boards(4, 6, CLASSIC, backend) == number_of_boards(6, 4, CLASSIC, backend) == 96
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "backend",
    ["cpsat", *(pytest.param(x, marks=pytest.mark.nightly) for x in ("pysat", "backtracking"))],
)
def test_6x8(backend: str) -> None:
    assert number_of_boards(6, 8, CLASSIC, backend) == 51744


@pytest.mark.slow
def test_8x8() -> None:
    """Count from each first row up to symmetry; a row, its mirror and complement count the same."""
    multiplicities: dict[str, int] = {}
    for line in legal_lines(8):
        swapped = line.translate(str.maketrans("01", "10"))
        least = min(line, line[::-1], swapped, swapped[::-1])
        multiplicities[least] = multiplicities.get(least, 0) + 1
    entries = [Entry(Puzzle(Board(8, 8, row + "." * 56)), id=row) for row in multiplicities]
    records = records_of(
        [[each] for each in entries],
        Task("count", "bitboard"),
        executors.WorkerSettings(executors.cores()),
    )
    assert all(record.complete for record in records)
    assert sum(multiplicities[record.id] * (record.count or 0) for record in records) == 4_111_116


@pytest.mark.slow
def test_clingo() -> None:
    for side, expected in SQUARES.items():
        assert len(clingo_solutions(Instance(side, side, "." * side * side))) == expected
    plain = Instance(4, 4, "." * 16, distinct_lines=False)
    assert len(clingo_solutions(plain)) == PLAIN[4]


@pytest.mark.slow
@pytest.mark.skipif(not minizinc_available(), reason="MiniZinc with Gecode is not installed")
def test_minizinc() -> None:
    for side, expected in SQUARES.items():
        assert len(minizinc_solutions(Instance(side, side, "." * side * side))) == expected
    plain = Instance(4, 4, "." * 16, distinct_lines=False)
    assert len(minizinc_solutions(plain)) == PLAIN[4]
