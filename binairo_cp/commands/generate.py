"""What to generate for a request."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from binairo_cp.commands.requests import BoardRequest, GenerateRequest
from binairo_cp.generation.puzzles import Recipe
from binairo_cp.generation.runs import GenerationSpec
from binairo_cp.puzzle.rules import PRESETS, Rules

if TYPE_CHECKING:
    from binairo_cp.deduction.techniques import Level

_CELLS_A_SIGN = 6


def spec_of(request: BoardRequest, *, graded: bool = False) -> GenerationSpec:
    """The specification for a request of puzzles or solved boards.

    Raises:
        LimitError: no puzzle can meet the request.
    """
    height, width = request.sides
    seed = str(draw_seed() if request.seed is None else request.seed)
    recipe = Recipe(height, width, rules_of(request), method=request.method)
    if not isinstance(request, GenerateRequest):
        return GenerationSpec(recipe, seed, request.count, request.distinct, boards=True)
    signs = request.signs
    if signs is None:
        signs = height * width // _CELLS_A_SIGN if request.rules in ("plus", "tango") else 0
    recipe = replace(
        recipe,
        level=None if request.grade == "any" else cast("Level", request.grade.replace("-", " ")),
        clues=request.clues,
        pattern=request.symmetry,
        signs=signs,
        irreducible=request.irreducible,
        tries=request.tries,
    )
    return GenerationSpec(recipe, seed, request.count, request.distinct, graded=graded)


def rules_of(request: BoardRequest) -> Rules:
    """The rules of the requested boards."""
    return replace(PRESETS[request.rules], odd=request.odd)


def draw_seed() -> int:
    """A random seed."""
    return secrets.randbelow(1 << 32)
