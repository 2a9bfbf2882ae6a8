"""The command line: one thin command a task.

Only what a command needs is imported, when it runs, so that ``binairo --help`` is quick.
"""

from __future__ import annotations

import io
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from binairo_cp.errors import BackendError, BinairoError, LimitError

if TYPE_CHECKING:
    from binairo_cp.solutions import Verb
    from binairo_cp.tasks import Task

app = typer.Typer(
    name="binairo",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Solve, check and count Binairo puzzles (Takuzu, Binary Puzzle, Unruly, Tango).\n\n"
    "[bold]binairo check puzzle.txt[/]: has it exactly one solution?\n\n"
    "[bold]binairo solve puzzles/ -o solved.txt[/]: a solution of each\n\n"
    "[bold]binairo lines 12[/]: how many legal lines there are",
    epilog="Exit status: 0 all yes, 1 some no, 2 an error in usage or input, 3 some unknown.",
)

_SECONDS_A_PUZZLE = 60.0
_MOST_COUNTED = 1_000_000

Sources = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SOURCES",
        help="Files, folders, patterns, or - for standard input (the default).",
        show_default=False,
    ),
]
Format = Annotated[
    Literal["auto", "text", "line", "json", "ndjson"],
    typer.Option("--format", "-f", help="The format of the sources.", rich_help_panel="Input"),
]
RulesOption = Annotated[
    Literal["classic", "unruly", "plus", "tango", "both"] | None,
    typer.Option(
        "--rules",
        "-r",
        help="The rules of puzzles that state none: classic (distinct lines), unruly (lines may "
        "repeat), plus or tango (signs, lines may repeat). both: decide all puzzles with "
        r"distinct lines and without.  \[default: plus for puzzles with signs, or classic]",
        rich_help_panel="Input",
        show_default=False,
    ),
]
OutputOption = Annotated[
    Literal["text", "line", "ndjson"],
    typer.Option("--output", help="The form of the results.", rich_help_panel="Output"),
]
Out = Annotated[
    str | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Write the results to a file, which appears when it is complete.",
        rich_help_panel="Output",
        show_default=False,
    ),
]
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
        help="auto, bitboard, pysat, pysat:SOLVER, pysat:SOLVER:fresh, cpsat or backtracking.",
        rich_help_panel="Search",
    ),
]
CrossCheck = Annotated[
    str | None,
    typer.Option(
        metavar="A,B",
        help="Let two backends decide each puzzle; that they disagree is an error.",
        rich_help_panel="Search",
        show_default=False,
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
        rich_help_panel="Search",
        show_default=False,
    ),
]
Limit = Annotated[
    int,
    typer.Option(
        min=1, help="Stop after that many solutions of a puzzle.", rich_help_panel="Search"
    ),
]


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"binairo {installed('binairo-cp')}")
        raise typer.Exit


@app.command()
def solve(
    sources: Sources = None,
    format: Format = "auto",
    rules: RulesOption = None,
    backend: BackendOption = "auto",
    cross_check: CrossCheck = None,
    time_limit: TimeLimit = _SECONDS_A_PUZZLE,
    limit: Limit = 1,
    workers: Workers = None,
    output: OutputOption = "text",
    out: Out = None,
    quiet: Quiet = False,
    sat_exit: SatExit = False,
) -> None:
    """Find a solution of each puzzle, or the first few.

    [bold]binairo solve puzzle.txt[/]
    [bold]binairo solve puzzles/ --output ndjson --out solved.ndjson[/]
    [bold]cat puzzles.line | binairo solve --output line --rules unruly[/]
    """
    task = _task("solve", backend, cross_check, limit, time_limit, rules)
    _run(task, sources, format, rules, workers, output, out, quiet, sat_exit)


@app.command()
def check(
    sources: Sources = None,
    format: Format = "auto",
    rules: RulesOption = None,
    backend: BackendOption = "auto",
    cross_check: CrossCheck = None,
    time_limit: TimeLimit = _SECONDS_A_PUZZLE,
    limit: Annotated[
        int,
        typer.Option(
            min=2, help="Stop after that many solutions of a puzzle.", rich_help_panel="Search"
        ),
    ] = 2,
    backbone: Annotated[
        bool,
        typer.Option(
            "--backbone",
            help="Tell which cells all solutions share, where there are several.",
            rich_help_panel="Search",
        ),
    ] = False,
    workers: Workers = None,
    output: OutputOption = "text",
    out: Out = None,
    quiet: Quiet = False,
    sat_exit: SatExit = False,
) -> None:
    """Decide whether each puzzle has exactly one solution: unique, multiple, none or unknown.

    [bold]binairo check puzzle.txt[/]
    [bold]binairo check 'collection/*.txt' --rules both[/]
    [bold]binairo check puzzles.ndjson --cross-check pysat,cpsat --output ndjson[/]
    """
    task = _task("check", backend, cross_check, limit, time_limit, rules, backbone)
    _run(task, sources, format, rules, workers, output, out, quiet, sat_exit)


@app.command()
def count(
    sources: Sources = None,
    format: Format = "auto",
    rules: RulesOption = None,
    backend: BackendOption = "auto",
    cross_check: CrossCheck = None,
    time_limit: TimeLimit = _SECONDS_A_PUZZLE,
    limit: Limit = _MOST_COUNTED,
    all_solutions: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Count to the end, without a limit: one puzzle after the other, with all workers.",
            rich_help_panel="Search",
        ),
    ] = False,
    workers: Workers = None,
    output: OutputOption = "text",
    out: Out = None,
    quiet: Quiet = False,
    sat_exit: SatExit = False,
) -> None:
    """Count the solutions of each puzzle, up to a limit.

    [bold]binairo count puzzle.txt[/]
    [bold]binairo count puzzles.line --limit 1000 --output line[/]
    [bold]binairo count open.txt --all --time-limit 3600[/]
    """
    task = _task("count", backend, cross_check, limit, time_limit, rules)
    if all_solutions:
        task = replace(task, limit=None, split=True)
    _run(task, sources, format, rules, workers, output, out, quiet, sat_exit)


