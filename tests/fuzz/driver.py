"""Random programs against the Python API, similar to CaDiCaL's mobical.

A program creates a puzzle and calls one method after the other (`tests.fuzz.facts`). Hypothesis
draws the programs and shrinks a failing one, which is printed and can run on its own.
"""

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from binairo_cp import CLASSIC, TANGO, UNRULY, Puzzle, Rules, Sign
from binairo_cp.errors import LimitError
from binairo_cp.formats import FORMATS
from binairo_cp.generation.puzzles import Recipe
from binairo_cp.puzzle.rules import PRESETS
from binairo_cp.solving.backends import TABLE
from binairo_cp.solving.encodings import TARGETS
from tests.fuzz.facts import PuzzleFacts
from tests.support import strategies

LONGEST = 8
"""The maximum number of calls in a program."""

_HEAD = """\
from binairo_cp import Rules, Sign
from binairo_cp.generation.puzzles import Recipe
from tests.fuzz.facts import PuzzleFacts
"""
_NAMES = {"Rules": Rules, "Sign": Sign, "Recipe": Recipe, "PuzzleFacts": PuzzleFacts}


@dataclass(frozen=True, slots=True)
class Program:
    """A puzzle, and calls of the methods of `PuzzleFacts`."""

    puzzle: Puzzle
    calls: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        rows = self.puzzle.board
        board = f"{rows.height}x{rows.width}:{' '.join(rows.rows)}"
        signs = tuple(map(tuple, self.puzzle.signs))
        begin = f"facts = PuzzleFacts({board!r}, {self.puzzle.rules!r}, {signs!r})"
        return [begin, *(f"facts.{call}" for call in self.calls)]

    def __str__(self) -> str:
        return "\n".join([_HEAD, *self.lines])

    def run(self) -> None:
        """Raise an exception if two answers contradict each other."""
        exec("\n".join(self.lines), dict(_NAMES))


SEARCHERS = tuple(TABLE)
SEARCHERS += ("pysat:cadical195", "pysat:glucose4:fresh", "cpsat:codes", "cpsat:differences")

_backends = st.sampled_from(SEARCHERS)
_limits = st.sampled_from([1, 2, 3, 7, 50])
_numbers = st.integers(0, 15)
_maybe_numbers = st.none() | _numbers
_works = st.sampled_from([0, 1, 2, 5, 20, 100, 1_000, 20_000])
_booleans = st.booleans()
_cells = st.none() | st.text("01....", min_size=1, max_size=16)
_seconds = st.sampled_from([0.0, 0.0001, 0.01, 0.5, 0.5])


def _call(name: str, *values: Any, **named: Any) -> st.SearchStrategy[str]:
    """Calls of a method with random arguments."""

    def call(drawn: tuple[Any, ...], by_name: dict[str, Any]) -> str:
        words = [*map(repr, drawn), *(f"{key}={value!r}" for key, value in by_name.items())]
        return f"{name}({', '.join(words)})"

    return st.builds(call, st.tuples(*values), st.fixed_dictionaries(named))


def _recipe(rules: str, height: int, width: int, **others: Any) -> Recipe | None:
    try:
        return Recipe(height, width, PRESETS[rules], **others)
    except LimitError:
        return None


_recipes = st.builds(
    _recipe,
    st.sampled_from(list(PRESETS)),
    st.integers(1, 8),
    st.integers(1, 8),
    level=st.sampled_from([None, None, "beginner", "easy", "medium", "hard"]),
    clues=st.none() | st.integers(0, 30),
    pattern=st.sampled_from(["none", "none", "rotate2", "mirror", "diagonal", "full"]),
    signs=st.integers(0, 6),
    irreducible=_booleans,
).filter(bool)

CALLS = st.one_of(
    _call("solve", _backends, _limits, _seconds),
    _call(
        "check",
        _backends,
        st.none() | _backends,
        reasons=st.sampled_from(["none", "quick", "smallest"]),
    ),
    _call("count", _backends, st.none() | _limits),
    _call("enumerate", _backends, st.none() | _limits, st.integers(0, 50)),
    _call("limited_work", _backends, _works, st.none() | _limits),
    _call("native_count", _backends, _works, st.none() | _limits),
    _call("symmetric_image", _numbers, _backends),
    _call("columnar", st.sampled_from(["solve", "check", "count"]), _limits),
    _call("backbone", _backends),
    _call("contradiction"),
    _call("deduce", st.sampled_from(["hint", "explain", "grade"]), _cells),
    _call("clue_analysis", st.sampled_from(["clues", "repair"]), number=_maybe_numbers),
    _call("clue_analysis", st.just("fewest"), all_cells=_booleans),
    _call("certify", st.sampled_from(["cadical195", "glucose4", "cadical153"])),
    _call("convert", st.sampled_from([*FORMATS])),
    _call("encode", st.sampled_from(["grid", "seqcounter", "totalizer"]), _maybe_numbers),
    _call("other_encoding", st.sampled_from([each for each in TARGETS if each != "dimacs"])),
    _call("render", st.sampled_from(["text", "svg"]), solution=_booleans),
    _call("render", st.sampled_from(["text", "html"]), steps=st.just(True), grade=_booleans),
    _call("generate", _recipes, _numbers),
    _call("lines"),
)

_rules = st.sampled_from([CLASSIC, UNRULY, TANGO]) | strategies.rules
_puzzles = st.one_of(
    strategies.puzzles(_rules, st.integers(1, 6)),
    strategies.puzzles(_rules, st.integers(2, 8)),
    strategies.puzzles(_rules, st.integers(6, 12)),
)

programs = st.builds(Program, _puzzles, st.lists(CALLS, min_size=1, max_size=LONGEST).map(tuple))
