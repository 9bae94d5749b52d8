"""How is a service asked over HTTP? By an ASGI app, which any server can run.

uvicorn.run(create_app(Service.open("data")))
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from eligo._version import __version__
from eligo.errors import EligoError
from eligo.service.delivery.deliverer import Deliverer, DeliveryOptions
from eligo.service.http.answers import problem_response
from eligo.service.http.asking import Asking
from eligo.service.http.call import call_of
from eligo.service.http.description import components, problem_responses
from eligo.service.http.front import Front
from eligo.service.http.problems import HttpProblem, unforeseen
from eligo.service.http.routes import (
    bulk,
    documents,
    explaining,
    expressions,
    follow,
    matching,
    publish,
    ranking,
    running,
    subscriptions,
)
from eligo.service.http.settings import HttpSettings
from eligo.service.http.watching.decisions import Decisions
from eligo.service.http.watching.metrics import ServiceCollector, metrics_text, registry_of
from eligo.service.http.workers import Workers
from eligo.service.page import routes as page
from eligo.service.service import Service

ABOUT = "Which of my millions of Boolean expressions does this event satisfy?"

OWN_ROUTERS: tuple[Callable[[Asking], APIRouter], ...] = (
    matching.router,
    ranking.router,
    explaining.router,
    bulk.router,
    expressions.router,
    documents.router,
    running.router,
    page.router,
)
"""Routes that ask the service, those of the page included."""
OTHER_ROUTERS: tuple[Callable[[Callable[[Request], Service]], APIRouter], ...] = (
    publish.router,
    subscriptions.router,
    follow.router,
)
"""Routes of delivery and followers."""


def create_app(
    service: Service, settings: HttpSettings | None = None, delivery: DeliveryOptions | None = None
) -> Front:
    """The app of a service; it delivers while it runs, and does not close the service."""
    known = settings or HttpSettings()
    deliverer = Deliverer(service, delivery)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        await deliverer.start()
        try:
            yield {}
        finally:
            await deliverer.stop()
            front.close()
            workers.close()
            if decisions is not None:
                decisions.close()

    inner = FastAPI(
        title="Eligo",
        summary=ABOUT,
        version=__version__,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    workers = Workers(known.num_workers)
    decisions = None if known.decisions is None else Decisions(known.decisions, service)
    front = Front(service, known, inner, decisions, deliverer.end_streams, lambda: inner.openapi())

    def num_calls() -> tuple[int, int]:
        return front.admission.num_calls, front.admission.num_lasting

    registries = [
        registry_of(ServiceCollector(service, front.figures, num_calls, names_subscriptions=names, decisions=decisions))
        for names in (False, True)
    ]
    asking = Asking(service, known, workers, lambda names: metrics_text(registries[names]), decisions)
    for router in OWN_ROUTERS:
        inner.include_router(router(asking))
    for other in OTHER_ROUTERS:
        inner.include_router(other(lambda request: service))
    inner.state.deliverer = deliverer
    _describe(inner)
    _answer_errors(inner)
    return front


def _answer_errors(app: FastAPI) -> None:
    """Have every error answered with a problem."""

    async def ours(request: Request, error: Exception) -> Response:
        assert isinstance(error, EligoError)
        return problem_response(error, call_of(request).request_id)

    async def starlettes(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        told = HttpProblem(error.status_code, _said(request, error), headers=dict(error.headers or ()))
        return problem_response(told, call_of(request).request_id)

    async def parameters(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        told = HttpProblem(422, f"{place}: {first['msg']}", name="parameter")
        return problem_response(told, call_of(request).request_id)

    async def foreign(request: Request, error: Exception) -> Response:
        return problem_response(unforeseen(), call_of(request).request_id)

    app.add_exception_handler(Exception, foreign)
    app.add_exception_handler(EligoError, ours)
    app.add_exception_handler(HTTPException, starlettes)
    app.add_exception_handler(RequestValidationError, parameters)


def _said(request: Request, error: HTTPException) -> str:
    if error.status_code == 404:
        return f"there is nothing at {request.url.path[:200]!r}"
    if error.status_code == 405:
        return f"{request.method} does nothing at {request.url.path[:200]!r}"
    return str(error.detail)


def _describe(app: FastAPI) -> None:
    """Have `/openapi.json` say what bodies and answers are."""
    made = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = made()
            schemas = schema.setdefault("components", {}).setdefault("schemas", {})
            schemas |= components()
            for path in schema["paths"].values():
                for operation in path.values():
                    operation["responses"] = {**operation["responses"], **problem_responses()}
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]
