"""The warm-up: workers load, or compile, what requests need.

On a fresh machine compiling takes minutes, for which no request has the time. It is done in small
steps: machine code is kept as soon as it is compiled, so a step that runs out of time gets further
when it is tried again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from time import monotonic
from typing import Literal, NamedTuple

from binairo_cp.batch.explanations import GradeAddition
from binairo_cp.batch.tasks import Task
from binairo_cp.errors import BinairoError
from binairo_cp.service import files, making, work
from binairo_cp.service.bodies import GENERATE
from binairo_cp.service.files import Bounds
from binairo_cp.service.state import State
from binairo_cp.service.work import Given

PATIENCE = 120.0
"""Seconds for the first attempt at a step; each further attempt gets twice as long."""

MOST_ATTEMPTS = 5
_MOST_PATIENCE = 3_600.0
_MOST_PAUSE = 60.0
"""Seconds between two attempts at most."""

_CANARY = Given(("6x6u:CafBAdEAcDaf",), "unruly", None, 1, 255)
_LOG = logging.getLogger("binairo.service")


class Step(NamedTuple):
    """One thing to load.

    Attributes:
        name: for the log and ``/readyz``.
        work: does it in a worker, within some seconds; raises an error if it can't.
        lane: whose worker.
        is_needed: the server is of no use without it.
    """

    name: str
    work: Callable[[float, Given], None]
    lane: Literal["fast", "general"] = "general"
    is_needed: bool = False


def _decided(task: Task, seconds: float, given: Given) -> None:
    (told,) = work.decide_given(task, seconds, None, given) or []
    if told.kind or told.verdict != "unique":
        raise BinairoError(told.message or f"the verdict is {told.verdict}; expected unique")


def _certified(seconds: float, given: Given) -> None:
    made = files.make_each(files.certified, "", Bounds(seconds, 1 << 20), given)
    if isinstance(made, list):
        raise BinairoError(made[0].message)


def _generated(grade: Literal["any", "easy"], seconds: float, _: Given) -> None:
    making.made(seconds, GENERATE.model_validate({"size": 8, "grade": grade, "seed": 1}).order())


STEPS: Sequence[Step] = (
    Step("check small puzzles", partial(_decided, Task("check")), "fast", is_needed=True),
    Step("check", partial(_decided, Task("check")), is_needed=True),
    Step("certify", _certified),
    Step("grade", partial(_decided, Task("check", additions=(GradeAddition(),)))),
    Step("generate", partial(_generated, "any")),
    Step("generate by grade", partial(_generated, "easy")),
)


async def warm(
    state: State,
    steps: Sequence[Step] = STEPS,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Do all steps; then the server is ready.

    A step that fails is tried again, with more time. One that fails again and again is given up, so
    that the server answers what it can; but never one that is needed.
    """
    for number, step in enumerate(steps, 1):
        await _do(state, step, f"step {number} of {len(steps)}, {step.name}", sleep)
    state.warming = ""
    state.is_ready = True
    _LOG.info("ready", extra={"failed": state.failed_steps} if state.failed_steps else None)


async def _do(
    state: State, step: Step, where: str, sleep: Callable[[float], Awaitable[None]]
) -> None:
    seconds, attempt = PATIENCE, 1
    state.warming = where
    while True:
        began = monotonic()
        try:
            lane = state.fast if step.lane == "fast" else state.general
            await lane.run(partial(step.work, seconds), _CANARY, seconds)
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
        else:
            taken = round(monotonic() - began, 3)
            _LOG.info("warmed up", extra={"step": step.name, "seconds": taken})
            return
        is_last = attempt >= MOST_ATTEMPTS and not step.is_needed
        extra = {"step": step.name, "attempt": attempt, "reason": told, "given_up": is_last}
        _LOG.log(logging.ERROR if is_last else logging.WARNING, "warm-up failed", extra=extra)
        if is_last:
            state.failed_steps.append(f"{step.name}: {told}")
            return
        state.warming = f"{where}, attempt {attempt} failed: {told}"
        await sleep(min(2.0**attempt, _MOST_PAUSE))
        attempt += 1
        seconds = min(2 * seconds, _MOST_PATIENCE)
