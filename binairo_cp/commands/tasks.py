"""Requests about puzzles as tasks of the batch."""

from __future__ import annotations

from binairo_cp.batch.reasoning import Logic
from binairo_cp.batch.studies import Study
from binairo_cp.batch.tasks import Task
from binairo_cp.commands.requests import (
    CheckRequest,
    CluesRequest,
    CountRequest,
    ExplainRequest,
    FewestRequest,
    GradeRequest,
    HintRequest,
    PuzzleRequest,
    RepairRequest,
    SearchRequest,
    SolveRequest,
)
from binairo_cp.solving.solutions import Reasons, Verb


def task_of(
    request: PuzzleRequest, time_limit: float | None = None, reasons: Reasons | None = None
) -> Task:
    """What is to be done with each puzzle of a request.

    Args:
        request: the request.
        time_limit: in seconds for each puzzle; None for no bound.
        reasons: which contradicting clues `check` looks for if the request does not say it.
    """
    match request:
        case SearchRequest():
            return _search(request, time_limit, reasons)
        case HintRequest():
            logic = Logic("hint", request.board)
        case ExplainRequest():
            logic = Logic("explain", request.board)
        case GradeRequest():
            logic = Logic("grade")
        case _:
            # A puzzle without a solution is not explained where clues are asked about.
            return Task("check", time_limit=time_limit, reasons="none", study=_study(request))
    return Task("check", time_limit=time_limit, reasons=reasons, logic=logic)


def _search(request: SearchRequest, time_limit: float | None, reasons: Reasons | None) -> Task:
    verb: Verb = "check"
    limit: int | None = None
    backbone = False
    match request:
        case SolveRequest():
            verb, limit = "solve", request.limit
        case CountRequest():
            verb, limit = "count", request.limit
        case CheckRequest():
            limit, backbone = request.limit, request.backbone
            reasons = request.reasons or reasons
    return Task(
        verb,
        request.backend,
        request.cross_check,
        limit,
        time_limit,
        both_readings=request.rules == "both",
        backbone=backbone,
        reasons=reasons,
    )


def _study(request: PuzzleRequest) -> Study:
    match request:
        case CluesRequest():
            return Study("clues", limit=request.limit)
        case FewestRequest():
            return Study("fewest", request.all_cells)
        case RepairRequest():
            return Study("repair", solution=request.solution)
    raise TypeError(f"{type(request).__name__} has no task")
