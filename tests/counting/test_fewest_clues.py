"""Check the fewest clues of all boards of a size against engines that share no code with them."""

from __future__ import annotations

import gzip
import json
import re
from array import array
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import Board, Puzzle, check, enumerate_solutions
from binairo_cp.counting import census_runs, fewest_clues, orbits, unit_files
from binairo_cp.counting import fewest_clues as runs
from binairo_cp.counting.counting import count_boards
from binairo_cp.counting.sizes import Census, Distinct
from binairo_cp.errors import LimitError, SourceError
from binairo_cp.kernels import clue_sets
from binairo_cp.puzzle.rules import Odd
from binairo_cp.puzzle.symmetries import canonical
from binairo_cp.reduction import fewest
from tests.support.command_line import call
from tests.support.strategies import examples

SIX = Census(6, 6)
QUIET = census_runs.CensusOptions(quiet=True)
SIZES = [(2, 2), (3, 3), (2, 5), (5, 2), (4, 4), (4, 5), (4, 6), (6, 4), (5, 5), (6, 6), (3, 8)]


@pytest.mark.parametrize("distinct", ["lines", "nothing"])
@pytest.mark.parametrize("odd", ["either", "ones", "zeros"])
@pytest.mark.parametrize(("height", "width"), SIZES)
def test_all_boards_are_listed(height: int, width: int, odd: Odd, distinct: Distinct) -> None:
    census = Census(height, width, distinct, odd)
    puzzle = Puzzle(Board.empty(height, width), census.rules)
    expected = sorted(each.cells for each in enumerate_solutions(puzzle))
    boards = fewest_clues.all_boards(census)
    assert [fewest_clues.cells_of(int(each), census) for each in boards] == expected


@pytest.mark.parametrize("distinct", ["rows", "columns"])
@pytest.mark.parametrize(("height", "width"), [(4, 6), (6, 4), (6, 6)])
def test_lines_of_one_direction_are_distinct(height: int, width: int, distinct: Distinct) -> None:
    every = fewest_clues.all_boards(Census(height, width, "nothing"))
    expected = []
    for each in every:
        board = Board(height, width, f"{int(each):0{height * width}b}")
        grid = np.array(list(board.cells)).reshape(height, width)
        lines = grid if distinct == "rows" else grid.T
        if len({tuple(line) for line in lines}) == len(lines):
            expected.append(each)
    assert fewest_clues.all_boards(Census(height, width, distinct)).tolist() == expected


@pytest.mark.parametrize("distinct", ["lines", "nothing", "rows"])
@pytest.mark.parametrize("odd", ["either", "ones"])
@pytest.mark.parametrize(("height", "width"), [(4, 4), (4, 6), (5, 5), (6, 6), (5, 6)])
def test_classes_agree_with_burnsides_lemma(
    height: int, width: int, odd: Odd, distinct: Distinct
) -> None:
    census = Census(height, width, distinct, odd)
    classes = fewest_clues.classes_of_boards(census)
    assert classes.sizes.sum() == count_boards(census)
    assert len(classes.boards) == orbits.count_orbits(census, count_boards(census))[0].orbits


def rows_of_table(census: Census) -> dict[int, int]:
    classes, fewest = runs.find_fewest(census, QUIET)
    return {row.clues: row.classes for row in fewest_clues.distribution(fewest, classes.sizes)}


def test_the_published_distribution_of_6x6() -> None:
    """It was found by `reduction.fewest`; `test_reduction` finds it again."""
    assert rows_of_table(SIX) == {5: 21, 6: 12, 7: 235, 8: 53}


@pytest.mark.parametrize(
    ("height", "width", "distinct", "fewest"),
    [
        (2, 2, "lines", 1),
        (4, 4, "lines", 4),
        (4, 6, "lines", 5),
        (2, 4, "nothing", 2),
        (4, 6, "nothing", 6),
        (6, 6, "nothing", 6),
    ],
)
def test_the_fewest_of_other_sizes(
    height: int, width: int, distinct: Distinct, fewest: int
) -> None:
    assert min(rows_of_table(Census(height, width, distinct))) == fewest


CHECKED = [SIX, Census(6, 6, "nothing"), Census(6, 8), Census(5, 5), Census(5, 5, "lines", "ones")]


