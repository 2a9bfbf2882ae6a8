"""board and generate: boards and puzzles that nobody has seen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from binairo_cp.cli import endings, pipes
from binairo_cp.cli.options import (
    SECONDS_UNTIL_SYNC,
    Out,
    Quiet,
    Resume,
    Sync,
    To,
    Workers,
    check_resume,
)

if TYPE_CHECKING:
    from binairo_cp.commands.generate import Order, Way
    from binairo_cp.puzzle.rules import Rules

_MOST = 10_000_000

Size = Annotated[
    str,
    typer.Argument(metavar="SIZE", help="Of the board: 10 for 10x10, or 6x8 (rows x columns)."),
]
Count = Annotated[int, typer.Option("--count", "-n", min=1, max=_MOST, help="How many.")]
Seed = Annotated[
    str | None,
    typer.Option(
        help="The same seed makes the same ones, on any machine, whatever the number of workers.  "
        r"\[default: a new one, which is told]",
        show_default=False,
    ),
]
MadeRules = Annotated[
    Literal["classic", "unruly", "plus", "tango"],
    typer.Option("--rules", "-r", help="classic has distinct lines, the others have not."),
]
Odd = Annotated[
    Literal["either", "ones", "zeros"],
    typer.Option(help="Which symbol a line of odd length has one more of."),
]
MethodOption = Annotated[
    Literal["auto", "uniform", "stirred", "rows"],
    typer.Option(
        help="How solved boards are drawn: uniform (exactly, of sizes that can be listed), stirred "
        "(row by row, then a random walk), rows (row by row only).",
    ),
]
Distinct = Annotated[
    bool,
    typer.Option("--distinct", help="None is another one turned, mirrored or with 0 for 1."),
]


def board(
    size: Size,
    number: Annotated[
        list[int] | None,
        typer.Option(
            "--number",
            "-k",
            help="The board of this number, from 0, in the order of all; may be repeated.",
            show_default=False,
        ),
    ] = None,
    index: Annotated[
        str | None,
        typer.Option(
            metavar="CELLS",
            help="Print the number of this board, given row by row.",
            show_default=False,
        ),
    ] = None,
    count: Count = 1,
    seed: Seed = None,
    rules: MadeRules = "classic",
    odd: Odd = "either",
    distinct: Distinct = False,
    method: MethodOption = "auto",
    workers: Workers = None,
    to: To = None,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Draw solved boards at random, or tell them by number where all of a size can be listed.

    [bold]binairo board 10[/]
    [bold]binairo board 8 --number 4111115[/]
    [bold]binairo board 6x8 --count 1000 --seed 1 --to line --out boards.line[/]
    """
    from binairo_cp.commands import generate
    from binairo_cp.generation.puzzles import Recipe

    form = endings.format_of(out, to, endings.puzzles(), "--to") or "text"
    height, width = sides(size)
    kind = _rules(rules, odd)
    if number or index:
        if distinct or seed is not None or count != 1 or method != "auto":
            hint = "--number" if number else "--index"
            raise typer.BadParameter("tells which board it is; nothing is drawn", param_hint=hint)
        if index and (number or out):
            raise typer.BadParameter(
                "prints a number; expected no --number, no --out", param_hint="--index"
            )
        _by_number(height, width, kind, number or [], index, form, out)
        return
    recipe = Recipe(height, width, kind, method=method)
    order = generate.Order(recipe, _seed(seed), count, distinct, boards=True)
    _run(order, generate.Way(workers, form, out, quiet=quiet))


