"""What do bodies and answers about subscriptions have in them? One class each."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from eligo.service.delivery.message_json import DeadLetterJson, MessageJson
from eligo.service.delivery.pulls import LONGEST_WAIT, MOST_MESSAGES
from eligo.service.delivery.subscriber import Counts
from eligo.service.delivery.subscription import Subscription
from eligo.service.records import NONE, PullDelivery, Ranking, StreamDelivery

Metadata = Annotated[msgspec.Raw, Meta(extra_json_schema={"type": ["object", "null"]})]
Seqs = Annotated[list[Annotated[int, Meta(ge=0, le=2**63 - 1)]], Meta(max_length=100_000)]


class WebhookBody(Struct, forbid_unknown_fields=True, tag="webhook", tag_field="kind"):
    """The service posts each message; without a secret it keeps the one it has, or makes one and shows it once."""

    url: str
    secret: str | None = None
    timeout: float = 10.0
    max_deliveries: int = 8
    backoff: float = 1.0


class SubscriptionBody(Struct, forbid_unknown_fields=True):
    """A subscription that is put."""

    expression: str | dict[str, Any]
    delivery: PullDelivery | StreamDelivery | WebhookBody = PullDelivery()
    tenant: str | None = None
    metadata: Metadata = msgspec.field(default_factory=lambda: NONE)
    ranking: Ranking | None = None
    max_pending: int = 10_000
    max_bytes: int = 64 << 20


class PullBody(Struct, forbid_unknown_fields=True):
    """How many messages are wanted, and for how many seconds the first is waited for."""

    max: Annotated[int, Meta(ge=1, le=MOST_MESSAGES)] = 10
    wait: Annotated[float, Meta(ge=0, le=LONGEST_WAIT)] = 0.0


class AcknowledgeBody(Struct, forbid_unknown_fields=True):
    """Messages that were taken: by seq, or what is in flight up to one, in the order in which it was handed out."""

    seqs: Seqs = []
    up_to: Annotated[int, Meta(ge=0, le=2**63 - 1)] | None = None


class RefuseBody(Struct, forbid_unknown_fields=True):
    """Messages that could not be taken; `dead`: and that shall not come again."""

    seqs: Seqs
    reason: Annotated[str, Meta(max_length=1_000)] = ""
    dead: bool = False


class ResendBody(Struct, forbid_unknown_fields=True):
    """Dead letters that shall be delivered once more."""

    seqs: Seqs


class PutSubscriptionAnswer(Struct, omit_defaults=True):
    """A subscription was put."""

    name: str
    etag: str
    seq: int
    version: int
    secret: str | None = None
    """Of a webhook that was put without one; it is never shown again."""


class SubscriptionAnswer(Struct):
    """A subscription, and how it fares."""

    name: str
    expression: str
    tenant: str | None
    metadata: Metadata
    delivery: dict[str, Any]
    """Without its secret."""
    ranking: Ranking | None
    max_pending: int
    max_bytes: int
    etag: str
    pending: int
    """Messages that wait, those in flight included."""
    in_flight: int
    dropped: int
    dead: int
    dead_dropped: int
    in_window: int
    outranked: int
    bytes: int
    """Of all that is held for it: documents, with something for each message."""
    lag: float
    """Seconds for which the oldest message has waited."""
    oldest_seq: int | None
    since: int


class StampedSubscriptionAnswer(SubscriptionAnswer):
    """One subscription."""

    seq: int
    version: int


class SubscriptionsAnswer(Struct):
    """A page of subscriptions, in the order of their names."""

    subscriptions: list[SubscriptionAnswer]
    next: str | None
    """What to ask for `after`; null on the last page."""
    seq: int
    version: int


class MessagesAnswer(Struct):
    """Messages that were pulled."""

    messages: list[MessageJson]
    dropped: int
    """Messages that were dropped before these."""
    seq: int
    version: int


class DeadLettersAnswer(Struct):
    """A page of dead letters, in the order of their seqs."""

    messages: list[DeadLetterJson]
    next: int | None
    seq: int
    version: int


class CountAnswer(Struct):
    """How many messages a change was about."""

    count: int
    seq: int
    version: int


class PublishAnswer(Struct):
    """What became of a document."""

    seq: int
    version: int
    document: int | None
    """Its number in the base, if it stays there."""
    subscriptions: int
    """That it satisfies."""
    duplicate: bool


class BatchResult(Struct, omit_defaults=True):
    """What became of one event of a batch."""

    seq: int | None = None
    document: int | None = None
    subscriptions: int = 0
    duplicate: bool = False
    error: dict[str, Any] | None = None
    """The problem of one that was not published."""


class BatchAnswer(Struct):
    """What became of a batch, event by event."""

    results: list[BatchResult]
    seq: int
    version: int


def subscription_answer(subscription: Subscription, counts: Counts, in_flight: int) -> SubscriptionAnswer:
    """What is told of a subscription; its secret never."""
    delivery: dict[str, Any] = {"kind": subscription.delivery.__struct_config__.tag}
    for name in subscription.delivery.__struct_fields__:
        if name != "secret":
            delivery[name] = getattr(subscription.delivery, name)
    return SubscriptionAnswer(
        name=subscription.name,
        expression=subscription.expression,
        tenant=subscription.tenant,
        metadata=subscription.metadata,
        delivery=delivery,
        ranking=subscription.ranking,
        max_pending=subscription.max_pending,
        max_bytes=subscription.max_bytes,
        etag=subscription.etag,
        pending=counts.pending,
        in_flight=in_flight,
        dropped=counts.dropped,
        dead=counts.dead,
        dead_dropped=counts.dead_dropped,
        in_window=counts.in_window,
        outranked=counts.outranked,
        bytes=counts.num_bytes,
        lag=counts.lag(datetime.now(UTC)),
        oldest_seq=counts.oldest_seq,
        since=counts.since,
    )
