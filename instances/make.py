"""Make the puzzles of this folder and their index: ``python instances/make.py [FOLDER]``.

Every run writes the same files. The seed of a puzzle is its id; for edge cases it is the name of
the file. A solver only decides whether there is a solution, or counts them, so that its version
does not matter.

Full boards are filled cell by cell, in random order: each cell gets a random value, or the other
value if that leaves no solution. A puzzle is a full board from which clues were removed in random
order, as long as the remaining clues determine the value of the cell. How they do depends on the
level:

- easy: by single lines. In a row or column, cells that are the same in all legal completions are
  filled in, repeatedly. Lines are not compared with each other.
- medium: by a trial. The other value in the cell leads, by single lines, to a line that can't be
  completed, or to two equal lines that must differ.
- hard: by search. The other value in the cell leaves no solution.

So each puzzle has one solution, and hard puzzles have no redundant clue. Single lines alone do not
solve medium and hard puzzles. Of five hard puzzles, the one that trials solve least is kept.

The sets:

- classic, rectangular, odd: as described, with their sizes and rules.
- unruly: lines may repeat. In half of the puzzles, two rows of the full board are made equal before
  the other cells are filled.
- signs: lines may repeat. Signs for a third of the number of cells are drawn from the full board;
  they are not removed with the clues.
- edge: the docstring of the function describes each file.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from random import Random

from binairo_cp import (
    CLASSIC,
    TANGO,
    UNRULY,
    Board,
    Cell,
    Puzzle,
    Rules,
    Sign,
    Verdict,
    count,
    legal_lines,
    solve,
    violations,
)
from binairo_cp.formats import Entry, read_sources, write
from binairo_cp.formats.results import stated
from binairo_cp.puzzle.board import OPEN, SYMBOLS

HERE = Path(__file__).resolve().parent
INDEX = "index.ndjson"

MOST_COUNTED = 100_000
"""Solutions are counted up to this number."""

HARD_TRIES = 5


def solvable(puzzle: Puzzle) -> bool:
    return solve(puzzle).verdict is Verdict.SOLVED


def with_value(puzzle: Puzzle, cell: Cell, value: str) -> Puzzle:
    return replace(puzzle, board=puzzle.board.with_cell(cell, value))


def other(value: str) -> str:
    return "0" if value == "1" else "1"


def cells(board: Board) -> list[Cell]:
    return [board.cell(place) for place in range(len(board.cells))]


def shuffled(found: list[Cell], rng: Random) -> list[Cell]:
    return rng.sample(found, len(found))


# Full boards.

Recipe = Callable[[Random], Puzzle]
"""Makes a puzzle with a full board that solves it."""


def filled(puzzle: Puzzle, rng: Random) -> Puzzle:
    """A puzzle that has a solution, with random values in its open cells that solve it."""
    for cell in shuffled(cells(puzzle.board), rng):
        if puzzle.board[cell] == OPEN:
            value = rng.choice(SYMBOLS)
            tried = with_value(puzzle, cell, value)
            puzzle = tried if solvable(tried) else with_value(puzzle, cell, other(value))
    return puzzle


def plain(height: int, width: int, rules: Rules, rng: Random) -> Puzzle:
    return filled(Puzzle(Board.empty(height, width), rules), rng)


def with_repeated_rows(height: int, width: int, rules: Rules, rng: Random) -> Puzzle:
    """A full board with two rows that are the same."""
    while True:
        rows = [OPEN * width] * height
        one, two = rng.sample(range(height), 2)
        rows[one] = rows[two] = legal_lines(width, rules).random(rng)
        puzzle = Puzzle(Board.from_rows(rows), rules)
        if solvable(puzzle):
            return filled(puzzle, rng)


def with_signs(height: int, width: int, rules: Rules, rng: Random) -> Puzzle:
    """A full board with a third as many signs as cells."""
    board = plain(height, width, rules, rng).board
    across = [Sign(r, c, "R", "=") for r, c in product(range(height), range(width - 1))]
    down = [Sign(r, c, "D", "=") for r, c in product(range(height - 1), range(width))]
    drawn = rng.sample(across + down, height * width // 3)
    return Puzzle(board, rules, tuple(as_on(board, sign) for sign in drawn))


def as_on(board: Board, sign: Sign) -> Sign:
    """The sign that is right between its two cells on a full board."""
    first, second = (board[cell] for cell in sign.cells)
    return sign._replace(relation="=" if first == second else "x")


# Reasoning.

LineSigns = tuple[tuple[int, str], ...]
"""The signs within a line: the place of the first cell, and the relation."""


@cache
def all_lines(length: int, rules: Rules) -> list[str]:
    return list(legal_lines(length, rules))


@cache
def completed(pattern: str, signs: LineSigns, rules: Rules) -> str | None:
    """A line with the cells that are the same in all legal completions; None if it has none."""
    # A pattern of 0, 1 and . is a regular expression for what completes it.
    fits = re.compile(pattern).fullmatch
    lines = [each for each in all_lines(len(pattern), rules) if fits(each) and keeps(each, signs)]
    values = map(set, zip(*lines, strict=True))
    return "".join(each.pop() if len(each) == 1 else OPEN for each in values) or None


def keeps(line: str, signs: LineSigns) -> bool:
    return all((line[k] == line[k + 1]) == (relation == "=") for k, relation in signs)


def by_lines(puzzle: Puzzle) -> Puzzle | None:
    """The puzzle with what follows by single lines; None if that breaks the rules."""
    across: list[LineSigns] = [()] * puzzle.board.height
    down: list[LineSigns] = [()] * puzzle.board.width
    for row, column, direction, relation in puzzle.signs:
        if direction == "R":
            across[row] += ((column, relation),)
        else:
            down[column] += ((row, relation),)
    while True:
        rows = swept(puzzle.board.rows, across, puzzle.rules)
        columns = rows and swept(Board.from_rows(rows).columns, down, puzzle.rules)
        if not columns:
            return None
        board = Board.from_rows(columns).transposed()
        if board == puzzle.board:
            return None if violations(puzzle, board) else puzzle
        puzzle = replace(puzzle, board=board)


def swept(lines: list[str], signs: list[LineSigns], rules: Rules) -> list[str] | None:
    """The lines, each completed as far as it goes; None if one can't be."""
    found = [completed(*each, rules) for each in zip(lines, signs, strict=True)]
    return None if None in found else [each for each in found if each]


