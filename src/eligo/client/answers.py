"""What does a service answer? Small objects, named for what they hold."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

ExpressionId = str | int


class Written(msgspec.Struct, frozen=True):
    """A change was acknowledged: it is on the service's disk, and seen."""

    seq: int
    """Its number; every later change has a higher one."""
    version: int = 0
    """The last published version of the service's index."""
    etag: str | None = None
    """Of the expression or subscription that was put; for `if_match`."""


class RowResult(msgspec.Struct, frozen=True):
    """What became of one row of many."""

    id: ExpressionId | None = None
    seq: int | None = None
    error: dict[str, Any] | None = None
    """Why it was refused: title, detail, and for an expression line and column."""


class Bulk(msgspec.Struct, frozen=True):
    """What became of many changes; the good ones are made, whatever the others are."""

    rows: list[RowResult]

    @property
    def rejects(self) -> list[RowResult]:
        """Those that were refused."""
        return [row for row in self.rows if row.error is not None]

    @property
    def seq(self) -> int:
        """The highest number of a change that was made; 0 when none was."""
        return max((row.seq for row in self.rows if row.seq is not None), default=0)


class StoredExpression(msgspec.Struct, frozen=True):
    """An expression as the service has it."""

    id: ExpressionId
    expression: str
    canonical: str = ""
    tenant: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    metadata: Any = None
    etag: str | None = None


class Published(msgspec.Struct, frozen=True):
    """What became of a published document."""

    seq: int
    version: int = 0
    document: int | None = None
    """Its number in the document base, where that keeps it."""
    subscriptions: int = 0
    """How many subscriptions it satisfies."""
    duplicate: bool = False
    """Whether it was published before; then nothing was done."""


class Message(msgspec.Struct, frozen=True):
    """A document that satisfied a subscription."""

    seq: int
    """Of its publication, which names it in `ack` and `nack`."""
    document: dict[str, Any]
    time: datetime | None = None
    envelope: dict[str, Any] | None = None
    """The context attributes of a CloudEvent."""
    deliveries: int = 1
    """How often it has been delivered, this time included."""
    score: float | None = None


class Pulled(msgspec.Struct, frozen=True):
    """What waited for a subscription."""

    messages: list[Message]
    dropped: int = 0
    """Messages that had to be dropped since the last time, because more waited than may."""


class StoredDocument(msgspec.Struct, frozen=True):
    """A document of the base."""

    number: int
    document: dict[str, Any]
    time: datetime | None = None


class Found(msgspec.Struct, frozen=True):
    """Documents that satisfy an expression."""

    numbers: list[int]
    documents: list[StoredDocument] = []
