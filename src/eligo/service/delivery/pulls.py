"""How does a subscriber get its messages by asking? They are handed out in order, and wait to be acknowledged.

    waiting    41 ── 42 ── 43 ── 44
    in flight  41    42                41 until 09:00:30; a pull gets 43
    refused          42                not before 09:00:02; until then a pull gets nothing, because 43 is behind it

No message is handed out before one in front of it that nobody has. One that is not acknowledged in time counts as
refused, and comes again. What is in flight is known to the process alone: after a restart it is handed out again. Who
acknowledges all up to a message means what is in flight up to it, in the order in which it was handed out: nobody can
take what was never given.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from eligo.errors import EligoError, UnknownIdError
from eligo.service.delivery.backoff import pause
from eligo.service.delivery.bell import Bell, rings
from eligo.service.delivery.subscriber import Message
from eligo.service.delivery.subscription import Incarnation, Subscription
from eligo.service.delivery.writing import written
from eligo.service.records import Acknowledge, PullDelivery, Refuse
from eligo.service.service import Service
from eligo.service.state.outcome import ConditionError, Outcome

logger = logging.getLogger("eligo.service")

MOST_MESSAGES = 1_000
"""Of one pull."""
MOST_BYTES = 16 << 20
"""Of the documents of one pull, if it is more than one."""
LONGEST_WAIT = 20.0
"""Seconds that a pull may wait."""
LOOK_AGAIN = 1.0
"""Seconds after which it is seen whether the client is still there, and after which a write that failed is repeated."""
NOT_IN_TIME = "not acknowledged in time"


class HandedOut(NamedTuple):
    """A message that is in flight."""

    number: int
    deadline: float
    """When it counts as refused; by the loop's clock."""


@dataclass
class InFlight:
    """What was handed out of one subscription."""

    of: Incarnation
    handed_out: dict[int, HandedOut] = field(default_factory=dict)
    """By seq."""
    not_before: dict[int, float] = field(default_factory=dict)
    """By seq of what was refused, when it may be handed out again."""
    watch: asyncio.Task[None] | None = None
    """Waits for the next deadline."""


