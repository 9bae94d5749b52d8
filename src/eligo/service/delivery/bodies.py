"""What do messages say? A document is held once, however many subscriptions it waits for, and as long as it does.

seq 42   {"age": 30}    2 references: it waits for "adults", and is a dead letter of "everything"

What is held is counted in bytes, each document once for the service and once for each subscription that holds it.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from eligo.service.delivery.subscription import detached
from eligo.service.records import NONE, Publish

MESSAGE_BYTES = 256
"""What a message is counted for beside its document, with its place in a queue."""


class Body(msgspec.Struct, frozen=True, omit_defaults=True):
    """A document that was published, as it is delivered."""

    document: msgspec.Raw
    time: datetime
    envelope: msgspec.Raw = NONE


class Bodies:
    """The bodies of all messages, by the seq of their publications."""

    def __init__(self) -> None:
        self._bodies: dict[int, Body] = {}
        self._references: dict[int, int] = {}
        self.num_bytes = 0
        """Of all documents and envelopes, and of the messages that have them."""
        self.num_messages = 0

    def __len__(self) -> int:
        return len(self._bodies)

    def __getitem__(self, seq: int) -> Body:
        return self._bodies[seq]

    def add(self, seq: int, record: Publish) -> None:
        """Hold a document, for those who refer to it from now on."""
        self._put(seq, Body(detached(record.document), record.time, detached(record.envelope)))

    def _put(self, seq: int, body: Body) -> None:
        self._bodies[seq] = body
        self._references[seq] = 0
        self.num_bytes += _size(body)

    def refer(self, seq: int) -> None:
        """One more message has this body."""
        self._references[seq] += 1
        self.num_messages += 1
        self.num_bytes += MESSAGE_BYTES

    def let_go(self, seq: int) -> None:
        """One message less has it; without any it is gone."""
        self._references[seq] -= 1
        self.num_messages -= 1
        self.num_bytes -= MESSAGE_BYTES
        self.sweep(seq)

    def sweep(self, seq: int) -> None:
        """Forget a body that no message has."""
        if self._references[seq] == 0:
            del self._references[seq]
            self.num_bytes -= _size(self._bodies.pop(seq))

    def saved(self) -> dict[int, Body]:
        """All bodies, for a checkpoint."""
        return dict(self._bodies)

    def restore(self, saved: dict[int, Body]) -> None:
        """Those of a checkpoint; who refers to them says so again."""
        for seq, body in saved.items():
            self._put(seq, Body(detached(body.document), body.time, detached(body.envelope)))


def _size(body: Body) -> int:
    return memoryview(body.document).nbytes + memoryview(body.envelope).nbytes


class HeldBodies:
    """Those that one subscription holds, and how much that is."""

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self.num_bytes = 0

    def __getitem__(self, seq: int) -> Body:
        return self._bodies[seq]

    def refer(self, seq: int) -> None:
        """One more message of the subscription has this body."""
        self._bodies.refer(seq)
        self.num_bytes += MESSAGE_BYTES + _size(self._bodies[seq])

    def let_go(self, seq: int) -> None:
        """One message less has it."""
        self.num_bytes -= MESSAGE_BYTES + _size(self._bodies[seq])
        self._bodies.let_go(seq)
