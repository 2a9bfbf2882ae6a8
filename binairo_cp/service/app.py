"""Create the FastAPI app: state, middleware and routes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI, Request, Response
from fastapi.middleware.cors import CORSMiddleware

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
from binairo_cp.service.middleware import AccessControl, Compression, RequestContext

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
    app = FastAPI(
        title="binairo",
        version=version("binairo-cp"),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=openapi.operation_id,
    )
    app.state.binairo = state
    _add_middleware(app, state)
    problems.install(app)
    openapi.install(app, needs_key=state.keys is not None)
    for name, model in TASKS.items():
        _add_task_route(app, name, model)
    # In the order of the OpenAPI specification.
    for each in (puzzle_routes, making_routes, routes, health, metrics):
        app.include_router(each.router)
    page.install(app, embed_origins=page.parse_embed_origins(settings.embed_origins))
    page.install_api_docs(app)
    return app


def _add_middleware(app: FastAPI, state: AppState) -> None:
    """Add the middleware, from the innermost to the outermost."""
    app.add_middleware(Compression)
    app.add_middleware(AccessControl, state=state)
    if state.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(state.origins),
            allow_methods=["GET", "HEAD", "POST", "DELETE"],
            allow_headers=["*"],
            expose_headers=_EXPOSED,
        )
    app.add_middleware(AllowedSites, hosts=state.hosts, origins=state.origins)
    app.add_middleware(ProxyHeaders, trusted=state.proxies, root_path=state.root_path)
    app.add_middleware(RequestContext, state=state)


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
