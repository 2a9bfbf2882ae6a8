"""The task of the batch for each request about puzzles."""

from __future__ import annotations

from binairo_cp.batch.additions import Addition, BackboneAddition
from binairo_cp.batch.tasks import Task
from binairo_cp.commands.requests import (
    AnalysisRequest,
    CheckRequest,
    CountRequest,
    PuzzleRequest,
    SearchRequest,
    SolveRequest,
)
from binairo_cp.solving.solutions import Reasons, Verb


def task_of(
    request: PuzzleRequest, time_limit: float | None = None, reasons: Reasons | None = None
) -> Task:
    """The task for each puzzle of a request.

    Args:
        request: the request.
        time_limit: seconds per puzzle; None for no limit.
        reasons: which minimal conflict `check` looks for, if the request does not say.

    Raises:
        TypeError: result records do not answer such a request.
    """
    if isinstance(request, SearchRequest):
        return _search(request, time_limit, reasons)
    if not isinstance(request, AnalysisRequest):
        raise TypeError(f"{type(request).__name__} has no task")
    return Task(
        "check",
        time_limit=time_limit,
        reasons=reasons if request.EXPLAINS_CONFLICTS else "none",
        additions=(request.addition(),),
    )


def _search(request: SearchRequest, time_limit: float | None, reasons: Reasons | None) -> Task:
    verb: Verb = "check"
    limit: int | None = None
    additions: tuple[Addition, ...] = ()
    match request:
        case SolveRequest():
            verb, limit = "solve", request.limit
        case CountRequest():
            verb, limit = "count", request.limit
        case CheckRequest():
            limit = request.limit
            reasons = request.reasons or reasons
            if request.backbone:
                additions = (BackboneAddition(request.backend),)
    return Task(
        verb,
        request.backend,
        request.cross_check,
        limit,
        time_limit,
        both_readings=request.rules == "both",
        reasons=reasons,
        additions=additions,
    )
