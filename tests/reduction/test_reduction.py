"""Reductions and repairs, compared with all subsets of clues and with lists of all solutions."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from binairo_cp import TANGO, Board, Puzzle, Sign, Verdict, check, violations
from binairo_cp.errors import BoardError, BudgetExceeded, PuzzleError, WrongAnswer
from binairo_cp.features.feature import task_of
from binairo_cp.reduction import clues, completion, helpful, smallest_sets
from binairo_cp.reduction.clues import analyse_clues
from binairo_cp.reduction.fewest import fewest_clues
from binairo_cp.reduction.helpful import helpful_values
from binairo_cp.reduction.repair import MAX_SETS, repair
from binairo_cp.reduction.smallest_sets import smallest_set
from binairo_cp.solving import backends, solutions
from binairo_cp.solving.assumption_cores import ClueSets, new_session
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.hitting_sets import HittingSets
from binairo_cp.solving.solutions import Outcome
from binairo_cp.workers import terminal
from tests.support import strategies
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE, call
from tests.support.strategies import found_soon, puzzles, unique_puzzles

REFERENCE = backends.get("backtracking")
INSTANCES = Path(__file__).resolve().parents[2] / "instances"
MOST = 400
FEWEST = 8
"""The fewest clues of the board `KNOWN`."""

THREE_SOLUTIONS = Puzzle(Board(4, 4, "0..1....1....0.0"))
THREE_WAYS = Puzzle(Board(4, 4, "000............."))


def all_solutions(puzzle: Puzzle) -> list[Board]:
    """All solutions; discards examples with many solutions or a long search."""
    solutions = []
    try:
        for board in backends.get("bitboard").solutions(puzzle, budget=Budget(work=5_000)):
            solutions.append(board)
            assume(len(solutions) <= MOST)
    except BudgetExceeded:
        assume(False)
    return solutions


def with_cells(puzzle: Puzzle, board: Board, places: Iterable[int]) -> Puzzle:
    kept = set(places)
    cells = "".join(v if k in kept else "." for k, v in enumerate(board.cells))
    return replace(puzzle, board=replace(board, cells=cells))


def clue_places(puzzle: Puzzle) -> list[int]:
    return [place for place, value in enumerate(puzzle.board.cells) if value != "."]


def fits(board: Board, solution: Board) -> bool:
    return all(v in (".", s) for v, s in zip(board.cells, solution.cells, strict=True))


def subsets(places: Iterable[int], size: int) -> Iterator[tuple[int, ...]]:
    return combinations(sorted(places), size)


def is_only(puzzle: Puzzle, solution: Board) -> bool:
    """Whether this is the only solution, according to a solver that shares no code."""
    return list(REFERENCE.solutions(puzzle, limit=2)) == [solution]


small = puzzles(sides=st.integers(1, 4)) | unique_puzzles(sides=(2, 4))


# Hitting sets


@given(st.lists(st.sets(st.integers(1, 9), min_size=1, max_size=4), max_size=14))
def test_hitting_sets_are_smallest(sets: list[set[int]]) -> None:
    hitting_sets = HittingSets(Meter(Budget()))
    for number, one in enumerate(sets):
        hitting_sets.hit(one)
        known = sets[: number + 1]
        smallest = hitting_sets.smallest()
        assert smallest is not None
        assert all(set(smallest) & each for each in known)
        assert hitting_sets.at_least == len(smallest)
        smaller = subsets(range(1, 10), len(smallest) - 1)
        assert not any(all(set(few) & each for each in known) for few in smaller)


def test_empty_sets_cannot_be_hit_and_forbidden_sets_do_not_recur() -> None:
    hitting_sets = HittingSets(Meter(Budget()))
    hitting_sets.hit([1, 2])
    returned = []
    while (smallest := hitting_sets.smallest()) is not None and len(smallest) == 1:
        returned.append(smallest)
        hitting_sets.forbid(smallest)
    assert sorted(returned) == [[1], [2]]
    assert smallest is None
    hitting_sets.hit([])
    assert hitting_sets.smallest() is None


@given(st.integers(1, 12), st.integers(0, 12))
def test_sizes_of_hitting_sets_that_grow(size: int, least: int) -> None:
    """Every set of `size - least + 1` numbers is hit by `least` of them."""
    least = min(size, least)
    hitting_sets = HittingSets(Meter(Budget()))
    for one in combinations(range(size), size - least + 1) if least else ():
        hitting_sets.hit(one)
    assert len(hitting_sets.smallest() or []) == hitting_sets.at_least == least


# The fewest clues


@given(small)
def test_fewest_clues_are_minimal(puzzle: Puzzle) -> None:
    every = all_solutions(replace(puzzle, board=Board.empty(*size_of(puzzle))))
    mine = [board for board in every if fits(puzzle.board, board)]
    if len(mine) != 1:
        with pytest.raises(PuzzleError):
            fewest_clues(puzzle)
        return
    found = fewest_clues(puzzle)
    board = found.puzzle.board
    assert found.proved
    assert found.stopped_by is None
    assert fits(board, mine[0])
    assert set(clue_places(found.puzzle)) <= set(clue_places(puzzle))
    assert [each for each in every if fits(board, each)] == mine
    differing = [
        {k for k in clue_places(puzzle) if one.cells[k] != mine[0].cells[k]}
        for one in every
        if one != mine[0]
    ]
    for few in subsets(clue_places(puzzle), found.at_most - 1) if found.at_most else ():
        assert not all(set(few) & each for each in differing)


def size_of(puzzle: Puzzle) -> tuple[int, int]:
    return puzzle.board.height, puzzle.board.width


def test_the_fewest_clues_of_all_4x4_boards() -> None:
    boards = list(REFERENCE.solutions(Puzzle(Board.empty(4, 4))))
    assert len(boards) == 72
    assert min(fewest_clues(Puzzle(board)).at_most for board in boards) == 4


@pytest.mark.parametrize(("side", "clues", "number"), [
    (6, "....110..........1...............0..", 5),
    (8, "1........00.1....0..............0....00.........................", 8),
])  # fmt: skip
def test_known_minima(side: int, clues: str, number: int) -> None:
    puzzle = Puzzle(Board(side, side, clues))
    among_clues = fewest_clues(puzzle)
    assert (among_clues.at_most, among_clues.proved) == (number, True)
    among_all = fewest_clues(puzzle, all_cells=True)
    assert (among_all.at_most, among_all.proved) == (number, True)


def up_to_symmetry(boards: Iterable[Board]) -> list[Board]:
    """One board of each class under rotation, reflection and exchange of the symbols."""
    seen: set[Board] = set()
    chosen = []
    for board in boards:
        if board in seen:
            continue
        chosen.append(board)
        for one in (board, board.complemented()):
            for _ in range(4):
                seen |= {one, one.mirrored()}
                one = one.rotated()
    return chosen


FEWEST_6X6 = {5: 21, 6: 12, 7: 235, 8: 53}
"""The number of 6x6 boards, up to symmetry, by their fewest clues; see docs/reduction.md."""


@pytest.mark.nightly
@pytest.mark.slow
def test_the_fewest_clues_of_all_6x6_boards() -> None:
    boards = up_to_symmetry(REFERENCE.solutions(Puzzle(Board.empty(6, 6))))
    found = [fewest_clues(Puzzle(board)) for board in boards]
    assert all(
        each.proved and is_only(each.puzzle, board)
        for each, board in zip(found, boards, strict=True)
    )
    assert Counter(each.at_most for each in found) == FEWEST_6X6


@pytest.mark.slow
def test_cp_sat_agrees_on_6x6_boards() -> None:
    """CP-SAT gets all difference sets at once, from the full list of boards."""
    from ortools.sat.python import cp_model

    boards = list(REFERENCE.solutions(Puzzle(Board.empty(6, 6))))
    for board in boards[::400]:
        model = cp_model.CpModel()
        chosen = [model.new_bool_var("") for _ in range(36)]
        for other in boards:
            differing = [k for k in range(36) if other.cells[k] != board.cells[k]]
            if differing:
                model.add_bool_or([chosen[k] for k in differing])
        model.minimize(sum(chosen))
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        assert solver.solve(model) == cp_model.OPTIMAL
        assert fewest_clues(Puzzle(board)).at_most == solver.objective_value


class Clock(Meter):
    """A meter that runs out after a number of clock checks."""

    def __init__(self, looks: int) -> None:
        super().__init__(Budget())
        self.looks = looks

    def check_clock(self) -> None:
        self.looks -= 1
        if self.looks < 0:
            raise BudgetExceeded("time")


@given(st.integers(100, 700))
def test_a_stopped_search_returns_both_bounds(looks: int) -> None:
    solution = Board(6, 6, KNOWN)
    assert fewest_clues(Puzzle(solution)).at_most == FEWEST
    sets = ClueSets(Puzzle(solution), new_session(Puzzle(solution), Meter(Budget())), Clock(looks))
    sets.forbid(solution)
    reported: list[tuple[int, int]] = []
    found = smallest_set(sets, sets._meter, lambda *bounds: reported.append(bounds))
    assert found.at_least <= FEWEST <= len(found.best)
    assert (found.stopped_by is None) == found.proved
    assert is_only(with_cells(Puzzle(solution), solution, found.best), solution)
    assert reported == sorted(reported, key=lambda bounds: (bounds[0], -bounds[1]))


@given(
    st.lists(st.frozensets(st.integers(0, 7), min_size=1, max_size=5), min_size=1, max_size=8),
    st.data(),
)
def test_exchanges_are_all_hitting_sets_with_one_clue_for_two(
    differences: list[frozenset[int]], data: st.DataObject
) -> None:
    every = frozenset().union(*differences)
    best = {data.draw(st.sampled_from(sorted(difference))) for difference in differences}
    expected = {
        frozenset(best - {*pair} | {place})
        for pair in combinations(best, 2)
        for place in every - best
        if all((best - {*pair} | {place}) & difference for difference in differences)
    }
    exchanged = [frozenset(each) for each in smallest_sets._exchanges(best, differences)]
    assert set(exchanged) == expected
    assert len(exchanged) == len(expected)


def test_without_time_the_given_clues_are_the_upper_bound() -> None:
    solution = Board(6, 6, KNOWN)
    found = fewest_clues(Puzzle(solution), solution, budget=Budget(0))
    assert (found.at_least, found.at_most, found.stopped_by) == (0, 36, "time")
    with pytest.raises(BudgetExceeded):
        fewest_clues(Puzzle(solution), budget=Budget(0))
    given = Puzzle(Board(6, 6, UNIQUE))
    found = fewest_clues(given, solution, all_cells=True, budget=Budget(0))
    assert (found.at_least, found.at_most, found.among) == (0, 32, "all cells")


@given(st.integers(1, FEWEST))
def test_a_search_ends_when_its_lower_bound_is_enough(enough: int) -> None:
    solution, meter = Board(6, 6, KNOWN), Meter(Budget())
    sets = ClueSets(Puzzle(solution), new_session(Puzzle(solution), meter), meter)
    sets.forbid(solution)
    found = smallest_set(sets, meter, enough=enough)
    assert enough <= found.at_least <= FEWEST <= len(found.best)
    assert found.stopped_by is None


# Redundant clues


@given(small)
def test_needed_spare_and_irreducible_clues(puzzle: Puzzle) -> None:
    every = all_solutions(replace(puzzle, board=Board.empty(*size_of(puzzle))))
    mine = [board for board in every if fits(puzzle.board, board)]
    assume(len(mine) == 1 and puzzle.board.clue_count <= 9)
    clues = clue_places(puzzle)
    differing = [
        frozenset(k for k in clues if one.cells[k] != mine[0].cells[k])
        for one in every
        if one != mine[0]
    ]
    enough = [
        set(some)
        for size in range(len(clues) + 1)
        for some in subsets(clues, size)
        if all(each & set(some) for each in differing)
    ]
    irreducible = [one for one in enough if not any(other < one for other in enough)]
    found = analyse_clues(puzzle)
    assert found.all_found
    assert found.sets == len(irreducible)
    assert set(clue_places(found.irreducible)) in irreducible
    assert found.irreducible.board.clue_count == min(map(len, irreducible))
    needed = set.intersection(*irreducible)
    assert {puzzle.board.place(cell) for cell in found.needed} == needed
    assert {puzzle.board.place(cell) for cell in found.spare} == set(clues) - needed


def test_irreducible_sets_found_in_time_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = set()
    for looks in range(0, 400, 20):
        monkeypatch.setattr(clues, "Meter", lambda _, looks=looks: Clock(looks))
        with suppress(BudgetExceeded):
            analysis = analyse_clues(Puzzle(Board(6, 6, UNIQUE)), Board(6, 6, KNOWN))
            assert (analysis.stopped_by, analysis.all_found) == ("time", False)
            numbers.add(analysis.sets)
    assert len(numbers) > 2


def test_the_search_for_irreducible_sets_stops_at_its_limit() -> None:
    puzzle = Puzzle(Board(6, 6, UNIQUE))
    few = analyse_clues(puzzle, limit=3)
    assert (few.sets, few.all_found, few.stopped_by) == (3, False, "limit")
    assert is_only(few.irreducible, Board(6, 6, KNOWN))
    with pytest.raises(BudgetExceeded):
        analyse_clues(puzzle, budget=Budget(0))


# Helpful values


@pytest.mark.parametrize("most", [10_000, 1])
@given(puzzle=puzzles(sides=st.integers(1, 5)))
def test_helpful_values_agree_with_the_list_of_solutions(most: int, puzzle: Puzzle) -> None:
    every = all_solutions(puzzle)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(helpful, "MOST_SOLUTIONS", most)
        found = helpful_values(puzzle)
    counted = len(every) <= most
    assert found.solutions == (len(every) if counted else None)
    assert found.stopped_by is None
    expected = []
    still_open = [k for k, value in enumerate(puzzle.board.cells) if value == "."]
    for place, value in product(still_open, "01"):
        matching = [one for one in every if one.cells[place] == value]
        if not 0 < len(matching) < len(every):
            continue
        same = [k for k in still_open if len({one.cells[k] for one in matching}) == 1]
        leaves = len(matching) if counted else None
        expected.append((puzzle.board.cell(place), value, leaves, len(same) - 1))
    assert sorted((each.cell, each.value, each.leaves, each.follow) for each in found.values) == (
        sorted(expected)
    )
    keys = [(each.leaves or 0, -each.follow) for each in found.values]
    assert keys == sorted(keys)


@pytest.mark.parametrize("side", [4, 16])
def test_solutions_are_counted_up_to_a_limit(side: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helpful, "LARGE_SIDE", 4 if side == 16 else 5)
    for most, number in ((2, None), (3, 3), (4, 3)):
        monkeypatch.setattr(helpful, "MOST_SOLUTIONS", most)
        assert helpful_values(THREE_SOLUTIONS).solutions == number


def test_helpful_values_without_time() -> None:
    found = helpful_values(THREE_SOLUTIONS, budget=Budget(0))
    assert (found.values, found.solutions, found.stopped_by) == ((), None, "time")


# Repairs


@st.composite
def open_puzzles(draw: st.DrawFn) -> Puzzle:
    """A few clues of a solved board; most of these puzzles have several solutions."""
    rules = draw(strategies.rules)
    boards = strategies.full_boards(rules, st.integers(2, 4))
    board = draw(boards.filter(lambda board: not violations(Puzzle(board, rules), board)))
    size = len(board.cells)
    kept = draw(st.sets(st.integers(0, size - 1), min_size=1 + size // 8, max_size=2 + size // 4))
    return with_cells(Puzzle(board, rules), board, kept)


@given(open_puzzles(), st.data())
def test_added_cells_are_the_fewest(puzzle: Puzzle, data: st.DataObject) -> None:
    every = all_solutions(puzzle)
    still_open = [k for k, value in enumerate(puzzle.board.cells) if value == "."]
    assume(2 <= len(every) <= 40)
    fewest = {solution: fewest_to_add(solution, every, still_open) for solution in every}
    found = repair(puzzle)
    check_added(puzzle, found.puzzle, every)
    assert (found.changes, found.at_least) == (min(fewest.values()), min(fewest.values()))
    assert (found.dropped, found.ways, found.ways_unique) == ((), (), 0)
    target = data.draw(st.sampled_from(every))
    found = repair(puzzle, solution=target)
    check_added(puzzle, found.puzzle, every)
    assert (found.solution, found.changes, found.proved) == (target, fewest[target], True)


def fewest_to_add(solution: Board, every: list[Board], places: list[int]) -> int:
    others = [one for one in every if one != solution]
    differing = [{k for k in places if one.cells[k] != solution.cells[k]} for one in others]
    return next(
        size
        for size in range(len(places) + 1)
        for few in subsets(places, size)
        if all(set(few) & each for each in differing)
    )


def check_added(puzzle: Puzzle, now: Puzzle, every: list[Board]) -> None:
    assert len([one for one in every if fits(now.board, one)]) == 1
    assert fits(puzzle.board, now.board)


def test_a_repair_without_time_adds_all_cells() -> None:
    puzzle = Puzzle(Board.empty(4, 4))
    solution = check(puzzle).solution
    assert solution is not None
    found = completion.complete(puzzle, solution, Clock(0))
    assert (found.cells, found.at_least) == (tuple(range(16)), 0)
    assert found.stopped_by == "time"


def test_puzzles_with_unknown_verdict_are_not_repaired() -> None:
    puzzle = Puzzle(Board.empty(4, 4))
    unknown = replace(check(puzzle), verdict=Verdict.UNKNOWN)
    assert unknown.solution is not None
    with pytest.raises(BudgetExceeded):
        repair(puzzle, unknown)


def test_a_stopped_repair_drops_a_correction_set(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = Puzzle(replace(Board(6, 6, KNOWN), cells="00" + KNOWN[2:]))

    def stopped(_: HittingSets) -> None:
        raise BudgetExceeded("time")

    monkeypatch.setattr(HittingSets, "smallest", stopped)
    found = repair(puzzle)
    assert (found.stopped_by, found.proved) == ("time", False)
    assert found.changes < 36


@given(st.integers(200, 900))
def test_a_stopped_repair_returns_both_bounds(looks: int) -> None:
    puzzle = Puzzle(Board.empty(4, 4))
    first = check(puzzle).solution
    assert first is not None
    found = completion.complete_any(puzzle, first, Clock(looks))
    assert found.at_least <= 4 <= len(found.cells)
    assert found.stopped_by is not None or found.at_least == len(found.cells) == 4
    assert is_only(with_cells(puzzle, found.solution, found.cells), found.solution)


@given(puzzles(sides=st.integers(1, 4)), st.data())
def test_dropped_clues_are_the_fewest(puzzle: Puzzle, data: st.DataObject) -> None:
    clues = clue_places(puzzle)
    if clues:
        # After one or two changes most puzzles have no solution.
        changed = list(puzzle.board.cells)
        for place in data.draw(st.lists(st.sampled_from(clues), max_size=2)):
            changed[place] = "10"[int(changed[place])]
        puzzle = replace(puzzle, board=replace(puzzle.board, cells="".join(changed)))
    every = all_solutions(replace(puzzle, board=Board.empty(*size_of(puzzle))))
    assume(not any(fits(puzzle.board, one) for one in every))
    found = repair(puzzle)
    if not every:
        assert found is None
        return
    assert found is not None
    wrong = [{k for k in clues if one.cells[k] != puzzle.board.cells[k]} for one in every]
    fewest = min(map(len, wrong))
    ways = {frozenset(each) for each in wrong if len(each) == fewest}
    assert (found.changes, found.at_least) == (fewest, fewest)
    if found.stopped_by is None:
        assert {frozenset(map(puzzle.board.place, way)) for way in found.ways} == ways
        unique = [
            way for way in ways if Counter(map(frozenset, wrong))[way] and is_unique(way, wrong)
        ]
        assert found.ways_unique == len(unique)
        assert (found.verdict == "unique") == bool(unique)
    assert len(found.ways) <= MAX_SETS
    left = [one for one in every if fits(found.puzzle.board, one)]
    assert found.verdict == ("unique" if len(left) == 1 else "multiple")
    assert found.solution in left


def is_unique(way: frozenset[int], wrong: list[set[int]]) -> bool:
    """Whether exactly one board breaks only clues of this set."""
    return sum(each <= way for each in wrong) == 1


@pytest.mark.parametrize(
    ("cells", "dropped", "ways"), [(".....000...1.0..", "r2c4", 3), ("..0.....11101...", "r3c3", 3)]
)
def test_repairs_prefer_correction_sets_that_leave_one_solution(
    cells: str, dropped: str, ways: int
) -> None:
    """Only one of the sets leaves a single solution; the sets before it leave several."""
    found = repair(Puzzle(Board(4, 4, cells)))
    assert (len(found.ways), found.ways_unique) == (ways, 1)
    assert [str(cell) for cell in found.dropped] == [dropped]
    assert found.verdict == "unique"


@pytest.mark.parametrize(("most", "ways", "stopped_by"), [(2, 2, "limit"), (3, 3, None)])
def test_the_number_of_correction_sets_is_limited(
    most: int, ways: int, stopped_by: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("binairo_cp.reduction.repair.MAX_SETS", most)
    found = repair(THREE_WAYS)
    assert (len(found.ways), found.stopped_by, found.proved) == (ways, stopped_by, True)


def test_correction_sets_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """After an unknown verdict the others are not checked; a wrong set is an error."""
    outcome = check(Puzzle(Board.empty(4, 4)))
    for verdict in (Verdict.UNKNOWN, Verdict.NONE):
        changed = replace(outcome, verdict=verdict)
        checks: list[Puzzle] = []

        def checked(
            puzzle: Puzzle,
            *_: object,
            changed: Outcome = changed,
            checks: list[Puzzle] = checks,
            **__: object,
        ) -> Outcome:
            checks.append(puzzle)
            return changed

        monkeypatch.setattr("binairo_cp.reduction.repair.check", checked)
        if verdict is Verdict.NONE:
            with pytest.raises(WrongAnswer, match="dropping 1 clues leaves no solution"):
                repair(THREE_WAYS)
        else:
            found = repair(THREE_WAYS)
            assert (found.verdict, found.stopped_by) == (verdict, "time")
        assert len(checks) == 1


@pytest.mark.parametrize("cells", [THREE_WAYS.board.cells, "0..............."])
def test_bounds_of_repairs_are_reported(cells: str) -> None:
    bounds: list[tuple[int, int]] = []
    found = repair(Puzzle(Board(4, 4, cells)), watch=lambda *both: bounds.append(both))
    assert bounds[-1][0] >= found.changes
    assert all(low <= found.changes <= high for low, high in bounds[:-1])
    assert bounds == sorted(bounds, key=lambda both: (both[0], -both[1]))


def test_puzzles_that_need_no_repair_or_have_none() -> None:
    unique = Puzzle(Board(6, 6, UNIQUE))
    found = repair(unique)
    assert (found.puzzle, found.changes, found.proved) == (unique, 0, True)
    assert repair(Puzzle(Board.empty(2, 4))) is None


def test_the_solution_to_keep_must_be_a_solution() -> None:
    puzzle = Puzzle(Board(6, 6, MULTIPLE))
    for cells, error in (("1" * 36, PuzzleError), (UNIQUE, PuzzleError), ("01", BoardError)):
        board = Board(6, 6, cells) if len(cells) == 36 else Board(1, 2, cells)
        with pytest.raises(error):
            repair(puzzle, solution=board)


def test_repair_of_a_puzzle_with_signs() -> None:
    solution = found_soon(Puzzle(Board.empty(6, 6), TANGO), 1)[0]
    right = Sign(0, 0, "R", "=" if solution[0, 0] == solution[0, 1] else "x")
    cells = "10"[int(solution.cells[0])] + solution.cells[1:]
    found = repair(Puzzle(Board(6, 6, cells), TANGO, (right,)))
    assert found.solution == solution
    assert [str(cell) for cell in found.dropped] == ["r1c1"]
    assert not violations(found.puzzle, solution)


def test_only_open_cells_are_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = Puzzle(Board(6, 6, ".0.....0...0..00.1.........10.1..0.."))
    chosen: list[int] = []
    usual = completion._CompletionSearch._others

    def others(
        search: completion._CompletionSearch, solution: Board, cells: list[int]
    ) -> list[Board]:
        chosen.extend(cells)
        return usual(search, solution, cells)

    monkeypatch.setattr(completion._CompletionSearch, "_others", others)
    first = check(puzzle).solution
    assert first is not None
    found = completion.complete_any(puzzle, first, Meter(Budget()))
    assert chosen
    assert not set(chosen) & set(clue_places(puzzle))
    assert is_only(
        with_cells(puzzle, found.solution, [*clue_places(puzzle), *found.cells]), found.solution
    )


# Verdicts


@pytest.mark.parametrize(("cells", "has"), [(NONE, "no solution"), (MULTIPLE, "several solutions")])
def test_puzzles_that_are_not_unique_are_refused(cells: str, has: str) -> None:
    with pytest.raises(PuzzleError, match=f"the puzzle has {has}; expected exactly one"):
        fewest_clues(Puzzle(Board(6, 6, cells)))


def test_results_are_checked_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, solution, meter = Puzzle(Board(6, 6, UNIQUE)), Board(6, 6, KNOWN), Meter(Budget(0))
    assert clues.time_to_check(meter) == 0.5
    outcome = check(puzzle)
    other = solution.complemented()
    for changed, agrees in (
        (outcome, True),
        (replace(outcome, verdict=Verdict.UNKNOWN, solutions=()), True),
        (replace(outcome, verdict=Verdict.MULTIPLE), False),
        (replace(outcome, solutions=(other,)), False),
    ):
        monkeypatch.setattr(solutions, "check", lambda *_, changed=changed, **__: changed)
        if agrees:
            assert clues.confirmed(puzzle, solution, meter) == puzzle
        else:
            with pytest.raises(WrongAnswer, match="disagrees that the puzzle is unique"):
                clues.confirmed(puzzle, solution, meter)


def test_unknown_verdicts_say_which_limit_was_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = Puzzle(Board(6, 6, UNIQUE))
    for stopped_by in ("work", "time"):
        unknown = replace(check(puzzle), verdict=Verdict.UNKNOWN, stopped_by=stopped_by)
        monkeypatch.setattr(solutions, "check", lambda *_, unknown=unknown, **__: unknown)
        with pytest.raises(BudgetExceeded) as error:
            clues.verdict(puzzle, Meter(Budget()))
        assert error.value.by == stopped_by


# The commands


def ndjson(*arguments: str, input: str) -> tuple[int, list[dict[str, object]]]:
    status, out, _ = call(*arguments, "--to", "ndjson", "-q", input=input)
    return status, [json.loads(line) for line in out.splitlines()]


@pytest.mark.usefixtures("without_workers")
def test_line_output_is_valid_input() -> None:
    lines = f"{UNIQUE} one\n4x6:.......0..1............. two\n{'0' + KNOWN[1:]} three\n"
    status, out, _ = call("repair", "-q", "--to", "line", input=lines)
    assert status == 0
    assert [line.split()[2:] for line in out.splitlines()] == [["one"], ["two"], ["three"]]
    assert [line.split()[1][0] for line in out.splitlines()] == ["+", "+", "-"]
    assert call("check", "-q", input=out)[0] == 0


def test_limits_agree_with_the_docs() -> None:
    assert task_of("clues").analyses[0].options["limit"] == clues.MOST_SETS
    page = (INSTANCES.parent / "docs/reduction.md").read_text()
    assert f"`--limit` of them ({clues.MOST_SETS:,})" in page
    assert f"Up to {helpful.MOST_SOLUTIONS:,} solutions" in page
    assert f"up to {MAX_SETS}," in page


def test_the_record_puzzles_in_the_docs_are_unique() -> None:
    page = (INSTANCES.parent / "docs/reduction.md").read_text()
    rows = re.findall(r"\| (\d+)x\1 \| (\d+) \| `([01.]+)` \|", page)
    assert [int(side) for side, _, _ in rows] == [10, 12, 14]
    for side, number, cells in rows:
        board = Board(int(side), int(side), cells)
        assert board.clue_count == int(number)
        assert check(Puzzle(board), backend="bitboard", cross_check="pysat").verdict == "unique"


def test_bounds_are_shown_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    class Texts(terminal.Bar):
        is_shown = True

        def __init__(self) -> None:
            pass

        def __call__(self, done: float, total: float | None, text: str) -> None:
            texts.append(text)

    monkeypatch.setattr(terminal, "bar", lambda quiet: nullcontext(Texts()))
    call("fewest", input=KNOWN + "\n")
    bounds = [text for text in texts if text.startswith("at least")]
    assert bounds[-1] == f"at least {FEWEST}, at most {FEWEST}"


def test_wrong_solutions_to_keep_are_reported(tmp_path: Path) -> None:
    status, [record] = ndjson("repair", "--solution", "1" * 36, input=MULTIPLE + "\n")
    assert status == 2
    error = record["error"]
    assert isinstance(error, dict)
    assert "the solution to keep is not a solution" in error["message"]
    status, [record] = ndjson("repair", "--solution", "10", input=MULTIPLE + "\n")
    assert status == 2
    status, _, messages = call("repair", "--solution", "nowhere.txt", input=MULTIPLE + "\n")
    assert (status, "nowhere.txt" in messages) == (2, True)
    (tmp_path / "solution.txt").write_text("\n".join(Board(6, 6, KNOWN).rows))
    file = str(tmp_path / "solution.txt")
    assert ndjson("repair", "--solution", file, input=MULTIPLE + "\n")[0] == 0