def by_trials(puzzle: Puzzle) -> Puzzle | None:
    """What follows if one cell at a time may be tried, too; None if that breaks the rules."""
    known, before = by_lines(puzzle), None
    while known and known != before:
        before = known
        for cell, value in product(cells(puzzle.board), SYMBOLS):
            if known and known.board[cell] == OPEN and not by_lines(with_value(known, cell, value)):
                known = by_lines(with_value(known, cell, other(value)))
    return known


def left_open(puzzle: Puzzle | None) -> int:
    return puzzle.board.cells.count(OPEN) if puzzle else 0


# Levels.

Follows = Callable[[Puzzle, Cell, str], bool]
"""Whether it follows from a puzzle that an open cell has a value."""


def follows_by_lines(puzzle: Puzzle, cell: Cell, value: str) -> bool:
    known = by_lines(puzzle)
    return known is not None and known.board[cell] == value


def follows_by_trial(puzzle: Puzzle, cell: Cell, value: str) -> bool:
    return by_lines(with_value(puzzle, cell, other(value))) is None


def follows_by_search(puzzle: Puzzle, cell: Cell, value: str) -> bool:
    return not solvable(with_value(puzzle, cell, other(value)))


def reduced(puzzle: Puzzle, rng: Random, follows: Follows) -> Puzzle:
    """The puzzle without the clues that follow from the others."""
    for cell in shuffled([cell for cell, _ in puzzle.board.clues()], rng):
        fewer = with_value(puzzle, cell, OPEN)
        if follows(fewer, cell, puzzle.board[cell]):
            puzzle = fewer
    return puzzle


def easy(full: Recipe, rng: Random) -> Puzzle:
    return reduced(full(rng), rng, follows_by_lines)


def medium(full: Recipe, rng: Random) -> Puzzle:
    while True:
        puzzle = reduced(full(rng), rng, follows_by_trial)
        if left_open(by_lines(puzzle)):
            return puzzle


