"""Reads the English sentences of a path back, and tests each against the board as it then stands.

It knows nothing of the code that finds steps or words them: it has the text, the rules and the
board.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from binairo_cp.puzzle.board import Cell
from binairo_cp.puzzle.rules import Puzzle

_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
NUMBERS = _WORDS.split()

KINDS = {
    "cells": r"r\d+c\d+(?:, r\d+c\d+)*(?: and r\d+c\d+)?",
    "spans": r"r\d+c\d+-r\d+c\d+(?:, r\d+c\d+-r\d+c\d+)*(?: and r\d+c\d+-r\d+c\d+)?",
    "line": r"[Rr]ow \d+|[Cc]olumn \d+",
    "lines": r"(?:[Rr]ow|[Cc]olumn) \d+(?:, (?:row|column) \d+)*(?: (?:and|or) (?:row|column) \d+)?",
    "symbol": r"[01]",
    "number": "|".join([*NUMBERS, r"\d+"]),
    "ways": r"[01]+(?:, [01]+)*(?: or [01]+)?",
    "relation": r"[=×]",
    "signs": r"r\d+c\d+ [=×] r\d+c\d+(?:, r\d+c\d+ [=×] r\d+c\d+)*(?: and r\d+c\d+ [=×] r\d+c\d+)?",
    "assigned": r"r\d+c\d+=[01](?:, r\d+c\d+=[01])*(?: and r\d+c\d+=[01])?",
}

Check = Callable[["Scene", dict[str, Any]], bool]
PATTERNS: list[tuple[re.Pattern[str], Check]] = []


@dataclass
class Scene:
    """What a sentence is about: a board, and what was said before it.

    Attributes:
        concluded: The cells that the sentences fill.
        signs: The signs that they name.
    """

    puzzle: Puzzle
    known: dict[Cell, str]
    lemmas: dict[int, dict[Cell, str]]
    step: Any = None
    concluded: dict[Cell, str] = field(default_factory=dict)
    signs: set[tuple[Cell, Cell, str]] = field(default_factory=set)
    pairs: list[tuple[Cell, Cell]] = field(default_factory=list)
    tried: dict[Cell, str] = field(default_factory=dict)

    def cells_of(self, line: str) -> list[Cell]:
        direction, number = line.lower().split()
        board, k = self.puzzle.board, int(number) - 1
        if direction == "row":
            return [Cell(k, column) for column in range(board.width)]
        return [Cell(row, k) for row in range(board.height)]

    def most(self, line: str, symbol: str) -> int:
        length = len(self.cells_of(line))
        if not self.puzzle.rules.balanced:
            return length
        ones = self.puzzle.rules.ones(length)
        return int(ones[-1] if symbol == "1" else length - ones[0])

    def number(self, line: str, symbol: str) -> int:
        return sum(self.known.get(cell) == symbol for cell in self.cells_of(line))

    @property
    def longest(self) -> int:
        return self.puzzle.rules.longest_run

    def relation(self, one: Cell, other: Cell) -> str:
        for sign in self.puzzle.signs:
            if set(sign.cells) == {one, other}:
                return "=" if sign.relation == "=" else "×"
        return ""

    def fill(self, cells: list[Cell], value: str) -> bool:
        """The conclusion: the cells are open, and nothing else was said of them."""
        is_new = not any(cell in self.known or cell in self.concluded for cell in cells)
        self.concluded |= dict.fromkeys(cells, value)
        return is_new

    def completions(self, line: str, more: dict[Cell, str] | None = None) -> Iterator[str]:
        """The completions of a line by the rules and the signs that were named."""
        cells = self.cells_of(line)
        values = [(self.known | (more or {})).get(cell) for cell in cells]
        most = {symbol: self.most(line, symbol) for symbol in "01"}
        related = {
            k: relation
            for k in range(len(cells) - 1)
            for one, other, relation in self.signs
            if {one, other} == {cells[k], cells[k + 1]}
        }

        def extend(text: str) -> Iterator[str]:
            k = len(text)
            if k == len(cells):
                yield text
                return
            for symbol in values[k] or "01":
                if text[-self.longest :] == symbol * self.longest:
                    continue
                if text.count(symbol) == most[symbol]:
                    continue
                if k and k - 1 in related and (text[-1] == symbol) != (related[k - 1] == "="):
                    continue
                yield from extend(text + symbol)

        yield from extend("")


def pattern(text: str) -> Callable[[Check], Check]:
    """A sentence with ``<kind:name>`` where a field stands."""

    def named(match: re.Match[str]) -> str:
        kind, name = match.groups()
        return f"(?P<{name}__{kind}>{KINDS[kind]})"

    source = re.sub(r"<(\w+):(\w+)>", named, re.sub(r"([.?+()])(?![^<]*>)", r"\\\1", text))
    source = source.replace("{is}", "(?:is|are)")

    def add(check: Check) -> Check:
        PATTERNS.append((re.compile(source + r"(?= |$)"), check))
        return check

    return add


def value_of(kind: str, text: str) -> Any:
    if kind == "cells":
        return [cell_of(each) for each in re.findall(r"r\d+c\d+", text)]
    if kind == "spans":
        found = re.findall(r"(r\d+c\d+)-(r\d+c\d+)", text)
        return [(cell_of(one), cell_of(other)) for one, other in found]
    if kind == "lines":
        return re.findall(r"(?:[Rr]ow|[Cc]olumn) \d+", text)
    if kind == "number":
        return NUMBERS.index(text) if text in NUMBERS else int(text)
    if kind == "ways":
        return re.findall(r"[01]+", text)
    if kind == "signs":
        found = re.findall(r"(r\d+c\d+) ([=×]) (r\d+c\d+)", text)
        return [(cell_of(one), cell_of(other), relation) for one, relation, other in found]
    if kind == "assigned":
        return {cell_of(one): value for one, value in re.findall(r"(r\d+c\d+)=([01])", text)}
    return text


def cell_of(name: str) -> Cell:
    row, column = re.fullmatch(r"r(\d+)c(\d+)", name).groups()  # type: ignore[union-attr]
    return Cell(int(row) - 1, int(column) - 1)


def is_row_of(cells: list[Cell]) -> bool:
    """Whether cells are neighbours in a line, one after the other."""
    ordered = sorted(cells)
    steps = {(b.row - a.row, b.column - a.column) for a, b in pairwise(ordered)}
    return steps in ({(0, 1)}, {(1, 0)}) or len(cells) == 1


def have(scene: Scene, cells: list[Cell], value: str) -> bool:
    return all(scene.known.get(cell) == value for cell in cells)


@pattern(
    "<cells:r> is <symbol:s>. Two <symbol:t>s can't be next to each other, so <cells:c> {is} <symbol:v>."
)
@pattern(
    "<cells:r> are both <symbol:s>. A third <symbol:t> would make three in a row, so <cells:c> {is} <symbol:v>."
)
@pattern(
    "<cells:r> are all <symbol:s>. One more would make <number:n> in a row, so <cells:c> {is} <symbol:v>."
)
def _pair(scene: Scene, f: dict[str, Any]) -> bool:
    return (
        len(f["r"]) == scene.longest
        and f.get("n", scene.longest + 1) == scene.longest + 1
        and have(scene, f["r"], f["s"])
        and all(is_row_of([*f["r"], cell]) for cell in f["c"])
        and f["v"] != f["s"] == f.get("t", f["s"])
        and scene.fill(f["c"], f["v"])
    )


@pattern("<cells:r> are both <symbol:s>, so <cells:c> is <symbol:v>.")
@pattern(
    "<cells:r> are all <symbol:s>. One more in <cells:c> would make <number:n> in a row, so it is <symbol:v>."
)
def _sandwich(scene: Scene, f: dict[str, Any]) -> bool:
    return (
        len(f["r"]) == scene.longest
        and have(scene, f["r"], f["s"])
        and len(f["c"]) == 1
        and f["v"] != f["s"]
        and is_row_of([*f["r"], *f["c"]])
        and scene.fill(f["c"], f["v"])
    )


@pattern(
    "<cells:r> is <symbol:s>. The sign <relation:q> makes <cells:c> the same, so it is <symbol:v> too."
)
@pattern(
    "<cells:r> is <symbol:s>. The sign <relation:q> makes <cells:c> the opposite, so it is <symbol:v>."
)
def _sign(scene: Scene, f: dict[str, Any]) -> bool:
    return (
        have(scene, f["r"], f["s"])
        and scene.relation(f["r"][0], f["c"][0]) == f["q"]
        and (f["v"] == f["s"]) == (f["q"] == "=")
        and scene.fill(f["c"], f["v"])
    )


@pattern("<line:l> can't have any <symbol:s>s, so <cells:c> {is} <symbol:v>.")
@pattern("<line:l> already has its only <symbol:s>, so <cells:c> {is} <symbol:v>.")
@pattern("<line:l> already has both of its <symbol:s>s, so <cells:c> {is} <symbol:v>.")
@pattern("<line:l> already has all <number:n> of its <symbol:s>s, so <cells:c> {is} <symbol:v>.")
@pattern(
    "<line:l> already has <number:n> <symbol:s>s and can't have more, so <cells:c> {is} <symbol:v>."
)
def _count(scene: Scene, f: dict[str, Any]) -> bool:
    number = f.get("n", 2 if " both " in f["text"] else 1 if " only " in f["text"] else 0)
    return (
        scene.number(f["l"], f["s"]) == number == scene.most(f["l"], f["s"])
        and set(f["c"]) <= set(scene.cells_of(f["l"]))
        and f["v"] != f["s"]
        and scene.fill(f["c"], f["v"])
    )


@pattern(
    "<line:l> has room for only one more <symbol:s>. In <cells:c>, it would leave <number:n> <symbol:o>s in a row from <cells:e> to <cells:b>, so <cells:d> is <symbol:v>."
)
@pattern(
    "<line:l> has room for only one more <symbol:s>. In each of <cells:c>, it would leave <number:n> <symbol:o>s in a row from <cells:e> to <cells:b>, so they are <symbol:v>."
)
@pattern(
    "<line:l> has room for only one more <symbol:s>. In each of <cells:c>, it would leave <number:n> <symbol:o>s in a row between <cells:a> and <cells:b>, so they are <symbol:v>."
)
def _last_one(scene: Scene, f: dict[str, Any]) -> bool:
    cells = scene.cells_of(f["l"])
    first, last = (cells.index(end) for (end,) in (f.get("e") or f["a"], f["b"]))
    size, between = scene.longest + 1, cells[first : last + 1]

    def leaves(cell: Cell) -> bool:
        return any(
            all(scene.known.get(each, f["o"]) == f["o"] and each != cell for each in run)
            for run in (cells[k : k + size] for k in range(first, last - size + 2))
        )

    return (
        scene.number(f["l"], f["s"]) == scene.most(f["l"], f["s"]) - 1
        and f["n"] == size
        and f["o"] == f["v"] != f["s"]
        and f.get("d", f["c"]) == f["c"]
        and all(map(leaves, f["c"]))
        and ("a" in f or (len(between) == size and not {*f["c"]} & {*between}))
        and scene.fill(f["c"], f["v"])
    )


@pattern(
    "<cells:p> are joined by =. Two more <symbol:s>s would make <number:n> in a row with <cells:r>, so <cells:c> {is} <symbol:v>."
)
@pattern(
    "<cells:p> are joined by =. Two <symbol:s>s can't be next to each other, so <cells:c> {is} <symbol:v>."
)
@pattern(
    "<cells:p> are joined by =, but <line:l> has room for only one more <symbol:s>, so <cells:c> {is} <symbol:v>."
)
def _equal_pair(scene: Scene, f: dict[str, Any]) -> bool:
    is_wrong = scene.longest == 1
    if "r" in f:
        run = [*f["p"], *f["r"]]
        is_wrong = have(scene, f["r"], f["s"]) and is_row_of(run) and len(run) == f["n"]
        is_wrong = is_wrong and f["n"] == scene.longest + 1
    if "l" in f:
        is_wrong = scene.number(f["l"], f["s"]) == scene.most(f["l"], f["s"]) - 1
        is_wrong = is_wrong and set(f["p"]) <= set(scene.cells_of(f["l"]))
    return (
        scene.relation(*f["p"]) == "="
        and not set(f["p"]) & scene.known.keys()
        and is_wrong
        and set(f["c"]) <= set(f["p"])
        and f["v"] != f["s"]
        and scene.fill(f["c"], f["v"])
    )


@pattern(
    "<spans:p> stands between <symbol:a> and <symbol:b>, so it holds one 0 and one 1: two of the same would make three in a row."
)
@pattern(
    "<spans:p> each stand between <symbol:a> and <symbol:b>, so each pair holds one 0 and one 1: two of the same would make three in a row."
)
def _between(scene: Scene, f: dict[str, Any]) -> bool:
    scene.pairs += f["p"]
    around = []
    for one, other in f["p"]:
        row, column = other.row - one.row, other.column - one.column
        before = Cell(one.row - row, one.column - column)
        after = Cell(other.row + row, other.column + column)
        around.append({scene.known.get(before), scene.known.get(after)})
    is_open = not any(cell in scene.known for pair in f["p"] for cell in pair)
    return is_open and scene.longest == 2 and all(each == {"0", "1"} for each in around)


@pattern("The sign <relation:q> gives <spans:p> one 0 and one 1.")
@pattern("The signs <relation:q> give <spans:p> one 0 and one 1 each.")
def _signed(scene: Scene, f: dict[str, Any]) -> bool:
    scene.pairs += f["p"]
    is_open = not any(cell in scene.known for pair in f["p"] for cell in pair)
    return is_open and f["q"] == "×" and all(scene.relation(*pair) == "×" for pair in f["p"])


@pattern("That gives <line:l> its only <symbol:s>, so <cells:c> {is} <symbol:v>.")
@pattern("That gives <line:l> both of its <symbol:s>s, so <cells:c> {is} <symbol:v>.")
@pattern("That gives <line:l> all <number:n> of its <symbol:s>s, so <cells:c> {is} <symbol:v>.")
@pattern(
    "That gives <line:l> <number:n> <symbol:s>s, and it can't have more, so <cells:c> {is} <symbol:v>."
)
def _one_of_each(scene: Scene, f: dict[str, Any]) -> bool:
    number = f.get("n", 2 if " both " in f["text"] else 1)
    held = {cell for pair in scene.pairs for cell in pair}
    cells = set(scene.cells_of(f["l"]))
    return (
        len(held) == 2 * len(scene.pairs)
        and held <= cells
        and scene.number(f["l"], f["s"]) + len(scene.pairs) == number
        and number == scene.most(f["l"], f["s"])
        and set(f["c"]) <= cells - held
        and f["v"] != f["s"]
        and scene.fill(f["c"], f["v"])
    )


@pattern("<line:l> has the sign <signs:g>.")
@pattern("<line:l> has the signs <signs:g>.")
def _signs(scene: Scene, f: dict[str, Any]) -> bool:
    scene.signs |= set(f["g"])
    cells = scene.cells_of(f["l"])
    return all(
        scene.relation(one, other) == relation and one in cells and other in cells
        for one, other, relation in f["g"]
    )


def _shown(scene: Scene, line: str, ways: list[str]) -> bool:
    """Whether these are all ways to fill the open cells of a line."""
    cells = scene.cells_of(line)
    of_open = [k for k, cell in enumerate(cells) if cell not in scene.known]
    found = ["".join(way[k] for k in of_open) for way in scene.completions(line)]
    return bool(ways) and sorted(found) == sorted(ways)


def _always(scene: Scene, line: str, values: dict[Cell, str]) -> bool:
    """Whether all ways have some values."""
    opposite = {"0": "1", "1": "0"}
    cells = scene.cells_of(line)
    return set(values) <= set(cells) and not any(
        True
        for cell, value in values.items()
        for _ in scene.completions(line, {cell: opposite[value]})
    )


@pattern("The open cells of <line:l> can only be <ways:w>, so <cells:c> {is} <symbol:v>.")
@pattern("The open cells of <line:l> can only be <ways:w>. In both, <cells:c> {is} <symbol:v>.")
@pattern(
    "The open cells of <line:l> can only be <ways:w>. In all of them, <cells:c> {is} <symbol:v>."
)
@pattern("<line:l> can be completed in many ways, and in all of them <cells:c> {is} <symbol:v>.")
def _projection(scene: Scene, f: dict[str, Any]) -> bool:
    said = {"In both": 2, "can only be": 1, "In all of them": 7}
    if "w" in f:
        number = len(f["w"])
        named = next(k for k in ("In both", "In all of them", "can only be") if k in f["text"])
        if not _shown(scene, f["l"], f["w"]) or (
            number != said[named] if said[named] < 3 else number < 3
        ):
            return False
    values = dict.fromkeys(f["c"], f["v"])
    return _always(scene, f["l"], values) and scene.fill(f["c"], f["v"])


@pattern("The open cells of <line:l> can only be <ways:w>.")
@pattern(
    "The open cells of <line:l> can only be <ways:w>. Both have 0 in <cells:z> and 1 in <cells:o>."
)
@pattern(
    "The open cells of <line:l> can only be <ways:w>. All of them have 0 in <cells:z> and 1 in <cells:o>."
)
@pattern(
    "<line:l> can be completed in many ways, and all of them have 0 in <cells:z> and 1 in <cells:o>."
)
def _projection_of_both(scene: Scene, f: dict[str, Any]) -> bool:
    if "w" in f and not _shown(scene, f["l"], f["w"]):
        return False
    if "z" not in f:
        open_cells = [cell for cell in scene.cells_of(f["l"]) if cell not in scene.known]
        scene.concluded |= dict(zip(open_cells, f["w"][0], strict=True))
        return len(f["w"]) == 1
    values = dict.fromkeys(f["z"], "0") | dict.fromkeys(f["o"], "1")
    is_new = scene.fill(f["z"], "0") and scene.fill(f["o"], "1")
    return _always(scene, f["l"], values) and is_new


@pattern(
    "<cells:c> can only be <ways:w>. With <ways:a>, <line:l> would be the same as <line:m>, so they are <ways:b>."
)
def _two_open(scene: Scene, f: dict[str, Any]) -> bool:
    cells, other = scene.cells_of(f["l"]), scene.cells_of(f["m"])
    (a,), (b,) = f["a"], f["b"]
    filled = scene.known | dict(zip(f["c"], a, strict=True))
    is_same = [filled.get(cell) for cell in cells] == [scene.known.get(cell) for cell in other]
    scene.concluded |= dict(zip(f["c"], b, strict=True))
    return (
        scene.puzzle.rules.distinct_lines
        and is_same
        and [cell for cell in cells if cell not in scene.known] == f["c"]
        and f["w"] == [a, b]
        and _shown(scene, f["l"], f["w"])
    )


@pattern(
    "If <cells:c> were <symbol:s>, <line:l> could only be <ways:w>, the same as <lines:m>. So <cells:d> is <symbol:v>."
)
@pattern(
    "If <cells:c> were <symbol:s>, <line:l> would be the same as another full line, however it is completed. So <cells:d> is <symbol:v>."
)
def _distinct(scene: Scene, f: dict[str, Any]) -> bool:
    found = list(scene.completions(f["l"], dict.fromkeys(f["c"], f["s"])))
    direction = f["l"].split()[0].lower()
    board = scene.puzzle.board
    size = board.height if direction == "row" else board.width
    full = {}
    for name in (f"{direction} {k + 1}" for k in range(size)):
        values = [scene.known.get(cell, ".") for cell in scene.cells_of(name)]
        if "." not in values:
            full["".join(values)] = name
    if "w" in f and (
        sorted(found) != sorted(f["w"]) or {full.get(w) for w in f["w"]} != set(f["m"])
    ):
        return False
    return (
        scene.puzzle.rules.distinct_lines
        and bool(found)
        and all(way in full for way in found)
        and f["c"] == f["d"]
        and f["v"] != f["s"]
        and scene.fill(f["c"], f["v"])
    )


def _linked(scene: Scene, cell: Cell, value: str) -> dict[Cell, str]:
    """What signs between open cells make of a value."""
    found, waiting = {cell: value}, [cell]
    while waiting:
        one = waiting.pop()
        for sign in scene.puzzle.signs:
            if one in sign.cells:
                (other,) = (each for each in sign.cells if each != one)
                if other not in found and other not in scene.known:
                    same = found[one]
                    found[other] = same if sign.relation == "=" else "10"[int(same)]
                    waiting.append(other)
    return found


@pattern("Signs link <cells:a>. Suppose <cells:c> is <symbol:s>.")
def _sign_chain(scene: Scene, f: dict[str, Any]) -> bool:
    scene.tried = {f["c"][0]: f["s"]}
    return set(_linked(scene, f["c"][0], f["s"])) >= set(f["a"]) >= set(f["c"]) and not any(
        cell in scene.known for cell in f["a"]
    )


@pattern("Suppose <cells:c> is <symbol:s>.")
@pattern("Suppose <cells:c> is <symbol:s>. On the way, another value is tried and fails.")
@pattern("Suppose <cells:c> is <symbol:s>. On the way, <number:n> other values are tried and fail.")
def _suppose(scene: Scene, f: dict[str, Any]) -> bool:
    scene.tried = {f["c"][0]: f["s"]}
    number = f.get("n", 1 if "another" in f["text"] else 0)
    chain = scene.step.chain
    trials = sum(step.chain is not None for step in chain.steps)
    return f["c"][0] not in scene.known and trials == number


@pattern("Suppose that <assigned:a>.")
def _suppose_all(scene: Scene, f: dict[str, Any]) -> bool:
    return not f["a"].keys() & scene.known.keys()


@pattern("Lemma <number:n>: <assigned:a> can't hold together.")
def _lemma(scene: Scene, f: dict[str, Any]) -> bool:
    scene.lemmas[f["n"]] = f["a"]
    scene.tried = f["a"]
    return f["a"] == scene.step.chain.tried and not f["a"].keys() & scene.known.keys()


@pattern("<assigned:a>, so by lemma <number:n>, <cells:c> is <symbol:v>.")
def _by_lemma(scene: Scene, f: dict[str, Any]) -> bool:
    lemma = scene.lemmas.get(f["n"], {})
    opposite = "10"[int(f["v"])]
    return (
        lemma == f["a"] | {f["c"][0]: opposite}
        and f["a"].items() <= scene.known.items()
        and scene.fill(f["c"], f["v"])
    )


@pattern("Then <line:l> would have <number:n> <symbol:s>s in a row, so <cells:c> is <symbol:v>.")
@pattern(
    "Then <line:l> would have <number:n> <symbol:s>s, but it can have at most <number:m>, so <cells:c> is <symbol:v>."
)
@pattern(
    "Then <line:l> would have one <symbol:s>, but it can't have any, so <cells:c> is <symbol:v>."
)
@pattern("Then the sign <relation:q> between <cells:b> would be wrong, so <cells:c> is <symbol:v>.")
@pattern("Then <lines:e> would be the same, so <cells:c> is <symbol:v>.")
@pattern(
    "After <number:k> steps, <line:l> would have <number:n> <symbol:s>s in a row, so <cells:c> is <symbol:v>."
)
@pattern(
    "After one step, <line:l> would have <number:n> <symbol:s>s in a row, so <cells:c> is <symbol:v>."
)
@pattern(
    "After <number:k> steps, <line:l> would have too many <symbol:s>s, so <cells:c> is <symbol:v>."
)
@pattern("After one step, <line:l> would have too many <symbol:s>s, so <cells:c> is <symbol:v>.")
@pattern(
    "After <number:k> steps, the sign <relation:q> between <cells:b> would be wrong, so <cells:c> is <symbol:v>."
)
@pattern(
    "After one step, the sign <relation:q> between <cells:b> would be wrong, so <cells:c> is <symbol:v>."
)
@pattern("After <number:k> steps, <lines:e> would be the same, so <cells:c> is <symbol:v>.")
@pattern("After one step, <lines:e> would be the same, so <cells:c> is <symbol:v>.")
@pattern("After <number:k> steps, a lemma would not hold, so <cells:c> is <symbol:v>.")
@pattern("After one step, a lemma would not hold, so <cells:c> is <symbol:v>.")
def _fails(scene: Scene, f: dict[str, Any]) -> bool:
    chain = scene.step.chain
    steps = f.get("k", 1 if f["text"].startswith("After one") else 0)
    (cell,) = f["c"]
    after = Scene(scene.puzzle, scene.known | chain.tried, scene.lemmas)
    for step in chain.steps:
        after.known |= step.values
    return (
        len(chain.steps) == steps
        and chain.tried == scene.tried == {cell: "10"[int(f["v"])]}
        and (_is_broken(after, f) or "lemma" in f["text"])
        and scene.fill([cell], f["v"])
    )


def _is_broken(scene: Scene, f: dict[str, Any]) -> bool:
    if "e" in f:
        one, other = ([scene.known.get(cell) for cell in scene.cells_of(line)] for line in f["e"])
        return scene.puzzle.rules.distinct_lines and one == other and None not in one
    if "q" in f:
        values = [scene.known.get(cell) for cell in f["b"]]
        is_kept = (values[0] == values[1]) == (f["q"] == "=")
        return scene.relation(*f["b"]) == f["q"] and None not in values and not is_kept
    cells = scene.cells_of(f["l"])
    if "in a row" in f["text"]:
        size = f["n"]
        runs = [cells[k : k + size] for k in range(len(cells) - size + 1)]
        if "b" in f:
            runs = [run for run in runs if run == f["b"]]
        return size == scene.longest + 1 and any(have(scene, run, f["s"]) for run in runs)
    number, most = scene.number(f["l"], f["s"]), scene.most(f["l"], f["s"])
    if "can't have any" in f["text"]:
        return number == 1 and most == 0
    return number == f.get("n", number) > most == f.get("m", most)


@pattern("Now <line:l> has <number:n> <symbol:s>s in a row: <cells:b>.")
@pattern("Now <line:l> has <number:n> <symbol:s>s, but it can have at most <number:m>.")
@pattern("Now <line:l> has one <symbol:s>, but it can't have any.")
@pattern("Now the sign <relation:q> between <cells:b> is wrong.")
@pattern("Now <lines:e> are the same.")
def _broken(scene: Scene, f: dict[str, Any]) -> bool:
    return _is_broken(scene, f)


@pattern("Now <cells:c> have the values that can't hold together by lemma <number:n>.")
def _broken_lemma(scene: Scene, f: dict[str, Any]) -> bool:
    lemma = scene.lemmas.get(f["n"], {})
    return set(lemma) == set(f["c"]) and lemma.items() <= scene.known.items()


@pattern("By the signs, <cells:c> {is} <symbol:v>.")
@pattern("The signs then give 0 in <cells:z>, and 1 in <cells:o>.")
def _by_signs(scene: Scene, f: dict[str, Any]) -> bool:
    ((cell, tried),) = scene.tried.items()
    implied = _linked(scene, cell, "10"[int(tried)])
    values = dict.fromkeys(f.get("z", ()), "0") | dict.fromkeys(f.get("o", ()), "1")
    values |= dict.fromkeys(f.get("c", ()), f.get("v", ""))
    is_new = not values.keys() & (scene.known.keys() | scene.concluded.keys())
    scene.concluded |= values
    return is_new and values.items() <= implied.items()


@pattern("<cells:r> leaves only <symbol:v> for <cells:c>, by the rules below.")
@pattern("<cells:r> leave only <symbol:v> for <cells:c>, by the rules below.")
@pattern("The rules below leave only <symbol:v> for <cells:c>.")
def _smallest(scene: Scene, f: dict[str, Any]) -> bool:
    return set(f.get("r", ())) <= scene.known.keys() and scene.fill(f["c"], f["v"])


@pattern("Size <number:n>: <number:k> rules.")
@pattern("Size <number:n>: one rule.")
@pattern("Size <number:n>: one known cell and <number:k> rules.")
@pattern("Size <number:n>: one known cell and one rule.")
@pattern("Size <number:n>: <number:c> known cells and one rule.")
@pattern("Size <number:n>: <number:c> known cells and <number:k> rules.")
@pattern("Size <number:n>: <number:c> known cells.")
def _size(scene: Scene, f: dict[str, Any]) -> bool:
    rules = f.get("k", 1)
    cells = f.get("c", 1 if "known cell" in f["text"] else 0)
    support = scene.step.support
    shown = len(support.cells or scene.step.reason)
    return f["n"] == cells + rules and len(support.constraints) == rules and shown == cells


@pattern("No explanation is smaller.")
def _proved(scene: Scene, f: dict[str, Any]) -> bool:
    return bool(scene.step.support.smallest)


@pattern("There may be a smaller explanation.")
def _not_proved(scene: Scene, f: dict[str, Any]) -> bool:
    return not scene.step.support.smallest and scene.step.support.size > 4


@pattern("With <cells:c>, the rules below are enough.")
def _enough(scene: Scene, f: dict[str, Any]) -> bool:
    return set(f["c"]) <= scene.known.keys()


@pattern("<cells:a> to <cells:b> are not all the same.")
def _rule_run(scene: Scene, f: dict[str, Any]) -> bool:
    (one,), (other,) = f["a"], f["b"]
    return one.row - other.row + one.column - other.column == -scene.longest


@pattern("<line:l> has <number:z> 0s and <number:o> 1s.")
def _rule_count(scene: Scene, f: dict[str, Any]) -> bool:
    most = [scene.most(f["l"], symbol) for symbol in "01"]
    return most == [f["z"], f["o"]]


@pattern("<line:l> has one 0 and one 1.")
@pattern("<line:l> has one 0 and <number:o> 1s.")
@pattern("<line:l> has <number:z> 0s and one 1.")
def _rule_count_of_one(scene: Scene, f: dict[str, Any]) -> bool:
    most = [scene.most(f["l"], symbol) for symbol in "01"]
    return most == [f.get("z", 1), f.get("o", 1)]


@pattern("<line:l> has <number:o> or <number:m> 1s.")
@pattern("<line:l> has <number:o> or one 1.")
def _rule_count_of_two(scene: Scene, f: dict[str, Any]) -> bool:
    return scene.most(f["l"], "1") == f.get("m", 1)


def _counts(scene: Scene, kind: str, symbol: str) -> tuple[int, int]:
    """How many of a symbol all rows or columns need at least, and have room for at most."""
    board = scene.puzzle.board
    lines = [f"{kind} {k + 1}" for k in range(board.height if kind == "row" else board.width)]
    other = "0" if symbol == "1" else "1"
    least = most = 0
    for line in lines:
        length = len(scene.cells_of(line))
        least += max(length - scene.most(line, other), scene.number(line, symbol))
        most += min(scene.most(line, symbol), length - scene.number(line, other))
    return least, most


_TOGETHER = "All {} together need at least <number:n> <symbol:s>s, but the {} have room for only <number:m>."


@pattern(_TOGETHER.format("rows", "columns"))
@pattern(_TOGETHER.format("columns", "rows"))
def _totals(scene: Scene, f: dict[str, Any]) -> bool:
    needing, other = ("row", "column") if f["text"].startswith("All rows") else ("column", "row")
    least, most = _counts(scene, needing, f["s"])[0], _counts(scene, other, f["s"])[1]
    return (least, most) == (f["n"], f["m"]) and least > most


@pattern("The sign <relation:q> joins <cells:c>.")
def _rule_sign(scene: Scene, f: dict[str, Any]) -> bool:
    return scene.relation(*f["c"]) == f["q"]


@pattern("<lines:e> are not the same.")
def _rule_identical(scene: Scene, f: dict[str, Any]) -> bool:
    return scene.puzzle.rules.distinct_lines and len(f["e"]) == 2


def is_true(scene: Scene, text: str) -> bool:
    """Whether each sentence of a text is true, in turn; the longest pattern that fits reads it."""
    while text:
        fits = [
            (match, check) for regex, check in PATTERNS if (match := regex.match(text)) is not None
        ]
        if not fits:
            return False
        match, check = max(fits, key=lambda each: each[0].end())
        fields = {"text": match[0]}
        for key, found in match.groupdict().items():
            if found is not None:
                name, _, kind = key.partition("__")
                fields[name] = value_of(kind, found)
        if not check(scene, fields):
            return False
        text = text[match.end() :].lstrip()
    return True


@dataclass
class Reading:
    """How many sentences a path has, and those that are false where they stand."""

    read: int = 0
    false: list[str] = field(default_factory=list)

    def add(self, text: str, holds: bool) -> None:
        self.read += 1
        if not holds:
            self.false.append(text)


def read(puzzle: Puzzle, explanation: Any, begun: dict[Cell, str] | None = None) -> Reading:
    known = dict(puzzle.board.clues()) | (begun or {})
    reading, lemmas = Reading(), dict[int, dict[Cell, str]]()
    for step in explanation.steps:
        _read_step(puzzle, step, known, lemmas, reading)
        known |= step.values
    if explanation.broken:
        scene = Scene(puzzle, known, lemmas)
        reading.add(explanation.broken.sentence, is_true(scene, explanation.broken.sentence))
    return reading


def _read_step(
    puzzle: Puzzle, step: Any, known: dict[Cell, str], lemmas: Any, reading: Reading
) -> None:
    scene = Scene(puzzle, known, lemmas, step)
    holds = is_true(scene, step.sentence)
    reading.add(step.sentence, holds and scene.concluded == step.values)
    if step.support:
        for sentence in (step.support.sentence, *(r.sentence for r in step.support.constraints)):
            reading.add(sentence, is_true(Scene(puzzle, known, lemmas, step), sentence))
    if step.chain:
        after = known | step.chain.tried
        for each in step.chain.steps:
            _read_step(puzzle, each, after, lemmas, reading)
            after = after | each.values
        broken = step.chain.broken.sentence
        reading.add(broken, is_true(Scene(puzzle, after, lemmas), broken))
