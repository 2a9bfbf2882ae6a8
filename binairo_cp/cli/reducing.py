"""The commands clues, fewest and repair."""

from __future__ import annotations

from dataclasses import replace

from binairo_cp.cli.many import Many
from binairo_cp.cli.options import cells_of
from binairo_cp.cli.reasoning import run_request
from binairo_cp.commands.requests import CluesRequest, FewestRequest, RepairRequest


def clues(many: Many, request: CluesRequest) -> None:
    """Find redundant clues. For puzzles with several solutions, find cells that would help.

    [bold]binairo clues puzzle.txt[/]
    [bold]binairo clues puzzles.line --limit 1 --to line[/]: one irreducible puzzle each
    """
    run_request(request, many)


def fewest(many: Many, request: FewestRequest) -> None:
    """Find the smallest set of clues with a unique solution, for a puzzle or a full board.

    [bold]binairo fewest solved.txt[/]
    [bold]binairo fewest puzzle.txt --all-cells --time-limit 600[/]
    """
    run_request(request, many)


def repair(many: Many, request: RepairRequest) -> None:
    """Make puzzles unique: add the fewest clues or, if there is no solution, drop the fewest.

    [bold]binairo repair puzzle.txt[/]
    [bold]binairo repair puzzles.line --to line[/]: the repaired puzzles
    """
    solution = request.solution and cells_of(request.solution, "--solution")
    run_request(replace(request, solution=solution), many)
