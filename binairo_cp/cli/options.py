"""The options that several commands share.

A command with a parameter ``many: Many`` gets the options of all that process many puzzles.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from binairo_cp import formats
from binairo_cp.cli.endings import RESULTS, RESULTS_IN_COLUMNS, format_of
from binairo_cp.errors import BinairoError
from binairo_cp.features.arguments import MOST_WORKERS
from binairo_cp.features.convert import FormatName, PuzzleFormat
from binairo_cp.features.feature import Option
from binairo_cp.features.options import INPUT, OUTPUT, SEARCH, SIZE_HELP, SYMBOLS_HELP
from binairo_cp.puzzle.grids import LEAST, first_wrong
from binairo_cp.puzzle.rules import PRESETS

if TYPE_CHECKING:
    from binairo_cp.batch.tasks import Task
    from binairo_cp.formats import Choices, Entry
    from binairo_cp.workers.executors import WorkerSettings

SECONDS_A_PUZZLE = 60.0

Sources = Annotated[
    list[str] | None,
    Option(
        "Files, folders, glob patterns, puzzles on one line, or - for standard input (the "
        "default).",
        metavar="SOURCES",
        is_positional=True,
    ),
]
Format = Annotated[
    FormatName, Option("Format of the input.", flags=("--format", "-f"), panel=INPUT)
]


@dataclass(frozen=True)
class TextOptions:
    """What the user states about the texts that are read."""

    format: Format = "auto"
    size: Annotated[str | None, Option(SIZE_HELP, metavar="SIZE", panel=INPUT)] = None
    symbols: Annotated[str | None, Option(SYMBOLS_HELP, metavar="SYMBOLS", panel=INPUT)] = None

    @property
    def stated(self) -> Choices:
        """The format, or more.

        Raises:
            OptionError: the size or the symbols are not valid.
        """
        return formats.stated(self.format, self.size, self.symbols)


ResultFormat = Annotated[
    Literal["text", "line", "csv", "ndjson"] | None,
    Option("Format of the results.", absent="from the ending of --out, or text", panel=OUTPUT),
]
Columns = Annotated[
    str | None,
    Option(
        "Write these fields of each record, in this order: with --to line (the default with "
        "this option) separated by tabs, with --to csv as CSV.",
        metavar="NAME,...",
        panel=OUTPUT,
    ),
]
To = Annotated[
    PuzzleFormat | None,
    Option("Format of the output.", absent="from the ending of --out, or text", panel=OUTPUT),
]
Out = Annotated[
    str | None,
    Option(
        "Write to this file, which appears only when it is complete. The ending sets the "
        "format (.txt, .line, .ndjson, .parquet, ...); add .gz to compress.",
        flags=("--out", "-o"),
        metavar="FILE",
        panel=OUTPUT,
    ),
]
Resume = Annotated[
    bool,
    Option(
        "Continue an interrupted run that wrote NDJSON to --out; start a new one if there is none.",
        panel=OUTPUT,
    ),
]
DrawReading = Annotated[
    str | None,
    Option(
        "Also draw what was read over the picture that the puzzle is read from.",
        flags=("--draw",),
        metavar="FILE.png",
        panel=OUTPUT,
    ),
]
Quiet = Annotated[
    bool, Option("Show no progress and no summary.", flags=("--quiet", "-q"), panel=OUTPUT)
]
TimeLimit = Annotated[
    float,
    Option(
        "Time limit per puzzle and backend; puzzles that need longer are unknown.",
        least=0,
        metavar="SECONDS",
        panel=SEARCH,
    ),
]
Exclude = Annotated[
    list[str] | None,
    Option(
        "Generate no puzzle that is in this file or a twin of one there, such as the manifest of "
        "an earlier book; may be repeated. Implies distinct puzzles.",
        metavar="FILE",
        panel=SEARCH,
    ),
]
SearchLimit = Annotated[
    float, Option("Time limit to find each puzzle.", least=0, metavar="SECONDS", panel=SEARCH)
]
Workers = Annotated[
    int | None,
    Option(
        "Number of workers: processes, or threads of compiled code.",
        absent="one per core",
        least=1,
        most=MOST_WORKERS,
        flags=("--workers", "-w"),
        panel="Workers",
    ),
]


def check_resume(out: str | None, form: str) -> None:
    """Refuse --resume where results in a format can't be continued."""
    if out is None or out.lower().endswith((".gz", ".parquet")) or form != "ndjson":
        hint = "needs --to ndjson and --out FILE, neither compressed nor Parquet"
        raise typer.BadParameter(hint, param_hint="--resume")


@contextmanager
def refusing(option: str, kind: type[BinairoError]) -> Iterator[None]:
    """Errors of a kind are about the value of an option.

    Raises:
        typer.BadParameter: such an error.
    """
    try:
        yield
    except kind as error:
        raise typer.BadParameter(str(error), param_hint=option) from error


