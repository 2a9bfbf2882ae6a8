"""Certificates as an analysis of each puzzle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from binairo_cp.batch.analyses import Analysis, Subject
from binairo_cp.certificates.storing import Store
from binairo_cp.errors import SourceError
from binairo_cp.solving.solutions import Verdict


def certificates(store: Store) -> Analysis:
    """A certificate of each puzzle that was decided, written to a store."""
    # One search makes the proof and one checks it.
    return Analysis(
        "certify", _fields, {"store": store}, columns=("certificate",), searches=2, of_run=_of_run
    )


def _fields(subject: Subject, *, store: Store) -> dict[str, Any]:
    if subject.outcome.verdict is Verdict.UNKNOWN:
        return {}
    name = subject.entry.id or ""
    return {"certificate": store.add(subject.puzzle, subject.outcome, name, subject.seconds)}


def _of_run(is_single: bool, *, store: Store) -> dict[str, Any]:
    if not is_single and store.out.lower().endswith(".zip"):
        raise SourceError(store.out, "is one certificate for many puzzles; expected a folder")
    return {"store": replace(store, single=is_single and store.may_be_single)}