class Pulls:
    """All messages that were pulled; belongs to one loop."""

    def __init__(self, service: Service, bell: Bell) -> None:
        self._service = service
        self._bell = bell
        self._in_flight: dict[str, InFlight] = {}
        """By name; what belongs to an earlier subscription of a name is of no use."""
        self._is_over = False

    def end(self) -> None:
        """Have all pulls that wait answered, and let none wait any more."""
        self._is_over = True
        self._bell.ring_all()

    def _known(self, of: Incarnation) -> InFlight | None:
        known = self._in_flight.get(of.name)
        return known if known is not None and known.of == of else None

    def num_in_flight(self, of: Incarnation) -> int:
        """Messages that were handed out and neither acknowledged nor refused."""
        known = self._known(of)
        return 0 if known is None else len(known.handed_out)

    async def pull(
        self, of: Incarnation, most: int, wait: float, is_there: Callable[[], Awaitable[bool]] | None = None
    ) -> list[Message]:
        """The next messages, at most so many; waits for the first for some seconds. `is_there`: whether anyone asks."""
        clock = asyncio.get_running_loop().time
        end = clock() + min(wait, LONGEST_WAIT)
        with self._bell.listening(of.name) as changed:
            while True:
                changed.clear()
                found, next_at = self._take(of, min(most, MOST_MESSAGES))
                if found or self._is_over or clock() >= end:
                    return found
                until = min(end, clock() + LOOK_AGAIN, *([] if next_at is None else [next_at]))
                await rings(changed, until - clock())
                if is_there is not None and not await is_there():
                    return []

    def _take(self, of: Incarnation, most: int) -> tuple[list[Message], float | None]:
        """Messages to hand out now, or when there may be some."""
        known = self._known(of) or InFlight(of)
        subscription, messages = self._service.subscriptions.waiting(of, most, known.handed_out)
        delivery = _pulled(subscription)
        self._keep(known)
        now = asyncio.get_running_loop().time()
        taken: list[Message] = []
        size = 0
        for message in messages:
            not_before = known.not_before.get(message.seq)
            if not_before is not None and not_before > now:
                return self._hand_out(known, taken, delivery), not_before
            size += len(bytes(message.document))
            if taken and size > MOST_BYTES:
                break
            taken.append(message)
        if not taken:
            known.not_before.clear()  # nothing waits that was refused
        return self._hand_out(known, taken, delivery), None

    def _keep(self, known: InFlight) -> None:
        """Remember what is in flight of a subscription, and forget what was of the one before it."""
        before = self._in_flight.get(known.of.name)
        if before is not known:
            self.forget(known.of.name)
            self._in_flight[known.of.name] = known

    def _hand_out(self, known: InFlight, taken: list[Message], delivery: PullDelivery) -> list[Message]:
        loop = asyncio.get_running_loop()
        for message in taken:
            known.not_before.pop(message.seq, None)
            known.handed_out[message.seq] = HandedOut(message.number, loop.time() + delivery.ack_wait)
        if taken and known.watch is None:
            known.watch = loop.create_task(self._watch(known))
        return taken

    async def acknowledge(self, of: Incarnation, seqs: list[int], up_to: int | None = None) -> Outcome:
        """Messages were taken, these and what was handed out up to one; done when that is on the disk."""
        known = self._known(of)
        gone = list(dict.fromkeys([*seqs, *_up_to(known, up_to)]))
        outcome = await written(self._service, Acknowledge(subscription=of.name, since=of.since, seqs=gone))
        if known is not None:
            for seq in gone:
                known.handed_out.pop(seq, None)
                known.not_before.pop(seq, None)
        return outcome

    async def refuse(
        self, of: Incarnation, seqs: list[int], reason: str, *, dead: bool = False, again: bool = True
    ) -> Outcome:
        """Messages could not be taken; with `again` they wait a while. Done when that is on the disk."""
        name, since, now = of.name, of.since, datetime.now(UTC)
        record = Refuse(subscription=name, since=since, seqs=seqs, time=now, reason=reason, dead=dead)
        outcome = await written(self._service, record)
        known = self._known(of)
        if known is not None:
            refusals = self._service.subscriptions.refusals(of, seqs)
            delivery = self._service.subscriptions.get(of).delivery
            backoff = delivery.backoff if again and isinstance(delivery, PullDelivery) else 0.0
            clock = asyncio.get_running_loop().time()
            for seq in seqs:
                known.handed_out.pop(seq, None)
                if seq in refusals:
                    known.not_before[seq] = clock + pause(backoff, refusals[seq])
            self._bell.ring([name])
        return outcome

    async def _watch(self, known: InFlight) -> None:
        """Refuse what is not acknowledged in time, until nothing is in flight."""
        clock = asyncio.get_running_loop().time
        try:
            while known.handed_out:
                await asyncio.sleep(min(each.deadline for each in known.handed_out.values()) - clock())
                late = [seq for seq, each in known.handed_out.items() if each.deadline <= clock()]
                if not late:
                    continue
                try:
                    await self.refuse(known.of, late, NOT_IN_TIME, again=False)
                except UnknownIdError:
                    return
                except EligoError as error:
                    logger.warning("what was not acknowledged could not be noted: %s", error)
                    await asyncio.sleep(LOOK_AGAIN)
        finally:
            known.watch = None

    def forget(self, name: str) -> None:
        """A subscription has gone."""
        known = self._in_flight.pop(name, None)
        if known is not None and known.watch is not None:
            known.watch.cancel()

    async def stop(self) -> None:
        """Watch no more."""
        watches = [known.watch for known in self._in_flight.values() if known.watch is not None]
        for watch in watches:
            watch.cancel()
        await asyncio.gather(*watches, return_exceptions=True)


def _pulled(subscription: Subscription) -> PullDelivery:
    """How a subscription is pulled; refused where it is delivered otherwise."""
    if not isinstance(subscription.delivery, PullDelivery):
        raise ConditionError(
            f"the subscription {subscription.name!r} is not delivered by pulling", help='put it with {"kind": "pull"}'
        )
    return subscription.delivery


def _up_to(known: InFlight | None, seq: int | None) -> list[int]:
    """The seqs of what is in flight up to a message that is, in the order in which they were handed out."""
    last = None if known is None or seq is None else known.handed_out.get(seq)
    if known is None or last is None:
        return []
    return [each for each, handed_out in known.handed_out.items() if handed_out.number <= last.number]
