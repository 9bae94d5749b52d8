"""What can happen to a service? One record for each change, in the order in which they were acknowledged.

    seq 41   {"what": "put_expression", "id": "ad-7", "expression": "age > 18", "tenant": "acme"}
    seq 42   {"what": "publish", "document": {"age": 30}, "time": "2026-11-18T09:00:00Z"}
    seq 43   {"what": "acknowledge", "subscription": "adults", "seqs": [42]}

What a service knows is what its records say, applied one after another: the same records give the same state, whoever
reads them. So a record has all that its outcome depends on, the time included; and a condition, as `if_match`, is part
of the record and is looked at when it is applied. A record whose condition fails changes nothing.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from eligo.errors import InputError

ExpressionId = str | int

NONE = msgspec.Raw(b"null")
"""Where there is no JSON."""


class Record(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, tag_field="what"
):
    """What all records are."""


class PutExpression(Record, tag="put_expression", frozen=True):
    """An expression comes, or takes the place of the one that its id had."""

    id: ExpressionId
    expression: str
    """Its text, as it was given, without the guards for tenant and validity."""
    tenant: str | None = None
    """Whose it is; None is everybody's."""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    metadata: msgspec.Raw = NONE
    """Any JSON object."""
    if_match: str | None = None
    """The etag that the expression must have; "*" for any that is there, "" for none that is there."""
    only_tenant: str | None = None
    """Whose an expression that is there must be, to be replaced."""


class DeleteExpression(Record, tag="delete_expression", frozen=True):
    """An expression goes."""

    id: ExpressionId
    if_match: str | None = None
    only_tenant: str | None = None


class AddDocuments(Record, tag="add_documents", frozen=True):
    """Documents come into the base, and are matched with nothing."""

    documents: list[msgspec.Raw]
    time: datetime


class RemoveDocuments(Record, tag="remove_documents", frozen=True):
    """Documents leave the base."""

    numbers: list[int]


class Publish(Record, tag="publish", frozen=True):
    """A document is published: matched with subscriptions, put into the base where its rules say so, and delivered."""

    document: msgspec.Raw
    """A JSON object: the event that is matched."""
    time: datetime
    """When it came."""
    tenant: str | None = None
    source: str | None = None
    """With `id`, what makes a publication the same as an earlier one: CloudEvents' `source` and `id`."""
    id: str | None = None
    envelope: msgspec.Raw = NONE
    """The context attributes of a CloudEvent, a JSON object, to be delivered with the document."""


class PullDelivery(
    msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, tag="pull", tag_field="kind"
):
    """The subscriber asks for messages and acknowledges each."""

    ack_wait: float = 30.0
    """Seconds after which a message that was not acknowledged comes again."""
    max_deliveries: int = 10
    """After so many a message is a dead letter."""
    backoff: float = 1.0
    """Seconds before the first repetition after a `nack`; doubled each time."""


class StreamDelivery(
    msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, tag="stream", tag_field="kind"
):
    """Server-sent events, resumed by `Last-Event-ID`."""


class WebhookDelivery(
    msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, tag="webhook", tag_field="kind"
):
    """The service posts each message to an address, signed as Standard Webhooks say."""

    url: str
    secret: str
    """`whsec_…`; never shown again."""
    timeout: float = 10.0
    max_deliveries: int = 8
    backoff: float = 1.0
    """Seconds before the first repetition; doubled each time."""


Delivery = PullDelivery | StreamDelivery | WebhookDelivery


class Ranking(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Only the best documents of a window are delivered, the best first."""

    best: int
    window: float
    """Seconds."""


class PutSubscription(Record, tag="put_subscription", frozen=True):
    """A subscription comes, or changes; what waits for it stays, unless its tenant becomes another."""

    name: str
    expression: str
    delivery: Delivery = PullDelivery()
    tenant: str | None = None
    metadata: msgspec.Raw = NONE
    ranking: Ranking | None = None
    max_pending: int = 10_000
    """Messages that may wait; when there are more, the oldest are dropped, counted, and the subscriber is told."""
    max_bytes: int = 64 << 20
    """Of all that is held for it, in bytes; as `max_pending`."""
    if_match: str | None = None
    only_tenant: str | None = None


class DeleteSubscription(Record, tag="delete_subscription", frozen=True):
    """A subscription goes, with what waits for it."""

    name: str
    if_match: str | None = None
    only_tenant: str | None = None


class Acknowledge(Record, tag="acknowledge", frozen=True):
    """Messages of a subscription were taken; each is named by the seq of its publication."""

    subscription: str
    since: int | None = None
    """Only of the subscription that came with this seq, and not of a later one of the same name."""
    seqs: list[int] = []


class Refuse(Record, tag="refuse", frozen=True):
    """Messages of a subscription could not be taken (`nack`): they come again after a while, or are dead letters."""

    subscription: str
    seqs: list[int]
    time: datetime
    reason: str = ""
    dead: bool = False
    """At once a dead letter."""
    since: int | None = None
    """As of `Acknowledge`."""


class Release(Record, tag="release", frozen=True):
    """A window of a subscription that ranks is over: the best of it are delivered."""

    subscription: str
    window: int
    """Its number: the seconds since 1970 at which it began, by the subscription's window."""
    since: int | None = None
    """As of `Acknowledge`."""


class Resend(Record, tag="resend", frozen=True):
    """Dead letters of a subscription are delivered again."""

    subscription: str
    seqs: list[int]
    since: int | None = None
    """As of `Acknowledge`."""


AnyRecord = (
    PutExpression
    | DeleteExpression
    | AddDocuments
    | RemoveDocuments
    | Publish
    | PutSubscription
    | DeleteSubscription
    | Acknowledge
    | Refuse
    | Release
    | Resend
)

Durability = Literal["fsync"] | float
"""Acknowledged when on the disk, or written to it every so many seconds."""

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyRecord] = msgspec.json.Decoder(AnyRecord)


def to_bytes(record: AnyRecord) -> bytes:
    """A record as the log has it; an `InputError` for one that could not be read again.

    What stands in a record as it came, such as metadata and documents, is looked at here: a log with one record that
    cannot be read is no log.
    """
    try:
        data = _encoder.encode(record)
        if not data.isascii():
            data.decode()
        _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"this change cannot be written down: {error}", help="write JSON in UTF-8") from None
    return data


def from_bytes(data: bytes) -> AnyRecord:
    """The record that the log has; an error of msgspec for what is none."""
    return _decoder.decode(data)
