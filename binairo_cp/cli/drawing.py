"""The option --draw: an answer, or what was read, drawn over the picture of the puzzle."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import binairo_cp as bn
from binairo_cp.cli.options import refusing
from binairo_cp.errors import BudgetExceeded, PuzzleError, SourceError
from binairo_cp.formats.output_files import open_binary_output, refuse_collisions
from binairo_cp.formats.unpacking import picture_in
from binairo_cp.puzzle.board import OPEN
from binairo_cp.workers.extras import require_extra

if TYPE_CHECKING:
    from binairo_cp.formats.pictures.reading import Reading


def draw_reading(sources: list[str] | None, out: str) -> None:
    """Write a picture with what was read from it.

    Raises:
        typer.BadParameter: the source is not one picture of a board.
        SourceError: the file can't be written.
    """
    readings = _read(sources, out)
    _write(out, lambda drawing: drawing.marked(readings))


def draw_solution(
    sources: list[str] | None, out: str, options: dict[str, Any], time_limit: float
) -> None:
    """Write a picture with the solutions of its puzzles that are found.

    Raises:
        typer.BadParameter: the source is not one picture of a board.
        SourceError: the file can't be written.
    """
    answers = []
    for puzzle in _read(sources, out):
        if puzzle.unsure:
            _not_drawn(out, f"{_UNSURE}; binairo check --draw shows which")
            continue
        found = bn.solve(json.dumps(puzzle.record()), rules=options["rules"], time_limit=time_limit)
        if found.solution is None:
            _not_drawn(out, "no solution is known")
            continue
        known, solution = puzzle.board(entries=True), found.solution
        values = {at: value for at, value in solution.clues() if known[solution.place(at)] == OPEN}
        answers.append((puzzle, values))

    def draw(drawing: Any) -> Any:
        pixels = None
        for answer, values in answers:
            pixels = drawing.drawn(answer, values, on=pixels)
        return pixels

    if answers:
        _write(out, draw)


def draw_hint(
    sources: list[str] | None, out: str, options: dict[str, Any], time_limit: float
) -> dict[str, Any]:
    """Write a picture with the next step after the entries of the player, or with a mistake.

    Returns:
        The options of hint, with the board of the picture unless there is another.

    Raises:
        typer.BadParameter: the source is not a picture of one board.
        SourceError: the file can't be written.
    """
    picture, *others = _read(sources, out)
    if others:
        raise typer.BadParameter("needs a picture of one board", param_hint="--draw")
    if picture.unsure:
        _not_drawn(out, f"{_UNSURE}; binairo check --draw shows which")
        return options
    options = options | {"board": options["board"] or picture.board(entries=True)}
    try:
        found = bn.hint(json.dumps(picture.record()), time_limit=time_limit, **options)
    except (PuzzleError, BudgetExceeded) as error:
        _not_drawn(out, str(error))
        return options
    if found.step:
        values, reason = found.step.values, found.step.reason
    else:
        values, reason = {}, found.mistake.cells if found.mistake else ()
    _write(out, lambda drawing: drawing.drawn(picture, values, reason=reason, framed=True))
    return options


_UNSURE = "a cell or a sign can't be told for sure"


def _not_drawn(out: str, reason: str) -> None:
    logging.getLogger(__name__).warning("binairo: %s: not drawn, since %s", out, reason)


def _read(sources: list[str] | None, out: str) -> list[Reading]:
    """The boards of the one picture among the sources, which must not be the output."""
    name = sources[0] if sources and len(sources) == 1 else ""
    if not Path(name).is_file():
        raise typer.BadParameter("needs one source, the file of a picture", param_hint="--draw")
    refuse_collisions([name], None, {"draw": out})
    data = Path(name).read_bytes()
    if picture_in(data) != "pixels":
        raise typer.BadParameter(f"needs a picture, but {name} is none", param_hint="--draw")
    with refusing("--draw", SourceError):
        with require_extra("pictures", partial(SourceError, name)):
            from binairo_cp.formats.pictures import reading

        boards = reading.read(data, name)
        readings = [board for board in boards if not isinstance(board, SourceError)]
        if not readings and isinstance(boards[0], SourceError):
            raise boards[0]
    return readings


def _write(out: str, draw: Callable[[Any], Any]) -> None:
    # Imported here, because it needs numpy and Pillow.
    from binairo_cp.formats.pictures import drawing

    with open_binary_output(out) as write:
        write(drawing.png(draw(drawing)))
