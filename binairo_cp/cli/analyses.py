"""The commands hint, explain, grade, clues, fewest and repair: one for each `AnalysisRequest`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from binairo_cp.cli.deciding import check_time_limit
from binairo_cp.cli.derived import Command
from binairo_cp.cli.many import Many, run_and_exit
from binairo_cp.cli.options import cells_of
from binairo_cp.commands import requests
from binairo_cp.commands.requests import AnalysisRequest
from binairo_cp.features.feature import options_of

AnAnalysis = TypeVar("AnAnalysis", bound=AnalysisRequest)


def commands() -> Iterator[Command]:
    """The commands, in the order of `requests.TASKS`."""
    for name, request_type in requests.TASKS.items():
        if issubclass(request_type, AnalysisRequest):
            yield _command(name, request_type)


def _command(name: str, request_type: type[AnalysisRequest]) -> Command:
    # The request comes first: --symbols of hint and explain is for what they show.
    def command(request: AnalysisRequest, many: Many) -> None:
        from binairo_cp.commands.tasks import task_of

        check_time_limit(many.time_limit)
        run_and_exit(task_of(_with_boards(request), many.time_limit), many, request.rules)

    command.__name__ = name
    command.__doc__ = "\n".join([f"{request_type.__doc__}\n", *request_type.EXAMPLES])
    command.__annotations__["request"] = request_type
    return command


def _with_boards(request: AnAnalysis) -> AnAnalysis:
    """The request, with the boards in the files that its options name."""
    given = {
        field.name: cells_of(value, f"--{field.name}")
        for field in options_of(type(request))
        if field.option.is_board and (value := getattr(request, field.name))
    }
    return replace(request, **given)
