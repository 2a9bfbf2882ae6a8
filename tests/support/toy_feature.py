"""A feature in one file, as CONTRIBUTING.md has a recipe for. `toys` imports it."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from binairo_cp.features.feature import Option, feature
from binairo_cp.features.options import OnePuzzle, RulesOption
from binairo_cp.features.steps import GRADE


def _find(subject: Any, *, pieces: int) -> Any:
    return GRADE.find(subject) if 0 < pieces < 10 else None


@feature(
    verb="check",
    title="A toy request",
    examples=("[bold]binairo toy puzzle.txt[/]",),
    analysis=replace(GRADE, name="toy", find=_find),
)
def toy(
    puzzle: OnePuzzle,
    *,
    rules: RulesOption = None,
    pieces: Annotated[int, Option("How many toy pieces.", least=1, most=9)] = 3,
) -> int:
    """Play with puzzles."""
    return pieces
