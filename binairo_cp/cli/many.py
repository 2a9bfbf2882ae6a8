"""The options shared by all commands that process many puzzles.

A command with a parameter ``many: Many`` gets all of them from the decorator `takes_options`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from binairo_cp.cli import endings
from binairo_cp.cli.options import (
    SECONDS_A_PUZZLE,
    SECONDS_UNTIL_SYNC,
    Columns,
    Out,
    Quiet,
    ResultFormat,
    Resume,
    Sources,
    Sync,
    TextOptions,
    TimeLimit,
    Workers,
    check_resume,
    named_sources,
    rules_named,
)
from binairo_cp.cli.worker_options import (
    ClusterOption,
    MemoryLimit,
    ScatterFiles,
    TlsCa,
    TlsCert,
    TlsKey,
    worker_settings,
)
from binairo_cp.features.feature import Option
from binairo_cp.features.options import OUTPUT

if TYPE_CHECKING:
    from binairo_cp.batch.tasks import Task
    from binairo_cp.workers.executors import WorkerSettings


@dataclass(frozen=True)
class Many(TextOptions):
    """Input, workers and output."""

    sources: Sources = None
    time_limit: TimeLimit = SECONDS_A_PUZZLE
    workers: Workers = None
    memory_limit: MemoryLimit = None
    cluster: ClusterOption = None
    tls_ca: TlsCa = None
    tls_cert: TlsCert = None
    tls_key: TlsKey = None
    scatter_files: ScatterFiles = False
    to: ResultFormat = None
    columns: Columns = None
    out: Out = None
    unordered: Annotated[
        bool,
        Option("Write results as they come.", is_hidden=True),
    ] = False
    resume: Resume = False
    sync: Sync = SECONDS_UNTIL_SYNC
    log: Annotated[
        str | None,
        Option(
            "Append events to a file as NDJSON: start, progress every second, end.",
            metavar="FILE",
            panel=OUTPUT,
        ),
    ] = None
    metrics: Annotated[
        str | None,
        Option(
            "Keep a file with current metrics, in the text format of Prometheus.",
            metavar="FILE",
            panel=OUTPUT,
        ),
    ] = None
    quiet: Quiet = False

    def worker_settings(self) -> WorkerSettings:
        """The workers that the options describe.

        Raises:
            typer.BadParameter: the options contradict one another.
        """
        tls = self.tls_ca, self.tls_cert, self.tls_key
        return worker_settings(
            self.workers, self.memory_limit, self.cluster, tls, self.scatter_files
        )


def run_and_exit(
    task: Task,
    many: Many,
    rules: str | None,
    *,
    sat_exit: bool = False,
    out_option: str = "--out",
) -> None:
    """Run a task and exit with its status.

    Args:
        task: the task.
        many: its input, workers and output.
        rules: the preset for puzzles that do not name their rules.
        sat_exit: exit with the status of a SAT solver.
        out_option: the name of the option for the result file.

    Raises:
        typer.BadParameter: options contradict one another.
    """
    has_columns = many.columns is not None
    known = endings.results(has_columns=has_columns)
    form = endings.format_of(many.out, many.to, known, out_option=out_option)
    form = form or ("line" if has_columns else "text")
    check_resume(many.resume, many.out, form, "--to")
    if many.unordered and not many.quiet:
        typer.echo("binairo: --unordered has no effect; results are always in order", err=True)
    from binairo_cp.batch import running, tables

    options = running.RunOptions(
        sources=named_sources(many.sources),
        format=many.stated,
        rules=rules_named(rules),
        worker_settings=many.worker_settings(),
        output=tables.output_of(form, many.columns, task),
        out=many.out,
        resume=many.sync if many.resume else None,
        log=many.log,
        metrics=many.metrics,
        quiet=many.quiet,
    )
    summary = running.run_task(task, options)
    if sat_exit and summary.total != 1 and not summary.unread:
        typer.echo(f"binairo: --sat-exit is for a single puzzle, not {summary.total}", err=True)
        raise typer.Exit(2)
    if sat_exit and summary.exit_status != 2:
        raise typer.Exit(summary.sat_exit_status)
    raise typer.Exit(summary.exit_status)
