"""How does a subscriber get its messages without asking? As server-sent events, for as long as it stays connected.

    id: 42.7                          seq 42, the 7th message of this subscription
    data: {"seq":42,"time":…}

    event: gap                        3 messages between the 7th and the 11th are not there any more
    data: {"missed":3}

Who comes back with `Last-Event-ID: 42.7` acknowledges all up to it, and goes on behind it; an id of an earlier
subscription of the same name says nothing of this one. A stream is of one subscription: it ends when that goes,
although there may be another of its name, whose messages may be nobody's business here, and it ends when its reader
would not be let in any more. Messages that were sent stay
until then, half as many as may wait at the most; of more, the oldest are acknowledged for the reader. A reader that is
slow is waited for by nobody: what it is too slow for is dropped from its queue, and it is told how much.
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Callable
from typing import NamedTuple

import msgspec

from eligo.errors import EligoError, InputError, UnknownIdError, shown
from eligo.service.delivery.bell import Bell, rings
from eligo.service.delivery.message_json import message_json
from eligo.service.delivery.subscriber import Message
from eligo.service.delivery.subscription import Incarnation
from eligo.service.delivery.writing import written
from eligo.service.records import Acknowledge, StreamDelivery
from eligo.service.service import Service
from eligo.service.state.outcome import ConditionError

logger = logging.getLogger("eligo.service")

HEARTBEAT = 15.0
"""Seconds without a message after which a comment is sent, so that nothing on the way thinks the connection dead."""
AT_ONCE = 100
"""Messages that are read from a queue together."""
_POSITION = re.compile(r"([0-9]{1,18})(?:\.([0-9]{1,18}))?")


class StreamPosition(NamedTuple):
    """The last event that a reader had."""

    seq: int
    number: int | None
    """None where only the seq is known."""

    @classmethod
    def read(cls, text: str) -> StreamPosition:
        """What stands in `Last-Event-ID`."""
        found = _POSITION.fullmatch(text.strip())
        if found is None:
            raise InputError(f"{shown(text)} is not the id of an event of this stream", help="such as 42.7")
        return cls(int(found[1]), None if found[2] is None else int(found[2]))


class Streams:
    """All streams that are open; belongs to one loop."""

    def __init__(self, service: Service, bell: Bell, heartbeat: float = HEARTBEAT) -> None:
        self._service = service
        self._bell = bell
        self._heartbeat = heartbeat
        self._is_over = False
        self.num_open = 0

    def end(self) -> None:
        """Have all streams end, and take no new ones."""
        self._is_over = True
        self._bell.ring_all()

    async def open(
        self, of: Incarnation, last: StreamPosition | None, may_go_on: Callable[[], bool] = lambda: True
    ) -> AsyncIterator[bytes]:
        """The events of a subscription behind the last one that the reader had, which it acknowledges.

        `may_go_on` is asked before events are sent, and with each comment: a reader may lose the right to them.
        """
        subscriptions = self._service.subscriptions
        if not isinstance(subscriptions.get(of).delivery, StreamDelivery):
            raise ConditionError(
                f"the subscription {of.name!r} is not delivered as a stream", help='put it with {"kind": "stream"}'
            )
        number = None if last is None else subscriptions.position(of, last.seq, last.number)
        if number is not None:
            await self._acknowledge(of, subscriptions.seqs_up_to(of, number))
        return self._events(of, number or 0, number is not None, may_go_on)

    async def _acknowledge(self, of: Incarnation, seqs: list[int]) -> None:
        if seqs:
            await written(self._service, Acknowledge(subscription=of.name, since=of.since, seqs=seqs))

    def _next(self, of: Incarnation, number: int) -> list[Message] | None:
        """What waits behind a number; None where there is no such stream any more."""
        subscriptions = self._service.subscriptions
        try:
            if self._is_over or not isinstance(subscriptions.get(of).delivery, StreamDelivery):
                return None
            return subscriptions.messages_after(of, number, AT_ONCE)
        except UnknownIdError:
            return None

    async def _events(
        self, of: Incarnation, number: int, is_known: bool, may_go_on: Callable[[], bool]
    ) -> AsyncIterator[bytes]:
        """Events behind a number; `is_known`: whether the reader had the message of that number."""
        self.num_open += 1
        try:
            with self._bell.listening(of.name) as changed:
                yield b": connected\n\n"
                while True:
                    changed.clear()
                    messages = self._next(of, number)
                    if messages is None or not may_go_on():
                        break
                    for message in messages:
                        missed = message.number - number - 1 if is_known and number else message.dropped
                        if missed:
                            yield b'event: gap\ndata: {"missed":%d}\n\n' % missed
                        yield event_bytes(message)
                        number, is_known = message.number, True
                    if messages:
                        await self._let_go(of, number)
                    elif not await rings(changed, self._heartbeat):
                        yield b": still there\n\n"
                yield b"event: end\ndata: {}\n\n"
        finally:
            self.num_open -= 1

    async def _let_go(self, of: Incarnation, number: int) -> None:
        """Acknowledge the oldest of what was sent, where more of it waits than should."""
        subscriptions = self._service.subscriptions
        try:
            most = subscriptions.get(of).max_pending
            if subscriptions.counts(of).pending <= most // 2:
                return
            sent = subscriptions.seqs_up_to(of, number)
            await self._acknowledge(of, sent[: max(len(sent) - most // 4, 0)])
        except UnknownIdError:
            return
        except EligoError as error:
            logger.warning("what was sent could not be acknowledged: %s", error)


def event_bytes(message: Message) -> bytes:
    """A message as an event; JSON that is written without blanks has no line ends."""
    data = msgspec.json.encode(message_json(message))
    lines = b"".join(b"data: %b\n" % line for line in data.splitlines() or [b""])
    return b"id: %d.%d\n%b\n" % (message.seq, message.number, lines)
