"""The app: its routes, in the order in which people read of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI, Request, Response
from fastapi.middleware.cors import CORSMiddleware

from binairo_cp.service import (
    answering,
    exchanging,
    health,
    making,
    metrics,
    openapi,
    page,
    problems,
    warming,
)
from binairo_cp.service.access import Access
from binairo_cp.service.allowed_sites import Sites
from binairo_cp.service.bodies import TASKS, TaskBody
from binairo_cp.service.jobs import routes
from binairo_cp.service.middleware import Front
from binairo_cp.service.proxies import Proxies
from binairo_cp.service.state import Settings, State


def create_app(settings: Settings) -> FastAPI:
    """The service as an ASGI app; its workers live as long as its lifespan."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await state.open()
        warm_up = asyncio.create_task(warming.warm(state))
        try:
            yield
        finally:
            warm_up.cancel()
            await state.close()

    state = State(settings)
    app = FastAPI(
        title="binairo",
        version=version("binairo-cp"),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.binairo = state
    _add_middleware(app, state)
    problems.install(app)
    openapi.install(app)
    for word, model in TASKS.items():
        _add_task(app, word, model)
    for each in (making, exchanging, routes, health, metrics):
        app.include_router(each.router)
    page.install(app)
    return app


def _add_middleware(app: FastAPI, state: State) -> None:
    """From the innermost to the outermost."""
    app.add_middleware(Access, state=state)
    if state.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(state.origins),
            allow_methods=["GET", "HEAD", "POST", "DELETE"],
            allow_headers=["*"],
            expose_headers=["Location", "Retry-After", "X-Request-ID", "X-Time-Limit"],
        )
    app.add_middleware(Sites, hosts=state.hosts, origins=state.origins)
    app.add_middleware(Proxies, trusted=state.proxies, root_path=state.root_path)
    app.add_middleware(Front, state=state)


def _add_task(app: FastAPI, word: str, model: type[TaskBody]) -> None:
    async def ask(request: Request) -> Response:
        return await answering.answer(request, model)

    app.post(
        f"/v1/{word}",
        name=word,
        summary=model.__doc__,
        response_class=Response,
        responses=openapi.RESULTS,
        openapi_extra=openapi.takes(model),
    )(ask)