@given(st.sampled_from(CHECKED), st.integers(0))
@examples(0.5)
def test_the_fewest_of_random_boards(census: Census, number: int) -> None:
    """Compare with hitting sets by clause learning, and check the puzzle with all backends."""
    boards = fewest_clues.all_boards(census)
    chosen = boards[[number % len(boards)]]
    [clues] = fewest_clues.smallest_sets(census, chosen)
    cells = fewest_clues.cells_of(int(chosen[0]), census)
    board = Board(census.height, census.width, cells)
    found = fewest.fewest_clues(Puzzle(board, census.rules))
    assert found.proved
    assert found.at_most == int(clues).bit_count()
    puzzle = Board(
        census.height, census.width, fewest_clues.puzzle_of(int(chosen[0]), int(clues), census)
    )
    outcome = check(Puzzle(puzzle, census.rules))
    assert (outcome.verdict, outcome.solution) == ("unique", board)


def test_a_full_store_of_difference_sets_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fewest_clues, "_ROOM", 8)
    with pytest.raises(LimitError, match="more than 8 difference sets"):
        fewest_clues.smallest_sets(SIX, fewest_clues.all_boards(SIX)[:5])


@given(st.lists(st.integers(1, 255), min_size=1, max_size=12), st.integers(0, 255))
@examples(2)
def test_bounds_are_lower_bounds(sets: list[int], excluded: int) -> None:
    words = array("Q", sorted(sets, key=int.bit_count))
    open_sets = [each & ~excluded for each in sets]
    sizes = [
        hitting.bit_count() for hitting in range(256) if all(hitting & each for each in open_sets)
    ]
    if sizes:
        bound, is_too_small = clue_sets.bounds(memoryview(words), excluded, min(sizes))
        assert bound <= min(sizes)
        assert not is_too_small


def test_a_run_resumes_from_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "state.gz")
    options = census_runs.CensusOptions(path, quiet=True)
    real = runs.find_units

    def interrupted(
        census: Census, limit: int, tasks: list[fewest_clues.FewestTask]
    ) -> list[fewest_clues.FewestUnit]:
        if tasks[0].number == 1:
            raise KeyboardInterrupt
        return real(census, limit, tasks)

    monkeypatch.setattr(runs, "find_units", interrupted)
    with pytest.raises(KeyboardInterrupt):
        runs.find_fewest(SIX, options)
    assert "1 of 2 units (121 classes of boards) are left" in runs.forecast_text(SIX, options)
    numbers: list[int] = []

    def recorded(
        census: Census, limit: int, tasks: list[fewest_clues.FewestTask]
    ) -> list[fewest_clues.FewestUnit]:
        numbers.extend(task.number for task in tasks)
        return real(census, limit, tasks)

    monkeypatch.setattr(runs, "find_units", recorded)
    _, fewest = runs.find_fewest(SIX, options)
    assert numbers == [1]
    assert Counter(fewest.tolist()) == {5: 21, 6: 12, 7: 235, 8: 53}
    assert "all 321 classes are found" in runs.forecast_text(SIX, options)


def test_verify_finds_wrong_units(tmp_path: Path) -> None:
    path = str(tmp_path / "state.gz")
    options = census_runs.CensusOptions(path, quiet=True)
    runs.find_fewest(SIX, options)
    assert runs.verify(SIX, options, 9, "a") == census_runs.VerifiedUnits(2, 2, ())
    run = runs.FewestRun(SIX, options)
    known = run.known()
    known[1] = known[1]._replace(fewest=(*known[1].fewest[:-1], 9))
    unit_files.write(path, run.form, known.values())
    assert runs.verify(SIX, options, 9, "a").wrong == ("unit 1",)
    status, out, _ = call("census", "6", "--fewest", "--state", path, "--verify", "9")
    assert (status, out.splitlines()[0]) == (1, f"unit 1: differs from {path}")


