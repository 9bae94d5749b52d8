"""How is a message written? As JSON, with the document as it was published, byte for byte."""

from __future__ import annotations

from datetime import datetime

import msgspec

from eligo.service.delivery.subscriber import Message
from eligo.service.records import NONE


class MessageJson(msgspec.Struct, omit_defaults=True):
    """What a subscriber gets."""

    seq: int
    time: datetime
    document: msgspec.Raw
    deliveries: int
    """This one included."""
    envelope: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    """The context attributes of a CloudEvent."""
    score: float | None = None
    dropped: int = 0
    """Messages directly before it that were dropped, because too many waited."""


class DeadLetterJson(MessageJson, omit_defaults=True):
    """A message that is not delivered any more."""

    refused: datetime | None = None
    """When its last delivery failed."""
    reason: str = ""


def message_json(message: Message) -> MessageJson:
    """A message to be delivered."""
    return MessageJson(
        message.seq,
        message.time,
        message.document,
        message.refusals + 1,
        _given(message.envelope),
        message.score,
        message.dropped,
    )


def dead_letter_json(message: Message, refused: datetime, reason: str) -> DeadLetterJson:
    """A message that was refused too often; `deliveries` says how often it was tried."""
    return DeadLetterJson(
        seq=message.seq,
        time=message.time,
        document=message.document,
        deliveries=message.refusals,
        envelope=_given(message.envelope),
        score=message.score,
        dropped=message.dropped,
        refused=refused,
        reason=reason,
    )


def _given(envelope: msgspec.Raw) -> msgspec.Raw | msgspec.UnsetType:
    return msgspec.UNSET if bytes(envelope) == bytes(NONE) else envelope