def hard(full: Recipe, rng: Random) -> Puzzle:
    while True:
        tries = [reduced(full(rng), rng, follows_by_search) for _ in range(HARD_TRIES)]
        best = max(tries, key=lambda each: (left_open(by_trials(each)), left_open(by_lines(each))))
        if left_open(by_lines(best)):
            return best


LEVELS = {"easy": easy, "medium": medium, "hard": hard}

# Sound sets.

SHAPES = {
    "classic": [(side, side) for side in (6, 8, 10, 12, 14, 16, 20)],
    "unruly": [(side, side) for side in (6, 8, 10, 14)],
    "signs": [(side, side) for side in (6, 8, 10)],
    "rectangular": [(4, 6), (6, 8), (6, 10), (8, 6), (10, 14), (12, 8)],
    "odd": [(7, 7), (9, 9), (11, 11), (7, 10)],
}

ODD = {"either": CLASSIC, "ones": Rules(odd="ones"), "zeros": Rules(odd="zeros")}


def recipes(of: str, height: int, width: int, level: str) -> dict[str, Recipe]:
    """The full boards of a file, by the last part of the id."""
    if of == "unruly":
        kinds = [with_repeated_rows, with_repeated_rows, plain, plain]
        return numbered([partial(kind, height, width, UNRULY) for kind in kinds])
    if of == "signs":
        return numbered([partial(with_signs, height, width, TANGO)] * 4)
    if of == "odd" and height == width:
        return {word: partial(plain, height, width, rules) for word, rules in ODD.items()}
    number = 5 if of == "classic" and (width, level) != (20, "hard") else 3
    return numbered([partial(plain, height, width, CLASSIC)] * number)


def numbered(found: list[Recipe]) -> dict[str, Recipe]:
    return {str(number): each for number, each in enumerate(found, 1)}


def sound_entries(of: str, height: int, width: int, level: str) -> list[Entry]:
    """The puzzles of a file of a sound set."""
    entries = []
    for name, full in recipes(of, height, width, level).items():
        id = f"{of}-{height}x{width}-{level}-{name}"
        entries.append(Entry(LEVELS[level](full, Random(id)), id=id))
    return entries


def suffix(of: str, height: int, width: int, level: str) -> str:
    if of == "rectangular" and height <= 10:
        return ".line"
    return ".ndjson" if (of, width, level) == ("signs", 10, "hard") else ".txt"


# Edge cases. A function is a file: its puzzles, each with a comment, by the last part of their ids.

Cases = dict[str, tuple[str, Puzzle]]

RIGHT = Board.parse("101100 011010 010101 100101 101010 010011")
ANYTHING = Rules(balanced=False, longest_run=255, distinct_lines=False)


def empty(height: int, width: int, rules: Rules = CLASSIC) -> Puzzle:
    return Puzzle(Board.empty(height, width), rules)


def puzzle_of(rows: str, rules: Rules = CLASSIC, *signs: Sign) -> Puzzle:
    return Puzzle(Board.parse(rows), rules, signs)


def loosened(puzzle: Puzzle, rng: Random, number: int) -> Puzzle:
    """The puzzle without as many clues as it takes to have at least that many solutions."""
    clues = shuffled([cell for cell, _ in puzzle.board.clues()], rng)
    while count(puzzle, limit=number).count < number:
        puzzle = with_value(puzzle, clues.pop(), OPEN)
    return puzzle


def exactly_two(full: Recipe, rng: Random) -> Puzzle:
    """A sound puzzle without one of its clues."""
    while True:
        puzzle = loosened(reduced(full(rng), rng, follows_by_search), rng, 2)
        if count(puzzle, limit=3).count == 2:
            return puzzle


def clash(full: Recipe, rng: Random, wanted: Callable[[Puzzle], bool]) -> Puzzle:
    """A puzzle without solution that has one without any of its clues."""
    while True:
        solution = full(rng)
        puzzle = reduced(solution, rng, follows_by_search)
        cell = rng.choice([cell for cell in cells(puzzle.board) if puzzle.board[cell] == OPEN])
        puzzle = with_value(puzzle, cell, other(solution.board[cell]))
        for clue, _ in list(puzzle.board.clues()):
            fewer = with_value(puzzle, clue, OPEN)
            puzzle = puzzle if solvable(fewer) else fewer
        if wanted(puzzle):
            return puzzle