HEAD = '{"fewest clues": {"height": 6, "width": 6, "distinct": "lines", "odd": "either"}, "units": 2, "limit": 34}\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello\n", "not a valid header"),
        ('{"height": 6, "width": 6, "distinct": "lines", "odd": "either"}\n', "not a valid header"),
        (
            HEAD.replace("lines", "nothing"),
            "belongs to the census 6x6 unruly, fewest clues up to 34",
        ),
        (HEAD + "0 1\n", ":2: is not a unit"),
        (HEAD + "0 x 5\n", ":2: is not a unit"),
        (HEAD + "0 1 5!\n", ":2: is not a unit"),
        (HEAD + "2 1 5\n", "there is no unit 2"),
        (HEAD + "0 1 5\n", "unit 0 has other boards"),
    ],
)
def test_damaged_files_are_rejected(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "state.gz"
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    with pytest.raises(SourceError, match=message):
        runs.find_fewest(SIX, census_runs.CensusOptions(str(path), quiet=True))


def test_too_long_without_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(census_runs, "LONG", 0.0)
    status, out, err = call("census", "6", "--fewest", "-q")
    assert (status, out) == (3, "")
    assert "use --state FILE to save the progress" in " ".join(err.split())


def test_a_limit_makes_the_search_stop() -> None:
    _, fewest = runs.find_fewest(SIX, QUIET, 6)
    assert Counter(fewest.tolist()) == {5: 21, 6: 12, 7: 235 + 53}
    status, out, _ = call("census", "6", "--fewest", "--at-most", "4")
    assert (status, out.splitlines()[1].split()) == (0, [">4", "321", "4140"])


def test_a_size_without_boards() -> None:
    status, out, _ = call("census", "5x4", "--odd", "ones", "--fewest")
    assert (status, out.splitlines()[-1].split()) == (0, ["total", "0", "0"])


def test_puzzles_with_the_fewest_clues() -> None:
    status, out, _ = call("census", "6", "--fewest", "--puzzles", "5")
    assert status == 0
    puzzles = out.splitlines()
    assert len(puzzles) == 21
    for cells in puzzles:
        assert sum(cell != "." for cell in cells) == 5
        assert check(Puzzle(Board(6, 6, cells))).verdict == "unique"
    assert call("census", "6", "--fewest", "--puzzles", "4")[:2] == (0, "")


DOCS = Path(__file__).resolve().parents[2] / "docs"
EIGHT = DOCS / "census/fewest-clues/8x8-classic-at-most-7.gz"
SEVEN = (DOCS / "numbers/8x8-classic-7-clues.line").read_text().split()


def test_the_file_of_8x8_has_18_boards_with_seven_clues() -> None:
    header, *lines = gzip.decompress(EIGHT.read_bytes()).decode().splitlines()
    assert json.loads(header)["limit"] == 7
    digits = Counter("".join(line.split()[2] for line in lines))
    assert (digits, len(lines)) == ({"7": 18, "8": 259_382}, 1297)


def test_the_files_of_8x8_agree() -> None:
    """The exact minima, cut off at 7, are those of the search for at most 7 clues."""
    limited, exact = (
        dict(
            line.split(maxsplit=1)
            for line in gzip.decompress(path.read_bytes()).decode().splitlines()[1:]
        )
        for path in (EIGHT, EIGHT.with_name("8x8-classic.gz"))
    )
    assert exact.keys() == limited.keys()
    for number, unit in exact.items():
        first, digits = unit.split()
        assert limited[number] == f"{first} {re.sub('[^7]', '8', digits)}"


def test_no_board_of_8x8_puzzles_with_seven_clues_needs_fewer() -> None:
    solutions = [check(Puzzle(Board(8, 8, cells))) for cells in SEVEN]
    assert all(each.verdict == "unique" for each in solutions)
    assert len({canonical(Puzzle(each.solution)) for each in solutions if each.solution}) == 18
    for cells in SEVEN[::6]:
        found = fewest.fewest_clues(Puzzle(Board(8, 8, cells)), all_cells=True)
        assert (found.at_most, found.proved) == (7, True)


@pytest.mark.slow
def test_units_of_8x8_can_be_found_again() -> None:
    options = census_runs.CensusOptions(str(EIGHT), quiet=True)
    verified = runs.verify(Census(8, 8), options, 6, "a", 7)
    assert (verified.units, verified.known, verified.wrong) == (6, 1297, ())


@pytest.mark.slow
def test_random_8x8_boards_agree_with_clause_learning() -> None:
    census = Census(8, 8)
    boards = fewest_clues.all_boards(census)[::150_000]
    sets = fewest_clues.smallest_sets(census, boards)
    for board, clues in zip(boards.tolist(), sets.tolist(), strict=True):
        found = fewest.fewest_clues(Puzzle(Board(8, 8, fewest_clues.cells_of(board, census))))
        assert (found.at_most, found.proved) == (clues.bit_count(), True)
