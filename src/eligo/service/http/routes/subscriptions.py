"""How does a user subscribe? `PUT /subscriptions/{name}`; and then messages are pulled, streamed, or posted."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated

import msgspec
from fastapi import APIRouter, Header, Path, Query, Request
from starlette.responses import Response, StreamingResponse

from eligo.data.expressions.expression_source import read_expression
from eligo.errors import UnknownIdError
from eligo.service.delivery.definition_check import check_definition
from eligo.service.delivery.message_json import dead_letter_json, message_json
from eligo.service.delivery.streams import StreamPosition
from eligo.service.delivery.subscription import Incarnation
from eligo.service.delivery.webhooks.signature import new_secret
from eligo.service.delivery.writing import written
from eligo.service.http.call import allowed_tenant, call_of
from eligo.service.http.delivering.delivery_requests import (
    answer,
    bound_tenant,
    condition,
    deliverer_of,
    said,
    visible,
)
from eligo.service.http.delivering.subscription_messages import (
    AcknowledgeBody,
    CountAnswer,
    DeadLettersAnswer,
    MessagesAnswer,
    PullBody,
    PutSubscriptionAnswer,
    RefuseBody,
    ResendBody,
    StampedSubscriptionAnswer,
    SubscriptionAnswer,
    SubscriptionBody,
    SubscriptionsAnswer,
    WebhookBody,
    subscription_answer,
)
from eligo.service.http.description import described
from eligo.service.http.expression_check import checked_metadata, checked_tenant
from eligo.service.http.messages import WriteAnswer
from eligo.service.records import DeleteSubscription, Delivery, PutSubscription, Resend, WebhookDelivery
from eligo.service.service import Service
from eligo.service.state.outcome import is_new

MOST_LISTED = 1_000
"""Subscriptions or dead letters of one page."""
STREAM_HEADERS = {"cache-control": "no-cache", "x-accel-buffering": "no"}

_SubscriptionBody = msgspec.json.Decoder(SubscriptionBody)
_PullBody = msgspec.json.Decoder(PullBody)
_AcknowledgeBody = msgspec.json.Decoder(AcknowledgeBody)
_RefuseBody = msgspec.json.Decoder(RefuseBody)
_ResendBody = msgspec.json.Decoder(ResendBody)

Name = Annotated[str, Path(max_length=200)]
Limit = Annotated[int, Query(ge=1, le=MOST_LISTED)]
IfMatch = Annotated[str | None, Header(description="The etag that the subscription must have, or * for any.")]
IfNoneMatch = Annotated[str | None, Header(description="* if there must be none of that name.")]
ServiceOf = Callable[[Request], Service]


def router(service_of: ServiceOf) -> APIRouter:
    """All routes."""
    routes = APIRouter(tags=["publish and subscribe"])
    _puts(routes, service_of)
    _definitions(routes, service_of)
    _messages(routes, service_of)
    _dead_letters(routes, service_of)
    return routes


def _puts(routes: APIRouter, service_of: ServiceOf) -> None:
    @routes.put(
        "/subscriptions/{name}",
        **described(PutSubscriptionAnswer, SubscriptionBody, statuses={201: PutSubscriptionAnswer}, refuses=(403, 412)),
    )
    async def put(
        name: Name, request: Request, if_match: IfMatch = None, if_none_match: IfNoneMatch = None
    ) -> Response:
        """Subscribe, or change a subscription, which keeps what waits for it."""
        service, bound = service_of(request), bound_tenant(request)
        body = await said(request, _SubscriptionBody)
        text, _ = read_expression(body.expression, schema=None, limits=service.subscriptions.index.limits)
        tenant = checked_tenant(allowed_tenant(bound, body.tenant))
        delivery, secret = _delivery(service, name, tenant, body)
        record = PutSubscription(
            name=name,
            expression=text,
            delivery=delivery,
            tenant=tenant,
            metadata=checked_metadata(body.metadata),
            ranking=body.ranking,
            max_pending=body.max_pending,
            max_bytes=body.max_bytes,
            if_match=condition(if_match, if_none_match),
            only_tenant=bound,
        )
        check_definition(record, service.subscriptions.index.limits)
        outcome = await written(service, record)
        etag = str(outcome.result)
        told = PutSubscriptionAnswer(name, etag, outcome.seq, service.version, secret)
        return answer(told, 201 if is_new(outcome) else 200, {"etag": f'"{etag}"'})


def _definitions(routes: APIRouter, service_of: ServiceOf) -> None:
    @routes.get("/subscriptions/{name}", **described(StampedSubscriptionAnswer, refuses=(404,)))
    async def get(name: Name, request: Request) -> Response:
        """A subscription, with what waits for it, what was dropped, and how far it is behind."""
        service = service_of(request)
        seq = service.seq
        of = visible(service, name, bound_tenant(request))
        fields = _told(service, request, of)
        return answer(
            {**{name: getattr(fields, name) for name in fields.__struct_fields__}, **_stamps(service, seq)},
            headers={"etag": f'"{fields.etag}"'},
        )

    @routes.delete("/subscriptions/{name}", **described(WriteAnswer, refuses=(403, 404, 412)))
    async def delete(name: Name, request: Request, if_match: IfMatch = None) -> Response:
        """End a subscription; what waits for it goes with it."""
        service, bound = service_of(request), bound_tenant(request)
        visible(service, name, bound)
        record = DeleteSubscription(name=name, if_match=condition(if_match), only_tenant=bound)
        outcome = await written(service, record)
        return answer(_stamps(service, outcome.seq))

    @routes.get("/subscriptions", **described(SubscriptionsAnswer))
    async def listed(
        request: Request,
        prefix: Annotated[str, Query(description="What names begin with.", max_length=200)] = "",
        after: Annotated[str, Query(description="The last name of the page before.", max_length=200)] = "",
        limit: Limit = 100,
    ) -> Response:
        """Subscriptions in the order of their names: those behind `after`, of which at most `limit`."""
        service, bound = service_of(request), bound_tenant(request)
        seq, names = service.seq, list(service.subscriptions)
        found: list[SubscriptionAnswer] = []
        for name in names[bisect_right(names, after) :]:
            if len(found) > limit:
                break
            if not name.startswith(prefix):
                continue
            with suppress(UnknownIdError):  # of another tenant, or gone meanwhile
                found.append(_told(service, request, visible(service, name, bound)))
        following = found[limit - 1].name if len(found) > limit else None
        return answer(SubscriptionsAnswer(found[:limit], following, seq, service.version))


def _messages(routes: APIRouter, service_of: ServiceOf) -> None:
    @routes.post("/subscriptions/{name}/pull", **described(MessagesAnswer, PullBody, refuses=(404, 412)))
    async def pull(name: Name, request: Request) -> Response:
        """The next messages, at most `max`; waits up to `wait` seconds for the first. Each is to be acknowledged."""
        service = service_of(request)
        of = visible(service, name, bound_tenant(request))
        body = await said(request, _PullBody)
        call_of(request).last()

        async def is_there() -> bool:
            return not await request.is_disconnected()

        seq = service.seq
        found = await deliverer_of(request).pulls.pull(of, body.max, body.wait, is_there)
        dropped = sum(message.dropped for message in found)
        return answer(MessagesAnswer([message_json(each) for each in found], dropped, seq, service.version))

    @routes.post("/subscriptions/{name}/ack", **described(CountAnswer, AcknowledgeBody, refuses=(404, 412)))
    async def acknowledge(name: Name, request: Request) -> Response:
        """Messages were taken: `seqs`, or what is in flight `up_to` one. Answered when that is on the disk."""
        service = service_of(request)
        of = visible(service, name, bound_tenant(request))
        body = await said(request, _AcknowledgeBody)
        outcome = await deliverer_of(request).pulls.acknowledge(of, body.seqs, body.up_to)
        return answer(CountAnswer(_count(outcome.result), outcome.seq, service.version))

    @routes.post("/subscriptions/{name}/nack", **described(CountAnswer, RefuseBody, refuses=(404, 412)))
    async def refuse(name: Name, request: Request) -> Response:
        """Messages could not be taken: they come again after a while, or are dead letters; `count` says how many."""
        service = service_of(request)
        of = visible(service, name, bound_tenant(request))
        body = await said(request, _RefuseBody)
        outcome = await deliverer_of(request).pulls.refuse(of, body.seqs, body.reason, dead=body.dead)
        return answer(CountAnswer(_count(outcome.result), outcome.seq, service.version))

    @routes.get("/subscriptions/{name}/stream", **described(events_out=True, refuses=(404, 412)))
    async def stream(
        name: Name,
        request: Request,
        last_event_id: Annotated[str | None, Header(description="The id of the last event that came.")] = None,
    ) -> Response:
        """Messages as server-sent events; `Last-Event-ID` acknowledges all up to that event."""
        of = visible(service_of(request), name, bound_tenant(request))
        last = StreamPosition.read(last_event_id) if last_event_id else None
        call_of(request).last()
        events = await deliverer_of(request).streams.open(of, last, call_of(request).may_go_on)
        return StreamingResponse(events, headers=STREAM_HEADERS, media_type="text/event-stream")


def _dead_letters(routes: APIRouter, service_of: ServiceOf) -> None:
    @routes.get("/subscriptions/{name}/dead", **described(DeadLettersAnswer, refuses=(404,)))
    async def dead(
        name: Name,
        request: Request,
        after: Annotated[int, Query(ge=0, le=2**63 - 1, description="The last seq of the page before.")] = 0,
        limit: Limit = 100,
    ) -> Response:
        """Messages that were refused too often, in the order of their seqs: those behind `after`."""
        service = service_of(request)
        of = visible(service, name, bound_tenant(request))
        seq = service.seq
        found = service.subscriptions.dead_letters(of, after, limit + 1)
        letters = [dead_letter_json(*each) for each in found[:limit]]
        following = letters[-1].seq if len(found) > limit else None
        return answer(DeadLettersAnswer(letters, following, seq, service.version))

    @routes.post("/subscriptions/{name}/dead/resend", **described(CountAnswer, ResendBody, refuses=(404, 412)))
    async def resend(name: Name, request: Request) -> Response:
        """Deliver dead letters once more."""
        service = service_of(request)
        of = visible(service, name, bound_tenant(request))
        body = await said(request, _ResendBody)
        outcome = await written(service, Resend(subscription=of.name, since=of.since, seqs=body.seqs))
        return answer(CountAnswer(_count(outcome.result), outcome.seq, service.version))


def _told(service: Service, request: Request, of: Incarnation) -> SubscriptionAnswer:
    subscriptions = service.subscriptions
    in_flight = deliverer_of(request).pulls.num_in_flight(of)
    return subscription_answer(subscriptions.get(of), subscriptions.counts(of), in_flight)


def _delivery(service: Service, name: str, tenant: str | None, body: SubscriptionBody) -> tuple[Delivery, str | None]:
    """How to deliver, and the secret of a webhook that has none yet."""
    given = body.delivery
    if not isinstance(given, WebhookBody):
        return given, None
    kept = given.secret or _secret_of(service, name, tenant)
    secret = kept or new_secret()
    made = WebhookDelivery(given.url, secret, given.timeout, given.max_deliveries, given.backoff)
    return made, None if kept else secret


def _secret_of(service: Service, name: str, tenant: str | None) -> str | None:
    """The secret that a subscription has; with another tenant it is another subscription, and has none yet."""
    with suppress(UnknownIdError):
        before = service.subscriptions.get(name)
        if before.tenant == tenant and isinstance(before.delivery, WebhookDelivery):
            return before.delivery.secret
    return None


def _count(result: object) -> int:
    return len(result) if isinstance(result, list) else int(str(result))


def _stamps(service: Service, seq: int) -> dict[str, int]:
    return {"seq": seq, "version": service.version}