def named_sources(sources: list[str] | None) -> list[str]:
    """The sources; standard input if there are none.

    Raises:
        typer.BadParameter: there are none, and standard input is a terminal; or they are the rows
            of a board that the shell has split.
    """
    if sources:
        if len(sources) > 1 and all(
            1 < len(source) < LEAST and first_wrong(source) is None and not Path(source).exists()
            for source in sources
        ):
            raise typer.BadParameter(
                f"the rows of a board are one argument: quote them, as in '{' '.join(sources)}'",
                param_hint="SOURCES",
            )
        return sources
    if sys.stdin is None or sys.stdin.isatty():
        raise typer.BadParameter("expected files, or - for standard input", param_hint="SOURCES")
    return ["-"]


def entries_of(
    sources: list[str] | None,
    choices: Choices,
    rules: str | None,
    out: str | None,
    *,
    may_replace: bool = False,
) -> Iterator[Entry]:
    """Read the puzzles of the sources; the output file is one of them only if it `may_replace` it.

    Raises:
        typer.BadParameter: there are no sources, and standard input is a terminal.
        SourceError: one of them is the output file.
    """
    from binairo_cp.formats import output_files

    names = named_sources(sources)
    files = formats.files_of(names)
    output_files.refuse_collisions(files, out, may_replace=may_replace)
    blocks = formats.read_blocks(
        files, lambda: 1, choices, PRESETS.get(rules or ""), formats.Tally()
    )
    return (entry for block in blocks for entry in block)


def cells_of(given: str, hint: str) -> str:
    """The cells of a board: the value of an option, or the contents of the file it names.

    Raises:
        typer.BadParameter: it is neither.
    """
    if not set(given) <= set("01."):
        if not Path(given).is_file():
            raise typer.BadParameter(
                f"{given[:40]!r} is neither a file nor cells; expected 0, 1 and . for an empty "
                f"cell",
                param_hint=hint,
            )
        for entry in formats.read_sources([given]):
            if entry.puzzle is None:
                raise typer.BadParameter(str(entry.error), param_hint=hint)
            return entry.puzzle.board.cells
    return given


_LEAST_MEGABYTES = 512


@dataclass(frozen=True)
class ClusterOptions:
    """A cluster that does the work."""

    cluster: Annotated[
        str | None,
        Option(
            "Use the workers of a Dask cluster: tcp://HOST:PORT or tls://HOST:PORT.",
            metavar="ADDRESS",
            panel="Workers",
        ),
    ] = None

    def settings(
        self, workers: int | None = None, memory_limit: int | None = None
    ) -> WorkerSettings:
        """The workers of the cluster or, without one, processes with a memory limit in MiB.

        Raises:
            typer.BadParameter: the options contradict one another.
        """
        from binairo_cp.workers.executors import WorkerSettings, cores

        cluster = self.cluster
        if cluster is None:
            return WorkerSettings(
                workers or cores(), None if memory_limit is None else memory_limit << 20
            )
        if memory_limit or workers:
            hint = "--memory-limit" if memory_limit else "--workers"
            raise typer.BadParameter(
                "can't be set for a cluster; set it for its workers", param_hint=hint
            )
        if not cluster.startswith(("tcp://", "tls://")):
            raise typer.BadParameter(
                f"{cluster!r} is not an address; expected tcp://HOST:PORT or tls://HOST:PORT",
                param_hint="--cluster",
            )
        return WorkerSettings(1, cluster=cluster)


@dataclass(frozen=True)
class _Processes:
    workers: Workers = None
    memory_limit: Annotated[
        int | None,
        Option(
            "Memory limit per worker; a puzzle that needs more is an error.",
            absent="an equal share of the machine's memory",
            least=_LEAST_MEGABYTES,
            metavar="MIB",
            panel="Workers",
        ),
    ] = None


@dataclass(frozen=True)
class WorkerOptions(ClusterOptions, _Processes):
    """Worker processes, or a cluster."""


@dataclass(frozen=True)
class Results(WorkerOptions, TextOptions):
    """Input, workers, and results on standard output."""

    sources: Sources = None
    time_limit: TimeLimit = SECONDS_A_PUZZLE
    to: ResultFormat = None
    columns: Columns = None


@dataclass(frozen=True)
class Many(Results):
    """Input, workers, and results in any place."""

    out: Out = None
    resume: Resume = False
    quiet: Quiet = False


def run_and_exit(task: Task, many: Many, rules: str | None) -> None:
    """Run a task and exit with its status.

    Raises:
        typer.BadParameter: options contradict one another.
    """
    has_columns = many.columns is not None
    known = RESULTS_IN_COLUMNS if has_columns else RESULTS
    form = format_of(many.out, many.to, known) if many.out else many.to
    form = form or ("line" if has_columns else "text")
    if many.resume:
        check_resume(many.out, form)
    from binairo_cp.batch import running, tables

    options = running.RunOptions(
        sources=named_sources(many.sources),
        choices=many.stated,
        rules=PRESETS.get(rules or ""),
        worker_settings=many.settings(many.workers, many.memory_limit),
        output=tables.table_of(form, many.columns, task) if has_columns or form == "csv" else form,
        out=many.out,
        resume=many.resume,
        quiet=many.quiet,
    )
    raise typer.Exit(running.run_task(task, options).exit_status)
