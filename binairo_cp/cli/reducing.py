"""clues, fewest and repair: which clues a puzzle needs."""

from __future__ import annotations

from dataclasses import replace

from binairo_cp.cli.many import Many
from binairo_cp.cli.options import cells_of
from binairo_cp.cli.reasoning import run_request
from binairo_cp.commands.requests import CluesRequest, FewestRequest, RepairRequest


def clues(many: Many, request: CluesRequest) -> None:
    """Find redundant clues, alone and together; with several solutions, cells that would help.

    [bold]binairo clues puzzle.txt[/]
    [bold]binairo clues puzzles.line --limit 1 --output line[/]: an irreducible puzzle of each
    """
    run_request(request, many)


def fewest(many: Many, request: FewestRequest) -> None:
    """Find the fewest clues that keep the solution unique, of a puzzle or a full board.

    [bold]binairo fewest solved.txt[/]
    [bold]binairo fewest puzzle.txt --all-cells --time-limit 600[/]
    """
    run_request(request, many)


def repair(many: Many, request: RepairRequest) -> None:
    """Make a puzzle unique: add the fewest cells or, if it has no solution, drop the fewest clues.

    [bold]binairo repair puzzle.txt[/]
    [bold]binairo repair puzzles.line --output line[/]: the repaired puzzles
    """
    solution = request.solution and cells_of(request.solution, "--solution")
    run_request(replace(request, solution=solution), many)
