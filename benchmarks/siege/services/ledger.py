"""What was acknowledged, and what came to whom? What must be true of it is checked as it comes, or at the end.

published     source and number → seq, document and tenant, once the service has said that it has it
delivered     for each subscription: the seqs that it got, in the order in which each came for the first time
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Key = tuple[int, int]
"""Who published it, and its number there."""


class Published(NamedTuple):
    """A publication that was acknowledged."""

    seq: int
    document: dict[str, int]
    tenant: str | None


@dataclass
class Deliveries:
    """What one subscriber got."""

    name: str
    wants: Callable[[dict[str, int], str | None], bool]
    """By the meaning of its expression and its tenant, without the service."""
    fail: Callable[[str], None]
    keys: dict[int, Key] = field(default_factory=dict)
    """By seq."""
    highest: int = 0
    num_repeated: int = 0
    taken: set[int] = field(default_factory=set)
    """Seqs whose acknowledgement was acknowledged: these must not come again."""

    def take(self, seq: int, document: dict[str, Any]) -> None:
        """A message has come."""
        key = (document["publisher"], document["n"])
        if seq in self.taken:
            self.fail(f"{self.name} got {seq} again although it had acknowledged it")
        if seq in self.keys:
            self.num_repeated += 1
            if self.keys[seq] != key:
                self.fail(f"{self.name} got two documents as {seq}")
            return
        if not self.wants(document, tenant_of(document["publisher"])):
            self.fail(f"{self.name} got {document}, which is not for it")
        if seq < self.highest:
            self.fail(f"{self.name} got {seq} for the first time after {self.highest}")
        self.keys[seq] = key
        self.highest = max(self.highest, seq)


def tenant_of(publisher: int) -> str | None:
    """For whom a publisher publishes."""
    return "acme" if publisher % 2 else None


class Ledger:
    """All of it."""

    def __init__(self, fail: Callable[[str], None]) -> None:
        self._fail = fail
        self._lock = threading.Lock()
        self.published: dict[Key, Published] = {}
        self.highest_seq = 0
        self.num_acknowledged = 0

    def acknowledged(self, seq: int) -> None:
        """The service has said that it has a record."""
        with self._lock:
            self.num_acknowledged += 1
            self.highest_seq = max(self.highest_seq, seq)

    def publish(self, key: Key, published: Published) -> None:
        """The service has said that it has a publication."""
        self.acknowledged(published.seq)
        self.published[key] = published

    def missing(self, deliveries: Deliveries) -> int:
        """How many publications have not come to a subscriber that wants them."""
        wanted = (each.seq for each in list(self.published.values()) if deliveries.wants(each.document, each.tenant))
        return sum(seq not in deliveries.keys for seq in wanted)

    def judge(self, deliveries: Deliveries) -> None:
        """At the end: all of it has come, as it was published."""
        missing = self.missing(deliveries)
        if missing:
            self._fail(f"{deliveries.name} did not get {missing} publications that were acknowledged")
        by_seq = {each.seq: key for key, each in self.published.items()}
        wrong = [seq for seq, key in deliveries.keys.items() if by_seq.get(seq) != key]
        if wrong:
            self._fail(f"{deliveries.name} got {len(wrong)} messages under a number that is not theirs: {wrong[:3]}")
