"""New puzzles and solved boards."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_args

from binairo_cp import generation
from binairo_cp.errors import BinairoError, OptionError
from binairo_cp.features.arguments import Name, check_workers, names_of
from binairo_cp.features.feature import Option, checked, feature, feature_of
from binairo_cp.features.options import (
    LongestChain,
    MostTrials,
    Needs,
    PresetName,
    Score,
    Without,
    demand_of,
)
from binairo_cp.generation import Pattern
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import PRESETS, Odd, Rules
from binairo_cp.puzzle.shape import sides_of

if TYPE_CHECKING:
    from binairo_cp.batch.book_recipe import PuzzleSet
    from binairo_cp.deduction.techniques import Level
    from binairo_cp.generation.puzzles import GeneratedPuzzle
    from binairo_cp.generation.runs import GenerationSpec, GenerationState

_MOST_GENERATED = 10_000_000
_LONGEST_SEED = 100
_LONGEST_SHOWN = 40
_LONGEST_GRADE = 120
_CELLS_A_SIGN = 6
_CELLS_A_LINKED_SIGN = 2
"""More signs where they must form chains, which are rare otherwise."""
_NUMBERED = "(?:beginner|easy|medium|hard|expert|beyond-logic):[0-9]{1,8}"
_LEVEL_AND_NUMBER = re.compile("([a-z-]+):([0-9]{1,8})")
_SIDE = "0{0,2}[1-9][0-9]{0,2}"
_PUZZLES = "Puzzles"

Grade = Literal["any", "beginner", "easy", "medium", "hard", "expert", "beyond-logic"]
GRADES = get_args(Grade)

Size = Annotated[
    int | str,
    Option(
        "Board size: 10 for 10x10, or 6x8 for 6 rows and 8 columns.",
        schema={
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": 999},
                {"type": "string", "pattern": f"^{_SIDE}(?:[xX]{_SIDE})?$"},
            ]
        },
        metavar="SIZE",
        is_positional=True,
    ),
]
Count = Annotated[
    int,
    Option("Number of boards or puzzles.", least=1, most=_MOST_GENERATED, flags=("--count", "-n")),
]
RulesOfBoards = Annotated[
    PresetName,
    Option("The rules; only classic requires distinct rows and columns.", flags=("--rules", "-r")),
]
OddOption = Annotated[Odd, Option("The symbol that occurs once more in lines of odd length.")]
Distinct = Annotated[
    bool,
    Option("Skip boards or puzzles that are rotations, reflections or symbol swaps of another."),
]
Seed = Annotated[
    int | str | None,
    Option(
        "Random seed. The same seed gives the same result on any machine and with any number "
        "of workers.",
        absent="random, reported at the end",
        metavar="SEED",
    ),
]
Method = Annotated[
    generation.Method,
    Option(
        "How to draw solved boards: uniform (every board equally likely; only for sizes that "
        "can be listed), gibbs (row by row, then Gibbs sampling), rows (row by row only)."
    ),
]
Workers = Annotated[int, "The number of worker processes; 1 for this process."]
TimeLimit = Annotated[float | None, "Seconds for all, with one worker; None for no limit."]


def rules_of_boards(options: Mapping[str, Any]) -> Rules:
    """The rules that options of `board` or `generate` name."""
    return replace(PRESETS[options["rules"]], odd=options["odd"])


def draw_seed() -> int:
    """A random seed."""
    import secrets  # few seeds are drawn, and it loads much

    return secrets.randbelow(1 << 32)


def spec_of(options: Mapping[str, Any], *, graded: bool = False) -> GenerationSpec:
    """What to generate for all options of `board` or `generate`.

    Raises:
        OptionError: the size, the seed or the number of clues is not valid.
        LimitError: no puzzle can meet the request.
    """
    # Imported here and below, because it loads numpy.
    from binairo_cp.generation.puzzles import Recipe
    from binairo_cp.generation.runs import GenerationSpec

    _check(**options)
    height, width = sides_of(options["size"])
    seed = str(draw_seed() if options["seed"] is None else options["seed"])
    recipe = Recipe(height, width, rules_of_boards(options), method=options["method"])
    if "grade" not in options:
        return GenerationSpec(recipe, seed, options["count"], options["distinct"], boards=True)
    signs, clues, levels = options["signs"], options["clues"], levels_of(options["grade"])
    demand = demand_of(options)
    if signs is None:
        is_linked = demand is not None and "sign chain" in dict(demand.needs)
        cells_a_sign = _CELLS_A_LINKED_SIGN if is_linked else _CELLS_A_SIGN
        signs = height * width // cells_a_sign if options["rules"] in ("plus", "tango") else 0
    recipe = replace(
        recipe,
        level=None if options["grade"] == "any" else levels[0][0],
        clues=clues if clues in (None, "fewest") else int(clues),
        pattern=options["symmetry"],
        signs=signs,
        irreducible=options["irreducible"],
        tries=options["tries"],
        demand=demand,
    )
    count = count_of(options)
    several = () if options["grade"] in GRADES else levels
    spec = GenerationSpec(recipe, seed, count, options["distinct"], graded=graded, levels=several)
    spec.parts()
    return spec


def specs_of(
    sets: Iterable[PuzzleSet], seed: int | str, path: str | None = None, **more: Any
) -> list[GenerationSpec]:
    """What to generate for the sets of a recipe.

    Errors name lines of `path`, if a file has the recipe. All sets share the options in `more`.

    Raises:
        SourceError: a set of a file has a mistake.
        OptionError: a set has a mistake.
        LimitError: puzzles of a set can't exist.
    """
    specs = []
    for number, stated in enumerate(sets):
        given = {**stated.model_dump(), **more, "seed": f"{seed}-{number + 1}"}
        try:
            specs.append(spec_of(feature_of(generate).completed(given)))
        except BinairoError as error:
            raise _named_in_recipe(error, ["puzzles", number], path) from error
    return specs


def _named_in_recipe(error: BinairoError, place: list[int | str], path: str | None) -> BinairoError:
    from binairo_cp.formats import sources, validation

    message = str(error)
    if isinstance(error, OptionError):
        place, message = [*place, error.option], f"{error.message} {error.other}".rstrip()
    if path is not None:
        return validation.setting_error(path, sources.read_toml(path)[1], place, message)
    if not isinstance(error, OptionError):
        return error
    return OptionError("recipe", f"{validation.key_of(place)}{message}")


def excluding(
    spec: GenerationSpec, files: Collection[str]
) -> tuple[GenerationSpec, GenerationState]:
    """The same puzzles without twins of those in some files, and the state of a new run.

    Raises:
        BinairoError: a file, or one of its puzzles, can't be read.
    """
    from binairo_cp.generation.runs import GenerationState

    if not files:
        return spec, GenerationState()
    from binairo_cp.batch.generating import digests_of

    return replace(spec, distinct=True), GenerationState(digests=digests_of(files))


def count_of(options: Mapping[str, Any]) -> int:
    """The number of puzzles or boards that options state."""
    grade = options.get("grade", "any")
    if grade in GRADES:
        return int(options["count"])
    return sum(number for _, number in levels_of(grade))


def levels_of(grade: str) -> tuple[tuple[Level, int], ...]:
    """The levels with their numbers of puzzles in `easy:20,hard:10`; a level alone has 1.

    Raises:
        OptionError: it can't be read.
    """
    found = [_LEVEL_AND_NUMBER.fullmatch(part.strip()) for part in grade.split(",")]
    named = [(match[1], int(match[2])) for match in found if match]
    if grade in GRADES:
        named = [(grade, 1)]
    levels = {level for level, _ in named}
    is_known = len(levels) == grade.count(",") + 1 and levels <= {*GRADES[1:], grade}
    if not is_known or not 1 <= sum(number for _, number in named) <= _MOST_GENERATED:
        shown = grade if len(grade) <= _LONGEST_SHOWN else f"{grade[:_LONGEST_SHOWN]}..."
        expected = f"one of {', '.join(GRADES)}, or numbers as in easy:20,hard:10"
        raise OptionError("grade", f"expected {expected}, not {shown!r}")
    return tuple((cast("Level", level.replace("-", " ")), number) for level, number in named)


def _check(
    size: int | str,
    seed: int | str | None,
    clues: int | str | None = None,
    count: int = 1,
    grade: str = "any",
    **others: Any,
) -> None:
    sides_of(size)
    if count != 1 and grade not in GRADES:
        raise OptionError("count", "can't be used with numbers in", "grade")
    # A seed is part of the ids of puzzles.
    text = "0" if seed is None else str(seed)
    if not (text.isprintable() and 1 <= len(text) <= _LONGEST_SEED):
        raise OptionError("seed", f"expected 1 to {_LONGEST_SEED} characters of text")
    if isinstance(clues, str) and clues != "fewest" and not re.fullmatch(r"[0-9]{1,5}", clues):
        raise OptionError("clues", f"{clues[:_LONGEST_SHOWN]!r}; expected a number, or fewest")
    demand_of(others)


@feature(
    check=_check,
    examples=(
        "[bold]binairo generate 10 --count 100 --grade hard --seed 1[/]",
        "[bold]binairo generate 6 --rules tango --signs 8 --grade medium[/]",
        "[bold]binairo generate 10 --needs two-open --without contradiction --score 400..600[/]",
    ),
)
def generate(
    size: Size,
    *,
    count: Count = 1,
    rules: RulesOfBoards = "classic",
    odd: OddOption = "either",
    distinct: Distinct = False,
    seed: Seed = None,
    method: Method = "auto",
    grade: Annotated[
        str | dict[str, int],
        Option(
            "Required difficulty, as reported by binairo grade; any skips grading. Or several, "
            "each with its number of puzzles: easy:20,hard:10.",
            type=str,
            in_python="Or a dictionary of names and numbers.",
            schema={
                "anyOf": [
                    {"type": "string", "enum": [*GRADES]},
                    {"type": "string", "pattern": f"^{_NUMBERED}(?:,{_NUMBERED})*$"},
                ]
            },
            longest=_LONGEST_GRADE,
            metavar="LEVEL",
            panel=_PUZZLES,
        ),
    ] = "any",
    needs: Needs = None,
    without: Without = None,
    score: Score = None,
    longest_chain: LongestChain = None,
    most_trials: MostTrials = None,
    clues: Annotated[
        int | Literal["fewest"] | None,
        Option(
            "Number of clues; fewest finds the minimum for each board.",
            absent="remove clues until none is redundant",
            metavar="N|fewest",
            panel=_PUZZLES,
        ),
    ] = None,
    symmetry: Annotated[
        Pattern,
        Option(
            "Symmetry of the clue positions: rotations by 180 or 90 degrees, left-right mirror, "
            "top-bottom flip, both, one diagonal, both diagonals, or all symmetries.",
            panel=_PUZZLES,
        ),
    ] = "none",
    signs: Annotated[
        int | None,
        Option(
            "Number of signs (= and x) between cells. Some may be redundant, unless the puzzle is "
            "irreducible.",
            absent="one for every six cells with plus and tango rules, or every two if a "
            "sign-chain is needed; otherwise none",
            least=0,
            panel=_PUZZLES,
        ),
    ] = None,
    irreducible: Annotated[
        bool, Option("Leave no redundant clue or sign, whatever the grade.", panel=_PUZZLES)
    ] = False,
    tries: Annotated[
        int, Option("Maximum number of boards to try per puzzle.", least=1, most=1_000_000)
    ] = 1_000,
    exclude: Annotated[
        Name | Iterable[Name],
        "Files with puzzles of which none may be a twin, such as the manifest of a book.",
    ] = (),
    workers: Workers = 1,
    time_limit: TimeLimit = None,
) -> list[GeneratedPuzzle]:
    """Generate puzzles with exactly one solution.

    >>> import binairo_cp as bn
    >>> [made] = bn.generate(6, grade="easy", seed=1)
    >>> made.id, str(made.grade.level), str(bn.check(made).verdict)
    ('6x6-easy-1-1', 'easy', 'unique')

    Raises:
        OptionError: an option is out of bounds.
        LimitError: no puzzle can meet the request.
        GenerationError: no such puzzle was found in `tries` boards, or too few distinct ones.
        BudgetExceeded: the time ran out.
    """
    if isinstance(grade, dict):
        grade = ",".join(f"{level}:{number}" for level, number in grade.items())
    # The word of the command line has no blank.
    word = grade.replace("beyond logic", "beyond-logic") if isinstance(grade, str) else grade
    return _generated(generate, locals() | {"grade": word})


@feature(
    check=_check,
    examples=(
        "[bold]binairo board 10[/]",
        "[bold]binairo board 8 --number 4111115[/]",
        "[bold]binairo board 6x8 --count 1000 --seed 1 --to line --out boards.line[/]",
    ),
)
def board(
    size: Size,
    *,
    count: Count = 1,
    rules: RulesOfBoards = "classic",
    odd: OddOption = "either",
    distinct: Distinct = False,
    seed: Seed = None,
    method: Method = "auto",
    workers: Workers = 1,
    time_limit: TimeLimit = None,
) -> list[Board]:
    """Draw random solved boards, or print boards by their number.

    >>> import binairo_cp as bn
    >>> print(bn.board(4, seed=1)[0])
    1001
    1100
    0110
    0011

    Raises:
        OptionError: an option is out of bounds.
        LimitError: there is no solved board of this size.
        GenerationError: too few distinct boards were found.
        BudgetExceeded: the time ran out.
    """
    return [puzzle.puzzle.board for puzzle in _generated(board, locals())]


def _generated(function: Any, given: dict[str, Any]) -> list[GeneratedPuzzle]:
    options = checked(function, given)
    check_workers(given["workers"])
    from binairo_cp.generation.runs import generated_puzzles
    from binairo_cp.solving.backends import Budget, Meter

    meter = Meter(Budget(given["time_limit"]))
    files = names_of(given.get("exclude", ()), "exclude")
    spec, state = excluding(spec_of(options, graded=function is generate), files)
    found = list(generated_puzzles(spec, given["workers"], state, meter=meter))
    if state.error:
        raise state.error
    return found
