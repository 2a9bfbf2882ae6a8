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
    Columns,
    Out,
    Quiet,
    ResultFormat,
    Resume,
    Sources,
    TextOptions,
    TimeLimit,
    Workers,
    check_resume,
    named_sources,
)
from binairo_cp.features.feature import Option
from binairo_cp.puzzle.rules import PRESETS

if TYPE_CHECKING:
    from binairo_cp.batch.tasks import Task
    from binairo_cp.workers.executors import WorkerSettings


_LEAST_MEGABYTES = 512
_PANEL = "Workers"


@dataclass(frozen=True)
class ClusterOptions:
    """A cluster that does the work."""

    cluster: Annotated[
        str | None,
        Option(
            "Use the workers of a Dask cluster: tcp://HOST:PORT or tls://HOST:PORT.",
            metavar="ADDRESS",
            panel=_PANEL,
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
            panel=_PANEL,
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
    known = endings.RESULTS_IN_COLUMNS if has_columns else endings.RESULTS
    form = endings.format_of(many.out, many.to, known)
    form = form or ("line" if has_columns else "text")
    if many.resume:
        check_resume(many.out, form)
    from binairo_cp.batch import running, tables

    options = running.RunOptions(
        sources=named_sources(many.sources),
        format=many.stated,
        rules=PRESETS.get(rules or ""),
        worker_settings=many.settings(many.workers, many.memory_limit),
        output=tables.table_of(form, many.columns, task) if has_columns or form == "csv" else form,
        out=many.out,
        resume=many.resume,
        quiet=many.quiet,
    )
    raise typer.Exit(running.run_task(task, options).exit_status)
