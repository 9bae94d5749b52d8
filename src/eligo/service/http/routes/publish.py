"""How is a document published? `POST /publish`, as JSON or as a CloudEvent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from eligo.errors import EligoError
from eligo.service.http.call import allowed_tenant
from eligo.service.http.cloud_events import BATCH, STRUCTURED, media_type, publications
from eligo.service.http.delivery_requests import answer, body_bytes, bound_tenant
from eligo.service.http.problems import HttpProblem, problem
from eligo.service.http.subscription_messages import PublishAnswer
from eligo.service.records import Publish
from eligo.service.service import Service
from eligo.service.state.outcome import Outcome
from eligo.service.state.publications import Publication

MOST_BYTES = 1 << 20
"""Of one document."""
MOST_BATCH_BYTES = 16 << 20
MOST_EVENTS = 10_000
"""Of one batch."""

_EVENT_SCHEMA = {"type": "object"}
_CLOUD_EVENT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["id", "source", "specversion", "type", "data"],
    "properties": {
        "id": {"type": "string", "minLength": 1},
        "source": {"type": "string", "minLength": 1},
        "specversion": {"const": "1.0"},
        "type": {"type": "string", "minLength": 1},
        "data": {"type": "object"},
    },
}
_BODIES = {
    "application/json": {"schema": _EVENT_SCHEMA},
    STRUCTURED: {"schema": _CLOUD_EVENT_SCHEMA},
    BATCH: {"schema": {"type": "array", "items": _CLOUD_EVENT_SCHEMA, "maxItems": MOST_EVENTS}},
}


def router(service_of: Callable[[Request], Service]) -> APIRouter:
    """The route."""
    routes = APIRouter(tags=["publish and subscribe"])

    @routes.post(
        "/publish",
        operation_id="publish",
        summary="Publish a document",
        openapi_extra={"requestBody": {"required": True, "content": _BODIES}},
    )
    async def publish(request: Request) -> Response:
        """Match a document with all subscriptions, put it into the base by its rules, and have it delivered."""
        service = service_of(request)
        tenant = allowed_tenant(bound_tenant(request), request.query_params.get("tenant"))
        is_batch = media_type(request.headers.get("content-type", "")) == BATCH
        body = await body_bytes(request, MOST_BATCH_BYTES if is_batch else MOST_BYTES)
        given = publications(body, [(name.lower(), value) for name, value in request.headers.items()], tenant)
        if is_batch:
            return answer({"results": await _batch(service, given), **_stamps(service)})
        [record] = given
        if isinstance(record, EligoError):
            raise record
        return answer(_told(service, await service.submit_in_loop(record)))

    return routes


async def _batch(service: Service, given: list[Publish | EligoError]) -> list[Any]:
    """What became of each event; one that is wrong holds up none of the others."""
    if len(given) > MOST_EVENTS:
        raise HttpProblem(413, f"a batch has at most {MOST_EVENTS:,} events", help="send several", name="too-large")
    outcomes = iter(await service.submit_many_in_loop([each for each in given if isinstance(each, Publish)]))
    results: list[Any] = []
    for each in given:
        became = each if isinstance(each, EligoError) else next(outcomes)
        results.append({"error": problem(became)} if isinstance(became, EligoError) else _told(service, became))
    return results


def _told(service: Service, outcome: Outcome) -> PublishAnswer:
    assert isinstance(outcome.result, Publication)
    became = outcome.result
    return PublishAnswer(became.seq, service.version, became.document, became.num_subscriptions, became.is_duplicate)


def _stamps(service: Service) -> dict[str, int]:
    return {"seq": service.seq, "version": service.version}