def seen_by_lines(puzzle: Puzzle) -> bool:
    return not violations(puzzle, puzzle.board) and by_lines(puzzle) is None


def seen_by_search(puzzle: Puzzle) -> bool:
    return by_trials(puzzle) is not None


def full_right(rng: Random) -> Cases:
    """A full board that keeps all rules."""
    return {"6x6": ("nothing is open, and all is right", Puzzle(RIGHT))}


def full_wrong(rule: str, relaxed: Rules, full: Callable[..., Puzzle], rng: Random) -> Cases:
    """A full board that breaks one classic rule and keeps the others."""
    while True:
        puzzle = replace(full(6, 6, relaxed, rng), rules=CLASSIC)
        if {each.rule for each in violations(puzzle, puzzle.board)} == {rule}:
            return {"6x6": (f"nothing is open, and it breaks one rule: {rule}", puzzle)}


def full_wrong_sign(rng: Random) -> Cases:
    """A full board that breaks a sign and keeps all rules."""
    comment = "nothing is open, and it breaks one sign"
    return {"6x6": (comment, Puzzle(RIGHT, TANGO, (Sign(0, 0, "R", "="), Sign(5, 4, "R", "="))))}


def nothing_given(rng: Random) -> Cases:
    """Boards without clues: all solutions of a shape."""
    shapes = [(4, 4), (6, 6), (6, 8), (8, 8)]
    unruly = {f"{h}x{w}-unruly": ("no clues", empty(h, w, UNRULY)) for h, w in shapes[:2]}
    return {f"{h}x{w}": ("no clues", empty(h, w)) for h, w in shapes} | unruly


def tiny(rng: Random) -> Cases:
    """Boards so small that the rules say odd things."""
    return {
        "1x1": ("a line of one cell has one more of either symbol", empty(1, 1)),
        "1x1-ones": ("a line of one cell that must have more ones", empty(1, 1, ODD["ones"])),
        "1x2": ("two columns of one cell each, which differ", empty(1, 2)),
        "1x2-clue": ("the same with a clue", puzzle_of("1x2:0.")),
        "2x1-clue": ("the same on end", puzzle_of("2x1:0.")),
        "1x3": ("three columns of one cell each can't all differ", empty(1, 3)),
        "1x4": ("nor can four", empty(1, 4)),
        "1x4-unruly": ("but now they need not: six balanced lines", empty(1, 4, UNRULY)),
        "4x1-unruly": ("the same on end", empty(4, 1, UNRULY)),
        "2x2": ("the smallest square", empty(2, 2)),
        "2x2-clue": ("the same with a clue", puzzle_of(".. .1")),
        "2x4-unruly": ("each column has a 0 and a 1", empty(2, 4, UNRULY)),
    }


def longest(rng: Random) -> Cases:
    """Lines as long as a line can be."""
    row = reduced(plain(1, 255, UNRULY, rng), rng, follows_by_search)
    column = reduced(plain(255, 1, UNRULY, rng), rng, follows_by_search)
    return {
        "1x255": ("one row, no clue can go", row),
        "255x1": ("one column, no clue can go", column),
        "1x255-several": ("the row with a clue less", loosened(row, rng, 2)),
    }


def clash_at_once(rng: Random) -> Cases:
    """No solution, as can be seen from the clues alone."""
    wrong_sign = Sign(1, 1, "D", "x")
    return {
        "row-run": ("three equal clues side by side", puzzle_of(f".111.. {'...... ' * 5}")),
        "column-run": ("three below each other", puzzle_of(f"{'....0. ' * 3}{'...... ' * 3}")),
        "balance": ("four ones in a row of six", puzzle_of(f"1.11.1 {'...... ' * 5}")),
        "same-rows": ("two full rows are the same", puzzle_of("0110 .... 0110 ....")),
        "same-columns": ("two full columns are the same", puzzle_of("1..1 0..0 0..0 1..1")),
        "sign": ("a sign says x", puzzle_of(".... .0.. .0.. ....", TANGO, wrong_sign)),
    }


