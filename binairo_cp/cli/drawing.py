"""The option --draw: an answer drawn over the picture that the puzzle was read from."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import binairo_cp as bn
from binairo_cp.cli.options import refusing
from binairo_cp.errors import BudgetExceeded, PuzzleError, SourceError
from binairo_cp.formats.output_files import open_binary_output, refuse_collisions
from binairo_cp.formats.pictures import reading
from binairo_cp.formats.unpacking import is_picture
from binairo_cp.puzzle.board import OPEN, Cell

if TYPE_CHECKING:
    from binairo_cp.formats.pictures.reading import Reading


def draw_solution(
    sources: list[str] | None, out: str, options: dict[str, Any], time_limit: float
) -> None:
    """Write a picture with the solution of its puzzle, if one is found.

    Raises:
        typer.BadParameter: the source is not one picture.
        SourceError: the file can't be written.
    """
    picture = _read(sources, out)
    puzzle = json.dumps(picture.record())
    found = bn.solve(puzzle, rules=options["rules"], time_limit=time_limit)
    if found.solution is None:
        _not_drawn(out, "no solution is known")
        return
    known = picture.board(entries=True)
    cells = found.solution.clues()
    _write(
        out, picture, {at: value for at, value in cells if known[found.solution.place(at)] == OPEN}
    )


def draw_hint(
    sources: list[str] | None, out: str, options: dict[str, Any], time_limit: float
) -> dict[str, Any]:
    """Write a picture with the next step after the entries of the player, or with a mistake.

    Returns:
        The options of hint, with the board of the picture unless there is another.

    Raises:
        typer.BadParameter: the source is not one picture.
        SourceError: the file can't be written.
    """
    picture = _read(sources, out)
    options = options | {"board": options["board"] or picture.board(entries=True)}
    try:
        found = bn.hint(json.dumps(picture.record()), time_limit=time_limit, **options)
    except (PuzzleError, BudgetExceeded) as error:
        _not_drawn(out, str(error))
        return options
    if found.step:
        _write(out, picture, found.step.values, found.step.reason)
    else:
        _write(out, picture, {}, found.mistake.cells if found.mistake else ())
    return options


def _not_drawn(out: str, reason: str) -> None:
    logging.getLogger(__name__).warning("binairo: %s: not drawn, since %s", out, reason)


def _read(sources: list[str] | None, out: str) -> Reading:
    """The one picture among the sources, which must not be the output."""
    name = sources[0] if sources and len(sources) == 1 else ""
    if not Path(name).is_file():
        raise typer.BadParameter("needs one source, the file of a picture", param_hint="--draw")
    refuse_collisions([name], None, {"draw": out})
    data = Path(name).read_bytes()
    if not is_picture(data):
        raise typer.BadParameter(f"needs a picture, but {name} is none", param_hint="--draw")
    with refusing("--draw", SourceError):
        return reading.read(data, name)


def _write(
    out: str, picture: Reading, values: dict[Cell, str], reason: tuple[Cell, ...] | None = None
) -> None:
    """Write the picture with new values; those of a hint, and their reason, are framed."""
    # Imported here, because it needs numpy and Pillow.
    from binairo_cp.formats.pictures.drawing import drawn

    with open_binary_output(out) as write:
        write(drawn(picture, values, reason=reason or (), framed=reason is not None))
