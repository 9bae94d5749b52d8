"""What is a subscription? A name, an expression, and how what satisfies it is to be delivered."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import msgspec
import pyarrow as pa

from eligo.index.guard import guarded
from eligo.service.records import NONE, Delivery, PullDelivery, PutSubscription, Ranking

MOST_PENDING = 1_000_000
"""Messages that any subscription may have waiting."""
LEAST_BYTES, MOST_BYTES = 2 << 20, 1 << 30
"""Bounds of what any subscription may hold, in bytes; the second is that of all subscriptions together, too."""
MOST_DEAD = 1_000
"""Dead letters that a subscription keeps; of more, the oldest are dropped, which is counted."""


class Incarnation(NamedTuple):
    """One of the subscriptions that have a name one after another; with another tenant it is another one."""

    name: str
    since: int
    """The seq with which it came."""


class Subscription(msgspec.Struct, frozen=True, kw_only=True):
    """A subscription as it was put."""

    name: str
    expression: str
    delivery: Delivery = PullDelivery()
    tenant: str | None = None
    metadata: msgspec.Raw = NONE
    ranking: Ranking | None = None
    max_pending: int = 10_000
    max_bytes: int = 64 << 20

    @classmethod
    def of(cls, record: PutSubscription) -> Subscription:
        fields = {name: getattr(record, name) for name in cls.__struct_fields__}
        return cls(**{**fields, "metadata": detached(record.metadata)})

    @property
    def etag(self) -> str:
        """What changes with the definition, and with nothing else."""
        return hashlib.blake2b(msgspec.json.encode(self), digest_size=12).hexdigest()

    @property
    def guarded_text(self) -> str:
        """The expression as the index has it, with the tenant in front."""
        if self.tenant is None:
            return self.expression
        columns = {"tenant": pa.array([self.tenant], pa.string())}
        return str(guarded(pa.array([self.expression], pa.large_string()), columns)[0].as_py())

    @property
    def max_deliveries(self) -> int | None:
        """After how many failed deliveries a message is a dead letter; None for never."""
        return getattr(self.delivery, "max_deliveries", None)


def detached(json: msgspec.Raw) -> msgspec.Raw:
    """JSON that does not keep all in memory that it was read with."""
    return NONE if bytes(json) == b"null" else json.copy()
