"""How is a document published? `POST /publish`, as JSON or as a CloudEvent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from eligo.errors import EligoError
from eligo.service.http.asking import TENANT_QUERY
from eligo.service.http.bodies import read_body
from eligo.service.http.call import allowed_tenant
from eligo.service.http.delivering.cloud_events import BATCH, STRUCTURED, media_type, publications
from eligo.service.http.delivering.delivery_requests import answer, bound_tenant
from eligo.service.http.delivering.subscription_messages import BatchAnswer, BatchResult, PublishAnswer
from eligo.service.http.description import REFERENCE, described
from eligo.service.http.problems import HttpProblem, problem
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

    @routes.post("/publish", **_description())
    async def publish(request: Request, tenant: Annotated[str | None, TENANT_QUERY] = None) -> Response:
        """Match a document with all subscriptions, put it into the base by its rules, and have it delivered."""
        service = service_of(request)
        known = allowed_tenant(bound_tenant(request), tenant)
        is_batch = media_type(request.headers.get("content-type", "")) == BATCH
        body = await read_body(request, MOST_BATCH_BYTES if is_batch else MOST_BYTES)
        given = publications(body, [(name.lower(), value) for name, value in request.headers.items()], known)
        if is_batch:
            results = await _batch(service, given)
            return answer(BatchAnswer(results, service.seq, service.version))
        [record] = given
        if isinstance(record, EligoError):
            raise record
        return answer(_told(service, await service.submit_in_loop(record)))

    return routes


async def _batch(service: Service, given: list[Publish | EligoError]) -> list[BatchResult]:
    """What became of each event; one that is wrong holds up none of the others."""
    if len(given) > MOST_EVENTS:
        raise HttpProblem(413, f"a batch has at most {MOST_EVENTS:,} events", help="send several", name="too-large")
    outcomes = iter(await service.submit_many_in_loop([each for each in given if isinstance(each, Publish)]))
    results: list[BatchResult] = []
    for each in given:
        became = each if isinstance(each, EligoError) else next(outcomes)
        if isinstance(became, EligoError):
            results.append(BatchResult(error=problem(became)))
        else:
            found = _publication(became)
            results.append(BatchResult(found.seq, found.document, found.num_subscriptions, found.is_duplicate))
    return results


def _told(service: Service, outcome: Outcome) -> PublishAnswer:
    found = _publication(outcome)
    return PublishAnswer(found.seq, service.version, found.document, found.num_subscriptions, found.is_duplicate)


def _publication(outcome: Outcome) -> Publication:
    assert isinstance(outcome.result, Publication)
    return outcome.result


def _description() -> dict[str, Any]:
    """The route for OpenAPI: three forms of body, two of answer."""
    found = described(PublishAnswer)
    answers = found["openapi_extra"]["responses"][200]["content"]["application/json"]
    answers["schema"] = {"anyOf": [answers["schema"], {"$ref": REFERENCE.format(name=BatchAnswer.__name__)}]}
    found["openapi_extra"]["requestBody"] = {"required": True, "content": _BODIES}
    return found