@app.command()
def lines(
    length: Annotated[int, typer.Argument(min=1, max=255, help="Cells in a line.")],
    number: Annotated[
        list[int] | None,
        typer.Option("--number", "-n", help="Print the line of this number; may be repeated."),
    ] = None,
    index: Annotated[
        str | None,
        typer.Option(metavar="LINE", help="Print the number of this line.", show_default=False),
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Option(
            metavar="CELLS", help="Only lines that complete these cells.", show_default=False
        ),
    ] = None,
    all_lines: Annotated[bool, typer.Option("--all", help="Print all lines.")] = False,
    random: Annotated[
        int, typer.Option(min=0, metavar="COUNT", help="Print that many, drawn at random.")
    ] = 0,
    seed: Annotated[
        int | None,
        typer.Option(help="Draw the same lines again.", show_default=False),
    ] = None,
    longest_run: Annotated[
        int, typer.Option(min=1, max=255, help="Equal cells side by side, at most.")
    ] = 2,
    odd: Annotated[
        Literal["either", "ones", "zeros"],
        typer.Option(help="Which symbol a line of odd length has one more of."),
    ] = "either",
) -> None:
    """The legal lines of a length: how many there are, or lines by their number, from 0.

    [bold]binairo lines 24[/]
    [bold]binairo lines 10 --number 0 --number 83[/]
    [bold]binairo lines 6 --pattern 1....0 --all[/]
    """
    from binairo_cp import line_reports
    from binairo_cp.rules import Rules

    rules = Rules(longest_run=longest_run, odd=odd)
    asked = line_reports.Asked(number or [], index, all_lines, random, seed)
    for text in line_reports.report(length, pattern, rules, asked):
        typer.echo(text)


@app.command()
def schema(
    record: Annotated[
        Literal["result", "puzzle"], typer.Argument(help="Which record: what goes out or comes in.")
    ] = "result",
) -> None:
    """Print the JSON Schema of the records that are written, or of those that are read."""
    import json

    from binairo_cp.schema import PuzzleRecord, ResultRecord

    model = ResultRecord if record == "result" else PuzzleRecord
    typer.echo(json.dumps(model.model_json_schema(), indent=2))


def _task(
    verb: Verb,
    backend: str,
    cross_check: str | None,
    limit: int,
    time_limit: float,
    rules: str | None,
    backbone: bool = False,
) -> Task:
    from binairo_cp import backends
    from binairo_cp.tasks import Task

    names = [backend]
    if cross_check is not None:
        names = [name.strip() for name in cross_check.split(",")]
        if len(names) != 2:
            raise typer.BadParameter("expected two backends: A,B", param_hint="--cross-check")
    try:
        for name in names:
            backends.get(name)
        backends.Budget(time_limit)
    except LimitError as error:
        raise typer.BadParameter(str(error), param_hint="--time-limit") from error
    except BackendError as error:
        hint = "--cross-check" if cross_check else "--backend"
        raise typer.BadParameter(str(error), param_hint=hint) from error
    second = names[1] if cross_check else None
    return Task(verb, names[0], second, limit, time_limit, rules == "both", backbone)


def _run(
    task: Task,
    sources: list[str] | None,
    format: str,
    rules: str | None,
    workers: int | None,
    output: Literal["text", "line", "ndjson"],
    out: str | None,
    quiet: bool,
    sat_exit: bool,
) -> None:
    from binairo_cp import running
    from binairo_cp.rules import PRESETS

    if not sources:
        if sys.stdin is None or sys.stdin.isatty():
            raise typer.BadParameter(
                "expected files, or - for standard input", param_hint="SOURCES"
            )
        sources = ["-"]
    asked = PRESETS.get(rules) if rules else None
    try:
        summary = running.run(task, sources, format, asked, workers, output, out, quiet)
    except BrokenPipeError as error:
        # The command framework would end with 1, which means that some puzzle has no solution.
        _abandon_output()
        raise typer.Exit(141) from error
    if sat_exit and summary.total != 1:
        typer.echo(f"binairo: --sat-exit is for a single puzzle, not {summary.total}", err=True)
        raise typer.Exit(2)
    if sat_exit and not summary.failed:
        raise typer.Exit(summary.sat_exit_status)
    raise typer.Exit(summary.exit_status)


def main() -> None:
    """The entry point of ``binairo``: no traceback reaches a user."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # as long as the process
    if sys.stdout is None:
        typer.echo("binairo: standard output is closed", err=True)
        sys.exit(2)
    # A name or an id may hold what a terminal's encoding does not.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except BinairoError as error:
        typer.echo(f"binairo: {error}", err=True)
        sys.exit(2)
    except OSError as error:
        _abandon_output()
        typer.echo(f"binairo: can't write: {error.strerror or error}", err=True)
        sys.exit(2)
    except Exception as error:
        typer.echo(f"binairo: internal error: {type(error).__name__}: {error}", err=True)
        sys.exit(2)


def _abandon_output() -> None:
    """The interpreter must not trip over an output that takes nothing once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
