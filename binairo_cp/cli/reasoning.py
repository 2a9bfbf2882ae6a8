"""The commands hint, explain and grade."""

from __future__ import annotations

from dataclasses import replace

from binairo_cp.cli.deciding import check_time_limit
from binairo_cp.cli.many import Many, run_and_exit
from binairo_cp.cli.options import cells_of
from binairo_cp.commands.requests import (
    ExplainRequest,
    GradeRequest,
    HintRequest,
    PuzzleRequest,
)


def hint(many: Many, request: HintRequest) -> None:
    """Show the next logical step and the reason for it, or the first mistake on the board.

    [bold]binairo hint puzzle.txt[/]
    [bold]binairo hint puzzle.txt --board begun.txt[/]
    """
    run_request(replace(request, board=request.board and cells_of(request.board, "--board")), many)


def explain(many: Many, request: ExplainRequest) -> None:
    """Show every step to the solution, each with its reason.

    [bold]binairo explain puzzle.txt[/]
    [bold]binairo explain puzzle.txt --to ndjson[/]
    """
    run_request(replace(request, board=request.board and cells_of(request.board, "--board")), many)


def grade(many: Many, request: GradeRequest) -> None:
    """Grade the difficulty for people: beginner, easy, medium, hard, expert, beyond logic.

    [bold]binairo grade puzzles/[/]
    [bold]binairo grade puzzles.line --to ndjson --out graded.ndjson[/]
    """
    run_request(request, many)


def run_request(request: PuzzleRequest, many: Many) -> None:
    """Run a request on many puzzles."""
    from binairo_cp.commands.tasks import task_of

    check_time_limit(many.time_limit)
    run_and_exit(task_of(request, many.time_limit), many, request.rules)