def clash_by_lines(rng: Random) -> Cases:
    """No solution; no clue breaks a rule, but single lines lead there; each clue is needed."""
    one_line = puzzle_of(f"0...00 {'...... ' * 5}")
    cases = {"row": ("what is left for the first row is three ones side by side", one_line)}
    for side in (6, 8, 10):
        puzzle = clash(partial(plain, side, side, CLASSIC), rng, seen_by_lines)
        cases[f"{side}x{side}"] = ("several lines are needed to see it", puzzle)
    return cases


def clash_deep(rng: Random) -> Cases:
    """No solution; single lines and trials don't see it, only search; each clue is needed."""
    cases: Cases = {}
    for height, width in ((6, 6), (6, 10), (8, 8), (10, 10), (14, 14)):
        puzzle = clash(partial(plain, height, width, CLASSIC), rng, seen_by_search)
        cases[f"{height}x{width}"] = ("only search sees it", puzzle)
    return cases


def clash_mistake(rng: Random) -> Cases:
    """No solution; an easy puzzle with one clue turned over."""
    cases: Cases = {}
    for side in (6, 10, 14):
        wrong = puzzle = easy(partial(plain, side, side, CLASSIC), rng)
        clues = list(puzzle.board.clues())
        while solvable(wrong):
            cell, value = rng.choice(clues)
            wrong = with_value(puzzle, cell, other(value))
        cases[f"{side}x{side}"] = (f"{cell} was {value}", wrong)
    return cases


def clash_without_clues(rng: Random) -> Cases:
    """No solution, whatever the clues."""
    run = (Sign(2, 0, "R", "="), Sign(2, 1, "R", "="))
    ring = (Sign(0, 0, "R", "x"), Sign(0, 0, "D", "="), Sign(0, 1, "D", "="), Sign(1, 0, "R", "="))
    return {
        "2x4": ("four columns, but only two legal ones", empty(2, 4)),
        "4x8": ("eight columns, but only six legal ones", empty(4, 8)),
        "7x10-ones": ("35 ones by the rows, 40 by the columns", empty(7, 10, ODD["ones"])),
        "run": ("signs that ask for three equal cells", replace(empty(6, 6, TANGO), signs=run)),
        "ring": ("signs that go round and clash", replace(empty(6, 6, TANGO), signs=ring)),
    }


def two_solutions(rng: Random) -> Cases:
    """Exactly two solutions."""
    cases: Cases = {}
    for side in (6, 8, 10):
        puzzle = exactly_two(partial(plain, side, side, CLASSIC), rng)
        cases[f"{side}x{side}"] = ("a sound puzzle with a clue less", puzzle)
    signs = with_signs(6, 6, TANGO, rng)
    while not exactly_two_without_clues(signs):
        signs = with_signs(6, 6, TANGO, rng)
    comment = "signs alone: where one solution has 0 the other has 1"
    return cases | {"6x6-signs": (comment, replace(signs, board=Board.empty(6, 6)))}


def exactly_two_without_clues(puzzle: Puzzle) -> bool:
    return count(replace(puzzle, board=Board.empty(6, 6)), limit=3).count == 2


def many_solutions(rng: Random) -> Cases:
    """Many solutions, in spite of some clues."""
    cases: Cases = {}
    for side, number in ((6, 10), (6, 100), (8, 1000), (10, 1000)):
        puzzle = easy(partial(plain, side, side, CLASSIC), rng)
        name = f"{side}x{side}-{number}"
        cases[name] = (f"{number} solutions or more", loosened(puzzle, rng, number))
    return cases


def needed_or_not(rng: Random) -> Cases:
    """Puzzles that are sound only if lines must differ, or only if they may repeat."""
    cases: Cases = {}
    for side in (6, 10):
        classic = hard(partial(plain, side, side, CLASSIC), rng)
        unruly = hard(partial(with_repeated_rows, side, side, UNRULY), rng)
        size = f"{side}x{side}"
        cases |= {
            f"needed-{size}": ("sound, for lines must differ", classic),
            f"needed-{size}-unruly": ("the same where they may repeat", as_under(UNRULY, classic)),
            f"harmful-{size}-unruly": ("sound, for lines may repeat", unruly),
            f"harmful-{size}": ("the same where they must differ", as_under(CLASSIC, unruly)),
        }
    return cases


def as_under(rules: Rules, puzzle: Puzzle) -> Puzzle:
    return replace(puzzle, rules=rules)


