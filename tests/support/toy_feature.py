"""A feature in one file, as CONTRIBUTING.md has a recipe for. `toys` imports it."""

from __future__ import annotations

from typing import Annotated

from binairo_cp.batch.analyses import Analysis, Subject
from binairo_cp.features.feature import Option, feature
from binairo_cp.features.options import OnePuzzle, RulesOption, TimeLimit
from binairo_cp.features.search import answer


def _find(subject: Subject, *, pieces: int) -> int | None:
    return pieces * subject.puzzle.board.width if subject.outcome.solutions else None


@feature(
    verb="check",
    title="A toy request",
    examples=("[bold]binairo toy puzzle.txt[/]",),
    analysis=Analysis("toy", _find, record="toys", columns=("toys",)),
)
def toy(
    puzzle: OnePuzzle,
    *,
    rules: RulesOption = None,
    pieces: Annotated[int, Option("How many toy pieces.", least=1, most=9)] = 3,
    time_limit: TimeLimit = None,
) -> int:
    """Play with puzzles."""
    return answer(toy, locals())
