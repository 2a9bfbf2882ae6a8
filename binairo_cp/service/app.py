"""Create the FastAPI app: state, middleware and routes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version

from fastapi import FastAPI, Request, Response
from fastapi.middleware.cors import CORSMiddleware
from fastapi.routing import APIRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from binairo_cp.service import (
    health,
    making_routes,
    metrics,
    openapi,
    page,
    problems,
    puzzle_routes,
)
from binairo_cp.service.addresses import AllowedSites, ProxyHeaders
from binairo_cp.service.app_state import AppState, Settings
from binairo_cp.service.bodies import TASKS, TaskBody
from binairo_cp.service.jobs import routes
from binairo_cp.service.middleware import AccessControl, RequestContext

_EXPOSED = [
    "Binairo-Version",
    "Link",
    "Location",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "X-Request-ID",
    "X-Time-Limit",
]


def create_app(settings: Settings) -> FastAPI:
    """The service as an ASGI app. Its lifespan starts and stops the workers."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await state.open()
        tasks = [
            asyncio.create_task(each)
            for each in (health.become_ready(state), state.metrics.keep_pool_updated())
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await state.close()

    state = AppState(settings)
    app = _App(
        title="binairo",
        version=version("binairo-cp"),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=lambda route: route.name,  # such as check
    )
    app.state.binairo = state
    problems.install(app)
    openapi.install(app, needs_key=state.keys is not None)
    for name, model in TASKS.items():
        _add_task_route(app, name, model)
    # In the order of the OpenAPI specification.
    for each in (puzzle_routes, making_routes, routes, health, metrics):
        app.include_router(each.router)
    page.install(app, embed_origins=page.parse_embed_origins(settings.embed_origins))
    page.install_api_docs(app)
    app.entrance = _entrance(app, state)
    return app


class _App(FastAPI):
    """An app whose `entrance` sees requests first. FastAPI gets what it leaves."""

    entrance: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"] = self
        await self.entrance(scope, receive, send)


def _entrance(app: FastAPI, state: AppState) -> ASGIApp:
    """The app with its middleware, from the innermost to the outermost."""
    served: ASGIApp = AccessControl(partial(FastAPI.__call__, app), state, _posts(app))
    if state.origins:
        served = CORSMiddleware(
            served,
            allow_origins=list(state.origins),
            allow_methods=["GET", "HEAD", "POST", "DELETE"],
            allow_headers=["*"],
            expose_headers=_EXPOSED,
        )
    served = AllowedSites(served, state.hosts, state.origins)
    if state.proxies.texts or state.root_path:
        served = ProxyHeaders(served, state.proxies, state.root_path)
    return RequestContext(served, state)


def _posts(app: FastAPI) -> dict[str, APIRoute]:
    """The routes that take a body, by their paths, which are fixed."""
    every = (*app.routes, *puzzle_routes.router.routes, *making_routes.router.routes)
    routes = (each for each in every if isinstance(each, APIRoute))
    return {each.path: each for each in routes if each.methods == {"POST"}}


def _add_task_route(app: FastAPI, name: str, model: type[TaskBody]) -> None:
    async def endpoint(request: Request) -> Response:
        return await puzzle_routes.answer(request, model)

    app.post(
        f"/v1/{name}",
        name=name,
        **openapi.route(
            openapi.RESULTS,
            openapi.WORKING,
            summary=model.__doc__,
            body=openapi.request_body(model),
        ),
    )(endpoint)
