"""The options that several commands share."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from binairo_cp.commands.requests import FormatName, PresetName, PuzzleFormat

if TYPE_CHECKING:
    from collections.abc import Iterator

    from binairo_cp.formats import Entry
    from binairo_cp.puzzle.rules import Rules

SECONDS_A_PUZZLE = 60.0

Sources = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SOURCES",
        help="Files, folders, patterns, or - for standard input (the default).",
        show_default=False,
    ),
]
Format = Annotated[
    FormatName,
    typer.Option("--format", "-f", help="The format of the sources.", rich_help_panel="Input"),
]
OneRules = Annotated[
    PresetName | None,
    typer.Option(
        "--rules",
        "-r",
        help="The rules of puzzles that state none.  "
        r"\[default: plus for puzzles with signs, or classic]",
        rich_help_panel="Input",
        show_default=False,
    ),
]
Solver = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Who makes the proofs: a solver of PySAT, as cadical195, or external:COMMAND.  "
        r"\[default: glucose4]",
        rich_help_panel="Search",
        show_default=False,
    ),
]
OutputOption = Annotated[
    Literal["text", "line", "ndjson"] | None,
    typer.Option(
        "--output",
        help=r"The form of the results.  \[default: as --out ends, or text]",
        rich_help_panel="Output",
        show_default=False,
    ),
]
To = Annotated[
    PuzzleFormat | None,
    typer.Option(
        help=r"The format that is written.  \[default: as --out ends, or text]",
        rich_help_panel="Output",
        show_default=False,
    ),
]
Out = Annotated[
    str | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Write the results to a file, which appears when it is complete. Its ending decides "
        "the format: .txt, .line, .ndjson, .parquet and so on; .gz after it packs the file.",
        rich_help_panel="Output",
        show_default=False,
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Go on with the NDJSON in --out where a run was ended, if there is some.",
        rich_help_panel="Output",
    ),
]
Sync = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        min=0,
        help="With --resume: results are on the disk after so many seconds, 0 for each block.",
        rich_help_panel="Output",
    ),
]
SECONDS_UNTIL_SYNC = 1.0
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="No progress, no summary.", rich_help_panel="Output"),
]
SatExit = Annotated[
    bool,
    typer.Option(
        "--sat-exit",
        help="For a single puzzle, end with 10 (a solution), 20 (none) or 0 (unknown).",
        rich_help_panel="Output",
    ),
]
BackendOption = Annotated[
    str,
    typer.Option(
        "--backend",
        "-b",
        metavar="NAME",
        help="auto, bitboard, pysat, pysat:SOLVER, pysat:SOLVER:fresh, cpsat, backtracking, or "
        "external:COMMAND for a SAT solver of yours.",
        rich_help_panel="Search",
    ),
]
TimeLimit = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        min=0,
        help="For each puzzle and backend; what takes longer is unknown.",
        rich_help_panel="Search",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-w",
        min=1,
        max=512,
        help=r"Processes that share the puzzles.  \[default: one for each core]",
        rich_help_panel="Workers",
        show_default=False,
    ),
]


def check_resume(resume: bool, out: str | None, output: str, option: str) -> None:
    """See to it that results can be gone on with, if they are to be.

    Args:
        resume: whether they are.
        out: the file that they go to.
        output: the form of the results.
        option: what it is asked by.

    Raises:
        typer.BadParameter: they can't.
    """
    packed = out is not None and out.lower().endswith((".gz", ".parquet"))
    if resume and (out is None or packed or output != "ndjson"):
        hint = f"is for {option} ndjson and --out FILE, not packed and no table"
        raise typer.BadParameter(hint, param_hint="--resume")


def rules_named(name: str | None) -> Rules | None:
    """The rules of a preset, for puzzles that state none; None if no preset is asked for."""
    from binairo_cp.puzzle.rules import PRESETS

    return PRESETS.get(name) if name else None


def named_sources(sources: list[str] | None) -> list[str]:
    """The sources, or standard input.

    Raises:
        typer.BadParameter: there are none, and standard input is a terminal.
    """
    if sources:
        return sources
    if sys.stdin is None or sys.stdin.isatty():
        raise typer.BadParameter("expected files, or - for standard input", param_hint="SOURCES")
    return ["-"]


def entries_of(
    sources: list[str] | None, format: str, rules: str | None, out: str | None
) -> Iterator[Entry]:
    """The puzzles of the sources, which must not be what is written.

    Args:
        sources: as they were given; None for standard input.
        format: a format or ``auto``.
        rules: the name of the rules of puzzles that state none.
        out: where the output goes; None for standard output.

    Raises:
        typer.BadParameter: there are no sources, and standard input is a terminal.
        SourceError: one of them is the file that is written.
    """
    from binairo_cp import formats
    from binairo_cp.formats import collisions

    names = named_sources(sources)
    collisions.refuse(names, out)
    return formats.read_sources(names, format, rules_named(rules))


def cells_of(given: str, hint: str) -> str:
    """The cells of a board that an option gave, or those in the file that it named.

    Raises:
        typer.BadParameter: it is neither.
    """
    if not set(given) <= set("01."):
        from binairo_cp import formats

        if not Path(given).is_file():
            raise typer.BadParameter(
                f"{given[:40]!r} is no file, and no cells; expected 0, 1 and . for an open cell",
                param_hint=hint,
            )
        for entry in formats.read_sources([given]):
            if entry.puzzle is None:
                raise typer.BadParameter(str(entry.error), param_hint=hint)
            return entry.puzzle.board.cells
    return given
