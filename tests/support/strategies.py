"""Hypothesis strategies for rules, boards and puzzles.

Puzzles are solved boards with cells erased; they find more bugs than random clues.
"""

from functools import cache
from itertools import product

from hypothesis import settings
from hypothesis import strategies as st

from binairo_cp import Board, Lines, Puzzle, Rules, Sign
from binairo_cp.errors import BudgetExceeded
from binairo_cp.solving import backends
from binairo_cp.solving.backends import Budget
from tests.support.oracles import Instance


def examples(times: float, most: int | None = None) -> settings:
    """Scale the number of examples; a fixed number would override the thorough profile."""
    number = max(1, round(times * settings.default.max_examples))
    return settings(max_examples=number if most is None else min(number, most))


ODD = st.sampled_from(["either", "ones", "zeros"])

rules = st.builds(
    Rules,
    balanced=st.sampled_from([True, True, True, False]),
    longest_run=st.sampled_from([2, 2, 2, 1, 3]),
    distinct_lines=st.booleans(),
    odd=ODD,
)

any_boards = st.builds(
    lambda height, width, draw: Board(height, width, draw(height * width)),
    st.integers(1, 9),
    st.integers(1, 9),
    st.functions(
        like=lambda size: "", returns=st.text("01.", min_size=81, max_size=81), pure=True
    ).map(lambda draw: lambda size: draw(size)[:size]),
)


def found_soon(puzzle: Puzzle, limit: int) -> list[Board]:
    """Return the first solutions found within a small budget; some shapes are hard to refute."""
    found = []
    try:
        for board in backends.get("bitboard").solutions(
            puzzle, limit=limit, budget=Budget(work=2_000)
        ):
            found.append(board)
    except BudgetExceeded:
        pass
    return found


@st.composite
def full_boards(draw: st.DrawFn, rules: Rules, sides: st.SearchStrategy[int]) -> Board:
    """Draw a full board whose rows are legal: often a solution, sometimes a near miss."""
    height, width = draw(sides), draw(sides)
    lines = Lines("." * width, rules)
    first = lines[draw(st.integers(0, lines.count - 1))] if lines else "01" * width
    board = Board(height, width, first[:width] + "." * (width * (height - 1)))
    solutions = found_soon(Puzzle(board, rules), draw(st.integers(1, 20)))
    if solutions and draw(st.integers(0, 3)):
        return solutions[-1]
    rows = [lines[draw(st.integers(0, lines.count - 1))] if lines else first for _ in range(height)]
    return Board.from_rows(row[:width] for row in rows)


def _signs(board: Board) -> list[Sign]:
    """Return the sign that holds on a full board for each pair of neighbours."""
    pairs = [
        Sign(row, column, direction, "=")
        for row in range(board.height)
        for column in range(board.width)
        for direction in ("R", "D")
        if (column + 1 < board.width if direction == "R" else row + 1 < board.height)
    ]
    return [
        sign if board[sign.cells[0]] == board[sign.cells[1]] else sign._replace(relation="x")
        for sign in pairs
    ]


@st.composite
def puzzles(
    draw: st.DrawFn,
    rules: st.SearchStrategy[Rules] = rules,
    sides: st.SearchStrategy[int] = st.integers(1, 6),
) -> Puzzle:
    """Draw a full board with some cells erased, maybe one changed, and maybe some signs."""
    chosen = draw(rules)
    full = draw(full_boards(chosen, sides))
    size = full.height * full.width
    kept = draw(st.sets(st.integers(0, size - 1), max_size=size))
    cells = [value if place in kept else "." for place, value in enumerate(full.cells)]
    if draw(st.integers(0, 4)) == 0:
        cells[draw(st.integers(0, size - 1))] = draw(st.sampled_from("01"))
    signs: list[Sign] = []
    if draw(st.booleans()) and (possible := _signs(full)):
        signs = draw(st.lists(st.sampled_from(possible), max_size=6, unique=True))
        if signs and draw(st.integers(0, 3)) == 0:
            other = "x" if signs[0].relation == "=" else "="
            signs[0] = signs[0]._replace(relation=other)
    return Puzzle(Board(full.height, full.width, "".join(cells)), chosen, tuple(signs))


@cache
def _sizes_with_boards(rules: Rules, least: int, most: int) -> list[tuple[int, int]]:
    return [
        (height, width)
        for height, width in product(range(least, most + 1), repeat=2)
        if found_soon(Puzzle(Board.empty(height, width), rules), 1)
    ]


@st.composite
def unique_puzzles(
    draw: st.DrawFn,
    rules: st.SearchStrategy[Rules] = rules,
    sides: tuple[int, int] = (2, 6),
    signs: bool = True,
) -> Puzzle:
    """Draw a puzzle with exactly one solution, usually with few redundant clues.

    It starts with a few clues of a solved board. While there is another solution, one of the cells
    where it differs becomes a clue.
    """
    # Lines that alternate and differ, for example, allow no board of more than two rows.
    chosen = draw(rules.filter(lambda each: bool(_sizes_with_boards(each, *sides))))
    height, width = draw(st.sampled_from(_sizes_with_boards(chosen, *sides)))
    solved = found_soon(Puzzle(Board.empty(height, width), chosen), draw(st.integers(1, 20)))[-1]
    solution = draw(st.sampled_from([solved, solved.mirrored(), solved.rotated().rotated()]))
    some = st.lists(st.sampled_from(_signs(solution)), max_size=4, unique=True)
    shown = tuple(draw(some)) if signs and draw(st.booleans()) else ()
    places = st.integers(0, height * width - 1)
    kept = draw(st.sets(places, max_size=height * width // 4))
    while True:
        cells = "".join(v if k in kept else "." for k, v in enumerate(solution.cells))
        puzzle = Puzzle(Board(height, width, cells), chosen, shown)
        if (differing := _undecided(puzzle, solution)) is None:
            return puzzle
        kept.add(draw(st.sampled_from(differing)))


def _undecided(puzzle: Puzzle, solution: Board) -> list[int] | None:
    """The cells where another solution differs; all open cells if the budget runs out."""
    try:
        boards = backends.get("bitboard").solutions(puzzle, limit=2, budget=Budget(work=2_000))
        other = next((board for board in boards if board != solution), None)
    except BudgetExceeded:
        return [k for k, value in enumerate(puzzle.board.cells) if value == "."]
    if other is None:
        return None
    return [k for k, value in enumerate(solution.cells) if other.cells[k] != value]


def instance_of(puzzle: Puzzle) -> Instance:
    board, rules = puzzle.board, puzzle.rules
    return Instance(
        board.height,
        board.width,
        board.cells,
        puzzle.signs,
        rules.distinct_lines,
        rules.balanced,
        rules.odd,
        rules.longest_run,
    )
