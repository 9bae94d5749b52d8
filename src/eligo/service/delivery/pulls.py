"""How does a subscriber get its messages by asking? They are handed out in order, and wait to be acknowledged.

    waiting    41 ── 42 ── 43 ── 44
    in flight  41    42                41 until 09:00:30; a pull gets 43
    refused          42                not before 09:00:02; until then a pull gets nothing, because 43 is behind it

No message is handed out before one in front of it that nobody has. One that is not acknowledged in time counts as
refused, and comes again. What is in flight is known to the process alone: after a restart it is handed out again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from eligo.errors import EligoError, UnknownIdError
from eligo.service.delivery.backoff import pause
from eligo.service.delivery.bell import Bell, rings
from eligo.service.delivery.subscriber import Message
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


@dataclass
class InFlight:
    """What was handed out of one subscription."""

    deadlines: dict[int, float] = field(default_factory=dict)
    """By seq, when it counts as refused; by the loop's clock."""
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

    def num_in_flight(self, name: str) -> int:
        """Messages that were handed out and neither acknowledged nor refused."""
        known = self._in_flight.get(name)
        return 0 if known is None else len(known.deadlines)

    async def pull(
        self, name: str, most: int, wait: float, is_there: Callable[[], Awaitable[bool]] | None = None
    ) -> list[Message]:
        """The next messages, at most so many; waits for the first for some seconds. `is_there`: whether anyone asks."""
        clock = asyncio.get_running_loop().time
        end = clock() + min(wait, LONGEST_WAIT)
        with self._bell.listening(name) as changed:
            while True:
                changed.clear()
                found, next_at = self._take(name, min(most, MOST_MESSAGES))
                if found or clock() >= end:
                    return found
                until = min(end, clock() + LOOK_AGAIN, *([] if next_at is None else [next_at]))
                await rings(changed, until - clock())
                if is_there is not None and not await is_there():
                    return []

    def _take(self, name: str, most: int) -> tuple[list[Message], float | None]:
        """Messages to hand out now, or when there may be some."""
        delivery = self._delivery(name)
        known = self._in_flight.setdefault(name, InFlight())
        now = asyncio.get_running_loop().time()
        taken: list[Message] = []
        size = 0
        for message in self._service.subscriptions.messages(name, most, known.deadlines):
            not_before = known.not_before.get(message.seq)
            if not_before is not None and not_before > now:
                return self._hand_out(known, name, taken, delivery), not_before
            size += len(bytes(message.document))
            if taken and size > MOST_BYTES:
                break
            taken.append(message)
        if not taken:
            known.not_before.clear()  # nothing waits that was refused
        return self._hand_out(known, name, taken, delivery), None

    def _hand_out(self, known: InFlight, name: str, taken: list[Message], delivery: PullDelivery) -> list[Message]:
        loop = asyncio.get_running_loop()
        for message in taken:
            known.not_before.pop(message.seq, None)
            known.deadlines[message.seq] = loop.time() + delivery.ack_wait
        if taken and known.watch is None:
            known.watch = loop.create_task(self._watch(name, known))
        return taken

    def _delivery(self, name: str) -> PullDelivery:
        delivery = self._service.subscriptions.get(name).delivery
        if not isinstance(delivery, PullDelivery):
            raise ConditionError(
                f"the subscription {name!r} is not delivered by pulling", help='put it with {"kind": "pull"}'
            )
        return delivery

    async def acknowledge(self, name: str, seqs: list[int], up_to: int | None = None) -> Outcome:
        """Messages were taken; done when that is on the disk."""
        outcome = await written(self._service, Acknowledge(subscription=name, seqs=seqs, up_to=up_to))
        known = self._in_flight.get(name)
        if known is not None:
            gone = {*seqs, *(seq for seq in known.deadlines if up_to is not None and seq <= up_to)}
            for seq in gone:
                known.deadlines.pop(seq, None)
                known.not_before.pop(seq, None)
        return outcome

    async def refuse(
        self, name: str, seqs: list[int], reason: str, *, dead: bool = False, again: bool = True
    ) -> Outcome:
        """Messages could not be taken; with `again` they wait a while. Done when that is on the disk."""
        record = Refuse(subscription=name, seqs=seqs, time=datetime.now(UTC), reason=reason, dead=dead)
        outcome = await written(self._service, record)
        known = self._in_flight.get(name)
        if known is not None:
            refusals = self._service.subscriptions.refusals(name, seqs)
            delivery = self._service.subscriptions.get(name).delivery
            backoff = delivery.backoff if again and isinstance(delivery, PullDelivery) else 0.0
            now = asyncio.get_running_loop().time()
            for seq in seqs:
                known.deadlines.pop(seq, None)
                if seq in refusals:
                    known.not_before[seq] = now + pause(backoff, refusals[seq])
            self._bell.ring([name])
        return outcome

    async def _watch(self, name: str, known: InFlight) -> None:
        """Refuse what is not acknowledged in time, until nothing is in flight."""
        clock = asyncio.get_running_loop().time
        try:
            while known.deadlines:
                await asyncio.sleep(min(known.deadlines.values()) - clock())
                late = [seq for seq, deadline in known.deadlines.items() if deadline <= clock()]
                if not late:
                    continue
                try:
                    await self.refuse(name, late, NOT_IN_TIME, again=False)
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