def other_rules(rng: Random) -> Cases:
    """Rules that have no name."""
    runs_of_one = Rules(longest_run=1, distinct_lines=False)
    runs_of_three = partial(plain, 8, 8, Rules(longest_run=3))
    unbalanced = partial(plain, 6, 6, Rules(balanced=False))
    classic_signs = partial(with_signs, 6, 6, CLASSIC)
    zeros_signs = partial(with_signs, 7, 7, Rules(distinct_lines=False, odd="zeros"))
    return {
        "chessboard": (
            "no two equal cells side by side",
            puzzle_of(f"1.... {'..... ' * 4}", runs_of_one),
        ),
        "runs-of-three": ("three equal cells may stand side by side", hard(runs_of_three, rng)),
        "unbalanced": ("a line may have any number of ones", hard(unbalanced, rng)),
        "classic-signs": ("signs, and lines must differ", hard(classic_signs, rng)),
        "zeros-signs": ("signs, and an odd line has more zeros", hard(zeros_signs, rng)),
        "anything": ("no rule at all", empty(3, 4, ANYTHING)),
        "only-distinct": (
            "no rule but that lines differ",
            empty(3, 3, replace(ANYTHING, distinct_lines=True)),
        ),
    }


EDGE: dict[str, Callable[[Random], Cases]] = {
    "clash-at-once": clash_at_once,
    "clash-by-lines": clash_by_lines,
    "clash-deep": clash_deep,
    "clash-mistake": clash_mistake,
    "clash-without-clues": clash_without_clues,
    "distinct-lines": needed_or_not,
    "empty": nothing_given,
    "full-right": full_right,
    "full-wrong-balance": partial(full_wrong, "balance", Rules(balanced=False), plain),
    "full-wrong-distinct-lines": partial(full_wrong, "distinct lines", UNRULY, with_repeated_rows),
    "full-wrong-run": partial(full_wrong, "no triple", Rules(longest_run=3), plain),
    "full-wrong-sign": full_wrong_sign,
    "longest": longest,
    "many-solutions": many_solutions,
    "other-rules": other_rules,
    "tiny": tiny,
    "two-solutions": two_solutions,
}


def edge_text(name: str) -> str:
    """A file of edge cases, each below its comment."""
    return "".join(
        f"# {comment}\n{''.join(write([Entry(puzzle, id=f'edge-{name}-{last}')], 'text'))}"
        for last, (comment, puzzle) in EDGE[name](Random(f"edge-{name}")).items()
    )


# Files.


def sound_text(of: str, height: int, width: int, level: str) -> str:
    format = {".txt": "text", ".line": "line", ".ndjson": "ndjson"}
    entries = sound_entries(of, height, width, level)
    return "".join(write(entries, format[suffix(of, height, width, level)]))


def files() -> dict[str, Callable[[], str]]:
    """What makes the text of each file, by its name."""
    made: dict[str, Callable[[], str]] = {
        f"edge/{name}.txt": partial(edge_text, name) for name in EDGE
    }
    for of, shapes in SHAPES.items():
        for (height, width), level in product(shapes, LEVELS):
            name = f"{of}/{height:02}x{width:02}-{level}{suffix(of, height, width, level)}"
            made[name] = partial(sound_text, of, height, width, level)
    return made


def index_record(entry: Entry, file: str) -> dict[str, object]:
    """What is known of a puzzle."""
    assert entry.puzzle, entry.error
    puzzle, rules = entry.puzzle, stated(entry.puzzle)
    found = count(puzzle, limit=MOST_COUNTED)
    return {
        "file": file,
        "id": entry.id,
        "height": puzzle.board.height,
        "width": puzzle.board.width,
        "rules": rules if isinstance(rules, str) else rules.model_dump(),
        "clues": puzzle.board.cells,
        "signs": puzzle.signs,
        "solutions": found.count,
        "exact": found.complete,
        "solution": found.solution.cells if found.solution and found.count == 1 else None,
    }


def main(folder: Path) -> None:
    made = files()
    records = []
    for name in sorted(made):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made[name]().rstrip("\n") + "\n", encoding="utf-8", newline="\n")
        records += [index_record(entry, name) for entry in read_sources([str(path)])]
        print(name, flush=True)
    lines = [json.dumps(record) + "\n" for record in records]
    (folder / INDEX).write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
