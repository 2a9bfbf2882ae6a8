"""The record of a puzzle: where it comes from and what was found out, or which error occurred."""

from __future__ import annotations

import traceback
from typing import Any, Literal

from binairo_cp.errors import (
    BackendError,
    BinairoError,
    FormatError,
    SolverCrash,
    SolverMemory,
    SourceError,
)
from binairo_cp.formats import Entry
from binairo_cp.formats.schema import ErrorRecord, Finding, ResultRecord, stated
from binairo_cp.solving.solutions import Verdict
from binairo_cp.workers import extras

_PUZZLE_FOLLOWS = "; its puzzle was"


def record(entry: Entry, finding: Finding, error: ErrorRecord | None = None) -> ResultRecord:
    """The record of an entry and what was found out about it."""
    origin: dict[str, Any] = {"id": entry.id or "", "source": entry.source, "line": entry.line}
    if entry.puzzle:
        board = entry.puzzle.board
        origin |= {"height": board.height, "width": board.width, "clues": board.cells}
        origin["signs"] = [tuple(sign) for sign in entry.puzzle.signs] or None
    return ResultRecord.model_validate(origin | dict(finding) | {"error": error})


def invalid(entry: Entry) -> ResultRecord:
    """The record of an entry without a puzzle."""
    return failed(entry, entry.error or BinairoError("no puzzle"), Verdict.INVALID)


def failed(
    entry: Entry, error: Exception, verdict: Literal[Verdict.INVALID, Verdict.UNKNOWN] | None = None
) -> ResultRecord:
    """The record of a puzzle that could not be decided, with the error."""
    line = column = None
    if isinstance(error, ImportError):
        error = BackendError(extras.explain_import_error(error))
    message = str(error)
    if isinstance(error, FormatError | SourceError):
        message = error.without_place
    if isinstance(error, FormatError):
        line, column = error.line, error.column
    if isinstance(error, MemoryError):
        error = SolverMemory("there was no memory for it")
    if isinstance(error, SolverCrash):
        message = f"{error}{_PUZZLE_FOLLOWS}\n{entry.puzzle}"
    kind = "internal"
    if isinstance(error, BinairoError):
        kind = error.kind
    else:
        message = "".join(traceback.format_exception_only(error)).strip()
    error_record = ErrorRecord(kind=kind, message=message, line=line, column=column)
    rules = stated(entry.puzzle) if entry.puzzle else None
    finding = Finding(rules=rules, verdict=verdict or Verdict.UNKNOWN)
    return record(entry, finding, error_record)


def without_puzzle(message: str) -> str:
    """The message of an error, without the puzzle that `failed` adds for a crash."""
    return message.partition(_PUZZLE_FOLLOWS)[0]
