"""Warm up the workers: load, or compile, the code that requests need.

On a new machine the code is compiled, which can take longer than the time limit of a request. So
the warm-up is done in small steps, several at a time. Compiled functions are cached at once, so a
step that runs out of time gets further in the next attempt. Meanwhile the server answers requests:
puzzles are decided by clause learning.
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
from binairo_cp.commands.requests import CertifyRequest
from binairo_cp.errors import BinairoError
from binairo_cp.service import deciding, files, generate_route
from binairo_cp.service.app_state import AppState
from binairo_cp.service.bodies import GENERATE
from binairo_cp.service.deciding import RawPuzzles
from binairo_cp.service.files import Bounds

FIRST_TIME_LIMIT = 120.0
"""Time limit for the first attempt at a step, in seconds. It doubles with each further attempt."""

MAX_ATTEMPTS = 5
_MAX_TIME_LIMIT = 3_600.0
_MAX_PAUSE = 60.0
"""Maximum number of seconds between two attempts."""

_CANARY = RawPuzzles(("6x6u:CafBAdEAcDaf",), "unruly", None, 1, 255)
_LOG = logging.getLogger("binairo.service")


class Step(NamedTuple):
    """A step of the warm-up.

    Attributes:
        name: the name in the log and in the response of ``/readyz``.
        function: runs in a worker. It takes a time limit and a puzzle, and raises an error if the
            step fails.
        pool: the pool of the worker.
        is_required: the server is useless without this step.
    """

    name: str
    function: Callable[[float, RawPuzzles], None]
    pool: Literal["fast", "general"] = "general"
    is_required: bool = False


def _decide(task: Task, seconds: float, puzzles: RawPuzzles) -> None:
    (result,) = deciding.decide_raw(task, seconds, None, puzzles) or []
    if result.kind or result.verdict != "unique":
        raise BinairoError(result.message or f"the verdict is {result.verdict}; expected unique")


def _certify(seconds: float, puzzles: RawPuzzles) -> None:
    file = files.make_each(
        partial(files.certify_puzzle, CertifyRequest()), "", Bounds(seconds, 1 << 20), puzzles
    )
    if isinstance(file, list):
        raise BinairoError(file[0].message)


def _generate(grade: Literal["any", "easy"], seconds: float, _: RawPuzzles) -> None:
    body = GENERATE.model_validate({"size": 8, "grade": grade, "seed": 1})
    generate_route.generate_records(seconds, body.order())


STEPS: Sequence[Step] = (
    Step("check small puzzles", partial(_decide, Task("check")), "fast", is_required=True),
    Step("check", partial(_decide, Task("check")), is_required=True),
    Step("generate by grade", partial(_generate, "easy")),
    Step("certify", _certify),
    Step("generate", partial(_generate, "any")),
    Step("grade", partial(_decide, Task("check", additions=(GradeAddition(),)))),
)
"""The longest of the steps that run in parallel come first."""


async def warm(
    state: AppState,
    steps: Sequence[Step] = STEPS,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Run all steps, then mark the server as ready.

    The required steps come first, one by one; then the others run in several workers. A step that
    fails is tried again, with more time. After `MAX_ATTEMPTS` failures it is skipped, so that the
    server can answer other requests. Required steps are never skipped.
    """
    named = [
        (step, f"step {number} of {len(steps)}, {step.name}")
        for number, step in enumerate(steps, 1)
    ]
    for step, description in named:
        if step.is_required:
            await _run(state, step, description, sleep)
    # Not more than there are workers, so that requests get their turn between the steps.
    turns = asyncio.Semaphore(state.limits.workers)

    async def run_in_turn(step: Step, description: str) -> None:
        async with turns:
            await _run(state, step, description, sleep)

    others = (each for each in named if not each[0].is_required)
    await asyncio.gather(*(run_in_turn(*each) for each in others))
    state.is_ready = True
    _LOG.info("ready", extra={"failed": state.failed_steps} if state.failed_steps else None)


async def _run(
    state: AppState, step: Step, description: str, sleep: Callable[[float], Awaitable[None]]
) -> None:
    seconds, attempt = FIRST_TIME_LIMIT, 1
    state.warming[step.name] = description
    while True:
        started = monotonic()
        try:
            pool = state.fast if step.pool == "fast" else state.general
            await pool.run(partial(step.function, seconds), _CANARY, seconds)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
        else:
            elapsed = round(monotonic() - started, 3)
            _LOG.info("warmed up", extra={"step": step.name, "seconds": elapsed})
            del state.warming[step.name]
            return
        is_last = attempt >= MAX_ATTEMPTS and not step.is_required
        extra = {"step": step.name, "attempt": attempt, "reason": reason, "given_up": is_last}
        _LOG.log(logging.ERROR if is_last else logging.WARNING, "warm-up failed", extra=extra)
        if is_last:
            state.failed_steps.append(f"{step.name}: {reason}")
            del state.warming[step.name]
            return
        state.warming[step.name] = f"{description}, attempt {attempt} failed: {reason}"
        await sleep(min(2.0**attempt, _MAX_PAUSE))
        attempt += 1
        seconds = min(2 * seconds, _MAX_TIME_LIMIT)