def generate(
    size: Size,
    count: Count = 1,
    grade: Annotated[
        Literal["any", "beginner", "easy", "medium", "hard", "expert", "beyond-logic"],
        typer.Option(
            help="How hard they are, as binairo grade says; any: nobody looks.",
            rich_help_panel="Puzzles",
        ),
    ] = "any",
    clues: Annotated[
        str | None,
        typer.Option(
            metavar="N|fewest",
            help="How many clues there are; fewest: the fewest that are enough for a board.  "
            r"\[default: as few as are left]",
            rich_help_panel="Puzzles",
            show_default=False,
        ),
    ] = None,
    symmetry: Annotated[
        Literal[
            "none",
            "rotate2",
            "rotate4",
            "mirror",
            "flip",
            "mirror4",
            "diagonal",
            "diagonal4",
            "full",
        ],
        typer.Option(
            help="How the clues lie: turned by a half or a quarter, left for right, upside down, "
            "both, along one diagonal, both diagonals, or all of it.",
            rich_help_panel="Puzzles",
        ),
    ] = "none",
    signs: Annotated[
        int | None,
        typer.Option(
            min=0,
            help=r"How many signs = and x there are.  \[default: a sign for six cells under plus "
            "and tango, else none]",
            rich_help_panel="Puzzles",
            show_default=False,
        ),
    ] = None,
    rules: MadeRules = "classic",
    odd: Odd = "either",
    irreducible: Annotated[
        bool,
        typer.Option(
            "--irreducible",
            help="No clue and no sign can go, whatever the grade.",
            rich_help_panel="Puzzles",
        ),
    ] = False,
    distinct: Distinct = False,
    seed: Seed = None,
    tries: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="So many boards are tried for a puzzle.")
    ] = 1_000,
    method: MethodOption = "auto",
    workers: Workers = None,
    to: To = None,
    out: Out = None,
    resume: Resume = False,
    sync: Sync = SECONDS_UNTIL_SYNC,
    quiet: Quiet = False,
) -> None:
    """Make puzzles that have exactly one solution.

    [bold]binairo generate 10 --count 100 --grade hard --seed 1[/]
    [bold]binairo generate 14 --symmetry rotate2 --to task[/]
    [bold]binairo generate 6 --rules tango --signs 8 --grade medium[/]
    """
    from binairo_cp.commands import generate
    from binairo_cp.generation.puzzles import Recipe

    form = endings.format_of(out, to, endings.puzzles(), "--to") or "text"
    check_resume(resume, out, form, "--to")
    if resume and seed is None:
        raise typer.BadParameter("is for puzzles of a --seed", param_hint="--resume")
    height, width = sides(size)
    if signs is None:
        signs = generate.usual_signs(height, width, rules)
    recipe = Recipe(
        height,
        width,
        _rules(rules, odd),
        level=generate.level_named(grade),
        clues=_clues(clues),
        pattern=symmetry,
        signs=signs,
        irreducible=irreducible,
        method=method,
        tries=tries,
    )
    order = generate.Order(recipe, _seed(seed), count, distinct, graded=form == "ndjson")
    _run(order, generate.Way(workers, form, out, sync if resume else None, quiet))


def _run(order: Order, way: Way) -> None:
    from binairo_cp.commands import generate

    with pipes.may_be_closed():
        complete = generate.run(order, way)
    raise typer.Exit(0 if complete else 3)


def _by_number(
    height: int,
    width: int,
    rules: Rules,
    numbers: list[int],
    index: str | None,
    to: str,
    out: str | None,
) -> None:
    from binairo_cp import formats
    from binairo_cp.formats import Entry
    from binairo_cp.formats.output_files import open_output
    from binairo_cp.generation import boards
    from binairo_cp.puzzle.board import Board
    from binairo_cp.puzzle.rules import Puzzle

    if index is not None:
        typer.echo(boards.number_of_board(Board(height, width, index), rules))
    found = [(each, boards.board_of_number(height, width, each, rules)) for each in numbers]
    entries = (Entry(Puzzle(board, rules), id=f"{height}x{width}-{each}") for each, board in found)
    if found:
        with pipes.may_be_closed(), open_output(out) as write:
            for text in formats.write(entries, to):
                write(text)


def sides(size: str) -> tuple[int, int]:
    """Height and width, of text as 10 or 6x8.

    Raises:
        typer.BadParameter: other text.
    """
    match = re.fullmatch(r"([0-9]{1,3})(?:x([0-9]{1,3}))?", size.strip(), re.IGNORECASE)
    if not match:
        raise typer.BadParameter(
            f"{size[:40]!r}; expected a number, or rows x columns as in 6x8", param_hint="SIZE"
        )
    height = int(match[1])
    return height, int(match[2] or height)


def _rules(name: str, odd: Literal["either", "ones", "zeros"]) -> Rules:
    from dataclasses import replace

    from binairo_cp.puzzle.rules import PRESETS

    return replace(PRESETS[name], odd=odd)


def _clues(clues: str | None) -> int | Literal["fewest"] | None:
    if clues is None:
        return None
    if clues == "fewest":
        return "fewest"
    if not re.fullmatch(r"[0-9]{1,5}", clues):
        raise typer.BadParameter(
            f"{clues[:40]!r}; expected a number, or fewest", param_hint="--clues"
        )
    return int(clues)


def _seed(seed: str | None) -> str:
    from binairo_cp.commands import generate

    if seed is None:
        return str(generate.draw_seed())
    if not generate.is_seed(seed):
        raise typer.BadParameter(generate.A_SEED, param_hint="--seed")
    return seed
